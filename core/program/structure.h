// Structural hashing (XGrammar 2, section 3.3): compares rules regardless of rule names and state
// numbers, so that grammars can share results computed for one of them.
//
// Twin:  xg2lab/reference/structure.py
// Tests: tests/differential/test_structure.py, tests/differential/test_pool.py
//
// IDEA
//   A rule's machine is minimal and deterministic, so a breadth-first walk over its sorted edges
//   numbers its states in exactly one way. The list of what the walk meets (accepting or not,
//   ranges, numbers of targets, and the structures of called rules) is the rule's *encoding*; the
//   hash of the encoding is the *structural hash*. There are three cases:
//
//     no recursion     the called rules are hashed first (Algorithm 1)
//     simple cycle     each rule calls one other rule of the cycle. That call is replaced by a
//                      mark; then the marked hashes are combined around the cycle, starting from
//                      each rule in turn (Algorithm 2)
//     other recursion  colour refinement (Weisfeiler and Lehman): in each round a state's colour is
//                      hashed from the colours of its edges' targets in the round before; a rule
//                      has the colour of its start
//
//   Hashes only order edges and find candidates. Equality is decided on encodings: a table interns
//   them, and two rules have the same structure if and only if they have the same (component
//   pointer, place).
//
// EXAMPLE   In  a ::= "x" a | d; d ::= [0-9]  and  r ::= n | "x" r; n ::= [0-9]  the rules a and r
//           are equal, and so are d and n.  In  a ::= "x" a | d; d ::= [0-8]  no rule equals any of
//           these.
//
// INVARIANTS
//   I1  equal (component, place): the machines are isomorphic, and so are those of all rules they
//       call
//   I2  a component is strongly connected, and its encoding refers to the components that it calls
//       by interned pointers
//
// COST once for each requested component: linear in its edges, times at most 16 rounds if its
//           recursion is not a simple cycle. Equal structures may be missed if machines are
//           nondeterministic or if the rounds don't separate two rules; unequal structures never
//           compare equal.
// THREADS   StructureTable: any thread. ProgramStructure: one at a time.
// SEE ALSO  XGrammar 2 section 3.3, appendix A; Helbling 2020, "Directed graph hashing".
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "program/program.h"

namespace xg2lab {

struct StructuralHash {
  uint64_t value = 0;
  friend constexpr auto operator<=>(StructuralHash, StructuralHash) = default;
};

// The encoding of one strongly connected component: rules that call each other, or one rule alone.
struct Structure {
  std::vector<uint32_t> words;
  std::vector<std::shared_ptr<const Structure>> references;  // `words` refers to these by index

  size_t memory_size_bytes() const {
    return sizeof(Structure) + words.capacity() * sizeof(uint32_t) +
           references.capacity() * sizeof(references[0]);
  }
};

// Interns the structures of all programs in use.
class StructureTable {
 public:
  // `has_weak_hashes`: for tests; all hashes collide, so that only the comparison tells structures
  // apart.
  explicit StructureTable(bool has_weak_hashes = false) : has_weak_hashes_(has_weak_hashes) {}
  ~StructureTable();
  StructureTable(const StructureTable&) = delete;
  StructureTable& operator=(const StructureTable&) = delete;

  std::shared_ptr<const Structure> intern(StructuralHash hash, Structure structure);
  StructuralHash weakened(StructuralHash hash) const {
    return has_weak_hashes_ ? StructuralHash{} : hash;
  }
  size_t size() const;

 private:
  void forget_unused();

  const bool has_weak_hashes_;
  mutable std::mutex mutex_;
  // In the order of insertion, callees before callers. mutex_ guards this and all members below.
  std::vector<std::pair<StructuralHash, std::shared_ptr<const Structure>>> made_;
  std::unordered_multimap<uint64_t, size_t> by_hash_;  // indices into made_
  size_t forget_at_ = 256;
};

// The structure of one rule: a component, and the rule's place in it.
struct RuleStructure {
  std::shared_ptr<const Structure> component;
  uint32_t place = 0;
  StructuralHash hash;

  friend bool operator==(const RuleStructure& a, const RuleStructure& b) {
    return a.component == b.component && a.place == b.place;
  }
};

// The structures of one program's rules. A component is encoded when one of its rules is first
// asked for, together with the components that it calls.
class ProgramStructure {
 public:
  ProgramStructure(const Program& program, StructureTable& table);
  ~ProgramStructure();
  ProgramStructure(ProgramStructure&&) noexcept;

  const RuleStructure& rule(RuleId id);
  // The number of a state within its rule, whose structure must have been requested. Rules of equal
  // structure number corresponding states alike.
  uint32_t number(StateId state) const;

 private:
  std::unique_ptr<class StructureBuilder> builder_;
};

// Whether the rule and all rules that it calls have at most `n_most` states and edges together,
// which is what encoding them would cost. O(n_most).
bool reaches_at_most(const Program& program, RuleId rule, size_t n_most);

// For each program and each state, the number of the state's class: two states share a class if
// they correspond in rules of equal structure.
std::vector<std::vector<uint32_t>> structure_classes(std::span<const Program* const> programs,
                                                     StructureTable& table);

}  // namespace xg2lab
