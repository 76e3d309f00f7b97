// Structures: rules up to the names of rules and the numbering of states, so that grammars can share what is
// worked out for one of them.
//
// Twin:  xg2lab/reference/structure.py
// Tests: tests/differential/test_structure.py, tests/differential/test_pool.py
//
// IDEA
//   A rule's machine is minimal and deterministic, so a breadth-first walk over its sorted edges numbers its
//   states in one way only. What is written down on that walk (accepting or not, ranges, numbers of targets, and the
//   structures of the rules called) is the rule's *encoding*; its hash is the *structural hash*. Three cases:
//
//     no recursion     the called rules are hashed first (Algorithm 1 of XGrammar 2)
//     simple cycle     each rule calls one other of the cycle: that call gets a mark, then the marked hashes are
//                      combined around the cycle, beginning at each rule in turn (Algorithm 2)
//     other recursion  states of the component are told apart in rounds: each is hashed again with the colours that
//                      its edges led to in the round before (Weisfeiler and Lehman); a rule has its start's
//
//   Hashes only order edges and find candidates. Equality is decided on encodings: a table interns them, and two
//   rules have the same structure if and only if they got the same pointer and place.
//
// EXAMPLE   In  a ::= "x" a | d; d ::= [0-9]  and  r ::= n | "x" r; n ::= [0-9]  the rules a and r are equal, and so
//           are d and n.  Under  a ::= "x" a | d; d ::= [0-8]  no rule is equal to one of those.
//
// INVARIANTS
//   I1  equal (component, place): the machines are isomorphic, and so are all they call
//   I2  a component is strongly connected, and its encoding names those it calls by interned pointers
//
// COST      once a component that is asked for: linear in its edges, times at most 16 rounds where recursion is no simple cycle.
//           Nondeterministic machines, or rules that no round tells apart, may miss an equality; never invent one.
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

// The encoding of one component: rules that call each other, or one rule alone.
struct Structure {
  std::vector<uint32_t> words;
  std::vector<std::shared_ptr<const Structure>> references;  // that words name by place

  size_t memory_size_bytes() const {
    return sizeof(Structure) + words.capacity() * sizeof(uint32_t) +
           references.capacity() * sizeof(references[0]);
  }
};

// Every structure that some program in use has, each once.
class StructureTable {
 public:
  // `has_weak_hashes`: for tests; all hashes collide, so that only the comparison tells structures apart.
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
  // In the order in which they were made, callees before callers. Guarded by mutex_, as all below.
  std::vector<std::pair<StructuralHash, std::shared_ptr<const Structure>>> made_;
  std::unordered_multimap<uint64_t, size_t> by_hash_;  // indices into made_
  size_t forget_at_ = 256;
};

// One rule's structure: a component, and which of its rules.
struct RuleStructure {
  std::shared_ptr<const Structure> component;
  uint32_t place = 0;
  StructuralHash hash;

  friend bool operator==(const RuleStructure& a, const RuleStructure& b) {
    return a.component == b.component && a.place == b.place;
  }
};

// Of one program, each component written down when somebody asks for one of its rules, and with it what these call.
class ProgramStructure {
 public:
  ProgramStructure(const Program& program, StructureTable& table);
  ~ProgramStructure();
  ProgramStructure(ProgramStructure&&) noexcept;

  const RuleStructure& rule(RuleId id);
  // The number of a state within its rule, which was asked for: equal structures number equal states alike.
  uint32_t number(StateId state) const;

 private:
  std::unique_ptr<class StructureBuilder> builder_;
};

// Whether the rule and all that it calls have at most so many states and edges together: what writing them down costs. O(n_most).
bool reaches_at_most(const Program& program, RuleId rule, size_t n_most);

// For each state of each program the number of its class: two states have one if they stand alike in equal rules.
std::vector<std::vector<uint32_t>> structure_classes(std::span<const Program* const> programs,
                                                     StructureTable& table);

}  // namespace xg2lab
