// IndexTable, the engine's one hash table, and the containers built on it: collisions, growth,
// reuse, and memory_size_bytes(), which must equal the bytes that a container has allocated.
// Header-only: compiled by itself, run by tests/core/test_index_table.py.
//
// Bytes are counted by this program's own operator new: so many are asked for, so many are given
// back.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <random>
#include <string>

#include "support/dense_map.h"
#include "support/index_table.h"
#include "support/interned.h"
#include "support/interned_rows.h"

namespace {

size_t n_allocated = 0;
size_t n_left_to_allocate = SIZE_MAX;  // blocks; then operator new throws
constexpr size_t kHeader = alignof(std::max_align_t);

}  // namespace

void* operator new(size_t n_bytes) {
  if (n_left_to_allocate-- == 0) throw std::bad_alloc();
  auto* const block = static_cast<char*>(std::malloc(n_bytes + kHeader));
  if (block == nullptr) throw std::bad_alloc();
  *reinterpret_cast<size_t*>(block) = n_bytes;
  n_allocated += n_bytes;
  return block + kHeader;
}
void operator delete(void* at) noexcept {
  if (at == nullptr) return;
  char* const block = static_cast<char*>(at) - kHeader;
  n_allocated -= *reinterpret_cast<size_t*>(block);
  std::free(block);
}
void* operator new[](size_t n_bytes) { return operator new(n_bytes); }
void operator delete[](void* at) noexcept { operator delete(at); }
void operator delete(void* at, size_t) noexcept { operator delete(at); }
void operator delete[](void* at, size_t) noexcept { operator delete(at); }

namespace xg2lab {
namespace {

int n_failed = 0;
#define CHECK(what)                                                   \
  do {                                                                \
    if (!(what)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
      ++n_failed;                                                     \
    }                                                                 \
  } while (false)

// Texts by number, through a table whose hashes keep `hash_bits`.
struct Texts {
  uint64_t hash_mask;
  std::vector<std::string> texts;
  IndexTable table;

  uint64_t hash_of(const std::string& text) const {
    return std::hash<std::string>{}(text)&hash_mask;
  }
  std::optional<uint32_t> find(const std::string& text) const {
    return table.find(hash_of(text), [&](uint32_t i) { return texts[i] == text; });
  }
  uint32_t add(const std::string& text) {
    return table.find_or_add(
        hash_of(text), [&](uint32_t i) { return texts[i] == text; },
        [&](uint32_t i) { return hash_of(texts[i]); },
        [&] {
          texts.push_back(text);
          return static_cast<uint32_t>(texts.size() - 1);
        });
  }
};

void finds_what_a_map_finds(uint64_t hash_mask, size_t n_steps) {
  Texts ours{hash_mask, {}, {}};
  std::map<std::string, uint32_t> theirs;
  std::mt19937 random(17);
  for (size_t step = 0; step < n_steps; ++step) {
    const std::string text = std::to_string(random() % (n_steps / 2));
    const auto known = theirs.find(text);
    CHECK(ours.find(text) == (known == theirs.end() ? std::nullopt : std::optional(known->second)));
    const uint32_t number = ours.add(text);
    CHECK(theirs.emplace(text, number).first->second == number);
    CHECK(ours.table.size() == theirs.size());
  }
}

void an_empty_table_takes_no_memory_and_finds_nothing() {
  const size_t n_before = n_allocated;
  const Texts none{~uint64_t{0}, {}, {}};
  CHECK(!none.find("a"));
  CHECK(none.table.memory_size_bytes() == 0 && n_allocated == n_before);
}

void clear_forgets_all_and_keeps_the_slots() {
  Texts texts{~uint64_t{0}, {}, {}};
  for (int round = 0; round < 300; ++round) {
    for (int i = 0; i < 100; ++i)
      CHECK(texts.add(std::to_string(round + i)) == static_cast<uint32_t>(i));
    const size_t n_bytes = texts.table.memory_size_bytes();
    texts.table.clear();
    texts.texts.clear();
    CHECK(!texts.find(std::to_string(round)));
    CHECK(texts.table.size() == 0 && texts.table.memory_size_bytes() == n_bytes);
  }
}

// Numbers near 2^31 raise base_ so far that clear() has to empty the slots.
void clear_survives_the_wrap_of_its_base() {
  IndexTable table;
  const auto hash_of = [](uint32_t number) { return hash_mix(number); };
  for (uint32_t round = 0; round < 8; ++round) {
    const uint32_t number = 0x7FFFFFFFu - round;
    table.insert(hash_of(number), number, hash_of);
    table.insert(hash_of(round), round, hash_of);
    const auto is = [](uint32_t wanted) { return [=](uint32_t i) { return i == wanted; }; };
    CHECK(table.find(hash_of(number), is(number)) == number);
    CHECK(table.find(hash_of(round), is(round)) == round);
    CHECK(table.size() == 2);
    table.clear();
    CHECK(!table.find(hash_of(number), is(number)) && !table.find(hash_of(round), is(round)));
  }
}

void what_throws_while_it_is_made_is_not_there() {
  Texts texts{0, {}, {}};
  for (int i = 0; i < 7; ++i) texts.add(std::to_string(i));
  bool has_thrown = false;
  try {
    texts.table.find_or_add(
        0, [](uint32_t) { return false; }, [](uint32_t) { return uint64_t{0}; },
        []() -> uint32_t { throw 1; });
  } catch (int) {
    has_thrown = true;
  }
  CHECK(has_thrown && texts.table.size() == 7);
  for (int i = 0; i < 100; ++i) CHECK(texts.add(std::to_string(i)) == static_cast<uint32_t>(i));
}

// Each allocation fails once; what was interned before stays, and what failed is interned again.
void survives_each_allocation_that_fails() {
  Interned<uint32_t> lists;
  size_t n_failures = 0;
  for (uint32_t i = 1; i < 200; ++i) {
    for (size_t n_blocks = 0;; ++n_blocks) {
      const std::vector<uint32_t> list(i % 5 + 1, i);
      n_left_to_allocate = n_blocks;
      uint32_t id = 0;
      try {
        id = lists.of(list);
      } catch (const std::bad_alloc&) {
        ++n_failures;
      }
      n_left_to_allocate = SIZE_MAX;
      if (id == 0) continue;
      CHECK(id == i && std::ranges::equal(lists[id], list));
      break;
    }
  }
  CHECK(n_failures > 10 && lists.size() == 200);
}

void a_map_keeps_the_first_value() {
  DenseMap<uint64_t, uint32_t> map;
  CHECK(map.find(5) == nullptr && !map.contains(5));
  for (uint32_t i = 0; i < 1000; ++i) CHECK(map.add(uint64_t{i} << 32, i).is_new);
  for (uint32_t i = 0; i < 1000; ++i) {
    const auto again = map.add(uint64_t{i} << 32, 7);
    CHECK(!again.is_new && again.value == i && map.at(uint64_t{i} << 32) == i);
  }
  map.at(0) = 9;
  CHECK(*map.find(0) == 9);
  map.clear();
  CHECK(map.size() == 0 && map.find(0) == nullptr && map.add(0, 3).is_new);
}

void pairs_are_ordered() {
  PairMap map;
  for (uint32_t i = 0; i < 100; ++i) map.add(i, 2 * i + 1, i);
  CHECK(*map.find(3, 7) == 3 && map.find(7, 3) == nullptr);
  map.clear();
  CHECK(map.find(3, 7) == nullptr && map.add(3, 7, 8) == 8);
}

void lists_stay_where_they_are() {
  Interned<uint64_t> lists;
  CHECK(lists.of({}) == 0 && lists[0].empty() && lists.size() == 1);
  const auto first = lists.of({1, 2});
  const uint64_t* const data = lists[first].data();
  for (uint64_t i = 0; i < 3000; ++i) CHECK(lists.of({i, 7, i}) == i + 2);
  CHECK(lists[first].data() == data && lists.of({1, 2}) == first);
  CHECK(lists.find(std::span<const uint64_t>(lists[9])) == 9u);
  CHECK(!lists.find(std::vector<uint64_t>{2, 1}));
}

void rows_are_numbered_from_the_start_after_clear() {
  InternedRows rows;
  for (int round = 0; round < 3; ++round) {
    for (uint32_t i = 0; i < 500; ++i) {
      const std::vector<uint32_t> row(i % 4, i);
      const auto added = rows.add(row);
      CHECK(std::ranges::equal(rows[added.id], row));
      CHECK(!rows.add(row).is_new && rows.add(row).id == added.id);
    }
    rows.clear();
    CHECK(rows.size() == 0);
  }
}

// f fills a container; afterwards what it says of its memory is what was allocated meanwhile.
template <class Container, class F>
void says_what_it_has_allocated(F f) {
  const size_t n_before = n_allocated;
  {
    Container container;
    for (uint32_t i = 0; i < 5000; ++i) {
      f(container, i);
      if (std::has_single_bit(i)) CHECK(container.memory_size_bytes() == n_allocated - n_before);
    }
  }
  CHECK(n_allocated == n_before);
}

void every_container_says_what_it_has_allocated() {
  says_what_it_has_allocated<IndexTable>(
      [](IndexTable& table, uint32_t i) { table.insert(hash_mix(i), i, hash_mix); });
  says_what_it_has_allocated<PairMap>([](PairMap& map, uint32_t i) { map.add(i, i, i); });
  says_what_it_has_allocated<DenseMap<uint64_t, char>>(
      [](DenseMap<uint64_t, char>& map, uint32_t i) { map.add(i, 'a'); });
  says_what_it_has_allocated<Interned<uint32_t>>([](Interned<uint32_t>& lists, uint32_t i) {
    const uint32_t list[] = {i, i / 3};
    lists.of(std::span(list, i % 3));
  });
  says_what_it_has_allocated<InternedRows>([](InternedRows& rows, uint32_t i) {
    const uint32_t row[] = {i, i / 3};
    rows.add(std::span(row, i % 3));
  });
}

int run() {
  finds_what_a_map_finds(~uint64_t{0}, 20'000);
  finds_what_a_map_finds(7, 1000);  // eight hashes
  finds_what_a_map_finds(0, 500);   // one hash
  an_empty_table_takes_no_memory_and_finds_nothing();
  clear_forgets_all_and_keeps_the_slots();
  clear_survives_the_wrap_of_its_base();
  what_throws_while_it_is_made_is_not_there();
  survives_each_allocation_that_fails();
  a_map_keeps_the_first_value();
  pairs_are_ordered();
  lists_stay_where_they_are();
  rows_are_numbered_from_the_start_after_clear();
  every_container_says_what_it_has_allocated();
  if (n_failed == 0) std::puts("ok");
  return n_failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace xg2lab

int main() { return xg2lab::run(); }
