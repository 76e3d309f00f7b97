// A grammar as plain tables, for serialization.
//
// Tests: tests/core/test_grammar.py
//
// IDEA
//   A serialized grammar may have been changed, by mistake or by malice. Before it builds a
//   Grammar, from_plain checks every index, bound, name and span, and also the size of the trees
//   that shared nodes unfold to.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grammar/grammar.h"

namespace xg2lab {

struct PlainExpr {
  ExprKind kind = ExprKind::kEmpty;
  SourceSpan span;
  std::string literal;                     // kLiteral
  std::vector<CodePointRange> ranges;      // kClass
  uint32_t rule = 0;                       // kRuleRef
  std::vector<uint32_t> children;          // smaller than the expression's own index
  uint32_t min = 0;                        // kRepeat
  uint32_t max = 0;                        // kRepeat; kNoUpperBound: no limit
  Dispatch dispatch;                       // kDispatch
  TokenSet tokens;                         // kTokenSet
  std::shared_ptr<const Machine> machine;  // kMachine: the machine that its words denote
  AnyOrderBounds any_order;                // kAnyOrder
};

struct PlainRule {
  std::string name;
  uint32_t body = 0;
  SourceSpan span;
  SourceSpan name_span;
  std::optional<uint32_t> lookahead;
  RuleOptions options;
};

struct PlainGrammar {
  std::string source;
  std::string source_name;
  uint32_t root = 0;
  std::vector<PlainRule> rules;
  std::vector<PlainExpr> exprs;
};

const char* kind_name(ExprKind kind);  // "empty", "nothing", "literal", "class", "rule", ...
std::optional<ExprKind> kind_named(std::string_view name);

PlainGrammar to_plain(const Grammar& grammar);
// Throws GrammarError if the tables are not a valid grammar.
Grammar from_plain(const PlainGrammar& plain);

}  // namespace xg2lab
