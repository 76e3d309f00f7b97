// Read: HomeCharacters (which of them lead home), Homes.
#include "mask/home.h"

#include <algorithm>

#include "support/sort_unique.h"

namespace xg2lab {
namespace {

constexpr uint8_t kProbes[] = {'a', ' '};  // a home for text is one for these
constexpr size_t kWorth = 4;               // of the nodes, one in so many may lead elsewhere
constexpr size_t kFewExits = 8;
constexpr size_t kMostKnown = 64;

}  // namespace

// ---- Characters that lead home ----

HomeCharacters::FromColumn HomeCharacters::from(ColumnTable& table, ColumnId column) {
  FromColumn out;
  out.after.fill(kDead);
  for (const Utf8Piece& lead : utf8_pieces(kBetweenCodePoints)) {
    for (size_t byte = lead.range.lo; byte <= lead.range.hi; ++byte) {
      const ColumnId to = table.step(column, static_cast<uint8_t>(byte));
      const Known known = find(table, to, lead.next);
      if (known.comes_home) out.after[byte] = to;
      out.may_end_within = out.may_end_within || known.may_end;
    }
  }
  return out;
}

bool HomeCharacters::comes_home(ColumnTable& table, ColumnId column, Utf8Place place) {
  return find(table, column, place).comes_home;
}

HomeCharacters::Known HomeCharacters::find(ColumnTable& table, ColumnId column, Utf8Place place) {
  if (place == kBetweenCodePoints) return {column == home_, false};
  if (column == kDead) return {false, false};
  const auto known = known_.find({column.value, place});
  if (known != known_.end()) return known->second;
  Known found{true, table.at(column).is_complete};
  const auto piece_comes_home = [&](const Utf8Piece& piece) {
    return table.program().holds_of_each_class(piece.range, [&](uint8_t byte) {
      const Known next = find(table, table.step(column, byte), piece.next);
      found.may_end = found.may_end || next.may_end;
      return next.comes_home;
    });
  };
  found.comes_home = std::ranges::all_of(utf8_pieces(place), piece_comes_home);
  known_[{column.value, place}] = found;
  return found;
}

// ---- Homes ----

std::optional<Home> Homes::find(ColumnTable& table, const TokenSets& tokens, ColumnId from) {
  for (uint8_t probe : kProbes) {
    const ColumnId column = table.step(from, probe);
    if (column == kDead || table.step(column, probe) != column) continue;
    const std::shared_ptr<HomeFacts> known = facts(table, tokens, column);
    if (!known->text) continue;
    const HomeCharacters::FromColumn start = known->characters.from(table, from);
    Home home;
    home.facts_ = known;
    home.may_end_within_ = known->at_home.may_end_within || start.may_end_within;
    home.may_end_at_home_ = table.at(column).is_complete;
    for (size_t byte = 0; byte < start.after.size(); ++byte)
      home.begins_[byte] = start.after[byte] != kDead;
    return home;
  }
  return std::nullopt;
}

std::shared_ptr<HomeFacts> Homes::facts(ColumnTable& table, const TokenSets& tokens,
                                        ColumnId home) {
  const auto is_it = [&](const auto& facts) { return facts->column == home; };
  const auto known = std::ranges::find_if(known_, is_it);
  if (known != known_.end()) {
    std::rotate(known, known + 1, known_.end());
    return known_.back();
  }
  if (known_.size() == kMostKnown) known_.pop_front();
  const auto made = known_.emplace_back(std::make_shared<HomeFacts>(home));
  HomeFacts& facts = *made;
  facts.at_home = facts.characters.from(table, home);
  const TextNodes& nodes = tokens.text_nodes;
  size_t n_elsewhere = nodes.malformed().size();
  for (size_t byte = 0; byte < facts.first_bytes.size(); ++byte) {
    if (facts.at_home.after[byte] != kDead) facts.first_bytes.set(byte);
    else n_elsewhere += nodes.beginning_with(static_cast<uint8_t>(byte)).size();
  }
  facts.has_few_exits = n_elsewhere <= tokens.trie.n_nodes() / kFewExits;
  if (n_elsewhere <= tokens.trie.n_nodes() / kWorth)
    facts.text = tokens.text_class(facts.first_bytes);
  facts.on_the_way.push_back(home);
  for (ColumnId column : facts.at_home.after) {
    if (column != kDead) facts.on_the_way.push_back(column);
  }
  sort_unique(facts.on_the_way);
  return made;
}

FirstBytes characters_leading_home(ColumnTable& table, ColumnId home) {
  HomeCharacters characters(home);
  FirstBytes text;
  for (const Utf8Piece& lead : utf8_pieces(kBetweenCodePoints)) {
    for (size_t byte = lead.range.lo; byte <= lead.range.hi; ++byte) {
      // What leads out of a word need not be made a column to know that.
      if (!table.goes_on_within(home, static_cast<uint8_t>(byte))) continue;
      const ColumnId to = table.step(home, static_cast<uint8_t>(byte));
      if (characters.comes_home(table, to, lead.next)) text.set(byte);
    }
  }
  return text;
}

}  // namespace xg2lab
