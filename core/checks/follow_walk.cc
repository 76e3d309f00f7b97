// Dijkstra's agenda, with results of called rules (Knuth). Read: run, then the functions that it
// calls, in that order; describe follows the nodes back. The trick: an assertion that is satisfied
// stays satisfied, so nodes in state kKept are never added, which keeps the walk as small as the
// assertion.
#include "checks/follow_walk.h"

#include <algorithm>
#include <array>
#include <utility>

#include "support/hash.h"
#include "support/utf8.h"

namespace xg2lab::checks {
namespace {

// Bytes in order of readability, for examples.
constexpr std::array<uint8_t, 256> bytes_by_legibility() {
  std::array<uint8_t, 256> order{};
  std::array<bool, 256> used{};
  size_t n = 0;
  const auto add = [&](unsigned lo, unsigned hi) {
    for (unsigned byte = lo; byte <= hi; ++byte) {
      if (used[byte]) continue;
      used[byte] = true;
      order[n++] = static_cast<uint8_t>(byte);
    }
  };
  add('a', 'z');
  add('0', '9');
  add('A', 'Z');
  add('!', '~');
  add(' ', ' ');
  add('\n', '\n');
  add(0x80, 0xFF);
  add(0x00, 0xFF);
  return order;
}
constexpr auto kBytes = bytes_by_legibility();

}  // namespace

UseTable::UseTable(const Grammar& grammar, const analysis::RuleGraph& graph,
                   Continuations& continuations)
    : of(grammar.n_rules()) {
  std::vector<bool> reached(grammar.n_rules());
  std::vector<RuleId> pending{grammar.root()};
  reached[grammar.root().index()] = true;
  while (!pending.empty()) {
    const RuleId caller = pending.back();
    pending.pop_back();
    for (ExprId reference : graph.references(caller)) {
      const RuleId callee = grammar.rule_ref(reference);
      if (reached[callee.index()]) continue;
      reached[callee.index()] = true;
      pending.push_back(callee);
    }
  }
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    if (!reached[i]) continue;
    for (const Use& use : continuations.uses_in(RuleId(i), kNothingLeft)) {
      of[use.callee.index()].push_back(use);
    }
  }
}

FollowWalk::FollowWalk(const Grammar& grammar, const UseTable& uses, Continuations& continuations,
                       Assertion& assertion, StepBudget& budget)
    : grammar_(grammar),
      uses_(uses),
      continuations_(continuations),
      assertion_(assertion),
      budget_(budget) {}

size_t FollowWalk::NodeKeyHash::operator()(const NodeKey& key) const noexcept {
  return hash_combine(hash_combine(key.walk, key.rest.value), key.state.value);
}

void FollowWalk::clear() {
  nodes_.clear();
  known_nodes_.clear();
  walks_.clear();
  known_walks_.clear();
  agenda_ = {};
}

std::optional<Break> FollowWalk::find_break(RuleId rule) {
  clear();
  add({.walk = walk_of(true, rule, kKept), .rest = kNothingLeft, .state = assertion_.start()});
  return run();
}

std::optional<Break> FollowWalk::find_break(const Use& use) {
  clear();
  add({.walk = walk_of(true, use.caller, kKept),
       .rest = use.next,
       .state = assertion_.start(),
       .use = &use});
  return run();
}

uint32_t FollowWalk::walk_of(bool follows, RuleId rule, AssertionState state) {
  const auto [found, is_new] =
      known_walks_.try_emplace(WalkKey{follows, rule, state}, static_cast<uint32_t>(walks_.size()));
  if (is_new) walks_.push_back({follows, rule, {}, {}});
  return found->second;
}

// Adds a node, or lowers the distance of a known one. The agenda may then hold the node twice;
// run() skips nodes that are done.
void FollowWalk::add(const Node& node) {
  if (node.state == kKept) return;
  const auto [found, is_new] = known_nodes_.try_emplace({node.walk, node.rest, node.state},
                                                        static_cast<uint32_t>(nodes_.size()));
  const uint32_t at = found->second;
  if (is_new) nodes_.push_back(node);
  else if (nodes_[at].is_done || nodes_[at].n_bytes <= node.n_bytes) return;
  else nodes_[at] = node;
  agenda_.emplace(node.n_bytes, at);
}

// ---- The walk ----

// Takes the nodes in the order of their distance, so the first break found is a shortest one. A
// broken state inside a called rule is passed to its callers as a result of the call; it is
// reported in the walk above the rule in question.
std::optional<Break> FollowWalk::run() {
  while (!agenda_.empty()) {
    const uint32_t at = agenda_.top().second;
    agenda_.pop();
    if (nodes_[at].is_done) continue;
    nodes_[at].is_done = true;
    if (!budget_.spend()) return std::nullopt;
    const Node node = nodes_[at];
    const bool follows = walks_[node.walk].follows;
    if (node.state == kBroken) {
      if (follows) return describe(at);
      finish_call(at);
    } else if (node.rest == kNothingLeft) {
      if (!follows) finish_call(at);
      else if (auto found = end_of_caller(at)) return found;
    } else {
      continuations_.step(node.rest, steps_);
      // A decomposition without input has the same distance.
      for (ContinuationId rest : steps_.empties) {
        add({node.walk, rest, node.state, node.n_bytes, at});
      }
      for (const Steps::Bytes& step : steps_.bytes) read_bytes(at, step);
      for (const Steps::Token& step : steps_.tokens) read_token(at, step);
      for (const Steps::Call& step : steps_.calls) call(at, step);
    }
    if (budget_.is_spent) return std::nullopt;
  }
  return std::nullopt;
}

// Continues after every use of the caller. At the end of the root, an assertion that isn't
// satisfied yet is broken.
std::optional<Break> FollowWalk::end_of_caller(uint32_t at) {
  const Node node = nodes_[at];
  const RuleId caller = walks_[node.walk].rule;
  if (caller == grammar_.root()) return describe(at);
  for (const Use& use : uses_.of[caller.index()]) {
    add({.walk = walk_of(true, use.caller, kKept),
         .rest = use.next,
         .state = node.state,
         .n_bytes = node.n_bytes,
         .from = at,
         .use = &use});
  }
  return std::nullopt;
}

void FollowWalk::read_bytes(uint32_t at, const Steps::Bytes& step) {
  const Node node = nodes_[at];
  std::vector<AssertionState> reached;  // one byte for each target state suffices
  const auto read = [&](uint8_t byte) {
    const AssertionState state = assertion_.step(node.state, byte);
    if (std::find(reached.begin(), reached.end(), state) != reached.end()) return;
    reached.push_back(state);
    add({.walk = node.walk,
         .rest = step.to,
         .state = state,
         .n_bytes = node.n_bytes + 1,
         .from = at,
         .byte = byte});
  };
  if (step.range.lo == step.range.hi) return read(step.range.lo);
  for (uint8_t byte : kBytes) {
    if (step.range.contains(byte)) read(byte);
  }
}

void FollowWalk::read_token(uint32_t at, const Steps::Token& step) {
  const Node node = nodes_[at];
  for (TokenId token : assertion_.tokens_told_apart(node.state, *step.set)) {
    add({.walk = node.walk,
         .rest = step.to,
         .state = assertion_.step(node.state, token),
         .n_bytes = node.n_bytes + 1,
         .from = at,
         .token = token});
  }
}

void FollowWalk::call(uint32_t at, const Steps::Call& step) {
  const Node node = nodes_[at];
  if (assertion_.is_letter(step.rule)) {
    const AssertionState state = assertion_.step(node.state, step.rule);
    return add({node.walk, step.to, state, node.n_bytes + 1, at});
  }
  // The called rule is walked once for each state. Callers that arrive later receive the known
  // results at once; earlier callers are resumed as results arrive.
  const uint32_t called = walk_of(false, step.rule, node.state);
  if (walks_[called].waiting.empty()) {
    const ExprId body = grammar_.rule(step.rule).body;
    add({.walk = called, .rest = continuations_.push(body, kNothingLeft), .state = node.state});
  }
  walks_[called].waiting.push_back({at, step.to});
  for (const auto& [state, result] : walks_[called].results) resume({at, step.to}, result);
}

// The first result in a state has the shortest text, so later ones are ignored.
void FollowWalk::finish_call(uint32_t at) {
  Walk& walk = walks_[nodes_[at].walk];
  if (!walk.results.try_emplace(nodes_[at].state, at).second) return;
  for (const Waiting& waiting : walk.waiting) resume(waiting, at);
}

void FollowWalk::resume(const Waiting& waiting, uint32_t result) {
  const Node& node = nodes_[waiting.node];
  add(Node{.walk = node.walk,
           .rest = waiting.after,
           .state = nodes_[result].state,
           .n_bytes = node.n_bytes + nodes_[result].n_bytes,
           .from = waiting.node,
           .called = result});
}

// ---- The break as text: nodes followed back ----

Break FollowWalk::describe(uint32_t at) {
  Break found;
  found.is_end = nodes_[at].state != kBroken;
  for (uint32_t i = at; i != kNone; i = nodes_[i].from) {
    if (nodes_[i].use != nullptr) found.uses.push_back(*nodes_[i].use);
  }
  std::reverse(found.uses.begin(), found.uses.end());
  std::optional<ContinuationId> rest;  // the continuation after the last byte
  std::vector<uint32_t> pending{at};   // the last part of the text on top
  while (!pending.empty()) {
    const Node& node = nodes_[pending.back()];
    pending.pop_back();
    if (node.byte) {
      found.text += static_cast<char>(*node.byte);
      if (!rest) rest = node.rest;
    }
    if (node.token) {
      const std::string words = token_set_text({{*node.token}, false});
      found.text.append(words.rbegin(), words.rend());
      if (!rest) rest = node.rest;
    }
    if (node.from != kNone) pending.push_back(node.from);
    if (node.called != kNone) pending.push_back(node.called);
  }
  std::reverse(found.text.begin(), found.text.end());
  if (rest) complete_character(found.text, *rest);
  return found;
}

// If the break lies inside a character, appends the character's remaining bytes from the
// continuation.
void FollowWalk::complete_character(std::string& text, ContinuationId rest) {
  for (int i = 0; i < 3 && find_invalid_utf8(text); ++i) {
    continuations_.step(rest, steps_);
    if (steps_.bytes.empty() || (steps_.bytes.front().range.lo & 0xC0) != 0x80) return;
    text += static_cast<char>(steps_.bytes.front().range.lo);
    rest = steps_.bytes.front().to;
  }
}

}  // namespace xg2lab::checks
