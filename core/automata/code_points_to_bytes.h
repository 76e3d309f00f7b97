// Turns a machine over code points into a machine over bytes: as UTF-8, or as the content of a JSON
// string.
//
// Tests: tests/core/test_regular.py, tests/core/test_regex.py
//
// IDEA
//   Each edge on a code point becomes paths of bytes. In UTF-8 there is one path (utf8.h). In a
//   JSON string there may be several: the character itself, unless it is a quote, a backslash or
//   below U+0020; a backslash and a letter, for eight characters; \uXXXX with hexadecimal digits in
//   either case; and a surrogate pair of two such escapes, for characters beyond U+FFFF. Paths are
//   built from their ends, and equal ends are shared.
//
// EXAMPLE   é, in a JSON string:  C3 A9  |  \u00e9  \u00E9
//
// An unpaired surrogate is not a character, so no language contains one. The quotes around the
// string are not included.
//
// COST      O(states * intervals), times a logarithm; bounded by `max_states`.
#pragma once

#include <optional>

#include "automata/code_point_dfa.h"
#include "automata/fsm.h"

namespace xg2lab {

enum class Spelling : uint8_t {
  kUtf8,
  kJsonString,  // with every escape
  // as a serializer writes it: no \uXXXX for an ASCII character that needs no escape
  kJsonName,
};

// Nothing if the machine exceeds max_states. An empty language has one state without edges.
std::optional<FrozenFsm> to_bytes(const CodePointDfa& dfa, Spelling spelling, size_t max_states);

}  // namespace xg2lab
