// Read: machine_of (the needed rules, callees first), made (one of them), then the two
// restrictions: lazy, bounded. The trick of bounded: the distance of each state from an accepting
// state, in code points, is computed first; so the product never contains a state from which the
// limit would come too early.
#include "lower/regular_rules.h"

#include <algorithm>
#include <deque>
#include <unordered_set>
#include <utility>

#include "automata/determinize.h"
#include "automata/minimize.h"
#include "grammar/walk.h"
#include "lower/thompson.h"
#include "support/text.h"

namespace xg2lab {
namespace {

constexpr uint32_t kFar = UINT32_MAX;

bool cuts(const Rule& rule) { return rule.options && rule.options->cuts_language(); }

// Calls visit(range, n_characters) for the subranges whose bytes begin a code point (1) and for
// those that continue one (0).
template <class Visit>
void for_each_part(ByteRange range, Visit visit) {
  const auto part = [&](uint8_t lo, uint8_t hi, uint32_t n_characters) {
    const ByteRange cut{std::max(lo, range.lo), std::min(hi, range.hi)};
    if (cut.lo <= cut.hi) visit(cut, n_characters);
  };
  part(0x00, 0x7F, 1);
  part(0x80, 0xBF, 0);
  part(0xC0, 0xFF, 1);
}

// For each state, the least number of code points that must begin before an accepting state is
// reached.
std::vector<uint32_t> distances(const FrozenFsm& fsm) {
  struct Source {
    uint32_t state;
    uint32_t n_characters;
  };
  std::vector<std::vector<Source>> sources(fsm.n_states());
  for (uint32_t s = 0; s < fsm.n_states(); ++s) {
    for (const TerminalEdge& edge : fsm.terminals(StateId(s))) {
      for_each_part(edge.range, [&](ByteRange, uint32_t n_characters) {
        sources[edge.to.index()].push_back({s, n_characters});
      });
    }
  }
  std::vector<uint32_t> distance(fsm.n_states(), kFar);
  std::deque<uint32_t> agenda;  // ascending distance: states one code point further are appended
  for (uint32_t s = 0; s < fsm.n_states(); ++s) {
    if (!fsm.is_accepting[s]) continue;
    distance[s] = 0;
    agenda.push_back(s);
  }
  while (!agenda.empty()) {
    const uint32_t to = agenda.front();
    agenda.pop_front();
    for (const Source& source : sources[to]) {
      const uint32_t found = distance[to] + source.n_characters;
      if (found >= distance[source.state]) continue;
      distance[source.state] = found;
      if (source.n_characters == 0) agenda.push_front(source.state);
      else agenda.push_back(source.state);
    }
  }
  return distance;
}

}  // namespace

const FrozenFsm& RegularRules::machine_of(RuleId rule) {
  asked_ = rule;
  for (const RuleId needed : callees_first(rule)) {
    if (machines_.count(needed) == 0) machines_.emplace(needed, made(needed));
  }
  return machines_.at(rule);
}

// ---- What a rule needs ----

// The rules that a body refers to, in the order of the text, and its other parts.
RegularRules::Parts RegularRules::parts_of(ExprId body) const {
  Parts parts;
  std::unordered_set<ExprId> seen;
  const auto is_new = [&](ExprId id) { return seen.insert(id).second; };
  for_each_expr(grammar_, body, is_new, [&](ExprId id) {
    parts.has_tokens = parts.has_tokens || grammar_.expr(id).kind == ExprKind::kTokenSet;
    parts.has_any_order = parts.has_any_order || grammar_.expr(id).kind == ExprKind::kAnyOrder;
    if (grammar_.expr(id).kind == ExprKind::kRuleRef) parts.rules.push_back(grammar_.rule_ref(id));
  });
  return parts;
}

std::vector<RuleId> RegularRules::callees_first(RuleId rule) const {
  struct Visit {
    RuleId rule;
    std::vector<RuleId> references;
    size_t next = 0;
  };
  std::vector<RuleId> order;
  std::unordered_map<RuleId, bool> is_open;  // visited rules, and whether each is still open
  std::vector<Visit> path;
  // is_open[rule] is true while the rule is on the path; meeting such a rule again means recursion.
  const auto enter = [&](RuleId entered) {
    is_open[entered] = true;
    Parts parts = parts_of(grammar_.rule(entered).body);
    check_parts(rule, entered, parts);
    path.push_back({entered, std::move(parts.rules)});
  };
  enter(rule);
  while (!path.empty()) {
    Visit& visit = path.back();
    if (visit.next == visit.references.size()) {
      is_open[visit.rule] = false;
      order.push_back(visit.rule);
      path.pop_back();
      continue;
    }
    const RuleId callee = visit.references[visit.next++];
    const auto known = is_open.find(callee);
    if (known == is_open.end()) {
      check_options_within(rule, callee);
      enter(callee);
    } else if (known->second) {
      refuse_recursion(rule, callee);
    }
  }
  return order;
}

// "rule `x` has lazy": the beginning of messages about parts that one machine can't hold.
std::string RegularRules::rule_and_option(RuleId rule) const {
  return concat("rule `", grammar_.rule(rule).name, "` has ", option_of(rule));
}

std::string_view RegularRules::option_of(RuleId rule) const {
  const bool is_lazy = grammar_.rule(rule).options->is_lazy;
  return kOptionNames[static_cast<size_t>(is_lazy ? OptionKind::kLazy : OptionKind::kMaxChars)];
}

// Refuses parts of a rule within `rule` that no machine on bytes can hold.
void RegularRules::check_parts(RuleId rule, RuleId within, const Parts& parts) const {
  if (parts.has_any_order) {
    refuse(
        ErrorKind::kUnsupportedError, "any_order_within", rule,
        concat(rule_and_option(rule), " and becomes one machine, but `", grammar_.rule(within).name,
               "` has AnyOrder(...), which would need a state for each set of its members"),
        "give the option to the members, or to a part without AnyOrder");
  }
  if (parts.has_tokens) {
    refuse(ErrorKind::kUnsupportedError, "token_edge_within", rule,
           concat(rule_and_option(rule), " and becomes one machine on bytes, but `",
                  grammar_.rule(within).name, "` takes tokens whole"),
           "give the option to a part without Token(...) and the like");
  }
}

// Refuses a rule within `rule` whose matches have to be distinguished.
void RegularRules::check_options_within(RuleId rule, RuleId within) const {
  const Rule& inner = grammar_.rule(within);
  if (!inner.options || !inner.options->keeps_rule()) return;
  refuse(ErrorKind::kUnsupportedError, "option_within", rule,
         concat(rule_and_option(rule), " and becomes one machine, in which rule `", inner.name,
                print_options(inner.options.get(), inner.name), "` is not to be told apart"),
         concat("give capture, temperature and max_tokens to the outer rule, or the outer one no ",
                option_of(rule)));
}

void RegularRules::refuse_recursion(RuleId rule, RuleId within) const {
  refuse(ErrorKind::kUnsupportedError, "not_regular", rule,
         concat(rule_and_option(rule), ", but ",
                within == rule ? "it" : "`" + grammar_.rule(within).name + "` within it",
                " refers to itself"),
         "write it as a repetition, or give the option to a part that doesn't refer to itself");
}

// ---- Machines ----

// lazy comes before max_chars: the limit then counts the code points of the lazy match.
FrozenFsm RegularRules::made(RuleId rule) {
  Fsm fsm = with_calls_written_in(build_(grammar_.rule(rule).body, rule));
  if (fsm.n_states() > options_.max_states) refuse_states(asked_);
  if (!cuts(grammar_.rule(rule))) return reduced(fsm);
  const RuleOptions& options = *grammar_.rule(rule).options;
  FrozenFsm cut = options.is_lazy ? reduced(lazy(fsm, rule)) : reduced(fsm);
  return options.max_chars ? reduced(bounded(cut, rule)) : cut;
}

// Inlines a copy of the called rule's machine for each call, connected by epsilon edges.
Fsm RegularRules::with_calls_written_in(const Fsm& calls) const {
  Fsm fsm;
  for (size_t s = 0; s < calls.n_states(); ++s) fsm.add_state();
  for (size_t s = 0; s < calls.n_states(); ++s) {
    const Fsm::State state = calls.state(StateId(s));
    if (state.is_accepting) fsm.set_accepting(StateId(s));
    for (StateId to : state.epsilon_edges) fsm.add_epsilon(StateId(s), to);
    for (const TerminalEdge& edge : state.terminal_edges)
      fsm.add_terminal(StateId(s), edge.range, edge.to, edge.origins);
    for (const RuleEdge& edge : state.rule_edges) {
      const FrozenFsm& part = machines_.at(edge.rule);
      const auto offset = static_cast<uint32_t>(fsm.n_states());
      if (offset + part.n_states() > options_.max_states) refuse_states(asked_);
      for (size_t p = 0; p < part.n_states(); ++p) fsm.add_state();
      fsm.add_epsilon(StateId(s), StateId(offset));
      for (uint32_t p = 0; p < part.n_states(); ++p) {
        if (part.is_accepting[p]) fsm.add_epsilon(StateId(offset + p), edge.to);
        for (const TerminalEdge& inner : part.terminals(StateId(p)))
          fsm.add_terminal(StateId(offset + p), inner.range, StateId(offset + inner.to.value),
                           inner.origins);
      }
    }
  }
  return fsm;
}

FrozenFsm RegularRules::reduced(const Fsm& fsm) {
  auto machine =
      xg2lab::reduced(fsm, origins_, options_.reduction(), options_.limits_of(fsm, fsm.n_states()));
  if (!machine) refuse_edges(grammar_, asked_, options_.max_states);
  return std::move(*machine);
}

// Laziness needs a deterministic machine: in a nondeterministic one, another branch could continue
// a match that has ended.
Fsm RegularRules::lazy(const Fsm& fsm, RuleId rule) {
  const auto deterministic = determinize(fsm, origins_, {options_.max_states});
  if (!deterministic) refuse_states(rule);
  Fsm cut;
  for (size_t s = 0; s < deterministic->n_states(); ++s) cut.add_state();
  for (size_t s = 0; s < deterministic->n_states(); ++s) {
    if (deterministic->is_accepting[s]) {
      cut.set_accepting(StateId(s));
      continue;
    }
    for (const TerminalEdge& edge : deterministic->terminals(StateId(s)))
      cut.add_terminal(StateId(s), edge.range, edge.to, edge.origins);
  }
  return cut;
}

Fsm RegularRules::bounded(const FrozenFsm& fsm, RuleId rule) const {
  const uint32_t max_chars = *grammar_.rule(rule).options->max_chars;
  const std::vector<uint32_t> distance = distances(fsm);
  if (distance[0] > max_chars) {
    refuse(ErrorKind::kGrammarError, "max_chars_too_small", rule,
           concat("rule `", grammar_.rule(rule).name, "` matches no text of at most ", max_chars,
                  " characters: the shortest has ", distance[0]),
           concat("write max_chars=", distance[0], " or more"));
  }
  // The states of the product are (state, code points read), made on demand.
  struct ProductState {
    uint32_t state;
    uint32_t n_read;  // code points begun
  };
  Fsm product;
  std::vector<ProductState> order;
  std::unordered_map<uint64_t, StateId> known;
  const auto number_of = [&](ProductState from) {
    const uint64_t key = (uint64_t{from.n_read} << 32) | from.state;
    const auto [found, is_new] = known.emplace(key, StateId());
    if (is_new) {
      if (order.size() >= options_.max_states) refuse_states(rule);
      found->second = product.add_state();
      if (fsm.is_accepting[from.state]) product.set_accepting(found->second);
      order.push_back(from);
    }
    return found->second;
  };
  number_of({0, 0});
  for (size_t i = 0; i < order.size(); ++i) {
    const ProductState from = order[i];
    for (const TerminalEdge& edge : fsm.terminals(StateId(from.state))) {
      for_each_part(edge.range, [&](ByteRange range, uint32_t n_characters) {
        const uint32_t n_read = from.n_read + n_characters;
        if (distance[edge.to.index()] > max_chars - std::min(n_read, max_chars) ||
            n_read > max_chars)
          return;
        product.add_terminal(StateId(i), range, number_of({edge.to.value, n_read}), edge.origins);
      });
    }
  }
  return product;
}

// ---- Refusals ----

void RegularRules::refuse(ErrorKind kind, const char* code, RuleId rule, std::string message,
                          std::string hint) const {
  const Rule& of = grammar_.rule(rule);
  SourceSpan span = of.options->span(OptionKind::kLazy);
  if (span.empty()) span = of.options->span(OptionKind::kMaxChars);
  if (std::string_view(code) == "max_chars_too_small")
    span = of.options->span(OptionKind::kMaxChars);
  if (span.empty()) span = of.name_span;
  throw Error(kind, {{code, Severity::kError, std::move(message), span, std::move(hint)}},
              *grammar_.source());
}

void RegularRules::refuse_states(RuleId rule) const {
  const Rule& of = grammar_.rule(rule);
  const bool is_counting = of.options && of.options->max_chars;
  refuse(ErrorKind::kLimitError, "too_many_states", cuts(of) ? rule : asked_,
         concat("rule `", of.name, "` needs more than ", options_.max_states,
                " states: its machine is made as a whole",
                is_counting ? ", once for each number of characters" : ""),
         is_counting ? "give it a smaller max_chars, or raise EngineOptions.max_fsm_states"
                     : "give the option to a smaller part, or raise EngineOptions.max_fsm_states");
}

}  // namespace xg2lab
