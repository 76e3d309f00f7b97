// parse/rows.h, parse/row_columns.h: rows of items, and columns made of them, beside the column
// table.
#include <algorithm>
#include <set>
#include <utility>

#include "parse/row_columns.h"
#include "support/sort_unique.h"
#include "unit/fixture.h"

namespace xg2lab {
namespace {

using unit::column_after;
using unit::kNoLimit;
using unit::program_of;
using unit::rule_named;
using unit::state_after;

constexpr const char* kSum =
    R"g(root ::= "(" sum ")" "!"   sum ::= name ("+" name)*   name ::= [a-z]+)g";

Rows::Id scan_of(Rows& rows, std::vector<Place> places) { return rows.scan_of(places); }
Rows::Id waits_of(Rows& rows, std::vector<Wait> waits) { return rows.waits_of(waits); }

// The row in which a rule's match stands after `text`.
Rows::Id scan_after(const Program& program, Rows& rows, const char* rule, const char* text) {
  const RuleId id = rule_named(program, rule);
  return scan_of(rows, {{state_after(program, id, text), id}});
}

TEST_CASE("Rows I1: number 0 is empty, equal sets have one number in whatever order they come") {
  const auto program = program_of(kSum);
  CountSets counts(*program);
  Rows rows(*program, counts, Rows::Calls::kShared);
  CHECK(scan_of(rows, {}) == 0);
  CHECK(waits_of(rows, {}) == 0);
  CHECK(rows.row(0) == Rows::Row{});
  const Place a{StateId(0), RuleId(0)};
  const Place b{StateId(1), RuleId(0)};
  CHECK(scan_of(rows, {b, a, b}) == scan_of(rows, {a, b}));
  CHECK(scan_of(rows, {a}) != scan_of(rows, {b}));
  const Wait wait{RuleId(1), a};
  CHECK(waits_of(rows, {wait, wait}) == waits_of(rows, {wait}));
  rows.check_invariants();
}

TEST_CASE("Rows: a letter of a name goes on at its origin, and the name is complete there") {
  const auto program = program_of(kSum);
  CountSets counts(*program);
  Rows rows(*program, counts, Rows::Calls::kShared);
  const RuleId name = rule_named(*program, "name");
  const Rows::Id scan = scan_of(rows, {{program->rule(name).start(), name}});
  const Rows::Step step = rows.step(scan, 'a');
  CHECK(step.next == scan_after(*program, rows, "name", "a"));
  CHECK(rows.row(step.row).ended != 0);
  CHECK(rows.row(step.row).scan == 0);  // I2
  CHECK(rows.step(step.next, 'q').next == step.next);
  CHECK(rows.step(scan, '+').is_dead());
  rows.check_invariants();
}

TEST_CASE("Rows: bytes are those that some place reads, and only they make steps that live") {
  const auto program = program_of(kSum);
  CountSets counts(*program);
  Rows rows(*program, counts, Rows::Calls::kShared);
  const RuleId name = rule_named(*program, "name");
  const Rows::Id scan = scan_of(rows, {{program->rule(name).start(), name}});
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const bool is_letter = byte >= 'a' && byte <= 'z';
    CHECK(rows.bytes(scan)[byte] == is_letter);
    CHECK(rows.step(scan, static_cast<uint8_t>(byte)).is_dead() == !is_letter);
  }
}

TEST_CASE("Rows: a step depends on the byte's class alone, and is the same the second time") {
  const auto program = program_of(kSum);
  CountSets counts(*program);
  Rows rows(*program, counts, Rows::Calls::kShared);
  const RuleId name = rule_named(*program, "name");
  const Rows::Id scan = scan_of(rows, {{program->rule(name).start(), name}});
  const Rows::Step first = rows.step(scan, 'a');
  CHECK(program->byte_class('a') == program->byte_class('b'));
  CHECK(rows.step(scan, 'b') == first);
  CHECK(rows.step(scan, '+').is_dead());  // a second step of the list: both stay known
  CHECK(rows.step(scan, '+').is_dead());
  CHECK(rows.step(scan, 'a') == first);
}

TEST_CASE("Rows: what is predicted for called rules is closed under prediction") {
  const auto program = program_of(kSum);
  CountSets counts(*program);
  Rows rows(*program, counts, Rows::Calls::kShared);
  const RuleId root = program->root();
  const Rows::Id scan = scan_of(rows, {{program->rule(root).start(), root}});
  const Rows::Row opened = rows.row(rows.step(scan, '(').row);
  CHECK(opened.called != 0);
  const Rows::Row predicted = rows.predicted(opened.called);
  CHECK(predicted.ended == 0);
  CHECK(rows.bytes(predicted.scan)['a']);  // a name, called by a sum, called here
  CHECK_FALSE(rows.bytes(predicted.scan)['(']);
  CHECK(rows.predicted(opened.called) == predicted);
  CHECK(rows.predicted(0) == Rows::Row{});
}

TEST_CASE("Rows: completed goals wake those who wait for them, and nobody else") {
  const auto program = program_of(kSum);
  CountSets counts(*program);
  Rows rows(*program, counts, Rows::Calls::kShared);
  const RuleId root = program->root();
  const Rows::Id scan = scan_of(rows, {{program->rule(root).start(), root}});
  const Rows::Row opened = rows.row(rows.step(scan, '(').row);
  const RuleId name = rule_named(*program, "name");
  const Rows::Step letter = rows.step(scan_of(rows, {{program->rule(name).start(), name}}), 'a');
  const Rows::Id name_ended = rows.row(letter.row).ended;
  CHECK(rows.returned(opened.waits, name_ended) == Rows::Row{});  // the root waits for a sum
  const Rows::Row inside = rows.predicted(opened.called);
  const Rows::Return here = rows.returned_here(inside.waits, name_ended);
  CHECK(rows.bytes(here.row.scan)['+']);
  CHECK(rows.united_goals(here.goals, name_ended) == here.goals);
  const Rows::Row closed = rows.returned(opened.waits, here.goals);  // the sum is complete, too
  REQUIRE(closed != Rows::Row{});
  CHECK(rows.bytes(closed.scan)[')']);
  rows.check_invariants();
}

TEST_CASE("Rows: uniting is idempotent and commutative, and nothing is neutral") {
  const auto program = program_of(kSum);
  CountSets counts(*program);
  Rows rows(*program, counts, Rows::Calls::kShared);
  const RuleId root = program->root();
  const Rows::Id scan = scan_of(rows, {{program->rule(root).start(), root}});
  const Rows::Row a = rows.row(rows.step(scan, '(').row);
  const Rows::Row b = rows.predicted(a.called);
  CHECK(rows.united(a, b) == rows.united(b, a));
  CHECK(rows.united(a, a) == a);
  CHECK(rows.united(a, {}) == a);
  CHECK(rows.united(rows.united(a, b), b) == rows.united(a, b));
}

TEST_CASE("Rows: follow has all bytes that may come behind a row in some context") {
  const auto program = program_of(kSum);
  CountSets counts(*program);
  Rows rows(*program, counts, Rows::Calls::kShared);
  const RuleId name = rule_named(*program, "name");
  const Rows::Step letter = rows.step(scan_of(rows, {{program->rule(name).start(), name}}), 'a');
  const Rows::Bytes& follow = rows.follow(letter.row);
  for (const char byte : {'+', ')'}) CHECK(follow[static_cast<uint8_t>(byte)]);
  for (const char byte : {'(', 'a', '-'}) CHECK_FALSE(follow[static_cast<uint8_t>(byte)]);
}

// ---- Columns of rows ----

using Scans = std::vector<std::pair<RowColumns::Id, Rows::Id>>;  // origins, and what scans there

// One byte further, as a walk by rows goes.
Scans step(const Scans& from, RowColumns& columns, Rows& rows, uint8_t byte) {
  Scans to;
  for (const auto& [origin, scan] : from) {
    const Rows::Step step = rows.step(scan, byte);
    if (step.next != 0) to.emplace_back(origin, step.next);
    if (step.row == 0) continue;
    const RowColumns::Id after = columns.after(origin, step.row);
    for (const RowColumns::Part& part : columns.parts(after)) {
      if (part.scan != 0)
        to.emplace_back(part.origin == RowColumns::kOwn ? after : part.origin, part.scan);
    }
  }
  sort_unique(to);
  return to;
}

// Walks all texts of at most `n_most` letters from a column of the table and by rows beside it.
size_t n_disagreements(ColumnTable& table, ColumnId from, const Scans& scans, RowColumns& columns,
                       Rows& rows, std::string_view letters, size_t n_most) {
  size_t n = table.items(from).empty() == scans.empty() ? 0 : 1;
  for (size_t i = 0; n_most > 0 && i < letters.size() && !scans.empty(); ++i) {
    const auto byte = static_cast<uint8_t>(letters[i]);
    n += n_disagreements(table, table.step(from, byte), step(scans, columns, rows, byte), columns,
                         rows, letters, n_most - 1);
  }
  return n;
}

void compare_with_table(const char* grammar, const char* letters,
                        const std::vector<const char*>& begins, bool tail_calls) {
  const auto program = program_of(grammar);
  ParseOptions options;
  options.tail_calls = tail_calls;
  ColumnTable table(program, kNoLimit, options);
  CountSets counts(*program);
  Rows rows(*program, counts, Rows::Calls::kShared);
  RowColumns columns(table, rows);
  for (const char* text : begins) {
    const ColumnId from = column_after(table, text);
    REQUIRE(from != kDead);
    columns.begin();
    Scans scans;
    for (const auto& part : columns.scanned(from)) scans.emplace_back(part.origin, part.scan);
    CHECK(n_disagreements(table, from, scans, columns, rows, letters, 5) == 0);
    columns.check_invariants();
  }
  rows.check_invariants();
  table.check_invariants();
}

TEST_CASE("RowColumns: rows in their context read what the column table reads") {
  const struct {
    const char* grammar;
    const char* letters;
    std::vector<const char*> begins;
  } cases[] = {
      {kSum, "(a+)!", {"", "(", "(a", "(a+b"}},
      {R"(root ::= "[" root* "]" | "a")", "[a]", {"", "[", "[[[", "[a[]"}},
      {R"g(root ::= e "=" e   e ::= e "+" e | "(" e ")" | [a-b]+)g", "a+(=", {"", "a+(a", "(("}},
      {R"g(root ::= x x "."   x ::= "" | "a" | "(" root ")")g", "a(.)", {"", "a", "(a.)", "((a"}},
      // After "((n" the rules p and q are complete, and p completes r where q began.
      {R"(root ::= q "1" "." | r "2" "."   q ::= "((" n   r ::= "(" p   p ::= "(" n   n ::= "n")",
       "(n12",
       {"", "(("}},
      {R"(root ::= "a" tail | "b"   tail ::= "," root | "")", "a,b", {"", "a,", "a,a"}},
  };
  for (const auto& [grammar, letters, begins] : cases) {
    for (const bool tail_calls : {true, false})
      compare_with_table(grammar, letters, begins, tail_calls);
  }
}

TEST_CASE("RowColumns: a column is made once for an origin and a row, until begin()") {
  const auto program = program_of(kSum);
  ColumnTable table(program, kNoLimit);
  CountSets counts(*program);
  Rows rows(*program, counts, Rows::Calls::kShared);
  RowColumns columns(table, rows);
  columns.begin();
  const auto start = columns.scanned(table.start());
  REQUIRE(start.size() == 1);
  const Rows::Id row = rows.step(start.front().scan, '(').row;
  const RowColumns::Id made = columns.after(start.front().origin, row);
  CHECK(columns.after(start.front().origin, row) == made);
  CHECK(columns.parts(made).back().origin == RowColumns::kOwn);
  columns.begin();
  CHECK(columns.after(start.front().origin, row) == RowColumns::kMade);  // the first again
}

}  // namespace
}  // namespace xg2lab
