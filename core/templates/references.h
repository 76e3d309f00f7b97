// The rules that each rule of a template names: in its body, its lookahead, and as its parts.
#pragma once

#include <optional>
#include <vector>

#include "grammar/template.h"

namespace xg2lab::templates {

// The rules that a rule names; in each list every rule once, in the order of the text.
struct RuleReferences {
  std::vector<RuleId> body;
  std::vector<RuleId> lookahead;
  std::optional<RuleId> parts;  // of the rule's options

  // Calls visit(rule) for each of them; for a rule of several lists several times.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (RuleId rule : body) visit(rule);
    for (RuleId rule : lookahead) visit(rule);
    if (parts) visit(*parts);
  }
};

// Index: RuleId.
std::vector<RuleReferences> references_of_rules(const Grammar& grammar);

// Index: RuleId; whether the rule is a hole or leads to one.
std::vector<bool> rules_with_holes(const Template& of,
                                   const std::vector<RuleReferences>& references);

}  // namespace xg2lab::templates
