// Vocabularies made of the input's bytes: any bytes, any lengths, tokens twice, special, stop and
// padding ids.
//
// The text is cut at bytes 0xFE into a grammar's number and tokens; each token's first byte says
// what kind it is.
#include <array>

#include "explore.h"
#include "frontends/ebnf/parser.h"

namespace xg2lab::fuzz {
namespace {

constexpr std::array kVocabularyGrammars{
    R"(root ::= [^"\\]*)",
    R"(root ::= "\"" ([^"\\] | "\\" [^])* "\"" root?)",
    R"(root ::= ("a" | "ab" | "b" root "b")* | [é-ü]{1,9})",
    R"(root ::= TagDispatch(("ab", t), excludes=("ba"))   t ::= [a-z]+ ";")",
    R"(root ::= (w " "?)*   w ::= [a-z]+ | [0-9]{1,3} | "if")",
};

std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> pieces;
  while (pieces.size() < 200) {
    const size_t end = text.find('\xFE');
    pieces.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return pieces;
}

std::shared_ptr<const TokenSets> tokens_of(const Input& input) {
  VocabularySpec spec;
  for (std::string& piece : pieces_of(input.text)) {
    const TokenId id(spec.tokens.size());
    if (piece.empty()) {
      spec.tokens.emplace_back();
      continue;
    }
    const auto kind = static_cast<uint8_t>(piece.front());
    if (kind % 16 == 1) spec.special_tokens.push_back(id);
    if (kind % 16 == 2) spec.stop_tokens.push_back(id);
    if (kind % 16 == 3) spec.padding_tokens.push_back(id);
    spec.tokens.push_back(piece.substr(1));
  }
  spec.n_tokens = spec.tokens.size() + (input.control >> 8 & 63);
  return std::make_shared<TokenSets>(std::make_shared<Vocabulary>(std::move(spec)));
}

}  // namespace
}  // namespace xg2lab::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xg2lab;
  static const std::vector<std::shared_ptr<const Grammar>> grammars = [] {
    std::vector<std::shared_ptr<const Grammar>> made;
    for (const char* text : fuzz::kVocabularyGrammars)
      made.push_back(std::make_shared<const Grammar>(parse_ebnf(text, "root")));
    return made;
  }();
  const fuzz::Input input(data, size);
  fuzz::refused_or([&] {
    const auto compiled = compile(grammars[input.control % grammars.size()], fuzz::tokens_of(input),
                                  fuzz::options_of(input, 16));
    fuzz::Walk(Matcher(compiled, {}), input.control).run(8);
  });
  return 0;
}
