// Read: kCostFields, the list of all thresholds; costs_of() sets them, mask_costs() lists them.
#include "bind/mask_costs.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <variant>

#include "support/error.h"
#include "support/text.h"

namespace xg2lab::bind {
namespace {

struct CostField {
  const char* name;
  std::variant<size_t MaskCosts::*, uint32_t MaskCosts::*, int MaskCosts::*> member;
  int64_t least = 0;  // 1 for a threshold that divides
};

constexpr auto kCostFields = std::to_array<CostField>({
    {"least_missing_for_walk", &MaskCosts::least_missing_for_walk},
    {"most_uncertain", &MaskCosts::most_uncertain},
    {"most_counted_callers", &MaskCosts::most_counted_callers},
    {"most_new_columns", &MaskCosts::most_new_columns},
    {"least_text_callers", &MaskCosts::least_text_callers},
    {"least_home_characters", &MaskCosts::least_home_characters},
    {"nodes_an_exit_of_home", &MaskCosts::nodes_an_exit_of_home, 1},
    {"nodes_a_few_exits", &MaskCosts::nodes_a_few_exits, 1},
    {"nodes_an_exit_of_chain", &MaskCosts::nodes_an_exit_of_chain, 1},
    {"nodes_beside", &MaskCosts::nodes_beside, 1},
    {"least_nodes_beside", &MaskCosts::least_nodes_beside},
    {"least_left_for_home", &MaskCosts::least_left_for_home},
    {"most_nested_walks", &MaskCosts::most_nested_walks},
    {"most_homes_in_context", &MaskCosts::most_homes_in_context},
    {"most_shared_steps", &MaskCosts::most_shared_steps},
    {"least_kept_nodes", &MaskCosts::least_kept_nodes},
    {"least_name_edges", &MaskCosts::least_name_edges},
    {"nodes_a_name_edge", &MaskCosts::nodes_a_name_edge, 1},
    {"most_named_states", &MaskCosts::most_named_states},
    {"nodes_a_short_walk", &MaskCosts::nodes_a_short_walk, 1},
});
constexpr int64_t kMost = std::numeric_limits<int32_t>::max();  // what each of the types holds

// The list has each field of MaskCosts: the struct takes as many values as the list is long, and
// not one more.
struct AnyNumber {
  template <class T>
  operator T() const;
};
template <size_t... kAt>
constexpr bool takes_values(std::index_sequence<kAt...>) {
  return requires { MaskCosts{(static_cast<void>(kAt), AnyNumber())...}; };
}
static_assert(takes_values(std::make_index_sequence<kCostFields.size()>()));
static_assert(!takes_values(std::make_index_sequence<kCostFields.size() + 1>()),
              "kCostFields lacks a field of MaskCosts");

}  // namespace

MaskCosts costs_of(const std::optional<GivenCosts>& given) {
  MaskCosts costs;
  if (!given) return costs;
  for (const auto& [name, value] : *given) {
    const auto* const field = std::ranges::find(
        kCostFields, name, [](const CostField& each) { return std::string_view(each.name); });
    if (field == kCostFields.end())
      throw Error(ErrorKind::kArgumentError, concat("no threshold is named ", name));
    if (value < field->least || value > kMost) {
      throw Error(ErrorKind::kArgumentError,
                  concat(name, " is ", value, "; wanted ", field->least, " to ", kMost));
    }
    std::visit(
        [&](const auto member) {
          costs.*member = static_cast<std::remove_reference_t<decltype(costs.*member)>>(value);
        },
        field->member);
  }
  return costs;
}

void bind_mask_costs(py::module_& module) {
  module.def(
      "mask_costs",
      [] {
        std::map<std::string, std::pair<int64_t, int64_t>> all;
        const MaskCosts costs;
        for (const CostField& field : kCostFields) {
          const auto value = std::visit(
              [&](const auto member) { return static_cast<int64_t>(costs.*member); }, field.member);
          all[field.name] = {value, field.least};
        }
        return all;
      },
      "The thresholds of core/mask/plan/mask_costs.h: for each its default and the least value "
      "that it can have. For tests.");
}

}  // namespace xg2lab::bind
