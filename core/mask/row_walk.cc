// Read: mask, add_all (rows in their context), walk and walk_nodes (one row, in none).
#include "mask/row_walk.h"

#include <algorithm>
#include <utility>

#include "support/bits.h"
#include "support/budget.h"
#include "support/heard_lock.h"

namespace xg2lab {
namespace {

constexpr size_t kMostSteps = 20'000;  // look-ups of a mask: more cost what a walk of the trie does

constexpr uint32_t kManyNodes = 64;  // what is below a node of so many is kept

constexpr size_t kFewCharacters = 16;  // text of fewer is walked

constexpr std::string_view kWork = "a mask: the vocabulary's walk by rows";

}  // namespace

RowWalks::RowWalks(const ColumnTable& table, const TokenSets& tokens)
    : tokens_(tokens),
      trie_(tokens.trie),
      program_(table.program()),
      rows_(table.program()),
      columns_(table, rows_),
      above_(tokens.trie.max_depth() + 1) {
  std::vector<uint32_t> tops;
  for (uint32_t i = 1; i < trie_.n_nodes(); i = trie_[i].subtree_end) tops.push_back(i);
  group_of({});
  all_ = group_of(std::move(tops));
}

std::optional<AdaptiveMask> RowWalks::mask(ColumnId column) {
  const auto lock = heard_lock(mutex_, "a mask: another thread makes one");
  columns_.begin();
  words_.assign(tokens_.n_words, 0);
  n_steps_left_ = kMostSteps;
  const Indivisible indivisible;
  try {
    for (const RowColumns::Part& part : columns_.scanned(column)) {
      if (!add_all(all_, part.scan, part.origin)) return std::nullopt;
    }
  } catch (...) {
    rows_.forget_unfinished();
    throw;
  }
  return AdaptiveMask(tokens_, words_);
}

// The tokens of a group that begin as `scan` goes on. No token is longer than this calls itself.
bool RowWalks::add_all(GroupId group, ItemRows::Id scan, RowColumns::Id origin) {
  if ((groups_[group].bytes & rows_.bytes(scan)).none()) return true;
  if (n_steps_left_ == 0) return false;
  --n_steps_left_;
  count_work(kWork);
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
  count_work(kWork, end - begin);
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
  const Home& home = home_of(scan);
  if (home.text && tokens_.text_nodes.is_whole(node)) stay_home(node, scan, home, found);
  else walk_nodes(node + 1, trie_[node].subtree_end, scan, found);
  n_bytes_ += found.memory_size_bytes();
  known_below_.add(node, scan, static_cast<uint32_t>(below_.size()));
  return below_.emplace_back(std::move(found));
}

// ---- Text: characters that lead back to where a walk stands ----

// Only what leads elsewhere is walked; what has ended after each character is not read by those that are text.
void RowWalks::stay_home(uint32_t top, ItemRows::Id scan, const Home& home, Found& found) {
  const uint32_t end = trie_[top].subtree_end;
  const ItemRows::Bytes* const follow = home.row == 0 ? nullptr : &rows_.follow(home.row);
  uint32_t rank = trie_[top + 1].first_rank;
  for (uint32_t i = home.text->next_elsewhere(top + 1, end); i < end;
       i = home.text->next_elsewhere(trie_[i].subtree_end, end)) {
    const TrieNode& node = trie_[i];
    found.accept(rank, node.first_rank);
    const bool is_child = node.depth == trie_[top].depth + 1;
    if (!is_child && follow != nullptr && (*follow)[node.byte]) found.leave(home.row, i);
    walk_nodes(i, node.subtree_end, scan, found);
    rank = trie_.subtree_end_rank(i);
  }
  found.accept(rank, trie_.subtree_end_rank(top));
}

const RowWalks::Home& RowWalks::home_of(ItemRows::Id scan) {
  if (scan >= homes_.size()) homes_.resize(scan + 1);
  if (homes_[scan]) return *homes_[scan];
  Home home;
  FirstBytes text;
  std::optional<ItemRows::Id> row;
  for (const Utf8Piece& lead : utf8_pieces(kBetweenCodePoints)) {
    for (size_t b = lead.range.lo; b <= lead.range.hi; ++b) {
      const auto byte = static_cast<uint8_t>(b);
      const ItemRows::Step step = rows_.step(scan, byte);
      if (lead.next == kBetweenCodePoints && !row && step.next == scan) row = step.row;
      if (row && comes_home(step, lead.next, {scan, *row})) text.set(byte);
    }
  }
  if (text.count() >= kFewCharacters && (*row == 0 || (text & rows_.follow(*row)).none())) {
    home.row = *row;
    home.text = tokens_.text_class(text);
  }
  return homes_[scan].emplace(std::move(home));
}

bool RowWalks::comes_home(ItemRows::Step at, Utf8Place place, ItemRows::Step home) {
  if (place == kBetweenCodePoints) return at.next == home.next && at.row == home.row;
  if (at.next == 0 || at.row != 0) return false;
  return std::ranges::all_of(utf8_pieces(place), [&](const Utf8Piece& piece) {
    return program_.holds_of_each_class(piece.range, [&](uint8_t byte) {
      return comes_home(rows_.step(at.next, byte), piece.next, home);
    });
  });
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
                         known_below_.memory_size_bytes() + groups_.size() * sizeof(Group);
  return n_bytes - std::exchange(n_told_bytes_, n_bytes);
}

}  // namespace xg2lab
