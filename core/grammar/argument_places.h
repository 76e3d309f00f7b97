// The places of a template's arguments in the grammar that was written out for them.
//
// Tests: tests/core/test_operators.py
//
// IDEA
//   A grammar that was written out from a template (templates/write_out.h) has the template's
//   spans, so several of its rules share one place of the text. The rule's name distinguishes them:
//   a rule is written for one mapping of arguments. So a rule's name and a span name the argument
//   that an expression was made from, also after passes that keep both.
//
// EXAMPLE   row ::= "<" $id ">" with xs = [{id: a}]: the rule row.xs.0 belongs to the element
//           /xs/0, and its expression with the span of `$id` was made from /xs/0/id.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "support/source.h"

namespace xg2lab {

struct FilledHole {
  SourceSpan span;
  std::string slot;     // without `$`
  std::string pointer;  // a JSON Pointer to the argument
};

struct ArgumentPlaces {
  struct OfRule {
    std::string element;  // a JSON Pointer to the mapping of the rule; empty: the request's
    std::vector<FilledHole> holes;

    // The hole of an expression with this span; null: the expression is the template's own text.
    const FilledHole* hole_at(SourceSpan span) const {
      const auto found = std::ranges::find(holes, span, &FilledHole::span);
      return found == holes.end() ? nullptr : &*found;
    }
  };
  std::map<std::string, OfRule, std::less<>> rules;  // by name

  const OfRule* of(const std::string& rule) const {
    const auto found = rules.find(rule);
    return found == rules.end() ? nullptr : &found->second;
  }
};

}  // namespace xg2lab
