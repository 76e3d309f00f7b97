// The adaptive token mask of one state: its split of the vocabulary, in the smallest of three
// forms.
//
// Twin:  xg2lab/reference/mask.py
// Tests: tests/differential/test_engine_vs_twin.py, tests/core/test_masks.py,
//        tests/unit/mask_adaptive.cc
//
// IDEA
//   A state alone decides most tokens, whatever rules it was reached through: those that stay
//   within its rule are accepted, those that fit nowhere rejected. Uncertain are the tokens during
//   which the rule ends and whose rest belongs to the callers; only they are looked at again when a
//   mask is needed. Under a rule "ab", the token "a" is accepted. Under a rule "a", the token "ab"
//   is uncertain: its "b" belongs to the caller.
//
// REPRESENTATION
//   The accepted set is stored as a list of its ids, as a list of the text tokens it lacks, or as a
//   bitmask, whichever is smallest. Uncertain tokens are ranks, in byte order, so that they are
//   checked along shared prefixes.
//
//   Where most text leads home (home.h), masks of many states hardly differ from the home's: then
//   that one is kept once, and each has its differences.
//
//   A mask of a token edge may hold tokens that are no text. Then what it lacks is counted among
//   all tokens that a token edge can take.
//
// INVARIANTS
//   I1  n_accepted() is the number of bits that write() sets
//   I2  each list holds an id once; the accepted ids beside another mask are not in that mask
//   I3  a mask that is like another is a bitmask, and so is the other, which is like none
//
// SOURCE    XGrammar section 3.1 (adaptive token mask cache).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "parse/counts.h"
#include "support/ids.h"
#include "vocab/token_sets.h"

namespace xg2lab {

enum class MaskStorage : uint8_t { kAcceptedList, kRejectedList, kBitset };

const char* mask_storage_name(MaskStorage storage);  // "accepted_list", "rejected_list", "bitset"

using RankRange = std::pair<uint32_t, uint32_t>;  // ranks, first to before second

// Adds a range behind ascending ones: to the last, if it begins where that ends.
inline void extend(std::vector<RankRange>& ranges, uint32_t begin, uint32_t end) {
  if (begin == end) return;
  if (!ranges.empty() && ranges.back().second == begin) ranges.back().second = end;
  else ranges.emplace_back(begin, end);
}

class AdaptiveMask {
 public:
  AdaptiveMask() = default;
  // `accepted` is a bitmask of text tokens, or of any that token edges can take.
  AdaptiveMask(const TokenSets& tokens, std::span<const uint32_t> accepted);
  // `accepted` is a bitmask of text tokens: if it is kept, it is not copied.
  static AdaptiveMask of_text(const TokenSets& tokens, std::vector<uint32_t> accepted);
  // The tokens of disjoint ranges in ascending order, and `more` that are in none of them. A short
  // list costs nothing of the vocabulary's size.
  static AdaptiveMask of_ranks(const TokenSets& tokens, std::span<const RankRange> ranges,
                               std::span<const TokenRank> more = {});
  // The set of `other`, without ids that it has and with ids that it lacks. It is a bitmask, or
  // becomes one.
  static AdaptiveMask like(const TokenSets& tokens, std::shared_ptr<const AdaptiveMask> other,
                           std::vector<uint32_t> without, std::vector<uint32_t> more);
  // This set and `more` that are not in it.
  AdaptiveMask with(const TokenSets& tokens, std::span<const TokenRank> more) const;

  // target := the accepted set. HOT: once a decode step; a copy of the row and a few hundred bits
  // at most.
  void write(const TokenSets& tokens, std::span<uint32_t> target) const;
  // target := target + the accepted set.
  void add_to(const TokenSets& tokens, std::span<uint32_t> target) const;

  // How many ids write() goes through one by one.
  size_t n_listed() const {
    if (like_) return data_.size() + without_.size();
    return storage_ == MaskStorage::kBitset ? 0 : data_.size();
  }
  // Of a bitmask that is like no other: the words. Else nothing.
  std::span<const uint32_t> words() const {
    return storage_ == MaskStorage::kBitset && !like_ ? std::span<const uint32_t>(data_)
                                                      : std::span<const uint32_t>();
  }
  // Of a kAcceptedList: the ids, in no order.
  std::span<const uint32_t> ids() const { return data_; }

  MaskStorage storage() const { return storage_; }
  size_t n_accepted() const { return n_accepted_; }
  size_t memory_size_bytes() const;

  // Asserts I1 to I3; O(a row and the lists).
  void check_invariants(const TokenSets& tokens) const;

 private:
  const std::vector<uint32_t>& universe(const TokenSets& tokens) const {
    return is_of_text_ ? tokens.text_words : tokens.by_id_words;
  }
  static AdaptiveMask of_list(std::vector<uint32_t> ids);

  MaskStorage storage_ = MaskStorage::kAcceptedList;
  size_t n_accepted_ = 0;
  bool is_of_text_ = true;
  std::vector<uint32_t> data_;  // token ids, or words, by storage_; with like_ the ids beside it
  std::shared_ptr<const AdaptiveMask> like_;  // may be null; of a kBitset
  std::vector<uint32_t> without_;             // ids of like_ that are not in this
};

// What an entry is made for. Usually a state, whatever its rule was reached through. In the child
// of a counted rule that would leave most tokens uncertain, as each match of the child ends it; so
// there the entry is for the counted rule, with the counts it will have done after this child.
struct EntryPlace {
  StateId state;
  RuleId rule;            // the rule that is looked at: the state's own, or the counted rule
  CountIntervals counts;  // clamped; empty for the state's own rule

  friend auto operator<=>(const EntryPlace&, const EntryPlace&) = default;
};

// Tokens that an entry accepts only where one of some members may still be matched: those with
// ranks from `begin` to before `end`. Their members: MemberConditions in member_conditions.h.
struct MemberCondition {
  uint32_t begin;
  uint32_t end;
  uint32_t members;  // of MaskEntry::member_lists
  // The rule may have ended within these tokens: where their members are gone, the context decides.
  bool may_leave;
};

// One entry: the mask, and what its place alone can't decide.
struct MaskEntry {
  AdaptiveMask accepted;
  std::vector<MemberCondition> conditions;  // ascending, disjoint; of a member rule's states only
  std::vector<MemberRanges> member_lists;
  std::optional<uint32_t>
      otherwise;  // the list for all tokens without a condition; none: they need no member
  std::vector<TokenRank> uncertain;  // ascending
  size_t n_rejected = 0;
  uint64_t build_ns = 0;

  size_t memory_size_bytes() const {
    return sizeof(MaskEntry) + accepted.memory_size_bytes() +
           uncertain.capacity() * sizeof(TokenRank) +
           conditions.capacity() * sizeof(MemberCondition) +
           member_lists.capacity() * (sizeof(MemberRanges) + sizeof(MemberRange));
  }
};

}  // namespace xg2lab
