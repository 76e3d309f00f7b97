#include "parse/row_follow.h"

#include <utility>

#include "parse/first_follow.h"

namespace xg2lab {

void add_range(RowBytes& bytes, ByteRange range) {
  static const RowBytes all = ~RowBytes();
  bytes |= (all << range.lo) & (all >> (255u - range.hi));
}

void RowFollow::find_first_and_follow() {
  FirstFollow<RowBytes> found(program_);
  for (uint32_t s = 0; s < program_.n_states(); ++s) {
    for (const TerminalEdge& edge : program_.terminals(StateId(s)))
      add_range(found.first[s], edge.range);
  }
  found.settle();
  first_ = std::move(found.first);
  follow_ = std::move(found.follow);
}

const RowBytes& RowFollow::of(uint32_t row, const RowBytes& scanned,
                              std::span<const CalledRule> called,
                              std::span<const EndedGoal> ended) {
  if (follow_.empty()) find_first_and_follow();
  while (of_row_.size() <= row) of_row_.append();
  RowBytes found = scanned;
  for (const CalledRule& each : called) found |= first_[program_.rule(each.rule).start().index()];
  for (const EndedGoal& each : ended) found |= follow_[each.goal.index()];
  return of_row_[row].emplace(found);
}

}  // namespace xg2lab
