// The machine of members that begin with words, as the keys of an object do: a trie, with nothing to determinize or minimize.
//
// Tests: tests/core/test_member_trie.py
//
// IDEA
//   A member is its text, a literal, and its rest, a machine that is deterministic and minimal already (`ws ":" ws string` is
//   known from the last grammar). Texts are a trie; where a text ends, its rest begins. One rest may begin within the trie:
//   that of other keys, whose text is a quote. From there on a state is a node of the trie and a state of that rest, side by side:
//   whoever reads a byte reads it in both, and where the trie is left the rest goes on alone.
//   Such a machine is deterministic as it is made. A node of the trie is told from every other by the members that it leads to and
//   by how far they are; so it is minimal too, if the rests are and none of them leads back to its own beginning by a text's last byte.
//
// EXAMPLE   "name" ws ":" ws string   "note" ws ":" ws any   and others: a quote, a name that is neither, a quote, ws ":" ws any.
//           After `"n` there are the node `"n` and the state of others after `n`. Reading `x` leaves the second alone.
//
// INVARIANTS  None of this is for texts that two members share, or for a text that ends where the rest of others could go on.
//             Then there is no such machine, and the general construction is taken (member_machines.h).
//
// COST      linear in what is made; origins of an edge that several texts share are united once.
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

// Member i of the machine is members[i]. Nothing: they are not of that kind, or it took more than `max_states`.
std::optional<MemberMachine> machine_of_words(std::span<const WordMember> members,
                                              OriginSets& origins, size_t max_states);

// One machine, then the other: both deterministic. Nothing: where the first may end, a byte or a call could be of either, or the
// second accepts the empty string. Minimal if both are and what ends the first is told from its text, as a quote is.
// `of_first`: the origins of all edges of the first, in place of those that they have.
std::optional<FrozenFsm> concatenated(const FrozenFsm& first, OriginSetId of_first,
                                      const SharedMachine& second);

}  // namespace xg2lab
