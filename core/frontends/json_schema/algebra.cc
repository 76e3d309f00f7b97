// cases and make: one branch for each kind of formula. Then the combinations, and at the bottom
// values and atoms.
#include "frontends/json_schema/algebra.h"

#include <algorithm>
#include <exception>
#include <set>
#include <unordered_set>
#include <utility>

#include "frontends/json_schema/covering.h"
#include "support/budget.h"
#include "support/error.h"
#include "support/text.h"

namespace xg2lab::json_schema {
namespace {

constexpr size_t kMostCases = 3'000;   // of one type, for one formula
constexpr int kMostHops = 2;           // references that are expanded without caching
constexpr size_t kMostCompared = 300;  // compared pairwise

}  // namespace

Algebra::CachedCases& Algebra::known(FormulaId id, bool holds) {
  const size_t at = 2 * id.index() + (holds ? 1 : 0);
  if (at >= known_.size()) known_.resize(2 * formulas_.size());
  return known_[at];
}

const CaseSet& Algebra::cases(FormulaId id, bool holds) {
  {
    CachedCases& before = known(id, holds);
    if (before.set) return *before.set;
    if (before.is_open) {
      static const CaseSet nothing;
      refuse_circle(id);
      return nothing;
    }
    before.is_open = true;
  }
  check_budget("combining schemas");
  try {
    auto set = std::make_unique<const CaseSet>(make(formulas_.formula(id), holds));
    CachedCases& made = known(id, holds);
    made = {std::move(set), false};
    return *made.set;
  } catch (const InProgress&) {
    known(id, holds).is_open = false;
    throw;
  }
}

void Algebra::refuse_circle(FormulaId id) {
  if (looking_ > 0) throw InProgress{};
  coverage_.mistake(origin_of(id), "circular_reference",
                    "this schema refers to itself and checks nothing in between",
                    "put the reference into a property, an item, or another type");
}

CaseSet Algebra::make(const Formula& formula, bool holds) {
  if (formula.kind == FormulaKind::kSchema)
    return cases(reader_.content(JsonId(formula.index), formula.scope), holds);
  if (!holds) return without(CaseSet::all(), formula);
  switch (formula.kind) {
    case FormulaKind::kAlways:
    case FormulaKind::kUnknown: return CaseSet::all();
    case FormulaKind::kNever:
    case FormulaKind::kSchema: return {};
    case FormulaKind::kNot: return cases(formula.parts.front(), false);
    case FormulaKind::kAnd: return more_of(facts(formula.parts), formula.parts);
    case FormulaKind::kOr: return any_of(CaseSet::all(), formula.parts);
    case FormulaKind::kOneOf: return exactly_one(CaseSet::all(), formula.parts);
    case FormulaKind::kAtom: break;
  }
  const Atom& atom = formulas_.atom(formula.index);
  const auto* const type = std::get_if<TypeAtom>(&atom.content);
  CaseSet set = CaseSet::all(type != nullptr ? type->types : kAllTypes);
  apply(atom, set);
  return set;
}

bool Algebra::is_simple(FormulaId id) const {
  const Formula& formula = formulas_.formula(id);
  if (formula.kind != FormulaKind::kAtom) return false;
  const AtomContent& content = formulas_.atom(formula.index).content;
  return !std::holds_alternative<ValueAtom>(content) && !std::holds_alternative<SlotAtom>(content);
}

// Atoms come first: together they are one case for each type. Then the parts with several cases;
// negations come last.
CaseSet Algebra::all_of(CaseSet all, const std::vector<FormulaId>& parts) {
  for (FormulaId part : parts) {
    if (is_simple(part)) all = met(all, cases(part));
  }
  return more_of(std::move(all), parts);
}

CaseSet Algebra::facts(const std::vector<FormulaId>& parts) {
  TypeSet types = kAllTypes;
  for (FormulaId part : parts) {
    if (!is_simple(part)) continue;
    const Atom& atom = formulas_.atom(formulas_.formula(part).index);
    if (const auto* const type = std::get_if<TypeAtom>(&atom.content)) types &= type->types;
  }
  CaseSet all = CaseSet::all(types);
  for (FormulaId part : parts) {
    if (is_simple(part)) apply(formulas_.atom(formulas_.formula(part).index), all);
  }
  return all;
}

CaseSet Algebra::more_of(CaseSet all, const std::vector<FormulaId>& parts) {
  const auto is_negated = [&](FormulaId part) {
    return formulas_.formula(part).kind == FormulaKind::kNot;
  };
  for (FormulaId part : parts) {
    if (!is_simple(part) && !is_negated(part)) all = within(std::move(all), part);
  }
  for (FormulaId part : parts) {
    if (is_negated(part)) all = without(std::move(all), formulas_.formula(part).parts.front());
  }
  return all;
}

// Alternatives are expanded within the remaining cases, not by themselves: in {required: [type],
// oneOf: [...]} every alternative is known to have a `type`.
CaseSet Algebra::within(CaseSet all, FormulaId id) {
  if (all.is_empty()) return all;
  const Formula& formula = formulas_.formula(id);
  const bool is_composed = formula.kind == FormulaKind::kAnd || formula.kind == FormulaKind::kOr ||
                           formula.kind == FormulaKind::kOneOf;
  const bool is_followed = formula.kind == FormulaKind::kSchema && n_hops_ < kMostHops;
  const Coverage::Processing processing(coverage_, origin_of(id));
  if (all.is_all() || !(is_composed || is_followed)) return met(all, cases(id));
  if (is_followed) {
    ++n_hops_;
    try {
      all = within(std::move(all), reader_.content(JsonId(formula.index), formula.scope));
    } catch (...) {
      --n_hops_;
      throw;
    }
    --n_hops_;
    return all;
  }
  if (formula.kind == FormulaKind::kAnd) return all_of(std::move(all), formula.parts);
  if (formula.kind == FormulaKind::kOneOf) return exactly_one(all, formula.parts);
  return any_of(std::move(all), formula.parts);
}

// If a part states one fact about objects, the values that satisfy it are subtracted before the
// other parts are computed. So most of the cases that would multiply are implied or contradictory.
// {dependentRequired: {a: [b], c: [b]}} gives: with b; without b, a and c.
CaseSet Algebra::any_of(CaseSet all, const std::vector<FormulaId>& parts) {
  std::vector<FormulaId> ordered = parts;
  const auto is_negated = [&](FormulaId part) {
    return formulas_.formula(part).kind == FormulaKind::kNot;
  };
  if (parts.size() > 1) {
    const auto first_of_rest = std::stable_partition(
        ordered.begin(), ordered.end(), [&](FormulaId part) { return says_one_thing(part); });
    std::stable_partition(ordered.begin(), first_of_rest,
                          [&](FormulaId part) { return !is_negated(part); });
  }
  CaseSet any;
  for (FormulaId part : ordered) {
    if (parts.size() > 1 && says_one_thing(part)) {
      CaseSet others = without(all, part);
      CaseSet those = pruned(within(all, part));
      if (others.objects.empty()) those.objects = all.objects;  // implied: the fact adds nothing
      any.add(std::move(those));
      all = std::move(others);
    } else {
      any.add(pruned(within(all, part)));
    }
  }
  drop_covered(any);
  return any;
}

// If the schema closes objects to undeclared properties, only the presence of a property is a
// single fact.
bool Algebra::says_one_thing(FormulaId id) {
  // What is subtracted may contain a slot. Not so in strict mode, where it is no declared property;
  // and there the objects of two ways of writing one formula may differ in what they mention.
  if (slots_.is_any() && !is_strict_) return false;
  const CaseSet& set = cases(id);
  if (set.objects.size() != 1) return false;
  const ObjectCase& c = set.objects.front();
  if (!c.others.empty() || !c.some.empty() || !c.names.empty() || !c.odd_names.empty() ||
      c.min > 0 || c.max != kUnbounded || c.says_others)
    return false;
  return c.properties.size() == 1 && !(is_strict_ && c.properties.front().is_declared);
}

// Each alternative without all others. Alternatives that can't hold together with it need not be
// subtracted.
CaseSet Algebra::exactly_one(const CaseSet& all, const std::vector<FormulaId>& parts) {
  std::vector<CaseSet> alternatives;
  alternatives.reserve(parts.size());
  for (const FormulaId part : parts) alternatives.push_back(pruned(within(all, part)));
  const std::vector<std::vector<size_t>> others = overlaps(alternatives);
  CaseSet any;
  for (size_t i = 0; i < parts.size(); ++i) {
    CaseSet alone = std::move(alternatives[i]);
    for (const size_t j : others[i]) {
      if (alone.is_empty()) break;
      alone = without(std::move(alone), parts[j]);
    }
    any.add(std::move(alone));
  }
  drop_covered(any);
  return any;
}

// ---- Without ----

CaseSet Algebra::without(CaseSet all, FormulaId id) {
  if (const CachedCases& before = known(id, false); before.set && all.is_all()) return *before.set;
  if (std::find(taken_away_.begin(), taken_away_.end(), id) != taken_away_.end()) {
    refuse_circle(id);
    return {};
  }
  const Coverage::Processing processing(coverage_, origin_of(id));
  taken_away_.push_back(id);
  const Formula& formula = formulas_.formula(id);
  try {
    all = without(std::move(all), formula);
  } catch (...) {
    taken_away_.pop_back();
    throw;
  }
  taken_away_.pop_back();
  return all;
}

CaseSet Algebra::without(CaseSet all, const Formula& formula) {
  switch (formula.kind) {
    case FormulaKind::kAlways: return {};
    case FormulaKind::kNever:
    case FormulaKind::kUnknown: return all;
    case FormulaKind::kSchema:
      return without(std::move(all), reader_.content(JsonId(formula.index), formula.scope));
    case FormulaKind::kNot: return met(all, cases(formula.parts.front()));
    case FormulaKind::kOr:
      for (FormulaId part : formula.parts) all = without(std::move(all), part);
      return all;
    case FormulaKind::kAnd: return without_all_of(std::move(all), formula.parts);
    case FormulaKind::kOneOf: return none_or_two(all, formula.parts);
    case FormulaKind::kAtom: break;
  }
  CaseSet set = CaseSet::all();
  apply(formulas_.atom(formula.index), set);
  return pruned(difference_(std::move(all), set));
}

// The atoms together are one case for each type, which is subtracted as such. Then each part with
// several cases is subtracted within the remaining ones.
CaseSet Algebra::without_all_of(CaseSet all, const std::vector<FormulaId>& parts) {
  std::vector<FormulaId> rest;
  for (FormulaId part : parts) {
    if (!is_simple(part)) rest.push_back(part);
  }
  CaseSet any;
  if (rest.size() < parts.size()) {
    const CaseSet said = facts(parts);
    any = pruned(difference_(all, said));
    all = met(all, said);
  }
  for (FormulaId part : rest) {
    if (all.is_empty()) break;
    any.add(without(all, part));
    if (part != rest.back()) all = met(all, cases(part));
  }
  drop_covered(any);
  return any;
}

CaseSet Algebra::none_or_two(const CaseSet& all, const std::vector<FormulaId>& parts) {
  CaseSet any = all;
  for (FormulaId part : parts) any = without(std::move(any), part);
  for (size_t i = 0; i < parts.size(); ++i) {
    const CaseSet one = met(all, cases(parts[i]));
    for (size_t j = i + 1; j < parts.size(); ++j) any.add(pruned(met(one, cases(parts[j]))));
  }
  drop_covered(any);
  return any;
}

// ---- Lists of cases ----

void Algebra::check_size(size_t n_cases) {
  if (n_cases <= kMostCases) return;
  throw Error(ErrorKind::kLimitError,
              concat("the alternatives of this schema multiply: more than ", kMostCases,
                     " combinations in one place"),
              "write fewer anyOf, oneOf, not and dependencies side by side; where only one of "
              "several can hold, give each "
              "a required property with another `const`");
}

template <class Case>
std::vector<Case> Algebra::met(const std::vector<Case>& a, const std::vector<Case>& b) {
  if (a.size() == 1 && is_any(a.front())) return b;
  if (b.size() == 1 && is_any(b.front())) return a;
  std::vector<Case> both;
  for (const Case& x : a) {
    check_budget("combining schemas");
    for (const Case& y : b) {
      auto met = meet_(x, y);
      if (!met) continue;
      if constexpr (std::is_same_v<Case, ObjectCase>) {
        if (a.size() > 1 || b.size() > 1) simplify(*met, x, y);
      }
      if constexpr (std::is_same_v<Case, ObjectCase> || std::is_same_v<Case, ArrayCase>) {
        if (a.size() > 1 && b.size() > 1 && is_never(*met, 0)) continue;
      }
      both.push_back(std::move(*met));
    }
    check_size(both.size());
  }
  return both;
}

// If a property must satisfy two formulas of which one implies the other, only the implying one is
// kept; so the formula that many cases give one property stays short.
void Algebra::simplify(ObjectCase& met, const ObjectCase& x, const ObjectCase& y) {
  const auto implies = [&](FormulaId a, FormulaId b) {
    const CaseSet* const set = look(a);
    const CaseSet* const other = look(b);
    return set != nullptr && set->objects.empty() && set->arrays.empty() && set->slots.empty() &&
           (other == nullptr || other->slots.empty()) &&
           is_never(formulas_.both(a, formulas_.negate(b)));
  };
  for (const Property& more : y.properties) {
    const Property* const known = x.find(more.name);
    if (known == nullptr || known->value == more.value || known->value == kAlways ||
        more.value == kAlways)
      continue;
    Property& property = met.property(more.name, more.origin);
    if (implies(known->value, more.value)) property.value = known->value;
    else if (implies(more.value, known->value)) property.value = more.value;
  }
}

CaseSet Algebra::met(const CaseSet& a, const CaseSet& b) {
  CaseSet both;
  both.null = a.null && b.null;
  if (a.boolean && b.boolean) {
    const BooleanCase met{a.boolean->allows_false && b.boolean->allows_false,
                          a.boolean->allows_true && b.boolean->allows_true};
    if (met.allows_false || met.allows_true) both.boolean = met;
  }
  both.numbers = met(a.numbers, b.numbers);
  both.strings = met(a.strings, b.strings);
  both.arrays = met(a.arrays, b.arrays);
  both.objects = met(a.objects, b.objects);
  if (!a.slots.empty() || !b.slots.empty()) {
    both.slots = met_slots(a, b);
    for (SlotCase& more : met_slots(b, a)) both.slots.push_back(std::move(more));
  }
  drop_covered(both);
  return both;
}

// ---- Slots -------------------------------------------------------------------------------------

namespace {

enum class Share : uint8_t { kNone, kSome, kAll };

// How many values of the type the set has. Those of slots are not counted.
Share share_of(const CaseSet& set, JsonType type) {
  const auto of = [](const auto& list) {
    return list.empty()                                                         ? Share::kNone
           : std::ranges::any_of(list, [](const auto& c) { return is_any(c); }) ? Share::kAll
                                                                                : Share::kSome;
  };
  switch (type) {
    case JsonType::kNull: return set.null ? Share::kAll : Share::kNone;
    case JsonType::kBoolean:
      if (!set.boolean) return Share::kNone;
      return *set.boolean == BooleanCase{} ? Share::kAll : Share::kSome;
    case JsonType::kNumber: return of(set.numbers);
    case JsonType::kString: return of(set.strings);
    case JsonType::kArray: return of(set.arrays);
    case JsonType::kObject: return of(set.objects);
  }
  return Share::kSome;
}

// How many of the values that have one of the types the set has.
Share share_of_types(const CaseSet& set, TypeSet types) {
  std::optional<Share> share;
  for (size_t i = 0; i < kNumberOfTypes; ++i) {
    const auto type = static_cast<JsonType>(i);
    if ((types & bit_of(type)) == 0) continue;
    const Share more = share_of(set, type);
    if (share && *share != more) return Share::kSome;
    share = more;
  }
  return share.value_or(Share::kNone);
}

bool shares_type(const std::vector<SlotCase>& slots, TypeSet types) {
  return std::ranges::any_of(slots, [&](const SlotCase& c) { return (c.types & types) != 0; });
}

}  // namespace

std::vector<SlotCase> Algebra::met_slots(const CaseSet& a, const CaseSet& b) {
  std::vector<SlotCase> met;
  for (const SlotCase& c : a.slots) {
    const Share share = share_of_types(b, c.types);
    if (share == Share::kAll) met.push_back(c);
    else if (share == Share::kSome || shares_type(b.slots, c.types)) slots_.refuse(c.slot);
  }
  return met;
}

void Algebra::refuse_shared_slots(const CaseSet& a, const CaseSet& b) {
  for (const auto& [set, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    for (const SlotCase& c : set->slots) {
      const bool is_apart =
          share_of_types(*other, c.types) == Share::kNone && !shares_type(other->slots, c.types);
      if (!is_apart) slots_.refuse(c.slot);
    }
  }
}

void Algebra::refuse_slots(FormulaId formula) {
  for (const SlotCase& c : cases(formula).slots) slots_.refuse(c.slot);
}

// The set without the objects and arrays that are certainly impossible.
CaseSet Algebra::pruned(CaseSet set) {
  check_budget("combining schemas");
  std::erase_if(set.objects, [&](const ObjectCase& c) { return is_never(c, 0); });
  std::erase_if(set.arrays, [&](const ArrayCase& c) { return is_never(c, 0); });
  return set;
}

// Drops cases contained in other cases.
void Algebra::drop_covered(CaseSet& set) {
  const Covering covers(formulas_, is_strict_);
  const auto drop = [&](auto& list) {
    if (list.size() < 2 || list.size() > kMostCompared) return;
    std::vector<bool> is_covered(list.size(), false);
    for (size_t i = 0; i < list.size(); ++i) {
      for (size_t j = 0; j < list.size() && !is_covered[i]; ++j)
        is_covered[i] = i != j && !is_covered[j] && covers(list[j], list[i]);
    }
    size_t n_kept = 0;
    for (size_t i = 0; i < list.size(); ++i) {
      if (is_covered[i]) continue;
      if (n_kept != i) list[n_kept] = std::move(list[i]);
      ++n_kept;
    }
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(n_kept), list.end());
  };
  drop(set.numbers);
  drop(set.strings);
  drop(set.arrays);
  drop(set.objects);
}

JsonId Algebra::origin_of(FormulaId id) const {
  const Formula* formula = &formulas_.formula(id);
  while (!formula->parts.empty()) formula = &formulas_.formula(formula->parts.front());
  if (formula->kind == FormulaKind::kSchema) return JsonId(formula->index);
  if (formula->kind == FormulaKind::kAtom) return formulas_.atom(formula->index).origin;
  return document_.root();
}

// ---- Values ----

FormulaId Algebra::is_value(JsonId value, JsonId origin) {
  return formulas_.atom(ValueAtom{{value}}, origin);
}

CaseSet Algebra::of_values(const std::vector<JsonId>& values) {
  CaseSet set;
  std::unordered_set<std::string_view> texts;
  std::set<Decimal> known;
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
        if (known.insert(number).second) numbers.push_back(number);
        break;
      }
      case JsonKind::kString: {
        if (set.strings.empty())
          set.strings.emplace_back().values = std::vector<std::string_view>();
        auto& strings = *set.strings.front().values;
        const std::string_view text = document_.text(value);
        if (texts.insert(text).second) strings.push_back(text);
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

// ---- Atoms ----

// Restricts the one case of each type in `set` by an atom. A type without
// a value is removed from the set.
class Algebra::Restriction {
 public:
  Restriction(Algebra& algebra, CaseSet& set, JsonId origin)
      : algebra_(algebra), set_(set), origin_(origin) {}

  void operator()(const TypeAtom& a) {
    const auto has = [&](JsonType type) { return (a.types & bit_of(type)) != 0; };
    if (!has(JsonType::kNull)) set_.null = false;
    if (!has(JsonType::kBoolean)) set_.boolean.reset();
    if (!has(JsonType::kNumber)) set_.numbers.clear();
    if (!has(JsonType::kString)) set_.strings.clear();
    if (!has(JsonType::kArray)) set_.arrays.clear();
    if (!has(JsonType::kObject)) set_.objects.clear();
    if (a.only_integers && !set_.numbers.empty()) {
      NumberConstraint integers;
      integers.integer = Integers::kOnly;
      if (is_any(set_.numbers.front())) set_.numbers.front().constraint = integers;
      else meet_numbers(integers);
    }
    for (NumberCase& number : set_.numbers) number.is_plain |= a.plain_integers;
  }
  void operator()(const ValueAtom& a) { set_ = algebra_.met(set_, algebra_.of_values(a.values)); }
  void operator()(const SlotAtom& a) {
    CaseSet values;
    values.slots.push_back({a.slot, a.types, a.beside});
    set_ = algebra_.met(set_, values);
  }
  void operator()(const NumberAtom& a) { meet_numbers(*a.constraint); }

  void operator()(const LengthAtom& a) {
    if (set_.strings.empty()) return;
    StringCase& string = set_.strings.front();
    string.min_length = std::max(string.min_length, a.min);
    string.max_length = std::min(string.max_length, a.max);
    if (string.min_length > string.max_length) set_.strings.clear();
  }
  void operator()(const TextAtom& a) {
    if (set_.strings.empty()) return;
    auto& conditions = set_.strings.front().conditions;
    const auto at = std::lower_bound(conditions.begin(), conditions.end(), a.condition);
    if (at == conditions.end() || *at != a.condition) conditions.insert(at, a.condition);
  }

  void operator()(const ItemAtom& a) {
    if (set_.arrays.empty()) return;
    ArrayCase& array = set_.arrays.front();
    const uint32_t n_prefix = a.to == kUnbounded ? a.from : a.to;
    while (array.prefix.size() < n_prefix) array.prefix.push_back(array.rest);
    for (size_t i = a.from; i < array.prefix.size() && i < a.to; ++i)
      array.prefix[i] = both(array.prefix[i], a.item);
    if (a.to == kUnbounded) {
      array.rest = both(array.rest, a.item);
      array.says_rest = true;
    }
    if (a.item == kNever) bound_size(0, a.from);
  }
  void operator()(const SizeAtom& a) {
    bound_size(a.min, a.max);
    if (set_.arrays.empty()) return;
    if (a.min_slot) add_slot(set_.arrays.front().min_slots, *a.min_slot);
    if (a.max_slot) add_slot(set_.arrays.front().max_slots, *a.max_slot);
  }
  void operator()(const ContainsAtom& a) {
    if (set_.arrays.empty()) return;
    if (a.min == 0 && a.max == kUnbounded) return;
    if (a.min > a.max) return set_.arrays.clear();
    if (!add_contains(set_.arrays.front(), {a.item, a.min, a.max, a.from, origin_}))
      return set_.arrays.clear();
    if (a.min != 0) bound_size(a.from + std::min(a.min, kUnbounded - 1 - a.from), kUnbounded);
  }
  void operator()(const UniqueAtom&) {
    if (!set_.arrays.empty() && !set_.arrays.front().unique) set_.arrays.front().unique = origin_;
  }

  void operator()(const PropertyAtom& a) {
    if (set_.objects.empty()) return;
    Property& property = set_.objects.front().declare(a.name, origin_);
    property.value = both(property.value, a.value);
    if (property.value != kNever) return;
    if (property.presence == Presence::kRequired) set_.objects.clear();
    else property.presence = Presence::kForbidden;
  }
  void operator()(const PresenceAtom& a) {
    if (set_.objects.empty()) return;
    Property& property = set_.objects.front().property(a.name, origin_);
    if (property.presence == Presence::kForbidden) return set_.objects.clear();
    property.presence = Presence::kRequired;
  }
  void operator()(const OthersAtom& a) {
    if (set_.objects.empty()) return;
    ObjectCase& object = set_.objects.front();
    if (!a.filter.pattern) object.says_others = true;
    if (a.value != kAlways) object.others.push_back({a.filter, a.value, origin_});
  }
  void operator()(const NamesAtom& a) {
    if (!set_.objects.empty() && a.name != kAlways) set_.objects.front().names.push_back(a.name);
  }
  void operator()(const CountAtom& a) {
    if (set_.objects.empty()) return;
    ObjectCase& object = set_.objects.front();
    object.min = std::max(object.min, a.min);
    object.max = std::min(object.max, a.max);
    if (object.min > object.max) set_.objects.clear();
  }

 private:
  FormulaId both(FormulaId a, FormulaId b) { return algebra_.formulas_.both(a, b); }

  void meet_numbers(const NumberConstraint& constraint) {
    if (set_.numbers.empty()) return;
    auto met = algebra_.meet_(set_.numbers.front(), NumberCase{constraint, std::nullopt, false});
    if (met) set_.numbers.front() = std::move(*met);
    else set_.numbers.clear();
  }

  static void add_slot(std::vector<JsonId>& slots, JsonId slot) {
    const auto at = std::ranges::lower_bound(slots, slot);
    if (at == slots.end() || *at != slot) slots.insert(at, slot);
  }

  void bound_size(uint32_t min, uint32_t max) {
    if (set_.arrays.empty()) return;
    ArrayCase& array = set_.arrays.front();
    array.min = std::max(array.min, min);
    array.max = std::min(array.max, max);
    if (array.min > array.max) set_.arrays.clear();
  }

  Algebra& algebra_;
  CaseSet& set_;
  const JsonId origin_;
};

void Algebra::apply(const Atom& atom, CaseSet& set) {
  std::visit(Restriction(*this, set, atom.origin), atom.content);
}

}  // namespace xg2lab::json_schema
