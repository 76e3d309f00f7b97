// Arrays: a list with a prefix; a list with counted items (contains); a list of distinct items
// (uniqueItems).
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "frontends/json_schema/few_values.h"
#include "frontends/json_schema/writer.h"

namespace xg2lab::json_schema {
namespace {

constexpr size_t kMostStates = 5'000;
constexpr size_t kMostCounted = 6;  // `contains` of one array
constexpr uint32_t kMostPositions = 16;
constexpr size_t kMostTexts = 1'000;  // of positions with few values, written out
constexpr size_t kMostValues = 256;   // of a range or a pattern

}  // namespace

ExprId Writer::array(const ArrayCase& c, SourceSpan span) {
  if (c.has_slots()) return array_of_slots(c, span);
  if (c.max == 0) return layout_.empty("[", "]");
  if (c.unique && c.max > 1) return unique_items(c, span);
  if (!c.contains.empty()) return items_that_contain(c, span);
  return brackets("[", items(c, span), "]", c.min == 0, span);
}

ExprId Writer::more_items(const ArrayCase& c, uint32_t from, uint32_t min, uint32_t max,
                          SourceSpan span, std::optional<ExprId> of_rest) {
  const auto n_prefix = static_cast<uint32_t>(c.prefix.size());
  const uint32_t first_of_rest = std::max(from, n_prefix);
  ExprId tail = builder_.empty(span);
  // In strict mode an array with a prefix has no items behind the prefix unless the schema mentions
  // them.
  const bool ends = c.rest == kNever || (options_.is_strict && !c.says_rest && n_prefix > 0);
  if (max > first_of_rest && !ends) {
    const ExprId one = sequence({layout_.comma(), of_rest ? *of_rest : value(c.rest)}, span);
    tail = builder_.repeat(one, min - std::min(min, first_of_rest),
                           max == kUnbounded ? kNoUpperBound : max - first_of_rest, span);
  } else if (min > first_of_rest) {
    tail = builder_.nothing(span);
  }
  // Written from the last item to the first. The required items form one sequence; if they were
  // nested, each would repeat the items behind it.
  std::vector<ExprId> backwards{tail};
  for (uint32_t i = n_prefix; i-- > from;) {
    if (i >= max) continue;
    const ExprId comma = layout_.comma();
    backwards.push_back(value(c.prefix[i]));
    backwards.push_back(comma);
    if (i < min) continue;
    std::ranges::reverse(backwards);
    backwards = {optional(sequence(backwards, span), span)};
  }
  std::ranges::reverse(backwards);
  return sequence(backwards, span);
}

ExprId Writer::items(const ArrayCase& c, SourceSpan span) {
  const ExprId first = value(c.item(0));
  const std::optional<ExprId> of_rest = c.prefix.empty() ? std::optional(first) : std::nullopt;
  return sequence({first, more_items(c, 1, c.min, c.max, span, of_rest)}, span);
}

// ---- Items that `contains` counts ----

// The items of an array with `contains`: a rule for each state, which is a position in the prefix
// and how many items each `contains` has counted. Positions and counts stop where further ones make
// no difference, so the states are finite.
class Writer::CountedItems {
 public:
  CountedItems(Writer& writer, const ArrayCase& c, SourceSpan span)
      : writer_(writer), c_(c), span_(span) {
    last_position_ = static_cast<uint32_t>(c.prefix.size());
    for (const Contains& contains : c.contains)
      last_position_ = std::max(last_position_, contains.from);
    ends_with_prefix_ = writer.options_.is_strict && !c.says_rest && !c.prefix.empty();
    // If one `contains` requires as many items, the array's own minimum is implied.
    const bool is_min_implied = std::ranges::any_of(
        c.contains, [&](const Contains& contains) { return contains.min >= c.min; });
    least_total_ = is_min_implied ? 0 : c.min;
    most_total_ = c.max == kUnbounded ? least_total_ : c.max;
  }

  // The array, in brackets. Nothing: it needs too many rules.
  std::optional<ExprId> array() {
    const State start{0, 0, std::vector<uint32_t>(c_.contains.size(), 0)};
    const ExprId first = builder().choice(ways(start), span_);
    while (!pending_.empty() && !is_too_large_) {
      const State state = pending_.back();
      pending_.pop_back();
      std::vector<ExprId> all;
      if (may_end(state)) all.push_back(builder().empty(span_));
      if (const auto more = ways(state); !more.empty())
        all.push_back(
            writer_.sequence({writer_.layout_.comma(), builder().choice(more, span_)}, span_));
      builder().set_body(rules_.at(state), builder().choice(all, span_), span_);
    }
    if (!is_too_large_) return writer_.brackets("[", first, "]", may_end(start), span_);
    for (const State& state : pending_)
      builder().set_body(rules_.at(state), builder().nothing(span_), span_);
    return std::nullopt;
  }

 private:
  struct State {
    uint32_t position = 0;  // up to `last_position_`
    uint32_t total = 0;     // items read, up to `most_total_`
    std::vector<uint32_t> counts;
    auto operator<=>(const State&) const = default;
  };
  // The next item and the state behind it.
  struct Step {
    FormulaId item;
    State next;
  };

  // The choices for one more item, each with the rule of the state behind it.
  std::vector<ExprId> ways(const State& state) {
    std::vector<ExprId> all;
    if (c_.max != kUnbounded && state.total >= c_.max) return all;
    if (ends_with_prefix_ && state.position >= c_.prefix.size()) return all;
    // Each subset of the `contains` conditions may be the ones that the next item satisfies.
    for (uint32_t chosen = 0; chosen < (1u << c_.contains.size()); ++chosen) {
      const std::optional<Step> step = step_of(state, chosen);
      if (!step || writer_.algebra_.is_never(step->item)) continue;
      const ExprId item = writer_.value(step->item);
      all.push_back(
          writer_.sequence({item, builder().rule_ref(rule_of(step->next), span_)}, span_));
    }
    return all;
  }

  // The item that the conditions in the bit set `chosen` count, and the state after it. An item
  // that a condition doesn't count must violate it if the condition has a maximum, so that the
  // count is exact. Nothing: a chosen condition counts no more items here.
  std::optional<Step> step_of(const State& state, uint32_t chosen) {
    State next = state;
    next.position = std::min(state.position + 1, last_position_);
    next.total = std::min(state.total + 1, most_total_);
    std::vector<FormulaId> parts{c_.item(state.position)};
    bool is_possible = true;
    for (size_t i = 0; i < c_.contains.size(); ++i) {
      const Contains& contains = c_.contains[i];
      const bool has_max = contains.max != kUnbounded;
      if ((chosen >> i) & 1u) {
        // Without a maximum, counting stops at the minimum.
        is_possible &= contains.from <= state.position &&
                       (has_max || state.counts[i] < contains.min) &&
                       state.counts[i] < contains.max;
        parts.push_back(contains.item);
        ++next.counts[i];
      } else if (has_max && contains.from <= state.position) {
        parts.push_back(writer_.formulas_.negate(contains.item));
      }
    }
    if (!is_possible) return std::nullopt;
    return Step{writer_.formulas_.all_of(std::move(parts)), std::move(next)};
  }

  bool may_end(const State& state) const {
    bool may = state.total >= least_total_;
    for (size_t i = 0; i < c_.contains.size(); ++i) may &= state.counts[i] >= c_.contains[i].min;
    return may;
  }

  RuleId rule_of(const State& state) {
    const auto [found, is_new] = rules_.try_emplace(state);
    if (is_new) {
      is_too_large_ |= rules_.size() > kMostStates;
      found->second = builder().add_rule(writer_.unique_name("items"), span_);
      pending_.push_back(state);
    }
    return found->second;
  }

  GrammarBuilder& builder() { return writer_.builder_; }

  Writer& writer_;
  const ArrayCase& c_;
  const SourceSpan span_;
  uint32_t last_position_;  // all later positions have the same items and conditions
  bool ends_with_prefix_;
  uint32_t least_total_;
  uint32_t most_total_;  // further items change nothing, or are too many
  std::map<State, RuleId> rules_;
  std::vector<State> pending_;  // their rules have no body yet
  bool is_too_large_ = false;
};

ExprId Writer::items_that_contain(const ArrayCase& c, SourceSpan span) {
  if (c.contains.size() > kMostCounted) {
    coverage_.refuse(c.contains.back().origin, "unsupported_contains",
                     "more than 6 conditions on the number of items apply here",
                     "use fewer `contains` together");
    return builder_.nothing(span);
  }
  if (const auto array = CountedItems(*this, c, span).array()) return *array;
  coverage_.refuse(c.contains.front().origin, "contains_too_large",
                   "counting these items needs more than 5,000 rules", "use smaller bounds");
  return builder_.nothing(span);
}

// The values of a formula, if they are finitely many scalars.
std::optional<std::vector<Writer::Value>> Writer::finite_values(FormulaId item, SourceSpan span) {
  const CaseSet& set = algebra_.cases(item);
  if (!set.arrays.empty() || !set.objects.empty() || !set.slots.empty()) return std::nullopt;
  std::vector<Value> values;
  const auto word = [&](const char* text) {
    values.push_back({text, builder_.literal(text, span)});
  };
  if (set.null) word("null");
  if (set.boolean && set.boolean->allows_true) word("true");
  if (set.boolean && set.boolean->allows_false) word("false");
  // Values of a pattern may be written with every escape, listed values as a serializer writes
  // them.
  std::map<std::string, bool> strings;  // whether the value comes from a pattern
  for (const StringCase& s : set.strings) {
    if (s.values) {
      for (std::string_view text : *s.values) strings.try_emplace(std::string(text), false);
      continue;
    }
    const auto few = texts_.few_values(s, kMostValues);
    if (!few) return std::nullopt;
    for (const std::string& text : *few) strings[text] = true;
  }
  std::map<Decimal, NumberCase> numbers;
  for (const NumberCase& n : set.numbers) {
    const auto few = n.values ? n.values : few_numbers(n.constraint, kMostValues);
    if (!few) return std::nullopt;
    for (const Decimal& value : *few) {
      NumberCase one{{}, std::vector{value}, n.is_plain};
      if (!n.values) {
        one = n;
        one.constraint.min = one.constraint.max = value;
        one.constraint.exclusive_min = one.constraint.exclusive_max = false;
      }
      numbers.try_emplace(value, std::move(one));
    }
  }
  for (const auto& [text, is_of_pattern] : strings) {
    const ExprId expr = is_of_pattern ? texts_.any_spelling(text, span) : texts_.value(text, span);
    values.push_back({'"' + text, expr});
  }
  for (const auto& [value, one] : numbers) values.push_back({value.text(), number(one, span)});
  return values;
}

// Whether no two positions can have the same value.
bool Writer::items_differ(const ArrayCase& c, uint32_t n_positions) {
  if (n_positions > kMostPositions) return false;
  for (uint32_t i = 0; i < n_positions; ++i) {
    for (uint32_t j = 0; j < i; ++j) {
      if (!algebra_.is_never(formulas_.both(c.item(i), c.item(j)))) return false;
    }
  }
  return true;
}

// A few positions with finitely many values each, written out. Nothing if that is too large.
std::optional<ExprId> Writer::different_positions(const ArrayCase& c, uint32_t n_positions,
                                                  SourceSpan span) {
  std::vector<std::vector<Value>> positions;
  size_t n_texts = 1;
  for (uint32_t i = 0; i < n_positions; ++i) {
    auto values = finite_values(c.item(i), span);
    if (!values || (n_texts *= values->size() + 1) > kMostTexts) return std::nullopt;
    positions.push_back(std::move(*values));
  }
  std::vector<std::string_view> used;
  const auto from = [&](const auto& self, uint32_t position) -> ExprId {
    std::vector<ExprId> ways;
    for (const Value& value : positions[position]) {
      if (std::find(used.begin(), used.end(), value.name) != used.end()) continue;
      // A value that was used at an earlier position is left out.
      ExprId tail = builder_.empty(span);
      if (position + 1 < n_positions) {
        used.push_back(value.name);
        tail = sequence({layout_.comma(), self(self, position + 1)}, span);
        used.pop_back();
        if (position + 1 >= c.min) tail = optional(tail, span);
      }
      ways.push_back(sequence({value.expr, tail}, span));
    }
    return builder_.choice(ways, span);
  };
  return brackets("[", from(from, 0), "]", c.min == 0, span);
}

// Distinct items: either the positions can't have equal values, or the items are drawn from
// finitely many values, in any order, each at most once.
ExprId Writer::unique_items(const ArrayCase& c, SourceSpan span) {
  ArrayCase without = c;
  without.unique.reset();
  const auto n_prefix = static_cast<uint32_t>(c.prefix.size());
  const bool ends = c.rest == kNever || (options_.is_strict && !c.says_rest && n_prefix > 0);
  const uint32_t n_positions = ends ? std::min(c.max, n_prefix) : c.max;
  if (items_differ(c, n_positions)) return array(without, span);
  const auto refuse = [&](const char* why) {
    coverage_.refuse(*c.unique, "unsupported_unique_items", why,
                     "uniqueItems works if the items have few possible values (enum, const, "
                     "boolean, null, a short range, a pattern of few texts), or if no two "
                     "positions can hold the same value");
    return coverage_.relaxes() ? array(without, span) : builder_.nothing(span);
  };
  if (!c.prefix.empty() || !c.contains.empty()) {
    if (c.contains.empty() && n_positions <= kMostPositions && n_positions >= c.min) {
      if (const auto written = different_positions(c, n_positions, span)) return *written;
    }
    return refuse("uniqueItems is not supported here beside prefixItems or contains");
  }
  const auto values = finite_values(c.rest, span);
  algebra_.refuse_slots(c.rest);
  if (!values) return refuse("no grammar can compare items that have unlimited possible values");
  AnyOrderBounds bounds;
  bounds.min_total = std::max(c.min, 1u);
  bounds.max_total = c.max == kUnbounded ? AnyOrderBounds::kNoMax : c.max;
  bounds.members.assign(values->size(), {false, false});
  if (!bounds.is_possible()) {
    if (c.min > 0) return builder_.nothing(span);
    return layout_.empty("[", "]");
  }
  std::vector<ExprId> children;
  for (const Value& value : *values) {
    const RuleId rule = builder_.add_rule(unique_name("item"), span);
    builder_.set_body(rule, value.expr, span);
    children.push_back(builder_.rule_ref(rule, span));
  }
  children.push_back(layout_.separator());
  return brackets("[", builder_.any_order(std::move(bounds), children, span), "]", c.min == 0,
                  span);
}

}  // namespace xg2lab::json_schema
