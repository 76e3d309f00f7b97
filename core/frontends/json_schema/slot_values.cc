#include "frontends/json_schema/slot_values.h"

#include <algorithm>
#include <utility>

#include "support/error.h"
#include "support/text.h"

namespace xg2lab::json_schema {
namespace {

void copy_value(const JsonDocument& from, JsonId value, JsonBuilder& to) {
  const JsonKind kind = from.kind(value);
  if (kind != JsonKind::kArray && kind != JsonKind::kObject) {
    to.scalar(kind, from.text(value));
    return;
  }
  to.begin(kind, true);
  for (JsonId child : from.children(value)) {
    if (kind == JsonKind::kObject) to.key(from.key(child));
    copy_value(from, child, to);
  }
  to.end();
}

// The text of a value that has one spelling. Nothing: it may have several.
std::optional<std::string> sole_spelling(const JsonDocument& document, JsonId value) {
  switch (document.kind(value)) {
    case JsonKind::kNull: return "null";
    case JsonKind::kTrue: return "true";
    case JsonKind::kFalse: return "false";
    case JsonKind::kString: break;
    default: return std::nullopt;
  }
  std::string text;
  append_json_string(text, document.text(value));
  const auto is_plain = [](char byte) { return static_cast<unsigned char>(byte) < 0x7F; };
  return std::ranges::all_of(text, is_plain) ? std::optional(std::move(text)) : std::nullopt;
}

JsonType type_of(JsonKind kind) {
  switch (kind) {
    case JsonKind::kNull: return JsonType::kNull;
    case JsonKind::kFalse:
    case JsonKind::kTrue: return JsonType::kBoolean;
    case JsonKind::kNumber: return JsonType::kNumber;
    case JsonKind::kString: return JsonType::kString;
    case JsonKind::kArray: return JsonType::kArray;
    case JsonKind::kObject: return JsonType::kObject;
  }
  return JsonType::kNull;
}

// The texts of a grammar that is a text, or a choice of texts. Empty: it is neither.
std::vector<std::string> texts_of(const Grammar& grammar) {
  const ExprId body = grammar.rule(grammar.root()).body;
  const std::span<const ExprId> one(&body, 1);
  std::vector<std::string> texts;
  for (ExprId text : grammar.expr(body).kind == ExprKind::kChoice ? grammar.children(body) : one) {
    if (grammar.expr(text).kind != ExprKind::kLiteral) return {};
    texts.emplace_back(grammar.literal(text));
  }
  return texts;
}

}  // namespace

SlotValues::SlotValues(const JsonDocument& document, const std::vector<JsonId>& beside,
                       std::optional<JsonId> dialect, TypeSet types, const Options& options)
    : types_(types), options_(options) {
  JsonBuilder builder;
  builder.begin_document();
  builder.begin(JsonKind::kObject, false);
  if (dialect) {
    builder.key("$schema");
    copy_value(document, *dialect, builder);
  }
  is_about_types_alone_ = true;
  for (JsonId keyword : beside) {
    is_about_types_alone_ = is_about_types_alone_ && document.key(keyword) == "type";
    builder.key(document.key(keyword));
    copy_value(document, keyword, builder);
  }
  builder.end();
  beside_ = std::move(builder).build("schema");
}

JsonDocument SlotValues::schema_with(const JsonDocument& values,
                                     std::span<const JsonId> some) const {
  JsonBuilder builder;
  builder.begin_document();
  builder.begin(JsonKind::kObject, false);
  for (JsonId keyword : beside_.children(beside_.root())) {
    builder.key(beside_.key(keyword));
    copy_value(beside_, keyword, builder);
  }
  builder.key("enum");  // which every draft has
  builder.begin(JsonKind::kArray, true);
  for (JsonId value : some) copy_value(values, value, builder);
  builder.end();
  builder.end();
  return std::move(builder).build("schema");
}

Grammar SlotValues::grammar_of(const JsonDocument& values, std::span<const JsonId> some) const {
  return grammar_of_schema(schema_with(values, some), {""}, options_);
}

std::string SlotValues::refusal(const JsonDocument& values, JsonId value) const {
  if ((types_ & bit_of(type_of(values.kind(value)))) == 0) return "the schema's `type` excludes it";
  try {
    grammar_of(values, {&value, 1});
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kLimitError) throw;
    const Diagnostic& first = error.diagnostics().front();
    return first.code == "schema_allows_nothing" ? "the keywords beside the slot exclude it"
                                                 : first.message;
  }
  return "";
}

WrittenValues SlotValues::write(const JsonDocument& values) const {
  WrittenValues written;
  std::vector<JsonId> rest;
  const auto all = values.children(values.root());
  for (size_t i = 0; i < all.size(); ++i) {
    auto text = is_about_types_alone_ ? sole_spelling(values, all[i]) : std::nullopt;
    const bool is_allowed = (types_ & bit_of(type_of(values.kind(all[i])))) != 0;
    if (text && is_allowed) {
      written.texts.push_back(*std::move(text));
    } else if (std::string why = refusal(values, all[i]); !why.empty()) {
      written.refused.emplace_back(i, std::move(why));
    } else {
      rest.push_back(all[i]);
    }
  }
  if (rest.empty()) return written;
  // Together: how one number is spelled depends on the others.
  Grammar grammar = grammar_of(values, rest);
  const std::vector<std::string> texts = texts_of(grammar);
  if (texts.empty()) written.grammar = std::make_shared<const Grammar>(std::move(grammar));
  written.texts.insert(written.texts.end(), texts.begin(), texts.end());
  return written;
}

}  // namespace xg2lab::json_schema
