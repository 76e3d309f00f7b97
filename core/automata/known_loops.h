// Whether the blocks of a strong component are classes that are known already.
//
// IDEA
//   Either all blocks of a component are known classes or none is: whatever one block leads to, its
//   known twin leads to as well. So one block is asked for. Its twin is held against it in
//   lockstep: both accept or both don't, both read the same bytes, and lead to twins.
//
//   Who may be a twin is looked up. Twins look alike for two steps, which a hash says. And they
//   leave their loops for the same classes, the one with the least number among them. There is one
//   exception: a block may leave its component for the very loop that its twin is in, as the first
//   state of "a" "a"* does. Then the twin is one of that loop's classes.
//
// INVARIANTS
//   I1  classes outside a component have smaller numbers than its blocks
//   I2  the classes of one loop have neighbouring numbers; none that came before them leads to them
//
// COST      of a component: a hash of each of its blocks' edges and of what they lead to, and
//           lockstep with each known loop that looks alike for two steps and is left for the same
//           class.
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
  // `signatures`: by class, of all that are known.
  explicit KnownLoops(const InternedRows& signatures) : signatures_(signatures) {}

  // `blocks`: the signatures of a component's blocks, the first of which has the number of the next
  // class. Of each block the known class; nothing if they are none. Valid until the next call.
  std::span<const uint32_t> find(const InternedRows& blocks);

  // The blocks that find() was asked for are classes from now on.
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
  // What a class or a block can do within one step, within two.
  uint64_t look(uint32_t of);
  uint64_t look_twice(uint32_t of);
  // The least class outside the component that its block leads to.
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
  std::vector<uint64_t> looks_;    // by class or block; kNoLook: not asked for yet
  size_t n_looked_at_ = 0;         // classes that were known, and blocks that were added, last time
  std::vector<uint32_t> twin_of_;  // of a block
  std::vector<uint32_t> agenda_;
};

}  // namespace xg2lab
