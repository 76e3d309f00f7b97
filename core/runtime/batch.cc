// For each operation: the work of one part, and an estimate of its cost. The estimate decides about
// help, never about results.
#include "runtime/batch.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>
#include <vector>

#include "runtime/thread_pool.h"
#include "support/interrupts.h"

namespace xg2lab {
namespace {

// Parallel work that is estimated below this is done by the calling thread alone: waking a worker
// and sharing two processors' caches would cost more. Evidence: benchmarks/record/batch.csv.
constexpr size_t kWorthHelpNs = 700'000;

// Estimates in nanoseconds. A new mask of a JSON text takes 20 to 65 thousand.
constexpr size_t kNewMaskNs = 60'000;
constexpr size_t kByteNs = 10;  // a cached transition
constexpr size_t kStepNs = 10;  // undoing one step

template <class Part, class Work>
void run_parts(std::span<Part> parts, size_t n_threads, size_t guess_ns, const Work& work) {
  const auto guarded = [&](size_t i) {
    Part& part = parts[i];
    if (part.is_done) return;
    try {
      work(part);
    } catch (const Interrupted&) {
      return;
    } catch (...) {
      part.error = std::current_exception();
    }
    part.is_done = true;
  };
  if (n_threads > 1 && parts.size() > 1 && guess_ns >= kWorthHelpNs) {
    const Share share = Share::of_this_thread();
    ThreadPool::shared().run(parts.size(), n_threads, [&](size_t i) {
      const Helping helping(share);
      guarded(i);
    });
  } else {
    for (size_t i = 0; i < parts.size(); ++i) guarded(i);
  }
  const auto is_done = [](const Part& part) { return part.is_done; };
  if (!std::ranges::all_of(parts, is_done)) throw Interrupted{};
}

// The number of masks that need a new entry which no earlier part of the batch builds: entries
// belong to a grammar and a state, and the first thread that needs an entry builds it (MaskStore).
// A mask of cached entries costs little more than copying a cached mask.
size_t n_walks(std::span<const FillPart> parts) {
  std::set<std::pair<const MaskStore*, uint32_t>> missing;
  size_t n = 0;
  for (const FillPart& part : parts) {
    if (part.matcher->knows_mask()) continue;
    const MaskStore& store = part.matcher->compiled().masks();
    const size_t n_before = missing.size();
    for (const Item& item : part.matcher->configurations().table().items(part.matcher->column())) {
      if (store.find(item.state) == nullptr) missing.emplace(&store, item.state.value);
    }
    n += missing.size() > n_before ? 1 : 0;
  }
  return n;
}

}  // namespace

void fill_batch(std::span<FillPart> parts, size_t n_threads) {
  const auto work = [](FillPart& part) {
    const auto begin = std::chrono::steady_clock::now();
    part.forbids = part.matcher->fill_next_token_bitmask(part.row, &part.report);
    const auto end = std::chrono::steady_clock::now();
    part.us = std::chrono::duration<double, std::micro>(end - begin).count();
  };
  const size_t n_new = n_walks(parts);
  run_parts(parts, std::min(n_threads, n_new), n_new * kNewMaskNs, work);
}

void accept_tokens(std::span<AcceptTokenPart> parts, size_t n_threads) {
  constexpr size_t kTokenNs = 4 * kByteNs;
  run_parts(parts, n_threads, parts.size() * kTokenNs, [](AcceptTokenPart& part) {
    part.accepted = part.matcher->accept_token(part.token_id);
  });
}

void accept_strings(std::span<AcceptStringPart> parts, size_t n_threads) {
  size_t n_bytes = 0;
  for (const AcceptStringPart& part : parts) n_bytes += part.bytes.size();
  run_parts(parts, n_threads, n_bytes * kByteNs, [](AcceptStringPart& part) {
    part.accepted = part.matcher->accept_string(part.bytes);
  });
}

void roll_back(std::span<RollbackPart> parts, size_t n_threads) {
  size_t n_steps = 0;
  for (const RollbackPart& part : parts) {
    n_steps +=
        std::min(static_cast<size_t>(std::max<int64_t>(part.n_steps, 0)), part.matcher->n_steps());
  }
  run_parts(parts, n_threads, n_steps * kStepNs,
            [](RollbackPart& part) { part.matcher->rollback(part.n_steps); });
}

}  // namespace xg2lab
