// Items: partial parses, as the parser keeps them.
//
// IDEA
//   The item (state, origin, goal) reads: "a match of `goal` that began at column `origin` has
//   reached `state`". The goal is the rule that `state` belongs to. In a parser with stacks it
//   differs after a tail call: when rule a ends in a call of b, b's item carries a's origin and
//   a's goal. Completing b then resumes the items that wait for a, without completing a in between.
//   So right recursion pushes one frame only.
//
//   A waiting item is an item before a rule edge. The item is stored in the form that it will have
//   once the rule is complete, (to, origin, goal), and is listed under the rule.
//
//   An item's *place* is its (state, origin, goal). A column contains each place once; items of one
//   place that differ only in their counts are united. The counts mean, by the kind of state:
//
//     counted rule             the numbers of iterations that the match may have done (counts.h);
//                              uniting items unites these sets
//     any-order, member rule   the sets of members that the match has matched so far; uniting items
//                              unites these, too
//     rule with max_tokens     the number of tokens that the match overlaps (tick.cc); the smaller
//                              number is kept
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
    // The order is by state, origin, goal, counts; two 32-bit numbers are compared at once.
    const uint64_t of_a = pack(a.state.value, a.origin.value);
    const uint64_t of_b = pack(b.state.value, b.origin.value);
    if (of_a != of_b) return of_a < of_b;
    return std::tie(a.goal, a.counts) < std::tie(b.goal, b.counts);
  }
  static constexpr uint64_t pack(uint32_t first, uint32_t second) {
    return (static_cast<uint64_t>(first) << 32) | second;
  }
  uint64_t hash_of_place() const {
    // Consecutive look-ups often differ in the origin only, by one. Eight consecutive origins
    // therefore get eight consecutive hashes, which lie side by side in the hash table.
    const uint64_t packed = (static_cast<uint64_t>(state.value) << 32) | goal.value;
    const uint64_t eight = hash_mix(packed + 0x9e3779b97f4a7c15ull * (origin.value >> 3));
    return (eight & ~uint64_t{7}) | (origin.value & 7u);
  }
  uint64_t hash() const { return hash_combine(hash_of_place(), counts.word); }
};

struct WaitingItem {
  RuleId rule;  // the rule that the item waits for
  Item after;   // the item that is added once the rule is complete

  friend bool operator==(const WaitingItem&, const WaitingItem&) = default;
  friend bool operator<(const WaitingItem& a, const WaitingItem& b) {
    const uint64_t of_a = Item::pack(a.rule.value, a.after.state.value);
    const uint64_t of_b = Item::pack(b.rule.value, b.after.state.value);
    return of_a != of_b ? of_a < of_b : a.after < b.after;
  }
};

// Columns that are not made by reading bytes.
//   kOutside  contains no waiting item. Completing a goal with this origin means that the text is
//             complete (the goal is the root), or that the parse has left the rule that
//             mask/walk/classify.h examines.
//   kBeyond   contains a waiting item for every call in the program. Completing a goal with this
//             origin resumes every caller of the goal. If an item survives a byte, the byte may
//             follow the goal in some context; if no item survives, the byte follows in none.
//   kSelf     as an item's origin: the column that contains the item. The column's own id is not
//             known while the column is built.
//
// A parser with stacks (column_table.h) knows an item's origin as soon as the item is predicted:
// the frame that was pushed for the item. While a column is built, kBegunHere marks the frames of
// items that have consumed nothing yet; the value of kSelf includes that bit. In grammars with
// max_tokens, stored columns keep the marks: a token that ends in the column does not overlap the
// match of a marked item.
inline constexpr ColumnId kOutside{0u};
inline constexpr ColumnId kBeyond{1u};
inline constexpr ColumnId kSelf{UINT32_MAX};

inline constexpr uint32_t kBegunHere = 0x80000000u;
inline bool is_begun_here(ColumnId origin) { return (origin.value & kBegunHere) != 0; }
inline ColumnId without_mark(ColumnId origin) {
  return origin == kSelf ? kSelf : ColumnId(origin.value & ~kBegunHere);
}

}  // namespace xg2lab
