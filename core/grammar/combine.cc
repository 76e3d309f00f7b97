// Adds the rules of all grammars to one builder, under names that don't collide.
// Read: combine; fresh_name.
#include "grammar/combine.h"

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "support/text.h"

namespace xg2lab {
namespace {

class Names {
 public:
  explicit Names(const std::vector<const Grammar*>& grammars) {
    for (const Grammar* grammar : grammars) {
      for (size_t i = 0; i < grammar->n_rules(); ++i)
        written_.insert(grammar->rule(RuleId(i)).name);
    }
  }

  // `wanted` if no rule has this name yet; otherwise `wanted` with a number that makes it unused.
  std::string take(const std::string& wanted) {
    if (taken_.insert(wanted).second) return wanted;
    std::string name;
    do {
      name = concat(wanted, "_", ++last_number_[wanted]);
    } while (written_.count(name) > 0 || !taken_.insert(name).second);
    return name;
  }

 private:
  std::unordered_set<std::string> written_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, size_t> last_number_;
};

enum class Combination { kConcat, kUnion };

Grammar combine(const std::vector<const Grammar*>& grammars, Combination combination) {
  XG2LAB_ASSERT(!grammars.empty(), "there is something to combine");
  GrammarBuilder builder;
  Names names(grammars);
  const RuleId root = builder.add_rule(names.take("root"));
  std::vector<ExprId> parts;
  for (const Grammar* grammar : grammars) {
    std::vector<RuleId> rules;
    for (size_t i = 0; i < grammar->n_rules(); ++i) {
      rules.push_back(builder.add_rule(names.take(grammar->rule(RuleId(i)).name)));
    }
    for (size_t i = 0; i < grammar->n_rules(); ++i) {
      const Rule& rule = grammar->rule(RuleId(i));
      builder.set_body(rules[i], builder.copy(*grammar, rule.body, rules));
      builder.copy_options(rules[i], *grammar, rule, rules);
      if (rule.lookahead) {
        builder.set_lookahead(rules[i], builder.copy(*grammar, *rule.lookahead, rules));
      }
    }
    parts.push_back(builder.rule_ref(rules[grammar->root().index()]));
  }
  builder.set_body(
      root, combination == Combination::kConcat ? builder.sequence(parts) : builder.choice(parts));
  return std::move(builder).build(root);
}

}  // namespace

Grammar concat_grammars(const std::vector<const Grammar*>& grammars) {
  return combine(grammars, Combination::kConcat);
}

Grammar unite_grammars(const std::vector<const Grammar*>& grammars) {
  return combine(grammars, Combination::kUnion);
}

}  // namespace xg2lab
