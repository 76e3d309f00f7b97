// Errors as values: diagnostics with a span and a hint, and the single exception type.
//
// IDEA
//   A Diagnostic (code, message, span, hint) describes one mistake of the user. The cold path
//   throws one Error with all diagnostics, not only the first; bind/ maps its kind to the Python
//   class of the same name. The decode step doesn't throw.
//
// EXAMPLE of Error::what()
//   GrammarError: repetition {5,2} requires at least 5 and at most 2
//     digits.ebnf:4:17
//       4 | digits ::= [0-9]{5,2}
//         |                 ^^^^^
//     hint: write {2,5}
//   A mistake in a template's arguments has two places: template:1:14, argument /sections/3/id
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/source.h"

namespace xg2lab {

enum class Severity : uint8_t { kError, kWarning, kHint };

struct Diagnostic {
  std::string code;  // stable, snake_case: "undefined_rule"
  Severity severity = Severity::kError;
  std::string message;
  SourceSpan span;
  std::string hint;  // may be empty
  // A JSON Pointer (RFC 6901) into the arguments of a template; nothing if no argument is meant.
  std::optional<std::string> pointer{};
};

// Each kind is a Python exception class of the same name, in xg2lab/errors.py.
enum class ErrorKind : uint8_t {
  kGrammarSyntaxError,
  kGrammarError,
  kVocabularyError,
  kBitmaskError,
  kMatcherStateError,
  kUnsupportedError,
  kLimitError,
  kArgumentError,
  kTemplateArgumentError,
  kDeserializeFormatError,
  kInvalidStructuralTagError,
};

const char* error_kind_name(ErrorKind kind);

// Renders one diagnostic as in the example above, without the leading kind.
std::string render(const Diagnostic& diagnostic, const SourceText& source);

class Error : public std::runtime_error {
 public:
  // An error without a source text.
  Error(ErrorKind kind, std::string message, std::string hint = "");
  // An error in a source text; `diagnostics` is not empty, and all of them are rendered.
  Error(ErrorKind kind, std::vector<Diagnostic> diagnostics, SourceText source);

  ErrorKind kind() const { return kind_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  const SourceText& source() const { return source_; }
  // The JSON Pointer (RFC 6901) of the first diagnostic; nothing if it isn't in a JSON document.
  const std::optional<std::string>& pointer() const { return pointer_; }
  void set_pointer(std::string pointer) { pointer_ = std::move(pointer); }

 private:
  ErrorKind kind_;
  std::vector<Diagnostic> diagnostics_;
  SourceText source_;
  std::optional<std::string> pointer_;
};

// For mistakes of the engine: a violated invariant. The message names the invariant and never
// contains a user's input.
#define XG2LAB_ASSERT(condition, invariant) \
  ((condition) ? void(0) : ::xg2lab::assertion_failed(#condition, invariant))
[[noreturn]] void assertion_failed(const char* condition, const char* invariant);

}  // namespace xg2lab
