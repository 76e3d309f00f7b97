// Read: JointAlphabet::of; Refinement::split.
#include "automata/joint_alphabet.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "support/budget.h"
#include "support/sort_unique.h"
#include "support/utf8.h"

namespace xg2lab {
namespace {

class Refinement {
 public:
  explicit Refinement(std::span<const Alphabet* const> alphabets) {
    for (const Alphabet* alphabet : alphabets) {
      for (const Alphabet::Interval& interval : alphabet->intervals()) los_.push_back(interval.lo);
    }
    los_.push_back(0);
    los_.push_back(kLastSurrogate + 1);
    sort_unique(los_);
    class_of_.assign(los_.size(), 0);
    n_members_.assign(1, static_cast<uint32_t>(los_.size()));
  }

  size_t n_steps() const { return n_steps_; }

  Letter most_common_letter(const Alphabet& alphabet) const {
    std::vector<size_t> n_pieces(alphabet.n_letters());
    for (const Alphabet::Interval& interval : alphabet.intervals()) {
      const auto [begin, end] = pieces_of(interval);
      n_pieces[interval.letter] += end - begin;
    }
    return static_cast<Letter>(std::ranges::max_element(n_pieces) - n_pieces.begin());
  }

  // Splits each class by the letters of `alphabet` that its pieces belong to.
  void split(const Alphabet& alphabet, Letter rest) {
    std::unordered_map<uint64_t, Count> counts;
    for_each_piece(alphabet, rest, [&](Letter letter, size_t piece) {
      ++counts[key_of(class_of_[piece], letter)].n_members;
    });
    for (auto& [key, count] : counts) {
      const auto old = static_cast<uint32_t>(key >> 32);
      count.is_whole = count.n_members == n_members_[old];
    }
    for_each_piece(alphabet, rest, [&](Letter letter, size_t piece) {
      const uint32_t old = class_of_[piece];
      Count& count = counts.at(key_of(old, letter));
      if (count.is_whole) return;
      if (count.made == kNone) {
        count.made = static_cast<uint32_t>(n_members_.size());
        n_members_.push_back(0);
      }
      --n_members_[old];
      ++n_members_[count.made];
      class_of_[piece] = count.made;
    });
  }

  // Numbers the classes as letters.
  Alphabet finish() {
    std::vector<Letter> letter_of(n_members_.size(), kNone);
    Letter n_letters = 0;
    std::vector<Alphabet::Interval> intervals;
    for (size_t piece = 0; piece < los_.size(); ++piece) {
      Letter& letter = letter_of[class_of_[piece]];
      if (letter == kNone) letter = n_letters++;
      class_of_[piece] = letter;
      const uint32_t end = piece + 1 < los_.size() ? los_[piece + 1] : kMaxCodePoint + 1;
      const uint32_t hi = end == kLastSurrogate + 1 ? kFirstSurrogate - 1 : end - 1;
      intervals.push_back({los_[piece], hi, letter});
    }
    return Alphabet::of_intervals(std::move(intervals), n_letters);
  }

  // Call after finish().
  std::vector<std::vector<Letter>> parts(const Alphabet& alphabet, Letter rest) {
    std::vector<std::vector<Letter>> parts(alphabet.n_letters());
    for_each_piece(alphabet, rest,
                   [&](Letter letter, size_t piece) { parts[letter].push_back(class_of_[piece]); });
    for (std::vector<Letter>& letters : parts) sort_unique(letters);
    return parts;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Count {
    uint32_t n_members = 0;
    uint32_t made = kNone;
    bool is_whole = false;
  };
  static uint64_t key_of(uint32_t old, Letter letter) { return uint64_t{old} << 32 | letter; }

  std::pair<size_t, size_t> pieces_of(const Alphabet::Interval& interval) const {
    const auto begin = std::ranges::lower_bound(los_, interval.lo);
    const auto end = std::lower_bound(begin, los_.end(), interval.hi + 1);
    return {begin - los_.begin(), end - los_.begin()};
  }
  template <class Visit>
  void for_each_piece(const Alphabet& alphabet, Letter rest, Visit visit) {
    for (const Alphabet::Interval& interval : alphabet.intervals()) {
      ++n_steps_;
      if (interval.letter == rest) continue;
      const auto [begin, end] = pieces_of(interval);
      n_steps_ += end - begin;
      for (size_t piece = begin; piece < end; ++piece) visit(interval.letter, piece);
    }
  }

  std::vector<uint32_t> los_;        // first code point of each piece
  std::vector<uint32_t> class_of_;   // index: piece
  std::vector<uint32_t> n_members_;  // index: class
  size_t n_steps_ = 0;
};

}  // namespace

std::optional<JointAlphabet> JointAlphabet::of(std::span<const Alphabet* const> alphabets,
                                               size_t most_steps) {
  Refinement refinement(alphabets);
  JointAlphabet joint;
  for (const Alphabet* alphabet : alphabets) {
    check_budget("dividing the alphabet of terminals");
    joint.rest.push_back(refinement.most_common_letter(*alphabet));
    refinement.split(*alphabet, joint.rest.back());
    if (refinement.n_steps() > most_steps) return std::nullopt;
  }
  joint.alphabet = refinement.finish();
  for (size_t i = 0; i < alphabets.size(); ++i) {
    check_budget("dividing the alphabet of terminals");
    joint.parts.push_back(refinement.parts(*alphabets[i], joint.rest[i]));
  }
  return joint;
}

}  // namespace xg2lab
