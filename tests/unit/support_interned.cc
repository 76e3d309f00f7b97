// support/interned.h, support/interned_rows.h: equal values get one number.
#include "support/interned.h"

#include <doctest/doctest.h>

#include "support/interned_rows.h"

namespace xg2lab {
namespace {

struct Pair {
  uint32_t first;
  uint32_t second;
  friend bool operator==(const Pair&, const Pair&) = default;
};

TEST_CASE("Interned: the empty list is number 0 from the beginning") {
  Interned<Pair> lists;
  CHECK(lists.size() == 1);
  CHECK(lists.of({}) == 0);
  CHECK(lists[0].empty());
}

TEST_CASE("Interned: equal lists get one number, in whatever order others came between") {
  Interned<Pair> lists;
  const auto first = lists.of({{1, 2}, {3, 4}});
  const auto swapped = lists.of({{3, 4}, {1, 2}});
  CHECK(first != swapped);
  CHECK(lists.of({{1, 2}, {3, 4}}) == first);
  CHECK(std::ranges::equal(lists[swapped], std::vector<Pair>{{3, 4}, {1, 2}}));
}

TEST_CASE("Interned: a list stays where it is while others are added, and bytes only grow") {
  Interned<uint32_t> lists;
  const uint32_t* const first = lists[lists.of({7})].data();
  const size_t n_bytes_of_one = lists.memory_size_bytes();
  size_t n_bytes = n_bytes_of_one;
  for (uint32_t i = 0; i < 1000; ++i) {
    CHECK(lists.of({i, i + 1}) == i + 2);
    CHECK(lists.memory_size_bytes() >= n_bytes);
    n_bytes = lists.memory_size_bytes();
  }
  CHECK(n_bytes - n_bytes_of_one >= 1000 * (2 * sizeof(uint32_t) + sizeof(std::span<uint32_t>)));
  CHECK(lists[1].data() == first);
  CHECK(lists.of({500, 501}) == 502);
  CHECK(lists.memory_size_bytes() == n_bytes);
}

TEST_CASE("Interned: numbers hold beyond the lists whose hash is kept whole") {
  Interned<uint32_t> lists;
  constexpr uint32_t kMany = 150'000;  // the index has 2^19 slots
  for (uint32_t i = 0; i < kMany; ++i) REQUIRE(lists.of({i, i % 7}) == i + 1);
  for (uint32_t i = 0; i < kMany; ++i) REQUIRE(lists.of({i, i % 7}) == i + 1);
  CHECK_FALSE(lists.find(std::vector<uint32_t>{kMany, kMany % 7}));
}

TEST_CASE("Interned: a list may be longer than a block") {
  Interned<uint32_t> lists;
  const auto long_list = [](size_t n, uint32_t last) {
    std::vector<uint32_t> list(n, 3);
    list.back() = last;
    return list;
  };
  for (const size_t n : {16'384, 16'385, 40'000}) {
    const auto a = lists.of(long_list(n, 4));
    const auto b = lists.of(long_list(n, 5));
    const auto next = lists.of({static_cast<uint32_t>(n)});
    CHECK(a != b);
    CHECK(std::ranges::equal(lists[a], long_list(n, 4)));
    CHECK(std::ranges::equal(lists[b], long_list(n, 5)));
    CHECK(lists[next].front() == n);
    CHECK(lists.of(long_list(n, 4)) == a);
  }
}

TEST_CASE("InternedRows: ids count from 0, and `is_new` is true once") {
  InternedRows rows;
  const std::vector<uint32_t> empty;
  const std::vector<uint32_t> one{1};
  CHECK(rows.add(one).id == 0);
  CHECK(rows.add(empty).id == 1);
  const InternedRows::Added again = rows.add(one);
  CHECK(again.id == 0);
  CHECK_FALSE(again.is_new);
  CHECK(rows.size() == 2);
  CHECK(rows[1].empty());
}

TEST_CASE("InternedRows: rows survive growing, and {1,2} {3} differs from {1} {2,3}") {
  InternedRows rows;
  for (uint32_t i = 0; i < 1000; ++i) rows.add(std::vector<uint32_t>(i % 7, i));
  const auto a = rows.add(std::vector<uint32_t>{5001, 5002}).id;
  const auto b = rows.add(std::vector<uint32_t>{5003}).id;
  const auto c = rows.add(std::vector<uint32_t>{5001}).id;
  const auto d = rows.add(std::vector<uint32_t>{5002, 5003}).id;
  CHECK(std::ranges::equal(rows[a], std::vector<uint32_t>{5001, 5002}));
  CHECK(std::ranges::equal(rows[b], std::vector<uint32_t>{5003}));
  CHECK(std::ranges::equal(rows[c], std::vector<uint32_t>{5001}));
  CHECK(std::ranges::equal(rows[d], std::vector<uint32_t>{5002, 5003}));
  CHECK(rows.add(std::vector<uint32_t>(3, 997)).id == rows.add(std::vector<uint32_t>(3, 997)).id);
}

TEST_CASE("InternedRows: cleared, ids count from 0 again") {
  InternedRows rows;
  for (uint32_t i = 0; i < 200; ++i) rows.add(std::vector<uint32_t>{i});
  rows.clear();
  CHECK(rows.size() == 0);
  CHECK(rows.add(std::vector<uint32_t>{150}).is_new);
  CHECK(rows.add(std::vector<uint32_t>{150}).id == 0);
}

}  // namespace
}  // namespace xg2lab
