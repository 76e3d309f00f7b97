// TemplateProgram: a template's program, in two halves: rules that are the same in each instance,
// and patterns of rules that the arguments complete.
//
// Tests: tests/core/test_compiled_template.py
//
// IDEA
//   A rule that leads to no hole is *known*: its machine, its states and their numbers are the same
//   in all instances, so the program of an instance begins with a copy of all known rules. Any
//   other rule is a *pattern*: an instance has a copy of it for each mapping of arguments with
//   which it is read. A hole is a pattern too, whose copy the linker writes from the argument.
//
// EXAMPLE   root ::= Each($xs, row)    row ::= "<row id=\"" $id "\">" [^<]* "</row>"
//           known rules: the two pieces around $id. Patterns: root, row, and the two holes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "grammar/template.h"
#include "program/program.h"

namespace xg2lab {

// What an edge of a pattern calls.
struct Callee {
  enum Kind : uint8_t { kKnown, kPattern, kMissing };
  Kind kind = kMissing;  // kMissing: no instance that takes it can match anything
  uint32_t index = 0;    // of a known rule, or of a pattern
};

// A hole, with its rules as callees.
struct HolePattern {
  HoleKind kind = HoleKind::kText;
  SourceSpan span;
  Slot slot;
  HoleBound min;
  HoleBound max;
  uint32_t n_before = 0;
  std::vector<Callee> rules;
  std::shared_ptr<const ValueWriter> values;
  bool is_spelled = false;
};

struct RulePattern {
  std::string name;                 // for messages
  RuleId rule;                      // in TemplateProgram::whole
  std::optional<HolePattern> hole;  // the rule is a hole
  bool is_plain = false;            // holes may be written into its machine (docs/design/0042)
};

struct TemplateProgram {
  Program whole;  // the template's rules, with placeholders for holes
  Program known;  // the known rules alone
  std::vector<RulePattern> patterns;
  std::vector<Callee> callees;  // index: RuleId of `whole`
  // The known rules that take one token, by its id.
  std::unordered_map<uint32_t, RuleId> token_rules;
  uint32_t root = 0;  // a pattern; kNoPattern: the template has no hole
  // Whether a pattern may call itself with the same mapping, so that an instance may have rules
  // that match nothing.
  bool is_recursive = false;
  // Why instances are compiled from the written-out grammar, as sentences; empty: they are linked.
  std::vector<std::string> obstacles;

  static constexpr uint32_t kNoPattern = UINT32_MAX;
};

// `whole` is lowered from with_pieces(of) (templates/pieces.h).
TemplateProgram split(const Template& of, Program whole);

}  // namespace xg2lab
