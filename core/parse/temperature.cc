// The walk visits each call (origin, goal) once and looks at the items that wait for the goal.
#include "parse/temperature.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace xg2lab {
namespace {

// Whether the item may scan some byte. The members of a member rule share states, so an item at the
// end of one member scans only towards members that may still be matched.
bool may_read(const ColumnTable& table, const Item& item) {
  const Program& program = table.program();
  if (program.kind(item.state) != StateKind::kMember || !program.calls(item.state).empty() ||
      program.is_before_token(item.state))
    return true;
  return std::ranges::any_of(program.terminals(item.state), [&](const TerminalEdge& edge) {
    return table.count_sets().is_open(edge.to, item.counts);
  });
}

}  // namespace

ActiveTemperature active_temperature(const ColumnTable& table, ColumnId column) {
  const Program& program = table.program();
  ActiveTemperature active;
  if (!program.has_temperatures()) return active;
  std::set<std::pair<ContextId, RuleId>> seen;
  std::vector<std::pair<ContextId, RuleId>> calls;
  // Takes the temperature of the item's rule. If the rule has none, its callers are visited.
  const auto look_at = [&](const Item& item) {
    const RunOptions* options = program.rule(program.rule_of(item.state)).options.get();
    if (options == nullptr || !options->temperature) {
      const std::pair call{without_mark(item.origin), item.goal};
      if (call.first > kBeyond && seen.insert(call).second) calls.push_back(call);
      return;
    }
    const double found = *options->temperature;
    active.is_ambiguous = active.is_ambiguous || (active.value && *active.value != found);
    active.value = std::max(active.value.value_or(found), found);
  };
  table.for_each_item(column, [&](const Item& item) {
    if (may_read(table, item)) look_at(item);
  });
  while (!calls.empty()) {
    const auto [origin, goal] = calls.back();
    calls.pop_back();
    table.for_each_waiting(origin, goal, look_at);
  }
  return active;
}

}  // namespace xg2lab
