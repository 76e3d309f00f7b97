// Items: partial parses, as the parser keeps them.
//
// IDEA
//   The item (state, origin, goal) reads: "a match of `goal` that began at `origin` has reached
//   `state`". The origin is a *context*: the items that wait where the match began (contexts.h).
//   In the chart, which keeps one column for each byte, a context is a position.
//   The goal is the rule that `state` belongs to. In a parser with stacks it differs after a tail
//   call: when rule a ends in a call of b, b's item carries a's origin and a's goal. Completing b
//   then resumes the items that wait for a, without completing a in between. So right recursion
//   pushes one frame only.
//
//   A *place* is an item without its origin. Places are what a row consists of (rows.h): the items
//   of one column that share an origin.
//
//   A *wait* is a place before a rule edge. It is stored in the form that the place will have once
//   the rule is complete, (to, goal), and is listed under the rule. A waiting item is a wait with
//   its origin.
//
//   A row contains each (state, goal) once; places that differ only in their counts are united. The
//   counts mean, by the kind of state:
//
//     counted rule             the numbers of iterations that the match may have done (counts.h);
//                              uniting places unites these sets
//     any-order, member rule   the sets of members that the match has matched so far; uniting
//                              places unites these, too
//     rule with max_tokens     the number of tokens that the match overlaps (tick.cc); the smaller
//                              number is kept
#pragma once

#include <compare>
#include <cstdint>
#include <tuple>

#include "parse/counts.h"
#include "support/hash.h"
#include "support/ids.h"

namespace xg2lab {

struct Place {
  StateId state;
  RuleId goal;
  Counts counts = {};

  bool is_same_but_counts(const Place& other) const {
    return state == other.state && goal == other.goal;
  }
  friend auto operator<=>(const Place&, const Place&) = default;
};

struct Wait {
  RuleId rule;  // the rule that the place waits for
  Place after;  // the place that is added once the rule is complete

  bool is_same_but_counts(const Wait& other) const {
    return rule == other.rule && after.is_same_but_counts(other.after);
  }
  friend auto operator<=>(const Wait&, const Wait&) = default;
};

struct Item {
  StateId state;
  ContextId origin;
  RuleId goal;
  Counts counts = {};

  Place place() const { return {state, goal, counts}; }
  bool is_same_place(const Item& other) const {
    return state == other.state && origin == other.origin && goal == other.goal;
  }
  friend bool operator==(const Item&, const Item&) = default;
  friend auto operator<=>(const Item& a, const Item& b) {
    return std::tie(a.state, a.origin, a.goal, a.counts) <=>
           std::tie(b.state, b.origin, b.goal, b.counts);
  }
  uint64_t hash_of_place() const {
    // Consecutive look-ups often differ in the origin only, by one. Eight consecutive origins
    // therefore get eight consecutive hashes, which lie side by side in the hash table.
    const uint64_t packed = (static_cast<uint64_t>(state.value) << 32) | goal.value;
    const uint64_t eight = hash_mix(packed + 0x9e3779b97f4a7c15ull * (origin.value >> 3));
    return (eight & ~uint64_t{7}) | (origin.value & 7u);
  }
};

struct WaitingItem {
  RuleId rule;  // the rule that the item waits for
  Item after;   // the item that is added once the rule is complete

  friend bool operator==(const WaitingItem&, const WaitingItem&) = default;
  friend auto operator<=>(const WaitingItem&, const WaitingItem&) = default;
};

// Contexts that are not made by reading bytes.
//   kOutside  contains no waiting item. Completing a goal with this origin means that the text is
//             complete (the goal is the root), or that the parse has left the rule that
//             mask/walk/classify.h examines.
//   kBeyond   contains a waiting item for every call in the program. Completing a goal with this
//             origin resumes every caller of the goal. If an item survives a byte, the byte may
//             follow the goal in some context; if no item survives, the byte follows in none.
//   kSelf     as a waiting item's origin: the context that contains the waiting item, whose number
//             is not known while the context is built.
//
// In grammars with max_tokens, kBegunHere marks the origin of an item that has consumed nothing
// yet: a token that ends in the column does not overlap the item's match. The value of kSelf
// includes that bit.
inline constexpr ContextId kOutside{0u};
inline constexpr ContextId kBeyond{1u};
inline constexpr ContextId kSelf{UINT32_MAX};

inline constexpr uint32_t kBegunHere = 0x80000000u;
inline bool is_begun_here(ContextId origin) { return (origin.value & kBegunHere) != 0; }
inline ContextId without_mark(ContextId origin) {
  return origin == kSelf ? kSelf : ContextId(origin.value & ~kBegunHere);
}
inline ContextId marked(ContextId origin) { return ContextId(origin.value | kBegunHere); }

}  // namespace xg2lab
