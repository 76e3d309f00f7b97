// Sorting, choosing the kind of Error, and quoting the user's text.
#include "support/findings.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "support/utf8.h"

namespace xg2lab {
namespace {

// Codes of mistakes that are not syntax errors.
constexpr std::array<std::string_view, 27> kOfMeaning{
    "undefined_rule",       "duplicate_rule",     "missing_root",
    "empty_grammar",        "unknown_macro",      "empty_tag",
    "bad_macro_argument",   "duplicate_tag",      "tag_contains_stop",
    "dispatch_never_ends",  "empty_token_set",    "bad_token_id",
    "excluded_trigger",     "unknown_option",     "bad_option",
    "duplicate_option",     "misplaced_option",   "bad_template",
    "unknown_import",       "unknown_grammar",    "unknown_special_token",
    "terminal_not_regular", "recursive_terminal", "never_matches",
    "bad_schema",           "bad_hole",           "slot_of_two_kinds"};
constexpr std::array<std::string_view, 4> kOfLimits{"nesting_too_deep", "regex_too_large",
                                                    "template_too_large", "lexer_too_large"};

ErrorKind kind_of(const Diagnostic& diagnostic) {
  const std::string& code = diagnostic.code;
  const bool is_limit = std::find(kOfLimits.begin(), kOfLimits.end(), code) != kOfLimits.end();
  if (is_limit) return ErrorKind::kLimitError;
  if (code.starts_with("unsupported_")) return ErrorKind::kUnsupportedError;
  const bool is_meaning = std::find(kOfMeaning.begin(), kOfMeaning.end(), code) != kOfMeaning.end();
  return is_meaning ? ErrorKind::kGrammarError : ErrorKind::kGrammarSyntaxError;
}

// "U+0009": at least four digits.
std::string code_point_name(uint32_t code_point) {
  std::string digits;
  for (; code_point > 0 || digits.size() < 4; code_point >>= 4) {
    digits.insert(digits.begin(), "0123456789ABCDEF"[code_point & 0xFu]);
  }
  return "U+" + digits;
}

}  // namespace

bool Findings::has_syntax_error() const {
  return std::any_of(found_.begin(), found_.end(), [](const Diagnostic& diagnostic) {
    return kind_of(diagnostic) == ErrorKind::kGrammarSyntaxError;
  });
}

void Findings::raise(const SourceText& source) && {
  std::stable_sort(found_.begin(), found_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return a.span.begin < b.span.begin;
  });
  ErrorKind kind = ErrorKind::kUnsupportedError;
  for (ErrorKind candidate :
       {ErrorKind::kGrammarError, ErrorKind::kLimitError, ErrorKind::kGrammarSyntaxError}) {
    const bool occurs = std::any_of(found_.begin(), found_.end(), [candidate](const Diagnostic& d) {
      return kind_of(d) == candidate;
    });
    if (occurs) kind = candidate;
  }
  throw Error(kind, std::move(found_), source);
}

std::string quoted(std::string_view text) {
  constexpr size_t kShownBytes = 40;
  std::string shown = "`";
  for (size_t at = 0; at < text.size();) {
    if (at >= kShownBytes) {
      shown += "…";
      break;
    }
    const auto here = decode_utf8(text, at);
    if (here && is_printable(here->code_point)) shown += text.substr(at, here->n_bytes);
    else shown += code_point_name(here ? here->code_point : 0xFFFD);
    at += here ? here->n_bytes : 1;
  }
  return shown + "`";
}

}  // namespace xg2lab
