// The union of what several entries accept: one of them, and a short list of what the others have
// beside it.
//
// Twin:  xg2lab/reference/mask.py
// Tests: tests/differential/test_engine_vs_twin.py, tests/core/test_masks.py,
//        tests/unit/mask_adaptive.cc
//
// IDEA
//   Of several states that a parse may be in, one usually accepts nearly all that any does: the
//   inside of a string beside its end. A list is read token by token; only what isn't a list takes
//   a pass over the words of a row.
//
// COST      one mask: nothing. Several: one copy of a row, the lists, and a pass for each that is
//           no list.
// SOURCE    XGrammar section 3.1 (merge of several stacks' masks). There the rejected lists are
//           intersected; here the longest list of accepted tokens, in whatever form, stays as it
//           is, and is shared.
#pragma once

#include <span>
#include <vector>

#include "mask/sets/adaptive_mask.h"
#include "vocab/token_sets.h"

namespace xg2lab {

// What a mask accepts, but for some tokens of it.
struct MaskPart {
  const AdaptiveMask* mask = nullptr;
  std::vector<uint32_t> lacking;  // ids that the mask accepts

  size_t size() const { return mask->n_accepted() - lacking.size(); }
};

class MaskUnion {
 public:
  // `parts` stay alive and in place.
  MaskUnion(const TokenSets& tokens, std::span<const MaskPart> parts);

  // The part that accepts most; null if there is none.
  const MaskPart* most() const { return most_; }
  // Ids that others accept and `most` lacks, each once.
  std::span<const uint32_t> beside() const { return beside_; }
  size_t size() const { return (most_ == nullptr ? 0 : most_->size()) + beside_.size(); }
  // As a bitmask.
  std::vector<uint32_t> words() &&;
  // Takes out those that are in it; of one mask's own uncertain tokens none are.
  void remove_from(std::vector<TokenRank>& ranks) const;

 private:
  void write(const MaskPart& part, std::span<uint32_t> target) const;
  void add(const MaskPart& part);

  const TokenSets& tokens_;
  const MaskPart* most_ = nullptr;
  std::vector<uint32_t> beside_;
  std::vector<uint32_t> words_;  // the union; empty if there is one mask at most
};

}  // namespace xg2lab
