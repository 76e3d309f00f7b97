// Clamped columns: counts far from their bounds are replaced by representatives, in a column and in
// all columns that it refers to.
// Read: clamped, clamp_callers (origins first), callers_of.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "parse/column_table.h"
#include "support/budget.h"
#include "support/sort_unique.h"

namespace xg2lab {
namespace {

constexpr size_t kManyGoals = 8;
constexpr RuleId kAllGoals{UINT32_MAX};  // as a call's goal: every rule

}  // namespace

ColumnId ColumnTable::clamped(ColumnId column, uint32_t reach) {
  const bool has_counts = program_->has_repetitions() || program_->has_budgets();
  if (!has_counts || column <= kDead) return column;
  const std::lock_guard lock(mutex_);
  const Indivisible indivisible;
  const Column& of = columns_[column.index()];
  const std::vector<WaitingItem> waiting(of.waiting.begin(), of.waiting.end());
  try {
    clamp_callers(of.own, waiting, reach);
  } catch (...) {
    callers_.clear();  // some calls were added without a column
    throw;
  }
  std::vector<Item> scannable;
  for (const Item& item : of.own) scannable.push_back(clamped(item, reach));
  sort_unique(scannable);
  return intern_clamped(scannable, waiting, of.is_complete, reach);
}

// Fills callers_ for the calls that these items refer to, directly or through the waiting items of
// earlier columns.
void ColumnTable::clamp_callers(std::span<const Item> scannable,
                                std::span<const WaitingItem> waiting, uint32_t reach) {
  struct Needed {
    Call call;
    Call source;  // the call whose column is used: itself, or kAllGoals at its origin
    bool is_shared() const { return call.key() != source.key(); }
  };
  std::vector<Needed> needed;
  // Whether callers_of() reaches many goals within the origin column. One column of all its waiting
  // items is then cheaper than one column for each goal.
  const auto reaches_many = [&](Call call) {
    std::vector<RuleId> goals{call.goal};
    for (size_t i = 0; i < goals.size(); ++i) {
      for (const WaitingItem& item : waiting_for(call.origin, goals[i])) {
        const RuleId goal = item.after.goal;
        if (item.after.origin != kSelf || std::ranges::find(goals, goal) != goals.end()) continue;
        goals.push_back(goal);
        if (goals.size() > kManyGoals) return true;
      }
    }
    return false;
  };
  const auto add = [&](Call call, Call source) {
    if (callers_.add(call.key(), kUnknown).is_new) needed.push_back({call, source});
  };
  const auto need = [&](const Item& item) {
    if (item.origin <= kDead || item.origin == kSelf) return;
    const Call call{without_mark(item.origin), item.goal};
    if (callers_.contains(call.key())) return;
    const Call source{call.origin, reaches_many(call) ? kAllGoals : call.goal};
    add(source, source);
    add(call, source);
  };
  for (const Item& item : scannable) need(item);
  for (const WaitingItem& item : waiting) need(item.after);
  for (size_t i = 0; i < needed.size(); ++i) {
    if (needed[i].is_shared()) continue;
    const std::vector<WaitingItem> callers = callers_of(needed[i].call);
    for (const WaitingItem& item : callers) need(item.after);
    count_work("counting repetitions", callers.size() + 1);
  }
  // Earlier origins first: a column is interned after all columns that it refers to (I2).
  std::ranges::sort(needed, {},
                    [](const Needed& one) { return std::pair(one.call.origin, one.is_shared()); });
  for (const auto& [call, source] : needed) {
    callers_.at(call.key()) = call.key() != source.key()
                                  ? callers_.at(source.key())
                                  : intern_clamped({}, callers_of(call), false, reach).value;
  }
}

// The items that wait for the call, and the items of the same column that wait, directly or
// indirectly, for the rules of these.
std::vector<WaitingItem> ColumnTable::callers_of(Call call) const {
  if (call.goal == kAllGoals) {
    const std::span<const WaitingItem> all = columns_[call.origin.index()].waiting;
    return {all.begin(), all.end()};
  }
  std::vector<WaitingItem> callers;
  std::unordered_set<RuleId> known{call.goal};
  std::vector<RuleId> goals{call.goal};
  for (size_t i = 0; i < goals.size(); ++i) {
    for (const WaitingItem& item : waiting_for(call.origin, goals[i])) {
      callers.push_back(item);
      if (item.after.origin == kSelf && known.insert(item.after.goal).second)
        goals.push_back(item.after.goal);
    }
  }
  return callers;
}

Item ColumnTable::clamped(Item item, uint32_t reach) {
  if (item.origin > kDead && item.origin != kSelf)
    item.origin = ColumnId(callers_.at(Call{without_mark(item.origin), item.goal}.key()));
  switch (program_->kind(item.state)) {
    case StateKind::kPlain: item.counts = {}; break;  // number of tokens: no tick occurs in a mask
    case StateKind::kCounted:
      item.counts = count_sets_.clamp(item.counts, *program_->repetition(item.state), reach);
      break;
    case StateKind::kAnyOrder:
    case StateKind::kMember: break;
  }
  return item;
}

ColumnId ColumnTable::intern_clamped(std::span<const Item> scannable,
                                     std::vector<WaitingItem> waiting, bool is_complete,
                                     uint32_t reach) {
  for (WaitingItem& item : waiting) item.after = clamped(item.after, reach);
  sort_unique(waiting);
  unite_places(waiting);
  return intern(scannable, waiting, is_complete);
}

// Unites neighbours of one place. Clamping may make different origins equal; items that then differ
// only in their counts become one item with the union of the counts.
void ColumnTable::unite_places(std::vector<WaitingItem>& waiting) {
  size_t n_kept = 0;
  for (const WaitingItem& item : waiting) {
    if (n_kept > 0 && waiting[n_kept - 1].rule == item.rule &&
        waiting[n_kept - 1].after.is_same_place(item.after)) {
      Counts& counts = waiting[n_kept - 1].after.counts;
      counts = count_sets_.unite(item.after.state, counts, item.after.counts);
    } else {
      waiting[n_kept++] = item;
    }
  }
  waiting.resize(n_kept);
}

}  // namespace xg2lab
