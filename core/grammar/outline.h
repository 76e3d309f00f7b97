// The names that a text defines and uses, with their places, for editors. A text with mistakes has
// an outline too.
//
// Tests: tests/editing/test_outline.py
//
// IDEA
//   The parsers continue at the next rule after a mistake, so they know the names of a text that is
//   no grammar. An outline is what such a parse read: the lexemes, the rules, and each name that
//   the parser looked up.
//
// EXAMPLE   root ::= nmuber | "a"   number ::= [0-9      two rules; a reference to `nmuber`
//
// COST      that of parsing.
#pragma once

#include <cstdint>
#include <vector>

#include "support/source.h"

namespace xg2lab {

enum class MentionKind : uint8_t {
  kDefinition,  // of a rule or a terminal, also by an import
  kReference,
  kMacro,
  kSlot,       // of a template, with its $
  kParameter,  // of a template rule of Lark: defined for this rule alone
};

struct Mention {
  MentionKind kind;
  SourceSpan span;  // of the name
};

struct OutlinedRule {
  SourceSpan name;
  SourceSpan span;  // the whole definition
};

struct OutlinedLexeme {
  const char* kind;  // "name", "literal", ...; "unterminated" and "unknown" are mistakes
  SourceSpan span;
};

struct Outline {
  std::vector<OutlinedRule> rules;      // in the order of the text
  std::vector<Mention> mentions;        // likewise
  std::vector<OutlinedLexeme> lexemes;  // likewise; without comments
};

}  // namespace xg2lab
