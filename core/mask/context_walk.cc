// Read: ContextWalk::walk (the loop over the trie), stay_home (what it leaves out), new_move (where it may).
// The trick: moves by depth are a flat array; a node reads its parent's, so nothing is popped.
#include "mask/context_walk.h"

#include <algorithm>
#include <vector>

#include "mask/home.h"
#include "mask/place_table.h"
#include "support/budget.h"

namespace xg2lab {
namespace {

constexpr int kMostNested = 16;        // calls of stay_home
constexpr size_t kMostHomes = 8;       // looked for in one walk
constexpr size_t kFewCharacters = 16;  // a home for fewer is not worth it

// Places here are columns alone.
class ContextWalk {
 public:
  ContextWalk(ColumnTable& table, const TokenSets& tokens, ColumnId column, const CountedRun* run,
              bool token_classes)
      : table_(table),
        tokens_(tokens),
        trie_(tokens.trie),
        run_(run),
        most_homes_(token_classes ? kMostHomes : 0),
        places_(table.program()),
        at_(tokens.trie.max_depth() + 1, PlaceTable::kDeadEnd) {
    at_[0] = move_to(column);
  }

  AdaptiveMask run() {
    walk(1, trie_.n_nodes(), kMostNested);
    return mask();
  }

  // Of the tokens that begin as the run does: from each of its nodes the walk stands where it is after the first.
  AdaptiveMask run_of_run() {
    const auto runs = tokens_.run_nodes.of(trie_, run_->bytes);
    const Move in_run = move_to(run_->inside);
    for (const auto& [node, is_run] : runs->nodes) {
      if (is_run) accept(trie_[node].first_rank, trie_[node + 1].first_rank);
      if (is_run || places_.next(in_run, trie_[node].byte) == PlaceTable::kDeadEnd) continue;
      at_[trie_[node].depth - 1u] = in_run;
      walk(node, trie_[node].subtree_end, 0);
    }
    return mask();
  }

 private:
  struct KnownHome {
    ColumnId column;
    std::shared_ptr<const TextClass> text;  // null: it is no home worth one
  };

  AdaptiveMask mask() {
    if (run_ != nullptr) accepted_ = without(accepted_, beyond_run(tokens_, *run_));
    return AdaptiveMask::of_ranks(tokens_, accepted_);
  }

  void walk(uint32_t begin, uint32_t end, int n_nested_left) {
    for (uint32_t i = walk_alike(begin, end); i < end; i = walk_alike(i, end)) {
      const TrieNode& node = trie_[i];
      const Move above = at_[node.depth - 1u];
      const uint32_t end_rank = trie_[i + 1].first_rank;
      if (node.subtree_end == i + 1) {  // whether it is alive is all that matters
        if (is_alive(above, node.byte)) accept(node.first_rank, end_rank);
        ++i;
        continue;
      }
      const Move here = new_move(above, node.byte);
      if (here == PlaceTable::kDeadEnd) {
        i = node.subtree_end;
        continue;
      }
      const bool may_stay = n_nested_left > 0 && tokens_.text_nodes.is_whole(i);
      if (const TextClass* text = may_stay ? text_at(here) : nullptr) {
        stay_home(i, *text, here, n_nested_left - 1);
        i = node.subtree_end;
        continue;
      }
      at_[node.depth] = here;
      accept(node.first_rank, end_rank);
      ++i;
    }
    count_work("a mask: the vocabulary's walk in its context", end - begin);
  }

  // Goes through nodes that are known to be dead, or alive and nowhere near home; the first that isn't, or `end`. HOT, as in
  // trie_walk.cc.
  uint32_t walk_alike(uint32_t begin, uint32_t end) {
    uint32_t first = begin;  // alive since here
    uint32_t i = begin;
    while (i < end) {
      const TrieNode& node = trie_[i];
      const Move to = places_.next(at_[node.depth - 1u], node.byte);
      if (to == PlaceTable::kDeadEnd) {
        accept(trie_[first].first_rank, node.first_rank);
        first = i = node.subtree_end;
        continue;
      }
      if (PlaceTable::kind(to) != PlaceTable::kAccepted) break;
      at_[node.depth] = to;
      ++i;
    }
    accept(trie_[first].first_rank, trie_[i].first_rank);
    return i;
  }

  // Without making the column that is led to.
  bool is_alive(Move above, uint8_t byte) {
    const Move known = places_.next(above, byte);
    if (known != PlaceTable::kUnknown) return known != PlaceTable::kDeadEnd;
    const bool is_read = table_.reads(places_.at(above).inside, byte);
    places_.set_next(above, byte, is_read ? PlaceTable::kAlive : PlaceTable::kDeadEnd);
    return is_read;
  }

  // A column is looked at when a byte first leads from it to itself.
  Move new_move(Move above, uint8_t byte) {
    const Move known = places_.next(above, byte);
    if (PlaceTable::leads_somewhere(known)) return known;
    const ColumnId from = places_.at(above).inside;
    if (run_ != nullptr && from == run_->inside && run_->bytes[byte]) {
      places_.set_next(above, byte, above);
      return above;
    }
    const ColumnId column = table_.step(from, byte);
    if (column == from) look_at(column);
    const Move to = move_to(column);
    places_.set_next(above, byte, to);
    return to;
  }

  Move move_to(ColumnId column) {
    return places_.move_to({column, kDead, false},
                           [](const WalkPlace&) { return PlaceTable::kAccepted; });
  }

  void look_at(ColumnId column) {
    const auto is_it = [&](const KnownHome& home) { return home.column == column; };
    if (homes_.size() >= most_homes_ || std::ranges::any_of(homes_, is_it)) return;
    const FirstBytes text = characters_leading_home(table_, column);
    homes_.push_back({column, text.count() < kFewCharacters ? nullptr : tokens_.text_class(text)});
    if (homes_.back().text) places_.look_closer_at(move_to(column));
  }

  // Null: the move leads to no home.
  const TextClass* text_at(Move move) const {
    if (PlaceTable::kind(move) != PlaceTable::kLooksCloser) return nullptr;
    const ColumnId column = places_.at(move).inside;
    const auto is_it = [&](const KnownHome& home) { return home.column == column; };
    return std::ranges::find_if(homes_, is_it)->text.get();
  }

  // The subtree of a node that stands at home: only what leads elsewhere is walked.
  void stay_home(uint32_t top, const TextClass& text, Move home, int n_nested_left) {
    const uint32_t end = trie_[top].subtree_end;
    uint32_t rank = trie_[top].first_rank;
    for (uint32_t i = text.next_elsewhere(top + 1, end); i < end;
         i = text.next_elsewhere(trie_[i].subtree_end, end)) {
      accept(rank, trie_[i].first_rank);
      at_[trie_[i].depth - 1u] = home;
      walk(i, trie_[i].subtree_end, n_nested_left);
      rank = trie_.subtree_end_rank(i);
    }
    accept(rank, trie_.subtree_end_rank(top));
  }

  void accept(uint32_t begin, uint32_t end) { extend(accepted_, begin, end); }

  ColumnTable& table_;
  const TokenSets& tokens_;
  const TokenTrie& trie_;
  const CountedRun* const run_;  // null: none
  const size_t most_homes_;
  PlaceTable places_;
  std::vector<Move> at_;  // by depth
  std::vector<KnownHome> homes_;
  std::vector<RankRange> accepted_;  // ascending
};

}  // namespace

AdaptiveMask walk_in_context(ColumnTable& table, const TokenSets& tokens, ColumnId column,
                             const CountedRun* run, bool token_classes) {
  return ContextWalk(table, tokens, column, run, token_classes).run();
}

AdaptiveMask walk_run(ColumnTable& table, const TokenSets& tokens, ColumnId column,
                      const CountedRun& run) {
  return ContextWalk(table, tokens, column, &run, /*token_classes=*/false).run_of_run();
}

}  // namespace xg2lab
