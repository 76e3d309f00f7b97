// Read: mask() and add_all() (rows in their context), then walk() (one row in all contexts,
// in_row.h).
#include "mask/walk/row_walk.h"

#include <algorithm>
#include <utility>

#include "support/bits.h"
#include "support/budget.h"
#include "support/heard_lock.h"

namespace xg2lab {
namespace {

constexpr std::string_view kWork = "walking the token trie by rows";

}  // namespace

RowWalks::RowWalks(const ColumnTable& table, const TokenSets& tokens, const MaskOptions& options)
    : tokens_(tokens),
      trie_(tokens.trie),
      costs_(options.costs),
      counts_(table.program()),
      rows_(table.program(), counts_, Rows::Calls::kShared),
      columns_(table, rows_),
      in_row_(rows_, table.program(), tokens, options.costs, options.token_classes) {
  std::vector<uint32_t> tops;
  for (uint32_t i = 1; i < trie_.n_nodes(); i = trie_[i].subtree_end) tops.push_back(i);
  // The empty group gets number 0; the group of all top nodes begins every mask.
  group_of({});
  all_ = group_of(std::move(tops));
}

std::optional<AdaptiveMask> RowWalks::mask(ColumnId column) {
  const auto lock = heard_lock(mutex_, "waiting for a mask that another thread computes");
  columns_.begin();
  words_.assign(tokens_.n_words, 0);
  n_steps_left_ = costs_.most_shared_steps;
  const Indivisible indivisible;
  for (const RowColumns::Part& part : columns_.scanned(column)) {
    if (!add_all(all_, part.scan, part.origin)) return std::nullopt;
  }
  return AdaptiveMask(tokens_, words_);
}

// Adds the tokens below a group's nodes that are accepted from the row `scan`, whose items began in
// `origin`. False if the look-ups are used up. Each recursion consumes at least one byte of a
// token, so the depth is at most the length of the longest token.
bool RowWalks::add_all(GroupId group, Rows::Id scan, RowColumns::Id origin) {
  if ((groups_[group].bytes & rows_.bytes(scan)).none()) return true;
  if (n_steps_left_ == 0) return false;
  --n_steps_left_;
  count_work(kWork);
  const KnownWalk& known = walk(group, scan);
  add(known.accepted);
  for (const Leaving& leaving : known.leaving) {
    // The row of the leaving determines, together with the origin, the column in this context. The
    // group is walked from each row of the column.
    const RowColumns::Id column = columns_.after(origin, leaving.row);
    const size_t n_parts = columns_.parts(column).size();
    for (size_t i = 0; i < n_parts; ++i) {
      const RowColumns::Part part = columns_.parts(column)[i];
      const bool is_own = part.origin == RowColumns::kOwn;
      if (!add_all(leaving.group, part.scan, is_own ? column : part.origin)) return false;
    }
  }
  return true;
}

void RowWalks::add(const AdaptiveMask& accepted) {
  if (accepted.n_accepted() == 0) return;
  if (const std::span<const uint32_t> words = accepted.words(); !words.empty())
    or_into(words_, words);
  else accepted.add_to(tokens_, words_);
}

// ---- The walk of one row, shared by all contexts ----

const RowWalks::KnownWalk& RowWalks::walk(GroupId group, Rows::Id scan) {
  if (const uint32_t* known = known_.find(group, scan)) return walks_[*known];
  InRow::Result result = in_row_.walk(groups_[group].nodes, scan);
  KnownWalk& made = walks_.emplace_back();
  made.accepted = AdaptiveMask::of_ranks(tokens_, result.accepted);
  for (InRow::Leaving& leaving : result.leaving) {
    std::ranges::sort(leaving.nodes);
    made.leaving.push_back({leaving.row, group_of(std::move(leaving.nodes))});
  }
  n_bytes_ += sizeof(KnownWalk) + made.accepted.memory_size_bytes() +
              made.leaving.capacity() * sizeof(Leaving);
  known_.add(group, scan, static_cast<uint32_t>(walks_.size() - 1));
  return made;
}

RowWalks::GroupId RowWalks::group_of(std::vector<uint32_t> nodes) {
  const GroupId id = nodes_.of(nodes);
  if (id < groups_.size()) return id;
  NodeGroup& group = groups_.emplace_back();
  group.nodes = nodes_[id];
  for (uint32_t node : group.nodes) group.bytes.set(trie_[node].byte);
  return id;
}

size_t RowWalks::take_new_bytes() {
  const std::lock_guard lock(mutex_);
  const size_t n_bytes = n_bytes_ + rows_.memory_size_bytes() + columns_.memory_size_bytes() +
                         nodes_.memory_size_bytes() + known_.memory_size_bytes() +
                         in_row_.memory_size_bytes() + groups_.size() * sizeof(NodeGroup);
  return n_bytes - std::exchange(n_told_bytes_, n_bytes);
}

}  // namespace xg2lab
