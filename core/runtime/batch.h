// Batches: one call for many matchers, on the caller's thread alone or with the help of the thread
// pool.
//
// Tests: tests/core/test_batch.py
//
// IDEA
//   The matchers of a batch are independent: the result for each is the same as without a batch,
//   and an error of one is stored in its part. Waking a worker takes longer than copying a cached
//   mask. So a batch first estimates its cost from the masks that are cached already, and asks for
//   help only if that pays:
//
//     64 matchers in known states          64 copies: the calling thread finishes before a worker
//                                          wakes
//      8 of 8 grammars, in new states      eight walks of the vocabulary: in parallel
//      8 of one grammar, in new states     one walk for each distinct state: of the matchers in one
//                                          state, the first builds the entry and the others wait
//                                          for it (mask/entries/mask_store.h)
//
// INVARIANTS
//   I1  after a batch each matcher and each row is as if the parts had run one by one, in any order
//   I2  no two parts share a matcher or a row (the caller ensures this)
//
// COST      the estimate: a few loads for each matcher. kWorthHelpNs is the threshold for help.
// THREADS   any thread, inside the fork gate and without the GIL; the caller holds the matchers.
#pragma once

#include <exception>
#include <span>
#include <string_view>

#include "runtime/matcher.h"

namespace xg2lab {

struct BatchPart {
  Matcher* matcher = nullptr;
  std::exception_ptr error;  // thrown by the matcher; null if none
  bool is_done = false;      // false after an interrupt: the part is unchanged
};

struct FillPart : BatchPart {
  std::span<uint32_t> row;
  bool forbids = false;  // the result of fill_next_token_bitmask
  FillReport report;
  double us = 0;
};

struct AcceptTokenPart : BatchPart {
  int64_t token_id = 0;
  bool accepted = false;
};

struct AcceptStringPart : BatchPart {
  std::string_view bytes;
  bool accepted = false;
};

struct RollbackPart : BatchPart {
  int64_t n_steps = 0;
};

// Run on at most n_threads threads; 1: no help. Throw Interrupted if parts are left undone; a
// second call skips the parts that are done.
void fill_batch(std::span<FillPart> parts, size_t n_threads);
void accept_tokens(std::span<AcceptTokenPart> parts, size_t n_threads);
void accept_strings(std::span<AcceptStringPart> parts, size_t n_threads);
void roll_back(std::span<RollbackPart> parts, size_t n_threads);

}  // namespace xg2lab
