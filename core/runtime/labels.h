// Readable labels for bytes, edges and states: the only code that turns machines into text.
//
// EXAMPLE   a byte 0x61: "a"    digits: [0-9]    a call: string    a token edge: Token(5)    the
//           state after `"a"` before `b*`: before is `"a"`, after is `[b]`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "program/program.h"

namespace xg2lab {

// One byte as in EBNF, without quotes: a, \n, \", \xC3.
std::string byte_text(uint8_t byte);
// Ranges as a literal or a class: "a", [0-9a-f].
std::string ranges_text(std::span<const ByteRange> ranges);

struct EdgeLabel {
  StateId from;
  StateId to;
  bool is_rule = false;
  bool is_token = false;  // a token edge, labelled in the rule that uses it
  RuleId rule;
  std::vector<ByteRange> ranges;
  std::string text;
  std::vector<SourceSpan> spans;
};

struct StateLabel {
  std::string before;
  std::string after;
  std::vector<SourceSpan> spans;  // of the edges that leave the state
};

struct ProgramLabels {
  ProgramLabels() = default;
  explicit ProgramLabels(const Program& program);

  std::vector<EdgeLabel> edges;  // edges between the same two states are joined; ordered by `from`
  std::vector<StateLabel> states;  // index: state
};

// The source spans of the bytes that a state expects.
std::vector<SourceSpan> spans_of_bytes(const Program& program, StateId state);

// The union of ranges, sorted and disjoint.
std::vector<ByteRange> union_of(std::vector<ByteRange> ranges);

}  // namespace xg2lab
