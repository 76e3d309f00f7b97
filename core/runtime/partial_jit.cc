// Read: plan and make_next (the work for one grammar), then the queue and its threads.
#include "runtime/partial_jit.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/thread_pool.h"
#include "support/budget.h"
#include "support/fork_gate.h"

namespace xg2lab {
namespace {

constexpr size_t kStatesAtOnce = 8;  // estimated between two exits from the fork gate
constexpr uint64_t kWorthAheadVisits =
    2000;  // "auto": an entry whose walk visits this many nodes is built ahead
constexpr size_t kMaxWorkers = 4;

size_t n_workers_wanted() {
  return std::clamp<size_t>(ThreadPool::n_processors() - 1, 1, kMaxWorkers);
}

}  // namespace

bool has_own_entry(const Program& program, StateId state) {
  return program.is_scannable(state) && !program.rule(program.rule_of(state)).repeated_by;
}

// ---- One grammar ----

namespace {

struct Estimate {
  uint64_t n_visits;
  StateId state;
};

// Adds the estimates of [begin, begin + kStatesAtOnce). Returns false after the last state.
bool add_estimates(MaskStore& store, size_t begin, uint64_t least,
                   std::vector<Estimate>* estimates) {
  const size_t n_states = store.program().n_states();
  for (size_t i = begin; i < std::min(n_states, begin + kStatesAtOnce); ++i) {
    const StateId state(i);
    if (!has_own_entry(store.program(), state) || store.find(state) != nullptr) continue;
    if (store.is_left_aside(state)) continue;
    const uint64_t n_visits = store.estimate_visits(state);
    if (n_visits >= least) estimates->push_back({n_visits, state});
  }
  return begin + kStatesAtOnce < n_states;
}

}  // namespace

void PartialJit::plan() {
  std::vector<Estimate> estimates;
  const uint64_t least = k_ == kAuto ? kWorthAheadVisits : 0;
  bool has_more = true;
  for (size_t begin = 0; has_more; begin += kStatesAtOnce) {
    const ForkGate::Inside inside;
    const std::shared_ptr<MaskStore> store = store_.lock();
    try {
      const Budget budget(Work::kMask);
      has_more = store && add_estimates(*store, begin, least, &estimates);
    } catch (...) {
      has_more = false;  // out of budget or memory: only the states estimated so far are planned
    }
  }
  std::stable_sort(estimates.begin(), estimates.end(),
                   [](const Estimate& a, const Estimate& b) { return a.n_visits > b.n_visits; });
  try {
    if (estimates.size() > k_) estimates.resize(k_);
    states_.reserve(estimates.size());
    for (const Estimate& estimate : estimates) states_.push_back(estimate.state);
  } catch (const std::bad_alloc&) {}  // nothing is planned then
  is_planned_.store(true, std::memory_order_release);
}

bool PartialJit::make_next() {
  const ForkGate::Inside inside;
  const size_t i = next_.fetch_add(1, std::memory_order_relaxed);
  if (i >= states_.size()) return false;
  const std::shared_ptr<MaskStore> store = store_.lock();
  if (!store) return false;
  try {
    const Budget budget(store->limits(), Work::kMask);
    if (!store->is_left_aside(states_[i])) store->make_ahead(states_[i]);
  } catch (...) {
    // Out of budget or memory: the text that needs the entry gets and reports the error.
  }
  n_done_.fetch_add(1, std::memory_order_release);
  return true;
}

PartialJit::Progress PartialJit::progress() const {
  Progress out;
  if (!is_planned()) return out;
  out.n_planned = states_.size();
  out.n_done = n_done_.load(std::memory_order_acquire);
  out.is_over = out.n_done == out.n_planned;
  return out;
}

// ---- The queue ----

namespace {

// Storage without a destructor: threads may wait in it until the process ends.
alignas(BackgroundQueue) unsigned char queue_storage[sizeof(BackgroundQueue)];

}  // namespace

BackgroundQueue& BackgroundQueue::shared() {
  static BackgroundQueue* const queue = [] {
    ForkGate::watch_forks(&BackgroundQueue::start_anew);
    return new (queue_storage) BackgroundQueue;
  }();
  return *queue;
}

// The threads don't exist in the child, and one of them may have held the mutex, so the object is
// constructed anew in place.
void BackgroundQueue::start_anew() { new (queue_storage) BackgroundQueue; }

void BackgroundQueue::add(std::shared_ptr<PartialJit> work) {
  const std::lock_guard lock(mutex_);
  make_workers();
  if (n_workers_ == 0) return;  // the system provides no thread: entries are built on demand
  open_.push_back(std::move(work));
  wanted_.notify_all();
}

size_t BackgroundQueue::n_workers() const {
  const std::lock_guard lock(mutex_);
  return n_workers_;
}

void BackgroundQueue::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wanted_.wait(lock, [&] { return !open_.empty(); });
    const std::shared_ptr<PartialJit> work = open_.front();
    if (!work->is_planned()) {
      Open planned;  // moved into its list node, so that no memory is allocated here
      planned.splice(planned.begin(), open_, open_.begin());
      lock.unlock();
      work->plan();
      lock.lock();
      open_.splice(open_.end(), planned);
      wanted_.notify_all();
      continue;
    }
    open_.splice(open_.end(), open_, open_.begin());  // other threads may help
    lock.unlock();
    const bool has_more = work->make_next();
    lock.lock();
    if (!has_more) std::erase(open_, work);
  }
}

void BackgroundQueue::make_workers() {
  while (n_workers_ < n_workers_wanted()) {
    try {
      std::thread([this] { work(); }).detach();
    } catch (const std::system_error&) {
      return;
    }
    ++n_workers_;
  }
}

}  // namespace xg2lab
