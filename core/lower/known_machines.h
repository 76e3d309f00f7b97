// A process-wide cache of machines for rule bodies that many grammars share.
//
// Tests: tests/core/test_known_machines.py
//
// IDEA
//   Many schemas contain the same bodies (strings, numbers, white space, `any` of a JSON Schema)
//   under other rule names and at other source spans. The machine of a body depends on its shape
//   alone: its expressions, and which of its calls are to the same rule. The shape is therefore
//   written as a list of numbers, with expressions and rules numbered in order of occurrence. A
//   machine cached under an equal list fits the new body once its expression and rule numbers are
//   replaced by those of the body.
//   Most large bodies occur only once, so a large shape is cached at its second occurrence. A small
//   shape is cached at once, since several members of one object may share it, and so is a body
//   that is expected again: the beginnings of a structural tag's tags, which are in each program of
//   contents on demand.
//
//   This cache is to machines what the cross-grammar cache (XGrammar 2, section 3.3) is to mask
//   entries.
//
// EXAMPLE   x ::= "a" y | "b" y   and   p ::= "a" q | "b" q have one shape;   x ::= "a" y | "b" z
//           has another.
//
// INVARIANTS
//   I1  the machines of two bodies of equal shape differ only in origins and rules, and these
//       correspond by number
//   I2  rules are numbered in ascending order: edges sorted by rule stay sorted
//
// COST      BodyShapes::of: linear in the body. find: linear in the machine. Bodies that are too
//           large are not cached; once the cache exceeds kMostBytes, it is cleared.
// THREADS   any. A thread that finds the cache in use continues without it, so a fork at such a
//           moment leaves no lock held.
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
  // `rule_of`: the rule that an expression calls, if the expression is a call.
  using RuleOf = std::function<std::optional<RuleId>(ExprId)>;

  // `expects_again`: the grammar's bodies, also large ones, are expected to occur again.
  BodyShapes(const Grammar& grammar, bool expects_again);

  // The shape of a sequence of parts and of the construction applied to them (`how`). Null: too
  // large, or a tag dispatch. Valid until the next call.
  const BodyShape* of(std::span<const ExprId> parts, uint32_t how, const RuleOf& rule_of);

 private:
  struct Number {
    uint32_t body = 0;  // the body that it was assigned in, counted from 1
    uint32_t number = 0;
  };
  bool add(ExprId id, const RuleOf& rule_of);
  bool add_text(std::string_view text);
  bool add_machine(const FrozenFsm& fsm);

  const Grammar& grammar_;
  const size_t most_words_;
  std::vector<Number> numbers_;  // index: ExprId
  uint32_t n_bodies_ = 0;
  BodyShape shape_;
  std::vector<std::pair<size_t, RuleId>> calls_;  // index into words, and the rule called there
};

// A machine that several bodies may share: its edges refer to origins and rules by number.
// at_hand() translates one edge, so the machine need not be copied.
struct SharedMachine {
  std::shared_ptr<const FrozenFsm> fsm;
  // by number; empty: the edges already hold this grammar's origins
  std::vector<OriginSetId> origins;
  std::vector<RuleId> rules;     // by number; empty: the edges already hold this grammar's rules
  size_t n_thompson_states = 0;  // of the Thompson machine that it was made from
  // calls rules made for choices, which the shape doesn't contain: not shareable
  bool calls_choices = false;

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
  // `made` holds the origins and rules of its own grammar. `expects_again`: as for BodyShapes.
  void offer(const BodyShape& shape, const SharedMachine& made, const OriginSets& origins,
             bool expects_again);

 private:
  static constexpr size_t kMostBytes = size_t{16} << 20;

  struct StoredMachine {
    std::vector<uint32_t> words;
    FrozenFsm fsm;           // origins are numbers of sets, rules numbers of callees
    RaggedRows origin_sets;  // rows of expression numbers
    size_t n_thompson_states;
  };

  std::mutex mutex_;
  std::unordered_multimap<uint64_t, std::shared_ptr<const StoredMachine>> known_;
  std::array<uint64_t, 4096> met_once_{};  // hash table of hashes; a later one overwrites
  size_t n_bytes_ = 0;
};

}  // namespace xg2lab
