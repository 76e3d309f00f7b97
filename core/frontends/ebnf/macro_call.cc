// Read: CallReader::items, then value. After a mistake, parsing continues behind the next comma.
#include "frontends/ebnf/macro_call.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "frontends/ebnf/lexeme_values.h"
#include "support/text.h"

namespace xg2lab::ebnf {
namespace {

constexpr size_t kMostDepth = 4;  // nesting of tuples; no macro nests more than one in another

class CallReader {
 public:
  CallReader(std::string_view text, const std::vector<Lexeme>& lexemes, size_t& at, size_t end,
             Findings& findings)
      : text_(text), lexemes_(lexemes), at_(at), end_(end), findings_(findings) {}

  MacroCall read() {
    MacroCall call;
    call.name = here().span;
    ++at_;
    call.arguments = items(1, call.name);
    if (is_over()) --at_;  // unclosed
    call.span = {call.name.begin, here().span.end};
    return call;
  }

 private:
  const Lexeme& here() const { return lexemes_[at_]; }
  std::string_view words() const { return words(here().span); }
  std::string_view words(SourceSpan span) const {
    return text_.substr(span.begin, span.end - span.begin);
  }
  bool is_over() const { return at_ >= end_; }
  bool is_word(std::string_view word) const { return !is_over() && words() == word; }

  // Reads from `(` to `)`, and stops at the `)`.
  std::vector<MacroArgument> items(size_t depth, SourceSpan opening) {
    std::vector<MacroArgument> read;
    ++at_;
    while (!is_over() && here().kind != LexemeKind::kClose) {
      if (auto argument = item(depth)) read.push_back(std::move(*argument));
      if (is_word(",")) {
        ++at_;
      } else if (!is_over() && here().kind != LexemeKind::kClose) {
        report_unexpected("`,` or `)`");
        skip_item();
        if (is_word(",")) ++at_;
      }
    }
    if (is_over() && !is_unterminated_) {
      is_unterminated_ = true;
      findings_.report("unterminated_group", quoted(words(opening)) + " is not closed", opening,
                       "add )");
    }
    return read;
  }

  std::optional<MacroArgument> item(size_t depth) {
    MacroArgument argument;
    if (here().kind == LexemeKind::kName && at_ + 1 < end_ &&
        words(lexemes_[at_ + 1].span) == "=") {
      argument.keyword = std::string(words());
      argument.keyword_span = here().span;
      at_ += 2;
    }
    auto read = value(depth);
    if (!read) return std::nullopt;
    argument.value = std::move(*read);
    return argument;
  }

  std::optional<MacroValue> value(size_t depth) {
    MacroValue read;
    if (is_over()) return std::nullopt;  // reported as unterminated
    read.span = here().span;
    switch (here().kind) {
      case LexemeKind::kLiteral:
        read.kind = MacroValue::kText;
        read.text = read_literal(text_, here(), findings_);
        break;
      case LexemeKind::kName: {
        read.text = std::string(words());
        const bool is_number = read.text.find_first_not_of("0123456789") == std::string::npos;
        const bool is_flag = read.text == "true" || read.text == "false";
        read.kind =
            is_number ? MacroValue::kNumber : (is_flag ? MacroValue::kFlag : MacroValue::kName);
        read.name = read.span;
        if (at_ + 1 < end_ && lexemes_[at_ + 1].kind == LexemeKind::kRepeat) {
          ++at_;
          read.kind = MacroValue::kRepeatedName;
          read.text = std::string(words());
          read.span.end = here().span.end;
        }
        break;
      }
      case LexemeKind::kOpen:
        if (depth >= kMostDepth) {
          report_unexpected("a text, a number or a name");
          skip_item();
          return std::nullopt;
        }
        return tuple(depth);
      case LexemeKind::kUnterminatedLiteral:
        is_unterminated_ = true;
        findings_.report("unterminated_literal", "literal is not closed in its line", here().span,
                         concat("add ", words().substr(0, 1)));
        ++at_;
        return std::nullopt;
      default:
        report_unexpected("an argument");
        skip_item();
        return std::nullopt;
    }
    ++at_;
    return read;
  }

  std::optional<MacroValue> tuple(size_t depth) {
    MacroValue read;
    const SourceSpan opening = here().span;
    for (MacroArgument& item : items(depth + 1, opening)) {
      if (!item.keyword.empty()) {
        findings_.report("bad_macro_argument", "a tuple has no named parts", item.keyword_span,
                         "remove " + item.keyword + "=");
      }
      read.items.push_back(std::move(item.value));
    }
    read.span = {opening.begin, is_over() ? lexemes_[at_ - 1].span.end : here().span.end};
    if (!is_over()) ++at_;
    return read;
  }

  void report_unexpected(const char* expected) {
    if (is_unterminated_) return;  // an unclosed literal contains the missing part
    findings_.report("expected_token", concat("expected ", expected, ", found ", quoted(words())),
                     here().span, "arguments are texts, numbers, true, false, names and (...)");
  }

  // Skips to the next comma or `)` of this level, or to the end.
  void skip_item() {
    size_t n_open = 0;
    for (; !is_over(); ++at_) {
      const LexemeKind kind = here().kind;
      if (n_open == 0 && (kind == LexemeKind::kClose || words() == ",")) return;
      if (kind == LexemeKind::kOpen || kind == LexemeKind::kOpenLookahead) ++n_open;
      if (kind == LexemeKind::kClose) --n_open;
    }
  }

  std::string_view text_;
  const std::vector<Lexeme>& lexemes_;
  size_t& at_;
  size_t end_;
  Findings& findings_;
  bool is_unterminated_ = false;  // the unclosed call is reported
};

}  // namespace

MacroCall read_macro_call(std::string_view text, const std::vector<Lexeme>& lexemes, size_t& at,
                          size_t end, Findings& findings) {
  return CallReader(text, lexemes, at, end, findings).read();
}

}  // namespace xg2lab::ebnf
