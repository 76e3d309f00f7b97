// What a walk of the vocabulary saw of a rule's callers, written down so that another grammar can
// be held against it.
//
// Tests: tests/differential/test_pool.py
//
// IDEA
//   What may follow a rule is the rest of all its callers, up to the root: two grammars that share
//   a rule hardly ever agree on all of that. But tokens are short, and see little of it. So the
//   states that the walk looked at are noted, each with what was asked of it; where a walk of
//   another grammar would ask the same questions and get the same answers, it would come to the
//   same end, and need not be made.
//
// EXAMPLE   string ::= "\"" [a-z]* "\"", once in  root ::= "[" string "," string "]"  and once in
//           root ::= "[" string "," string "," string "]", with no token longer than `",` beyond
//           its string: the last string's callers differ from the first's within a token's sight;
//           those of the first agree with each other, and of what comes after the comma nothing was
//           seen.
//
// REPRESENTATION
//   A partial copy of the program: states and rules numbered as they were met, edges whose target
//   was not looked at lead to kUnseen. A state may be seen (is it accepting, whom does it call?)
//   and read (its bytes).
//
// INVARIANTS
//   I1  matches(program, rule): renaming what was seen is a one-to-one map into `program` that
//       keeps all that was asked, so that columns of the one walk go over into columns of the other, dead
//       ones into dead ones
//
// COST      of(): O(what was seen). matches(): the same, but it ends at the first difference.
// THREADS   immutable once made.
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
  // What the steps saw after `rule`. None if that is too much to keep.
  static std::optional<Beyond> of(const ColumnTable& table, RuleId rule, const BeyondSteps& steps);

  // Whether a walk beyond `rule` of `program` would see the same.
  bool matches(const Program& program, RuleId rule) const;

  size_t n_states() const { return states_.size(); }
  size_t memory_size_bytes() const;

 private:
  friend class BeyondBuilder;
  friend class BeyondMatcher;

  static constexpr uint32_t kUnseen = UINT32_MAX;
  struct Terminal {
    ByteRange range;
    uint32_t to;
  };
  struct Call {
    uint32_t rule;
    uint32_t to;
    bool is_tail;
  };
  struct State {
    uint32_t rule;
    bool is_accepting;
    bool is_scannable;
    bool was_read;
    std::vector<Terminal> terminals;  // if it was read
    std::vector<Call> calls;
    std::vector<uint32_t> ended;  // of a member rule: the members
  };
  struct Rule {
    uint32_t start;  // kUnseen unless it was called
    bool is_nullable;
    std::optional<Repetition> repetition;            // of a counted rule
    std::shared_ptr<const AnyOrderFacts> any_order;  // of an any-order rule
    bool has_returned;                               // to callers that the walk did not come from
    std::vector<uint32_t> returns;                   // then: where to
  };

  std::vector<State> states_;
  std::vector<Rule> rules_;  // the first is the one that the walk went beyond
};

// A hash of the first that can be seen beyond a rule: tells most contexts apart without a
// comparison.
StructuralHash lookahead_hash(const Program& program, RuleId rule);

}  // namespace xg2lab
