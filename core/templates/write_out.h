// Writes a template out: the ordinary grammar that it means with these arguments.
//
// Twin:  xg2lab/reference/template.py
// Tests: tests/core/test_template.py, tests/differential/test_template.py
//
// IDEA
//   This is the definition of a template's meaning: whatever runs an instance must agree with the
//   grammar that is written here. A rule that leads to no hole is copied once. Of any other rule
//   there is a copy for each mapping that it is read with: the request's mapping, and a mapping for
//   each element of a list. The copy's holes are replaced by what the mapping holds.
//
// EXAMPLE   root ::= Each($xs, row, ",")   row ::= "<" $id ">"      xs = [{id: a}, {id: b}]
//           root ::= row.xs.0 "," row.xs.1
//           row.xs.0 ::= "<" "a" ">"       row.xs.1 ::= "<" "b" ">"
//
// Spans are those of the template, so messages quote its text.
//
// COST      linear in the grammar that is written.
#pragma once

#include "grammar/template.h"
#include "templates/arguments.h"

namespace xg2lab::templates {

// Either the grammar, or all mistakes in the arguments.
struct WrittenOut {
  std::optional<Grammar> grammar;
  std::vector<ArgumentIssue> issues;
};

// Of a template with a spelling, the arguments' texts have their tokens.
WrittenOut write_out(const Template& of, const std::vector<Scope>& scopes,
                     const Argument& arguments, const ArgumentLimits& limits = {});

}  // namespace xg2lab::templates
