// Subset construction over bytes and rules, within a state budget; and its plain cousin, epsilon removal.
//
// Twin:  xg2lab/reference/fsm.py
//
// IDEA
//   A state of the result is a set of states of the source, closed under epsilon edges. Byte ranges that
//   overlap are cut at their boundaries; rule edges are letters like any other, so a rule that two
//   alternatives begin with is predicted once.
//   Under ("ab" | "ac") the result has one edge on `a`. Under (x "b" | y "c") both rules stay apart:
//   only the parser can tell them.
//
//   Few states may still be much work: behind .*a.*b.*c a set is in all loops that came before, so
//   n such texts have some n sets of n states each. What is counted, therefore, is what the
//   construction reads, and a machine that is worth it is read a few times.
//
// COST      determinize: what it reads, times the logarithm of a set's size; gives up (nullopt)
//           beyond its limits.
// SEE ALSO  Rabin and Scott 1959.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "automata/fsm.h"

namespace xg2lab {

// Of making one machine without epsilon edges.
struct SubsetLimits {
  size_t n_states;  // of a deterministic one
  // States that sets are closed to, edges that are taken together, and origins of those, over all
  // sets.
  size_t n_reads = SIZE_MAX;
  size_t n_edges = SIZE_MAX;  // of one that stays nondeterministic
};

// `n_states`: of the source, with what it shares written out. Of 4,400 machines of MaskBench's
// schemas and other grammars, none took more than 8 reads for each of its states and edges if it
// took over 1,000 at all.
inline constexpr size_t kReadsPerPart = 8;
inline constexpr size_t kReadsBeyond = 100'000;
size_t reads_in_proportion(const Fsm& fsm, size_t n_states);

// State 0 of `fsm` is the start. What comes out is in rows and in order (I3 and I4 of FrozenFsm), but has states without a future
// and cuts that nobody needs: quotient.h and minimize.h make the rest of it.
// Nothing, too, if a joined state (Fsm::set_joined) would stand in a set with others.
std::optional<FrozenFsm> determinize(const Fsm& fsm, OriginSets& origins,
                                     const SubsetLimits& limits);

// The same language without epsilon edges, one state for each state: what is used beyond the
// budget. Nothing, if that is more than `max_edges`.
std::optional<Fsm> remove_epsilon(const Fsm& fsm, size_t max_edges);

}  // namespace xg2lab
