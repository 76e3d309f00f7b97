// Read: Characters (which of them lead home), find_home.
// The trick: bytes of one class lead to one column, so a character's continuation bytes are tried by class.
#include "mask/home.h"

#include <array>
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

  // By first byte: the column after it if all its characters lead home from `from`, else kDead.
  std::array<ColumnId, 256> after_first_bytes(ColumnId from) {
    std::array<ColumnId, 256> after;
    after.fill(kDead);
    for (const Utf8Piece& lead : utf8_pieces(kBetweenCodePoints)) {
      for (size_t byte = lead.range.lo; byte <= lead.range.hi; ++byte) {
        const ColumnId to = table_.step(from, static_cast<uint8_t>(byte));
        if (comes_home(to, lead.next)) after[byte] = to;
      }
    }
    return after;
  }
  bool may_end() const { return may_end_; }

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

 private:
  uint8_t class_of(size_t byte) const {
    return table_.program().byte_class(static_cast<uint8_t>(byte));
  }

  ColumnTable& table_;
  const ColumnId home_;
  bool may_end_ = false;
  std::map<std::pair<uint32_t, Utf8Place>, bool> known_;
};

}  // namespace

std::optional<Home> find_home(ColumnTable& table, const TokenSets& tokens, ColumnId from) {
  const TextNodes& nodes = tokens.text_nodes;
  for (uint8_t probe : kProbes) {
    Home home;
    home.column_ = table.step(from, probe);
    if (home.column_ == kDead || table.step(home.column_, probe) != home.column_) continue;
    Characters characters(table, home.column_);
    home.after_ = characters.after_first_bytes(home.column_);
    const std::array<ColumnId, 256> after_start = characters.after_first_bytes(from);
    home.may_end_within_ = characters.may_end();
    home.may_end_at_home_ = table.at(home.column_).is_complete;
    FirstBytes& text = home.first_bytes_;
    size_t n_elsewhere = nodes.malformed().size();
    for (size_t byte = 0; byte < text.size(); ++byte) {
      home.begins_[byte] = after_start[byte] != kDead;
      if (home.after_[byte] != kDead) text.set(byte);
      else n_elsewhere += nodes.beginning_with(static_cast<uint8_t>(byte)).size();
    }
    if (n_elsewhere > tokens.trie.n_nodes() / kWorth) continue;
    home.text_ = tokens.text_class(text);
    return home;
  }
  return std::nullopt;
}

FirstBytes characters_leading_home(ColumnTable& table, ColumnId home) {
  Characters characters(table, home);
  FirstBytes text;
  for (const Utf8Piece& lead : utf8_pieces(kBetweenCodePoints)) {
    for (size_t byte = lead.range.lo; byte <= lead.range.hi; ++byte) {
      // What leads out of a word need not be made a column to know that.
      if (!table.goes_on_within(home, static_cast<uint8_t>(byte))) continue;
      const ColumnId to = table.step(home, static_cast<uint8_t>(byte));
      if (characters.comes_home(to, lead.next)) text.set(byte);
    }
  }
  return text;
}

}  // namespace xg2lab
