// The names of undeclared properties, in groups with equal requirements.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   "patternProperties" and "propertyNames" partition all names into regions by the patterns that a
//   name matches. Each region is a regular language without the declared names. Empty regions are
//   dropped.
//
// EXAMPLE   properties: {id}, patternProperties: {^x-}   regions: x-... ; all other names but "id".
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontends/json_schema/algebra.h"
#include "frontends/json_schema/texts.h"

namespace xg2lab::json_schema {

struct NameRegion {
  std::vector<std::string_view> but;             // of an undivided region: all names except these
  std::shared_ptr<const CodePointDfa> language;  // of a divided region; null: not made
  std::string language_words;                    // a pattern that matches the same as `language`
  std::vector<ConditionId> patterns;  // the case's patterns that these names match; sorted
  std::vector<bool> is_odd;           // index: ObjectCase::odd_names

  bool is_everything() const { return !language && but.empty(); }
};

class Names {
 public:
  Names(Algebra& algebra, Conditions& conditions, Texts& texts, Coverage& coverage)
      : algebra_(algebra), conditions_(conditions), texts_(texts), coverage_(coverage) {}

  // The regions of all names except `taken` that the case permits. Objects with equal queries share
  // the result, as the alternatives of one object often do.
  std::vector<NameRegion> regions(const ObjectCase& c, const std::vector<std::string_view>& taken,
                                  JsonId origin);
  static bool applies(const NameFilter& filter, const NameRegion& region);
  static CodePointDfa language(const NameRegion& region);
  static std::string words(const NameRegion& region);
  // A name of the region, with its quotes; the region must not be all names.
  ExprId key(const NameRegion& region, SourceSpan span, JsonId origin);

 private:
  std::vector<NameRegion> split(std::vector<NameRegion> regions, const CodePointDfa& by,
                                const std::string& words, JsonId origin,
                                const std::function<void(NameRegion&, bool)>& mark);
  // The strings that satisfy a formula.
  CodePointDfa strings(FormulaId formula, std::string& words, JsonId origin);

  std::vector<NameRegion> divided(const ObjectCase& c, const std::vector<std::string_view>& taken,
                                  const std::vector<ConditionId>& patterns, JsonId origin);

  Algebra& algebra_;
  Conditions& conditions_;
  Texts& texts_;
  Coverage& coverage_;
  std::unordered_map<std::string, std::vector<NameRegion>> known_;  // by the complete query
};

}  // namespace xg2lab::json_schema
