// parse/completions.h: completing the rows of one column, from the newest origin to the oldest.
#include "parse/completions.h"

#include <algorithm>
#include <set>
#include <vector>

#include "unit/fixture.h"

namespace xg2lab {
namespace {

using unit::program_of;
using unit::rule_named;
using unit::state_after;

constexpr const char* kSum =
    R"g(root ::= "(" sum ")" "!"   sum ::= name ("+" name)*   name ::= [a-z]+)g";

struct Case {
  explicit Case(const char* grammar)
      : program(program_of(grammar)),
        counts(*program),
        rows(*program, counts, Rows::Calls::kShared),
        contexts(*program, rows),
        completions(rows, contexts) {
    completions.begin();
  }

  // The row that a match of the rule leads to when it reads `byte` after `text`.
  Rows::Row step(const char* rule, const char* text, char byte) {
    const RuleId id = rule_named(*program, rule);
    std::vector<Place> places{{state_after(*program, id, text), id}};
    const Rows::Step step = rows.step(rows.scan_of(places), static_cast<uint8_t>(byte));
    Rows::Row row = rows.row(step.row);
    row.scan = step.next;
    return row;
  }
  ContextId context(std::vector<Contexts::Part> parts) { return contexts.of(parts); }
  // The bytes that the column's items of this origin read.
  std::set<char> bytes_at(ContextId origin) {
    std::set<char> bytes;
    for (const auto& [at, row] : completions.found()) {
      if (at != origin) continue;
      for (uint32_t byte = 0; byte < 128; ++byte)
        if (rows.bytes(row.scan)[byte]) bytes.insert(static_cast<char>(byte));
    }
    return bytes;
  }
  // I1, I2
  void check() {
    std::set<ContextId> origins;
    for (const auto& [origin, row] : completions.found()) {
      CHECK(origins.insert(origin).second);
      CHECK(row.ended == 0);
    }
  }

  std::shared_ptr<const Program> program;
  CountSets counts;
  Rows rows;
  Contexts contexts;
  Completions completions;
};

// After "(": the root waits for a sum, which began here; the sum waits for a name.
struct Opened : Case {
  Opened() : Case(kSum) {
    const Rows::Row root = step("root", "", '(');
    const Rows::Row own = rows.predicted(root.called);
    here = context({{root.waits, kOutside}, {own.waits, kSelf}});
  }
  ContextId here;
};

TEST_CASE("Completions: a row without goals is only added, and rows of one origin are united") {
  Opened on;
  Rows::Row letter = on.step("name", "", 'a');
  letter.ended = 0;
  on.completions.add(on.here, letter);
  on.completions.add(kOutside, on.step("root", "", '('));
  on.completions.add(on.here, letter);
  on.completions.run();
  on.check();
  CHECK(on.completions.found().size() == 2);
  CHECK(on.completions.found().front().row == letter);
  CHECK_FALSE(on.completions.left_outside());
}

TEST_CASE("Completions: a goal resumes what waits in its origin, which completes goals in turn") {
  Opened on;
  on.completions.add(on.here, on.step("name", "", 'a'));
  on.completions.run();
  on.check();
  std::set<char> letters;
  for (char letter = 'a'; letter <= 'z'; ++letter) letters.insert(letter);
  letters.insert('+');  // the sum's, which began in the same context
  CHECK(on.bytes_at(on.here) == letters);
  CHECK(on.bytes_at(kOutside) == std::set<char>{')'});  // the name completes the sum, too
  CHECK_FALSE(on.completions.left_outside());
}

TEST_CASE("Completions: a goal with the outside as its origin is complete, and resumes nothing") {
  Opened on;
  on.completions.add(kOutside, on.step("root", "(", ')'));
  CHECK_FALSE(on.completions.left_outside());
  on.completions.run();
  CHECK_FALSE(on.completions.left_outside());  // "!" is still to come
  Case end(R"(root ::= "a" root | "b")");
  end.completions.add(kOutside, end.step("root", "", 'b'));
  end.completions.run();
  end.check();
  CHECK(end.completions.left_outside());
  CHECK(end.bytes_at(kOutside).empty());
  end.completions.begin();
  CHECK_FALSE(end.completions.left_outside());
  CHECK(end.completions.found().empty());
}

TEST_CASE("Completions: beyond a rule every caller goes on, and theirs when they are complete") {
  Opened on;
  std::vector<Rows::Ended> name{{rule_named(*on.program, "name")}};
  on.completions.add(kBeyond, {0, 0, on.rows.goals_of(name), 0});
  on.completions.run();
  on.check();
  CHECK(on.bytes_at(kBeyond) == std::set<char>{')', '+'});
  CHECK(on.completions.left_outside());  // such a column is alive, whatever it reads
}

TEST_CASE("Completions: contexts of several depths are completed in one run, each origin once") {
  // After "(((x" each `e` ends the `e` around it only once ")" is read; without ")" all end at
  // once.
  Case on(R"g(root ::= e "."   e ::= "(" e | "x")g");
  const Rows::Row root = on.rows.start();
  ContextId outer = on.context({{root.waits, kOutside}});
  std::vector<ContextId> nested;
  for (size_t i = 0; i < 20; ++i) {
    nested.push_back(outer);
    outer = on.context({{on.step("e", "", '(').waits, outer}});
  }
  on.completions.add(outer, on.step("e", "", 'x'));
  on.completions.run();
  on.check();
  CHECK(on.bytes_at(kOutside) == std::set<char>{'.'});
  CHECK(on.completions.found().size() == nested.size() + 2);
}

TEST_CASE("Completions: a goal that comes later to an origin already met is completed as well") {
  Opened on;
  Rows::Row letter = on.step("name", "", 'a');
  Rows::Row open = letter;
  open.ended = 0;
  on.completions.add(on.here, open);
  on.completions.add(on.here, letter);
  on.completions.run();
  on.check();
  CHECK(on.bytes_at(kOutside) == std::set<char>{')'});
}

}  // namespace
}  // namespace xg2lab
