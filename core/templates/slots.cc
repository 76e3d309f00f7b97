// Read: find_scopes, then Finder::visit (one rule) and add (one use of a slot).
#include "templates/slots.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "support/text.h"
#include "templates/references.h"

namespace xg2lab::templates {
namespace {

// What fills a slot of this kind, for messages.
const char* filling(HoleKind kind) {
  switch (kind) {
    case HoleKind::kText: return "a text";
    case HoleKind::kOneOf: return "a list of texts";
    case HoleKind::kRepeat: return "a number";
    case HoleKind::kIf: return "a truth value";
    case HoleKind::kEach: return "a list of mappings";
    case HoleKind::kUse: return "a Grammar";
    case HoleKind::kValue: return "a JSON value";
    case HoleKind::kValues: return "a list of JSON values";
    case HoleKind::kIfZero: return "a number";
  }
  return "";
}

class Finder {
 public:
  Finder(const Template& of, Findings& findings)
      : of_(of), findings_(findings), references_(references_of_rules(of.grammar)) {}

  std::vector<Scope> find() {
    scope_of(of_.grammar.root());
    for (size_t i = 0; i < scopes_.size(); ++i) visit_scope(i);  // visits add scopes
    std::vector<Scope> found;
    for (auto& [rule, slots] : scopes_) {
      Scope& scope = found.emplace_back(Scope{rule, {}});
      for (auto& [name, facts] : slots) {
        std::ranges::sort(facts.uses);
        std::ranges::sort(facts.elements);
        scope.slots.push_back(std::move(facts));
      }
    }
    return found;
  }

 private:
  struct Found {
    RuleId rule;
    std::map<std::string, SlotFacts> slots;
  };

  // The number of the scope that begins with the rule. The request's scope is apart from that of
  // mappings for the root.
  size_t scope_of(RuleId rule) {
    const size_t n_mine = scopes_.empty() ? 0 : 1;
    for (size_t i = n_mine; i < scopes_.size(); ++i) {
      if (scopes_[i].rule == rule) return i;
    }
    scopes_.push_back({rule, {}});
    return scopes_.size() - 1;
  }

  void visit_scope(size_t scope) {
    std::vector<bool> is_seen(of_.grammar.n_rules());
    std::vector<RuleId> open;
    const auto reach = [&](RuleId rule) {
      if (is_seen[rule.index()]) return;
      is_seen[rule.index()] = true;
      open.push_back(rule);
    };
    reach(scopes_[scope].rule);
    for (size_t i = 0; i < open.size(); ++i) {
      const RuleId rule = open[i];
      if (const Hole* hole = of_.hole(rule)) {
        visit_hole(scope, *hole);
        const size_t n_elsewhere = hole->kind == HoleKind::kEach ? 1 : 0;
        for (size_t j = n_elsewhere; j < hole->rules.size(); ++j) reach(hole->rules[j]);
        continue;
      }
      references_[rule.index()].for_each(reach);
    }
  }

  void visit_hole(size_t scope, const Hole& hole) {
    if (hole.kind == HoleKind::kRepeat) {
      for (const HoleBound* bound : {&hole.min, &hole.max}) {
        if (bound->slot) add(scope, *bound->slot, hole.kind);
      }
      return;
    }
    const bool is_count = hole.kind == HoleKind::kIfZero;
    SlotFacts* facts = add(scope, hole.slot, is_count ? HoleKind::kRepeat : hole.kind);
    if (facts != nullptr) facts->is_spelled = facts->is_spelled || hole.is_spelled;
    if (facts == nullptr || hole.kind != HoleKind::kEach) return;
    const size_t element = scope_of(hole.rules[0]);
    // scope_of may have moved the scopes
    facts = &scopes_[hole.slot.is_of_request ? 0 : scope].slots.at(hole.slot.name);
    if (std::ranges::find(facts->elements, element) == facts->elements.end())
      facts->elements.push_back(element);
  }

  // Null: the slot has another kind already.
  SlotFacts* add(size_t scope, const Slot& slot, HoleKind kind) {
    auto& slots = scopes_[slot.is_of_request ? 0 : scope].slots;
    const auto [place, is_new] = slots.try_emplace(slot.name);
    SlotFacts& facts = place->second;
    if (is_new) facts = {slot.name, kind, {}, {}};
    if (facts.kind != kind) {
      findings_.report("slot_of_two_kinds",
                       concat(quoted("$" + slot.name), " is ", filling(kind), " here and ",
                              filling(facts.kind), " elsewhere"),
                       slot.span, "give one of them another name");
      return nullptr;
    }
    if (std::ranges::find(facts.uses, slot.span) == facts.uses.end())
      facts.uses.push_back(slot.span);
    return &facts;
  }

  const Template& of_;
  Findings& findings_;
  const std::vector<RuleReferences> references_;  // index: RuleId
  std::vector<Found> scopes_;
};

}  // namespace

const SlotFacts* Scope::find(const std::string& name) const {
  const auto found = std::ranges::lower_bound(slots, name, {}, &SlotFacts::name);
  return found != slots.end() && found->name == name ? &*found : nullptr;
}

std::vector<Scope> find_scopes(const Template& of, Findings& findings) {
  return Finder(of, findings).find();
}

}  // namespace xg2lab::templates
