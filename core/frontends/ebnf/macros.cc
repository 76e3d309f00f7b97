// Read: kMacros, the table; Arguments, which checks types and names for all macros; then one
// function for each macro.
#include "frontends/ebnf/macros.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "automata/substrings.h"
#include "frontends/ebnf/lexeme_values.h"
#include "frontends/regex/regex.h"
#include "languages/formats/formats.h"
#include "languages/numbers/number_words.h"
#include "languages/numbers/numbers.h"
#include "support/literal.h"
#include "support/suggest.h"
#include "support/text.h"
#include "support/utf8.h"

namespace xg2lab::ebnf {
namespace {

void add(TokenSet& set, TokenSet more) {
  set.ids.insert(set.ids.end(), more.ids.begin(), more.ids.end());
  for (TokenName& name : more.names) set.names.push_back(std::move(name));
}

// ---- Arguments: taken by name and type; an argument that no macro takes is an error ----

class Arguments {
 public:
  Arguments(const MacroCall& call, std::string_view macro, Findings& findings)
      : call_(call), macro_(macro), findings_(findings) {}

  std::vector<const MacroValue*> positional() const {
    std::vector<const MacroValue*> values;
    for (const MacroArgument& argument : call_.arguments) {
      if (argument.keyword.empty()) values.push_back(&argument.value);
    }
    return values;
  }

  bool flag(const char* keyword, bool otherwise) {
    const MacroValue* value = named(keyword);
    if (value == nullptr) return otherwise;
    if (value->kind == MacroValue::kFlag) return value->text == "true";
    refuse(*value, concat(keyword, " must be true or false"),
           concat("write ", keyword, "=true or ", keyword, "=false"));
    return otherwise;
  }

  // A value of any type; null if it isn't given.
  const MacroValue* value(const char* keyword) { return named(keyword); }

  uint32_t number(const char* keyword, uint32_t otherwise) {
    const MacroValue* value = named(keyword);
    if (value == nullptr) return otherwise;
    constexpr size_t kMostDigits = 9;
    if (value->kind == MacroValue::kNumber && value->text.size() <= kMostDigits)
      return static_cast<uint32_t>(std::stoul(value->text));
    refuse(*value, concat(keyword, " must be a whole number of at most 9 digits"),
           concat("write ", keyword, "=1"));
    return otherwise;
  }

  // Nothing if it isn't given.
  const MacroValue* text(const char* keyword) {
    const MacroValue* value = named(keyword);
    if (value == nullptr || value->kind == MacroValue::kText) return value;
    refuse(*value, concat(keyword, " must be a text"), concat("write ", keyword, "=\"...\""));
    return nullptr;
  }

  // A text, or a tuple of texts.
  std::vector<WatchedText> texts(const char* keyword) {
    const MacroValue* value = named(keyword);
    std::vector<WatchedText> texts;
    if (value == nullptr) return texts;
    const std::string hint = concat("write ", keyword, "=(\"...\", \"...\")");
    const auto add = [&](const MacroValue& text) {
      if (text.kind == MacroValue::kText) texts.push_back({text.text, text.span});
      else refuse(text, concat(keyword, " must be a list of texts"), hint);
    };
    if (value->kind == MacroValue::kTuple) {
      for (const MacroValue& item : value->items) add(item);
    } else {
      add(*value);
    }
    return texts;
  }

  // A token by its id or its text, as a set; an empty one if it is neither.
  TokenSet token(const MacroValue& value) {
    TokenSet set;
    if (value.kind == MacroValue::kNumber) {
      if (const auto id = read_token_id(value.text, value.span, findings_)) set.ids.push_back(*id);
    } else if (value.kind != MacroValue::kText) {
      refuse(value, "a token must be an id or a text", "write for example 5, or \"<|end|>\"");
    } else if (value.text.empty() || find_invalid_utf8(value.text)) {
      refuse(value, "a token's text must be valid UTF-8 and not empty", "write the token's id");
    } else {
      set.names.push_back({value.text, value.span});
    }
    return set;
  }

  // A token, or a tuple of tokens.
  TokenSet tokens(const char* keyword) {
    TokenSet set;
    const MacroValue* value = named(keyword);
    if (value == nullptr) return set;
    const std::span<const MacroValue> items =
        value->kind == MacroValue::kTuple ? std::span(value->items) : std::span(value, 1);
    for (const MacroValue& item : items) add(set, token(item));
    return set;
  }

  // Must come last: reports keywords that the macro didn't take, and duplicate keywords.
  void finish() {
    for (size_t i = 0; i < call_.arguments.size(); ++i) {
      const MacroArgument& argument = call_.arguments[i];
      if (argument.keyword.empty()) continue;
      const bool is_known =
          std::find(asked_.begin(), asked_.end(), argument.keyword) != asked_.end();
      if (!is_known) report_unknown(argument);
      const auto twin = std::find_if(
          call_.arguments.begin(), call_.arguments.begin() + static_cast<ptrdiff_t>(i),
          [&](const MacroArgument& earlier) { return earlier.keyword == argument.keyword; });
      const bool is_repeated = twin != call_.arguments.begin() + static_cast<ptrdiff_t>(i);
      if (is_known && is_repeated) {
        findings_.report("bad_macro_argument",
                         "argument " + quoted(argument.keyword) + " is given twice",
                         argument.keyword_span, "remove one of them");
      }
    }
  }

  void refuse(const MacroValue& value, std::string message, std::string hint) {
    findings_.report("bad_macro_argument", std::move(message), value.span, std::move(hint));
  }

 private:
  const MacroValue* named(const char* keyword) {
    asked_.emplace_back(keyword);
    for (const MacroArgument& argument : call_.arguments) {
      if (argument.keyword == keyword) return &argument.value;
    }
    return nullptr;
  }

  void report_unknown(const MacroArgument& argument) {
    std::string hint = concat(macro_, " has ");
    if (asked_.empty()) hint += "no named arguments";
    if (const auto near = closest_name(argument.keyword, asked_)) {
      hint = "did you mean " + quoted(*near) + "?";
    } else {
      hint += join(asked_, ", ", quoted);
    }
    findings_.report("bad_macro_argument",
                     concat(macro_, " has no argument ", quoted(argument.keyword)),
                     argument.keyword_span, hint);
  }

  const MacroCall& call_;
  std::string_view macro_;
  Findings& findings_;
  std::vector<std::string_view> asked_;
};

// ---- TagDispatch ----

constexpr const char* kTagHint = "a tag is written (\"text\", rule)";

void check_texts(const Dispatch& dispatch, const MacroCall& call, MacroContext& context) {
  std::unordered_map<std::string_view, SourceSpan> known;
  for (const auto* texts : {&dispatch.tags, &dispatch.stop_texts, &dispatch.excludes}) {
    for (const WatchedText& watched : *texts) {
      if (watched.text.empty()) {
        context.findings.report("empty_tag", "a dispatch can't watch for an empty text",
                                watched.span, "write at least one character");
        continue;
      }
      const auto [first, is_new] = known.emplace(watched.text, watched.span);
      if (is_new) continue;
      const SourcePosition earlier = context.source.position(first->second.begin);
      context.findings.report("duplicate_tag", quoted(watched.text) + " is watched for twice",
                              watched.span,
                              concat("the first is at line ", earlier.line, ", column ",
                                     earlier.column, "; remove one of them"));
    }
  }
  for (const WatchedText& tag : dispatch.tags) {
    for (const WatchedText& stop : dispatch.stop_texts) {
      const bool is_within = !stop.text.empty() && tag.text != stop.text &&
                             tag.text.find(stop.text) != std::string::npos;
      if (!is_within) continue;
      context.findings.report(
          "tag_contains_stop",
          "tag " + quoted(tag.text) + " contains the stop string " + quoted(stop.text), tag.span,
          "choose a stop string that no tag contains");
    }
  }
  const bool ends =
      dispatch.stop_eos || !dispatch.stop_texts.empty() || !dispatch.loop_after_dispatch;
  if (ends) return;
  context.findings.report("dispatch_never_ends",
                          "this TagDispatch never ends: stop_eos is false and there is no stop_str",
                          call.name, "write stop_eos=true, or stop_str=(\"...\")");
}

ExprId make_tag_dispatch(const MacroCall& call, MacroContext& context) {
  Arguments arguments(call, "TagDispatch", context.findings);
  Dispatch dispatch;
  std::vector<ExprId> references;
  bool is_whole = true;  // every rule is defined
  for (const MacroValue* tag : arguments.positional()) {
    const bool is_tag = tag->kind == MacroValue::kTuple && tag->items.size() == 2 &&
                        tag->items[0].kind == MacroValue::kText &&
                        tag->items[1].kind == MacroValue::kName;
    if (!is_tag) {
      arguments.refuse(*tag, "a tag must be a text and the name of a rule", kTagHint);
      continue;
    }
    dispatch.tags.push_back({tag->items[0].text, tag->items[0].span});
    const auto rule = context.rule_named(tag->items[1].span);
    is_whole = is_whole && rule.has_value();
    if (rule) references.push_back(context.builder.rule_ref(*rule, tag->span));
  }
  dispatch.stop_eos = arguments.flag("stop_eos", true);
  dispatch.stop_texts = arguments.texts("stop_str");
  dispatch.loop_after_dispatch = arguments.flag("loop_after_dispatch", true);
  dispatch.excludes = arguments.texts("excludes");
  arguments.finish();
  check_texts(dispatch, call, context);
  if (!is_whole || !context.findings.is_empty()) return context.builder.empty(call.span);
  return context.builder.dispatch(std::move(dispatch), references, call.span);
}

// ---- AnyOrder ----

// The bounds of a member, from the mark behind its name.
std::optional<MemberBounds> member_bounds(const MacroValue& value) {
  if (value.kind == MacroValue::kName) return MemberBounds{true, false};
  if (value.kind != MacroValue::kRepeatedName) return std::nullopt;
  if (value.text == "?") return MemberBounds{false, false};
  if (value.text == "*") return MemberBounds{false, true};
  if (value.text == "+") return MemberBounds{true, true};
  return std::nullopt;
}

void check_bounds(const AnyOrderBounds& bounds, const MacroCall& call, Findings& findings) {
  if (bounds.is_possible()) return;
  const std::string n_members = std::to_string(bounds.members.size());
  const std::string n_required = std::to_string(bounds.n_required());
  std::string message = concat("AnyOrder requires at least ", bounds.min_total, " and at most ",
                               bounds.max_total, " members");
  std::string hint = "write a min that is not above max";
  if (bounds.min_total <= bounds.max_total && bounds.n_required() > bounds.max_total) {
    message =
        concat("AnyOrder needs ", n_required, " of its members, but max is ", bounds.max_total);
    hint = "write max=" + n_required + " or more, or a ? after members that may be missing";
  } else if (bounds.min_total <= bounds.max_total) {
    message = concat("AnyOrder requires at least ", bounds.min_total, " members, but has ",
                     n_members, ", each of which may come once");
    hint = "write min=" + n_members + " or less, or a * after a member that may come again";
  }
  findings.report("bad_macro_argument", std::move(message), call.name, std::move(hint));
}

ExprId make_any_order(const MacroCall& call, MacroContext& context) {
  Arguments arguments(call, "AnyOrder", context.findings);
  AnyOrderBounds bounds;
  std::vector<ExprId> children;
  bool is_whole = true;  // every rule is defined
  for (const MacroValue* value : arguments.positional()) {
    const auto member = member_bounds(*value);
    if (!member) {
      arguments.refuse(*value, "a member must be the name of a rule", "write a, a?, a* or a+");
      continue;
    }
    const auto rule = context.rule_named(value->name);
    is_whole = is_whole && rule.has_value();
    if (!rule) continue;
    bounds.members.push_back(*member);
    children.push_back(context.builder.rule_ref(*rule, value->span));
  }
  const MacroValue* separator = arguments.value("sep");
  if (separator == nullptr) {
    children.push_back(context.builder.empty());
  } else if (separator->kind == MacroValue::kText) {
    children.push_back(context.builder.literal(separator->text, separator->span));
  } else if (separator->kind == MacroValue::kName) {
    const auto rule = context.rule_named(separator->span);
    is_whole = is_whole && rule.has_value();
    if (rule) children.push_back(context.builder.rule_ref(*rule, separator->span));
  } else {
    arguments.refuse(*separator, "sep must be a text or the name of a rule", "write sep=\",\"");
  }
  bounds.min_total = arguments.number("min", 0);
  bounds.max_total = arguments.number("max", AnyOrderBounds::kNoMax);
  bounds.is_ordered = arguments.flag("ordered", false);
  arguments.finish();
  if (!is_whole || !context.findings.is_empty()) return context.builder.empty(call.span);
  check_bounds(bounds, call, context.findings);
  return context.builder.any_order(std::move(bounds), children, call.span);
}

// ---- Regex ----

// Maps a position in a text's value to its position in the source.
regex::SpanInSource span_in_source(const MacroValue& text, const SourceText& source) {
  return [positions = positions_in_literal(source.text(), text.span)](SourceSpan span) {
    return SourceSpan{positions[span.begin], positions[span.end]};
  };
}

ExprId make_regex(const MacroCall& call, MacroContext& context) {
  Arguments arguments(call, "Regex", context.findings);
  const auto positional = arguments.positional();
  regex::Options options;
  if (arguments.flag("json_string", false)) options.spelling = Spelling::kJsonString;
  if (arguments.flag("json_name", false)) options.spelling = Spelling::kJsonName;
  options.match = arguments.flag("search", false) ? regex::Match::kSearch : regex::Match::kWhole;
  const MacroValue* flags = arguments.text("flags");
  arguments.finish();
  const regex::Report report = [&](const char* code, std::string message, SourceSpan span,
                                   std::string hint) {
    context.findings.report(code, std::move(message), span, std::move(hint));
  };
  if (flags != nullptr) {
    const auto in_source = span_in_source(*flags, context.source);
    options.flags = regex::read_flags(
        flags->text, [&](const char* code, std::string message, SourceSpan span, std::string hint) {
          report(code, std::move(message), in_source(span), std::move(hint));
        });
  }
  const bool is_one_text = positional.size() == 1 && positional[0]->kind == MacroValue::kText;
  if (!is_one_text) {
    context.findings.report("bad_macro_argument", "Regex takes one pattern, as a text",
                            positional.empty() ? call.name : positional.back()->span,
                            "write Regex(\"[a-z]+\")");
    return context.builder.empty(call.span);
  }
  if (options.spelling == Spelling::kJsonString && options.match == regex::Match::kWhole &&
      flags == nullptr) {
    if (auto known = format_machine_of_pattern(positional[0]->text))
      return context.builder.machine(std::move(known), call.span);
  }
  return regex::add_regex(context.builder, positional[0]->text, options,
                          span_in_source(*positional[0], context.source), report);
}

// ---- JsonNumber ----

std::vector<Decimal> decimals(std::span<const WatchedText> texts, Findings& findings) {
  std::vector<Decimal> numbers;
  for (const WatchedText& text : texts) {
    if (const auto number = Decimal::read(text.text)) {
      numbers.push_back(*number);
    } else {
      findings.report("bad_macro_argument", quoted(text.text) + " is not a JSON number", text.span,
                      "write it as JSON has it, for example \"-1.5\" or \"1e9\"");
    }
  }
  return numbers;
}

ExprId make_json_number(const MacroCall& call, MacroContext& context) {
  Arguments arguments(call, "JsonNumber", context.findings);
  for (const MacroValue* value : arguments.positional())
    arguments.refuse(*value, "JsonNumber has named arguments only", "write JsonNumber(min=\"1\")");
  NumberConstraint c;
  const auto one = [&](const char* keyword) -> std::optional<Decimal> {
    const MacroValue* text = arguments.text(keyword);
    if (text == nullptr) return std::nullopt;
    const auto numbers =
        decimals(std::array{WatchedText{text->text, text->span}}, context.findings);
    return numbers.empty() ? std::nullopt : std::optional(numbers.front());
  };
  const auto bound = [&](const char* keyword, const char* exclusive, std::optional<Decimal>& number,
                         bool& is_exclusive) {
    number = one(keyword);
    const auto excluded = one(exclusive);
    is_exclusive = excluded.has_value();
    if (excluded) number = excluded;
  };
  bound("min", "exclusive_min", c.min, c.exclusive_min);
  bound("max", "exclusive_max", c.max, c.exclusive_max);
  for (const MacroArgument& argument : call.arguments) {
    if (argument.keyword == "integer")
      c.integer = arguments.flag("integer", false) ? Integers::kOnly : Integers::kNone;
  }
  c.multiples_of = decimals(arguments.texts("multiple_of"), context.findings);
  c.not_multiples_of = decimals(arguments.texts("not_multiple_of"), context.findings);
  c.excluded = decimals(arguments.texts("excluded"), context.findings);
  const auto values = decimals(arguments.texts("values"), context.findings);
  const NumberForm form{arguments.flag("plain", false), arguments.flag("bounded", false)};
  arguments.finish();
  for (const auto* steps : {&c.multiples_of, &c.not_multiples_of}) {
    if (std::none_of(steps->begin(), steps->end(), [](const auto& n) { return n.is_zero(); }))
      continue;
    context.findings.report("bad_macro_argument", "0 is not a divisor", call.span,
                            "write a multiple_of above zero");
  }
  if (!context.findings.is_empty()) return context.builder.empty(call.span);
  NumberLanguage language = values.empty() ? number_language(c) : values_language(values);
  if (!language.machine) {
    context.findings.report(
        "regex_too_large", "these numbers need too large a machine: " + language.too_large,
        call.span, "use a divisor with fewer digits, or bounds with fewer digits");
    return context.builder.empty(call.span);
  }
  std::string words = values.empty() ? number_words(c) : number_words(values);
  const NumberSet set = values.empty() ? *number_set(c) : set_of(values);
  if (!keep_form(language, set, form, words)) return context.builder.nothing(call.span);
  return context.builder.machine(
      std::make_shared<const Machine>(Machine{std::move(words), std::move(*language.machine)}),
      call.span);
}

// ---- Substring ----

ExprId make_substring(const MacroCall& call, MacroContext& context) {
  Arguments arguments(call, "Substring", context.findings);
  std::vector<std::string_view> chunks;
  bool is_whole = true;
  for (const MacroValue* chunk : arguments.positional()) {
    if (chunk->kind != MacroValue::kText) {
      arguments.refuse(*chunk, "a chunk must be a text", "write Substring(\"one \", \"two\")");
      is_whole = false;
      continue;
    }
    chunks.push_back(chunk->text);
  }
  arguments.finish();
  if (!is_whole) return context.builder.empty(call.span);
  const std::string words = concat("Substring(", join(chunks, ", ", print_literal), ")");
  return context.builder.machine(
      std::make_shared<const Machine>(Machine{words, substring_machine(chunks)}), call.span);
}

// ---- Token, ExcludeToken ----

ExprId make_token_set(const MacroCall& call, MacroContext& context, const char* macro,
                      bool is_negated) {
  Arguments arguments(call, macro, context.findings);
  TokenSet set{{}, is_negated};
  for (const MacroValue* value : arguments.positional()) add(set, arguments.token(*value));
  arguments.finish();
  if (call.arguments.empty() && !is_negated) {
    context.findings.report("empty_token_set", "this Token() names no token, so it never matches",
                            call.span, "write the ids of the tokens: Token(5, 7)");
  }
  return context.builder.token_set(std::move(set), call.span);
}

ExprId make_token(const MacroCall& call, MacroContext& context) {
  return make_token_set(call, context, "Token", false);
}

ExprId make_exclude_token(const MacroCall& call, MacroContext& context) {
  return make_token_set(call, context, "ExcludeToken", true);
}

// ---- TokenTagDispatch: expanded into token sets ----
//   (ExcludeToken(triggers, excludes) | Token(trigger) rule | ...)*                   with loop
//   ExcludeToken(triggers, excludes)* (Token(trigger) rule | ...)?                    without

struct TokenTag {
  TokenSet trigger;  // one token
  SourceSpan span;   // of the trigger
  ExprId rule;
};

// A token as the grammar has it: its id, or its text in backticks.
std::string token_words(const TokenSet& one) {
  return one.names.empty() ? concat("token ", one.ids.front().value)
                           : concat("token ", quoted(one.names.front().text));
}

// A token that is named once by its id and once by its text is not noticed: that takes a
// vocabulary.
void check_triggers(const std::vector<TokenTag>& tags, const TokenSet& excludes,
                    MacroContext& context) {
  std::unordered_map<std::string, SourceSpan> known;
  for (const TokenTag& tag : tags) {
    const std::string name = token_words(tag.trigger);
    const auto [first, is_new] = known.emplace(name, tag.span);
    if (!is_new) {
      const SourcePosition earlier = context.source.position(first->second.begin);
      context.findings.report("duplicate_tag", name + " is a trigger twice", tag.span,
                              concat("the first is at line ", earlier.line, ", column ",
                                     earlier.column, "; remove one of them"));
    }
    const bool is_excluded =
        tag.trigger.names.empty()
            ? std::ranges::count(excludes.ids, tag.trigger.ids.front()) > 0
            : std::ranges::count(excludes.names, tag.trigger.names.front()) > 0;
    if (is_excluded) {
      context.findings.report("excluded_trigger", name + " is a trigger and excluded", tag.span,
                              "remove it from excludes, or remove the trigger");
    }
  }
}

ExprId write_out(const std::vector<TokenTag>& tags, TokenSet excludes, bool loops, SourceSpan span,
                 GrammarBuilder& builder) {
  std::vector<ExprId> branches;
  TokenSet free = std::move(excludes);
  free.is_negated = true;
  for (const TokenTag& tag : tags) {
    add(free, tag.trigger);
    const ExprId parts[] = {builder.token_set(tag.trigger, tag.span), tag.rule};
    branches.push_back(builder.sequence(parts, tag.span));
  }
  const ExprId free_token = builder.token_set(std::move(free), span);
  if (loops) {
    branches.insert(branches.begin(), free_token);
    return builder.repeat(builder.choice(branches, span), 0, kNoUpperBound, span);
  }
  std::vector<ExprId> parts{builder.repeat(free_token, 0, kNoUpperBound, span)};
  if (!branches.empty())
    parts.push_back(builder.repeat(builder.choice(branches, span), 0, 1, span));
  return builder.sequence(parts, span);
}

ExprId make_token_tag_dispatch(const MacroCall& call, MacroContext& context) {
  Arguments arguments(call, "TokenTagDispatch", context.findings);
  std::vector<TokenTag> tags;
  bool is_whole = true;  // every rule is defined
  for (const MacroValue* tag : arguments.positional()) {
    const bool is_tag =
        tag->kind == MacroValue::kTuple && tag->items.size() == 2 &&
        (tag->items[0].kind == MacroValue::kNumber || tag->items[0].kind == MacroValue::kText) &&
        tag->items[1].kind == MacroValue::kName;
    if (!is_tag) {
      arguments.refuse(*tag, "a trigger must be a token and the name of a rule",
                       "a trigger is written (id, rule) or (\"text\", rule)");
      continue;
    }
    TokenSet trigger = arguments.token(tag->items[0]);
    const auto rule = context.rule_named(tag->items[1].span);
    is_whole = is_whole && rule.has_value();
    if ((trigger.ids.empty() && trigger.names.empty()) || !rule) continue;
    tags.push_back({std::move(trigger), tag->items[0].span,
                    context.builder.rule_ref(*rule, tag->items[1].span)});
  }
  const bool loops = arguments.flag("loop_after_dispatch", true);
  TokenSet excludes = arguments.tokens("excludes");
  arguments.finish();
  check_triggers(tags, excludes, context);
  if (!is_whole || !context.findings.is_empty()) return context.builder.empty(call.span);
  return write_out(tags, std::move(excludes), loops, call.span, context.builder);
}

// ---- The table ----

struct Macro {
  std::string_view name;
  ExprId (*make)(const MacroCall&, MacroContext&);
};

constexpr std::array<Macro, 8> kMacros{{
    {"JsonNumber", make_json_number},
    {"AnyOrder", make_any_order},
    {"TagDispatch", make_tag_dispatch},
    {"Regex", make_regex},
    {"Substring", make_substring},
    {"Token", make_token},
    {"ExcludeToken", make_exclude_token},
    {"TokenTagDispatch", make_token_tag_dispatch},
}};

const Macro* find_macro(std::string_view name) {
  const auto found = std::find_if(kMacros.begin(), kMacros.end(),
                                  [&](const Macro& macro) { return macro.name == name; });
  return found == kMacros.end() ? nullptr : &*found;
}

}  // namespace

bool is_macro(std::string_view name) { return find_macro(name) != nullptr; }

std::optional<std::string_view> macro_like(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Macro& macro : kMacros) names.push_back(macro.name);
  const auto near = closest_name(name, names);
  if (!near) return std::nullopt;
  return find_macro(*near)->name;
}

ExprId make_macro(const MacroCall& call, std::string_view name, MacroContext& context) {
  return find_macro(name)->make(call, context);
}

}  // namespace xg2lab::ebnf
