// Read: MemberOrder, may_match (how the bound on the total restricts a member), after (a set plus
// one member), then lists of sets. The trick: a set records how many members are lacking and how
// many are open, so most questions don't read its bits.
#include "automata/member_sets.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "support/error.h"
#include "support/hash.h"
#include "support/text.h"

namespace xg2lab {
namespace {

bool has_bit(const std::vector<uint64_t>& bits, uint32_t i) {
  return i / 64 < bits.size() && ((bits[i / 64] >> (i % 64)) & 1u) != 0;
}

void add_bit(std::vector<uint64_t>& bits, uint32_t i) {
  if (i / 64 >= bits.size()) bits.resize(i / 64 + 1);
  bits[i / 64] |= uint64_t{1} << (i % 64);
}

uint64_t word_at(const std::vector<uint64_t>& bits, size_t i) {
  return i < bits.size() ? bits[i] : 0;
}

}  // namespace

uint32_t AnyOrderBounds::n_required() const {
  return static_cast<uint32_t>(
      std::count_if(members.begin(), members.end(), [](MemberBounds m) { return m.is_required; }));
}

bool AnyOrderBounds::is_possible() const {
  const bool has_repeats =
      std::any_of(members.begin(), members.end(), [](MemberBounds m) { return m.may_repeat; });
  return n_required() <= max_total && min_total <= max_total &&
         (has_repeats || min_total <= members.size());
}

MemberRanges joined(MemberRanges ranges) {
  std::sort(ranges.begin(), ranges.end());
  MemberRanges out;
  for (const MemberRange range : ranges) {
    if (!out.empty() && range.begin <= out.back().end)
      out.back().end = std::max(out.back().end, range.end);
    else out.push_back(range);
  }
  return out;
}

// ---- Ordered members: those that may come next form a range ----

MemberOrder::MemberOrder(const AnyOrderBounds& bounds)
    : n_members_(static_cast<uint32_t>(bounds.members.size())),
      min_total_(bounds.min_total),
      max_total_(bounds.max_total),
      n_required_from_(n_members_ + 1, 0),
      next_required_(n_members_ + 1, n_members_) {
  for (uint32_t i = 0; i < n_members_; ++i) {
    may_repeat_.push_back(bounds.members[i].may_repeat);
    if (may_repeat_[i]) past_repeats_ = i + 1;
  }
  for (uint32_t i = n_members_; i-- > 0;) {
    const bool is_required = bounds.members[i].is_required;
    n_required_from_[i] = n_required_from_[i + 1] + (is_required ? 1 : 0);
    next_required_[i] = is_required ? i : next_required_[i + 1];
  }
}

MemberRange MemberOrder::open(uint32_t n_passed, uint32_t n_total) const {
  const uint32_t required = next_required_[n_passed];
  const uint64_t n_least = uint64_t{n_total} + n_required_from_[n_passed];
  MemberRange open{n_passed, std::min(required + 1, n_members_)};
  if (n_passed > 0 && may_repeat_[n_passed - 1]) --open.begin;
  // If there is room only for the required members, the next member is the next required one.
  if (max_total_ != AnyOrderBounds::kNoMax && n_least >= max_total_)
    open = {required, std::min(required + 1, n_members_)};
  // Enough matches must remain possible to reach the minimum: any number after a member that may
  // repeat, otherwise one for each later member.
  if (n_total < min_total_) {
    const uint64_t n_more = min_total_ - n_total;  // including the candidate
    const uint64_t past_enough = n_more > n_members_ ? 0 : n_members_ - n_more + 1;
    open.end = std::min(open.end, std::max(past_repeats_, static_cast<uint32_t>(past_enough)));
  }
  return open;
}

// ---- Sets ----

MemberSets::MemberSets(AnyOrderBounds bounds)
    : bounds_(std::move(bounds)),
      most_counted_(bounds_.has_max() ? bounds_.max_total : bounds_.min_total),
      order_(bounds_.is_ordered ? std::optional<MemberOrder>(bounds_) : std::nullopt) {
  const auto n = static_cast<uint32_t>(bounds_.members.size());
  for (uint32_t i = 0; i < n; ++i) {
    if (bounds_.members[i].may_repeat) add_bit(may_repeat_, i);
    if (bounds_.members[i].is_required) add_bit(is_required_, i);
  }
  intern({{}, 0, bounds_.n_required(), n, 0});
}

// ---- Questions ----

std::span<const uint32_t> MemberSets::list(uint32_t word) const { return lists_[word & ~kIsList]; }

template <class Holds>
bool MemberSets::any(uint32_t word, Holds holds) const {
  if (word == kAny) return true;
  if ((word & kIsList) == 0) return holds(sets_[word]);
  const auto all = list(word);
  return std::any_of(all.begin(), all.end(), [&](uint32_t set) { return holds(sets_[set]); });
}

bool MemberSets::may_end(uint32_t word) const {
  return any(word, [this](const Set& set) {
    return set.n_lacking == 0 && set.n_total >= bounds_.min_total;
  });
}

bool MemberSets::may_go_on(uint32_t word) const {
  return any(word, [this](const Set& set) {
    if (set.n_lacking > 0) return true;  // I2: there is room for the required members
    if (order_) {
      const MemberRange open = order_->open(set.n_passed, set.n_total);
      return open.begin < open.end;
    }
    return set.n_open > 0 && (!bounds_.has_max() || set.n_total < bounds_.max_total);
  });
}

bool MemberSets::is_matched(const Set& set, uint32_t member) const {
  return has_bit(set.matched, member);
}

bool MemberSets::may_match(const Set& set, uint32_t member) const {
  if (order_) {
    const MemberRange open = order_->open(set.n_passed, set.n_total);
    return open.begin <= member && member < open.end;
  }
  const bool is_new = !is_matched(set, member);
  if (!is_new && !bounds_.members[member].may_repeat) return false;
  if (!bounds_.has_max()) return true;
  const bool is_lacking = is_new && bounds_.members[member].is_required;
  return set.n_total + 1 + set.n_lacking - (is_lacking ? 1 : 0) <= bounds_.max_total;
}

bool MemberSets::may_match(uint32_t word, uint32_t member) const {
  return any(word, [&](const Set& set) { return may_match(set, member); });
}

bool MemberSets::may_match_any(const Set& set, MemberRange members) const {
  // If there is room only for the required members, the candidate must be one of them.
  const bool is_tight = bounds_.has_max() && set.n_total + set.n_lacking >= bounds_.max_total;
  if (is_tight && set.n_lacking == 0) return false;
  for (size_t i = members.begin / 64; i * 64 < members.end; ++i) {
    uint64_t found = ~word_at(set.matched, i);
    if (is_tight) found &= word_at(is_required_, i);
    else found |= word_at(may_repeat_, i);
    if (i * 64 < members.begin) found &= ~uint64_t{0} << (members.begin % 64);
    if (members.end - i * 64 < 64) found &= ~(~uint64_t{0} << (members.end % 64));
    if (found != 0) return true;
  }
  return false;
}

bool MemberSets::may_match_any(const Set& set, std::span<const MemberRange> members) const {
  if (order_) {
    const MemberRange open = order_->open(set.n_passed, set.n_total);
    if (open.begin >= open.end) return false;
    const auto first = std::ranges::upper_bound(members, open.begin, {}, &MemberRange::end);
    return first != members.end() && first->begin < open.end;
  }
  return std::any_of(members.begin(), members.end(),
                     [&](MemberRange range) { return may_match_any(set, range); });
}

bool MemberSets::may_match_any(uint32_t word, std::span<const MemberRange> members) const {
  return any(word, [&](const Set& set) { return may_match_any(set, members); });
}

// ---- New sets ----

bool MemberSets::is_same(const Set& a, const Set& b) {
  return a.n_total == b.n_total && a.n_passed == b.n_passed && a.matched == b.matched;
}

uint64_t MemberSets::hash_of(const Set& set) {
  return hash_combine(hash_of_row(std::span<const uint64_t>(set.matched)),
                      (uint64_t{set.n_total} << 32) | set.n_passed);
}

uint32_t MemberSets::intern(Set set) {
  return index_.find_or_add(
      hash_of(set), [&](uint32_t known) { return is_same(sets_[known], set); },
      [&](uint32_t known) { return hash_of(sets_[known]); },
      [&] {
        const size_t n_bytes = set.matched.capacity() * sizeof(uint64_t);
        sets_.append() = std::move(set);
        n_bit_bytes_ += n_bytes;
        return static_cast<uint32_t>(sets_.size() - 1);
      });
}

uint32_t MemberSets::after(const Set& set, uint32_t member) {
  Set next = set;
  next.n_total = std::min(set.n_total + 1, most_counted_);
  if (order_) {
    next.n_passed = member + 1;
    next.n_lacking = order_->n_lacking(next.n_passed);
    return intern(std::move(next));
  }
  const MemberBounds bounds = bounds_.members[member];
  const bool is_new = !is_matched(set, member);
  if (is_new && (bounds.is_required || !bounds.may_repeat)) {
    add_bit(next.matched, member);
    if (bounds.is_required) --next.n_lacking;
    if (!bounds.may_repeat) --next.n_open;
  }
  return intern(std::move(next));
}

uint32_t MemberSets::intern_list(std::vector<uint32_t> sets) {
  std::sort(sets.begin(), sets.end());
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  if (sets.size() == 1) return sets.front();
  if (sets.size() > kMostSets) {
    throw Error(ErrorKind::kLimitError,
                concat("members in any order have been matched in more than ", kMostSets,
                       " sets at once: a text may be read as one member or another"),
                "let no two members of AnyOrder match the same text");
  }
  return lists_.of(sets) | kIsList;
}

uint32_t MemberSets::with(uint32_t word, uint32_t member) {
  if (word == kAny) return kAny;
  if ((word & kIsList) == 0) return after(sets_[word], member);
  std::vector<uint32_t> all;
  for (uint32_t set : list(word)) {
    if (may_match(sets_[set], member)) all.push_back(after(sets_[set], member));
  }
  return intern_list(std::move(all));
}

uint32_t MemberSets::unite(uint32_t a, uint32_t b) {
  if (a == b) return a;
  if (a == kAny || b == kAny) return kAny;
  std::vector<uint32_t> all;
  for (uint32_t word : {a, b}) {
    if ((word & kIsList) == 0) all.push_back(word);
    else all.insert(all.end(), list(word).begin(), list(word).end());
  }
  return intern_list(std::move(all));
}

uint32_t MemberSets::adopt(const MemberSets& other, uint32_t word) {
  if (word == kAny) return kAny;
  if ((word & kIsList) == 0) return intern(other.sets_[word]);
  std::vector<uint32_t> all;
  for (uint32_t set : other.list(word)) all.push_back(intern(other.sets_[set]));
  return intern_list(std::move(all));
}

// ---- For people ----

MemberSets::Facts MemberSets::facts(uint32_t word) const {
  Facts facts;
  if (word == kAny) return facts;
  const bool is_list = (word & kIsList) != 0;
  const Set& set = sets_[is_list ? list(word).front() : word];
  if (is_list) facts.n_sets = static_cast<uint32_t>(list(word).size());
  facts.n_total = set.n_total;
  for (uint32_t i = 0; i < bounds_.members.size(); ++i) {
    // For ordered members, only the last matched one and the required ones before it are known to
    // be matched.
    const bool is_known =
        order_ ? i + 1 == set.n_passed || (i < set.n_passed && bounds_.members[i].is_required)
               : is_matched(set, i);
    if (is_known) facts.matched.push_back(i);
    else if (order_ && i < set.n_passed) continue;
    else if (bounds_.members[i].is_required) facts.lacking.push_back(i);
  }
  return facts;
}

}  // namespace xg2lab
