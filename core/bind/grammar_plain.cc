// Tables out and in. from_plain checks the values; here only types are checked. A row of an
// expression: (kind, payload, begin, end); of a rule: (name, body, lookahead, span, name span).
#include "bind/grammar_plain.h"

#include <pybind11/stl.h>

#include <unordered_map>

#include "bind/plain_values.h"
#include "frontends/ebnf/parser.h"

namespace xg2lab::bind {

namespace py = pybind11;

namespace {

py::list rows_of(const std::vector<WatchedText>& texts) {
  py::list rows;
  for (const WatchedText& watched : texts) {
    rows.append(py::make_tuple(watched.text, watched.span.begin, watched.span.end));
  }
  return rows;
}

// (tags, references, stop texts, excludes, stop_eos, loop_after_dispatch)
py::tuple dispatch_payload(const PlainExpr& e) {
  const Dispatch& dispatch = e.dispatch;
  return py::make_tuple(rows_of(dispatch.tags), e.children, rows_of(dispatch.stop_texts),
                        rows_of(dispatch.excludes), dispatch.stop_eos,
                        dispatch.loop_after_dispatch);
}

// (is_negated, ids)
py::tuple token_set_payload(const TokenSet& tokens) {
  std::vector<uint32_t> ids;
  for (TokenId id : tokens.ids) ids.push_back(id.value);
  return py::make_tuple(tokens.is_negated, ids);
}

// (bounds of the members as a text of ! ? * +, after a > if they are ordered; children; least; most
// or None)
py::tuple any_order_payload(const PlainExpr& e) {
  const AnyOrderBounds& bounds = e.any_order;
  std::string marks;
  if (bounds.is_ordered) marks += kOrderedMark;
  for (const MemberBounds member : bounds.members)
    marks += kMemberMarks[(member.is_required ? 1 : 0) + (member.may_repeat ? 2 : 0)];
  const py::object max =
      bounds.has_max() ? py::object(py::int_(bounds.max_total)) : py::object(py::none());
  return py::make_tuple(marks, e.children, bounds.min_total, max);
}

void read_any_order(PlainExpr& e, const py::handle& payload) {
  const py::sequence fields = row(payload, 4);
  std::string marks = string(fields[0]);
  e.any_order.is_ordered = marks.starts_with(kOrderedMark);
  if (e.any_order.is_ordered) marks.erase(0, 1);
  for (const char mark : marks) {
    const size_t at = kMemberMarks.find(mark);
    if (at == std::string_view::npos) throw py::value_error("a member's bounds are none");
    e.any_order.members.push_back({(at & 1) != 0, (at & 2) != 0});
  }
  for (const py::handle& child : rows(fields[1])) e.children.push_back(number(child));
  e.any_order.min_total = number(fields[2]);
  if (!fields[3].is_none()) e.any_order.max_total = number(fields[3]);
}

py::object payload_of(const PlainExpr& e) {
  switch (e.kind) {
    case ExprKind::kEmpty:
    case ExprKind::kNothing: return py::none();
    case ExprKind::kLiteral: return py::bytes(e.literal);
    case ExprKind::kRuleRef: return py::int_(e.rule);
    case ExprKind::kSequence:
    case ExprKind::kChoice: return py::cast(e.children);
    case ExprKind::kRepeat: {
      const py::object max = e.max == kNoUpperBound ? py::object(py::none()) : py::int_(e.max);
      return py::make_tuple(e.children.front(), e.min, max);
    }
    case ExprKind::kDispatch: return dispatch_payload(e);
    case ExprKind::kTokenSet: return token_set_payload(e.tokens);
    case ExprKind::kMachine: return py::str(e.machine->words);
    case ExprKind::kAnyOrder: return any_order_payload(e);
    case ExprKind::kClass: break;
  }
  py::list ranges;
  for (const CodePointRange& range : e.ranges) ranges.append(py::make_tuple(range.lo, range.hi));
  return ranges;
}

uint32_t bound(const py::handle& value) { return value.is_none() ? kNoUpperBound : number(value); }

std::vector<WatchedText> read_texts(const py::handle& value) {
  std::vector<WatchedText> texts;
  for (const py::handle& text : rows(value)) {
    const py::sequence fields = row(text, 3);
    texts.push_back({string(fields[0]), {number(fields[1]), number(fields[2])}});
  }
  return texts;
}

void read_dispatch(PlainExpr& e, const py::handle& payload) {
  const py::sequence fields = row(payload, 6);
  e.dispatch.tags = read_texts(fields[0]);
  for (const py::handle& child : rows(fields[1])) e.children.push_back(number(child));
  e.dispatch.stop_texts = read_texts(fields[2]);
  e.dispatch.excludes = read_texts(fields[3]);
  e.dispatch.stop_eos = flag(fields[4]);
  e.dispatch.loop_after_dispatch = flag(fields[5]);
}

// A machine is serialized as its words and built again from them, so it can't differ from its
// words.
class Machines {
 public:
  std::shared_ptr<const Machine> of(const std::string& words) {
    auto& machine = known_[words];
    if (machine == nullptr) machine = read_machine(words);
    return machine;
  }

 private:
  std::unordered_map<std::string, std::shared_ptr<const Machine>> known_;
};

void read_payload(PlainExpr& e, const py::handle& payload, Machines& machines) {
  switch (e.kind) {
    case ExprKind::kEmpty:
    case ExprKind::kNothing: break;
    case ExprKind::kLiteral:
      if (!py::isinstance<py::bytes>(payload)) throw py::type_error("expected bytes");
      e.literal = py::cast<std::string>(payload);
      break;
    case ExprKind::kRuleRef: e.rule = number(payload); break;
    case ExprKind::kClass:
      for (const py::handle& range : rows(payload)) {
        const py::sequence ends = row(range, 2);
        e.ranges.push_back({number(ends[0]), number(ends[1])});
      }
      break;
    case ExprKind::kSequence:
    case ExprKind::kChoice:
      for (const py::handle& child : rows(payload)) e.children.push_back(number(child));
      break;
    case ExprKind::kRepeat: {
      const py::sequence fields = row(payload, 3);
      e.children.push_back(number(fields[0]));
      e.min = number(fields[1]);
      e.max = bound(fields[2]);
      break;
    }
    case ExprKind::kDispatch: read_dispatch(e, payload); break;
    case ExprKind::kTokenSet: {
      const py::sequence fields = row(payload, 2);
      e.tokens.is_negated = flag(fields[0]);
      for (const py::handle& id : rows(fields[1])) e.tokens.ids.push_back(TokenId(number(id)));
      break;
    }
    case ExprKind::kMachine: e.machine = machines.of(string(payload)); break;
    case ExprKind::kAnyOrder: read_any_order(e, payload); break;
  }
}

PlainExpr read_expr(const py::handle& value, Machines& machines) {
  const py::sequence fields = row(value, 4);
  const auto kind = kind_named(string(fields[0]));
  if (!kind) throw py::value_error("unknown kind of expression");
  PlainExpr e;
  e.kind = *kind;
  e.span = {number(fields[2]), number(fields[3])};
  read_payload(e, fields[1], machines);
  return e;
}

// (rule, max_tokens, max_chars, lazy, capture, temperature, parts, hidden, spans of these as
// pairs); None for absent options.
py::tuple options_row(size_t rule, const RuleOptions& options) {
  py::list spans;
  for (const SourceSpan span : options.spans) spans.append(py::make_tuple(span.begin, span.end));
  return py::make_tuple(rule, options.max_tokens, options.max_chars, options.is_lazy,
                        options.capture, options.temperature, options.parts, options.is_hidden,
                        spans);
}

void read_options(PlainGrammar& plain, const py::handle& value) {
  const py::sequence fields = row(value, 9);
  const uint32_t rule = number(fields[0]);
  if (rule >= plain.rules.size())
    throw py::value_error("options belong to a rule that isn't there");
  RuleOptions& options = plain.rules[rule].options;
  if (!options.is_empty()) throw py::value_error("a rule has options twice");
  if (!fields[1].is_none()) options.max_tokens = number(fields[1]);
  if (!fields[2].is_none()) options.max_chars = number(fields[2]);
  options.is_lazy = flag(fields[3]);
  if (!fields[4].is_none()) options.capture = string(fields[4]);
  if (!fields[5].is_none()) options.temperature = real(fields[5]);
  if (!fields[6].is_none()) options.parts = string(fields[6]);
  options.is_hidden = flag(fields[7]);
  const py::sequence spans = row(fields[8], kOptionKinds);
  for (size_t i = 0; i < kOptionKinds; ++i) {
    const py::sequence ends = row(spans[i], 2);
    options.spans[i] = {number(ends[0]), number(ends[1])};
  }
}

PlainRule read_rule(const py::handle& value) {
  const py::sequence fields = row(value, 7);
  PlainRule rule;
  rule.name = string(fields[0]);
  rule.body = number(fields[1]);
  if (!fields[2].is_none()) rule.lookahead = number(fields[2]);
  rule.span = {number(fields[3]), number(fields[4])};
  rule.name_span = {number(fields[5]), number(fields[6])};
  return rule;
}

}  // namespace

py::dict plain_to_python(const Grammar& grammar) {
  const PlainGrammar plain = to_plain(grammar);
  py::list rules;
  for (const PlainRule& rule : plain.rules) {
    const py::object lookahead =
        rule.lookahead ? py::object(py::int_(*rule.lookahead)) : py::none();
    rules.append(py::make_tuple(rule.name, rule.body, lookahead, rule.span.begin, rule.span.end,
                                rule.name_span.begin, rule.name_span.end));
  }
  py::list exprs;
  for (const PlainExpr& e : plain.exprs) {
    exprs.append(py::make_tuple(kind_name(e.kind), payload_of(e), e.span.begin, e.span.end));
  }
  py::list options;
  for (size_t i = 0; i < plain.rules.size(); ++i) {
    if (!plain.rules[i].options.is_empty()) options.append(options_row(i, plain.rules[i].options));
  }
  py::dict tables;
  tables["source"] = plain.source;
  tables["source_name"] = plain.source_name;
  tables["root"] = plain.root;
  tables["rules"] = rules;
  tables["expressions"] = exprs;
  if (!options.empty()) tables["options"] = options;
  return tables;
}

Grammar plain_from_python(const py::dict& tables) {
  PlainGrammar plain;
  plain.source = string(tables["source"]);
  plain.source_name = string(tables["source_name"]);
  plain.root = number(tables["root"]);
  for (const py::handle& rule : rows(tables["rules"])) plain.rules.push_back(read_rule(rule));
  if (tables.contains("options")) {
    for (const py::handle& value : rows(tables["options"])) read_options(plain, value);
  }
  Machines machines;
  for (const py::handle& expr : rows(tables["expressions"])) {
    plain.exprs.push_back(read_expr(expr, machines));
  }
  return from_plain(plain);
}

}  // namespace xg2lab::bind
