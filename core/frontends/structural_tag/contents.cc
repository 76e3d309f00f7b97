// Formats that hold another language: a constant, EBNF, a regular expression, a JSON Schema.
// Read: embed, which takes a grammar in; grammar and regex, whose mistakes are shown at their places in the JSON; then
// schema_content, the one place where a JSON Schema becomes an expression.
#include "frontends/ebnf/parser.h"
#include "frontends/regex/regex.h"
#include "frontends/structural_tag/lowering.h"
#include "frontends/structural_tag/styles.h"

namespace xg2lab::structural_tag {

ExprId Lowering::const_string(JsonId format, const Around& around) {
  Fields fields(document_, format, "a const_string", findings_);
  const auto value = fields.text("value");
  fields.finish();
  return value ? close(text(value->text, value->span), around.ends) : builder_.empty();
}

// ---- Grammars within -----------------------------------------------------------------------------

ExprId Lowering::embed(const Grammar& other, const std::function<SourceSpan(SourceSpan)>& place) {
  std::vector<RuleId> rules;
  for (size_t i = 0; i < other.n_rules(); ++i) {
    const Rule& rule = other.rule(RuleId(i));
    rules.push_back(builder_.add_rule(fresh_name(RuleId(i) == other.root() ? "content" : rule.name),
                                      place(rule.name_span)));
  }
  const size_t first = builder_.n_exprs();
  for (size_t i = 0; i < other.n_rules(); ++i) {
    const Rule& rule = other.rule(RuleId(i));
    builder_.set_body(rules[i], builder_.copy(other, rule.body, rules), place(rule.span));
    builder_.set_options(rules[i], rule.options);
    if (rule.lookahead)
      builder_.set_lookahead(rules[i], builder_.copy(other, *rule.lookahead, rules));
  }
  builder_.map_spans(first, place);
  return builder_.rule_ref(rules[other.root().index()]);
}

ExprId Lowering::grammar(JsonId format, const Around& around) {
  Fields fields(document_, format, "a grammar", findings_);
  const auto written = fields.text("grammar");
  fields.finish();
  if (!written) return builder_.empty();
  const JsonId place = *document_.find(format, "grammar");
  const auto in_json = [&](SourceSpan span) { return place_in_string(document_, place, span); };
  try {
    return close(embed(parse_ebnf(written->text, "root"), in_json), around.ends);
  } catch (const Error& error) {
    for (const Diagnostic& found : error.diagnostics())
      findings_.report_within(found.code.empty() ? "bad_grammar" : found.code.c_str(),
                              found.message, place, found.span, found.hint);
    return builder_.empty();
  }
}

ExprId Lowering::regex(JsonId format, const Around& around) {
  Fields fields(document_, format, "a regex", findings_);
  const auto pattern = fields.text("pattern");
  fields.finish();
  if (!pattern) return builder_.empty();
  const JsonId place = *document_.find(format, "pattern");
  const auto in_json = [&](SourceSpan span) { return place_in_string(document_, place, span); };
  const regex::Report report = [&](const char* code, std::string message, SourceSpan span,
                                   std::string hint) {
    findings_.report_span(code, std::move(message), span, std::move(hint));
  };
  const ExprId body = regex::add_regex(builder_, pattern->text, {}, in_json, report);
  return close(as_rule("pattern", body, span(format)), around.ends);
}

// ---- JSON Schema -------------------------------------------------------------------------------

ExprId Lowering::json_schema(JsonId format, const Around& around) {
  Fields fields(document_, format, "a json_schema", findings_);
  const auto schema = fields.needed("json_schema");
  const auto style = fields.value("style");
  std::string_view name = "json";
  if (style && document_.is_string(*style)) name = document_.text(*style);
  if (style && (!document_.is_string(*style) || !is_style(name))) {
    findings_.report("unknown_style", "there is no such style", *style, "styles: " + style_names());
    return builder_.empty();
  }
  const ExprId content =
      schema ? schema_content(*schema, name, fields) : builder_.empty(span(format));
  fields.finish();
  return close(content, around.ends);
}

ExprId Lowering::qwen_xml_parameter(JsonId format, const Around& around) {
  Fields fields(document_, format, "a qwen_xml_parameter", findings_);
  const auto schema = fields.needed("json_schema");
  const ExprId content = schema ? schema_content(*schema, "qwen_xml", fields) : builder_.empty();
  fields.finish();
  return close(content, around.ends);
}

// `true` and `{}` are any value; their grammars are the same wherever they stand, so they are made once.
ExprId Lowering::schema_content(JsonId schema, std::string_view style, Fields& fields) {
  AnyValue any;
  any.style = std::string(style);
  any.max_whitespace = fields.limit("max_whitespace_cnt");
  fields.flag("any_order", false);  // of any value it says nothing
  for (const WatchedText& text : fields.texts("excludes")) any.excludes.push_back(text.text);
  const bool is_any = document_.kind(schema) == JsonKind::kTrue ||
                      (document_.is_object(schema) && document_.children(schema).empty());
  if (document_.kind(schema) == JsonKind::kFalse) return builder_.nothing(span(schema));
  if (!is_any && !document_.is_object(schema)) {
    findings_.report("bad_field", "a JSON Schema is an object, true or false", schema,
                     "write {\"type\": \"object\", ...}");
    return builder_.empty();
  }
  const auto ebnf = is_any ? any_value_ebnf(any) : std::nullopt;
  if (!ebnf) {
    findings_.report_unsupported(
        "unsupported_schema",
        is_any ? "style " + quoted(style) +
                     " repeats each property's name, so it needs a schema that names them"
               : "a JSON Schema that says something is not supported here yet",
        schema, is_any ? "list the properties" : "write true, or a grammar");
    return builder_.empty();
  }
  const auto [known, is_new] = shared_contents_.emplace(*ebnf, ExprId());
  if (is_new) {
    const SourceSpan here = span(schema);
    known->second = embed(parse_ebnf(*ebnf, "root"), [here](SourceSpan) { return here; });
  }
  return builder_.rule_ref(RuleId(builder_.expr(known->second).first), span(schema));
}

}  // namespace xg2lab::structural_tag
