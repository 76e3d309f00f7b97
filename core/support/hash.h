// Mixing of 64-bit hashes; not commutative, so that order matters.
#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace xg2lab
