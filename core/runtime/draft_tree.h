// Draft trees: the masks after many guessed continuations at once, for speculative decoding.
//
// Tests: tests/core/test_draft_tree.py
//
// IDEA
//   A small model guesses how the text goes on, as a tree of tokens; the large model judges all of it in one pass
//   and needs the mask at every node. A node's state is a column, so the walk moves no matcher: it goes from
//   column to column beside it, and there is nothing to take back.
//
// REPRESENTATION
//   Node i's children are first_child[i], next_sibling[first_child[i]], ...; -1 ends a list. Node 0 is the root:
//   it stands for the text so far, and its token isn't read. Under root ::= "a" "b"*, with the text "a":
//
//     node            0    1 "b"  2 "c"  3 </s>  4 "b"
//     first_child     1      4     -1      -1     -1
//     next_sibling   -1      2      3      -1     -1
//     mask after it  b,</s>  b,</s>  none  none   b,</s>     "c" isn't allowed; nothing follows </s>
//
// INVARIANTS
//   I1  the row of a node is what fill_next_token_bitmask writes after accept_token of every token
//       on the way to it; zeros if one of them is refused (an id outside the vocabulary is), or
//       ends the text
//   I2  the matcher is not changed
//
// COST      the steps of its tokens' bytes and one fill a node; no recursion.
// THREADS   as the matcher's.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/matcher.h"

namespace xg2lab {

struct DraftTree {
  std::span<const int64_t> first_child;
  std::span<const int64_t> next_sibling;
  std::span<const int64_t> tokens;  // as long as the other two
};

inline constexpr float kNoTemperature = -1;

// Row i of a bitmask begins at first + i * stride.
struct MaskRows {
  uint32_t* first = nullptr;
  int64_t stride = 0;
  size_t n_words = 0;
};

// Writes the row of every node that can be reached from the root; false if `limit` was over before
// the last, and the rows that are left then are as they were. Throws ArgumentError (an index
// outside, a node reached twice, a sibling of the root) and, for a strict matcher, VocabularyError
// (a token outside) before any row is written.
// `temperatures`, if there are any, one a node, are written with the rows: Matcher::temperature, kNoTemperature for none.
bool fill_draft_tree(const Matcher& matcher, const DraftTree& tree, const MaskRows& rows,
                     std::optional<std::chrono::nanoseconds> limit,
                     std::span<float> temperatures = {});

}  // namespace xg2lab
