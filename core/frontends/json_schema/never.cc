// The parts of Algebra that test for emptiness: of a formula, of a case, of the intersection of two
// cases. Read: is_never of a formula, which caches; below it each type. The trick: a formula being
// computed is assumed to have values.
#include <algorithm>

#include "frontends/json_schema/algebra.h"

namespace xg2lab::json_schema {
namespace {

constexpr int kMostNeverLevels = 6;  // depth to which is_never looks

}  // namespace

FormulaId Algebra::value_of(const ObjectCase& c, std::string_view name) {
  const Property* const property = c.find(name);
  return value_of(c, property != nullptr ? *property : Property{name, kAlways, {}, {}, false});
}

FormulaId Algebra::value_of(const ObjectCase& c, const Property& property) {
  FormulaId value = property.value;
  for (const Others& others : c.others) {
    if (applies(others.filter, property.name, conditions_))
      value = formulas_.both(value, others.value);
  }
  return value;
}

bool Algebra::allows_name(const ObjectCase& c, std::string_view name) {
  return std::all_of(c.names.begin(), c.names.end(), [&](FormulaId names) {
    const CaseSet* const set = look(names);
    if (set == nullptr) return true;
    for (const SlotCase& slot : set->slots) slots_.refuse(slot.slot);
    return std::any_of(set->strings.begin(), set->strings.end(),
                       [&](const StringCase& s) { return meet_.has(s, name); });
  });
}

const CaseSet* Algebra::look(FormulaId formula) {
  if (const CachedCases& before = known(formula, true); before.set || before.is_open)
    return before.set.get();
  if (looking_ > kMostNeverLevels) return nullptr;
  ++looking_;
  const CaseSet* set = nullptr;
  try {
    set = &cases(formula);
  } catch (const InProgress&) {}
  --looking_;
  return set;
}

bool Algebra::is_never(FormulaId formula, int depth) {
  if (formula == kNever) return true;
  if (formula == kAlways || formula == kUnknown || depth > kMostNeverLevels) return false;
  if (formula.index() >= never_.size()) never_.resize(formulas_.size());
  if (const Never known = never_[formula.index()]; known != Never::kNotAsked)
    return known == Never::kYes;
  never_[formula.index()] =
      Never::kNo;  // while being computed: recursion alone doesn't make it impossible
  const CaseSet* const set = look(formula);
  const bool never = set != nullptr && is_never(*set, depth);
  Never& slot = never_[formula.index()];
  slot = never ? Never::kYes : Never::kNo;
  // A formula that couldn't be examined is examined again next time.
  if (set == nullptr) slot = Never::kNotAsked;
  return never;
}

bool Algebra::is_never(const CaseSet& set, int depth) {
  return !set.null && !set.boolean && set.numbers.empty() && set.slots.empty() &&
         std::all_of(set.strings.begin(), set.strings.end(),
                     [&](const StringCase& c) { return is_never(c); }) &&
         std::all_of(set.arrays.begin(), set.arrays.end(),
                     [&](const ArrayCase& c) { return is_never(c, depth); }) &&
         std::all_of(set.objects.begin(), set.objects.end(),
                     [&](const ObjectCase& c) { return is_never(c, depth); });
}

bool Algebra::is_never(const StringCase& c) {
  if (c.values) return c.values->empty();
  // A single condition is assumed to match some string: its language need not be built.
  const size_t n_conditions = c.conditions.size() + c.excluded_conditions.size();
  const bool says_length = c.min_length > 0 || c.max_length != kUnbounded;
  if (n_conditions == 0 || (n_conditions == 1 && !says_length && c.excluded_values.empty()))
    return false;
  const MaybeDfa& all = conditions_.language(c.conditions, c.excluded_conditions);
  return all && all->is_empty();
}

bool Algebra::is_never(const ArrayCase& c, int depth) {
  for (uint32_t i = 0; i < c.min && i <= c.prefix.size(); ++i) {
    if (is_never(c.item(i), depth + 1)) return true;
  }
  return std::any_of(c.contains.begin(), c.contains.end(), [&](const Contains& contains) {
    return contains.min > 0 && is_never(contains.item, depth + 1);
  });
}

bool Algebra::is_never(const ObjectCase& c, int depth) {
  uint32_t n_required = 0;
  for (const Property& property : c.properties) {
    if (property.presence != Presence::kRequired) continue;
    ++n_required;
    if (!allows_name(c, property.name) || is_never(value_of(c, property), depth + 1)) return true;
  }
  if (n_required > c.max) return true;
  for (FormulaId odd : c.odd_names) {
    for (FormulaId names : c.names) {
      if (is_never(formulas_.both(odd, names), depth + 1)) return true;
    }
  }
  return std::any_of(c.some.begin(), c.some.end(),
                     [&](const Others& some) { return !can_have(c, some, depth); });
}

// Two sufficient reasons: the requirements on all properties of the filter exclude such a value; or
// only a few names are left, and none of them can have it.
bool Algebra::can_have(const ObjectCase& c, const Others& some, int depth) {
  FormulaId value = some.value;
  for (const Others& others : c.others) {
    if (others.filter == some.filter) value = formulas_.both(value, others.value);
  }
  if (is_never(value, depth + 1)) return false;
  const auto names = names_left(c, some, depth);
  return !names || std::any_of(names->begin(), names->end(), [&](std::string_view name) {
    return !is_never(formulas_.both(value_of(c, name), some.value), depth + 1);
  });
}

std::optional<std::vector<std::string_view>> Algebra::names_left(const ObjectCase& c,
                                                                 const Others& some, int depth) {
  for (const Others& others : c.others) {
    if (others.filter.pattern || !is_never(others.value, depth + 1)) continue;
    // It forbids all names except those that it leaves out by name, or by patterns that the filter
    // leaves out, too.
    const auto& left_out = some.filter.except_patterns;
    const bool is_listed =
        some.filter.pattern
            ? others.filter.except_patterns.empty()
            : std::includes(left_out.begin(), left_out.end(), others.filter.except_patterns.begin(),
                            others.filter.except_patterns.end());
    if (!is_listed) continue;
    std::vector<std::string_view> names = others.filter.except_names;
    std::erase_if(names, [&](std::string_view name) {
      const Property* const property = c.find(name);
      const bool is_forbidden = property != nullptr && property->presence == Presence::kForbidden;
      return is_forbidden || !applies(some.filter, name, conditions_) || !allows_name(c, name);
    });
    return names;
  }
  return std::nullopt;
}

// ---- Two cases ----

bool Algebra::are_apart(const ArrayCase& a, const ArrayCase& b) {
  const uint32_t min = std::max(a.min, b.min);
  if (min > std::min(a.max, b.max)) return true;
  for (uint32_t i = 0; i < min && i <= std::max(a.prefix.size(), b.prefix.size()); ++i) {
    if (is_never(formulas_.both(a.item(i), b.item(i)), 1)) return true;
  }
  return false;
}

bool Algebra::are_apart(const ObjectCase& a, const ObjectCase& b) {
  if (std::max(a.min, b.min) > std::min(a.max, b.max)) return true;
  const auto is_refused = [&](const ObjectCase& c, const ObjectCase& other) {
    return std::any_of(c.properties.begin(), c.properties.end(), [&](const Property& property) {
      if (property.presence != Presence::kRequired) return false;
      const Property* const rival = other.find(property.name);
      if (rival != nullptr && rival->presence == Presence::kForbidden) return true;
      const FormulaId mine = value_of(c, property);
      const FormulaId theirs = value_of(other, property.name);
      return is_never(formulas_.both(mine, theirs), 1) || !allows_name(other, property.name);
    });
  };
  return is_refused(a, b) || is_refused(b, a);
}

}  // namespace xg2lab::json_schema
