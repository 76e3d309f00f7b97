// "Did you mean ...": the known name closest to an unknown name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xg2lab {

// The candidate with the least edit distance (insert, delete, replace, swap neighbours; a change of
// letter case counts half), if the distance is small relative to the name's length. Among equal
// ones the first. COST O(n_candidates * length^2); the caller limits n_candidates.
std::optional<std::string> closest_name(std::string_view wanted,
                                        const std::vector<std::string_view>& candidates);

}  // namespace xg2lab
