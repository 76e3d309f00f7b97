// Read: Trie::node (from the leaves on), other_names.
#include "automata/other_names.h"

#include <algorithm>
#include <string>
#include <vector>

#include "automata/code_points_to_bytes.h"
#include "support/interned_rows.h"

namespace xg2lab {
namespace {

bool is_spelled_in_one_way(std::string_view name) {
  return std::ranges::all_of(
      name, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '/'; });
}

// Any name: what a state goes on to once the name is none of those taken.
const FrozenFsm& any_name() {
  static const FrozenFsm fsm = *to_bytes(everything(), Spelling::kJsonName, 1000);
  return fsm;
}

class Trie {
 public:
  // Ascending, each once.
  explicit Trie(std::span<const std::string_view> names) : names_(names) {}

  // The node of the names [begin, end), which agree in `n_read` bytes. The row says whether one of them ends here, then
  // byte and node for each that goes on.
  uint32_t node(size_t begin, size_t end, size_t n_read) {
    std::vector<uint32_t> row{names_[begin].size() == n_read ? 1u : 0u};
    begin += row.front();
    while (begin < end) {
      const auto byte = static_cast<uint8_t>(names_[begin][n_read]);
      size_t last = begin;
      while (last < end && static_cast<uint8_t>(names_[last][n_read]) == byte) ++last;
      const uint32_t to = node(begin, last, n_read + 1);
      row.insert(row.end(), {byte, to});
      begin = last;
    }
    return rows_.add(row).id;
  }
  size_t size() const { return rows_.size(); }
  std::span<const uint32_t> operator[](uint32_t node) const { return rows_[node]; }

 private:
  std::span<const std::string_view> names_;
  InternedRows rows_;
};

// The edges of `any` without the bytes of a node's own ones, which go to `from_node` plus the node's number.
void add_edges(Fsm& fsm, StateId from, std::span<const TerminalEdge> any, uint32_t first_any,
               std::span<const uint32_t> own, uint32_t first_node) {
  for (TerminalEdge edge : any) {
    const StateId to(first_any + edge.to.value);
    int lo = edge.range.lo;
    for (size_t i = 0; i < own.size(); i += 2) {
      const int byte = static_cast<int>(own[i]);
      if (!edge.range.contains(static_cast<uint8_t>(byte))) continue;
      if (lo < byte)
        fsm.add_terminal(from, {static_cast<uint8_t>(lo), static_cast<uint8_t>(byte - 1)}, to, {});
      lo = byte + 1;
    }
    if (lo <= edge.range.hi)
      fsm.add_terminal(from, {static_cast<uint8_t>(lo), edge.range.hi}, to, {});
  }
  for (size_t i = 0; i < own.size(); i += 2) {
    const auto byte = static_cast<uint8_t>(own[i]);
    fsm.add_terminal(from, {byte, byte}, StateId(first_node + own[i + 1]), {});
  }
}

}  // namespace

std::optional<FrozenFsm> other_names(std::span<const std::string_view> names) {
  if (names.empty() || !std::ranges::all_of(names, is_spelled_in_one_way)) return std::nullopt;
  std::vector<std::string_view> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  Trie trie(sorted);
  const uint32_t root = trie.node(0, sorted.size(), 0);
  // The root is made last; it is the start here, so nodes stand in turned order, and any_name() behind them.
  const auto n_nodes = static_cast<uint32_t>(trie.size());
  const FrozenFsm& any = any_name();
  Fsm fsm;
  for (size_t i = 0; i < n_nodes + any.n_states(); ++i) fsm.add_state();
  for (uint32_t node = 0; node < n_nodes; ++node) {
    const auto row = trie[node];
    const StateId at(root - node);
    if (row.front() == 0) fsm.set_accepting(at);
    std::vector<uint32_t> own(row.begin() + 1, row.end());
    for (size_t i = 1; i < own.size(); i += 2) own[i] = root - own[i];
    add_edges(fsm, at, any.terminals(StateId(0u)), n_nodes, own, 0);
  }
  for (uint32_t s = 0; s < any.n_states(); ++s) {
    const StateId at(n_nodes + s);
    if (any.is_accepting[s]) fsm.set_accepting(at);
    for (const TerminalEdge& edge : any.terminals(StateId(s)))
      fsm.add_terminal(at, edge.range, StateId(n_nodes + edge.to.value), {});
  }
  OriginSets origins;
  return freeze(fsm, origins);
}

}  // namespace xg2lab
