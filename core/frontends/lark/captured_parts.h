// Captures of rules with `suffix` or `stop` leave out the end of a match, so the match is parsed
// again as a body and an end.
//
// Tests: tests/core/test_lark.py, tests/differential/test_lark.py
//
// IDEA
//   The rule's machine is lazy: it determines where a match ends, but not where its suffix begins.
//   If a capture depends on that, the rule gets the option `parts` (grammar/rule_options.h), which
//   names a rule of two parts: the body, which has the rule's capture, and the end.
//
// EXAMPLE   x[capture, stop="<end>", stop_capture="e"]: /.*/      becomes
//           x[parts=x.parts] ::= Regex("...")
//           x.parts ::= x.body x.end      x.body[capture="x"] ::= [^\n]*      x.end[capture="e",
//                                         hidden] ::= "<end>"
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "frontends/lark/writer.h"

namespace xg2lab::lark {

// A tree of a regular expression, and its span. `machine`: the tree's machine, if known.
struct Words {
  regex::NodeId tree;
  const CodePointDfa* machine;
  const std::string& name;
  SourceSpan span;
};
// Adds it as an expression of the grammar; reports a machine that is too large.
ExprId expr_of(GrammarBuilder& builder, const WriterContext& context, const Words& words);

class CapturedParts {
 public:
  using FreshName = std::function<std::string(const std::string& wanted)>;
  CapturedParts(GrammarBuilder& builder, const WriterContext& context, FreshName fresh_name);

  // The options of a rule that reads a terminal; laziness is already in the terminal's machine.
  // Adds the rules of its parts, once.
  std::shared_ptr<const RuleOptions> options_of(const Definition& definition,
                                                const Terminal& terminal);

 private:
  RuleId parts_of(const Definition& definition, const Terminal& terminal);
  RuleId part(const Definition& definition, const std::string& name, regex::NodeId tree,
              const RuleOptions& options);

  GrammarBuilder& builder_;
  const WriterContext& context_;
  const FreshName fresh_name_;
  // a rule of this grammar, or of a surrounding one, may capture a match
  const bool may_be_captured_;
  std::unordered_map<std::string, RuleId> parts_;  // by the definition's name
};

}  // namespace xg2lab::lark
