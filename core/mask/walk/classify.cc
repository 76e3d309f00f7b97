// Read: classify() and adapt(), which turn the results of a walk into an entry.
#include "mask/walk/classify.h"

#include <chrono>
#include <utility>

#include "mask/walk/entry_walk.h"
#include "support/cache_events.h"

namespace xg2lab {
namespace {

// Tokens for which only the beyond is live are accepted if the rule has one context, and uncertain
// if it has several.
MaskEntry entry_of(const TokenSets& tokens, bool has_unique_context, AdaptiveMask inside,
                   std::vector<TokenRank>& beyond) {
  MaskEntry entry;
  if (has_unique_context) {
    entry.accepted = inside.with(tokens, beyond);
  } else {
    entry.accepted = std::move(inside);
    entry.uncertain = std::move(beyond);
    entry.uncertain.shrink_to_fit();
  }
  entry.n_rejected =
      tokens.vocabulary->n_ranks() - entry.accepted.n_accepted() - entry.uncertain.size();
  return entry;
}

// After text with many callers, each column beyond unites all of these callers and takes long to
// make. Few tokens continue after the text, and checking them in their context costs less. So
// context expansion is switched off for such an entry.
bool expands_context(WalkScratch& scratch, const TokenSets& tokens, const EntryKey& key,
                     const MaskOptions& options) {
  if (!options.context_expansion || !options.token_classes || !key.counts.empty())
    return options.context_expansion;
  const size_t n_callers = scratch.table.program().return_states(key.rule).size();
  if (n_callers < options.costs.least_text_callers) return true;
  const std::optional<Home> home =
      scratch.homes.find(scratch.table, tokens, inside_of(scratch.table, key));
  return !home || !home->has_few_exits() || home->may_end();
}

}  // namespace

ColumnId inside_of(ColumnTable& table, const EntryKey& key) {
  return key.counts.empty() ? table.outside_item(key.state)
                            : table.outside_item(key.state, key.rule, key.counts);
}

MaskEntry classify(WalkScratch& scratch, const TokenSets& tokens, const EntryKey& key,
                   const MaskOptions& asked, WalkRecord* record) {
  const auto begin = std::chrono::steady_clock::now();
  MaskOptions options = asked;
  options.context_expansion = expands_context(scratch, tokens, key, asked);
  EntryWalk walk(scratch, tokens, key, options, record == nullptr ? nullptr : &record->steps);
  walk.run();
  AdaptiveMask accepted = walk.accepted();
  if (record != nullptr) {
    record->inside.accepted = accepted;
    record->inside.return_nodes = std::move(walk.return_nodes());
    record->inside.return_nodes.shrink_to_fit();
    record->n_visits = walk.n_visits();
  }
  const bool is_unique =
      options.context_expansion && scratch.table.program().rule(key.rule).has_unique_context;
  MaskEntry entry = entry_of(tokens, is_unique, std::move(accepted), walk.beyond());
  std::move(walk.conditions()).move_to(entry);
  entry.build_ns = ns_since(begin);
  return entry;
}

uint64_t estimate_visits(WalkScratch& scratch, const TokenSets& tokens, StateId state,
                         const MaskOptions& options, size_t n_samples) {
  EntryWalk walk(scratch, tokens, {state, scratch.table.program().rule_of(state), {}}, options,
                 nullptr);
  return walk.estimate(n_samples);
}

MaskEntry adapt(WalkScratch& scratch, const TokenSets& tokens, StateId state,
                const InsidePart& inside, const MaskOptions& asked, BeyondSteps* steps) {
  const auto begin = std::chrono::steady_clock::now();
  const RuleId rule = scratch.table.program().rule_of(state);
  MaskOptions options = asked;
  options.context_expansion = expands_context(scratch, tokens, {state, rule, {}}, asked);
  EntryWalk walk(scratch, tokens, {state, rule, {}}, options, steps);
  walk.run_beyond(inside.return_nodes);
  const bool is_unique =
      options.context_expansion && scratch.table.program().rule(rule).has_unique_context;
  MaskEntry entry = entry_of(tokens, is_unique, inside.accepted, walk.beyond());
  entry.build_ns = ns_since(begin);
  return entry;
}

}  // namespace xg2lab
