// Members in any order: which of them have been matched, in one word.
//
// Twin:  xg2lab/reference/any_order.py
// Tests: tests/core/test_any_order.py, tests/differential/test_any_order.py
//
// IDEA
//   AnyOrder(a, b?, c*, sep=",") matches its members in any order, each as often as it may be. What a text so far says of
//   the rest is a set: the members matched that may not come again, and those no longer lacking. A member that is neither
//   limited nor needed is in no set. How many were matched in all is part of it only as far as a bound asks.
//
//   Nothing is ever begun that can't be finished: if at most N may be matched, a member that isn't needed may come only
//   while there is room left for those that are. (The least number can always be reached: if that needs too many members,
//   there is no such rule.)
//
//   Members in the order in which they stand (ordered=true) need no sets: which may come is said by the last that was matched.
//   They are one range of members, from the last, or the one after it, to the next that is needed, cut short where too few
//   would be left for the least number of all. So the index of the last stands in the place of the set.
//
// EXAMPLE   AnyOrder(a, b?, c*, sep=",", max=2) after "c": now only `a` may come, as it is needed.
//
//   With members that look alike, AnyOrder(x, y?) where both match "1", one text has several sets. They are kept as a list.
//
// REPRESENTATION
//   A word below 2^31 is the index of a set; 0 is the empty one. 2^31 + an index stands for a list of sets. kAny stands for
//   all sets at once: what may follow in some context (mask/classify.h).
//
// INVARIANTS
//   I1  equal sets, and equal lists, of one MemberSets are equal words
//   I2  from every set that is made, the end can be reached
//
// COST      may_match: a few instructions a set. with: O(members / 64) for a new set, which takes as many words.
// THREADS   new sets: the owner's mutex. Reading a set whose word was published: any thread.
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
  bool is_required = false;  // it must be matched
  bool may_repeat = false;   // it may be matched again
  friend bool operator==(const MemberBounds&, const MemberBounds&) = default;
};

struct AnyOrderBounds {
  static constexpr uint32_t kNoMax = UINT32_MAX;
  std::vector<MemberBounds> members;
  uint32_t min_total = 0;
  uint32_t max_total = kNoMax;
  bool is_ordered = false;  // they come in the order of `members`

  bool has_max() const { return max_total != kNoMax; }
  uint32_t n_required() const;
  // Whether some choice of members keeps all bounds.
  bool is_possible() const;
  bool may_be_empty() const { return min_total == 0 && n_required() == 0; }
  friend bool operator==(const AnyOrderBounds&, const AnyOrderBounds&) = default;
};

// Members from `begin` to before `end`.
struct MemberRange {
  uint32_t begin;
  uint32_t end;
  friend auto operator<=>(const MemberRange&, const MemberRange&) = default;
};
using MemberRanges = std::vector<MemberRange>;  // sorted, disjoint

// Sorted, and joined where they touch.
MemberRanges joined(MemberRanges ranges);

// Which members may come next, of ordered ones. COST  a few instructions.
class MemberOrder {
 public:
  explicit MemberOrder(const AnyOrderBounds& bounds);
  // `n_passed`: the last that was matched and all before it.
  MemberRange open(uint32_t n_passed, uint32_t n_total) const;
  uint32_t n_lacking(uint32_t n_passed) const { return n_required_from_[n_passed]; }

 private:
  const uint32_t n_members_;
  const uint32_t min_total_;
  const uint32_t max_total_;
  uint32_t past_repeats_ = 0;  // one more than the last that may repeat
  std::vector<bool> may_repeat_;
  // Index: n_passed.
  std::vector<uint32_t> n_required_from_;
  std::vector<uint32_t> next_required_;  // n_members_: there is none
};

class MemberSets {
 public:
  static constexpr uint32_t kNoneMatched = 0;
  static constexpr uint32_t kAny = 0x7FFFFFFFu;

  explicit MemberSets(AnyOrderBounds bounds);

  const AnyOrderBounds& bounds() const { return bounds_; }

  // Each holds if it does for some set of the word's.
  bool may_end(uint32_t word) const;
  bool may_go_on(uint32_t word) const;  // some member may be matched
  bool may_match(uint32_t word, uint32_t member) const;
  bool may_match_any(uint32_t word, std::span<const MemberRange> members) const;

  // After the member, in all sets in which it may be matched (there is one).
  uint32_t with(uint32_t word, uint32_t member);
  uint32_t unite(uint32_t a, uint32_t b);
  // The same sets, of another object for the same bounds.
  uint32_t adopt(const MemberSets& other, uint32_t word);

  // For people, of the first set: which members were matched (of those that it knows), and which are lacking.
  struct Facts {
    std::vector<uint32_t> matched;
    std::vector<uint32_t> lacking;
    uint32_t n_sets = 1;
    uint32_t n_total = 0;  // as far as a bound asks
  };
  Facts facts(uint32_t word) const;

  size_t memory_size_bytes() const {
    return sets_.memory_size_bytes() + lists_.memory_size_bytes() + index_.memory_size_bytes() +
           n_bit_bytes_;
  }

 private:
  static constexpr uint32_t kIsList = 0x80000000u;
  static constexpr size_t kMostSets = 10'000;  // in a list; more is a LimitError

  using Bits = std::vector<uint64_t>;  // without zeros at its end
  struct Set {
    Bits matched;
    uint32_t n_total = 0;
    uint32_t n_lacking = 0;  // required ones
    uint32_t n_open = 0;     // members that may come again, or have not come; of unordered ones
    uint32_t n_passed = 0;   // of ordered ones, whose `matched` is empty
  };
  // The rest of a set follows from these.
  static bool is_same(const Set& a, const Set& b);
  static uint64_t hash_of(const Set& set);

  std::span<const uint32_t> list(uint32_t word) const;
  // Holds of a set, or of one in a list; of kAny always.
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
  const uint32_t most_counted_;             // beyond it the total makes no difference
  const std::optional<MemberOrder> order_;  // of ordered ones
  Bits may_repeat_;
  Bits is_required_;
  StableArray<Set, 8> sets_;
  IndexTable index_;  // of sets_
  Interned<uint32_t> lists_;
  size_t n_bit_bytes_ = 0;  // of sets_
};

}  // namespace xg2lab
