// Conditions on strings: patterns and formats by name, whose languages are built on demand.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   A schema uses "pattern" or "format" in many places, and most of them need no language: the
//   regular-expression front end writes a single pattern. Only where conditions are combined (two
//   patterns, a pattern and a length, "not", names of properties) are their languages needed; each
//   is built once.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "automata/code_point_dfa.h"
#include "support/ids.h"
#include "support/json_value.h"

namespace xg2lab::json_schema {

using ConditionId = Id<struct ConditionTag>;

enum class ConditionKind : uint8_t { kPattern, kFormat };

struct TextLengths {
  uint32_t min = 0;
  uint32_t max = kNoLongest;
};

struct Condition {
  ConditionKind kind;
  std::string text;  // the pattern, or the format's name
  JsonId origin;     // its first occurrence
};

class Conditions {
 public:
  ConditionId add(ConditionKind kind, std::string_view text, JsonId origin);
  const Condition& operator[](ConditionId id) const { return conditions_[id.index()]; }
  // Throws Error if the pattern is invalid or needs too large a machine.
  const CodePointDfa& language(ConditionId id);
  // The texts that satisfy all conditions of `kept` and none of the others. Nothing if the machine
  // is too large. The reference stays valid.
  const MaybeDfa& language(std::span<const ConditionId> kept,
                           std::span<const ConditionId> excluded);
  bool accepts(ConditionId id, std::string_view text);
  // The lengths of the texts of a condition.
  TextLengths lengths(ConditionId id);

 private:
  std::vector<Condition> conditions_;
  std::vector<std::shared_ptr<const CodePointDfa>> languages_;  // null: not built yet
  std::vector<std::optional<TextLengths>> lengths_;
  // Languages of combinations, by the conditions kept and excluded. The check for satisfiability
  // and the writer need the same ones.
  std::map<std::pair<std::vector<ConditionId>, std::vector<ConditionId>>, MaybeDfa> together_;
  std::map<std::pair<ConditionKind, std::string>, ConditionId> known_;
};

std::vector<uint32_t> code_points(std::string_view utf8);

}  // namespace xg2lab::json_schema
