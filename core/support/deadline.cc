#include "support/deadline.h"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

#include "support/error.h"

namespace xg2lab {
namespace {

thread_local const Deadline* innermost = nullptr;

std::string in_seconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", seconds);
  return text;
}

double now_by_wall() {
  const auto wall = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(wall).count();
}

double now(DeadlineClock clock) {
  if (clock == DeadlineClock::kThread) {
    timespec time{};
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0)
      return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  return now_by_wall();
}

}  // namespace

Deadline::Deadline(double seconds, std::string_view limit, std::string_view remedy,
                   DeadlineClock clock)
    : seconds_(seconds),
      clock_(clock),
      begin_(now(clock)),
      begin_by_wall_(now_by_wall()),
      limit_(limit),
      remedy_(remedy),
      outer_(innermost) {
  innermost = this;
}

Deadline::~Deadline() { innermost = outer_; }

void Deadline::check(std::string_view doing) const {
  if (now_by_wall() - begin_by_wall_ <= seconds_ || now(clock_) - begin_ <= seconds_) return;
  throw Error(ErrorKind::kLimitError,
              "this takes longer than " + std::string(limit_) + ", " + in_seconds(seconds_) +
                  ": given up at " + std::string(doing),
              std::string(remedy_));
}

void check_deadline(std::string_view doing) {
  if (innermost != nullptr) innermost->check(doing);
}

}  // namespace xg2lab
