// Read: the constructor, after_steps() and close() (one new column), predict() and push_frames()
// (the two parsers), interning, and the arrays of known steps. tick.cc and adopt.cc make columns
// of other columns.
#include "parse/column_table.h"

#include <algorithm>
#include <string>
#include <utility>

#include "support/error.h"
#include "support/heard_lock.h"
#include "support/invariants.h"
#include "support/sort_unique.h"
#include "support/text.h"

namespace xg2lab {
namespace {

constexpr size_t kRowsPerBlock = 16;
// The sizes of the tables are added up anew after this many columns and this share of all columns.
constexpr size_t kColumnsPerCharge = 8;
constexpr size_t kShareOfACharge = 16;
// A tail call is replaced by at most this many waiting items.
constexpr size_t kFewReturns = 8;
constexpr std::string_view kWaiting = "waiting for another thread that reads a byte";

Rows::Calls calls_of(const ParseOptions& options) {
  if (options.parser == ParserKind::kEarley) return Rows::Calls::kShared;
  const bool has_tails = options.tail_calls && options.parser == ParserKind::kPda;
  return has_tails ? Rows::Calls::kStacks : Rows::Calls::kStacksWithoutTails;
}

}  // namespace

ColumnTable::ColumnTable(std::shared_ptr<const Program> program, size_t max_bytes,
                         const ParseOptions& options)
    : program_(std::move(program)),
      max_bytes_(max_bytes),
      options_(options),
      count_sets_(*program_),
      rows_(*program_, count_sets_, calls_of(options)),
      contexts_(*program_, rows_),
      completions_(rows_, contexts_) {
  const std::lock_guard lock(mutex_);
  intern();  // kDead, the list without parts
  completions_.begin();
  completions_.add(kOutside, rows_.start());
  close();
  start_ = intern();
  charge_tables();
}

size_t ColumnTable::n_columns() const {
  const std::lock_guard lock(mutex_);
  return columns_.size();
}

std::vector<Item> ColumnTable::items(ColumnId id) const {
  std::vector<Item> items;
  for_each_item(id, [&](const Item& item) { items.push_back(item); });
  return items;
}

// ---- Columns that no text leads to: single items, all contexts, joined columns ----

ColumnId ColumnTable::outside_item(StateId state) {
  const std::lock_guard lock(mutex_);
  const bool is_member = program_->kind(state) == StateKind::kMember;
  return intern_items({{state, kOutside, program_->rule_of(state),
                        is_member ? count_sets_.of_any_context(state) : Counts{}}},
                      false);
}

ColumnId ColumnTable::outside_item(StateId state, RuleId counted, const CountIntervals& counts) {
  const std::lock_guard lock(mutex_);
  const Repetition& repetition = *program_->rule(counted).repetition;
  const StateId after = program_->calls(program_->rule(counted).start()).front().to;
  const ContextId origin = intern_waiting(
      {{repetition.child, {after, kOutside, counted, count_sets_.make(counts, repetition)}}});
  return intern_items({{state, origin, repetition.child}}, false);
}

ColumnId ColumnTable::beyond(RuleId rule) {
  const std::lock_guard lock(mutex_);
  const Indivisible indivisible;
  std::vector<Rows::Ended> goals{{rule}};
  completions_.begin();
  completions_.add(kBeyond, {0, 0, rows_.goals_of(goals), 0});
  close();
  return intern();
}

ColumnId ColumnTable::join(ColumnId a, ColumnId b) {
  if (a == kDead || a == b) return b;
  if (b == kDead) return a;
  const std::lock_guard lock(mutex_);
  const Indivisible indivisible;
  parts_.clear();
  for (ColumnId id : {a, b}) {
    for (const auto& [origin, scan] : parts(id)) parts_.push_back({without_mark(origin), scan});
  }
  return intern(columns_[a.index()].is_complete || columns_[b.index()].is_complete);
}

ColumnId ColumnTable::clamped(ColumnId column, uint32_t reach) {
  const bool has_counts = program_->has_repetitions() || program_->has_budgets();
  if (!has_counts || column == kDead) return column;
  const std::lock_guard lock(mutex_);
  const Indivisible indivisible;
  parts_.clear();
  for (const auto& [origin, scan] : parts(column)) {
    const Rows::Id goals = rows_.goals_of_places(scan);
    parts_.push_back(
        {contexts_.clamped(without_mark(origin), goals, reach), rows_.without_tokens(scan)});
  }
  return std::ranges::equal(parts_, parts(column)) ? column
                                                   : intern(columns_[column.index()].is_complete);
}

// ---- One new column ----

template <class StepOf>
ColumnId ColumnTable::after_steps(ColumnId from, StepOf step_of) {
  const std::span<const Part> parts = this->parts(from);
  parts_.clear();
  returning_.clear();
  for (const auto& [origin, scan] : parts) {
    const Rows::Step step = step_of(scan);
    if (step.is_dead()) continue;
    const ContextId at = without_mark(origin);
    if (step.next != 0) parts_.push_back({at, step.next});
    if (step.row != 0 && !add_known_return(at, step.row)) returning_.push_back({at, step.row});
  }
  count_work("reading the next byte", parts.size());
  if (returning_.empty()) return intern();
  completions_.begin();
  // If only one row returns, the others stay within their rules, and the column is made of two
  // lists of parts.
  const auto [first, row] = returning_.front();
  if (returning_.size() == 1 && rows_.row(row).called == 0 && !contexts_.have_counts(first)) {
    const std::span<const Part> returned = part_lists_[returned_to(first, row)];
    parts_.insert(parts_.end(), returned.begin(), returned.end());
    return intern();
  }
  for (const auto& [at, of] : returning_) completions_.add(at, rows_.row(of));
  known_.clear();
  for (const Part& part : parts_) {
    if (part == kComplete) known_.push_back(part);  // a known return left the root
    else completions_.add(part.origin, {part.scan, 0, 0, 0});
  }
  close();
  parts_.insert(parts_.end(), known_.begin(), known_.end());
  return intern();
}

bool ColumnTable::add_known_return(ContextId frame, Rows::Id row) {
  if (options_.parser != ParserKind::kOperators) return false;
  if (contexts_.have_bounds(frame) || rows_.have_bounds(rows_.row(row).waits)) return false;
  completions_.begin();
  const std::span<const Part> known = part_lists_[returned_to(frame, row)];
  parts_.insert(parts_.end(), known.begin(), known.end());
  return true;
}

Interned<Part>::Id ColumnTable::returned_to(ContextId origin, Rows::Id row) {
  const NumberPair key{origin.value, row};
  if (const auto* known = returned_.find(key)) return *known;
  within_.swap(parts_);
  completions_.add(origin, rows_.row(row));
  close();
  unite_parts();
  const Interned<Part>::Id list = part_lists_.of(parts_);
  within_.swap(parts_);
  returned_.add_absent(key, list);
  return list;
}

void ColumnTable::close() {
  completions_.run();
  parts_.clear();
  Rows::Id called = 0;
  for (const auto& [origin, row] : completions_.found()) {
    if (row.scan != 0) parts_.push_back({origin, row.scan});
    called = rows_.united_calls(called, row.called);
  }
  if (called != 0) {
    if (has_stacks()) push_frames();
    else predict(called);
  }
  if (completions_.left_outside()) parts_.push_back(kComplete);
}

// Earley's parser: the called rules begin in one context, in which all items of the column wait.
void ColumnTable::predict(Rows::Id called) {
  const Rows::Row own = rows_.predicted(called);
  if (own.scan == 0) return;  // no member may be matched any more
  const ContextId context = has_tails() ? context_with_returns(own.waits) : context_of(own.waits);
  parts_.push_back({program_->has_budgets() ? marked(context) : context, own.scan});
}

// The pushdown automaton: each waiting item is a frame, and the rule that the item calls begins
// there.
void ColumnTable::push_frames() {
  struct Waiting {
    ContextId origin;
    Rows::Id waits;
  };
  // The mark of a frame tells the tick that the waiting item below it has consumed nothing.
  const bool keeps_marks = program_->has_budgets();
  std::vector<Waiting> agenda;
  size_t n_stacks = 0;
  for (const auto& [origin, row] : completions_.found()) {
    if (row.waits != 0) agenda.push_back({origin, row.waits});
    n_stacks += rows_.places(row.scan).size();
  }
  std::vector<ContextId> seen;
  IndexTable index;
  for (size_t i = 0; i < agenda.size(); ++i) {
    const auto [origin, waits] = agenda[i];
    for (const Wait& wait : std::vector(rows_.waits(waits).begin(), rows_.waits(waits).end())) {
      std::vector<Wait> one{wait};
      waits_.assign(1, {rows_.waits_of(one), origin});
      const ContextId frame = contexts_.of(waits_);
      const auto n = static_cast<uint32_t>(seen.size());
      const auto hash = [&](uint32_t at) { return hash_mix(seen[at].value); };
      const uint32_t at = index.find_or_add(
          hash_mix(frame.value), [&](uint32_t known) { return seen[known] == frame; }, hash,
          [&] {
            seen.push_back(frame);
            return n;
          });
      if (at != n) continue;
      const bool is_member = program_->rule(wait.rule).members != nullptr;
      const Rows::Row row =
          rows_.predicted(Rows::Called{wait.rule, is_member ? wait.after.counts : Counts{}});
      const ContextId top = keeps_marks ? marked(frame) : frame;
      if (row.scan != 0) parts_.push_back({top, row.scan});
      if (row.waits != 0) agenda.push_back({top, row.waits});
      allow_stacks(n_stacks += rows_.places(row.scan).size());
      count_work("reading the next byte");
    }
  }
}

void ColumnTable::allow_stacks(size_t n_stacks) const {
  if (n_stacks <= options_.max_stacks) return;
  const bool is_tree = options_.parser == ParserKind::kOperators;
  throw Error(ErrorKind::kLimitError,
              concat("more than ", options_.max_stacks, is_tree ? " positions" : " stacks",
                     " are alive at once: the grammar is ambiguous here, and a ",
                     is_tree ? "tree of operators" : "pushdown automaton",
                     " keeps every way of reading the text apart"),
              "use EngineOptions(parser=\"earley\"), which shares what they have in common, or set "
              "EngineOptions.max_stacks");
}

// ---- Tail calls ----

bool ColumnTable::has_tails() {
  return options_.tail_calls && std::ranges::any_of(completions_.found(), [&](const auto& found) {
           return found.origin > kBeyond && rows_.has_tails(found.row.waits);
         });
}

// The context of all items that wait in the column.
ContextId ColumnTable::context_of(Rows::Id own) {
  waits_.clear();
  for (const auto& [origin, row] : completions_.found()) {
    if (row.waits != 0) waits_.push_back({row.waits, origin});
  }
  if (own != 0) waits_.push_back({own, kSelf});
  return contexts_.of(waits_);
}

// The same with the items that a tail would resume in the end, in its place.
ContextId ColumnTable::context_with_returns(Rows::Id own) {
  std::vector<WaitingItem> items;
  for (const auto& [origin, row] : completions_.found()) {
    for (const Wait& wait : rows_.waits(row.waits)) {
      const auto& [state, goal, counts] = wait.after;
      const Item after{state, origin, goal, counts};
      const bool is_tail = origin > kBeyond && rows_.is_tail(wait);
      const std::vector<Item> resumed = is_tail ? returns(after) : std::vector<Item>{};
      if (resumed.empty()) items.push_back({wait.rule, after});
      for (const Item& item : resumed) items.push_back({wait.rule, item});
    }
  }
  for (const auto& [rule, after] : rows_.waits(own))
    items.push_back({rule, {after.state, kSelf, after.goal, after.counts}});
  return intern_waiting(std::move(items));
}

// The result never has more than kFewReturns items: a longer list stays unexpanded.
std::vector<Item> ColumnTable::returns(const Item& ended) const {
  std::vector<Item> found{ended};
  std::vector<Call> asked;
  for (size_t i = 0; i < found.size() && asked.size() < kFewReturns;) {
    const Item item = found[i];
    const bool is_at_end = item.origin > kBeyond && rows_.is_tail({item.goal, item.place()});
    const Call call{item.origin, item.goal};
    const auto is_same = [&](const Call& other) { return other.key() == call.key(); };
    const bool is_known = is_at_end && std::ranges::any_of(asked, is_same);
    if (!is_at_end || (!is_known && contexts_.are_more_than(kFewReturns, call.origin, call.goal))) {
      ++i;
      continue;
    }
    std::vector<Item> waiting;
    if (!is_known)
      for_each_waiting(call.origin, call.goal,
                       [&](const Item& after) { waiting.push_back(after); });
    if (!is_known && (waiting.empty() || found.size() - 1 + waiting.size() > kFewReturns)) {
      ++i;
      continue;
    }
    found.erase(found.begin() + static_cast<ptrdiff_t>(i));
    if (is_known) continue;
    asked.push_back(call);
    for (const Item& after : waiting) {
      if (std::ranges::find(found, after) == found.end()) found.push_back(after);
    }
  }
  if (asked.empty()) found.clear();
  return found;
}

// ---- Interning ----

ColumnId ColumnTable::intern_items(std::vector<Item> items, bool is_complete) {
  std::ranges::stable_sort(items, {}, &Item::origin);
  parts_.clear();
  std::vector<Place> places;
  for (size_t i = 0; i < items.size(); ++i) {
    places.push_back(items[i].place());
    if (i + 1 < items.size() && items[i + 1].origin == items[i].origin) continue;
    parts_.push_back({items[i].origin, rows_.scan_of(places)});
    places.clear();
  }
  return intern(is_complete);
}

ContextId ColumnTable::intern_waiting(std::vector<WaitingItem> items) {
  std::ranges::stable_sort(items, {}, [](const WaitingItem& item) { return item.after.origin; });
  waits_.clear();
  std::vector<Wait> waits;
  for (size_t i = 0; i < items.size(); ++i) {
    waits.push_back({items[i].rule, items[i].after.place()});
    if (i + 1 < items.size() && items[i + 1].after.origin == items[i].after.origin) continue;
    waits_.push_back({rows_.waits_of(waits), items[i].after.origin});
    waits.clear();
  }
  return contexts_.of(waits_);
}

void ColumnTable::unite_parts() {
  if (!std::ranges::is_sorted(parts_, {}, &Part::origin))
    std::ranges::sort(parts_, {}, &Part::origin);
  size_t n_kept = 0;
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (n_kept > 0 && parts_[n_kept - 1].origin == parts_[i].origin)
      parts_[n_kept - 1].scan = rows_.united_scans(parts_[n_kept - 1].scan, parts_[i].scan);
    else parts_[n_kept++] = parts_[i];
  }
  parts_.resize(n_kept);
}

// Two frames that differ in counts alone occur where a child of the repetition may have begun at
// several bytes, as in ("a"+){2,900}.
void ColumnTable::unite_frames() {
  std::vector<Part> open;
  open.swap(parts_);
  while (!open.empty()) {
    Part part = open.back();
    open.pop_back();
    bool is_known = false;
    for (size_t i = 0; i < parts_.size() && !is_known;) {
      const Part& other = parts_[i];
      const std::optional<ContextId> both =
          other.scan == part.scan ? contexts_.united(other.origin, part.origin) : std::nullopt;
      is_known = both == other.origin;
      if (!both || is_known) {
        ++i;
        continue;
      }
      parts_.erase(parts_.begin() + static_cast<ptrdiff_t>(i));
      part.origin = *both;
      i = 0;  // the united frame may unite with those seen before
    }
    if (!is_known) parts_.push_back(part);
  }
  unite_parts();
}

ColumnId ColumnTable::intern() {
  unite_parts();
  if (options_.parser == ParserKind::kOperators && program_->has_repetitions()) unite_frames();
  const ColumnId id(part_lists_.of(parts_));
  // Lists of returned_ become columns, too: without steps, a column is its list.
  while (columns_.size() <= id.index()) {
    const std::span<const Part> list = part_lists_[static_cast<uint32_t>(columns_.size())];
    Column& column = columns_.append();
    column.is_complete = !list.empty() && list.back() == kComplete;
    column.expects_token =
        program_->has_token_edges() && std::ranges::any_of(list, [&](const Part& part) {
          return std::ranges::any_of(rows_.places(part.scan), [&](const Place& place) {
            return program_->is_before_token(place.state);
          });
        });
    column.lacks_content =
        program_->has_absent_contents() &&
        std::ranges::any_of(list, [&](const Part& part) { return rows_.lacks_content(part.scan); });
    n_bytes_.fetch_add(sizeof(Column), std::memory_order_relaxed);
    if constexpr (kChecksInvariants) check_column(ColumnId(columns_.size() - 1));
  }
  const size_t n_kept = n_charged_columns_ + n_charged_columns_ / kShareOfACharge;
  if (columns_.size() >= n_kept + kColumnsPerCharge) charge_tables();
  return id;
}

// Brings the share of the tables in n_bytes_ up to date.
void ColumnTable::charge_tables() {
  const size_t n_bytes = count_sets_.memory_size_bytes() + rows_.memory_size_bytes() +
                         contexts_.memory_size_bytes() + part_lists_.memory_size_bytes() +
                         returned_.memory_size_bytes() + ticks_.memory_size_bytes();
  // The tables are smaller than before if some were cleared. The unsigned difference then wraps
  // around, and the sum is still right.
  n_bytes_.fetch_add(n_bytes - n_table_bytes_, std::memory_order_relaxed);
  n_table_bytes_ = n_bytes;
  n_charged_columns_ = columns_.size();
}

// ---- Known steps ----

uint32_t ColumnTable::known_step(const Column& column, uint32_t symbol) {
  const KnownSteps steps = column.steps.load(std::memory_order_acquire);
  if (const KnownSteps::Row* row = steps.row()) return row[symbol].load(std::memory_order_acquire);
  return steps.is_one() && steps.symbol() == symbol ? steps.to().value : kUnknown;
}

// Stores the first step of a column in its word, and makes the row for the second.
void ColumnTable::publish_step(ColumnId id, uint32_t symbol, ColumnId to) {
  std::atomic<KnownSteps>& steps = columns_[id.index()].steps;
  const KnownSteps known = steps.load(std::memory_order_relaxed);
  if (known.is_nothing()) return steps.store({symbol, to}, std::memory_order_release);
  KnownSteps::Row* const row = known.is_one() ? make_row(id) : known.row();
  row[symbol].store(to.value, std::memory_order_release);
}

// Makes the row of a column. Symbols that no item can scan are kDead at once; the others are
// kUnknown until their step is computed.
KnownSteps::Row* ColumnTable::make_row(ColumnId id) {
  Column& column = columns_[id.index()];
  const size_t width = program_->n_symbols();
  if (row_blocks_.empty() || row_block_used_ == kRowsPerBlock) {
    row_blocks_.push_back(std::make_unique<KnownSteps::Row[]>(width * kRowsPerBlock));
    row_block_used_ = 0;
  }
  KnownSteps::Row* const row = row_blocks_.back().get() + width * row_block_used_++;
  for (size_t i = 0; i < width; ++i) row[i].store(kDead.value, std::memory_order_relaxed);
  Rows::Classes read;
  for (const Part& part : parts(id)) rows_.add_classes(part.scan, read);
  read.for_each([row](size_t i) { row[i].store(kUnknown, std::memory_order_relaxed); });
  for (size_t i = program_->n_byte_classes(); column.expects_token && i < width; ++i)
    row[i].store(kUnknown, std::memory_order_relaxed);
  n_bytes_.fetch_add(width * sizeof(uint32_t), std::memory_order_relaxed);
  const KnownSteps first = column.steps.load(std::memory_order_relaxed);
  if (first.is_one()) row[first.symbol()].store(first.to().value, std::memory_order_relaxed);
  column.steps.store(KnownSteps(row), std::memory_order_release);
  return row;
}

bool ColumnTable::reads_slowly(ColumnId from, uint8_t byte) {
  if (program_->has_counts()) return step(from, byte) != kDead;
  const std::lock_guard lock(mutex_);
  const KnownSteps::Row* row = columns_[from.index()].steps.load(std::memory_order_relaxed).row();
  if (row == nullptr) row = make_row(from);
  return row[program_->byte_class(byte)].load(std::memory_order_relaxed) != kDead.value;
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
  const auto reads = [&](const Part& part) { return rows_.reads(part.scan, byte); };
  const bool has_row = column.steps.load(std::memory_order_relaxed).row() != nullptr;
  if (!has_row && std::ranges::none_of(parts(from), reads)) {
    make_row(from);  // the row contains kDead
    return kDead;
  }
  if (std::optional<ColumnId> to = as_first_step(from, byte_class)) return *to;
  const ColumnId to = after_steps(from, [&](Rows::Id scan) { return rows_.step(scan, byte); });
  publish_step(from, byte_class, to);
  spread(from, byte, to);
  return to;
}

// Called when a second symbol is read. Makes the row and spreads the first step over the byte
// classes that are equivalent to its own. Returns the step by `byte_class` if it is one of them.
std::optional<ColumnId> ColumnTable::as_first_step(ColumnId id, uint8_t byte_class) {
  const KnownSteps first = columns_[id.index()].steps.load(std::memory_order_relaxed);
  if (!first.is_one()) return std::nullopt;
  const KnownSteps::Row* row = make_row(id);
  if (first.symbol() >= program_->n_byte_classes()) return std::nullopt;
  spread(id, program_->first_byte_of(static_cast<uint8_t>(first.symbol())), first.to());
  const uint32_t known = row[byte_class].load(std::memory_order_relaxed);
  return known == kUnknown ? std::nullopt : std::optional(ColumnId(known));
}

// Publishes the step by `byte` for all byte classes that the places of all parts read alike. Inside
// a string the letters are many classes, because the grammar names some of them, but they share one
// step.
void ColumnTable::spread(ColumnId id, uint8_t byte, ColumnId to) {
  KnownSteps::Row* const row = columns_[id.index()].steps.load(std::memory_order_relaxed).row();
  if (row == nullptr) return;
  Rows::Classes alike = Rows::Classes::all();
  for (const Part& part : parts(id)) {
    rows_.keep_alike(part.scan, byte, alike);
    if (alike.has_at_most_one()) return;  // only `byte` itself is left, as in a keyword
  }
  alike.for_each([&](size_t i) {
    if (i < program_->n_byte_classes() && row[i].load(std::memory_order_relaxed) == kUnknown)
      row[i].store(to.value, std::memory_order_release);
  });
}

void ColumnTable::need_contents(ColumnId column) const {
  if (!at(column).lacks_content) return;
  for (const Part& part : parts(column)) rows_.need_contents(part.scan);
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
  const ColumnId to =
      after_steps(from, [&](Rows::Id scan) { return rows_.step_token(scan, token); });
  publish_step(from, symbol, to);
  return to;
}

}  // namespace xg2lab
