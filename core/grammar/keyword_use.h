// The treatment of a keyword of the source: no keyword is dropped silently.
//
// A grammar made from a JSON Schema records the state of each keyword. Grammars from other
// languages have no such records.
#pragma once

#include <cstdint>
#include <string>

#include "support/source.h"

namespace xg2lab {

enum class KeywordState : uint8_t {
  kEnforced,    // the grammar enforces it
  kAnnotation,  // by the standard it constrains nothing ("title", unknown keywords and formats)
  kRelaxed,     // not enforced, as the caller's options permit
  kRefused,     // can't be enforced: an error
};

// The keyword's name and JSON Pointer are derived from the span on request, so unused reports cost
// nothing.
struct KeywordUse {
  KeywordState state = KeywordState::kEnforced;
  std::string note;  // the reason, if there is one
  SourceSpan span;   // of the keyword, including its quotes
};

constexpr const char* keyword_state_name(KeywordState state) {
  switch (state) {
    case KeywordState::kEnforced: return "enforced";
    case KeywordState::kAnnotation: return "annotation";
    case KeywordState::kRelaxed: return "relaxed";
    case KeywordState::kRefused: return "refused";
  }
  return "enforced";
}

}  // namespace xg2lab
