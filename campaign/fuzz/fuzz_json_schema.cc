// JSON Schema, with slots or without -> grammar -> compiled grammar -> masks. Text that the
// engine's own JSON reader leaves to Python is skipped.
#include "explore.h"
#include "frontends/json_schema/json_schema.h"
#include "support/json_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xg2lab;
  const fuzz::Input input(data, size);
  json_schema::Options options;
  options.is_strict = input.bit(0);
  options.any_order = input.bit(1);
  options.any_whitespace = input.bit(2);
  options.relaxes = input.bit(3);
  options.checks_formats = input.bit(4);
  if (input.bit(5)) options.max_whitespace = 3;
  if (input.bit(6)) options.indent = 2;
  fuzz::refused_or([&] {
    const auto document = read_json_text(input.text, "schema");
    if (!document) return;
    const Grammar grammar = input.bit(7)
                                ? json_schema::template_of_schema(*document, {}, options).grammar
                                : json_schema::grammar_of_schema(*document, {}, options);
    fuzz::explore(input, check_grammar(grammar));
  });
  return 0;
}
