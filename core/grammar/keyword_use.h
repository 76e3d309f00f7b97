// What became of a keyword of the source: nothing is dropped in silence.
//
// A grammar made of a JSON Schema says for each keyword whether it keeps it. Others have nothing to say.
#pragma once

#include <cstdint>
#include <string>

#include "support/source.h"

namespace xg2lab {

enum class KeywordState : uint8_t {
  kEnforced,    // the grammar keeps it
  kAnnotation,  // by the standard it checks nothing ("title", unknown keywords and formats)
  kRelaxed,     // not kept, as was asked for
  kRefused,     // can't be kept: an error
};

// Its name and its JSON Pointer are where the span leads: nobody pays for them who doesn't ask.
struct KeywordUse {
  KeywordState state = KeywordState::kEnforced;
  std::string note;  // why, if there is something to say
  SourceSpan span;   // of the keyword, with its quotes
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
