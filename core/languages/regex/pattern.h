// A pattern from its text to its language: read, searched for or matched as a whole, with the anchors at its ends settled.
//
// Twin:  xg2lab/reference/regex.py
// Tests: tests/core/test_regex.py, tests/differential/test_regex.py
//
// IDEA
//   Where the whole text must match, anchors at the ends say nothing; where the pattern is searched for, they are all
//   that ties it down (JSON Schema's `pattern`).
//
// EXAMPLE   language_of_regex("^a", {}, Match::kSearch) holds "a" and "ab".
// LIMITS    kRegexLimits; beyond them a regex_too_large with the pattern's place.
// NOT HERE  what a pattern becomes in a grammar (frontends/regex/regex.h).
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
  kSearch,  // a match is somewhere in the text
};

constexpr LanguageLimits kRegexLimits{{200'000, 8'000'000}, 500'000, 10'000'000};
constexpr size_t kMostByteStates = 1'000'000;

inline SourceSpan whole_span(std::string_view pattern) {
  return {0, static_cast<uint32_t>(pattern.size())};
}
void report_too_large(std::string_view pattern, const Report& report);

// The tree of a pattern; its root is what is to be matched, without the anchors that are settled.
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
