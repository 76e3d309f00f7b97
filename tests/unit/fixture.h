// What the unit tests are made of: programs from EBNF text, vocabularies from lists of strings.
//
// IDEA
//   A program goes through the functions that the compiler calls: the front end, the passes,
//   lowering. A vocabulary is the strings in their order, so that a token's id is its place in the
//   list, and one stop token behind them.
//
// EXAMPLE
//   const auto program = program_of(R"(root ::= "[" item "]"   item ::= [0-9]+)");
//   const auto tokens = tokens_of({"[", "1", "12"});     ids 0, 1, 2, and the stop token 3
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parse/column_table.h"
#include "program/program.h"
#include "vocab/token_sets.h"

namespace xg2lab::unit {

// Whether the passes that only make programs faster run: inlining, fusing, recursion to repetition.
// kAsWritten keeps a rule for each rule of the text.
enum class Rules : uint8_t { kAsWritten, kOptimized };

std::shared_ptr<const Program> program_of(std::string ebnf, Rules rules = Rules::kAsWritten);

// The same with machines that stay nondeterministic: a byte may lead to several states.
std::shared_ptr<const Program> nondeterministic_program_of(std::string ebnf);

// The rule of this name; the test fails if the program has none.
RuleId rule_named(const Program& program, std::string_view name);

// The first counted rule; the test fails if there is none.
RuleId counted_rule(const Program& program);

// The rule's state in which a match of it stands after the bytes of `text`; of deterministic rules.
StateId state_after(const Program& program, RuleId rule, std::string_view text);

std::shared_ptr<const TokenSets> tokens_of(std::vector<std::string> tokens);

// All texts of 1 to `n_most` letters out of `letters`.
std::vector<std::string> words_over(std::string_view letters, size_t n_most);

constexpr size_t kNoLimit = size_t{1} << 40;

// The column after `text`; kDead if no item survives.
ColumnId column_after(ColumnTable& table, ColumnId from, std::string_view text);
inline ColumnId column_after(ColumnTable& table, std::string_view text) {
  return column_after(table, table.start(), text);
}

// The ids whose bits are set, ascending.
std::vector<uint32_t> ids_of(std::span<const uint32_t> words);
// A bitmask of the vocabulary's width with these bits.
std::vector<uint32_t> words_of(const TokenSets& tokens, const std::vector<uint32_t>& ids);

template <class T>
std::vector<T> list(std::span<const T> values) {
  return {values.begin(), values.end()};
}

}  // namespace xg2lab::unit
