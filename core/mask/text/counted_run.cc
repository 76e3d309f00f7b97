// Read: find_counted_run(), which checks the conditions of the header in order, and
// differ_in_count(), which compares the run's first two columns.
#include "mask/text/counted_run.h"

#include <algorithm>

namespace xg2lab {
namespace {

FirstBytes bytes_read(const Program& program, StateId state) {
  FirstBytes bytes;
  for (const TerminalEdge& edge : program.terminals(state))
    for (size_t byte = edge.range.lo; byte <= edge.range.hi; ++byte) bytes.set(byte);
  return bytes;
}

// True if the state reads bytes only, and each of them ends the state's rule.
bool reads_one_byte(const Program& program, StateId state) {
  const auto is_end = [&](const TerminalEdge& edge) {
    return program.is_accepting(edge.to) && program.terminals(edge.to).empty() &&
           program.calls(edge.to).empty();
  };
  return !program.is_accepting(state) && program.calls(state).empty() &&
         !program.is_before_token(state) && !program.terminals(state).empty() &&
         std::ranges::all_of(program.terminals(state), is_end);
}

// The number of matches of the child that may still follow, the current one included. None if the
// repetition has no bound, may not end after the current match, or must end after it.
std::optional<size_t> most_left(const Program& program, RuleId counted,
                                const CountIntervals& counts_after_this) {
  const Repetition& repetition = *program.rule(counted).repetition;
  const uint32_t least = counts_after_this.front().lo;
  if (!repetition.has_max() || least < repetition.min || least >= repetition.max)
    return std::nullopt;
  return size_t{repetition.max - least} + 1;
}

// The column after a byte of the run, if every byte of the run leads to the same column; else
// kDead.
ColumnId after_any(ColumnTable& table, ColumnId from, const FirstBytes& bytes) {
  ColumnId to = kDead;
  for (size_t byte = 0; byte < bytes.size(); ++byte) {
    if (!bytes[byte]) continue;
    const ColumnId here = table.step(from, static_cast<uint8_t>(byte));
    if (to != kDead && here != to) return kDead;
    to = here;
  }
  return to;
}

// The only item that waits for the run's child; null if there are several, or none.
const Item* waiting_for(const Column& column, RuleId child) {
  const Item* found = nullptr;
  for (const WaitingItem& item : column.waiting) {
    if (item.rule != child) continue;
    if (found != nullptr) return nullptr;
    found = &item.after;
  }
  return found;
}

// True if the columns differ at most in the counts of the items that wait for the child.
bool differ_in_count(const Column& a, const Column& b, RuleId child) {
  const auto is_alike = [&](const WaitingItem& x, const WaitingItem& y) {
    return x == y || (x.rule == child && y.rule == child && x.after.is_same_place(y.after));
  };
  return a.is_complete == b.is_complete && b.within == nullptr && !b.expects_token &&
         std::ranges::equal(a.own, b.own) && std::ranges::equal(a.waiting, b.waiting, is_alike);
}

}  // namespace

std::optional<CountedRun> find_counted_run(ColumnTable& table, ColumnId from) {
  const Program& program = table.program();
  if (!program.has_repetitions() || table.at(from).within != nullptr) return std::nullopt;
  const auto is_before_child = [&](const Item& item) {
    return program.rule(program.rule_of(item.state)).repeated_by.has_value() &&
           reads_one_byte(program, item.state);
  };
  const std::span<const Item> items = table.at(from).own;
  const auto item = std::ranges::find_if(items, is_before_child);
  if (item == items.end()) return std::nullopt;
  const RuleId child = program.rule_of(item->state);
  CountedRun run{item->state, bytes_read(program, item->state)};
  run.inside = after_any(table, from, run.bytes);
  if (run.inside == kDead) return std::nullopt;
  const Column& first = table.at(run.inside);
  const Item* after = waiting_for(first, child);
  // The next match of the child must begin in the column after the first byte, so that the run goes
  // on.
  const Item self{item->state, kSelf, child};
  if (first.within != nullptr || after == nullptr ||
      std::ranges::find(first.own, self) == first.own.end())
    return std::nullopt;
  const auto reads_it_too = [&](const Item& other) {
    return other.state != item->state && (bytes_read(program, other.state) & run.bytes).any();
  };
  const auto is_it = [&](const Item& other) { return other.state == item->state; };
  // Within the run no other item may read a byte of the set; otherwise these bytes would not be the
  // run's alone.
  if (std::ranges::count_if(first.own, is_it) != 1 || std::ranges::any_of(first.own, reads_it_too))
    return std::nullopt;
  run.is_apart = std::ranges::none_of(items, reads_it_too);
  const std::optional<size_t> most =
      most_left(program, *program.rule(child).repeated_by, table.counts(*after));
  if (!most) return std::nullopt;
  run.most = *most + 1;
  // If the second column differs from the first in the count alone, so does every later one.
  const ColumnId second = after_any(table, run.inside, run.bytes);
  if (second == kDead || !differ_in_count(first, table.at(second), child)) return std::nullopt;
  return run;
}

std::vector<RankRange> beyond_run(const TokenSets& tokens, const CountedRun& run) {
  const auto runs = tokens.run_nodes.of(tokens.trie, run.bytes);
  std::vector<RankRange> ranges;
  if (run.most + 1 >= runs->by_length.size()) return ranges;
  for (uint32_t node : runs->by_length[run.most + 1])
    ranges.emplace_back(tokens.trie[node].first_rank, tokens.trie.subtree_end_rank(node));
  return ranges;
}

std::vector<RankRange> without(const std::vector<RankRange>& ranges,
                               const std::vector<RankRange>& others) {
  std::vector<RankRange> left;
  auto other = others.begin();
  for (auto [begin, end] : ranges) {
    while (other != others.end() && other->second <= begin) ++other;
    for (auto next = other; next != others.end() && next->first < end; ++next) {
      if (begin < next->first) left.emplace_back(begin, next->first);
      begin = std::max(begin, next->second);
    }
    if (begin < end) left.emplace_back(begin, end);
  }
  return left;
}

}  // namespace xg2lab
