// Edit distance with three rows, and a threshold.
// Read: edit_cost, then closest_name.
// The trick: costs are doubled, so that a change of letter case can cost half an edit.
#include "support/suggest.h"

#include <algorithm>

namespace xg2lab {
namespace {

constexpr size_t kEdit = 2;
constexpr size_t kCaseChange = 1;
constexpr size_t kLongestName = 64;  // longer names get no suggestion

char lower(char byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte; }

size_t replace_cost(char a, char b) {
  if (a == b) return 0;
  return lower(a) == lower(b) ? kCaseChange : kEdit;
}

// Optimal string alignment distance.
size_t edit_cost(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j * kEdit;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i * kEdit;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min(
          {last[j] + kEdit, row[j - 1] + kEdit, last[j - 1] + replace_cost(a[i - 1], b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + kEdit);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> closest_name(std::string_view wanted,
                                        const std::vector<std::string_view>& candidates) {
  if (wanted.size() > kLongestName) return std::nullopt;
  // One edit for a name of up to four bytes, and one more for every three further bytes.
  const size_t most = kEdit * std::max<size_t>(1, (wanted.size() + 1) / 3);
  size_t best_cost = most + 1;
  std::optional<std::string> best;
  for (std::string_view candidate : candidates) {
    const size_t shorter = std::min(candidate.size(), wanted.size());
    const size_t longer = std::max(candidate.size(), wanted.size());
    if ((longer - shorter) * kEdit >= best_cost) continue;
    const size_t cost = edit_cost(wanted, candidate);
    // a name with nothing in common is no suggestion
    if (cost >= best_cost || cost >= kEdit * longer) continue;
    best_cost = cost;
    best = std::string(candidate);
  }
  return best;
}

}  // namespace xg2lab
