// Formats of tokens. A token of a set is one edge (docs/design/0013-token-edges.md); free tokens
// are a repetition of all tokens except those with a meaning in this context.
#include <algorithm>

#include "frontends/structural_tag/lowering.h"

namespace xg2lab::structural_tag {
namespace {

std::vector<TokenId> joined(std::vector<TokenId> ids, const std::vector<TokenId>& more) {
  ids.insert(ids.end(), more.begin(), more.end());
  return ids;
}

}  // namespace

// ---- Tokens by id or by text -------------------------------------------------------------------

std::vector<TokenId> Lowering::read_token(JsonId value) {
  if (document_.is_number(value)) {
    const auto id = whole_number(document_.text(value));
    if (id && *id >= 0 && *id <= INT32_MAX) return {TokenId(static_cast<size_t>(*id))};
  }
  if (!document_.is_string(value)) {
    findings_.report("bad_token", "a token must be an id or a text", value,
                     "write a whole number from 0, or a string");
    return {};
  }
  if (names_ == nullptr) {
    findings_.report("token_needs_tokenizer",
                     "token " + quoted(document_.text(value)) +
                         " is named by its text, and no tokenizer is known",
                     value, "use GrammarCompiler.compile_structural_tag, or write the token's id");
    return {};
  }
  auto ids = names_->named(document_.text(value));
  if (ids.empty()) {
    const auto near = names_->like(document_.text(value));
    findings_.report("unknown_token",
                     "the vocabulary has no token " + quoted(document_.text(value)), value,
                     near ? "did you mean " + quoted(*near) + "?"
                          : "tokens are named by their exact text, spaces included");
  }
  return ids;
}

std::vector<TokenId> Lowering::read_tokens(Fields& fields, std::string_view name) {
  std::vector<TokenId> ids;
  for (JsonId item : fields.items(name, false)) ids = joined(std::move(ids), read_token(item));
  return ids;
}

ExprId Lowering::token_set(std::vector<TokenId> ids, bool is_negated, SourceSpan span) {
  return builder_.token_set({std::move(ids), is_negated}, span);
}

// ---- The formats -------------------------------------------------------------------------------

ExprId Lowering::token(JsonId format, const Around& around) {
  Fields fields(document_, format, "a token", findings_);
  const auto value = fields.needed("token");
  fields.finish();
  if (!value) return builder_.empty();
  return close(token_set(read_token(*value), false, span(format)), around.ends);
}

ExprId Lowering::exclude_token(JsonId format, const Around& around) {
  Fields fields(document_, format, "an exclude_token", findings_);
  auto excluded = read_tokens(fields, "exclude_tokens");
  fields.finish();
  return close(token_set(std::move(excluded), true, span(format)), around.ends);
}

ExprId Lowering::any_tokens(JsonId format, const Around& around) {
  Fields fields(document_, format, "an any_tokens", findings_);
  const auto excluded = joined(read_tokens(fields, "exclude_tokens"), around.ends.tokens);
  const auto most = fields.limit("max_tokens");
  fields.finish();
  const ExprId one = token_set(excluded, true, span(format));
  return close(builder_.repeat(one, 0, most.value_or(kNoUpperBound), span(format)), around.ends);
}

ExprId Lowering::token_triggered_tags(JsonId format, const Around& around) {
  Fields fields(document_, format, "a token_triggered_tags", findings_);
  std::vector<std::pair<JsonId, std::vector<TokenId>>> triggers;
  for (JsonId trigger : fields.items("trigger_tokens", true))
    triggers.emplace_back(trigger, read_token(trigger));
  const std::vector<Tag> tags = read_tags(fields);
  const auto excluded = read_tokens(fields, "exclude_tokens");
  const bool at_least_one = fields.flag("at_least_one", false);
  const bool stop_after_first = fields.flag("stop_after_first", false);
  fields.finish();
  std::vector<TokenId> taken = joined(excluded, around.ends.tokens);
  std::vector<ExprId> opened;
  for (const auto& [trigger, ids] : triggers) {
    taken = joined(std::move(taken), ids);
    const bool has_tag = std::any_of(
        tags.begin(), tags.end(), [&ids = ids](const Tag& tag) { return tag.begin_tokens == ids; });
    if (!has_tag && findings_.is_empty())
      findings_.report("trigger_without_tag", "this trigger opens no tag", trigger,
                       "remove it, or add a tag that begins with it");
  }
  for (const Tag& tag : tags) {
    const bool has_trigger =
        std::any_of(triggers.begin(), triggers.end(),
                    [&](const auto& trigger) { return trigger.second == tag.begin_tokens; });
    if (!has_trigger && findings_.is_empty())
      findings_.report_span("tag_without_trigger", "no trigger opens this tag", tag.begin.span,
                            "its `begin` must be one of `trigger_tokens`");
    opened.push_back(
        pair(begin_of(tag), rest_of(tag, {{}, around.forbidden, false}), span(tag.object)));
  }
  const ExprId free = token_set(std::move(taken), true, span(format));
  const ExprId one = as_rule("tag", builder_.choice(opened, span(format)), span(format));
  ExprId all = one;
  if (stop_after_first && !at_least_one) {
    all = pair(builder_.repeat(free, 0, kNoUpperBound, span(format)),
               builder_.repeat(one, 0, 1, span(format)), span(format));
  } else if (!stop_after_first) {
    const ExprId either[] = {free, one};
    all = builder_.repeat(builder_.choice(either, span(format)), 0, kNoUpperBound, span(format));
    if (at_least_one) all = pair(one, all, span(format));
  }
  return close(all, around.ends);
}

ExprId Lowering::token_dispatch(JsonId format, const Around& around) {
  Fields fields(document_, format, "a token_dispatch", findings_);
  const auto rules = fields.items("rules", true);
  const bool loops = fields.flag("loop", true);
  std::vector<TokenId> taken = joined(read_tokens(fields, "exclude_tokens"), around.ends.tokens);
  fields.finish();
  std::vector<ExprId> opened;
  for (JsonId rule : rules) {
    const auto parts =
        document_.is_array(rule) ? document_.children(rule) : std::span<const JsonId>();
    if (parts.size() != 2) {
      findings_.report("bad_field", "a rule of a token_dispatch must be a token and a format", rule,
                       "write [5, {\"type\": ...}]");
      continue;
    }
    const auto ids = read_token(parts[0]);
    taken = joined(std::move(taken), ids);
    opened.push_back(pair(token_set(ids, false, span(parts[0])),
                          lower(parts[1], {{}, around.forbidden, false}), span(rule)));
  }
  const ExprId free = token_set(std::move(taken), true, span(format));
  const ExprId one = builder_.choice(opened, span(format));
  if (loops) {
    const ExprId either[] = {free, one};
    return close(
        builder_.repeat(builder_.choice(either, span(format)), 0, kNoUpperBound, span(format)),
        around.ends);
  }
  return close(pair(builder_.repeat(free, 0, kNoUpperBound, span(format)),
                    builder_.repeat(one, 0, 1, span(format)), span(format)),
               around.ends);
}

}  // namespace xg2lab::structural_tag
