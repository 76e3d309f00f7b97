// lower/sequence_machine.h: machines of sequences, beside those of the general construction.
#include "lower/sequence_machine.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "automata/minimize.h"
#include "frontends/ebnf/parser.h"
#include "lower/thompson.h"
#include "passes/normalize.h"

namespace xg2lab {
namespace {

// All facts of a machine, as text.
std::string text_of(const FrozenFsm& fsm, const OriginSets& origins) {
  std::string text;
  const auto add = [&](const auto& edge) {
    text += " -> " + std::to_string(edge.to.value) + " {";
    for (const uint32_t origin : origins.members(edge.origins))
      text += std::to_string(origin) + " ";
    text += "}\n";
  };
  for (size_t s = 0; s < fsm.n_states(); ++s) {
    text += std::to_string(s) + (fsm.is_accepting[s] ? " accepts\n" : "\n");
    for (const TerminalEdge& edge : fsm.terminals(StateId(s))) {
      text += "  " + std::to_string(edge.range.lo) + "-" + std::to_string(edge.range.hi);
      add(edge);
    }
    for (const RuleEdge& edge : fsm.rules(StateId(s))) {
      text += "  rule " + std::to_string(edge.rule.value);
      add(edge);
    }
  }
  return text;
}

struct Both {
  std::optional<std::string> sequence;
  std::string general;
};

// The root's machine, made in both ways.
Both machines_of(const std::string& ebnf, size_t max_states = 100'000) {
  const Grammar grammar = passes::normalize(parse_ebnf(ebnf, "root"));
  const KeptRules kept(grammar);
  const LowerOptions options;
  const TokenRules tokens(grammar, kept.rules().size());
  MadeRules made(grammar, options, kept.rules().size() + tokens.exprs().size());
  const ExprId body = grammar.rule(grammar.root()).body;
  Both both;
  OriginSets origins;
  SequenceMachines sequences(grammar, origins,
                             [&](ExprId id, RuleId user) -> std::optional<RuleId> {
                               const Expr& expr = grammar.expr(id);
                               if (expr.kind == ExprKind::kRuleRef)
                                 return kept[grammar.rule_ref(id)];
                               if (expr.kind == ExprKind::kTokenSet)
                                 return tokens.rule_of(grammar.token_set(id));
                               if (expr.kind == ExprKind::kRepeat && made.is_counted(expr))
                                 return made.rule_of(id, user);
                               return std::nullopt;
                             });
  const auto found = sequences.machine_of({&body, 1}, grammar.root(), max_states);
  if (found) {
    found->check_invariants();
    both.sequence = text_of(*found, origins);
  }
  OriginSets others;
  Thompson thompson(grammar, tokens, &kept, &made, others, 1'000'000);
  const auto general = minimal(thompson.build({&body, 1}, grammar.root()), others, {SIZE_MAX});
  both.general = text_of(*general, others);
  return both;
}

TEST_CASE("sequence machine: a sequence of literals, classes and calls") {
  for (const std::string body :
       {"\"<t>\" [^<]+ \"</t>\"", "\"a\"", "[a-f0-9]{4} \"-\"", "[a-z]*", "\"x\" [^y]* \"y\"",
        "item \", \" item \", \" item", "item? \"a\"? [b-c]{2,5} [d]", "\"ab\"* \"c\"",
        "\"ab\"+ \"c\" item* [d]+", "[a]{40,900} \"b\"", "Token(3) \"a\" ExcludeToken(3)+",
        "[a]? [b]* [c]? [d]+ \"e\"?"}) {
    CAPTURE(body);
    const Both both = machines_of("root ::= " + body + "\nitem ::= [0-9] item?");
    REQUIRE(both.sequence);
    CHECK(*both.sequence == both.general);
  }
}

TEST_CASE("sequence machine: refused where parts begin or end alike, and for other kinds") {
  for (const std::string body : {"[a-z]+ \"and\"", "item? item", "\"a\"? [ab]", "\"ab\" (\"xb\")*",
                                 "\"a\" (\"ba\")*", "[^<] [^<]*", "\"\\u00e9\" [\\u00e9]*",
                                 "\"a\" | \"b\"", "(\"a\" [b])* \"c\"", "(\"a\"{2,3} \"b\"){4}"}) {
    CAPTURE(body);
    CHECK_FALSE(machines_of("root ::= " + body + "\nitem ::= [0-9] item?").sequence);
  }
  CHECK_FALSE(machines_of("root ::= \"abcdefgh\"", 5).sequence);
  CHECK(machines_of("root ::= \"abcdefgh\"", 9).sequence);
}

TEST_CASE("sequence machine: random sequences have the machines of the general construction") {
  std::mt19937 random(7);
  const auto below = [&](size_t n) { return random() % n; };
  const std::vector<std::string> pieces{
      "\"a\"", "\"bc\"", "\"\\u00e9b\"", "[a-c]",  "[d-f]",   "[^a-z]", "[\\u00e0-\\u00ff]",
      "item",  "other",  "Token(1)",     "\"xb\"", "\"cac\"", "[0-9]",  "\";\"",
      "\"ba\""};
  const std::vector<std::string> times{"",  "",    "",      "",     "?",    "*",
                                       "+", "{2}", "{1,3}", "{2,}", "{0,2}"};
  size_t n_made = 0;
  for (size_t i = 0; i < 4000; ++i) {
    std::string body;
    for (size_t n = 1 + below(6); n > 0; --n)
      body += pieces[below(pieces.size())] + times[below(times.size())] + " ";
    CAPTURE(body);
    const Both both = machines_of("root ::= " + body +
                                  "\nitem ::= \"(\" item? \")\"\nother ::= \"[\" other? \"]\"");
    if (!both.sequence) continue;
    ++n_made;
    CHECK(*both.sequence == both.general);
  }
  CHECK(n_made > 1000);
}

}  // namespace
}  // namespace xg2lab
