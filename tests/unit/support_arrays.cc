// support/ragged_rows.h, stable_array.h, block_array.h, known_values.h, small_set.h.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "support/block_array.h"
#include "support/known_values.h"
#include "support/ragged_rows.h"
#include "support/small_set.h"
#include "support/stable_array.h"

namespace xg2lab {
namespace {

TEST_CASE("RaggedRows: rows come back as they were added, empty ones too") {
  RaggedRows rows;
  CHECK(rows.size() == 0);
  const std::vector<std::vector<uint32_t>> added{{1, 2, 3}, {}, {4}, {}, {5, 6}};
  for (const auto& row : added) rows.add(row);
  REQUIRE(rows.size() == added.size());
  for (size_t i = 0; i < added.size(); ++i) CHECK(std::ranges::equal(rows[i], added[i]));
}

TEST_CASE("RaggedRows: equal rows are kept apart") {
  RaggedRows rows;
  const std::vector<uint32_t> row{9, 9};
  rows.add(row);
  rows.add(row);
  CHECK(rows.size() == 2);
  CHECK(rows[0].data() != rows[1].data());
}

TEST_CASE("StableArray I1: no element moves while the array grows over many chunks") {
  StableArray<uint32_t, 4> array;
  std::vector<const uint32_t*> addresses;
  for (uint32_t i = 0; i < 1000; ++i) {
    array.append() = i;
    addresses.push_back(&array[i]);
  }
  CHECK(array.size() == 1000);
  size_t n_wrong = 0;
  for (uint32_t i = 0; i < 1000; ++i) n_wrong += &array[i] != addresses[i] || array[i] != i ? 1 : 0;
  CHECK(n_wrong == 0);
}

TEST_CASE(
    "StableArray I2: a chunk's elements lie beside each other, the next chunk is twice as long") {
  StableArray<uint32_t, 4> array;
  for (uint32_t i = 0; i < 28; ++i) array.append() = i;
  for (const size_t begin : {0, 4, 12}) {
    const size_t end = 2 * begin + 4;
    for (size_t i = begin + 1; i < end; ++i) CHECK(&array[i] == &array[begin] + (i - begin));
  }
}

TEST_CASE("BlockArray: an element is found once its block was asked for, with its neighbours") {
  BlockArray<uint32_t, 8> array(20);
  CHECK(array.find(9) == nullptr);
  array.at(9) = 5;
  REQUIRE(array.find(9) != nullptr);
  CHECK(*array.find(9) == 5);
  REQUIRE(array.find(15) != nullptr);
  CHECK(*array.find(15) == 0);  // I2
  CHECK(array.find(16) == nullptr);
  CHECK(&array.at(9) == array.find(9));  // I1
}

TEST_CASE("KnownValues: a kept value is found by its name, and the first of a name stays") {
  KnownValues<std::string> values(4);
  CHECK(values.find("a") == nullptr);
  values.keep("a", std::make_shared<const std::string>("first"));
  values.keep("a", std::make_shared<const std::string>("second"));
  REQUIRE(values.find("a") != nullptr);
  CHECK(*values.find("a") == "first");
  CHECK(values.find("b") == nullptr);
}

TEST_CASE("KnownValues: one more than `most` forgets all, and a value in use lives on") {
  KnownValues<int> values(2);
  values.keep("a", std::make_shared<const int>(1));
  values.keep("b", std::make_shared<const int>(2));
  const std::shared_ptr<const int> used = values.find("a");
  values.keep("c", std::make_shared<const int>(3));
  CHECK(values.find("a") == nullptr);
  CHECK(values.find("b") == nullptr);
  CHECK(*values.find("c") == 3);
  CHECK(*used == 1);
}

TEST_CASE("SmallSet: a range within a word, to its end, and over several words") {
  for (const auto& [first, last] : std::vector<std::pair<size_t, size_t>>{{0, 0},
                                                                          {3, 9},
                                                                          {63, 63},
                                                                          {63, 64},
                                                                          {0, 63},
                                                                          {64, 127},
                                                                          {5, 250},
                                                                          {0, 255},
                                                                          {255, 255}}) {
    SmallSet set;
    set.add_range(first, last);
    std::vector<size_t> members;
    set.for_each([&](size_t member) { members.push_back(member); });
    REQUIRE(members.size() == last - first + 1);
    CHECK(members.front() == first);
    CHECK(members.back() == last);
    CHECK(set.has_at_most_one() == (first == last));
  }
}

TEST_CASE("SmallSet: intersection and difference") {
  SmallSet set = SmallSet::all();
  SmallSet low;
  low.add_range(0, 99);
  SmallSet few;
  few.add_range(90, 95);
  set &= low;
  set -= few;
  for (size_t i = 0; i < 256; ++i) CHECK(set.has(i) == (i < 90 || (i > 95 && i < 100)));
  set.clear();
  CHECK(set.has_at_most_one());
  CHECK_FALSE(set.has(0));
}

}  // namespace
}  // namespace xg2lab
