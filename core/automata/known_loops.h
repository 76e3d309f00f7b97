// Decides whether the blocks of a strongly connected component are equivalent to existing classes.
//
// IDEA
//   Either all blocks of a component are equivalent to existing classes or none is: if a block has
//   an equivalent class (its twin), the block's targets have twins among the twin's targets. So one
//   block is tested. Block and candidate are compared in lockstep: both accept or both don't, both
//   read the same bytes, and their targets are twins in turn.
//
//   Candidates are found by look-up. Twins have equal hashes of their behaviour for two steps, and
//   the least class outside the loop that each of the two loops leads to is the same. There is one
//   exception: a block may leave its component for the very loop that contains its twin, as the
//   first state of "a" "a"* does. Then the twin is one of that loop's classes.
//
// INVARIANTS
//   I1  classes outside a component have smaller numbers than its blocks
//   I2  the classes of one loop have consecutive numbers; no earlier class leads to them
//
// COST      for a component: a hash of the edges of each block and of its targets, and one lockstep
//           comparison with each known loop that has the same two-step hash and the same least
//           exit.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "support/interned_rows.h"

namespace xg2lab {

class KnownLoops {
 public:
  // `signatures`: index: class; of all existing classes.
  explicit KnownLoops(const InternedRows& signatures) : signatures_(signatures) {}

  // `blocks`: the signatures of a component's blocks; the first block has the number of the next
  // class. Returns the equivalent class of each block, or nothing if they are new. Valid until the
  // next call.
  std::span<const uint32_t> find(const InternedRows& blocks);

  // Makes the blocks of the last find() classes.
  void add();

 private:
  struct Loop {
    uint32_t begin;  // its classes
    uint32_t end;
    bool has_each_class = false;  // by itself in twins_
  };
  static constexpr uint32_t kNoClass = UINT32_MAX;
  static constexpr uint64_t kNoLook = 0;

  uint32_t first_block() const { return static_cast<uint32_t>(signatures_.size()); }
  std::span<const uint32_t> signature(uint32_t of) const;
  // Hashes of what a class or a block reads within one step and within two.
  uint64_t look(uint32_t of);
  uint64_t look_twice(uint32_t of);
  // The least class outside the component that the block's component leads to.
  uint32_t way_out(uint32_t block) const;
  Loop* loop_of(uint32_t known);
  bool find_by(uint64_t key, uint32_t block);
  bool is_twin(uint32_t known, uint32_t block);
  bool are_alike(std::span<const uint32_t> known, std::span<const uint32_t> block);
  bool pair_up(uint32_t known, uint32_t of);

  const InternedRows& signatures_;
  const InternedRows* blocks_ = nullptr;
  std::vector<Loop> loops_;
  std::unordered_multimap<uint64_t, uint32_t> twins_;
  std::vector<uint64_t> looks_;    // by class or block; kNoLook: not computed yet
  size_t n_looked_at_ = 0;         // existing classes and added blocks, at the last call
  std::vector<uint32_t> twin_of_;  // index: block
  std::vector<uint32_t> agenda_;
};

}  // namespace xg2lab
