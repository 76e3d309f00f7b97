// Compiled templates in Python: compiling, and instances.
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bind/bind.h"
#include "bind/docstrings.h"
#include "bind/engine_options.h"
#include "bind/interruptible.h"
#include "bind/plain_tables.h"
#include "bind/template_object.h"
#include "runtime/compiler.h"
#include "support/budget.h"
#include "support/error.h"

namespace xg2lab::bind {
namespace {

using CompiledTemplatePtr = std::shared_ptr<CompiledTemplate>;

CompiledTemplatePtr compiled_template(TemplatePtr of, std::shared_ptr<TokenSets> tokens,
                                      const py::object& options,
                                      std::optional<std::shared_ptr<MaskPool>> pool,
                                      std::optional<std::shared_ptr<EventLog>> events) {
  std::shared_ptr<MaskPool> shared_pool = pool_of(pool, tokens);
  const EngineOptions engine_options = options_of(options);
  return unlocked(
      [&] {
        return compile_template(of, tokens, engine_options,
                                {shared_pool, events.value_or(nullptr)});
      },
      Length::kLong);
}

// The arguments of an instance, which share the engine's copy.
struct Arguments {
  std::shared_ptr<const templates::Argument> of;
};

std::pair<std::shared_ptr<CompiledGrammar>, Arguments> instance_of(const CompiledTemplate& self,
                                                                   const py::dict& values,
                                                                   const py::object& encode) {
  auto arguments = std::make_shared<const templates::Argument>(
      arguments_of(values, *self.source, encode, self.tokens.get()));
  return {unlocked([&] { return instantiate(self, arguments); }), {arguments}};
}

// The parts of masks that instances share, as bind/plain_tables.h writes them.
py::list mask_tables(const CompiledTemplate& self) {
  if (!self.sharing.known) return py::list();
  return in_budget([&] { return known_to_python(*self.sharing.known, *self.tokens); });
}

void load_masks(const CompiledTemplate& self, const py::list& masks) {
  if (!self.sharing.known && !masks.empty())
    throw Error(ErrorKind::kDeserializeFormatError,
                "/masks: with cross_grammar_cache=False instances share no masks",
                "use the text that serialize_json() returned, unchanged");
  if (!self.sharing.known) return;
  const std::vector<PlainInside> plain = known_from_python(masks);
  unlocked(
      [&] {
        const Budget budget(self.options.compile_limits, Work::kCompile);
        from_plain(plain, self.program.known, *self.tokens, *self.sharing.known);
      },
      Length::kLong);
}

}  // namespace

void bind_compiled_template(py::module_& module) {
  py::class_<Arguments>(module, "Arguments", "The arguments that an instance was made with.")
      .def(
          "values", [](const Arguments& self) { return values_of(*self.of); },
          "The arguments as a new dict: texts as str, or as bytes if they are not UTF-8.");
  py::class_<CompiledTemplate, CompiledTemplatePtr>(
      module, "CompiledTemplate",
      "A template's program, which instances are linked from; xg2lab.CompiledTemplate is its "
      "public "
      "form.")
      .def(py::init([](CompiledTemplatePtr made) { return made; }), py::arg("made"))
      .def_static("compile", &compiled_template, py::arg("template"), py::arg("token_sets"),
                  py::arg("options"), py::arg("pool") = py::none(), py::arg("events") = py::none(),
                  kCompileTemplateDoc)
      .def("_instantiate", &instance_of, py::arg("arguments"), py::arg("encode") = py::none(),
           "The compiled instance for the arguments, and the arguments.")
      .def("_mask_tables", &mask_tables)
      .def("_load_masks", &load_masks, py::arg("masks"))
      .def(
          "make_masks",
          [](const CompiledTemplate& self) { unlocked([&] { make_masks(self); }, Length::kLong); },
          kMakeMasksDoc)
      .def_property_readonly(
          "obstacles", [](const CompiledTemplate& self) { return self.program.obstacles; },
          "Why instances are compiled from the written-out grammar; empty if they are linked.")
      .def_property_readonly(
          "n_states", [](const CompiledTemplate& self) { return self.program.known.n_states(); },
          "The number of states that each instance begins with.")
      .def_property_readonly(
          "id", [](const CompiledTemplate& self) { return self.id.value; },
          "The template's number in this process, as events and its instances' mask entries name "
          "it.")
      .def_property_readonly("memory_size_bytes", &CompiledTemplate::memory_size_bytes,
                             "The memory of program and masks so far, in bytes.")
      .def_property_readonly(
          "compile_us",
          [](const CompiledTemplate& self) { return static_cast<double>(self.compile_ns) / 1e3; },
          "How long compiling took, in microseconds.");
}

}  // namespace xg2lab::bind
