// Read: link, then Linker::run (the queue of rules), write_plain (one machine) and chain_of (one
// hole).
#include "linking/link.h"

#include <algorithm>
#include <deque>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "support/budget.h"
#include "support/dense_map.h"
#include "support/json_value.h"
#include "support/sort_unique.h"
#include "support/text.h"

namespace xg2lab {

using templates::Argument;

namespace {

// Whether every rule from the number on matches some string. The rules before it do, and call none
// of them. A member rule has to match each of its members, since all may be required.
bool are_productive(const Program& program, size_t first) {
  std::vector<bool> is_reached(program.n_states(), false);
  std::vector<bool> is_productive(program.n_rules(), false);
  std::fill(is_productive.begin(), is_productive.begin() + static_cast<ptrdiff_t>(first), true);
  std::vector<std::vector<StateId>> waiting(program.n_rules());  // for a match of the rule
  std::vector<StateId> open;
  const auto reach = [&](StateId state) {
    if (is_reached[state.index()]) return;
    is_reached[state.index()] = true;
    open.push_back(state);
  };
  for (size_t r = first; r < program.n_rules(); ++r) reach(program.rule(RuleId(r)).start());
  size_t n_left = program.n_rules() - first;
  std::vector<size_t> n_ends(program.n_rules(), 0);  // to be reached before the rule matches
  for (size_t i = 0; i < program.n_states(); ++i) {
    const StateId state(i);
    if (!program.is_accepting(state)) continue;
    size_t& n = n_ends[program.rule_of(state).index()];
    n = program.rule(program.rule_of(state)).members ? n + 1 : 1;
  }
  while (!open.empty()) {
    const StateId state = open.back();
    open.pop_back();
    if (program.is_before_token(state)) reach(Program::after_token(state));
    for (const TerminalEdge& edge : program.terminals(state)) reach(edge.to);
    for (const CallEdge& edge : program.calls(state)) {
      if (is_productive[edge.rule.index()]) reach(edge.to);
      else waiting[edge.rule.index()].push_back(edge.to);
    }
    const RuleId rule = program.rule_of(state);
    if (!program.is_accepting(state) || is_productive[rule.index()]) continue;
    if (--n_ends[rule.index()] > 0) continue;
    is_productive[rule.index()] = true;
    --n_left;
    for (StateId to : waiting[rule.index()]) reach(to);
  }
  return n_left == 0;
}

}  // namespace

class Linker {
 public:
  Linker(const TemplateProgram& of, const Argument& request, const LinkOptions& options)
      : of_(of), options_(options), builder_(of.known), members_{&request} {
    facts_.n_known_rules_ = static_cast<uint32_t>(of.known.n_rules());
    facts_.mappings_.emplace_back();
  }

  std::optional<Instance> run() {
    const RuleId root = copy_of(of_.root, 0);
    for (size_t i = 0; i < copies_.size() && is_possible_; ++i) {
      count_work("linking the template");
      const Copy copy = copies_[i];  // writing a rule adds copies
      write(copy);
      is_possible_ = is_possible_ && builder_.n_states() <= options_.max_states;
    }
    if (!is_possible_) return std::nullopt;
    for (const Copy& copy : copies_) facts_.mapping_of_rule_.push_back(copy.mapping);
    Instance instance{std::move(builder_).build(root), std::move(facts_)};
    if (of_.is_recursive && !are_productive(instance.program, of_.known.n_rules()))
      return std::nullopt;
    // A member has to match a byte.
    for (uint32_t rule : member_rules_) {
      if (instance.program.rule(RuleId(rule)).is_nullable) return std::nullopt;
    }
    return instance;
  }

 private:
  enum class Role : uint8_t {
    kWhole,     // the pattern; a hole's is what its argument means
    kRepeated,  // of a counted hole: one match of what is repeated
    kEmpty,     // matches the empty string
    kToken,     // takes one token
  };
  struct Copy {
    uint32_t pattern;  // kToken: the token's id
    uint32_t mapping;
    Role role;
  };
  // An edge of a hole's chain.
  struct Step {
    bool is_call;
    uint8_t byte;
    RuleId rule;
  };
  // The edges after the first of one chain: a part of steps_.
  struct Chain {
    size_t begin;
    size_t end;
    StateId to;
    OriginSetId origins;
  };

  // ---- Rules, each written once ----

  RuleId add_copy(Copy copy) {
    copies_.push_back(copy);
    return RuleId(of_.known.n_rules() + copies_.size() - 1);
  }

  RuleId copy_of(uint32_t pattern, uint32_t mapping) {
    const auto [rule, is_new] = rule_of_.add({pattern, mapping}, RuleId());
    if (is_new) rule = add_copy({pattern, mapping, Role::kWhole});
    return rule;
  }

  RuleId empty_rule() {
    if (!empty_) empty_ = add_copy({0, 0, Role::kEmpty});
    return *empty_;
  }

  RuleId token_rule(TokenId token) {
    if (const auto known = of_.token_rules.find(token.value); known != of_.token_rules.end())
      return known->second;
    const auto [rule, is_new] = token_rules_.try_emplace(token.value);
    if (is_new) rule->second = add_copy({token.value, 0, Role::kToken});
    return rule->second;
  }

  RuleId called(Callee callee, uint32_t mapping) {
    switch (callee.kind) {
      case Callee::kKnown: return RuleId(callee.index);
      case Callee::kPattern: return copy_of(callee.index, mapping);
      case Callee::kMissing: break;
    }
    is_possible_ = false;
    return RuleId(0u);
  }

  // ---- Arguments ----

  const Argument& argument(const Slot& slot, uint32_t mapping) const {
    return *members_[slot.is_of_request ? 0 : mapping]->find(slot.name);
  }

  // The number of the first element's mapping; those of the others follow.
  uint32_t mappings_of(const Argument& list, const Slot& slot, uint32_t mapping) {
    const auto next = static_cast<uint32_t>(members_.size());
    const auto [known, is_new] = first_mapping_.try_emplace(&list, next);
    if (!is_new) return known->second;
    for (uint32_t i = 0; i < list.items.size(); ++i) {
      members_.push_back(&list.items[i]);
      facts_.mappings_.push_back({slot.is_of_request ? 0 : mapping, i, slot.name});
    }
    return next;
  }

  // ---- Chains ----

  void add_call(RuleId rule) { steps_.push_back({true, 0, rule}); }
  // Whether so many more edges are within the limit on states; if not, the linker gives up.
  bool has_room(size_t n) {
    is_possible_ =
        is_possible_ && n <= options_.max_states - std::min(steps_.size(), options_.max_states);
    return is_possible_;
  }
  void add_text(std::string_view text) {
    if (!has_room(text.size())) return;
    count_work("linking the template", text.size());
    for (char byte : text) steps_.push_back(step(byte));
  }
  void add_text(std::span<const TokenId> tokens) {
    if (!has_room(tokens.size())) return;
    count_work("linking the template", tokens.size());
    for (TokenId token : tokens) steps_.push_back(step(token));
  }
  static Step step(char byte) { return {false, static_cast<uint8_t>(byte), {}}; }
  Step step(TokenId token) { return {true, 0, token_rule(token)}; }
  void add_call(Callee callee, uint32_t mapping) {
    const RuleId rule = called(callee, mapping);
    if (callee.kind == Callee::kKnown && matches_only_nothing(of_.known.rule(rule))) return;
    add_call(rule);
  }
  bool matches_only_nothing(const ProgramRule& rule) const {
    return rule.n_states == 1 && of_.known.terminals(rule.start()).empty() &&
           of_.known.calls(rule.start()).empty() && !rule.options;
  }

  // Adds to steps_ what the argument of a hole means.
  void add_chain(uint32_t pattern, uint32_t mapping) {
    const HolePattern& hole = *of_.patterns[pattern].hole;
    switch (hole.kind) {
      case HoleKind::kText: {
        const Argument& text = argument(hole.slot, mapping);
        return hole.is_spelled ? add_text(text.tokens()) : add_text(text.text);
      }
      case HoleKind::kOneOf:
      case HoleKind::kValue:
      case HoleKind::kValues: {
        const uint32_t of = hole.slot.is_of_request ? 0 : mapping;
        if (hole.is_spelled) {
          const std::vector<std::vector<TokenId>>& texts = spelled_texts(pattern, of);
          if (texts.size() == 1) return add_text(texts[0]);
        } else {
          const std::vector<std::string_view>& texts = texts_of(pattern, of);
          if (texts.size() == 1) return add_text(texts[0]);
        }
        return add_call(copy_of(pattern, of));
      }
      case HoleKind::kIfZero:
        return add_call(hole.rules[argument(hole.slot, mapping).integer == 0 ? 0 : 1], mapping);
      case HoleKind::kIf:
        return add_call(hole.rules[argument(hole.slot, mapping).flag ? 0 : 1], mapping);
      case HoleKind::kEach: return add_elements(hole, mapping);
      case HoleKind::kRepeat: {
        const auto [min, max] = bounds(hole, mapping);
        if (min != max || is_counted(max)) return add_call(copy_of(pattern, mapping));
        if (!has_room(min)) return;
        for (uint32_t i = 0; i < min; ++i) add_call(hole.rules[0], mapping);
        return;
      }
      case HoleKind::kUse: is_possible_ = false;
    }
  }

  void add_elements(const HolePattern& hole, uint32_t mapping) {
    const Argument& list = argument(hole.slot, mapping);
    if (list.items.empty() || !has_room(2 * list.items.size())) return;
    const uint32_t first = mappings_of(list, hole.slot, mapping);
    for (uint32_t i = 0; i < list.items.size(); ++i) {
      if (i > 0 && hole.rules.size() > 1) add_call(hole.rules[1], mapping);
      add_call(hole.rules[0], first + i);
    }
  }

  // The texts of which one is matched, sorted.
  const std::vector<std::string_view>& texts_of(uint32_t pattern, uint32_t mapping) {
    const auto [known, is_new] = texts_.try_emplace({pattern, mapping});
    std::vector<std::string_view>& texts = known->second;
    if (!is_new) return texts;
    const HolePattern& hole = *of_.patterns[pattern].hole;
    const Argument& given = argument(hole.slot, mapping);
    if (hole.kind == HoleKind::kOneOf) {
      for (const Argument& item : given.items) texts.push_back(item.text);
    } else {
      const bool is_list = hole.kind == HoleKind::kValues;
      WrittenValues written = hole.values->write(templates::json_list(
          is_list ? std::span(given.items) : std::span<const Argument>(&given, 1)));
      // values with many spellings need a grammar
      is_possible_ = is_possible_ && !written.grammar && written.refused.empty();
      for (std::string& text : written.texts) texts.push_back(kept_.emplace_back(std::move(text)));
    }
    count_work("linking the template", texts.size());
    sort_unique(texts);
    is_possible_ = is_possible_ && !texts.empty();
    return texts;
  }

  // The same of texts in their tokens.
  const std::vector<std::vector<TokenId>>& spelled_texts(uint32_t pattern, uint32_t mapping) {
    const auto [known, is_new] = spelled_texts_.try_emplace({pattern, mapping});
    std::vector<std::vector<TokenId>>& texts = known->second;
    if (!is_new) return texts;
    for (const Argument& item : argument(of_.patterns[pattern].hole->slot, mapping).items) {
      const std::span<const TokenId> tokens = item.tokens();
      count_work("linking the template", tokens.size() + 1);
      texts.emplace_back(tokens.begin(), tokens.end());
    }
    sort_unique(texts);
    return texts;
  }

  struct Bounds {
    uint32_t min;
    uint32_t max;
  };

  Bounds bounds(const HolePattern& hole, uint32_t mapping) {
    const auto bound = [&](const HoleBound& of) {
      return of.slot ? static_cast<uint32_t>(argument(*of.slot, mapping).integer) : of.number;
    };
    const uint32_t min = bound(hole.min);
    const uint32_t max = bound(hole.max);
    is_possible_ = is_possible_ && min <= max;
    const uint32_t n = hole.n_before;
    return {min - std::min(min, n), max == kNoUpperBound ? max : max - std::min(max, n)};
  }

  bool is_counted(uint32_t n) const {
    return n > options_.repetition_threshold && options_.repetition_compression;
  }

  // ---- Machines ----

  void write(const Copy& copy) {
    machine_.terminal_edges.clear();
    machine_.terminal_begin.clear();
    machine_.rule_edges.clear();
    machine_.rule_begin.clear();
    machine_.is_accepting.clear();
    chains_.clear();
    steps_.clear();
    if (copy.role == Role::kToken) return write_token(TokenId(copy.pattern));
    const RulePattern& pattern = of_.patterns[copy.pattern];
    if (copy.role == Role::kEmpty) return write_chain({}, {});
    if (copy.role == Role::kRepeated) {
      add_call(called(pattern.hole->rules[0], copy.mapping));
      return write_chain(named(pattern), origins_of(pattern));
    }
    if (!pattern.hole) return pattern.is_plain ? write_plain(copy) : write_copy(copy);
    const HoleKind kind = pattern.hole->kind;
    if (pattern.hole->is_spelled && kind == HoleKind::kOneOf)
      return write_texts(pattern, spelled_texts(copy.pattern, copy.mapping));
    if (kind == HoleKind::kOneOf || kind == HoleKind::kValue || kind == HoleKind::kValues)
      return write_texts(pattern, texts_of(copy.pattern, copy.mapping));
    if (kind == HoleKind::kRepeat) return write_repetition(copy);
    add_chain(copy.pattern, copy.mapping);
    write_chain(named(pattern), origins_of(pattern));
  }

  ProgramRule named(const RulePattern& pattern) const {
    const ProgramRule& of = of_.whole.rule(pattern.rule);
    ProgramRule rule;
    rule.name = pattern.name;
    rule.span = of.span;
    rule.name_span = of.name_span;
    return rule;
  }

  // The origins of a hole: those of its placeholder.
  OriginSetId origins_of(const RulePattern& pattern) const {
    return of_.whole.terminals(of_.whole.rule(pattern.rule).start())[0].origins;
  }

  // A rule that matches the steps.
  void write_chain(ProgramRule rule, OriginSetId origins) {
    const uint32_t n = static_cast<uint32_t>(steps_.size());
    for (uint32_t i = 0; i < n; ++i) write_state(steps_[i], StateId(i + 1), origins);
    write_last(std::move(rule));
  }

  void write_state(const Step& step, StateId to, OriginSetId origins) {
    machine_.begin_state();
    machine_.is_accepting.push_back(false);
    add_edge(step, to, origins);
  }

  void add_edge(const Step& step, StateId to, OriginSetId origins) {
    if (step.is_call) machine_.rule_edges.push_back({step.rule, to, origins});
    else machine_.terminal_edges.push_back({{step.byte, step.byte}, to, origins});
  }

  // The accepting state at the machine's end.
  void write_last(ProgramRule rule) {
    machine_.begin_state();
    machine_.is_accepting.push_back(true);
    finish(std::move(rule));
  }

  void finish(ProgramRule rule) {
    machine_.begin_state();
    builder_.add_rule(std::move(rule), machine_);
  }

  // A pattern with its holes in place of their edges.
  void write_plain(const Copy& copy) {
    const RulePattern& pattern = of_.patterns[copy.pattern];
    const ProgramRule& rule = of_.whole.rule(pattern.rule);
    n_states_ = rule.n_states;
    for (uint32_t s = 0; s < rule.n_states; ++s) write_state_of(rule, s, copy.mapping);
    for (const Chain& chain : chains_) {
      const auto first = static_cast<uint32_t>(machine_.is_accepting.size());
      for (size_t i = chain.begin; i < chain.end; ++i) {
        const bool is_last = i + 1 == chain.end;
        const StateId next(first + static_cast<uint32_t>(i + 1 - chain.begin));
        write_state(steps_[i], is_last ? chain.to : next, chain.origins);
      }
    }
    ProgramRule made;
    static_cast<LoweredRule&>(made) = rule;
    made.name = pattern.name;
    if (made.options && made.options->parts) {
      RunOptions options = *made.options;
      options.parts = called(of_.callees[options.parts->index()], copy.mapping);
      made.options = std::make_shared<const RunOptions>(std::move(options));
    }
    finish(std::move(made));
  }

  void write_state_of(const ProgramRule& rule, uint32_t s, uint32_t mapping) {
    const StateId state(rule.first_state + s);
    machine_.begin_state();
    bool is_accepting = of_.whole.is_accepting(state);
    for (TerminalEdge edge : of_.whole.terminals(state)) {
      edge.to = StateId(edge.to.value - rule.first_state);
      machine_.terminal_edges.push_back(edge);
    }
    bool has_chain = false;
    for (const CallEdge& edge : of_.whole.calls(state)) {
      const StateId to(edge.to.value - rule.first_state);
      const Callee callee = of_.callees[edge.rule.index()];
      if (callee.kind != Callee::kPattern || !of_.patterns[callee.index].hole) {
        machine_.rule_edges.push_back({called(callee, mapping), to, edge.origins});
        continue;
      }
      const size_t begin = steps_.size();
      add_chain(callee.index, mapping);
      if (steps_.size() == begin && is_end(edge.to)) {
        is_accepting = true;
        continue;
      }
      if (steps_.size() == begin) add_call(empty_rule());
      has_chain = true;
      const bool is_one = steps_.size() == begin + 1;
      add_edge(steps_[begin], is_one ? to : StateId(n_states_), edge.origins);
      if (is_one) continue;
      chains_.push_back({begin + 1, steps_.size(), to, edge.origins});
      n_states_ += static_cast<uint32_t>(steps_.size() - begin - 1);
    }
    if (has_chain) sort_row();
    machine_.is_accepting.push_back(is_accepting);
  }

  // Whether nothing of the rule is left after the state.
  bool is_end(StateId state) const {
    return of_.whole.is_accepting(state) && of_.whole.terminals(state).empty() &&
           of_.whole.calls(state).empty();
  }

  // Sorts the edges of the state that is being written (I1 of Program).
  void sort_row() {
    const auto terminals =
        std::span(machine_.terminal_edges).subspan(machine_.terminal_begin.back());
    std::ranges::sort(terminals, {}, [](const TerminalEdge& edge) {
      return std::tuple(edge.range.lo, edge.range.hi, edge.to);
    });
    const auto calls = std::span(machine_.rule_edges).subspan(machine_.rule_begin.back());
    std::ranges::sort(calls, {},
                      [](const RuleEdge& edge) { return std::pair(edge.rule, edge.to); });
  }

  // A copy of a rule that is not plain: its machine and facts, with what it calls.
  void write_copy(const Copy& copy) {
    const RuleId rule = of_.patterns[copy.pattern].rule;
    const ProgramRule& of = of_.whole.rule(rule);
    rules_.resize(of_.whole.n_rules());
    const auto map = [&](RuleId id) {
      rules_[id.index()] = called(of_.callees[id.index()], copy.mapping);
    };
    for (uint32_t s = 0; s < of.n_states; ++s) {
      for (const CallEdge& edge : of_.whole.calls(StateId(of.first_state + s))) map(edge.rule);
    }
    if (of.options && of.options->parts) map(*of.options->parts);
    if (of.members) {
      map(of.members->any_order);
      member_rules_.push_back(static_cast<uint32_t>(builder_.n_rules()));
    }
    builder_.add_copy(of_.whole, rule, rules_, of_.patterns[copy.pattern].name);
  }

  void write_token(TokenId token) {
    ProgramRule rule;
    TokenSet one{{token}};
    rule.name = token_set_text(one);
    rule.tokens = std::make_shared<const TokenSet>(std::move(one));
    builder_.add_token_rule(std::move(rule));
  }

  // The texts as a trie, breadth-first. Texts are of bytes or of tokens, and sorted.
  template <class Text>
  void write_texts(const RulePattern& pattern, const std::vector<Text>& texts) {
    if (!is_possible_) return;
    struct Node {
      size_t begin;
      size_t end;
      size_t depth;
    };
    const OriginSetId origins = origins_of(pattern);
    std::vector<Node> nodes{{0, texts.size(), 0}};
    for (size_t i = 0; i < nodes.size(); ++i) {
      auto [at, end, depth] = nodes[i];
      count_work("linking the template", end - at);
      machine_.begin_state();
      machine_.is_accepting.push_back(texts[at].size() == depth);
      while (at < end && texts[at].size() == depth) ++at;
      while (at < end) {
        const auto next = texts[at][depth];
        const size_t begin = at;
        while (at < end && texts[at][depth] == next) ++at;
        add_edge(step(next), StateId(nodes.size()), origins);
        nodes.push_back({begin, at, depth + 1});
      }
      sort_row();  // token rules have other numbers than their tokens
    }
    finish(named(pattern));
  }

  void write_repetition(const Copy& copy) {
    const RulePattern& pattern = of_.patterns[copy.pattern];
    const auto [min, max] = bounds(*pattern.hole, copy.mapping);
    if (!is_possible_) return;
    const OriginSetId origins = origins_of(pattern);
    const bool has_max = max != kNoUpperBound;
    if (is_counted(has_max ? max : min)) {
      const RuleId child = add_copy({copy.pattern, copy.mapping, Role::kRepeated});
      builder_.add_counted_rule(named(pattern), {child, min, has_max ? max : Repetition::kNoMax},
                                origins);
      return;
    }
    const RuleId rule = called(pattern.hole->rules[0], copy.mapping);
    const uint32_t n = has_max ? max : min;
    if (!has_room(n)) return;
    for (uint32_t i = 0; i < n; ++i) {
      machine_.begin_state();
      machine_.is_accepting.push_back(i >= min);
      machine_.rule_edges.push_back({rule, StateId(i + 1), origins});
    }
    machine_.begin_state();
    machine_.is_accepting.push_back(true);
    if (!has_max) machine_.rule_edges.push_back({rule, StateId(n), origins});
    finish(named(pattern));
  }

  const TemplateProgram& of_;
  const LinkOptions& options_;
  ProgramBuilder builder_;
  std::vector<const Argument*> members_;                         // index: mapping
  std::unordered_map<const Argument*, uint32_t> first_mapping_;  // of the elements of a list
  InstanceFacts facts_;
  std::vector<Copy> copies_;              // index: RuleId, counted from the first that is not known
  DenseMap<NumberPair, RuleId> rule_of_;  // by pattern and mapping
  std::map<std::pair<uint32_t, uint32_t>, std::vector<std::string_view>> texts_;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<std::vector<TokenId>>> spelled_texts_;
  std::deque<std::string> kept_;  // texts that were written for JSON values
  std::optional<RuleId> empty_;
  std::unordered_map<uint32_t, RuleId> token_rules_;  // added ones, by id
  std::vector<uint32_t> member_rules_;
  bool is_possible_ = true;
  // Of the rule that is being written.
  FrozenFsm machine_;
  uint32_t n_states_ = 0;
  std::vector<Step> steps_;
  std::vector<Chain> chains_;
  std::vector<RuleId> rules_;
};

std::optional<Instance> link(const TemplateProgram& of, const Argument& request,
                             const LinkOptions& options) {
  if (of.root == TemplateProgram::kNoPattern) return Instance{of.known, {}};
  return Linker(of, request, options).run();
}

std::string InstanceFacts::path(uint32_t mapping) const {
  std::string path;
  for (const Mapping* at = &mappings_[mapping]; !at->slot.empty(); at = &mappings_[at->parent])
    path = concat("/", pointer_part(at->slot), "/", at->element, path);
  return path;
}

std::optional<std::string> InstanceFacts::pointer(const TemplateProgram& of, RuleId rule,
                                                  std::span<const SourceSpan> spans) const {
  if (rule.value < n_known_rules_ || mappings_.empty()) return std::nullopt;
  const uint32_t mapping = mapping_of_rule_[rule.value - n_known_rules_];
  for (const RulePattern& pattern : of.patterns) {
    if (!pattern.hole || std::ranges::find(spans, pattern.hole->span) == spans.end()) continue;
    const HolePattern& hole = *pattern.hole;
    const Slot& slot = hole.kind != HoleKind::kRepeat ? hole.slot
                       : hole.min.slot                ? *hole.min.slot
                                                      : *hole.max.slot;
    return concat(slot.is_of_request ? "" : path(mapping), "/", pointer_part(slot.name));
  }
  std::string of_element = path(mapping);
  return of_element.empty() ? std::nullopt : std::optional(std::move(of_element));
}

}  // namespace xg2lab
