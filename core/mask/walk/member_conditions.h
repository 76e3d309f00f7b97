// Which members a token leads to, in a walk from a place where several may still be matched; and
// what is left of the entry where some have been.
//
// Tests: tests/core/test_any_order.py, tests/differential/test_any_order.py
//
// IDEA
//   A walk is made as if every member might be matched. After each token it stands in a column,
//   from which some members can be completed: those that its items reach, each in the member rule
//   itself or through whoever waits for it there. In a context with a set of members matched the
//   same token lives if one of these may be matched. So instead of an entry for each set there is
//   one for all, and a context takes out what it must.
//
//   Where other keys may come as well, most text leads to their member alone, and is not walked
//   (home.h). Then what is walked has its condition, and all else depends on that member.
//
//   {"name": ..., "age": ...}   before a key: `"na` leads to name, `"` to both members. After name
//                               has been matched, tokens like `"na` are gone.
//
// COST      add: the items of a new column; a look-up for a known one. left_of: the lists of
//           members, then the tokens that go, or those that stay if the others are those without a
//           condition.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "mask/sets/adaptive_mask.h"
#include "parse/column_table.h"

namespace xg2lab {

class MemberConditions {
 public:
  // `state`: where the walk begins.
  MemberConditions(const ColumnTable& table, StateId state);

  // Whether tokens can tell members apart.
  bool is_needed() const { return is_needed_; }
  // Tokens that are not added end at this home, and the rule has not ended on the way. False: that
  // is no condition that an entry can keep, so there is no home.
  bool depend_on(ColumnId home);
  // The tokens of these ranks end in `column`.
  void add(uint32_t begin, uint32_t end, ColumnId column, bool may_leave);
  // Tokens that end in `column` have the condition of this number; 0: none.
  uint32_t number(ColumnId column, bool may_leave);
  // As if none had been added.
  void forget_tokens() { conditions_.clear(); }
  void move_to(MaskEntry& entry) &&;

 private:
  uint32_t members_of(ColumnId column);
  MemberRanges reached_from(ColumnId column) const;

  const ColumnTable& table_;
  const RuleId rule_;
  const bool is_needed_;
  MemberRanges all_;  // no condition
  std::optional<uint32_t> otherwise_;
  std::vector<MemberCondition> conditions_;
  std::vector<MemberRanges> lists_;
  std::map<MemberRanges, uint32_t> known_;
  std::unordered_map<uint32_t, uint32_t> of_column_;
};

// What is left of an entry where some members have been matched: all but a few tokens, or a mask of
// its own.
struct EntryLeft {
  std::unique_ptr<AdaptiveMask> mask;  // null: the entry's
  std::vector<uint32_t> lacking;       // ids that it accepts and the column doesn't
};

// What an entry of this state accepts in the column. Nothing: all of it. Tokens that are gone, but
// that the rule may have ended in, are added to `uncertain`, ascending.
std::optional<EntryLeft> left_of(const MaskEntry& entry, const ColumnTable& table, ColumnId column,
                                 StateId state, const TokenSets& tokens,
                                 std::vector<TokenRank>& uncertain);

}  // namespace xg2lab
