// Thompson's construction from the end: each part is built knowing the state that follows it.
#include "languages/regex/nfa.h"

#include <utility>

namespace xg2lab::regex {

std::optional<Nfa> Nfa::of(const Ast& ast, NodeId node, size_t n_most) {
  Nfa nfa(ast);
  nfa.n_most_ = n_most;
  nfa.add({});  // the end
  nfa.start_ = nfa.build(node, 0);
  if (nfa.is_full_) return std::nullopt;
  nfa.alphabet_ = Alphabet(nfa.sets_);
  for (const CodePointSet& set : nfa.sets_) {
    nfa.letters_.push_back(nfa.alphabet_.letters_in(set));
  }
  return nfa;
}

NfaStateId Nfa::add(NfaState state) {
  if (states_.size() >= n_most_) is_full_ = true;
  if (is_full_) return 0;
  states_.push_back(std::move(state));
  return static_cast<NfaStateId>(states_.size() - 1);
}

uint32_t Nfa::set_of(const CodePointSet& set) {
  std::vector<std::pair<uint32_t, uint32_t>> key;
  for (const CodePointRange& range : set) key.emplace_back(range.lo, range.hi);
  const auto [known, is_new] =
      known_sets_.emplace(std::move(key), static_cast<uint32_t>(sets_.size()));
  if (is_new) sets_.push_back(set);
  return known->second;
}

NfaStateId Nfa::build(NodeId id, NfaStateId next) {
  if (is_full_) return 0;
  const Node& node = (*ast_)[id];
  switch (node.kind) {
    case NodeKind::kClass: return add({NfaState::kRead, false, set_of(node.set), {next}});
    case NodeKind::kSequence:
      for (size_t i = node.children.size(); i-- > 0;) next = build(node.children[i], next);
      return next;
    case NodeKind::kChoice: {
      NfaState split{NfaState::kSplit, false, 0, {}};
      for (NodeId child : node.children) split.to.push_back(build(child, next));
      return add(std::move(split));
    }
    case NodeKind::kRepeat: return build_repeat(node, next);
    case NodeKind::kLookaround: {
      const uint32_t look = lookaround_of(id);
      return add({NfaState::kLookaround, node.is_negative, look, {next}});
    }
  }
  return next;
}

NfaStateId Nfa::build_repeat(const Node& node, NfaStateId next) {
  const NodeId child = node.children.front();
  NfaStateId at = next;
  if (node.max == kNoMost) {
    at = add({NfaState::kSplit, false, 0, {next}});
    if (is_full_) return 0;
    const NfaStateId again = build(child, at);
    states_[at].to.push_back(again);
  } else {
    for (uint32_t i = node.min; i < node.max && !is_full_; ++i) {
      const NfaStateId once = build(child, at);
      at = add({NfaState::kSplit, false, 0, {once, next}});
    }
  }
  for (uint32_t i = 0; i < node.min && !is_full_; ++i) {
    const NfaStateId before = build(child, at);
    if (before == at) break;  // the child matches only the empty string
    at = before;
  }
  return at;
}

uint32_t Nfa::lookaround_of(NodeId id) {
  const Node& node = (*ast_)[id];
  const Node& child = (*ast_)[node.children.front()];
  const auto known = known_lookarounds_.find(id);
  if (known != known_lookarounds_.end()) return known->second;
  std::optional<std::pair<bool, uint32_t>> key;
  if (child.kind == NodeKind::kClass) {
    key.emplace(node.is_ahead, set_of(child.set));
    const auto same = simple_lookarounds_.find(*key);
    if (same != simple_lookarounds_.end()) return known_lookarounds_[id] = same->second;
  }
  Lookaround around;
  around.is_ahead = node.is_ahead;
  around.end = add({});
  around.start = build(node.children.front(), around.end);
  const auto look = static_cast<uint32_t>(lookarounds_.size());
  lookarounds_.push_back(around);
  if (key) simple_lookarounds_[*key] = look;
  return known_lookarounds_[id] = look;
}

}  // namespace xg2lab::regex
