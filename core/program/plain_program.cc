// Tables out, and tables in with every check.
// Read: to_plain; Checker, rule by rule and then over all of them; from_plain.
#include "program/plain_program.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "program/plain_fields.h"
#include "support/bounds.h"
#include "support/error.h"
#include "support/field_checks.h"

namespace xg2lab {
namespace {

[[noreturn]] void refuse(const std::string& place, const std::string& what) {
  throw Error(ErrorKind::kDeserializeFormatError, "/program" + place + ": " + what,
              "use the text that serialize_json() returned, unchanged");
}

// The sizes of the tables that ids point into.
struct ProgramScope {
  size_t n_rules;
  size_t n_states;  // of the rule that the id belongs to
  size_t n_origin_sets;
  size_t n_source_bytes;
  size_t n_of(RuleId) const { return n_rules; }
  size_t n_of(StateId) const { return n_states; }
  size_t n_of(OriginSetId) const { return n_origin_sets; }
};

class Checker {
 public:
  Checker(const PlainProgram& plain, size_t n_source_bytes)
      : plain_(plain), n_source_bytes_(n_source_bytes) {}

  // The first state of each rule, and one past the last state.
  const std::vector<size_t>& first_states() const { return first_states_; }
  const std::vector<size_t>& first_terminals() const { return first_terminals_; }
  const std::vector<size_t>& first_calls() const { return first_calls_; }

  void check() {
    if (plain_.rules.empty()) refuse("/rules", "the list is empty");
    check_tables(plain_, scope(0), &refuse);
    check_sizes();
    check_spans();
    for (size_t r = 0; r < plain_.rules.size(); ++r) check_rule(r);
    check_children();
    check_member_rules();
    check_productive();
  }

 private:
  ProgramScope scope(size_t n_states) const {
    return {plain_.rules.size(), n_states, plain_.n_spans.size(), n_source_bytes_};
  }
  static std::string pointer_to(size_t rule) { return "/rules/" + std::to_string(rule); }
  const PlainState& state(size_t rule, size_t s) const {
    return plain_.states[first_states_[rule] + s];
  }

  void check_sizes() {
    uint64_t n_states = 0;
    for (const LoweredRule& rule : plain_.rules) {
      first_states_.push_back(n_states);
      n_states += rule.n_states;
    }
    if (n_states != plain_.states.size())
      refuse("/states", "their number differs from the rules' counts");
    first_states_.push_back(n_states);
    uint64_t n_terminals = 0;
    uint64_t n_calls = 0;
    for (const PlainState& s : plain_.states) {
      first_terminals_.push_back(n_terminals);
      first_calls_.push_back(n_calls);
      n_terminals += s.n_terminal_edges;
      n_calls += s.n_rule_edges;
    }
    if (n_terminals != plain_.terminal_edges.size()) {
      refuse("/terminal_edges", "their number differs from the states' counts");
    }
    if (n_calls != plain_.rule_edges.size()) {
      refuse("/rule_edges", "their number differs from the states' counts");
    }
    first_terminals_.push_back(n_terminals);
    first_calls_.push_back(n_calls);
    uint64_t n_spans = 0;
    for (uint32_t n : plain_.n_spans) n_spans += n;
    if (n_spans != plain_.spans.size()) refuse("/spans", "their number differs from n_spans");
  }

  void check_spans() const {
    size_t begin = 0;
    for (uint32_t n : plain_.n_spans) {
      for (size_t i = begin + 1; i < begin + n; ++i) {
        if (!(plain_.spans[i - 1] < plain_.spans[i])) refuse("/spans", "they are not in order");
      }
      begin += n;
    }
  }

  void check_rule(size_t r) const {
    const LoweredRule& rule = plain_.rules[r];
    for (size_t s = 0; s < rule.n_states; ++s) check_edges(r, s);
    if (rule.repetition) check_counted(r);
    if (rule.dispatch) check_dispatch(r);
    if (rule.options) check_options(r);
    if (rule.tokens) check_token_set(r);
    if (rule.any_order) check_any_order(r);
    if (rule.members) check_members(r);
    check_machine(r);
  }

  void check_edges(size_t r, size_t s) const {
    const size_t at = first_states_[r] + s;
    const ProgramScope own = scope(plain_.rules[r].n_states);
    const auto refuse_edge = [&](const char* what) {
      refuse("/states/" + std::to_string(at), what);
    };
    for (size_t i = first_terminals_[at]; i < first_terminals_[at + 1]; ++i) {
      check_fields(plain_.terminal_edges[i], own, refuse_edge);
      if (i > first_terminals_[at] &&
          !in_order(plain_.terminal_edges[i - 1], plain_.terminal_edges[i])) {
        refuse_edge("its terminal edges are not in order");
      }
    }
    for (size_t i = first_calls_[at]; i < first_calls_[at + 1]; ++i) {
      check_fields(plain_.rule_edges[i], own, refuse_edge);
      if (i > first_calls_[at] && !in_order(plain_.rule_edges[i - 1], plain_.rule_edges[i])) {
        refuse_edge("its rule edges are not in order");
      }
    }
  }

  static bool in_order(const TerminalEdge& a, const TerminalEdge& b) {
    const std::pair one(a.range.lo, a.range.hi);
    const std::pair other(b.range.lo, b.range.hi);
    // equal ranges are valid in a nondeterministic machine
    return one < other || (one == other && a.to != b.to);
  }
  static bool in_order(const RuleEdge& a, const RuleEdge& b) {
    return a.rule < b.rule || (a.rule == b.rule && a.to != b.to);
  }

  // A counted rule has one machine, whatever its bounds: see ProgramBuilder::add_counted_rule.
  void check_counted(size_t r) const {
    const LoweredRule& rule = plain_.rules[r];
    const Repetition& bounds = *rule.repetition;
    const bool has_bounds = bounds.min <= kMostRepetitions && bounds.min <= bounds.max &&
                            bounds.max > 0 && (!bounds.has_max() || bounds.max <= kMostRepetitions);
    if (!has_bounds) refuse(pointer_to(r), "its bounds are invalid");
    bool is_counting = rule.n_states == 2 && !rule.dispatch && state(r, 1).is_accepting &&
                       (bounds.min == 0 || !state(r, 0).is_accepting);
    for (size_t s = 0; is_counting && s < 2; ++s) {
      const PlainState& own = state(r, s);
      is_counting = own.n_terminal_edges == 0 && own.n_rule_edges == 1;
      if (!is_counting) break;
      const RuleEdge& edge = plain_.rule_edges[first_calls_[first_states_[r] + s]];
      const RuleEdge& first = plain_.rule_edges[first_calls_[first_states_[r]]];
      is_counting =
          edge.rule == bounds.child && edge.to.value == 1 && edge.origins == first.origins;
    }
    if (!is_counting)
      refuse(pointer_to(r), "it counts, and its machine is not that of a counted rule");
  }

  // An any-order rule has one machine, whatever its members: see
  // ProgramBuilder::add_any_order_rule.
  void check_any_order(size_t r) const {
    const LoweredRule& rule = plain_.rules[r];
    const AnyOrderFacts& facts = *rule.any_order;
    const size_t n_rules = plain_.rules.size();
    if (facts.member_rule.index() >= n_rules || facts.separator.index() >= n_rules)
      refuse(pointer_to(r), "its members or its separator do not exist");
    const AnyOrderBounds& bounds = facts.bounds;
    const bool has_bounds = bounds.is_possible() && !bounds.members.empty() &&
                            bounds.max_total > 0 && bounds.min_total <= kMostRepetitions &&
                            facts.names.size() == bounds.members.size();
    if (!has_bounds) refuse(pointer_to(r), "its bounds are invalid");
    const size_t first = first_states_[r];
    bool is_any_order = rule.n_states == 3 && !rule.dispatch && !rule.repetition && !rule.tokens &&
                        !rule.options && !rule.members &&
                        state(r, 0).is_accepting == bounds.may_be_empty() &&
                        state(r, 1).is_accepting && !state(r, 2).is_accepting;
    for (size_t s = 0; is_any_order && s < 3; ++s) {
      is_any_order = state(r, s).n_terminal_edges == 0 && state(r, s).n_rule_edges == 1;
      if (!is_any_order) break;
      const RuleEdge& edge = plain_.rule_edges[first_calls_[first + s]];
      is_any_order = edge.rule == (s == 1 ? facts.separator : facts.member_rule) &&
                     edge.to.value == (s == 1 ? 2u : 1u) &&
                     edge.origins == plain_.rule_edges[first_calls_[first]].origins;
    }
    if (!is_any_order) refuse(pointer_to(r), "it has members, and its machine is not theirs");
  }

  void check_members(size_t r) const {
    const LoweredRule& rule = plain_.rules[r];
    const MemberFacts& facts = *rule.members;
    const AnyOrderFacts* caller = facts.any_order.index() < plain_.rules.size()
                                      ? plain_.rules[facts.any_order.index()].any_order.get()
                                      : nullptr;
    const bool is_called = caller != nullptr && caller->member_rule == RuleId(r);
    const bool is_plain = !rule.dispatch && !rule.repetition && !rule.tokens && !rule.options &&
                          !rule.any_order && facts.ends.size() == rule.n_states;
    if (!is_called || !is_plain) refuse(pointer_to(r), "it is not a rule of members");
    std::vector<bool> has_end(caller->bounds.members.size());
    for (size_t s = 0; s < rule.n_states; ++s) {
      const std::vector<uint32_t>& ends = facts.ends[s];
      if (std::adjacent_find(ends.begin(), ends.end(), std::greater_equal<>()) != ends.end() ||
          (!ends.empty() && ends.back() >= has_end.size()) ||
          state(r, s).is_accepting == ends.empty())
        refuse("/states/" + std::to_string(first_states_[r] + s),
               "it ends members that it cannot end");
      for (uint32_t member : ends) has_end[member] = true;
    }
    if (std::find(has_end.begin(), has_end.end(), false) != has_end.end())
      refuse(pointer_to(r), "one of its members never ends");
  }

  // A member rule is called by its any-order rule only, as its members; no any-order rule is the
  // root.
  void check_member_rules() const {
    for (size_t r = 0; r < plain_.rules.size(); ++r) {
      const AnyOrderFacts* facts = plain_.rules[r].any_order.get();
      if (facts != nullptr) {
        const MemberFacts* members = plain_.rules[facts->member_rule.index()].members.get();
        if (members == nullptr || members->any_order != RuleId(r) ||
            facts->separator == facts->member_rule || RuleId(r) == plain_.root)
          refuse(pointer_to(r), "its members or its separator are used elsewhere");
      }
      const size_t end = first_calls_[first_states_[r + 1]];
      for (size_t i = first_calls_[first_states_[r]]; i < end; ++i) {
        const MemberFacts* called = plain_.rules[plain_.rule_edges[i].rule.index()].members.get();
        if (called != nullptr && called->any_order != RuleId(r))
          refuse(pointer_to(r), "it calls members of another rule");
      }
    }
    if (plain_.rules[plain_.root.index()].members) refuse("/root", "it is a rule of members");
  }

  void check_options(size_t r) const {
    const RunOptions& options = *plain_.rules[r].options;
    const bool make_sense =
        options.max_tokens.value_or(1) > 0 && options.max_tokens.value_or(1) <= kMostRepetitions &&
        (!options.temperature ||
         (std::isfinite(*options.temperature) && *options.temperature >= 0)) &&
        (!options.capture || (!options.capture->empty() && !plain_.rules[r].repetition)) &&
        (!options.parts || options.parts->index() < plain_.rules.size()) &&
        (!options.max_tokens || !plain_.rules[r].repetition) && !options.is_empty();
    if (!make_sense) refuse(pointer_to(r), "it has invalid options");
  }

  void check_dispatch(size_t r) const {
    const DispatchFacts& facts = *plain_.rules[r].dispatch;
    const auto refuse_facts = [&](const char* what) { refuse(pointer_to(r) + "/dispatch", what); };
    if (facts.positions.size() != plain_.rules[r].n_states)
      refuse_facts("it must have one dispatch position for each state");
    const size_t n_texts = facts.texts.size();
    if (facts.n_tags > n_texts || facts.n_stop_texts > n_texts - facts.n_tags) {
      refuse_facts("it has more tags and stop strings than texts");
    }
    for (const DispatchPosition& position : facts.positions) {
      if (position.mode > Mode::kDispatched)
        refuse_facts("a dispatch position has an unknown mode");
      if (position.mode == Mode::kNone ||
          (position.mode == Mode::kDispatching && position.n_read == 0)) {
        continue;
      }
      const bool is_valid = position.text < n_texts && position.n_read <= position.n_common &&
                            position.n_common <= facts.texts[position.text].size();
      if (!is_valid) refuse_facts("a dispatch position is outside the texts");
      if (position.mode == Mode::kDispatched && position.text >= facts.n_tags) {
        refuse_facts("a dispatch position is opened by a text that is not a tag");
      }
    }
  }

  // A token rule has one machine, whatever its set: see ProgramBuilder::add_token_rule. Whether its
  // ids are in the vocabulary can only be checked where the vocabulary is known.
  void check_token_set(size_t r) const {
    const LoweredRule& rule = plain_.rules[r];
    const std::vector<TokenId>& ids = rule.tokens->ids;
    if (ids.empty() && !rule.tokens->is_negated)
      refuse(pointer_to(r), "its set of tokens is empty");
    if (std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) != ids.end()) {
      refuse(pointer_to(r), "its tokens are out of order");
    }
    const size_t first = first_states_[r];
    const bool is_token_edge = rule.n_states == 2 && !rule.dispatch && !rule.repetition &&
                               !state(r, 0).is_accepting && state(r, 1).is_accepting &&
                               first_terminals_[first] == first_terminals_[first + 2] &&
                               first_calls_[first] == first_calls_[first + 2];
    if (!is_token_edge) refuse(pointer_to(r), "it has tokens, and its machine is not a token edge");
  }

  // Calls visit(target) for each edge of a state.
  template <class Visit>
  void for_each_target(size_t at, Visit&& visit) const {
    for (size_t i = first_terminals_[at]; i < first_terminals_[at + 1]; ++i) {
      visit(plain_.terminal_edges[i].to.index());
    }
    for (size_t i = first_calls_[at]; i < first_calls_[at + 1]; ++i) {
      visit(plain_.rule_edges[i].to.index());
    }
  }

  // Every state is reachable from the start and can reach an accepting state (I2 of program.h).
  void check_machine(size_t r) const {
    if (plain_.rules[r].tokens) return;  // check_token_set checks this machine
    const size_t n = plain_.rules[r].n_states;
    const size_t first = first_states_[r];
    std::vector<bool> reached(n, false);
    std::vector<size_t> agenda{0};
    reached[0] = true;
    std::vector<size_t> n_before(n + 1, 0);  // index: state; edges into the states before it
    while (!agenda.empty()) {
      const size_t s = agenda.back();
      agenda.pop_back();
      for_each_target(first + s, [&](size_t to) {
        ++n_before[to + 1];
        if (reached[to]) return;
        reached[to] = true;
        agenda.push_back(to);
      });
    }
    for (size_t s = 0; s < n; ++s) {
      if (!reached[s]) refuse("/states/" + std::to_string(first + s), "nothing leads to it");
      n_before[s + 1] += n_before[s];
    }
    std::vector<size_t> sources(n_before[n]);
    std::vector<size_t> next(n_before.begin(), n_before.end() - 1);
    for (size_t s = 0; s < n; ++s) {
      for_each_target(first + s, [&](size_t to) { sources[next[to]++] = s; });
    }
    std::vector<bool> ends(n, false);
    for (size_t s = 0; s < n; ++s) {
      if (!plain_.states[first + s].is_accepting) continue;
      ends[s] = true;
      agenda.push_back(s);
    }
    while (!agenda.empty()) {
      const size_t s = agenda.back();
      agenda.pop_back();
      for (size_t i = n_before[s]; i < n_before[s + 1]; ++i) {
        if (ends[sources[i]]) continue;
        ends[sources[i]] = true;
        agenda.push_back(sources[i]);
      }
    }
    for (size_t s = 0; s < n; ++s) {
      if (!ends[s]) refuse("/states/" + std::to_string(first + s), "its rule can't end from it");
    }
  }

  // The child of a counted rule is called by that rule only (I4) and is not a counted rule itself.
  void check_children() const {
    const size_t n = plain_.rules.size();
    std::vector<size_t> counted_by(n, n);
    for (size_t r = 0; r < n; ++r) {
      if (!plain_.rules[r].repetition) continue;
      const size_t child = plain_.rules[r].repetition->child.index();
      if (counted_by[child] != n || RuleId(child) == plain_.root ||
          plain_.rules[child].repetition) {
        refuse(pointer_to(r), "its child is used elsewhere");
      }
      counted_by[child] = r;
    }
    for (size_t r = 0; r < n; ++r) {
      const size_t end = first_calls_[first_states_[r + 1]];
      for (size_t i = first_calls_[first_states_[r]]; i < end; ++i) {
        const size_t called = plain_.rule_edges[i].rule.index();
        if (counted_by[called] != n && counted_by[called] != r) {
          refuse(pointer_to(r), "it calls the child of a rule that counts");
        }
      }
    }
  }

  // Every rule matches some string (I2). A state passes a call once the called rule is known to
  // match some string.
  void check_productive() const {
    const size_t n = plain_.rules.size();
    std::vector<bool> matches(n, false);
    std::vector<bool> reached(plain_.states.size(), false);
    // index: rule; states after a call of it that is not passed yet
    std::vector<std::vector<size_t>> waiting(n);
    std::vector<size_t> agenda;
    std::vector<size_t> rule_of(plain_.states.size());
    const auto reach = [&](size_t at) {
      if (reached[at]) return;
      reached[at] = true;
      agenda.push_back(at);
    };
    for (size_t r = 0; r < n; ++r) {
      for (size_t at = first_states_[r]; at < first_states_[r + 1]; ++at) rule_of[at] = r;
      reach(first_states_[r]);
    }
    while (!agenda.empty()) {
      const size_t at = agenda.back();
      agenda.pop_back();
      const size_t own = rule_of[at];
      if (plain_.states[at].is_accepting && !matches[own]) {
        matches[own] = true;
        for (size_t to : waiting[own]) reach(to);
        waiting[own].clear();
      }
      if (plain_.rules[own].tokens) reach(first_states_[own] + 1);
      for (size_t i = first_terminals_[at]; i < first_terminals_[at + 1]; ++i) {
        reach(first_states_[own] + plain_.terminal_edges[i].to.index());
      }
      for (size_t i = first_calls_[at]; i < first_calls_[at + 1]; ++i) {
        const RuleEdge& edge = plain_.rule_edges[i];
        const size_t to = first_states_[own] + edge.to.index();
        if (matches[edge.rule.index()]) {
          reach(to);
        } else {
          waiting[edge.rule.index()].push_back(to);
        }
      }
    }
    for (size_t r = 0; r < n; ++r) {
      if (!matches[r]) refuse(pointer_to(r), "it can't match anything");
    }
  }

  const PlainProgram& plain_;
  const size_t n_source_bytes_;
  std::vector<size_t> first_states_;
  std::vector<size_t> first_terminals_;  // index: state
  std::vector<size_t> first_calls_;      // index: state
};

FrozenFsm machine_of(const PlainProgram& plain, const Checker& at, size_t rule) {
  const size_t begin = at.first_states()[rule];
  const size_t end = at.first_states()[rule + 1];
  const size_t terminal = at.first_terminals()[begin];
  const size_t call = at.first_calls()[begin];
  FrozenFsm fsm;
  fsm.terminal_edges.assign(
      plain.terminal_edges.begin() + static_cast<ptrdiff_t>(terminal),
      plain.terminal_edges.begin() + static_cast<ptrdiff_t>(at.first_terminals()[end]));
  fsm.rule_edges.assign(plain.rule_edges.begin() + static_cast<ptrdiff_t>(call),
                        plain.rule_edges.begin() + static_cast<ptrdiff_t>(at.first_calls()[end]));
  for (size_t s = begin; s <= end; ++s) {
    fsm.terminal_begin.push_back(static_cast<uint32_t>(at.first_terminals()[s] - terminal));
    fsm.rule_begin.push_back(static_cast<uint32_t>(at.first_calls()[s] - call));
    if (s < end) fsm.is_accepting.push_back(plain.states[s].is_accepting);
  }
  return fsm;
}

// The bounds before ProgramBuilder::add_counted_rule lowered the minimum to 0, as it does if the
// child is nullable.
Repetition unsettled(const PlainProgram& plain, const Checker& at, size_t rule) {
  Repetition bounds = *plain.rules[rule].repetition;
  if (bounds.min == 0 && !plain.states[at.first_states()[rule]].is_accepting) bounds.min = 1;
  return bounds;
}

}  // namespace

std::vector<PlainRunOptions> rows_of_run_options(const PlainProgram& plain) {
  std::vector<PlainRunOptions> rows;
  for (size_t r = 0; r < plain.rules.size(); ++r) {
    if (plain.rules[r].options) rows.push_back({RuleId(r), *plain.rules[r].options});
  }
  return rows;
}

void add_run_options(PlainProgram& plain, PlainRunOptions row) {
  if (row.rule.index() >= plain.rules.size())
    throw std::invalid_argument("options belong to a rule that does not exist");
  LoweredRule& rule = plain.rules[row.rule.index()];
  if (rule.options) throw std::invalid_argument("a rule has options twice");
  rule.options = std::make_shared<const RunOptions>(std::move(row.options));
}

std::vector<PlainAnyOrder> rows_of_any_order(const PlainProgram& plain) {
  std::vector<PlainAnyOrder> rows;
  for (size_t r = 0; r < plain.rules.size(); ++r) {
    const AnyOrderFacts* facts = plain.rules[r].any_order.get();
    if (facts == nullptr) continue;
    rows.push_back({RuleId(r), *facts, plain.rules[facts->member_rule.index()].members->ends});
  }
  return rows;
}

void add_any_order(PlainProgram& plain, PlainAnyOrder row) {
  const RuleId member_rule = row.facts.member_rule;
  if (row.rule.index() >= plain.rules.size() || member_rule.index() >= plain.rules.size())
    throw std::invalid_argument("members belong to a rule that does not exist");
  auto& facts = plain.rules[row.rule.index()].any_order;
  auto& members = plain.rules[member_rule.index()].members;
  if (facts || members) throw std::invalid_argument("a rule has members twice");
  facts = std::make_shared<const AnyOrderFacts>(std::move(row.facts));
  members = std::make_shared<const MemberFacts>(MemberFacts{row.rule, std::move(row.ends), {}, {}});
}

PlainProgram to_plain(const Program& program) {
  PlainProgram plain;
  plain.root = program.root();
  // Origin sets in the order in which edges refer to them. The construction leaves many sets that
  // no edge of the final machines refers to; these are dropped.
  std::unordered_map<OriginSetId, uint32_t> number_of;
  const auto numbered = [&](OriginSetId origins) {
    const auto [known, is_new] =
        number_of.emplace(origins, static_cast<uint32_t>(plain.n_spans.size()));
    if (is_new) {
      const auto spans = program.spans(origins);
      plain.n_spans.push_back(static_cast<uint32_t>(spans.size()));
      plain.spans.insert(plain.spans.end(), spans.begin(), spans.end());
    }
    return OriginSetId(known->second);
  };
  for (size_t r = 0; r < program.n_rules(); ++r) {
    const ProgramRule& rule = program.rule(RuleId(r));
    plain.rules.push_back(rule);  // without the facts that the builder derives
    for (uint32_t s = rule.first_state; s < rule.first_state + rule.n_states; ++s) {
      const auto terminals = program.terminals(StateId(s));
      const auto calls = program.calls(StateId(s));
      plain.states.push_back({program.is_accepting(StateId(s)),
                              static_cast<uint32_t>(terminals.size()),
                              static_cast<uint32_t>(calls.size())});
      for (const TerminalEdge& edge : terminals) {
        plain.terminal_edges.push_back(
            {edge.range, StateId(edge.to.value - rule.first_state), numbered(edge.origins)});
      }
      for (const CallEdge& edge : calls) {
        plain.rule_edges.push_back(
            {edge.rule, StateId(edge.to.value - rule.first_state), numbered(edge.origins)});
      }
    }
  }
  return plain;
}

Program from_plain(const PlainProgram& plain, std::shared_ptr<const SourceText> source) {
  Checker checker(plain, source->text().size());
  checker.check();
  ProgramBuilder builder;
  for (size_t r = 0; r < plain.rules.size(); ++r) {
    const LoweredRule& rule = plain.rules[r];
    ProgramRule made;
    static_cast<LoweredRule&>(made) = rule;
    if (rule.tokens) {
      builder.add_token_rule(std::move(made));
    } else if (rule.any_order) {
      const size_t first_call = checker.first_calls()[checker.first_states()[r]];
      builder.add_any_order_rule(std::move(made), *rule.any_order,
                                 plain.rule_edges[first_call].origins);
    } else if (rule.members) {
      builder.add_member_rule(std::move(made), machine_of(plain, checker, r),
                              {rule.members->any_order, rule.members->ends, {}, {}});
    } else if (rule.repetition) {
      const size_t first_call = checker.first_calls()[checker.first_states()[r]];
      builder.add_counted_rule(std::move(made), unsettled(plain, checker, r),
                               plain.rule_edges[first_call].origins);
    } else {
      builder.add_rule(std::move(made), machine_of(plain, checker, r));
    }
  }
  std::vector<SourceSpan> spans;
  auto at = plain.spans.begin();
  for (uint32_t n : plain.n_spans) {
    spans.assign(at, at + n);
    builder.add_origins(spans);
    at += n;
  }
  builder.set_source(std::move(source));
  Program program = std::move(builder).build(plain.root);
  for (size_t r = 0; r < plain.rules.size(); ++r) {
    if (plain.rules[r].members && program.rule(RuleId(r)).is_nullable)
      refuse("/rules/" + std::to_string(r), "one of its members matches the empty string");
    const auto& bounds = plain.rules[r].repetition;
    if (bounds && program.rule(RuleId(r)).repetition->min != bounds->min) {
      refuse("/rules/" + std::to_string(r), "its child matches the empty string, and is counted");
    }
  }
  return program;
}

}  // namespace xg2lab
