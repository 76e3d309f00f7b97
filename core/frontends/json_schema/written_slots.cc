// The parts of Writer that write holes: of values, and of the bounds of arrays.
#include <array>
#include <memory>

#include "frontends/json_schema/slot_values.h"
#include "frontends/json_schema/writer.h"
#include "support/text.h"

namespace xg2lab::json_schema {

RuleId Writer::add_inner_rule(ExprId body, SourceSpan span) {
  const RuleId rule = builder_.add_rule(concat("$", builder_.n_rules()), span);
  builder_.set_body(rule, body, span);
  return rule;
}

ExprId Writer::add_hole(Hole hole) {
  const SourceSpan span = hole.span;
  std::vector<ExprId> parts;
  for (RuleId rule : hole.rules) parts.push_back(builder_.rule_ref(rule, span));
  const ExprId body = parts.empty() ? builder_.empty(span) : builder_.choice(parts, span);
  const RuleId rule = add_inner_rule(body, span);
  holes_.resize(builder_.n_rules());
  holes_.back() = std::move(hole);
  return builder_.rule_ref(rule, span);
}

// The `$schema` by which a value of the schema is read.
std::optional<JsonId> Writer::dialect_of(JsonId value) const {
  for (std::optional<JsonId> above = value; above; above = document_.parent(*above)) {
    if (!document_.is_object(*above)) continue;
    const auto named = document_.find(*above, "$schema");
    if (named && document_.is_string(*named)) return named;
  }
  return std::nullopt;
}

ExprId Writer::slot_values(const SlotCase& c) {
  Options options = options_;
  options.depth = layout_.depth();
  Hole hole;
  hole.kind = document_.key(c.slot) == "enum" ? HoleKind::kValues : HoleKind::kValue;
  hole.slot = slots_.take(c.slot);
  hole.span = hole.slot.span;
  hole.values =
      std::make_shared<const SlotValues>(document_, c.beside, dialect_of(c.slot), c.types, options);
  return add_hole(std::move(hole));
}

// ---- Arrays whose number of items is a slot ----

// Whether the array can be written: a list of equal items with one bound on either side.
bool Writer::check_slots(const ArrayCase& c) {
  const auto refuse = [&](const std::vector<JsonId>& slots) {
    for (JsonId slot : slots) slots_.refuse(slot);
    return slots.empty();
  };
  const bool is_plain = c.prefix.empty() && c.contains.empty() && !c.unique && c.max != 0;
  const bool has_one_min = c.min_slots.size() + (c.min > 0 ? 1 : 0) <= 1;
  const bool has_one_max = c.max_slots.size() + (c.max != kUnbounded ? 1 : 0) <= 1;
  const bool is_well_min = (is_plain && has_one_min) || refuse(c.min_slots);
  const bool is_well_max = (is_plain && has_one_max) || refuse(c.max_slots);
  return is_well_min && is_well_max;
}

// The number of items decides whether there is a first one:
//   $lo is 0, and $hi is 0:   "[" "]"
//   $lo is 0:                 "[" (item more)? "]"         more: (comma item){$lo-1,$hi-1}
//   otherwise:                "[" item more "]"
ExprId Writer::array_of_slots(const ArrayCase& c, SourceSpan span) {
  if (!check_slots(c)) return builder_.nothing(span);
  const auto slot_of = [&](const std::vector<JsonId>& slots) {
    return slots.empty() ? std::nullopt : std::optional(slots_.take(slots.front()));
  };
  Hole more;
  more.kind = HoleKind::kRepeat;
  more.min = {c.min, slot_of(c.min_slots)};
  more.max = {c.max == kUnbounded ? kNoUpperBound : c.max, slot_of(c.max_slots)};
  more.n_before = 1;
  more.span = more.max.slot ? more.max.slot->span : more.min.slot->span;
  const ExprId first = value(c.item(0));
  more.rules.push_back(add_inner_rule(sequence({layout_.comma(), first}, span), span));
  const HoleBound min = more.min;
  const HoleBound max = more.max;
  const ExprId items = sequence({first, add_hole(std::move(more))}, span);

  const auto if_zero = [&](const Slot& slot, ExprId then, ExprId otherwise) {
    Hole hole;
    hole.kind = HoleKind::kIfZero;
    hole.span = span;
    hole.slot = slot;
    hole.rules = {add_inner_rule(then, span), add_inner_rule(otherwise, span)};
    return add_hole(std::move(hole));
  };
  const ExprId some = brackets("[", items, "]", false, span);
  if (!min.slot && min.number > 0) return some;
  ExprId any = brackets("[", items, "]", true, span);
  if (max.slot) any = if_zero(*max.slot, layout_.empty("[", "]"), any);
  return min.slot ? if_zero(*min.slot, any, some) : any;
}

}  // namespace xg2lab::json_schema
