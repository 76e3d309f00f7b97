// parse/contexts.h: what waits where a rule began, each set once; long contexts resumed by groups.
#include "parse/contexts.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "unit/fixture.h"

namespace xg2lab {
namespace {

using unit::program_of;
using unit::rule_named;
using unit::state_after;

using Part = Contexts::Part;
using Parts = std::vector<Part>;

// Rules that call each other: a sum is waited for by the root, a name by a sum and by the root.
constexpr const char* kCalls =
    R"g(root ::= "(" sum ")" | "<" name ">"   sum ::= name ("+" name)*   name ::= [a-z]+)g";
// A rule that is counted: its waits carry counts.
constexpr const char* kCounted =
    R"x(root ::= "<" ("a" | "(" y ")"){40,1000} ">"   y ::= "b" | "[" y "]" | "{" y "}")x";

struct Case {
  explicit Case(const char* grammar)
      : program(program_of(grammar)),
        counts(*program),
        rows(*program, counts, Rows::Calls::kShared),
        contexts(*program, rows) {}

  ContextId of(Parts parts) {
    const ContextId made = contexts.of(parts);
    if (made > kBeyond) contexts.check(made, false);
    return made;
  }
  // The list of one wait for `rule`; afterwards the place stands in `goal` after `text`.
  Rows::Id wait(const char* rule, const char* goal, const char* text) {
    const RuleId of_goal = rule_named(*program, goal);
    std::vector<Wait> waits{
        {rule_named(*program, rule), {state_after(*program, of_goal, text), of_goal}}};
    return rows.waits_of(waits);
  }
  Rows::Id goals(std::vector<const char*> names) {
    std::vector<Rows::Ended> ended;
    for (const char* name : names) ended.push_back({rule_named(*program, name)});
    return rows.goals_of(ended);
  }
  Parts resumed(ContextId context, Rows::Id goals) {
    Parts parts;
    contexts.resume(context, goals, [&](const Part& part) { parts.push_back(part); });
    return parts;
  }

  std::shared_ptr<const Program> program;
  CountSets counts;
  Rows rows;
  Contexts contexts;
};

// ---- Contexts by content ----

TEST_CASE("Contexts I1: equal parts are one context, in whatever order and how often they come") {
  Case on(kCalls);
  const Part a{on.wait("sum", "root", "("), kOutside};
  const Part b{on.wait("name", "root", "<"), kOutside};
  CHECK(on.of({}) == kOutside);
  const ContextId both = on.of({a, b});
  CHECK(both > kBeyond);
  CHECK(on.of({b, a, b, a}) == both);
  CHECK(on.of({a}) != both);
  CHECK(on.of({{a.waits, both}}) != on.of({a}));
  const size_t n = on.contexts.size();
  on.of({b, a});
  CHECK(on.contexts.size() == n);
}

TEST_CASE(
    "Contexts I3: parts stand by their waits, then by origin; the context itself comes last") {
  Case on(kCalls);
  const Rows::Id waits = on.wait("sum", "root", "(");
  const ContextId below = on.of({{waits, kOutside}});
  const ContextId context = on.of({{waits, kSelf}, {waits, below}, {waits, kOutside}});
  CHECK(unit::list(on.contexts.parts(context)) ==
        Parts{{waits, kOutside}, {waits, below}, {waits, kSelf}});
}

TEST_CASE("Contexts: own() are the waits that began in the context itself, 0 if none did") {
  Case on(kCalls);
  const Rows::Id here = on.wait("name", "sum", "");
  const Rows::Id before = on.wait("sum", "root", "(");
  CHECK(on.contexts.own(on.of({{here, kSelf}, {before, kOutside}})) == here);
  CHECK(on.contexts.own(on.of({{before, kOutside}})) == 0);
}

TEST_CASE("Contexts: kBeyond has one wait for each return state of each rule of the program") {
  Case on(kCalls);
  const std::span<const Wait> waits = on.rows.waits(on.contexts.own(kBeyond));
  size_t n_returns = 0;
  for (size_t r = 0; r < on.program->n_rules(); ++r) {
    const RuleId rule(r);
    for (const StateId state : on.program->return_states(rule)) {
      ++n_returns;
      CHECK(std::ranges::count_if(waits, [&](const Wait& wait) {
              return wait.rule == rule && wait.after.state == state &&
                     wait.after.goal == on.program->rule_of(state);
            }) == 1);
    }
  }
  CHECK(n_returns >= 3);
  CHECK(waits.size() == n_returns);
}

// ---- Waiting items ----

TEST_CASE("Contexts: for_each_waiting gives the items that wait for the goal, and may be stopped") {
  Case on(kCalls);
  const ContextId below = on.of({{on.wait("sum", "root", "("), kOutside}});
  const ContextId context = on.of({{on.wait("name", "sum", ""), kSelf},
                                   {on.wait("name", "root", "<"), below},
                                   {on.wait("sum", "root", "("), kOutside}});
  const auto origins = [&](const char* goal, size_t most) {
    std::set<ContextId> found;
    on.contexts.for_each_waiting(context, rule_named(*on.program, goal), [&](const Item& item) {
      found.insert(item.origin);
      return found.size() < most;
    });
    return found;
  };
  CHECK(origins("name", 9) == std::set<ContextId>{below, context});  // kSelf is the context
  CHECK(origins("sum", 9) == std::set<ContextId>{kOutside});
  CHECK(origins("root", 9).empty());
  CHECK(origins("name", 1).size() == 1);
  CHECK(on.contexts.waiting(context).size() == 3);
  const RuleId name = rule_named(*on.program, "name");
  CHECK(on.contexts.are_more_than(0, context, name));
  CHECK(on.contexts.are_more_than(1, context, name));
  CHECK_FALSE(on.contexts.are_more_than(2, context, name));
  CHECK_FALSE(on.contexts.are_more_than(0, context, on.program->root()));
}

// ---- Clamping ----

struct Counted : Case {
  Counted() : Case(kCounted) { counted = unit::counted_rule(*program); }
  // A wait of the repetition for its child, which will then have been matched `n` times.
  Rows::Id wait_with(uint32_t n) {
    const Repetition& repetition = *program->rule(counted).repetition;
    const StateId after = program->calls(program->rule(counted).start()).front().to;
    std::vector<Wait> waits{
        {repetition.child, {after, counted, counts.make({{n, n}}, repetition)}}};
    return rows.waits_of(waits);
  }
  // A context in which the child waits for y, after `n` iterations.
  ContextId within(uint32_t n) {
    const std::string& child = program->rule(program->rule(counted).repetition->child).name;
    return of({{wait("y", child.c_str(), "("), of({{wait_with(n), kOutside}})}});
  }
  // Clamped for whatever rule a match of which began in the context.
  ContextId clamped(ContextId context) {
    std::vector<Rows::Ended> goals;
    for (size_t r = 0; r < program->n_rules(); ++r) goals.push_back({RuleId(r)});
    return contexts.clamped(context, rows.goals_of(goals), 4);
  }
  RuleId counted;
};

TEST_CASE("Contexts: clamped contexts differ in counts near a bound alone") {
  Counted on;
  const auto clamped = [&](uint32_t n) { return on.clamped(on.of({{on.wait_with(n), kOutside}})); };
  CHECK(clamped(100) == clamped(500));
  CHECK(clamped(10) == clamped(20));
  CHECK(clamped(20) != clamped(100));
  CHECK(clamped(998) != clamped(500));
  CHECK(clamped(39) != clamped(20));
  for (const uint32_t n : {1, 20, 38, 40, 500, 999}) CHECK(on.clamped(clamped(n)) == clamped(n));
  CHECK(on.contexts.have_counts(clamped(500)));
}

TEST_CASE("Contexts: counts are clamped in all contexts below, however deep") {
  Counted on;
  const auto tower = [&](uint32_t n) {
    ContextId top = on.within(n);
    for (size_t i = 0; i < 20'000; ++i) top = on.of({{on.wait("y", "y", "["), top}});
    return top;
  };
  const ContextId few = tower(100);
  const ContextId more = tower(500);
  REQUIRE(few != more);
  CHECK(on.clamped(few) == on.clamped(more));
  CHECK(on.clamped(tower(10)) != on.clamped(more));
}

TEST_CASE("Contexts: parts whose origins become one by clamping are one part with all waits") {
  Counted on;
  const Rows::Id within = on.wait("y", "y", "[");
  const Rows::Id others = on.wait("y", "y", "{");
  const ContextId few = on.within(100);
  const ContextId more = on.within(500);
  const ContextId origin = on.clamped(few);
  const auto clamped = [&](Parts parts) {
    return unit::list(on.contexts.parts(on.clamped(on.of(std::move(parts)))));
  };
  CHECK(clamped({{within, few}, {within, more}}) == Parts{{within, origin}});
  CHECK(clamped({{within, few}, {others, more}}) ==
        Parts{{on.rows.united_waits(within, others), origin}});
}

TEST_CASE("Contexts: clamped for one rule, a context keeps the waits that the rule leads to") {
  Counted on;
  const auto goals = [&](const char* name) {
    std::vector<Rows::Ended> named{{rule_named(*on.program, name)}};
    return on.rows.goals_of(named);
  };
  const ContextId below = on.of({{on.wait_with(100), kOutside}});
  // A complete y resumes the y in brackets, which began here and, once complete, resumes root.
  const ContextId context = on.of({{on.wait("y", "y", "["), kSelf}, {on.wait_with(500), below}});
  const auto clamped = [&](const char* name) {
    return on.contexts.parts(on.contexts.clamped(context, goals(name), 4));
  };
  const RuleId child = on.program->rule(on.counted).repetition->child;
  std::vector<Rows::Ended> of_child{{child}};
  const ContextId for_child = on.contexts.clamped(context, on.rows.goals_of(of_child), 4);
  REQUIRE(on.contexts.parts(for_child).size() == 1);
  CHECK(on.rows.waits(on.contexts.parts(for_child).front().waits).front().rule == child);
  REQUIRE(clamped("y").size() == 1);
  CHECK(clamped("y").back().origin == kSelf);
  // Whoever waits for root is not here: a goal that nobody waits for keeps the context.
  CHECK(on.contexts.clamped(context, goals("root"), 4) == context);
}

TEST_CASE("Contexts: without counts a context is clamped to itself") {
  Case on(kCalls);
  std::vector<Rows::Ended> goals{{rule_named(*on.program, "sum")}};
  const Rows::Id sum = on.rows.goals_of(goals);
  const ContextId context = on.of({{on.wait("sum", "root", "("), kOutside}});
  CHECK(on.contexts.clamped(context, sum, 4) == context);
  CHECK_FALSE(on.contexts.have_counts(context));
  for (const ContextId none : {kOutside, kBeyond}) {
    CHECK(on.contexts.clamped(none, sum, 4) == none);
    CHECK_FALSE(on.contexts.have_counts(none));
  }
}

// ---- Resuming ----

TEST_CASE("Contexts: a short context is resumed part by part, but for what began in itself") {
  Case on(kCalls);
  const Part outside{on.wait("sum", "root", "("), kOutside};
  const ContextId context = on.of({outside, {on.wait("name", "sum", ""), kSelf}});
  on.contexts.begin_resuming();
  CHECK(on.resumed(context, on.goals({"sum"})) == Parts{outside});
  CHECK(on.resumed(kBeyond, on.goals({"sum"})).empty());
}

// Contexts as those of root ::= root "+" root: each has the parts of the one before, the one before
// in the place of kSelf, and one more.
std::vector<ContextId> long_contexts(Case& on, Rows::Id waits, size_t n) {
  std::vector<ContextId> made;
  Parts parts{{waits, kOutside}};
  for (size_t i = 0; i < n; ++i) {
    Parts with_self = parts;
    with_self.push_back({waits, kSelf});
    made.push_back(on.of(with_self));
    parts.push_back({waits, made.back()});
  }
  return made;
}

Parts parts_before(Case& on, ContextId context) {
  Parts parts = unit::list(on.contexts.parts(context));
  std::erase_if(parts, [](const Part& part) { return part.origin == kSelf; });
  return parts;
}

TEST_CASE(
    "Contexts: of long contexts each part is resumed once a column, the newest context first") {
  Case on(kCalls);
  const Rows::Id waits = on.wait("sum", "root", "(");
  const Rows::Id goals = on.goals({"sum"});
  const std::vector<ContextId> contexts = long_contexts(on, waits, 30);
  // Groups are made in the order in which texts first complete in them.
  on.contexts.begin_resuming();
  for (size_t i = 10; i < contexts.size(); ++i) on.resumed(contexts[i], goals);
  for (const size_t newest : {contexts.size() - 1, size_t{20}, contexts.size() - 1}) {
    on.contexts.begin_resuming();
    Parts all = on.resumed(contexts[newest], goals);
    std::ranges::sort(all);
    CHECK(all == parts_before(on, contexts[newest]));
    for (size_t i = newest; i >= 10; --i) CHECK(on.resumed(contexts[i], goals).empty());
  }
}

TEST_CASE("Contexts: further goals resume a long context again, goals that it had do not") {
  Case on(kCalls);
  const Rows::Id waits = on.wait("sum", "root", "(");
  const ContextId context = long_contexts(on, waits, 12).back();
  const Parts parts = parts_before(on, context);
  on.contexts.begin_resuming();
  CHECK(on.resumed(context, on.goals({"name"})).size() == parts.size());
  CHECK(on.resumed(context, on.goals({"sum"})).size() == parts.size());
  CHECK(on.resumed(context, on.goals({"sum", "name"})).empty());
  CHECK(on.resumed(context, on.goals({"name"})).empty());
  on.contexts.begin_resuming();
  CHECK(on.resumed(context, on.goals({"name"})).size() == parts.size());
}

TEST_CASE("Contexts: a group is shared only if the earlier one begins with just these parts") {
  Case on(kCalls);
  const Rows::Id waits = on.wait("sum", "root", "(");
  const Rows::Id other = on.wait("name", "root", "<");
  const Rows::Id goals = on.goals({"sum", "name"});
  const ContextId stray = on.of({{other, kOutside}});
  const std::vector<ContextId> contexts = long_contexts(on, waits, 12);
  // The parts of contexts[10], it in the place of kSelf; but one part is missing, or differs in its
  // origin, or the last one in its waits.
  Parts lacking = parts_before(on, contexts[10]);
  lacking.erase(lacking.begin() + 3);
  lacking.push_back({waits, contexts[10]});
  Parts strange = parts_before(on, contexts[10]);
  strange[3].origin = stray;
  strange.push_back({waits, contexts[10]});
  Parts mixed = parts_before(on, contexts[10]);
  mixed.push_back({other, contexts[10]});
  for (const Parts& parts : {lacking, strange, mixed}) {
    const ContextId context = on.of(parts);
    on.contexts.begin_resuming();
    on.resumed(contexts[10], goals);  // its groups are known now
    on.contexts.begin_resuming();
    Parts found = on.resumed(context, goals);
    std::ranges::sort(found);
    CHECK(found == parts_before(on, context));
  }
}

}  // namespace
}  // namespace xg2lab
