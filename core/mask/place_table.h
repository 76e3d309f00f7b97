// Places of a walk of the trie, numbered: the walk as a table of a few rows, most of it made of look-ups.
//
// Tests: tests/core/test_long_walks.py, tests/differential/test_engine_vs_twin.py
//
// IDEA
//   A walk of the vocabulary visits up to 275,000 nodes of the trie, and stands at the few places that a pattern has. What two
//   parsers do by a byte, whether the rule has ended, and what that says of a token are questions to a place and a byte,
//   so they are asked once. The walk itself reads a node, looks up a row and writes a number by depth.
//
//     [a-z]{3,8} "\""   9 places or so: the columns of the count, and what is beyond the quote
//
// REPRESENTATION
//   A *move* is what a row has for a byte class: the place that is come to in the lower 24 bits, above them its *kind*.
//   Nodes that are come to one after the other by moves of one kind are decided together:
//     kDeadEnd       nothing lives and nothing ever ended: the subtree is left
//     kAccepted ..   tokens that end there are accepted; kinds tell apart on which condition (member_conditions.h)
//     kLooksCloser   all else: the node is looked at by itself
//
// INVARIANTS
//   I1  places differ; the first is the dead one
//
// COST      a known move: two loads.   THREADS  of one walk.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "parse/column_table.h"
#include "support/hash.h"
#include "support/index_table.h"

namespace xg2lab {

// How two parsers stand at a node of the trie (classify.h).
struct WalkPlace {
  ColumnId inside = kDead;
  ColumnId beyond = kDead;
  bool has_ended = false;  // whether the goal was completed on the way

  friend bool operator==(const WalkPlace&, const WalkPlace&) = default;
};

using Move = uint32_t;

class PlaceTable {
 public:
  static constexpr uint32_t kDeadEnd = 0;
  static constexpr uint32_t kAccepted = 1;
  static constexpr uint32_t kMostKinds = 253;  // of moves to accepted tokens, and the dead end
  static constexpr uint32_t kLooksCloser = 254;
  static constexpr Move kUnknown = UINT32_MAX;
  // It is not dead, and where it leads was not asked.
  static constexpr Move kAlive = kMostKinds << 24;
  static constexpr uint32_t kind(Move move) { return move >> kKindShift; }

  static constexpr bool leads_somewhere(Move move) { return move != kUnknown && move != kAlive; }

  explicit PlaceTable(const Program& program)
      : program_(program),
        row_shift_(static_cast<uint32_t>(std::bit_width(program.n_byte_classes() - 1))) {
    clear();
  }

  // What it has taken is kept for later walks.
  void clear() {
    places_.clear();
    kinds_.clear();
    rows_.clear();
    index_.clear();
    move_to({}, [](const WalkPlace&) { return kDeadEnd; });
  }

  const WalkPlace& at(Move move) const { return places_[move & kNumber]; }

  // The move by a byte from where `from` led, or kUnknown.
  Move next(Move from, uint8_t byte) const {
    return rows_[(static_cast<size_t>(from & kNumber) << row_shift_) + program_.byte_class(byte)];
  }
  void set_next(Move from, uint8_t byte, Move to) {
    rows_[(static_cast<size_t>(from & kNumber) << row_shift_) + program_.byte_class(byte)] = to;
  }

  // The move that leads to a place; `kind_of(place)` is asked where it is new.
  template <class KindOf>
  Move move_to(const WalkPlace& place, KindOf kind_of) {
    const uint64_t hash = hash_of(place);
    const auto is_it = [&](uint32_t number) { return places_[number] == place; };
    if (const auto known = index_.find(hash, is_it)) return move(*known);
    const auto number = static_cast<uint32_t>(places_.size());
    places_.push_back(place);
    kinds_.push_back(static_cast<uint8_t>(kind_of(place)));
    rows_.resize(rows_.size() + (size_t{1} << row_shift_), kUnknown);
    index_.insert(hash, number, [this](uint32_t known) { return hash_of(places_[known]); });
    return move(number);
  }

  // From now on the place is looked at by itself.
  void look_closer_at(Move place) {
    const uint32_t number = place & kNumber;
    const Move before = move(number);
    kinds_[number] = static_cast<uint8_t>(kLooksCloser);
    std::ranges::replace(rows_, before, move(number));
  }

 private:
  static constexpr uint32_t kKindShift = 24;
  static constexpr uint32_t kNumber = (uint32_t{1} << kKindShift) - 1;

  Move move(uint32_t number) const {
    return number | static_cast<uint32_t>(kinds_[number]) << kKindShift;
  }
  static uint64_t hash_of(const WalkPlace& place) {
    return hash_combine(hash_combine(place.inside.value, place.beyond.value), place.has_ended);
  }

  const Program& program_;
  const uint32_t row_shift_;
  std::vector<WalkPlace> places_;
  std::vector<uint8_t> kinds_;  // index: place
  std::vector<Move> rows_;      // of 2^row_shift_ classes each
  IndexTable index_;
};

}  // namespace xg2lab
