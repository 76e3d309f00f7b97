// EBNF text -> grammar -> compiled grammar -> masks. What is printed of a grammar is read again.
#include "explore.h"
#include "frontends/ebnf/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xg2lab;
  const fuzz::Input input(data, size);
  fuzz::refused_or([&] {
    Grammar grammar = check_grammar(parse_ebnf(input.text, "root"));
    if (input.bit(0)) print_ebnf(grammar);
    fuzz::explore(input, std::move(grammar));
  });
  return 0;
}
