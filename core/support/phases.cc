// The thread's clock, and the only code that reads it.
#include "support/phases.h"

#include <algorithm>

namespace xg2lab {
namespace {

thread_local PhaseClock* innermost = nullptr;

}  // namespace

PhaseClock::PhaseClock(PhaseTable* table)
    : table_(table != nullptr && !table->empty() ? table : nullptr), outer_(innermost) {
  if (table_ == nullptr) return;
  innermost = this;
  at_ = rest();
  since_ = std::chrono::steady_clock::now();
}

PhaseClock::~PhaseClock() {
  if (table_ == nullptr) return;
  go_on_with(rest());
  innermost = outer_;
}

size_t PhaseClock::index_of(std::string_view phase) const {
  const auto found = std::ranges::find(*table_, phase, &PhaseFacts::name);
  return found == table_->end() ? rest() : static_cast<size_t>(found - table_->begin());
}

size_t PhaseClock::go_on_with(size_t phase) {
  const auto now = std::chrono::steady_clock::now();
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now - since_);
  (*table_)[at_].ns += static_cast<uint64_t>(ns.count());
  since_ = now;
  const size_t before = at_;
  at_ = phase;
  return before;
}

Phased::Phased(std::string_view phase) : clock_(innermost) {
  if (clock_ == nullptr) return;
  phase_ = clock_->index_of(phase);
  before_ = clock_->go_on_with(phase_);
}

void Phased::note(size_t n_before, size_t n_after) {
  PhaseFacts& facts = (*clock_->table_)[phase_];
  ++facts.n_machines;
  facts.n_states_before += n_before;
  facts.n_states_after += n_after;
}

}  // namespace xg2lab
