// Conditions on strings, by name: patterns and formats, each a regular language that is made when somebody asks.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   A schema says "pattern" or "format" in many places, and most of them never have to be worked out: a pattern alone is written
//   by the regular-expression front end. Only where conditions meet (two patterns, a pattern and a length, "not",
//   names of properties) their languages are needed, and then each once.
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
  JsonId origin;     // where it was met first
};

class Conditions {
 public:
  ConditionId add(ConditionKind kind, std::string_view text, JsonId origin);
  const Condition& operator[](ConditionId id) const { return conditions_[id.index()]; }
  // Throws Error if the pattern is none, or needs too large a machine.
  const CodePointDfa& language(ConditionId id);
  // The texts that keep all of some and none of others. Nothing: too large a machine. It stays where it is.
  const MaybeDfa& language(std::span<const ConditionId> kept,
                           std::span<const ConditionId> excluded);
  bool accepts(ConditionId id, std::string_view text);
  // How long the texts of its language are.
  TextLengths lengths(ConditionId id);

 private:
  std::vector<Condition> conditions_;
  std::vector<std::shared_ptr<const CodePointDfa>> languages_;  // null: not made yet
  std::vector<std::optional<TextLengths>> lengths_;
  // Of several: whether a schema can be kept at all asks for what is written then. By those kept, and those excluded.
  std::map<std::pair<std::vector<ConditionId>, std::vector<ConditionId>>, MaybeDfa> together_;
  std::map<std::pair<ConditionKind, std::string>, ConditionId> known_;
};

std::vector<uint32_t> code_points(std::string_view utf8);

}  // namespace xg2lab::json_schema
