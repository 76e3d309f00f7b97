// Parses the options between a rule's name and `::=`.
//
// Tests: tests/core/test_rule_options.py
//
// GRAMMAR
//   options   ::= "[" option ("," option)* ","? "]"
//   option    ::= name ("=" (number | literal | rule))?
//
// EXAMPLE   [max_tokens=100, capture="thought", lazy]
//
// Mistakes are reported to `findings`; options with mistakes are left out.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "grammar/rule_options.h"
#include "support/findings.h"

namespace xg2lab::ebnf {

// Additional options of another notation; their values are a word, or a literal with its quotation
// marks.
struct OtherOption {
  std::vector<std::string_view> names;
  std::function<void(std::string_view name, SourceSpan value)> take;
};

// `brackets`: from "[" to "]". `rule`: the rule's name, the default name of its captures.
std::shared_ptr<const RuleOptions> read_rule_options(std::string_view text, SourceSpan brackets,
                                                     std::string_view rule, Findings& findings,
                                                     const OtherOption* other = nullptr);

// Whether the text of a class is an option written in the wrong place: [max_tokens=5].
bool looks_like_options(std::string_view words);

}  // namespace xg2lab::ebnf
