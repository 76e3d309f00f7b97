// The options of a rule, as written between its name and `::=`.
//
// Tests: tests/core/test_rule_options.py.   Twin: xg2lab/reference/options.py
//
// EXAMPLE   think[max_tokens=100, temperature=0.8, capture] ::= [^<]*
//
//   max_tokens=N     a match may touch at most N tokens; after that it must end as soon as possible
//   max_chars=N      a match has at most N code points
//   lazy             a match ends at the first position where it can
//   capture="x"      matches are recorded, under this name or the rule's name
//   temperature=F    the sampling temperature while the rule is being matched
//   parts=y          the bytes of a match are parsed again by rule y, and the captures within the
//                    match are those of that parse
//   hidden           captures around a match leave the match's bytes out
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "support/source.h"

namespace xg2lab {

enum class OptionKind : uint8_t {
  kMaxTokens,
  kMaxChars,
  kLazy,
  kCapture,
  kTemperature,
  kParts,
  kHidden
};
constexpr size_t kOptionKinds = 7;
constexpr std::array<std::string_view, kOptionKinds> kOptionNames{
    "max_tokens", "max_chars", "lazy", "capture", "temperature", "parts", "hidden"};

struct RuleOptions {
  std::optional<uint32_t> max_tokens;
  std::optional<uint32_t> max_chars;
  bool is_lazy = false;
  std::optional<std::string> capture;
  std::optional<double> temperature;
  std::optional<std::string> parts;  // the name of a rule of the same grammar
  bool is_hidden = false;
  // Not written by authors: a template's instances call the rule by its number, so the rule stays
  // apart from the rules that call it (templates/pieces.h).
  bool is_linked = false;
  // Not written by authors: the number of the content that is to be this rule's body, which is any
  // one character meanwhile (passes/leave_out_contents.h).
  std::optional<uint32_t> absent_content;
  std::array<SourceSpan, kOptionKinds> spans{};  // index: OptionKind; where each option is written

  SourceSpan span(OptionKind kind) const { return spans[static_cast<size_t>(kind)]; }
  // Whether the engine must know where matches of this rule begin and end, so that calls of the
  // rule must not be inlined.
  bool keeps_rule() const {
    return max_tokens.has_value() || capture.has_value() || temperature.has_value() ||
           parts.has_value() || is_hidden;
  }
  // Whether the options restrict the language of the body.
  bool cuts_language() const { return is_lazy || max_chars.has_value(); }
  bool is_empty() const {
    return !keeps_rule() && !cuts_language() && !is_linked && !absent_content;
  }
};

// The shortest text that parses back to the same number: 0.7, 1e-05.
std::string shortest_number(double value);
// "[max_tokens=5, ...]"; empty for a rule without options. `rule`: the rule's name, which a capture
// of the same name doesn't repeat.
std::string print_options(const RuleOptions* options, std::string_view rule);

}  // namespace xg2lab
