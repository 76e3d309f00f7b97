// The leaf languages of JSON Schema in Python, for tests: numbers under constraints, and formats of
// strings.
#include <pybind11/stl.h>

#include <deque>

#include "bind/bind.h"
#include "bind/interruptible.h"
#include "languages/formats/formats.h"
#include "languages/numbers/number_words.h"
#include "languages/numbers/numbers.h"
#include "support/error.h"

namespace xg2lab::bind {
namespace {

constexpr const char* kConstraintDoc = R"doc(
Numbers between bounds, with or without steps, exactly. Numbers are given as JSON writes them.

>>> from xg2lab._core import NumberConstraint
>>> ports = NumberConstraint(min="1", max="65535", integer="only")
>>> ports.satisfied_by("4.43e2"), ports.satisfied_by("65536")
(True, False)
>>> NumberConstraint(min="4", max="5", multiples_of=["3"]).is_empty
True
>>> machine = ports.machine()
>>> machine.accepts("443.0"), machine.accepts("0"), machine.shortest()
(True, False, '1')
)doc";

Decimal decimal(const std::string& text) {
  auto number = Decimal::read(text);
  if (!number) throw Error(ErrorKind::kArgumentError, "not a number, or out of range: " + text);
  return std::move(*number);
}

std::vector<Decimal> decimals(const std::vector<std::string>& texts) {
  std::vector<Decimal> numbers;
  for (const std::string& text : texts) numbers.push_back(decimal(text));
  return numbers;
}

std::vector<std::string> texts(const std::vector<Decimal>& numbers) {
  std::vector<std::string> written;
  for (const Decimal& number : numbers) written.push_back(number.text());
  return written;
}

std::optional<std::string> text(const std::optional<Decimal>& number) {
  if (!number) return std::nullopt;
  return number->text();
}

Integers integers(const std::string& word) {
  if (word == "any") return Integers::kAny;
  if (word == "only") return Integers::kOnly;
  if (word == "none") return Integers::kNone;
  throw Error(ErrorKind::kArgumentError, "integer=\"" + word + "\"", "write any, only or none");
}

const char* word(Integers integer) {
  return integer == Integers::kAny ? "any" : (integer == Integers::kOnly ? "only" : "none");
}

// ---- Machines over ASCII ----

bool accepts(const FrozenFsm& fsm, const std::string& bytes) {
  StateId state(0u);
  for (char byte : bytes) {
    const TerminalEdge* found = nullptr;
    for (const TerminalEdge& edge : fsm.terminals(state)) {
      if (edge.range.contains(static_cast<uint8_t>(byte))) found = &edge;
    }
    if (found == nullptr) return false;
    state = found->to;
  }
  return fsm.is_accepting[state.index()];
}

std::optional<std::string> shortest(const FrozenFsm& fsm) {
  std::vector<std::optional<std::string>> reached(fsm.n_states());
  std::deque<StateId> agenda{StateId(0u)};
  reached[0] = "";
  for (; !agenda.empty(); agenda.pop_front()) {
    const StateId state = agenda.front();
    if (fsm.is_accepting[state.index()]) return reached[state.index()];
    for (const TerminalEdge& edge : fsm.terminals(state)) {
      if (reached[edge.to.index()]) continue;
      reached[edge.to.index()] = *reached[state.index()] + static_cast<char>(edge.range.lo);
      agenda.push_back(edge.to);
    }
  }
  return std::nullopt;
}

FrozenFsm checked(NumberLanguage language) {
  if (!language.machine) {
    throw Error(ErrorKind::kLimitError,
                "a machine for these numbers is too large: " + language.too_large);
  }
  language.machine->check_invariants();
  return std::move(*language.machine);
}

struct Machine {
  FrozenFsm fsm;
};

// ---- Bindings ----

void bind_machine(py::module_& module) {
  py::class_<Machine>(module, "NumberMachine",
                      "All spellings of some numbers, as the smallest machine.")
      .def_property_readonly("n_states", [](const Machine& self) { return self.fsm.n_states(); })
      .def_property_readonly("n_edges",
                             [](const Machine& self) { return self.fsm.terminal_edges.size(); })
      .def(
          "accepts",
          [](const Machine& self, const std::string& text) { return accepts(self.fsm, text); },
          py::arg("text"))
      .def(
          "shortest", [](const Machine& self) { return shortest(self.fsm); },
          "A shortest text; None if there is none.")
      .def(
          "regular", [](const Machine& self) { return code_points_of(self.fsm); },
          "These spellings as a RegularLanguage.");
}

NumberConstraint constraint_of(const std::optional<std::string>& min,
                               const std::optional<std::string>& max, bool exclusive_min,
                               bool exclusive_max, const std::string& integer,
                               const std::vector<std::string>& multiples_of,
                               const std::vector<std::string>& not_multiples_of,
                               const std::vector<std::string>& excluded) {
  NumberConstraint constraint;
  if (min) constraint.min = decimal(*min);
  if (max) constraint.max = decimal(*max);
  constraint.exclusive_min = exclusive_min;
  constraint.exclusive_max = exclusive_max;
  constraint.integer = integers(integer);
  constraint.multiples_of = decimals(multiples_of);
  constraint.not_multiples_of = decimals(not_multiples_of);
  constraint.excluded = decimals(excluded);
  return constraint;
}

Machine machine_of(const NumberConstraint& constraint, size_t n_states, bool plain, bool bounded) {
  return unlocked_in_budget([&] {
    NumberLanguage language = number_language(constraint, {n_states});
    std::string words = number_words(constraint);
    if (language.machine && !keep_form(language, *number_set(constraint), {plain, bounded}, words))
      return Machine{checked(values_language({}))};
    return Machine{checked(std::move(language))};
  });
}

void bind_number_constraint(py::module_& module) {
  const auto numbers_of = [](std::vector<Decimal> NumberConstraint::* list) {
    return [list](const NumberConstraint& self) { return texts(self.*list); };
  };
  py::class_<NumberConstraint>(module, "NumberConstraint", kConstraintDoc)
      .def(py::init(&constraint_of), py::kw_only(), py::arg("min") = py::none(),
           py::arg("max") = py::none(), py::arg("exclusive_min") = false,
           py::arg("exclusive_max") = false, py::arg("integer") = "any",
           py::arg("multiples_of") = std::vector<std::string>{},
           py::arg("not_multiples_of") = std::vector<std::string>{},
           py::arg("excluded") = std::vector<std::string>{})
      .def_property_readonly("min", [](const NumberConstraint& self) { return text(self.min); })
      .def_property_readonly("max", [](const NumberConstraint& self) { return text(self.max); })
      .def_readonly("exclusive_min", &NumberConstraint::exclusive_min)
      .def_readonly("exclusive_max", &NumberConstraint::exclusive_max)
      .def_property_readonly("integer",
                             [](const NumberConstraint& self) { return word(self.integer); })
      .def_property_readonly("multiples_of", numbers_of(&NumberConstraint::multiples_of))
      .def_property_readonly("not_multiples_of", numbers_of(&NumberConstraint::not_multiples_of))
      .def_property_readonly("excluded", numbers_of(&NumberConstraint::excluded))
      .def_property_readonly("is_empty", &is_empty, "Whether no number satisfies it.")
      .def(
          "satisfied_by",
          [](const NumberConstraint& self, const std::string& number) {
            return satisfies(decimal(number), self);
          },
          py::arg("number"))
      .def(
          "intersect",
          [](const NumberConstraint& a, const NumberConstraint& b) { return intersect(a, b); },
          py::arg("other"))
      .def("negations", &negations,
           "Constraints that together allow all numbers that this one doesn't.")
      .def(
          "machine", &machine_of, py::arg("n_states") = NumberLimits{}.n_states,
          py::arg("plain") = false, py::arg("bounded") = false,
          "All spellings. `plain`: in digits alone; `bounded`: as programs write them, with an end "
          "to the digits.");
}

std::optional<CodePointDfa> language_of_format(const std::string& name) {
  if (format_kind(name) == FormatKind::kNotRegular) {
    throw Error(ErrorKind::kUnsupportedError, "format \"" + name + "\" is not regular");
  }
  return unlocked_in_budget([&] {
    const auto language = format_language(name);
    return language ? std::optional(*language) : std::nullopt;
  });
}

void bind_formats(py::module_& module) {
  module.def("format_language", &language_of_format, py::arg("name"),
             "What a standard format allows; None if the name is no standard one.");
  module.def(
      "format_pattern", [](const std::string& name) { return std::string(format_pattern(name)); },
      py::arg("name"), "The format as a pattern; empty if no pattern defines it.");
  module.def(
      "format_names",
      [] {
        const auto names = format_names();
        return std::vector<std::string>(names.begin(), names.end());
      },
      "The standard's formats.");
}

void bind_numbers(py::module_& module) {
  module.def(
      "machine_of_numbers",
      [](const std::vector<std::string>& numbers) {
        const std::vector<Decimal> values = decimals(numbers);
        return Machine{checked(values_language(values))};
      },
      py::arg("numbers"), "All spellings of these numbers and no others.");
  module.def(
      "compare_numbers",
      [](const std::string& a, const std::string& b) {
        const auto order = decimal(a) <=> decimal(b);
        return order < 0 ? -1 : (order > 0 ? 1 : 0);
      },
      py::arg("a"), py::arg("b"), "-1, 0 or 1, exactly.");
  module.def(
      "write_number", [](const std::string& number) { return decimal(number).text(); },
      py::arg("number"), "A short spelling of the same number.");
}

}  // namespace

void bind_leaves(py::module_& module) {
  bind_machine(module);
  bind_number_constraint(module);
  bind_numbers(module);
  bind_formats(module);
}

}  // namespace xg2lab::bind
