// Configurations: columns and their final masks, which a decode step looks up.
//
// Tests: tests/core/test_masks.py, tests/differential/test_engine_vs_twin.py,
//        tests/unit/mask_configurations.cc
//
// IDEA
//   A column of the table is a whole configuration of the parser, and determines its token mask:
//   the union of the entries of the column's states, plus the uncertain tokens that the parser
//   accepts from this column. The mask is made once and stored beside the column, so most decode
//   steps cost one look-up and one copy of the bitmask (a context hit). Columns that differ only in
//   counts far from their bounds share the mask of their clamped column. If words may follow each
//   other, entries would leave most tokens uncertain, so the mask is found by a walk from the
//   column itself. The plan (plan/plan.h) alone chooses the way. Masks hold no stop tokens: stop
//   tokens depend on the matcher, and on one bit of the column.
//
// INVARIANTS
//   I1  mask(c) holds exactly the tokens t with after(c, t) != kDead (mask == accept)
//
// COST      context hit: O(words of a row). Miss: entries (built if missing), then O(uncertain
//           tokens x bytes) steps.
// THREADS   any thread; masks_ is published by release stores, made under mutex_.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "mask/entries/mask_store.h"
#include "mask/sets/mask_union.h"
#include "mask/sets/written_row.h"
#include "mask/text/counted_run.h"
#include "parse/column_table.h"
#include "parse/temperature.h"
#include "support/bits.h"
#include "support/dense_map.h"
#include "support/made_once.h"
#include "support/stable_array.h"

namespace xg2lab {

struct FillReport {
  MaskWay way = MaskWay::kWasKnown;
  CacheResult cache = CacheResult::kContextHit;
  uint32_t n_built = 0;    // entries built by a whole walk of the trie
  uint32_t n_adapted = 0;  // entries built from an equal rule's walk (partial hits)
  uint32_t n_checked = 0;  // uncertain tokens checked in context
};

struct FinalMask {
  const AdaptiveMask* base = nullptr;    // an entry's mask, or `merged`
  std::unique_ptr<AdaptiveMask> merged;  // if no entry's mask is near enough
  std::vector<uint32_t> lacking;         // ids of `base` that this context rejects
  std::vector<uint32_t> extra;           // ids outside `base` that this context accepts
  size_t n_allowed = 0;                  // without stop tokens
  mutable WrittenRow row;                // kept once the mask is filled often

  // The number of ids that a fill without the row sets or clears one by one.
  size_t n_listed() const { return base->n_listed() + lacking.size() + extra.size(); }
};

class RowWalks;

class Configurations {
 public:
  Configurations(std::shared_ptr<const Program> program, std::shared_ptr<MaskStore> store,
                 size_t max_bytes, const ParseOptions& options);
  ~Configurations();

  ColumnTable& table() { return table_; }
  const ColumnTable& table() const { return table_; }

  // The column after `bytes`; kDead if nothing survives.
  ColumnId walk(ColumnId from, std::string_view bytes) {
    for (size_t i = 0; i < bytes.size() && from != kDead; ++i) {
      const auto known = table_.known_step(from, static_cast<uint8_t>(bytes[i]));
      if (!known) return walk_slowly(from, bytes.substr(i));
      from = *known;
    }
    return from;
  }

  // The temperature of the rules that the next byte may belong to.
  ActiveTemperature temperature(ColumnId column);
  // The column after a token, by its bytes and by token edges; kDead if neither consumes the token.
  // The caller handles stop tokens.
  ColumnId after(ColumnId from, TokenId token) {
    const TokenSets& tokens = store_->tokens();
    if (table_.at(from).lacks_content) table_.need_contents(from);
    const bool is_text = tokens.vocabulary->is_text(token);
    const ColumnId by_bytes = is_text ? walk(from, tokens.vocabulary->bytes(token)) : kDead;
    if (!table_.at(from).expects_token || !test_bit(tokens.by_id_words, token.value))
      return table_.tick(by_bytes);
    return table_.tick_and_join(by_bytes, table_.step_token(from, token));
  }

  // The final mask of a column. `report` may be null; filling a report costs nothing else.
  const FinalMask& mask(ColumnId column, FillReport* report);
  // True if the mask of `column` has been made.
  bool knows(ColumnId column) const {
    return column.index() < n_slots_.load(std::memory_order_acquire) &&
           masks_[column.index()].load(std::memory_order_relaxed) != nullptr;
  }
  // target := the accepted tokens, without stop tokens. HOT: once a decode step. Evidence:
  // benchmarks/record/json_guide.csv.
  void write(const FinalMask& mask, std::span<uint32_t> target);

  // The keys of the entries whose union is the column's mask, ascending: one for each scannable
  // state; in the child of a counted rule, one for each set of counts.
  std::vector<EntryKey> entry_keys(ColumnId column);

  bool is_full() const {
    return table_.is_full() || n_mask_bytes_.load(std::memory_order_relaxed) > max_bytes_;
  }
  size_t memory_size_bytes() const {
    return table_.memory_size_bytes() + n_mask_bytes_.load(std::memory_order_relaxed);
  }

 private:
  using Slot = std::atomic<const FinalMask*>;

  ColumnId walk_slowly(ColumnId from, std::string_view bytes);
  const FinalMask& make(ColumnId column, FillReport* report);
  std::optional<CountedRun> run_at(ColumnId column, std::vector<EntryKey>& keys);
  // `way` is kWalk or kSharedWalks. If shared walks need too many look-ups, `way` becomes kWalk.
  FinalMask walked(ColumnId column, const CountedRun* run, MaskWay& way);
  std::optional<AdaptiveMask> walked_by_rows(ColumnId column);
  FinalMask united(ColumnId column, std::span<const EntryKey> keys, const CountedRun* run,
                   FillReport& report);
  // The slot that holds the mask of `column`; clamped columns lend theirs to others. Under mutex_.
  Slot& slot(ColumnId column);
  uint32_t reach() const { return static_cast<uint32_t>(store_->tokens().trie.max_depth()) + 1; }
  void log_fill(const FillReport& report, uint64_t ns) const;
  // The ids of the uncertain tokens that the column accepts; `uncertain` is ascending.
  std::vector<uint32_t> check(ColumnId column, std::span<const TokenRank> uncertain);

  const std::shared_ptr<MaskStore> store_;
  EventLog* const events_;  // the store's event log, or null
  const size_t max_bytes_;
  ColumnTable table_;
  MadeOnce<RowWalks> row_walks_;
  std::atomic<size_t> n_mask_bytes_{0};

  std::mutex mutex_;
  StableArray<Slot> masks_;         // by column id; appended under mutex_
  std::atomic<size_t> n_slots_{0};  // published size of masks_
  std::deque<FinalMask> owned_;     // guarded by mutex_, as all below
  DenseMap<ColumnId, ActiveTemperature> temperatures_;
};

}  // namespace xg2lab
