// Read: write_out, then Writer::write (the queue of copies), filled (one expression) and hole_of.
#include "templates/write_out.h"

#include <algorithm>
#include <deque>
#include <map>
#include <span>
#include <unordered_set>
#include <utility>

#include "support/budget.h"
#include "support/findings.h"
#include "support/json_value.h"
#include "support/text.h"
#include "templates/references.h"

namespace xg2lab::templates {
namespace {

class Writer {
 public:
  Writer(const Template& of, const Argument& request, size_t most_issues)
      : of_(of),
        most_issues_(most_issues),
        references_(references_of_rules(of.grammar)),
        has_holes_(rules_with_holes(of, references_)),
        rules_(of.grammar.n_rules()),
        bodies_(of.grammar.n_rules()) {
    mappings_.push_back({&request, "", {}});
    for (size_t i = 0; i < of.grammar.n_rules(); ++i)
      names_.insert(of.grammar.rule(RuleId(i)).name);
  }

  std::optional<Grammar> write() {
    builder_.set_source(of_.grammar.source());
    builder_.set_keyword_uses(of_.grammar.keyword_uses());
    const RuleId root = copy_of(of_.grammar.root(), 0);
    while (!open_.empty()) {
      const Copy copy = open_.front();
      open_.pop_front();
      count_work("writing the template out");
      write_rule(copy);
    }
    if (!issues_.empty()) return std::nullopt;
    builder_.set_argument_places(std::move(places_));
    return std::move(builder_).build(root);
  }
  const std::vector<ArgumentIssue>& issues() const { return issues_; }

 private:
  // A mapping of arguments that rules are read with.
  struct Mapping {
    const Argument* members;
    std::string path;                   // ".sections.3", for names of rules
    std::string pointer;                // "/sections/3"
    std::map<RuleId, RuleId> copies{};  // of rules that lead to holes
  };
  struct Copy {
    RuleId rule;
    size_t mapping;
    RuleId copy;
  };

  RuleId add_rule(const std::string& wanted, SourceSpan name_span) {
    std::string name = wanted;
    for (size_t n = 1; !used_.insert(name).second; ++n) name = concat(wanted, "_", n);
    return builder_.add_rule(std::move(name), name_span);
  }

  // The copy of a rule that is read with the mapping, to be written later if it is new.
  RuleId copy_of(RuleId rule, size_t mapping) {
    const size_t read_with = has_holes_[rule.index()] ? mapping : 0;
    auto& copies = mappings_[read_with].copies;
    if (const auto known = copies.find(rule); known != copies.end()) return known->second;
    const Rule& of = of_.grammar.rule(rule);
    std::string name = of.name + mappings_[read_with].path;
    // a name of the template is kept for its own rule
    if (read_with != 0 && names_.contains(name)) name += "_";
    const RuleId copy = add_rule(name, of.name_span);
    copies.emplace(rule, copy);
    open_.push_back({rule, read_with, copy});
    return copy;
  }

  void write_rule(const Copy& copy) {
    const Rule& rule = of_.grammar.rule(copy.rule);
    if (has_holes_[copy.rule.index()]) {
      place_ = &places_.rules[builder_.so_far().rule(copy.copy).name];
      place_->element = mappings_[copy.mapping].pointer;
    }
    const RuleReferences& references = references_[copy.rule.index()];
    builder_.set_body(copy.copy, filled(rule.body, references.body, copy.mapping), rule.span);
    if (rule.lookahead) {
      const ExprId lookahead = filled(*rule.lookahead, references.lookahead, copy.mapping);
      builder_.set_lookahead(copy.copy, lookahead);
    }
    if (references.parts)
      rules_[references.parts->index()] = copy_of(*references.parts, copy.mapping);
    builder_.copy_options(copy.copy, of_.grammar, rule, rules_);
  }

  // An expression with its references, which name `rules`, and its holes as the mapping has them.
  ExprId filled(ExprId of, const std::vector<RuleId>& rules, size_t mapping) {
    std::vector<std::pair<RuleId, ExprId>> holes;
    for (RuleId named : rules) {
      if (const Hole* hole = of_.hole(named)) {
        note_place(*hole, mapping);
        holes.emplace_back(named, hole_of(*hole, mapping));
      }
    }
    for (RuleId named : rules) {
      if (of_.hole(named) == nullptr) rules_[named.index()] = copy_of(named, mapping);
    }
    for (const auto& [hole, expr] : holes) bodies_[hole.index()] = expr;
    const ExprId copied = builder_.copy(of_.grammar, of, rules_, bodies_);
    for (const auto& [hole, expr] : holes) bodies_[hole.index()].reset();
    return copied;
  }

  // The body of a hole's inner rule, in place of a reference to it.
  ExprId inner_body(RuleId rule, size_t mapping) {
    return filled(of_.grammar.rule(rule).body, references_[rule.index()].body, mapping);
  }

  const Argument& argument(const Slot& slot, size_t mapping) const {
    return *mappings_[slot.is_of_request ? 0 : mapping].members->find(slot.name);
  }

  std::string pointer(const Slot& slot, size_t mapping) const {
    return concat(mappings_[slot.is_of_request ? 0 : mapping].pointer, "/",
                  pointer_part(slot.name));
  }

  FilledHole filled_hole(const Hole& hole, size_t mapping) const {
    const Slot& slot = hole.kind != HoleKind::kRepeat ? hole.slot
                       : hole.min.slot                ? *hole.min.slot
                                                      : *hole.max.slot;
    return {hole.span, slot.name, pointer(slot, mapping)};
  }

  // Notes that the rule being written has the hole. A hole within a repeated part is met again, and
  // an argument that only selects a part makes no expression of its own.
  void note_place(const Hole& hole, size_t mapping) {
    if (hole.kind == HoleKind::kIf || hole.kind == HoleKind::kIfZero) return;
    if (place_->hole_at(hole.span) == nullptr) place_->holes.push_back(filled_hole(hole, mapping));
  }

  ExprId hole_of(const Hole& hole, size_t mapping) {
    switch (hole.kind) {
      case HoleKind::kText: return text(argument(hole.slot, mapping), hole);
      case HoleKind::kOneOf: {
        std::vector<ExprId> texts;
        for (const Argument& item : argument(hole.slot, mapping).items)
          texts.push_back(text(item, hole));
        return builder_.choice(texts, hole.span);
      }
      case HoleKind::kRepeat: return repeat(hole, mapping);
      case HoleKind::kIf:
        return inner_body(hole.rules[argument(hole.slot, mapping).flag ? 0 : 1], mapping);
      case HoleKind::kEach: return each(hole, mapping);
      case HoleKind::kUse: return use(*argument(hole.slot, mapping).grammar, hole, mapping);
      case HoleKind::kValue:
      case HoleKind::kValues: return values(hole, mapping);
      case HoleKind::kIfZero:
        return inner_body(hole.rules[argument(hole.slot, mapping).integer == 0 ? 0 : 1], mapping);
    }
    return builder_.empty(hole.span);
  }

  // One of the JSON values, in one of its spellings. A hole may be named twice, as the first item
  // of an array and as a further one.
  ExprId values(const Hole& hole, size_t mapping) {
    const auto [known, is_new] = known_values_.try_emplace({&hole, mapping});
    if (is_new) known->second = written_values(hole, mapping);
    return known->second;
  }

  ExprId written_values(const Hole& hole, size_t mapping) {
    const Argument& given = argument(hole.slot, mapping);
    const bool is_list = hole.kind == HoleKind::kValues;
    count_work("writing the template out", given.items.size() + 1);
    WrittenValues written =
        hole.values->write(json_list(is_list ? std::span(given.items) : std::span(&given, 1)));
    std::vector<ExprId> all;
    for (const std::string& text : written.texts) all.push_back(builder_.literal(text, hole.span));
    if (written.grammar) all.push_back(use(*kept(std::move(written.grammar)), hole, mapping));
    const std::string place = pointer(hole.slot, mapping);
    for (auto& [i, why] : written.refused) {
      if (issues_.size() >= most_issues_) break;
      issues_.push_back({"wrong_argument",
                         is_list ? concat("item ", i, " is not allowed here: ", why)
                                 : concat(quoted(hole.slot.name), " is not allowed here: ", why),
                         "leave the value out, or change the schema's conditions beside the slot",
                         hole.span, is_list ? concat(place, "/", i) : place});
    }
    return builder_.choice(all, hole.span);
  }

  const Grammar* kept(std::shared_ptr<const Grammar> grammar) {
    kept_.push_back(std::move(grammar));
    return kept_.back().get();
  }

  ExprId text(const Argument& argument, const Hole& hole) {
    count_work("writing the template out", argument.text.size() + 1);
    return hole.is_spelled ? builder_.tokens(argument.tokens(), hole.span)
                           : builder_.literal(argument.text, hole.span);
  }

  ExprId repeat(const Hole& hole, size_t mapping) {
    const auto bound = [&](const HoleBound& of) {
      return of.slot ? static_cast<uint32_t>(argument(*of.slot, mapping).integer) : of.number;
    };
    const uint32_t min = bound(hole.min);
    const uint32_t max = bound(hole.max);
    if (min > max) {
      report_bounds(hole, min, max, mapping);
      return builder_.empty(hole.span);
    }
    const uint32_t n_most = max == kNoUpperBound ? max : max - std::min(max, hole.n_before);
    if (n_most == 0) return builder_.empty(hole.span);  // rules that nothing needs are not written
    return builder_.repeat(inner_body(hole.rules[0], mapping), min - std::min(min, hole.n_before),
                           n_most, hole.span);
  }

  void report_bounds(const Hole& hole, uint32_t min, uint32_t max, size_t mapping) {
    if (issues_.size() >= most_issues_) return;
    const Slot& slot = hole.max.slot ? *hole.max.slot : *hole.min.slot;
    issues_.push_back({"bad_count",
                       concat("a repetition requires at least ", min, " and at most ", max),
                       "give it a lower bound that is not above the upper one", hole.span,
                       pointer(slot, mapping)});
  }

  ExprId each(const Hole& hole, size_t mapping) {
    const Argument& list = argument(hole.slot, mapping);
    std::vector<ExprId> children;
    for (size_t i = 0; i < list.items.size(); ++i) {
      if (i > 0 && hole.rules.size() > 1) {
        const bool is_inner = of_.grammar.rule(hole.rules[1]).name.starts_with('$');
        children.push_back(is_inner
                               ? inner_body(hole.rules[1], mapping)
                               : builder_.rule_ref(copy_of(hole.rules[1], mapping), hole.span));
      }
      const size_t element = mapping_of(list.items[i], hole.slot, mapping, i);
      children.push_back(builder_.rule_ref(copy_of(hole.rules[0], element), hole.span));
    }
    return builder_.sequence(children, hole.span);
  }

  // The number of the element's mapping; the same for each Each that reads the list.
  size_t mapping_of(const Argument& element, const Slot& slot, size_t mapping, size_t i) {
    const auto [known, is_new] = numbers_.try_emplace(&element, mappings_.size());
    if (is_new) {
      const size_t of = slot.is_of_request ? 0 : mapping;
      mappings_.push_back({&element, concat(mappings_[of].path, ".", slot.name, ".", i),
                           concat(pointer(slot, mapping), "/", i)});
    }
    return known->second;
  }

  // The grammar's rules, written once; a reference to its root.
  ExprId use(const Grammar& grammar, const Hole& hole, size_t mapping) {
    const auto [known, is_new] = used_grammars_.try_emplace(&grammar);
    if (is_new) {
      std::vector<RuleId> rules;
      for (size_t i = 0; i < grammar.n_rules(); ++i) {
        rules.push_back(
            add_rule(concat(hole.slot.name, ".", grammar.rule(RuleId(i)).name), hole.span));
      }
      const size_t first = builder_.n_exprs();
      for (size_t i = 0; i < grammar.n_rules(); ++i) {
        const Rule& rule = grammar.rule(RuleId(i));
        builder_.set_body(rules[i], builder_.copy(grammar, rule.body, rules), hole.span);
        if (rule.lookahead)
          builder_.set_lookahead(rules[i], builder_.copy(grammar, *rule.lookahead, rules));
        builder_.copy_options(rules[i], grammar, rule, rules);
      }
      builder_.set_spans(first, hole.span);
      for (const RuleId rule : rules)
        places_.rules[builder_.so_far().rule(rule).name].holes = {filled_hole(hole, mapping)};
      known->second = rules[grammar.root().index()];
    }
    return builder_.rule_ref(known->second, hole.span);
  }

  const Template& of_;
  const size_t most_issues_;
  const std::vector<RuleReferences> references_;  // index: RuleId
  const std::vector<bool> has_holes_;             // index: RuleId
  GrammarBuilder builder_;
  std::deque<Mapping> mappings_;  // the request's first
  std::map<const Argument*, size_t> numbers_;
  std::map<const Grammar*, RuleId> used_grammars_;
  std::deque<std::shared_ptr<const Grammar>> kept_;                // of values
  std::map<std::pair<const Hole*, size_t>, ExprId> known_values_;  // by mapping, too
  std::unordered_set<std::string> names_;                          // of the template's rules
  std::unordered_set<std::string> used_;                           // of the rules written
  ArgumentPlaces places_;
  ArgumentPlaces::OfRule* place_ = nullptr;  // of the rule being written; unused without holes
  std::deque<Copy> open_;                    // rules whose bodies are still to be written
  std::vector<ArgumentIssue> issues_;
  // For GrammarBuilder::copy; index: RuleId of the template.
  std::vector<RuleId> rules_;
  std::vector<std::optional<ExprId>> bodies_;
};

}  // namespace

WrittenOut write_out(const Template& of, const std::vector<Scope>& scopes,
                     const Argument& arguments, const ArgumentLimits& limits) {
  WrittenOut result;
  result.issues = check_arguments(of, scopes, arguments, limits);
  if (!result.issues.empty()) return result;
  Writer writer(of, arguments, limits.n_issues);
  result.grammar = writer.write();
  result.issues = writer.issues();
  return result;
}

}  // namespace xg2lab::templates
