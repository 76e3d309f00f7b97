// The options of a rule, as written between its name and `::=`.
//
// Tests: tests/core/test_rule_options.py.   Twin: xg2lab/reference/options.py
//
// EXAMPLE   think[max_tokens=100, temperature=0.8, capture] ::= [^<]*
//
//   max_tokens=N     a match may touch at most N tokens; after that it has to end as soon as it can
//   max_chars=N      a match has at most N code points
//   lazy             a match ends at the first place where it can
//   capture="x"      matches are kept, under this name or that of the rule
//   temperature=F    how to sample while the rule is being matched
//   parts=y          the bytes of a match are read once more, by rule y: captures within it are
//                    those of that reading
//   hidden           captures around a match leave its bytes out
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
  std::optional<std::string> parts;  // a rule of the same grammar, by its name
  bool is_hidden = false;
  std::array<SourceSpan, kOptionKinds> spans{};  // index: OptionKind; where each is written

  SourceSpan span(OptionKind kind) const { return spans[static_cast<size_t>(kind)]; }
  // Whether it matters which texts are matches of this very rule, and not only what may come next: then its calls
  // stay calls.
  bool keeps_rule() const {
    return max_tokens.has_value() || capture.has_value() || temperature.has_value() ||
           parts.has_value() || is_hidden;
  }
  // Whether the body's language is cut, so that the body alone doesn't say what the rule matches.
  bool cuts_language() const { return is_lazy || max_chars.has_value(); }
  bool is_empty() const { return !keeps_rule() && !cuts_language(); }
};

// A number that is read back as the same one: 0.7, 1e-05.
std::string shortest_number(double value);
// " [max_tokens=5, ...]" without the space, and nothing for a rule without options. `rule`: its name, which a capture
// need not repeat.
std::string print_options(const RuleOptions* options, std::string_view rule);

}  // namespace xg2lab
