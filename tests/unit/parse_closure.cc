// parse/closure.h, through the chart, which shows every item and why it is there (parse/chart.h).
#include <algorithm>
#include <set>
#include <string>

#include "parse/chart.h"
#include "unit/fixture.h"

namespace xg2lab {
namespace {

using unit::kNoLimit;
using unit::program_of;
using unit::rule_named;

const ChartItem* find_item(const Chart& chart, size_t column, StateId state, uint32_t origin) {
  for (const ChartItem& entry : chart.column(column)) {
    if (entry.item.state == state && entry.item.origin.value == origin) return &entry;
  }
  return nullptr;
}

TEST_CASE("Closure: prediction enters a rule once, whoever calls it") {
  const auto program = program_of(R"(root ::= item "," | item ";"   item ::= [0-9])");
  Chart chart(program);
  const StateId start = program->rule(rule_named(*program, "item")).start();
  size_t n = 0;
  for (const ChartItem& entry : chart.column(0)) n += entry.item.state == start ? 1 : 0;
  CHECK(n == 1);
  CHECK(find_item(chart, 0, start, 0)->how.operation == Operation::kPredict);
  chart.check_invariants();
}

TEST_CASE("Closure: scanning keeps the origin, completing takes up those who wait there") {
  const auto program = program_of(R"g(root ::= "(" item ")"   item ::= [0-9])g");
  Chart chart(program);
  REQUIRE(chart.push_all("(7") == 2);
  const RuleId item = rule_named(*program, "item");
  const StateId ended = unit::state_after(*program, item, "7");
  const ChartItem* const scanned = find_item(chart, 2, ended, 1);
  REQUIRE(scanned != nullptr);
  CHECK(scanned->how.operation == Operation::kScan);
  CHECK(scanned->how.source_column == 1);
  const auto& last = chart.last();
  const auto completed = std::ranges::find(
      last, Operation::kComplete, [](const ChartItem& entry) { return entry.how.operation; });
  REQUIRE(completed != last.end());
  CHECK(completed->item.goal == program->root());
  CHECK(completed->item.origin.value == 0);
  CHECK(chart.column(2)[completed->how.child_index].item == scanned->item);
}

TEST_CASE("Closure: who calls a rule that may be empty stands before and behind it at once") {
  const auto program = program_of(R"(root ::= gap gap "x"   gap ::= " "*)");
  Chart chart(program);
  bool reads_x = false;
  for (const ChartItem& entry : chart.column(0)) {
    for (const TerminalEdge& edge : program->terminals(entry.item.state))
      reads_x = reads_x || edge.range.contains('x');
  }
  CHECK(reads_x);
  CHECK(chart.push('x'));
  CHECK(chart.is_complete());
}

TEST_CASE("Closure: left recursion, also behind an empty rule, comes to an end") {
  const auto program = program_of(R"(root ::= gap root "a" | "b"   gap ::= "" | "-")");
  Chart chart(program);
  CHECK(chart.push_all("--baa") == 5);
  CHECK(chart.is_complete());
  chart.check_invariants();
}

TEST_CASE("Chart: an ambiguous text has items made in several ways, an unambiguous one has none") {
  const auto program = program_of(R"(root ::= root "+" root | "a")");
  Chart chart(program);
  REQUIRE(chart.push_all("a+a") == 3);
  CHECK(chart.ways(3).empty());
  REQUIRE(chart.push_all("+a") == 2);
  REQUIRE(chart.ways(5).size() == 1);  // (a+a)+a and a+(a+a)
  const ItemWays& ways = chart.ways(5).front();
  CHECK(ways.n_others == 1);
  CHECK(chart.column(5)[ways.index].item.origin.value == 0);
  chart.check_invariants();
}

TEST_CASE("Chart: pop takes back what push did, and a refused byte changes nothing") {
  const auto program = program_of(R"(root ::= "[" root* "]")");
  Chart chart(program);
  chart.push_all("[[");
  const auto items = chart.last().size();
  CHECK_FALSE(chart.push('x'));
  CHECK(chart.n_bytes() == 2);
  CHECK(chart.push_all("[]]") == 3);
  chart.pop(3);
  CHECK(chart.n_bytes() == 2);
  CHECK(chart.last().size() == items);
}

TEST_CASE(
    "Chart: a token edge takes its token's bytes at one stroke, the columns within are empty") {
  const auto program = program_of(R"(root ::= Token(5) "b")");
  Chart chart(program);
  CHECK(chart.takes(TokenId(5)));
  CHECK_FALSE(chart.push_token(TokenId(6), "<s>", false));
  CHECK(chart.push_token(TokenId(5), "<s>", false));
  CHECK(chart.n_bytes() == 3);
  CHECK(chart.column(1).empty());
  CHECK(chart.push('b'));
  CHECK(chart.is_complete());
  chart.check_invariants();
}

// Walks all texts of at most `n_most` letters; counts those of which chart and table disagree.
size_t n_disagreements(Chart& chart, ColumnTable& table, ColumnId column, std::string_view letters,
                       size_t n_most) {
  size_t n = chart.is_complete() == table.at(column).is_complete ? 0 : 1;
  for (size_t i = 0; n_most > 0 && i < letters.size(); ++i) {
    const auto byte = static_cast<uint8_t>(letters[i]);
    const ColumnId next = table.step(column, byte);
    const bool is_alive = chart.push(byte);
    n += is_alive == (next != kDead) ? 0 : 1;
    if (!is_alive) continue;
    if (next != kDead) n += n_disagreements(chart, table, next, letters, n_most - 1);
    chart.pop(1);
  }
  return n;
}

TEST_CASE("Chart I3: positions and columns by content make one parser") {
  const char* const grammars[] = {
      R"g(root ::= root "+" root | "(" root ")" | "a")g",
      R"g(root ::= ("a" | "+" "a"?)* "(" root? ")" | "")g",
      R"(root ::= ("a" | "aa"){3,50} "+" | "(" root)",
      R"(root ::= x x "+"   x ::= [a(]+)",
      R"g(root ::= x x x "+"   x ::= "" | "a" | "(" x ")")g",
      R"g(root ::= AnyOrder(x, y?, z*, sep="(", max=3)   x ::= "a"   y ::= "+"   z ::= "a)")g"};
  for (const char* grammar : grammars) {
    const auto program = program_of(grammar);
    Chart chart(program);
    ColumnTable table(program, kNoLimit);
    CHECK_MESSAGE(n_disagreements(chart, table, table.start(), "a+()", 6) == 0, grammar);
    table.check_invariants();
  }
}

}  // namespace
}  // namespace xg2lab
