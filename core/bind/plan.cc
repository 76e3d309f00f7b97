// The plan of masks as a function, for tests: facts in, the way out.
#include <pybind11/stl.h>

#include <optional>
#include <string>

#include "bind/bind.h"
#include "bind/mask_costs.h"
#include "mask/plan/plan.h"

namespace xg2lab::bind {
namespace {

// Facts given by a test, in place of those that the engine computes.
struct GivenColumn {
  const py::dict& facts;

  bool flag(const char* name) const { return facts[name].cast<bool>(); }
  size_t count(const char* name) const { return facts[name].cast<size_t>(); }

  bool expects_token() const { return flag("expects_token"); }
  bool is_in_counted_run() const { return flag("is_in_counted_run"); }
  size_t n_missing() const { return count("n_missing"); }
  size_t n_uncertain() const { return count("n_uncertain"); }
  size_t n_counted_callers() const { return count("n_counted_callers"); }
  bool words_follow() const { return flag("words_follow"); }
  bool may_share_walks() const { return flag("may_share_walks"); }
  bool is_first_of_words() const { return flag("is_first_of_words"); }
  bool walks_make_columns() const { return flag("walks_make_columns"); }
  bool entry_would_decide_little() const { return flag("entry_would_decide_little"); }
};

struct GivenState {
  const py::dict& facts;

  bool flag(const char* name) const { return facts[name].cast<bool>(); }

  bool words_follow() const { return flag("words_follow"); }
  bool words_follow_at_once() const { return flag("words_follow_at_once"); }
  bool is_left_at_once() const { return flag("is_left_at_once"); }
  bool may_share_walks() const { return flag("may_share_walks"); }
  bool entries_decide_little() const { return flag("entries_decide_little"); }
  bool is_text() const { return flag("is_text"); }
};

MaskWays ways_of(const py::dict& ways) {
  const auto flag = [&](const char* name) { return ways[name].cast<bool>(); };
  return {flag("entries"), flag("walks"), flag("shared_walks"), flag("counted_runs")};
}

}  // namespace

void bind_plan(py::module_& module) {
  module.def(
      "plan_mask",
      [](const py::dict& column, const py::dict& ways,
         const std::optional<GivenCosts>& costs) -> std::string {
        return mask_way_name(plan_mask(GivenColumn{column}, ways_of(ways), costs_of(costs)));
      },
      py::arg("column"), py::arg("ways"), py::arg("costs") = py::none(),
      "The way in which the mask of a column with these facts is made (core/mask/plan/plan.h).");
  module.def(
      "entry_would_decide_little",
      [](const py::dict& state, const py::dict& ways) {
        return entry_would_decide_little(GivenState{state}, ways_of(ways));
      },
      py::arg("state"), py::arg("ways"),
      "Whether the entry of such a state would leave most tokens to its contexts.");
}

}  // namespace xg2lab::bind
