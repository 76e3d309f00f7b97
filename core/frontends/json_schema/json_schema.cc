#include "frontends/json_schema/json_schema.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "frontends/json_schema/slots.h"
#include "frontends/json_schema/writer.h"
#include "support/error.h"

namespace xg2lab::json_schema {
namespace {

// Whether the root is productive: productive rules are collected until no more are found. Each
// round examines only the remaining rules, and rules mostly refer to later ones, so rounds are few
// and short after the first.
class Matching {
 public:
  explicit Matching(const Grammar& grammar)
      : grammar_(grammar), rules_(grammar.n_rules(), 0), exprs_(grammar.n_exprs(), 0) {}

  bool root_matches() {
    std::vector<RuleId> rules_left;
    std::vector<ExprId> left;
    rules_left.reserve(grammar_.n_rules());
    left.reserve(grammar_.n_exprs());
    for (size_t r = grammar_.n_rules(); r-- > 0;) rules_left.emplace_back(r);
    for (size_t i = 0; i < grammar_.n_exprs(); ++i) {
      const ExprId id(i);
      if (matches(id)) exprs_[i] = 1;
      else if (grammar_.expr(id).kind != ExprKind::kNothing) left.push_back(id);
    }
    for (;;) {
      const size_t n_before = rules_left.size();
      std::erase_if(rules_left, [&](RuleId rule) {
        return rules_[rule.index()] = exprs_[grammar_.rule(rule).body.index()];
      });
      if (rules_[grammar_.root().index()] != 0) return true;
      if (rules_left.size() == n_before) return false;
      std::erase_if(left, [&](ExprId id) { return exprs_[id.index()] = matches(id) ? 1 : 0; });
    }
  }

 private:
  bool matches(ExprId id) const {
    const Expr& e = grammar_.expr(id);
    const auto does = [&](ExprId child) { return exprs_[child.index()] != 0; };
    switch (e.kind) {
      case ExprKind::kNothing: return false;
      case ExprKind::kRuleRef: return rules_[grammar_.rule_ref(id).index()] != 0;
      case ExprKind::kChoice: return std::ranges::any_of(grammar_.children(id), does);
      case ExprKind::kRepeat: return e.min == 0 || does(grammar_.children(id).front());
      case ExprKind::kSequence: return std::ranges::all_of(grammar_.children(id), does);
      case ExprKind::kAnyOrder: break;
      default: return true;
    }
    const AnyOrderBounds& bounds = grammar_.any_order(id);
    const auto children = grammar_.children(id);
    uint32_t n_single = 0;
    bool repeats = false;
    for (size_t m = 0; m < bounds.members.size(); ++m) {
      const bool can = does(children[m]);
      if (!can && bounds.members[m].is_required) return false;
      repeats |= can && bounds.members[m].may_repeat;
      n_single += can ? 1 : 0;
    }
    return repeats || n_single >= bounds.min_total;
  }

  const Grammar& grammar_;
  std::vector<uint8_t> rules_;
  std::vector<uint8_t> exprs_;
};

Template written_schema(const JsonDocument& document, const std::vector<std::string>& uris,
                        const Options& options, bool is_template) {
  Coverage coverage(document, options.relaxes);
  Slots slots(document, coverage, is_template);
  References references(document, uris);
  Formulas formulas;
  Conditions conditions;
  Reader reader(document, references, formulas, conditions, coverage, slots, options.checks_formats,
                options.plain_numbers);
  Algebra algebra(document, formulas, conditions, reader, coverage, slots, options.is_strict);
  GrammarBuilder builder;
  builder.set_source(document.source());
  Writer writer(document, options, formulas, conditions, reader, algebra, coverage, slots, builder);
  const RuleId root = [&] {
    try {
      return writer.write(reader.schema(document.root()));
    } catch (const Error& error) {  // a limit was reached: adds the place
      const bool has_place = error.diagnostics().empty() || error.source().text().size() > 0;
      if (has_place || error.kind() != ErrorKind::kLimitError) throw;
      throw coverage.located(error);
    }
  }();
  slots.finish();
  coverage.raise();
  const size_t n_rules = builder.n_rules();
  builder.set_keyword_uses(coverage.uses());
  Grammar grammar = std::move(builder).build(root);
  if (!Matching(grammar).root_matches()) {
    throw Error(ErrorKind::kGrammarError,
                {{"schema_allows_nothing", Severity::kError, "no value satisfies this schema",
                  document.span(document.root()),
                  "look for keywords that contradict each other, and for required properties that "
                  "can have no value"}},
                *document.source());
  }
  return {std::move(grammar), std::move(writer).holes(n_rules)};
}

}  // namespace

Grammar grammar_of_schema(const JsonDocument& document, const std::vector<std::string>& uris,
                          const Options& options) {
  return written_schema(document, uris, options, false).grammar;
}

Template template_of_schema(const JsonDocument& document, const std::vector<std::string>& uris,
                            const Options& options) {
  return written_schema(document, uris, options, true);
}

}  // namespace xg2lab::json_schema
