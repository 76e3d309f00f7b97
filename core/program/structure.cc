// Read: the table (intern, forget), components (Tarjan), then StructureBuilder: number a rule's
// states, hash the rule, separate the rules of a component, encode the component.
#include "program/structure.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "support/hash.h"
#include "support/sort_unique.h"

namespace xg2lab {

// ---- The table ----

std::shared_ptr<const Structure> StructureTable::intern(StructuralHash hash, Structure structure) {
  hash = weakened(hash);
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = by_hash_.equal_range(hash.value);
  for (auto it = begin; it != end; ++it) {
    const std::shared_ptr<const Structure>& known = made_[it->second].second;
    if (known->words == structure.words && known->references == structure.references) return known;
  }
  if (made_.size() >= forget_at_) forget_unused();
  const auto named = by_hash_.emplace(hash.value, made_.size());
  try {
    return made_.emplace_back(hash, std::make_shared<const Structure>(std::move(structure))).second;
  } catch (...) {
    by_hash_.erase(named);
    throw;
  }
}

// Callers are destroyed before the components they call, so that no destructor triggers another,
// however long the chain of calls.
void StructureTable::forget_unused() {
  for (size_t i = made_.size(); i-- > 0;) {
    if (made_[i].second.use_count() == 1) made_[i].second.reset();
  }
  std::erase_if(made_, [](const auto& entry) { return entry.second == nullptr; });
  by_hash_.clear();
  for (size_t i = 0; i < made_.size(); ++i) by_hash_.emplace(made_[i].first.value, i);
  forget_at_ = std::max<size_t>(256, 2 * made_.size());
}

StructureTable::~StructureTable() {
  while (!made_.empty()) made_.pop_back();
}

size_t StructureTable::size() const {
  const std::lock_guard lock(mutex_);
  return made_.size();
}

namespace {

// ---- Components of the graph "calls", callees first (Tarjan 1972, with a list for a stack) ----

// Found from the requested rules on, so that a rule of a large program costs only the rules that it
// calls.
class Components {
 public:
  explicit Components(const Program& program)
      : program_(program),
        callees_(program.n_rules()),
        index_(program.n_rules(), 0),
        low_(program.n_rules(), 0),
        of_(program.n_rules(), kNone) {}

  // Finds the components of the rule and of all rules that it calls.
  void find(RuleId rule) {
    if (index_[rule.index()] == 0) visit(rule.value);
  }
  const std::vector<std::vector<RuleId>>& all() const { return components_; }
  uint32_t of(RuleId rule) const { return of_[rule.index()]; }
  const std::vector<RuleId>& callees(RuleId rule) const { return callees_[rule.index()]; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Frame {
    uint32_t rule;
    size_t next_callee;
  };

  void enter(uint32_t rule) {
    read_callees(rule);
    index_[rule] = low_[rule] = ++n_visited_;
    open_.push_back(rule);
    frames_.push_back({rule, 0});
  }

  void read_callees(uint32_t rule) {
    const ProgramRule& of = program_.rule(RuleId(rule));
    std::vector<RuleId>& callees = callees_[rule];
    for (uint32_t s = 0; s < of.n_states; ++s) {
      for (const CallEdge& edge : program_.calls(StateId(of.first_state + s)))
        callees.push_back(edge.rule);
    }
    sort_unique(callees);
  }

  // Tarjan's algorithm on an explicit stack. low_[rule] is the least index that the rule's subtree
  // reaches among the rules of components that are still open.
  void visit(uint32_t root) {
    enter(root);
    while (!frames_.empty()) {
      const uint32_t rule = frames_.back().rule;
      if (frames_.back().next_callee < callees_[rule].size()) {
        const uint32_t callee = callees_[rule][frames_.back().next_callee++].value;
        if (index_[callee] == 0) enter(callee);
        else if (of_[callee] == kNone) low_[rule] = std::min(low_[rule], index_[callee]);
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty()) {
        const uint32_t caller = frames_.back().rule;
        low_[caller] = std::min(low_[caller], low_[rule]);
      }
      if (low_[rule] == index_[rule]) close(rule);
    }
  }

  void close(uint32_t rule) {
    std::vector<RuleId>& component = components_.emplace_back();
    for (uint32_t member = kNone; member != rule;) {
      member = open_.back();
      open_.pop_back();
      of_[member] = static_cast<uint32_t>(components_.size() - 1);
      component.push_back(RuleId(member));
    }
    std::sort(component.begin(), component.end());
  }

  const Program& program_;
  std::vector<std::vector<RuleId>> callees_;  // of the rules found so far
  std::vector<uint32_t> index_, low_, of_, open_;
  std::vector<Frame> frames_;
  uint32_t n_visited_ = 0;
  std::vector<std::vector<RuleId>> components_;
};

constexpr uint64_t kMark = 256;  // not a byte: starts the encoding of an edge that is not terminal
constexpr size_t kMaxRounds = 16;

}  // namespace

class StructureBuilder {
 public:
  StructureBuilder(const Program& program, StructureTable& table)
      : program_(program),
        table_(table),
        components_(program),
        rules_(program.n_rules()),
        number_(program.n_states(), kNone),
        place_(program.n_rules(), kNone) {}

  const RuleStructure& operator[](RuleId rule) const { return rules_[rule.index()]; }
  uint32_t number_of(StateId state) const { return number_[state.index()]; }
  bool is_built(RuleId rule) const { return rules_[rule.index()].component != nullptr; }

  // Builds the rule's component after the components that it calls.
  void build(RuleId rule) {
    components_.find(rule);
    is_found_.resize(components_.all().size());
    std::vector<uint32_t> needed = needed_for(rule);
    std::sort(needed.begin(), needed.end());
    for (const uint32_t component : needed) build(components_.all()[component]);
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  void build(const std::vector<RuleId>& component) {
    if (is_recursive(component)) {
      if (is_simple_cycle(component)) hash_cycle(component);
      else tell_apart(component);
    }
    write(component);
  }

  // The components that the rule needs and that are not built yet.
  std::vector<uint32_t> needed_for(RuleId rule) {
    std::vector<uint32_t> found;
    const auto find = [&](RuleId needed) {
      const uint32_t component = components_.of(needed);
      if (is_built(needed) || is_found_[component]) return;
      is_found_[component] = true;
      found.push_back(component);
    };
    find(rule);
    for (size_t i = 0; i < found.size(); ++i) {
      for (const RuleId member : components_.all()[found[i]])
        for (const RuleId callee : components_.callees(member)) find(callee);
    }
    return found;
  }

  StructuralHash& hash_of(RuleId rule) { return rules_[rule.index()].hash; }
  bool is_inside(RuleId rule, RuleId other) const {
    return components_.of(rule) == components_.of(other);
  }
  bool is_recursive(const std::vector<RuleId>& component) const {
    const std::vector<RuleId>& callees = components_.callees(component[0]);
    return component.size() > 1 || std::ranges::binary_search(callees, component[0]);
  }
  bool is_simple_cycle(const std::vector<RuleId>& component) const {
    return std::ranges::all_of(component, [&](RuleId rule) {
      return std::ranges::count_if(components_.callees(rule),
                                   [&](RuleId callee) { return is_inside(rule, callee); }) == 1;
    });
  }

  // Numbers the rule's states breadth-first; afterwards order_ lists them. Rule edges are followed
  // in the order of the called rules' hashes, so the names of rules don't matter.
  void number(RuleId rule) {
    const ProgramRule& of = program_.rule(rule);
    const auto begin = number_.begin() + of.first_state;
    std::fill(begin, begin + of.n_states, kNone);
    order_.clear();
    auto reach = [&](StateId state) {
      uint32_t& number = number_[state.index()];
      if (number != kNone) return;
      number = static_cast<uint32_t>(order_.size());
      order_.push_back(state);
    };
    reach(of.start());
    for (size_t i = 0; i < order_.size(); ++i) {
      for (const TerminalEdge& edge : program_.terminals(order_[i])) reach(edge.to);
      for (const CallEdge* edge : sorted_calls(order_[i])) reach(edge->to);
    }
  }

  std::vector<const CallEdge*>& sorted_calls(StateId state) {
    calls_.clear();
    for (const CallEdge& edge : program_.calls(state)) calls_.push_back(&edge);
    if (calls_.size() > 1) {
      std::stable_sort(calls_.begin(), calls_.end(), [&](const CallEdge* a, const CallEdge* b) {
        return hash_of(a->rule) < hash_of(b->rule);
      });
    }
    return calls_;
  }

  // Algorithm 1, for a rule of a cycle. A called rule counts with the hash that it has so far.
  // A call counts by the hash of the called rule, never by its id, so renaming rules doesn't change
  // the hash.
  StructuralHash hash_rule(RuleId rule) {
    number(rule);
    uint64_t hash = 0;
    for (StateId state : order_) {
      hash = hash_combine(hash_combine(hash, program_.is_accepting(state) ? 1 : 0), kMark);
      for (const TerminalEdge& edge : program_.terminals(state)) {
        hash = hash_combine(hash_combine(hash, edge.range.lo), edge.range.hi);
        hash = hash_combine(hash, number_[edge.to.index()]);
      }
      for (const CallEdge* edge : sorted_calls(state)) {
        hash = hash_combine(hash_combine(hash, kMark), hash_of(edge->rule).value);
        hash = hash_combine(hash, number_[edge->to.index()]);
      }
    }
    return table_.weakened({hash});
  }

  std::vector<StructuralHash> hash_all(const std::vector<RuleId>& component) {
    std::vector<StructuralHash> hashes;
    for (RuleId rule : component) hashes.push_back(hash_rule(rule));
    return hashes;
  }
  void assign(const std::vector<RuleId>& component, const std::vector<StructuralHash>& hashes) {
    for (size_t i = 0; i < component.size(); ++i) hash_of(component[i]) = hashes[i];
  }

  // Algorithm 2. The call into the cycle is hashed as a mark: the called rule's hash is still 0.
  void hash_cycle(const std::vector<RuleId>& component) {
    assign(component, hash_all(component));
    std::vector<RuleId> cycle{component[0]};
    while (cycle.size() < component.size()) {
      for (RuleId callee : components_.callees(cycle.back())) {
        if (is_inside(callee, cycle.back())) {
          cycle.push_back(callee);
          break;
        }
      }
    }
    // The hashes are combined around the cycle from each rule in turn. A rolling hash would be
    // linear; cycles are short, so the quadratic loop suffices.
    std::vector<StructuralHash> hashes(cycle.size());
    const size_t n_seen = std::min<size_t>(cycle.size(), kMaxCycleTerms);
    for (size_t i = 0; i < cycle.size(); ++i) {
      uint64_t hash = cycle.size();
      for (size_t j = 0; j < n_seen; ++j)
        hash = hash_combine(hash, hash_of(cycle[(i + j) % cycle.size()]).value);
      hashes[i] = table_.weakened({hash});
    }
    assign(cycle, hashes);
  }

  // Colour refinement: in equal structures, corresponding states have equal colours in every round;
  // other states get different colours once a path between them differs. Rule edges count as a set,
  // since rules of equal colour have no order among themselves.
  void tell_apart(const std::vector<RuleId>& component) {
    color_.resize(program_.n_states(), 0);
    for (size_t round = 0; round < kMaxRounds; ++round) {
      std::vector<uint64_t> next;
      for_each_state(component, [&](StateId state) { next.push_back(color_of(state)); });
      size_t i = 0;
      for_each_state(component, [&](StateId state) { color_[state.index()] = next[i++]; });
      for (RuleId rule : component)
        hash_of(rule) = table_.weakened({color_[program_.rule(rule).start().index()]});
    }
  }

  template <class F>
  void for_each_state(const std::vector<RuleId>& component, F f) const {
    for (RuleId rule : component) {
      const ProgramRule& of = program_.rule(rule);
      for (uint32_t s = of.first_state; s < of.first_state + of.n_states; ++s) f(StateId(s));
    }
  }

  uint64_t color_of(StateId state) {
    uint64_t hash = hash_combine(color_[state.index()], program_.is_accepting(state) ? 1 : 0);
    if (const Repetition* repetition = program_.repetition(state))
      hash = hash_combine(hash_combine(hash, repetition->min), repetition->max);
    for (const TerminalEdge& edge : program_.terminals(state)) {
      hash = hash_combine(hash_combine(hash, edge.range.lo), edge.range.hi);
      hash = hash_combine(hash, color_[edge.to.index()]);
    }
    std::vector<uint64_t> calls;
    for (const CallEdge& edge : program_.calls(state))
      calls.push_back(hash_combine(hash_of(edge.rule).value, color_[edge.to.index()]));
    std::sort(calls.begin(), calls.end());
    for (uint64_t call : calls) hash = hash_combine(hash_combine(hash, kMark), call);
    return hash;
  }

  // Algorithm 1, for a rule that is not recursive: hashes its encoding and the structures that it
  // refers to.
  StructuralHash hash_written(const Structure& structure) const {
    const std::vector<uint32_t>& words = structure.words;
    uint64_t hash = hash_combine(called_, words.size());
    for (size_t i = 0; i + 1 < words.size(); i += 2)
      hash = hash_combine(hash, (uint64_t{words[i]} << 32) | words[i + 1]);
    if (words.size() % 2 == 1) hash = hash_combine(hash, words.back());
    return table_.weakened({hash});
  }

  // Encodes the component, beginning with its rule of the least hash, and interns the encoding.
  // Its rules are placed in the order in which the encoding meets them. That order depends on
  // hashes alone, so equal components get equal encodings unless hashes collide.
  void write(const std::vector<RuleId>& component) {
    const RuleId first = *std::ranges::min_element(
        component, [&](RuleId a, RuleId b) { return hash_of(a) < hash_of(b); });
    Structure structure;
    std::vector<RuleId> rules{first};
    place_[first.index()] = 0;
    called_ = 0;
    for (size_t i = 0; i < rules.size(); ++i) write_rule(rules[i], rules, structure);
    structure.words.shrink_to_fit();
    if (!is_recursive(component)) hash_of(first) = hash_written(structure);
    uint64_t hash = 0;
    for (RuleId rule : rules) hash = hash_combine(hash, hash_of(rule).value);
    const std::shared_ptr<const Structure> kept = table_.intern({hash}, std::move(structure));
    for (RuleId rule : rules) {
      RuleStructure& out = rules_[rule.index()];
      out.component = kept;
      out.place = place_[rule.index()];
    }
    reference_of_.clear();
  }

  // Every fact that parsing or masks depend on must be part of the encoding: rules with equal
  // encodings share mask entries. A call into the component is a pair (0, place); a call out of it
  // is (1 + index into references, place).
  void write_rule(RuleId rule, std::vector<RuleId>& rules, Structure& structure) {
    number(rule);
    std::vector<uint32_t>& words = structure.words;
    auto push = [&](size_t word) { words.push_back(static_cast<uint32_t>(word)); };
    push(order_.size());
    const std::optional<Repetition>& repetition = program_.rule(rule).repetition;
    const TokenSet* tokens = program_.rule(rule).tokens.get();
    const AnyOrderFacts* any_order = program_.rule(rule).any_order.get();
    const MemberFacts* members = program_.rule(rule).members.get();
    push((repetition          ? 1u
          : tokens != nullptr ? 2u
                              : 0u) +
         (program_.rule(rule).options ? 4u : 0u) + (any_order != nullptr ? 8u : 0u) +
         (members != nullptr ? 16u : 0u));
    if (any_order != nullptr) {
      push(any_order->bounds.min_total);
      push(any_order->bounds.max_total);
      push(any_order->bounds.is_ordered ? 1 : 0);
      push(any_order->bounds.members.size());
      for (const MemberBounds member : any_order->bounds.members)
        push((member.is_required ? 1u : 0u) + (member.may_repeat ? 2u : 0u));
    }
    // Entries of rules with absent contents are of no use to rules that look the same.
    push(program_.rule(rule).absent_content.has_value() ? 1 : 0);
    if (tokens != nullptr) {
      push(tokens->is_negated ? 1 : 0);
      push(tokens->ids.size());
      for (TokenId token : tokens->ids) push(token.value);
    }
    if (repetition) {
      push(repetition->min);
      push(repetition->max);
    }
    for (StateId state : order_) {
      push(program_.is_accepting(state) ? 1 : 0);
      if (members != nullptr) {
        const std::span<const uint32_t> ended = program_.members_ended(state);
        push(ended.size());
        for (uint32_t member : ended) push(member);
      }
      push(program_.terminals(state).size());
      for (const TerminalEdge& edge : program_.terminals(state)) {
        push((size_t{edge.range.lo} << 8) | edge.range.hi);
        push(number_[edge.to.index()]);
      }
      push(program_.calls(state).size());
      for (const CallEdge* edge : sorted_calls(state)) {
        if (is_inside(rule, edge->rule)) {
          uint32_t& place = place_[edge->rule.index()];
          if (place == kNone) {
            place = static_cast<uint32_t>(rules.size());
            rules.push_back(edge->rule);
          }
          push(0);
          push(place);
        } else {
          const RuleStructure& callee = rules_[edge->rule.index()];
          called_ = hash_combine(called_, callee.hash.value);
          push(1 + reference(callee.component, structure));
          push(callee.place);
        }
        push(number_[edge->to.index()]);
      }
    }
  }

  size_t reference(const std::shared_ptr<const Structure>& to, Structure& structure) {
    const auto [known, is_new] = reference_of_.emplace(to.get(), structure.references.size());
    if (is_new) structure.references.push_back(to);
    return known->second;
  }

  // terms hashed for a longer cycle; the encoding still has all of them
  static constexpr size_t kMaxCycleTerms = 64;

  const Program& program_;
  StructureTable& table_;
  Components components_;
  std::vector<RuleStructure> rules_;
  std::vector<uint32_t> number_;  // by state
  std::vector<uint32_t> place_;   // by rule, within its component
  std::vector<bool> is_found_;    // by component: it is built, or about to be built
  std::vector<uint64_t> color_;   // by state
  uint64_t called_ = 0;  // combined hashes of the called rules outside the component, in order
  std::vector<StateId> order_;
  std::vector<const CallEdge*> calls_;
  std::unordered_map<const Structure*, size_t> reference_of_;
};

ProgramStructure::ProgramStructure(const Program& program, StructureTable& table)
    : builder_(std::make_unique<StructureBuilder>(program, table)) {}
ProgramStructure::~ProgramStructure() = default;
ProgramStructure::ProgramStructure(ProgramStructure&&) noexcept = default;

const RuleStructure& ProgramStructure::rule(RuleId id) {
  if (!builder_->is_built(id)) builder_->build(id);
  return (*builder_)[id];
}

uint32_t ProgramStructure::number(StateId state) const { return builder_->number_of(state); }

bool reaches_at_most(const Program& program, RuleId rule, size_t n_most) {
  std::vector<RuleId> rules{rule};
  std::vector<bool> is_found(program.n_rules());
  is_found[rule.index()] = true;
  size_t n = 0;
  for (size_t i = 0; i < rules.size(); ++i) {
    const ProgramRule& at = program.rule(rules[i]);
    for (uint32_t s = at.first_state; s < at.first_state + at.n_states; ++s) {
      const StateId state(s);
      n += 1 + program.terminals(state).size() + program.calls(state).size();
      if (n > n_most) return false;
      for (const CallEdge& edge : program.calls(state)) {
        if (is_found[edge.rule.index()]) continue;
        is_found[edge.rule.index()] = true;
        rules.push_back(edge.rule);
      }
    }
  }
  return true;
}

std::vector<std::vector<uint32_t>> structure_classes(std::span<const Program* const> programs,
                                                     StructureTable& table) {
  std::vector<std::vector<uint32_t>> classes;
  std::map<std::tuple<const Structure*, uint32_t, uint32_t>, uint32_t> known;
  // keeps the pointers valid: freed memory could be reused for another structure
  std::vector<ProgramStructure> kept;
  for (const Program* program : programs) {
    ProgramStructure& structure = kept.emplace_back(*program, table);
    std::vector<uint32_t>& of_states = classes.emplace_back();
    for (size_t s = 0; s < program->n_states(); ++s) {
      const RuleStructure& rule = structure.rule(program->rule_of(StateId(s)));
      const auto next = static_cast<uint32_t>(known.size());
      const auto at =
          known.try_emplace({rule.component.get(), rule.place, structure.number(StateId(s))}, next);
      of_states.push_back(at.first->second);
    }
  }
  return classes;
}

}  // namespace xg2lab
