// Read: split, then find_patterns (which rules lead to holes) and known_rules.
#include "linking/template_program.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "support/text.h"

namespace xg2lab {
namespace {

constexpr size_t kMostBytesOfName = 40;

// The source's words at the span, shortened.
std::string excerpt(const Program& program, SourceSpan span) {
  const std::string_view text = program.source().text();
  return shortened(text.substr(span.begin, span.end - span.begin), kMostBytesOfName);
}

class Splitting {
 public:
  Splitting(const Template& of, Program whole) : of_(of) {
    result_.whole = std::move(whole);
    for (size_t i = 0; i < program().n_rules(); ++i) {
      // rules of the grammar come before parts of their bodies, which may have the same name
      by_name_.try_emplace(program().rule(RuleId(i)).name, RuleId(i));
    }
  }

  TemplateProgram run() {
    find_holes();
    find_patterns();
    add_known_rules();
    add_patterns();
    result_.is_recursive = has_cycle();
    if (!is_pattern_[program().root().index()]) result_.root = TemplateProgram::kNoPattern;
    else result_.root = result_.callees[program().root().index()].index;
    return std::move(result_);
  }

 private:
  const Program& program() const { return result_.whole; }

  void find_holes() {
    holes_.resize(program().n_rules(), nullptr);
    for (size_t i = 0; i < of_.holes.size(); ++i) {
      const Hole* hole = of_.hole(RuleId(i));
      if (hole == nullptr) continue;
      const auto found = by_name_.find(of_.grammar.rule(RuleId(i)).name);
      if (found == by_name_.end()) continue;  // no part of the language needs it
      holes_[found->second.index()] = hole;
      if (hole->kind == HoleKind::kUse) oppose(hole->span, "Use takes a whole grammar");
    }
  }

  void oppose(SourceSpan span, std::string_view why) {
    result_.obstacles.push_back(concat(why, ": ", excerpt(program(), span)));
  }

  void find_patterns() {
    const size_t n = program().n_rules();
    std::vector<std::vector<uint32_t>> callers(n);
    for (size_t s = 0; s < program().n_states(); ++s) {
      for (const CallEdge& edge : program().calls(StateId(s)))
        callers[edge.rule.index()].push_back(program().rule_of(StateId(s)).value);
    }
    for (uint32_t r = 0; r < n; ++r) {
      const ProgramRule& rule = program().rule(RuleId(r));
      if (rule.options && rule.options->parts) callers[rule.options->parts->index()].push_back(r);
    }
    is_pattern_.resize(n, false);
    std::vector<uint32_t> open;
    const auto add = [&](uint32_t rule) {
      if (is_pattern_[rule]) return;
      is_pattern_[rule] = true;
      open.push_back(rule);
    };
    for (uint32_t r = 0; r < n; ++r) {
      if (holes_[r] != nullptr) add(r);
    }
    while (!open.empty()) {
      const uint32_t rule = open.back();
      open.pop_back();
      for (uint32_t caller : callers[rule]) add(caller);
    }
  }

  void add_known_rules() {
    const size_t n = program().n_rules();
    result_.callees.resize(n);
    std::vector<RuleId> rules(n);
    uint32_t n_known = 0;
    uint32_t n_patterns = 0;
    for (uint32_t r = 0; r < n; ++r) {
      if (is_pattern_[r]) {
        result_.callees[r] = {Callee::kPattern, n_patterns++};
      } else {
        result_.callees[r] = {Callee::kKnown, n_known};
        rules[r] = RuleId(n_known++);
      }
    }
    ProgramBuilder builder;
    for (uint32_t r = 0; r < n; ++r) {
      if (!is_pattern_[r]) builder.add_copy(program(), RuleId(r), rules, name_of(RuleId(r)));
    }
    builder.copy_origins(program());
    const RuleId root = program().root();
    result_.known = std::move(builder).build(rules[root.index()]);
    for (uint32_t r = 0; r < n_known; ++r) {
      const auto& tokens = result_.known.rule(RuleId(r)).tokens;
      if (tokens && !tokens->is_negated && tokens->ids.size() == 1)
        result_.token_rules.emplace(tokens->ids.front().value, RuleId(r));
    }
  }

  std::string name_of(RuleId id) const {
    const ProgramRule& rule = program().rule(id);
    return rule.name.starts_with('$') ? excerpt(program(), rule.span) : rule.name;
  }

  void add_patterns() {
    for (uint32_t r = 0; r < program().n_rules(); ++r) {
      if (!is_pattern_[r]) continue;
      const ProgramRule& rule = program().rule(RuleId(r));
      RulePattern& pattern = result_.patterns.emplace_back();
      pattern.rule = RuleId(r);
      pattern.name = name_of(RuleId(r));
      pattern.is_plain =
          !rule.repetition && !rule.any_order && !rule.members && !rule.dispatch && !rule.tokens;
      if (holes_[r] != nullptr) pattern.hole = hole_pattern(*holes_[r]);
      const bool is_settled =
          rule.repetition && rule.repetition->min == 0 && !program().is_accepting(rule.start());
      if (is_settled) oppose(rule.span, "the bounds of a repetition depend on what is repeated");
    }
  }

  HolePattern hole_pattern(const Hole& hole) const {
    HolePattern pattern{hole.kind,     hole.span, hole.slot,   hole.min,       hole.max,
                        hole.n_before, {},        hole.values, hole.is_spelled};
    for (RuleId rule : hole.rules) {
      const auto found = by_name_.find(of_.grammar.rule(rule).name);
      pattern.rules.push_back(found == by_name_.end() ? Callee{}
                                                      : result_.callees[found->second.index()]);
    }
    return pattern;
  }

  // The patterns that a pattern calls with its own mapping. The elements of a list are mappings of
  // their own.
  std::vector<uint32_t> called_patterns(const RulePattern& pattern) const {
    std::vector<uint32_t> called;
    const auto add = [&](Callee callee) {
      if (callee.kind == Callee::kPattern) called.push_back(callee.index);
    };
    if (pattern.hole) {
      const size_t n_elsewhere = pattern.hole->kind == HoleKind::kEach ? 1 : 0;
      for (size_t i = n_elsewhere; i < pattern.hole->rules.size(); ++i) add(pattern.hole->rules[i]);
      return called;
    }
    const ProgramRule& rule = program().rule(pattern.rule);
    for (uint32_t s = 0; s < rule.n_states; ++s) {
      for (const CallEdge& edge : program().calls(StateId(rule.first_state + s)))
        add(result_.callees[edge.rule.index()]);
    }
    return called;
  }

  // Kahn's algorithm: patterns without callers are removed until none is left, or only a cycle.
  bool has_cycle() const {
    const size_t n = result_.patterns.size();
    std::vector<std::vector<uint32_t>> called(n);
    std::vector<size_t> n_callers(n);
    for (size_t i = 0; i < n; ++i) {
      called[i] = called_patterns(result_.patterns[i]);
      for (uint32_t callee : called[i]) ++n_callers[callee];
    }
    std::vector<uint32_t> open;
    for (uint32_t i = 0; i < n; ++i) {
      if (n_callers[i] == 0) open.push_back(i);
    }
    for (size_t i = 0; i < open.size(); ++i) {
      for (uint32_t callee : called[open[i]]) {
        if (--n_callers[callee] == 0) open.push_back(callee);
      }
    }
    return open.size() < n;
  }

  const Template& of_;
  TemplateProgram result_;
  std::unordered_map<std::string, RuleId> by_name_;
  std::vector<const Hole*> holes_;  // index: RuleId of the program
  std::vector<bool> is_pattern_;    // index: RuleId of the program
};

}  // namespace

TemplateProgram split(const Template& of, Program whole) {
  return Splitting(of, std::move(whole)).run();
}

}  // namespace xg2lab
