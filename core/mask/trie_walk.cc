// Read: run, walk (the loop over the trie), walk_alike (its fast part), then what a move is (new_move, kind_of), estimate.
// The trick: moves by depth are one flat array; a node reads its parent's, so nothing is popped.
#include "mask/trie_walk.h"

#include <algorithm>

#include "support/budget.h"

namespace xg2lab {
namespace {

constexpr size_t kManyPlaces = 32;  // at which a rule was left

}  // namespace

TrieWalk::TrieWalk(WalkScratch& scratch, const TokenSets& tokens, const EntryPlace& place,
                   const WalkOptions& options, BeyondSteps* steps)
    : table_(scratch.table),
      homes_(scratch.homes),
      home_masks_(scratch.home_masks),
      tokens_(tokens),
      options_(options),
      steps_(steps),
      entry_(table_.beyond(place.rule)),
      places_(scratch.places),
      at_(tokens.trie.max_depth() + 1, PlaceTable::kDeadEnd),
      conditions_(table_, place.state) {
  start_ = inside_of(table_, place);
  start_anew(false);
}

// Nothing is found yet, and the walk stands where it begins.
void TrieWalk::start_anew(bool may_skip) {
  may_skip_ = may_skip;
  has_conditions_ = conditions_.is_needed();
  places_.clear();
  at_[0] = move_to({start_, kDead, false});
}

void TrieWalk::run() {
  look_for_home();
  if (home_ && is_worth_home() && run_beside_home(home_mask())) return;
  if (chain_) return run_along_chain();
  walk_live_bytes();
}

// Nothing is beyond yet, so only what the inside reads can begin a token: most states read a byte or two.
void TrieWalk::walk_live_bytes() {
  const std::bitset<256> live = live_bytes(place(0).inside);
  for (size_t begin = 0; begin < live.size(); ++begin) {
    size_t end = begin;
    while (end < live.size() && live[end]) ++end;
    if (begin < end) walk(tokens_.trie.top(begin), tokens_.trie.top(end), 0);
    begin = end;
  }
}

void TrieWalk::run_beyond(std::span<const uint32_t> left_at) {
  const TokenTrie& trie = tokens_.trie;
  if (left_at.size() > kManyPlaces) {
    look_for_home();  // then the home has been left at most of them
    if (home_ && is_worth_home() && run_beside_home(home_mask())) return;
  }
  std::string_view path;  // bytes for which at_ holds
  for (uint32_t node : left_at) {
    const std::string_view bytes =
        tokens_.vocabulary->bytes_at(TokenRank(trie[node].first_rank)).substr(0, trie[node].depth);
    size_t depth = 0;
    while (depth + 1 < path.size() && path[depth] == bytes[depth]) ++depth;
    for (; depth + 1 < bytes.size(); ++depth) step(static_cast<uint8_t>(bytes[depth]), depth + 1);
    path = bytes;
    walk(node, trie[node].subtree_end, 0);
  }
}

AdaptiveMask TrieWalk::accepted() {
  if (known_ != nullptr)
    return AdaptiveMask::like(tokens_, known_->accepted, std::move(without_), std::move(more_));
  if (!chain_) return AdaptiveMask::of_ranks(tokens_, accepted_);
  return AdaptiveMask::of_text(tokens_, accepted_words_);
}

// ---- The loop over the trie ----

void TrieWalk::walk(uint32_t begin, uint32_t end, int n_skips_left) {
  const TokenTrie& trie = tokens_.trie;
  for (uint32_t i = walk_alike(begin, end); i < end; i = walk_alike(i, end)) {
    const TrieNode& node = trie[i];
    ++n_visits_;
    step(node.byte, node.depth);
    const WalkPlace here = place(node.depth);
    if (n_skips_left > 0 && is_at_home(i, here.inside) && is_settled(here)) {
      walk_elsewhere(i, n_skips_left - 1);
      i = node.subtree_end;
      continue;
    }
    decide(i);
    i = here.inside == kDead && here.beyond == kDead ? node.subtree_end : i + 1;
  }
  count_work("a mask: the vocabulary's walk for a state", end - begin);
}

// HOT: once a node of a trie walk. A load of the node, one of the move above, one of the row; a store. What the nodes since `first`
// mean to their tokens is said once. Evidence: docs/design/0017-cold-masks.md.
uint32_t TrieWalk::walk_alike(uint32_t begin, uint32_t end) {
  const TokenTrie& trie = tokens_.trie;
  uint32_t first = begin;  // since here all moves were of `kind`
  uint32_t kind = PlaceTable::kAccepted;
  uint32_t i = begin;
  while (i < end) {
    const TrieNode& node = trie[i];
    const Move to = move(at_[node.depth - 1u], node.byte);
    if (to == PlaceTable::kDeadEnd) {
      accept_alike(first, i);
      ++n_visits_;
      first = i = node.subtree_end;
      continue;
    }
    if (PlaceTable::kind(to) != kind) {
      accept_alike(first, i);
      first = i;
      kind = PlaceTable::kind(to);
      if (kind >= PlaceTable::kLooksCloser) return i;
    }
    at_[node.depth] = to;
    ++i;
  }
  accept_alike(first, i);
  return i;
}

// The tokens that end at these nodes, all of one kind.
void TrieWalk::accept_alike(uint32_t first, uint32_t end) {
  if (first == end) return;
  const TrieNode& node = tokens_.trie[first];
  n_visits_ += end - first;
  const uint32_t end_rank = tokens_.trie[end].first_rank;
  accept(node.first_rank, end_rank);
  if (!has_conditions_) return;
  const WalkPlace& here = place(node.depth);
  conditions_.add(node.first_rank, end_rank, here.inside, here.has_ended);
}

void TrieWalk::decide(uint32_t i) {
  const TrieNode& node = tokens_.trie[i];
  const uint32_t end_rank = tokens_.trie[i + 1].first_rank;
  const WalkPlace& here = place(node.depth);
  if (here.inside != kDead) {
    accept(node.first_rank, end_rank);
    if (has_conditions_) conditions_.add(node.first_rank, end_rank, here.inside, here.has_ended);
    return;
  }
  if (place(node.depth - 1u).inside != kDead && here.has_ended) left_at_.push_back(i);
  if (here.beyond != kDead) doubt(node.first_rank, end_rank);
  else if (here.has_ended && !options_.context_expansion)
    doubt(node.first_rank, tokens_.trie.subtree_end_rank(i));
}

void TrieWalk::doubt(uint32_t begin, uint32_t end) {
  for (uint32_t rank = begin; rank < end; ++rank) alive_beyond_.push_back(TokenRank(rank));
}

// ---- What a byte does to both parsers ----

Move TrieWalk::new_move(Move from, uint8_t byte) {
  const WalkPlace above = places_.at(from);
  if (above.beyond != kDead && steps_ != nullptr) steps_->from(above.beyond).set(byte);
  const Move to = move_to(after(above, byte));
  places_.set_next(from, byte, to);
  return to;
}

Move TrieWalk::move_to(const WalkPlace& place) {
  return places_.move_to(place, [this](const WalkPlace& each) { return kind_of(each); });
}

// Nodes that are come to by moves of one kind, without another between them, mean the same to their tokens.
uint32_t TrieWalk::kind_of(const WalkPlace& place) {
  if (place.inside == kDead) {
    const bool is_over = place.beyond == kDead && !place.has_ended;
    return is_over ? PlaceTable::kDeadEnd : PlaceTable::kLooksCloser;
  }
  if (may_skip_ && home_->is_on_the_way(place.inside)) return PlaceTable::kLooksCloser;
  if (!has_conditions_) return PlaceTable::kAccepted;
  const uint32_t kind = PlaceTable::kAccepted + conditions_.number(place.inside, place.has_ended);
  return kind < PlaceTable::kMostKinds ? kind : PlaceTable::kLooksCloser;
}

WalkPlace TrieWalk::after(const WalkPlace& above, uint8_t byte) {
  WalkPlace here;
  if (above.inside != kDead) here.inside = table_.step(above.inside, byte);
  if (above.beyond != kDead) here.beyond = table_.step(above.beyond, byte);
  here.has_ended = above.has_ended;
  if (here.inside != kDead && table_.at(here.inside).is_complete) {
    if (options_.context_expansion) here.beyond = with_entry(here.beyond);
    here.has_ended = true;
  }
  return here;
}

ColumnId TrieWalk::with_entry(ColumnId beyond) {
  if (beyond == kDead) return entry_;
  auto [known, is_new] = joined_.emplace(beyond.value, kDead);
  if (is_new) known->second = table_.join(beyond, entry_);
  return known->second;
}

// ---- What is asked of a place ----

std::bitset<256> TrieWalk::live_bytes(ColumnId column) const {
  std::bitset<256> live;
  for (const Item& item : table_.scannable(column)) {
    for (const TerminalEdge& edge : table_.program().terminals(item.state)) {
      for (size_t byte = edge.range.lo; byte <= edge.range.hi; ++byte) live.set(byte);
    }
  }
  return live;
}

bool TrieWalk::is_spent(ColumnId beyond) const {
  if (beyond == kDead) return true;
  const Column& column = table_.at(beyond);
  return column.own.empty() && column.within == nullptr;
}

bool TrieWalk::goes_no_further(size_t depth) const {
  const WalkPlace& here = place(depth);
  if (here.inside == kDead) return here.beyond == kDead;
  return home_ && here.inside == home_->column() && is_settled(here);
}

bool TrieWalk::is_at_home(uint32_t node, ColumnId inside) const {
  if (inside == home_->column()) return tokens_.text_nodes.is_whole(node);
  return inside != kDead && inside == home_->after(tokens_.trie[node].byte) &&
         tokens_.text_nodes.begins_character(node) && !home_->text().leads_elsewhere(node);
}

bool TrieWalk::is_settled(const WalkPlace& place) const {
  if (conditions_.is_needed() && !options_.context_expansion && place.has_ended) return false;
  return place.beyond == beyond_text_ || is_spent(place.beyond);
}

// ---- Asking beforehand ----

uint64_t TrieWalk::estimate(size_t n_samples) {
  const TokenTrie& trie = tokens_.trie;
  look_for_home();
  const uint64_t n_nodes = trie.n_nodes() - 1;
  n_samples = std::min<size_t>(n_samples, n_nodes);
  uint64_t n_met = 0;
  std::string_view path;   // bytes for which at_ holds
  bool is_closed = false;  // whether run() goes no further than `path`
  for (uint64_t sample = 0; sample < n_samples; ++sample) {
    const auto node = static_cast<uint32_t>(1 + (2 * sample + 1) * n_nodes / (2 * n_samples));
    const std::string_view bytes = tokens_.vocabulary->bytes_at(TokenRank(trie[node].first_rank));
    if (chain_ && chain_->first_bytes()[static_cast<uint8_t>(bytes[0])]) continue;
    const std::string_view above = bytes.substr(0, trie[node].depth - 1u);
    size_t depth = 0;
    while (depth < path.size() && depth < above.size() && path[depth] == above[depth]) ++depth;
    if (is_closed && depth == path.size()) continue;
    is_closed = false;
    while (depth < above.size() && !is_closed) {
      step(static_cast<uint8_t>(above[depth]), depth + 1);
      ++depth;
      is_closed = goes_no_further(depth);
    }
    path = above.substr(0, depth);
    if (!is_closed) ++n_met;
  }
  const uint64_t n_walked = n_samples == 0 ? 0 : n_met * n_nodes / n_samples;
  if (home_) return n_walked + (home_->has_few_exits() ? home_->text().n_exit_nodes() : n_nodes);
  return n_walked + (chain_ ? chain_->text().n_exit_nodes() : 0);
}

}  // namespace xg2lab
