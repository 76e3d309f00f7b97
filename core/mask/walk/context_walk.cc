// Read: InColumn, the recogniser; its resolve() makes columns, its look_closer() skips text.
#include "mask/walk/context_walk.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "mask/text/home.h"
#include "mask/walk/transition_table.h"
#include "mask/walk/trie_walker.h"

namespace xg2lab {
namespace {

// The recogniser of one column, in the column's own context.
class InColumn {
 public:
  using State = Move;
  static constexpr std::string_view kWork = "walking the token trie from a column";

  InColumn(ColumnTable& table, const TokenSets& tokens, const CountedRun* run,
           const MaskOptions& options)
      : table_(table),
        tokens_(tokens),
        trie_(tokens.trie),
        run_(run),
        costs_(options.costs),
        most_homes_(options.token_classes ? costs_.most_homes_in_context : 0),
        transitions_(table.program(), kDead) {}

  Move move_to(ColumnId column) {
    return transitions_.move_to(column, [](ColumnId) { return kAccepted; });
  }
  std::vector<RankRange> take_accepted() { return std::move(accepted_); }

  // ---- The interface of a recogniser (trie_walker.h) ----

  Move enter(Move above, const TrieNode& node, uint32_t) const {
    return transitions_.next(above, node.byte);
  }
  static Verdict verdict(Move move) { return TransitionTable<ColumnId>::verdict(move); }

  // No node is below a leaf, so a column that only leaves lead to is not made.
  Move resolve(Move above, uint32_t node) {
    const uint8_t byte = trie_[node].byte;
    const bool is_leaf = trie_[node].subtree_end == node + 1;
    return is_leaf ? alive_or_dead(above, byte) : column_after(above, byte);
  }

  void take(uint32_t first, uint32_t end, Move) {
    take_ranks(trie_[first].first_rank, trie_[end].first_rank);
  }
  void take_ranks(uint32_t begin, uint32_t end) { extend(accepted_, begin, end); }

  // The node is at a home: within the node's subtree text leads back to the home.
  uint32_t look_closer(TrieWalker<InColumn>& walker, uint32_t node, Move here, int n_nested) {
    if (n_nested > 0 && tokens_.text_nodes.is_whole(node)) {
      walker.stay(node, *text_at(here), here, here, n_nested - 1);
      return trie_[node].subtree_end;
    }
    take_ranks(trie_[node].first_rank, trie_[node + 1].first_rank);
    return node + 1;
  }

 private:
  struct KnownHome {
    ColumnId column;
    std::shared_ptr<const TextClass> text;  // null: too few characters lead back to the column
  };

  Move alive_or_dead(Move above, uint8_t byte) {
    using Transitions = TransitionTable<ColumnId>;
    if (transitions_.next(above, byte) == Transitions::kAlive) return Transitions::kLeaf;
    const bool is_read = table_.reads(transitions_.at(above), byte);
    transitions_.set_next(above, byte, is_read ? Transitions::kAlive : Transitions::kDeadMove);
    return is_read ? Transitions::kLeaf : Transitions::kDeadMove;
  }

  Move column_after(Move above, uint8_t byte) {
    const ColumnId from = transitions_.at(above);
    if (run_ != nullptr && from == run_->inside && run_->bytes[byte]) {
      // Up to the bound all columns of the run behave as the first one (counted_run.h).
      transitions_.set_next(above, byte, above);
      return above;
    }
    const ColumnId column = table_.step(from, byte);
    if (column == from) look_for_home_at(column);
    const Move to = move_to(column);
    transitions_.set_next(above, byte, to);
    return to;
  }

  // Called when a byte leads from the column to itself for the first time.
  void look_for_home_at(ColumnId column) {
    const auto is_it = [&](const KnownHome& home) { return home.column == column; };
    if (homes_.size() >= most_homes_ || std::ranges::any_of(homes_, is_it)) return;
    const FirstBytes text = characters_leading_home(table_, column);
    const bool is_worth_it = text.count() >= costs_.least_home_characters;
    homes_.push_back({column, is_worth_it ? tokens_.text_class(text) : nullptr});
    if (is_worth_it) transitions_.look_closer_at(move_to(column));
  }

  const TextClass* text_at(Move move) const {
    const auto is_it = [&](const KnownHome& home) { return home.column == transitions_.at(move); };
    return std::ranges::find_if(homes_, is_it)->text.get();
  }

  ColumnTable& table_;
  const TokenSets& tokens_;
  const TokenTrie& trie_;
  const CountedRun* const run_;  // null: the column has no counted run
  const MaskCosts& costs_;
  const size_t most_homes_;
  TransitionTable<ColumnId> transitions_;
  std::vector<KnownHome> homes_;
  std::vector<RankRange> accepted_;  // in the order of the walks
};

static_assert(Recogniser<InColumn>);

// The tokens that are runs, and those that leave a run and were accepted, without the tokens whose
// runs are too long.
AdaptiveMask mask_of(const TokenSets& tokens, const CountedRun& run, const RunNodes::Runs& runs,
                     std::vector<RankRange> leaving) {
  leaving.insert(leaving.end(), runs.tokens.begin(), runs.tokens.end());
  std::ranges::sort(leaving);
  return AdaptiveMask::of_ranks(tokens, without(leaving, beyond_run(tokens, run)));
}

}  // namespace

AdaptiveMask walk_in_context(ColumnTable& table, const TokenSets& tokens, ColumnId column,
                             const CountedRun* run, const MaskOptions& options) {
  InColumn recogniser(table, tokens, run, options);
  TrieWalker<InColumn> walker(tokens.trie, recogniser, TransitionTable<ColumnId>::kDeadMove);
  walker.set_state(0, recogniser.move_to(column));
  walker.walk(1, tokens.trie.n_nodes(), options.costs.most_nested_walks);
  const std::vector<RankRange> accepted = recogniser.take_accepted();
  if (run == nullptr) return AdaptiveMask::of_ranks(tokens, accepted);
  return AdaptiveMask::of_ranks(tokens, without(accepted, beyond_run(tokens, *run)));
}

// After one or more bytes of the run the parser is in one state of the walk. So the tokens that are
// runs are known, and of the others only those are walked that leave the run by a byte which may
// follow it.
AdaptiveMask walk_run(ColumnTable& table, const TokenSets& tokens, const CountedRun& run,
                      const MaskOptions& options) {
  MaskOptions plain = options;
  plain.token_classes = false;
  InColumn recogniser(table, tokens, &run, plain);
  TrieWalker<InColumn> walker(tokens.trie, recogniser, TransitionTable<ColumnId>::kDeadMove);
  const Move in_run = recogniser.move_to(run.inside);
  const auto runs = tokens.run_nodes.of(tokens.trie, run.bytes);
  for (const auto& [byte, nodes] : runs->exits) {
    if (!table.reads(run.inside, byte)) continue;
    for (const uint32_t node : nodes) {
      const TrieNode& at = tokens.trie[node];
      walker.set_state(at.depth - 1u, in_run);
      walker.walk(node, at.subtree_end, 0);
    }
  }
  return mask_of(tokens, run, *runs, recogniser.take_accepted());
}

}  // namespace xg2lab
