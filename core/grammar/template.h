// Template: a grammar with holes that the arguments of a request fill.
//
// Tests: tests/core/test_template.py, tests/differential/test_template.py
//
// IDEA
//   WGrammar splits a constraint into a structure, which is known beforehand, and the arguments of a
//   request. Here the structure is a Grammar in which each hole is a rule of its own, so that every pass and every
//   analysis sees a reference to a rule. The hole says how the rule's meaning follows from
//   arguments. An argument is named by a slot: `$x` of the mapping that the hole's rule is written
//   for, `$$x` of the request.
//
//     hole               filled by          means
//     $x                 text               these bytes
//     OneOf($xs)         list of texts      one of them
//     e{$lo,$hi}         integers           e, that often
//     If($b, e, f)       truth value        e or f
//     Each($xs, r, sep)  list of mappings   r for each mapping, in order, with sep between two
//     Use($g)            Grammar            what the grammar matches
//
// INVARIANTS
//   I1  a hole's rule is named `$` and a number; its body refers to the rules of the hole, so that
//       a search for used rules finds them
//   I2  a hole has as many slots and rules as HoleKind says
//
// SEE ALSO  WGrammar section 3.1; templates/write_out.h gives the meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grammar/grammar.h"

namespace xg2lab {

enum class HoleKind : uint8_t {
  kText,    // one slot
  kOneOf,   // one slot
  kRepeat,  // a slot for each bound that is no number; one rule: what is repeated
  kIf,      // one slot; two rules: if the argument is true, if it is false
  kEach,    // one slot; the rule for each mapping, then the separator's rule if there is one
  kUse,     // one slot
};

struct Slot {
  std::string name;            // without `$`
  bool is_of_request = false;  // `$$x`
  SourceSpan span;
};

// A bound of a repetition: a number, or a slot.
struct HoleBound {
  uint32_t number = 0;       // kNoUpperBound: no limit
  std::optional<Slot> slot;  // instead of the number
};

struct Hole {
  HoleKind kind = HoleKind::kText;
  SourceSpan span;
  Slot slot;      // of every kind but kRepeat
  HoleBound min;  // kRepeat
  HoleBound max;  // kRepeat
  std::vector<RuleId> rules;
};

struct Template {
  Grammar grammar;
  std::vector<std::optional<Hole>> holes;  // index: RuleId; nothing for rules that are no holes

  const Hole* hole(RuleId rule) const {
    return holes[rule.index()] ? &*holes[rule.index()] : nullptr;
  }
};

}  // namespace xg2lab
