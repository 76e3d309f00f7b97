#include "mask/entries/literal_entry.h"

#include <chrono>
#include <vector>

#include "support/cache_events.h"

namespace xg2lab {
namespace {

// The only edge that leaves the state; null if the state is not within a literal.
const TerminalEdge* only_edge(const Program& program, StateId state) {
  const auto edges = program.terminals(state);
  const bool is_one = edges.size() == 1 && edges[0].range.lo == edges[0].range.hi;
  const bool is_within = is_one && program.kind(state) == StateKind::kPlain &&
                         !program.is_accepting(state) && program.calls(state).empty();
  return is_within ? &edges[0] : nullptr;
}

// The node for `byte` among the siblings [begin, end); `end` if there is none.
uint32_t sibling_for(const TokenTrie& trie, uint32_t begin, uint32_t end, uint8_t byte) {
  uint32_t node = begin;
  while (node < end && trie[node].byte < byte) node = trie[node].subtree_end;
  return node < end && trie[node].byte == byte ? node : end;
}

}  // namespace

std::optional<MaskEntry> literal_entry(const TokenSets& tokens, const Program& program,
                                       StateId state) {
  const TerminalEdge* edge = only_edge(program, state);
  if (edge == nullptr) return std::nullopt;
  const auto begin = std::chrono::steady_clock::now();
  const TokenTrie& trie = tokens.trie;
  std::vector<RankRange> accepted;
  uint32_t first = trie.top(edge->range.lo);
  uint32_t end = trie.top(edge->range.lo + size_t{1});
  while (first < end) {  // a token may go on below the path
    if (edge == nullptr) return std::nullopt;
    const uint32_t node = sibling_for(trie, first, end, edge->range.lo);
    if (node == end) break;
    extend(accepted, trie.first_rank(node), trie.end_rank(node));
    first = node + 1;
    end = trie[node].subtree_end;
    edge = only_edge(program, edge->to);
  }
  MaskEntry entry;
  entry.accepted = AdaptiveMask::of_ranks(tokens, accepted);
  entry.n_rejected = tokens.vocabulary->n_ranks() - entry.accepted.n_accepted();
  entry.build_ns = ns_since(begin);
  return entry;
}

}  // namespace xg2lab
