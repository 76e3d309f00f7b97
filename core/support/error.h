// What goes wrong, as values: diagnostics with a place and a remedy, and the one exception type.
//
// IDEA
//   A user's mistake is described by Diagnostics (code, message, span, hint). The cold path throws
//   one Error that carries all of them, not only the first; bind/ turns its kind into the Python
//   class of the same name. The decode step throws nothing.
//
// EXAMPLE of Error::what()
//   GrammarError: repetition {5,2} asks for at least 5 and at most 2
//     digits.ebnf:4:17
//       4 | digits ::= [0-9]{5,2}
//         |                 ^^^^^
//     hint: write {2,5}
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
  // Where in a JSON document the first of them is (RFC 6901); nothing: it is in no document.
  const std::optional<std::string>& pointer() const { return pointer_; }
  void set_pointer(std::string pointer) { pointer_ = std::move(pointer); }

 private:
  ErrorKind kind_;
  std::vector<Diagnostic> diagnostics_;
  SourceText source_;
  std::optional<std::string> pointer_;
};

// Our own mistakes: an invariant that does not hold. Names the invariant, never a user's input.
#define XG2LAB_ASSERT(condition, invariant) \
  ((condition) ? void(0) : ::xg2lab::assertion_failed(#condition, invariant))
[[noreturn]] void assertion_failed(const char* condition, const char* invariant);

}  // namespace xg2lab
