// Read: options_of, parts_of (the rules of a definition's parts).
#include "frontends/lark/captured_parts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "frontends/regex/regex.h"
#include "languages/regex/unicode.h"

namespace xg2lab::lark {
namespace {

bool is_capturing(const Definition& definition) {
  return definition.suffix_capture || (definition.options && definition.options->capture);
}

std::shared_ptr<const RuleOptions> without_lazy(const std::shared_ptr<const RuleOptions>& options) {
  if (!options || !options->is_lazy) return options;
  auto others = std::make_shared<RuleOptions>(*options);
  others->is_lazy = false;
  return others->is_empty() ? nullptr : others;
}

}  // namespace

ExprId expr_of(GrammarBuilder& builder, const WriterContext& context, const Words& words) {
  regex::Ast& ast = context.terminals.ast();
  const auto here = [](SourceSpan span) { return span; };
  const auto made = words.machine != nullptr
                        ? regex::add_language(builder, ast, words.tree, *words.machine, here)
                        : regex::add_tree(builder, ast, words.tree, here);
  if (made) return *made;
  context.reading.findings().report(
      "regex_too_large", "terminal " + quoted(words.name) + " needs a machine that is too large",
      words.span, "use smaller counts, fewer lookarounds, or a rule");
  return builder.empty(words.span);
}

CapturedParts::CapturedParts(GrammarBuilder& builder, const WriterContext& context,
                             FreshName fresh_name)
    : builder_(builder),
      context_(context),
      fresh_name_(std::move(fresh_name)),
      may_be_captured_(context.is_nested ||
                       std::ranges::any_of(context.resolved.definitions, is_capturing)) {}

std::shared_ptr<const RuleOptions> CapturedParts::options_of(const Definition& definition,
                                                             const Terminal& terminal) {
  const auto options = without_lazy(definition.options);
  const bool has_parts = terminal.suffix && (is_capturing(definition) ||
                                             (definition.hides_suffix && may_be_captured_));
  if (!has_parts) return options;
  auto others = options ? std::make_shared<RuleOptions>(*options) : std::make_shared<RuleOptions>();
  others->capture = std::nullopt;
  others->parts = builder_.so_far().rule(parts_of(definition, terminal)).name;
  return others;
}

RuleId CapturedParts::parts_of(const Definition& definition, const Terminal& terminal) {
  const auto known = parts_.find(definition.name);
  if (known != parts_.end()) return known->second;
  const SourceSpan span = definition.name_span;
  if (terminal.suffix_looks_around) {
    context_.reading.findings().report("unsupported_stop",
                                       "the end of rule " + quoted(definition.name) +
                                           " looks around, so captures can't leave it out",
                                       span, "write the suffix without lookarounds and \\b");
  }
  RuleOptions of_body;
  if (definition.options) of_body.capture = definition.options->capture;
  RuleOptions of_end;
  of_end.capture = definition.suffix_capture;
  of_end.is_hidden = definition.hides_suffix;
  // If the body looks around, it may look at the end of the match. Then any text replaces the body,
  // since the whole is known to match.
  regex::Ast& ast = context_.terminals.ast();
  const regex::NodeId body =
      terminal.body ? *terminal.body
                    : ast.add_repeat(ast.add_class(regex::any(), span), 0, regex::kNoMost, span);
  const std::array<ExprId, 2> parts{
      builder_.rule_ref(part(definition, "body", body, of_body), span),
      builder_.rule_ref(part(definition, "end", *terminal.suffix, of_end), span)};
  const RuleId rule = builder_.add_rule(fresh_name_(definition.name + ".parts"), span);
  builder_.set_body(rule, builder_.sequence(parts, span), definition.span);
  parts_.emplace(definition.name, rule);
  return rule;
}

RuleId CapturedParts::part(const Definition& definition, const std::string& name,
                           regex::NodeId tree, const RuleOptions& options) {
  const RuleId rule =
      builder_.add_rule(fresh_name_(definition.name + "." + name), definition.name_span);
  builder_.set_options(rule, std::make_shared<const RuleOptions>(options));
  const Words words{tree, nullptr, definition.name, definition.span};
  builder_.set_body(rule, expr_of(builder_, context_, words), definition.span);
  return rule;
}

}  // namespace xg2lab::lark
