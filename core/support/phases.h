// Where the time of making machines goes: one clock for each phase, and the states that went in and came out.
//
// Tests: tests/core/test_compile_phases.py
//
// IDEA
//   Lowering goes through the same few phases for each of many rules, one after the other and within each other. A PhaseClock
//   belongs to the thread for as long as it stands in one of the thread's frames; the code of a phase declares it by a Phased.
//   A phase within a phase stops the outer one's clock, so the phases add up to the whole.
//
//   A phase is a name, that of its file. Whoever asks for the times lists the names; a phase that is not in the list counts
//   as the list's last, which is the rest.
//
// COST      a look at a pointer where no clock stands; else two looks at the wall's clock, 20 ns each.
// THREADS   a PhaseClock holds for the thread that made it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace xg2lab {

struct PhaseFacts {
  std::string_view name;  // of a literal
  uint64_t ns = 0;
  size_t n_machines = 0;
  size_t n_states_before = 0;  // 0: the machines were made of expressions
  size_t n_states_after = 0;
};
using PhaseTable = std::vector<PhaseFacts>;  // the last: all other work

class PhaseClock {
 public:
  // Adds to `table`, from now on and until it is destroyed; null, or empty: nothing is written down.
  explicit PhaseClock(PhaseTable* table);
  ~PhaseClock();
  PhaseClock(const PhaseClock&) = delete;
  PhaseClock& operator=(const PhaseClock&) = delete;

 private:
  friend class Phased;
  size_t rest() const { return table_->size() - 1; }
  size_t index_of(std::string_view phase) const;
  size_t go_on_with(size_t phase);  // returns the phase before

  PhaseTable* const table_;
  PhaseClock* const outer_;
  size_t at_ = 0;  // index in the table
  std::chrono::steady_clock::time_point since_;
};

// The innermost clock is at `phase` until the end of the frame.
class Phased {
 public:
  // `phase`: a literal.
  explicit Phased(std::string_view phase);
  ~Phased() {
    if (clock_ != nullptr) clock_->go_on_with(before_);
  }
  Phased(const Phased&) = delete;
  Phased& operator=(const Phased&) = delete;

  // A machine was made, of another with `n_before` states; 0: of expressions.
  void made(size_t n_before, size_t n_after) {
    if (clock_ != nullptr) note(n_before, n_after);
  }

 private:
  void note(size_t n_before, size_t n_after);

  PhaseClock* const clock_;
  size_t phase_ = 0;
  size_t before_ = 0;
};

}  // namespace xg2lab
