// Read: Walk::walk (the loop over the trie), stay_home (what it leaves out), home_at (where it may).
// The trick: columns by depth are a flat array; a node reads its parent's, so nothing is popped.
#include "mask/context_walk.h"

#include <vector>

#include "mask/home.h"

namespace xg2lab {
namespace {

constexpr int kMostNested = 16;        // calls of stay_home
constexpr size_t kMostHomes = 8;       // looked for in one walk
constexpr size_t kFewCharacters = 16;  // a home for fewer is not worth it

class Walk {
 public:
  Walk(ColumnTable& table, const TokenSets& tokens, ColumnId column, bool token_classes)
      : table_(table),
        tokens_(tokens),
        trie_(tokens.trie),
        most_homes_(token_classes ? kMostHomes : 0),
        columns_(tokens.trie.max_depth() + 1, kDead) {
    columns_[0] = column;
  }

  AdaptiveMask run() {
    walk(1, trie_.n_nodes(), kMostNested);
    return AdaptiveMask::of_ranks(tokens_, accepted_);
  }

 private:
  struct Place {
    ColumnId column;
    std::shared_ptr<const TextClass> text;  // null: it is no home worth one
  };

  void walk(uint32_t begin, uint32_t end, int n_nested_left) {
    for (uint32_t i = begin; i < end;) {
      const TrieNode& node = trie_[i];
      const ColumnId above = columns_[node.depth - 1u];
      if (node.subtree_end == i + 1) {  // whether it is alive is all that matters
        if (table_.reads(above, node.byte)) accept(node.first_rank, trie_[i + 1].first_rank);
        ++i;
        continue;
      }
      const ColumnId here = table_.step(above, node.byte);
      if (here == kDead) {
        i = node.subtree_end;
        continue;
      }
      const TextClass* text =
          n_nested_left > 0 && tokens_.text_nodes.is_whole(i) ? home_at(here, above) : nullptr;
      if (text != nullptr) {
        stay_home(i, *text, here, n_nested_left - 1);
        i = node.subtree_end;
        continue;
      }
      columns_[node.depth] = here;
      accept(node.first_rank, trie_[i + 1].first_rank);
      ++i;
    }
  }

  // The subtree of a node that stands at home: only what leads elsewhere is walked.
  void stay_home(uint32_t top, const TextClass& text, ColumnId home, int n_nested_left) {
    const uint32_t end = trie_[top].subtree_end;
    uint32_t rank = trie_[top].first_rank;
    for (uint32_t i = text.next_elsewhere(top + 1, end); i < end;
         i = text.next_elsewhere(trie_[i].subtree_end, end)) {
      accept(rank, trie_[i].first_rank);
      columns_[trie_[i].depth - 1u] = home;
      walk(i, trie_[i].subtree_end, n_nested_left);
      rank = trie_.subtree_end_rank(i);
    }
    accept(rank, trie_.subtree_end_rank(top));
  }

  // The text of a home. A column is looked at when a byte first leads from it to itself.
  const TextClass* home_at(ColumnId column, ColumnId above) {
    for (const Place& place : places_) {
      if (place.column == column) return place.text.get();
    }
    if (column != above || places_.size() >= most_homes_) return nullptr;
    const FirstBytes text = characters_leading_home(table_, column);
    places_.push_back({column, text.count() < kFewCharacters ? nullptr : tokens_.text_class(text)});
    return places_.back().text.get();
  }

  void accept(uint32_t begin, uint32_t end) {
    if (begin == end) return;
    if (!accepted_.empty() && accepted_.back().second == begin) accepted_.back().second = end;
    else accepted_.emplace_back(begin, end);
  }

  ColumnTable& table_;
  const TokenSets& tokens_;
  const TokenTrie& trie_;
  const size_t most_homes_;
  std::vector<ColumnId> columns_;  // by depth
  std::vector<Place> places_;
  std::vector<RankRange> accepted_;  // ascending
};

}  // namespace

AdaptiveMask walk_in_context(ColumnTable& table, const TokenSets& tokens, ColumnId column,
                             bool token_classes) {
  return Walk(table, tokens, column, token_classes).run();
}

}  // namespace xg2lab
