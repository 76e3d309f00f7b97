// Read: creation and destruction of a Budget, the check (check_budget), then allow_bytes, which
// operator new calls.
#include "support/budget.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

#include "support/counted_memory.h"
#include "support/error.h"
#include "support/interrupts.h"
#include "support/text.h"

namespace xg2lab {

constinit thread_local ThreadWork thread_work;

namespace {

constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max();
// Time limits are meant for normal builds; a sanitizer slows the work by about this factor.
#if defined(XG2LAB_SANITIZED)
constexpr double kStretch = 20;
#else
constexpr double kStretch = 1;
#endif
// Beyond its budget a thread may allocate kLeeway until the next count of work, and kReserve more
// after each throw, so that it can report the error.
constexpr int64_t kLeeway = int64_t{16} << 20;
constexpr int64_t kReserve = int64_t{4} << 20;

// Work is short until the wall clock has run for so many seconds since the first check. Short work
// reads no clock of the thread and installs no handler of interrupts: seven system calls, about
// 3 us, which would be a third of the time of a usual mask.
constexpr double kShortSeconds = 100e-6;

constexpr std::string_view kNowhere = "beginning";
// Enclosing terms of Python that don't limit.
constexpr WorkLimits kNoLimits{std::numeric_limits<double>::infinity(),
                               std::numeric_limits<size_t>::max()};

thread_local std::string_view at_work = kNowhere;
thread_local int64_t reserve = 0;

double now_by_wall() {
  const auto wall = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(wall).count();
}

double now_of_thread() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
  timespec time{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0)
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
#endif
  return now_by_wall();
}

int64_t end_of(const WorkTerms& terms) {
  if (terms.is_abandoned) return kNoEnd;
  const bool has_end = terms.limits.bytes < static_cast<size_t>(kNoEnd - terms.begin_bytes) / 4;
  return has_end ? terms.begin_bytes + static_cast<int64_t>(terms.limits.bytes) : kNoEnd;
}

int64_t end_of_all(const WorkTerms* terms) {
  int64_t end = kNoEnd - 1;  // a Budget is in force
  for (; terms != nullptr; terms = terms->outer) end = std::min(end, end_of(*terms));
  return end;
}

const char* seconds_option(Work work) {
  return work == Work::kMask ? "EngineOptions.max_mask_seconds"
                             : "EngineOptions.max_compile_seconds";
}

const char* seconds_remedy(Work work) {
  return work == Work::kMask
             ? "raise max_mask_seconds, or make the grammar less ambiguous: look for rules that "
               "may be empty and call each other"
             : "raise max_compile_seconds (for Grammar.from_...: with xg2lab.work_limits"
               "(max_seconds=...)), or make the grammar smaller: look for large bounds in "
               "repetitions "
               "and for alternatives with long common beginnings";
}

std::string at(std::string_view doing, std::string_view name) {
  std::string text = ": stopped while ";
  text += doing;
  if (!name.empty()) text.append(" `").append(name).append("`");
  return text;
}

[[noreturn]] void refuse_time(const WorkTerms& terms, std::string_view doing,
                              std::string_view name) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g s", terms.limits.seconds);
  throw Error(
      ErrorKind::kLimitError,
      concat("this takes longer than ", seconds_option(terms.work), ", ", seconds, at(doing, name)),
      seconds_remedy(terms.work));
}

[[noreturn]] void refuse_bytes(const WorkTerms& terms, std::string_view doing,
                               std::string_view name) {
  reserve += kReserve;
  throw Error(
      ErrorKind::kLimitError,
      concat("this takes more memory than ", terms.work == Work::kMask ? "half of " : "",
             "EngineOptions.max_work_bytes, ", terms.limits.bytes, " bytes", at(doing, name)),
      std::string(bytes_remedy()));
}

void look_at_time(const WorkTerms& terms, double wall, std::string_view doing,
                  std::string_view name) {
  if (terms.is_abandoned) return;
  const double seconds = kStretch * terms.limits.seconds;
  if (terms.clocks == Clocks::kNone) {
    terms.begin_by_wall = wall;
    terms.clocks = Clocks::kWall;
  }
  if (terms.clocks == Clocks::kWall) {
    if (terms.limits.seconds > kShortSeconds && wall - terms.begin_by_wall <= kShortSeconds) return;
    terms.begin = now_of_thread();
    terms.clocks = Clocks::kWallAndThread;
    return;
  }
  // The wall clock never runs behind the thread's clock, so the thread's clock, a system call, is
  // read only after the wall clock has run out.
  if (wall - terms.begin_by_wall <= seconds || now_of_thread() - terms.begin <= seconds) return;
  refuse_time(terms, doing, name);
}

bool is_long(double wall) {
  const WorkTerms* terms = thread_work.terms;
  while (terms != nullptr && terms->outer != nullptr) terms = terms->outer;
  return terms == nullptr ||
         (terms->clocks != Clocks::kNone && wall - terms->begin_by_wall > kShortSeconds);
}

void look_at_terms(double wall, std::string_view doing, std::string_view name) {
  for (const WorkTerms* terms = thread_work.terms; terms != nullptr; terms = terms->outer) {
    if (thread_work.n_bytes > end_of(*terms)) refuse_bytes(*terms, doing, name);
    look_at_time(*terms, wall, doing, name);
  }
}

// This thread's innermost terms that apply. Deletes terms that were left and have no terms nested
// in them.
const WorkTerms* terms_in_force() {
  const WorkTerms*& terms = thread_work.terms;
  while (terms != nullptr && terms->is_abandoned) {
    const WorkTerms* left = terms;
    terms = left->outer;
    delete left;
  }
  return terms;
}

}  // namespace

// ---- Python's terms: enter and leave ----

const WorkTerms* enter_terms(const WorkLimits& limits) {
  auto* terms = new WorkTerms{Work::kCompile, limits, thread_work.n_bytes, terms_in_force()};
  terms->begin_by_wall = now_by_wall();
  terms->begin = now_of_thread();
  terms->clocks = Clocks::kWallAndThread;
  thread_work.terms = terms;
  return terms;
}

void leave_terms(const WorkTerms* terms) {
  terms->is_abandoned = true;
  terms_in_force();
}

// ---- A Budget: creation and destruction ----

Budget::Budget(const WorkLimits& limits, Work work)
    : terms_{work, limits, thread_work.n_bytes, terms_in_force()},
      outer_(thread_work.terms),
      outer_most_bytes_(thread_work.most_bytes) {
  if (outer_ == nullptr) at_work = kNowhere;
  thread_work.terms = &terms_;
  thread_work.most_bytes = end_of_all(&terms_);
  // The first checks come early, so that work of slow units is soon found to be long: an interrupt
  // that comes before is heard only after the work.
  if (outer_ == nullptr) thread_work.n_units_left = thread_work.n_units_between = kFirstUnits;
}

Budget::Budget(Work work)
    : Budget(terms_in_force() != nullptr ? kNoLimits
             : work == Work::kMask       ? kUsualMaskLimits
                                         : kUsualCompileLimits,
             work) {}

Budget::~Budget() {
  thread_work.terms = outer_;
  thread_work.most_bytes = outer_most_bytes_;
  if (outer_most_bytes_ == kNoEnd) reserve = 0;
}

// ---- A check ----

void check_budget(std::string_view doing, std::string_view name) {
  ThreadWork& mine = thread_work;
  mine.n_units_between = std::min(2 * mine.n_units_between, kUnitsPerLook);
  mine.n_units_left = mine.n_units_between;
  at_work = doing;
  const double wall = now_by_wall();
  if (mine.hears == Hears::kWhenLong && is_long(wall)) begin_to_hear();
  if (mine.hears == Hears::kInterrupts && is_interrupted()) throw Interrupted{};
  look_at_terms(wall, doing, name);
}

void check_work(std::string_view doing) { look_at_terms(now_by_wall(), doing, {}); }

std::string_view last_work() { return at_work; }

std::string_view bytes_remedy() {
  return "raise max_work_bytes (for Grammar.from_...: with xg2lab.work_limits(max_bytes=...)), or "
         "make "
         "the text smaller";
}

// ---- Calls from operator new ----

void check_bytes(std::string_view doing, size_t n_bytes) {
  const WorkTerms usual{Work::kCompile, kUsualCompileLimits, thread_work.n_bytes, nullptr};
  const WorkTerms* terms = terms_in_force() != nullptr ? thread_work.terms : &usual;
  for (; terms != nullptr; terms = terms->outer) {
    const int64_t end = end_of(*terms);
    if (end != kNoEnd && static_cast<int64_t>(n_bytes) > end - thread_work.n_bytes)
      refuse_bytes(*terms, doing, {});
  }
}

void allow_bytes(int64_t n_bytes) {
  ThreadWork& mine = thread_work;
  mine.n_units_left = 0;  // the next count of work checks
  if (mine.most_bytes >= kNoEnd - 1) return;
  for (const WorkTerms* terms = mine.terms; terms != nullptr; terms = terms->outer) {
    const int64_t end = end_of(*terms);
    if (end == kNoEnd) continue;
    const auto leeway = static_cast<int64_t>(terms->limits.bytes / 4) + kLeeway + reserve;
    if (mine.n_bytes + n_bytes > end + leeway) refuse_bytes(*terms, at_work, {});
  }
}

}  // namespace xg2lab
