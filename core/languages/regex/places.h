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

using PlaceId = uint32_t;

struct Place {
  enum Kind : uint8_t { kRead, kSplit, kLook, kEnd };
  Kind kind = kEnd;
  bool is_negated = false;  // kLook
  uint32_t set = 0;         // kRead: index of the set. kLook: index of the lookaround
  std::vector<PlaceId> to;  // a single target, except for kSplit
};

// A lookahead or lookbehind; the NFA state that uses it says whether it must hold or fail.
struct Around {
  bool is_ahead = false;
  PlaceId start = 0;
  PlaceId end = 0;
};

// INVARIANTS   I1  lookarounds nested in a lookaround come before it
class Places {
 public:
  // Nothing if more than n_most states are needed.
  static std::optional<Places> of(const Ast& ast, NodeId node, size_t n_most);

  const Place& operator[](PlaceId id) const { return places_[id]; }
  size_t size() const { return places_.size(); }
  PlaceId start() const { return start_; }
  PlaceId end() const { return 0; }
  const std::vector<Around>& looks() const { return looks_; }
  const Alphabet& alphabet() const { return alphabet_; }
  bool reads(const Place& place, Letter letter) const { return letters_[place.set][letter]; }

 private:
  explicit Places(const Ast& ast) : ast_(&ast) {}
  PlaceId add(Place place);
  PlaceId build(NodeId id, PlaceId next);
  PlaceId build_repeat(const Node& node, PlaceId next);
  uint32_t look_of(NodeId id);
  uint32_t set_of(const CodePointSet& set);

  const Ast* ast_;
  size_t n_most_ = 0;
  bool is_full_ = false;
  std::vector<Place> places_;
  std::vector<Around> looks_;
  std::vector<CodePointSet> sets_;
  std::map<std::vector<std::pair<uint32_t, uint32_t>>, uint32_t> known_sets_;
  // lookarounds at a single code point of a set
  std::map<std::pair<bool, uint32_t>, uint32_t> simple_looks_;
  std::map<NodeId, uint32_t> known_looks_;
  Alphabet alphabet_;
  std::vector<std::vector<bool>> letters_;  // index: set
  PlaceId start_ = 0;
};

}  // namespace xg2lab::regex
