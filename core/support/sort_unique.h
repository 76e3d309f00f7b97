// A vector as a set: sorted, without duplicates.
#pragma once

#include <algorithm>
#include <vector>

namespace xg2lab {

template <class T>
void sort_unique(std::vector<T>& values) {
  if (!std::is_sorted(values.begin(), values.end())) std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace xg2lab
