// The machine of members that begin with literals, as the keys of an object do. It is built as a
// trie and needs no determinization or minimization.
//
// Tests: tests/core/test_member_trie.py
//
// IDEA
//   A member consists of its text, a literal, and its rest, a machine that is deterministic and
//   minimal already (`ws ":" ws string` is typically cached from an earlier grammar). The texts
//   form a trie; where a text ends, its rest begins. One rest may begin inside the trie: that of
//   the undeclared keys, whose text is just the quote. From there on a state is a pair of a trie
//   node and a state of that rest, which read each byte together. When the trie has no child for a
//   byte, the rest continues alone.
//   The machine is deterministic by construction. Two trie nodes differ in the members that they
//   lead to or in the distance to them, so the machine is minimal too, provided that the rests are
//   minimal and that none of them leads back to its own start by the last byte of a text.
//
// EXAMPLE   Members "name" ws ":" ws string, "note" ws ":" ws any, and undeclared keys: a quote,
//           any other name, a quote, ws ":" ws any. After `"n` the state is the pair of the node
//           `"n` and the undeclared rest after `n`. Reading `x` leaves only the rest.
//
// INVARIANTS  No two members share a text, and no text ends where the undeclared rest could
//             continue too. Otherwise no such machine exists, and the general construction is used
//             (member_machines.h).
//
// COST      linear in the machine; the origins of an edge that several texts share are united once.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "lower/known_machines.h"
#include "lower/member_machines.h"

namespace xg2lab {

struct WordMember {
  std::string_view text;  // not empty
  OriginSetId origins;    // of its bytes
  SharedMachine rest;     // deterministic
};

// Member i of the machine is members[i]. Nothing if the members violate the invariants above or the
// machine exceeds `max_states`.
std::optional<MemberMachine> machine_of_words(std::span<const WordMember> members,
                                              OriginSets& origins, size_t max_states);

// The concatenation of two deterministic machines. Nothing if, where the first may end, a byte or a
// call could belong to either machine, or if the second accepts the empty string. The result is
// minimal if both are and if the end of the first is recognisable in its text, as a closing quote
// is. `of_first` replaces the origins of all edges of the first machine.
std::optional<FrozenFsm> concatenated(const FrozenFsm& first, OriginSetId of_first,
                                      const SharedMachine& second);

}  // namespace xg2lab
