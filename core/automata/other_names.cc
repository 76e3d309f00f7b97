// Read: Trie::node (from the leaves up), then Rows, which writes the states in their final order.
#include "automata/other_names.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "automata/code_points_to_bytes.h"
#include "support/interned_rows.h"

namespace xg2lab {
namespace {

bool is_spelled_in_one_way(std::string_view name) {
  return std::ranges::all_of(
      name, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '/'; });
}

// Any name: the machine that takes over once a name differs from all given names.
const FrozenFsm& any_name() {
  static const FrozenFsm fsm = *to_bytes(everything(), Spelling::kJsonName, 1000);
  return fsm;
}

class Trie {
 public:
  // `names`: ascending, without duplicates.
  explicit Trie(std::span<const std::string_view> names) : names_(names) {}

  // The node of the names [begin, end), which agree in their first `n_read` bytes. Its row records
  // whether one of them ends here, then a byte and a node for each child.
  uint32_t node(size_t begin, size_t end, size_t n_read) {
    const size_t first = open_.size();
    const bool ends = names_[begin].size() == n_read;
    open_.push_back(ends ? 1 : 0);
    begin += ends ? 1 : 0;
    while (begin < end) {
      const auto byte = static_cast<uint8_t>(names_[begin][n_read]);
      size_t last = begin + 1;
      while (last < end && static_cast<uint8_t>(names_[last][n_read]) == byte) ++last;
      const uint32_t to = node(begin, last, n_read + 1);
      open_.insert(open_.end(), {byte, to});
      begin = last;
    }
    const auto [id, is_new] = rows_.add(std::span(open_).subspan(first));
    if (is_new) n_numbers_ += open_.size() - first;
    open_.resize(first);
    return id;
  }
  size_t size() const { return rows_.size(); }
  size_t n_numbers() const { return n_numbers_; }  // in all rows
  std::span<const uint32_t> operator[](uint32_t node) const { return rows_[node]; }

 private:
  std::span<const std::string_view> names_;
  InternedRows rows_;
  std::vector<uint32_t> open_;  // rows under construction, one behind the other
  size_t n_numbers_ = 0;
};

// Writes states breadth-first, as freeze() numbers them: the trie nodes, and after them the states
// of any_name().
class Rows {
 public:
  Rows(const Trie& trie, const FrozenFsm& any, uint32_t root)
      : trie_(trie), any_(any), n_nodes_(static_cast<uint32_t>(trie.size())) {
    number_.assign(n_nodes_ + any.n_states(), kNoNumber);
    order_.reserve(number_.size());
    fsm_.is_accepting.reserve(number_.size());
    fsm_.terminal_begin.reserve(number_.size() + 1);
    fsm_.terminal_edges.reserve(n_nodes_ * any.terminals(StateId(0u)).size() +
                                2 * trie.n_numbers() + any.terminal_edges.size());
    visit(root);
    for (size_t i = 0; i < order_.size(); ++i) {
      fsm_.terminal_begin.push_back(static_cast<uint32_t>(fsm_.terminal_edges.size()));
      if (order_[i] < n_nodes_) add_node(order_[i]);
      else add_any(order_[i] - n_nodes_);
    }
    fsm_.terminal_begin.push_back(static_cast<uint32_t>(fsm_.terminal_edges.size()));
    fsm_.rule_begin.assign(order_.size() + 1, 0);
  }
  FrozenFsm frozen() && { return std::move(fsm_); }

 private:
  static constexpr uint32_t kNoNumber = UINT32_MAX;

  StateId visit(uint32_t state) {
    if (number_[state] == kNoNumber) {
      number_[state] = static_cast<uint32_t>(order_.size());
      order_.push_back(state);
    }
    return StateId(number_[state]);
  }
  // Joins a range with its neighbour if both have the same target.
  void add(int lo, int hi, uint32_t to) {
    if (lo > hi) return;
    const bool is_first = fsm_.terminal_begin.back() == fsm_.terminal_edges.size();
    if (!is_first && number_[to] == fsm_.terminal_edges.back().to.value &&
        fsm_.terminal_edges.back().range.hi + 1 == lo) {
      fsm_.terminal_edges.back().range.hi = static_cast<uint8_t>(hi);
      return;
    }
    fsm_.terminal_edges.push_back(
        {{static_cast<uint8_t>(lo), static_cast<uint8_t>(hi)}, visit(to), {}});
  }

  // The edges of `any` without the bytes of the node's own edges. Each of these bytes spells itself
  // in any name, so it lies in one of the ranges of `any`.
  void add_node(uint32_t node) {
    const auto row = trie_[node];
    fsm_.is_accepting.push_back(row.front() == 0);
    size_t own = 1;  // pairs of byte and node
    for (const TerminalEdge& edge : any_.terminals(StateId(0u))) {
      int lo = edge.range.lo;
      for (; own < row.size() && row[own] <= edge.range.hi; own += 2) {
        const auto byte = static_cast<int>(row[own]);
        add(lo, byte - 1, n_nodes_ + edge.to.value);
        add(byte, byte, row[own + 1]);
        lo = byte + 1;
      }
      add(lo, edge.range.hi, n_nodes_ + edge.to.value);
    }
  }
  void add_any(uint32_t state) {
    fsm_.is_accepting.push_back(any_.is_accepting[state]);
    for (const TerminalEdge& edge : any_.terminals(StateId(state)))
      add(edge.range.lo, edge.range.hi, n_nodes_ + edge.to.value);
  }

  const Trie& trie_;
  const FrozenFsm& any_;
  const uint32_t n_nodes_;
  FrozenFsm fsm_;
  std::vector<uint32_t> number_;
  std::vector<uint32_t> order_;
};

}  // namespace

std::optional<FrozenFsm> other_names(std::span<const std::string_view> names) {
  if (names.empty() || !std::ranges::all_of(names, is_spelled_in_one_way)) return std::nullopt;
  std::vector<std::string_view> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  Trie trie(sorted);
  const uint32_t root = trie.node(0, sorted.size(), 0);
  return Rows(trie, any_name(), root).frozen();
}

}  // namespace xg2lab
