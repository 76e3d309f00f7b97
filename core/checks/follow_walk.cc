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

size_t FollowWalk::PlaceHash::operator()(const PlaceKey& key) const noexcept {
  return hash_combine(hash_combine(key.walk, key.rest.value), key.state.value);
}

void FollowWalk::clear() {
  places_.clear();
  known_places_.clear();
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
void FollowWalk::add(const Place& place) {
  if (place.state == kKept) return;
  const auto [found, is_new] = known_places_.try_emplace({place.walk, place.rest, place.state},
                                                         static_cast<uint32_t>(places_.size()));
  const uint32_t at = found->second;
  if (is_new) places_.push_back(place);
  else if (places_[at].is_done || places_[at].n_bytes <= place.n_bytes) return;
  else places_[at] = place;
  agenda_.emplace(place.n_bytes, at);
}

// ---- The walk ----

// Takes the nodes in the order of their distance, so the first break found is a shortest one. A
// broken state inside a called rule is passed to its callers as a result of the call; it is
// reported in the walk above the rule in question.
std::optional<Break> FollowWalk::run() {
  while (!agenda_.empty()) {
    const uint32_t at = agenda_.top().second;
    agenda_.pop();
    if (places_[at].is_done) continue;
    places_[at].is_done = true;
    if (!budget_.spend()) return std::nullopt;
    const Place place = places_[at];
    const bool follows = walks_[place.walk].follows;
    if (place.state == kBroken) {
      if (follows) return describe(at);
      finish_call(at);
    } else if (place.rest == kNothingLeft) {
      if (!follows) finish_call(at);
      else if (auto found = end_of_caller(at)) return found;
    } else {
      continuations_.step(place.rest, steps_);
      // A decomposition without input has the same distance.
      for (ContinuationId rest : steps_.empties) {
        add({place.walk, rest, place.state, place.n_bytes, at});
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
  const Place place = places_[at];
  const RuleId caller = walks_[place.walk].rule;
  if (caller == grammar_.root()) return describe(at);
  for (const Use& use : uses_.of[caller.index()]) {
    add({.walk = walk_of(true, use.caller, kKept),
         .rest = use.next,
         .state = place.state,
         .n_bytes = place.n_bytes,
         .from = at,
         .use = &use});
  }
  return std::nullopt;
}

void FollowWalk::read_bytes(uint32_t at, const Steps::Bytes& step) {
  const Place place = places_[at];
  std::vector<AssertionState> reached;  // one byte for each target state suffices
  const auto read = [&](uint8_t byte) {
    const AssertionState state = assertion_.step(place.state, byte);
    if (std::find(reached.begin(), reached.end(), state) != reached.end()) return;
    reached.push_back(state);
    add({.walk = place.walk,
         .rest = step.to,
         .state = state,
         .n_bytes = place.n_bytes + 1,
         .from = at,
         .byte = byte});
  };
  if (step.range.lo == step.range.hi) return read(step.range.lo);
  for (uint8_t byte : kBytes) {
    if (step.range.contains(byte)) read(byte);
  }
}

void FollowWalk::read_token(uint32_t at, const Steps::Token& step) {
  const Place place = places_[at];
  for (TokenId token : assertion_.tokens_told_apart(place.state, *step.set)) {
    add({.walk = place.walk,
         .rest = step.to,
         .state = assertion_.step(place.state, token),
         .n_bytes = place.n_bytes + 1,
         .from = at,
         .token = token});
  }
}

void FollowWalk::call(uint32_t at, const Steps::Call& step) {
  const Place place = places_[at];
  if (assertion_.is_letter(step.rule)) {
    const AssertionState state = assertion_.step(place.state, step.rule);
    return add({place.walk, step.to, state, place.n_bytes + 1, at});
  }
  // The called rule is walked once for each state. Callers that arrive later receive the known
  // results at once; earlier callers are resumed as results arrive.
  const uint32_t called = walk_of(false, step.rule, place.state);
  if (walks_[called].waiting.empty()) {
    const ExprId body = grammar_.rule(step.rule).body;
    add({.walk = called, .rest = continuations_.push(body, kNothingLeft), .state = place.state});
  }
  walks_[called].waiting.push_back({at, step.to});
  for (const auto& [state, result] : walks_[called].results) resume({at, step.to}, result);
}

// The first result in a state has the shortest text, so later ones are ignored.
void FollowWalk::finish_call(uint32_t at) {
  Walk& walk = walks_[places_[at].walk];
  if (!walk.results.try_emplace(places_[at].state, at).second) return;
  for (const Waiting& waiting : walk.waiting) resume(waiting, at);
}

void FollowWalk::resume(const Waiting& waiting, uint32_t result) {
  const Place& place = places_[waiting.place];
  add(Place{.walk = place.walk,
            .rest = waiting.after,
            .state = places_[result].state,
            .n_bytes = place.n_bytes + places_[result].n_bytes,
            .from = waiting.place,
            .called = result});
}

// ---- The break as text: nodes followed back ----

Break FollowWalk::describe(uint32_t at) {
  Break found;
  found.is_end = places_[at].state != kBroken;
  for (uint32_t i = at; i != kNone; i = places_[i].from) {
    if (places_[i].use != nullptr) found.uses.push_back(*places_[i].use);
  }
  std::reverse(found.uses.begin(), found.uses.end());
  std::optional<ContinuationId> rest;  // the continuation after the last byte
  std::vector<uint32_t> pending{at};   // the last part of the text on top
  while (!pending.empty()) {
    const Place& place = places_[pending.back()];
    pending.pop_back();
    if (place.byte) {
      found.text += static_cast<char>(*place.byte);
      if (!rest) rest = place.rest;
    }
    if (place.token) {
      const std::string words = token_set_text({{*place.token}, false});
      found.text.append(words.rbegin(), words.rend());
      if (!rest) rest = place.rest;
    }
    if (place.from != kNone) pending.push_back(place.from);
    if (place.called != kNone) pending.push_back(place.called);
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
