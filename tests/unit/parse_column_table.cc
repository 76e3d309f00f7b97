// parse/column_table.h: columns by content, and the steps between them.
#include "parse/column_table.h"

#include <algorithm>
#include <set>

#include "support/error.h"
#include "unit/fixture.h"

namespace xg2lab {
namespace {

using unit::column_after;
using unit::kNoLimit;
using unit::list;
using unit::program_of;
using unit::rule_named;
using unit::state_after;

std::set<char> bytes_read(ColumnTable& table, ColumnId column) {
  std::set<char> bytes;
  for (uint32_t byte = 0; byte < 128; ++byte) {
    if (table.step(column, static_cast<uint8_t>(byte)) != kDead)
      bytes.insert(static_cast<char>(byte));
  }
  return bytes;
}

// Whether both take the same texts of at most `n_most` letters, and say the same of their ends.
bool are_alike(ColumnTable& a, ColumnId in_a, ColumnTable& b, ColumnId in_b,
               std::string_view letters, size_t n_most) {
  if ((in_a == kDead) != (in_b == kDead)) return false;
  if (a.at(in_a).is_complete != b.at(in_b).is_complete) return false;
  return in_a == kDead || n_most == 0 || std::ranges::all_of(letters, [&](char letter) {
           const auto byte = static_cast<uint8_t>(letter);
           return are_alike(a, a.step(in_a, byte), b, b.step(in_b, byte), letters, n_most - 1);
         });
}

// ---- Columns by content ----

TEST_CASE("ColumnTable: texts with one future lead to one column") {
  ColumnTable table(program_of(R"(root ::= "[" ([0-9]+ ",")* "]")"), kNoLimit);
  CHECK(column_after(table, "[1,") == column_after(table, "[12,345,"));
  CHECK(column_after(table, "[1") == column_after(table, "[2,77"));
  CHECK(column_after(table, "[1") != column_after(table, "[1,"));
  table.check_invariants();
}

TEST_CASE("ColumnTable: nesting makes a column a level, and leaving it none") {
  ColumnTable table(program_of(R"(root ::= "[" root* "]")"), kNoLimit);
  column_after(table, "[[[[[[[[");
  const size_t n = table.n_columns();
  CHECK(column_after(table, "[[") == column_after(table, "[[[]"));
  column_after(table, "[[[[[[[[[");
  CHECK(table.n_columns() <= n + 2);
  table.check_invariants();
}

TEST_CASE("ColumnTable: right recursion by tail calls needs no column a letter") {
  const auto program = program_of(R"(root ::= "a" other | "x"   other ::= "b" root | "y")");
  ColumnTable with(program, kNoLimit);
  CHECK(column_after(with, "ab") == column_after(with, "ababab"));
  ParseOptions options;
  options.tail_calls = false;
  ColumnTable without(program, kNoLimit, options);
  CHECK(column_after(without, "ab") != column_after(without, "ababab"));
  CHECK(are_alike(with, with.start(), without, without.start(), "abxy", 6));
  with.check_invariants();
  without.check_invariants();
}

TEST_CASE("ColumnTable: n^2 waiting items make groups, and the invariants hold of long contexts") {
  ColumnTable table(program_of(R"(root ::= root "+" root | "a")"), kNoLimit);
  std::string text = "a";
  for (size_t i = 0; i < 20; ++i) text += "+a";
  const ColumnId column = column_after(table, text);
  CHECK(table.at(column).is_complete);
  CHECK(column_after(table, column, "+") != kDead);
  table.check_invariants();
}

// ---- Steps ----

TEST_CASE("ColumnTable: a byte that no item reads leads to the dead column, which stays dead") {
  ColumnTable table(program_of(R"(root ::= "ab")"), kNoLimit);
  CHECK(table.step(table.start(), 'b') == kDead);
  CHECK(table.step(kDead, 'a') == kDead);
  CHECK(table.items(kDead).empty());
  CHECK_FALSE(table.at(kDead).is_complete);
}

TEST_CASE("ColumnTable: a step is unknown until it is made, and known for its byte class then") {
  ColumnTable table(program_of(R"(root ::= [a-z]+ "." [a-z])"), kNoLimit);
  CHECK_FALSE(table.known_step(table.start(), 'a').has_value());
  const ColumnId after = table.step(table.start(), 'a');
  CHECK(table.known_step(table.start(), 'a') == after);
  CHECK(table.known_step(table.start(), 'q') == after);
  CHECK(table.known_step(table.start(), '.').value_or(kDead) == kDead);
}

TEST_CASE("ColumnTable I3: what a table has met before changes no future") {
  const auto program = program_of(
      R"g(root ::= e   e ::= e "+" e | "(" e ")" | name   name ::= "if" | "a" | [a-c]+)g");
  ColumnTable cold(program, kNoLimit);
  ColumnTable warm(program, kNoLimit);
  for (const char* text : {"a+b+(c", "((((if", "abcabc+", "if+if+if+if"}) column_after(warm, text);
  CHECK(are_alike(warm, warm.start(), cold, cold.start(), "ai+f()", 5));
  warm.check_invariants();
}

TEST_CASE("ColumnTable: reads() says whether step() is alive, asked before or after it") {
  ColumnTable table(program_of(R"(root ::= "x" name "." | "if"   name ::= [a-z]+)"), kNoLimit);
  for (const char* text : {"", "x", "xa", "xa.", "i"}) {
    const ColumnId column = column_after(table, text);
    for (uint32_t b = 0; b < 256; ++b) {
      const auto byte = static_cast<uint8_t>(b);
      const bool is_read = table.reads(column, byte);
      CHECK(is_read == (table.step(column, byte) != kDead));
      CHECK(table.reads(column, byte) == is_read);
    }
  }
}

TEST_CASE("ColumnTable: a byte that leads to several states leads to one column, for it alone") {
  const auto program =
      unit::nondeterministic_program_of(R"(root ::= [a-c] "x" | [b-d] "y" | [c-e] root)");
  ColumnTable table(program, kNoLimit);
  CHECK(bytes_read(table, column_after(table, "b")) == std::set<char>{'x', 'y'});
  CHECK(bytes_read(table, column_after(table, "a")) == std::set<char>{'x'});
  CHECK(bytes_read(table, column_after(table, "d")).contains('y'));
  ColumnTable reversed(program, kNoLimit);
  for (const char* text : {"e", "d", "c", "b", "a"}) column_after(reversed, text);
  CHECK(are_alike(table, table.start(), reversed, reversed.start(), "abcdexy", 4));
  table.check_invariants();
}

TEST_CASE("ColumnTable: columns of words alike are one column") {
  const auto program =
      program_of(R"(root ::= word "=" word "."   word ::= "if" | "in" | name   name ::= [a-z]+)");
  ColumnTable table(program, kNoLimit);
  const ColumnId column = column_after(table, "i");
  CHECK(table.items(column).size() >= 3);  // of "if", of "in", of the name; and "=" behind it
  CHECK(bytes_read(table, column).contains('='));
  CHECK(column_after(table, "qqqq") == column_after(table, "zz"));
  table.check_invariants();
}

TEST_CASE("ColumnTable: an item's origin is the set of items that wait, not the column") {
  // The columns after "<" and "[" read other bytes, but a name is called by equal items.
  const auto program = program_of(
      R"(root ::= "<" part "." | "[" part "."   part ::= name | [0-9]   name ::= [a-z]+)");
  ColumnTable table(program, kNoLimit);
  CHECK(column_after(table, "<a") == column_after(table, "<bc"));
  const ColumnId column = column_after(table, "<a");
  for (const Part& part : table.parts(column)) CHECK(part.origin.index() < table.contexts().size());
  table.check_invariants();
}

// ---- Columns asked for by name ----

TEST_CASE("ColumnTable: outside_item is complete once its own rule is, whoever would call it") {
  const auto program = program_of(R"(root ::= "<" item ">"   item ::= "a" [0-9])");
  ColumnTable table(program, kNoLimit);
  const RuleId item = rule_named(*program, "item");
  const ColumnId column = table.outside_item(state_after(*program, item, "a"));
  CHECK(table.outside_item(state_after(*program, item, "a")) == column);
  CHECK(bytes_read(table, column).size() == 10);
  const ColumnId after = table.step(column, '7');
  CHECK(table.at(after).is_complete);
  CHECK(table.items(after).empty());  // the caller's ">" is no part of it
}

TEST_CASE("ColumnTable: beyond a rule is what any of its callers reads, up to the root's end") {
  const auto program =
      program_of(R"g(root ::= "<" item ">" | pair   pair ::= item "," item   item ::= [0-9]+)g");
  ColumnTable table(program, kNoLimit);
  const ColumnId beyond = table.beyond(rule_named(*program, "item"));
  CHECK(bytes_read(table, beyond) == std::set<char>{',', '>'});
  CHECK(table.at(table.beyond(program->root())).is_complete);
  CHECK(table.beyond(rule_named(*program, "item")) == beyond);
  table.check_invariants();
}

TEST_CASE("ColumnTable: join reads what either reads; nothing and itself change nothing") {
  ColumnTable table(program_of(R"(root ::= "a" x "1" | "b" x "2" | "c"   x ::= "." root | "-")"),
                    kNoLimit);
  const ColumnId a = column_after(table, "a-");
  const ColumnId b = column_after(table, "b.b");
  const ColumnId end = column_after(table, "c");
  CHECK(table.join(a, kDead) == a);
  CHECK(table.join(kDead, b) == b);
  CHECK(table.join(a, a) == a);
  const ColumnId both = table.join(a, b);
  CHECK(table.join(b, a) == both);
  std::set<char> expected = bytes_read(table, a);
  expected.merge(bytes_read(table, b));
  CHECK(bytes_read(table, both) == expected);
  CHECK_FALSE(table.at(both).is_complete);
  CHECK(table.at(table.join(both, end)).is_complete);
  CHECK(table.step(both, '-') == table.step(b, '-'));
  table.check_invariants();
}

// ---- Counts, tokens ----

TEST_CASE("ColumnTable I5: clamping is idempotent, and far from the bounds all counts are one") {
  const auto program = program_of(R"g(root ::= "<" x{40,1000} ">"   x ::= [a-c] | "(" x ")")g");
  REQUIRE(program->has_repetitions());
  ColumnTable table(program, kNoLimit);
  constexpr uint32_t kReach = 4;
  const auto after = [&](size_t n) { return column_after(table, "<" + std::string(n, 'a')); };
  CHECK(after(100) != after(101));
  CHECK(table.clamped(after(100), kReach) == table.clamped(after(500), kReach));
  CHECK(table.clamped(after(10), kReach) == table.clamped(after(20), kReach));
  CHECK(table.clamped(after(20), kReach) != table.clamped(after(500), kReach));
  CHECK(table.clamped(after(998), kReach) != table.clamped(after(500), kReach));
  for (const size_t n : {0, 10, 38, 39, 40, 500, 998, 1000}) {
    const ColumnId clamped = table.clamped(after(n), kReach);
    CHECK(table.clamped(clamped, kReach) == clamped);
    CHECK(are_alike(table, after(n), table, clamped, "a(>)", kReach - 1));
  }
  table.check_invariants();
}

TEST_CASE("ColumnTable: clamping keeps all who wait behind a rule within a rule that is repeated") {
  ColumnTable table(program_of(R"(root ::= "<" y{40,1000} ">"   y ::= z "."   z ::= "a" "b"?)"),
                    kNoLimit);
  constexpr uint32_t kReach = 5;
  for (const size_t n : {0, 10, 39, 100, 999}) {
    std::string text = "<";
    for (size_t i = 0; i < n; ++i) text += "ab.";
    const ColumnId column = column_after(table, text + "a");
    CHECK(are_alike(table, column, table, table.clamped(column, kReach), "ab.>", kReach - 1));
  }
  table.check_invariants();
}

TEST_CASE("ColumnTable: of those who wait at one place with several counts one is kept") {
  // After "aa" a `y` may have begun at either letter; both matches wait in the repetition.
  ColumnTable table(program_of(R"(root ::= y{3,50} "+"   y ::= x | x x   x ::= "a" | "aa")"),
                    kNoLimit);
  CHECK(column_after(table, "aa+") == kDead);
  CHECK(table.at(column_after(table, "aaa+")).is_complete);
  CHECK(table.at(column_after(table, std::string(200, 'a') + "+")).is_complete);
  CHECK(column_after(table, std::string(201, 'a')) == kDead);
  table.check_invariants();
}

TEST_CASE("ColumnTable I5: without counts clamped() and tick() are the column itself") {
  ColumnTable table(program_of(R"(root ::= "[" root* "]")"), kNoLimit);
  const ColumnId column = column_after(table, "[[");
  CHECK(table.clamped(column, 4) == column);
  CHECK(table.tick(column) == column);
}

TEST_CASE("ColumnTable: a token ends within max_tokens, and the last leaves only what follows") {
  const auto program = program_of(R"(root ::= x "."   x[max_tokens=2] ::= [a-z]*)");
  ColumnTable table(program, kNoLimit);
  const ColumnId one = table.tick(column_after(table, "a"));
  CHECK(bytes_read(table, one).contains('b'));
  const ColumnId two = table.tick(column_after(table, one, "b"));
  CHECK(bytes_read(table, two) == std::set<char>{'.'});
  CHECK(table.tick(kDead) == kDead);
  table.check_invariants();
}

TEST_CASE("ColumnTable: a token edge takes a whole token of its set, and none of its bytes") {
  const auto program = program_of(R"(root ::= Token(5, 9) "b" | "c")");
  ColumnTable table(program, kNoLimit);
  REQUIRE(table.at(table.start()).expects_token);
  const ColumnId after = table.step_token(table.start(), TokenId(5));
  CHECK(bytes_read(table, after) == std::set<char>{'b'});
  CHECK(table.step_token(table.start(), TokenId(9)) == after);
  CHECK(table.step_token(table.start(), TokenId(6)) == kDead);
  CHECK(table.step_token(after, TokenId(5)) == kDead);
  CHECK(table.join(after, table.step(table.start(), 'c')) != kDead);
}

// ---- Memory ----

TEST_CASE("ColumnTable: a full table still reads as it did") {
  const auto program = program_of(R"(root ::= "[" root* "]")");
  ColumnTable full(program, 1);
  ColumnTable fresh(program, kNoLimit);
  CHECK(full.is_full());
  CHECK_FALSE(fresh.is_full());
  CHECK(are_alike(full, full.start(), fresh, fresh.start(), "[]", 8));
}

TEST_CASE("ColumnTable: another table that adopts columns takes their futures, and no others") {
  const auto program =
      program_of(R"g(root ::= "(" root ")" | n{40,80} | name   n ::= "n"   name ::= [a-c]+ "!")g");
  ColumnTable old(program, kNoLimit);
  column_after(old, "(((((((((((((a!");
  const std::vector<ColumnId> kept{column_after(old, "(("), column_after(old, "(ab"),
                                   column_after(old, "(nnn"), old.start()};
  ColumnTable fresh(program, kNoLimit);
  const std::vector<ColumnId> adopted = fresh.adopt(old, old.needed_by(kept), kept);
  REQUIRE(adopted.size() == kept.size());
  for (size_t i = 0; i < kept.size(); ++i)
    CHECK(are_alike(old, kept[i], fresh, adopted[i], "(ab!n)", 5));
  CHECK(adopted.back() == fresh.start());
  fresh.check_invariants();
}

// ---- The pushdown automaton ----

TEST_CASE("ColumnTable: the pushdown automaton reads the texts that Earley's parser reads") {
  const char* const grammars[] = {R"(root ::= "[" root* "]" | "a")",
                                  R"(root ::= "a" root "b" | "ab" | "")",
                                  R"(root ::= x "," x   x ::= [ab]+ | "[" root "]")",
                                  R"(root ::= ("a" | "aa"){2,40} "b" | "[" root "]")",
                                  R"(root ::= x "]"   x[max_tokens=3] ::= "[" [ab]* | "a" x)"};
  ParseOptions options;
  options.parser = ParserKind::kPda;
  for (const char* grammar : grammars) {
    const auto program = program_of(grammar);
    ColumnTable stacks(program, kNoLimit, options);
    ColumnTable earley(program, kNoLimit);
    CHECK_MESSAGE(are_alike(stacks, stacks.start(), earley, earley.start(), "[ab],", 6), grammar);
    stacks.check_invariants();  // contexts I4
    earley.check_invariants();
  }
}

TEST_CASE("ColumnTable: more stacks than allowed are a LimitError, and the table goes on") {
  ParseOptions options;
  options.parser = ParserKind::kPda;
  options.max_stacks = 3;
  ColumnTable table(program_of(R"(root ::= "." | "[" a a a a "]"   a ::= "x" | "xx" | "xxx")"),
                    kNoLimit, options);
  bool was_refused = false;
  try {
    column_after(table, "[xxxxx");
  } catch (const Error& error) {
    was_refused = error.kind() == ErrorKind::kLimitError;
  }
  CHECK(was_refused);
  CHECK(column_after(table, ".") != kDead);
  table.check_invariants();
}

}  // namespace
}  // namespace xg2lab
