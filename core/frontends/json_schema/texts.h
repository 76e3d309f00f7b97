// Strings as expressions: what a string case allows, between its quotes, in the spellings of JSON.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   What is simple is written simply: a single pattern by the regular-expression front end, a length as a repetition of characters,
//   values as literals. Where several conditions meet, they become one machine.
//
//   Machines are spelled with every escape that JSON has. Values (enum, const) and names of properties are spelled as a
//   serializer writes them: an ASCII character has one spelling, others also \uXXXX. So a model is not asked to choose
//   between "a" and "\u0061", and what is forced is seen to be forced.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "automata/code_points_to_bytes.h"
#include "frontends/json_schema/algebra.h"
#include "frontends/json_schema/stretches.h"
#include "grammar/grammar.h"

namespace xg2lab::json_schema {

class Texts {
 public:
  Texts(GrammarBuilder& builder, Conditions& conditions, Coverage& coverage)
      : builder_(builder), conditions_(conditions), coverage_(coverage) {}

  // With the quotes.
  ExprId string(const StringCase& c, SourceSpan span);
  ExprId value(std::string_view text, SourceSpan span);
  // A string of the language; `words`: a pattern that matches the same as a whole. kJsonName: for names.
  ExprId of_language(const CodePointDfa& language, std::string_view words, Spelling spelling,
                     SourceSpan span, JsonId origin);
  // A string that the machine accepts between its quotes, which is not empty and as the macro call says.
  ExprId of_machine(FrozenFsm fsm, std::string macro, SourceSpan span);
  // The same where such a machine stands elsewhere in the schema.
  std::optional<ExprId> known(const std::string& macro, SourceSpan span);

  // A value in every spelling.
  ExprId any_spelling(std::string_view text, SourceSpan span);
  // The values of a case without values; nothing: more than `most`, or it isn't seen how many.
  std::optional<std::vector<std::string>> few_values(const StringCase& c, size_t most);

  // The language of a case, and a pattern for it. Nothing, and a finding, if it is too large.
  MaybeDfa language(const StringCase& c, JsonId origin);
  std::string words(const StringCase& c) const;

 private:
  StringCase without_implied_lengths(const StringCase& c);
  ExprId string_of_length(const StringCase& c, SourceSpan span);
  ExprId quoted(ExprId content, SourceSpan span);
  ExprId character();
  ExprId condition(ConditionId id, SourceSpan span);
  // The language of a case but for its length.
  MaybeDfa language_of_any_length(const StringCase& c);
  MaybeDfa with_length(MaybeDfa language, const StringCase& c, JsonId origin);
  ExprId of_stretches(const std::vector<Path>& paths, SourceSpan span);

  GrammarBuilder& builder_;
  Conditions& conditions_;
  Coverage& coverage_;
  std::map<std::string, std::shared_ptr<const Machine>> characters_;  // of a class, by its words
  std::unordered_map<std::string, std::shared_ptr<const Machine>> machines_;  // by all their words
  std::shared_ptr<const Machine> character_;
};

// The macro call that stands for the machine of a pattern.
std::string macro_words(std::string_view pattern, Spelling spelling);
// A text as a pattern that matches it.
std::string escaped_pattern(std::string_view text);

}  // namespace xg2lab::json_schema
