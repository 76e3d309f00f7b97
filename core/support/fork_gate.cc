// A thread that enters increments the count and then checks whether the gate is closed; closing
// does the reverse. So one of the two always sees the other.
#include "support/fork_gate.h"

#include <chrono>
#include <thread>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace xg2lab {
namespace {

constexpr size_t kMaxWatchers = 4;
std::atomic<size_t> n_watchers{0};
std::atomic<void (*)()> called_in_child[kMaxWatchers];

void wait_a_little() { std::this_thread::sleep_for(std::chrono::microseconds(20)); }

}  // namespace

std::atomic<int64_t> ForkGate::n_inside_{0};
std::atomic<int32_t> ForkGate::n_forking_{0};
std::atomic<uint32_t> ForkGate::generation_{1};

void ForkGate::enter() {
  n_inside_.fetch_add(1, std::memory_order_seq_cst);
  while (n_forking_.load(std::memory_order_seq_cst) != 0) {
    n_inside_.fetch_sub(1, std::memory_order_release);
    while (n_forking_.load(std::memory_order_relaxed) != 0) wait_a_little();
    n_inside_.fetch_add(1, std::memory_order_seq_cst);
  }
}

void ForkGate::close() {
  n_forking_.fetch_add(1, std::memory_order_seq_cst);
  while (n_inside_.load(std::memory_order_seq_cst) != 0) wait_a_little();
}

void ForkGate::open() { n_forking_.fetch_sub(1, std::memory_order_release); }

void ForkGate::open_in_child() {
  n_forking_.store(0,
                   // another thread that was about to fork doesn't exist here
                   std::memory_order_relaxed);
  // nor does one that had just incremented the count
  n_inside_.store(0, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_relaxed);
  for (std::atomic<void (*)()>& watcher : called_in_child) {
    if (void (*call)() = watcher.load(std::memory_order_relaxed)) call();
  }
}

void ForkGate::watch_forks(void (*in_child)()) {
  const size_t n_before = n_watchers.fetch_add(1, std::memory_order_relaxed);
  called_in_child[n_before].store(in_child, std::memory_order_relaxed);
  if (n_before > 0) return;
#if defined(__unix__) || defined(__APPLE__)
  pthread_atfork(&ForkGate::close, &ForkGate::open, &ForkGate::open_in_child);
#endif
}

}  // namespace xg2lab
