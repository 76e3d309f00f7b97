// Thompson's construction from the end: each part is built knowing the state that follows it.
#include "languages/regex/places.h"

#include <utility>

namespace xg2lab::regex {

std::optional<Places> Places::of(const Ast& ast, NodeId node, size_t n_most) {
  Places places(ast);
  places.n_most_ = n_most;
  places.add({});  // the end
  places.start_ = places.build(node, 0);
  if (places.is_full_) return std::nullopt;
  places.alphabet_ = Alphabet(places.sets_);
  for (const CodePointSet& set : places.sets_) {
    places.letters_.push_back(places.alphabet_.letters_in(set));
  }
  return places;
}

PlaceId Places::add(Place place) {
  if (places_.size() >= n_most_) is_full_ = true;
  if (is_full_) return 0;
  places_.push_back(std::move(place));
  return static_cast<PlaceId>(places_.size() - 1);
}

uint32_t Places::set_of(const CodePointSet& set) {
  std::vector<std::pair<uint32_t, uint32_t>> key;
  for (const CodePointRange& range : set) key.emplace_back(range.lo, range.hi);
  const auto [known, is_new] =
      known_sets_.emplace(std::move(key), static_cast<uint32_t>(sets_.size()));
  if (is_new) sets_.push_back(set);
  return known->second;
}

PlaceId Places::build(NodeId id, PlaceId next) {
  if (is_full_) return 0;
  const Node& node = (*ast_)[id];
  switch (node.kind) {
    case NodeKind::kClass: return add({Place::kRead, false, set_of(node.set), {next}});
    case NodeKind::kSequence:
      for (size_t i = node.children.size(); i-- > 0;) next = build(node.children[i], next);
      return next;
    case NodeKind::kChoice: {
      Place split{Place::kSplit, false, 0, {}};
      for (NodeId child : node.children) split.to.push_back(build(child, next));
      return add(std::move(split));
    }
    case NodeKind::kRepeat: return build_repeat(node, next);
    case NodeKind::kLook: {
      const uint32_t look = look_of(id);
      return add({Place::kLook, node.is_negative, look, {next}});
    }
  }
  return next;
}

PlaceId Places::build_repeat(const Node& node, PlaceId next) {
  const NodeId child = node.children.front();
  PlaceId at = next;
  if (node.max == kNoMost) {
    at = add({Place::kSplit, false, 0, {next}});
    if (is_full_) return 0;
    const PlaceId again = build(child, at);
    places_[at].to.push_back(again);
  } else {
    for (uint32_t i = node.min; i < node.max && !is_full_; ++i) {
      const PlaceId once = build(child, at);
      at = add({Place::kSplit, false, 0, {once, next}});
    }
  }
  for (uint32_t i = 0; i < node.min && !is_full_; ++i) {
    const PlaceId before = build(child, at);
    if (before == at) break;  // the child matches only the empty string
    at = before;
  }
  return at;
}

uint32_t Places::look_of(NodeId id) {
  const Node& node = (*ast_)[id];
  const Node& child = (*ast_)[node.children.front()];
  const auto known = known_looks_.find(id);
  if (known != known_looks_.end()) return known->second;
  std::optional<std::pair<bool, uint32_t>> key;
  if (child.kind == NodeKind::kClass) {
    key.emplace(node.is_ahead, set_of(child.set));
    const auto same = simple_looks_.find(*key);
    if (same != simple_looks_.end()) return known_looks_[id] = same->second;
  }
  Around around;
  around.is_ahead = node.is_ahead;
  around.end = add({});
  around.start = build(node.children.front(), around.end);
  const auto look = static_cast<uint32_t>(looks_.size());
  looks_.push_back(around);
  if (key) simple_looks_[*key] = look;
  return known_looks_[id] = look;
}

}  // namespace xg2lab::regex
