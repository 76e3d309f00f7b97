// Collects the tops, then the frames below them, each once. A frame has a larger id than the frames
// below it, so sorting by id orders them bottom-up.
#include "runtime/stacks.h"

#include <algorithm>
#include <unordered_set>

#include "support/error.h"

namespace xg2lab {
namespace {

std::optional<ContextId> frame_or_none(ContextId origin) {
  return origin == kOutside ? std::nullopt : std::optional(without_mark(origin));
}

}  // namespace

StackTree stacks_of(const Matcher& matcher, size_t max_tops) {
  const ColumnTable& table = matcher.configurations().table();
  if (!table.has_stacks()) {
    throw Error(ErrorKind::kMatcherStateError, "Earley's parser keeps columns of items, not stacks",
                "compile with EngineOptions(parser=\"pda\") or \"operators\", or call chart()");
  }
  const std::vector<Item> items = table.items(matcher.column());
  StackTree tree;
  tree.n_tops = items.size();
  std::unordered_set<ContextId> seen;
  for (const Item& item : std::span(items).first(std::min(max_tops, items.size()))) {
    tree.tops.push_back({item.state, frame_or_none(item.origin)});
    for (ContextId at = without_mark(item.origin); at != kOutside && seen.insert(at).second;) {
      const WaitingItem waiting = table.contexts().waiting(at).front();
      const Item& after = waiting.after;
      const bool is_counted = table.program().repetition(after.state) != nullptr;
      tree.frames.push_back({at, frame_or_none(after.origin), waiting.rule, after.state,
                             is_counted ? table.counts(after) : CountIntervals{}});
      at = without_mark(after.origin);
    }
  }
  std::sort(tree.frames.begin(), tree.frames.end(),
            [](const StackFrame& a, const StackFrame& b) { return a.id < b.id; });
  return tree;
}

}  // namespace xg2lab
