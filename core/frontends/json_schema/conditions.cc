#include "frontends/json_schema/conditions.h"

#include "frontends/json_schema/formats.h"
#include "frontends/regex/regex.h"
#include "support/error.h"
#include "support/utf8.h"

namespace xg2lab::json_schema {

std::vector<uint32_t> code_points(std::string_view utf8) {
  std::vector<uint32_t> points;
  for (size_t i = 0; i < utf8.size();) {
    const auto decoded = decode_utf8(utf8, i);
    XG2LAB_ASSERT(decoded.has_value(), "texts of a JsonDocument are UTF-8");
    points.push_back(decoded->code_point);
    i += decoded->n_bytes;
  }
  return points;
}

ConditionId Conditions::add(ConditionKind kind, std::string_view text, JsonId origin) {
  const auto [found, is_new] =
      known_.try_emplace({kind, std::string(text)}, ConditionId(conditions_.size()));
  if (is_new) {
    conditions_.push_back({kind, std::string(text), origin});
    languages_.emplace_back();
  }
  return found->second;
}

const CodePointDfa& Conditions::language(ConditionId id) {
  auto& language = languages_[id.index()];
  if (language) return *language;
  const Condition& condition = conditions_[id.index()];
  if (condition.kind == ConditionKind::kPattern) {
    language = std::make_shared<const CodePointDfa>(
        regex::language_of_regex(condition.text, {}, regex::Match::kSearch));
  } else {
    language = format_language(condition.text);
    XG2LAB_ASSERT(language != nullptr, "only formats that have a language are conditions");
  }
  return *language;
}

bool Conditions::accepts(ConditionId id, std::string_view text) {
  return language(id).accepts(code_points(text));
}

}  // namespace xg2lab::json_schema
