#include "frontends/json_schema/texts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "automata/code_points_to_bytes.h"
#include "frontends/json_schema/few_values.h"
#include "frontends/json_schema/known_patterns.h"
#include "languages/formats/formats.h"
#include "languages/regex/pattern.h"
#include "support/error.h"
#include "support/literal.h"
#include "support/text.h"
#include "support/utf8.h"

namespace xg2lab::json_schema {
namespace {

constexpr uint64_t kMostLengthStates = 64;  // of a machine that tracks the length

// Hexadecimal digits in either case.
ExprId escape(GrammarBuilder& builder, uint32_t unit, SourceSpan span) {
  std::vector<ExprId> parts{builder.literal("\\u", span)};
  for (int shift = 12; shift >= 0; shift -= 4) {
    const uint32_t digit = (unit >> shift) & 15u;
    if (digit < 10)
      parts.push_back(builder.literal(std::string(1, static_cast<char>('0' + digit)), span));
    else
      parts.push_back(builder.char_class(
          {{'a' + digit - 10, 'a' + digit - 10}, {'A' + digit - 10, 'A' + digit - 10}}, span));
  }
  return builder.sequence(parts, span);
}

ExprId escapes(GrammarBuilder& builder, uint32_t code_point, SourceSpan span) {
  if (code_point < 0x10000) return escape(builder, code_point, span);
  const uint32_t offset = code_point - 0x10000;
  return builder.sequence(std::array{escape(builder, 0xD800 + (offset >> 10), span),
                                     escape(builder, 0xDC00 + (offset & 0x3FF), span)},
                          span);
}

}  // namespace

std::string macro_words(std::string_view pattern, Spelling spelling) {
  return "Regex(" + print_literal(pattern) +
         (spelling == Spelling::kJsonName ? ", json_name=true)" : ", json_string=true)");
}

std::string escaped_pattern(std::string_view text) {
  static constexpr auto is_special = [] {
    std::array<bool, 256> found{};
    for (const char c : std::string_view("\\^$.*+?()[]{}|/-"))
      found[static_cast<uint8_t>(c)] = true;
    return found;
  }();
  std::string pattern;
  pattern.reserve(text.size());
  for (const char c : text) {
    if (is_special[static_cast<uint8_t>(c)]) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

ExprId Texts::quoted(ExprId content, SourceSpan span) {
  const ExprId quote = builder_.literal("\"", span);
  return builder_.sequence(std::array{quote, content, quote}, span);
}

ExprId Texts::character() {
  if (!character_) {
    static const std::shared_ptr<const Machine> any = [] {
      auto fsm = to_bytes(one_of(CodePointSet{{0, 0xD7FF}, {0xE000, 0x10FFFF}}),
                          Spelling::kJsonString, 1000);
      return std::make_shared<const Machine>(
          Machine{macro_words("[^]", Spelling::kJsonString), std::move(*fsm)});
    }();
    character_ = any;
  }
  return builder_.machine(character_);
}

ExprId Texts::value(std::string_view text, SourceSpan span) {
  std::string plain;
  append_json_string(plain, text);
  // Serializers differ on U+007F and on characters beyond ASCII.
  const auto has_one_spelling = [](char c) { return static_cast<unsigned char>(c) < 0x7F; };
  if (std::ranges::all_of(plain, has_one_spelling)) return builder_.literal(plain, span);
  std::vector<ExprId> parts;
  std::string run;
  const auto flush = [&] {
    if (!run.empty()) parts.push_back(builder_.literal(std::exchange(run, {}), span));
  };
  for (size_t i = 0; i < plain.size();) {
    const auto here = *decode_utf8(plain, i);
    const std::string_view bytes = std::string_view(plain).substr(i, here.n_bytes);
    i += here.n_bytes;
    if (here.code_point < 0x7F) {
      run += bytes;
      continue;
    }
    flush();
    parts.push_back(builder_.choice(
        std::array{builder_.literal(bytes, span), escapes(builder_, here.code_point, span)}, span));
  }
  flush();
  return builder_.sequence(parts, span);
}

std::string Texts::words(const StringCase& c) const {
  std::string pattern;
  const auto condition = [&](ConditionId id, const char* open) {
    const Condition& words = conditions_[id];
    pattern += open;
    if (words.kind == ConditionKind::kPattern) pattern += "[^]*(?:" + words.text + "))";
    else pattern += concat("(?:", format_pattern(words.text), ")$)");
  };
  for (ConditionId id : c.conditions) condition(id, "(?=");
  for (ConditionId id : c.excluded_conditions) condition(id, "(?!");
  if (!c.excluded_values.empty()) {
    pattern += concat("(?!(?:", join(c.excluded_values, "|", escaped_pattern), ")$)");
  }
  pattern += "[^]";
  if (c.min_length == 0 && c.max_length == kUnbounded) return pattern + "*";
  pattern += concat("{", c.min_length, ",");
  if (c.max_length != kUnbounded) pattern += std::to_string(c.max_length);
  return pattern + "}";
}

MaybeDfa Texts::language(const StringCase& c, JsonId origin) {
  return with_length(language_of_any_length(c), c, origin);
}

MaybeDfa Texts::language_of_any_length(const StringCase& c) {
  const auto one_of = [](const std::vector<std::string_view>& values) {
    std::vector<std::vector<uint32_t>> texts;
    for (std::string_view value : values) texts.push_back(code_points(value));
    return one_of_texts(texts);
  };
  MaybeDfa all;
  if (c.values) {  // few values, so the filters stay cheap
    all = one_of(*c.values);
    for (ConditionId id : c.conditions)
      if (all) all = intersect(*all, conditions_.language(id));
    for (ConditionId id : c.excluded_conditions)
      if (all) all = subtract(*all, conditions_.language(id));
  } else {
    all = conditions_.language(c.conditions, c.excluded_conditions);
  }
  if (all && !c.excluded_values.empty()) all = subtract(*all, one_of(c.excluded_values));
  return all;
}

MaybeDfa Texts::with_length(MaybeDfa language, const StringCase& c, JsonId origin) {
  if (language && (c.min_length > 0 || c.max_length != kUnbounded)) {
    const MaybeDfa length =
        of_length(c.min_length, c.max_length == kUnbounded ? kNoLongest : c.max_length);
    language = length ? intersect(*language, *length) : std::nullopt;
  }
  if (!language) {
    coverage_.refuse(origin, "string_too_large",
                     "the conditions on this string together need too large a machine",
                     "use smaller lengths, or a single pattern");
  }
  return language;
}

ExprId Texts::any_spelling(std::string_view text, SourceSpan span) {
  auto fsm = to_bytes(only_text(code_points(text)), Spelling::kJsonString, regex::kMostByteStates);
  if (!fsm || text.empty()) return value(text, span);
  return of_machine(std::move(*fsm), macro_words(escaped_pattern(text), Spelling::kJsonString),
                    span);
}

std::optional<std::vector<std::string>> Texts::few_values(const StringCase& c, size_t most) {
  constexpr uint32_t kShort = 16;  // a machine with loops has few texts only if they are short
  if (c.conditions.empty() && c.max_length > 0) return std::nullopt;
  MaybeDfa all = language_of_any_length(c);
  if (all && c.max_length <= kShort) {
    const MaybeDfa length = of_length(0, c.max_length);
    all = length ? intersect(*all, *length) : std::nullopt;
  }
  auto texts = all ? few_texts(*all, most) : std::nullopt;
  if (texts) {
    std::erase_if(*texts, [&](const std::string& text) {
      const size_t n_points = code_points(text).size();
      return n_points < c.min_length || n_points > c.max_length;
    });
  }
  return texts;
}

ExprId Texts::of_language(const CodePointDfa& language, std::string_view words, Spelling spelling,
                          SourceSpan span, JsonId origin) {
  auto fsm = to_bytes(language, spelling, regex::kMostByteStates);
  if (!fsm) {
    coverage_.refuse(origin, "string_too_large", "this string needs too large a machine",
                     "use smaller lengths, or a simpler pattern");
    return builder_.nothing(span);
  }
  if (language.is_empty()) return builder_.nothing(span);
  return of_machine(std::move(*fsm), macro_words(words, spelling), span);
}

ExprId Texts::of_machine(FrozenFsm fsm, std::string macro, SourceSpan span) {
  auto machine = std::make_shared<const Machine>(Machine{macro, std::move(fsm)});
  machines_.emplace(std::move(macro), machine);
  return quoted(builder_.machine(std::move(machine), span), span);
}

std::optional<ExprId> Texts::known(const std::string& macro, SourceSpan span) {
  const auto machine = machines_.find(macro);
  if (machine == machines_.end() || !machine->second) return std::nullopt;
  return quoted(builder_.machine(machine->second, span), span);
}

// Joins unrepeated characters into one machine, up to the next repeated ones.
ExprId Texts::of_stretches(const std::vector<Path>& paths, SourceSpan span) {
  std::vector<ExprId> ways;
  for (const Path& path : paths) {
    std::vector<ExprId> parts;
    std::string words;
    const auto flush = [&] {
      if (words.empty()) return;
      auto& machine = characters_[words];
      if (!machine) {
        auto fsm = to_bytes(regex::language_of_regex(words, {}, regex::Match::kWhole),
                            Spelling::kJsonString, regex::kMostByteStates);
        XG2LAB_ASSERT(fsm.has_value(), "a few characters are a small machine");
        machine = std::make_shared<const Machine>(
            Machine{macro_words(words, Spelling::kJsonString), std::move(*fsm)});
      }
      parts.push_back(builder_.machine(machine, span));
      words.clear();
    };
    for (const Stretch& stretch : path) {
      const bool is_once = stretch.min == 1 && stretch.max == 1;
      if (!is_once) flush();
      words += class_words(stretch.set);
      if (is_once) continue;
      flush();
      const uint32_t max = stretch.max == kNoLongest ? kNoUpperBound : stretch.max;
      parts.back() = builder_.repeat(parts.back(), stretch.min, max, span);
    }
    flush();
    ways.push_back(builder_.sequence(parts, span));
  }
  return quoted(builder_.choice(ways, span), span);
}

ExprId Texts::condition(ConditionId id, SourceSpan span) {
  const Condition& condition = conditions_[id];
  if (condition.kind == ConditionKind::kFormat)
    return quoted(builder_.machine(format_machine(condition.text), span), span);
  const auto pattern = grammar_of_pattern(
      condition.text, [&](const char* code, std::string message, SourceSpan, std::string hint) {
        if (std::string_view(code).starts_with("unsupported_") ||
            std::string_view(code) == "regex_too_large")
          coverage_.refuse(condition.origin, code, std::move(message), std::move(hint));
        else coverage_.mistake(condition.origin, code, std::move(message), std::move(hint));
      });
  const size_t first = builder_.n_exprs();
  const ExprId content = builder_.copy(*pattern, pattern->rule(pattern->root()).body, {});
  builder_.set_spans(first, span);
  return quoted(content, span);
}

// Drops the bounds on length that a condition's texts satisfy anyway.
StringCase Texts::without_implied_lengths(const StringCase& c) {
  StringCase rest = c;
  if (c.conditions.size() != 1) return rest;
  const TextLengths lengths = conditions_.lengths(c.conditions.front());
  if (lengths.min >= c.min_length) rest.min_length = 0;
  if (lengths.max <= c.max_length) rest.max_length = kUnbounded;
  return rest;
}

ExprId Texts::string(const StringCase& c, SourceSpan span) {
  const bool says_any_length = c.min_length == 0 && c.max_length == kUnbounded;
  if (says_any_length || c.values || c.conditions.empty()) return string_of_length(c, span);
  return string_of_length(without_implied_lengths(c), span);
}

ExprId Texts::string_of_length(const StringCase& c, SourceSpan span) {
  if (c.values) {
    std::vector<ExprId> all;
    for (std::string_view text : *c.values) all.push_back(value(text, span));
    return builder_.choice(all, span);
  }
  const size_t n_conditions = c.conditions.size() + c.excluded_conditions.size();
  const bool says_length = c.min_length > 0 || c.max_length != kUnbounded;
  if (n_conditions == 0 && c.excluded_values.empty()) {
    const uint32_t max = c.max_length == kUnbounded ? kNoUpperBound : c.max_length;
    return quoted(builder_.repeat(character(), c.min_length, max, span), span);
  }
  if (c.conditions.size() == 1 && n_conditions == 1 && !says_length && c.excluded_values.empty())
    return condition(c.conditions.front(), span);
  const JsonId origin =
      c.conditions.empty()
          ? (c.excluded_conditions.empty() ? coverage_.at()
                                           : conditions_[c.excluded_conditions.front()].origin)
          : conditions_[c.conditions.front()].origin;
  const std::string pattern = words(c);
  const std::string name = macro_words(pattern, Spelling::kJsonString);
  std::shared_ptr<const Machine>& machine = machines_[name];
  if (!machine) machine = known_machine(name);
  if (machine) return quoted(builder_.machine(machine, span), span);
  MaybeDfa all = language_of_any_length(c);
  if (all && says_length) {
    const uint32_t longest = c.max_length == kUnbounded ? c.min_length : c.max_length;
    if (all->n_states() * uint64_t{longest} > kMostLengthStates) {
      const auto paths = paths_of_length(*all, c.min_length, c.max_length);
      if (paths) return of_stretches(*paths, span);
    }
  }
  all = with_length(std::move(all), c, origin);
  if (!all) return coverage_.relaxes() ? string(StringCase{}, span) : builder_.nothing(span);
  auto fsm = to_bytes(*all, Spelling::kJsonString, regex::kMostByteStates);
  if (!fsm || all->is_empty())
    return of_language(*all, pattern, Spelling::kJsonString, span, origin);
  machine = std::make_shared<const Machine>(Machine{name, std::move(*fsm)});
  keep_machine(machine);
  return quoted(builder_.machine(machine, span), span);
}

}  // namespace xg2lab::json_schema
