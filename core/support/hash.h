// Mixing of 64-bit hashes; not commutative, so that order matters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace xg2lab {

constexpr uint64_t hash_mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ull;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ull;
  x ^= x >> 32;
  return x;
}

constexpr uint64_t hash_combine(uint64_t hash, uint64_t value) {
  return hash_mix(hash * 0x9e3779b97f4a7c15ull + value + 1);
}

// Of n_bytes bytes, a multiple of 4. One multiplication for eight bytes: most rows are short, and
// the hash of each is on the way to every new column.
inline uint64_t hash_of_bytes(const void* bytes, size_t n_bytes) {
  constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15ull;
  const char* at = static_cast<const char*>(bytes);
  const char* const end = at + n_bytes;
  uint64_t hash = n_bytes * kMultiplier;
  for (; end - at >= 8; at += 8) {
    uint64_t word;
    std::memcpy(&word, at, sizeof word);
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 32;
  }
  if (at != end) {
    uint32_t word;
    std::memcpy(&word, at, sizeof word);
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 32;
  }
  return hash;
}

// Of the bytes of `row`: T has no padding.
template <class T>
uint64_t hash_of_row(std::span<const T> row) {
  static_assert(std::has_unique_object_representations_v<T> && sizeof(T) % sizeof(uint32_t) == 0);
  return hash_of_bytes(row.data(), row.size_bytes());
}

}  // namespace xg2lab
