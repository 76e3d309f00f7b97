// A grammar as plain tables, for serialization.
//
// Tests: tests/core/test_grammar.py, tests/unit/grammar_plain.cc
//
// IDEA
//   A serialized grammar may have been changed, by mistake or by malice. Before it builds a
//   Grammar, from_plain checks every index, bound, name and span, and also the size of the trees
//   that shared nodes unfold to. grammar/plain_fields.h lists the fields of each table.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/grammar.h"

namespace xg2lab {

struct PlainExpr {
  ExprKind kind = ExprKind::kEmpty;
  SourceSpan span;
  std::string literal;                     // kLiteral
  std::vector<CodePointRange> ranges;      // kClass
  RuleId rule;                             // kRuleRef
  std::vector<ExprId> children;            // smaller than the expression's own index
  uint32_t min = 0;                        // kRepeat
  uint32_t max = 0;                        // kRepeat; kNoUpperBound: no limit
  Dispatch dispatch;                       // kDispatch
  TokenSet tokens;                         // kTokenSet
  std::shared_ptr<const Machine> machine;  // kMachine: the machine that its words denote
  AnyOrderBounds any_order;                // kAnyOrder
};

struct PlainGrammar {
  std::string source;
  std::string source_name;
  RuleId root;
  std::vector<Rule> rules;
  std::vector<PlainExpr> exprs;
};

// The options of one rule: a row of a table of their own, because most rules have none.
struct PlainRuleOptions {
  RuleId rule;
  RuleOptions options;
};
std::vector<PlainRuleOptions> rows_of_options(const PlainGrammar& plain);
// Throws std::invalid_argument if the rule does not exist or has options already.
void add_options(PlainGrammar& plain, PlainRuleOptions row);

// A name of a token in a set: a row of a table of their own, because most sets have none.
struct PlainTokenName {
  ExprId expr;
  TokenName name;
};
std::vector<PlainTokenName> rows_of_token_names(const PlainGrammar& plain);
// Throws std::invalid_argument if the expression is no set of tokens.
void add_token_name(PlainGrammar& plain, PlainTokenName row);

const char* kind_name(ExprKind kind);  // "empty", "nothing", "literal", "class", "rule", ...
bool read_kind(std::string_view name, ExprKind& kind);

PlainGrammar to_plain(const Grammar& grammar);
// Throws GrammarError if the tables are not a valid grammar.
Grammar from_plain(const PlainGrammar& plain);

}  // namespace xg2lab
