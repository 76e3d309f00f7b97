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

// Of the bytes of `row`: T has no padding.
template <class T>
uint64_t hash_of_row(std::span<const T> row) {
  static_assert(std::has_unique_object_representations_v<T> && sizeof(T) % sizeof(uint32_t) == 0);
  uint64_t hash = row.size();
  for (const T& value : row) {
    uint32_t words[sizeof(T) / sizeof(uint32_t)];
    std::memcpy(words, &value, sizeof(T));
    for (const uint32_t word : words) hash = (hash ^ word) * 0x9e3779b97f4a7c15ull + (hash >> 29);
  }
  return hash_mix(hash);
}

}  // namespace xg2lab
