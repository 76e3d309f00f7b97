#include "frontends/json_schema/names.h"

#include <algorithm>
#include <utility>

#include "automata/other_names.h"
#include "support/error.h"
#include "support/text.h"

namespace xg2lab::json_schema {
namespace {

constexpr size_t kMostRegions = 64;

}  // namespace

bool Names::applies(const NameFilter& filter, const NameRegion& region) {
  const auto matches = [&](ConditionId pattern) {
    return std::binary_search(region.patterns.begin(), region.patterns.end(), pattern);
  };
  if (filter.pattern) return matches(*filter.pattern);
  return std::none_of(filter.except_patterns.begin(), filter.except_patterns.end(), matches);
}

CodePointDfa Names::language(const NameRegion& region) {
  if (region.language) return *region.language;
  std::vector<std::vector<uint32_t>> texts;
  for (std::string_view name : region.but) texts.push_back(code_points(name));
  return complement(one_of_texts(texts));
}

std::string Names::words(const NameRegion& region) {
  if (region.language) return region.language_words;
  if (region.but.empty()) return "[^]*";
  std::string words = "(?!(?:";
  for (std::string_view name : region.but) words += escaped_pattern(name) + "|";
  words.back() = ')';
  return words + "$)[^]*";
}

ExprId Names::key(const NameRegion& region, SourceSpan span, JsonId origin) {
  const std::string pattern = words(region);
  std::string macro = macro_words(pattern, Spelling::kJsonName);
  if (const auto known = texts_.known(macro, span)) return *known;
  auto fsm = region.language != nullptr ? std::nullopt : other_names(region.but);
  if (fsm) return texts_.of_machine(std::move(*fsm), std::move(macro), span);
  return texts_.of_language(language(region), pattern, Spelling::kJsonName, span, origin);
}

std::vector<NameRegion> Names::split(std::vector<NameRegion> regions, const CodePointDfa& by,
                                     const std::string& words, JsonId origin,
                                     const std::function<void(NameRegion&, bool)>& mark) {
  std::vector<NameRegion> halves;
  for (NameRegion& region : regions) {
    const CodePointDfa whole = language(region);
    const std::string words_of_region = Names::words(region);
    for (const bool is_in : {true, false}) {
      auto half = is_in ? intersect(whole, by) : subtract(whole, by);
      if (!half || halves.size() >= kMostRegions) {
        coverage_.refuse(origin, "names_too_large",
                         "the patterns divide property names into too many or too large groups",
                         "use fewer or simpler patterns beside each other");
        return {};
      }
      if (half->is_empty()) continue;
      NameRegion& made = halves.emplace_back(region);
      made.language = std::make_shared<const CodePointDfa>(std::move(*half));
      made.language_words = (is_in ? "(?=" : "(?!") + words + "$)" + words_of_region;
      mark(made, is_in);
    }
  }
  return halves;
}

CodePointDfa Names::strings(FormulaId formula, std::string& words, JsonId origin) {
  CodePointDfa all = nothing();
  words = "(?:";
  algebra_.refuse_slots(formula);
  for (const StringCase& c : algebra_.cases(formula).strings) {
    const MaybeDfa one = texts_.language(c, origin);
    const MaybeDfa more = one ? unite(all, *one) : std::nullopt;
    if (!more) continue;  // reported
    all = *more;
    if (words.size() > 3) words += '|';
    if (!c.values) {
      words += texts_.words(c);
      continue;
    }
    words += join(*c.values, "|", escaped_pattern);
  }
  if (words.size() == 3) words += "[]";
  words += ")";
  return all;
}

std::vector<NameRegion> Names::regions(const ObjectCase& c,
                                       const std::vector<std::string_view>& taken, JsonId origin) {
  std::vector<ConditionId> patterns;
  for (const auto* list : {&c.others, &c.some}) {
    for (const Others& others : *list) {
      if (others.filter.pattern) patterns.push_back(*others.filter.pattern);
      patterns.insert(patterns.end(), others.filter.except_patterns.begin(),
                      others.filter.except_patterns.end());
    }
  }
  std::sort(patterns.begin(), patterns.end());
  patterns.erase(std::unique(patterns.begin(), patterns.end()), patterns.end());
  if (patterns.empty() && c.names.empty() && c.odd_names.empty())
    return divided(c, taken, patterns, origin);
  std::string asked;
  const auto add = [&](const char* kind, uint32_t id) { asked += concat(kind, id); };
  for (ConditionId pattern : patterns) add("p", pattern.value);
  for (FormulaId names : c.names) add("n", names.value);
  for (FormulaId names : c.odd_names) add("o", names.value);
  for (std::string_view name : taken) {
    add(":", static_cast<uint32_t>(name.size()));
    asked += ' ';
    asked += name;
  }
  if (const auto known = known_.find(asked); known != known_.end()) return known->second;
  auto regions = divided(c, taken, patterns, origin);
  // otherwise it may have been refused
  if (!regions.empty()) known_.emplace(std::move(asked), regions);
  return regions;
}

std::vector<NameRegion> Names::divided(const ObjectCase& c,
                                       const std::vector<std::string_view>& taken,
                                       const std::vector<ConditionId>& patterns, JsonId origin) {
  std::vector<NameRegion> regions(1);
  regions.front().but = taken;
  regions.front().is_odd.resize(c.odd_names.size());
  for (ConditionId pattern : patterns) {
    const Condition& condition = conditions_[pattern];
    regions = split(std::move(regions), conditions_.language(pattern),
                    "[^]*(?:" + condition.text + ")[^]*", condition.origin,
                    [pattern](NameRegion& region, bool is_in) {
                      if (is_in) region.patterns.push_back(pattern);
                    });
  }
  for (FormulaId formula : c.names) {
    std::string words;
    const CodePointDfa names = strings(formula, words, origin);
    regions = split(std::move(regions), names, words, origin, [](NameRegion& region, bool is_in) {
      if (!is_in) region.language = std::make_shared<const CodePointDfa>(nothing());
    });
    std::erase_if(regions, [](const NameRegion& region) { return region.language->is_empty(); });
  }
  for (size_t i = 0; i < c.odd_names.size(); ++i) {
    std::string words;
    const CodePointDfa names = strings(c.odd_names[i], words, origin);
    regions = split(std::move(regions), names, words, origin,
                    [i](NameRegion& region, bool is_in) { region.is_odd[i] = is_in; });
  }
  return regions;
}

}  // namespace xg2lab::json_schema
