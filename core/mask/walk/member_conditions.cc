// Read: reached_from() (a search over waiting items), add(), remaining_entry().
#include "mask/walk/member_conditions.h"

#include <algorithm>
#include <utility>

#include "support/bits.h"

namespace xg2lab {

MemberConditions::MemberConditions(const ColumnTable& table, StateId state)
    : table_(table),
      rule_(table.program().rule_of(state)),
      is_needed_(table.program().has_choice_of_members(state)) {
  if (is_needed_) all_ = table.program().members_reached(state);
}

// Follows waiting items from each item up to the match of the member rule that began before the
// walk.
MemberRanges MemberConditions::reached_from(ColumnId column) {
  const Program& program = table_.program();
  MemberRanges reached;
  seen_.clear();
  calls_.clear();
  const auto look_at = [&](const Item& item) {
    if (item.origin == kOutside) {
      const MemberRanges& more = program.members_reached(item.state);
      reached.insert(reached.end(), more.begin(), more.end());
    } else {
      const NumberPair call{without_mark(item.origin).value, item.goal.value};
      if (seen_.add(call, 0).is_new) calls_.push_back(call);
    }
  };
  table_.for_each_item(column, look_at);
  while (!calls_.empty()) {
    const auto [origin, goal] = calls_.back();
    calls_.pop_back();
    table_.for_each_waiting(ContextId(origin), RuleId(goal), look_at);
  }
  return joined(std::move(reached));
}

uint32_t MemberConditions::members_of(ColumnId column) {
  if (const uint32_t* known = of_column_.find(column)) return *known;
  MemberRanges reached = reached_from(column);
  const auto [list, is_new_list] =
      known_.emplace(std::move(reached), static_cast<uint32_t>(lists_.size()));
  if (is_new_list) lists_.push_back(list->first);
  return of_column_.add_absent(column, list->second);
}

bool MemberConditions::depend_on(ColumnId home) {
  const uint32_t members = members_of(home);
  const MemberRanges& list = lists_[members];
  // Only a home of a single member qualifies: then no token that leaves the home leads to another
  // member.
  if (list.size() != 1 || list.front().end - list.front().begin != 1) return false;
  otherwise_ = members;
  return true;
}

uint32_t MemberConditions::number(ColumnId column, bool may_leave) {
  const uint32_t members = members_of(column);
  // Tokens within which another member may have ended get a condition of their own, even if they
  // end where tokens without a condition end.
  const bool is_as_others =
      otherwise_ ? members == *otherwise_ && !may_leave : lists_[members] == all_;
  return is_as_others ? 0 : 1 + 2 * members + (may_leave ? 1 : 0);
}

void MemberConditions::add(uint32_t begin, uint32_t end, ColumnId column, bool may_leave) {
  if (begin == end || number(column, may_leave) == 0) return;
  const uint32_t members = members_of(column);
  if (!conditions_.empty()) {
    MemberCondition& last = conditions_.back();
    if (last.end == begin && last.members == members && last.may_leave == may_leave) {
      last.end = end;
      return;
    }
  }
  conditions_.push_back({begin, end, members, may_leave});
}

void MemberConditions::move_to(MaskEntry& entry) && {
  conditions_.shrink_to_fit();
  entry.conditions = std::move(conditions_);
  entry.member_lists = std::move(lists_);
  entry.otherwise = otherwise_;
}

std::optional<RemainingEntry> remaining_entry(const MaskEntry& entry, const ColumnTable& table,
                                              ColumnId column, StateId state,
                                              const TokenSets& tokens,
                                              std::vector<TokenRank>& uncertain) {
  // holds[i]: in this column some member of list i may still be matched.
  std::vector<bool> holds(entry.member_lists.size());
  size_t n_held = 0;
  for (const Item& item : table.items(column)) {
    if (item.state != state) continue;
    const MemberSets& sets = table.count_sets().members(state);
    for (size_t i = 0; i < holds.size(); ++i) {
      if (holds[i] || !sets.may_match_any(item.counts.word, entry.member_lists[i])) continue;
      holds[i] = true;
      ++n_held;
    }
  }
  if (n_held == holds.size()) return std::nullopt;
  RemainingEntry remaining;
  std::vector<RankRange> kept;
  // Tokens without a condition remain unless all members of `otherwise` were matched. If they
  // remain, the result lists the removed tokens; else it lists the tokens that remain.
  const bool keeps_others = !entry.otherwise || holds[*entry.otherwise];
  for (const MemberCondition& condition : entry.conditions) {
    if (holds[condition.members]) {
      if (!keeps_others) kept.emplace_back(condition.begin, condition.end);
      continue;
    }
    for (uint32_t rank = condition.begin; rank < condition.end; ++rank) {
      if (keeps_others)
        remaining.lacking.push_back(tokens.vocabulary->token_at(TokenRank(rank)).value);
      if (condition.may_leave) uncertain.push_back(TokenRank(rank));
    }
  }
  if (!keeps_others) {
    remaining.mask = std::make_unique<AdaptiveMask>(AdaptiveMask::of_ranks(tokens, kept));
  } else if (remaining.lacking.size() > tokens.n_words / 4) {  // too many to remove in each fill
    std::vector<uint32_t> words(tokens.n_words);
    entry.accepted.write(tokens, words);
    clear_each(words, std::exchange(remaining.lacking, {}));
    remaining.mask = std::make_unique<AdaptiveMask>(tokens, words);
  }
  return remaining;
}

}  // namespace xg2lab
