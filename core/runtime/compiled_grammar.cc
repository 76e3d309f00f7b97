// The handing out of configurations, and labels on demand.
#include "runtime/compiled_grammar.h"

#include <utility>

namespace xg2lab {

CompiledGrammar::CompiledGrammar(std::shared_ptr<const Grammar> grammar,
                                 std::shared_ptr<const Grammar> optimized,
                                 std::shared_ptr<const Program> program,
                                 std::shared_ptr<const TokenSets> tokens,
                                 const EngineOptions& options, uint64_t compile_ns)
    : grammar_(std::move(grammar)),
      optimized_(std::move(optimized)),
      options_(options),
      program_(std::move(program)),
      masks_(std::make_shared<MaskStore>(program_, std::move(tokens),
                                         options.max_configuration_bytes, options.parse)),
      compile_ns_(compile_ns),
      current_(fresh()) {}

const ProgramLabels& CompiledGrammar::labels() const {
  std::call_once(labels_made_, [this] { labels_ = ProgramLabels(*program_); });
  return labels_;
}

std::shared_ptr<Configurations> CompiledGrammar::fresh() const {
  return std::make_shared<Configurations>(program_, masks_, options_.max_configuration_bytes,
                                          options_.parse);
}

std::shared_ptr<Configurations> CompiledGrammar::configurations() const {
  const std::lock_guard lock(mutex_);
  if (current_->is_full()) current_ = fresh();
  return current_;
}

std::shared_ptr<Configurations> CompiledGrammar::replace(
    const std::shared_ptr<Configurations>& full) const {
  const std::lock_guard lock(mutex_);
  if (current_ == full || current_->is_full()) current_ = fresh();
  return current_;
}

size_t CompiledGrammar::memory_size_bytes() const {
  return sizeof(CompiledGrammar) + program_->memory_size_bytes() + masks_->memory_size_bytes() +
         configurations()->memory_size_bytes();
}

}  // namespace xg2lab
