// A step is computed from the edges of the rules' machines once, then looked up by byte class.
#include "parse/inner_sets.h"

#include <algorithm>
#include <utility>

#include "support/sort_unique.h"

namespace xg2lab {

InnerSets::Id InnerSets::of(const Places& places) {
  const Id id = sets_.of(places);
  while (rows_.size() <= id) {
    Row row(program_.n_byte_classes());
    rows_.append() = std::move(row);
    n_owned_bytes_ += program_.n_byte_classes() * sizeof(uint32_t);
  }
  return id;
}

const InnerSets::Step& InnerSets::step(Id id, uint8_t byte) {
  const uint8_t byte_class = program_.byte_class(byte);
  if (const uint32_t known = rows_[id][byte_class]) return steps_[known - 1];
  Step found = find_step(sets_[id], byte);
  n_owned_bytes_ += found.ended.capacity() * sizeof(Ended) + found.slots.capacity() * sizeof(Slot);
  Step& step = steps_.append();
  step = std::move(found);
  rows_[id][byte_class] = static_cast<uint32_t>(steps_.size());
  return step;
}

InnerSets::Step InnerSets::find_step(const Places& places, uint8_t byte) {
  Step step;
  Places next;
  for (const auto& [state, goal, slot] : places) {
    for (const TerminalEdge& edge : program_.terminals(state)) {
      if (edge.range.lo > byte) break;
      if (!edge.range.contains(byte)) continue;
      step.meets_call = step.meets_call || !program_.calls(edge.to).empty();
      if (program_.is_scannable(edge.to)) next.push_back({edge.to, goal, slot});
      if (program_.is_accepting(edge.to)) step.ended.push_back({goal, slot});
    }
  }
  sort_unique(step.ended);
  if (next.empty() || step.meets_call) return step;
  // Slots are renumbered from 0 in the order in which the sorted places use them. The numbering of
  // the previous set does not matter, so fewer different sets arise.
  sort_unique(next);
  for (Place& place : next) {
    const auto known = std::find(step.slots.begin(), step.slots.end(), place.slot);
    const auto slot = static_cast<Slot>(known - step.slots.begin());
    if (known == step.slots.end()) step.slots.push_back(place.slot);
    place.slot = slot;
  }
  sort_unique(next);
  step.next = of(next);
  return step;
}

}  // namespace xg2lab
