// Conversions alone.
#include "bind/engine_options.h"

#include <string>

#include "bind/tensor_view.h"
#include "support/error.h"

namespace xg2lab::bind {

EngineOptions options_of(const py::object& options) {
  if (!py::isinstance(options, py::module_::import("xg2lab.options").attr("EngineOptions")))
    throw py::type_error("options is " + kind_of_object(options) + "; wanted EngineOptions");
  EngineOptions out;
  out.rule_inlining = options.attr("rule_inlining").cast<bool>();
  out.right_recursion_to_repeat = options.attr("right_recursion_to_repeat").cast<bool>();
  out.literal_fusion = options.attr("literal_fusion").cast<bool>();
  out.determinize = options.attr("determinize").cast<bool>();
  out.minimize = options.attr("minimize").cast<bool>();
  const auto parser = options.attr("parser").cast<std::string>();
  out.parse.parser = parser == "pda"         ? ParserKind::kPda
                     : parser == "operators" ? ParserKind::kOperators
                                             : ParserKind::kEarley;
  out.parse.tail_calls = options.attr("tail_calls").cast<bool>();
  out.parse.max_stacks = options.attr("max_stacks").cast<size_t>();
  out.max_operators = options.attr("max_operators").cast<size_t>();
  out.contents_on_demand = options.attr("contents_on_demand").cast<size_t>();
  out.repetition_compression = options.attr("repetition_compression").cast<bool>();
  out.repetition_threshold = options.attr("repetition_threshold").cast<uint32_t>();
  out.cross_grammar_cache = options.attr("cross_grammar_cache").cast<bool>();
  out.mask.context_expansion = options.attr("context_expansion").cast<bool>();
  out.mask.token_classes = options.attr("token_classes").cast<bool>();
  const auto walks = options.attr("context_walks").cast<std::string>();
  out.mask.ways = {.entries = walks != "always",
                   .walks = walks != "never",
                   .shared_walks = options.attr("shared_walks").cast<bool>(),
                   .counted_runs = options.attr("counted_runs").cast<bool>()};
  const py::object k = options.attr("partial_jit_k");
  out.partial_jit_k = py::isinstance<py::str>(k) ? PartialJit::kAuto : k.cast<size_t>();
  out.max_fsm_states = options.attr("max_fsm_states").cast<size_t>();
  const auto max_bytes = options.attr("max_work_bytes").cast<size_t>();
  out.compile_limits = {options.attr("max_compile_seconds").cast<double>(), max_bytes};
  out.parse.limits = {options.attr("max_mask_seconds").cast<double>(), max_bytes / 2};
  out.max_history_bytes = options.attr("max_history_bytes").cast<size_t>();
  out.max_configuration_bytes = options.attr("max_configuration_bytes").cast<size_t>();
  return out;
}

std::shared_ptr<MaskPool> pool_of(const std::optional<std::shared_ptr<MaskPool>>& pool,
                                  const std::shared_ptr<TokenSets>& tokens) {
  if (pool && (*pool)->tokens() != tokens) {
    throw Error(ErrorKind::kArgumentError, "the pool was made for another TokenSets",
                "make it for these: MaskPool(token_sets, max_bytes)");
  }
  return pool.value_or(nullptr);
}

}  // namespace xg2lab::bind
