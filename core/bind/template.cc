// Templates in Python: reading them, their slots, writing them out.
// Read: argument_of (Python values as arguments) and its inverse, TextsInTokens (the encoder's
// work), then TemplateObject.
#include <pybind11/stl.h>

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bind/bind.h"
#include "bind/diagnostics.h"
#include "bind/encoder.h"
#include "bind/grammar_object.h"
#include "bind/interruptible.h"
#include "bind/json_schema.h"
#include "bind/template_object.h"
#include "bind/tensor_view.h"
#include "frontends/ebnf/parser.h"
#include "passes/pipeline.h"
#include "runtime/compiler.h"
#include "runtime/spelling.h"
#include "support/nesting.h"
#include "support/text.h"
#include "templates/spelled.h"
#include "templates/write_out.h"

namespace xg2lab::bind {
namespace {

using templates::Argument;

constexpr size_t kMostIssues = 200;
constexpr size_t kMostNesting = 1000;  // of Python's lists and dicts

// ---- Arguments ----

Argument other(std::string description) {
  Argument argument;
  argument.text = std::move(description);
  return argument;
}

// The bytes of a str. Lone surrogates from U+DC80 to U+DCFF are bytes that are not UTF-8, as
// Python's "surrogateescape" writes them.
Argument text_of(const py::handle& value) {
  Argument argument;
  argument.kind = Argument::kText;
  if (PyBytes_Check(value.ptr())) {
    argument.text = py::cast<std::string>(value);
    return argument;
  }
  Py_ssize_t n_bytes = 0;
  if (const char* utf8 = PyUnicode_AsUTF8AndSize(value.ptr(), &n_bytes)) {
    argument.text.assign(utf8, static_cast<size_t>(n_bytes));
    return argument;
  }
  PyErr_Clear();
  PyObject* bytes = PyUnicode_AsEncodedString(value.ptr(), "utf-8", "surrogateescape");
  if (bytes == nullptr) {
    PyErr_Clear();
    return other("a text with half of a surrogate pair");
  }
  argument.text = py::cast<std::string>(py::reinterpret_steal<py::bytes>(bytes));
  return argument;
}

// The digits of an int or a float; none if it is no number, or one of thousands of digits.
std::string written_number(PyObject* number, const PyTypeObject& type) {
  const auto text = py::reinterpret_steal<py::object>(type.tp_repr(number));
  if (!text) {
    PyErr_Clear();
    return "";
  }
  auto digits = py::cast<std::string>(text);
  return digits.back() >= '0' && digits.back() <= '9' ? digits : "";
}

Argument integer_of(const py::handle& value) {
  Argument argument;
  argument.kind = Argument::kInteger;
  const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!index) throw py::error_already_set();
  int overflow = 0;
  argument.integer = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0)
    argument.integer =
        overflow < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
  argument.text = overflow == 0 ? std::to_string(argument.integer) : "too large a number";
  argument.digits = overflow == 0 ? argument.text : written_number(index.ptr(), PyLong_Type);
  return argument;
}

Argument number_of(const py::handle& value) {
  Argument argument = other(kind_of_object(py::reinterpret_borrow<py::object>(value)));
  argument.kind = Argument::kNumber;
  argument.digits = written_number(value.ptr(), PyFloat_Type);
  return argument;
}

Argument argument_of(const py::handle& value, size_t depth);

Argument list_of(const py::handle& value, size_t depth) {
  Argument argument;
  argument.kind = Argument::kList;
  const auto n = static_cast<size_t>(PySequence_Fast_GET_SIZE(value.ptr()));
  argument.items.reserve(n);
  // read by index: a list may shrink while its items are read
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value.ptr()); ++i)
    argument.items.push_back(argument_of(
        py::reinterpret_borrow<py::object>(PySequence_Fast_GET_ITEM(value.ptr(), i)), depth + 1));
  return argument;
}

Argument mapping_of(const py::dict& value, size_t depth) {
  Argument argument;
  argument.kind = Argument::kMapping;
  argument.members.reserve(value.size());
  for (const auto& [name, member] : value) {
    const Argument text = PyUnicode_Check(name.ptr()) ? text_of(name) : Argument{};
    if (text.kind != Argument::kText)
      return other("a mapping with a name that is " +
                   kind_of_object(py::reinterpret_borrow<py::object>(name)));
    argument.members.emplace_back(text.text, argument_of(member, depth + 1));
  }
  return argument;
}

Argument argument_of(const py::handle& value, size_t depth) {
  count_work("reading the arguments");
  if (depth > bounded_nesting(kMostNesting)) return other("nested too deep");
  PyObject* of = value.ptr();
  if (PyUnicode_Check(of) || PyBytes_Check(of)) return text_of(value);
  if (PyBool_Check(of)) {
    Argument argument;
    argument.kind = Argument::kFlag;
    argument.flag = of == Py_True;
    return argument;
  }
  if (PyIndex_Check(of)) return integer_of(value);
  if (PyFloat_Check(of)) return number_of(value);
  if (of == Py_None) {
    Argument argument = other(kind_of_object(py::reinterpret_borrow<py::object>(value)));
    argument.kind = Argument::kNull;
    return argument;
  }
  if (PyList_Check(of) || PyTuple_Check(of)) return list_of(value, depth);
  if (PyDict_Check(of)) return mapping_of(py::reinterpret_borrow<py::dict>(value), depth);
  if (py::isinstance<Grammar>(value)) {
    Argument argument;
    argument.kind = Argument::kGrammar;
    argument.grammar = py::cast<GrammarPtr>(value);
    return argument;
  }
  return other(kind_of_object(py::reinterpret_borrow<py::object>(value)));
}

py::object python_text(const std::string& bytes) {
  PyObject* text =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), nullptr);
  if (text != nullptr) return py::reinterpret_steal<py::object>(text);
  PyErr_Clear();
  return py::bytes(bytes);
}

// A name is never bytes: what is not UTF-8 in it becomes lone surrogates, as it came.
py::object python_name(const std::string& bytes) {
  PyObject* text =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape");
  if (text == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(text);
}

py::object python_integer(const Argument& argument) {
  if (argument.digits.empty()) return py::int_(argument.integer);
  PyObject* number = PyLong_FromString(argument.digits.c_str(), nullptr, 10);
  if (number == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(number);
}

py::object value_of(const Argument& argument) {
  count_work("writing the arguments");
  switch (argument.kind) {
    case Argument::kText: return python_text(argument.text);
    case Argument::kInteger: return python_integer(argument);
    case Argument::kNumber: return py::float_(py::str(argument.digits));
    case Argument::kFlag: return py::bool_(argument.flag);
    case Argument::kList: {
      py::list items;
      for (const Argument& item : argument.items) items.append(value_of(item));
      return items;
    }
    case Argument::kMapping: {
      py::dict members;
      for (const auto& [name, member] : argument.members)
        members[python_name(name)] = value_of(member);
      return members;
    }
    case Argument::kGrammar: return py::cast(std::make_shared<Grammar>(*argument.grammar));
    case Argument::kNull:
    case Argument::kOther: break;
  }
  return py::none();
}

// ---- Texts in tokens ----

// Fills in the tokens of all texts of a request; the encoder is called once for each distinct text.
class TextsInTokens {
 public:
  TextsInTokens(const py::object& encode, const TokenSets* tokens)
      : encode_(encode), tokens_(tokens) {}

  void fill(Argument& argument) {
    if (argument.kind == Argument::kText && !argument.text.empty()) {
      const auto [known, is_new] = known_.try_emplace(argument.text);
      if (is_new) known->second = answer(argument.text);
      argument.in_tokens = known->second;
    }
    for (Argument& item : argument.items) fill(item);
    for (auto& [name, member] : argument.members) fill(member);
  }

 private:
  std::shared_ptr<const templates::TextInTokens> answer(const std::string& text) const {
    if (encode_.is_none()) {
      throw Error(ErrorKind::kArgumentError,
                  "this template takes its texts in tokens, and was read without an encoder",
                  "read it with deserialize_json(..., encode=...)");
    }
    Encoded made = encoded(encode_, text, tokens_);
    auto answer = std::make_shared<templates::TextInTokens>();
    if (made.mistake.empty()) answer->ids = made.tokens();
    answer->mistake = std::move(made.mistake);
    return answer;
  }

  const py::object& encode_;
  const TokenSets* const tokens_;
  std::unordered_map<std::string, std::shared_ptr<const templates::TextInTokens>> known_;
};

// ---- A template ----

TemplatePtr with_slots(Template of) {
  auto made = std::make_shared<TemplateObject>();
  made->of = std::move(of);
  Findings findings(kMostIssues);
  made->scopes = templates::find_scopes(made->of, findings);
  if (!findings.is_empty()) std::move(findings).raise(*made->of.grammar.source());
  return made;
}

TemplatePtr from_ebnf(const py::bytes& bytes, const py::bytes& root_name) {
  const auto text = py::cast<std::string>(bytes);
  const auto root_rule_name = py::cast<std::string>(root_name);
  return unlocked_in_budget([&] { return with_slots(parse_template(text, root_rule_name)); });
}

TemplatePtr from_json_schema(const SchemaInput& input) {
  return unlocked_in_budget([&] {
    return with_slots(json_schema::template_of_schema(input.document, input.uris, input.options));
  });
}

TemplatePtr in_tokens(const TemplateObject& self, const py::object& encode) {
  check_encoder(encode);
  auto texts = unlocked_in_budget([&] { return templates::static_texts(self.of); });
  std::vector<Diagnostic> found;
  for (SpelledText& text : texts) {
    const Encoded answer = encoded(encode, text.text, nullptr);
    if (answer.mistake.empty()) text.ids = answer.tokens();
    else if (found.size() < kMostIssues)
      found.push_back(templates::misspelled_text(text, answer.mistake));
  }
  if (!found.empty())
    throw Error(ErrorKind::kVocabularyError, std::move(found), *self.of.grammar.source());
  return unlocked_in_budget([&] { return with_slots(templates::spelled(self.of, texts)); });
}

using TextAndIds = std::pair<std::string, std::vector<int64_t>>;

// The template with the tokens of its static texts as they were written down.
TemplatePtr in_known_tokens(const TemplateObject& self, const std::vector<TextAndIds>& known) {
  return unlocked_in_budget([&] {
    std::vector<SpelledText> texts = templates::static_texts(self.of);
    bool is_whole = texts.size() == known.size();
    for (size_t i = 0; is_whole && i < texts.size(); ++i) {
      const auto& [text, ids] = known[i];
      is_whole = text == texts[i].text && !misspelling(text, ids);
      for (const int64_t id : ids) texts[i].ids.emplace_back(static_cast<uint32_t>(id));
    }
    if (!is_whole)
      throw Error(ErrorKind::kArgumentError, "the given texts and ids are not the template's own");
    return with_slots(templates::spelled(self.of, std::move(texts)));
  });
}

std::vector<TextAndIds> texts_and_ids(const TemplateObject& self) {
  std::vector<TextAndIds> all;
  if (self.of.spelling == nullptr) return all;
  for (const SpelledText& text : *self.of.spelling) {
    std::vector<int64_t>& ids = all.emplace_back(text.text, std::vector<int64_t>()).second;
    for (const TokenId id : text.ids) ids.push_back(id.value);
  }
  return all;
}

void add_texts(const Argument& argument, std::vector<TextAndIds>& all) {
  if (argument.in_tokens && argument.in_tokens->mistake.empty()) {
    std::vector<int64_t>& ids = all.emplace_back(argument.text, std::vector<int64_t>()).second;
    for (const TokenId id : argument.tokens()) ids.push_back(id.value);
  }
  for (const Argument& item : argument.items) add_texts(item, all);
  for (const auto& [name, member] : argument.members) add_texts(member, all);
}

// The static texts and those of the arguments, some twice.
std::vector<TextAndIds> texts_in_tokens(const TemplateObject& self, const py::dict& values,
                                        const py::object& encode) {
  std::vector<TextAndIds> all = texts_and_ids(self);
  add_texts(arguments_of(values, self, encode, nullptr), all);
  return all;
}

const char* kind_name(HoleKind kind) {
  switch (kind) {
    case HoleKind::kText: return "text";
    case HoleKind::kOneOf: return "texts";
    case HoleKind::kRepeat: return "count";
    case HoleKind::kIf: return "flag";
    case HoleKind::kEach: return "mappings";
    case HoleKind::kUse: return "grammar";
    case HoleKind::kValue: return "value";
    case HoleKind::kValues: return "values";
    case HoleKind::kIfZero: return "count";
  }
  return "";
}

// (rule of the scope, [(name, kind, spans, scopes of elements)]) for each scope.
py::list scopes_to_python(const TemplateObject& self) {
  py::list scopes;
  for (const templates::Scope& scope : self.scopes) {
    py::list slots;
    for (const templates::SlotFacts& slot : scope.slots) {
      py::list spans;
      for (SourceSpan span : slot.uses) spans.append(to_tuple(span));
      slots.append(py::make_tuple(slot.name, kind_name(slot.kind), spans, slot.elements));
    }
    scopes.append(py::make_tuple(self.of.grammar.rule(scope.rule).name, slots));
  }
  return scopes;
}

GrammarPtr write_out(const TemplateObject& self, const py::dict& values, const py::object& encode) {
  const Argument arguments = arguments_of(values, self, encode, nullptr);
  return unlocked_in_budget([&] {
    templates::WrittenOut written = templates::write_out(self.of, self.scopes, arguments);
    if (!written.issues.empty())
      throw templates::argument_error(written.issues, *self.of.grammar.source());
    return share(check_grammar(*std::move(written.grammar)));
  });
}

}  // namespace

Argument arguments_of(const py::dict& values, const TemplateObject& of, const py::object& encode,
                      const TokenSets* tokens) {
  Argument arguments = in_budget([&] { return mapping_of(values, 0); });
  if (of.of.spelling != nullptr) TextsInTokens(encode, tokens).fill(arguments);
  return arguments;
}

py::object values_of(const Argument& arguments) {
  return in_budget([&] { return value_of(arguments); });
}

void bind_template(py::module_& module) {
  py::class_<TemplateObject, TemplatePtr>(
      module, "TemplateText",
      "A template as the engine reads it; xg2lab.Template is its public form.")
      .def_static("from_ebnf", &from_ebnf, py::arg("text"), py::arg("root_rule_name"),
                  "Reads EBNF with slots.")
      .def_static("from_json_schema", &from_json_schema, py::arg("schema"),
                  "Reads a schema with slots.")
      .def_property_readonly(
          "source", [](const TemplateObject& self) { return self.of.grammar.source()->text(); },
          "The text that all spans point into.")
      .def_property_readonly("scopes", &scopes_to_python,
                             "For each mapping that has to be filled, the request's first: its "
                             "rule, and for each slot its name, kind, spans and element scopes.")
      .def_property_readonly(
          "diagnostics",
          [](const TemplateObject& self) {
            return diagnostics_to_python(
                unlocked_in_budget([&] { return template_findings(self.of); }),
                *self.of.grammar.source());
          },
          "Warnings and hints that hold for all arguments.")
      .def("in_tokens", &in_tokens, py::arg("encode"),
           "This template, with each text matched by exactly the tokens that `encode` returns for "
           "it.")
      .def("in_known_tokens", &in_known_tokens, py::arg("texts_and_ids"),
           "The same, with the ids of all static texts given in the form of `texts_and_ids`.")
      .def_property_readonly(
          "texts_and_ids", &texts_and_ids,
          "The static texts with their ids; empty if texts are matched as bytes.")
      .def("texts_in_tokens", &texts_in_tokens, py::arg("arguments"), py::arg("encode"),
           "The static texts and the texts of the arguments, with their ids.")
      .def("write_out", &write_out, py::arg("arguments"), py::arg("encode") = py::none(),
           "The grammar with these arguments. Raises TemplateArgumentError with all mistakes in "
           "them.");
}

}  // namespace xg2lab::bind
