// Compilation as a table of contents; then the handing out of configurations.
#include "runtime/compiled_grammar.h"

#include <chrono>

#include "lower/lower.h"
#include "passes/pipeline.h"

namespace xg2lab {

CompiledGrammar::CompiledGrammar(std::shared_ptr<const Grammar> grammar,
                                 std::shared_ptr<const TokenSets> tokens, const EngineOptions& options)
    : grammar_(std::move(grammar)), options_(options) {
  const auto begin = std::chrono::steady_clock::now();
  PassOptions passes;
  passes.inlining = options.rule_inlining;
  passes.right_recursion_to_repeat = options.right_recursion_to_repeat;
  passes.fuse_literals = options.literal_fusion;
  optimized_ = run_passes(*grammar_, passes);

  LowerOptions lowering;
  lowering.determinize = options.determinize;
  lowering.minimize = options.minimize;
  lowering.max_states = options.max_fsm_states;
  program_ = std::make_shared<const Program>(lower(optimized_, lowering));
  masks_ = std::make_shared<MaskStore>(program_, std::move(tokens), options.max_configuration_bytes);
  current_ = fresh();
  compile_ns_ = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count());
}

std::shared_ptr<Configurations> CompiledGrammar::fresh() const {
  return std::make_shared<Configurations>(program_, masks_, options_.max_configuration_bytes,
                                          options_.tail_calls);
}

std::shared_ptr<Configurations> CompiledGrammar::configurations() const {
  const std::lock_guard lock(mutex_);
  if (current_->is_full()) current_ = fresh();
  return current_;
}

std::shared_ptr<Configurations> CompiledGrammar::replace(const std::shared_ptr<Configurations>& full) const {
  const std::lock_guard lock(mutex_);
  if (current_ == full || current_->is_full()) current_ = fresh();
  return current_;
}

size_t CompiledGrammar::memory_size_bytes() const {
  return sizeof(CompiledGrammar) + program_->memory_size_bytes() + masks_->memory_size_bytes() +
         configurations()->memory_size_bytes();
}

}  // namespace xg2lab
