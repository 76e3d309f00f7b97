// Parts of class Algebra: which alternatives may share an object.
#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "frontends/json_schema/algebra.h"
#include "support/budget.h"
#include "support/sort_unique.h"

namespace xg2lab::json_schema {

std::optional<std::vector<std::string_view>> Algebra::texts_of(const CaseSet& set,
                                                               std::string_view name) {
  if (set.objects.empty() || set.size() != set.objects.size()) return std::nullopt;
  std::vector<std::string_view> texts;
  for (const ObjectCase& c : set.objects) {
    const Property* const property = c.find(name);
    if (property == nullptr || property->presence != Presence::kRequired) return std::nullopt;
    const CaseSet* const values = look(property->value);
    if (values == nullptr || values->size() != values->strings.size()) return std::nullopt;
    for (const StringCase& text : values->strings) {
      if (!text.values) return std::nullopt;
      texts.insert(texts.end(), text.values->begin(), text.values->end());
    }
  }
  return texts;
}

// One property often distinguishes alternatives of objects: {kind: "a", ...}, {kind: "b", ...}.
// Alternatives with different values share no object, which is found without comparing all pairs.
std::vector<std::vector<size_t>> Algebra::overlaps(const std::vector<CaseSet>& alternatives) {
  constexpr size_t kFewAlternatives = 8;
  constexpr size_t kMostNames = 8;
  const size_t n = alternatives.size();
  std::vector<std::vector<size_t>> others(n);
  std::vector<std::optional<std::vector<std::string_view>>> texts(n);
  if (n > kFewAlternatives) {
    const auto first = std::ranges::find_if(
        alternatives, [](const CaseSet& alternative) { return !alternative.objects.empty(); });
    size_t n_names = first == alternatives.end() ? 0 : first->objects.front().properties.size();
    size_t most_told = 0;
    for (size_t k = 0; k < std::min(n_names, kMostNames); ++k) {
      const std::string_view name = first->objects.front().properties[k].name;
      std::vector<std::optional<std::vector<std::string_view>>> by_name;
      by_name.reserve(n);
      for (const CaseSet& alternative : alternatives)
        by_name.push_back(texts_of(alternative, name));
      const auto n_told = static_cast<size_t>(
          std::ranges::count_if(by_name, [](const auto& known) { return known.has_value(); }));
      if (n_told <= most_told) continue;
      most_told = n_told;
      texts = std::move(by_name);
    }
  }
  std::unordered_map<std::string_view, std::vector<size_t>> with_text;
  std::vector<size_t> untold;
  for (size_t i = 0; i < n; ++i) {
    if (!texts[i]) untold.push_back(i);
    else
      for (const std::string_view text : *texts[i]) with_text[text].push_back(i);
  }
  for (size_t i = 0; i < n; ++i) {
    std::vector<size_t>& of_this = others[i];
    if (texts[i]) {
      of_this = untold;
      for (const std::string_view text : *texts[i]) {
        const std::vector<size_t>& same = with_text[text];
        of_this.insert(of_this.end(), same.begin(), same.end());
      }
      sort_unique(of_this);
    } else {
      of_this.resize(n);
      std::iota(of_this.begin(), of_this.end(), size_t{0});
    }
    std::erase(of_this, i);
    count_work("combining schemas", of_this.size());
  }
  return others;
}

}  // namespace xg2lab::json_schema
