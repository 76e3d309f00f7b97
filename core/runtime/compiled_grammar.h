// A compiled grammar: a program for one tokenizer, with the masks and columns that its matchers
// share.
//
// Tests: tests/core/test_matcher.py, tests/core/test_masks.py
//
// IDEA
//   Compiling lowers the grammar and builds no mask (but see runtime/partial_jit.h). The results of
//   parsing (columns, steps, entries, final masks) are kept here, so the second text of a grammar
//   is faster than the first, whichever matcher reads it.
//
//   This memory is bounded: when the configurations exceed their budget, the next matcher that
//   notices starts a fresh set and moves only the columns of its own history there. The old set
//   lives as long as a matcher uses it. Mask entries of states are bounded by the program and stay.
//
// THREADS   any thread; current_ is guarded by mutex_.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mask/configurations.h"
#include "mask/entries/mask_store.h"
#include "program/program.h"
#include "runtime/contents_on_demand.h"
#include "runtime/labels.h"
#include "runtime/partial_jit.h"
#include "support/made_once.h"

namespace xg2lab {

class Grammar;

// The settings of `xg2lab.EngineOptions`.
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
  size_t partial_jit_k = 0;  // PartialJit::kAuto: all states whose cost justifies it
  size_t max_fsm_states = 4'000'000;
  size_t max_operators = 100'000;  // ParserKind::kOperators: the nodes of the call tree
  // A structural tag with so many contents compiles each when a text needs it; 0: never.
  size_t contents_on_demand = 32;
  WorkLimits compile_limits = kUsualCompileLimits;
  size_t max_configuration_bytes = kUsualWorkBytes / 2;
  size_t max_history_bytes = size_t{128} << 20;
};

// The name of a program's grammar in accounts and events: the source's first line, shortened.
std::string name_of(const Program& program);

// Of a grammar that was linked from a template and arguments.
struct InstanceOrigin {
  // The ordinary grammar that the template means with these arguments.
  std::function<std::shared_ptr<const Grammar>()> write_out;
  // A JSON Pointer to the argument that a rule's state with edges of these spans was made from
  // (InstanceFacts::pointer).
  std::function<std::optional<std::string>(RuleId, std::span<const SourceSpan>)> pointer;
};

// What a program was made from: a grammar, or a template and arguments.
struct ProgramSource {
  std::shared_ptr<const Grammar> grammar;    // null for an instance
  std::shared_ptr<const Grammar> optimized;  // after the passes; null: not known yet
  std::optional<InstanceOrigin> instance;
};

class CompiledGrammar {
 public:
  CompiledGrammar(ProgramSource source, std::shared_ptr<const Program> program,
                  std::shared_ptr<const TokenSets> tokens, const EngineOptions& options,
                  uint64_t compile_ns, Sharing sharing);
  ~CompiledGrammar();

  // Before the passes. That of an instance is written out at the first call.
  const std::shared_ptr<const Grammar>& grammar() const;
  // Null if the grammar is no instance of a template.
  const InstanceOrigin* instance() const { return source_.instance ? &*source_.instance : nullptr; }
  // After the passes; null if the program was deserialized. compiler.h has optimized_grammar().
  const std::shared_ptr<const Grammar>& optimized() const { return source_.optimized; }
  const Program& program() const { return *program_; }
  const std::shared_ptr<const Program>& shared_program() const { return program_; }
  MaskStore& masks() const { return *masks_; }
  const TokenSets& tokens() const { return masks_->tokens(); }
  const EngineOptions& options() const { return options_; }
  GrammarId id() const { return masks_->grammar(); }
  std::string name() const;  // first line of its source
  uint64_t compile_ns() const { return compile_ns_; }
  size_t memory_size_bytes() const;
  // Labels of edges and states for display; made at the first call.
  const ProgramLabels& labels() const;

  // Of a grammar whose program lacks contents: the programs that have more. Null for others, and for
  // those programs.
  ContentsOnDemand* contents_on_demand() const { return contents_on_demand_.get(); }
  // Set once, before the object is shared.
  void set_contents_on_demand(std::unique_ptr<ContentsOnDemand> contents) {
    contents_on_demand_ = std::move(contents);
  }
  // This grammar, or the one with all contents: what shows states uses its program.
  const CompiledGrammar& whole() const {
    return contents_on_demand_ ? *contents_on_demand_->whole() : *this;
  }

  // Starts building the entries of `options().partial_jit_k` states in the background. The compiler
  // calls this once.
  void make_ahead();
  // The progress of that work; null if no entry is built ahead.
  const PartialJit* partial_jit() const { return partial_jit_.get(); }

  // Of all states that have an entry of their own; computes the estimates now.
  std::vector<StateCost> state_costs() const;

  // The configurations for new matchers.
  std::shared_ptr<Configurations> configurations() const;
  // A set other than `full`: the current one if another thread has replaced `full` already.
  std::shared_ptr<Configurations> replace(const std::shared_ptr<Configurations>& full) const;

 private:
  std::shared_ptr<Configurations> fresh() const;

  const ProgramSource source_;
  mutable MadeOnce<const std::shared_ptr<const Grammar>> written_out_;
  const EngineOptions options_;
  const std::shared_ptr<const Program> program_;
  const std::shared_ptr<MaskStore> masks_;
  const uint64_t compile_ns_;
  std::shared_ptr<PartialJit> partial_jit_;  // set once, before the object is shared
  std::unique_ptr<ContentsOnDemand> contents_on_demand_;
  mutable MadeOnce<const ProgramLabels> labels_;

  mutable std::mutex mutex_;
  mutable std::shared_ptr<Configurations> current_;  // guarded by mutex_
};

}  // namespace xg2lab
