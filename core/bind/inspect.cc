// Inspection as plain dicts and lists, with the field names used on the wire.
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "bind/bind.h"
#include "bind/docstrings.h"
#include "bind/inspected.h"
#include "bind/matcher_object.h"
#include "runtime/captures.h"
#include "runtime/inspect.h"
#include "runtime/labels.h"
#include "runtime/stacks.h"
#include "support/bits.h"
#include "support/text.h"
#include "support/visible.h"

namespace xg2lab::bind {
namespace {

py::list pairs(std::span<const SourceSpan> spans) {
  py::list list;
  for (SourceSpan span : spans) list.append(py::make_tuple(span.begin, span.end));
  return list;
}

py::list pairs(std::span<const ByteRange> ranges) {
  py::list list;
  for (ByteRange range : ranges) list.append(py::make_tuple(range.lo, range.hi));
  return list;
}

// Of a counted rule: its child and its bounds (max None: no limit).
py::object repetition_or_none(const ProgramRule& rule) {
  if (!rule.repetition) return py::none();
  py::dict out;
  out["child"] = rule.repetition->child.value;
  out["min"] = rule.repetition->min;
  out["max"] = py::none();
  if (rule.repetition->has_max()) out["max"] = rule.repetition->max;
  return out;
}

// Of an any-order rule: its members (names and bounds), and the bounds on their total.
py::dict any_order_of(const AnyOrderFacts& facts) {
  const AnyOrderBounds& bounds = facts.bounds;
  py::list members;
  for (size_t i = 0; i < bounds.members.size(); ++i) {
    py::dict member;
    member["name"] = facts.names[i];
    member["required"] = bounds.members[i].is_required;
    member["repeats"] = bounds.members[i].may_repeat;
    members.append(member);
  }
  py::dict out;
  out["members"] = members;
  out["ordered"] = bounds.is_ordered;
  out["min"] = bounds.min_total;
  out["max"] = py::none();
  if (bounds.has_max()) out["max"] = bounds.max_total;
  return out;
}

// Of a dispatch: its watched texts.
py::dict dispatch_of(const DispatchFacts& facts) {
  py::list texts;
  for (size_t i = 0; i < facts.texts.size(); ++i) {
    py::dict entry;
    entry["text"] = facts.texts[i];
    entry["kind"] = i < facts.n_tags                        ? "trigger"
                    : i < facts.n_tags + facts.n_stop_texts ? "stop"
                                                            : "exclude";
    texts.append(entry);
  }
  py::dict out;
  out["texts"] = texts;
  return out;
}

// Of a token rule: the tokens that its edge consumes.
py::dict tokens_of(const TokenSet& tokens) {
  py::list ids;
  for (TokenId id : tokens.ids) ids.append(id.value);
  py::dict out;
  out["ids"] = ids;
  out["negated"] = tokens.is_negated;
  return out;
}

// Of a dispatch's state: how many bytes of which text have been read.
py::dict position_of(const DispatchPosition& position) {
  py::dict out;
  out["mode"] = position.mode == Mode::kDispatching ? "dispatching" : "dispatched";
  out["text"] = position.text;
  out["n_read"] = position.n_read;
  return out;
}

// Of a rule with options: those used at run time.
py::dict options_of(const RunOptions& options) {
  py::dict out;
  if (options.max_tokens) out["max_tokens"] = *options.max_tokens;
  if (options.capture) out["capture"] = *options.capture;
  if (options.temperature) out["temperature"] = *options.temperature;
  if (options.parts) out["parts"] = options.parts->value;
  if (options.is_hidden) out["hidden"] = true;
  return out;
}

py::dict program_of(const CompiledGrammar& given) {
  const CompiledGrammar& compiled = *unlocked([&] { return &given.whole(); }, Length::kLong);
  const Program& program = compiled.program();
  const std::vector<EdgeLabel>& edges = compiled.labels().edges;
  const std::vector<StateLabel>& states = compiled.labels().states;
  py::list rule_list;
  for (size_t r = 0; r < program.n_rules(); ++r) {
    const ProgramRule& rule = program.rule(RuleId(r));
    py::dict entry;
    entry["id"] = r;
    entry["name"] = rule.name;
    entry["span"] = py::make_tuple(rule.span.begin, rule.span.end);
    entry["line"] = program.source().position(rule.name_span.begin).line;
    entry["start"] = rule.first_state;
    entry["states"] = py::make_tuple(rule.first_state, rule.first_state + rule.n_states);
    entry["nullable"] = rule.is_nullable;
    entry["repeat"] = repetition_or_none(rule);
    if (rule.any_order) entry["any_order"] = any_order_of(*rule.any_order);
    if (rule.dispatch) entry["dispatch"] = dispatch_of(*rule.dispatch);
    if (rule.options) entry["options"] = options_of(*rule.options);
    if (rule.tokens) entry["tokens"] = tokens_of(*rule.tokens);
    rule_list.append(entry);
  }
  py::list state_list;
  for (size_t s = 0; s < program.n_states(); ++s) {
    py::dict entry;
    entry["id"] = s;
    entry["rule"] = program.rule_of(StateId(s)).value;
    entry["accepting"] = program.is_accepting(StateId(s));
    entry["scannable"] = program.is_scannable(StateId(s));
    entry["before"] = states[s].before;
    entry["after"] = states[s].after;
    entry["spans"] = pairs(states[s].spans);
    const DispatchPosition* position = program.dispatch_position(StateId(s));
    if (position != nullptr && position->mode != Mode::kNone)
      entry["dispatch"] = position_of(*position);
    if (const InstanceOrigin* instance = compiled.instance()) {
      const auto pointer = instance->pointer(program.rule_of(StateId(s)), states[s].spans);
      if (pointer) entry["argument"] = *pointer;
    }
    state_list.append(entry);
  }
  py::list edge_list;
  for (const EdgeLabel& edge : edges) {
    py::dict entry;
    entry["from"] = edge.from.value;
    entry["to"] = edge.to.value;
    entry["kind"] = edge.is_rule ? "rule" : edge.is_token ? "token" : "bytes";
    entry["label"] = edge.text;
    entry["ranges"] = pairs(edge.ranges);
    entry["rule"] = edge.is_rule ? py::object(py::int_(edge.rule.value)) : py::object(py::none());
    entry["spans"] = pairs(edge.spans);
    edge_list.append(entry);
  }
  py::dict out;
  out["root"] = program.root().value;
  out["rules"] = rule_list;
  out["states"] = state_list;
  out["edges"] = edge_list;
  return out;
}

// The number of iterations as text; None if nothing is counted.
py::object counts_or_none(const CountIntervals& counts) {
  if (counts.empty()) return py::none();
  return py::str(counts_text(counts));
}

py::dict entry_dict(const MaskEntryFacts& facts) {
  py::dict out;
  out["state"] = facts.key.state.value;
  out["rule"] = facts.key.rule.value;
  out["counts"] = counts_or_none(facts.key.counts);
  out["storage"] = mask_storage_name(facts.entry->accepted.storage());
  out["n_accepted"] = facts.entry->accepted.n_accepted();
  out["n_rejected"] = facts.entry->n_rejected;
  out["n_uncertain"] = facts.entry->uncertain.size();
  out["size_bytes"] = facts.entry->memory_size_bytes();
  out["build_us"] = static_cast<double>(facts.entry->build_ns) / 1e3;
  out["hits"] = facts.n_hits;
  out["cache"] = cache_result_name(facts.origin.cache);
  out["donor"] = facts.origin.donor.value;
  out["donor_name"] = facts.donor_name;
  const char* unshared = unshared_name(facts.origin.unshared);
  out["unshared"] = unshared == nullptr ? py::object(py::none()) : py::str(unshared);
  return out;
}

// Names of the matched members; of the first set, if there are several.
std::string members_matched(const AnyOrderFacts& facts, const MemberSets& sets, uint32_t word) {
  const auto matched = sets.facts(word).matched;
  if (matched.empty()) return "none";
  return join(matched, ", ", [&](uint32_t member) { return facts.names[member]; });
}

py::dict item_dict(const Chart& chart, const Item& item) {
  const Program& program = chart.program();
  py::dict out;
  out["state"] = item.state.value;
  out["rule"] = program.rule_of(item.state).value;
  out["origin"] = item.origin.value;
  if (program.repetition(item.state) != nullptr) out["done"] = counts_text(chart.counts(item));
  if (const AnyOrderFacts* facts = program.any_order(item.state))
    out["done"] = members_matched(*facts, chart.count_sets().members(item.state), item.counts.word);
  return out;
}

int64_t index_or_minus_one(uint32_t index) {
  return index == kNoItem ? -1 : static_cast<int64_t>(index);
}

// (index, number of other ways, [(operation, source column, source index, child index), ...]).
py::tuple ways_of(const ItemWays& item) {
  py::list others;
  for (const ChartWay& way : item.others) {
    others.append(py::make_tuple(
        static_cast<int>(way.how.operation), index_or_minus_one(way.how.source_column),
        index_or_minus_one(way.how.source_index), index_or_minus_one(way.how.child_index)));
  }
  return py::make_tuple(item.index, item.n_others, others);
}

py::dict chart_of(MatcherObject& self, size_t first_byte) {
  const Hold hold(self);
  const Chart& chart = chart_now(self);
  py::list columns;
  py::dict ways;
  for (size_t j = first_byte; j <= chart.n_bytes(); ++j) {
    py::list column;
    for (const ChartItem& entry : chart.column(j)) {
      column.append(py::make_tuple(
          entry.item.state.value, entry.item.origin.value, static_cast<int>(entry.how.operation),
          index_or_minus_one(entry.how.source_column), index_or_minus_one(entry.how.source_index),
          index_or_minus_one(entry.how.child_index)));
    }
    columns.append(column);
    if (chart.ways(j).empty()) continue;
    py::list several;
    for (const ItemWays& item : chart.ways(j)) several.append(ways_of(item));
    ways[py::int_(j)] = several;
  }
  py::dict out;
  out["first"] = first_byte;
  out["n_bytes"] = chart.n_bytes();
  out["columns"] = columns;
  out["ways"] = ways;
  return out;
}

py::list live_items(MatcherObject& self) {
  const Hold hold(self);
  const Chart& chart = chart_now(self);
  py::list out;
  for (const ChartItem& entry : chart.last()) out.append(item_dict(chart, entry.item));
  return out;
}

py::list captures(MatcherObject& self, bool deduplicate) {
  const Hold hold(self);
  py::list out;
  for (const Capture& capture : captures_of(self.matcher, chart_now(self), deduplicate)) {
    out.append(py::make_tuple(capture.name, py::bytes(capture.bytes)));
  }
  return out;
}

constexpr const char* kCapturesDoc =
    R"(Return the matches of the rules with the option `capture`.

The matches are computed from the text: `accept_token` records nothing, and a match that is taken back was never
captured. A match of a rule with the option `parts` is read once more, by the rule that the option names, and the
captures of that rule are captured too. A match of a rule with the option `hidden` is left out of the captures around
it. Lark's `suffix`, `stop` and `stop_capture` are built from these two options.

Parameters
----------
deduplicate : bool
    True: only matches in a present reading of the text, and of those that begin at one place the longest. False: every
    completion of such a rule, those of abandoned readings too.

Returns
-------
list of (str, bytes)
    The name and the matched bytes, in the order of completion; a match within another comes first.

Raises
------
MatcherStateError
    A bounded history has dropped the beginning of the text: see max_rollback_tokens.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"ab", b".", b"</s>"], stop_token_ids=[4])
>>> grammar = 'root ::= (word ".")+   word[capture] ::= [a-z]+'
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar(grammar))
>>> matcher.accept_string("ab.b")
True
>>> matcher.get_captures()
[('word', b'ab'), ('word', b'b')]
>>> matcher.get_captures(deduplicate=False)
[('word', b'a'), ('word', b'ab'), ('word', b'b')])";

// Columns are interned by content (parse/column_table.h), so a table and a column in it identify a
// state.
std::pair<uint64_t, uint32_t> column_id(MatcherObject& self) {
  const Hold hold(self);
  const Configurations* const table = &self.matcher.configurations();
  return {reinterpret_cast<uintptr_t>(table), self.matcher.column().value};
}

std::string hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (char byte : bytes) {
    out += kDigits[static_cast<uint8_t>(byte) >> 4];
    out += kDigits[static_cast<uint8_t>(byte) & 15];
  }
  return out;
}

// The source spans of an item's rule and of the expression that it expects.
void add_place(py::dict& entry, const Program& program, StateId state,
               const std::vector<SourceSpan>& spans) {
  entry["rule_name"] = program.rule(program.rule_of(state)).name;
  entry["spans"] = pairs(spans);
  if (spans.empty()) return;
  const SourcePosition position = program.source().position(spans[0].begin);
  entry["line"] = position.line;
  entry["column"] = position.column;
  entry["line_text"] = std::string(program.source().line_at(spans[0].begin));
}

template <class Element, class Shown>
py::list list_of(const std::vector<Element>& elements, Shown shown) {
  py::list out;
  for (const Element& element : elements) out.append(shown(element));
  return out;
}

py::dict explanation_dict(MatcherObject& self, const Explanation& explanation) {
  const CompiledGrammar& compiled = self.matcher.compiled();
  const Program& program = compiled.program();
  const std::vector<StateLabel>& labels = compiled.labels().states;
  const Chart& chart = chart_now(self);
  auto item = [&](const Item& at) {
    py::dict out = item_dict(chart, at);
    out["before"] = labels[at.state.index()].before;
    out["after"] = labels[at.state.index()].after;
    return out;
  };
  // In an instance of a template: the argument that the state's edges of these spans were made
  // from.
  auto add_argument = [&](py::dict& entry, StateId state, const std::vector<SourceSpan>& spans) {
    const InstanceOrigin* instance = compiled.instance();
    if (instance == nullptr) return;
    if (const auto pointer = instance->pointer(program.rule_of(state), spans))
      entry["argument"] = *pointer;
  };
  py::dict out;
  out["token_id"] =
      explanation.token ? py::object(py::int_(explanation.token->value)) : py::object(py::none());
  out["bytes"] = hex(explanation.bytes);
  out["text"] = readable(explanation.bytes);
  out["allowed"] = explanation.is_allowed;
  out["mechanism"] = explanation.mechanism;
  out["reason"] = explanation.reason;
  out["died_at"] =
      explanation.died_at ? py::object(py::int_(*explanation.died_at)) : py::object(py::none());
  out["walk"] = list_of(explanation.walk, [&](const WalkStep& step) {
    py::dict entry;
    entry["byte"] = step.byte;
    entry["alive"] = !step.items.empty() || explanation.is_taken_whole;
    entry["items"] = list_of(step.items, item);
    return entry;
  });
  out["expected"] = pairs(explanation.expected);
  out["expected_text"] = expected_text(program, explanation);
  out["expected_by"] = list_of(explanation.expected_by, [&](const Item& at) {
    py::dict entry = item(at);
    const std::vector<SourceSpan> spans = spans_of_bytes(program, at.state);
    add_place(entry, program, at.state, spans);
    add_argument(entry, at.state, spans);
    return entry;
  });
  out["expected_tokens"] = list_of(explanation.expected_tokens, [&](const ExpectedToken& edge) {
    py::dict entry = item(edge.item);
    entry["tokens"] = program.rule(edge.token_rule).name;
    add_place(entry, program, edge.item.state, edge.spans);
    add_argument(entry, edge.item.state, edge.spans);
    return entry;
  });
  out["counted"] = list_of(explanation.counted, [&](const Item& at) {
    py::dict entry = item(at);
    entry["rule_name"] = program.rule(program.rule_of(at.state)).name;
    return entry;
  });
  out["entry"] = py::none();
  for (const MaskEntryFacts& facts : mask_entries_of(self)) {
    if (explanation.entry == facts.key) out["entry"] = entry_dict(facts);
  }
  return out;
}

py::dict explain(MatcherObject& self, const py::object& token_id, const py::object& data) {
  if (py::isinstance<py::bytes>(token_id) || py::isinstance<py::str>(token_id)) {
    if (!data.is_none()) throw py::type_error("explain: give either token_id or data");
    return explain(self, py::none(), token_id);
  }
  const Hold hold(self);
  if (token_id.is_none() == data.is_none()) {
    throw py::type_error("explain: give either token_id or data");
  }
  const Explanation explanation = token_id.is_none()
                                      ? explain_bytes(self, bytes_of(data, "explain"))
                                      : explain_token(self, token_id.cast<int64_t>());
  return explanation_dict(self, explanation);
}

py::object last_fill(MatcherObject& self) {
  if (!self.last_fill) return py::none();
  py::dict out;
  out["cache"] = cache_result_name(self.last_fill->report.cache);
  out["way"] = mask_way_name(self.last_fill->report.way);
  out["n_built"] = self.last_fill->report.n_built;
  out["n_adapted"] = self.last_fill->report.n_adapted;
  out["n_checked"] = self.last_fill->report.n_checked;
  out["us"] = self.last_fill->us;
  return out;
}

py::bytes provenance(MatcherObject& self) {
  const Hold hold(self);
  const std::vector<Provenance> codes =
      inspected(self, [&](Inspector& inspector) { return inspector.provenance(self.matcher); });
  return {reinterpret_cast<const char*>(codes.data()), codes.size()};
}

py::list mask_entries(MatcherObject& self) {
  const Hold hold(self);
  py::list out;
  for (const MaskEntryFacts& facts : mask_entries_of(self)) {
    out.append(entry_dict(facts));
  }
  return out;
}

py::dict stacks(MatcherObject& self, size_t max_stacks) {
  const Hold hold(self);
  show_whole(self);
  const StackTree tree = stacks_of(self.matcher, max_stacks);
  const std::vector<StateLabel>& labels = self.matcher.compiled().labels().states;
  const auto place = [&](StateId state, std::optional<ContextId> below) {
    py::dict out;
    out["state"] = state.value;
    out["rule"] = self.matcher.compiled().program().rule_of(state).value;
    out["before"] = labels[state.index()].before;
    out["after"] = labels[state.index()].after;
    out["below"] = py::none();
    if (below) out["below"] = below->value;
    return out;
  };
  py::list frames;
  for (const StackFrame& frame : tree.frames) {
    py::dict out = place(frame.returns_to, frame.below);
    out["id"] = frame.id.value;
    out["called"] = frame.called.value;
    out["counts"] = counts_or_none(frame.counts);
    frames.append(out);
  }
  py::list tops;
  for (const StackTop& top : tree.tops) tops.append(place(top.state, top.frame));
  py::dict out;
  out["frames"] = frames;
  out["tops"] = tops;
  out["n_stacks"] = tree.n_tops;
  return out;
}

std::vector<int64_t> allowed_tokens(MatcherObject& self) {
  const Hold hold(self);
  std::vector<uint32_t> words(self.matcher.compiled().tokens().n_words, 0);
  std::vector<int64_t> ids;
  if (self.matcher.has_stopped()) return ids;
  interruptible([&] { self.matcher.fill_next_token_bitmask(words); });
  for_each_one(words, [&](size_t id) { ids.push_back(static_cast<int64_t>(id)); });
  return ids;
}

}  // namespace

std::string readable(std::string_view bytes) {
  PyObject* text =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "backslashreplace");
  return py::reinterpret_steal<py::str>(text).cast<std::string>();
}

std::string explain_or_why_not(MatcherObject& self, const py::object& token_or_text) {
  try {
    const Hold hold(self);
    if (py::isinstance<py::int_>(token_or_text)) {
      return describe(explain_token(self, token_or_text.cast<int64_t>()));
    }
    const std::string_view bytes = bytes_of(token_or_text, "explain");
    const Explanation explanation = explain_bytes(self, bytes);
    if (!bytes.empty()) return describe(explanation);
    if (self.matcher.has_stopped()) return explanation.reason;
    const std::string expected = expected_text(self.matcher.compiled().program(), explanation);
    const std::string stop = self.matcher.is_completed() ? "the end of the text" : "";
    return "expected: " + expected + (expected.empty() || stop.empty() ? "" : ", or ") + stop;
  } catch (const Error& error) {
    return "not explained: " + error.diagnostics().front().message;
  }
}

std::string describe(const Explanation& explanation) {
  return visible((explanation.is_allowed ? "allowed: " : "blocked: ") +
                 readable(explanation.bytes) + "  (" + explanation.mechanism + ") " +
                 explanation.reason);
}

namespace {

// What the matcher's text is and may become: items, captures, stacks.
void add_text_questions(py::class_<MatcherObject>& matcher) {
  matcher
      .def("explain", &explain, py::arg("token_id") = py::none(), py::kw_only(),
           py::arg("data") = py::none(), kExplainDoc)
      .def("chart", &chart_of, py::arg("first_byte") = 0, kChartDoc)
      .def("get_captures", &captures, py::arg("deduplicate") = true, kCapturesDoc)
      .def("live_items", &live_items, kLiveItemsDoc)
      .def("column_id", &column_id, kColumnIdDoc)
      .def(
          "_debug_print_internal_state",
          [](const py::object& self) {
            auto& matcher = py::cast<MatcherObject&>(self);
            py::object text = py::none();  // a bounded history has dropped the beginning
            try {
              const Hold hold(matcher);
              text = py::bytes(matcher.matcher.text());
            } catch (const Error&) {}
            return py::module_::import("xg2lab.show.matcher_text")
                .attr("internal_state")(self, text);
          },
          "Text so far, what may follow, and the items that expect it, with their lines: a str.")
      .def("stacks", &stacks, py::arg("max_stacks") = 1000, kStacksDoc);
}

// What the current mask is made of.
void add_mask_questions(py::class_<MatcherObject>& matcher) {
  matcher.def("mask_entries", &mask_entries, kMaskEntriesDoc)
      .def("provenance", &provenance, kProvenanceDoc)
      .def("allowed_tokens", &allowed_tokens, kAllowedTokensDoc)
      .def("last_fill", &last_fill, kLastFillDoc);
}

}  // namespace

void add_inspection(py::class_<MatcherObject>& matcher) {
  add_text_questions(matcher);
  add_mask_questions(matcher);
}

void bind_inspect(py::module_& module) {
  auto compiled =
      py::reinterpret_borrow<py::class_<CompiledGrammar, std::shared_ptr<CompiledGrammar>>>(
          module.attr("CompiledGrammar"));
  compiled.def("program", &program_of, kProgramDoc);
}

}  // namespace xg2lab::bind
