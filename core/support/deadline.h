// A deadline for one piece of work: whoever does a part of it asks now and then whether there is time left.
//
// Tests: tests/core/test_limits.py
//
// IDEA
//   Compiling goes through a dozen layers that have nothing to do with time. So the deadline belongs to the thread,
//   for as long as a Deadline stands in one of its frames, and the loops that may be long ask for it by check_deadline.
//   Without a Deadline that costs a look at a pointer.
//
//   What a caller waits for is the wall's time; what a text is worth is the processor's, which is the same however busy the machine is.
//
// COST      a look at the wall's clock, 20 ns. A thread's clock is a call of the system, 340 ns, and it never runs ahead of the wall's: so it is
//           asked only when the wall says that the time may be over.
// THREADS   a Deadline holds for the thread that made it.
#pragma once

#include <cstdint>
#include <string_view>

namespace xg2lab {

enum class DeadlineClock : uint8_t { kWall, kThread };  // kThread: this thread's processor time

class Deadline {
 public:
  // `limit` and `remedy` are for the message: the option's name, and what its owner may do.
  Deadline(double seconds, std::string_view limit, std::string_view remedy,
           DeadlineClock clock = DeadlineClock::kWall);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  // Throws LimitError if the time is over. `doing`: what the work is at.
  void check(std::string_view doing) const;

 private:
  const double seconds_;
  const DeadlineClock clock_;
  const double begin_;  // seconds
  const double begin_by_wall_;
  const std::string_view limit_;
  const std::string_view remedy_;
  const Deadline* const outer_;
};

// Of the innermost Deadline of this thread; nothing if there is none.
void check_deadline(std::string_view doing);

}  // namespace xg2lab
