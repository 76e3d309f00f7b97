// Formats that contain another language: a constant, EBNF, a regular expression, a JSON Schema.
// Read: embed, which adds the rules of a grammar; grammar and regex, whose mistakes are reported at
// their positions in the JSON; then schema_content, the only code here that turns a JSON Schema
// into an expression.
#include <algorithm>

#include "frontends/ebnf/parser.h"
#include "frontends/json_schema/json_schema.h"
#include "frontends/regex/regex.h"
#include "frontends/structural_tag/lowering.h"
#include "frontends/structural_tag/part.h"
#include "support/known_values.h"
#include "support/text.h"

namespace xg2lab::structural_tag {
namespace {

bool is_style(std::string_view name) {
  return name == "json" ||
         std::any_of(json_schema::kElementStyles.begin(), json_schema::kElementStyles.end(),
                     [&](const auto& style) { return style.name == name; });
}

std::string style_names() {
  return "json, " + join(json_schema::kElementStyles, ", ", &json_schema::ElementStyle::name);
}

// Whether compiling a content might exceed a limit. The author must hear of that at once.
// `words`: the schema.
bool may_be_large(const Grammar& content, std::string_view words) {
  constexpr size_t kManyExprs = 20'000;
  return content.n_exprs() > kManyExprs || words.find("\"pattern") != std::string_view::npos;
}

// A schema as a document of its own, and its grammar.
struct ReadSchema {
  JsonDocument document;
  Grammar grammar;
};

// A schema is read at most once in the process: requests bring the same tools again and again.
// `name`: the schema's text and the options.
std::shared_ptr<const ReadSchema> read_schema(const JsonDocument& whole, JsonId schema,
                                              const json_schema::Options& options,
                                              const std::string& name) {
  constexpr size_t kLongestName = 2048;
  static auto* const known = new KnownValues<ReadSchema>(1024);  // never destroyed: see writer.cc
  const bool is_short = name.size() <= kLongestName;
  if (is_short) {
    if (auto found = known->find(name)) return found;
  }
  JsonDocument document = document_of(whole, schema);
  Grammar grammar = json_schema::grammar_of_schema(document, {""}, options);
  auto read = std::make_shared<const ReadSchema>(std::move(document), std::move(grammar));
  if (is_short) known->keep(name, read);
  return read;
}

}  // namespace

ExprId Lowering::const_string(JsonId format, const Around& around) {
  Fields fields(document_, format, "a const_string", findings_);
  const auto value = fields.text("value");
  fields.finish();
  return value ? close(text(value->text, value->span), around.ends) : builder_.empty();
}

// ---- Embedded grammars -------------------------------------------------------------------------

ExprId Lowering::embed(const Grammar& other, const std::function<SourceSpan(SourceSpan)>& in_source,
                       const std::string& standard) {
  std::vector<RuleId> rules;
  std::vector<bool> is_known(other.n_rules(), false);
  for (size_t i = 0; i < other.n_rules(); ++i) {
    const Rule& rule = other.rule(RuleId(i));
    const bool is_root = RuleId(i) == other.root();
    // A rule without a span, which is the same in every schema's grammar.
    const bool is_standard = !standard.empty() && !is_root && rule.span == SourceSpan{};
    const auto [known, is_new] = is_standard
                                     ? standard_rules_.try_emplace(rule.name + "\n" + standard)
                                     : std::pair(standard_rules_.end(), true);
    if (!is_new) {
      rules.push_back(known->second);
      is_known[i] = true;
      continue;
    }
    rules.push_back(
        builder_.add_rule(fresh_name(is_root ? "content" : rule.name), in_source(rule.name_span)));
    if (is_standard) known->second = rules.back();
  }
  const size_t first = builder_.n_exprs();
  for (size_t i = 0; i < other.n_rules(); ++i) {
    if (is_known[i]) continue;
    const Rule& rule = other.rule(RuleId(i));
    builder_.set_body(rules[i], builder_.copy(other, rule.body, rules), in_source(rule.span));
    builder_.copy_options(rules[i], other, rule, rules);
    if (rule.lookahead)
      builder_.set_lookahead(rules[i], builder_.copy(other, *rule.lookahead, rules));
  }
  builder_.map_spans(first, in_source);
  return builder_.rule_ref(rules[other.root().index()]);
}

ExprId Lowering::grammar(JsonId format, const Around& around) {
  Fields fields(document_, format, "a grammar", findings_);
  const auto written = fields.text("grammar");
  fields.finish();
  ++parts_.n_large;
  if (!written) return builder_.empty();
  const JsonId text = *document_.find(format, "grammar");
  const auto in_json = [&](SourceSpan span) { return span_in_string(document_, text, span); };
  try {
    return close(embed(parse_ebnf(written->text, "root"), in_json), around.ends);
  } catch (const Error& error) {
    for (const Diagnostic& found : error.diagnostics())
      findings_.report_within(found.code.empty() ? "bad_grammar" : found.code.c_str(),
                              found.message, text, found.span, found.hint);
    return builder_.empty();
  }
}

ExprId Lowering::regex(JsonId format, const Around& around) {
  Fields fields(document_, format, "a regex", findings_);
  const auto pattern = fields.text("pattern");
  fields.finish();
  ++parts_.n_large;
  if (!pattern) return builder_.empty();
  const JsonId text = *document_.find(format, "pattern");
  const auto in_json = [&](SourceSpan span) { return span_in_string(document_, text, span); };
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
    findings_.report("unknown_style", "unknown style", *style, "styles: " + style_names());
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

// A schema is read as a document of its own, to which its references refer; equal schemas are
// written once.
ExprId Lowering::schema_content(JsonId schema, std::string_view style, Fields& fields) {
  json_schema::Options options;
  options.relaxes = relaxes_;
  options.max_whitespace = fields.limit("max_whitespace_cnt");
  options.any_order = fields.flag("any_order", false);
  options.plain_numbers = fields.one_of("number_form", {"any", "plain"}) == "plain";
  for (WatchedText& text : fields.texts("excludes"))
    options.excludes.push_back(std::move(text.text));
  for (const json_schema::ElementStyle& known : json_schema::kElementStyles) {
    if (known.name == style) options.elements = &known;
  }
  if (!document_.is_object(schema) && !document_.is_boolean(schema)) {
    findings_.report("bad_field", "a JSON Schema must be an object, true or false", schema,
                     "write {\"type\": \"object\", ...}");
    return builder_.empty();
  }
  std::string how(style);
  how += relaxes_ ? " relaxed" : "";
  how += options.any_order ? " any order" : "";
  how += options.plain_numbers ? " plain numbers" : "";
  if (options.max_whitespace) how += concat(" ", *options.max_whitespace);
  for (const std::string& text : options.excludes) how += " " + quoted(text);
  const std::string name = concat(how, "\n", document_.source()->slice(span(schema)));
  const auto [known, is_new] = shared_contents_.try_emplace(name);
  if (is_new) known->second = schema_rules(schema, options, how, name);
  const Content& content = known->second;
  ++parts_.n_schemas;
  if (content.may_be_large) ++parts_.n_large;
  for (const auto& [at, use] : content.uses)
    uses_.push_back({use.state, use.note, document_.key_span(JsonId(schema.index() + at))});
  if (builder_.expr(content.body).kind != ExprKind::kRuleRef) return content.body;
  return builder_.rule_ref(RuleId(builder_.expr(content.body).first), span(schema));
}

Lowering::Content Lowering::schema_rules(JsonId schema, const json_schema::Options& options,
                                         const std::string& how, const std::string& name) {
  try {
    const auto read = read_schema(document_, schema, options, name);
    const Part part(document_, schema, read->document);
    const Grammar& made = read->grammar;
    const auto in_source = [&](SourceSpan within) { return part.span_outside(within); };
    Content content{embed(made, in_source, how), {}, may_be_large(made, name)};
    for (const KeywordUse& use : made.keyword_uses())
      content.uses.emplace_back(part.value_at(use.span.begin).index(), use);
    return content;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupportedError && error.kind() != ErrorKind::kGrammarError)
      throw;
    const JsonDocument copy = document_of(document_, schema);
    const Part part(document_, schema, copy);
    for (const Diagnostic& found : error.diagnostics()) {
      findings_.report_span(found.code.c_str(), found.message, part.span_outside(found.span),
                            found.hint);
      if (error.kind() == ErrorKind::kUnsupportedError) findings_.last_is_unsupported();
    }
    return {builder_.empty(), {}, false};
  }
}

}  // namespace xg2lab::structural_tag
