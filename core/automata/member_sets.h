// The set of members matched so far by an any-order rule, in one word.
//
// Twin:  xg2lab/reference/any_order.py
// Tests: tests/core/test_any_order.py, tests/differential/test_any_order.py
//
// IDEA
//   AnyOrder(a, b?, c*, sep=",") matches its members in any order, each as often as permitted. What
//   may follow depends only on a set: the matched members that may not come again, and the required
//   members already matched. A member that is neither limited nor required is in no set. The total
//   number of matches is recorded only as far as a bound depends on it.
//
//   A match never begins what it can't finish: if at most N members may be matched, an optional
//   member may come only while enough room is left for the required ones. The minimum total needs
//   no such check: AnyOrderBounds::is_possible() refuses members that can't reach it together.
//
//   Members in a fixed order (ordered=true) need no sets: the last matched member determines which
//   may come next, namely one range of members. It runs from the last matched member (or the one
//   after it) to the next required member, and ends earlier if too few members would be left for
//   the minimum. So the index of the last matched member replaces the set.
//
// EXAMPLE   AnyOrder(a, b?, c*, sep=",", max=2) after "c": now only `a` may come, as it is
//           required.
//
//   If members overlap, as in AnyOrder(x, y?) where both match "1", one text yields several sets.
//   They are kept as a list.
//
// REPRESENTATION
//   A word below 2^31 is the index of a set; 0 is the empty set. 2^31 + i is the list of sets i.
//   kAny stands for the union over all contexts (mask/walk/classify.h).
//
// INVARIANTS
//   I1  within one MemberSets, equal sets and equal lists have equal words
//   I2  from every set, a complete match can be reached
//
// COST      may_match: a few instructions a set. with: O(members / 64) time and memory for a new
//           set.
// THREADS   making sets: guarded by the owner's mutex. Reading a set whose word was published: any
//           thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/index_table.h"
#include "support/interned.h"
#include "support/stable_array.h"

namespace xg2lab {

struct MemberBounds {
  bool is_required = false;  // must be matched at least once
  bool may_repeat = false;   // may be matched more than once
  friend bool operator==(const MemberBounds&, const MemberBounds&) = default;
};

struct AnyOrderBounds {
  static constexpr uint32_t kNoMax = UINT32_MAX;
  std::vector<MemberBounds> members;
  uint32_t min_total = 0;
  uint32_t max_total = kNoMax;
  bool is_ordered = false;  // members come in the order of `members`

  bool has_max() const { return max_total != kNoMax; }
  uint32_t n_required() const;
  // Whether some selection of members satisfies all bounds.
  bool is_possible() const;
  bool may_be_empty() const { return min_total == 0 && n_required() == 0; }
  friend bool operator==(const AnyOrderBounds&, const AnyOrderBounds&) = default;
};

// Members in [begin, end).
struct MemberRange {
  uint32_t begin;
  uint32_t end;
  friend auto operator<=>(const MemberRange&, const MemberRange&) = default;
};
using MemberRanges = std::vector<MemberRange>;  // sorted, disjoint

// Sorts the ranges and joins adjacent ones.
MemberRanges joined(MemberRanges ranges);

// Which ordered members may come next. COST  a few instructions.
class MemberOrder {
 public:
  explicit MemberOrder(const AnyOrderBounds& bounds);
  // `n_passed`: one more than the index of the last matched member. 0: none is matched yet.
  MemberRange open(uint32_t n_passed, uint32_t n_total) const;
  uint32_t n_lacking(uint32_t n_passed) const { return n_required_from_[n_passed]; }

 private:
  const uint32_t n_members_;
  const uint32_t min_total_;
  const uint32_t max_total_;
  uint32_t past_repeats_ = 0;  // one more than the last member that may repeat
  std::vector<bool> may_repeat_;
  // Index of both: n_passed.
  std::vector<uint32_t> n_required_from_;
  std::vector<uint32_t> next_required_;  // n_members_: none
};

class MemberSets {
 public:
  static constexpr uint32_t kNoneMatched = 0;
  static constexpr uint32_t kAny = 0x7FFFFFFFu;

  explicit MemberSets(AnyOrderBounds bounds);

  const AnyOrderBounds& bounds() const { return bounds_; }

  // Each holds if it holds for some set of the word.
  bool may_end(uint32_t word) const;
  bool may_go_on(uint32_t word) const;  // some member may be matched
  bool may_match(uint32_t word, uint32_t member) const;
  bool may_match_any(uint32_t word, std::span<const MemberRange> members) const;

  // The word after the member is matched, from all sets that permit it. At least one must.
  uint32_t with(uint32_t word, uint32_t member);
  uint32_t unite(uint32_t a, uint32_t b);
  // The word of the same sets from another MemberSets of equal bounds.
  uint32_t adopt(const MemberSets& other, uint32_t word);

  // For messages, about the word's first set: the members known to be matched, and those still
  // required.
  struct Facts {
    std::vector<uint32_t> matched;
    std::vector<uint32_t> lacking;
    uint32_t n_sets = 1;
    uint32_t n_total = 0;  // exact only as far as a bound depends on it
  };
  Facts facts(uint32_t word) const;

  size_t memory_size_bytes() const {
    return sets_.memory_size_bytes() + lists_.memory_size_bytes() + index_.memory_size_bytes() +
           n_bit_bytes_;
  }

 private:
  static constexpr uint32_t kIsList = 0x80000000u;
  static constexpr size_t kMostSets = 10'000;  // in a list; exceeding it is a LimitError

  using Bits = std::vector<uint64_t>;  // without trailing zeros
  struct Set {
    Bits matched;
    uint32_t n_total = 0;
    uint32_t n_lacking = 0;  // required members not matched yet
    uint32_t n_open = 0;     // unordered members that may still come
    uint32_t n_passed = 0;   // for ordered members, whose `matched` is empty
  };
  // The rest of a set follows from these.
  static bool is_same(const Set& a, const Set& b);
  static uint64_t hash_of(const Set& set);

  std::span<const uint32_t> list(uint32_t word) const;
  // Whether `holds` is true of the word's set, or of some set in its list; true of kAny.
  template <class Holds>
  bool any(uint32_t word, Holds holds) const;
  bool is_matched(const Set& set, uint32_t member) const;
  bool may_match(const Set& set, uint32_t member) const;
  bool may_match_any(const Set& set, MemberRange members) const;
  bool may_match_any(const Set& set, std::span<const MemberRange> members) const;
  uint32_t after(const Set& set, uint32_t member);
  uint32_t intern(Set set);
  uint32_t intern_list(std::vector<uint32_t> sets);

  const AnyOrderBounds bounds_;
  const uint32_t most_counted_;             // a larger total makes no difference
  const std::optional<MemberOrder> order_;  // for ordered members
  Bits may_repeat_;
  Bits is_required_;
  StableArray<Set, 8> sets_;
  IndexTable index_;  // of sets_
  Interned<uint32_t> lists_;
  size_t n_bit_bytes_ = 0;  // of sets_
};

}  // namespace xg2lab
