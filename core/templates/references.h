// The rules that each rule of a template names: in its body, its lookahead, and as its parts.
#pragma once

#include <vector>

#include "grammar/template.h"

namespace xg2lab::templates {

// Index: RuleId; each rule once, in the order of the text.
std::vector<std::vector<RuleId>> references_of_rules(const Grammar& grammar);

// Index: RuleId; whether the rule is a hole or leads to one.
std::vector<bool> rules_with_holes(const Template& of,
                                   const std::vector<std::vector<RuleId>>& references);

}  // namespace xg2lab::templates
