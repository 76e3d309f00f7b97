// support/dense_map.h: PairMap, what is known of pairs of numbers.
#include <doctest/doctest.h>

#include "support/dense_map.h"

namespace xg2lab {
namespace {

TEST_CASE("PairMap: a pair is ordered, and unknown before it is added") {
  PairMap map;
  CHECK(map.find(1, 2) == nullptr);
  CHECK(map.add(1, 2, 10) == 10);
  REQUIRE(map.find(1, 2) != nullptr);
  CHECK(*map.find(1, 2) == 10);
  CHECK(map.find(2, 1) == nullptr);
}

TEST_CASE("PairMap: growing keeps every pair") {
  PairMap map;
  for (uint32_t i = 0; i < 5000; ++i) map.add(i, ~i, 2 * i);
  size_t n_wrong = 0;
  for (uint32_t i = 0; i < 5000; ++i) {
    const uint32_t* const found = map.find(i, ~i);
    n_wrong += found == nullptr || *found != 2 * i ? 1 : 0;
  }
  CHECK(n_wrong == 0);
}

TEST_CASE("PairMap: cleared, it knows nothing, keeps its memory, and takes new values") {
  PairMap map;
  for (uint32_t i = 0; i < 500; ++i) map.add(i, 0, i);
  const size_t n_bytes = map.memory_size_bytes();
  map.clear();
  CHECK(map.find(3, 0) == nullptr);
  map.add(3, 0, 99);
  CHECK(*map.find(3, 0) == 99);
  CHECK(map.find(4, 0) == nullptr);
  CHECK(map.memory_size_bytes() == n_bytes);
}

}  // namespace
}  // namespace xg2lab
