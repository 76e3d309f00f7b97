// The members that each token leads to, in a walk from a state where several members may still be
// matched; and the part of the entry that remains once some members have been matched.
//
// Tests: tests/core/test_any_order.py, tests/differential/test_any_order.py
//
// IDEA
//   A walk is made as if every member might still be matched. After a token the walk is in a
//   column, from which some members can be completed: those that the column's items reach, in the
//   member rule itself or through items that wait in the member rule. In a context with a set of
//   matched members, the token is accepted only if one of the members that it leads to may still be
//   matched. So one entry serves all sets of matched members, and each context removes tokens from
//   it.
//
//   If other keys may come as well, most text leads only to the member for other keys, and is not
//   walked (home.h). Then each walked token has its condition, and all other tokens depend on that
//   member.
//
//   {"name": ..., "age": ...}   before a key, `"na` leads to name, and `"` leads to both members.
//                               After name has been matched, tokens like `"na` are rejected.
//
// COST      add: the items of a new column; a look-up for a known one. remaining_entry: the lists
//           of members, then the removed tokens; if the tokens without a condition are removed, the
//           tokens that remain.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "mask/sets/adaptive_mask.h"
#include "parse/column_table.h"
#include "support/dense_map.h"

namespace xg2lab {

class MemberConditions {
 public:
  // `state`: the state in which the walk begins.
  MemberConditions(const ColumnTable& table, StateId state);

  // True if tokens can lead to different members.
  bool is_needed() const { return is_needed_; }
  // Declares that tokens without add() end at `home`, and that the rule has not ended within them.
  // False if an entry cannot express that condition; the walk then uses no home.
  bool depend_on(ColumnId home);
  // The tokens of these ranks end in `column`.
  void add(uint32_t begin, uint32_t end, ColumnId column, bool may_leave);
  // The number of the condition of tokens that end in `column`; 0: no condition.
  uint32_t number(ColumnId column, bool may_leave);
  // Discards all added tokens.
  void forget_tokens() { conditions_.clear(); }
  void move_to(MaskEntry& entry) &&;

 private:
  uint32_t members_of(ColumnId column);
  MemberRanges reached_from(ColumnId column);

  const ColumnTable& table_;
  const RuleId rule_;
  const bool is_needed_;
  MemberRanges all_;  // the list that needs no condition
  std::optional<uint32_t> otherwise_;
  std::vector<MemberCondition> conditions_;
  std::vector<MemberRanges> lists_;
  std::map<MemberRanges, uint32_t> known_;
  DenseMap<ColumnId, uint32_t> of_column_;
  // Scratch of reached_from(): contexts and rules.
  DenseMap<NumberPair, char> seen_;
  std::vector<NumberPair> calls_;
};

// The part of an entry that remains after some members have been matched: all but a few tokens, or
// a mask of its own.
struct RemainingEntry {
  std::unique_ptr<AdaptiveMask> mask;  // null: the entry's
  std::vector<uint32_t> lacking;       // ids that the entry accepts and the column rejects
};

// The part of the entry of `state` that `column` accepts; none: the whole entry. Removed tokens
// within which the rule may have ended are appended to `uncertain`, ascending.
std::optional<RemainingEntry> remaining_entry(const MaskEntry& entry, const ColumnTable& table,
                                              ColumnId column, StateId state,
                                              const TokenSets& tokens,
                                              std::vector<TokenRank>& uncertain);

}  // namespace xg2lab
