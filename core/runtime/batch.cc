// Each operation: what one part does, and what it will probably cost. The guess decides about help, never about results.
#include "runtime/batch.h"

#include <chrono>

#include "runtime/thread_pool.h"

namespace xg2lab {
namespace {

// A batch that will probably take less is done by the calling thread. Evidence: benchmarks/record/batch.csv.
constexpr size_t kWorthHelpNs = 60'000;

// Guesses, in nanoseconds.
constexpr size_t kNewMaskNs = 200'000;
constexpr size_t kKnownWordsPerNs = 8;  // copying a row
constexpr size_t kByteNs = 10;          // a known step
constexpr size_t kStepNs = 10;          // taking one back

template <class Part, class Guess, class Work>
void run_parts(std::span<Part> parts, size_t n_threads, const Guess& guess, const Work& work) {
  const auto guarded = [&](size_t i) {
    try {
      work(parts[i]);
    } catch (...) {
      parts[i].error = std::current_exception();
    }
  };
  size_t ns = 0;
  if (n_threads > 1 && parts.size() > 1) {
    for (const Part& part : parts) {
      if ((ns += guess(part)) >= kWorthHelpNs) break;
    }
  }
  if (ns >= kWorthHelpNs) return ThreadPool::shared().run(parts.size(), n_threads, guarded);
  for (size_t i = 0; i < parts.size(); ++i) guarded(i);
}

}  // namespace

void fill_batch(std::span<FillPart> parts, size_t n_threads) {
  const auto guess = [](const FillPart& part) {
    return part.matcher->knows_mask() ? part.row.size() / kKnownWordsPerNs : kNewMaskNs;
  };
  run_parts(parts, n_threads, guess, [](FillPart& part) {
    const auto begin = std::chrono::steady_clock::now();
    part.matcher->fill_next_token_bitmask(part.row, &part.report);
    const auto end = std::chrono::steady_clock::now();
    part.us = std::chrono::duration<double, std::micro>(end - begin).count();
  });
}

void accept_tokens(std::span<AcceptTokenPart> parts, size_t n_threads) {
  constexpr size_t kTokenNs = 4 * kByteNs;
  run_parts(
      parts, n_threads, [](const AcceptTokenPart&) { return kTokenNs; },
      [](AcceptTokenPart& part) { part.accepted = part.matcher->accept_token(part.token_id); });
}

void accept_strings(std::span<AcceptStringPart> parts, size_t n_threads) {
  run_parts(
      parts, n_threads, [](const AcceptStringPart& part) { return part.bytes.size() * kByteNs; },
      [](AcceptStringPart& part) { part.accepted = part.matcher->accept_string(part.bytes); });
}

void roll_back(std::span<RollbackPart> parts, size_t n_threads) {
  const auto guess = [](const RollbackPart& part) {
    return part.n_steps > 0 ? static_cast<size_t>(part.n_steps) * kStepNs : 0;
  };
  run_parts(parts, n_threads, guess,
            [](RollbackPart& part) { part.matcher->rollback(part.n_steps); });
}

}  // namespace xg2lab
