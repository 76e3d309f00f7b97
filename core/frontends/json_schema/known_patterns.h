// A process-wide cache of the expressions and languages of patterns.
//
// Tests: tests/json_schema/test_known_patterns.py
//
// IDEA
//   Real schemas repeat patterns within and across schemas: ids, versions, dates, colours. The
//   expressions of a pattern depend on its text alone, so they are made once, as a grammar of one
//   rule, and copied wherever the pattern occurs. The pattern's language is cached too. A machine
//   for several conditions at once (two patterns, a pattern and a length) is cached under the text
//   that names all of them.
//
// COST      a look-up by the text. The cache is limited in number and leaves out large entries: it
//           takes some MB at most.
// THREADS   any.
#pragma once

#include <memory>
#include <string>

#include "automata/code_point_dfa.h"
#include "grammar/grammar.h"
#include "languages/regex/parser.h"

namespace xg2lab::json_schema {

// A grammar of one rule: the content of a JSON string that contains a match of the pattern.
// `report` receives the mistakes of the pattern.
std::shared_ptr<const Grammar> grammar_of_pattern(const std::string& pattern,
                                                  const regex::Report& report);

// The strings that contain a match of the pattern. Throws Error if it is invalid or needs too large
// a machine.
std::shared_ptr<const CodePointDfa> language_of_pattern(const std::string& pattern);

// The cached machine of these words, if there is one.
std::shared_ptr<const Machine> known_machine(const std::string& words);
void keep_machine(const std::shared_ptr<const Machine>& machine);

}  // namespace xg2lab::json_schema
