// grammar/plain.h, grammar/plain_fields.h: a grammar as tables, and invalid tables.
#include "grammar/plain.h"

#include <doctest/doctest.h>

#include <functional>
#include <utility>

#include "frontends/ebnf/parser.h"
#include "grammar/plain_fields.h"
#include "unit/field_text.h"

namespace xg2lab {
namespace {

using unit::names_of;
using unit::refusal_of;
using unit::text_of;

constexpr const char* kAllKinds = R"g(
root ::= "a" [b-d] (item | "") {2,5} | tags | Token(3, "<e>", "<s>") | members
item[max_tokens=7, capture="c"] ::= "é" []? Regex("(?!ab)[a-c]+") (= "x")
tags ::= TagDispatch(("<a>", item), stop_str=("x"))
members ::= AnyOrder(item, tags?, sep=",", max=3)
)g";

// The refusal of the grammar's tables after a change of the first expression of a kind.
std::string refused(ExprKind kind, const std::function<void(PlainGrammar&, PlainExpr&)>& change) {
  PlainGrammar plain = to_plain(parse_ebnf(kAllKinds, "root"));
  for (PlainExpr& e : plain.exprs) {
    if (e.kind != kind) continue;
    change(plain, e);
    return refusal_of<Error>([&] { from_plain(plain); });
  }
  FAIL("no expression of this kind");
  return "";
}

TEST_CASE("plain grammar: the tables of a grammar make the grammar that has these tables") {
  const Grammar grammar = parse_ebnf(kAllKinds, "root");
  const PlainGrammar plain = to_plain(grammar);
  const Grammar again = from_plain(plain);
  CHECK(text_of(to_plain(again)) == text_of(plain));
  CHECK(print_ebnf(again) == print_ebnf(grammar));
}

TEST_CASE("plain grammar: rows of options come back to their rules") {
  PlainGrammar plain = to_plain(parse_ebnf(kAllKinds, "root"));
  const auto rows = rows_of_options(plain);
  CHECK(rows.size() == 1);
  CHECK(refusal_of([&] { add_options(plain, rows[0]); }) == "a rule has options twice");
  const std::string before = text_of(plain);
  plain.rules[rows[0].rule.index()].options = nullptr;
  CHECK(text_of(plain) != before);
  add_options(plain, rows[0]);
  CHECK(text_of(plain) == before);
  CHECK(refusal_of([&] { add_options(plain, {RuleId(plain.rules.size()), {}}); }) ==
        "options belong to a rule that does not exist");
}

TEST_CASE("plain grammar: names of tokens come back to their sets") {
  PlainGrammar plain = to_plain(parse_ebnf(kAllKinds, "root"));
  const auto rows = rows_of_token_names(plain);
  CHECK(rows.size() == 2);
  TokenSet& set = plain.exprs[rows[0].expr.index()].tokens;
  const TokenSet before = set;
  set.names.clear();
  CHECK(rows_of_token_names(plain).empty());
  for (const PlainTokenName& row : rows) add_token_name(plain, row);
  CHECK(set == before);
  CHECK(refusal_of([&] { add_token_name(plain, {ExprId(plain.exprs.size()), {}}); }) ==
        "a token is named in an expression that is no set");
}

TEST_CASE("plain grammar: names of tokens that make no sense are refused") {
  CHECK(refused(ExprKind::kTokenSet, [](PlainGrammar&, PlainExpr& e) {
          std::swap(e.tokens.names[0], e.tokens.names[1]);
        }) == "not a grammar: the names of a set of tokens are out of order");
  CHECK(refused(ExprKind::kTokenSet, [](PlainGrammar&, PlainExpr& e) {
          e.tokens.names[0].text = "\xff";
        }) == "not a grammar: a token's name is empty or not UTF-8");
  CHECK(refused(ExprKind::kTokenSet, [](PlainGrammar&, PlainExpr& e) {
          e.tokens.names[0].span.end = 100000;
        }) == "not a grammar: a span reaches out of the source");
  CHECK(refused(ExprKind::kTokenSet, [](PlainGrammar&, PlainExpr& e) { e.tokens = {}; }) ==
        "not a grammar: a set of tokens is empty");
}

TEST_CASE("plain grammar: an index out of range is refused") {
  using Plain = PlainGrammar;
  CHECK(refused(ExprKind::kLiteral, [](Plain&, PlainExpr&) {}) == "");
  CHECK(refused(ExprKind::kLiteral, [](Plain& p, PlainExpr&) { p.root = RuleId(4); }) ==
        "not a grammar: the root is not one of its rules");
  CHECK(refused(ExprKind::kLiteral, [](Plain& p, PlainExpr&) {
          p.rules[1].body = ExprId(p.exprs.size());
        }) == "not a grammar: a rule has no body");
  CHECK(refused(ExprKind::kLiteral, [](Plain& p, PlainExpr&) {
          p.rules[1].lookahead = ExprId(p.exprs.size());
        }) == "not a grammar: a lookahead is not one of its expressions");
  CHECK(refused(ExprKind::kLiteral, [](Plain&, PlainExpr& e) { e.span.end = 10000; }) ==
        "not a grammar: a span reaches out of the source");
  CHECK(refused(ExprKind::kRuleRef, [](Plain&, PlainExpr& e) { e.rule = RuleId(4); }) ==
        "not a grammar: a reference names no rule");
}

TEST_CASE("plain grammar: a child that does not come before its parent is refused") {
  for (const ExprKind kind : {ExprKind::kSequence, ExprKind::kChoice, ExprKind::kRepeat,
                              ExprKind::kDispatch, ExprKind::kAnyOrder}) {
    CHECK(refused(kind, [](PlainGrammar& p, PlainExpr& e) {
            e.children.back() = ExprId(static_cast<size_t>(&e - p.exprs.data()));
          }) == "not a grammar: a child does not come before its parent");
  }
}

TEST_CASE("plain grammar: a missing child, and a child that is too many, are refused") {
  CHECK(refused(ExprKind::kRepeat, [](PlainGrammar&, PlainExpr& e) { e.children.clear(); }) ==
        "not a grammar: a repetition must have one child");
  CHECK(refused(ExprKind::kDispatch, [](PlainGrammar&, PlainExpr& e) { e.children.clear(); }) ==
        "not a grammar: a tag has no rule, or two");
  CHECK(refused(ExprKind::kAnyOrder, [](PlainGrammar&, PlainExpr& e) { e.children.pop_back(); }) ==
        "not a grammar: a member has no rule, or two");
  CHECK(refused(ExprKind::kLiteral, [](PlainGrammar&, PlainExpr& e) {
          e.children.emplace_back(0u);
        }) == "not a grammar: a leaf has children");
}

// A change of these names is a change of the format: xg2lab/grammar.py has its VERSION.
TEST_CASE("plain grammar: the fields of version 2") {
  CHECK(names_of<PlainGrammar>() ==
        "source source_name root rules expressions options? token_names?");
  CHECK(names_of<Rule>() == "name body lookahead span name_span");
  CHECK(names_of<PlainExpr>() == "kind payload span");
  CHECK(names_of<WatchedText>() == "text span");
  CHECK(names_of<PlainRuleOptions>() ==
        "rule max_tokens max_chars lazy capture temperature parts hidden spans");
  CHECK(names_of<PlainTokenName>() == "expression text span");
}

}  // namespace
}  // namespace xg2lab
