#include "frontends/json_schema/json_schema.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "frontends/json_schema/writer.h"
#include "support/error.h"

namespace xg2lab::json_schema {
namespace {

// Whether the root matches some text: rules that do are found until there are no more.
bool can_match(const Grammar& grammar) {
  std::vector<bool> rules(grammar.n_rules(), false);
  std::vector<bool> exprs(grammar.n_exprs(), false);
  for (bool changed = true; changed && !rules[grammar.root().index()];) {
    changed = false;
    for (size_t i = 0; i < grammar.n_exprs(); ++i) {
      const ExprId id(i);
      const Expr& e = grammar.expr(id);
      const auto children = grammar.children(id);
      const auto matches = [&](ExprId child) { return exprs[child.index()]; };
      switch (e.kind) {
        case ExprKind::kNothing: break;
        case ExprKind::kRuleRef: exprs[i] = rules[grammar.rule_ref(id).index()]; break;
        case ExprKind::kChoice:
          exprs[i] = std::any_of(children.begin(), children.end(), matches);
          break;
        case ExprKind::kRepeat: exprs[i] = e.min == 0 || matches(children.front()); break;
        case ExprKind::kSequence:
          exprs[i] = std::all_of(children.begin(), children.end(), matches);
          break;
        case ExprKind::kAnyOrder: {
          const AnyOrderBounds& bounds = grammar.any_order(id);
          uint32_t n_single = 0;
          bool repeats = false;
          bool is_possible = true;
          for (size_t m = 0; m < bounds.members.size(); ++m) {
            const bool can = matches(children[m]);
            is_possible &= can || !bounds.members[m].is_required;
            repeats |= can && bounds.members[m].may_repeat;
            n_single += can ? 1 : 0;
          }
          exprs[i] = is_possible && (repeats || n_single >= bounds.min_total);
          break;
        }
        default: exprs[i] = true; break;
      }
    }
    for (size_t r = 0; r < rules.size(); ++r) {
      if (rules[r] || !exprs[grammar.rule(RuleId(r)).body.index()]) continue;
      rules[r] = changed = true;
    }
  }
  return rules[grammar.root().index()];
}

}  // namespace

Grammar grammar_of_schema(const JsonDocument& document, const std::vector<std::string>& uris,
                          const Options& options) {
  Coverage coverage(document, options.relaxes);
  References references(document, uris);
  Formulas formulas;
  Conditions conditions;
  Reader reader(document, references, formulas, conditions, coverage, options.checks_formats);
  Algebra algebra(document, formulas, conditions, reader, coverage, options.is_strict);
  GrammarBuilder builder;
  builder.set_source(document.source());
  Writer writer(document, options, formulas, conditions, reader, algebra, coverage, builder);
  const RuleId root = [&] {
    try {
      return writer.write(reader.schema(document.root()));
    } catch (const Error& error) {  // a limit was reached: where?
      const bool has_place = error.diagnostics().empty() || error.source().text().size() > 0;
      if (has_place || error.kind() != ErrorKind::kLimitError) throw;
      throw coverage.placed(error);
    }
  }();
  coverage.raise();
  builder.set_keyword_uses(coverage.uses());
  Grammar grammar = std::move(builder).build(root);
  if (!can_match(grammar)) {
    throw Error(ErrorKind::kGrammarError,
                {{"schema_allows_nothing", Severity::kError, "no value satisfies this schema",
                  document.span(document.root()),
                  "look for keywords that contradict each other, and for required properties that "
                  "can have no value"}},
                *document.source());
  }
  return grammar;
}

}  // namespace xg2lab::json_schema
