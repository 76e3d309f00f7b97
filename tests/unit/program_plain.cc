// program/plain_program.h, program/plain_fields.h: a program as tables, and invalid tables.
#include "program/plain_program.h"

#include <functional>

#include "program/plain_fields.h"
#include "support/error.h"
#include "unit/field_text.h"
#include "unit/fixture.h"

namespace xg2lab {
namespace {

using unit::names_of;
using unit::program_of;
using unit::refusal_of;
using unit::text_of;

constexpr const char* kAll = R"g(
root ::= calls | tags | members | tokens | "x"
calls[max_tokens=9, capture="c", temperature=0.5] ::= ("a" | item){2,90} "!"
item[hidden, parts=calls] ::= [0-9]+ | "é"
tags ::= TagDispatch(("<a>", item), stop_str=("</s>"), excludes=("bad"))
members ::= "{" AnyOrder(m?, n*, sep=",", min=1, max=5) "}"
m ::= "m" | "mm"
n ::= "n" item
tokens ::= Token(1, 2) ExcludeToken(0)
)g";

Program read(const PlainProgram& plain, const Program& of) {
  return from_plain(plain, std::make_shared<const SourceText>(of.source()));
}

// The refusal of the program's tables after a change.
std::string refused(const std::function<void(PlainProgram&)>& change) {
  static const auto program = program_of(kAll);
  PlainProgram plain = to_plain(*program);
  change(plain);
  const std::string all = refusal_of<Error>([&] { read(plain, *program); });
  return all.substr(0, all.find('\n'));
}

size_t rule_with(const PlainProgram& plain, const std::function<bool(const LoweredRule&)>& holds) {
  for (size_t r = 0; r < plain.rules.size(); ++r) {
    if (holds(plain.rules[r])) return r;
  }
  FAIL("no such rule");
  return 0;
}

TEST_CASE("plain program: the tables of a program make the program that has these tables") {
  for (const char* text : {kAll, R"g(root ::= "a")g", R"g(root ::= "(" root ")" | [a-z]*)g"}) {
    const auto program = program_of(text);
    const PlainProgram plain = to_plain(*program);
    const Program again = read(plain, *program);
    CHECK(text_of(to_plain(again)) == text_of(plain));
    CHECK(again.n_states() == program->n_states());
    CHECK(again.memory_size_bytes() > 0);
  }
}

TEST_CASE("plain program: rows of options and of members come back to their rules") {
  PlainProgram plain = to_plain(*program_of(kAll));
  const auto options = rows_of_run_options(plain);
  const auto any_order = rows_of_any_order(plain);
  CHECK(options.size() == 2);
  CHECK(any_order.size() == 1);
  const std::string before = text_of(plain);
  for (LoweredRule& rule : plain.rules) {
    rule.options = nullptr;
    rule.any_order = nullptr;
    rule.members = nullptr;
  }
  CHECK(text_of(plain) != before);
  for (const PlainRunOptions& row : options) add_run_options(plain, row);
  for (const PlainAnyOrder& row : any_order) add_any_order(plain, row);
  CHECK(text_of(plain) == before);
  CHECK(refusal_of([&] { add_run_options(plain, options[0]); }) == "a rule has options twice");
  CHECK(refusal_of([&] { add_any_order(plain, any_order[0]); }) == "a rule has members twice");
  const RuleId missing(plain.rules.size());
  CHECK(refusal_of([&] { add_run_options(plain, {missing, {}}); }) ==
        "options belong to a rule that does not exist");
  CHECK(refusal_of([&] { add_any_order(plain, {missing, any_order[0].facts, {}}); }) ==
        "members belong to a rule that does not exist");
}

TEST_CASE("plain program: an index out of range is refused at its place") {
  CHECK(refused([](PlainProgram&) {}) == "");
  CHECK(refused([](PlainProgram& p) { p.root = RuleId(p.rules.size()); }) ==
        "/program/root: it is not one of the rules");
  CHECK(refused([](PlainProgram& p) { p.rule_edges[0].rule = RuleId(p.rules.size()); }) ==
        "/program/states/0: an edge calls a rule that does not exist");
  CHECK(refused([](PlainProgram& p) { p.rule_edges[0].to = StateId(p.rules[0].n_states); }) ==
        "/program/states/0: an edge leads out of its rule");
  CHECK(refused([](PlainProgram& p) {
          p.terminal_edges[0].origins = OriginSetId(p.n_spans.size());
        }) == "/program/states/0: an edge has origins that do not exist");
  CHECK(refused([](PlainProgram& p) { p.spans[0].end = 1000; }) ==
        "/program/spans: one of them reaches out of the source");
  CHECK(refused([](PlainProgram& p) { p.rules[1].name_span.end = 1000; }) ==
        "/program/rules/1: its span reaches out of the source");
}

TEST_CASE("plain program: the child of a counted rule must be a rule") {
  const PlainProgram plain = to_plain(*program_of(kAll));
  const size_t r = rule_with(plain, [](const auto& rule) { return rule.repetition.has_value(); });
  CHECK(refused([r](PlainProgram& p) { p.rules[r].repetition->child = RuleId(p.rules.size()); }) ==
        "/program/rules/" + std::to_string(r) + ": its child does not exist");
}

TEST_CASE("plain program: a table that lacks a row, or a rule without states, is refused") {
  CHECK(refused([](PlainProgram& p) { p.rules.clear(); }) == "/program/rules: the list is empty");
  CHECK(refused([](PlainProgram& p) { p.rules[2].n_states = 0; }) ==
        "/program/rules/2: it has no states");
  CHECK(refused([](PlainProgram& p) { p.states.pop_back(); }) ==
        "/program/states: their number differs from the rules' counts");
  CHECK(refused([](PlainProgram& p) { p.terminal_edges.pop_back(); }) ==
        "/program/terminal_edges: their number differs from the states' counts");
  CHECK(refused([](PlainProgram& p) { p.rule_edges.pop_back(); }) ==
        "/program/rule_edges: their number differs from the states' counts");
  CHECK(refused([](PlainProgram& p) { p.spans.pop_back(); }) ==
        "/program/spans: their number differs from n_spans");
}

TEST_CASE("plain program: the words of edges and dispatch positions are those of their values") {
  const std::vector<TerminalEdge> edges{{{'a', 'z'}, StateId(3), OriginSetId(4)}};
  CHECK(to_words(edges) == std::vector<uint32_t>{'a' + 'z' * 256u, 3, 4});
  std::vector<TerminalEdge> edge_table;
  const std::vector<uint32_t> no_byte{0x10000, 0, 0};
  CHECK(refusal_of<BadWords>([&] { from_words(no_byte, edge_table, ""); }) ==
        "a byte is out of range");
  std::vector<DispatchPosition> positions;
  const std::vector<uint32_t> no_mode{3, 0, 0, 0};
  CHECK(refusal_of<BadWords>([&] { from_words(no_mode, positions, ""); }) ==
        "a dispatch position has an unknown mode");
}

// A change of these names is a change of the format: xg2lab/grammar.py has its VERSION.
TEST_CASE("plain program: the fields of version 2") {
  CHECK(names_of<PlainProgram>() ==
        "root rules options? any_order? states terminal_edges rule_edges n_spans spans");
  CHECK(names_of<LoweredRule>() == "name span name_span n_states repetition dispatch tokens");
  CHECK(names_of<Repetition>() == "child min max");
  CHECK(names_of<DispatchFacts>() == "texts n_tags n_stop_texts positions");
  CHECK(names_of<DispatchPosition>() == "mode text n_read n_common");
  CHECK(names_of<TokenSet>() == "is_negated ids");
  CHECK(names_of<PlainRunOptions>() == "rule max_tokens capture temperature parts hidden");
  CHECK(names_of<PlainAnyOrder>() ==
        "rule member_rule separator members names min_total max_total ends");
  CHECK(names_of<PlainState>() == "is_accepting n_terminal_edges n_rule_edges");
  CHECK(names_of<TerminalEdge>() == "range to origins");
  CHECK(names_of<RuleEdge>() == "rule to origins");
}

}  // namespace
}  // namespace xg2lab
