// Pattern -> tree.
//
// Tests: tests/core/test_regex.py
//
// DIALECT   ECMA-262 with flag u, and what has one meaning wherever it is known at all:
//   characters   . \d \D \w \W \s \S \p{...} \P{...} [...] [^...] []: none [^]: any
//   escapes      \n \r \t \v \f \0 \cX \xHH \uXXXX \uD83D\uDE00 \u{X...}, a backslash before any character that is no
//                ASCII letter or digit; in a class also \b
//   groups       (...) (?:...) (?<name>...) (?P<name>...) (?i) (?i:...) (?-i:...) (?#...)
//   counts       * + ? {n} {n,} {n,m}, lazy as well; a brace that is none of these is a character
//   assertions   ^ $ \b \B \A \z \Z (?=...) (?!...) (?<=...) (?<!...)
//   flags        i (simple case folding) m s u
// Refused by name: backreferences, atomic and possessive groups, lookaheads in lookbehinds, everything else.
//
// Every mistake of a pattern is reported; codes are bad_regex (it is none) and unsupported_regex (it may be one).
// COST  linear in the pattern.   NOT HERE  what is done with the tree (language.h, expressions.h).
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
      false;  // what Python's re means by \d \w \s . {,5} []...]; no flag that a pattern may have
};

constexpr size_t kMostPatternBytes = size_t{1} << 16;
constexpr size_t kMostNesting = 200;

// "isu" and the like; spans count from the beginning of `words`.
Flags read_flags(std::string_view words, const Report& report);

// `pattern` is valid UTF-8. Where there are mistakes something harmless stands in.
Ast parse(std::string_view pattern, Flags flags, const Report& report);

}  // namespace xg2lab::regex
