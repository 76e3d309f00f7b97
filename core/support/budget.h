// Budgets: limits on the time and memory of one piece of work, with a check for interrupts.
//
// Tests: tests/core/test_limits.py, tests/core/test_interrupts.py
//
// IDEA
//   Reading, compiling and building masks involve a dozen layers that are unaware of time and
//   memory. So a budget belongs to the thread, as long as a Budget object is on its stack.
//   Potentially long loops report their work by count_work or check_budget; every thousand units
//   the clock, the bytes and the interrupt flag are checked. Without a Budget this costs one
//   subtraction.
//
//   The limit on time is in seconds of this thread's processor time, which doesn't depend on how
//   busy the machine is.
//
//   Bytes are counted where they are allocated: in operator new and delete (counted_memory.cc).
//   Beyond the budget, the next count_work throws; far beyond it, operator new itself throws, since
//   a single vector may exceed memory.
//
//   Budgets nest. Both the inner and the outer limits apply.
//
// INVARIANTS
//   I1  only check_budget, count_work and operator new throw for a budget, and only while a Budget
//       (or WorkTerms) is in force
//   I2  within Indivisible, operator new doesn't throw for a budget
//
// COST      count_work: a subtraction. A check: 30 ns, which read the wall clock. Reading the
//           thread's clock takes 340 ns (a system call). It is read twice: when the wall clock says
//           that the work is not short, and when the wall clock says that the time may be over.
// THREADS   a Budget applies to the thread that made it. A thread that works for another takes over
//           that thread's budget (Helping).
// SEE ALSO  docs/design/0032-budgets.md
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace xg2lab {

struct WorkLimits {
  double seconds = 0;  // of this thread's processor time
  size_t bytes = 0;    // allocated and not freed since the work began
};

// The usual limits on compiling a text, schema or grammar, and on building one mask or one step. A
// mask has half of the bytes; the other half is for the tables that its grammar keeps.
inline constexpr size_t kUsualWorkBytes = size_t{192} << 20;
inline constexpr WorkLimits kUsualCompileLimits{2.0, kUsualWorkBytes};
inline constexpr WorkLimits kUsualMaskLimits{1.0, kUsualWorkBytes / 2};

enum class Work : uint8_t { kCompile, kMask };
// Which clocks have started.
enum class Clocks : uint8_t { kNone, kWall, kWallAndThread };

// Thrown when an interrupt is detected. Not a std::exception, so that only bind/ catches it.
struct Interrupted {};

// The limits under which a thread works; the enclosing ones apply too.
struct WorkTerms {
  Work work;
  WorkLimits limits;
  int64_t begin_bytes;
  const WorkTerms* outer;
  // Start times in seconds: of the wall clock at the first check, of the thread's clock once the
  // work is not short.
  mutable Clocks clocks = Clocks::kNone;
  mutable double begin_by_wall = 0;
  mutable double begin = 0;
  // Python may leave its terms before the terms nested in them, or in another thread. Left terms no
  // longer apply; their own thread deletes them once no other terms are nested in them.
  mutable std::atomic<bool> is_abandoned{false};
};

// Starts terms that apply to this thread across calls until they are left: for Python's context
// managers.
const WorkTerms* enter_terms(const WorkLimits& limits);
// May be called in any thread and any order. `terms` must not be used afterwards.
void leave_terms(const WorkTerms* terms);

// Whether an interrupt ends this thread's work: see support/interrupts.h.
enum class Hears : uint8_t { kNothing, kWhenLong, kInterrupts };

// Units of work between two checks; a unit takes some nanoseconds to some microseconds. The first
// checks come earlier: the first after kFirstUnits, each later one after twice as many units.
inline constexpr int64_t kUnitsPerLook = 1024;
inline constexpr int64_t kFirstUnits = 64;

struct ThreadWork {
  int64_t n_bytes = 0;  // allocated and not freed
  int64_t most_bytes =
      std::numeric_limits<int64_t>::max();  // beyond this, operator new calls allow_bytes
  int64_t n_units_left = 0;                 // until the next check
  int64_t n_units_between = kUnitsPerLook;  // the last check and the next
  const WorkTerms* terms = nullptr;
  Hears hears = Hears::kNothing;
};

// A few words for each thread of the module, accessed without a function call if the C library
// supports it.
#if defined(__GLIBC__)
#define XG2LAB_THREAD_MODEL [[gnu::tls_model("initial-exec")]]
#else
#define XG2LAB_THREAD_MODEL
#endif
XG2LAB_THREAD_MODEL extern constinit thread_local ThreadWork thread_work;

class Budget {
 public:
  // Starts now. `limits`: those of the work of kind `work`, which determines how messages call
  // them.
  Budget(const WorkLimits& limits, Work work);
  // Applies the terms already in force, such as Python's; if there are none, the usual limits of
  // `work`.
  explicit Budget(Work work);
  ~Budget();
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

 private:
  const WorkTerms terms_;
  const WorkTerms* const outer_;
  const int64_t outer_most_bytes_;
};

// A Budget only if no Budget is on the stack yet: for work that is mostly short and may be part of
// longer work.
class OwnBudget {
 public:
  OwnBudget(const WorkLimits& limits, Work work) {
    if (thread_work.most_bytes == std::numeric_limits<int64_t>::max())
      new (&budget_) Budget(limits, work);
    else is_inner_ = true;
  }
  ~OwnBudget() {
    if (!is_inner_) budget_.~Budget();
  }
  OwnBudget(const OwnBudget&) = delete;
  OwnBudget& operator=(const OwnBudget&) = delete;

 private:
  bool is_inner_ = false;
  union {
    Budget budget_;
  };
};

// Within its lifetime operator new doesn't throw for a budget: for steps that can't be undone
// halfway, and while Python runs.
class Indivisible {
 public:
  Indivisible() : most_bytes_(thread_work.most_bytes) {
    thread_work.most_bytes = std::numeric_limits<int64_t>::max() - 1;
  }
  ~Indivisible() { thread_work.most_bytes = most_bytes_; }
  Indivisible(const Indivisible&) = delete;
  Indivisible& operator=(const Indivisible&) = delete;

 private:
  const int64_t most_bytes_;
};

// Checks now; for steps of microseconds or more. Throws Error (kLimitError) or Interrupted.
// `doing`: the current work, a string with static lifetime. `name`: the object of the work, if
// known.
void check_budget(std::string_view doing, std::string_view name = {});
// The same for work outside the engine: `doing` need not be static, and interrupts are ignored.
void check_work(std::string_view doing);

// Checks every kUnitsPerLook units; for shorter steps. Throws as check_budget.
inline void count_work(std::string_view doing, size_t n_units = 1) {
  thread_work.n_units_left -= static_cast<int64_t>(n_units);
  if (thread_work.n_units_left < 0) [[unlikely]]
    check_budget(doing);
}

// The remedy for a message: "raise EngineOptions.max_work_bytes".
std::string_view bytes_remedy();
// The work that this thread reported at its last check.
std::string_view last_work();

}  // namespace xg2lab
