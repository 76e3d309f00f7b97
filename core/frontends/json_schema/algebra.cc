// cases and make: by kind of formula. Then the combinations, values, atoms and their complements, and what is never.
#include "frontends/json_schema/algebra.h"

#include <algorithm>
#include <utility>

#include "support/deadline.h"
#include "support/error.h"

namespace xg2lab::json_schema {
namespace {

constexpr int kMostLevels = 6;  // at which is_never looks

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

// All values but those of the type that `kept` says something about, and there only what it says.
CaseSet others_and(JsonType type) {
  return CaseSet::all(static_cast<TypeSet>(kAllTypes & ~bit_of(type)));
}

}  // namespace

const CaseSet& Algebra::cases(FormulaId id, bool holds) {
  const auto [found, is_new] = known_.try_emplace({id, holds});
  if (!is_new) {
    if (found->second) return *found->second;
    if (looking_ > 0) throw InProgress{};
    const Formula& formula = formulas_.formula(id);
    const JsonId place =
        formula.kind == FormulaKind::kSchema ? JsonId(formula.index) : document_.root();
    coverage_.mistake(place, "circular_reference",
                      "this schema refers to itself and checks nothing in between",
                      "put the reference into a property, an item, or another type");
    static const CaseSet nothing;
    return nothing;
  }
  check_deadline("combining schemas");
  const Formula formula = formulas_.formula(id);  // a copy: more are made
  try {
    auto set = std::make_unique<const CaseSet>(make(formula, holds));
    auto& slot = known_[{id, holds}];
    slot = std::move(set);
    return *slot;
  } catch (const InProgress&) {
    known_.erase({id, holds});
    throw;
  }
}

CaseSet Algebra::make(const Formula& formula, bool holds) {
  switch (formula.kind) {
    case FormulaKind::kAlways: return holds ? CaseSet::all() : CaseSet{};
    case FormulaKind::kNever: return holds ? CaseSet{} : CaseSet::all();
    case FormulaKind::kUnknown: return CaseSet::all();
    case FormulaKind::kSchema: return cases(reader_.content(JsonId(formula.index)), holds);
    case FormulaKind::kNot: return cases(formula.parts.front(), !holds);
    case FormulaKind::kAnd:
      return holds ? all_of(formula.parts, true) : any_of(formula.parts, false);
    case FormulaKind::kOr:
      return holds ? any_of(formula.parts, true) : all_of(formula.parts, false);
    case FormulaKind::kOneOf:
      return holds ? exactly_one(formula.parts) : none_or_two(formula.parts);
    case FormulaKind::kAtom: break;
  }
  const Atom atom = formulas_.atom(formula.index);
  if (!holds) return complement(atom);
  CaseSet set = CaseSet::all();
  apply(atom, set);
  return set;
}

CaseSet Algebra::all_of(const std::vector<FormulaId>& parts, bool holds) {
  // Atoms that hold are one case a type; what has more than that comes afterwards.
  CaseSet all = CaseSet::all();
  std::vector<FormulaId> rest;
  for (FormulaId part : parts) {
    const Formula& formula = formulas_.formula(part);
    const bool is_simple =
        holds && formula.kind == FormulaKind::kAtom &&
        !std::holds_alternative<ValueAtom>(formulas_.atom(formula.index).content);
    if (is_simple) apply(Atom(formulas_.atom(formula.index)), all);
    else rest.push_back(part);
  }
  for (FormulaId part : rest) all = meet_(all, cases(part, holds));
  return all;
}

CaseSet Algebra::any_of(const std::vector<FormulaId>& parts, bool holds) {
  CaseSet any;
  for (FormulaId part : parts) any.add(cases(part, holds));
  return any;
}

CaseSet Algebra::exactly_one(const std::vector<FormulaId>& parts) {
  const size_t n = parts.size();
  std::vector<std::vector<FormulaId>> rivals(n);  // those that may hold at the same time
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i + 1; j < n; ++j) {
      if (parts[i] != parts[j] && is_never(meet_(cases(parts[i]), cases(parts[j])), 0)) continue;
      rivals[i].push_back(parts[j]);
      rivals[j].push_back(parts[i]);
    }
  }
  CaseSet any;
  for (size_t i = 0; i < n; ++i) {
    CaseSet alone = cases(parts[i]);
    for (FormulaId rival : rivals[i]) alone = meet_(alone, cases(rival, false));
    // What is left of objects is mostly impossible: each rival was one property away.
    std::erase_if(alone.objects, [&](const ObjectCase& c) { return is_never(c, 0); });
    std::erase_if(alone.arrays, [&](const ArrayCase& c) { return is_never(c, 0); });
    any.add(std::move(alone));
  }
  return any;
}

CaseSet Algebra::none_or_two(const std::vector<FormulaId>& parts) {
  CaseSet any = all_of(parts, false);
  for (size_t i = 0; i < parts.size(); ++i) {
    for (size_t j = i + 1; j < parts.size(); ++j) {
      CaseSet two = meet_(cases(parts[i]), cases(parts[j]));
      if (!is_never(two, 0)) any.add(std::move(two));
    }
  }
  return any;
}

// ---- Values ----

FormulaId Algebra::is_value(JsonId value, JsonId origin) {
  return formulas_.atom(ValueAtom{{value}}, origin);
}

CaseSet Algebra::of_values(const std::vector<JsonId>& values) {
  CaseSet set;
  for (JsonId value : values) {
    switch (document_.kind(value)) {
      case JsonKind::kNull: set.null = true; break;
      case JsonKind::kFalse:
      case JsonKind::kTrue: {
        if (!set.boolean) set.boolean = BooleanCase{false, false};
        const bool is_true = document_.kind(value) == JsonKind::kTrue;
        (is_true ? set.boolean->allows_true : set.boolean->allows_false) = true;
        break;
      }
      case JsonKind::kNumber: {
        if (set.numbers.empty()) set.numbers.push_back({{}, std::vector<Decimal>(), false});
        auto& numbers = *set.numbers.front().values;
        const Decimal number = *Decimal::read(document_.text(value));
        if (std::find(numbers.begin(), numbers.end(), number) == numbers.end())
          numbers.push_back(number);
        break;
      }
      case JsonKind::kString: {
        if (set.strings.empty())
          set.strings.emplace_back().values = std::vector<std::string_view>();
        auto& strings = *set.strings.front().values;
        const std::string_view text = document_.text(value);
        if (std::find(strings.begin(), strings.end(), text) == strings.end())
          strings.push_back(text);
        break;
      }
      case JsonKind::kArray: {
        ArrayCase& array = set.arrays.emplace_back();
        for (JsonId item : document_.children(value)) array.prefix.push_back(is_value(item, value));
        array.rest = kNever;
        array.says_rest = true;
        array.min = array.max = static_cast<uint32_t>(array.prefix.size());
        break;
      }
      case JsonKind::kObject: {
        ObjectCase& object = set.objects.emplace_back();
        NameFilter others;
        for (JsonId member : document_.children(value)) {
          const std::string_view name = document_.key(member);
          object.properties.push_back(
              {name, is_value(member, value), Presence::kRequired, member, true});
          others.except_names.push_back(name);
        }
        std::sort(others.except_names.begin(), others.except_names.end());
        object.others.push_back({std::move(others), kNever, value});
        object.says_others = true;
        break;
      }
    }
  }
  return set;
}

CaseSet Algebra::other_than(JsonId value) {
  const JsonKind kind = document_.kind(value);
  CaseSet set = others_and(type_of(kind));
  switch (kind) {
    case JsonKind::kNull: break;
    case JsonKind::kFalse: set.boolean = BooleanCase{false, true}; break;
    case JsonKind::kTrue: set.boolean = BooleanCase{true, false}; break;
    case JsonKind::kNumber: {
      NumberCase& other = set.numbers.emplace_back();
      other.constraint.excluded.push_back(*Decimal::read(document_.text(value)));
      break;
    }
    case JsonKind::kString:
      set.strings.emplace_back().excluded_values.push_back(document_.text(value));
      break;
    case JsonKind::kArray: {
      const auto items = document_.children(value);
      const auto n = static_cast<uint32_t>(items.size());
      if (n > 0) set.arrays.emplace_back().max = n - 1;
      set.arrays.emplace_back().min = n + 1;
      for (uint32_t i = 0; i < n; ++i) {
        ArrayCase& differs = set.arrays.emplace_back();
        differs.min = differs.max = n;
        differs.prefix.assign(i + 1, kAlways);
        differs.prefix[i] = formulas_.negate(is_value(items[i], value));
      }
      break;
    }
    case JsonKind::kObject: {
      NameFilter others;
      for (JsonId member : document_.children(value)) {
        const std::string_view name = document_.key(member);
        others.except_names.push_back(name);
        set.objects.emplace_back().property(name, member).presence = Presence::kForbidden;
        Property& differs = set.objects.emplace_back().property(name, member);
        differs.presence = Presence::kRequired;
        differs.value = formulas_.negate(is_value(member, value));
      }
      std::sort(others.except_names.begin(), others.except_names.end());
      set.objects.emplace_back().some.push_back({std::move(others), kAlways, value});
      break;
    }
  }
  return set;
}

// ---- Atoms ----

void Algebra::apply(const Atom& atom, CaseSet& set) {
  const auto numbers = [&](const NumberConstraint& constraint) {
    if (set.numbers.empty()) return;
    auto met = meet_(set.numbers.front(), NumberCase{constraint, std::nullopt, false});
    if (met) set.numbers.front() = std::move(*met);
    else set.numbers.clear();
  };
  const auto cut_array = [&](uint32_t min, uint32_t max) {
    if (set.arrays.empty()) return;
    ArrayCase& array = set.arrays.front();
    array.min = std::max(array.min, min);
    array.max = std::min(array.max, max);
    if (array.min > array.max) set.arrays.clear();
  };
  ObjectCase* const object = set.objects.empty() ? nullptr : &set.objects.front();
  std::visit(
      Overloaded{
          [&](const TypeAtom& a) {
            const auto has = [&](JsonType type) { return (a.types & bit_of(type)) != 0; };
            if (!has(JsonType::kNull)) set.null = false;
            if (!has(JsonType::kBoolean)) set.boolean.reset();
            if (!has(JsonType::kNumber)) set.numbers.clear();
            if (!has(JsonType::kString)) set.strings.clear();
            if (!has(JsonType::kArray)) set.arrays.clear();
            if (!has(JsonType::kObject)) set.objects.clear();
            NumberConstraint integers;
            integers.integer = Integers::kOnly;
            if (a.only_integers) numbers(integers);
            for (NumberCase& number : set.numbers) number.is_plain |= a.plain_integers;
          },
          [&](const ValueAtom& a) { set = meet_(set, of_values(a.values)); },
          [&](const NumberAtom& a) { numbers(a.constraint); },
          [&](const LengthAtom& a) {
            if (set.strings.empty()) return;
            StringCase& string = set.strings.front();
            string.min_length = std::max(string.min_length, a.min);
            string.max_length = std::min(string.max_length, a.max);
            if (string.min_length > string.max_length) set.strings.clear();
          },
          [&](const TextAtom& a) {
            if (set.strings.empty()) return;
            auto& conditions = set.strings.front().conditions;
            const auto at = std::lower_bound(conditions.begin(), conditions.end(), a.condition);
            if (at == conditions.end() || *at != a.condition) conditions.insert(at, a.condition);
          },
          [&](const ItemAtom& a) {
            if (set.arrays.empty()) return;
            ArrayCase& array = set.arrays.front();
            const uint32_t n_prefix = a.to == kUnbounded ? a.from : a.to;
            while (array.prefix.size() < n_prefix) array.prefix.push_back(array.rest);
            for (size_t i = a.from; i < array.prefix.size() && i < a.to; ++i)
              array.prefix[i] = formulas_.both(array.prefix[i], a.item);
            if (a.to == kUnbounded) {
              array.rest = formulas_.both(array.rest, a.item);
              array.says_rest = true;
            }
            if (a.item == kNever) cut_array(0, a.from);
          },
          [&](const SizeAtom& a) { cut_array(a.min, a.max); },
          [&](const ContainsAtom& a) {
            if (set.arrays.empty()) return;
            if (a.min == 0 && a.max == kUnbounded) return;
            if (a.min > a.max) return set.arrays.clear();
            set.arrays.front().contains.push_back({a.item, a.min, a.max, a.from, atom.origin});
            if (a.min != 0)
              cut_array(a.from + std::min(a.min, kUnbounded - 1 - a.from), kUnbounded);
          },
          [&](const UniqueAtom&) {
            if (!set.arrays.empty()) set.arrays.front().unique = atom.origin;
          },
          [&](const PropertyAtom& a) {
            if (object == nullptr) return;
            Property& property = object->declare(a.name, atom.origin);
            property.value = formulas_.both(property.value, a.value);
            if (property.value != kNever) return;
            if (property.presence == Presence::kRequired) set.objects.clear();
            else property.presence = Presence::kForbidden;
          },
          [&](const PresenceAtom& a) {
            if (object == nullptr) return;
            Property& property = object->property(a.name, atom.origin);
            if (property.presence == Presence::kForbidden) return set.objects.clear();
            property.presence = Presence::kRequired;
          },
          [&](const OthersAtom& a) {
            if (object == nullptr) return;
            if (!a.filter.pattern) object->says_others = true;
            if (a.value != kAlways) object->others.push_back({a.filter, a.value, atom.origin});
          },
          [&](const NamesAtom& a) {
            if (object != nullptr && a.name != kAlways) object->names.push_back(a.name);
          },
          [&](const CountAtom& a) {
            if (object == nullptr) return;
            object->min = std::max(object->min, a.min);
            object->max = std::min(object->max, a.max);
            if (object->min > object->max) set.objects.clear();
          },
      },
      atom.content);
}

CaseSet Algebra::complement(const Atom& atom) {
  CaseSet set;
  const auto bounds = [](uint32_t min, uint32_t max, auto add) {
    if (min > 0) add(0u, min - 1);
    if (max != kUnbounded) add(max + 1, kUnbounded);
  };
  std::visit(
      Overloaded{
          [&](const TypeAtom& a) {
            set = CaseSet::all(static_cast<TypeSet>(kAllTypes & ~a.types));
            if (!a.only_integers) return;
            set.numbers.emplace_back().constraint.integer = Integers::kNone;
          },
          [&](const ValueAtom& a) {
            set = CaseSet::all();
            for (JsonId value : a.values) set = meet_(set, other_than(value));
          },
          [&](const NumberAtom& a) {
            for (NumberConstraint& other : negations(a.constraint))
              set.numbers.push_back({std::move(other), std::nullopt, false});
          },
          [&](const LengthAtom& a) {
            bounds(a.min, a.max, [&](uint32_t min, uint32_t max) {
              StringCase& string = set.strings.emplace_back();
              string.min_length = min;
              string.max_length = max;
            });
          },
          [&](const TextAtom& a) {
            set.strings.emplace_back().excluded_conditions.push_back(a.condition);
          },
          [&](const ItemAtom& a) {
            const FormulaId other = formulas_.negate(a.item);
            ArrayCase& array = set.arrays.emplace_back();
            if (a.to == kUnbounded) {
              array.contains.push_back({other, 1, kUnbounded, a.from, atom.origin});
              array.min = a.from + 1;
              return;
            }
            array.prefix.assign(a.to, kAlways);
            array.prefix[a.from] = other;
            array.min = a.to;
          },
          [&](const SizeAtom& a) {
            bounds(a.min, a.max, [&](uint32_t min, uint32_t max) {
              ArrayCase& array = set.arrays.emplace_back();
              array.min = min;
              array.max = max;
            });
          },
          [&](const ContainsAtom& a) {
            bounds(a.min, a.max, [&](uint32_t min, uint32_t max) {
              set.arrays.emplace_back().contains.push_back({a.item, min, max, a.from, atom.origin});
            });
          },
          [&](const UniqueAtom&) {
            coverage_.refuse(atom.origin, "unsupported_unique_items",
                             "that two items are equal can't be asked for",
                             "leave `uniqueItems` out of `not` and of branches that are negated");
            set.arrays.emplace_back();
          },
          [&](const PropertyAtom& a) {
            Property& property = set.objects.emplace_back().property(a.name, atom.origin);
            property.presence = Presence::kRequired;
            property.value = formulas_.negate(a.value);
            if (property.value == kNever) set.objects.clear();
          },
          [&](const PresenceAtom& a) {
            set.objects.emplace_back().property(a.name, atom.origin).presence =
                Presence::kForbidden;
          },
          [&](const OthersAtom& a) {
            if (a.value == kAlways) return;
            set.objects.emplace_back().some.push_back(
                {a.filter, formulas_.negate(a.value), atom.origin});
          },
          [&](const NamesAtom& a) {
            if (a.name == kAlways) return;
            set.objects.emplace_back().odd_names.push_back(formulas_.negate(a.name));
          },
          [&](const CountAtom& a) {
            bounds(a.min, a.max, [&](uint32_t min, uint32_t max) {
              ObjectCase& object = set.objects.emplace_back();
              object.min = min;
              object.max = max;
            });
          },
      },
      atom.content);
  return set;
}

// ---- What is never ----

FormulaId Algebra::value_of(const ObjectCase& c, std::string_view name) {
  const Property* const property = c.find(name);
  FormulaId value = property != nullptr ? property->value : kAlways;
  for (const Others& others : c.others) {
    if (applies(others.filter, name, conditions_)) value = formulas_.both(value, others.value);
  }
  return value;
}

bool Algebra::allows_name(const ObjectCase& c, std::string_view name) {
  return std::all_of(c.names.begin(), c.names.end(), [&](FormulaId names) {
    const std::vector<StringCase>& strings = cases(names).strings;
    return std::any_of(strings.begin(), strings.end(),
                       [&](const StringCase& s) { return meet_.has(s, name); });
  });
}

bool Algebra::is_never(FormulaId formula, int depth) {
  if (formula == kNever) return true;
  if (formula == kAlways || formula == kUnknown || depth > kMostLevels) return false;
  if (const auto known = never_.find(formula); known != never_.end()) return known->second;
  never_[formula] = false;  // while it is looked at: recursion doesn't make it impossible
  bool never = false;
  ++looking_;
  try {
    never = is_never(cases(formula), depth);
  } catch (const InProgress&) {
    never = false;
  }
  --looking_;
  never_[formula] = never;
  return never;
}

bool Algebra::is_never(const CaseSet& set, int depth) {
  return !set.null && !set.boolean && set.numbers.empty() &&
         std::all_of(set.strings.begin(), set.strings.end(),
                     [&](const StringCase& c) { return is_never(c); }) &&
         std::all_of(set.arrays.begin(), set.arrays.end(),
                     [&](const ArrayCase& c) { return is_never(c, depth); }) &&
         std::all_of(set.objects.begin(), set.objects.end(),
                     [&](const ObjectCase& c) { return is_never(c, depth); });
}

bool Algebra::is_never(const StringCase& c) {
  if (c.values) return c.values->empty();
  const size_t n_conditions = c.conditions.size() + c.excluded_conditions.size();
  const bool says_length = c.min_length > 0 || c.max_length != kUnbounded;
  if (n_conditions == 0 || (n_conditions == 1 && !says_length && c.excluded_values.empty()))
    return false;
  MaybeDfa all = everything();
  const auto narrow = [&](const CodePointDfa& by, bool is_excluded) {
    if (all) all = is_excluded ? subtract(*all, by) : intersect(*all, by);
  };
  for (ConditionId id : c.conditions) narrow(conditions_.language(id), false);
  for (ConditionId id : c.excluded_conditions) narrow(conditions_.language(id), true);
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
    if (!allows_name(c, property.name) || is_never(value_of(c, property.name), depth + 1))
      return true;
  }
  return n_required > c.max;
}

}  // namespace xg2lab::json_schema
