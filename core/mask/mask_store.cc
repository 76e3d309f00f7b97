// One look-up, and the build behind it.
#include "mask/mask_store.h"

#include "mask/classify.h"

namespace xg2lab {

MaskStore::MaskStore(std::shared_ptr<const Program> program,
                     std::shared_ptr<const TokenSets> tokens, size_t max_scratch_bytes,
                     const ParseOptions& options)
    : program_(std::move(program)),
      tokens_(std::move(tokens)),
      max_scratch_bytes_(max_scratch_bytes),
      options_(options),
      entries_(program_->n_states()),
      hits_(program_->n_states()) {}

const MaskEntry& MaskStore::entry(const EntryPlace& place, bool* was_built) {
  const bool is_counted = !place.counts.empty();
  if (!is_counted) {
    if (const MaskEntry* known = find(place.state)) return *known;
  }
  const std::lock_guard lock(mutex_);
  if (!is_counted) {
    if (const MaskEntry* known = find(place.state)) return *known;
  } else if (const auto known = counted_entries_.find(place); known != counted_entries_.end()) {
    return *known->second;
  }
  if (!scratch_ || scratch_->is_full()) {
    scratch_ = std::make_unique<ColumnTable>(program_, max_scratch_bytes_, options_);
  }
  const MaskEntry& made = owned_.emplace_back(classify(*scratch_, *tokens_, place));
  n_bytes_.fetch_add(made.memory_size_bytes(), std::memory_order_relaxed);
  if (is_counted) {
    counted_entries_.emplace(place, &made);
  } else {
    entries_[place.state.index()].store(&made, std::memory_order_release);
  }
  if (was_built != nullptr) *was_built = true;
  return made;
}

}  // namespace xg2lab
