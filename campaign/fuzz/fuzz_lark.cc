// Lark text -> grammar -> compiled grammar -> masks. Without %json, which Python reads.
#include <array>

#include "explore.h"
#include "frontends/lark/lark.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xg2lab;
  static constexpr std::array kLexers{"contextual", "basic", "dynamic", "dynamic_complete"};
  const fuzz::Input input(data, size);
  LarkOptions options;
  options.lexer = kLexers[input.control & 3];
  options.special_token = [](std::string_view name) {
    return name == "<|tool|>" ? std::optional(fuzz::tokens()->vocabulary->special_tokens().front())
                              : std::nullopt;
  };
  options.named_grammar = [](std::string_view) { return nullptr; };
  options.named_text = [](std::string_view) -> const std::string* { return nullptr; };
  options.schema_grammar = [](std::string_view) {
    return SchemaGrammar{nullptr, "no schemas here"};
  };
  fuzz::refused_or([&] { fuzz::explore(input, check_grammar(parse_lark(input.text, options))); });
  return 0;
}
