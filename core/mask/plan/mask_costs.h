// The thresholds of the plan and of the walks: each with its unit and its reason.
//
// Tests: tests/core/test_plan.py, tests/differential/test_mask_costs.py
//
// No threshold changes a mask. A threshold is the point at which one way begins to cost more than
// another; docs/design/0017-cold-masks.md has the measurements.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xg2lab {

struct MaskCosts {
  // ---- A column's mask (plan.h) ----

  // Missing entries: one walk from the column costs less than this many walks for states.
  size_t least_missing_for_walk = 5;
  // Uncertain tokens of the entries: checking more of them costs more than a walk.
  size_t most_uncertain = 8'192;
  // Return states of a counted rule. Each count needs a column of everything that may follow the
  // rule, which takes 60 us to make at 2,500 return states.
  size_t most_counted_callers = 2'500;
  // New columns of one walk. A walk for a schema makes tens, seldom hundreds. A walk for a machine
  // that stayed nondeterministic makes ten thousand, and the walk from the next column would make
  // as many again.
  size_t most_new_columns = 4'096;

  // ---- An entry (classify.h) ----

  // Return states of a rule of free text. A column after the text takes some 10 us to make, and few
  // tokens continue after the text. If the rule has this many return states, the entry leaves those
  // tokens uncertain.
  size_t least_text_callers = 384;

  // ---- Text (home.h, text_chain.h) ----

  // Characters that lead back to a column: with fewer, a loop column saves a walk nothing.
  size_t least_home_characters = 16;
  // A loop column (home) serves entries if at most one trie node in this many leads elsewhere.
  size_t nodes_an_exit_of_home = 4;
  // The text has few exits if at most one trie node in this many leads elsewhere. Then the exits
  // are found once for all loop columns with this text.
  size_t nodes_a_few_exits = 8;
  // A chain serves if at most one trie node in this many leads elsewhere: the exits of a chain are
  // walked from each of its columns.
  size_t nodes_an_exit_of_chain = 32;
  // A walk beside a loop column may enter one trie node in `nodes_beside`, or `least_nodes_beside`
  // nodes if that is more. With more nodes the plain walk is faster.
  size_t nodes_beside = 16;
  size_t least_nodes_beside = 1'024;
  // Nodes at which a rule ended within a token: from this many on a loop column is searched for.
  // The search takes some 400 steps.
  size_t least_left_for_home = 32;
  // Recursion depth of a walk: each token that leaves text and returns to text adds a stack frame.
  int most_nested_walks = 16;
  // Loop columns that one walk from a column searches for; each search takes some hundred steps.
  size_t most_homes_in_context = 8;

  // ---- Walks that contexts share (row_walk.h) ----

  // Look-ups for one mask. An ambiguous text needs more look-ups than a trie walk enters nodes.
  size_t most_shared_steps = 20'000;
  // Nodes of a subtree: the walk of a subtree is kept from this size on. Repeating a smaller walk
  // costs less than its look-up.
  uint32_t least_kept_nodes = 64;

  // ---- The pool (mask_store.h) ----

  // A state is named by the edges of its rule and of all rules that the rule calls. A name may have
  // `least_name_edges` edges, or one for each `nodes_a_name_edge` trie nodes below the state's
  // first bytes if that is more. Naming with more edges costs more than the walk.
  size_t least_name_edges = 128;
  size_t nodes_a_name_edge = 16;
  // States of a program: naming takes a pass over all of them.
  size_t most_named_states = 100'000;
  // If a walk enters less than one trie node in this many, repeating the walk costs less than
  // keeping its result.
  size_t nodes_a_short_walk = 1'024;
};

}  // namespace xg2lab
