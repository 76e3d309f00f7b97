// Subset construction over continuations, with rules inlined. Read: intern (the closure), then
// enter and leave (recursion), then step. The trick: a continuation ends in a mark that names the
// component's rule it is in. The mark distinguishes a reference within the component from one that
// enters it.
#include "checks/assertion.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_set>

namespace xg2lab::checks {

RecursionGroups::RecursionGroups(const Grammar& grammar, const analysis::RuleGraph& graph,
                                 Continuations& continuations)
    : group(graph.component), is_recursive(graph.is_recursive) {
  const size_t n_groups =
      grammar.n_rules() == 0 ? 0 : *std::max_element(group.begin(), group.end()) + size_t{1};
  members.resize(n_groups);
  std::vector<bool> all_last(n_groups, true);
  std::vector<bool> all_first(n_groups, true);
  // A group is represented exactly if each reference within it ends its body, or if each begins its
  // body.
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    members[group[i]].emplace_back(i);
    if (!is_recursive[i]) continue;
    for (const Use& use : continuations.uses_in(RuleId(i), kNothingLeft)) {
      if (!share(use.caller, use.callee)) continue;
      if (use.next != kNothingLeft) all_last[group[i]] = false;
      if (!use.is_first) all_first[group[i]] = false;
    }
  }
  is_linear.resize(n_groups);
  for (size_t i = 0; i < n_groups; ++i) is_linear[i] = all_last[i] || all_first[i];
}

std::vector<bool> needed_rules(const Grammar& grammar, ExprId expr) {
  std::vector<bool> needed(grammar.n_rules());
  std::vector<bool> seen(grammar.n_exprs());
  std::vector<ExprId> pending{expr};
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    if (seen[id.index()]) continue;
    seen[id.index()] = true;
    const auto children = grammar.children(id);
    pending.insert(pending.end(), children.begin(), children.end());
    if (grammar.expr(id).kind != ExprKind::kRuleRef) continue;
    needed[grammar.rule_ref(id).index()] = true;
    pending.push_back(grammar.rule(grammar.rule_ref(id)).body);
  }
  return needed;
}

Assertion::Assertion(const Grammar& grammar, const RecursionGroups& groups,
                     Continuations& continuations, StepBudget& budget, ExprId expr,
                     Recursion recursion)
    : grammar_(grammar),
      groups_(groups),
      continuations_(continuations),
      budget_(budget),
      expr_(expr),
      recursion_(recursion),
      is_needed_(needed_rules(grammar, expr)),
      states_(2) {}

bool Assertion::is_letter(RuleId rule) const {
  return recursion_ == Recursion::kLetters && is_needed_[rule.index()] &&
         groups_.is_recursive[rule.index()] && !groups_.is_linear[groups_.group[rule.index()]];
}

// ---- States: sets of continuations, closed under steps that read nothing ----

AssertionState Assertion::intern(std::vector<ContinuationId> pending) {
  std::unordered_set<ContinuationId> seen;
  auto state = std::make_unique<State>();
  while (!pending.empty()) {
    const ContinuationId id = pending.back();
    pending.pop_back();
    if (id == kNothingLeft) return kKept;
    if (!seen.insert(id).second) continue;
    if (!budget_.spend()) return kBroken;  // the caller checks the budget
    continuations_.step(id, steps_);
    pending.insert(pending.end(), steps_.empties.begin(), steps_.empties.end());
    state->bytes.insert(state->bytes.end(), steps_.bytes.begin(), steps_.bytes.end());
    state->tokens.insert(state->tokens.end(), steps_.tokens.begin(), steps_.tokens.end());
    for (const Steps::Call& call : steps_.calls) {
      if (is_letter(call.rule)) state->letters.push_back(call);
      else pending.push_back(enter(call.rule, call.to));
    }
    if (steps_.mark != kNoMark) leave(steps_.mark, pending);
  }
  if (state->bytes.empty() && state->tokens.empty() && state->letters.empty()) return kBroken;
  // The set of continuations identifies the state. A set with an empty continuation is kKept,
  // whatever else it contains.
  std::vector<ContinuationId> key(seen.begin(), seen.end());
  std::sort(key.begin(), key.end());
  const auto [found, is_new] = known_.try_emplace(std::move(key), AssertionState(states_.size()));
  if (is_new) {
    state->next.fill(kNotYet);
    states_.push_back(std::move(state));
  }
  return found->second;
}

AssertionState Assertion::start() { return intern({continuations_.push(expr_, kNothingLeft)}); }

AssertionState Assertion::step(AssertionState state, uint8_t byte) {
  if (state == kKept || state == kBroken) return state;
  State& from = *states_[state.index()];
  if (from.next[byte] != kNotYet) return AssertionState(from.next[byte]);
  std::vector<ContinuationId> targets;
  for (const Steps::Bytes& step : from.bytes) {
    if (step.range.contains(byte)) targets.push_back(step.to);
  }
  const AssertionState to = intern(std::move(targets));
  // A state computed after the budget was spent may be wrong and is not cached.
  if (!budget_.is_spent) from.next[byte] = to.value;
  return to;
}

AssertionState Assertion::step(AssertionState state, TokenId token) {
  if (state == kKept || state == kBroken) return state;
  std::vector<ContinuationId> targets;
  for (const Steps::Token& step : states_[state.index()]->tokens) {
    if (step.set->holds(token)) targets.push_back(step.to);
  }
  return intern(std::move(targets));
}

std::vector<TokenId> Assertion::tokens_told_apart(AssertionState state,
                                                  const TokenSet& among) const {
  if (!among.is_negated) return among.ids;
  // All ids that are in none of these lists lead to the same state; the least of them represents
  // them.
  std::set<TokenId> listed(among.ids.begin(), among.ids.end());
  for (const Steps::Token& step : states_[state.index()]->tokens)
    listed.insert(step.set->ids.begin(), step.set->ids.end());
  TokenId other{0u};
  while (listed.contains(other)) ++other.value;
  listed.insert(other);
  std::vector<TokenId> tokens;
  std::copy_if(listed.begin(), listed.end(), std::back_inserter(tokens),
               [&](TokenId token) { return among.holds(token); });
  return tokens;
}

AssertionState Assertion::step(AssertionState state, RuleId letter) {
  if (state == kKept || state == kBroken) return state;
  std::vector<ContinuationId> targets;
  for (const Steps::Call& step : states_[state.index()]->letters) {
    if (step.rule == letter) targets.push_back(step.to);
  }
  return intern(std::move(targets));
}

// ---- Inlined rules ----

ContinuationId Assertion::end_of(RuleId rule, size_t entry) {
  const auto [found, is_new] =
      known_ends_.try_emplace({entry, rule}, static_cast<Mark>(ends_.size()));
  if (is_new) ends_.push_back({rule, entry});
  return continuations_.marked(found->second);
}

// A reference within the group keeps the entry of its continuation; a reference from outside starts
// a new entry.
ContinuationId Assertion::enter(RuleId rule, ContinuationId after) {
  const ExprId body = grammar_.rule(rule).body;
  if (!groups_.is_recursive[rule.index()]) return continuations_.push(body, after);
  const Mark mark = continuations_.mark_of(after);
  if (mark != kNoMark && groups_.share(ends_[mark].rule, rule)) {
    return continuations_.push(body, end_of(rule, ends_[mark].entry));
  }
  const auto [found, is_new] = known_entries_.try_emplace({rule, after}, entries_.size());
  const size_t entry = found->second;
  if (is_new) {
    std::vector<Use> uses;
    for (RuleId caller : groups_.members[groups_.group[rule.index()]]) {
      for (const Use& use : continuations_.uses_in(caller, end_of(caller, entry))) {
        if (!budget_.spend()) break;
        if (groups_.share(use.callee, rule)) uses.push_back(use);
      }
    }
    entries_.push_back({rule, after, std::move(uses)});
  }
  return continuations_.push(body, end_of(rule, entry));
}

void Assertion::leave(Mark mark, std::vector<ContinuationId>& pending) const {
  const MarkedEnd end = ends_[mark];
  const Entry& entry = entries_[end.entry];
  // The rule that was entered may end the entry. Any rule of the group may also return to each
  // reference to it within the group: the approximation of Mohri and Nederhof.
  if (end.rule == entry.rule) pending.push_back(entry.after);
  for (const Use& use : entry.uses) {
    if (use.callee == end.rule) pending.push_back(use.next);
  }
}

}  // namespace xg2lab::checks
