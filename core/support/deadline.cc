#include "support/deadline.h"

#include <cstdio>
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

}  // namespace

Deadline::Deadline(double seconds, std::string_view limit, std::string_view remedy)
    : seconds_(seconds),
      begin_(std::chrono::steady_clock::now()),
      limit_(limit),
      remedy_(remedy),
      outer_(innermost) {
  innermost = this;
}

Deadline::~Deadline() { innermost = outer_; }

void Deadline::check(std::string_view doing) const {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
  if (passed.count() <= seconds_) return;
  throw Error(ErrorKind::kLimitError,
              "this takes longer than " + std::string(limit_) + ", " + in_seconds(seconds_) +
                  ": given up at " + std::string(doing),
              std::string(remedy_));
}

void check_deadline(std::string_view doing) {
  if (innermost != nullptr) innermost->check(doing);
}

}  // namespace xg2lab
