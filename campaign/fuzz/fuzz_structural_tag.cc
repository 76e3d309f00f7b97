// Structural tag as JSON text -> grammar -> compiled grammar -> masks, with token names or without.
#include "explore.h"
#include "frontends/structural_tag/structural_tag.h"
#include "support/json_reader.h"
#include "vocab/token_names.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xg2lab;
  static const TokenNames names(
      [](std::string_view text) { return tokens_named(*fuzz::tokens()->vocabulary, text); },
      [](std::string_view text) { return token_name_like(*fuzz::tokens()->vocabulary, text); },
      {{"<|tool|>", fuzz::tokens()->vocabulary->special_tokens().front()}}, {"</s>"});
  const fuzz::Input input(data, size);
  StructuralTagOptions options;
  options.names = input.bit(0) ? &names : nullptr;
  options.relaxes = input.bit(1);
  fuzz::refused_or([&] {
    const auto document = read_json_text(input.text, "structural tag");
    if (document)
      fuzz::explore(input, check_grammar(grammar_of_structural_tag(*document, options)));
  });
  return 0;
}
