// Parses a pattern into a tree.
//
// Tests: tests/core/test_regex.py
//
// DIALECT   ECMA-262 with flag u, and syntax of other dialects that has one meaning wherever it
//           exists:
//   characters   . \d \D \w \W \s \S \p{...} \P{...} [...] [^...] []: none [^]: any
//   escapes      \n \r \t \v \f \0 \cX \xHH \uXXXX \uD83D\uDE00 \u{X...}, a backslash before any
//                character that is not an ASCII letter or digit; in a class also \b
//   groups       (...) (?:...) (?<name>...) (?P<name>...) (?i) (?i:...) (?-i:...) (?#...)
//   counts       * + ? {n} {n,} {n,m}, lazy as well; a brace that is none of these is a character
//   assertions   ^ $ \b \B \A \z \Z (?=...) (?!...) (?<=...) (?<!...)
//   flags        i (simple case folding) m s u
// Rejected by name: backreferences, atomic and possessive groups, lookaheads in lookbehinds, and
// all other syntax.
//
// Every mistake in a pattern is reported. The code is bad_regex if the text is not a pattern,
// unsupported_regex if another dialect might accept it.
// COST      linear in the pattern.
// NOT HERE  uses of the tree (language.h, rewrite.h).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "languages/regex/ast.h"

namespace xg2lab::regex {

using Report =
    std::function<void(const char* code, std::string message, SourceSpan span, std::string hint)>;

struct Flags {
  bool ignore_case = false;
  bool multi_line = false;
  bool dot_all = false;
  bool is_python =
      false;  // Python re's meaning of \d \w \s . {,5} []...]; not a flag that a pattern can set
};

constexpr size_t kMostPatternBytes = size_t{1} << 16;
constexpr size_t kMostNesting = 200;

// "isu" and the like; spans count from the start of `words`.
Flags read_flags(std::string_view words, const Report& report);

// `pattern` must be valid UTF-8. A harmless node replaces each mistake.
Ast parse(std::string_view pattern, Flags flags, const Report& report);

}  // namespace xg2lab::regex
