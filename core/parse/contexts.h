// Contexts: the items that wait where a rule began, each set stored once.
//
// Twin:  xg2lab/reference/rows.py
// Tests: tests/differential/test_rows.py, tests/core/test_column_table.py,
//        tests/unit/parse_contexts.cc
//
// IDEA
//   Earley's origin of an item is the column in which the item's rule began. Only the waiting items
//   of that column matter: they determine what may follow the rule. So an item's origin is here the
//   set of these waiting items, its context, and equal contexts are one. A context is stored as
//   parts: a list of waits (rows.h) and the origin of the places that wait. Origins are contexts
//   again, so the contexts form a graph-structured stack (Tomita 1985) whose edges are labelled
//   with lists of waits.
//
//     f(a  inside a block of a method: the name's context has a part for the items that wait for an
//          argument, whose origin is the context of the call. It has no part for the items of the
//          block: these still wait, in an earlier context.
//
//   In a pushdown automaton a context is a *frame*: one waiting item, the return address. The
//   origin of that item is the frame below, so the stacks of all texts form one tree.
//
//   Under root ::= root "+" root, the context of each sum has a longer list of parts than the one
//   before: the parts of the newest origin's context, and one more. A complete sum resumes all of
//   them, from each context in which the sum may have begun: n^3 resumptions for n^2 parts. So the
//   parts of a long context that have one list of waits are a *group*. A group refers to the
//   earlier group with whose parts it begins, and the completions of one column resume each group
//   once.
//
// INVARIANTS
//   I1  two contexts differ in their parts
//   I2  the origin of a part is kSelf or a context made before
//   I3  parts are sorted by their waits, then by origin; kSelf comes last
//   I4  of a pushdown automaton, a context has one part, of one wait, and its origin is not kSelf
//
// COST      a new context: its parts, and sorting them.
// THREADS   new contexts: the owner's mutex. A known context: any thread that learned its number by
//           acquire.
// SEE ALSO  Earley 1970; Tomita 1985; McLean and Horspool 1996.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "parse/rows.h"
#include "support/dense_map.h"
#include "support/interned.h"
#include "support/stable_array.h"

namespace xg2lab {

class Contexts {
 public:
  struct Part {
    Rows::Id waits;
    ContextId origin;
    friend auto operator<=>(const Part&, const Part&) = default;
  };
  // The parts of one context that have one list of waits. The first n_shared parts equal all parts
  // of the group `shared`, once kSelf in that group is replaced by its context.
  struct Group {
    static constexpr uint32_t kNone = UINT32_MAX;
    ContextId context;
    uint32_t begin = 0;  // the parts of the context are [begin, end)
    uint32_t end = 0;
    uint32_t n_shared = 0;
    uint32_t shared = kNone;
    uint32_t n_of_context = 0;  // of a context's first group: how many groups the context has
    // The goals for which the group was last resumed, and the number of that resumption.
    Rows::Id goals = 0;
    uint32_t resumed = 0;
  };

  explicit Contexts(const Program& program, Rows& rows);

  // The context of these parts. Parts of one origin and one list of waits may occur twice.
  ContextId of(std::vector<Part>& parts);
  // Not of kBeyond.
  std::span<const Part> parts(ContextId context) const { return parts_[context.value]; }
  // The waits of the places that began in the context itself; 0 if there are none.
  Rows::Id own(ContextId context);
  // Whether some item that waits in the context carries counts.
  bool have_counts(ContextId context) {
    return program_.has_counts() && context > kBeyond &&
           std::ranges::any_of(parts(context),
                               [this](const Part& part) { return rows_.has_counts(part.waits); });
  }
  // The context with clamped counts (column_table.h), in its own items and in all contexts below.
  // If counts are clamped, items are dropped that wait for other rules than `goals` and the rules
  // that these lead to: no completion of `goals` resumes them. Every call must pass the same
  // `reach`.
  ContextId clamped(ContextId context, Rows::Id goals, uint32_t reach);
  // Whether clamping may change the context: it, or a context below it, waits in a counted rule or
  // in one with max_tokens.
  bool have_bounds(ContextId context);
  // Of two frames that differ in counts alone, here or below: the frame that allows exactly their
  // union. Nothing if there is none: {1} within {2} and {3} within {4} together would also allow
  // {1} within {4}. There is one if a single set differs, or if the sets of one frame contain those
  // of the other.
  std::optional<ContextId> united(ContextId a, ContextId b);
  size_t size() const { return parts_.size(); }

  // f(after) for each item that waits for `goal`; f returns false to stop.
  template <class F>
  void for_each_waiting(ContextId context, RuleId goal, F f) const;
  // All waiting items, by part.
  std::vector<WaitingItem> waiting(ContextId context) const;
  bool are_more_than(size_t n, ContextId context, RuleId goal) const;

  // Begins the completions of one column.
  void begin_resuming() { ++resuming_; }
  // f(part) for each part of the context that waits for goals, but for kSelf. Parts that were
  // resumed for these goals since begin_resuming() may be skipped. The caller completes the
  // contexts of one column from the newest to the oldest: so a group that was resumed for the
  // goals covers its shared parts in every older context.
  template <class F>
  void resume(ContextId context, Rows::Id goals, F f);

  size_t memory_size_bytes() const {
    return parts_.memory_size_bytes() + groups_.memory_size_bytes() +
           first_groups_.memory_size_bytes() + clamped_.memory_size_bytes() +
           have_bounds_.capacity();
  }
  // Asserts I2 to I4 of one context. For tests.
  void check(ContextId context, bool has_stacks) const;

 private:
  // A shorter context has no groups, and a shorter group shares no parts.
  static constexpr size_t kManyParts = 8;
  // The waits of every call of the program: the callers' own callers are unknown.
  Rows::Id everyone();
  // The first group of a long context, whose groups are made at the first call.
  uint32_t first_group(ContextId context);
  uint32_t group_of(ContextId context, Rows::Id waits) const;
  // A context in which completions of `goals` resume items, and its parts with the waits that they
  // resume, clamped. The parts' own goals are kept beside them.
  struct Asked {
    ContextId context;
    Rows::Id goals;
    std::vector<Part> parts;
    std::vector<Rows::Id> goals_below;  // by part
  };
  Asked asked(ContextId context, Rows::Id goals, uint32_t reach);
  // The origin of a part with the goals that the part leads to there; nothing if nothing is clamped
  // in the origin and below.
  std::optional<NumberPair> asked_below(const Asked& of, size_t part);
  // Of a context whose origins are clamped already.
  ContextId with_clamped_parts(const Asked& of);
  void find_shared(Group& group) const;

  const Program& program_;
  Rows& rows_;
  Interned<Part> parts_;
  StableArray<Group, 8> groups_;
  // For each long context its first group; the others follow in the order of its parts.
  DenseMap<ContextId, uint32_t> first_groups_;
  uint32_t resuming_ = 0;
  std::optional<Rows::Id> everyone_;
  DenseMap<NumberPair, ContextId> clamped_;  // by context and goals
  // For each context whether it, or a context below it, waits in a counted rule or one with
  // max_tokens.
  std::vector<bool> have_bounds_;
};

template <class F>
void Contexts::for_each_waiting(ContextId context, RuleId goal, F f) const {
  for (const Part& part : parts(context)) {
    const ContextId origin = part.origin == kSelf ? context : part.origin;
    for (const auto& [rule, after] : rows_.waits_for(part.waits, goal)) {
      if (!f(Item{after.state, origin, after.goal, after.counts})) return;
    }
  }
}

template <class F>
void Contexts::resume(ContextId context, Rows::Id goals, F f) {
  if (context == kBeyond) return;
  if (parts(context).size() < kManyParts) {
    for (const Part& part : parts(context)) {
      if (part.origin != kSelf) f(part);
    }
    return;
  }
  for (uint32_t g = first_group(context); g < groups_.size() && groups_[g].context == context;
       ++g) {
    for (uint32_t at = g; at != Group::kNone;) {
      Group& group = groups_[at];
      if (group.resumed == resuming_ && rows_.united_goals(group.goals, goals) == group.goals)
        break;
      group.goals = group.resumed == resuming_ ? rows_.united_goals(group.goals, goals) : goals;
      group.resumed = resuming_;
      const std::span<const Part> of = parts(group.context);
      for (uint32_t i = group.begin + group.n_shared; i < group.end; ++i) {
        if (of[i].origin != kSelf) f(of[i]);
        else if (group.context != context) f(Part{of[i].waits, group.context});
      }
      at = group.shared;
    }
  }
}

}  // namespace xg2lab
