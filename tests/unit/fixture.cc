#include "unit/fixture.h"

#include <utility>

#include "frontends/ebnf/parser.h"
#include "lower/lower.h"
#include "passes/pipeline.h"
#include "support/bits.h"

namespace xg2lab::unit {

namespace {

std::shared_ptr<const Program> lowered(std::string ebnf, Rules rules, const LowerOptions& options) {
  PassOptions passes;
  passes.inlining = passes.fuse_literals = passes.right_recursion_to_repeat =
      rules == Rules::kOptimized;
  const Grammar grammar = run_passes(parse_ebnf(std::move(ebnf), "root"), passes);
  return std::make_shared<const Program>(lower(grammar, options));
}

}  // namespace

std::shared_ptr<const Program> program_of(std::string ebnf, Rules rules) {
  return lowered(std::move(ebnf), rules, {});
}

std::shared_ptr<const Program> nondeterministic_program_of(std::string ebnf) {
  LowerOptions options;
  options.determinize = options.minimize = false;
  return lowered(std::move(ebnf), Rules::kAsWritten, options);
}

RuleId rule_named(const Program& program, std::string_view name) {
  for (size_t r = 0; r < program.n_rules(); ++r) {
    if (program.rule(RuleId(r)).name == name) return RuleId(r);
  }
  FAIL("the program has no rule named " << std::string(name));
  return {};
}

RuleId counted_rule(const Program& program) {
  for (size_t r = 0; r < program.n_rules(); ++r) {
    if (program.rule(RuleId(r)).repetition.has_value()) return RuleId(r);
  }
  FAIL("the program has no counted rule");
  return {};
}

StateId state_after(const Program& program, RuleId rule, std::string_view text) {
  StateId state = program.rule(rule).start();
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    bool is_read = false;
    for (const TerminalEdge& edge : program.terminals(state)) {
      if (!edge.range.contains(byte)) continue;
      state = edge.to;
      is_read = true;
      break;
    }
    REQUIRE(is_read);
  }
  return state;
}

std::shared_ptr<const TokenSets> tokens_of(std::vector<std::string> tokens) {
  VocabularySpec spec;
  spec.tokens = std::move(tokens);
  spec.stop_tokens.push_back(TokenId(spec.tokens.size()));
  spec.tokens.emplace_back("</s>");
  spec.n_tokens = spec.tokens.size();
  return std::make_shared<const TokenSets>(std::make_shared<const Vocabulary>(std::move(spec)));
}

std::vector<std::string> words_over(std::string_view letters, size_t n_most) {
  std::vector<std::string> words{""};
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].size() == n_most) break;
    for (const char letter : letters) words.push_back(words[i] + letter);
  }
  words.erase(words.begin());
  return words;
}

ColumnId column_after(ColumnTable& table, ColumnId from, std::string_view text) {
  for (const char byte : text) from = table.step(from, static_cast<uint8_t>(byte));
  return from;
}

std::vector<uint32_t> ids_of(std::span<const uint32_t> words) {
  std::vector<uint32_t> ids;
  for_each_one(words, [&](size_t id) { ids.push_back(static_cast<uint32_t>(id)); });
  return ids;
}

std::vector<uint32_t> words_of(const TokenSets& tokens, const std::vector<uint32_t>& ids) {
  std::vector<uint32_t> words(tokens.n_words, 0);
  for (const uint32_t id : ids) set_bit(words, id);
  return words;
}

}  // namespace xg2lab::unit
