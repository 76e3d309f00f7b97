// Draft trees: the masks after many guessed continuations in one call, for speculative decoding.
//
// Tests: tests/core/test_draft_tree.py
//
// IDEA
//   A small model guesses continuations of the text as a tree of tokens; the large model scores all
//   of them in one pass and needs the mask at every node. The state at a node is a column, so the
//   walk goes from column to column without moving the matcher, and needs no rollback.
//
// REPRESENTATION
//   Node i's children are first_child[i], next_sibling[first_child[i]], ...; -1 ends a list. Node 0
//   is the root: it represents the text so far, and its token is ignored. Under root ::= "a" "b"*,
//   with the text "a":
//
//     node            0    1 "b"  2 "c"  3 </s>  4 "b"
//     first_child     1      4     -1      -1     -1
//     next_sibling   -1      2      3      -1     -1
//     mask after it  b,</s>  b,</s>  none  none   b,</s>     "c" isn't allowed; nothing follows
//                    </s>
//
// INVARIANTS
//   I1  the row of a node equals the mask that fill_next_token_bitmask writes after accept_token of
//       every token on the path to the node. It is all zeros if one of these tokens is rejected (as
//       is an id outside the vocabulary) or ends the text
//   I2  the matcher is not changed
//
// COST      the bytes of its tokens and one fill for each node; no recursion.
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

// Row i of the bitmask begins at first + i * stride.
struct MaskRows {
  uint32_t* first = nullptr;
  int64_t stride = 0;
  size_t n_words = 0;
};

// Writes the row of every node reachable from the root. Returns false if `limit` ran out before the
// last node; the remaining rows are unchanged then. Before any row is written, throws ArgumentError
// (an index out of range, a node reached twice, a sibling of the root) and, for a strict matcher,
// VocabularyError (a token outside the vocabulary). `temperatures`, if not empty, gets one value
// for each node: Matcher::temperature, or kNoTemperature if there is none.
bool fill_draft_tree(Matcher& matcher, const DraftTree& tree, const MaskRows& rows,
                     std::optional<std::chrono::nanoseconds> limit,
                     std::span<float> temperatures = {});

}  // namespace xg2lab
