// Read: add_rule (states renumbered), then the facts derived once all rules are there: tail edges,
// nullable rules, repetitions, byte classes, symbols of tokens, return states, unique contexts.
// A builder that started with a program derives them of the rules added since, where the facts of
// the earlier rules can't change.
#include "program/program.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "support/interned_rows.h"
#include "support/sort_unique.h"

namespace xg2lab {

std::span<const StateId> Program::return_states(RuleId rule) const {
  const uint32_t begin = return_begin_[rule.index()];
  return {return_states_.data() + begin, return_begin_[rule.index() + 1] - begin};
}

std::span<const SourceSpan> Program::spans(OriginSetId origins) const {
  if (origins.index() + 1 >= span_begin_.size()) return {};
  const uint32_t begin = span_begin_[origins.index()];
  return {span_table_.data() + begin, span_begin_[origins.index() + 1] - begin};
}

uint32_t Program::token_symbol(TokenId token) const {
  const auto at = std::lower_bound(
      token_symbols_.begin(), token_symbols_.end(), token,
      [](const std::pair<TokenId, uint32_t>& entry, TokenId id) { return entry.first < id; });
  const bool is_listed = at != token_symbols_.end() && at->first == token;
  return static_cast<uint32_t>(n_byte_classes_) + (is_listed ? at->second : 0);
}

uint32_t Program::any_order_number(StateId state) const {
  const ProgramRule& owner = rule(rule_of(state));
  return (owner.members ? rule(owner.members->any_order) : owner).any_order->number;
}

bool Program::has_choice_of_members(StateId state) const {
  if (kind(state) != StateKind::kMember) return false;
  const MemberRanges& reached = members_reached(state);
  return reached.size() > 1 || reached.front().end - reached.front().begin > 1;
}

size_t Program::memory_size_bytes() const {
  size_t bytes = sizeof(Program);
  for (const ProgramRule& rule : rules_) {
    bytes += sizeof(ProgramRule) + rule.name.size();
    if (rule.tokens) bytes += rule.tokens->ids.size() * sizeof(TokenId);
    if (rule.any_order) {
      bytes += sizeof(AnyOrderFacts) + rule.any_order->bounds.members.size() * sizeof(MemberBounds);
      for (const std::string& name : rule.any_order->names) bytes += sizeof(name) + name.size();
    }
    if (rule.members) {
      bytes +=
          sizeof(MemberFacts) + rule.n_states * (sizeof(std::vector<uint32_t>) + sizeof(uint32_t));
      for (const auto& ends : rule.members->ends) bytes += ends.size() * sizeof(uint32_t);
      for (const auto& reach : rule.members->reach_sets)
        bytes += sizeof(reach) + reach.size() * sizeof(MemberRange);
    }
    if (!rule.dispatch) continue;
    bytes += rule.dispatch->positions.size() * sizeof(DispatchPosition);
    for (const std::string& text : rule.dispatch->texts) bytes += sizeof(text) + text.size();
  }
  bytes +=
      rule_of_.size() * (sizeof(RuleId) + 3) + token_symbols_.size() * sizeof(token_symbols_[0]);
  bytes += terminal_edges_.size() * sizeof(TerminalEdge) + call_edges_.size() * sizeof(CallEdge);
  bytes += (terminal_begin_.size() + call_begin_.size() + return_begin_.size()) * sizeof(uint32_t);
  bytes += return_states_.size() * sizeof(StateId) + span_table_.size() * sizeof(SourceSpan);
  return bytes + span_begin_.size() * sizeof(uint32_t) + source_->text().size();
}

ProgramBuilder::ProgramBuilder(const Program& known)
    : program_(known),
      n_known_rules_(known.n_rules()),
      n_known_terminals_(known.terminal_edges_.size()),
      n_known_calls_(known.call_edges_.size()) {
  // build() adds the ends of the last rows again
  program_.terminal_begin_.pop_back();
  program_.call_begin_.pop_back();
  program_.span_begin_.pop_back();
}

void ProgramBuilder::add_rule(ProgramRule rule, const FrozenFsm& fsm) {
  const auto offset = static_cast<uint32_t>(program_.rule_of_.size());
  const RuleId id(program_.rules_.size());
  rule.first_state = offset;
  rule.n_states = static_cast<uint32_t>(fsm.n_states());
  program_.rules_.push_back(std::move(rule));
  const auto first_terminal = static_cast<uint32_t>(program_.terminal_edges_.size());
  const auto first_call = static_cast<uint32_t>(program_.call_edges_.size());
  const size_t n_states = offset + fsm.n_states();
  program_.rule_of_.resize(n_states, id);
  program_.kind_.resize(n_states, StateKind::kPlain);
  program_.is_before_token_.resize(n_states, 0);
  program_.is_accepting_.resize(n_states);
  for (size_t s = 0; s < fsm.n_states(); ++s)
    program_.is_accepting_[offset + s] = fsm.is_accepting[s] ? 1 : 0;
  const auto append = [&](std::vector<uint32_t>& begins, const std::vector<uint32_t>& more,
                          uint32_t first) {
    begins.resize(n_states);
    for (size_t s = 0; s + 1 < more.size(); ++s) begins[offset + s] = first + more[s];
  };
  append(program_.terminal_begin_, fsm.terminal_begin, first_terminal);
  append(program_.call_begin_, fsm.rule_begin, first_call);
  for (const RuleEdge& edge : fsm.rule_edges)
    program_.call_edges_.push_back(
        {edge.rule, StateId(edge.to.value + offset), false, edge.origins});
  auto& terminals = program_.terminal_edges_;
  terminals.insert(terminals.end(), fsm.terminal_edges.begin(), fsm.terminal_edges.end());
  for (size_t i = first_terminal; i < terminals.size(); ++i) {
    terminals[i].to = StateId(terminals[i].to.value + offset);
  }
}

void ProgramBuilder::add_token_rule(ProgramRule rule) {
  static const FrozenFsm fsm = [] {
    FrozenFsm made;
    made.is_accepting = {false, true};
    made.terminal_begin = made.rule_begin = {0, 0, 0};
    return made;
  }();
  add_rule(std::move(rule), fsm);
  program_.is_before_token_[program_.rules_.back().start().index()] = 1;
  program_.has_token_edges_ = true;
}

void ProgramBuilder::add_counted_rule(ProgramRule rule, const Repetition& repetition,
                                      OriginSetId origins) {
  // Before the first match (0), after at least one (1). The facts derived below treat a counted
  // rule as child+.
  FrozenFsm fsm;
  fsm.is_accepting = {repetition.min == 0, true};
  fsm.terminal_begin = {0, 0, 0};
  fsm.rule_begin = {0, 1, 2};
  fsm.rule_edges = {{repetition.child, StateId(1), origins},
                    {repetition.child, StateId(1), origins}};
  rule.repetition = repetition;
  add_rule(std::move(rule), fsm);
  std::fill(program_.kind_.end() - 2, program_.kind_.end(), StateKind::kCounted);
}

void ProgramBuilder::add_any_order_rule(ProgramRule rule, AnyOrderFacts facts,
                                        OriginSetId origins) {
  FrozenFsm fsm;
  fsm.is_accepting = {facts.bounds.may_be_empty(), true, false};
  fsm.terminal_begin = {0, 0, 0, 0};
  fsm.rule_begin = {0, 1, 2, 3};
  fsm.rule_edges = {{facts.member_rule, StateId(1), origins},
                    {facts.separator, StateId(2), origins},
                    {facts.member_rule, StateId(1), origins}};
  facts.number = static_cast<uint32_t>(program_.any_order_rules_.size());
  program_.any_order_rules_.emplace_back(program_.rules_.size());
  rule.any_order = std::make_shared<const AnyOrderFacts>(std::move(facts));
  add_rule(std::move(rule), fsm);
  std::fill(program_.kind_.end() - 3, program_.kind_.end(), StateKind::kAnyOrder);
}

void ProgramBuilder::add_member_rule(ProgramRule rule, const FrozenFsm& fsm, MemberFacts facts) {
  rule.members = std::make_shared<const MemberFacts>(std::move(facts));
  add_rule(std::move(rule), fsm);
  const auto n = static_cast<ptrdiff_t>(fsm.n_states());
  std::fill(program_.kind_.end() - n, program_.kind_.end(), StateKind::kMember);
}

namespace {

// The machine of a rule, with called rules mapped.
FrozenFsm machine_of(const Program& program, RuleId rule, std::span<const RuleId> rules) {
  const ProgramRule& of = program.rule(rule);
  FrozenFsm fsm;
  for (uint32_t s = 0; s < of.n_states; ++s) {
    const StateId state(of.first_state + s);
    fsm.begin_state();
    fsm.is_accepting.push_back(program.is_accepting(state));
    for (TerminalEdge edge : program.terminals(state)) {
      edge.to = StateId(edge.to.value - of.first_state);
      fsm.terminal_edges.push_back(edge);
    }
    for (const CallEdge& edge : program.calls(state)) {
      fsm.rule_edges.push_back(
          {rules[edge.rule.index()], StateId(edge.to.value - of.first_state), edge.origins});
    }
  }
  fsm.begin_state();
  return fsm;
}

}  // namespace

void ProgramBuilder::add_copy(const Program& from, RuleId rule, std::span<const RuleId> rules,
                              std::string name) {
  const ProgramRule& of = from.rule(rule);
  ProgramRule copy;
  static_cast<LoweredRule&>(copy) = of;
  copy.name = std::move(name);
  if (copy.options && copy.options->parts) {
    RunOptions options = *copy.options;
    options.parts = rules[options.parts->index()];
    copy.options = std::make_shared<const RunOptions>(std::move(options));
  }
  if (copy.tokens) return add_token_rule(std::move(copy));
  if (copy.repetition) {
    Repetition repetition = *copy.repetition;
    repetition.child = rules[repetition.child.index()];
    // settle_repetitions lowered the minimum
    if (repetition.min == 0 && !from.is_accepting(of.start())) repetition.min = 1;
    return add_counted_rule(std::move(copy), repetition, from.calls(of.start())[0].origins);
  }
  if (copy.any_order) {
    AnyOrderFacts facts = *copy.any_order;
    facts.member_rule = rules[facts.member_rule.index()];
    facts.separator = rules[facts.separator.index()];
    return add_any_order_rule(std::move(copy), std::move(facts), from.calls(of.start())[0].origins);
  }
  FrozenFsm machine = machine_of(from, rule, rules);
  if (!copy.members) return add_rule(std::move(copy), machine);
  MemberFacts facts = *copy.members;
  facts.any_order = rules[facts.any_order.index()];
  add_member_rule(std::move(copy), machine, std::move(facts));
}

void ProgramBuilder::add_origins(std::vector<SourceSpan>& spans) {
  if (spans.size() > 1) sort_unique(spans);
  program_.span_begin_.push_back(static_cast<uint32_t>(program_.span_table_.size()));
  program_.span_table_.insert(program_.span_table_.end(), spans.begin(), spans.end());
}

void ProgramBuilder::copy_origins(const Program& from) {
  program_.source_ = from.source_;
  program_.span_table_ = from.span_table_;
  program_.span_begin_ = from.span_begin_;
  program_.span_begin_.pop_back();  // build() adds it again
}

Program ProgramBuilder::build(RuleId root) && {
  program_.root_ = root;
  program_.terminal_begin_.push_back(static_cast<uint32_t>(program_.terminal_edges_.size()));
  program_.call_begin_.push_back(static_cast<uint32_t>(program_.call_edges_.size()));
  program_.span_begin_.push_back(static_cast<uint32_t>(program_.span_table_.size()));
  // Each derivation below may use the facts derived before it. settle_repetitions needs the
  // nullable rules.
  find_options();
  find_members_reached();
  mark_tails();
  find_nullable();
  settle_repetitions();
  find_byte_classes();
  find_token_symbols();
  find_return_states();
  find_unique_contexts();
  return std::move(program_);
}

// A call stays a call if either rule has options, or if it is in a member rule (I6).
void ProgramBuilder::mark_tails() {
  for (size_t i = n_known_calls_; i < program_.call_edges_.size(); ++i) {
    CallEdge& edge = program_.call_edges_[i];
    const ProgramRule& caller = program_.rule(program_.rule_of(edge.to));
    const bool stays_call =
        program_.rule(edge.rule).options != nullptr || caller.options != nullptr || caller.members;
    edge.is_tail = !stays_call && program_.is_accepting(edge.to) &&
                   program_.terminals(edge.to).empty() && program_.calls(edge.to).empty();
  }
}

void ProgramBuilder::find_options() {
  for (size_t r = n_known_rules_; r < program_.n_rules(); ++r) {
    const ProgramRule& rule = program_.rule(RuleId(r));
    program_.has_absent_contents_ = program_.has_absent_contents_ || rule.absent_content;
    if (!rule.options) continue;
    program_.has_budgets_ = program_.has_budgets_ || rule.options->max_tokens;
    program_.has_temperatures_ = program_.has_temperatures_ || rule.options->temperature;
    program_.has_captures_ = program_.has_captures_ || rule.options->capture;
  }
}

void ProgramBuilder::find_nullable() {
  // A rule is nullable if its start reaches an accepting state over calls of nullable rules. The
  // set of reached states grows as more rules turn out to be nullable; a state after a call of a
  // rule that is not known to be nullable waits until it is.
  const size_t n = program_.n_rules();
  std::vector<bool> reached(program_.n_states(), false);
  std::vector<std::vector<uint32_t>> waiting(
      n);  // states after calls from reached states, resumed once this rule is nullable
  std::vector<uint32_t> agenda;
  auto reach = [&](StateId state) {
    if (reached[state.index()]) return;
    reached[state.index()] = true;
    agenda.push_back(state.value);
  };
  for (size_t r = n_known_rules_; r < n; ++r) reach(program_.rule(RuleId(r)).start());
  while (!agenda.empty()) {
    const StateId state(agenda.back());
    agenda.pop_back();
    ProgramRule& rule = program_.rules_[program_.rule_of(state).index()];
    if (program_.is_accepting(state) && !rule.is_nullable) {
      rule.is_nullable = true;
      for (uint32_t to : waiting[program_.rule_of(state).index()]) reach(StateId(to));
    }
    for (const CallEdge& edge : program_.calls(state)) {
      if (program_.rule(edge.rule).is_nullable) {
        reach(edge.to);
      } else if (edge.rule.index() >= n_known_rules_) {
        waiting[edge.rule.index()].push_back(edge.to.value);
      }
    }
  }
}

// An empty match of a nullable child can make up any missing repetition, so its minimum is 0.
void ProgramBuilder::settle_repetitions() {
  for (size_t r = n_known_rules_; r < program_.n_rules(); ++r) {
    ProgramRule& rule = program_.rules_[r];
    if (!rule.repetition) continue;
    program_.has_repetitions_ = true;
    ProgramRule& child = program_.rules_[rule.repetition->child.index()];
    child.repeated_by = RuleId(r);
    if (child.is_nullable) rule.repetition->min = 0;
  }
}

// The members that a state can reach are computed from the states in which members end, backwards
// along the edges. A state is visited again if one of its targets gained members; a machine that is
// a tree of keys is visited once, from the leaves up.
namespace {

// Interns sets of members, and remembers the unions already computed.
class ReachTable {
 public:
  explicit ReachTable(std::vector<MemberRanges>& sets) : sets_(sets) { sets_.assign(1, {}); }

  // The union of the sets `ids` and of `members`. Sorts `ids`.
  uint32_t unite(std::vector<uint32_t>& ids, std::span<const uint32_t> members) {
    sort_unique(ids);
    if (members.empty() && ids.size() == 1) return ids.front();
    const size_t n_ids = ids.size();
    ids.push_back(UINT32_MAX);
    ids.insert(ids.end(), members.begin(), members.end());
    const auto [row, is_new] = unions_.add(ids);
    if (is_new) {
      MemberRanges all;
      for (uint32_t member : members) all.push_back({member, member + 1});
      for (size_t i = 0; i < n_ids; ++i)
        all.insert(all.end(), sets_[ids[i]].begin(), sets_[ids[i]].end());
      all = joined(std::move(all));
      words_.clear();
      for (const MemberRange range : all) words_.insert(words_.end(), {range.begin, range.end});
      const auto [set, is_new_set] = by_words_.add(words_);
      if (is_new_set && set > 0) sets_.push_back(std::move(all));
      of_union_.push_back(set);
    }
    return of_union_[row];
  }

 private:
  std::vector<MemberRanges>& sets_;
  InternedRows by_words_;  // index of sets_
  InternedRows unions_;
  std::vector<uint32_t> of_union_;  // by row of unions_
  std::vector<uint32_t> words_;
};

}  // namespace

// A state reaches the members that its targets reach, so the states are visited from last to first.
// States are numbered breadth-first, so few edges lead backwards; the rounds are repeated until no
// state with a backward edge changes.
void ProgramBuilder::find_members_reached() {
  for (ProgramRule& rule : program_.rules_) {
    if (!rule.members || !rule.members->reach.empty()) continue;
    MemberFacts facts = *rule.members;
    ReachTable table(facts.reach_sets);
    std::vector<uint32_t> ids;
    table.unite(ids, {});  // the empty set is number 0
    facts.reach.assign(rule.n_states, 0);
    std::vector<uint32_t> backwards;  // states with a backward edge, found in the first round
    const auto reached_from = [&](uint32_t s, auto note) {
      ids.clear();
      const auto add = [&](const auto& edge) {
        const uint32_t to = edge.to.value - rule.first_state;
        if (to < s) note();
        const uint32_t id = facts.reach[to];
        if (ids.empty() || ids.back() != id) ids.push_back(id);
      };
      const StateId state(rule.first_state + s);
      for (const TerminalEdge& edge : program_.terminals(state)) add(edge);
      for (const CallEdge& edge : program_.calls(state)) add(edge);
      const std::vector<uint32_t>& ends = facts.ends[s];
      return ids.size() == 1 && ends.empty() ? ids.front() : table.unite(ids, ends);
    };
    const auto ignore = [] {};
    // A round visits the states from last to first, so a state can miss members only through a
    // backward edge. The rounds end once all states with a backward edge are settled.
    for (uint32_t s = rule.n_states; s-- > 0;) {
      facts.reach[s] = reached_from(s, [&] {
        if (backwards.empty() || backwards.back() != s) backwards.push_back(s);
      });
    }
    const auto is_settled = [&](uint32_t s) { return reached_from(s, ignore) == facts.reach[s]; };
    while (!std::ranges::all_of(backwards, is_settled)) {
      for (uint32_t s = rule.n_states; s-- > 0;) facts.reach[s] = reached_from(s, ignore);
    }
    rule.members = std::make_shared<const MemberFacts>(std::move(facts));
  }
}

// Bytes that no edge separates share a class: a class is a maximal range without the start or the
// end of an edge's range inside (I3).
void ProgramBuilder::find_byte_classes() {
  std::array<bool, 257> is_boundary{};
  for (size_t byte = 1; byte < 256; ++byte)
    is_boundary[byte] = program_.byte_class_[byte] != program_.byte_class_[byte - 1];
  for (size_t i = n_known_terminals_; i < program_.terminal_edges_.size(); ++i) {
    const ByteRange range = program_.terminal_edges_[i].range;
    is_boundary[range.lo] = true;
    is_boundary[static_cast<size_t>(range.hi) + 1] = true;
  }
  uint8_t current = 0;
  for (size_t byte = 0; byte < 256; ++byte) {
    if (byte > 0 && is_boundary[byte]) ++current;
    program_.byte_class_[byte] = current;
  }
  program_.n_byte_classes_ = static_cast<size_t>(current) + 1;
}

void ProgramBuilder::find_token_symbols() {
  const auto added = std::span(program_.rules_).subspan(n_known_rules_);
  if (std::ranges::none_of(added, [](const ProgramRule& rule) { return rule.tokens != nullptr; }))
    return;
  program_.token_symbols_.clear();
  // each token that a rule's set lists, with the rule
  std::vector<std::pair<TokenId, uint32_t>> listed;
  for (uint32_t r = 0; r < program_.n_rules(); ++r) {
    const ProgramRule& rule = program_.rules_[r];
    if (!rule.tokens) continue;
    for (TokenId token : rule.tokens->ids) listed.emplace_back(token, r);
  }
  std::ranges::sort(listed);
  // Tokens listed by the same rules share a symbol (I5). Symbol 0 is that of all tokens that no
  // rule lists. Most tokens are listed by one rule, which then gives the class without a look-up.
  std::vector<uint32_t> class_of_one(program_.n_rules(), 0);
  std::map<std::vector<uint32_t>, uint32_t> class_of_many;
  uint32_t n_classes = 0;
  for (size_t i = 0; i < listed.size();) {
    size_t end = i + 1;
    while (end < listed.size() && listed[end].first == listed[i].first) ++end;
    uint32_t* symbol = &class_of_one[listed[i].second];
    if (end > i + 1) {
      std::vector<uint32_t> rules;
      for (size_t j = i; j < end; ++j) rules.push_back(listed[j].second);
      symbol = &class_of_many[std::move(rules)];
    }
    if (*symbol == 0) *symbol = ++n_classes;
    program_.token_symbols_.emplace_back(listed[i].first, *symbol);
    i = end;
  }
  program_.n_token_symbols_ = size_t{n_classes} + 1;
}

// Counting sort of the return states by called rule. Calls are mostly in the order of the states
// after them, so few rows need to be sorted.
void ProgramBuilder::find_return_states() {
  std::vector<uint32_t> end(program_.n_rules() + 1, 0);
  for (const CallEdge& edge : program_.call_edges_) ++end[edge.rule.index() + 1];
  for (size_t i = 1; i < end.size(); ++i) end[i] += end[i - 1];
  std::vector<StateId> states(program_.call_edges_.size());
  for (const CallEdge& edge : program_.call_edges_) states[end[edge.rule.index()]++] = edge.to;
  program_.return_begin_.assign(1, 0);
  program_.return_begin_.reserve(program_.n_rules() + 1);
  program_.return_states_.clear();
  program_.return_states_.reserve(states.size());
  size_t begin = 0;
  for (size_t r = 0; r < program_.n_rules(); ++r) {
    const auto row = std::span(states).subspan(begin, end[r] - begin);
    begin = end[r];
    if (!std::ranges::is_sorted(row)) std::ranges::sort(row);
    std::ranges::unique_copy(row, std::back_inserter(program_.return_states_));
    program_.return_begin_.push_back(static_cast<uint32_t>(program_.return_states_.size()));
  }
}

void ProgramBuilder::find_unique_contexts() {
  const size_t n = program_.n_rules();
  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> n_sites(n, 0);
  std::vector<uint32_t> caller(n, kNone);
  for (const CallEdge& edge : program_.call_edges_) {  // both ends belong to one rule
    // A call within an any-order rule counts as two call sites: the text that may follow the called
    // rule also depends on the members matched, so the rule has no unique context.
    n_sites[edge.rule.index()] += program_.kind(edge.to) == StateKind::kAnyOrder ? 2 : 1;
    caller[edge.rule.index()] = program_.rule_of(edge.to).value;
  }
  const uint32_t root = program_.root_.value;
  // A rule's context is unique if following the single call sites upward reaches the root. More
  // than n steps mean a cycle of rules, which has no unique context.
  for (uint32_t rule = 0; rule < n; ++rule) {
    uint32_t at = rule;
    size_t steps = 0;
    while (at != root && n_sites[at] == 1 && steps <= n) {
      at = caller[at];
      ++steps;
    }
    program_.rules_[rule].has_unique_context = at == root && n_sites[root] == 0;
  }
}

}  // namespace xg2lab
