// Read: states_of (the depth-first traversal closes the states that it leaves), then
// origins_of_edges.
#include "automata/text_machine.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "support/interned_rows.h"

namespace xg2lab {
namespace {

// A row for each state: whether a text ends there, then byte and target of each edge. Targets
// precede sources; the start is last.
InternedRows states_of(std::span<const Text> texts) {
  InternedRows states;
  std::vector<std::vector<uint32_t>> open{{0}};  // the states on the current path, by depth
  std::string_view way;
  // Closes the states of the current path below `depth`: their edges are complete, since texts are
  // sorted. Interning them merges equal states.
  const auto close_down_to = [&](size_t depth) {
    for (size_t at = way.size(); at > depth; --at) {
      const uint32_t closed = states.add(open[at]).id;
      open[at - 1].insert(open[at - 1].end(), {static_cast<uint8_t>(way[at - 1]), closed});
    }
  };
  for (const Text& text : texts) {
    const size_t n_common =
        static_cast<size_t>(std::ranges::mismatch(way, text.bytes).in1 - way.begin());
    close_down_to(n_common);
    way = text.bytes;
    if (open.size() <= way.size()) open.resize(way.size() + 1);
    for (size_t depth = n_common + 1; depth <= way.size(); ++depth) open[depth].assign(1, 0);
    open[way.size()].front() = 1;
  }
  close_down_to(0);
  states.add(open.front());
  return states;
}

// Sets the origins of each edge: the texts read along it.
void set_origins_of_edges(FrozenFsm& fsm, std::span<const Text> texts, OriginSets& origins) {
  std::vector<uint32_t> edges;  // edges along the texts, one text after the other
  std::vector<uint32_t> begin(fsm.terminal_edges.size() + 1,
                              0);  // number of texts along each edge, then its offsets
  for (const Text& text : texts) {
    StateId at(0u);
    for (const char c : text.bytes) {
      const auto row = fsm.terminals(at);
      const auto edge = std::ranges::lower_bound(row, static_cast<uint8_t>(c), {},
                                                 [](const TerminalEdge& e) { return e.range.lo; });
      edges.push_back(static_cast<uint32_t>(&*edge - fsm.terminal_edges.data()));
      ++begin[edges.back() + 1];
      at = edge->to;
    }
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<OriginSetId> of_edges(edges.size());
  std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
  auto edge = edges.begin();
  for (const Text& text : texts) {
    for (size_t i = 0; i < text.bytes.size(); ++i) of_edges[next[*edge++]++] = text.origins;
  }
  std::vector<OriginSetId> all;
  for (size_t i = 0; i < fsm.terminal_edges.size(); ++i) {
    all.assign(of_edges.begin() + begin[i], of_edges.begin() + begin[i + 1]);
    fsm.terminal_edges[i].origins = origins.unite(all);
  }
}

}  // namespace

FrozenFsm machine_of_texts(std::vector<Text> texts, OriginSets& origins) {
  if (!std::ranges::is_sorted(texts, {}, &Text::bytes)) std::ranges::sort(texts, {}, &Text::bytes);
  const InternedRows states = states_of(texts);
  const auto n_states = static_cast<uint32_t>(states.size());
  FrozenFsm fsm;
  // Interned states are numbered targets first; reversing the numbers makes the start state 0.
  for (uint32_t id = n_states; id-- > 0;) {
    fsm.begin_state();
    const std::span<const uint32_t> row = states[id];
    fsm.is_accepting.push_back(row.front() != 0);
    for (size_t i = 1; i < row.size(); i += 2) {
      const auto byte = static_cast<uint8_t>(row[i]);
      fsm.terminal_edges.push_back({{byte, byte}, StateId(n_states - 1 - row[i + 1]), {}});
    }
  }
  fsm.begin_state();
  set_origins_of_edges(fsm, texts, origins);
  return fsm;
}

}  // namespace xg2lab
