// Pauses grow, so that a short wait stays short and a long wait costs little.
#include "support/heard_lock.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "support/budget.h"
#include "support/interrupts.h"

namespace xg2lab {

std::unique_lock<std::mutex> heard_lock(std::mutex& mutex, std::string_view doing) {
  constexpr std::chrono::microseconds kLongestPause{2000};
  std::unique_lock lock(mutex, std::try_to_lock);
  if (lock.owns_lock()) return lock;
  if (thread_work.hears == Hears::kWhenLong) begin_to_hear();
  if (thread_work.hears == Hears::kNothing) {
    lock.lock();
    return lock;
  }
  for (std::chrono::microseconds pause{20}; !lock.try_lock();
       pause = std::min(2 * pause, kLongestPause)) {
    check_budget(doing);
    std::this_thread::sleep_for(pause);
  }
  return lock;
}

}  // namespace xg2lab
