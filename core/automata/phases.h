// Where the time of making machines goes: one clock a phase, and how many states went in and came out.
//
// Tests: tests/core/test_compile_phases.py
//
// IDEA
//   Lowering does the same few things for each of many rules, in turn and within each other. A clock belongs to the thread for as
//   long as a PhaseClock stands in one of its frames; whoever does a part of the work says so with a Phased. A phase within a phase
//   stops the outer one's clock, so the phases add up to the whole.
//
// COST      a look at a pointer where nobody wants to know; else two looks at the wall's clock, 20 ns each.
// THREADS   a PhaseClock holds for the thread that made it.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace xg2lab {

// What is none of the others is kProgram: machines put beside each other, and what is found out about all of them.
enum class Phase : uint8_t {
  kKnownMachines,
  kThompson,
  kDeterminize,
  kMinimize,
  kRemoveEpsilon,
  kRegularRules,
  kDispatchMachine,
  kMemberTrie,
  kProgram,
};
constexpr size_t kNPhases = static_cast<size_t>(Phase::kProgram) + 1;
// The names of their files: "known_machines", "thompson", "determinize", ...
std::string_view phase_name(Phase phase);

struct PhaseFacts {
  uint64_t ns = 0;
  size_t n_machines = 0;
  size_t n_states_before = 0;  // 0: they were made of expressions
  size_t n_states_after = 0;
};
using PhaseTable = std::array<PhaseFacts, kNPhases>;  // index: Phase

class PhaseClock {
 public:
  // Adds to `table`, from now on and until it is destroyed; null: nothing is written down.
  explicit PhaseClock(PhaseTable* table);
  ~PhaseClock();
  PhaseClock(const PhaseClock&) = delete;
  PhaseClock& operator=(const PhaseClock&) = delete;

 private:
  friend class Phased;
  Phase go_on_with(Phase phase);  // returns what it was at

  PhaseTable* const table_;
  PhaseClock* const outer_;
  Phase at_ = Phase::kProgram;
  std::chrono::steady_clock::time_point since_;
};

// The innermost clock is at `phase` until the end of the frame.
class Phased {
 public:
  explicit Phased(Phase phase);
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
  const Phase phase_;
  Phase before_ = Phase::kProgram;
};

}  // namespace xg2lab
