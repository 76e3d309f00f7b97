// What a dispatch watches for in vain.
//
// Tests: tests/core/test_dispatch.py
//
// IDEA
//   Free text ends where the first watched text ends. One that has another within it, but at its
//   end, is never read to its own end: of ("ab", x) and ("abc", y) the second never fires.
#pragma once

#include <vector>

#include "grammar/grammar.h"

namespace xg2lab::passes {

// Whether each text can be read to its end before another one has been; same indices as in Dispatch.
struct ReadableTexts {
  std::vector<bool> tags;
  std::vector<bool> stop_texts;
  std::vector<bool> excludes;
};

// COST  linear in the texts, about (dispatch/aho_corasick.h).
ReadableTexts readable_texts(const Dispatch& dispatch);

// Warnings tag_never_fires, stop_never_read, exclude_never_read.
Grammar check_dispatches(Grammar grammar);

}  // namespace xg2lab::passes
