// Parses EBNF text into a Grammar.
//
// Twin:  xg2lab/reference/ebnf.py
// Tests: tests/core/test_ebnf.py
//
// IDEA
//   A rule begins at `name ::=` and nowhere else. These positions are found before anything is
//   parsed, by looking at two neighbouring lexemes. So rules need no lines of their own, a body may
//   span lines, and a mistake in one rule can't hide the next rule: the parser continues there and
//   reports all mistakes of a text at once.
//
// GRAMMAR OF THE DIALECT, in itself
//   grammar   ::= rule*
//   rule      ::= name options? "::=" choice ("(=" choice ")")?     options: rule_options.h
//   choice    ::= sequence ("|" sequence)*
//   sequence  ::= (atom repeat*)*               empty between two bars: the empty string
//   atom      ::= literal | class | name | "(" choice ")" | call of a macro (macro_call.h)
//               | <[5]> | !<[5]>
//   in a template also
//   atom      ::= slot | "OneOf" "(" slot ")" | "Use" "(" slot ")"
//               | "If" "(" slot "," choice "," choice ")"
//               | "Each" "(" slot "," name ("," (name | literal))? ")"
//   repeat    ::= "{" bound ("," bound)? "}"        bound: a number, or a slot
//
// EXAMPLE   root ::= "[" item{1,2} "]"   item ::= [0-9] | root        two rules in one line
//
// COST      linear in the text. No recursion: open groups are on an explicit stack.
// NOT HERE  whether rules are productive (passes/check_productive.cc) or used.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "grammar/grammar.h"
#include "grammar/outline.h"
#include "grammar/template.h"

namespace xg2lab {

struct EbnfLimits {
  size_t n_bytes = size_t{16} << 20;
  size_t nesting = 1000;  // groups in groups, repetitions of repetitions
  size_t n_rules = 1000000;
  size_t n_errors = 200;  // after this many errors the rest of the text is skipped
};

// Throws Error: GrammarSyntaxError, GrammarError, UnsupportedError or LimitError, with all
// mistakes.
Grammar parse_ebnf(std::string text, std::string_view root_rule_name,
                   const EbnfLimits& limits = {});

// The same for a template: EBNF with slots (grammar/template.h).
Template parse_template(std::string text, std::string_view root_rule_name,
                        const EbnfLimits& limits = {});

// The names in a text, which may have mistakes; `has_slots`: it is a template's. Throws Error:
// LimitError, or GrammarSyntaxError for a text that is not UTF-8.
Outline outline_ebnf(std::string text, bool has_slots);

// The machine that a macro call denotes, as in a kMachine's words; GrammarError if it denotes none.
std::shared_ptr<const Machine> read_machine(const std::string& words);

}  // namespace xg2lab
