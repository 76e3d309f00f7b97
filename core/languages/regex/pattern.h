// From the text of a pattern to its language: parsed, searched for or matched as a whole, with the
// anchors at its ends resolved.
//
// Twin:  xg2lab/reference/regex.py
// Tests: tests/core/test_regex.py, tests/differential/test_regex.py
//
// IDEA
//   If the whole text must match, anchors at the ends are redundant; if the pattern is searched for
//   (JSON Schema's `pattern`), only anchors tie the match to the ends of the text.
//
// EXAMPLE   language_of_regex("^a", {}, Match::kSearch) holds "a" and "ab".
// LIMITS    kRegexLimits; beyond them an error regex_too_large with the pattern's span.
// NOT HERE  turning a pattern into grammar expressions (frontends/regex/regex.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "automata/code_points_to_bytes.h"
#include "languages/regex/language.h"
#include "languages/regex/parser.h"
#include "support/findings.h"

namespace xg2lab::regex {

enum class Match : uint8_t {
  kWhole,   // the text is a match
  kSearch,  // the text contains a match
};

constexpr LanguageLimits kRegexLimits{{200'000, 8'000'000}, 500'000, 10'000'000};
constexpr size_t kMostByteStates = 1'000'000;

inline SourceSpan whole_span(std::string_view pattern) {
  return {0, static_cast<uint32_t>(pattern.size())};
}
void report_too_large(std::string_view pattern, const Report& report);

// The tree of a pattern without the anchors that are resolved.
Ast tree_of_pattern(std::string_view pattern, Flags flags, Match match, const Report& report);

// A pattern as a source of its own, whose mistakes are collected and thrown as one Error.
class PatternSource {
 public:
  // Throws if the pattern is not valid UTF-8.
  explicit PatternSource(std::string pattern);

  const std::shared_ptr<SourceText>& source() const { return source_; }
  Report report();
  void raise_if_any();

 private:
  std::shared_ptr<SourceText> source_;
  Findings findings_{200};
};

// The language for the algebra of automata/code_point_dfa.h. Throws Error with all mistakes.
CodePointDfa language_of_regex(const std::string& pattern, Flags flags, Match match);

}  // namespace xg2lab::regex
