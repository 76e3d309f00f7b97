// Read: the caller (run), the worker (work), then the creation of the single pool and its reset
// after a fork.
#include "runtime/thread_pool.h"

#include <algorithm>
#include <memory>
#include <system_error>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

#include "support/fork_gate.h"

namespace xg2lab {

void ThreadPool::take_tasks(Batch& batch) {
  for (size_t i; (i = batch.next.fetch_add(1, std::memory_order_relaxed)) < batch.n_tasks;) {
    batch.call(batch.task, i);
  }
}

// ---- The caller: opens the batch, works on it, closes it, waits for its helpers ----

void ThreadPool::run(Batch& batch, size_t n_threads) {
  const size_t n_helpers = std::min(n_threads, batch.n_tasks) - (batch.n_tasks > 0 ? 1 : 0);
  if (n_helpers == 0) return take_tasks(batch);
  {
    const std::lock_guard lock(mutex_);
    make_workers(n_helpers);
    // A batch wants no more helpers than there are workers. Once it is in open_, workers may join
    // until the caller removes it below.
    batch.n_wanted = std::min(n_helpers, n_workers_);
    if (batch.n_wanted > 0) open_.push_back(&batch);
  }
  for (size_t i = 0; i < n_helpers; ++i) wanted_.notify_one();
  take_tasks(batch);
  std::unique_lock lock(mutex_);
  // After the batch is removed no worker can join it; workers that did join still use it.
  std::erase(open_, &batch);
  helped_.wait(lock, [&] { return batch.n_helping == 0; });
}

// ---- The worker ----

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wanted_.wait(lock, [&] { return !open_.empty(); });
    Batch& batch = *open_.front();
    ++batch.n_helping;
    // A batch that has its helpers is no longer offered to others.
    if (--batch.n_wanted == 0) open_.erase(open_.begin());
    lock.unlock();
    take_tasks(batch);
    lock.lock();
    if (--batch.n_helping == 0) helped_.notify_all();
  }
}

void ThreadPool::make_workers(size_t n) {
  while (n_workers_ < n) {
    try {
      std::thread([this] { work(); }).detach();
    } catch (const std::system_error&) {
      return;  // the system provides no more threads: the existing ones and the caller do the work
    }
    ++n_workers_;
  }
}

size_t ThreadPool::n_workers() const {
  const std::lock_guard lock(mutex_);
  return n_workers_;
}

// ---- The process's pool ----

namespace {

// Storage without a destructor: workers may wait in it until the process ends.
alignas(ThreadPool) unsigned char pool_storage[sizeof(ThreadPool)];

}  // namespace

ThreadPool& ThreadPool::shared() {
  static ThreadPool* const pool = [] {
    ForkGate::watch_forks(&ThreadPool::start_anew);
    return new (pool_storage) ThreadPool;
  }();
  return *pool;
}

// The threads don't exist in the child, and a mutex that one of them held would stay locked, so the
// object is constructed anew in place.
void ThreadPool::start_anew() { new (pool_storage) ThreadPool; }

size_t ThreadPool::n_processors() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    return static_cast<size_t>(std::max(CPU_COUNT(&set), 1));
  }
#endif
  return std::max<size_t>(std::thread::hardware_concurrency(), 1);
}

}  // namespace xg2lab
