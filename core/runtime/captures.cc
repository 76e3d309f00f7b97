// Read: Completion; CompletionsInUse: run, visit (one item's ways back); add_parts; Hidden;
// captures_of.
#include "runtime/captures.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace xg2lab {
namespace {

// A match of a rule that ends at a column: the item at `index` of that column.
struct Completion {
  uint32_t begin;
  uint32_t end;
  uint32_t index;
  RuleId rule;
};

// Whether the item's rule may be complete: in an accepting state, and with counts within its
// bounds.
bool is_finished(const Chart& chart, const Item& item) {
  // The bounds alone decide: a nullable child lowers the minimum to 0, and the start of the
  // counted rule stays without acceptance.
  if (const Repetition* repetition = chart.program().repetition(item.state))
    return chart.counts(item).back().hi >= repetition->min;
  if (!chart.program().is_accepting(item.state)) return false;
  return chart.program().kind(item.state) != StateKind::kAnyOrder ||
         chart.count_sets().members(item.state).may_end(item.counts.word);
}

std::vector<Completion> completions_at(const Chart& chart, uint32_t column) {
  std::vector<Completion> found;
  const std::vector<ChartItem>& items = chart.column(column);
  for (uint32_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i].item;
    if (is_finished(chart, item)) found.push_back({item.origin.value, column, i, item.goal});
  }
  return found;
}

class CompletionsInUse {
 public:
  CompletionsInUse(const Chart& chart, std::string_view text) : chart_(chart), text_(text) {
    const size_t n_columns = chart.n_bytes() + 1;
    items_of_.resize(n_columns);
    completed_.resize(n_columns);
    for (uint32_t j = 0; j < n_columns; ++j) {
      const std::vector<ChartItem>& items = chart.column(j);
      for (uint32_t i = 0; i < items.size(); ++i)
        items_of_[j][{items[i].item.origin, items[i].item.goal}].push_back(i);
      completed_[j] = completions_at(chart, j);
    }
  }

  // `is_alive(item)`: whether the text may continue from an item of the last column. `has_root`:
  // whether the text may also be complete.
  template <class IsAlive>
  std::vector<Completion> run(bool has_root, IsAlive is_alive) {
    const auto last = static_cast<uint32_t>(chart_.n_bytes());
    const std::vector<ChartItem>& items = chart_.last();
    for (uint32_t i = 0; i < items.size(); ++i) {
      if (is_alive(items[i].item)) add({last, i, false});
    }
    for (const Completion& completion : completed_[last]) {
      if (has_root && completion.rule == chart_.root() && completion.begin == 0) use(completion);
    }
    for (size_t i = 0; i < agenda_.size(); ++i) visit(agenda_[i]);
    return {used_.begin(), used_.end()};
  }

 private:
  struct Visit {
    uint32_t column;
    uint32_t index;
    bool is_child;  // a completed child, whose caller is known
    friend auto operator<=>(const Visit&, const Visit&) = default;
  };
  struct Earlier {
    bool operator()(const Completion& a, const Completion& b) const {
      return std::tie(a.end, a.index) < std::tie(b.end, b.index);
    }
  };

  void add(const Visit& visit) {
    if (seen_.insert(visit).second) agenda_.push_back(visit);
  }
  void use(const Completion& completion) {
    used_.insert(completion);
    add({completion.end, completion.index, true});
  }
  const Item& item(uint32_t column, uint32_t index) const {
    return chart_.column(column)[index].item;
  }

  // Visits the items of a column that belong to the same match as `of`.
  template <class F>
  void for_each_of(const Item& of, uint32_t column, F f) const {
    const auto found = items_of_[column].find({of.origin, of.goal});
    if (found == items_of_[column].end()) return;
    for (const uint32_t index : found->second) f(index, item(column, index));
  }

  // Follows the item's derivations backwards. At its start, the item was predicted by its callers.
  // Otherwise its last step either scanned the byte before the column or completed a child; the
  // child is then in use. Items inside a completed child don't lead to its callers, which are
  // known.
  void visit(const Visit visit) {
    const Program& program = chart_.program();
    const Item at = item(visit.column, visit.index);
    const uint32_t column = visit.column;
    if (!visit.is_child && at.origin.value == column) add_callers(at.goal, column);
    if (column > at.origin.value) {
      const auto byte = static_cast<uint8_t>(text_[column - 1]);
      for_each_of(at, column - 1, [&](uint32_t index, const Item& before) {
        for (const TerminalEdge& edge : program.terminals(before.state)) {
          if (edge.to == at.state && edge.range.contains(byte))
            add({column - 1, index, visit.is_child});
        }
      });
    }
    // A counted rule takes no step over an empty match of its child, which makes up any number.
    const Repetition* repetition = program.repetition(at.state);
    for (const Completion& child : completed_[column]) {
      if (child.begin < at.origin.value) continue;
      if (repetition != nullptr && child.rule == repetition->child && child.begin == column)
        use(child);
      for_each_of(at, child.begin, [&](uint32_t index, const Item& before) {
        for (const CallEdge& edge : program.calls(before.state)) {
          if (edge.to != at.state || edge.rule != child.rule) continue;
          add({child.begin, index, visit.is_child});
          use(child);
        }
      });
    }
  }

  void add_callers(RuleId rule, uint32_t column) {
    const std::vector<ChartItem>& items = chart_.column(column);
    for (uint32_t i = 0; i < items.size(); ++i) {
      for (const CallEdge& edge : chart_.program().calls(items[i].item.state)) {
        if (edge.rule == rule) add({column, i, false});
      }
    }
  }

  const Chart& chart_;
  std::string_view text_;
  std::vector<std::map<std::pair<ContextId, RuleId>, std::vector<uint32_t>>> items_of_;
  std::vector<std::vector<Completion>> completed_;
  std::set<Visit> seen_;
  std::vector<Visit> agenda_;
  std::set<Completion, Earlier> used_;
};

// For each rule and start, the longest match.
std::vector<Completion> longest(const std::vector<Completion>& completions) {
  std::map<std::pair<RuleId, uint32_t>, Completion> kept;
  for (const Completion& completion : completions) {
    const auto [known, is_new] =
        kept.emplace(std::pair{completion.rule, completion.begin}, completion);
    if (!is_new && known->second.end < completion.end) known->second = completion;
  }
  std::vector<Completion> out;
  for (const auto& [key, completion] : kept) out.push_back(completion);
  return out;
}

// Removes duplicates: a match may end in several states.
std::vector<Completion> distinct(std::vector<Completion> completions) {
  std::set<std::tuple<uint32_t, uint32_t, RuleId>> seen;
  std::erase_if(completions, [&](const Completion& completion) {
    return !seen.emplace(completion.begin, completion.end, completion.rule).second;
  });
  return completions;
}

const RunOptions* options_of(const Program& program, const Completion& completion) {
  return program.rule(completion.rule).options.get();
}

std::vector<Completion> all_completions(const Chart& chart) {
  std::vector<Completion> found;
  for (uint32_t j = 0; j <= chart.n_bytes(); ++j) {
    for (const Completion& completion : completions_at(chart, j)) found.push_back(completion);
  }
  return found;
}

// ---- Parts: the bytes of a match, parsed again ----

// Appends to `found` the completions within matches of rules with `parts`.
void add_parts(std::vector<Completion>& found, const Chart& chart, std::string_view text,
               bool deduplicate) {
  std::set<std::tuple<uint32_t, uint32_t, RuleId>> is_read;
  const size_t n = found.size();
  for (size_t i = 0; i < n; ++i) {
    const Completion whole = found[i];
    const RunOptions* options = options_of(chart.program(), whole);
    if (options == nullptr || !options->parts) continue;
    if (!is_read.emplace(whole.begin, whole.end, *options->parts).second) continue;
    const std::string_view bytes = text.substr(whole.begin, whole.end - whole.begin);
    Chart inner(chart.shared_program(), *options->parts);
    if (inner.push_all(bytes) < bytes.size() || !inner.is_complete()) continue;
    const auto none = [](const Item&) { return false; };
    for (Completion part :
         deduplicate ? CompletionsInUse(inner, bytes).run(true, none) : all_completions(inner)) {
      part.begin += whole.begin;
      part.end += whole.begin;
      found.push_back(part);
    }
  }
}

// ---- Hidden: bytes cut out of the surrounding captures ----

class Hidden {
 public:
  Hidden(const Program& program, const std::vector<Completion>& found) {
    for (const Completion& completion : found) {
      const RunOptions* options = options_of(program, completion);
      if (options != nullptr && options->is_hidden) spans_.push_back(completion);
    }
    std::sort(spans_.begin(), spans_.end(), [](const Completion& a, const Completion& b) {
      return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    });
  }

  // The bytes of a match without the hidden bytes within it; the match's own rule is not hidden.
  std::string rest(std::string_view text, const Completion& of) const {
    std::string bytes;
    uint32_t at = of.begin;
    auto hidden =
        std::lower_bound(spans_.begin(), spans_.end(), of.begin,
                         [](const Completion& span, uint32_t begin) { return span.begin < begin; });
    for (; hidden != spans_.end() && hidden->begin < of.end; ++hidden) {
      if (hidden->end > of.end) continue;
      if (hidden->begin > at) bytes += text.substr(at, hidden->begin - at);
      at = std::max(at, hidden->end);
    }
    return bytes += text.substr(at, of.end - at);
  }

 private:
  std::vector<Completion> spans_;
};

}  // namespace

std::vector<Capture> captures_of(const Matcher& matcher, const Chart& chart, bool deduplicate) {
  const Program& program = chart.program();
  if (!program.has_captures()) return {};
  const std::string text = matcher.text();
  std::vector<Completion> found;
  if (deduplicate) {
    std::unordered_set<StateId> alive;  // items of an abandoned rule are not in the table's column
    if (!matcher.has_stopped()) {
      for (const Item& item : matcher.configurations().table().items(matcher.column()))
        alive.insert(item.state);
    }
    found = CompletionsInUse(chart, text).run(matcher.is_completed(), [&](const Item& item) {
      return alive.count(item.state) > 0;
    });
  } else {
    found = all_completions(chart);
  }
  add_parts(found, chart, text, deduplicate);
  const Hidden hidden(program, found);
  std::erase_if(found, [&](const Completion& completion) {
    const RunOptions* options = options_of(program, completion);
    return options == nullptr || !options->capture;
  });
  found = deduplicate ? longest(found) : distinct(std::move(found));
  std::sort(found.begin(), found.end(), [](const Completion& a, const Completion& b) {
    return std::tie(a.end, b.begin, a.index) < std::tie(b.end, a.begin, b.index);
  });
  std::vector<Capture> captures;
  for (const Completion& completion : found) {
    const RunOptions& options = *options_of(program, completion);
    captures.push_back(
        {*options.capture, options.is_hidden
                               ? text.substr(completion.begin, completion.end - completion.begin)
                               : hidden.rest(text, completion)});
  }
  return captures;
}

}  // namespace xg2lab
