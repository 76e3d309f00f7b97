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

// The only item that waits for the run's child in the context; none if there are several.
std::optional<Item> waiting_for(const ColumnTable& table, ContextId context, RuleId child) {
  std::vector<Item> found;
  table.for_each_waiting(context, child, [&](const Item& item) { found.push_back(item); });
  return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

// The part of the column with the only item in `state`; none if there are several items.
std::optional<Part> part_of(const ColumnTable& table, ColumnId column, StateId state) {
  std::optional<Part> found;
  for (const Part& part : table.parts(column)) {
    for (const Place& place : table.rows().places(part.scan)) {
      if (place.state != state) continue;
      if (found) return std::nullopt;
      found = part;
    }
  }
  return found;
}

// True if the columns differ at most in their parts `of_a` and `of_b`, and these only in the counts
// of the items that wait for the child in the parts' origins.
bool differ_in_count(const ColumnTable& table, ColumnId a, ColumnId b, const Part& of_a,
                     const Part& of_b, RuleId child) {
  const Column& first = table.at(a);
  const Column& second = table.at(b);
  const auto others = [&](ColumnId column, const Part& part) {
    std::vector<Part> parts(table.parts(column).begin(), table.parts(column).end());
    std::erase(parts, part);
    return parts;
  };
  if (first.is_complete != second.is_complete || second.expects_token || of_a.scan != of_b.scan ||
      others(a, of_a) != others(b, of_b))
    return false;
  const auto is_alike = [&](const WaitingItem& x, const WaitingItem& y) {
    return x == y || (x.rule == child && y.rule == child && x.after.is_same_place(y.after));
  };
  return std::ranges::is_permutation(table.contexts().waiting(without_mark(of_a.origin)),
                                     table.contexts().waiting(without_mark(of_b.origin)), is_alike);
}

}  // namespace

std::optional<CountedRun> find_counted_run(ColumnTable& table, ColumnId from) {
  const Program& program = table.program();
  if (!program.has_repetitions()) return std::nullopt;
  const auto is_before_child = [&](const auto& item) {
    return program.rule(program.rule_of(item.state)).repeated_by.has_value() &&
           reads_one_byte(program, item.state);
  };
  const bool may_run = std::ranges::any_of(table.parts(from), [&](const Part& part) {
    return std::ranges::any_of(table.rows().places(part.scan), is_before_child);
  });
  if (!may_run) return std::nullopt;
  const std::vector<Item> items = table.items(from);
  const auto item = std::ranges::find_if(items, is_before_child);
  if (item == items.end()) return std::nullopt;
  const RuleId child = program.rule_of(item->state);
  CountedRun run{item->state, bytes_read(program, item->state)};
  run.inside = after_any(table, from, run.bytes);
  if (run.inside == kDead) return std::nullopt;
  // The next match of the child must begin in the column after the first byte, so that the run goes
  // on. A byte ends a match, so an item in the child's state has just been predicted.
  const std::optional<Part> first = part_of(table, run.inside, run.state);
  if (!first) return std::nullopt;
  const ContextId origin = without_mark(first->origin);
  const std::optional<Item> after = waiting_for(table, origin, child);
  if (!after) return std::nullopt;
  const auto reads_it_too = [&](const Item& other) {
    return other.state != run.state && (bytes_read(program, other.state) & run.bytes).any();
  };
  // Within the run no other item may read a byte of the set; otherwise these bytes would not be the
  // run's alone.
  if (std::ranges::any_of(table.items(run.inside), reads_it_too)) return std::nullopt;
  run.is_apart = std::ranges::none_of(items, reads_it_too);
  const std::optional<size_t> most =
      most_left(program, *program.rule(child).repeated_by, table.counts(*after));
  if (!most) return std::nullopt;
  run.most = *most + 1;
  // If the second column differs from the first in the count alone, so does every later one.
  const ColumnId second = after_any(table, run.inside, run.bytes);
  if (second == kDead) return std::nullopt;
  const std::optional<Part> of_second = part_of(table, second, run.state);
  if (!of_second || !differ_in_count(table, run.inside, second, *first, *of_second, child))
    return std::nullopt;
  // Where the repetition also begins anew, the least count stays as it is, and no bound is reached.
  const std::optional<Item> later = waiting_for(table, without_mark(of_second->origin), child);
  if (!later || table.counts(*later).front().lo != table.counts(*after).front().lo + 1)
    return std::nullopt;
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
