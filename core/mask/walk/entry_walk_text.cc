// Text in the walk of an entry. Read: look_for_home(), home_mask() (found once), run_beside_home(),
// run_along_chain(), and leave_text(), which copies the results of one walked exit to all exits
// with equal subtrees.
#include <algorithm>
#include <functional>
#include <utility>

#include "mask/walk/entry_walk.h"
#include "support/bits.h"

namespace xg2lab {
namespace {

// Removes the elements of `values` from `begin` on, and returns them.
template <class T>
std::vector<T> take_from(std::vector<T>& values, size_t begin) {
  std::vector<T> taken(values.begin() + static_cast<ptrdiff_t>(begin), values.end());
  values.resize(begin);
  return taken;
}

}  // namespace

void EntryWalk::look_for_home() {
  if (!options_.token_classes) return;
  home_ = homes_.find(table_, tokens_, inside_.start());
  const bool needs_conditions = inside_.conditions().is_needed();
  // If the rule may end at home, its callers may continue after each character. If they read no
  // text, the beyond is the same column after each character.
  const bool is_asked_again = options_.context_expansion && !inside_.is_spent(inside_.entry());
  bool is_entry_beyond = false;
  if (home_ && home_->may_end() && is_asked_again) {
    is_entry_beyond =
        !home_->may_end_within() && !needs_conditions && !is_read_beyond(home_->first_bytes());
    if (!is_entry_beyond) home_.reset();
  }
  // Tokens that are skipped as text share one condition. A home whose tokens need different
  // conditions is not used.
  if (home_ && needs_conditions) {
    const bool may_have_left = home_->may_end() && !inside_.is_spent(inside_.entry());
    if (may_have_left || !inside_.conditions().depend_on(home_->column())) home_.reset();
  }
  if (is_entry_beyond) inside_.set_beyond_text(inside_.entry());
  if (!home_ && !needs_conditions) look_for_chain(is_asked_again);
  if (inside_.beyond_text() != kDead && inside_.steps() != nullptr)
    inside_.steps()->from(inside_.entry()) |= home_ ? home_->first_bytes() : chain_->first_bytes();
}

void EntryWalk::look_for_chain(bool is_asked_again) {
  chain_ = find_text_chain(table_, tokens_, inside_.start(), options_.costs);
  if (!chain_ || !chain_->has_ended(chain_->length())) return;
  // If the chain is too short for some text tokens, the rule may have ended before the text goes
  // on, and these tokens would have to be uncertain, or recorded for another grammar's callers.
  const bool is_short = chain_->length() < tokens_.text_nodes.most_characters();
  const bool others_may_go_on = inside_.steps() != nullptr || !options_.context_expansion;
  if ((is_short && others_may_go_on) || (is_asked_again && is_read_beyond(chain_->first_bytes())))
    chain_.reset();
  else if (is_asked_again) inside_.set_beyond_text(inside_.entry());
}

// A home with many exits costs as much as the plain walk, so it pays only from the second walk on.
bool EntryWalk::is_worth_home() {
  if (!home_->is_given_up() && (home_->has_few_exits() || home_->is_met_again())) return true;
  home_.reset();
  return false;
}

// ---- From home, once ----

// The results of a walk that is at the home before the first byte, and during which no other member
// has completed the rule.
const HomeMask& EntryWalk::home_mask() {
  const bool is_complete = table_.at(home_->column()).is_complete;
  const WalkState home{home_->column(), is_complete ? inside_.beyond_text() : kDead,
                       home_->may_end()};
  if (const HomeMask* known = home_masks_.find(home, inside_.entry())) return *known;
  HomeMask mask{home, inside_.entry(), nullptr, {}, {}, {}, {}};
  BeyondSteps* const steps = inside_.exchange_steps(&mask.steps);
  run_from_home(home);
  inside_.exchange_steps(steps);
  EntryWalkResult result = std::exchange(inside_.result(), {});
  mask.alive_beyond = std::move(result.alive_beyond);
  mask.return_nodes = std::move(result.return_nodes);
  mask.accepted = std::make_shared<const AdaptiveMask>(
      AdaptiveMask::of_text(tokens_, std::exchange(words_, {})));
  if (mask.accepted->words().empty()) {
    mask.own_words.resize(tokens_.n_words);
    mask.accepted->write(tokens_, mask.own_words);
  }
  return home_masks_.add(std::move(mask));
}

// The tokens that stay text are known (TextClass). If many tokens leave the text, all tokens are
// walked. At home the rule has one member only, so no token needs a condition.
void EntryWalk::run_from_home(const WalkState& home) {
  const TokenTrie& trie = tokens_.trie;
  inside_.begin(home_->has_few_exits() ? &*home_ : nullptr);
  inside_.note_conditions(false);
  const Move at_home = inside_.move_to(home);
  if (!home_->has_few_exits()) {
    walker_.set_state(0, at_home);
    walker_.walk(1, trie.n_nodes(), 0);
    words_.assign(tokens_.n_words, 0);
    set_ranks(std::exchange(inside_.result().accepted, {}), 0);
    return;
  }
  const TextClass& text = home_->text();
  words_.assign(text.staying().begin(), text.staying().end());
  FirstBytes all;
  all.set();
  for (const TextClass::ExitClass& exits : text.exit_classes()) {
    const TrieNode& exit = trie[exits.front().node];
    if (inside_.move(at_home, exit.byte) == InsideBeyond::Transitions::kDeadMove) continue;
    walker_.set_state(exit.depth - 1u, at_home);
    leave_text(exits, all);
  }
  sort_lists();
}

void EntryWalk::sort_lists() {
  std::ranges::sort(inside_.result().alive_beyond);
  std::ranges::sort(inside_.result().return_nodes);
}

// ---- Beside home ----

bool EntryWalk::run_beside_home(const HomeMask& known) {
  begin(&*home_);
  const uint64_t n_most = std::max<uint64_t>(options_.costs.least_nodes_beside,
                                             tokens_.trie.n_nodes() / options_.costs.nodes_beside);
  beside_.emplace(tokens_, walker_, inside_, *home_, known, options_.costs.most_nested_walks - 1,
                  n_most);
  if (beside_->run()) {
    n_visits_beside_ = beside_->n_visits();
    if (inside_.steps() != nullptr) inside_.steps()->add(known.steps);
    beside_->add_lists_of_home();
    return true;
  }
  n_visits_beside_ = beside_->n_visits();
  beside_.reset();
  // The walk beside the home went past its budget: its results are discarded, and the plain walk
  // starts anew.
  home_->give_up();
  home_.reset();
  inside_.result() = {};
  inside_.conditions().forget_tokens();
  begin(nullptr);
  return false;
}

// ---- Along a chain ----

// As from a home, with two differences: a token stays text if the chain has at least as many
// characters, and an exit is walked from the column of the chain at which the token leaves the
// text.
void EntryWalk::run_along_chain() {
  const TokenTrie& trie = tokens_.trie;
  accept_text_of_chain();
  for (uint32_t top = 1; top < trie.n_nodes(); top = trie[top].subtree_end) {
    if (chain_->text().leads_elsewhere(top)) walker_.walk(top, trie[top].subtree_end, 0);
  }
  set_ranks(std::exchange(inside_.result().accepted, {}), 0);
  for (const TextClass::ExitClass& exits : chain_->text().exit_classes()) {
    for (auto begin = exits.begin(); begin != exits.end();) {
      const size_t n_before = begin->n_before;
      const auto end = std::find_if(begin, exits.end(), [&](const TextClass::Exit& exit) {
        return exit.n_before != n_before;
      });
      if (chain_->after(n_before) == kDead) break;
      if (n_before > 0) {  // else the exit is a top, walked above
        const Move here =
            inside_.move_to_text(chain_->after(n_before), chain_->has_ended(n_before));
        walker_.set_state(trie[begin->node].depth - 1u, here);
        leave_text({begin, end}, chain_->first_bytes());
      }
      begin = end;
    }
  }
  sort_lists();
}

void EntryWalk::accept_text_of_chain() {
  const TextNodes& nodes = tokens_.text_nodes;
  const std::span<const uint32_t> staying = chain_->text().staying();
  const auto id_of = [&](uint32_t rank) {
    return tokens_.vocabulary->token_at(TokenRank(rank)).index();
  };
  // Sets the tokens that fit into the chain, or clears the longer ones, whichever are fewer.
  const auto within = nodes.ranks_by_length(0, chain_->length());
  const auto longer = nodes.ranks_by_length(chain_->length() + 1, nodes.most_characters());
  if (longer.size() < within.size()) {
    words_.assign(staying.begin(), staying.end());
    for (uint32_t rank : longer) clear_bit(words_, id_of(rank));
  } else {
    words_.assign(tokens_.n_words, 0);
    for (uint32_t rank : within) {
      if (test_bit(staying, id_of(rank))) set_bit(words_, id_of(rank));
    }
  }
}

// ---- Exits of text ----

// Walks the first of the exits, whose subtrees are equal, from the walker's state, and copies the
// results to the other exits. Exits whose path does not begin with a byte of `as_text` are skipped.
void EntryWalk::leave_text(std::span<const TextClass::Exit> exits, const FirstBytes& as_text) {
  const TokenTrie& trie = tokens_.trie;
  const uint32_t first = exits.front().node;
  EntryWalkResult& result = inside_.result();
  const size_t n_beyond = result.alive_beyond.size();
  const size_t n_return_nodes = result.return_nodes.size();
  walker_.walk(first, trie[first].subtree_end, home_ ? options_.costs.most_nested_walks : 0);
  const std::vector<RankRange> accepted = std::exchange(result.accepted, {});
  const std::vector<TokenRank> beyond = take_from(result.alive_beyond, n_beyond);
  const std::vector<uint32_t> return_nodes = take_from(result.return_nodes, n_return_nodes);
  if (accepted.empty() && beyond.empty() && return_nodes.empty()) return;
  for (const TextClass::Exit& exit : exits) {
    if (!as_text[exit.top]) continue;
    const uint32_t rank_shift = trie[exit.node].first_rank - trie[first].first_rank;
    set_ranks(accepted, rank_shift);
    for (TokenRank rank : beyond) result.alive_beyond.push_back(TokenRank(rank.value + rank_shift));
    for (uint32_t node : return_nodes) result.return_nodes.push_back(node + exit.node - first);
  }
}

void EntryWalk::set_ranks(const std::vector<RankRange>& ranges, uint32_t shift) {
  for (const auto& [begin, end] : ranges) {
    for (uint32_t rank = begin; rank < end; ++rank)
      set_bit(words_, tokens_.vocabulary->token_at(TokenRank(rank + shift)).value);
  }
}

}  // namespace xg2lab
