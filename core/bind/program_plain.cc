// Tables out and in. from_plain checks the values; here only types are checked.
// A row of a rule: (name, span, name span, n_states, repetition or None, dispatch or None, tokens
// or None), spans as two numbers; of a mask: (state, storage, ids or bitmask, uncertain ranks); of
// options: (rule, max_tokens, capture, temperature, parts, hidden); of members in any order:
// (any-order rule, member rule, separator, bounds in one text of ? ! * +, names, least, most or
// None, for each state of the member rule how many members it ends and which). Edges, states,
// spans and these ends are words.
#include "bind/program_plain.h"

#include <pybind11/stl.h>

#include <string_view>

#include "bind/plain_values.h"
#include "support/error.h"

namespace xg2lab::bind {
namespace {

py::object plain_repetition(const std::optional<Repetition>& repetition) {
  if (!repetition) return py::none();
  const py::object max = repetition->has_max() ? py::object(py::int_(repetition->max)) : py::none();
  return py::make_tuple(repetition->child.value, repetition->min, max);
}

py::object plain_dispatch(const DispatchFacts* facts) {
  if (facts == nullptr) return py::none();
  std::vector<uint32_t> positions;
  for (const DispatchPosition& position : facts->positions) {
    positions.insert(positions.end(), {static_cast<uint32_t>(position.mode), position.text,
                                       position.n_read, position.n_common});
  }
  return py::make_tuple(facts->texts, facts->n_tags, facts->n_stop_texts,
                        bytes_of_words(positions));
}

py::object plain_tokens(const TokenSet* tokens) {
  if (tokens == nullptr) return py::none();
  std::vector<uint32_t> ids;
  for (TokenId id : tokens->ids) ids.push_back(id.value);
  return py::make_tuple(tokens->is_negated, ids);
}

[[noreturn]] void refuse_table(const std::string& place, std::string_view what) {
  throw Error(ErrorKind::kDeserializeFormatError, place + ": " + std::string(what),
              "use the text that serialize_json() returned, unchanged");
}

// Runs `read`; adds the place to its type errors.
template <class Read>
auto at(const std::string& place, Read&& read) {
  try {
    return read();
  } catch (const py::builtin_exception& error) {
    refuse_table(place, error.what());
  }
}

// The words of a table's field, in rows of `n_fields`.
std::vector<uint32_t> table(const py::dict& tables, const char* name, size_t n_fields) {
  const std::string place = std::string("/program/") + name;
  std::vector<uint32_t> values = at(place, [&] { return words(tables[name]); });
  if (values.size() % n_fields != 0) refuse_table(place, "its last row is cut off");
  return values;
}

Repetition read_repetition(const py::handle& value) {
  const py::sequence fields = row(value, 3);
  Repetition repetition;
  repetition.child = RuleId(number(fields[0]));
  repetition.min = number(fields[1]);
  if (!fields[2].is_none()) repetition.max = number(fields[2]);
  return repetition;
}

std::shared_ptr<const DispatchFacts> read_dispatch_facts(const py::handle& value) {
  const py::sequence fields = row(value, 4);
  auto facts = std::make_shared<DispatchFacts>();
  for (const py::handle& text : rows(fields[0])) facts->texts.push_back(string(text));
  facts->n_tags = number(fields[1]);
  facts->n_stop_texts = number(fields[2]);
  const std::vector<uint32_t> values = words(fields[3]);
  if (values.size() % 4 != 0) throw py::value_error("a place is cut off");
  for (size_t i = 0; i < values.size(); i += 4) {
    if (values[i] > static_cast<uint32_t>(Mode::kDispatched)) {
      throw py::value_error("a place has a mode that is none");
    }
    facts->positions.push_back(
        {static_cast<Mode>(values[i]), values[i + 1], values[i + 2], values[i + 3]});
  }
  return facts;
}

std::shared_ptr<const TokenSet> read_tokens(const py::handle& value) {
  const py::sequence fields = row(value, 2);
  auto tokens = std::make_shared<TokenSet>();
  tokens->is_negated = flag(fields[0]);
  for (const py::handle& id : rows(fields[1])) tokens->ids.push_back(TokenId(number(id)));
  return tokens;
}

PlainProgramRule read_program_rule(const py::handle& value) {
  const py::sequence fields = row(value, 9);
  PlainProgramRule rule;
  rule.name = string(fields[0]);
  rule.span = {number(fields[1]), number(fields[2])};
  rule.name_span = {number(fields[3]), number(fields[4])};
  rule.n_states = number(fields[5]);
  if (!fields[6].is_none()) rule.repetition = read_repetition(fields[6]);
  if (!fields[7].is_none()) rule.dispatch = read_dispatch_facts(fields[7]);
  if (!fields[8].is_none()) rule.tokens = read_tokens(fields[8]);
  return rule;
}

void read_run_options(PlainProgram& plain, const py::handle& value) {
  const py::sequence fields = row(value, 6);
  const uint32_t rule = number(fields[0]);
  if (rule >= plain.rules.size())
    throw py::value_error("options belong to a rule that isn't there");
  if (plain.rules[rule].options) throw py::value_error("a rule has options twice");
  RunOptions options;
  if (!fields[1].is_none()) options.max_tokens = number(fields[1]);
  if (!fields[2].is_none()) options.capture = string(fields[2]);
  if (!fields[3].is_none()) options.temperature = real(fields[3]);
  if (!fields[4].is_none()) options.parts = RuleId(number(fields[4]));
  options.is_hidden = flag(fields[5]);
  plain.rules[rule].options = std::make_shared<const RunOptions>(std::move(options));
}

py::tuple any_order_row(size_t rule, const AnyOrderFacts& facts, const MemberFacts& members) {
  std::string marks;
  if (facts.bounds.is_ordered) marks += kOrderedMark;
  for (const MemberBounds member : facts.bounds.members)
    marks += kMemberMarks[(member.is_required ? 1 : 0) + (member.may_repeat ? 2 : 0)];
  std::vector<uint32_t> ends;
  for (const std::vector<uint32_t>& of_state : members.ends) {
    ends.push_back(static_cast<uint32_t>(of_state.size()));
    ends.insert(ends.end(), of_state.begin(), of_state.end());
  }
  const py::object max =
      facts.bounds.has_max() ? py::object(py::int_(facts.bounds.max_total)) : py::none();
  return py::make_tuple(rule, facts.member_rule.value, facts.separator.value, marks, facts.names,
                        facts.bounds.min_total, max, bytes_of_words(ends));
}

void read_any_order_row(PlainProgram& plain, const py::handle& value) {
  const py::sequence fields = row(value, 8);
  AnyOrderFacts facts;
  const uint32_t rule = number(fields[0]);
  facts.member_rule = RuleId(number(fields[1]));
  facts.separator = RuleId(number(fields[2]));
  if (rule >= plain.rules.size() || facts.member_rule.index() >= plain.rules.size())
    throw py::value_error("members belong to a rule that isn't there");
  if (plain.rules[rule].any_order || plain.rules[facts.member_rule.index()].members)
    throw py::value_error("a rule has members twice");
  std::string marks = string(fields[3]);
  facts.bounds.is_ordered = marks.starts_with(kOrderedMark);
  if (facts.bounds.is_ordered) marks.erase(0, 1);
  for (const char mark : marks) {
    const size_t at = kMemberMarks.find(mark);
    if (at == std::string_view::npos) throw py::value_error("a member's bounds are none");
    facts.bounds.members.push_back({(at & 1) != 0, (at & 2) != 0});
  }
  for (const py::handle& name : rows(fields[4])) facts.names.push_back(string(name));
  facts.bounds.min_total = number(fields[5]);
  if (!fields[6].is_none()) facts.bounds.max_total = number(fields[6]);
  const std::vector<uint32_t> ends = words(fields[7]);
  MemberFacts members{RuleId(rule), {}, {}, {}};
  for (size_t i = 0; i < ends.size(); i += ends[i] + 1) {
    if (ends[i] >= ends.size() - i) throw py::value_error("its ends are cut off");
    const auto begin = ends.begin() + static_cast<ptrdiff_t>(i) + 1;
    members.ends.emplace_back(begin, begin + ends[i]);
  }
  plain.rules[facts.member_rule.index()].members =
      std::make_shared<const MemberFacts>(std::move(members));
  plain.rules[rule].any_order = std::make_shared<const AnyOrderFacts>(std::move(facts));
}

PlainMask read_mask(const py::handle& value) {
  const py::sequence fields = row(value, 4);
  PlainMask mask;
  mask.state = number(fields[0]);
  const std::string storage = string(fields[1]);
  bool is_known = false;
  for (const MaskStorage form :
       {MaskStorage::kAcceptedList, MaskStorage::kRejectedList, MaskStorage::kBitset}) {
    if (storage != mask_storage_name(form)) continue;
    mask.storage = form;
    is_known = true;
  }
  if (!is_known) throw py::value_error("its form is none");
  mask.data = words(fields[2]);
  mask.uncertain = words(fields[3]);
  return mask;
}

// Applies `read` to each row of a list.
template <class Row>
std::vector<Row> read_all(const std::string& place, const py::handle& list,
                          Row (*read)(const py::handle&)) {
  std::vector<Row> all;
  for (const py::handle& value : at(place, [&] { return rows(list); })) {
    all.push_back(at(place + "/" + std::to_string(all.size()), [&] { return read(value); }));
  }
  return all;
}

}  // namespace

py::dict program_to_python(const Program& program) {
  const PlainProgram plain = to_plain(program);
  py::list rules;
  for (const PlainProgramRule& rule : plain.rules) {
    rules.append(
        py::make_tuple(rule.name, rule.span.begin, rule.span.end, rule.name_span.begin,
                       rule.name_span.end, rule.n_states, plain_repetition(rule.repetition),
                       plain_dispatch(rule.dispatch.get()), plain_tokens(rule.tokens.get())));
  }
  std::vector<uint32_t> states;
  for (const PlainState& state : plain.states) {
    states.insert(states.end(),
                  {state.is_accepting ? 1u : 0u, state.n_terminal_edges, state.n_rule_edges});
  }
  std::vector<uint32_t> terminals;
  for (const TerminalEdge& edge : plain.terminal_edges) {
    terminals.insert(terminals.end(),
                     {edge.range.lo + edge.range.hi * 256u, edge.to.value, edge.origins.value});
  }
  std::vector<uint32_t> calls;
  for (const RuleEdge& edge : plain.rule_edges) {
    calls.insert(calls.end(), {edge.rule.value, edge.to.value, edge.origins.value});
  }
  std::vector<uint32_t> spans;
  for (const SourceSpan span : plain.spans) spans.insert(spans.end(), {span.begin, span.end});
  py::list options;
  for (size_t r = 0; r < plain.rules.size(); ++r) {
    const RunOptions* of = plain.rules[r].options.get();
    if (of != nullptr)
      options.append(py::make_tuple(r, of->max_tokens, of->capture, of->temperature,
                                    of->parts ? py::object(py::int_(of->parts->value)) : py::none(),
                                    of->is_hidden));
  }
  py::list any_order;
  for (size_t r = 0; r < plain.rules.size(); ++r) {
    const AnyOrderFacts* facts = plain.rules[r].any_order.get();
    if (facts != nullptr)
      any_order.append(any_order_row(r, *facts, *plain.rules[facts->member_rule.index()].members));
  }
  py::dict tables;
  tables["root"] = plain.root;
  tables["rules"] = rules;
  if (!options.empty()) tables["options"] = options;
  if (!any_order.empty()) tables["any_order"] = any_order;
  tables["states"] = bytes_of_words(states);
  tables["terminal_edges"] = bytes_of_words(terminals);
  tables["rule_edges"] = bytes_of_words(calls);
  tables["n_spans"] = bytes_of_words(plain.n_spans);
  tables["spans"] = bytes_of_words(spans);
  return tables;
}

PlainProgram program_from_python(const py::dict& tables) {
  PlainProgram plain;
  plain.root = at("/program/root", [&] { return number(tables["root"]); });
  plain.rules = read_all("/program/rules", tables["rules"], &read_program_rule);
  const auto read_each = [&](const char* name, void (*read)(PlainProgram&, const py::handle&)) {
    if (!tables.contains(name)) return;
    const std::string place = std::string("/program/") + name;
    size_t i = 0;
    for (const py::handle& value : at(place, [&] { return rows(tables[name]); })) {
      at(place + "/" + std::to_string(i++), [&] {
        read(plain, value);
        return true;
      });
    }
  };
  read_each("options", &read_run_options);
  read_each("any_order", &read_any_order_row);
  const std::vector<uint32_t> states = table(tables, "states", 3);
  for (size_t i = 0; i < states.size(); i += 3) {
    if (states[i] > 1) refuse_table("/program/states/" + std::to_string(i / 3), "expected 0 or 1");
    plain.states.push_back({states[i] == 1, states[i + 1], states[i + 2]});
  }
  const std::vector<uint32_t> terminals = table(tables, "terminal_edges", 3);
  for (size_t i = 0; i < terminals.size(); i += 3) {
    if (terminals[i] > 0xFFFF) {
      refuse_table("/program/terminal_edges/" + std::to_string(i / 3), "a byte is out of range");
    }
    const ByteRange range{static_cast<uint8_t>(terminals[i] & 0xFFu),
                          static_cast<uint8_t>(terminals[i] >> 8u)};
    plain.terminal_edges.push_back(
        {range, StateId(terminals[i + 1]), OriginSetId(terminals[i + 2])});
  }
  const std::vector<uint32_t> calls = table(tables, "rule_edges", 3);
  for (size_t i = 0; i < calls.size(); i += 3) {
    plain.rule_edges.push_back(
        {RuleId(calls[i]), StateId(calls[i + 1]), OriginSetId(calls[i + 2])});
  }
  plain.n_spans = table(tables, "n_spans", 1);
  const std::vector<uint32_t> spans = table(tables, "spans", 2);
  for (size_t i = 0; i < spans.size(); i += 2) plain.spans.push_back({spans[i], spans[i + 1]});
  return plain;
}

py::list masks_to_python(const MaskStore& masks, size_t n_states) {
  py::list rows;
  for (const PlainMask& mask : to_plain(masks, n_states)) {
    rows.append(py::make_tuple(mask.state, mask_storage_name(mask.storage),
                               bytes_of_words(mask.data), bytes_of_words(mask.uncertain)));
  }
  return rows;
}

std::vector<PlainMask> masks_from_python(const py::handle& masks) {
  return read_all("/masks", masks, &read_mask);
}

}  // namespace xg2lab::bind
