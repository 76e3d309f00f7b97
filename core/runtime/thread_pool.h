// The thread pool: workers that live as long as the process and help any caller with a batch.
//
// Tests: tests/core/test_batch.py, tests/core/test_fork.py
//
// IDEA
//   A batch is a number of independent tasks. The caller takes the next untaken task until none is
//   left; the workers that it woke do the same in parallel. So a batch completes even if no worker
//   comes, and several callers may run batches at once. Threads are created when first needed, and
//   then wait.
//
// INVARIANTS
//   I1  each task of a batch runs exactly once, and run() returns after the last has ended
//   I2  a batch is in open_ only while its caller is in run()
//
// COST      run(): one lock, and one wake-up (some microseconds) for each helper; a task: one
//           atomic addition.
// THREADS   run(): any thread. mutex_ guards open_, n_workers_ and the batches' counts; `next` is
//           atomic. Workers never touch Python. The pool is never destroyed, so the process can end
//           without waiting for its threads. After a fork the child's pool has no workers and
//           creates its own (support/fork_gate.h).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

namespace xg2lab {

class ThreadPool {
 public:
  // The pool of this process.
  static ThreadPool& shared();
  // The number of processors available to this process; at least 1.
  static size_t n_processors();

  // Runs task(0) to task(n_tasks - 1) on the calling thread and up to n_threads - 1 workers. Tasks
  // must not throw. The caller must be inside the fork gate and without the GIL.
  template <class Task>
  void run(size_t n_tasks, size_t n_threads, const Task& task) {
    Batch batch{.call = [](const void* self, size_t i) { (*static_cast<const Task*>(self))(i); },
                .task = &task,
                .n_tasks = n_tasks};
    run(batch, n_threads);
  }

  size_t n_workers() const;

 private:
  struct Batch {
    void (*call)(const void*, size_t);
    const void* task;
    size_t n_tasks;
    std::atomic<size_t> next{0};
    size_t n_wanted = 0;   // guarded by mutex_: helpers still wanted
    size_t n_helping = 0;  // guarded by mutex_
  };

  ThreadPool() = default;
  static void start_anew();  // in the child of a fork

  void run(Batch& batch, size_t n_threads);
  void work();
  static void take_tasks(Batch& batch);
  void make_workers(size_t n);

  mutable std::mutex mutex_;
  std::condition_variable wanted_;  // signalled when a batch is opened
  std::condition_variable helped_;  // signalled when a helper is done
  std::vector<Batch*> open_;
  size_t n_workers_ = 0;
};

}  // namespace xg2lab
