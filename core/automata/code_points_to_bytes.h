// A machine over code points becomes a machine over bytes: as UTF-8, or as the inside of a JSON string.
//
// Tests: tests/core/test_regular.py, tests/core/test_regex.py
//
// IDEA
//   Each step on a code point becomes a path of bytes. In UTF-8 there is one (utf8.h). In a JSON string there are several:
//   the character itself, unless it is a quote, a backslash or below U+0020; a backslash and a letter for eight of
//   them; \uXXXX with digits in small or capital letters; and two of these, a surrogate pair, beyond U+FFFF. Paths that end alike
//   are shared as they are made, by what they lead to.
//
// EXAMPLE   é, in a JSON string:  C3 A9  |  \u00e9  \u00E9
//
// Half of a pair alone is no character, so no language has it. The quotes around the string are not part of it.
//
// COST      states times intervals, with a logarithm; `max_states` bounds it.
#pragma once

#include <optional>

#include "automata/code_point_dfa.h"
#include "automata/fsm.h"

namespace xg2lab {

enum class Spelling : uint8_t {
  kUtf8,
  kJsonString,  // with every escape
  kJsonName,  // as a serializer writes it: no \uXXXX for an ASCII character that can stand for itself
};

// Nothing: more than max_states. An empty language has one state without edges.
std::optional<FrozenFsm> to_bytes(const CodePointDfa& dfa, Spelling spelling, size_t max_states);

}  // namespace xg2lab
