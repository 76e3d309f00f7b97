// The plan: the choice of the way in which the mask of a column is made. No other place decides it.
//
// Twin:  xg2lab/reference/plan.py
// Tests: tests/core/test_plan.py, tests/differential/test_plan.py
//
// IDEA
//   The mask of a column is either the union of the entries of the column's states, or the result
//   of one walk of the token trie from the column. An entry is built once and serves every context
//   of its state, but an entry must take into account all contexts together. In grammars where
//   words follow each other, as in programming languages, some context accepts nearly any token:
//   half the vocabulary stays uncertain, and is checked again in each context. In such a grammar
//   the walk from the column costs less. If contexts differ little, the walk is assembled from
//   walks that all contexts share.
//
//     way             costs                                          chosen for
//     kEntries        a walk for each missing entry, once; checks    JSON, schemas, most grammars
//     kEntriesAndRun  the same, and a walk of the white space        white space with a bound
//     kWalk           the nodes that the column reads                many missing entries
//     kSharedWalks    look-ups, if the LR(0) sets are known          words that follow each other
//
//   A mask is kWasKnown if it was made before, for this column or for its clamped column (the same
//   column with counts far from their bounds replaced by representatives).
//
// COST      a few comparisons; expensive facts are computed last.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "mask/plan/mask_costs.h"

namespace xg2lab {

enum class MaskWay : uint8_t { kWasKnown, kEntries, kEntriesAndRun, kWalk, kSharedWalks };
// "known", "entries", "entries_and_run", "walk", "shared_walks"
const char* mask_way_name(MaskWay way);

// The ways that are switched on: entries, walks, or both.
struct MaskWays {
  bool entries = true;
  bool walks = true;         // walks from the column
  bool shared_walks = true;  // assembled from walks that contexts share
  bool counted_runs = true;  // bounded white space walked beside entries
};

struct MaskOptions {
  bool token_classes = true;  // text is decided by classes (text_class.h)
  // If false, an entry ignores the rule's callers: every token that continues after the rule's goal
  // was complete is uncertain.
  bool context_expansion = true;
  MaskWays ways;
  MaskCosts costs;
};

// The facts about a column, and about its grammar's masks so far, from which the plan decides.
template <class F>
concept ColumnFacts = requires(F facts) {
  // A token edge leaves one of the column's states.
  { facts.expects_token() } -> std::same_as<bool>;
  // The next byte may belong to a bounded repetition of white space.
  { facts.is_in_counted_run() } -> std::same_as<bool>;
  // The number of entries that have not been built; the number of uncertain tokens of those that
  // have.
  { facts.n_missing() } -> std::same_as<size_t>;
  { facts.n_uncertain() } -> std::same_as<size_t>;
  // The largest number of return states of a counted rule whose entry is missing.
  { facts.n_counted_callers() } -> std::same_as<size_t>;
  // A word may follow one of the column's rules.
  { facts.words_follow() } -> std::same_as<bool>;
  // The column's LR(0) sets support shared walks (row_walk.h).
  { facts.may_share_walks() } -> std::same_as<bool>;
  // This is the first query for the mask of a column whose rules words may follow.
  { facts.is_first_of_words() } -> std::same_as<bool>;
  // An earlier walk made more than most_new_columns.
  { facts.walks_make_columns() } -> std::same_as<bool>;
  // A missing entry would leave most tokens to its contexts.
  { facts.entry_would_decide_little() } -> std::same_as<bool>;
};

template <ColumnFacts F>
MaskWay plan_mask(F facts, const MaskWays& ways, const MaskCosts& costs) {
  const bool has_run = ways.walks && ways.counted_runs && facts.is_in_counted_run();
  const MaskWay entries = has_run ? MaskWay::kEntriesAndRun : MaskWay::kEntries;
  // An entry before a token edge is its set of ids, whatever the bytes.
  if (!ways.walks || facts.expects_token()) return entries;
  const auto walk = [&] {
    const bool is_shared = ways.shared_walks && facts.words_follow() && facts.may_share_walks();
    return is_shared ? MaskWay::kSharedWalks : MaskWay::kWalk;
  };
  if (!ways.entries) return walk();
  if (facts.n_missing() >= costs.least_missing_for_walk && !facts.walks_make_columns())
    return walk();
  if (facts.n_counted_callers() > costs.most_counted_callers) return walk();
  if (!facts.words_follow()) return entries;
  if (walk() == MaskWay::kSharedWalks) return MaskWay::kSharedWalks;
  const bool is_walked = facts.n_uncertain() > costs.most_uncertain || facts.is_first_of_words() ||
                         facts.entry_would_decide_little();
  return is_walked ? MaskWay::kWalk : entries;
}

// The facts about a state whose entry is missing.
template <class F>
concept StateFacts = requires(F facts) {
  // A word may follow the state's rule; a word may follow it without white space between.
  { facts.words_follow() } -> std::same_as<bool>;
  { facts.words_follow_at_once() } -> std::same_as<bool>;
  // Most words, or most words after white space, leave the state's rule before their second byte.
  { facts.is_left_at_once() } -> std::same_as<bool>;
  // The grammar supports shared walks.
  { facts.may_share_walks() } -> std::same_as<bool>;
  // An entry of the grammar has more than most_uncertain uncertain tokens.
  { facts.entries_decide_little() } -> std::same_as<bool>;
  // Most characters lead to one loop column (home.h): the entry costs little and decides most
  // tokens.
  { facts.is_text() } -> std::same_as<bool>;
};

// True if most tokens would stay uncertain in the state's entry, so that the entry is better not
// built.
template <StateFacts F>
bool entry_would_decide_little(F facts, const MaskWays& ways) {
  if (facts.is_left_at_once()) return true;
  if (ways.shared_walks && facts.may_share_walks() && facts.words_follow()) return true;
  const bool others_did = facts.entries_decide_little();
  if (!others_did && !facts.words_follow_at_once()) return false;
  return facts.is_text() ? facts.words_follow_at_once() : others_did;
}

}  // namespace xg2lab
