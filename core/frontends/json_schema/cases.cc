// Meet, for each type; before it the operations on lists of cases that need nothing else.
#include "frontends/json_schema/cases.h"

#include <algorithm>
#include <set>
#include <type_traits>
#include <utility>

namespace xg2lab::json_schema {
namespace {

template <class T>
std::vector<T> united(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

bool is_said(const std::vector<Others>& list, const Others& one) {
  return std::ranges::any_of(list, [&](const Others& other) {
    return other.filter == one.filter && other.value == one.value;
  });
}

bool is_any(const NumberCase& c) {
  const NumberConstraint& k = c.constraint;
  return !c.values && !c.is_plain && !k.min && !k.max && k.integer == Integers::kAny &&
         k.multiples_of.empty() && k.not_multiples_of.empty() && k.excluded.empty();
}

bool is_any(const StringCase& c) { return c.is_any(); }

bool is_any(const ArrayCase& c) {
  return c.prefix.empty() && c.rest == kAlways && c.min == 0 && c.max == kUnbounded &&
         c.contains.empty() && !c.unique && !c.says_rest && !c.has_slots();
}

bool is_any(const ObjectCase& c) {
  return c.properties.empty() && c.others.empty() && c.some.empty() && c.names.empty() &&
         c.odd_names.empty() && c.min == 0 && c.max == kUnbounded && !c.says_others;
}

namespace {

// For objects with many properties: most names differ in length or in their first byte, which is
// compared without a call.
template <class Properties>
auto find_property(Properties& properties, std::string_view name) {
  const char first = name.empty() ? '\0' : name.front();
  return std::ranges::find_if(properties, [name, first](const Property& property) {
    return property.name.size() == name.size() &&
           (name.empty() || (property.name.front() == first && property.name == name));
  });
}

}  // namespace

Property& ObjectCase::property(std::string_view name, JsonId origin) {
  if (const auto known = find_property(properties, name); known != properties.end()) return *known;
  properties.push_back({name, kAlways, Presence::kOptional, origin, false});
  return properties.back();
}

Property& ObjectCase::declare(std::string_view name, JsonId origin) {
  Property& found = property(name, origin);
  if (found.is_declared) return found;
  found.is_declared = true;
  found.origin = origin;
  const auto at = properties.begin() + (&found - properties.data());
  std::rotate(at, at + 1, properties.end());
  return properties.back();
}

const Property* ObjectCase::find(std::string_view name) const {
  const auto known = find_property(properties, name);
  return known == properties.end() ? nullptr : &*known;
}

bool applies(const NameFilter& filter, std::string_view name, Conditions& conditions) {
  if (filter.pattern) return conditions.accepts(*filter.pattern, name);
  if (std::binary_search(filter.except_names.begin(), filter.except_names.end(), name))
    return false;
  return std::none_of(filter.except_patterns.begin(), filter.except_patterns.end(),
                      [&](ConditionId pattern) { return conditions.accepts(pattern, name); });
}

bool add_contains(ArrayCase& c, const Contains& more) {
  const auto known = std::find_if(c.contains.begin(), c.contains.end(), [&](const Contains& one) {
    return one.item == more.item && one.from == more.from;
  });
  if (known == c.contains.end()) {
    c.contains.push_back(more);
    return true;
  }
  known->min = std::max(known->min, more.min);
  known->max = std::min(known->max, more.max);
  return known->min <= known->max;
}

// ---- CaseSet ----

namespace {

// If both sets have a case with values, these cases are merged.
template <class Case>
void join_values(std::vector<Case>& to, std::vector<Case>& more) {
  const auto has_values = [](const Case& c) { return c.values.has_value(); };
  const auto mine = std::find_if(to.begin(), to.end(), has_values);
  const auto other = std::find_if(more.begin(), more.end(), has_values);
  if (mine == to.end() || other == more.end()) return;
  if constexpr (std::is_same_v<Case, NumberCase>) {
    if (mine->is_plain != other->is_plain) return;
  }
  const std::set known(mine->values->begin(), mine->values->end());
  for (auto& value : *other->values) {
    if (!known.contains(value)) mine->values->push_back(value);
  }
  more.erase(other);
}

}  // namespace

CaseSet CaseSet::all(TypeSet types) {
  CaseSet set;
  set.null = (types & bit_of(JsonType::kNull)) != 0;
  if (types & bit_of(JsonType::kBoolean)) set.boolean.emplace();
  if (types & bit_of(JsonType::kNumber)) set.numbers.emplace_back();
  if (types & bit_of(JsonType::kString)) set.strings.emplace_back();
  if (types & bit_of(JsonType::kArray)) set.arrays.emplace_back();
  if (types & bit_of(JsonType::kObject)) set.objects.emplace_back();
  return set;
}

size_t CaseSet::size() const {
  return (null ? 1u : 0u) + (boolean ? 1u : 0u) + numbers.size() + strings.size() + arrays.size() +
         objects.size() + slots.size();
}

bool CaseSet::is_all() const {
  return null && boolean == BooleanCase{} && numbers.size() == 1 && is_any(numbers.front()) &&
         strings.size() == 1 && strings.front().is_any() && arrays.size() == 1 &&
         is_any(arrays.front()) && objects.size() == 1 && is_any(objects.front());
}

void CaseSet::add(CaseSet other) {
  null = null || other.null;
  if (boolean && other.boolean) {
    boolean->allows_false |= other.boolean->allows_false;
    boolean->allows_true |= other.boolean->allows_true;
  } else if (other.boolean) {
    boolean = other.boolean;
  }
  const auto join = [](auto& to, auto& more) {
    // A case of all values of a type contains every other case of that type.
    if (to.size() == 1 && is_any(to.front())) return;
    if (more.size() == 1 && is_any(more.front())) {
      to = std::move(more);
      return;
    }
    append(to, more);
  };
  join_values(numbers, other.numbers);
  join_values(strings, other.strings);
  join(numbers, other.numbers);
  join(strings, other.strings);
  join(arrays, other.arrays);
  join(objects, other.objects);
  append(slots, other.slots);
}

// ---- Meet ----

std::optional<NumberCase> Meet::operator()(const NumberCase& a, const NumberCase& b) const {
  if (!a.values && !b.values) {
    NumberCase both{intersect(a.constraint, b.constraint), std::nullopt, a.is_plain || b.is_plain};
    if (is_empty(both.constraint)) return std::nullopt;
    return both;
  }
  const NumberCase& finite = a.values ? a : b;
  const NumberCase& other = a.values ? b : a;
  NumberCase both{{}, std::vector<Decimal>(), a.is_plain || b.is_plain};
  for (const Decimal& value : *finite.values) {
    const bool is_in = other.values ? std::find(other.values->begin(), other.values->end(),
                                                value) != other.values->end()
                                    : satisfies(value, other.constraint);
    if (is_in) both.values->push_back(value);
  }
  if (both.values->empty()) return std::nullopt;
  return both;
}

bool Meet::has(const StringCase& c, std::string_view value) const {
  if (c.values) return std::find(c.values->begin(), c.values->end(), value) != c.values->end();
  const std::vector<uint32_t> points = code_points(value);
  if (points.size() < c.min_length || points.size() > c.max_length) return false;
  if (std::binary_search(c.excluded_values.begin(), c.excluded_values.end(), value)) return false;
  return std::all_of(c.conditions.begin(), c.conditions.end(),
                     [&](ConditionId id) { return conditions_.language(id).accepts(points); }) &&
         std::none_of(c.excluded_conditions.begin(), c.excluded_conditions.end(),
                      [&](ConditionId id) { return conditions_.language(id).accepts(points); });
}

std::optional<StringCase> Meet::operator()(const StringCase& a, const StringCase& b) const {
  StringCase both;
  if (a.values || b.values) {
    const StringCase& finite = a.values ? a : b;
    const StringCase& other = a.values ? b : a;
    both.values.emplace();
    for (std::string_view value : *finite.values) {
      if (has(other, value)) both.values->push_back(value);
    }
    if (both.values->empty()) return std::nullopt;
    return both;
  }
  both.min_length = std::max(a.min_length, b.min_length);
  both.max_length = std::min(a.max_length, b.max_length);
  both.conditions = united(a.conditions, b.conditions);
  both.excluded_conditions = united(a.excluded_conditions, b.excluded_conditions);
  both.excluded_values = united(a.excluded_values, b.excluded_values);
  std::vector<ConditionId> clash;
  std::set_intersection(both.conditions.begin(), both.conditions.end(),
                        both.excluded_conditions.begin(), both.excluded_conditions.end(),
                        std::back_inserter(clash));
  if (both.min_length > both.max_length || !clash.empty()) return std::nullopt;
  return both;
}

std::optional<ArrayCase> Meet::operator()(const ArrayCase& a, const ArrayCase& b) const {
  ArrayCase both;
  for (size_t i = 0; i < std::max(a.prefix.size(), b.prefix.size()); ++i)
    both.prefix.push_back(formulas_.both(a.item(i), b.item(i)));
  both.rest = formulas_.both(a.rest, b.rest);
  both.min = std::max(a.min, b.min);
  both.max = std::min(a.max, b.max);
  both.contains = a.contains;
  for (const Contains& more : b.contains) {
    if (!add_contains(both, more)) return std::nullopt;
  }
  both.unique = a.unique ? a.unique : b.unique;
  both.says_rest = a.says_rest || b.says_rest;
  both.min_slots = united(a.min_slots, b.min_slots);
  both.max_slots = united(a.max_slots, b.max_slots);
  // If no value satisfies the item of a position, the array must end before that position.
  for (size_t i = 0; i < both.prefix.size(); ++i) {
    if (both.prefix[i] == kNever) both.max = std::min<uint32_t>(both.max, static_cast<uint32_t>(i));
  }
  if (both.rest == kNever)
    both.max = std::min<uint32_t>(both.max, static_cast<uint32_t>(both.prefix.size()));
  if (both.min > both.max) return std::nullopt;
  return both;
}

std::optional<ObjectCase> Meet::operator()(const ObjectCase& a, const ObjectCase& b) const {
  ObjectCase both = a;
  for (const Property& more : b.properties) {
    Property& property = more.is_declared ? both.declare(more.name, more.origin)
                                          : both.property(more.name, more.origin);
    if (more.presence != Presence::kOptional) {
      if (property.presence != Presence::kOptional && property.presence != more.presence)
        return std::nullopt;
      property.presence = more.presence;
    }
    property.value = formulas_.both(property.value, more.value);
    if (property.value == kNever && property.presence == Presence::kRequired) return std::nullopt;
  }
  append(both.others, b.others);
  append(both.names, b.names);
  // One property may satisfy several equal conditions; repeating a condition would multiply the
  // ways to satisfy it.
  for (const Others& more : b.some) {
    if (!is_said(both.some, more)) both.some.push_back(more);
  }
  for (const FormulaId more : b.odd_names) {
    if (std::ranges::find(both.odd_names, more) == both.odd_names.end())
      both.odd_names.push_back(more);
  }
  both.min = std::max(a.min, b.min);
  both.max = std::min(a.max, b.max);
  both.says_others = a.says_others || b.says_others;
  if (both.min > both.max) return std::nullopt;
  return both;
}

}  // namespace xg2lab::json_schema
