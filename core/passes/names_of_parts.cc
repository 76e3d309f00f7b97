// Read: owners (from the bodies down), next.
#include "passes/names_of_parts.h"

#include "grammar/rewrite.h"
#include "support/text.h"

namespace xg2lab::passes {
namespace {

// The first rule that contains each expression; index: ExprId.
std::vector<RuleId> owners(const Grammar& grammar) {
  const RuleId none(UINT32_MAX);
  std::vector<RuleId> owner(grammar.n_exprs(), none);
  const auto claim = [&](ExprId id, RuleId rule) {
    if (owner[id.index()] == none) owner[id.index()] = rule;
  };
  for (RuleId rule : same_rules(grammar)) {
    claim(grammar.rule(rule).body, rule);
    if (grammar.rule(rule).lookahead) claim(*grammar.rule(rule).lookahead, rule);
  }
  for (size_t i = grammar.n_exprs(); i-- > 0;) {
    if (owner[i] == none) continue;
    for (ExprId child : grammar.children(ExprId(i))) claim(child, owner[i]);
  }
  return owner;
}

}  // namespace

NamesOfParts::NamesOfParts(const Grammar& grammar)
    : owner_(owners(grammar)), n_given_(grammar.n_rules()) {}

std::string NamesOfParts::next(const Grammar& so_far, ExprId part, std::string_view suffix) {
  const RuleId rule = owner_[part.index()];
  const std::string stem = concat(so_far.rule(rule).name, suffix);
  std::string name;
  do {
    const size_t number = ++n_given_[rule.index()];
    name = number == 1 ? stem : concat(stem, "_", number);
  } while (so_far.find_rule(name));
  return name;
}

}  // namespace xg2lab::passes
