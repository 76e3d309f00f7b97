// The fields of a serialized program, table by table, in the order in which they are written.
//
// Tests: tests/core/test_serialization_hostile.py, tests/unit/program_plain.cc
//
// See support/fields.h for what a list is, and for how to add a field. A check that needs several
// fields is in program/plain_program.cc.
#pragma once

#include "automata/member_marks.h"
#include "program/plain_program.h"
#include "support/fields.h"

namespace xg2lab {

template <class Visit, Of<PlainProgram> Tables>
void fields(Visit& visit, Tables& plain) {
  visit("root", plain.root, or_refuse("it is not one of the rules"));
  visit("rules", plain.rules);
  visit.optional_rows("options", plain, &rows_of_run_options, &add_run_options);
  visit.optional_rows("any_order", plain, &rows_of_any_order, &add_any_order);
  visit("states", words(plain.states));
  visit("terminal_edges", words(plain.terminal_edges), checked_in("check_edges"));
  visit("rule_edges", words(plain.rule_edges), checked_in("check_edges"));
  visit("n_spans", words(plain.n_spans));
  visit("spans", words(plain.spans), or_refuse("one of them reaches out of the source"));
}

template <class Visit, Of<LoweredRule> Rule>
void fields(Visit& visit, Rule& rule) {
  constexpr OrRefuse kInSource = or_refuse("its span reaches out of the source");
  const auto is_positive = [](uint32_t n) { return n > 0; };
  visit("name", rule.name);
  visit("span", rule.span, kInSource);
  visit("name_span", rule.name_span, kInSource);
  visit("n_states", rule.n_states, must(is_positive, "it has no states"));
  visit("repetition", rule.repetition);
  visit("dispatch", rule.dispatch);
  visit("tokens", rule.tokens);
}

template <class Visit, Of<Repetition> Bounds>
void fields(Visit& visit, Bounds& bounds) {
  visit("child", bounds.child, or_refuse("its child does not exist"));
  visit("min", bounds.min);
  visit("max", or_none(bounds.max));
}

template <class Visit, Of<DispatchFacts> Facts>
void fields(Visit& visit, Facts& facts) {
  visit("texts", facts.texts);
  visit("n_tags", facts.n_tags);
  visit("n_stop_texts", facts.n_stop_texts);
  visit("positions", words(facts.positions, "a dispatch position is cut off"),
        checked_in("check_dispatch"));
}

template <class Visit, Of<DispatchPosition> Position>
void fields(Visit& visit, Position& position) {
  visit("mode", position.mode);
  visit("text", position.text);
  visit("n_read", position.n_read);
  visit("n_common", position.n_common);
}

template <class Visit, Of<PlainRunOptions> Row>
void fields(Visit& visit, Row& row) {
  visit("rule", row.rule, checked_in("add_run_options"));
  visit("max_tokens", row.options.max_tokens);
  visit("capture", row.options.capture);
  visit("temperature", row.options.temperature);
  visit("parts", row.options.parts, checked_in("check_options"));
  visit("hidden", row.options.is_hidden);
}

template <class Visit, Of<PlainAnyOrder> Row>
void fields(Visit& visit, Row& row) {
  auto& bounds = row.facts.bounds;
  visit("rule", row.rule, checked_in("add_any_order"));
  visit("member_rule", row.facts.member_rule, checked_in("add_any_order"));
  visit("separator", row.facts.separator, checked_in("check_any_order"));
  visit("members",
        as_text(bounds, &member_marks, &read_member_marks, "a member's bounds are invalid"));
  visit("names", row.facts.names);
  visit("min_total", bounds.min_total);
  visit("max_total", or_none(bounds.max_total));
  visit("ends", words(row.ends, "its ends are cut off"), checked_in("check_members"));
}

template <class Visit, Of<PlainState> State>
void fields(Visit& visit, State& state) {
  visit("is_accepting", state.is_accepting);
  visit("n_terminal_edges", state.n_terminal_edges);
  visit("n_rule_edges", state.n_rule_edges);
}

constexpr OrRefuse kTargetInRule = or_refuse("an edge leads out of its rule");
constexpr OrRefuse kKnownOrigins = or_refuse("an edge has origins that do not exist");

template <class Visit, Of<TerminalEdge> Edge>
void fields(Visit& visit, Edge& edge) {
  const auto is_range = [](ByteRange range) { return range.lo <= range.hi; };
  visit("range", edge.range, must(is_range, "an edge has an invalid range"));
  visit("to", edge.to, kTargetInRule);
  visit("origins", edge.origins, kKnownOrigins);
}

template <class Visit, Of<RuleEdge> Edge>
void fields(Visit& visit, Edge& edge) {
  visit("rule", edge.rule, or_refuse("an edge calls a rule that does not exist"));
  visit("to", edge.to, kTargetInRule);
  visit("origins", edge.origins, kKnownOrigins);
}

// ---- Values of one word (support/word_rows.h) ----

constexpr uint32_t to_word(ByteRange range) { return range.lo + range.hi * 256u; }
constexpr const char* from_word(uint32_t word, ByteRange& range) {
  range = {static_cast<uint8_t>(word & 0xFFu), static_cast<uint8_t>(word >> 8u & 0xFFu)};
  return word > 0xFFFF ? "a byte is out of range" : nullptr;
}

constexpr uint32_t to_word(Mode mode) { return static_cast<uint32_t>(mode); }
constexpr const char* from_word(uint32_t word, Mode& mode) {
  mode = static_cast<Mode>(word);
  return word > static_cast<uint32_t>(Mode::kDispatched) ? "a dispatch position has an unknown mode"
                                                         : nullptr;
}

}  // namespace xg2lab
