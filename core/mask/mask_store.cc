// One look-up, and the build behind it.
#include "mask/mask_store.h"

#include "mask/classify.h"

namespace xg2lab {

MaskStore::MaskStore(std::shared_ptr<const Program> program,
                     std::shared_ptr<const TokenSets> tokens, size_t max_scratch_bytes)
    : program_(std::move(program)),
      tokens_(std::move(tokens)),
      max_scratch_bytes_(max_scratch_bytes),
      entries_(program_->n_states()),
      hits_(program_->n_states()) {}

const MaskEntry& MaskStore::entry(StateId state, bool* was_built) {
  if (const MaskEntry* known = find(state)) return *known;
  const std::lock_guard lock(mutex_);
  if (const MaskEntry* known = find(state)) return *known;
  if (!scratch_ || scratch_->is_full()) {
    scratch_ = std::make_unique<ColumnTable>(program_, max_scratch_bytes_);
  }
  const MaskEntry& made = owned_.emplace_back(classify(*scratch_, *tokens_, state));
  n_bytes_.fetch_add(made.memory_size_bytes(), std::memory_order_relaxed);
  entries_[state.index()].store(&made, std::memory_order_release);
  if (was_built != nullptr) *was_built = true;
  return made;
}

}  // namespace xg2lab
