// A compiled template: what all requests share.
//
// Tests: tests/core/test_compiled_template.py
//
// IDEA
//   compile_template (runtime/compiler.h) runs the passes over the template's grammar and lowers
//   it, once. A request is linked from the result (linking/link.h): nothing of the front end, the
//   passes or the lowering is repeated. The mask entries of known rules are kept here, so that a
//   request finds those that an earlier request made (mask/pool/known_entries.h).
//
// THREADS   immutable; any number of threads instantiate it at once.
// SEE ALSO  WGrammar section 3.1.
#pragma once

#include <memory>

#include "linking/template_program.h"
#include "runtime/compiled_grammar.h"
#include "templates/slots.h"

namespace xg2lab {

struct CompiledTemplate : std::enable_shared_from_this<CompiledTemplate> {
  std::shared_ptr<const templates::ScopedTemplate> source;
  TemplateProgram program;
  std::shared_ptr<const TokenSets> tokens;
  EngineOptions options;
  Sharing sharing;  // `known` is null if the cross-grammar cache is switched off
  GrammarId id;     // in accounts and events
  uint64_t compile_ns = 0;

  size_t memory_size_bytes() const {
    return sizeof(CompiledTemplate) + program.whole.memory_size_bytes() +
           program.known.memory_size_bytes() +
           (sharing.known ? sharing.known->memory_size_bytes() : 0);
  }
};

}  // namespace xg2lab
