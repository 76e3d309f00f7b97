// The binary layout of DLPack's exchange table, as far as the engine reads it.
//
// IDEA
//   Tensor classes publish `__dlpack_c_exchange_api__`, a capsule named "dlpack_exchange_api" that
//   points to a table of C functions. One of these functions describes a tensor without making a
//   new object. The layouts are those of DLPack major version 1; they are read only after that
//   version number is checked.
#pragma once

#include <cstdint>

namespace xg2lab::bind::dlpack {

inline constexpr uint32_t kMajorVersion = 1;
inline constexpr int32_t kDeviceCpu = 1;
inline constexpr uint8_t kTypeInt = 0;
inline constexpr uint8_t kTypeUInt = 1;
inline constexpr uint8_t kTypeFloat = 2;
inline constexpr uint8_t kTypeBFloat = 4;

struct Tensor {
  void* data;
  int32_t device_type;
  int32_t device_id;
  int32_t n_dimensions;
  uint8_t type_code;
  uint8_t type_bits;
  uint16_t type_lanes;
  int64_t* shape;
  int64_t* strides;  // in elements; null for a compact row-major tensor
  uint64_t byte_offset;
};

struct ExchangeTable {
  uint32_t major_version;
  uint32_t minor_version;
  void* previous_table;
  void* allocate;
  void* managed_from_object;
  void* managed_to_object;
  int (*describe)(void* object,
                  Tensor* out);  // may be null; 0 on success, else a Python error is set
  void* current_work_stream;
};

}  // namespace xg2lab::bind::dlpack
