// The plan: in which way the mask of a column is made. This is the only place that decides.
//
// Twin:  xg2lab/reference/plan.py
// Tests: tests/core/test_plan.py, tests/differential/test_plan.py
//
// IDEA
//   A column's mask is united of its states' entries, or found by one walk of the token trie from
//   the column itself. An entry is made once and serves every context of its state, but it pays for
//   the union of all contexts. Where words follow each other, as in programs, that union takes
//   nearly any token: half the vocabulary stays uncertain, and is checked again in each context.
//   There the walk from the column costs less; and where contexts differ little, the walk is put
//   together of walks that contexts share.
//
//     way             costs                                          taken
//     kEntries        a walk for each missing entry, once; checks    JSON, schemas, most grammars
//     kEntriesAndRun  the same; a walk of the white space            white space with a bound
//     kWalk           the nodes that the column reads                many entries are missing
//     kSharedWalks    look-ups, if the rows are known                words follow each other
//
//   A mask that has been made before, or that of a column with counts as far from their bounds, is
//   kWasKnown.
//
// COST      a few comparisons; facts that cost more are asked last.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "mask/plan/mask_costs.h"

namespace xg2lab {

enum class MaskWay : uint8_t { kWasKnown, kEntries, kEntriesAndRun, kWalk, kSharedWalks };
// "known", "entries", "entries_and_run", "walk", "shared_walks"
const char* mask_way_name(MaskWay way);

// The ways that are allowed. Entries or walks are among them.
struct MaskWays {
  bool entries = true;
  bool walks = true;         // from the column
  bool shared_walks = true;  // these put together of walks that contexts share
  bool counted_runs = true;  // white space walked beside entries
};

struct MaskOptions {
  bool token_classes = true;  // text is decided by its class (text_class.h), not token by token
  // Off: an entry does not look beyond its rule; all tokens that outlive the rule, its goal having
  // been complete, are uncertain.
  bool context_expansion = true;
  MaskWays ways;
  MaskCosts costs;
};

// What is known of a column, and of its grammar's masks so far.
template <class F>
concept ColumnFacts = requires(F facts) {
  // A token edge leaves one of the column's states.
  { facts.expects_token() } -> std::same_as<bool>;
  // White space with a bound comes next.
  { facts.is_in_counted_run() } -> std::same_as<bool>;
  // Entries that have not been made; uncertain tokens of the entries that have been made.
  { facts.n_missing() } -> std::same_as<size_t>;
  { facts.n_uncertain() } -> std::same_as<size_t>;
  // Return states of the counted rule with the most of them, among rules whose entry is missing.
  { facts.n_counted_callers() } -> std::same_as<size_t>;
  // A word may come behind one of the column's rules.
  { facts.words_follow() } -> std::same_as<bool>;
  // The rows of the column may be walked (row_walk.h).
  { facts.may_share_walks() } -> std::same_as<bool>;
  // No mask of a column that words follow has been asked for.
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

// What is known of a state whose entry is missing.
template <class F>
concept StateFacts = requires(F facts) {
  // A word may come behind the state's rule; the same without white space between.
  { facts.words_follow() } -> std::same_as<bool>;
  { facts.words_follow_at_once() } -> std::same_as<bool>;
  // Most words, or most that follow white space, leave the rule before their second byte.
  { facts.is_left_at_once() } -> std::same_as<bool>;
  // Rows of the grammar may be walked.
  { facts.may_share_walks() } -> std::same_as<bool>;
  // An entry of the grammar left more than most_uncertain tokens.
  { facts.entries_decide_little() } -> std::same_as<bool>;
  // Most characters lead to a home: the entry costs little and decides most tokens.
  { facts.is_text() } -> std::same_as<bool>;
};

// Whether the state's entry would leave most tokens to its contexts, so that it is better not made.
template <StateFacts F>
bool entry_would_decide_little(F facts, const MaskWays& ways) {
  if (facts.is_left_at_once()) return true;
  if (ways.shared_walks && facts.may_share_walks() && facts.words_follow()) return true;
  const bool others_did = facts.entries_decide_little();
  if (!others_did && !facts.words_follow_at_once()) return false;
  return facts.is_text() ? facts.words_follow_at_once() : others_did;
}

}  // namespace xg2lab
