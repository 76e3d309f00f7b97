// Measures the time of making machines: a clock for each phase, and the numbers of states before
// and after.
//
// Tests: tests/core/test_compile_phases.py
//
// IDEA
//   Lowering runs the same few phases for each of many rules, in sequence and nested. A PhaseClock
//   belongs to the thread as long as it is on the thread's stack; the code of a phase declares the
//   phase by a Phased object. A nested phase stops the outer phase's clock, so the phases add up to
//   the total.
//
//   A phase is named after its file. The caller lists the names; a phase that is not in the list
//   counts as the last one, which is the rest.
//
// COST      without a clock, reading a pointer; otherwise reading the wall clock twice, 20 ns each.
// THREADS   a PhaseClock applies to the thread that made it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace xg2lab {

struct PhaseFacts {
  std::string_view name;  // a string literal
  uint64_t ns = 0;
  size_t n_machines = 0;
  size_t n_states_before = 0;  // 0: the machines were made from expressions
  size_t n_states_after = 0;
};
using PhaseTable = std::vector<PhaseFacts>;  // last: all other work

class PhaseClock {
 public:
  // Adds to `table` during its lifetime. Null or empty: records nothing.
  explicit PhaseClock(PhaseTable* table);
  ~PhaseClock();
  PhaseClock(const PhaseClock&) = delete;
  PhaseClock& operator=(const PhaseClock&) = delete;

 private:
  friend class Phased;
  size_t rest() const { return table_->size() - 1; }
  size_t index_of(std::string_view phase) const;
  size_t go_on_with(size_t phase);  // returns the previous phase

  PhaseTable* const table_;
  PhaseClock* const outer_;
  size_t at_ = 0;  // index in the table
  std::chrono::steady_clock::time_point since_;
};

// Switches the innermost clock to `phase` for the rest of the scope.
class Phased {
 public:
  // `phase`: a string literal.
  explicit Phased(std::string_view phase);
  ~Phased() {
    if (clock_ != nullptr) clock_->go_on_with(before_);
  }
  Phased(const Phased&) = delete;
  Phased& operator=(const Phased&) = delete;

  // Records a machine made from one with `n_before` states; 0: from an expression.
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
