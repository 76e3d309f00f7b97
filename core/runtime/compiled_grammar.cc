// Hands out configurations, and makes labels on demand.
#include "runtime/compiled_grammar.h"

#include <utility>

#include "runtime/thread_pool.h"
#include "support/text.h"

namespace xg2lab {
std::string name_of(const Program& program) {
  constexpr size_t kMaxBytes = 48;
  const std::string& text = program.source().text();
  std::string line = text.substr(0, text.find_first_of("\r\n", text.find_first_not_of("\r\n")));
  line.erase(0, line.find_first_not_of("\r\n \t"));
  return shortened(line, kMaxBytes);
}

CompiledGrammar::CompiledGrammar(ProgramSource source, std::shared_ptr<const Program> program,
                                 std::shared_ptr<const TokenSets> tokens,
                                 const EngineOptions& options, uint64_t compile_ns, Sharing sharing)
    : source_(std::move(source)),
      options_(options),
      program_(std::move(program)),
      masks_(std::make_shared<MaskStore>(program_, std::move(tokens),
                                         options.max_configuration_bytes, options.parse,
                                         options.mask, std::move(sharing), next_grammar_id())),
      compile_ns_(compile_ns),
      current_(fresh()) {
  if (masks_->pool()) masks_->pool()->add_grammar(id(), name());
}

CompiledGrammar::~CompiledGrammar() = default;

const std::shared_ptr<const Grammar>& CompiledGrammar::grammar() const {
  if (!source_.instance) return source_.grammar;
  return written_out_.get("writing the template out", [this] {
    return std::make_unique<const std::shared_ptr<const Grammar>>(source_.instance->write_out());
  });
}

std::string CompiledGrammar::name() const { return name_of(*program_); }

void CompiledGrammar::make_ahead() {
  // With one processor, background work would take time from the callers that it is meant to help.
  const bool is_auto = options_.partial_jit_k == PartialJit::kAuto;
  if (options_.partial_jit_k == 0 || (is_auto && ThreadPool::n_processors() == 1)) return;
  partial_jit_ = std::make_shared<PartialJit>(masks_, options_.partial_jit_k);
  BackgroundQueue::shared().add(partial_jit_);
}

std::vector<StateCost> CompiledGrammar::state_costs() const {
  std::vector<StateCost> out;
  for (size_t i = 0; i < program_->n_states(); ++i) {
    const StateId state(i);
    if (!has_own_entry(*program_, state)) continue;
    StateCost& cost = out.emplace_back();
    cost.state = state;
    cost.n_visits = masks_->estimate_visits(state);
    if (const MaskEntry* entry = masks_->find(state)) {
      cost.ns = entry->build_ns;
      cost.origin = masks_->origin({state, program_->rule_of(state), {}});
    }
  }
  return out;
}

const ProgramLabels& CompiledGrammar::labels() const {
  return labels_.get("naming the states",
                     [this] { return std::make_unique<const ProgramLabels>(*program_); });
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
         configurations()->memory_size_bytes() +
         (contents_on_demand_ ? contents_on_demand_->memory_size_bytes() : 0);
}

}  // namespace xg2lab
