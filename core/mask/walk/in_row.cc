// Read: enter(), then look_closer() and at_and_below(), which keep the results of large subtrees.
#include "mask/walk/in_row.h"

#include <algorithm>
#include <utility>

#include "mask/text/home_characters.h"

namespace xg2lab {
namespace {

// Rows in the form that home_characters.h reads. A character may not pass a state in which items
// have ended: the text class would skip the node, and the leaving would be missed.
class RowReader {
 public:
  using State = Rows::Step;

  RowReader(InRow& rows, const Program& program) : rows_(rows), program_(program) {}

  const Program& program() const { return program_; }
  State step(const State& state, uint8_t byte) const { return rows_.step(state.next, byte); }
  bool may_pass(const State& state) const { return state.next != 0 && state.row == 0; }
  bool may_end(const State&) const { return false; }

 private:
  InRow& rows_;
  const Program& program_;
};

}  // namespace

static_assert(Recogniser<InRow>);

InRow::InRow(Rows& rows, const Program& program, const TokenSets& tokens, const MaskCosts& costs,
             bool token_classes)
    : rows_(rows),
      program_(program),
      tokens_(tokens),
      trie_(tokens.trie),
      costs_(costs),
      token_classes_(token_classes),
      walker_(tokens.trie, *this, State{}) {}

InRow::Result InRow::walk(std::span<const uint32_t> nodes, Rows::Id scan) {
  Result result;
  Result* const outer = std::exchange(result_, &result);
  for (const uint32_t node : nodes) {
    walker_.set_state(trie_[node].depth - 1u, state_in(scan));
    walker_.walk(node, trie_[node].subtree_end, 0);
  }
  result_ = outer;
  return result;
}

InRow::State InRow::enter(const State& above, const TrieNode& node, uint32_t i) {
  const uint8_t byte = node.byte;
  // Items that ended at the node above may let another row read this byte: a leaving.
  if (above.follow != nullptr && (*above.follow)[byte]) result_->leave(above.row, i);
  if (above.steps == nullptr) return {};
  const Rows::Step step = known_or_made(above.steps, above.scan, byte);
  if (step.is_dead()) return {};
  State here;
  here.row = step.row;
  here.follow = step.row == 0 ? nullptr : &rows_.follow(step.row);
  here.scan = step.next;
  here.steps = step.next == 0 ? nullptr : steps(step.next);
  const bool is_large = node.subtree_end - i > costs_.least_kept_nodes;
  here.verdict = step.next != 0 && is_large ? kLooksCloser : kAccepted;
  return here;
}

Rows::Step* InRow::steps(Rows::Id scan) {
  if (scan >= steps_.size()) steps_.resize(std::max<size_t>(scan + 1, 2 * steps_.size()));
  if (steps_[scan] == nullptr) {
    steps_[scan] = std::make_unique<Rows::Step[]>(program_.n_byte_classes());
    n_bytes_ += program_.n_byte_classes() * sizeof(Rows::Step);
  }
  return steps_[scan].get();
}

// The items that have ended at the node belong to this walk alone, so their leavings are recorded
// here. All other results below the node depend on the scanned row alone, and are kept.
uint32_t InRow::look_closer(TrieWalker<InRow>&, uint32_t node, const State& here, int) {
  const uint32_t end = trie_[node].subtree_end;
  if (here.follow != nullptr) {
    for (uint32_t i = node + 1; i < end; i = trie_[i].subtree_end) {
      if ((*here.follow)[trie_[i].byte]) result_->leave(here.row, i);
    }
  }
  result_->add(at_and_below(node, here.scan));
  return end;
}

const InRow::Result& InRow::at_and_below(uint32_t node, Rows::Id scan) {
  if (const uint32_t* known = known_below_.find(node, scan)) return below_[*known];
  Result result;
  Result* const outer = std::exchange(result_, &result);
  const RowHome& home = home_of(scan);
  const State at_node = state_in(scan);
  if (home.text && tokens_.text_nodes.is_whole(node)) {
    State at_home = at_node;
    at_home.row = home.row;
    at_home.follow = home.row == 0 ? nullptr : &rows_.follow(home.row);
    walker_.stay(node, *home.text, at_node, at_home, 0);
  } else {
    take_ranks(trie_[node].first_rank, trie_[node + 1].first_rank);
    walker_.set_state(trie_[node].depth, at_node);
    walker_.walk(node + 1, trie_[node].subtree_end, 0);
  }
  result_ = outer;
  n_bytes_ += result.memory_size_bytes();
  known_below_.add(node, scan, static_cast<uint32_t>(below_.size()));
  return below_.emplace_back(std::move(result));
}

// No row may continue with text after the items that have ended, because leavings are recorded at
// exits of the text class only.
const InRow::RowHome& InRow::home_of(Rows::Id scan) {
  if (scan >= homes_.size()) homes_.resize(scan + 1);
  if (homes_[scan]) return *homes_[scan];
  RowHome home;
  if (token_classes_) {
    const RowReader reader(*this, program_);
    // The first one-byte character that leads back to the row determines the home.
    for (size_t byte = 0; byte < 0x80; ++byte) {
      const Rows::Step step = this->step(scan, static_cast<uint8_t>(byte));
      if (step.next != scan) continue;
      const FirstBytes text = HomeCharacters(reader, step).from(step).first_bytes();
      const bool is_read = step.row != 0 && (text & rows_.follow(step.row)).any();
      if (text.count() >= costs_.least_home_characters && !is_read) {
        home.row = step.row;
        home.text = tokens_.text_class(text);
      }
      break;
    }
  }
  return homes_[scan].emplace(std::move(home));
}

InRow::Leaving& InRow::Result::leaving_by(Rows::Id row) {
  const auto known = std::ranges::find(leaving, row, &Leaving::row);
  return known == leaving.end() ? leaving.emplace_back(Leaving{row, {}}) : *known;
}

void InRow::Result::add(const Result& other) {
  for (const auto& [begin, end] : other.accepted) extend(accepted, begin, end);
  for (const auto& [row, nodes] : other.leaving) {
    std::vector<uint32_t>& known = leaving_by(row).nodes;
    known.insert(known.end(), nodes.begin(), nodes.end());
  }
}

size_t InRow::Result::memory_size_bytes() const {
  size_t n_bytes = sizeof(Result) + accepted.capacity() * sizeof(RankRange);
  for (const Leaving& row : leaving)
    n_bytes += sizeof(Leaving) + row.nodes.capacity() * sizeof(uint32_t);
  return n_bytes;
}

}  // namespace xg2lab
