// Read: make (the simplest form of a set), then the operations. Each operation handles the common
// case first: a set of one number.
#include "parse/counts.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "support/error.h"

namespace xg2lab {
namespace {

// Sorts the intervals and joins two of them if the windows of the counts around the gap touch
// (counts.h). Numbers above max are dropped.
CountIntervals joined(CountIntervals intervals, const Repetition& r) {
  std::sort(intervals.begin(), intervals.end());
  const uint32_t most_gap = r.max - r.min;  // width of a gap that may be filled in
  CountIntervals out;
  for (CountInterval interval : intervals) {
    if (interval.lo > r.max) break;
    interval.hi = std::min(interval.hi, r.max);
    if (!out.empty() &&
        (interval.lo <= out.back().hi || interval.lo - out.back().hi - 1 <= most_gap)) {
      out.back().hi = std::max(out.back().hi, interval.hi);
    } else {
      out.push_back(interval);
    }
  }
  return out;
}

}  // namespace

CountSets::CountSets(const Program& program)
    : program_(program), member_sets_(program.any_order_rules().size()) {}

CountSets::~CountSets() {
  for (std::atomic<MemberSets*>& sets : member_sets_) delete sets.load(std::memory_order_relaxed);
}

MemberSets& CountSets::members_of(uint32_t number) const {
  std::atomic<MemberSets*>& place = member_sets_[number];
  MemberSets* known = place.load(std::memory_order_acquire);
  if (known == nullptr) {
    auto made = std::make_unique<MemberSets>(
        program_.rule(program_.any_order_rules()[number]).any_order->bounds);
    if (place.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) {
      known = made.release();
      n_member_bytes_.fetch_add(sizeof(MemberSets) + known->memory_size_bytes(),
                                std::memory_order_relaxed);
    }
  }
  return *known;
}

Counts CountSets::unite(StateId state, Counts a, Counts b) {
  switch (program_.kind(state)) {
    case StateKind::kPlain: return std::min(a, b);  // tokens: the smaller number allows more
    case StateKind::kCounted: return unite(a, b, *program_.repetition(state));
    case StateKind::kAnyOrder:
    case StateKind::kMember: break;
  }
  return changed(state, [&](MemberSets& sets) { return sets.unite(a.word, b.word); });
}

Counts CountSets::of_any_context(StateId state) {
  switch (program_.kind(state)) {
    case StateKind::kPlain: return {};
    case StateKind::kCounted: return any(*program_.repetition(state));
    case StateKind::kAnyOrder:
    case StateKind::kMember: break;
  }
  return {MemberSets::kAny};
}

Counts CountSets::adopt(const CountSets& other, StateId state, Counts counts) {
  switch (program_.kind(state)) {
    case StateKind::kPlain: return counts;
    case StateKind::kCounted: return make(other.intervals(counts), *program_.repetition(state));
    case StateKind::kAnyOrder:
    case StateKind::kMember: break;
  }
  const MemberSets& theirs = other.members(state);
  return changed(state, [&](MemberSets& sets) { return sets.adopt(theirs, counts.word); });
}

Counts CountSets::make(CountIntervals intervals, const Repetition& r) {
  if (!r.has_max()) {  // the largest count replaces all others
    uint32_t most = 0;
    for (const CountInterval& interval : intervals) most = std::max(most, interval.hi);
    return {std::min(most, r.min)};
  }
  CountIntervals set = joined(std::move(intervals), r);
  for (size_t i = 0; i < set.size(); ++i) {
    if (set[i].hi < r.min) continue;
    set[i].hi = std::max(set[i].lo, r.min);  // the smallest count from min on replaces the rest
    set.resize(i + 1);
  }
  if (set.size() == 1 && set[0].lo == set[0].hi) return {set[0].lo};
  return {sets_.of(set) | Counts::kIsSet};
}

Counts CountSets::next(Counts counts, const Repetition& r) {
  if (counts.is_one()) return {r.has_max() ? counts.word + 1 : std::min(counts.word + 1, r.min)};
  CountIntervals moved = intervals(counts);
  for (CountInterval& interval : moved) {
    ++interval.lo;
    ++interval.hi;
  }
  return make(std::move(moved), r);
}

Counts CountSets::unite(Counts a, Counts b, const Repetition& r) {
  if (a == b) return a;
  if (a.is_one() && b.is_one() && a.word >= r.min && b.word >= r.min) return std::min(a, b);
  CountIntervals all = intervals(a);
  const CountIntervals more = intervals(b);
  all.insert(all.end(), more.begin(), more.end());
  return make(std::move(all), r);
}

// A count more than `reach` below min becomes min - reach - 1: the repetition can't end within
// `reach` iterations. A count from min on and more than `reach` below max becomes min: the
// repetition may end or continue at each of these iterations.
Counts CountSets::clamp(Counts counts, const Repetition& r, uint32_t reach) {
  const auto moved = [&](uint32_t count) {
    if (count < r.min) return r.min - count > reach ? r.min - reach - 1 : count;
    return r.has_max() && r.max - count <= reach ? count : r.min;
  };
  if (counts.is_one()) return {moved(counts.word)};
  CountIntervals all = intervals(counts);
  for (CountInterval& interval : all) interval = {moved(interval.lo), moved(interval.hi)};
  return make(std::move(all), r);
}

void CountSets::check_invariants() const {
  std::set<CountIntervals> sets;
  // List 0 is the empty list, which is not a set of counts.
  for (uint32_t index = 1; index < sets_.size(); ++index) {
    const std::span<const CountInterval> set = sets_[index];
    XG2LAB_ASSERT(sets.emplace(set.begin(), set.end()).second, "counts I2");
    XG2LAB_ASSERT(!set.empty() && set.front().lo < set.back().hi, "counts I1: two numbers or more");
    for (size_t i = 0; i < set.size(); ++i) {
      XG2LAB_ASSERT(set[i].lo <= set[i].hi, "counts I1: intervals are not empty");
      const bool is_apart = i == 0 || set[i].lo > set[i - 1].hi + 1;
      XG2LAB_ASSERT(is_apart, "counts I1: sorted, and joined where they touch");
    }
  }
}

std::string counts_text(const CountIntervals& intervals) {
  constexpr size_t kShown = 3;
  std::string text;
  for (size_t i = 0; i < intervals.size() && i < kShown; ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(intervals[i].lo);
    if (intervals[i].hi > intervals[i].lo) text += " to " + std::to_string(intervals[i].hi);
  }
  return intervals.size() > kShown ? text + ", …" : text;
}

}  // namespace xg2lab
