// The tick: the step that a column makes at the end of a token, in grammars with max_tokens.
//
// Twin:  xg2lab/reference/options.py
// Tests: tests/core/test_rule_options.py, tests/differential/test_rule_options.py
//
// IDEA
//   An item of a rule with max_tokens carries the number of tokens that its match overlaps. At the
//   end of a token this number grows by one for each open match that has consumed the token's last
//   byte: the matches of the column's items, and the matches of the items that wait for these in
//   earlier columns. Stored columns don't change, so the tick makes new columns, in which the
//   waiting items overlap one token more. The table keeps the old and the new columns.
//
//   A match is *expired* (`n_over` counts such matches) when it overlaps max_tokens tokens: the
//   text must leave the match as soon as it can. Of the items that scan, the tick keeps the ones
//   inside the fewest expired matches. If some items are inside none, only they are kept, so the
//   text must leave all expired matches. If every item is inside an expired match, the expired
//   matches around the kept items may overlap one more token, and the next tick checks again.
//
//   Any-order rules (counts.h): items that wait for one member rule may have matched different
//   members. The state of an item in the member rule determines which of these waiting items it can
//   resume. Its n_over is the smallest n_over of these waiting items. Its sets of members are the
//   sets of the waiting items that are kept.
//
// EXAMPLE   root ::= x "."   x[max_tokens=2] ::= "<" [a-z]* ">"
//           after "<", "a"  x is expired and can't end: the items before [a-z] and ">" are kept.
//           after ">"       x is complete; no item is inside x.
//           y[max_tokens=2] ::= [a-z]*: after "a", "b" y can end, so only the items that may follow
//           y are kept.
//
// INVARIANTS
//   I1  tick(c) is dead only if c is; each text that tick(c) accepts is accepted by c
//   I2  tick(c) completes the text if and only if c does
//
// COST      new tick: linear in the waiting items from the column down to the root, in time and in
//           new columns. n nested open matches with max_tokens make n columns for each token.
//           Known tick: one look-up.
// THREADS   under the table's mutex.
//
// Read: Ticker::run (the column itself), find_calls, tick_call, settle.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_set>
#include <utility>

#include "parse/column_table.h"

namespace xg2lab {

class Ticker {
 public:
  explicit Ticker(ColumnTable& table) : table_(table), program_(*table.program_) {}

  Ticked run(ColumnId at) {
    const bool is_complete = table_.columns_[at.index()].is_complete;
    std::vector<Item> items = table_.items(at);
    find_calls(items);
    // A complete text is inside no expired match, so items inside one are dropped.
    uint32_t least = is_complete ? 0 : kNever;
    for (const Item& item : items) least = std::min(least, n_over(item, true));
    std::erase_if(items, [&](const Item& item) { return n_over(item, true) != least; });
    for (Item& item : items) item = aged(item, true);
    return {table_.intern_items(std::move(items), is_complete), least};
  }

 private:
  static constexpr uint32_t kNever = UINT32_MAX;

  // A rule that was entered at `origin`. is_here: no byte has been read since. An item that waits
  // there may then have consumed nothing either, so the token does not overlap its match.
  struct Call {
    ContextId origin;
    RuleId goal;
    bool is_here;
    uint64_t key() const {
      return (uint64_t{origin.value} << 32) | (goal.value << 1) | (is_here ? 1u : 0u);
    }
  };

  // The waiting items of a context that wait for `goal` inside `n_over` expired matches. For all
  // rules but member rules, n_over is the smallest number of all items that wait for the goal.
  struct Asked {
    RuleId goal;
    uint32_t n_over;
    friend auto operator<=>(const Asked&, const Asked&) = default;
  };
  void ask(const Item& item, bool is_here, std::set<Asked>& asked) const {
    if (is_in_same(item)) asked.insert({item.goal, n_over_around(item, is_here)});
  }

  bool is_touched(const Item& item, bool is_here) const {
    return !is_here || !is_begun_here(item.origin);
  }
  // Whether the origin is the context that contains the waiting item.
  static bool is_in_same(const Item& item) { return item.origin == kSelf; }
  Call call_of(const Item& item, bool is_here) const {
    return {without_mark(item.origin), item.goal, is_here && is_begun_here(item.origin)};
  }

  // ---- One item ----

  uint32_t n_touched(const Item& item, bool is_here) const {
    const uint32_t max = program_.max_tokens(item.state);
    return std::min(max, item.counts.word + (is_touched(item, is_here) ? 1 : 0));
  }

  // The smallest number of expired matches that the item can be inside; kNever if it can resume no
  // waiting item.
  uint32_t n_over(const Item& item, bool is_here) const {
    const uint32_t max = program_.max_tokens(item.state);
    const uint32_t own = max > 0 && n_touched(item, is_here) >= max ? 1 : 0;
    const uint32_t around = n_over_around(item, is_here);
    return around == kNever ? kNever : own + around;
  }

  // The same without the match of the item's own rule.
  uint32_t n_over_around(const Item& item, bool is_here) const {
    if (item.origin == kOutside) return 0;
    if (is_of_member(item)) {
      uint32_t least = kNever;
      for_each_asking(item, is_here, [&](Counts counts, uint32_t n_over) {
        if (table_.count_sets_.is_open(item.state, counts)) least = std::min(least, n_over);
      });
      return least;
    }
    if (!is_in_same(item)) return table_.ticks_.calls.at(call_of(item, is_here).key()).n_over;
    const auto known = n_over_here_.find(item.goal);
    return known == n_over_here_.end() ? kNever : known->second;
  }

  // The item after the tick: its match overlaps one more token, and its origin is the ticked one.
  Item aged(Item item, bool is_here) const {
    if (program_.max_tokens(item.state) > 0) item.counts = {n_touched(item, is_here)};
    if (item.origin == kOutside) return item;
    const uint32_t around = n_over_around(item, is_here);
    if (is_of_member(item)) item.counts = sets_of_those(item, is_here, around);
    if (!is_in_same(item)) {
      // An item that has consumed nothing keeps its mark.
      const uint32_t mark = item.origin.value & kBegunHere;
      item.origin = ContextId(ticked_origin(item, is_here, around).value | mark);
    }
    return item;
  }

  // ---- Items of member rules ----

  bool is_of_member(const Item& item) const {
    return program_.kind(item.state) == StateKind::kMember;
  }

  // Calls f(sets of members matched, n_over) for each item that waits for the member rule.
  template <class F>
  void for_each_asking(const Item& item, bool is_here, F f) const {
    if (is_in_same(item)) {
      for (const WaitingItem& waiting : waiting_here_) {
        if (waiting.rule == item.goal) f(waiting.after.counts, n_over(waiting.after, is_here));
      }
      return;
    }
    const auto* known = table_.ticks_.askers.find(call_of(item, is_here).key());
    if (known == nullptr) return f(item.counts, 0);  // no match around has max_tokens
    for (const TickedAsker& asker : *known) f(asker.matched, asker.n_over);
  }

  // The union of the sets of members of the waiting items inside `n_over` expired matches.
  Counts sets_of_those(const Item& item, bool is_here, uint32_t n_over) const {
    std::optional<Counts> sets;
    for_each_asking(item, is_here, [&](Counts matched, uint32_t found) {
      if (found != n_over) return;
      sets = sets ? table_.count_sets_.unite(item.state, *sets, matched) : matched;
    });
    return sets.value_or(item.counts);
  }

  // The ticked context that replaces the item's origin. A member rule has one for each n_over.
  ContextId ticked_origin(const Item& item, bool is_here, uint32_t n_over) const {
    const uint64_t key = call_of(item, is_here).key();
    if (is_of_member(item)) {
      if (const auto* known = table_.ticks_.askers.find(key)) {
        for (const TickedAsker& asker : *known)
          if (asker.n_over == n_over) return asker.context;
      }
    }
    return table_.ticks_.calls.at(key).context;
  }

  // ---- The waiting items of one context ----

  // Computes n_over_here_: for each rule that an item waits for, the smallest number of expired
  // matches around the rule. An item may wait for a rule whose number depends on other items of the
  // same context, so the loop runs until no number falls.
  void settle(const std::vector<WaitingItem>& waiting, bool is_here) {
    n_over_here_.clear();
    waiting_here_ = waiting;
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (const WaitingItem& item : waiting) {
        const uint32_t found = n_over(item.after, is_here);
        const auto [known, is_new] = n_over_here_.emplace(item.rule, kNever);
        if (found >= known->second) continue;
        known->second = found;
        has_changed = true;
      }
    }
  }

  // The waiting items that a surviving item can resume, directly or through another waiting item.
  std::vector<WaitingItem> kept(const std::vector<WaitingItem>& waiting, bool is_here,
                                std::set<Asked> asked) {
    std::vector<bool> is_kept(waiting.size());
    std::vector<WaitingItem> out;
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (size_t i = 0; i < waiting.size(); ++i) {
        const Item& after = waiting[i].after;
        if (is_kept[i] || !asked.contains({waiting[i].rule, n_over(after, is_here)})) continue;
        is_kept[i] = has_changed = true;
        ask(after, is_here, asked);
        out.push_back({waiting[i].rule, aged(after, is_here)});
      }
    }
    return out;
  }

  // ---- The items that wait, up to the root ----

  // The items that wait for the call, and the items of the same context that wait, directly or
  // indirectly, for the rules of these.
  std::vector<WaitingItem> callers_of(const Call& call) const {
    std::unordered_set<RuleId> known{call.goal};
    std::vector<RuleId> goals{call.goal};
    std::vector<WaitingItem> callers;
    for (size_t i = 0; i < goals.size(); ++i) {
      for (const Contexts::Part& part : table_.contexts_.parts(call.origin)) {
        for (const auto& [rule, after] : table_.rows_.waits_for(part.waits, goals[i])) {
          callers.push_back({rule, {after.state, part.origin, after.goal, after.counts}});
          if (part.origin == kSelf && known.insert(after.goal).second) goals.push_back(after.goal);
        }
      }
    }
    return callers;
  }

  // Ticks each call that the items refer to, directly or through the items that wait there.
  void find_calls(std::span<const Item> items) {
    std::vector<Call> needed;
    const auto need = [&](const Item& item, bool is_here) {
      if (is_in_same(item) || item.origin == kOutside) return;
      const Call call = call_of(item, is_here);
      if (table_.ticks_.calls.add(call.key(), TickedCall{}).is_new) needed.push_back(call);
    };
    for (const Item& item : items) need(item, true);
    for (size_t i = 0; i < needed.size(); ++i) {
      const Call call = needed[i];
      const std::vector<WaitingItem> callers = callers_of(call);
      for (const WaitingItem& item : callers) need(item.after, call.is_here);
      count_work("counting tokens", callers.size() + 1);
    }
    // A call is ticked after all calls that its waiting items refer to. Their origins are earlier
    // contexts (contexts.h I2).
    std::sort(needed.begin(), needed.end(),
              [](const Call& a, const Call& b) { return a.origin < b.origin; });
    for (const Call& call : needed) tick_call(call);
  }

  // Ticks the items that wait for one call. If neither they nor the calls around them count tokens,
  // the origin stays the same column.
  void tick_call(const Call& call) {
    const std::vector<WaitingItem> callers = callers_of(call);
    TickedCall& ticked = table_.ticks_.calls.at(call.key());
    ticked = {call.origin, 0};
    const bool has_budget = std::any_of(callers.begin(), callers.end(), [&](const auto& item) {
      if (program_.max_tokens(item.after.state) > 0) return true;
      const Item& after = item.after;
      if (is_in_same(after) || after.origin == kOutside) return false;
      const auto& around = table_.ticks_.calls.at(call_of(after, call.is_here).key());
      return around.n_over > 0 || around.context != without_mark(after.origin);
    });
    if (!has_budget) return;  // no match around counts tokens
    settle(callers, call.is_here);
    ticked.n_over = n_over_here_.at(call.goal);
    if (program_.rule(call.goal).members) return tick_askers(call, callers);
    ticked.context =
        table_.intern_waiting(kept(callers, call.is_here, {{call.goal, ticked.n_over}}));
  }

  // Ticks the items that wait for a member rule. Those inside equally many expired matches get one
  // context together.
  void tick_askers(const Call& call, const std::vector<WaitingItem>& callers) {
    std::map<uint32_t, ContextId> contexts;
    std::vector<TickedAsker>& askers = table_.ticks_.askers.add(call.key(), {}).value;
    for (const WaitingItem& item : callers) {
      if (item.rule != call.goal) continue;
      const uint32_t found = n_over(item.after, call.is_here);
      if (found == kNever) continue;
      const auto [known, is_new] = contexts.emplace(found, kOutside);
      if (is_new)
        known->second = table_.intern_waiting(kept(callers, call.is_here, {{call.goal, found}}));
      askers.push_back({item.after.counts, found, known->second});
    }
    TickedCall& ticked = table_.ticks_.calls.at(call.key());
    ticked.context = contexts.at(ticked.n_over);
    table_.ticks_.n_askers += askers.capacity();
  }

  ColumnTable& table_;
  const Program& program_;
  // Set by settle().
  std::map<RuleId, uint32_t> n_over_here_;
  std::span<const WaitingItem> waiting_here_;
};

Ticked ColumnTable::ticked(ColumnId column) {
  const std::lock_guard lock(mutex_);
  if (const Ticked* known = ticks_.columns.find(column)) return *known;
  const OwnBudget budget(options_.limits, Work::kMask);
  const Indivisible indivisible;
  Ticked after;
  try {
    after = Ticker(*this).run(column);
  } catch (...) {
    ticks_ = {};  // some calls were added but not ticked
    throw;
  }
  ticks_.columns.add(column, after);
  charge_tables();
  return after;
}

// The columns are ticked before they are joined: join() removes the marks of items that have
// consumed nothing. The column inside fewer expired matches is kept; equal ones are
// joined.
ColumnId ColumnTable::tick_and_join(ColumnId by_bytes, ColumnId by_edges) {
  const bool is_one = by_bytes == kDead || by_edges == kDead;
  if (!program_->has_budgets() || is_one) return tick(join(by_bytes, by_edges));
  const Ticked a = ticked(by_bytes);
  const Ticked b = ticked(by_edges);
  if (a.n_over != b.n_over) return a.n_over < b.n_over ? a.column : b.column;
  return join(a.column, b.column);
}

}  // namespace xg2lab
