// A walk from the last column's items up to the items that called them; then the tokens of each
// match are counted by where they end.
#include "runtime/budget_text.h"

#include <algorithm>
#include <set>
#include <utility>

#include "support/text.h"

namespace xg2lab {
namespace {

struct OpenMatch {
  uint32_t begin;
  RuleId rule;
  friend auto operator<=>(const OpenMatch&, const OpenMatch&) = default;
};

// The open matches of rules with max_tokens that began before the end of the text.
std::set<OpenMatch> open_matches(const Chart& chart) {
  const Program& program = chart.program();
  std::set<OpenMatch> open;
  std::set<OpenMatch> seen;
  std::vector<OpenMatch> calls;
  const auto look_at = [&](const Item& item) {
    const OpenMatch match{item.origin.value, item.goal};
    if (!seen.insert(match).second) return;
    calls.push_back(match);
    if (program.max_tokens(item.state) > 0 && match.begin < chart.n_bytes()) open.insert(match);
  };
  for (const ChartItem& entry : chart.last()) look_at(entry.item);
  while (!calls.empty()) {
    const OpenMatch call = calls.back();
    calls.pop_back();
    for (const ChartItem& entry : chart.column(call.begin)) {
      for (const CallEdge& edge : program.calls(entry.item.state)) {
        if (edge.rule == call.rule) look_at(entry.item);
      }
    }
  }
  return open;
}

}  // namespace

std::vector<std::string> budget_sentences(const Matcher& matcher, const Chart& chart) {
  std::vector<std::string> sentences;
  std::vector<Matcher::Piece> pieces;
  matcher.text(pieces);
  for (const OpenMatch& match : open_matches(chart)) {
    const ProgramRule& rule = chart.program().rule(match.rule);
    const auto n_touched = std::ranges::count_if(pieces, [&](const Matcher::Piece& piece) {
      return piece.token && piece.end > match.begin;
    });
    const uint32_t max = *rule.options->max_tokens;
    if (static_cast<size_t>(n_touched) < max) continue;
    sentences.push_back(concat(rule.name, " has overlapped its ", max,
                               max == 1 ? " token" : " tokens, the first", " at byte ", match.begin,
                               ": it has to end."));
  }
  return sentences;
}

}  // namespace xg2lab
