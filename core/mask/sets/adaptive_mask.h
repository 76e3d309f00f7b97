// The adaptive token mask of one state: its split of the vocabulary, stored in the smallest of
// three forms.
//
// Twin:  xg2lab/reference/mask.py
// Tests: tests/differential/test_engine_vs_twin.py, tests/core/test_masks.py,
//        tests/unit/mask_adaptive.cc
//
// IDEA
//   The state alone decides most tokens, whatever rules led to it. A token that stays within the
//   state's rule is accepted; a token that fits in no context is rejected. A token is uncertain if
//   the rule ends within the token, so that the callers decide the rest. Only uncertain tokens are
//   checked again when a mask is needed. In rule "ab", token "a" is accepted. In rule "a", token
//   "ab" is uncertain: its "b" belongs to the caller.
//
// REPRESENTATION
//   The accepted set is stored as a list of its ids, as a list of the text tokens that it lacks, or
//   as a bitmask, whichever is smallest. Uncertain tokens are stored as ranks, in byte order, so
//   that tokens with a common prefix are checked one after the other.
//
//   If most text leads to one loop column (home.h), the masks of many states differ little from the
//   mask of the loop column. That mask is stored once, and each of the others stores only its
//   differences.
//
//   The mask of a token edge may hold tokens that are not text. Such a mask lists what it lacks of
//   all tokens that a token edge can consume.
//
// INVARIANTS
//   I1  n_accepted() is the number of bits that write() sets
//   I2  each list holds an id once; the accepted ids that are stored beside another mask are not in
//       that mask
//   I3  a mask that stores differences from another one is a bitmask, and so is the other, which
//       stores no differences itself
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

class AdaptiveMask {
 public:
  AdaptiveMask() = default;
  // `accepted` is a bitmask of text tokens, or of tokens that token edges can consume.
  AdaptiveMask(const TokenSets& tokens, std::span<const uint32_t> accepted);
  // `accepted` is a bitmask of text tokens. If the mask is stored as a bitmask, `accepted` is
  // moved.
  static AdaptiveMask of_text(const TokenSets& tokens, std::vector<uint32_t> accepted);
  // The tokens of disjoint, ascending ranges, and the tokens `more` outside the ranges. If the
  // result is a short list, the cost does not depend on the size of the vocabulary.
  static AdaptiveMask of_ranks(const TokenSets& tokens, std::span<const RankRange> ranges,
                               std::span<const TokenRank> more = {});
  // The set of `other`, less the ids `without` (all in `other`), plus the ids `more` (none in
  // `other`). `other` is a bitmask. The result stores its differences if there are few, and else
  // its own ids.
  static AdaptiveMask like(const TokenSets& tokens, std::shared_ptr<const AdaptiveMask> other,
                           std::vector<uint32_t> without, std::vector<uint32_t> more);
  // The union of this set and `more`; the two are disjoint.
  AdaptiveMask with(const TokenSets& tokens, std::span<const TokenRank> more) const;

  // target := the accepted set. HOT: once a decode step; at most a copy of the row and a few
  // hundred single bits.
  void write(const TokenSets& tokens, std::span<uint32_t> target) const;
  // target := target + the accepted set.
  void add_to(const TokenSets& tokens, std::span<uint32_t> target) const;

  // The number of ids that write() sets or clears one by one.
  size_t n_listed() const {
    if (like_) return data_.size() + without_.size();
    return storage_ == MaskStorage::kBitset ? 0 : data_.size();
  }
  // The words of a bitmask that stores no differences from another mask; else empty.
  std::span<const uint32_t> words() const {
    return storage_ == MaskStorage::kBitset && !like_ ? std::span<const uint32_t>(data_)
                                                      : std::span<const uint32_t>();
  }
  // The ids of a kAcceptedList, in no order.
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
  std::vector<uint32_t> data_;  // token ids, or words, by storage_; with like_, ids outside like_
  std::shared_ptr<const AdaptiveMask> like_;  // may be null; else this is a kBitset
  std::vector<uint32_t> without_;             // ids of like_ that this mask lacks
};

// The key of an entry. For most states, the key is the state and its rule, whatever called the
// rule. In the child of a counted rule each match of the child ends the child's rule, so the
// state's own entry would leave most tokens uncertain. There the entry is built for the counted
// rule, with the counts after the current match of the child.
struct EntryKey {
  StateId state;
  RuleId rule;            // the entry's rule: the state's own, or the counted rule
  CountIntervals counts;  // clamped; empty for the state's own rule

  friend auto operator<=>(const EntryKey&, const EntryKey&) = default;
};

// A range of ranks, [begin, end), of tokens that an entry accepts only if one of some members may
// still be matched. MemberConditions (member_conditions.h) finds the members.
struct MemberCondition {
  uint32_t begin;
  uint32_t end;
  uint32_t members;  // index in MaskEntry::member_lists
  // The rule may have ended within these tokens: if their members were matched before, the tokens
  // are uncertain.
  bool may_leave;
};

// One entry: the accepted tokens, and the tokens that the state cannot decide alone.
struct MaskEntry {
  AdaptiveMask accepted;
  std::vector<MemberCondition> conditions;  // ascending, disjoint; empty unless in a member rule
  std::vector<MemberRanges> member_lists;
  std::optional<uint32_t>
      otherwise;  // the list for tokens without a condition; none: always accepted
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
