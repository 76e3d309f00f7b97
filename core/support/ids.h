// Ids as types: an id of one kind can't be passed where another kind is expected.
//
// IDEA
//   Rules, expressions, states, tokens and columns are all small integers. Each gets its own
//   struct, so that `program.state(rule_id)` does not compile. The value is public: an id is a
//   name, not an abstraction.
//
// INVARIANTS
//   I1  an id's value is an index into the table of its owner (Grammar, Program, Vocabulary ...)
//   I2  absence is std::optional or a named constant, never a magic number at the call site
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace xg2lab {

template <class Tag>
struct Id {
  uint32_t value = 0;

  constexpr Id() = default;
  constexpr explicit Id(uint32_t v) : value(v) {}
  constexpr explicit Id(size_t v) : value(static_cast<uint32_t>(v)) {}
  constexpr explicit Id(int v) : value(static_cast<uint32_t>(v)) {}
  constexpr size_t index() const { return value; }
  friend constexpr auto operator<=>(Id, Id) = default;
};

using RuleId = Id<struct RuleTag>;          // a named production of a Grammar or Program
using ExprId = Id<struct ExprTag>;          // a node of a Grammar's expressions
using StateId = Id<struct StateTag>;        // a state, numbered through all rules of a Program
using TokenId = Id<struct TokenTag>;        // the model's number for a token
using TokenRank = Id<struct TokenRankTag>;  // a token's place in byte order; tries count in ranks
using ColumnId = Id<struct ColumnTag>;      // a column (Earley set) of a column table
using ContextId = Id<struct ContextTag>;    // the items that wait where a rule began

}  // namespace xg2lab

template <class Tag>
struct std::hash<xg2lab::Id<Tag>> {
  size_t operator()(xg2lab::Id<Tag> id) const noexcept { return id.value; }
};
