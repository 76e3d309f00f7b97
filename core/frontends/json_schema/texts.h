// Strings as expressions: the texts of a string case, between quotes, in JSON's spellings.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   Simple cases are written directly: a single pattern by the regular-expression front end, a
//   length as a repetition of characters, values as literals. Several combined conditions become
//   one machine.
//
//   Machines accept every escape that JSON has. Values (enum, const) and names of properties are
//   spelled as a serializer writes them: an ASCII character has a single spelling, others also
//   \uXXXX. So a model doesn't choose between "a" and "\u0061", and forced text is recognized as
//   forced.
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

  // Includes the quotes.
  ExprId string(const StringCase& c, SourceSpan span);
  ExprId value(std::string_view text, SourceSpan span);
  // A string of the language; `words`: an equivalent pattern for the whole text. kJsonName: for
  // names.
  ExprId of_language(const CodePointDfa& language, std::string_view words, Spelling spelling,
                     SourceSpan span, JsonId origin);
  // A string whose content the machine accepts. The machine must not be empty and must equal its
  // macro call.
  ExprId of_machine(FrozenFsm fsm, std::string macro, SourceSpan span);
  // The expression of such a machine if the schema has one already.
  std::optional<ExprId> known(const std::string& macro, SourceSpan span);

  // A value in every spelling.
  ExprId any_spelling(std::string_view text, SourceSpan span);
  // The texts of a case without `values`; nothing if there are more than `most`, or if that can't
  // be excluded.
  std::optional<std::vector<std::string>> few_values(const StringCase& c, size_t most);

  // The language of a case, and a pattern for it. Reports a language that is too large and returns
  // nothing.
  MaybeDfa language(const StringCase& c, JsonId origin);
  std::string words(const StringCase& c) const;

 private:
  StringCase without_implied_lengths(const StringCase& c);
  ExprId string_of_length(const StringCase& c, SourceSpan span);
  ExprId quoted(ExprId content, SourceSpan span);
  ExprId character();
  ExprId condition(ConditionId id, SourceSpan span);
  // The language of a case without its bounds on length.
  MaybeDfa language_of_any_length(const StringCase& c);
  MaybeDfa with_length(MaybeDfa language, const StringCase& c, JsonId origin);
  ExprId of_stretches(const std::vector<Path>& paths, SourceSpan span);

  GrammarBuilder& builder_;
  Conditions& conditions_;
  Coverage& coverage_;
  std::map<std::string, std::shared_ptr<const Machine>> characters_;  // of a class, by its pattern
  std::unordered_map<std::string, std::shared_ptr<const Machine>> machines_;  // by all their words
  std::shared_ptr<const Machine> character_;
};

// The macro call that denotes the machine of a pattern.
std::string macro_words(std::string_view pattern, Spelling spelling);
// A pattern that matches exactly this text.
std::string escaped_pattern(std::string_view text);

}  // namespace xg2lab::json_schema
