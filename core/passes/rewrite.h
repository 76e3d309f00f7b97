// What passes are made of: a walk over a grammar's nodes, children first, that builds the next
// grammar.
//
// IDEA
//   Children have smaller ids than their parent (I1 of Grammar), so a loop over ids is a walk from
//   the leaves up. No pass recurses, and a node that two parents share is rebuilt once.
#pragma once

#include <functional>
#include <vector>

#include "grammar/grammar.h"

namespace xg2lab::passes {

// Which expressions are part of a rule's body or lookahead; index: ExprId.
std::vector<bool> used_exprs(const Grammar& grammar);

// RuleId(0), RuleId(1), ...
std::vector<RuleId> same_rules(const Grammar& grammar);

// Makes, in `builder`, what becomes of one expression; `children` are those of the new grammar.
using Remake =
    std::function<ExprId(GrammarBuilder& builder, ExprId old, std::span<const ExprId> children)>;

// The grammar with the same rules in which every used expression is remade.
Grammar rewrite(const Grammar& grammar, const Remake& remake);

// The grammar with only those rules that are `kept` (index: RuleId; the root is). No kept rule may
// refer to one that is not.
Grammar keep_rules(const Grammar& grammar, const std::vector<bool>& kept);

// The grammar with these warnings added, except those it has already: a pass may run twice.
Grammar with_warnings(Grammar grammar, std::vector<Diagnostic> warnings);

}  // namespace xg2lab::passes
