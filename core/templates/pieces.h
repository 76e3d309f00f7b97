// Splits the rules of a template that lead to holes into pieces, so that what is known beforehand
// is compiled once.
//
// Tests: tests/core/test_compiled_template.py
//
// IDEA
//   A rule with holes is a sequence of known parts and holes. Each run of known parts becomes a
//   rule of its own, a *piece*. All instances, and all elements of a list, call the same piece, so
//   they share its machine and its mask entries. What is left of the rule is short: calls of
//   pieces, and holes. The linker writes that rest once for each mapping of arguments
//   (linking/link.h).
//
// EXAMPLE   row ::= "<row id=\"" $id "\">" [^<]* "</row>"
//           row ::= $5 $4 $6     $5 ::= "<row id=\""     $6 ::= "\">" [^<]* "</row>"
//
//   The rule of a hole gets a placeholder as its body: some text, or one of the hole's rules. So
//   each rule that the hole may call is reachable, and the hole matches something, as it does in
//   an instance. Holes, their rules and pieces are marked is_linked (grammar/rule_options.h).
//
//   Lookaheads are left out: they restrict nothing, and are checked on written-out grammars.
#pragma once

#include "grammar/template.h"

namespace xg2lab::templates {

Grammar with_pieces(const Template& of);

// The template's grammar with placeholders for holes, and lookaheads left out. It matches something
// wherever some instance does: what it shows to be unused or impossible is so in all instances.
Grammar with_placeholders(const Template& of);

}  // namespace xg2lab::templates
