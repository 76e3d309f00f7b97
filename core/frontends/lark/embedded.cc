// Read: of, then one function for each kind.
#include "frontends/lark/embedded.h"

#include <algorithm>
#include <utility>

#include "automata/substrings.h"
#include "languages/regex/unicode.h"
#include "support/literal.h"
#include "support/suggest.h"
#include "support/text.h"

namespace xg2lab::lark {
namespace {

// Whether the root is nullable.
bool may_be_empty(const Grammar& grammar) {
  std::vector<bool> is_empty(grammar.n_exprs());
  std::vector<bool> rule_is_empty(grammar.n_rules());
  const auto of = [&](ExprId id) {
    const Expr& expr = grammar.expr(id);
    const auto children = grammar.children(id);
    const auto child_is_empty = [&](ExprId child) -> bool { return is_empty[child.index()]; };
    switch (expr.kind) {
      case ExprKind::kEmpty: return true;
      case ExprKind::kRuleRef:
        return static_cast<bool>(rule_is_empty[grammar.rule_ref(id).index()]);
      case ExprKind::kSequence:
        return std::all_of(children.begin(), children.end(), child_is_empty);
      case ExprKind::kChoice: return std::any_of(children.begin(), children.end(), child_is_empty);
      case ExprKind::kRepeat: return expr.min == 0 || child_is_empty(children.front());
      case ExprKind::kDispatch: return grammar.dispatch(id).stop_eos;
      case ExprKind::kMachine: return static_cast<bool>(grammar.machine(id).fsm.is_accepting[0]);
      default: return false;
    }
  };
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (size_t i = 0; i < grammar.n_exprs(); ++i) is_empty[i] = of(ExprId(i));
    for (size_t i = 0; i < grammar.n_rules(); ++i) {
      const bool now = is_empty[grammar.rule(RuleId(i)).body.index()];
      has_changed = has_changed || now != rule_is_empty[i];
      rule_is_empty[i] = now;
    }
  }
  return rule_is_empty[grammar.root().index()];
}

}  // namespace

Opaque Embedded::of(const Node& node) {
  GrammarBuilder& builder = context_.builder;
  switch (node.kind) {
    case NodeKind::kTokens: return {builder.token_set(node.tokens, node.span), {}, false};
    case NodeKind::kSubstring: {
      std::vector<std::string_view> chunks(node.chunks.begin(), node.chunks.end());
      const std::string words = concat("Substring(", join(chunks, ", ", print_literal), ")");
      auto machine = std::make_shared<const Machine>(Machine{words, substring_machine(chunks)});
      return {builder.machine(std::move(machine), node.span), regex::any(), true};
    }
    case NodeKind::kGrammar: return of_grammar(node);
    case NodeKind::kNested: return of_text(node, node.text, concat("lark-", ++n_nested_));
    default: return of_schema(node);
  }
}

Opaque Embedded::of_schema(const Node& node) {
  Findings& findings = context_.reading.findings();
  const SchemaGrammar made = context_.options.schema_grammar(node.text);
  if (made.grammar) return copied(*made.grammar, node, concat("json-", ++n_schemas_));
  findings.report("bad_schema", "%json: " + made.mistake, node.span,
                  "Grammar.from_json_schema says more about the schema alone");
  return {context_.builder.empty(node.span), {}, false};
}

Opaque Embedded::of_grammar(const Node& node) {
  const auto known = by_name_.find(node.text);
  if (known != by_name_.end()) return known->second;
  const LarkOptions& options = context_.options;
  Opaque made{context_.builder.empty(node.span), {}, false};
  if (const auto grammar = options.named_grammar ? options.named_grammar(node.text) : nullptr) {
    made = copied(*grammar, node, node.text);
  } else if (const auto* text = options.named_text ? options.named_text(node.text) : nullptr) {
    made = of_text(node, *text, node.text);
  } else {
    context_.reading.findings().report("unknown_grammar",
                                       "there is no grammar " + quoted("@" + node.text), node.span,
                                       "pass it: named_grammars={\"" + node.text + "\": ...}");
  }
  by_name_.emplace(node.text, made);
  return made;
}

Opaque Embedded::of_text(const Node& node, const std::string& text, const std::string& name) {
  const Opaque harmless{context_.builder.empty(node.span), {}, false};
  Findings& findings = context_.reading.findings();
  if (context_.depth >= kMostGrammarsInGrammars) {
    findings.report("nesting_too_deep",
                    concat("grammars are nested deeper than ", kMostGrammarsInGrammars, " levels"),
                    node.span, "a grammar can't be part of itself");
    return harmless;
  }
  try {
    LarkOptions options = context_.options;
    options.start = "start";
    return copied(parse_nested(text, options, context_.depth + 1), node, name);
  } catch (const Error& error) {
    for (const Diagnostic& mistake : error.diagnostics()) {
      const uint32_t line = error.source().position(mistake.span.begin).line;
      findings.report(mistake.code.c_str(),
                      concat("in ", quoted(name), ", line ", line, ": ", mistake.message),
                      node.span, mistake.hint);
    }
    if (error.diagnostics().empty()) throw;
    return harmless;
  }
}

// Copies the grammar's rules under names of their own.
Opaque Embedded::copied(const Grammar& grammar, const Node& node, const std::string& name) {
  GrammarBuilder& builder = context_.builder;
  const size_t first = builder.n_exprs();
  std::vector<RuleId> rules;
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    rules.push_back(builder.add_rule(name + "." + grammar.rule(RuleId(i)).name, node.span));
  }
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    const Rule& rule = grammar.rule(RuleId(i));
    builder.set_body(rules[i], builder.copy(grammar, rule.body, rules), node.span);
    builder.copy_options(rules[i], grammar, rule, rules);
  }
  const ExprId reference = builder.rule_ref(rules[grammar.root().index()]);
  builder.set_spans(first, node.span);
  return {reference, regex::any(), may_be_empty(grammar)};
}

}  // namespace xg2lab::lark
