// Free text: any_text, triggered_tags, dispatch; each becomes a TagDispatch. Read: free_text, which
// decides how the ends around the text are matched; then the formats. The trick: an end becomes a
// stop string of the dispatch, so that one deterministic machine reads text, triggers and end. If
// that is impossible (an exclude lies within the end, the end is a special token, or the text is
// counted), the end is excluded from the text and follows it.
#include <algorithm>
#include <memory>
#include <unordered_map>

#include "frontends/structural_tag/lowering.h"

namespace xg2lab::structural_tag {
namespace {

bool is_in(const WatchedText& text, const std::vector<WatchedText>& texts) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const WatchedText& other) { return other.text == text.text; });
}

// One of `texts` that occurs in `text`, if any.
const WatchedText* within(const WatchedText& text, const std::vector<WatchedText>& texts) {
  const auto found = std::find_if(texts.begin(), texts.end(), [&](const WatchedText& other) {
    return text.text.find(other.text) != std::string::npos;
  });
  return found == texts.end() ? nullptr : &*found;
}

void add_distinct(std::vector<WatchedText>& texts, const std::vector<WatchedText>& more) {
  for (const WatchedText& text : more) {
    if (!is_in(text, texts)) texts.push_back(text);
  }
}

std::vector<WatchedText> without(const std::vector<WatchedText>& texts,
                                 const std::vector<WatchedText>& dropped) {
  std::vector<WatchedText> kept;
  for (const WatchedText& text : texts) {
    if (!is_in(text, dropped)) kept.push_back(text);
  }
  return kept;
}

// Whether one of `texts` is complete before one of `ends` is: whether it occurs in the end other
// than as a suffix.
bool hides(const std::vector<WatchedText>& texts, const std::vector<WatchedText>& ends) {
  for (const WatchedText& end : ends) {
    for (const WatchedText& text : texts) {
      const size_t at = end.text.find(text.text);
      if (at != std::string::npos && at + text.text.size() < end.text.size()) return true;
    }
  }
  return false;
}

}  // namespace

// ---- Free text and its ends --------------------------------------------------------------------

ExprId Lowering::watched(const FreeText& text, std::vector<WatchedText> stops,
                         bool may_stop_anywhere) {
  Dispatch dispatch;
  dispatch.tags = text.tags;
  dispatch.excludes = without(text.excludes, stops);
  dispatch.stop_texts = std::move(stops);
  dispatch.stop_eos = may_stop_anywhere;
  dispatch.loop_after_dispatch = text.loops;
  return builder_.dispatch(std::move(dispatch), text.rules, text.span);
}

// If the text doesn't loop, its rules include the ends already.
ExprId Lowering::free_text(FreeText text, const Around& around) {
  if (!check_texts(text, around)) return builder_.empty(text.span);
  add_distinct(text.excludes, around.forbidden);
  text.excludes = without(text.excludes, text.tags);
  if (has_special(text.tags)) return with_special_triggers(text, around);
  const Ends& ends = around.ends;
  if (!ends.is_any()) return watched(text, {}, true);
  // The ends can be stop strings unless one is or contains a special token, may be replaced by a
  // stop token, or is hidden by an exclude.
  const bool as_stops = ends.tokens.empty() && !has_special(ends.texts) &&
                        !(ends.are_last && has_stop(ends)) && !hides(text.excludes, ends.texts);
  if (as_stops) return watched(text, ends.texts, ends.may_be_empty);
  if (text.loops || text.tags.empty()) {
    add_distinct(text.excludes, ends.texts);
    return close(watched(text, {}, true), ends);
  }
  // Either a tag, whose rule includes the ends, ends the text; or the text has no tag and the ends
  // follow.
  FreeText plain{{}, {}, text.excludes, true, text.span};
  add_distinct(plain.excludes, text.tags);
  add_distinct(plain.excludes, ends.texts);
  add_distinct(text.excludes, ends.texts);
  FreeText once = text;
  Dispatch dispatch;
  dispatch.tags = once.tags;
  dispatch.excludes = once.excludes;
  dispatch.stop_eos = false;
  dispatch.loop_after_dispatch = false;
  const ExprId ways[] = {builder_.dispatch(std::move(dispatch), once.rules, text.span),
                         close(watched(plain, {}, true), ends)};
  return builder_.choice(ways, text.span);
}

// If the model has a special token with which a trigger begins, it never generates that trigger as
// text. So the rest of the trigger may also follow the token: free text, the token, the rest of the
// trigger, the rule; and so on.
ExprId Lowering::with_special_triggers(const FreeText& text, const Around& around) {
  const Ends& ends = around.ends;
  FreeText before = text;  // the text up to a token
  before.loops = true;
  add_distinct(before.excludes, ends.texts);
  if (!text.loops) {
    add_distinct(before.excludes, text.tags);
    before.tags.clear();
    before.rules.clear();
  }
  // For each trigger that begins with a special token: the token, the rest of the trigger, the
  // tag's rule.
  std::vector<ExprId> opened;
  for (size_t i = 0; i < text.tags.size(); ++i) {
    const auto special = special_at(text.tags[i].text);
    if (!special) continue;
    const SourceSpan here = text.tags[i].span;
    const std::string_view rest = std::string_view(text.tags[i].text).substr(special->text.size());
    opened.push_back(
        pair(builder_.token_set({{special->id}, false}, here),
             pair(this->text(rest, here),
                  builder_.rule_ref(RuleId(builder_.expr(text.rules[i]).first), here), here),
             here));
  }
  FreeText last = text;
  last.excludes = without(before.excludes, text.tags);
  const ExprId by_token =
      pair(watched(before, {}, true), builder_.choice(opened, text.span), text.span);
  const ExprId end = close(watched(last, {}, true), ends);
  if (text.loops)
    return pair(builder_.repeat(by_token, 0, kNoUpperBound, text.span), end, text.span);
  std::vector<ExprId> ways{by_token};
  if (ends.is_any()) {
    ways.push_back(close(watched(before, {}, true), ends));
    Dispatch dispatch{last.tags, {}, last.excludes, false, false};
    ways.push_back(builder_.dispatch(std::move(dispatch), last.rules, text.span));
  } else {
    ways.push_back(end);
  }
  return builder_.choice(ways, text.span);
}

bool Lowering::check_texts(const FreeText& text, const Around& around) {
  const size_t n_before = findings_.size();
  std::unordered_map<std::string_view, bool> known;
  for (const WatchedText& tag : text.tags) {
    const auto complain = [&](const char* code, const std::string& what, const char* hint) {
      findings_.report_span(code, "trigger " + quoted(tag.text) + what, tag.span, hint);
    };
    if (tag.text.empty())
      complain("empty_text", " is empty: it would open its tag at once", "write a character");
    else if (!known.emplace(tag.text, true).second)
      complain("duplicate_trigger", " is listed twice", "remove one of them");
    else if (is_in(tag, text.excludes))
      complain("excluded_trigger", " is excluded as well", "remove it from `excludes`");
    else if (is_in(tag, around.ends.texts))
      complain("trigger_is_end", " is also an end of the tag around it", "choose another end");
    else if (const WatchedText* end = within(tag, around.ends.texts))
      complain(
          "trigger_is_end",
          " contains " + quoted(end->text) + ", an end of the tag around it: the text ends there",
          "choose another end");
  }
  return findings_.size() == n_before;
}

// ---- The formats -------------------------------------------------------------------------------

ExprId Lowering::any_text(JsonId format, const Around& around) {
  Fields fields(document_, format, "an any_text", findings_);
  FreeText text;
  text.excludes = fields.texts("excludes");
  text.span = span(format);
  const auto max_tokens = fields.limit("max_tokens");
  const auto max_chars = fields.limit("max_chars");
  fields.finish();
  if (!max_tokens && !max_chars) return free_text(std::move(text), around);
  if (max_tokens == 0u || max_chars == 0u) return close(builder_.empty(text.span), around.ends);
  add_distinct(text.excludes, around.forbidden);
  add_distinct(text.excludes, around.ends.texts);
  RuleOptions options;
  options.max_tokens = max_tokens;
  options.max_chars = max_chars;
  options.spans.fill(text.span);
  const RuleId rule = builder_.add_rule(fresh_name("text"), text.span);
  builder_.set_body(rule, watched(text, {}, true), text.span);
  builder_.set_options(rule, std::make_shared<const RuleOptions>(options));
  return close(builder_.rule_ref(rule, text.span), around.ends);
}

ExprId Lowering::triggered_tags(JsonId format, const Around& around) {
  Fields fields(document_, format, "a triggered_tags", findings_);
  const auto triggers = fields.items("triggers", true);
  const std::vector<Tag> tags = read_tags(fields);
  const bool at_least_one = fields.flag("at_least_one", false);
  const bool stop_after_first = fields.flag("stop_after_first", false);
  FreeText text;
  text.excludes = fields.texts("excludes");
  text.loops = !stop_after_first;
  text.span = span(format);
  fields.finish();
  for (JsonId trigger : triggers) {
    if (document_.is_string(trigger))
      text.tags.push_back({std::string(document_.text(trigger)), span(trigger)});
    else findings_.report("bad_field", "a trigger must be a text", trigger, "write a string");
  }
  const Around behind = stop_after_first ? around : Around{{}, around.forbidden, false};
  const Parts before = parts_;
  const std::vector<std::vector<ExprId>> opened = opened_by_triggers(text, tags, behind);
  for (size_t i = 0; i < text.tags.size(); ++i) {
    const WatchedText& trigger = text.tags[i];
    if (opened[i].empty() && findings_.is_empty())
      findings_.report_span("trigger_without_tag",
                            "trigger " + quoted(trigger.text) + " opens no tag", trigger.span,
                            "remove it, or add a tag that begins with it");
    text.rules.push_back(as_content(as_rule(name_from(trigger.text, "trigger"),
                                            builder_.choice(opened[i], trigger.span), trigger.span),
                                    before, /*is_of_tags=*/true));
  }
  if (!at_least_one) return free_text(std::move(text), around);
  if (!check_texts(text, around)) return builder_.empty(text.span);
  const ExprId begin = any_tag(text);
  if (stop_after_first) return begin;
  return pair(begin, free_text(text, around), text.span);
}

// For each trigger, the expressions that it opens: of each of its tags, the rest of `begin` and the
// rest of the tag. Tags that don't have exactly one trigger are reported.
std::vector<std::vector<ExprId>> Lowering::opened_by_triggers(const FreeText& text,
                                                              const std::vector<Tag>& tags,
                                                              const Around& behind) {
  std::vector<std::vector<ExprId>> opened(text.tags.size());
  for (const Tag& tag : tags) {
    std::vector<size_t> matching;
    for (size_t i = 0; i < text.tags.size(); ++i) {
      if (tag.begin_tokens.empty() && tag.begin.text.starts_with(text.tags[i].text))
        matching.push_back(i);
    }
    if (matching.size() != 1) {
      findings_.report_span(
          matching.empty() ? "tag_without_trigger" : "tag_with_triggers",
          matching.empty()
              ? "no trigger opens the tag that begins with " + quoted(tag.begin.text)
              : "the tag that begins with " + quoted(tag.begin.text) +
                    " has more than one trigger: " + quoted(text.tags[matching[0]].text) + ", " +
                    quoted(text.tags[matching[1]].text),
          tag.begin.span,
          tag.begin_tokens.empty() ? "each `begin` starts with exactly one of `triggers`"
                                   : "tags that begin with a token go into token_triggered_tags");
      continue;
    }
    const size_t n_read = text.tags[matching[0]].text.size();
    opened[matching[0]].push_back(
        pair(this->text(std::string_view(tag.begin.text).substr(n_read), tag.begin.span),
             rest_of(tag, behind), span(tag.object)));
  }
  return opened;
}

// A trigger, and what it opens: the first tag, if there has to be one.
ExprId Lowering::any_tag(const FreeText& text) {
  std::vector<ExprId> ways;
  for (size_t i = 0; i < text.tags.size(); ++i)
    ways.push_back(
        pair(this->text(text.tags[i].text, text.tags[i].span),
             builder_.rule_ref(RuleId(builder_.expr(text.rules[i]).first), text.tags[i].span),
             text.tags[i].span));
  return builder_.choice(ways, text.span);
}

ExprId Lowering::dispatch(JsonId format, const Around& around) {
  Fields fields(document_, format, "a dispatch", findings_);
  const auto rules = fields.items("rules", true);
  FreeText text;
  text.loops = fields.flag("loop", true);
  text.excludes = fields.texts("excludes");
  text.span = span(format);
  fields.finish();
  const Around behind = text.loops ? Around{{}, around.forbidden, false} : around;
  for (JsonId rule : rules) {
    const auto parts =
        document_.is_array(rule) ? document_.children(rule) : std::span<const JsonId>();
    if (parts.size() != 2 || !document_.is_string(parts[0])) {
      findings_.report("bad_field", "a rule of a dispatch must be a pattern and a format", rule,
                       "write [\"text\", {\"type\": ...}]");
      continue;
    }
    text.tags.push_back({std::string(document_.text(parts[0])), span(parts[0])});
    text.rules.push_back(
        as_rule(name_from(text.tags.back().text, "pattern"), lower(parts[1], behind), span(rule)));
  }
  return free_text(std::move(text), around);
}

}  // namespace xg2lab::structural_tag
