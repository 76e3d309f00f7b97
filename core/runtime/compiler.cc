// The table of contents of compilation; the only file of runtime/ that sees a grammar's inside.
#include "runtime/compiler.h"

#include <chrono>
#include <utility>

#include "lower/lower.h"
#include "passes/pipeline.h"
#include "program/left_recursion.h"
#include "support/error.h"

namespace xg2lab {
namespace {

void refuse_left_recursion(const Program& program, const SourceText& source) {
  const std::vector<RuleId> cycle = find_left_recursion(program);
  if (cycle.empty()) return;
  std::string path;
  for (RuleId rule : cycle) path += (path.empty() ? "" : " -> ") + program.rule(rule).name;
  const ProgramRule& rule = program.rule(cycle.front());
  const Diagnostic found{
      "left_recursion", Severity::kError,
      "rule `" + rule.name + "` comes back to itself before anything is read (" + path +
          "): a pushdown automaton would push without end",
      rule.name_span.empty() ? rule.span : rule.name_span,
      "use EngineOptions(parser=\"earley\"), or write the repetition as x (op x)*"};
  throw Error(ErrorKind::kUnsupportedError, {found}, source);
}

}  // namespace

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
  if (options.parse.parser == ParserKind::kPda) refuse_left_recursion(*program, *grammar->source());
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::steady_clock::now() - begin);
  return std::make_shared<CompiledGrammar>(std::move(grammar), std::move(optimized),
                                           std::move(program), std::move(tokens), options,
                                           static_cast<uint64_t>(ns.count()));
}

}  // namespace xg2lab
