// Read: Walk::walk (the loop over the trie), walk_elsewhere (what it may leave out), estimate, then classify and adapt (what is
// made of its verdicts).
// The trick: columns by depth are two flat arrays; a node reads its parent's, so nothing is popped.
#include "mask/classify.h"

#include <algorithm>
#include <bitset>
#include <chrono>
#include <optional>
#include <unordered_map>
#include <utility>

#include "mask/cache_events.h"
#include "mask/home.h"
#include "mask/home_masks.h"
#include "mask/member_conditions.h"
#include "mask/text_chain.h"
#include "support/bits.h"

namespace xg2lab {
namespace {

constexpr int kMostNested = 16;     // calls of walk_elsewhere
constexpr size_t kManyPlaces = 32;  // at which a rule was left

// What is in `values` from `begin` on; it is taken out.
template <class T>
std::vector<T> take_from(std::vector<T>& values, size_t begin) {
  std::vector<T> taken(values.begin() + static_cast<ptrdiff_t>(begin), values.end());
  values.resize(begin);
  return taken;
}

class Walk {
 public:
  // `steps` may be null: then nobody asks later what was seen beyond the rule.
  Walk(WalkScratch& scratch, const TokenSets& tokens, const EntryPlace& place,
       const WalkOptions& options, BeyondSteps* steps)
      : table_(scratch.table),
        homes_(scratch.homes),
        home_masks_(scratch.home_masks),
        tokens_(tokens),
        options_(options),
        steps_(steps),
        entry_(table_.beyond(place.rule)),
        inside_(tokens.trie.max_depth() + 1, kDead),
        beyond_(tokens.trie.max_depth() + 1, kDead),
        has_ended_(tokens.trie.max_depth() + 1, 0),
        noted_(tokens.trie.max_depth() + 1, nullptr),
        conditions_(table_, place.state) {
    inside_[0] = start_ = inside_of(table_, place);
    has_conditions_ = conditions_.is_needed();
  }

  void run() {
    look_for_home();
    if (home_) return run_beside_home(home_mask());
    if (chain_) return run_along_chain();
    // Nothing is beyond yet, so only what the inside reads can begin a token: most states read a byte or two.
    const std::bitset<256> live = live_bytes(inside_[0]);
    for (size_t begin = 0; begin < live.size(); ++begin) {
      size_t end = begin;
      while (end < live.size() && live[end]) ++end;
      if (begin < end) walk(tokens_.trie.top(begin), tokens_.trie.top(end), 0);
      begin = end;
    }
  }

  // Only below the nodes at which an earlier walk of an equal rule left it: what it found inside still holds.
  void run_beyond(std::span<const uint32_t> left_at) {
    const TokenTrie& trie = tokens_.trie;
    if (left_at.size() > kManyPlaces) {
      look_for_home();  // then the home has been left at most of them
      if (home_) return run_beside_home(home_mask());
    }
    std::string_view path;  // bytes for which the arrays below hold
    for (uint32_t node : left_at) {
      const std::string_view bytes = tokens_.vocabulary->bytes_at(TokenRank(trie[node].first_rank))
                                         .substr(0, trie[node].depth);
      size_t depth = 0;
      while (depth + 1 < path.size() && path[depth] == bytes[depth]) ++depth;
      for (; depth + 1 < bytes.size(); ++depth) step(static_cast<uint8_t>(bytes[depth]), depth + 1);
      path = bytes;
      walk(node, trie[node].subtree_end, 0);
    }
  }

  // How many nodes run() would step to, by samples: see estimate_visits.
  uint64_t estimate(size_t n_samples) {
    const TokenTrie& trie = tokens_.trie;
    look_for_home();
    const uint64_t n_nodes = trie.n_nodes() - 1;
    n_samples = std::min<size_t>(n_samples, n_nodes);
    uint64_t n_met = 0;
    std::string_view path;   // bytes for which the arrays below hold
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
    const TextClass* text = home_ ? &home_->text() : chain_ ? &chain_->text() : nullptr;
    return (n_samples == 0 ? 0 : n_met * n_nodes / n_samples) +
           (text == nullptr ? 0 : text->n_exit_nodes());
  }

  MemberConditions& conditions() { return conditions_; }
  AdaptiveMask accepted() {
    if (known_ != nullptr)
      return AdaptiveMask::like(tokens_, known_->accepted, std::move(without_), std::move(more_));
    if (!chain_) return AdaptiveMask::of_ranks(tokens_, accepted_);
    return AdaptiveMask(tokens_, accepted_words_);
  }
  std::vector<TokenRank>& beyond() { return alive_beyond_; }
  std::vector<uint32_t>& left_at() { return left_at_; }
  uint64_t n_visits() const { return n_visits_; }

 private:
  void look_for_home() {
    if (!options_.token_classes) return;
    home_ = homes_.find(table_, tokens_, inside_[0]);
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

  void look_for_chain(bool is_asked_again) {
    chain_ = find_text_chain(table_, tokens_, inside_[0]);
    if (!chain_ || !chain_->has_ended(chain_->length())) return;
    // Where it is too short for some text, the callers of others may go on where it ends.
    const bool is_short = chain_->length() < tokens_.text_nodes.most_characters();
    const bool others_may_go_on = steps_ != nullptr || !options_.context_expansion;
    if ((is_short && others_may_go_on) || (is_asked_again && is_read_beyond(chain_->first_bytes())))
      chain_.reset();
    else if (is_asked_again) beyond_text_ = entry_;
  }

  bool is_read_beyond(const FirstBytes& text) const { return (live_bytes(entry_) & text).any(); }

  std::bitset<256> live_bytes(ColumnId column) const {
    std::bitset<256> live;
    for (const Item& item : table_.scannable(column)) {
      for (const TerminalEdge& edge : table_.program().terminals(item.state)) {
        for (size_t byte = edge.range.lo; byte <= edge.range.hi; ++byte) live.set(byte);
      }
    }
    return live;
  }

  // ---- From home, once ----

  // What a walk finds that stands at home before the first byte, and in whose member nobody else is met.
  const HomeMask& home_mask() {
    const WalkPlace home{home_->column(),
                         table_.at(home_->column()).is_complete ? beyond_text_ : kDead,
                         home_->may_end()};
    if (const HomeMask* known = home_masks_.find(home, entry_)) return *known;
    HomeMask mask{home, entry_, nullptr, {}, {}, {}, {}};
    BeyondSteps* const steps = std::exchange(steps_, &mask.steps);
    run_from_home();
    steps_ = steps;
    mask.alive_beyond = std::exchange(alive_beyond_, {});
    mask.left_at = std::exchange(left_at_, {});
    mask.accepted = std::make_shared<const AdaptiveMask>(tokens_, accepted_words_);
    if (mask.accepted->words().empty()) mask.own_words = accepted_words_;
    accepted_words_.clear();
    return home_masks_.add(std::move(mask));
  }

  // The tokens that stay text are known (TextClass); how they may leave it is found once for each group. Of members those who
  // stand at home have one only: there is nothing to note of them.
  void run_from_home() {
    const TokenTrie& trie = tokens_.trie;
    const TextClass& text = home_->text();
    accepted_words_.assign(text.staying().begin(), text.staying().end());
    FirstBytes all;
    all.set();
    has_conditions_ = false;
    for (const TextClass::Group& group : text.groups()) {
      stand_at_home(trie[group.front().node].depth - 1u, home_->may_end());
      leave_text(group, all);
    }
    has_conditions_ = conditions_.is_needed();
    sort_lists();
  }

  void sort_lists() {
    std::sort(alive_beyond_.begin(), alive_beyond_.end());
    std::sort(left_at_.begin(), left_at_.end());
  }

  // ---- Beside home ----

  void run_beside_home(const HomeMask& known) {
    const TokenTrie& trie = tokens_.trie;
    known_ = &known;
    if (steps_ != nullptr) steps_->add(known.steps);
    at_home_.assign(trie.max_depth() + 1, {});
    at_home_[0] = known.home;
    std::fill_n(noted_.begin(), noted_.size(), nullptr);
    inside_[0] = start_;
    beyond_[0] = kDead;
    has_ended_[0] = 0;
    for (uint32_t top = 1; top < trie.n_nodes(); top = trie[top].subtree_end) {
      const bool is_text = !home_->text().leads_elsewhere(top) && home_->begins(trie[top].byte);
      if (!is_text) walk_beside(top, trie[top].subtree_end);
    }
    const auto of_rank = [](TokenRank rank) { return rank.value; };
    merge_ascending(alive_beyond_, outside_of(other_ranks_, known.alive_beyond, of_rank));
    merge_ascending(left_at_, outside_of(other_nodes_, known.left_at, std::identity()));
  }

  template <class T>
  static void merge_ascending(std::vector<T>& values, const std::vector<T>& more) {
    const auto middle = static_cast<ptrdiff_t>(values.size());
    values.insert(values.end(), more.begin(), more.end());
    std::inplace_merge(values.begin(), values.begin() + middle, values.end());
  }

  void walk_beside(uint32_t begin, uint32_t end) {
    const TokenTrie& trie = tokens_.trie;
    for (uint32_t i = begin; i < end;) {
      const TrieNode& node = trie[i];
      const size_t depth = node.depth;
      ++n_visits_;
      step(node.byte, depth);
      at_home_[depth] = after(at_home_[depth - 1], node.byte);
      const WalkPlace here{inside_[depth], beyond_[depth], has_ended_[depth] != 0};
      // Where the rule has ended on the way it may have been by another member than at home: that is a condition of its own.
      const bool has_own_condition = has_conditions_ && here.has_ended;
      if (here == at_home_[depth] && !has_own_condition) {
        i = node.subtree_end;
        continue;
      }
      const bool is_skipped = is_at_home(i, here.inside) && is_settled(depth);
      if (is_skipped) walk_elsewhere(i, kMostNested - 1);
      else decide(i);
      const bool is_over = here.inside == kDead && here.beyond == kDead;
      const uint32_t next = is_skipped || is_over ? node.subtree_end : i + 1;
      differ(i, next);
      i = next;
    }
  }

  // The verdicts on these nodes are our own: what was accepted last is compared with what the home accepts.
  void differ(uint32_t begin, uint32_t end) {
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
  void run_along_chain() {
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
          stand_on_chain(trie[begin->node].depth - 1u, n_before);
          leave_text({begin, end}, chain_->first_bytes());
        }
        begin = end;
      }
    }
    sort_lists();
  }

  void accept_text_of_chain() {
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
  void leave_text(std::span<const TextClass::Exit> exits, const FirstBytes& as_text) {
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

  void stand_at_home(size_t depth, bool has_ended) { stand_at(depth, home_->column(), has_ended); }
  void stand_on_chain(size_t depth, size_t n_characters) {
    stand_at(depth, chain_->after(n_characters), chain_->has_ended(n_characters));
  }
  void stand_at(size_t depth, ColumnId inside, bool has_ended) {
    inside_[depth] = inside;
    beyond_[depth] = table_.at(inside).is_complete ? beyond_text_ : kDead;
    has_ended_[depth] = has_ended ? 1 : 0;
    noted_[depth] = nullptr;
  }

  void set_ranks(uint32_t begin, uint32_t end) {
    for (; begin < end; ++begin)
      set_bit(accepted_words_, tokens_.vocabulary->token_at(TokenRank(begin)).value);
  }

  // Dead, or at home: what leads elsewhere is counted apart.
  bool goes_no_further(size_t depth) const {
    if (inside_[depth] == kDead) return beyond_[depth] == kDead;
    return home_ && inside_[depth] == home_->column() && is_settled(depth);
  }

  void walk(uint32_t begin, uint32_t end, int n_skips_left) {
    const TokenTrie& trie = tokens_.trie;
    for (uint32_t i = begin; i < end;) {
      const TrieNode& node = trie[i];
      ++n_visits_;
      step(node.byte, node.depth);
      const ColumnId inside = inside_[node.depth];
      const bool may_skip = n_skips_left > 0 && is_at_home(i, inside);
      if (may_skip && is_settled(node.depth)) {
        walk_elsewhere(i, n_skips_left - 1);
        i = node.subtree_end;
        continue;
      }
      decide(i);
      i = inside == kDead && beyond_[node.depth] == kDead ? node.subtree_end : i + 1;
    }
  }

  // The verdict on the tokens that end at a node; on all below it, if nothing is alive.
  void decide(uint32_t i) {
    const TrieNode& node = tokens_.trie[i];
    const uint32_t end_rank = tokens_.trie[i + 1].first_rank;
    const ColumnId inside = inside_[node.depth];
    const bool has_ended = has_ended_[node.depth] != 0;
    if (inside != kDead) {
      accept(node.first_rank, end_rank);
      if (has_conditions_) conditions_.add(node.first_rank, end_rank, inside, has_ended);
      return;
    }
    if (inside_[node.depth - 1u] != kDead && has_ended) left_at_.push_back(i);
    if (beyond_[node.depth] != kDead) doubt(node.first_rank, end_rank);
    else if (has_ended && !options_.context_expansion)
      doubt(node.first_rank, tokens_.trie.subtree_end_rank(i));
  }

  // The subtree of a node at which the inside is at home: only what leads elsewhere is walked. From there a walk
  // may come home again; calls nest as often as that, but not as deep as a token may be long.
  void walk_elsewhere(uint32_t top, int n_skips_left) {
    const TokenTrie& trie = tokens_.trie;
    const uint32_t end = trie[top].subtree_end;
    const bool has_ended = has_ended_[trie[top].depth] != 0 || home_->may_end();
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

  // Whether the inside is at home, or on the way of a character that leads there in any case.
  bool is_at_home(uint32_t node, ColumnId inside) const {
    if (inside == home_->column()) return tokens_.text_nodes.is_whole(node);
    return inside != kDead && inside == home_->after(tokens_.trie[node].byte) &&
           tokens_.text_nodes.begins_character(node) && !home_->text().leads_elsewhere(node);
  }

  // Whether what is beyond is as it always is at home, and no token needs a condition for having been beyond.
  bool is_settled(size_t depth) const {
    if (conditions_.is_needed() && !options_.context_expansion && has_ended_[depth] != 0)
      return false;
    return beyond_[depth] == beyond_text_ || is_spent(beyond_[depth]);
  }

  // Whether no byte can follow, as beyond the root.
  bool is_spent(ColumnId beyond) const {
    if (beyond == kDead) return true;
    const Column& column = table_.at(beyond);
    return column.own.empty() && column.within == nullptr;
  }

  // They are for the callers to decide.
  void doubt(uint32_t begin, uint32_t end) {
    for (uint32_t rank = begin; rank < end; ++rank) alive_beyond_.push_back(TokenRank(rank));
  }

  void accept(uint32_t begin, uint32_t end) { extend(accepted_, begin, end); }

  static void extend(std::vector<RankRange>& ranges, uint32_t begin, uint32_t end) {
    if (begin == end) return;
    if (!ranges.empty() && ranges.back().second == begin) ranges.back().second = end;
    else ranges.emplace_back(begin, end);
  }

  // Both parsers read the byte that leads to `depth`.
  void step(uint8_t byte, size_t depth) {
    if (beyond_[depth - 1] != kDead && steps_ != nullptr) note(depth - 1, byte);
    const WalkPlace here =
        after({inside_[depth - 1], beyond_[depth - 1], has_ended_[depth - 1] != 0}, byte);
    inside_[depth] = here.inside;
    beyond_[depth] = here.beyond;
    has_ended_[depth] = here.has_ended ? 1 : 0;
    noted_[depth] = nullptr;
  }

  WalkPlace after(const WalkPlace& above, uint8_t byte) {
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

  void note(size_t depth, uint8_t byte) {
    if (noted_[depth] == nullptr) noted_[depth] = &steps_->from(beyond_[depth]);
    noted_[depth]->set(byte);
  }

  ColumnId with_entry(ColumnId beyond) {
    if (beyond == kDead) return entry_;
    auto [known, is_new] = joined_.emplace(beyond.value, kDead);
    if (is_new) known->second = table_.join(beyond, entry_);
    return known->second;
  }

  ColumnTable& table_;
  Homes& homes_;
  HomeMasks& home_masks_;
  const TokenSets& tokens_;
  const WalkOptions options_;
  BeyondSteps* steps_;
  const ColumnId entry_;
  ColumnId start_ = kDead;
  std::optional<Home> home_;
  std::optional<TextChain> chain_;
  // What is beyond after a character of text, if the goal may end there.
  ColumnId beyond_text_ = kDead;
  // By depth.
  std::vector<ColumnId> inside_;
  std::vector<ColumnId> beyond_;
  std::vector<uint8_t> has_ended_;          // whether the goal was completed on the way
  std::vector<BeyondSteps::Bytes*> noted_;  // what was read in beyond_, once something was
  // What is found.
  std::vector<RankRange> accepted_;       // ascending; beside accepted_words_, if that is used
  std::vector<uint32_t> accepted_words_;  // a bitmask; empty unless there is text
  std::vector<TokenRank> alive_beyond_;
  std::vector<uint32_t> left_at_;
  uint64_t n_visits_ = 0;
  std::unordered_map<uint32_t, ColumnId> joined_;
  MemberConditions conditions_;
  bool has_conditions_ = false;  // whether they are added
  // Beside home.
  const HomeMask* known_ = nullptr;
  std::vector<WalkPlace> at_home_;  // by depth
  std::vector<uint32_t> without_;   // ids that the home accepts and we don't
  std::vector<uint32_t> more_;      // and the other way round
  std::vector<RankRange>
      other_nodes_;  // nodes before which we stood elsewhere than from home; ascending
  std::vector<RankRange> other_ranks_;  // the tokens that end there
};

// What lives beyond is accepted if there is one context only, and uncertain if there are several.
MaskEntry entry_of(const TokenSets& tokens, bool has_unique_context, AdaptiveMask inside,
                   std::vector<TokenRank>& beyond) {
  MaskEntry entry;
  if (has_unique_context) {
    entry.accepted = inside.with(tokens, beyond);
  } else {
    entry.accepted = std::move(inside);
    entry.uncertain = std::move(beyond);
    entry.uncertain.shrink_to_fit();
  }
  entry.n_rejected =
      tokens.vocabulary->n_ranks() - entry.accepted.n_accepted() - entry.uncertain.size();
  return entry;
}

}  // namespace

ColumnId inside_of(ColumnTable& table, const EntryPlace& place) {
  return place.counts.empty() ? table.outside_item(place.state)
                              : table.outside_item(place.state, place.rule, place.counts);
}

MaskEntry classify(WalkScratch& scratch, const TokenSets& tokens, const EntryPlace& place,
                   const WalkOptions& options, WalkRecord* record) {
  const auto begin = std::chrono::steady_clock::now();
  Walk walk(scratch, tokens, place, options, record == nullptr ? nullptr : &record->steps);
  walk.run();
  AdaptiveMask accepted = walk.accepted();
  if (record != nullptr) {
    record->inside.accepted = accepted;
    record->inside.left_at = std::move(walk.left_at());
    record->inside.left_at.shrink_to_fit();
    record->n_visits = walk.n_visits();
  }
  const bool is_unique =
      options.context_expansion && scratch.table.program().rule(place.rule).has_unique_context;
  MaskEntry entry = entry_of(tokens, is_unique, std::move(accepted), walk.beyond());
  std::move(walk.conditions()).move_to(entry);
  entry.build_ns = ns_since(begin);
  return entry;
}

uint64_t estimate_visits(WalkScratch& scratch, const TokenSets& tokens, StateId state,
                         const WalkOptions& options, size_t n_samples) {
  Walk walk(scratch, tokens, {state, scratch.table.program().rule_of(state), {}}, options, nullptr);
  return walk.estimate(n_samples);
}

MaskEntry adapt(WalkScratch& scratch, const TokenSets& tokens, StateId state,
                const InsidePart& inside, const WalkOptions& options, BeyondSteps* steps) {
  const auto begin = std::chrono::steady_clock::now();
  const RuleId rule = scratch.table.program().rule_of(state);
  Walk walk(scratch, tokens, {state, rule, {}}, options, steps);
  walk.run_beyond(inside.left_at);
  const bool is_unique =
      options.context_expansion && scratch.table.program().rule(rule).has_unique_context;
  MaskEntry entry = entry_of(tokens, is_unique, inside.accepted, walk.beyond());
  entry.build_ns = ns_since(begin);
  return entry;
}

}  // namespace xg2lab
