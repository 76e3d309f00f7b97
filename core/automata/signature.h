// What two states of a deterministic machine have in common if they are one: whether they accept,
// and which classes their edges lead to.
//
// A signature is a row of numbers: of each range of bytes its ends and its class, then whether the
// state accepts, then of each called rule its number and its class. Neighbouring ranges into one
// class count as one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "automata/fsm.h"

namespace xg2lab {

inline constexpr uint32_t kAccepts = UINT32_MAX;
inline constexpr uint32_t kAcceptsNot = UINT32_MAX - 1;

// A signature, read from its beginning.
struct SignatureReader {
  std::span<const uint32_t> rest;

  bool is_range() const { return rest.front() < kAcceptsNot; }
  uint32_t lo() const { return rest.front() >> 8; }
  uint32_t hi() const { return rest.front() & 0xFFu; }
  uint32_t to() const { return rest[1]; }
  void next() { rest = rest.subspan(2); }
};

// The signature of a state, behind `row`.
inline void append_signature(const FrozenFsm& rows, uint32_t state,
                             std::span<const uint32_t> class_of, std::vector<uint32_t>& row) {
  const size_t begin = row.size();
  for (const TerminalEdge& edge : rows.terminals(StateId(state))) {
    const uint32_t to = class_of[edge.to.index()];
    const size_t n = row.size();
    const bool joins = n > begin && row[n - 1] == to && (row[n - 2] & 0xFFu) + 1 == edge.range.lo;
    if (joins) {
      row[n - 2] += edge.range.hi - (row[n - 2] & 0xFFu);
    } else {
      row.push_back(uint32_t{edge.range.lo} << 8 | edge.range.hi);
      row.push_back(to);
    }
  }
  row.push_back(rows.is_accepting[state] ? kAccepts : kAcceptsNot);
  for (const RuleEdge& edge : rows.rules(StateId(state))) {
    row.push_back(edge.rule.value);
    row.push_back(class_of[edge.to.index()]);
  }
}

}  // namespace xg2lab
