// Read: the constructor (fixed columns), interning, tail calls, the slow step. adopt.cc moves
// columns to another table.
// The trick: kSelf represents a column's own id, so equality and hash do not depend on numbering.
#include "parse/column_table.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <string>
#include <utility>

#include "support/error.h"
#include "support/heard_lock.h"
#include "support/invariants.h"
#include "support/sort_unique.h"

namespace xg2lab {
namespace {

// Blocks start small and double: most grammars see a few short texts only, for which allocating a
// large block costs more than the columns in it.
constexpr size_t kLeastBlockItems = 64;
constexpr size_t kMostBlockItems = 4096;
constexpr size_t kRowsPerBlock = 16;
constexpr size_t kLongList = 8;  // a column with only shorter lists has no groups
constexpr uint32_t kNoSource = UINT32_MAX;
constexpr std::string_view kWaiting = "reading the next byte: another thread reads one";

// Whether some item can scan the byte.
bool is_read(const Program& program, std::span<const Item> items, uint8_t byte) {
  return std::ranges::any_of(items, [&](const Item& item) {
    return std::ranges::any_of(program.terminals(item.state),
                               [&](const TerminalEdge& edge) { return edge.range.contains(byte); });
  });
}

uint64_t hash_of(std::span<const Item> scannable, std::span<const WaitingItem> waiting,
                 bool is_complete) {
  uint64_t hash = hash_combine(scannable.size(), is_complete ? 1 : 0);
  for (const Item& item : scannable) hash = hash_combine(hash, item.hash());
  for (const WaitingItem& item : waiting)
    hash = hash_combine(hash, hash_combine(item.after.hash(), item.rule.value));
  return hash;
}

bool is_same_group(const WaitingItem& a, const WaitingItem& b) {
  return a.rule == b.rule && a.after.state == b.after.state;
}

}  // namespace

ColumnTable::ColumnTable(std::shared_ptr<const Program> program, size_t max_bytes,
                         const ParseOptions& options)
    : program_(std::move(program)),
      max_bytes_(max_bytes),
      options_(options),
      count_sets_(*program_),
      inner_sets_(*program_),
      closure_(*program_, *this, count_sets_, observer_, options.tail_calls) {
  const std::lock_guard lock(mutex_);
  columns_.append();  // kOutside: no item waits
  columns_.append();  // kBeyond: beyond() lists its waiting items at the first call
  columns_.append();  // kDead
  by_content_.insert(hash_of({}, {}, false), kDead.value, [](uint32_t) { return uint64_t{0}; });

  closure_.begin();
  closure_.add({program_->rule(program_->root()).start(), kOutside, program_->root()},
               Operation::kStart, kOutside.value, kNoSource, kNoSource);
  closure_.close();
  start_ = intern_closure();
}

size_t ColumnTable::n_columns() const {
  const std::lock_guard lock(mutex_);
  return columns_.size();
}

// ---- Columns that no text leads to: single items, all contexts, joined columns ----

ColumnId ColumnTable::outside_item(StateId state) {
  const std::lock_guard lock(mutex_);
  const bool is_member = program_->kind(state) == StateKind::kMember;
  const Item item{state, kOutside, program_->rule_of(state),
                  is_member ? count_sets_.of_any_context(state) : Counts{}};
  return intern({&item, 1}, {}, false);
}

ColumnId ColumnTable::outside_item(StateId state, RuleId counted, const CountIntervals& counts) {
  const std::lock_guard lock(mutex_);
  const Repetition& repetition = *program_->rule(counted).repetition;
  const StateId after = program_->calls(program_->rule(counted).start()).front().to;
  const WaitingItem waiting{repetition.child,
                            {after, kOutside, counted, count_sets_.make(counts, repetition)}};
  const Item item{state, intern({}, {&waiting, 1}, false), repetition.child};
  return intern({&item, 1}, {}, false);
}

// Lists one waiting item for each state behind a call. The callers' own callers are unknown, so
// each item's goal is its own rule, with origin kBeyond again.
void ColumnTable::let_all_callers_wait() {
  size_t n_callers = 0;
  for (size_t r = 0; r < program_->n_rules(); ++r)
    n_callers += program_->return_states(RuleId(r)).size();
  std::vector<WaitingItem> everyone;
  everyone.reserve(n_callers);
  for (size_t r = 0; r < program_->n_rules(); ++r) {
    for (StateId state : program_->return_states(RuleId(r))) {
      everyone.push_back(
          {RuleId(r),
           {state, kBeyond, program_->rule_of(state), count_sets_.of_any_context(state)}});
    }
  }
  columns_[kBeyond.index()].waiting = keep(std::span<const WaitingItem>(everyone));
}

ColumnId ColumnTable::beyond(RuleId rule) {
  const std::lock_guard lock(mutex_);
  const Indivisible indivisible;
  if (columns_[kBeyond.index()].waiting.empty()) let_all_callers_wait();
  closure_.begin();
  closure_.complete(kBeyond, rule, kNoSource);
  closure_.close();
  return intern_closure();
}

ColumnId ColumnTable::join(ColumnId a, ColumnId b) {
  if (a == kDead || a == b) return b;
  if (b == kDead) return a;
  const std::lock_guard lock(mutex_);
  const Indivisible indivisible;
  std::vector<Item> items;
  for (ColumnId id : {a, b}) {
    for (const Item& item : items_of(columns_[id.index()]))
      items.push_back(seen_from_outside(item, id));
  }
  sort_unique(items);
  // No item has the joined column as its origin, so the column needs no waiting items.
  return intern(items, {}, columns_[a.index()].is_complete || columns_[b.index()].is_complete);
}

// ---- Interning ----

// Copies the items to a block of memory that lives as long as the table; blocks never move.
template <class T>
std::span<const T> ColumnTable::keep(std::span<const T> items) const {
  auto& blocks = [this]() -> auto& {
    if constexpr (std::is_same_v<T, Item>) {
      return item_blocks_;
    } else if constexpr (std::is_same_v<T, WaitingItem>) {
      return waiting_blocks_;
    } else {
      return origin_blocks_;
    }
  }();
  if (items.empty()) return {};
  if (blocks.empty() || blocks.back().capacity() - blocks.back().size() < items.size()) {
    const size_t n_twice = blocks.empty() ? kLeastBlockItems : 2 * blocks.back().capacity();
    blocks.emplace_back().reserve(std::max(std::min(n_twice, kMostBlockItems), items.size()));
  }
  std::vector<T>& block = blocks.back();
  const size_t begin = block.size();
  block.insert(block.end(), items.begin(), items.end());
  n_bytes_.fetch_add(items.size() * sizeof(T), std::memory_order_relaxed);
  return {block.data() + begin, items.size()};
}
// For within_words.cc.
template std::span<const Item> ColumnTable::keep(std::span<const Item>) const;
template std::span<const ColumnId> ColumnTable::keep(std::span<const ColumnId>) const;

ColumnId ColumnTable::intern_closure(const Column* before) {
  scannable_scratch_.clear();
  for (const Item& item : closure_.agenda()) {
    if (!program_->is_scannable(item.state)) continue;
    scannable_scratch_.push_back(item);
    // A stack is the same whether its top frame was pushed in this column or earlier, so the mark
    // is removed. With max_tokens the mark still matters at the next tick.
    Item& kept = scannable_scratch_.back();
    if (has_stacks() && !program_->has_budgets()) kept.origin = without_mark(kept.origin);
  }
  sort_unique(scannable_scratch_);
  std::vector<WaitingItem>& waiting = closure_.waiting();
  sort_unique(waiting);
  if (program_->has_counts()) unite_places(waiting);
  return intern(scannable_scratch_, waiting, closure_.left_outside(), before);
}

ColumnId ColumnTable::intern(std::span<const Item> scannable, std::span<const WaitingItem> waiting,
                             bool is_complete, const Column* before) {
  const uint64_t hash = hash_of(scannable, waiting, is_complete);
  const auto is_equal = [&](uint32_t id) {
    const Column& column = columns_[id];
    return column.is_complete == is_complete && column.within == nullptr &&
           std::ranges::equal(column.own, scannable) && std::ranges::equal(column.waiting, waiting);
  };
  if (const auto known = by_content_.find(hash, is_equal)) return ColumnId(*known);
  const ColumnId id(columns_.size());
  Column& column = columns_.append();
  const bool is_as_before = before != nullptr && std::ranges::equal(before->own, scannable);
  column.own = is_as_before ? before->own : keep(scannable);
  column.waiting = keep(waiting);
  column.is_complete = is_complete;
  column.expects_token =
      program_->has_token_edges() && std::ranges::any_of(scannable, [&](const Item& item) {
        return program_->is_before_token(item.state);
      });
  if (waiting.size() >= kLongList) make_groups(id, column);
  insert(hash, id);
  if constexpr (kChecksInvariants) check_column(id);
  return id;
}

void ColumnTable::insert(uint64_t hash, ColumnId id) {
  by_content_.insert(hash, id.value, [this](uint32_t known) {
    const Column& other = columns_[known];
    return other.within != nullptr ? other.within->words.hash()
                                   : hash_of(other.own, other.waiting, other.is_complete);
  });
  n_bytes_.fetch_add(sizeof(Column), std::memory_order_relaxed);
  charge_tables();
}

void ColumnTable::charge_tables() {
  const size_t n_bytes = by_content_.memory_size_bytes() + count_sets_.memory_size_bytes() +
                         callers_.memory_size_bytes() + ticks_.memory_size_bytes() +
                         returns_.memory_size_bytes() + inner_sets_.memory_size_bytes();
  // The tables are smaller than before if some were cleared. The unsigned difference then wraps
  // around, and the sum is still right.
  n_bytes_.fetch_add(n_bytes - n_table_bytes_, std::memory_order_relaxed);
  n_table_bytes_ = n_bytes;
}

// Finds an earlier group whose items are exactly the first items of this group. The only candidate
// is the group of the same rule and state in the column of the newest origin (other than kSelf).
void ColumnTable::find_shared(WaitingGroup& group) const {
  const std::span<const WaitingItem> ours = columns_[group.column.index()].waiting;
  uint32_t last = group.end;
  while (last > group.begin && ours[last - 1].after.origin == kSelf) --last;
  if (last == group.begin) return;
  const ColumnId origin = ours[last - 1].after.origin;
  const std::span<const WaitingItem> theirs = columns_[origin.index()].waiting;
  if (columns_[origin.index()].first_group == WaitingGroup::kNone) return;
  const RuleId rule = ours[group.begin].rule;
  for (uint32_t g = first_group_of(origin, rule); is_group_of(g, origin, rule); ++g) {
    const WaitingGroup& other = groups_[g];
    if (!is_same_group(theirs[other.begin], ours[group.begin])) continue;
    const uint32_t n = other.end - other.begin;
    if (n > last - group.begin) return;
    for (uint32_t i = 0; i < n; ++i) {
      const Item after = seen_from_outside(theirs[other.begin + i].after, origin);
      if (!(after == ours[group.begin + i].after)) return;
    }
    group.shared = g;
    group.n_shared = n;
    return;
  }
}

void ColumnTable::make_groups(ColumnId id, Column& column) {
  const std::span<const WaitingItem> waiting = column.waiting;
  std::vector<WaitingGroup> groups;
  bool is_long = false;
  for (uint32_t begin = 0; begin < waiting.size(); begin = groups.back().end) {
    WaitingGroup& group = groups.emplace_back();
    group.column = id;
    group.begin = begin;
    group.end = begin + 1;
    while (group.end < waiting.size() && is_same_group(waiting[begin], waiting[group.end]))
      ++group.end;
    is_long = is_long || group.end - begin >= kLongList;
  }
  if (!is_long) return;
  column.first_group = static_cast<uint32_t>(groups_.size());
  for (WaitingGroup& group : groups) {
    find_shared(group);
    groups_.append() = group;
  }
  n_bytes_.fetch_add(groups.size() * sizeof(WaitingGroup), std::memory_order_relaxed);
}

// The first group of the column whose rule is not below `rule`; a later column's group if there is
// none. The column must have groups. The search doubles its steps, then bisects.
uint32_t ColumnTable::first_group_of(ColumnId column, RuleId rule) const {
  const std::span<const WaitingItem> waiting = columns_[column.index()].waiting;
  const auto is_before = [&](size_t g) {
    return g < groups_.size() && groups_[g].column == column &&
           waiting[groups_[g].begin].rule < rule;
  };
  size_t lo = columns_[column.index()].first_group;
  size_t step = 1;
  for (; is_before(lo + step - 1); step *= 2) lo += step;
  for (size_t n = step - 1; n > 0;) {  // the first group not before is in lo ... lo + n
    const size_t half = n / 2;
    if (is_before(lo + half)) {
      lo += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return static_cast<uint32_t>(lo);
}

bool ColumnTable::is_group_of(uint32_t group, ColumnId column, RuleId rule) const {
  return group < groups_.size() && groups_[group].column == column &&
         columns_[column.index()].waiting[groups_[group].begin].rule == rule;
}

bool ColumnTable::is_long_list(ColumnId column, RuleId rule) const {
  if (columns_[column.index()].first_group == WaitingGroup::kNone)
    return waiting_for(column, rule).size() > kLongList;
  size_t n = 0;
  for (uint32_t g = first_group_of(column, rule); n <= kLongList && is_group_of(g, column, rule);
       ++g)
    n += groups_[g].end - groups_[g].begin;
  return n > kLongList;
}

void ColumnTable::allow_stacks(size_t n_stacks) const {
  if (n_stacks <= options_.max_stacks) return;
  throw Error(ErrorKind::kLimitError,
              "more than " + std::to_string(options_.max_stacks) +
                  " stacks are alive at once: the grammar is ambiguous here, and a pushdown "
                  "automaton keeps every way of reading the text apart",
              "use EngineOptions(parser=\"earley\"), which shares what they have in common, or set "
              "EngineOptions.max_stacks");
}

// ---- Tail calls ----

// An item that waits at the end of its own rule would, once resumed, only complete that rule. So
// the item is replaced by the items that wait for the rule, and these likewise. `found` never has
// more than kLongList items: a longer list stays unexpanded.
std::span<const Item> ColumnTable::returns(const Item& ended) {
  std::vector<Item>& found = returns_scratch_;
  found.assign(1, ended);
  std::array<Call, kLongList> asked;
  size_t n_asked = 0;
  for (size_t i = 0; i < found.size() && n_asked < kLongList;) {
    const Item item = found[i];
    const bool is_at_end =
        program_->is_accepting(item.state) && !program_->is_scannable(item.state) &&
        program_->calls(item.state).empty() && program_->kind(item.state) == StateKind::kPlain &&
        !program_->rule(program_->rule_of(item.state)).options;
    const bool is_finished = item.origin > kDead && !is_begun_here(item.origin);
    if (!is_at_end || !is_finished) {
      ++i;
      continue;
    }
    const Call call{item.origin, item.goal};
    const auto is_same = [&](Call other) { return other.key() == call.key(); };
    const bool is_known = std::any_of(asked.begin(), asked.begin() + n_asked, is_same);
    const std::span<const WaitingItem> waiting = is_known || is_long_list(call.origin, call.goal)
                                                     ? std::span<const WaitingItem>{}
                                                     : waiting_for(call.origin, call.goal);
    if (!is_known && (waiting.empty() || found.size() - 1 + waiting.size() > kLongList)) {
      ++i;
      continue;
    }
    found.erase(found.begin() + static_cast<ptrdiff_t>(i));
    if (is_known) continue;
    asked[n_asked++] = call;
    for (const WaitingItem& after : waiting) {
      const Item seen = seen_from_outside(after.after, call.origin);
      if (std::ranges::find(found, seen) == found.end()) found.push_back(seen);
    }
  }
  return n_asked == 0 ? std::span<const Item>{} : found;
}

// ---- Stepping ----

uint32_t ColumnTable::known_step(const Column& column, uint32_t symbol) {
  if (const std::atomic<uint32_t>* row = column.row.load(std::memory_order_acquire))
    return row[symbol].load(std::memory_order_acquire);
  const uint64_t first = column.first_step.load(std::memory_order_acquire);
  return static_cast<uint32_t>(first) == symbol + 1 ? static_cast<uint32_t>(first >> 32) : kUnknown;
}

// Stores the first step of a column in first_step, and makes the row for the second.
void ColumnTable::publish_step(Column& column, uint32_t symbol, ColumnId to) {
  const uint64_t first = column.first_step.load(std::memory_order_relaxed);
  if (column.row.load(std::memory_order_relaxed) == nullptr) {
    if (first == 0) {
      const uint64_t packed = (static_cast<uint64_t>(to.value) << 32) | (symbol + 1u);
      return column.first_step.store(packed, std::memory_order_release);
    }
    make_row(column);
  }
  column.row.load(std::memory_order_relaxed)[symbol].store(to.value, std::memory_order_release);
}

// Makes the row of a column. Symbols that no item can scan are kDead at once; the others are
// kUnknown until their step is computed.
void ColumnTable::make_row(Column& column) {
  const size_t width = program_->n_symbols();
  if (row_blocks_.empty() || row_block_used_ == kRowsPerBlock) {
    row_blocks_.push_back(std::make_unique<std::atomic<uint32_t>[]>(width * kRowsPerBlock));
    row_block_used_ = 0;
  }
  std::atomic<uint32_t>* const row = row_blocks_.back().get() + width * row_block_used_++;
  for (size_t i = 0; i < width; ++i) row[i].store(kDead.value, std::memory_order_relaxed);
  const auto may_read = [&](StateId state) {
    for (const TerminalEdge& edge : program_->terminals(state)) {
      const size_t last = program_->byte_class(edge.range.hi);
      for (size_t i = program_->byte_class(edge.range.lo); i <= last; ++i)
        row[i].store(kUnknown, std::memory_order_relaxed);
    }
  };
  const bool is_within_words = column.within != nullptr;
  const Column& read = is_within_words ? columns_[column.within->words.rest.index()] : column;
  if (is_within_words) {
    for (const InnerSets::Place& place : inner_sets_.places(column.within->words.inner))
      may_read(place.state);
  }
  if (const std::atomic<uint32_t>* known = read.row.load(std::memory_order_relaxed)) {
    for (size_t i = 0; i < width; ++i) {
      if (known[i].load(std::memory_order_relaxed) != kDead.value)
        row[i].store(kUnknown, std::memory_order_relaxed);
    }
  } else {
    for (const Item& item : read.own) may_read(item.state);
  }
  for (size_t i = program_->n_byte_classes(); column.expects_token && i < width; ++i)
    row[i].store(kUnknown, std::memory_order_relaxed);
  n_bytes_.fetch_add(width * sizeof(uint32_t), std::memory_order_relaxed);
  if (const uint64_t first = column.first_step.load(std::memory_order_relaxed)) {
    row[static_cast<uint32_t>(first) - 1].store(static_cast<uint32_t>(first >> 32),
                                                std::memory_order_relaxed);
  }
  column.row.store(row, std::memory_order_release);
}

bool ColumnTable::reads_slowly(ColumnId from, uint8_t byte) {
  if (program_->has_counts()) return step(from, byte) != kDead;
  const std::lock_guard lock(mutex_);
  Column& column = columns_[from.index()];
  if (column.row.load(std::memory_order_relaxed) == nullptr) make_row(column);
  return column.row.load(std::memory_order_relaxed)[program_->byte_class(byte)].load(
             std::memory_order_relaxed) != kDead.value;
}

ColumnId ColumnTable::step_slowly(ColumnId from, uint8_t byte) {
  const OwnBudget budget(options_.limits, Work::kMask);
  const auto lock = heard_lock(mutex_, kWaiting);
  const Indivisible indivisible;
  return step_locked(from, byte);
}

ColumnId ColumnTable::step_locked(ColumnId from, uint8_t byte) {
  Column& column = columns_[from.index()];
  const uint8_t byte_class = program_->byte_class(byte);
  if (const uint32_t known = known_step(column, byte_class); known != kUnknown)
    return ColumnId(known);
  if (column.within == nullptr && !is_read(*program_, column.own, byte)) {
    make_row(column);  // only a column without a row gets here; the row contains kDead
    return kDead;
  }
  if (std::optional<ColumnId> to = as_first_step(column, byte_class)) return *to;
  std::optional<ColumnId> to;
  if (column.within != nullptr) to = step_within_words(from, byte);
  if (!to) to = step_within_rules(from, byte);
  if (to) {
    publish_step(column, byte_class, *to);
    spread(column, byte, *to);
    return *to;
  }
  // The general case, which the two shortcuts above decline: scan all items, then close.
  closure_.begin();
  const std::span<const Item> items = items_of(column);
  for (uint32_t i = 0; i < items.size(); ++i) {
    const Item item = seen_from_outside(items[i], from);
    for (const TerminalEdge& edge : program_->terminals(item.state)) {
      if (edge.range.lo > byte) break;
      if (!edge.range.contains(byte)) continue;
      closure_.add({edge.to, item.origin, item.goal, item.counts}, Operation::kScan, from.value, i,
                   kNoSource);
    }
  }
  const ColumnId after = finish_step(column, byte_class);
  spread(column, byte, after);
  return after;
}

// Called when a second symbol is read. Makes the row and spreads the first step over the byte
// classes that are equivalent to its own. Returns the step by `byte_class` if it is one of them.
std::optional<ColumnId> ColumnTable::as_first_step(Column& column, uint8_t byte_class) {
  const uint64_t first = column.first_step.load(std::memory_order_relaxed);
  if (first == 0 || column.row.load(std::memory_order_relaxed) != nullptr) return std::nullopt;
  make_row(column);
  const uint32_t symbol = static_cast<uint32_t>(first) - 1;
  if (symbol >= program_->n_byte_classes()) return std::nullopt;
  spread(column, program_->first_byte_of(static_cast<uint8_t>(symbol)),
         ColumnId(static_cast<uint32_t>(first >> 32)));
  const uint32_t known = known_step(column, byte_class);
  return known == kUnknown ? std::nullopt : std::optional(ColumnId(known));
}

// Publishes the step by `byte` for all equivalent byte classes: those that every item scans along
// edges to the same state as `byte`, or not at all if the item does not scan `byte`. Inside a
// string the letters are many classes, because the grammar names some of them, but they share one
// step.
void ColumnTable::spread(Column& column, uint8_t byte, ColumnId to) {
  std::atomic<uint32_t>* const row = column.row.load(std::memory_order_relaxed);
  if (row == nullptr) return;
  std::bitset<256> alike;  // by byte class
  alike.set();
  // Removes from `alike` the classes that the state does not scan as it scans `byte`.
  const auto keep_alike = [&](StateId state) {
    std::bitset<256> same;
    std::bitset<256> others;
    std::optional<StateId> target;
    for (const TerminalEdge& edge : program_->terminals(state)) {
      if (!edge.range.contains(byte)) continue;
      if (target && *target != edge.to) {  // edges to several states: no class is alike
        alike.reset();
        return;
      }
      target = edge.to;
    }
    for (const TerminalEdge& edge : program_->terminals(state)) {
      std::bitset<256>& read = edge.to == target ? same : others;
      const size_t last = program_->byte_class(edge.range.hi);
      for (size_t i = program_->byte_class(edge.range.lo); i <= last; ++i) read.set(i);
    }
    alike &= target ? same & ~others : ~others;
  };
  if (column.within != nullptr) {
    const WithinWords& words = column.within->words;
    for (const InnerSets::Place& place : inner_sets_.places(words.inner)) keep_alike(place.state);
    for (const Item& item : columns_[words.rest.index()].own) keep_alike(item.state);
  }
  for (const Item& item : column.own) {
    keep_alike(item.state);
    if (alike.count() <= 1) return;  // only `byte` itself is left, as in a keyword
  }
  for (size_t i = 0; i < program_->n_byte_classes(); ++i) {
    if (alike[i] && row[i].load(std::memory_order_relaxed) == kUnknown)
      row[i].store(to.value, std::memory_order_release);
  }
}

ColumnId ColumnTable::finish_step(Column& column, uint32_t symbol) {
  closure_.close();
  const ColumnId to = intern_closure(&column);
  publish_step(column, symbol, to);
  return to;
}

ColumnId ColumnTable::step_token(ColumnId from, TokenId token) {
  Column& column = columns_[from.index()];
  if (!column.expects_token) return kDead;
  const uint32_t symbol = program_->token_symbol(token);
  if (const uint32_t known = known_step(column, symbol); known != kUnknown) return ColumnId(known);
  const OwnBudget budget(options_.limits, Work::kMask);
  const auto lock = heard_lock(mutex_, kWaiting);
  const Indivisible indivisible;
  if (const uint32_t known = known_step(column, symbol); known != kUnknown) return ColumnId(known);
  closure_.begin();
  const std::span<const Item> items = items_of(column);
  for (uint32_t i = 0; i < items.size(); ++i) {
    const Item item = seen_from_outside(items[i], from);
    if (!program_->is_before_token(item.state) || !program_->tokens(item.state).holds(token))
      continue;
    closure_.add({Program::after_token(item.state), item.origin, item.goal, item.counts},
                 Operation::kScan, from.value, i, kNoSource);
  }
  return finish_step(column, symbol);
}

}  // namespace xg2lab
