// Links an instance of a template: the program that the template means with the arguments of a
// request.
//
// Tests: tests/core/test_compiled_template.py, tests/differential/test_instances.py
//
// IDEA
//   The program begins with a copy of all known rules. The linker then writes the patterns that the
//   root leads to, each once for each mapping of arguments that it is read with. A hole in the
//   machine of a pattern becomes a chain of edges between the two states of the hole's edge:
//
//     $x                 the bytes of the text
//     If($b, e, f)       a call of e or of f
//     Each($xs, r, s)    a call of r for each element, of s between two
//     e{$n}              n calls of e
//     OneOf, e{$lo,$hi}  a call of a rule that has the texts as a trie, or counts
//     spelled texts      calls of rules that take one token each, in place of bytes
//     JSON values        the same, for the texts that a schema writes for them
//
//   There is no front end, no pass and no determinization. What the arguments add is deterministic
//   but for choices that the template's own text leaves open.
//
// EXAMPLE   row ::= $5 $4 $6 with id = "ab": state 0 calls piece $5, state 1 reads "a", state 2
//           reads "b", state 3 calls piece $6, state 4 accepts.
//
// COST      one copy of the known rules, then linear in the arguments and in the patterns that they
//           are read with.
// SEE ALSO  templates/write_out.h is the definition; WGrammar section 3.1.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linking/template_program.h"
#include "templates/arguments.h"

namespace xg2lab {

struct LinkOptions {
  // Larger repetitions are counted, as in lower/lower.h.
  bool repetition_compression = true;
  uint32_t repetition_threshold = 32;
  size_t max_states = 4'000'000;
};

// The arguments that the rules of an instance were made with.
class InstanceFacts {
 public:
  // A JSON Pointer to the argument that a rule's state with edges of these spans was made from: of
  // the slot at that place, or else of the element that the rule was read with. Empty if the state
  // is the same in all instances, or was made from no element.
  std::optional<std::string> pointer(const TemplateProgram& of, RuleId rule,
                                     std::span<const SourceSpan> spans) const;

 private:
  friend class Linker;
  struct Mapping {
    uint32_t parent = 0;
    uint32_t element = 0;
    std::string slot;  // the list that holds it; empty for the request's mapping
  };
  std::string path(uint32_t mapping) const;

  uint32_t n_known_rules_ = 0;
  std::vector<Mapping> mappings_;
  std::vector<uint32_t>
      mapping_of_rule_;  // index: RuleId, counted from the first that is not known
};

struct Instance {
  Program program;
  InstanceFacts facts;
};

// `request` has passed check_arguments. Nothing: the arguments make a grammar that can't match, or
// one beyond the limits; the written-out grammar has the error's place.
std::optional<Instance> link(const TemplateProgram& of, const templates::Argument& request,
                             const LinkOptions& options);

}  // namespace xg2lab
