// What captures leave out of a rule with `suffix` or `stop`: its matches are read once more, as a
// body and an end.
//
// Tests: tests/core/test_lark.py, tests/differential/test_lark.py
//
// IDEA
//   The rule's machine is lazy: it knows where a match ends, and not where its suffix begins.
//   Where a capture needs to know, the rule gets the option `parts` (grammar/rule_options.h),
//   which names a rule of two: the body, which has the rule's capture, and what ends it.
//
// EXAMPLE   x[capture, stop="<end>", stop_capture="e"]: /.*/      becomes
//           x[parts=x.parts] ::= Regex("...")
//           x.parts ::= x.body x.end      x.body[capture="x"] ::= [^\n]*      x.end[capture="e", hidden] ::= "<end>"
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "frontends/lark/writer.h"

namespace xg2lab::lark {

// A tree of regular expressions, and where it comes from. `machine`: its own, if that is known.
struct Words {
  regex::NodeId tree;
  const CodePointDfa* machine;
  const std::string& name;
  SourceSpan place;
};
// As an expression of the grammar; one that is too large is reported.
ExprId expr_of(GrammarBuilder& builder, const WriterContext& context, const Words& words);

class CapturedParts {
 public:
  using FreshName = std::function<std::string(const std::string& wanted)>;
  CapturedParts(GrammarBuilder& builder, const WriterContext& context, FreshName fresh_name);

  // The options of a rule that reads a terminal, whose machine is lazy if it is to be. Adds the
  // rules of its parts, once.
  std::shared_ptr<const RuleOptions> options_of(const Definition& definition,
                                                const Terminal& terminal);

 private:
  RuleId parts_of(const Definition& definition, const Terminal& terminal);
  RuleId part(const Definition& definition, const std::string& name, regex::NodeId tree,
              const RuleOptions& options);

  GrammarBuilder& builder_;
  const WriterContext& context_;
  const FreshName fresh_name_;
  const bool may_be_captured_;  // a match of a rule, by this grammar or one around it
  std::unordered_map<std::string, RuleId> parts_;  // by the name of the definition
};

}  // namespace xg2lab::lark
