// Pattern -> grammar -> compiled grammar -> masks.
#include "explore.h"
#include "frontends/regex/regex.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xg2lab;
  const fuzz::Input input(data, size);
  fuzz::refused_or(
      [&] { fuzz::explore(input, check_grammar(regex::grammar_of_regex(input.text))); });
  return 0;
}
