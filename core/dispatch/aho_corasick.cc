// Read: build_trie, then find_steps.
// The trick: after sorting, patterns with a common prefix are neighbours, so a trie node is a run
// of patterns. Splitting runs by their next byte makes all nodes breadth-first. The failure state
// of a node is reached by one step from its parent's failure state, whose row is complete by then.
#include "dispatch/aho_corasick.h"

#include <algorithm>
#include <numeric>

namespace xg2lab {

AhoCorasick::AhoCorasick(std::span<const std::string_view> patterns) {
  build_trie(patterns);
  find_steps();
}

void AhoCorasick::build_trie(std::span<const std::string_view> patterns) {
  std::vector<uint32_t> order(patterns.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return patterns[a] < patterns[b]; });
  // index: node; a range of `order`
  std::vector<Row> runs{{0, static_cast<uint32_t>(patterns.size())}};
  nodes_.emplace_back();
  match_.push_back(kNoMatch);
  // A node's run holds the patterns that begin with its text. New nodes are appended, so the loop
  // visits all nodes breadth-first and children in ascending order of byte.
  for (uint32_t node = 0; node < nodes_.size(); ++node) {
    const uint32_t depth = nodes_[node].depth;
    uint32_t at = runs[node].begin;
    const uint32_t end = at + runs[node].size;
    if (at < end && patterns[order[at]].size() == depth) match_[node] = order[at++];
    uint32_t last_child = 0;
    while (at < end) {
      const char byte = patterns[order[at]][depth];
      const uint32_t first = at;
      while (at < end && patterns[order[at]][depth] == byte) ++at;
      const auto child = static_cast<uint32_t>(nodes_.size());
      (last_child == 0 ? nodes_[node].first_child : nodes_[last_child].sibling) = child;
      last_child = child;
      nodes_.push_back(
          {0, 0, depth + 1, depth + 1, order[first], static_cast<uint8_t>(byte), at == first + 1});
      match_.push_back(kNoMatch);
      runs.push_back({first, at - first});
    }
  }
  // A node with a single child, at which no pattern ends, has the child's common prefix. Children
  // have larger numbers, so a backward sweep sees them first.
  for (size_t node = nodes_.size(); node-- > 0;) {
    const uint32_t child = nodes_[node].first_child;
    const bool has_one = child != 0 && nodes_[child].sibling == 0 && match_[node] == kNoMatch;
    if (has_one) nodes_[node].common_depth = nodes_[child].common_depth;
  }
}

// Merges the node's own children with the row of its failure state, which is complete because
// failure states have smaller numbers (I1). Where both read a byte, the child's failure state is
// the target of the failure state.
void AhoCorasick::find_steps() {
  std::vector<StateId> failure(nodes_.size(), root());
  rows_.resize(nodes_.size());
  std::vector<Step> inherited;
  for (uint32_t node = 0; node < nodes_.size(); ++node) {
    if (node > 0) {
      const auto row = steps(failure[node]);
      inherited.assign(row.begin(), row.end());
      if (match_[node] == kNoMatch) match_[node] = match_[failure[node].index()];
    }
    const auto begin = static_cast<uint32_t>(steps_.size());
    size_t next_inherited = 0;
    for (uint32_t child = nodes_[node].first_child; child != 0; child = nodes_[child].sibling) {
      const uint8_t byte = nodes_[child].byte;
      while (next_inherited < inherited.size() && inherited[next_inherited].byte < byte) {
        steps_.push_back(inherited[next_inherited++]);
      }
      if (next_inherited < inherited.size() && inherited[next_inherited].byte == byte) {
        failure[child] = inherited[next_inherited++].to;
      }
      steps_.push_back({byte, StateId(child)});
    }
    steps_.insert(steps_.end(), inherited.begin() + static_cast<ptrdiff_t>(next_inherited),
                  inherited.end());
    rows_[node] = {begin, static_cast<uint32_t>(steps_.size()) - begin};
  }
}

StateId AhoCorasick::next(StateId state, uint8_t byte) const {
  const auto row = steps(state);
  const auto found = std::lower_bound(row.begin(), row.end(), byte,
                                      [](const Step& step, uint8_t b) { return step.byte < b; });
  return found != row.end() && found->byte == byte ? found->to : root();
}

std::optional<size_t> AhoCorasick::match(StateId state) const {
  const uint32_t pattern = match_[state.index()];
  return pattern == kNoMatch ? std::nullopt : std::optional<size_t>(pattern);
}

// A pattern is readable if the automaton reports no match before its end, and there reports the
// pattern itself, the longest match.
std::vector<bool> readable_patterns(const AhoCorasick& automaton,
                                    std::span<const std::string_view> patterns) {
  std::vector<bool> readable(patterns.size());
  for (size_t i = 0; i < patterns.size(); ++i) {
    StateId state = automaton.root();
    size_t n_read = 0;
    while (n_read < patterns[i].size() && !automaton.match(state)) {
      state = automaton.next(state, static_cast<uint8_t>(patterns[i][n_read++]));
    }
    readable[i] = n_read == patterns[i].size() && automaton.match(state) == i;
  }
  return readable;
}

}  // namespace xg2lab
