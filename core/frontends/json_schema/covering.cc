#include "frontends/json_schema/covering.h"

#include <algorithm>

namespace xg2lab::json_schema {
namespace {

template <class T>
bool includes(const std::vector<T>& all, const std::vector<T>& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

// For short unordered lists.
template <class T, class Same>
bool has_each(const std::vector<T>& all, const std::vector<T>& wanted, const Same& is_same) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const T& one) {
    return std::any_of(all.begin(), all.end(), [&](const T& other) { return is_same(other, one); });
  });
}

bool declares(const ObjectCase& c) {
  return std::any_of(c.properties.begin(), c.properties.end(),
                     [](const Property& property) { return property.is_declared; });
}

}  // namespace

bool Covering::implies(FormulaId small, FormulaId large) const {
  if (large == kAlways || small == kNever || small == large) return true;
  const Formula& s = formulas_.formula(small);
  const Formula& l = formulas_.formula(large);
  if (l.kind == FormulaKind::kOr) return std::binary_search(l.parts.begin(), l.parts.end(), small);
  if (s.kind != FormulaKind::kAnd) return false;
  if (l.kind == FormulaKind::kAnd) return includes(s.parts, l.parts);
  return std::binary_search(s.parts.begin(), s.parts.end(), large);
}

bool Covering::operator()(const NumberCase& large, const NumberCase& small) const {
  if (is_any(large)) return true;
  if (large.is_plain && !small.is_plain) return false;
  if (!small.values) {
    if (large.values) return false;
    const auto others = negations(large.constraint);
    return std::all_of(others.begin(), others.end(), [&](const NumberConstraint& other) {
      return is_empty(intersect(small.constraint, other));
    });
  }
  return std::all_of(small.values->begin(), small.values->end(), [&](const Decimal& value) {
    return large.values
               ? std::find(large.values->begin(), large.values->end(), value) != large.values->end()
               : satisfies(value, large.constraint);
  });
}

bool Covering::operator()(const StringCase& large, const StringCase& small) const {
  if (large.is_any()) return true;
  if (large.values || small.values) return false;  // cases with values are already merged
  return large.min_length <= small.min_length && large.max_length >= small.max_length &&
         includes(small.conditions, large.conditions) &&
         includes(small.excluded_conditions, large.excluded_conditions) &&
         includes(small.excluded_values, large.excluded_values);
}

bool Covering::operator()(const ArrayCase& large, const ArrayCase& small) const {
  if (is_any(large)) return true;
  if (large.min > small.min || large.max < small.max || large.has_slots()) return false;
  if (large.unique && !small.unique) return false;
  if (is_strict_ && large.says_rest != small.says_rest) return false;
  const size_t n_prefix = std::max(large.prefix.size(), small.prefix.size());
  if (is_strict_ && large.prefix.size() != small.prefix.size()) return false;
  for (size_t i = 0; i <= n_prefix; ++i) {  // the last round compares the rest
    if (i < small.max && !implies(small.item(i), large.item(i))) return false;
  }
  return has_each(small.contains, large.contains, [](const Contains& a, const Contains& b) {
    return a.item == b.item && a.min == b.min && a.max == b.max && a.from == b.from;
  });
}

bool Covering::operator()(const ObjectCase& large, const ObjectCase& small) const {
  if (is_any(large)) return true;
  if (large.min > small.min || large.max < small.max) return false;
  if (is_strict_ && !is_within(large, small)) return false;
  for (const Property& asked : large.properties) {
    const Property* const property = small.find(asked.name);
    const Presence presence = property != nullptr ? property->presence : Presence::kOptional;
    if (asked.presence != Presence::kOptional && asked.presence != presence) return false;
    if (presence == Presence::kForbidden) continue;
    if (!implies(property != nullptr ? property->value : kAlways, asked.value)) return false;
  }
  const auto is_same = [](const Others& a, const Others& b) {
    return a.filter == b.filter && a.value == b.value;
  };
  const auto is_equal = [](FormulaId a, FormulaId b) { return a == b; };
  return has_each(small.others, large.others, is_same) &&
         has_each(small.some, large.some, is_same) &&
         has_each(small.names, large.names, is_equal) &&
         has_each(small.odd_names, large.odd_names, is_equal);
}

// Whether the larger case permits undeclared properties wherever the smaller one does.
bool Covering::is_within(const ObjectCase& large, const ObjectCase& small) const {
  if (large.says_others || !declares(large)) return true;
  if (small.says_others || !declares(small)) return false;
  const auto has_pattern = [](const Others& others) { return others.filter.pattern.has_value(); };
  if (std::any_of(small.others.begin(), small.others.end(), has_pattern)) return false;
  return std::all_of(small.properties.begin(), small.properties.end(), [&](const Property& p) {
    if (!p.is_declared && p.presence == Presence::kOptional) return true;
    const Property* const mine = large.find(p.name);
    return mine != nullptr && (mine->is_declared || mine->presence == Presence::kRequired);
  });
}

}  // namespace xg2lab::json_schema
