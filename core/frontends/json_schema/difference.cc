// By type. Numbers, strings and arrays: a part for each fact that may be violated. Objects: a part
// for each fact that is the first to be violated.
#include "frontends/json_schema/difference.h"

#include <algorithm>
#include <utility>

#include "frontends/json_schema/algebra.h"
#include "support/budget.h"

namespace xg2lab::json_schema {
template <class Case>
void Difference::subtract_each(std::vector<Case>& all, const std::vector<Case>& without) const {
  for (const Case& d : without) {
    std::vector<Case> left;
    for (const Case& c : all) {
      check_budget("combining schemas");
      subtract(c, d, left);
      algebra_.check_size(left.size());
    }
    all = std::move(left);
  }
}

CaseSet Difference::operator()(CaseSet all, const CaseSet& without) const {
  all.null = all.null && !without.null;
  if (all.boolean && without.boolean) {
    all.boolean->allows_false &= !without.boolean->allows_false;
    all.boolean->allows_true &= !without.boolean->allows_true;
    if (!all.boolean->allows_false && !all.boolean->allows_true) all.boolean.reset();
  }
  subtract_each(all.numbers, without.numbers);
  subtract_each(all.strings, without.strings);
  subtract_each(all.arrays, without.arrays);
  subtract_each(all.objects, without.objects);
  algebra_.refuse_shared_slots(all, without);
  return all;
}

// ---- Numbers and strings -----------------------------------------------------------------------

void Difference::subtract(const NumberCase& c, const NumberCase& d,
                          std::vector<NumberCase>& out) const {
  if (!meet_(c, d)) return out.push_back(c);
  if (d.values) {
    NumberCase other = c;
    if (!c.values) {
      auto& excluded = other.constraint.excluded;
      excluded.insert(excluded.end(), d.values->begin(), d.values->end());
      if (is_empty(other.constraint)) return;
    } else {
      std::erase_if(*other.values, [&](const Decimal& value) {
        return std::find(d.values->begin(), d.values->end(), value) != d.values->end();
      });
      if (other.values->empty()) return;
    }
    out.push_back(std::move(other));
    return;
  }
  if (c.values) {
    NumberCase other = c;
    std::erase_if(*other.values,
                  [&](const Decimal& value) { return satisfies(value, d.constraint); });
    if (!other.values->empty()) out.push_back(std::move(other));
    return;
  }
  for (NumberConstraint& opposite : negations(d.constraint)) {
    if (auto met = meet_(c, NumberCase{std::move(opposite), std::nullopt, false}))
      out.push_back(std::move(*met));
  }
}

void Difference::subtract(const StringCase& c, const StringCase& d,
                          std::vector<StringCase>& out) const {
  if (c.values) {
    StringCase other = c;
    std::erase_if(*other.values, [&](std::string_view value) { return meet_.has(d, value); });
    if (!other.values->empty()) out.push_back(std::move(other));
    return;
  }
  if (!meet_(c, d)) return out.push_back(c);
  const auto add = [&](const auto& change) {
    StringCase other;
    change(other);
    if (auto met = meet_(c, other)) out.push_back(std::move(*met));
  };
  if (d.values) {
    add([&](StringCase& other) {
      other.excluded_values = *d.values;
      std::sort(other.excluded_values.begin(), other.excluded_values.end());
    });
    return;
  }
  if (d.min_length > 0) add([&](StringCase& other) { other.max_length = d.min_length - 1; });
  if (d.max_length != kUnbounded)
    add([&](StringCase& other) { other.min_length = d.max_length + 1; });
  for (ConditionId id : d.conditions)
    add([&](StringCase& other) { other.excluded_conditions.push_back(id); });
  for (ConditionId id : d.excluded_conditions)
    add([&](StringCase& other) { other.conditions.push_back(id); });
  if (!d.excluded_values.empty()) add([&](StringCase& other) { other.values = d.excluded_values; });
}

// ---- Arrays ------------------------------------------------------------------------------------

void Difference::subtract(const ArrayCase& c, const ArrayCase& d,
                          std::vector<ArrayCase>& out) const {
  if (algebra_.are_apart(c, d)) return out.push_back(c);
  for (JsonId slot : d.min_slots) algebra_.slots_.refuse(slot);
  for (JsonId slot : d.max_slots) algebra_.slots_.refuse(slot);
  const auto add = [&](ArrayCase part) {
    if (part.min <= part.max) out.push_back(std::move(part));
  };
  const auto between = [&](uint32_t min, uint32_t max) {
    ArrayCase part = c;
    part.min = std::max(part.min, min);
    part.max = std::min(part.max, max);
    add(std::move(part));
  };
  // The length is outside d's bounds.
  if (d.min > 0) between(0, d.min - 1);
  if (d.max != kUnbounded) between(d.max + 1, kUnbounded);
  // An item of d's prefix violates its formula, and is present.
  for (uint32_t i = 0; i < d.prefix.size() && i < c.max; ++i) {
    const FormulaId differs = formulas_.both(c.item(i), formulas_.negate(d.prefix[i]));
    if (algebra_.is_never(differs)) continue;
    ArrayCase part = c;
    while (part.prefix.size() <= i) part.prefix.push_back(part.rest);
    part.prefix[i] = differs;
    part.min = std::max(part.min, i + 1);
    add(std::move(part));
  }
  const auto n_prefix = static_cast<uint32_t>(d.prefix.size());
  // An item behind d's prefix violates the formula of the rest. Which one is unknown, so the part
  // requires that the array contains such an item.
  if (d.rest != kAlways && d.rest != kNever && c.max > n_prefix) {
    const FormulaId other = formulas_.negate(d.rest);
    bool may_differ = !algebra_.is_never(formulas_.both(c.rest, other));
    for (uint32_t i = n_prefix; i < c.prefix.size() && !may_differ; ++i)
      may_differ = !algebra_.is_never(formulas_.both(c.prefix[i], other));
    if (may_differ) {
      ArrayCase part = c;
      part.contains.push_back({other, 1, kUnbounded, n_prefix, coverage_.at()});
      part.min = std::max(part.min, n_prefix + 1);
      add(std::move(part));
    }
  }
  // The number of items that satisfy a `contains` is outside its bounds.
  for (const Contains& contains : d.contains) {
    const auto counted = [&](uint32_t min, uint32_t max) {
      ArrayCase part = c;
      part.contains.push_back({contains.item, min, max, contains.from, contains.origin});
      if (min > 0)
        part.min =
            std::max(part.min, contains.from + std::min(min, kUnbounded - 1 - contains.from));
      add(std::move(part));
    };
    if (contains.min > 0) counted(0, contains.min - 1);
    if (contains.max != kUnbounded) counted(contains.max + 1, kUnbounded);
  }
  if (d.unique && !c.unique) {
    coverage_.refuse(*d.unique, "unsupported_unique_items", "`uniqueItems` cannot be negated",
                     "leave `uniqueItems` out of `not` and of branches that are negated");
    out.push_back(c);
  }
}

// ---- Objects -----------------------------------------------------------------------------------

void Difference::subtract(const ObjectCase& c, const ObjectCase& d,
                          std::vector<ObjectCase>& out) const {
  if (algebra_.are_apart(c, d)) return out.push_back(c);
  // `rest` is the part of c that satisfies all facts of d considered so far; each part pushed
  // violates the next fact, so the parts are disjoint.
  ObjectCase rest = c;
  if (d.min > rest.min) {
    ObjectCase part = rest;
    part.max = std::min(part.max, d.min - 1);
    if (part.min <= part.max) out.push_back(std::move(part));
    rest.min = d.min;
  }
  if (d.max < rest.max) {
    ObjectCase part = rest;
    part.min = std::max(part.min, d.max + 1);
    if (part.min <= part.max) out.push_back(std::move(part));
    rest.max = d.max;
  }
  if (rest.min > rest.max) return;
  for (const Property& property : d.properties) {
    if (!subtract_property(rest, property, out)) return;
  }
  subtract_others(rest, d, out);
}

bool Difference::subtract_property(ObjectCase& rest, const Property& asked,
                                   std::vector<ObjectCase>& out) const {
  const Property* const known = rest.find(asked.name);
  Presence presence = known != nullptr ? known->presence : Presence::kOptional;
  const FormulaId all = algebra_.value_of(rest, asked.name);
  if (presence == Presence::kOptional &&
      (algebra_.is_never(all) || !algebra_.allows_name(rest, asked.name)))
    presence = Presence::kForbidden;
  // The property is absent in all objects of `rest`: either d doesn't require it, or d contains
  // none of these objects.
  if (presence == Presence::kForbidden) {
    if (asked.presence != Presence::kRequired) return true;
    out.push_back(std::move(rest));
    return false;
  }
  const auto with = [&](Presence is, FormulaId value) {
    ObjectCase part = rest;
    Property& property = part.property(asked.name, asked.origin);
    property.presence = is;
    property.value = formulas_.both(property.value, value);
    return part;
  };
  // d forbids the property: objects that have it are outside d.
  if (asked.presence == Presence::kForbidden) {
    out.push_back(with(Presence::kRequired, kAlways));
    if (presence == Presence::kRequired) return false;
    rest = with(Presence::kForbidden, kAlways);
    return true;
  }
  const FormulaId other = formulas_.negate(asked.value);
  const bool may_differ = !algebra_.is_never(formulas_.both(all, other));
  // Presence can't distinguish the two cases here, so only the value can.
  if (presence == Presence::kRequired || asked.presence == Presence::kOptional) {
    if (!may_differ) return true;
    out.push_back(with(Presence::kRequired, other));
    if (presence == Presence::kRequired) {
      if (algebra_.is_never(formulas_.both(all, asked.value))) return false;
      rest = with(Presence::kRequired, asked.value);
      return true;
    }
    rest = with(Presence::kOptional, asked.value);
    return true;
  }
  // The property may be absent, or satisfy d.
  out.push_back(may_differ ? with(Presence::kOptional, other)
                           : with(Presence::kForbidden, kAlways));
  rest = with(Presence::kRequired, may_differ ? asked.value : kAlways);
  return true;
}

// The requirements on names, and on undeclared properties.
void Difference::subtract_others(ObjectCase& rest, const ObjectCase& d,
                                 std::vector<ObjectCase>& out) const {
  for (FormulaId name : d.names) {
    if (std::find(rest.names.begin(), rest.names.end(), name) != rest.names.end()) continue;
    out.emplace_back(rest).odd_names.push_back(formulas_.negate(name));
    rest.names.push_back(name);
  }
  for (FormulaId name : d.odd_names) {
    if (std::find(rest.odd_names.begin(), rest.odd_names.end(), name) != rest.odd_names.end())
      continue;
    out.emplace_back(rest).names.push_back(formulas_.negate(name));
    rest.odd_names.push_back(name);
  }
  for (const Others& others : d.others) {
    if (is_said(rest.others, others)) continue;
    const Others differs{others.filter, formulas_.negate(others.value), others.origin};
    if (is_said(rest.some, differs))
      return out.push_back(std::move(rest));  // no property satisfies d
    if (!algebra_.can_have(rest, differs)) continue;
    // a few names: one property at a time
    if (const auto names = algebra_.names_left(rest, differs)) {
      for (std::string_view name : *names) {
        const Property property{name, others.value, Presence::kOptional, others.origin, false};
        if (!subtract_property(rest, property, out)) return;
      }
      continue;
    }
    out.emplace_back(rest).some.push_back(differs);
    rest.others.push_back(others);
  }
  for (const Others& some : d.some) {
    if (is_said(rest.some, some)) continue;
    const Others none{some.filter, formulas_.negate(some.value), some.origin};
    if (is_said(rest.others, none)) return out.push_back(std::move(rest));
    out.emplace_back(rest).others.push_back(none);
    rest.some.push_back(some);
  }
}

}  // namespace xg2lab::json_schema
