// Read: the constructor (start column), push and push_token, finish_column, other_ways (further
// derivations).
#include "parse/chart.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "support/error.h"
#include "support/invariants.h"
#include "support/sort_unique.h"

namespace xg2lab {

Chart::Chart(std::shared_ptr<const Program> program) : Chart(program, program->root()) {}

Chart::Chart(std::shared_ptr<const Program> program, RuleId root)
    : program_(std::move(program)),
      root_(root),
      count_sets_(*program_),
      closure_(*program_, count_sets_, columns_) {
  closure_.begin();
  closure_.add({program_->rule(root_).start(), ContextId(0u), root_}, Derivation{});
  finish_column();
}

void Chart::scan(uint8_t byte) {
  const auto from = static_cast<uint32_t>(columns_.size() - 1);
  const std::vector<ChartItem>& items = columns_[from].items;
  for (uint32_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i].item;
    for (const TerminalEdge& edge : program_->terminals(item.state)) {
      if (edge.range.lo > byte) break;
      if (!edge.range.contains(byte)) continue;
      closure_.add({edge.to, item.origin, item.goal, item.counts},
                   {Operation::kScan, from, i, kNoItem});
    }
  }
}

void Chart::scan(size_t from, TokenId token) {
  const std::vector<ChartItem>& items = columns_[from].items;
  for (uint32_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i].item;
    if (!program_->is_before_token(item.state) || !program_->tokens(item.state).holds(token))
      continue;
    closure_.add({Program::after_token(item.state), item.origin, item.goal, item.counts},
                 {Operation::kScan, static_cast<uint32_t>(from), i, kNoItem});
  }
}

bool Chart::push(uint8_t byte) {
  closure_.begin();
  scan(byte);
  return finish_column();
}

bool Chart::takes(TokenId token) const {
  return std::ranges::any_of(last(), [&](const ChartItem& entry) {
    const StateId state = entry.item.state;
    return program_->is_before_token(state) && program_->tokens(state).holds(token);
  });
}

bool Chart::push_token(TokenId token, std::string_view bytes, bool is_text) {
  if (!takes(token)) {
    if (!is_text) return false;
    const size_t n_read = push_all(bytes);
    if (n_read == bytes.size()) return true;
    pop(n_read);
    return false;
  }
  // The columns inside the token are empty unless the bytes are also read as text. The last column
  // contains the items of both readings.
  const size_t from = columns_.size() - 1;
  for (char byte : bytes.substr(0, bytes.size() - 1)) {
    if (!is_text || !push(static_cast<uint8_t>(byte))) columns_.emplace_back();
  }
  closure_.begin();
  if (is_text) scan(static_cast<uint8_t>(bytes.back()));
  scan(from, token);
  return finish_column();
}

bool Chart::finish_column() {
  closure_.close();
  const auto position = static_cast<uint32_t>(columns_.size());
  if (closure_.agenda().empty()) return false;
  ChartColumn column;
  column.items = closure_.agenda();
  for (uint32_t i = 0; i < column.items.size(); ++i) {
    const Item& item = column.items[i].item;
    const bool is_root = item.goal == root_ && item.origin == ContextId(0u);
    if (is_root && program_->is_accepting(item.state)) column.is_complete = true;
    if (!program_->calls(item.state).empty()) column.callers.push_back(i);
  }
  column.ways = other_ways(closure_.again(), column.items, position);
  columns_.push_back(std::move(column));
  if constexpr (kChecksInvariants) check_column(position);
  return true;
}

std::vector<ItemWays> Chart::other_ways(std::vector<ChartWay>& again,
                                        const std::vector<ChartItem>& items, uint32_t position) {
  // An item's own derivation is dropped (I5), and so is one in which the item is its own source.
  std::erase_if(again, [&](const ChartWay& way) {
    const bool is_of_itself =
        way.how.source_column == position && way.how.source_index == way.index;
    return is_of_itself || way.how == items[way.index].how;
  });
  sort_unique(again);
  std::vector<ItemWays> ways;
  for (const ChartWay& way : again) {
    if (ways.empty() || ways.back().index != way.index) ways.push_back({way.index, 0, {}});
    if (ways.back().n_others++ < kMostWays) ways.back().others.push_back(way);
  }
  return ways;
}

void Chart::check_column(size_t j) const {
  const ChartColumn& column = columns_[j];
  std::set<std::tuple<StateId, ContextId, RuleId>> items;
  for (const ChartItem& entry : column.items) {
    const Item& item = entry.item;
    XG2LAB_ASSERT(item.origin.index() <= j, "chart I1");
    XG2LAB_ASSERT(items.emplace(item.state, item.origin, item.goal).second, "chart I2");
  }
  for (const ItemWays& ways : column.ways) {
    const ChartWay own{ways.index, column.items[ways.index].how};
    XG2LAB_ASSERT(std::ranges::adjacent_find(ways.others) == ways.others.end(), "chart I5");
    XG2LAB_ASSERT(std::ranges::find(ways.others, own) == ways.others.end(), "chart I5");
  }
}

void Chart::check_invariants() const {
  for (size_t j = 0; j < columns_.size(); ++j) check_column(j);
  XG2LAB_ASSERT(!columns_.back().items.empty(), "chart I4");
}

size_t Chart::push_all(std::string_view bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (!push(static_cast<uint8_t>(bytes[i]))) return i;
  }
  return bytes.size();
}

}  // namespace xg2lab
