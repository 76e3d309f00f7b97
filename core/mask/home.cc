// Read: Characters (which of them lead home), find_home.
// The trick: bytes of one class lead to one column, so a character's continuation bytes are tried by class.
#include "mask/home.h"

#include <array>
#include <bit>
#include <map>
#include <utility>

#include "automata/utf8_places.h"

namespace xg2lab {
namespace {

constexpr uint8_t kProbes[] = {'a', ' '};  // a home for text is one for these
constexpr size_t kWorth = 4;               // of the nodes, one in so many may lead elsewhere

class Characters {
 public:
  Characters(ColumnTable& table, ColumnId home) : table_(table), home_(home) {}

  // By first byte: the column after it if all its characters lead home, else kDead.
  std::array<ColumnId, 256> after_first_bytes() {
    std::array<ColumnId, 256> after;
    after.fill(kDead);
    for (const Utf8Piece& lead : utf8_pieces(kBetweenCodePoints)) {
      for (size_t byte = lead.range.lo; byte <= lead.range.hi; ++byte) {
        const ColumnId to = table_.step(home_, static_cast<uint8_t>(byte));
        if (comes_home(to, lead.next)) after[byte] = to;
      }
    }
    return after;
  }
  bool may_end() const { return may_end_; }

 private:
  bool comes_home(ColumnId column, Utf8Place place) {
    if (place == kBetweenCodePoints) return column == home_;
    if (column == kDead) return false;
    may_end_ = may_end_ || table_.at(column).is_complete;
    const auto known = known_.find({column.value, place});
    if (known != known_.end()) return known->second;
    bool all = true;
    for (const Utf8Piece& piece : utf8_pieces(place)) {
      for (size_t byte = piece.range.lo; all && byte <= piece.range.hi; ++byte) {
        const bool is_same_class = byte > piece.range.lo && class_of(byte) == class_of(byte - 1);
        if (is_same_class) continue;
        all = comes_home(table_.step(column, static_cast<uint8_t>(byte)), piece.next);
      }
    }
    known_[{column.value, place}] = all;
    return all;
  }

  uint8_t class_of(size_t byte) const {
    return table_.program().byte_class(static_cast<uint8_t>(byte));
  }

  ColumnTable& table_;
  const ColumnId home_;
  bool may_end_ = false;
  std::map<std::pair<uint32_t, Utf8Place>, bool> known_;
};

}  // namespace

uint32_t Home::next_elsewhere(uint32_t begin, uint32_t end) const {
  if (begin >= end) return end;
  size_t word = begin / 64;
  uint64_t bits = elsewhere_[word] >> (begin % 64) << (begin % 64);
  while (bits == 0) {
    if (++word * 64 >= end) return end;
    bits = elsewhere_[word];
  }
  const auto node =
      static_cast<uint32_t>(word * 64) + static_cast<uint32_t>(std::countr_zero(bits));
  return node < end ? node : end;
}

void Home::add_elsewhere(std::span<const uint32_t> nodes) {
  for (uint32_t node : nodes) elsewhere_[node / 64] |= uint64_t{1} << (node % 64);
}

std::optional<Home> find_home(ColumnTable& table, const TokenSets& tokens, ColumnId from) {
  const TextNodes& nodes = tokens.text_nodes;
  for (uint8_t probe : kProbes) {
    Home home;
    home.column_ = table.step(from, probe);
    if (home.column_ == kDead || table.step(home.column_, probe) != home.column_) continue;
    Characters characters(table, home.column_);
    home.after_ = characters.after_first_bytes();
    home.may_end_ = characters.may_end() || table.at(home.column_).is_complete;
    const auto each_elsewhere = [&](auto visit) {
      visit(nodes.malformed());
      for (size_t byte = 0; byte < 256; ++byte) {
        const auto first = static_cast<uint8_t>(byte);
        if (home.after_[first] == kDead) visit(nodes.beginning_with(first));
      }
    };
    each_elsewhere([&](std::span<const uint32_t> listed) { home.n_elsewhere_ += listed.size(); });
    if (home.n_elsewhere_ > tokens.trie.n_nodes() / kWorth) continue;
    home.elsewhere_.assign(tokens.trie.n_nodes() / 64 + 1, 0);
    each_elsewhere([&](std::span<const uint32_t> listed) { home.add_elsewhere(listed); });
    return home;
  }
  return std::nullopt;
}

}  // namespace xg2lab
