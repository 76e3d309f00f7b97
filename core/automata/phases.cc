// The thread's clock, and the one place where it is read.
#include "automata/phases.h"

namespace xg2lab {
namespace {

thread_local PhaseClock* innermost = nullptr;

constexpr std::array<std::string_view, kNPhases> kNames{
    "known_machines", "thompson",         "determinize", "minimize", "remove_epsilon",
    "regular_rules",  "dispatch_machine", "member_trie", "program",
};

}  // namespace

std::string_view phase_name(Phase phase) { return kNames[static_cast<size_t>(phase)]; }

PhaseClock::PhaseClock(PhaseTable* table) : table_(table), outer_(innermost) {
  if (table_ == nullptr) return;
  innermost = this;
  since_ = std::chrono::steady_clock::now();
}

PhaseClock::~PhaseClock() {
  if (table_ == nullptr) return;
  go_on_with(Phase::kProgram);
  innermost = outer_;
}

Phase PhaseClock::go_on_with(Phase phase) {
  const auto now = std::chrono::steady_clock::now();
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now - since_);
  (*table_)[static_cast<size_t>(at_)].ns += static_cast<uint64_t>(ns.count());
  since_ = now;
  const Phase before = at_;
  at_ = phase;
  return before;
}

Phased::Phased(Phase phase) : clock_(innermost), phase_(phase) {
  if (clock_ != nullptr) before_ = clock_->go_on_with(phase);
}

void Phased::note(size_t n_before, size_t n_after) {
  PhaseFacts& facts = (*clock_->table_)[static_cast<size_t>(phase_)];
  ++facts.n_machines;
  facts.n_states_before += n_before;
  facts.n_states_after += n_after;
}

}  // namespace xg2lab
