// A compiled grammar: a program for one tokenizer, with the masks and columns that its matchers share.
//
// Tests: tests/core/test_matcher.py, tests/core/test_masks.py
//
// IDEA
//   Compiling lowers the grammar and makes no mask (but see runtime/partial_jit.h). What parses find out (columns, steps, entries, final masks)
//   is kept here, so the second text of a grammar is faster than the first, in whichever matcher it runs.
//
//   That memory is bounded: when the configurations outgrow their budget, the next matcher to notice starts a
//   fresh set and takes along only what its own history needs. The old set lives as long as a matcher
//   uses it. Entries by state are bounded by the program and stay.
//
// THREADS   any thread; current_ is guarded by mutex_.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mask/configurations.h"
#include "mask/entries/mask_store.h"
#include "program/program.h"
#include "runtime/labels.h"
#include "runtime/partial_jit.h"
#include "support/made_once.h"

namespace xg2lab {

class Grammar;

// What `xg2lab.EngineOptions` sets.
struct EngineOptions {
  bool rule_inlining = true;
  bool right_recursion_to_repeat = true;
  bool literal_fusion = true;
  bool determinize = true;
  bool minimize = true;
  ParseOptions parse;  // parser, tail_calls, max_stacks
  bool repetition_compression = true;
  uint32_t repetition_threshold = 32;
  bool cross_grammar_cache = true;
  MaskOptions mask;  // context_expansion, token_classes, context_walks, shared_walks, counted_runs
  size_t partial_jit_k = 0;  // PartialJit::kAuto: all that are worth it
  size_t max_fsm_states = 4'000'000;
  WorkLimits compile_limits = kUsualCompileLimits;
  size_t max_configuration_bytes = kUsualWorkBytes / 2;
  size_t max_history_bytes = size_t{128} << 20;
};

class CompiledGrammar {
 public:
  // `optimized` is `grammar` after the passes, and what `program` was lowered from: see compiler.h. Null: not known yet.
  CompiledGrammar(std::shared_ptr<const Grammar> grammar, std::shared_ptr<const Grammar> optimized,
                  std::shared_ptr<const Program> program, std::shared_ptr<const TokenSets> tokens,
                  const EngineOptions& options, uint64_t compile_ns, Sharing sharing);

  const std::shared_ptr<const Grammar>& grammar() const { return grammar_; }  // as given
  // After the passes; null if the program was read back. compiler.h has optimized_grammar().
  const std::shared_ptr<const Grammar>& optimized() const { return optimized_; }
  const Program& program() const { return *program_; }
  const std::shared_ptr<const Program>& shared_program() const { return program_; }
  MaskStore& masks() const { return *masks_; }
  const TokenSets& tokens() const { return masks_->tokens(); }
  const EngineOptions& options() const { return options_; }
  GrammarId id() const { return masks_->grammar(); }
  std::string name() const;  // the first line of its source
  uint64_t compile_ns() const { return compile_ns_; }
  size_t memory_size_bytes() const;
  // Words for edges and states; made at the first call.
  const ProgramLabels& labels() const;

  // Begins to make the entries of `options().partial_jit_k` states in the background. Once, by the compiler.
  void make_ahead();
  // How far that is; null if nothing is made ahead.
  const PartialJit* partial_jit() const { return partial_jit_.get(); }

  // Of all states that have an entry of their own; estimates them now.
  std::vector<StateCost> state_costs() const;

  // The configurations that new matchers use.
  std::shared_ptr<Configurations> configurations() const;
  // A set that isn't `full`: the current one if somebody has replaced `full` already.
  std::shared_ptr<Configurations> replace(const std::shared_ptr<Configurations>& full) const;

 private:
  std::shared_ptr<Configurations> fresh() const;

  const std::shared_ptr<const Grammar> grammar_;
  const std::shared_ptr<const Grammar> optimized_;
  const EngineOptions options_;
  const std::shared_ptr<const Program> program_;
  const std::shared_ptr<MaskStore> masks_;
  const uint64_t compile_ns_;
  std::shared_ptr<PartialJit> partial_jit_;  // set once, before anybody shares this
  mutable MadeOnce<const ProgramLabels> labels_;

  mutable std::mutex mutex_;
  mutable std::shared_ptr<Configurations> current_;  // guarded by mutex_
};

}  // namespace xg2lab
