// A compiled template: what all requests share.
//
// Tests: tests/core/test_compiled_template.py
//
// IDEA
//   compile_template (runtime/compiler.h) runs the passes over the template's grammar and lowers
//   it, once. A request is linked from the result (linking/link.h): nothing of the front end, the
//   passes or the lowering is repeated. Mask entries reach later requests through the tokenizer's
//   pool (mask/pool/mask_pool.h), to which the template's own program, the *donor*, offers the
//   entries of its known rules before the first request.
//
// THREADS   immutable; any number of threads instantiate it at once.
// SEE ALSO  WGrammar section 3.1.
#pragma once

#include <memory>

#include "linking/template_program.h"
#include "runtime/compiled_grammar.h"
#include "templates/slots.h"

namespace xg2lab {

struct CompiledTemplate {
  std::shared_ptr<const templates::ScopedTemplate> source;
  TemplateProgram program;
  std::shared_ptr<const TokenSets> tokens;
  EngineOptions options;
  Sharing sharing;
  uint64_t compile_ns = 0;

  size_t memory_size_bytes() const {
    return sizeof(CompiledTemplate) + program.whole.memory_size_bytes() +
           program.known.memory_size_bytes();
  }
};

}  // namespace xg2lab
