#include "frontends/json_schema/slots.h"

#include <algorithm>
#include <array>

#include "support/findings.h"
#include "support/text.h"

namespace xg2lab::json_schema {
namespace {

constexpr std::array<std::string_view, 4> kKeywordsWithSlots{"enum", "const", "minItems",
                                                             "maxItems"};
constexpr std::array<std::string_view, 10> kBesideSlots{
    "type",       "minimum",   "maximum",   "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf", "minLength", "maxLength", "pattern",          "format"};

// A name as EBNF has it behind `$`.
bool is_slot_name(std::string_view name) {
  return is_rule_name(name) && name.find_first_of("-.") == std::string_view::npos;
}

}  // namespace

Slots::Slots(const JsonDocument& document, Coverage& coverage, bool is_template)
    : document_(document), coverage_(coverage), is_template_(is_template) {
  if (!is_template) return;
  is_slot_.resize(document.n_values());
  is_settled_.resize(document.n_values());
  for (size_t i = 0; i < document.n_values(); ++i) {
    const JsonId id(i);
    if (!document.is_object(id)) continue;
    const auto named = document.find(id, "$slot");
    is_slot_[i] = named && document.is_string(*named);
    if (!is_slot_[i]) continue;
    is_any_ = true;
    if (document.children(id).size() == 1 && is_slot_name(document.text(*named))) continue;
    is_settled_[i] = true;
    coverage.mistake(id, "bad_slot", concat(quoted(document.text(*named)), " is not a slot"),
                     "a slot is written {\"$slot\": \"name\"}, with a name of letters, digits and "
                     "underscores and nothing beside it");
  }
}

std::string Slots::name(JsonId value) const {
  return std::string(document_.text(*document_.find(value, "$slot")));
}

Slot Slots::take(JsonId value) {
  is_settled_[value.index()] = true;
  return {name(value), false, document_.span(value)};
}

bool Slots::is_well_placed(JsonId value) const {
  return std::ranges::find(kKeywordsWithSlots, document_.key(value)) != kKeywordsWithSlots.end();
}

void Slots::misplaced(JsonId value) {
  if (is_settled_[value.index()]) return;
  is_settled_[value.index()] = true;
  coverage_.mistake(value, "misplaced_slot",
                    concat("the slot ", quoted(concat("$", name(value))),
                           " is in a place that no argument can fill"),
                    "a slot may be the value of enum, const, minItems or maxItems, in a schema "
                    "that is used");
}

void Slots::refuse(JsonId value) {
  is_settled_[value.index()] = true;
  coverage_.mistake(
      value, "misplaced_slot",
      concat("the slot ", quoted(concat("$", name(value))),
             " has no value yet to compare with the other conditions here"),
      "write all conditions into the schema of the slot; anyOf compares nothing, but allOf, oneOf, "
      "not, if and the keywords beside a $ref do");
}

void Slots::refuse_beside(JsonId keyword, JsonId slot) {
  is_settled_[slot.index()] = true;
  coverage_.mistake(
      keyword, "misplaced_slot",
      concat(quoted(document_.key(keyword)), " is beside the slot ",
             quoted(concat("$", name(slot))), ", which has no value yet to compare it with"),
      concat("a slot for enum or const may have beside it ", join(kBesideSlots, ", ")));
}

void Slots::finish() {
  for (size_t i = 0; i < is_slot_.size(); ++i) {
    if (is_slot_[i]) misplaced(JsonId(i));
  }
}

bool may_stand_beside_slot(std::string_view keyword) {
  return std::ranges::find(kBesideSlots, keyword) != kBesideSlots.end();
}

}  // namespace xg2lab::json_schema
