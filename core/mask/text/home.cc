// Read: Homes::find(), then facts().
#include "mask/text/home.h"

#include <algorithm>

#include "support/sort_unique.h"

namespace xg2lab {
namespace {

constexpr uint8_t kProbes[] = {'a', ' '};  // text leads back by one of these characters
constexpr size_t kMostKnown = 64;          // homes kept for a table; a text uses few at a time

}  // namespace

std::optional<Home> Homes::find(ColumnTable& table, const TokenSets& tokens, ColumnId from) {
  for (uint8_t probe : kProbes) {
    const ColumnId column = table.step(from, probe);
    if (column == kDead || table.step(column, probe) != column) continue;
    const std::shared_ptr<HomeFacts> known = facts(table, tokens, column);
    if (!known->text) continue;
    const auto start = known->characters.from(from);
    Home home;
    home.facts_ = known;
    home.may_end_within_ = known->at_home.may_end_within || start.may_end_within;
    home.may_end_at_home_ = table.at(column).is_complete;
    home.begins_ = start.leads_home;
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
  const auto made = known_.emplace_back(std::make_shared<HomeFacts>(table, home));
  HomeFacts& facts = *made;
  const FirstBytes& text = facts.at_home.leads_home;
  const TextNodes& nodes = tokens.text_nodes;
  const size_t n_nodes = tokens.trie.n_nodes();
  const size_t n_elsewhere = nodes.n_elsewhere(text);
  facts.has_few_exits = n_elsewhere <= n_nodes / costs_.nodes_a_few_exits;
  // A null text marks a column that too many characters leave; find() skips such columns.
  if (n_elsewhere <= n_nodes / costs_.nodes_an_exit_of_home) facts.text = tokens.text_class(text);
  facts.on_the_way.push_back(home);
  for (size_t byte = 0; byte < text.size(); ++byte) {
    if (text[byte]) facts.on_the_way.push_back(facts.at_home.after[byte]);
  }
  sort_unique(facts.on_the_way);
  return made;
}

FirstBytes characters_leading_home(ColumnTable& table, ColumnId home) {
  HomeCharacters characters(ColumnReader(table), home);
  FirstBytes text;
  for (const Utf8Edge& lead : utf8_edges(kBetweenCodePoints)) {
    for (size_t byte = lead.range.lo; byte <= lead.range.hi; ++byte) {
      const ColumnId to = table.step(home, static_cast<uint8_t>(byte));
      if (characters.leads_home(to, lead.next)) text.set(byte);
    }
  }
  return text;
}

}  // namespace xg2lab
