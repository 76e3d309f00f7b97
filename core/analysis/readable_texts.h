// Which watched texts of a dispatch can be read to their end.
//
// Tests: tests/core/test_dispatch.py
//
// IDEA
//   Free text ends where the first watched text ends. A watched text that contains another one
//   before its own end is never read completely: of ("ab", x) and ("abc", y) the second never
//   fires.
#pragma once

#include <string_view>
#include <vector>

#include "grammar/grammar.h"

namespace xg2lab::analysis {

// Whether each text can be read to its end before another one is complete; indexed as in Dispatch.
struct ReadableTexts {
  std::vector<bool> tags;
  std::vector<bool> stop_texts;
  std::vector<bool> excludes;

  bool are_all() const;
};

// COST  about linear in the texts (dispatch/aho_corasick.h).
ReadableTexts readable_texts(const Dispatch& dispatch);

// The texts of a dispatch in the order tags, stop texts, excludes.
std::vector<std::string_view> watched_texts(const Dispatch& dispatch);

}  // namespace xg2lab::analysis
