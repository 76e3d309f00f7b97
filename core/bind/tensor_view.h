// Views of NumPy arrays and torch tensors in place: address, type and shape of the data.
//
// Tests: tests/bitmask/test_bitmask_row.py
//
// IDEA
//   The engine writes masks into memory that a tensor library owns, without depending on that
//   library at build time. A NumPy array is read through the fields of its struct. A torch tensor
//   is read through the C table that its class publishes for DLPack exchange or, if torch is too
//   old to have one, through its attributes.
//
// COST      once for each mask fill: tens of nanoseconds through the struct or the table, about a
//           microsecond through attributes (benchmarks/tokens.py).
// THREADS   the GIL must be held. The view is valid while the object lives and is not resized.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bind/python.h"

namespace xg2lab::bind {

namespace py = pybind11;

enum class ElementType : uint8_t {
  kInt32,
  kUInt32,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kOther
};

struct TensorView {
  static constexpr int kMaxDimensions = 2;

  void* data = nullptr;  // the first element
  ElementType element = ElementType::kOther;
  bool on_cpu = true;
  bool writable = true;
  bool has_whole_strides = true;  // strides between rows and columns are whole numbers of elements
  int n_dimensions = 0;  // shape and strides are set only if this is at most kMaxDimensions
  int64_t shape[kMaxDimensions] = {1, 1};
  int64_t strides[kMaxDimensions] = {0, 0};  // in elements; 0 where the library leaves it arbitrary

  // A one-dimensional array counts as a matrix of one row.
  int64_t n_rows() const { return n_dimensions == 2 ? shape[0] : 1; }
  int64_t n_columns() const { return shape[n_dimensions - 1]; }
  size_t item_size() const {
    return element == ElementType::kFloat64                                        ? 8
           : element == ElementType::kFloat16 || element == ElementType::kBFloat16 ? 2
           : element == ElementType::kOther                                        ? 1
                                                                                   : 4;
  }
  // Whether two rows share memory; columns must be contiguous.
  bool rows_overlap() const {
    return n_rows() > 1 && n_columns() > 0 && row_stride() < n_columns() &&
           row_stride() > -n_columns();
  }
  int64_t row_stride() const { return n_dimensions == 2 ? strides[0] : 0; }
  int64_t column_stride() const { return strides[n_dimensions - 1]; }
};

// The view of an array or tensor; nothing for any other object.
std::optional<TensorView> view_tensor(py::handle object);

// For messages; these call Python: "int64", "cuda:0", "(4, 128)", "a list".
std::string dtype_name(py::handle tensor);
std::string device_name(py::handle tensor);
std::string shape_text(py::handle tensor);
std::string kind_of_object(py::handle object);

}  // namespace xg2lab::bind
