// The readers alone, no grammar is compiled: tiny inputs by the ten thousand a second. The
// control's last byte says which.
#include "explore.h"
#include "frontends/ebnf/parser.h"
#include "frontends/json_schema/json_schema.h"
#include "frontends/lark/lark.h"
#include "frontends/structural_tag/structural_tag.h"
#include "support/json_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xg2lab;
  const fuzz::Input input(data, size);
  fuzz::refused_or([&] {
    switch (input.control % 4) {
      case 0: print_ebnf(parse_ebnf(input.text, "root")); return;
      case 1: {
        LarkOptions options;
        options.lexer = "dynamic_complete";
        options.named_grammar = [](std::string_view) { return nullptr; };
        options.named_text = [](std::string_view) -> const std::string* { return nullptr; };
        options.schema_grammar = [](std::string_view) {
          return SchemaGrammar{nullptr, "no schemas here"};
        };
        print_ebnf(parse_lark(input.text, options));
        return;
      }
      case 2:
        if (const auto document = read_json_text(input.text, "schema")) {
          print_ebnf(json_schema::grammar_of_schema(*document, {}, {}));
        }
        return;
      default:
        if (const auto document = read_json_text(input.text, "tag")) {
          print_ebnf(grammar_of_structural_tag(*document, {}));
        }
    }
  });
  return 0;
}
