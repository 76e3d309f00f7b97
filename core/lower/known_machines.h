// Machines of bodies that many grammars have, remembered for all of a process.
//
// Tests: tests/core/test_known_machines.py
//
// IDEA
//   Strings, numbers, white space, `any` of a JSON Schema: each new schema brings them again, under other names and at other
//   places. The machine of a body depends on its shape alone: on its expressions and on which of its calls are the same. So the
//   shape is written down as numbers, with expressions and rules numbered as they come, and a machine under the same numbers is a
//   machine for all bodies of that shape: it is copied, and its numbers are replaced by the expressions and rules at hand.
//   Most large bodies are met once. So a large shape is remembered the second time, a small one at once: of an object's members
//   several may have it.
//
//   What the cross-grammar cache is for mask entries (XGrammar 2 section 3.3) this is for machines, one step earlier.
//
// EXAMPLE   x ::= "a" y | "b" y   and   p ::= "a" q | "b" q have one shape;   x ::= "a" y | "b" z has another.
//
// INVARIANTS
//   I1  two bodies of equal shape have machines that differ in origins and rules only, in the order of their numbers
//   I2  rules are numbered in their order: what is sorted by rule stays sorted
//
// COST      BodyShapes::of: the body's size. find: that of the machine. Bodies of more than kMostWords are left out, and when
//           kMostBytes are used up, all is forgotten.
// THREADS   any; a thread that finds another at it goes on without, so a fork at such a time leaves nothing locked.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "automata/fsm.h"
#include "grammar/grammar.h"
#include "support/ragged_rows.h"

namespace xg2lab {

struct BodyShape {
  std::vector<uint32_t> words;
  std::vector<ExprId> exprs;    // by number
  std::vector<RuleId> callees;  // by number: ascending
  uint64_t hash = 0;            // of the words
};

// The shapes of one grammar's bodies.
class BodyShapes {
 public:
  // `rule_of`: the rule that an expression is a call of, if it is one.
  using RuleOf = std::function<std::optional<RuleId>(ExprId)>;

  explicit BodyShapes(const Grammar& grammar) : grammar_(grammar), numbers_(grammar.n_exprs()) {}

  // Of parts that follow each other, and of what is made of them (`how`). Null: too large, or a dispatch. Valid until the next.
  const BodyShape* of(std::span<const ExprId> parts, uint32_t how, const RuleOf& rule_of);

 private:
  struct Number {
    uint32_t body = 0;  // that it was given for, counted from 1
    uint32_t number = 0;
  };
  bool add(ExprId id, const RuleOf& rule_of);
  bool add_text(std::string_view text);
  bool add_machine(const FrozenFsm& fsm);

  const Grammar& grammar_;
  std::vector<Number> numbers_;  // index: ExprId
  uint32_t n_bodies_ = 0;
  BodyShape shape_;
  std::vector<std::pair<size_t, RuleId>> calls_;  // places in words
};

// A machine that other bodies may have too: its edges say origins and rules by number. Read by at_hand(), it needs no copy.
struct SharedMachine {
  std::shared_ptr<const FrozenFsm> fsm;
  std::vector<OriginSetId> origins;  // by number; empty: the edges have origins of this grammar
  std::vector<RuleId> rules;         // likewise
  size_t n_thompson_states = 0;      // it took to make it
  bool calls_choices = false;        // rules that the shape doesn't name: for this grammar alone

  TerminalEdge at_hand(TerminalEdge edge) const {
    if (!origins.empty()) edge.origins = origins[edge.origins.index()];
    return edge;
  }
  RuleEdge at_hand(RuleEdge edge) const {
    if (!origins.empty()) edge.origins = origins[edge.origins.index()];
    if (!rules.empty()) edge.rule = rules[edge.rule.index()];
    return edge;
  }
  FrozenFsm copied() const;
};

class KnownMachines {
 public:
  static KnownMachines& shared();

  std::optional<SharedMachine> find(const BodyShape& shape, OriginSets& origins);
  // `made` has origins and rules of its grammar.
  void offer(const BodyShape& shape, const SharedMachine& made, const OriginSets& origins);

 private:
  static constexpr size_t kMostBytes = size_t{16} << 20;

  struct Known {
    std::vector<uint32_t> words;
    FrozenFsm fsm;           // its origins are numbers of sets, its rules numbers of callees
    RaggedRows origin_sets;  // numbers of expressions
    size_t n_thompson_states;
  };

  std::mutex mutex_;
  std::unordered_multimap<uint64_t, std::shared_ptr<const Known>> known_;
  std::array<uint64_t, 4096> met_once_{};  // hashes, each at one place; a later one takes it
  size_t n_bytes_ = 0;
};

}  // namespace xg2lab
