// Regular languages in Python: the algebra of automata/code_point_dfa.h, for tests and for
// experiments.
#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include "bind/bind.h"
#include "bind/interruptible.h"
#include "frontends/regex/regex.h"
#include "support/utf8.h"

namespace xg2lab::bind {
namespace {

constexpr const char* kRegularDoc = R"doc(
A regular language over code points, as its smallest deterministic machine. Immutable.

>>> from xg2lab._core import RegularLanguage
>>> words = RegularLanguage.from_regex("[a-z]{2,3}")
>>> (words & RegularLanguage.from_regex("a", search=True)).shortest()
'aa'
>>> (words - RegularLanguage.from_regex("a|b", search=True)).shortest()
'cc'
>>> (words & ~words).is_empty
True
)doc";

std::vector<uint32_t> code_points_of(const std::u32string& text) {
  return {text.begin(), text.end()};
}

CodePointDfa checked(MaybeDfa dfa) {
  if (!dfa) throw Error(ErrorKind::kLimitError, "this language needs too large a machine");
  return std::move(*dfa);
}

CodePointDfa language_of_regex(const std::string& pattern, const std::string& flag_words,
                               bool search) {
  const regex::Flags flags = regex::read_flags(
      flag_words, [](const char*, const std::string& message, SourceSpan, const std::string& hint) {
        throw Error(ErrorKind::kUnsupportedError, message, hint);
      });
  return unlocked_in_budget([&] {
    return regex::language_of_regex(pattern, flags,
                                    search ? regex::Match::kSearch : regex::Match::kWhole);
  });
}

using Operation = MaybeDfa (*)(const CodePointDfa&, const CodePointDfa&, const DfaLimits&);

template <Operation operation>
CodePointDfa combined(const CodePointDfa& a, const CodePointDfa& b) {
  return unlocked_in_budget([&] { return checked(operation(a, b, {})); });
}

std::optional<std::u32string> shortest_text(const CodePointDfa& dfa) {
  const auto text = dfa.shortest();
  if (!text) return std::nullopt;
  return std::u32string(text->begin(), text->end());
}

}  // namespace

void bind_regular(py::module_& module) {
  py::class_<CodePointDfa>(module, "RegularLanguage", kRegularDoc)
      .def_static(
          "from_regex", &language_of_regex, py::arg("pattern"), py::kw_only(),
          py::arg("flags") = "", py::arg("search") = false,
          "The texts that the pattern matches; with `search`, the texts that contain a match.")
      .def_static(
          "of_length",
          [](uint32_t min, std::optional<uint32_t> max) {
            return checked(of_length(min, max.value_or(kNoLongest)));
          },
          py::arg("min"), py::arg("max"), "Texts of min to max code points; no limit: None.")
      .def_static(
          "only", [](const std::u32string& text) { return only_text(code_points_of(text)); },
          py::arg("text"), "A single text.")
      .def_property_readonly("n_states", &CodePointDfa::n_states)
      .def_property_readonly("n_letters",
                             [](const CodePointDfa& self) { return self.alphabet.n_letters(); })
      .def_property_readonly("is_empty", &CodePointDfa::is_empty,
                             "Whether the language has no text.")
      .def_property_readonly("is_universal", &CodePointDfa::is_universal,
                             "Whether the language has all texts.")
      .def(
          "accepts",
          [](const CodePointDfa& self, const std::u32string& text) {
            return self.accepts(code_points_of(text));
          },
          py::arg("text"))
      .def("shortest", &shortest_text, "A shortest text; None if there is none.")
      .def("__and__", &combined<&intersect>, py::is_operator())
      .def("__or__", &combined<&unite>, py::is_operator())
      .def("__sub__", &combined<&subtract>, py::is_operator())
      .def("__add__", &combined<&concatenate>, py::is_operator(),
           "The concatenations of a text of each language.")
      .def("__invert__", [](const CodePointDfa& self) { return complement(self); })
      .def("__eq__",
           [](const CodePointDfa& a, const py::object& b) {
             return py::isinstance<CodePointDfa>(b) &&
                    equivalent(a, py::cast<const CodePointDfa&>(b));
           })
      .def("__hash__", [](const CodePointDfa& self) { return self.n_states(); })
      .def(
          "repeat",
          [](const CodePointDfa& self, uint32_t min, std::optional<uint32_t> max) {
            return unlocked_in_budget(
                [&] { return checked(repeat(self, min, max.value_or(kNoLongest), {})); });
          },
          py::arg("min"), py::arg("max"));
}

}  // namespace xg2lab::bind
