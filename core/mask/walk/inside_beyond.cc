// Read: after() and verdict_on(), which define a move; decide(), which decides a node without a
// common verdict.
#include "mask/walk/inside_beyond.h"

namespace xg2lab {

static_assert(Recogniser<InsideBeyond>);

InsideBeyond::InsideBeyond(WalkScratch& scratch, const TokenSets& tokens, const EntryKey& key,
                           const MaskOptions& options, BeyondSteps* steps)
    : table_(scratch.table),
      tokens_(tokens),
      trie_(tokens.trie),
      expands_context_(options.context_expansion),
      steps_(steps),
      entry_(table_.beyond(key.rule)),
      start_(inside_of(table_, key)),
      transitions_(scratch.transitions),
      conditions_(table_, key.state) {
  begin(nullptr);
}

void InsideBeyond::begin(const Home* home) {
  home_ = home;
  notes_conditions_ = conditions_.is_needed();
  transitions_.clear();
}

void InsideBeyond::take(uint32_t first, uint32_t end, Move here) {
  const uint32_t begin_rank = trie_[first].first_rank;
  const uint32_t end_rank = trie_[end].first_rank;
  take_ranks(begin_rank, end_rank);
  if (!notes_conditions_) return;
  const WalkState& state = at(here);
  conditions_.add(begin_rank, end_rank, state.inside, state.has_ended);
}

uint32_t InsideBeyond::look_closer(TrieWalker<InsideBeyond>& walker, uint32_t node, Move here,
                                   int n_nested) {
  if (home_ != nullptr && n_nested > 0 && may_stay(*home_, node, at(here))) {
    stay(walker, *home_, node, here, n_nested - 1);
    return trie_[node].subtree_end;
  }
  return decide(node, walker.state(trie_[node].depth - 1u), here);
}

uint32_t InsideBeyond::decide(uint32_t node, Move above, Move move) {
  const WalkState& here = at(move);
  const uint32_t begin_rank = trie_[node].first_rank;
  const auto doubt_until = [&](uint32_t end) {
    for (uint32_t rank = begin_rank; rank < end; ++rank)
      result_.alive_beyond.push_back(TokenRank(rank));
  };
  if (here.inside != kDead) {
    take(node, node + 1, move);
    return node + 1;
  }
  if (at(above).inside != kDead && here.has_ended) result_.return_nodes.push_back(node);
  if (here.beyond != kDead) {
    doubt_until(trie_[node + 1].first_rank);
    return node + 1;
  }
  // Without context expansion the callers decide all tokens that continue after the goal.
  if (here.has_ended && !expands_context_) doubt_until(trie_.subtree_end_rank(node));
  return trie_[node].subtree_end;
}

// ---- States of the walk ----

Move InsideBeyond::move(Move from, uint8_t byte) {
  const Move known = transitions_.next(from, byte);
  if (known != Transitions::kUnknown) return known;
  const WalkState above = at(from);  // a copy: move_to() adds states
  if (above.beyond != kDead && steps_ != nullptr) steps_->from(above.beyond).set(byte);
  const Move to = move_to(after(above, byte));
  transitions_.set_next(from, byte, to);
  return to;
}

Move InsideBeyond::move_to(const WalkState& state) {
  return transitions_.move_to(state, [this](const WalkState& each) { return verdict_on(each); });
}

Verdict InsideBeyond::verdict_on(const WalkState& state) {
  if (state.inside == kDead) {
    const bool is_over = state.beyond == kDead && !state.has_ended;
    return is_over ? kDeadEnd : kLooksCloser;
  }
  if (home_ != nullptr && home_->is_on_the_way(state.inside)) return kLooksCloser;
  if (!notes_conditions_) return kAccepted;
  const Verdict verdict = kAccepted + conditions_.number(state.inside, state.has_ended);
  return verdict < kUnresolved ? verdict : kLooksCloser;
}

WalkState InsideBeyond::after(const WalkState& above, uint8_t byte) {
  WalkState here;
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
  table_.for_each_item(column, [&](const Item& item) {
    for (const TerminalEdge& edge : table_.program().terminals(item.state)) {
      for (size_t byte = edge.range.lo; byte <= edge.range.hi; ++byte) bytes.set(byte);
    }
  });
  return bytes;
}

bool InsideBeyond::is_spent(ColumnId beyond) const { return table_.parts(beyond).empty(); }

// ---- Text ----

bool InsideBeyond::may_stay(const Home& home, uint32_t node, const WalkState& here) const {
  const bool is_at_home =
      here.inside == home.column()
          ? tokens_.text_nodes.is_whole(node)
          : here.inside != kDead && here.inside == home.after(trie_[node].byte) &&
                tokens_.text_nodes.begins_character(node) && !home.text().leads_elsewhere(node);
  return is_at_home && is_settled(here);
}

// True if the beyond is the usual one at a home, and no token needs a condition because the rule
// has ended within it.
bool InsideBeyond::is_settled(const WalkState& state) const {
  if (conditions_.is_needed() && !expands_context_ && state.has_ended) return false;
  return state.beyond == beyond_text_ || is_spent(state.beyond);
}

// The walk of an exit may return to the home and nest again; n_nested bounds the depth.
void InsideBeyond::stay(TrieWalker<InsideBeyond>& walker, const Home& home, uint32_t node,
                        Move here, int n_nested) {
  const bool has_ended = at(here).has_ended || home.may_end();
  const Move at_home = move_to_text(home.column(), has_ended);
  walker.stay(node, home.text(), at_home, at_home, n_nested);
}

}  // namespace xg2lab
