// Read: OptionReader::read (the list), read_option (one), then one function for each kind of value.
#include "frontends/ebnf/rule_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "frontends/ebnf/lexeme_values.h"
#include "support/bounds.h"
#include "support/suggest.h"
#include "support/text.h"

namespace xg2lab::ebnf {
namespace {

constexpr const char* kOptionsHint =
    "the options are max_tokens=N, max_chars=N, lazy, capture=\"name\", temperature=F, parts=rule, "
    "hidden";

bool is_space(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

bool is_word(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '_' || byte == '-' || byte == '.' || byte == '+' ||
         static_cast<uint8_t>(byte) >= 0x80;
}

std::optional<OptionKind> kind_named(std::string_view name) {
  const auto found = std::find(kOptionNames.begin(), kOptionNames.end(), name);
  if (found == kOptionNames.end()) return std::nullopt;
  return static_cast<OptionKind>(found - kOptionNames.begin());
}

class OptionReader {
 public:
  OptionReader(std::string_view text, SourceSpan brackets, std::string_view rule,
               Findings& findings, const OtherOption* other)
      : text_(text),
        brackets_(brackets),
        rule_(rule),
        findings_(findings),
        other_(other),
        at_(brackets.begin + 1),
        end_(brackets.end - 1) {}

  RuleOptions read() {
    skip_spaces();
    if (at_ == end_) report("bad_option", "there is no option in `[]`", brackets_, kOptionsHint);
    while (at_ < end_ && read_option()) {
      skip_spaces();
      if (at_ == end_) break;
      if (text_[at_] != ',') {
        report("bad_option", "expected `,` or `]`, found " + quoted(rest()), {at_, end_},
               "options are separated by commas");
        break;
      }
      ++at_;
      skip_spaces();
    }
    if (options_.is_lazy && options_.max_tokens) {
      report("bad_option", "a rule can't be lazy and have max_tokens",
             options_.span(OptionKind::kMaxTokens),
             "a lazy rule ends as soon as it can; remove one of them");
    }
    return std::move(options_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_, end_ - at_); }
  void skip_spaces() {
    while (at_ < end_ && is_space(text_[at_])) ++at_;
  }
  SourceSpan word() {
    const uint32_t begin = at_;
    while (at_ < end_ && is_word(text_[at_])) ++at_;
    return {begin, at_};
  }
  std::string_view words(SourceSpan span) const {
    return text_.substr(span.begin, span.end - span.begin);
  }
  void report(const char* code, std::string message, SourceSpan span, std::string hint) {
    findings_.report(code, std::move(message), span, std::move(hint));
  }

  // Returns false if the rest can't be parsed.
  bool read_option() {
    const SourceSpan name = word();
    if (name.empty()) {
      report("bad_option", "expected an option, found " + quoted(rest()), {at_, end_},
             kOptionsHint);
      return false;
    }
    SourceSpan value;
    skip_spaces();
    const bool has_value = at_ < end_ && text_[at_] == '=';
    if (has_value) {
      ++at_;
      skip_spaces();
      value = is_other(name) ? read_other_value() : read_value();
    }
    take(name, has_value ? std::optional(value) : std::nullopt);
    return true;
  }

  // The span of a literal with its quotation marks.
  SourceSpan read_value() {
    const uint32_t begin = at_;
    if (at_ == end_ || (text_[at_] != '"' && text_[at_] != '\'')) return word();
    const char mark = text_[at_++];
    while (at_ < end_ && text_[at_] != mark) at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, end_);
    return {begin, at_};
  }

  bool is_other(SourceSpan name) const {
    return other_ != nullptr && std::find(other_->names.begin(), other_->names.end(),
                                          words(name)) != other_->names.end();
  }

  // The span of a literal or a pattern, with its flags.
  SourceSpan read_other_value() {
    const uint32_t begin = at_;
    if (at_ == end_ || (text_[at_] != '"' && text_[at_] != '/')) return read_value();
    const char mark = text_[at_++];
    while (at_ < end_ && text_[at_] != mark) at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, end_);
    return {begin, word().end};
  }

  void take(SourceSpan name, std::optional<SourceSpan> value) {
    if (is_other(name))
      return other_->take(words(name), value.value_or(SourceSpan{name.end, name.end}));
    const auto kind = kind_named(words(name));
    if (!kind) return report_unknown(name);
    const SourceSpan whole{name.begin, value ? value->end : name.end};
    SourceSpan& place = options_.spans[static_cast<size_t>(*kind)];
    if (!place.empty()) {
      return report("duplicate_option", "option " + quoted(words(name)) + " is given twice", whole,
                    "remove one of them");
    }
    place = whole;
    switch (*kind) {
      case OptionKind::kMaxTokens: options_.max_tokens = count(name, value, 1); break;
      case OptionKind::kMaxChars: options_.max_chars = count(name, value, 0); break;
      case OptionKind::kTemperature: options_.temperature = temperature(name, value); break;
      case OptionKind::kCapture: options_.capture = capture(name, value); break;
      case OptionKind::kLazy:
        options_.is_lazy = true;
        if (value) report("bad_option", "option `lazy` has no value", whole, "write lazy");
        break;
      case OptionKind::kParts: options_.parts = rule_name(name, value); break;
      case OptionKind::kHidden:
        options_.is_hidden = true;
        if (value) report("bad_option", "option `hidden` has no value", whole, "write hidden");
        break;
    }
  }

  void report_unknown(SourceSpan name) {
    const auto near = closest_name(words(name), {kOptionNames.begin(), kOptionNames.end()});
    report("unknown_option", "a rule has no option " + quoted(words(name)), name,
           near ? "did you mean " + quoted(*near) + "?" : kOptionsHint);
  }

  // Reports an invalid value; `value` may be missing or empty.
  void report_value(SourceSpan name, std::optional<SourceSpan> value, const std::string& wanted,
                    std::string hint) {
    const bool is_there = value && !value->empty();
    report("bad_option",
           concat(words(name), " is ", wanted, is_there ? ", not " + quoted(words(*value)) : ""),
           is_there ? *value : name, std::move(hint));
  }

  // max_chars=0 permits the empty text, but a match can't touch fewer than one token.
  std::optional<uint32_t> count(SourceSpan name, std::optional<SourceSpan> value, uint32_t least) {
    const std::string_view digits = value ? words(*value) : "";
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool is_number = !digits.empty() && error == std::errc() &&
                           end == digits.data() + digits.size() && number >= least &&
                           number <= kMostRepetitions;
    if (is_number) return number;
    report_value(name, value, concat("a whole number from ", least, " to ", kMostRepetitions),
                 concat("write for example ", words(name), "=100"));
    return std::nullopt;
  }

  std::optional<double> temperature(SourceSpan name, std::optional<SourceSpan> value) {
    const std::string_view digits = value ? words(*value) : "";
    double number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool is_number = !digits.empty() && error == std::errc() &&
                           end == digits.data() + digits.size() && std::isfinite(number) &&
                           !std::signbit(number);
    if (is_number) return number;
    report_value(name, value, "a number from 0 on", "write for example temperature=0.7");
    return std::nullopt;
  }

  std::optional<std::string> capture(SourceSpan name, std::optional<SourceSpan> value) {
    if (!value) return std::string(rule_);
    const std::string_view literal = words(*value);
    const bool is_literal = literal.size() >= 2 && (literal[0] == '"' || literal[0] == '\'') &&
                            literal.back() == literal[0];
    if (is_literal && literal.size() > 2) {
      return read_literal(text_, {LexemeKind::kLiteral, *value}, findings_);
    }
    report_value(name, value, "a name in quotation marks",
                 concat("write capture=\"", rule_, "\", or capture alone to use the rule's name"));
    return std::nullopt;
  }

  // Whether the rule exists is checked once the whole text is parsed.
  std::optional<std::string> rule_name(SourceSpan name, std::optional<SourceSpan> value) {
    if (value && is_rule_name(words(*value))) return std::string(words(*value));
    report_value(name, value, "the name of a rule",
                 concat("write for example parts=", rule_, "_parts"));
    return std::nullopt;
  }

  std::string_view text_;
  const SourceSpan brackets_;
  std::string_view rule_;
  Findings& findings_;
  const OtherOption* other_;
  uint32_t at_;
  uint32_t end_;
  RuleOptions options_;
};

}  // namespace

std::shared_ptr<const RuleOptions> read_rule_options(std::string_view text, SourceSpan brackets,
                                                     std::string_view rule, Findings& findings,
                                                     const OtherOption* other) {
  return std::make_shared<const RuleOptions>(
      OptionReader(text, brackets, rule, findings, other).read());
}

bool looks_like_options(std::string_view words) {
  return std::any_of(kOptionNames.begin(), kOptionNames.end(), [&](std::string_view name) {
    return words.size() > name.size() + 2 && words.substr(1, name.size()) == name &&
           words[name.size() + 1] == '=';
  });
}

}  // namespace xg2lab::ebnf
