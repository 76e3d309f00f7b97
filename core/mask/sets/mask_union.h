// The union of the tokens that several entries accept: the largest set, and a short list of the ids
// that the other entries add.
//
// Twin:  xg2lab/reference/mask.py
// Tests: tests/differential/test_engine_vs_twin.py, tests/core/test_masks.py,
//        tests/unit/mask_adaptive.cc
//
// IDEA
//   If a parse is in several states, one of them usually accepts nearly all tokens that any of them
//   accepts, such as the state within a string beside the state at its end. An accepted list is
//   added token by token; a mask of another form takes a pass over the words of a row.
//
// COST      one mask: nothing. Several: one copy of a row, the lists, and a pass for each mask that
//           is not a list.
// SOURCE    XGrammar section 3.1 (merge of several stacks' masks). XGrammar intersects the rejected
//           lists; this class leaves the largest accepted set as it is, in whatever form, and
//           shares it.
#pragma once

#include <span>
#include <vector>

#include "mask/sets/adaptive_mask.h"
#include "vocab/token_sets.h"

namespace xg2lab {

// The tokens that a mask accepts, less some tokens.
struct MaskPart {
  const AdaptiveMask* mask = nullptr;
  std::vector<uint32_t> lacking;  // ids that the mask accepts and the part lacks

  size_t size() const { return mask->n_accepted() - lacking.size(); }
};

class MaskUnion {
 public:
  // `parts` must outlive this object, unmoved.
  MaskUnion(const TokenSets& tokens, std::span<const MaskPart> parts);

  // The part that accepts most tokens; null if there are no parts.
  const MaskPart* most() const { return most_; }
  // The ids that other parts accept and `most` lacks, each once.
  std::span<const uint32_t> beside() const { return beside_; }
  size_t size() const { return (most_ == nullptr ? 0 : most_->size()) + beside_.size(); }
  // The union as a bitmask.
  std::vector<uint32_t> words() &&;
  // Removes the ranks whose tokens the union accepts. With one part there is nothing to remove: an
  // entry's uncertain tokens are not among its accepted ones.
  void remove_from(std::vector<TokenRank>& ranks) const;

 private:
  void write(const MaskPart& part, std::span<uint32_t> target) const;
  void add(const MaskPart& part);

  const TokenSets& tokens_;
  const MaskPart* most_ = nullptr;
  std::vector<uint32_t> beside_;
  std::vector<uint32_t> words_;  // the union; empty with fewer than two parts
};

}  // namespace xg2lab
