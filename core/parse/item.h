// Items: partial parses, as the parser keeps them.
//
// IDEA
//   The item (state, origin, goal) reads: "a match of `goal` that began at column `origin` has
//   reached `state`". The goal is the rule that `state` belongs to. In a parser with stacks it
//   differs after a tail call: when rule a ends in a call of b, b's item carries a's origin and
//   a's goal, so that finishing b wakes those who wait for a, without a stop at a (which is why
//   right recursion pushes one frame).
//
//   A waiting item is an item that stands before a rule edge, stored as it will be once the rule is
//   complete: (to, origin, goal), listed under the rule.
//
//   In a state of a counted rule the item also says how many iterations it may have done
//   (counts.h). That is no part of its place: of two items that differ in their counts alone a
//   column holds one, with both sets. In a state of an any-order rule or its member rule the counts
//   are the sets of members matched so far, and are united likewise. In a state of a rule with
//   max_tokens the counts are the number of tokens that the match has touched (tick.cc); of two
//   items a column holds the one with fewer.
#pragma once

#include <cstdint>
#include <tuple>

#include "parse/counts.h"
#include "support/hash.h"
#include "support/ids.h"

namespace xg2lab {

struct Item {
  StateId state;
  ColumnId origin;
  RuleId goal;
  Counts counts = {};

  bool is_same_place(const Item& other) const {
    return state == other.state && origin == other.origin && goal == other.goal;
  }
  friend bool operator==(const Item&, const Item&) = default;
  friend bool operator<(const Item& a, const Item& b) {
    // By state, origin, goal, counts; two numbers at once.
    const uint64_t of_a = pack(a.state.value, a.origin.value);
    const uint64_t of_b = pack(b.state.value, b.origin.value);
    if (of_a != of_b) return of_a < of_b;
    return std::tie(a.goal, a.counts) < std::tie(b.goal, b.counts);
  }
  static constexpr uint64_t pack(uint32_t first, uint32_t second) {
    return (static_cast<uint64_t>(first) << 32) | second;
  }
  uint64_t hash_of_place() const {
    // Items that are looked for one after the other have origins side by side: so have their
    // hashes, by eights.
    const uint64_t packed = (static_cast<uint64_t>(state.value) << 32) | goal.value;
    const uint64_t eight = hash_mix(packed + 0x9e3779b97f4a7c15ull * (origin.value >> 3));
    return (eight & ~uint64_t{7}) | (origin.value & 7u);
  }
  uint64_t hash() const { return hash_combine(hash_of_place(), counts.word); }
};

struct WaitingItem {
  RuleId rule;  // waits for this rule to complete
  Item after;   // and goes on as this item

  friend bool operator==(const WaitingItem&, const WaitingItem&) = default;
  friend bool operator<(const WaitingItem& a, const WaitingItem& b) {
    const uint64_t of_a = Item::pack(a.rule.value, a.after.state.value);
    const uint64_t of_b = Item::pack(b.rule.value, b.after.state.value);
    return of_a != of_b ? of_a < of_b : a.after < b.after;
  }
};

// Names for columns that no byte ever made.
//   kOutside  no item waits there: completing a goal with this origin means "done" (the root), or
//             "left the part that was asked about" (mask/walk/classify.h).
//   kBeyond   every caller waits there: completing a goal with this origin goes on at every caller
//             of the goal in the program. Items that survive may follow in some context; bytes at
//             which all die never can.
//   kSelf     inside a column: the column itself, whose id is not known while it is built.
//
// A parser with stacks (column_table.h) knows an item's origin at once: the frame that was pushed
// for it. While a column is built kBegunHere marks the frames of items that have consumed nothing
// yet; kSelf has that mark by itself. Where rules have max_tokens the marks stay in what is kept:
// the token before has not touched such items.
inline constexpr ColumnId kOutside{0u};
inline constexpr ColumnId kBeyond{1u};
inline constexpr ColumnId kSelf{UINT32_MAX};

inline constexpr uint32_t kBegunHere = 0x80000000u;
inline bool is_begun_here(ColumnId origin) { return (origin.value & kBegunHere) != 0; }
inline ColumnId without_mark(ColumnId origin) {
  return origin == kSelf ? kSelf : ColumnId(origin.value & ~kBegunHere);
}

}  // namespace xg2lab
