// Read: run and lower; the table of formats; combinations of formats; tags; shared parts.
#include "frontends/structural_tag/lowering.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "support/suggest.h"
#include "support/text.h"

namespace xg2lab::structural_tag {

const std::vector<Lowering::Kind>& Lowering::kinds() {
  static const std::vector<Kind> all{
      {"const_string", &Lowering::const_string},
      {"json_schema", &Lowering::json_schema},
      {"any_text", &Lowering::any_text},
      {"grammar", &Lowering::grammar},
      {"regex", &Lowering::regex},
      {"token", &Lowering::token},
      {"exclude_token", &Lowering::exclude_token},
      {"any_tokens", &Lowering::any_tokens},
      {"sequence", &Lowering::sequence},
      {"or", &Lowering::one_of},
      {"tag", &Lowering::tag},
      {"triggered_tags", &Lowering::triggered_tags},
      {"token_triggered_tags", &Lowering::token_triggered_tags},
      {"tags_with_separator", &Lowering::tags_with_separator},
      {"optional", &Lowering::optional},
      {"plus", &Lowering::plus},
      {"star", &Lowering::star},
      {"repeat", &Lowering::repeat},
      {"dispatch", &Lowering::dispatch},
      {"token_dispatch", &Lowering::token_dispatch},
      {"qwen_xml_parameter", &Lowering::qwen_xml_parameter},
  };
  return all;
}

Grammar Lowering::run() {
  const JsonId root = document_.root();
  const RuleId rule = builder_.add_rule(fresh_name("root"));
  if (!document_.is_object(root)) {
    findings_.report("bad_field", "a structural tag must be an object", root,
                     "write {\"type\": \"structural_tag\", \"format\": {...}}");
    std::move(findings_).raise();
  }
  Fields fields(document_, root, "a structural tag", findings_);
  if (const auto type = fields.value("type")) {
    const bool is_ours = document_.is_string(*type) && document_.text(*type) == "structural_tag";
    if (!is_ours)
      findings_.report("bad_field", "the `type` of a structural tag must be \"structural_tag\"",
                       *type, "the format itself goes into \"format\"");
  }
  const ExprId body = lower_field(fields, "format", {{}, {}, true});
  fields.finish();
  if (!findings_.is_empty()) std::move(findings_).raise();
  builder_.set_body(rule, body, document_.span(root));
  builder_.set_source(document_.source());
  const auto is_before = [](const KeywordUse& a, const KeywordUse& b) {
    return a.span.begin < b.span.begin;
  };
  if (!std::ranges::is_sorted(uses_, is_before)) std::ranges::stable_sort(uses_, is_before);
  builder_.set_keyword_uses(std::move(uses_));
  builder_.set_contents(std::move(contents_));
  return std::move(builder_).build(rule);
}

ExprId Lowering::lower_field(Fields& fields, std::string_view name, const Around& around) {
  const auto format = fields.needed(name);
  return format ? lower(*format, around) : builder_.empty();
}

ExprId Lowering::lower(JsonId format, const Around& around) {
  const auto type = document_.is_object(format) ? document_.find(format, "type") : std::nullopt;
  if (!type || !document_.is_string(*type)) {
    findings_.report("bad_format", "a format must be an object with a `type`",
                     type.value_or(format), "write {\"type\": \"any_text\"} or another format");
    return builder_.empty();
  }
  std::vector<std::string_view> names;
  for (const Kind& kind : kinds()) {
    if (kind.name == document_.text(*type)) return (this->*kind.lower)(format, around);
    names.push_back(kind.name);
  }
  const auto near = closest_name(document_.text(*type), names);
  findings_.report("unknown_format", "there is no format " + quoted(document_.text(*type)), *type,
                   near ? "did you mean " + quoted(*near) + "?"
                        : "docs/design/0022-structural-tags.md lists them");
  return builder_.empty();
}

// ---- Combinations of formats -------------------------------------------------------------------

ExprId Lowering::sequence(JsonId format, const Around& around) {
  Fields fields(document_, format, "a sequence", findings_);
  const auto elements = fields.items("elements", true);
  fields.finish();
  std::vector<ExprId> parts;
  for (size_t i = 0; i < elements.size(); ++i) {
    const bool is_last = i + 1 == elements.size();
    parts.push_back(lower(elements[i], is_last ? around : Around{{}, around.forbidden, false}));
  }
  return builder_.sequence(parts, span(format));
}

ExprId Lowering::one_of(JsonId format, const Around& around) {
  Fields fields(document_, format, "an or", findings_);
  std::vector<ExprId> parts;
  for (JsonId element : fields.items("elements", true)) parts.push_back(lower(element, around));
  fields.finish();
  return builder_.choice(parts, span(format));
}

ExprId Lowering::optional(JsonId format, const Around& around) {
  Fields fields(document_, format, "an optional", findings_);
  const ExprId content = lower_field(fields, "content", around);
  fields.finish();
  const ExprId parts[] = {content, close(builder_.empty(span(format)), around.ends)};
  return builder_.choice(parts, span(format));
}

// If repetitions follow each other, free text in one must not contain an end, and the end comes
// after the last.
ExprId Lowering::repeated(JsonId format, std::pair<uint32_t, uint32_t> times, Fields& fields,
                          const Around& around) {
  Around inside{{}, around.forbidden, false};
  inside.forbidden.insert(inside.forbidden.end(), around.ends.texts.begin(),
                          around.ends.texts.end());
  const ExprId content = lower_field(fields, "content", inside);
  fields.finish();
  return close(builder_.repeat(content, times.first, times.second, span(format)), around.ends);
}

ExprId Lowering::plus(JsonId format, const Around& around) {
  Fields fields(document_, format, "a plus", findings_);
  return repeated(format, {1, kNoUpperBound}, fields, around);
}

ExprId Lowering::star(JsonId format, const Around& around) {
  Fields fields(document_, format, "a star", findings_);
  return repeated(format, {0, kNoUpperBound}, fields, around);
}

ExprId Lowering::repeat(JsonId format, const Around& around) {
  Fields fields(document_, format, "a repeat", findings_);
  const auto min = fields.number("min");
  const auto max = fields.number("max");
  std::pair<uint32_t, uint32_t> times{0, kNoUpperBound};
  const auto fits = [](int64_t number) { return number >= 0 && number <= INT32_MAX; };
  if (min && max && fits(*min) && (*max == -1 || (fits(*max) && *min <= *max))) {
    times.first = static_cast<uint32_t>(*min);
    if (*max != -1) times.second = static_cast<uint32_t>(*max);
  } else if (min && max) {
    findings_.report("bad_repeat",
                     concat("a repeat can't be between ", *min, " and ", *max, " times"), format,
                     "write 0 <= min <= max, or a max of -1 for no limit");
  }
  return repeated(format, times, fields, around);
}

// ---- Tags --------------------------------------------------------------------------------------

std::optional<Ends> Lowering::read_ends(Fields& fields) {
  const auto value = fields.needed("end");
  if (!value) return std::nullopt;
  Ends ends;
  ends.span = span(*value);
  const auto add = [&](JsonId text) {
    if (document_.text(text).empty()) ends.may_be_empty = true;
    else ends.texts.push_back({std::string(document_.text(text)), span(text)});
  };
  if (document_.is_string(*value)) {
    add(*value);
    return ends;
  }
  if (document_.is_object(*value)) {
    Fields token(document_, *value, "a token", findings_);
    if (const auto id = token.needed("token")) ends.tokens = read_token(*id);
    token.finish();
    return ends;
  }
  std::unordered_set<std::string_view> known;
  bool is_list = document_.is_array(*value) && !document_.children(*value).empty();
  if (is_list) {
    for (JsonId text : document_.children(*value)) {
      if (!document_.is_string(text)) is_list = false;
      else if (known.insert(document_.text(text)).second) add(text);
    }
  }
  if (!is_list)
    findings_.report("bad_field", "the `end` of a tag must be a text, a list of texts or a token",
                     *value, "write \"end\": \"</tag>\"");
  return ends;
}

std::optional<Tag> Lowering::read_tag(JsonId object) {
  if (!document_.is_object(object)) {
    findings_.report("bad_field", "a tag must be an object", object,
                     "write {\"type\": \"tag\", \"begin\": ..., \"content\": ..., \"end\": ...}");
    return std::nullopt;
  }
  if (const auto type = document_.find(object, "type")) {
    if (!document_.is_string(*type) || document_.text(*type) != "tag") {
      findings_.report("bad_field", "only formats of type \"tag\" are allowed here", *type,
                       "wrap the format in a tag");
      return std::nullopt;
    }
  }
  Fields fields(document_, object, "a tag", findings_);
  Tag tag{object, {}, {}, object, {}};
  const auto begin = fields.needed("begin");
  if (begin && document_.is_string(*begin)) {
    tag.begin = {std::string(document_.text(*begin)), span(*begin)};
  } else if (begin && document_.is_object(*begin)) {
    Fields token(document_, *begin, "a token", findings_);
    if (const auto id = token.needed("token")) tag.begin_tokens = read_token(*id);
    token.finish();
    tag.begin.span = span(*begin);
  } else if (begin) {
    findings_.report("bad_field", "the `begin` of a tag must be a text or a token", *begin,
                     "write \"begin\": \"<tag>\"");
  }
  const auto content = fields.needed("content");
  if (content) tag.content = *content;
  const auto ends = read_ends(fields);
  fields.finish();
  if (!begin || !content || !ends) return std::nullopt;
  tag.ends = *ends;
  return tag;
}

std::vector<Tag> Lowering::read_tags(Fields& fields) {
  std::vector<Tag> tags;
  for (JsonId object : fields.items("tags", true)) {
    if (auto tag = read_tag(object)) tags.push_back(std::move(*tag));
  }
  return tags;
}

ExprId Lowering::begin_of(const Tag& tag) {
  if (!tag.begin_tokens.empty()) return token_set(tag.begin_tokens, false, tag.begin.span);
  return text(tag.begin.text, tag.begin.span);
}

ExprId Lowering::rest_of(const Tag& tag, const Around& around) {
  const Parts before = parts_;
  ExprId body;
  // the tag has no end of its own: the ends that follow the tag end its content
  if (!tag.ends.is_any()) {
    body = lower(tag.content, around);
  } else {
    Around inside{tag.ends, around.forbidden, false};
    inside.ends.are_last = around.is_last && !around.ends.is_any();
    if (tag.ends.may_be_empty)
      inside.forbidden.insert(inside.forbidden.end(), around.ends.texts.begin(),
                              around.ends.texts.end());
    body = close(lower(tag.content, inside), around.ends);
  }
  return as_content(as_rule(name_from(tag.begin.text, "tag"), body, span(tag.object)), before);
}

ExprId Lowering::tag(JsonId format, const Around& around) {
  const auto tag = read_tag(format);
  if (!tag) return builder_.empty();
  return pair(begin_of(*tag), rest_of(*tag, around), span(format));
}

ExprId Lowering::tags_with_separator(JsonId format, const Around& around) {
  Fields fields(document_, format, "a tags_with_separator", findings_);
  const std::vector<Tag> tags = read_tags(fields);
  const auto separator = fields.text("separator");
  const bool at_least_one = fields.flag("at_least_one", false);
  const bool stop_after_first = fields.flag("stop_after_first", false);
  fields.finish();
  Around inside{{}, around.forbidden, false};
  if (separator && !separator->text.empty()) inside.forbidden.push_back(*separator);
  inside.forbidden.insert(inside.forbidden.end(), around.ends.texts.begin(),
                          around.ends.texts.end());
  const auto any_tag = [&](bool is_last) {
    const Parts before = parts_;
    std::vector<ExprId> alternatives;
    for (const Tag& tag : tags) {
      const Around behind = tag.ends.is_any() ? Around{{}, around.forbidden, is_last} : inside;
      alternatives.push_back(pair(begin_of(tag), rest_of(tag, behind), span(tag.object)));
    }
    return as_content(as_rule("tag", builder_.choice(alternatives, span(format)), span(format)),
                      before, /*is_of_tags=*/true);
  };
  // A stop token may replace an end only after the last repetition.
  const bool is_last = around.is_last && !around.ends.is_any();
  const bool differ = is_last && std::any_of(tags.begin(), tags.end(),
                                             [&](const Tag& tag) { return has_stop(tag.ends); });
  ExprId all = any_tag(is_last);
  if (!stop_after_first && separator) {
    const ExprId earlier = differ ? any_tag(false) : all;
    const ExprId more = pair(earlier, text(separator->text, separator->span), separator->span);
    all = pair(builder_.repeat(more, 0, kNoUpperBound, span(format)), all, span(format));
  }
  if (!at_least_one) all = builder_.repeat(all, 0, 1, span(format));
  return close(all, around.ends);
}

// ---- Shared parts ------------------------------------------------------------------------------

ExprId Lowering::any_end(const Ends& ends) {
  std::vector<ExprId> choices;
  for (const WatchedText& end : ends.texts) choices.push_back(text(end.text, end.span));
  if (!ends.tokens.empty()) choices.push_back(token_set(ends.tokens, false, ends.span));
  const bool may_stop = ends.may_be_empty || (ends.are_last && has_stop(ends));
  if (may_stop) choices.push_back(builder_.empty(ends.span));
  return builder_.choice(choices, ends.span);
}

ExprId Lowering::close(ExprId content, const Ends& ends) {
  if (!ends.is_any()) return content;
  return pair(content, any_end(ends), ends.span);
}

ExprId Lowering::pair(ExprId first, ExprId second, SourceSpan span) {
  if (builder_.expr(first).kind == ExprKind::kEmpty) return second;
  if (builder_.expr(second).kind == ExprKind::kEmpty) return first;
  const ExprId parts[] = {first, second};
  return builder_.sequence(parts, span);
}

bool Lowering::has_stop(const Ends& ends) const {
  return names_ != nullptr &&
         std::any_of(ends.texts.begin(), ends.texts.end(),
                     [&](const WatchedText& end) { return names_->is_stop(end.text); });
}

std::optional<TokenNames::Special> Lowering::special_at(std::string_view bytes) const {
  return names_ == nullptr ? std::nullopt : names_->special_at(bytes);
}

bool Lowering::has_special(const std::vector<WatchedText>& texts) const {
  return std::any_of(texts.begin(), texts.end(), [&](const WatchedText& watched) {
    for (size_t at = 0; at < watched.text.size(); ++at) {
      if (special_at(std::string_view(watched.text).substr(at))) return true;
    }
    return false;
  });
}

ExprId Lowering::text(std::string_view bytes, SourceSpan span) {
  if (names_ == nullptr || !names_->has_special()) return builder_.literal(bytes, span);
  std::vector<ExprId> parts;
  size_t plain = 0;  // start of the text after the last special token
  for (size_t at = 0; at < bytes.size();) {
    const auto special = special_at(bytes.substr(at));
    if (!special) {
      ++at;
      continue;
    }
    if (at > plain) parts.push_back(builder_.literal(bytes.substr(plain, at - plain), span));
    const ExprId ways[] = {builder_.literal(special->text, span),
                           builder_.token_set({{special->id}, false}, span)};
    parts.push_back(builder_.choice(ways, span));
    at += special->text.size();
    plain = at;
  }
  if (plain < bytes.size() || parts.empty())
    parts.push_back(builder_.literal(bytes.substr(plain), span));
  return builder_.sequence(parts, span);
}

ExprId Lowering::as_rule(std::string_view name, ExprId body, SourceSpan span) {
  const RuleId rule = builder_.add_rule(fresh_name(name), span);
  builder_.set_body(rule, body, span);
  return builder_.rule_ref(rule, span);
}

ExprId Lowering::as_content(ExprId rule_ref, const Parts& before, bool is_of_tags) {
  if (parts_.n_schemas > before.n_schemas)
    contents_.push_back(
        {builder_.so_far().rule_ref(rule_ref), !is_of_tags && parts_.n_large > before.n_large});
  return rule_ref;
}

std::string Lowering::fresh_name(std::string_view wanted) {
  std::string name(wanted);
  while (!taken_.insert(name).second) {
    name = concat(wanted, "_", ++last_number_[std::string(wanted)] + 1);
  }
  return name;
}

std::string name_from(std::string_view text, std::string_view otherwise) {
  constexpr size_t kMostBytes = 48;
  std::string name;
  for (const char byte : text) {
    const bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    const bool is_digit = byte >= '0' && byte <= '9';
    if (is_letter || (is_digit && !name.empty()) || (byte == '_' && !name.empty())) name += byte;
    else if (!name.empty() && name.back() != '_') name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.size() > kMostBytes) name = name.substr(name.size() - kMostBytes);
  while (!name.empty() && (name.front() == '_' || (name.front() >= '0' && name.front() <= '9')))
    name.erase(name.begin());
  return name.empty() ? std::string(otherwise) : name;
}

}  // namespace xg2lab::structural_tag

namespace xg2lab {

TokenNames::TokenNames(std::function<std::vector<TokenId>(std::string_view)> named,
                       std::function<std::optional<std::string>(std::string_view)> like,
                       const std::vector<std::pair<std::string, TokenId>>& special,
                       const std::vector<std::string>& stops)
    : named_(std::move(named)), like_(std::move(like)), stops_(stops.begin(), stops.end()) {
  for (const auto& [text, id] : special) {
    if (text.empty()) continue;
    special_.emplace(text, id);
    sizes_.push_back(text.size());
    begins_special_[static_cast<unsigned char>(text[0])] = true;
  }
  std::sort(sizes_.begin(), sizes_.end(), std::greater<>());
  sizes_.erase(std::unique(sizes_.begin(), sizes_.end()), sizes_.end());
}

std::optional<TokenNames::Special> TokenNames::special_at(std::string_view text) const {
  if (text.empty() || !begins_special_[static_cast<unsigned char>(text[0])]) return std::nullopt;
  for (const size_t size : sizes_) {
    if (size > text.size()) continue;
    const auto found = special_.find(std::string(text.substr(0, size)));
    if (found != special_.end()) return Special{found->first, found->second};
  }
  return std::nullopt;
}

Grammar grammar_of_structural_tag(const JsonDocument& document,
                                  const StructuralTagOptions& options) {
  return structural_tag::Lowering(document, options).run();
}

}  // namespace xg2lab
