// Batches: one call for many matchers, on the caller's thread or with the pool's help.
//
// Tests: tests/core/test_batch.py
//
// IDEA
//   Matchers of a batch are independent: each does what it would do alone, and an error of one is kept with its
//   part. Waking a worker takes longer than a known mask takes to copy. So a batch first guesses what it will
//   cost, from what its matchers know already, and asks for help only where that pays:
//
//     64 matchers in known states          64 copies: the calling thread is done before a worker wakes
//      8 of 8 grammars, in new states      eight walks of the vocabulary: side by side
//      8 of one grammar, in new states     as many walks as there are states: of those in one state the first makes its
//                                          entry, the others wait for it (mask/entries/mask_store.h)
//
// INVARIANTS
//   I1  after a batch each matcher and each row is as if the parts had run one by one, in any order
//   I2  no two parts have the same matcher, or the same row (the caller sees to that)
//
// COST      the guess: a few loads a matcher. See kWorthHelpNs for what is worth help.
// THREADS   any thread, inside the fork gate and without the GIL; the caller holds the matchers.
#pragma once

#include <exception>
#include <span>
#include <string_view>

#include "runtime/matcher.h"

namespace xg2lab {

struct BatchPart {
  Matcher* matcher = nullptr;
  std::exception_ptr error;  // what the matcher threw; null if nothing
  bool is_done = false;      // false after an interrupt: it is as it was before
};

struct FillPart : BatchPart {
  std::span<uint32_t> row;
  bool forbids = false;  // what fill_next_token_bitmask returned
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

// At most n_threads at once; 1: no help. Throw Interrupted if parts are left to do; those that are
// done stay so when called again.
void fill_batch(std::span<FillPart> parts, size_t n_threads);
void accept_tokens(std::span<AcceptTokenPart> parts, size_t n_threads);
void accept_strings(std::span<AcceptStringPart> parts, size_t n_threads);
void roll_back(std::span<RollbackPart> parts, size_t n_threads);

}  // namespace xg2lab
