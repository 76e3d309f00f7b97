// Objects: which members exist (object; variant_members), and in which order they come
// (members_of).
#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "frontends/json_schema/few_values.h"
#include "frontends/json_schema/writer.h"
#include "support/budget.h"
#include "support/error.h"
#include "support/text.h"

namespace xg2lab::json_schema {
namespace {

constexpr size_t kMostMembers = 100'000;
constexpr size_t kMostVariants = 1'000;
constexpr size_t kMostAsked = 3;  // undeclared properties required of one object
// Optional members in a row: written out, each lists all members that may follow it.
constexpr size_t kManyOptional = 12;
constexpr size_t kMostListed = 64;  // names of a pattern

}  // namespace

ExprId Writer::member(ExprId key, FormulaId value, SourceSpan span) {
  return sequence({key, layout_.colon(), this->value(value)}, span);
}

// The formula of an undeclared property in this region.
FormulaId Writer::value_in(const NameRegion& region, const ObjectCase& c) {
  FormulaId value = kAlways;
  for (const Others& others : c.others) {
    if (Names::applies(others.filter, region)) value = formulas_.both(value, others.value);
  }
  return value;
}

std::vector<Property> Writer::listed_properties(std::vector<NameRegion>& regions,
                                                const ObjectCase& c, JsonId origin) {
  std::vector<Property> listed;
  std::erase_if(regions, [&](const NameRegion& region) {
    if (!region.language) return false;
    const auto names = few_texts(*region.language, kMostListed - listed.size());
    if (!names) return false;
    const FormulaId value = value_in(region, c);
    for (const std::string& name : *names) {
      listed_names_.push_back(name);
      if (!algebra_.is_never(value))
        listed.push_back({listed_names_.back(), value, Presence::kOptional, origin, false});
    }
    return true;
  });
  return listed;
}

// A region with infinitely many names: no grammar can exclude duplicates.
void Writer::remark_repeated_names(const ObjectCase& c, const std::vector<NameRegion>& regions) {
  constexpr std::string_view kMayRepeat =
      "an undeclared name may come twice: JSON readers keep the last value";
  constexpr std::string_view kCounted = "an undeclared name is counted each time it comes";
  bool is_said = false;
  for (const Others& others : c.others) {
    const bool is_open = std::any_of(regions.begin(), regions.end(), [&](const NameRegion& region) {
      return Names::applies(others.filter, region);
    });
    if (is_open) is_said |= coverage_.remark(others.origin, kMayRepeat);
  }
  const JsonId schema = coverage_.at();
  if (!document_.is_object(schema)) return;
  const auto remark = [&](const char* keyword, std::string_view words) {
    const auto found = document_.find(schema, keyword);
    return found && coverage_.remark(*found, words);
  };
  if (c.min > 1) remark("minProperties", kCounted);
  if (c.max != kUnbounded) remark("maxProperties", kCounted);
  for (const char* keyword : {"properties", "propertyNames", "required", "type"})
    is_said = is_said || remark(keyword, kMayRepeat);
}

// Names that a filter leaves out count as mentioned, since other requirements hold for them.
// Declared properties come first.
void Writer::add_names_left_out(ObjectCase& all) {
  std::unordered_set<std::string_view> known;
  for (const auto* list : {&all.others, &all.some}) {
    for (const Others& others : *list) {
      if (others.filter.except_names.empty()) continue;
      if (known.empty()) {
        for (const Property& property : all.properties) known.insert(property.name);
      }
      for (std::string_view name : others.filter.except_names) {
        if (known.insert(name).second)
          all.properties.push_back({name, kAlways, Presence::kOptional, others.origin, false});
      }
    }
  }
  const auto is_declared = [](const Property& property) { return property.is_declared; };
  if (!std::ranges::is_partitioned(all.properties, is_declared))
    std::stable_partition(all.properties.begin(), all.properties.end(), is_declared);
}

// The ways to satisfy all conditions of the form "at least one property ...": each condition is
// satisfied by a declared property, or by one more property of a region.
std::vector<Writer::Variant> Writer::variants_of(const ObjectCase& all,
                                                 const std::vector<NameRegion>& regions) {
  std::vector<Variant> variants(1);
  variants.front().properties = all.properties;
  const auto check_variants = [](size_t n_variants, size_t most) {
    if (n_variants <= most) return;
    throw Error(ErrorKind::kLimitError,
                "the conditions on one of this object's properties have more than 1,000 variants",
                "use fewer `not` with additionalProperties or patternProperties in one place");
  };
  // Expands each variant by the ways to satisfy one condition: by each declared property that it
  // may concern, by a property that is required already, or by one more of a region.
  const auto expand = [&](FormulaId value, const auto& is_about_name, const auto& is_about_region) {
    std::vector<Variant> expanded;
    for (const Variant& variant : variants) {
      check_budget("combining the properties of an object");
      check_variants(expanded.size(), 10 * kMostVariants);  // some variants may turn out empty
      for (size_t i = 0; i < variant.properties.size(); ++i) {
        const Property& property = variant.properties[i];
        if (property.presence == Presence::kForbidden || !is_about_name(property.name)) continue;
        const FormulaId both = formulas_.both(property.value, value);
        if (algebra_.is_never(both)) continue;
        Variant& made = expanded.emplace_back(variant);
        made.properties[i].presence = Presence::kRequired;
        made.properties[i].value = both;
      }
      for (size_t r = 0; r < regions.size(); ++r) {
        if (!is_about_region(regions[r])) continue;
        // A property that is required already may satisfy the condition, or one more does.
        for (size_t i = 0; i < variant.one_more.size(); ++i) {
          if (variant.one_more[i].first != r) continue;
          FormulaId& asked = expanded.emplace_back(variant).one_more[i].second;
          asked = formulas_.both(asked, value);
        }
        expanded.emplace_back(variant).one_more.emplace_back(r, value);
      }
    }
    variants = std::move(expanded);
  };
  for (const Others& some : all.some) {
    expand(
        some.value, [&](std::string_view name) { return applies(some.filter, name, conditions_); },
        [&](const NameRegion& region) { return Names::applies(some.filter, region); });
  }
  for (size_t i = 0; i < all.odd_names.size(); ++i) {
    expand(
        kAlways,
        [&](std::string_view name) {
          const auto& strings = algebra_.cases(all.odd_names[i]).strings;
          return std::any_of(strings.begin(), strings.end(),
                             [&](const StringCase& s) { return algebra_.meet().has(s, name); });
        },
        [&](const NameRegion& region) { return region.is_odd[i]; });
  }
  check_variants(variants.size(), kMostVariants);
  return variants;
}

// The required undeclared properties in every order, with the others around them.
ExprId Writer::in_every_order(const std::vector<ExprId>& asked, std::optional<ExprId> other,
                              SourceSpan span) {
  std::vector<size_t> order(asked.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<ExprId> orders;
  do {
    std::vector<ExprId> parts;
    for (size_t i : order) {
      if (!parts.empty()) parts.push_back(layout_.comma());
      if (!parts.empty() && other)
        parts.push_back(
            builder_.repeat(sequence({*other, layout_.comma()}, span), 0, kNoUpperBound, span));
      parts.push_back(asked[i]);
    }
    orders.push_back(sequence(parts, span));
  } while (std::next_permutation(order.begin(), order.end()));
  return builder_.choice(orders, span);
}

// Properties that can't occur become forbidden. False if one of them is required: the object is
// impossible.
bool Writer::forbid_impossible(ObjectCase& all, bool is_closed) {
  for (Property& property : all.properties) {
    property.value = algebra_.value_of(all, property);
    const bool is_possible =
        algebra_.allows_name(all, property.name) && !algebra_.is_never(property.value) &&
        !(is_closed && !property.is_declared && property.presence == Presence::kOptional);
    if (is_possible) continue;
    if (property.presence == Presence::kRequired) return false;
    property.presence = Presence::kForbidden;
  }
  return true;
}

// ---- One object: its names, then an alternative for each variant ----

// What all variants of an object share.
struct Writer::ObjectParts {
  ObjectCase all;  // the object, with the names that filters leave out among its properties
  SourceSpan span;
  JsonId origin;                    // for messages: the first property, or the document
  std::vector<NameRegion> regions;  // of undeclared names
  std::vector<std::optional<ExprId>> region_keys;  // of each region, made when first needed
  std::vector<Property> listed;                    // of regions with few names
  std::vector<ExprId> others;                      // undeclared members, one of each region
  bool is_counted() const { return all.min > 1 || all.max != kUnbounded; }
};

ExprId Writer::object(const ObjectCase& c, SourceSpan span) {
  ObjectParts object;
  object.all = c;
  object.span = span;
  add_names_left_out(object.all);
  const auto& properties = object.all.properties;
  const bool is_closed =
      options_.is_strict && !c.says_others &&
      std::ranges::any_of(properties, [](const Property& p) { return p.is_declared; });
  if (!forbid_impossible(object.all, is_closed)) return builder_.nothing(span);
  object.origin = properties.empty() ? document_.root() : properties.front().origin;
  find_regions(object, is_closed);
  const std::vector<Variant> variants = variants_of(object.all, object.regions);
  for (size_t r = 0; r < object.regions.size(); ++r) {
    const FormulaId value = value_in(object.regions[r], object.all);
    if (!algebra_.is_never(value)) object.others.push_back(region_member(object, r, value));
  }
  if (!object.others.empty()) remark_repeated_names(object.all, object.regions);

  std::vector<ExprId> alternatives;
  for (const Variant& variant : variants) {
    if (const auto members = variant_members(variant, object))
      alternatives.push_back(braces(*members, object));
  }
  return builder_.choice(alternatives, span);
}

// The regions of undeclared names, without the regions whose few names become properties.
void Writer::find_regions(ObjectParts& object, bool is_closed) {
  ObjectCase& all = object.all;
  std::vector<std::string_view> taken;
  taken.reserve(all.properties.size());
  for (const Property& property : all.properties) taken.push_back(property.name);
  object.regions = names_.regions(all, taken, object.origin);
  // A closed object keeps only the regions of patterns that the schema mentions.
  if (is_closed)
    std::erase_if(object.regions, [](const NameRegion& region) { return region.patterns.empty(); });
  // A condition "at least one property ..." may concern a region, which therefore stays whole.
  const bool may_be_listed = all.some.empty() && all.odd_names.empty();
  if (may_be_listed && (options_.any_order || !object.is_counted()))
    object.listed = listed_properties(object.regions, all, object.origin);
  if (options_.any_order)
    all.properties.insert(all.properties.end(), object.listed.begin(), object.listed.end());
  object.region_keys.resize(object.regions.size());
}

// A member with a name of the region.
ExprId Writer::region_member(ObjectParts& object, size_t index, FormulaId value) {
  if (algebra_.is_never(value)) return builder_.nothing(object.span);
  std::optional<ExprId>& key = object.region_keys[index];
  const NameRegion& region = object.regions[index];
  if (!key)
    key = region.is_everything() ? any_string() : names_.key(region, object.span, object.origin);
  return member(*key, value, object.span);
}

Writer::Member Writer::property_member(const Property& property) {
  const SourceSpan span = document_.key_span(property.origin).empty()
                              ? document_.span(property.origin)
                              : document_.key_span(property.origin);
  return {property.name, member(texts_.value(property.name, span), property.value, span),
          property.presence == Presence::kRequired, false};
}

// The members of one variant, in the order in which they are written: the declared properties, the
// listed ones in any order, undeclared ones. Nothing: the variant was refused.
std::optional<std::vector<Writer::Member>> Writer::variant_members(const Variant& variant,
                                                                   ObjectParts& object) {
  std::vector<Member> members;
  members.reserve(variant.properties.size() + 1);
  for (const Property& property : variant.properties) {
    if (property.presence != Presence::kForbidden) members.push_back(property_member(property));
  }
  const Member other{"others", builder_.choice(object.others, object.span), false, true};
  const bool has_others = !object.others.empty();
  if (options_.any_order || object.listed.empty()) {
    if (has_others) members.push_back(other);
  } else {
    std::vector<Member> behind;
    for (const Property& property : object.listed) behind.push_back(property_member(property));
    if (has_others) behind.push_back(other);
    const ExprId all_behind = behind.size() == 1
                                  ? behind.front().expr
                                  : listed_members(behind, 1, kUnbounded, false, object.span);
    members.push_back({"others", all_behind, false, false});
  }
  std::vector<ExprId> asked;  // the members that the variant requires of regions
  for (const auto& [region, value] : variant.one_more) {
    const FormulaId of_region = value_in(object.regions[region], object.all);
    asked.push_back(region_member(object, region, formulas_.both(of_region, value)));
  }
  if (options_.any_order) {
    for (ExprId one : asked) members.push_back({"asked", one, true, false});
    return members;
  }
  if (asked.size() > (object.is_counted() ? 1 : kMostAsked)) {
    const auto& some = object.all.some;
    coverage_.refuse(some.empty() ? object.origin : some.back().origin, "unsupported_combination",
                     "too many conditions each require an undeclared property",
                     "declare the properties, or use one condition");
    return std::nullopt;
  }
  if (asked.empty()) return members;
  const auto around = has_others ? std::optional(other.expr) : std::nullopt;
  members.push_back({"asked", in_every_order(asked, around, object.span), true, false});
  if (has_others) members.push_back(other);
  return members;
}

// The object of these members: as many of them as it counts, none if none is required.
ExprId Writer::braces(const std::vector<Member>& members, const ObjectParts& object) {
  const auto [min, max] = std::pair(object.all.min, object.all.max);
  const bool may_be_empty =
      min == 0 && std::ranges::none_of(members, [](const Member& m) { return m.is_required; });
  if ((n_members_ += members.size()) > kMostMembers) {
    throw Error(
        ErrorKind::kLimitError,
        "the objects of this schema have more than 100,000 properties, counted anew in each "
        "alternative",
        "write fewer alternatives of objects with so many properties");
  }
  if (members.empty() || max == 0)
    return may_be_empty ? layout_.empty("{", "}") : builder_.nothing(object.span);
  return brackets("{", members_of(members, min, max, object.span), "}", may_be_empty, object.span);
}

// At least one member, separated by commas.
ExprId Writer::members_of(const std::vector<Member>& members, uint32_t min, uint32_t max,
                          SourceSpan span) {
  if (options_.any_order && members.size() > 1)
    return listed_members(members, min, max, false, span);
  uint32_t n_required = 0;
  uint32_t n_single = 0;
  size_t n_optional = 0;  // optional members in a row
  size_t most_optional = 0;
  for (const Member& member : members) {
    n_required += member.is_required ? 1 : 0;
    n_single += member.may_repeat ? 0 : 1;
    n_optional = member.is_required ? 0 : n_optional + 1;
    most_optional = std::max(most_optional, n_optional);
  }
  const bool says_max = max != kUnbounded && (max < n_single || n_single < members.size());
  const bool says_min = min > std::max(n_required, 1u);
  if (says_max || says_min || most_optional > kManyOptional)
    return listed_members(members, min, max, true, span);
  return ordered_members(members, span);
}

ExprId Writer::listed_members(const std::vector<Member>& members, uint32_t min, uint32_t max,
                              bool is_ordered, SourceSpan span) {
  AnyOrderBounds bounds;
  bounds.is_ordered = is_ordered;
  bounds.min_total = std::max(min, 1u);
  bounds.max_total = max == kUnbounded ? AnyOrderBounds::kNoMax : max;
  bounds.members.reserve(members.size());
  std::vector<ExprId> children;
  children.reserve(members.size() + 1);
  for (const Member& member : members) {
    const SourceSpan span = builder_.expr(member.expr).span;
    const RuleId rule = builder_.add_rule(unique_name(concat(member.name, "_pair")), span);
    builder_.set_body(rule, member.expr, span);
    bounds.members.push_back({member.is_required, member.may_repeat});
    children.push_back(builder_.rule_ref(rule, span));
  }
  if (!bounds.is_possible()) return builder_.nothing(span);
  children.push_back(layout_.separator());
  return builder_.any_order(std::move(bounds), children, span);
}

// Written out: for each member, the members that may follow it.
ExprId Writer::ordered_members(const std::vector<Member>& members, SourceSpan span) {
  const auto behind = [&](const Member& member) {
    const ExprId one = sequence({layout_.comma(), member.expr}, span);
    if (member.is_required) return one;
    return builder_.repeat(one, 0, member.may_repeat ? kNoUpperBound : 1, span);
  };
  const auto first_required = static_cast<size_t>(
      std::find_if(members.begin(), members.end(), [](const Member& m) { return m.is_required; }) -
      members.begin());
  std::vector<ExprId> parts;
  const auto go_on_from = [&](size_t i) {
    for (; i < members.size(); ++i) parts.push_back(behind(members[i]));
    return sequence(std::exchange(parts, {}), span);
  };
  if (first_required < members.size()) {
    // Each optional member before it brings its own comma.
    for (size_t i = 0; i < first_required; ++i) {
      const ExprId one = sequence({members[i].expr, layout_.comma()}, span);
      parts.push_back(builder_.repeat(one, 0, members[i].may_repeat ? kNoUpperBound : 1, span));
    }
    parts.push_back(members[first_required].expr);
    return go_on_from(first_required + 1);
  }
  std::vector<ExprId> firsts;  // few: see kManyOptional
  for (size_t i = 0; i < members.size(); ++i) {
    parts.push_back(members[i].expr);
    firsts.push_back(go_on_from(members[i].may_repeat ? i : i + 1));
  }
  return builder_.choice(firsts, span);
}

}  // namespace xg2lab::json_schema
