// The places within a pattern between which it is matched: a machine with epsilon steps, and steps that look around.
//
// EXAMPLE   a(?=b)c    place 0 reads a, 1 looks ahead (at places of its own: read b, done), 2 reads c, 3 is the end.
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
  uint32_t set = 0;         // kRead: which set. kLook: which look
  std::vector<PlaceId> to;  // one, but for kSplit
};

// A lookahead or lookbehind; whether its outcome or the opposite is asked for is the place's affair.
struct Around {
  bool is_ahead = false;
  PlaceId start = 0;
  PlaceId end = 0;
};

// INVARIANTS   I1  looks within a look come before it
class Places {
 public:
  // Nothing: more than n_most.
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
  std::map<std::pair<bool, uint32_t>, uint32_t> simple_looks_;  // at one code point of a set
  std::map<NodeId, uint32_t> known_looks_;
  Alphabet alphabet_;
  std::vector<std::vector<bool>> letters_;  // index: set
  PlaceId start_ = 0;
};

}  // namespace xg2lab::regex
