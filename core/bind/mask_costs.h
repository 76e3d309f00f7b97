// Thresholds of the plan and of the walks (mask/plan/mask_costs.h) from Python, for tests.
//
// Tests: tests/differential/test_mask_costs.py
//
// IDEA
//   No threshold changes a mask, and users choose none. Tests set thresholds by name, so that small
//   grammars and vocabularies take every way to a mask.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "bind/bind.h"
#include "mask/plan/mask_costs.h"

namespace xg2lab::bind {

using GivenCosts = std::map<std::string, int64_t>;

// The default thresholds with the given ones in their places. Throws ArgumentError for a name that
// no threshold has, and for a value that the threshold can't have.
MaskCosts costs_of(const std::optional<GivenCosts>& given);

}  // namespace xg2lab::bind
