// Read: the start column, push, finish_column (kSelf becomes a position).
#include "parse/chart.h"

#include <algorithm>

namespace xg2lab {

Chart::Chart(std::shared_ptr<const Program> program)
    : program_(std::move(program)),
      closure_(*program_, *this, count_sets_, recorder_, /*tail_calls=*/false) {
  recorder_.reasons.clear();
  closure_.begin();
  closure_.add({program_->rule(program_->root()).start(), kSelf, program_->root()},
               Operation::kStart, kNoItem, kNoItem, kNoItem);
  finish_column();
}

bool Chart::push(uint8_t byte) {
  recorder_.reasons.clear();
  closure_.begin();
  const auto from = static_cast<uint32_t>(columns_.size() - 1);
  const std::vector<ChartItem>& items = columns_[from].items;
  for (uint32_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i].item;
    for (const TerminalEdge& edge : program_->terminals(item.state)) {
      if (edge.range.lo > byte) break;
      if (!edge.range.contains(byte)) continue;
      closure_.add({edge.to, item.origin, item.goal}, Operation::kScan, from, i, kNoItem);
    }
  }
  return finish_column();
}

bool Chart::finish_column() {
  closure_.close();
  const auto position = static_cast<uint32_t>(columns_.size());
  const std::vector<Item>& agenda = closure_.agenda();
  if (agenda.empty()) return false;
  ChartColumn column;
  column.items = recorder_.reasons;
  for (size_t i = 0; i < agenda.size(); ++i) {
    ChartItem& entry = column.items[i];
    entry.item = agenda[i];
    if (entry.item.origin == kSelf) entry.item.origin = ColumnId(position);
    if (entry.source_column == kSelf.value && entry.source_index != kNoItem)
      entry.source_column = position;
    const bool is_root = entry.item.goal == program_->root() && entry.item.origin == ColumnId(0u);
    if (is_root && program_->is_accepting(entry.item.state)) column.is_complete = true;
  }
  columns_.push_back(std::move(column));
  return true;
}

size_t Chart::push_all(std::string_view bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (!push(static_cast<uint8_t>(bytes[i]))) return i;
  }
  return bytes.size();
}

}  // namespace xg2lab
