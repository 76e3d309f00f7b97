// Template: a grammar with holes that the arguments of a request fill.
//
// Tests: tests/core/test_template.py, tests/differential/test_template.py
//
// IDEA
//   WGrammar splits a constraint into a structure, which is known beforehand, and the arguments of
//   a request. Here the structure is a Grammar in which each hole is a rule of its own, so that
//   every pass and every analysis sees a reference to a rule. The hole defines how the rule's
//   meaning follows from arguments. An argument is named by a slot: `$x` of the mapping that the
//   hole's rule is written for, `$$x` of the request.
//
//     hole               filled by          means
//     $x                 text               these bytes
//     OneOf($xs)         list of texts      one of them
//     e{$lo,$hi}         integers           e, that often
//     If($b, e, f)       truth value        e or f
//     Each($xs, r, sep)  list of mappings   r for each mapping, in order, with sep between two
//     Use($g)            Grammar            what the grammar matches
//
//   Schemas (frontends/json_schema/slots.h) have three more kinds, which EBNF doesn't write:
//
//     const              JSON value         the value
//     enum               list of values     one of them
//     minItems, ...      integer            one rule if it is 0, another one if not
//
//   Text is bytes, which any tokens may spell. A template may instead take its literals and the
//   texts of arguments in the tokens that a tokenizer's encoder writes (templates/spelled.h): then
//   literals are token edges, and the holes of texts are marked.
//
// INVARIANTS
//   I1  a hole's rule is named `$` and a number; its body refers to the rules of the hole, so that
//       a search for used rules finds them
//   I2  a hole has the numbers of slots and rules that HoleKind lists
//   I3  only kText and kOneOf are spelled, and only in a template with a `spelling`
//
// SEE ALSO  WGrammar section 3.1; templates/write_out.h gives the meaning.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grammar/grammar.h"
#include "support/json_value.h"

namespace xg2lab {

enum class HoleKind : uint8_t {
  kText,    // one slot
  kOneOf,   // one slot
  kRepeat,  // a slot for each bound that is no number; one rule: what is repeated
  kIf,      // one slot; two rules: if the argument is true, if it is false
  kEach,    // one slot; the rule for each mapping, then the separator's rule if there is one
  kUse,     // one slot
  kValue,   // one slot
  kValues,  // one slot
  kIfZero,  // one slot, of a number; two rules: if it is 0, if it is not
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

// JSON values as a hole writes them: any of the texts, or a sentence of the grammar.
struct WrittenValues {
  std::vector<std::string> texts;
  std::shared_ptr<const Grammar> grammar;  // of values with many spellings; null: there are none
  // The values that are not allowed there: their numbers, and the reasons for messages.
  std::vector<std::pair<size_t, std::string>> refused;
};

// The facts about a hole's values that are known beforehand.
class ValueWriter {
 public:
  ValueWriter() = default;
  ValueWriter(const ValueWriter&) = delete;
  ValueWriter& operator=(const ValueWriter&) = delete;
  virtual ~ValueWriter() = default;
  // `values`: an array.
  virtual WrittenValues write(const JsonDocument& values) const = 0;
};

struct Hole {
  HoleKind kind = HoleKind::kText;
  SourceSpan span;
  Slot slot;      // of every kind but kRepeat
  HoleBound min;  // kRepeat
  HoleBound max;  // kRepeat
  // kRepeat: so many times the grammar has what is repeated before the hole. The bounds count them,
  // and there are as many repetitions fewer: {$lo,$hi} after one item is {lo-1,hi-1}. `max` is at
  // least this where the hole is reached.
  uint32_t n_before = 0;
  std::vector<RuleId> rules;
  std::shared_ptr<const ValueWriter> values;  // kValue, kValues
  bool is_spelled = false;                    // its texts come in their tokens
};

// A text in a tokenizer's own tokens.
struct SpelledText {
  std::string text;
  SourceSpan span;  // where the template has it first
  std::vector<TokenId> ids;
};

struct Template {
  Grammar grammar;
  std::vector<std::optional<Hole>> holes;  // index: RuleId; nothing for rules that are no holes
  // The literals that the author wrote as parts of bodies; none in a schema's template.
  std::vector<ExprId> literals{};
  // The distinct literals, in the order of the text, whose tokens the grammar has in their places.
  // Null: text is bytes.
  std::shared_ptr<const std::vector<SpelledText>> spelling{};

  const Hole* hole(RuleId rule) const {
    return holes[rule.index()] ? &*holes[rule.index()] : nullptr;
  }
};

}  // namespace xg2lab
