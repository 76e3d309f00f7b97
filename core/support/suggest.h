// "Did you mean ...": the known name nearest to an unknown one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xg2lab {

// The candidate with the smallest edit distance (insert, delete, replace, swap neighbours; letter
// case counts half), if that is small beside the name's length. Ties: the first candidate. COST
// O(n_candidates * length^2); the caller bounds n_candidates.
std::optional<std::string> closest_name(std::string_view wanted,
                                        const std::vector<std::string_view>& candidates);

}  // namespace xg2lab
