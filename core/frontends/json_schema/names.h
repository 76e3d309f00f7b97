// Names of properties that are not spoken of one by one, in groups of those about which the same is said.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   "patternProperties" and "propertyNames" divide all names into regions: matched by this pattern and not by that. Each region is a
//   regular language; names that are declared are taken out of all of them. A region without names is dropped.
//
// EXAMPLE   properties: {id}, patternProperties: {^x-}   regions: x-... ; everything else but "id".
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
  std::vector<std::string_view> but;  // of a region that isn't divided: all names but these
  std::shared_ptr<const CodePointDfa> language;  // of one that is; null: not made
  std::string words;                  // a pattern that matches the same, if it is divided
  std::vector<ConditionId> patterns;  // those of the case that these names match; sorted
  std::vector<bool> is_odd;           // index: ObjectCase::odd_names

  bool is_everything() const { return !language && but.empty(); }
};

class Names {
 public:
  Names(Algebra& algebra, Conditions& conditions, Texts& texts, Coverage& coverage)
      : algebra_(algebra), conditions_(conditions), texts_(texts), coverage_(coverage) {}

  // The regions of all names but `taken`, as far as the case allows the names. Objects that ask the same share them: alternatives of
  // one object often do.
  std::vector<NameRegion> regions(const ObjectCase& c, const std::vector<std::string_view>& taken,
                                  JsonId origin);
  static bool applies(const NameFilter& filter, const NameRegion& region);
  static CodePointDfa language(const NameRegion& region);
  static std::string words(const NameRegion& region);
  // A name of the region, which is not all names, with the quotes.
  ExprId key(const NameRegion& region, SourceSpan span, JsonId origin);

 private:
  std::vector<NameRegion> split(std::vector<NameRegion> regions, const CodePointDfa& by,
                                const std::string& words, JsonId origin,
                                const std::function<void(NameRegion&, bool)>& mark);
  // The strings of which a formula holds.
  CodePointDfa strings(FormulaId formula, std::string& words, JsonId origin);

  std::vector<NameRegion> divided(const ObjectCase& c, const std::vector<std::string_view>& taken,
                                  const std::vector<ConditionId>& patterns, JsonId origin);

  Algebra& algebra_;
  Conditions& conditions_;
  Texts& texts_;
  Coverage& coverage_;
  std::unordered_map<std::string, std::vector<NameRegion>> known_;  // by all that was asked
};

}  // namespace xg2lab::json_schema
