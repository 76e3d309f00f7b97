// Read: mask, add_all (rows in their context), walk and walk_subtree (one row, in none).
#include "mask/row_walk.h"

#include <algorithm>
#include <utility>

#include "support/bits.h"

namespace xg2lab {
namespace {

constexpr size_t kMostSteps = 20'000;  // look-ups of a mask: more cost what a walk of the trie does

constexpr uint32_t kManyNodes = 128;  // what is below a node of so many is kept

}  // namespace

RowWalks::RowWalks(const ColumnTable& table, const TokenSets& tokens, const ParseOptions& options)
    : tokens_(tokens),
      trie_(tokens.trie),
      program_(table.program()),
      rows_(table.program(), options.tail_calls),
      columns_(table, rows_),
      above_(tokens.trie.max_depth() + 1) {
  std::vector<uint32_t> tops;
  for (uint32_t i = 1; i < trie_.n_nodes(); i = trie_[i].subtree_end) tops.push_back(i);
  group_of({});
  all_ = group_of(std::move(tops));
}

std::optional<AdaptiveMask> RowWalks::mask(ColumnId column) {
  const std::lock_guard lock(mutex_);
  words_.assign(tokens_.n_words, 0);
  n_steps_left_ = kMostSteps;
  for (const RowColumns::Part& part : columns_.scanned(column)) {
    if (!add_all(all_, part.scan, part.origin)) return std::nullopt;
  }
  return AdaptiveMask(tokens_, words_);
}

// The tokens of a group that begin as `scan` goes on. No token is longer than this calls itself.
bool RowWalks::add_all(GroupId group, ItemRows::Id scan, RowColumns::Id origin) {
  if ((groups_[group].bytes & rows_.bytes(scan)).none()) return true;
  if (n_steps_left_ == 0) return false;
  --n_steps_left_;
  const RowWalk& known = walk(group, scan);
  add(known.accepted);
  for (const Exit& exit : known.exits) {
    const RowColumns::Id column = columns_.after(origin, exit.row);
    const size_t n_parts = columns_.parts(column).size();
    for (size_t i = 0; i < n_parts; ++i) {
      const RowColumns::Part part = columns_.parts(column)[i];
      const bool is_own = part.origin == RowColumns::kOwn;
      if (!add_all(exit.group, part.scan, is_own ? column : part.origin)) return false;
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

// ---- One row, whatever its context ----

const RowWalks::RowWalk& RowWalks::walk(GroupId group, ItemRows::Id scan) {
  if (const uint32_t* known = known_.find(group, scan)) return walks_[*known];
  Found found;
  for (uint32_t node : *groups_[group].nodes)
    walk_nodes(node, trie_[node].subtree_end, scan, found);
  RowWalk& made = walks_.emplace_back();
  made.accepted = AdaptiveMask::of_ranks(tokens_, found.accepted);
  for (Leaving& leaving : found.leaving) {
    std::ranges::sort(leaving.nodes);
    made.exits.push_back({leaving.row, group_of(std::move(leaving.nodes))});
  }
  n_bytes_ +=
      sizeof(RowWalk) + made.accepted.memory_size_bytes() + made.exits.capacity() * sizeof(Exit);
  known_.add(group, scan, static_cast<uint32_t>(walks_.size() - 1));
  return made;
}

// Nodes side by side with all below them, to be entered from `scan`.
void RowWalks::walk_nodes(uint32_t begin, uint32_t end, ItemRows::Id scan, Found& found) {
  above_[trie_[begin].depth - 1u] = {rows_.steps(scan), nullptr, scan, 0};
  for (uint32_t i = begin; i < end;) {
    const TrieNode& node = trie_[i];
    const Above above = above_[node.depth - 1u];
    if (above.follow != nullptr && (*above.follow)[node.byte]) found.leave(above.row, i);
    ItemRows::Step step{0, 0};
    if (above.steps != nullptr) step = above.steps[program_.byte_class(node.byte)];
    if (step.next == ItemRows::Step::kUnknown) step = rows_.step(above.scan, node.byte);
    if (step.is_dead()) {
      i = node.subtree_end;
      continue;
    }
    found.accept(node.first_rank, trie_[i + 1].first_rank);
    Above& here = above_[node.depth];
    here.row = step.row;
    here.follow = step.row == 0 ? nullptr : &rows_.follow(step.row);
    here.scan = step.next;
    here.steps = step.next == 0 ? nullptr : rows_.steps(step.next);
    if (step.next != 0 && node.subtree_end - i > kManyNodes) {
      leave_by_children(i, here, found);
      found.add(below(i, step.next));
      i = node.subtree_end;
    } else {
      ++i;
    }
  }
}

void RowWalks::leave_by_children(uint32_t node, const Above& here, Found& found) {
  if (here.follow == nullptr) return;
  const uint32_t end = trie_[node].subtree_end;
  for (uint32_t i = node + 1; i < end; i = trie_[i].subtree_end) {
    if ((*here.follow)[trie_[i].byte]) found.leave(here.row, i);
  }
}

// What is below a node at which a walk stands in `scan`: rows that differ in their first bytes have this in common.
const RowWalks::Found& RowWalks::below(uint32_t node, ItemRows::Id scan) {
  if (const uint32_t* known = known_below_.find(node, scan)) return below_[*known];
  Found found;
  walk_nodes(node + 1, trie_[node].subtree_end, scan, found);
  n_bytes_ += found.memory_size_bytes();
  known_below_.add(node, scan, static_cast<uint32_t>(below_.size()));
  return below_.emplace_back(std::move(found));
}

void RowWalks::Found::accept(uint32_t begin, uint32_t end) {
  if (begin == end) return;
  if (!accepted.empty() && accepted.back().second == begin) accepted.back().second = end;
  else accepted.emplace_back(begin, end);
}

RowWalks::Leaving& RowWalks::Found::leaving_by(ItemRows::Id row) {
  const auto known = std::ranges::find(leaving, row, &Leaving::row);
  return known == leaving.end() ? leaving.emplace_back(Leaving{row, {}}) : *known;
}

void RowWalks::Found::add(const Found& other) {
  for (const auto& [begin, end] : other.accepted) accept(begin, end);
  for (const auto& [row, nodes] : other.leaving) {
    std::vector<uint32_t>& known = leaving_by(row).nodes;
    known.insert(known.end(), nodes.begin(), nodes.end());
  }
}

size_t RowWalks::Found::memory_size_bytes() const {
  size_t n_bytes = sizeof(Found) + accepted.capacity() * sizeof(RankRange);
  for (const Leaving& row : leaving)
    n_bytes += sizeof(Leaving) + row.nodes.capacity() * sizeof(uint32_t);
  return n_bytes;
}

RowWalks::GroupId RowWalks::group_of(std::vector<uint32_t> nodes) {
  const GroupId id = nodes_.of(std::move(nodes));
  if (id < groups_.size()) return id;
  Group& group = groups_.emplace_back();
  group.nodes = &nodes_[id];
  for (uint32_t node : *group.nodes) group.bytes.set(trie_[node].byte);
  return id;
}

size_t RowWalks::take_new_bytes() {
  const std::lock_guard lock(mutex_);
  const size_t n_bytes = n_bytes_ + rows_.memory_size_bytes() + columns_.memory_size_bytes() +
                         nodes_.memory_size_bytes() + known_.memory_size_bytes() +
                         groups_.size() * sizeof(Group);
  return n_bytes - std::exchange(n_told_bytes_, n_bytes);
}

}  // namespace xg2lab
