// Subset construction over bytes and rules, within a state budget; and epsilon removal, its
// fallback.
//
// Twin:  xg2lab/reference/fsm.py
//
// IDEA
//   A state of the result is a set of states of the source, closed under epsilon edges. Overlapping
//   byte ranges are cut at their boundaries. Rule edges are letters like any other, so a rule that
//   begins two alternatives is predicted once.
//   For ("ab" | "ac") the result has one edge on `a`. For (x "b" | y "c") the rules x and y keep
//   separate edges: only the parser can distinguish them.
//
//   Few states may still take much work: for n texts .*a.*b.*c a set contains the loops of all
//   earlier texts, so there are some n sets of n states each. Therefore the limit counts the states
//   and edges that the construction reads.
//
// COST      determinize: the states and edges read, times the logarithm of a set's size; returns
//           nothing beyond its limits.
// SEE ALSO  Rabin and Scott 1959.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "automata/fsm.h"

namespace xg2lab {

// Limits for making one machine without epsilon edges.
struct SubsetLimits {
  size_t n_states;  // of a deterministic machine
  // Total over all sets: states that the sets are closed to, edges that are merged, and their
  // origins.
  size_t n_reads = SIZE_MAX;
  size_t n_edges = SIZE_MAX;  // of a machine that stays nondeterministic
};

// `n_states` counts the states of the source with shared parts written out. Among 4,400 machines of
// MaskBench's schemas and other grammars, none that took over 1,000 reads took more than 8 reads
// for each of its states and edges.
inline constexpr size_t kReadsPerPart = 8;
inline constexpr size_t kReadsBeyond = 100'000;
size_t reads_in_proportion(const Fsm& fsm, size_t n_states);

// State 0 of `fsm` is the start. The result satisfies I3 and I4 of FrozenFsm, but may contain
// states that can't reach an accepting state, and needless cuts of ranges; quotient.h and
// minimize.h remove these. The result is also nothing if a joined state (Fsm::set_joined) would
// share a set with other states.
std::optional<FrozenFsm> determinize(const Fsm& fsm, OriginSets& origins,
                                     const SubsetLimits& limits);

// The same language without epsilon edges, with one state for each state of the source: the
// fallback when the budget is exceeded. Nothing if the result has more than `max_edges`.
std::optional<Fsm> remove_epsilon(const Fsm& fsm, size_t max_edges);

}  // namespace xg2lab
