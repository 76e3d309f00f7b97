// The thresholds by which masks are made in one way or another: each with its unit and its reason.
//
// Tests: tests/core/test_plan.py
//
// None of these numbers changes a mask. A number says where one way begins to cost more than
// another; figures stand in docs/design/0017-cold-masks.md.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xg2lab {

struct MaskCosts {
  // ---- A column's mask (plan.h) ----

  // Entries that are missing: one walk from the column costs less than as many walks for states.
  size_t least_missing_for_walk = 5;
  // Uncertain tokens of the entries: to check so many costs as much as a walk.
  size_t most_uncertain = 8'192;
  // Return states of a counted rule: each count is a column of all that may follow the rule, 60 us
  // each at 2,500.
  size_t most_counted_callers = 2'500;
  // Columns that one walk makes: a walk for a schema makes tens, seldom hundreds; one of a machine
  // that stayed nondeterministic makes ten thousand, and the walk from the next column would make
  // as many again.
  size_t most_new_columns = 4'096;

  // ---- An entry (classify.h) ----

  // Return states of a rule of free text: each column beyond the text takes some 10 us to make, and
  // what outlives the text is little. From so many on the entry leaves those tokens to its
  // contexts.
  size_t least_text_callers = 384;

  // ---- Text (home.h, text_chain.h) ----

  // Characters that lead back to a column: fewer save a walk nothing.
  size_t least_home_characters = 16;
  // A home for entries: one in so many nodes of the trie may lead elsewhere.
  size_t nodes_an_exit_of_home = 4;
  // Few exits: one in so many. Then the ways out of the text are found once for all homes with that
  // text.
  size_t nodes_a_few_exits = 8;
  // A chain: one in so many. A chain's exits are walked from each of its links.
  size_t nodes_an_exit_of_chain = 32;
  // A walk beside a home may enter one in so many of the trie's nodes, or this many: past them the
  // plain walk is faster.
  size_t nodes_beside = 16;
  size_t least_nodes_beside = 1'024;
  // Nodes at which a rule was left, from which on a home is looked for: finding one takes some 400
  // steps.
  size_t least_left_for_home = 32;
  // Calls of the walk within itself: tokens that leave text and come back to it, each a frame of
  // the stack.
  int most_nested_walks = 16;
  // Homes that one walk in a context looks for: each takes some hundred steps.
  size_t most_homes_in_context = 8;

  // ---- Walks that contexts share (row_walk.h) ----

  // Look-ups for one mask: of an ambiguous text more are needed than a walk of the trie enters
  // nodes.
  size_t most_shared_steps = 20'000;
  // Nodes of a subtree from which on its walk is kept: a smaller one costs less than to find it
  // again.
  uint32_t least_kept_nodes = 64;

  // ---- The pool (mask_store.h) ----

  // A state is named by the edges of its rule and of the rules that it calls. The name may have so
  // many edges, or one for so many of the nodes that the state's first bytes lead to: a longer name
  // costs more than the walk.
  size_t least_name_edges = 128;
  size_t nodes_a_name_edge = 16;
  // States of a program: naming passes over all of them.
  size_t most_named_states = 100'000;
  // A walk that enters less than one in so many of the trie's nodes costs less than to keep what it
  // found.
  size_t nodes_a_short_walk = 1'024;
};

}  // namespace xg2lab
