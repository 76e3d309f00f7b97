// The table of contents of compilation; the only file of runtime/ that sees a grammar's inside.
#include "runtime/compiler.h"

#include <chrono>
#include <utility>

#include "lower/lower.h"
#include "passes/pipeline.h"

namespace xg2lab {

std::shared_ptr<CompiledGrammar> compile(std::shared_ptr<const Grammar> grammar,
                                         std::shared_ptr<const TokenSets> tokens,
                                         const EngineOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  PassOptions passes;
  passes.inlining = options.rule_inlining;
  passes.right_recursion_to_repeat = options.right_recursion_to_repeat;
  passes.fuse_literals = options.literal_fusion;
  auto optimized = std::make_shared<const Grammar>(run_passes(*grammar, passes));

  LowerOptions lowering;
  lowering.determinize = options.determinize;
  lowering.minimize = options.minimize;
  lowering.max_states = options.max_fsm_states;
  lowering.repetition_compression = options.repetition_compression;
  lowering.repetition_threshold = options.repetition_threshold;
  auto program = std::make_shared<const Program>(lower(*optimized, lowering));
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::steady_clock::now() - begin);
  return std::make_shared<CompiledGrammar>(std::move(grammar), std::move(optimized),
                                           std::move(program), std::move(tokens), options,
                                           static_cast<uint64_t>(ns.count()));
}

}  // namespace xg2lab
