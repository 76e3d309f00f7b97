// Read: after() and verdict_on(), which define a move; decide(), which decides a node without a
// common verdict.
#include "mask/walk/inside_beyond.h"

namespace xg2lab {

static_assert(Recogniser<InsideBeyond>);

InsideBeyond::InsideBeyond(WalkScratch& scratch, const TokenSets& tokens, const EntryPlace& place,
                           const MaskOptions& options, BeyondSteps* steps)
    : table_(scratch.table),
      tokens_(tokens),
      trie_(tokens.trie),
      expands_context_(options.context_expansion),
      steps_(steps),
      entry_(table_.beyond(place.rule)),
      start_(inside_of(table_, place)),
      places_(scratch.places),
      conditions_(table_, place.state) {
  begin(nullptr);
}

void InsideBeyond::begin(const Home* home) {
  home_ = home;
  notes_conditions_ = conditions_.is_needed();
  places_.clear();
}

void InsideBeyond::take(uint32_t first, uint32_t end, Move here) {
  const uint32_t begin_rank = trie_[first].first_rank;
  const uint32_t end_rank = trie_[end].first_rank;
  take_ranks(begin_rank, end_rank);
  if (!notes_conditions_) return;
  const WalkPlace& place = at(here);
  conditions_.add(begin_rank, end_rank, place.inside, place.has_ended);
}

uint32_t InsideBeyond::look_closer(TrieWalker<InsideBeyond>& walker, uint32_t node, Move here,
                                   int n_nested) {
  if (home_ != nullptr && n_nested > 0 && may_stay(*home_, node, at(here))) {
    stay(walker, *home_, node, here, n_nested - 1);
    return trie_[node].subtree_end;
  }
  return decide(node, walker.at(trie_[node].depth - 1u), here);
}

uint32_t InsideBeyond::decide(uint32_t node, Move above, Move move) {
  const WalkPlace& here = at(move);
  const uint32_t begin_rank = trie_[node].first_rank;
  const auto doubt_until = [&](uint32_t end) {
    for (uint32_t rank = begin_rank; rank < end; ++rank)
      found_.alive_beyond.push_back(TokenRank(rank));
  };
  if (here.inside != kDead) {
    take(node, node + 1, move);
    return node + 1;
  }
  if (at(above).inside != kDead && here.has_ended) found_.left_at.push_back(node);
  if (here.beyond != kDead) {
    doubt_until(trie_[node + 1].first_rank);
    return node + 1;
  }
  // Without context expansion the callers decide all tokens that continue after the goal.
  if (here.has_ended && !expands_context_) doubt_until(trie_.subtree_end_rank(node));
  return trie_[node].subtree_end;
}

// ---- Places ----

Move InsideBeyond::move(Move from, uint8_t byte) {
  const Move known = places_.next(from, byte);
  if (known != Places::kUnknown) return known;
  const WalkPlace above = at(from);  // a copy: move_to() adds places
  if (above.beyond != kDead && steps_ != nullptr) steps_->from(above.beyond).set(byte);
  const Move to = move_to(after(above, byte));
  places_.set_next(from, byte, to);
  return to;
}

Move InsideBeyond::move_to(const WalkPlace& place) {
  return places_.move_to(place, [this](const WalkPlace& each) { return verdict_on(each); });
}

Verdict InsideBeyond::verdict_on(const WalkPlace& place) {
  if (place.inside == kDead) {
    const bool is_over = place.beyond == kDead && !place.has_ended;
    return is_over ? kDeadEnd : kLooksCloser;
  }
  if (home_ != nullptr && home_->is_on_the_way(place.inside)) return kLooksCloser;
  if (!notes_conditions_) return kAccepted;
  const Verdict verdict = kAccepted + conditions_.number(place.inside, place.has_ended);
  return verdict < kUnresolved ? verdict : kLooksCloser;
}

WalkPlace InsideBeyond::after(const WalkPlace& above, uint8_t byte) {
  WalkPlace here;
  if (above.inside != kDead) here.inside = table_.step(above.inside, byte);
  if (above.beyond != kDead) here.beyond = table_.step(above.beyond, byte);
  here.has_ended = above.has_ended;
  if (here.inside != kDead && table_.at(here.inside).is_complete) {
    if (expands_context_) here.beyond = with_entry(here.beyond);
    here.has_ended = true;
  }
  return here;
}

ColumnId InsideBeyond::with_entry(ColumnId beyond) {
  if (beyond == kDead) return entry_;
  auto [known, is_new] = joined_.emplace(beyond.value, kDead);
  if (is_new) known->second = table_.join(beyond, entry_);
  return known->second;
}

std::bitset<256> InsideBeyond::bytes_read(ColumnId column) const {
  std::bitset<256> bytes;
  for (const Item& item : table_.scannable(column)) {
    for (const TerminalEdge& edge : table_.program().terminals(item.state)) {
      for (size_t byte = edge.range.lo; byte <= edge.range.hi; ++byte) bytes.set(byte);
    }
  }
  return bytes;
}

bool InsideBeyond::is_spent(ColumnId beyond) const {
  if (beyond == kDead) return true;
  const Column& column = table_.at(beyond);
  return column.own.empty() && column.within == nullptr;
}

// ---- Text ----

bool InsideBeyond::may_stay(const Home& home, uint32_t node, const WalkPlace& here) const {
  const bool is_at_home =
      here.inside == home.column()
          ? tokens_.text_nodes.is_whole(node)
          : here.inside != kDead && here.inside == home.after(trie_[node].byte) &&
                tokens_.text_nodes.begins_character(node) && !home.text().leads_elsewhere(node);
  return is_at_home && is_settled(here);
}

// True if the beyond is the usual one at a home, and no token needs a condition because the rule
// has ended within it.
bool InsideBeyond::is_settled(const WalkPlace& place) const {
  if (conditions_.is_needed() && !expands_context_ && place.has_ended) return false;
  return place.beyond == beyond_text_ || is_spent(place.beyond);
}

// The walk of an exit may return to the home and nest again; n_nested bounds the depth.
void InsideBeyond::stay(TrieWalker<InsideBeyond>& walker, const Home& home, uint32_t node,
                        Move here, int n_nested) {
  const bool has_ended = at(here).has_ended || home.may_end();
  const Move at_home = move_to_text(home.column(), has_ended);
  walker.stay(node, home.text(), at_home, at_home, n_nested);
}

}  // namespace xg2lab
