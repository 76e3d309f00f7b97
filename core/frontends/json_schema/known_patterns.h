// What the patterns of schemas stand for, known from one place and one schema to the next.
//
// Tests: tests/json_schema/test_known_patterns.py
//
// IDEA
//   Real schemas repeat themselves and each other: ids, versions, dates, colours. A pattern's expressions depend on its text
//   alone, so they are made once, as a grammar of one rule, and copied wherever the pattern stands; so is its language, where somebody
//   asks for it, and the machine of several conditions that meet, whose words say all of it.
//
// COST      a look-up by the text. Kept are so many, and none that is large: some MB at most.   THREADS   any.
#pragma once

#include <memory>
#include <string>

#include "automata/code_point_dfa.h"
#include "grammar/grammar.h"
#include "languages/regex/parser.h"

namespace xg2lab::json_schema {

// A grammar of one rule: the inside of a JSON string in which the pattern is found. `report` is told of what is wrong with it.
std::shared_ptr<const Grammar> grammar_of_pattern(const std::string& pattern,
                                                  const regex::Report& report);

// The strings in which the pattern is found. Throws Error if it is none, or needs too large a machine.
std::shared_ptr<const CodePointDfa> language_of_pattern(const std::string& pattern);

// The machine of these words, if it is known.
std::shared_ptr<const Machine> known_machine(const std::string& words);
void keep_machine(const std::shared_ptr<const Machine>& machine);

}  // namespace xg2lab::json_schema
