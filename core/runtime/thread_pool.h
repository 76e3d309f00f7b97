// The thread pool: workers that live as long as the process and help whoever has a batch.
//
// Tests: tests/core/test_batch.py, tests/core/test_fork.py
//
// IDEA
//   A batch is a number of independent tasks. The caller takes the next one that nobody has taken until none is
//   left; workers that it woke do the same beside it. So a batch is done even if no worker ever comes, and
//   several callers may have batches at once. Threads are made when first wanted and then wait.
//
// INVARIANTS
//   I1  each task of a batch runs exactly once, and run() returns after the last has ended
//   I2  a batch is on open_ only while its caller is in run()
//
// COST      run(): one lock, and one wake-up (some microseconds) a helper; a task: one atomic addition.
// THREADS   run(): any thread. mutex_ guards open_, n_workers_ and the batches' counts; `next` is atomic.
//           Workers never touch Python. The pool is never destroyed, so the end of the process waits for nobody.
//           After a fork the child's pool has no workers and makes its own (support/fork_gate.h).
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
  // How many processors this process may use; at least 1.
  static size_t n_processors();

  // Runs task(0) to task(n_tasks - 1) on the calling thread and up to n_threads - 1 workers. Tasks don't throw.
  // The caller is inside the fork gate and without the GIL.
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
    size_t n_wanted = 0;   // guarded by mutex_: helpers that may still come
    size_t n_helping = 0;  // guarded by mutex_
  };

  ThreadPool() = default;
  static void start_anew();  // in the child of a fork

  void run(Batch& batch, size_t n_threads);
  void work();
  static void take_tasks(Batch& batch);
  void make_workers(size_t n);

  mutable std::mutex mutex_;
  std::condition_variable wanted_;  // a batch was opened
  std::condition_variable helped_;  // a helper is done
  std::vector<Batch*> open_;
  size_t n_workers_ = 0;
};

}  // namespace xg2lab
