// The NFA of a pattern (Thompson), with epsilon edges and states that look around.
//
// EXAMPLE   a(?=b)c    state 0 reads a, state 1 looks ahead (with states of its own: read b, done),
//           state 2 reads c, state 3 is the end.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "automata/alphabet.h"
#include "languages/regex/ast.h"

namespace xg2lab::regex {

using NfaStateId = uint32_t;

struct NfaState {
  enum Kind : uint8_t { kRead, kSplit, kLookaround, kEnd };
  Kind kind = kEnd;
  bool is_negated = false;     // kLookaround
  uint32_t set = 0;            // kRead: index of the set. kLookaround: index of the lookaround
  std::vector<NfaStateId> to;  // a single target, except for kSplit
};

// A lookahead or lookbehind; the NFA state that uses it records whether it must hold or fail.
struct Lookaround {
  bool is_ahead = false;
  NfaStateId start = 0;
  NfaStateId end = 0;
};

// INVARIANTS   I1  lookarounds nested in a lookaround come before it
class Nfa {
 public:
  // Nothing if more than n_most states are needed.
  static std::optional<Nfa> of(const Ast& ast, NodeId node, size_t n_most);

  const NfaState& operator[](NfaStateId id) const { return states_[id]; }
  size_t size() const { return states_.size(); }
  NfaStateId start() const { return start_; }
  NfaStateId end() const { return 0; }
  const std::vector<Lookaround>& lookarounds() const { return lookarounds_; }
  const Alphabet& alphabet() const { return alphabet_; }
  bool reads(const NfaState& state, Letter letter) const { return letters_[state.set][letter]; }

 private:
  explicit Nfa(const Ast& ast) : ast_(&ast) {}
  NfaStateId add(NfaState state);
  NfaStateId build(NodeId id, NfaStateId next);
  NfaStateId build_repeat(const Node& node, NfaStateId next);
  uint32_t lookaround_of(NodeId id);
  uint32_t set_of(const CodePointSet& set);

  const Ast* ast_;
  size_t n_most_ = 0;
  bool is_full_ = false;
  std::vector<NfaState> states_;
  std::vector<Lookaround> lookarounds_;
  std::vector<CodePointSet> sets_;
  std::map<std::vector<std::pair<uint32_t, uint32_t>>, uint32_t> known_sets_;
  // lookarounds at a single code point of a set
  std::map<std::pair<bool, uint32_t>, uint32_t> simple_lookarounds_;
  std::map<NodeId, uint32_t> known_lookarounds_;
  Alphabet alphabet_;
  std::vector<std::vector<bool>> letters_;  // index: set
  NfaStateId start_ = 0;
};

}  // namespace xg2lab::regex
