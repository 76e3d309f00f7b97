// The caller part of a mask entry: the states after a rule that a trie walk looked at, recorded so
// that another grammar's rule can be compared with them.
//
// Twin:  xg2lab/reference/pool.py
// Tests: tests/differential/test_pool.py
//
// IDEA
//   The input that may follow a rule is the rest of all its callers, up to the root. Two grammars
//   that share a rule seldom agree on all of that. But a token is short, and a trie walk sees only
//   the part of the callers that some token reaches. A Beyond records the states that the walk
//   visited and, for each state, the facts that the walk used. If the callers in another grammar
//   agree on every recorded fact, a walk there would end with the same entry, so the entry is
//   shared without a walk.
//
// EXAMPLE   string ::= "\"" [a-z]* "\""
//             A: root ::= "[" string "," [0-9] "]"
//             B: root ::= "[" string "," [a-z] "]"
//             C: root ::= "[" string "]"
//           Let no token go further than `",` past the letters of a string. Then A and B agree: in
//           both `,` follows the string, and no walk reads a byte after the comma. C differs: `]`
//           follows the string.
//
// REPRESENTATION
//   A partial copy of the program. States and rules are numbered in the order in which the
//   recording meets them. An edge leads to kUnseen if the walk did not visit its target. A state is
//   *seen* if the walk used its calls and whether it accepts. A state is *read* if the walk also
//   used its terminal edges.
//
// INVARIANTS
//   I1  If matches(program, rule), the renaming of recorded states and rules is a one-to-one map
//       into `program` that preserves every recorded fact. The map takes each column of the
//       recorded walk to the column of a walk in `program`, and dead columns to dead columns.
//
// COST      of(): O(recorded states and edges). matches(): the same, but it stops at the first
//           difference.
// THREADS   immutable after construction.
#pragma once

#include <bitset>
#include <optional>
#include <unordered_map>
#include <vector>

#include "mask/walk/beyond_steps.h"
#include "parse/column_table.h"
#include "program/structure.h"

namespace xg2lab {

class Beyond {
 public:
  // Records what the steps of a walk saw after `rule`. None if more states were seen than a pool
  // keeps.
  static std::optional<Beyond> of(const ColumnTable& table, RuleId rule, const BeyondSteps& steps);

  // True if a walk after `rule` of `program` would see the same.
  bool matches(const Program& program, RuleId rule) const;

  size_t n_states() const { return states_.size(); }
  size_t memory_size_bytes() const;

 private:
  friend class BeyondBuilder;
  friend class BeyondMatcher;

  static constexpr uint32_t kUnseen = UINT32_MAX;
  struct RecordedTerminal {
    ByteRange range;
    uint32_t to;
  };
  struct RecordedCall {
    uint32_t rule;
    uint32_t to;
    bool is_tail;
  };
  struct RecordedState {
    uint32_t rule;
    bool is_accepting;
    bool is_scannable;
    bool was_read;
    std::vector<RecordedTerminal> terminals;  // empty unless the state was read
    std::vector<RecordedCall> calls;
    std::vector<uint32_t> ended;  // member rule: the members that end in this state
  };
  struct RecordedRule {
    uint32_t start;  // kUnseen unless a recorded state calls the rule
    bool is_nullable;
    std::optional<Repetition> repetition;            // of a counted rule
    std::shared_ptr<const AnyOrderFacts> any_order;  // of an any-order rule
    bool has_returned;                               // completed for a caller outside the walk
    std::vector<uint32_t> returns;                   // if has_returned: the return states
  };

  std::vector<RecordedState> states_;
  std::vector<RecordedRule> rules_;  // the first is the rule that the walk starts after
};

// A hash of the return states of `rule`: their terminal edges, the number of their calls, whether
// they accept. Different hashes distinguish most contexts without a comparison.
StructuralHash lookahead_hash(const Program& program, RuleId rule);

}  // namespace xg2lab
