// A budget for one piece of work: its time, its memory, and whether the user still wants it.
//
// Tests: tests/core/test_limits.py, tests/core/test_interrupts.py
//
// IDEA
//   Reading, compiling and the making of masks go through a dozen layers that have nothing to do
//   with time or memory. So a budget belongs to the thread, for as long as a Budget stands in one
//   of its frames. Loops that may be long count their work by count_work or check_budget; each
//   thousand units, the clock, the bytes and the interrupt are looked at. Without a Budget that
//   costs a subtraction.
//
//   What a caller waits for is the wall's time; what a text is worth is the processor's, which is
//   the same however busy the machine is. So seconds are those of this thread's processor time.
//
//   Bytes are counted where they are taken: in operator new and delete (counted_memory.cc). Beyond
//   the budget, the next count of work throws; far beyond it, operator new itself, for a single
//   vector may be larger than memory.
//
//   Budgets nest. The inner one's end is an end, and so is the outer one's.
//
// INVARIANTS
//   I1  what is thrown is thrown from check_budget, count_work or operator new, in a frame below a
//       Budget's
//   I2  within Indivisible no operator new throws for a budget
//
// COST      count_work: a subtraction. A look: 30 ns, and 340 ns more when the wall's clock says
//           that the time may be over (a thread's clock is a call of the system, and never runs
//           ahead of the wall's).
// THREADS   a Budget holds for the thread that made it. A thread that works for another takes over
//           its share (Helping).
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
  size_t bytes = 0;    // taken and not given back since the work began
};

// What a text, a schema or a grammar may need until it is compiled; what one mask or one step may
// need. A mask has half of the bytes: the other half is for what its grammar remembers.
inline constexpr size_t kUsualWorkBytes = size_t{192} << 20;
inline constexpr WorkLimits kUsualCompileLimits{2.0, kUsualWorkBytes};
inline constexpr WorkLimits kUsualMaskLimits{1.0, kUsualWorkBytes / 2};

enum class Work : uint8_t { kCompile, kMask };

// Thrown where an interrupt is heard. No std::exception: nothing but bind/ is to catch it.
struct Interrupted {};

// The terms under which a thread works; those around them hold too.
struct WorkTerms {
  Work work;
  WorkLimits limits;
  int64_t begin_bytes;
  const WorkTerms* outer;
  // Seconds; if they aren't known yet, those of the first look.
  mutable bool has_begun = false;
  mutable double begin_by_wall = 0;
  mutable double begin = 0;
  // Terms of Python may be left before those within them, or in another thread. They hold no more
  // then, and their own thread deletes them when nothing is within them.
  mutable std::atomic<bool> is_left{false};
};

// Terms that begin now and hold in this thread from call to call until they are left: Python's.
const WorkTerms* enter_terms(const WorkLimits& limits);
// In any thread and any order. Whoever calls it doesn't use `terms` afterwards.
void leave_terms(const WorkTerms* terms);

// Whether this thread's work ends when an interrupt comes: see support/interrupts.h.
enum class Hears : uint8_t { kNothing, kWhenLong, kInterrupts };

struct ThreadWork {
  int64_t n_bytes = 0;  // taken and not given back
  int64_t most_bytes =
      std::numeric_limits<int64_t>::max();  // beyond them operator new asks further
  int64_t n_units_left = 0;                 // until the next look
  const WorkTerms* terms = nullptr;
  Hears hears = Hears::kNothing;
};

// A module's own few words of each thread: found without a call where the C library has room for
// them.
#if defined(__GLIBC__)
#define XG2LAB_THREAD_MODEL [[gnu::tls_model("initial-exec")]]
#else
#define XG2LAB_THREAD_MODEL
#endif
XG2LAB_THREAD_MODEL extern constinit thread_local ThreadWork thread_work;

class Budget {
 public:
  // Begins now. `limits` of a piece of `work`, which say what a message calls them.
  Budget(const WorkLimits& limits, Work work);
  // Under the terms that are there already, such as Python's; without any, the usual ones of
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

// As Budget, where no Budget stands in a frame above: for work that is mostly short, and part of
// longer work or not.
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

// Within it operator new throws for no budget: where what is half done can't be taken back, and
// where Python runs.
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

// How many units of work, of some nanoseconds to some microseconds, are between two looks.
inline constexpr int64_t kUnitsPerLook = 1024;

// Looks now. For what takes microseconds and more. Throws Error (kLimitError), Interrupted.
// `doing`: what the work is at; lives for ever. `name`: of what, if that is known.
void check_budget(std::string_view doing, std::string_view name = {});
// The same of work outside the engine: `doing` may die, and no interrupt is heard.
void check_work(std::string_view doing);

// Looks now and then. For what takes less. Throws as check_budget.
inline void count_work(std::string_view doing, size_t n_units = 1) {
  thread_work.n_units_left -= static_cast<int64_t>(n_units);
  if (thread_work.n_units_left < 0) [[unlikely]]
    check_budget(doing);
}

// What a budget's owner may do, for a message: "raise EngineOptions.max_work_bytes".
std::string_view bytes_remedy();
// What this thread was at when it was last looked at.
std::string_view last_work();

}  // namespace xg2lab
