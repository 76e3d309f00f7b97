// Read: look_for_home, home_mask (found once), run_beside_home, run_along_chain, and what they do where text is left.
#include <algorithm>
#include <functional>
#include <utility>

#include "mask/trie_walk.h"
#include "support/bits.h"

namespace xg2lab {
namespace {

constexpr int kMostNested = 16;  // calls of walk_elsewhere
// A walk beside home may step to one in so many of the trie's nodes, or to this many.
constexpr uint64_t kMostBeside = 16;
constexpr uint64_t kFewBeside = 1024;

// What is in `values` from `begin` on; it is taken out.
template <class T>
std::vector<T> take_from(std::vector<T>& values, size_t begin) {
  std::vector<T> taken(values.begin() + static_cast<ptrdiff_t>(begin), values.end());
  values.resize(begin);
  return taken;
}

template <class T>
void merge_ascending(std::vector<T>& values, const std::vector<T>& more) {
  const auto middle = static_cast<ptrdiff_t>(values.size());
  values.insert(values.end(), more.begin(), more.end());
  std::inplace_merge(values.begin(), values.begin() + middle, values.end());
}

}  // namespace

void TrieWalk::look_for_home() {
  if (!options_.token_classes) return;
  home_ = homes_.find(table_, tokens_, start_);
  // Where the rule may end at home, each character is a place for its callers to go on: the same place, if they read no text.
  const bool is_asked_again = options_.context_expansion && !is_spent(entry_);
  if (home_ && home_->may_end() && is_asked_again) {
    const bool is_same_place = !home_->may_end_within() && !conditions_.is_needed() &&
                               !is_read_beyond(home_->first_bytes());
    if (is_same_place) beyond_text_ = entry_;
    else home_.reset();
  }
  if (home_ && conditions_.is_needed()) {
    const bool may_have_left = home_->may_end() && !is_spent(entry_);
    if (may_have_left || !conditions_.depend_on(home_->column())) home_.reset();
  }
  if (!home_ && !conditions_.is_needed()) look_for_chain(is_asked_again);
  if (beyond_text_ != kDead && steps_ != nullptr)
    steps_->from(entry_) |= home_ ? home_->first_bytes() : chain_->first_bytes();
}

void TrieWalk::look_for_chain(bool is_asked_again) {
  chain_ = find_text_chain(table_, tokens_, start_);
  if (!chain_ || !chain_->has_ended(chain_->length())) return;
  // Where it is too short for some text, the callers of others may go on where it ends.
  const bool is_short = chain_->length() < tokens_.text_nodes.most_characters();
  const bool others_may_go_on = steps_ != nullptr || !options_.context_expansion;
  if ((is_short && others_may_go_on) || (is_asked_again && is_read_beyond(chain_->first_bytes())))
    chain_.reset();
  else if (is_asked_again) beyond_text_ = entry_;
}

// Where many exits make it as long as the plain walk, a second walk has to come here first.
bool TrieWalk::is_worth_home() {
  if (!home_->is_left() && (home_->has_few_exits() || home_->is_met_again())) return true;
  home_.reset();
  return false;
}

// ---- From home, once ----

// What a walk finds that stands at home before the first byte, and in whose member nobody else is met.
const HomeMask& TrieWalk::home_mask() {
  const WalkPlace home{home_->column(),
                       table_.at(home_->column()).is_complete ? beyond_text_ : kDead,
                       home_->may_end()};
  if (const HomeMask* known = home_masks_.find(home, entry_)) return *known;
  HomeMask mask{home, entry_, nullptr, {}, {}, {}, {}};
  BeyondSteps* const steps = std::exchange(steps_, &mask.steps);
  has_conditions_ = false;
  run_from_home(home);
  steps_ = steps;
  mask.alive_beyond = std::exchange(alive_beyond_, {});
  mask.left_at = std::exchange(left_at_, {});
  mask.accepted = std::make_shared<const AdaptiveMask>(
      AdaptiveMask::of_text(tokens_, std::exchange(accepted_words_, {})));
  if (mask.accepted->words().empty()) {
    mask.own_words.resize(tokens_.n_words);
    mask.accepted->write(tokens_, mask.own_words);
  }
  return home_masks_.add(std::move(mask));
}

// The tokens that stay text are known (TextClass); how they may leave it is found once for each group. If too many do, all are
// walked. Of members those who stand at home have one only: there is nothing to note of them.
void TrieWalk::run_from_home(const WalkPlace& home) {
  const TokenTrie& trie = tokens_.trie;
  may_skip_ = home_->has_few_exits();
  places_.clear();
  if (!may_skip_) {
    at_[0] = move_to(home);
    walk(1, trie.n_nodes(), 0);
    accepted_words_.assign(tokens_.n_words, 0);
    for (const auto& [begin, end] : std::exchange(accepted_, {})) set_ranks(begin, end);
    return;
  }
  const TextClass& text = home_->text();
  accepted_words_.assign(text.staying().begin(), text.staying().end());
  FirstBytes all;
  all.set();
  const Move at_home = move_to(home);
  for (const TextClass::Group& group : text.groups()) {
    const TrieNode& exit = trie[group.front().node];
    if (move(at_home, exit.byte) == PlaceTable::kDeadEnd) continue;
    at_[exit.depth - 1u] = at_home;
    leave_text(group, all);
  }
  sort_lists();
}

void TrieWalk::sort_lists() {
  std::sort(alive_beyond_.begin(), alive_beyond_.end());
  std::sort(left_at_.begin(), left_at_.end());
}

// ---- Beside home ----

bool TrieWalk::run_beside_home(const HomeMask& known) {
  const TokenTrie& trie = tokens_.trie;
  known_ = &known;
  start_anew(true);
  at_home_.assign(trie.max_depth() + 1, PlaceTable::kDeadEnd);
  at_home_[0] = move_to(known.home);
  const uint64_t n_most = n_visits_ + std::max(kFewBeside, trie.n_nodes() / kMostBeside);
  for (uint32_t top = 1; top < trie.n_nodes(); top = trie[top].subtree_end) {
    const bool is_text = !home_->text().leads_elsewhere(top) && home_->begins(trie[top].byte);
    if (is_text || walk_beside(top, trie[top].subtree_end, n_most)) continue;
    give_up_home();
    return false;
  }
  if (steps_ != nullptr) steps_->add(known.steps);
  const auto of_rank = [](TokenRank rank) { return rank.value; };
  merge_ascending(alive_beyond_, outside_of(other_ranks_, known.alive_beyond, of_rank));
  merge_ascending(left_at_, outside_of(other_nodes_, known.left_at, std::identity()));
  return true;
}

void TrieWalk::give_up_home() {
  known_ = nullptr;
  home_->leave();
  home_.reset();
  accepted_.clear();
  alive_beyond_.clear();
  left_at_.clear();
  without_.clear();
  more_.clear();
  other_nodes_.clear();
  other_ranks_.clear();
  conditions_.forget_tokens();
  start_anew(false);
}

// False: it stepped to more than `n_most` nodes.
bool TrieWalk::walk_beside(uint32_t begin, uint32_t end, uint64_t n_most) {
  const TokenTrie& trie = tokens_.trie;
  for (uint32_t i = begin; i < end;) {
    const TrieNode& node = trie[i];
    const size_t depth = node.depth;
    if (++n_visits_ > n_most) return false;
    step(node.byte, depth);
    at_home_[depth] = move(at_home_[depth - 1], node.byte);
    const WalkPlace here = place(depth);
    // If the rule has ended within the token, another member than at the home may have ended it:
    // the token then needs a MemberCondition of its own.
    const bool has_own_condition = has_conditions_ && here.has_ended;
    if (at_[depth] == at_home_[depth] && !has_own_condition) {
      i = node.subtree_end;
      continue;
    }
    const bool is_skipped = is_at_home(i, here.inside) && is_settled(here);
    if (is_skipped) walk_elsewhere(i, kMostNested - 1);
    else decide(i);
    const bool is_over = here.inside == kDead && here.beyond == kDead;
    const uint32_t next = is_skipped || is_over ? node.subtree_end : i + 1;
    differ(i, next);
    i = next;
  }
  return true;
}

// The verdicts on these nodes are our own: what was accepted last is compared with what the home accepts.
void TrieWalk::differ(uint32_t begin, uint32_t end) {
  const TokenTrie& trie = tokens_.trie;
  uint32_t rank = trie[begin].first_rank;
  const uint32_t end_rank = trie[end].first_rank;
  extend(other_nodes_, begin, end);
  extend(other_ranks_, rank, end_rank);
  const std::span<const uint32_t> words = known_->words();
  const auto compare = [&](uint32_t to, bool is_accepted) {
    for (; rank < to; ++rank) {
      const uint32_t id = tokens_.vocabulary->token_at(TokenRank(rank)).value;
      if (test_bit(words, id) == is_accepted) continue;
      (is_accepted ? more_ : without_).push_back(id);
    }
  };
  for (const auto& [first, past] : accepted_) {
    compare(std::max(rank, first), false);
    compare(past, true);
  }
  accepted_.clear();
  compare(end_rank, false);
}

// As from home, but what has as many characters as there are links stays text, and exits are taken from link to link.
void TrieWalk::run_along_chain() {
  const TokenTrie& trie = tokens_.trie;
  accept_text_of_chain();
  for (uint32_t top = 1; top < trie.n_nodes(); top = trie[top].subtree_end) {
    if (chain_->text().leads_elsewhere(top)) walk(top, trie[top].subtree_end, 0);
  }
  for (const auto& [begin, end] : std::exchange(accepted_, {})) set_ranks(begin, end);
  for (const TextClass::Group& group : chain_->text().groups()) {
    for (auto begin = group.begin(); begin != group.end();) {
      const size_t n_before = begin->n_before;
      const auto end = std::find_if(begin, group.end(), [&](const TextClass::Exit& exit) {
        return exit.n_before != n_before;
      });
      if (chain_->after(n_before) == kDead) break;
      if (n_before > 0) {  // else it is a top
        stand_at(trie[begin->node].depth - 1u, chain_->after(n_before),
                 chain_->has_ended(n_before));
        leave_text({begin, end}, chain_->first_bytes());
      }
      begin = end;
    }
  }
  sort_lists();
}

void TrieWalk::accept_text_of_chain() {
  const TextNodes& nodes = tokens_.text_nodes;
  const std::span<const uint32_t> staying = chain_->text().staying();
  const auto id_of = [&](uint32_t rank) {
    return tokens_.vocabulary->token_at(TokenRank(rank)).index();
  };
  const auto within = nodes.ranks_by_length(0, chain_->length());
  const auto longer = nodes.ranks_by_length(chain_->length() + 1, nodes.most_characters());
  if (longer.size() < within.size()) {
    accepted_words_.assign(staying.begin(), staying.end());
    for (uint32_t rank : longer) clear_bit(accepted_words_, id_of(rank));
  } else {
    accepted_words_.assign(tokens_.n_words, 0);
    for (uint32_t rank : within) {
      if (test_bit(staying, id_of(rank))) set_bit(accepted_words_, id_of(rank));
    }
  }
}

// From where the walk stands: walks the first of the exits, and says the same of the others; of those that begin `as_text`.
void TrieWalk::leave_text(std::span<const TextClass::Exit> exits, const FirstBytes& as_text) {
  const TokenTrie& trie = tokens_.trie;
  const uint32_t first = exits.front().node;
  const size_t n_beyond = alive_beyond_.size();
  const size_t n_left = left_at_.size();
  walk(first, trie[first].subtree_end, home_ ? kMostNested : 0);
  const std::vector<RankRange> accepted = std::exchange(accepted_, {});
  const std::vector<TokenRank> beyond = take_from(alive_beyond_, n_beyond);
  const std::vector<uint32_t> left_at = take_from(left_at_, n_left);
  if (accepted.empty() && beyond.empty() && left_at.empty()) return;
  for (const TextClass::Exit& exit : exits) {
    if (!as_text[exit.top]) continue;
    const uint32_t rank_shift = trie[exit.node].first_rank - trie[first].first_rank;
    for (const auto& [begin, end] : accepted) set_ranks(begin + rank_shift, end + rank_shift);
    for (TokenRank rank : beyond) alive_beyond_.push_back(TokenRank(rank.value + rank_shift));
    for (uint32_t node : left_at) left_at_.push_back(node + exit.node - first);
  }
}

void TrieWalk::stand_at(size_t depth, ColumnId inside, bool has_ended) {
  at_[depth] = move_to({inside, table_.at(inside).is_complete ? beyond_text_ : kDead, has_ended});
}

void TrieWalk::set_ranks(uint32_t begin, uint32_t end) {
  for (; begin < end; ++begin)
    set_bit(accepted_words_, tokens_.vocabulary->token_at(TokenRank(begin)).value);
}

// The subtree of a node at which the inside is at home: only what leads elsewhere is walked. From there a walk
// may come home again; calls nest as often as that, but not as deep as a token may be long.
void TrieWalk::walk_elsewhere(uint32_t top, int n_skips_left) {
  const TokenTrie& trie = tokens_.trie;
  const uint32_t end = trie[top].subtree_end;
  const bool has_ended = place(trie[top].depth).has_ended || home_->may_end();
  uint32_t rank = trie[top].first_rank;
  for (uint32_t i = home_->text().next_elsewhere(top + 1, end); i < end;) {
    accept(rank, trie[i].first_rank);
    stand_at_home(trie[i].depth - 1u, has_ended);
    walk(i, trie[i].subtree_end, n_skips_left);
    rank = trie.subtree_end_rank(i);
    i = home_->text().next_elsewhere(trie[i].subtree_end, end);
  }
  accept(rank, trie.subtree_end_rank(top));
}

}  // namespace xg2lab
