// The slots of a template, by the mapping that has to fill them.
//
// Tests: tests/core/test_template.py
//
// IDEA
//   A *scope* is what one mapping of arguments fills: the request, or an element of a list that an
//   Each reads. It has the slots of all rules that are reached from its first rule without passing
//   another Each. All elements that Each hole reads for one rule are one scope, so a rule that
//   calls itself in an Each, as sections in sections do, needs no more scopes.
//
// EXAMPLE   root ::= $title Each($xs, row)    row ::= $id Each($rows, row) $$title
//           the request: title (text), xs (mappings for row); row: id (text), rows (mappings for
//           row)
//
// COST      linear in the template for each scope.
#pragma once

#include <string>
#include <vector>

#include "grammar/template.h"
#include "support/findings.h"

namespace xg2lab::templates {

struct SlotFacts {
  std::string name;
  HoleKind kind = HoleKind::kText;  // of every number kRepeat
  std::vector<SourceSpan> uses;
  std::vector<size_t> elements;  // kEach: the scopes of its mappings, ascending
  bool is_spelled = false;       // some hole takes the slot's texts in their tokens
};

struct Scope {
  RuleId rule;                   // its first rule
  std::vector<SlotFacts> slots;  // by name

  const SlotFacts* find(const std::string& name) const;
};

// A template with its scopes.
struct ScopedTemplate {
  Template of;
  std::vector<Scope> scopes;
};

// Scope 0 is the request's. A slot that is used as two kinds is reported.
std::vector<Scope> find_scopes(const Template& of, Findings& findings);

}  // namespace xg2lab::templates
