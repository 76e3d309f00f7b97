// Grammar in Python: parsing, inspecting, combining, serializing.
// Read: text_of (the accepted kinds of text), the parts of Grammar, bind_grammar.
#include "grammar/grammar.h"

#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include "analysis/derive.h"
#include "analysis/rule_graph.h"
#include "bind/bind.h"
#include "bind/diagnostics.h"
#include "bind/grammar_object.h"
#include "bind/grammar_questions.h"
#include "bind/grammar_trees.h"
#include "bind/interruptible.h"
#include "bind/lark.h"
#include "bind/plain_tables.h"
#include "bind/tensor_view.h"
#include "frontends/ebnf/builtin_json.h"
#include "frontends/ebnf/parser.h"
#include "frontends/regex/regex.h"
#include "grammar/combine.h"
#include "passes/pipeline.h"
#include "support/text.h"

namespace xg2lab::bind {
namespace {

constexpr const char* kGrammarDoc = R"doc(
A context-free grammar over bytes: rules, and the expressions they stand for. Immutable.

>>> grammar = Grammar.from_ebnf('root ::= "[" item ("," item)* "]"   item ::= [0-9]+')
>>> print(grammar)
root ::= "[" item ("," item)* "]"
item ::= [0-9]+
<BLANKLINE>
>>> [rule.name for rule in grammar.rules]
['root', 'item']

Meaning: a rule matches what its body matches; a body is built of literals, classes, references,
sequences, choices and repetitions. Units: spans count bytes of `source`, classes code points.
)doc";

constexpr const char* kFromEbnfDoc = R"doc(
Read a grammar written in EBNF.

Parameters
----------
ebnf_string : str or bytes
    Rules `name ::= body`, or `name[max_tokens=5, lazy, capture="x"] ::= body` with any of the options max_tokens,
    max_chars, lazy, capture, temperature, parts, hidden. Bytes are UTF-8. The dialect is a superset of GBNF:
    core/frontends/ebnf/parser.h has its grammar.
root_rule_name : str
    The rule that a whole output must match.

Returns
-------
Grammar
    The grammar, with its source.

Raises
------
GrammarSyntaxError, GrammarError
    With *all* mistakes as `diagnostics`: each has a code, a place and a hint. A root that can never match,
    or never end, is a GrammarError too.
UnsupportedError
    The pattern of a Regex(...) needs more than a finite machine.
LimitError
    The text has more than 16 MiB, a million rules or 1,000 nested groups.

>>> Grammar.from_ebnf('root ::= "a" | digits   digit ::= [0-9]')
Traceback (most recent call last):
xg2lab.errors.GrammarError: rule `digits` is not defined
  grammar:1:16
    1 | root ::= "a" | digits   digit ::= [0-9]
      |                ^^^^^^
  hint: did you mean `digit`?
)doc";

constexpr const char* kFromRegexDoc = R"doc(
Make a grammar of one rule from a regular expression, which the whole output must match.

Parameters
----------
regex_string : str or bytes
    ECMA-262 with the flag u, and common spellings of other dialects that mean the same; core/languages/regex/parser.h
    lists them. Anchors at the ends have no effect. Flags are written in the pattern: (?i), (?s), (?m).
print_converted_ebnf : bool
    Whether to print the grammar as EBNF. A part that EBNF lacks is printed as the call of a macro.

Returns
-------
Grammar
    A grammar with the rule `root`.

Raises
------
GrammarSyntaxError
    With *all* mistakes of the pattern as `diagnostics`, each with a place and a hint.
UnsupportedError
    The pattern has a backreference, an atomic group, an unknown property or the like; the message names it.
LimitError
    The pattern's machine is too large.

>>> print(Grammar.from_regex("[a-z]{1,8}|[0-9]+"))
root ::= [a-z]{1,8} | [0-9]+
<BLANKLINE>
>>> print(Grammar.from_regex(r"(?!if\b)[a-z]+"))
root ::= Regex("(?!if\\b)[a-z]+")
<BLANKLINE>
>>> Grammar.from_regex(r"(a)\1")
Traceback (most recent call last):
xg2lab.errors.UnsupportedError: backreference `\1` is not supported
  pattern:1:4
    1 | (a)\1
      |    ^^
  hint: no grammar can compare two texts; write the group's alternatives out
)doc";

constexpr const char* kBuiltinJsonDoc = R"doc(
Make the grammar of JSON (RFC 8259): any value, with whitespace wherever the standard allows it.

Returns
-------
Grammar
    A grammar with the rule `root`.

>>> Grammar.builtin_json_grammar().rules[1].body
'object | array | string | number | "true" | "false" | "null"'
)doc";

constexpr const char* kConcatDoc = R"doc(
Concatenate grammars: a match of each, one after the other. Rules whose names collide get numbers.

Parameters
----------
*args : Grammar
    The grammars.

Returns
-------
Grammar
    The concatenation.

>>> print(Grammar.concat(Grammar.from_ebnf('root ::= "a"'), Grammar.from_ebnf('root ::= "b"')))
root ::= root_1 root_2
root_1 ::= "a"
root_2 ::= "b"
<BLANKLINE>
)doc";

constexpr const char* kUnionDoc = R"doc(
Unite grammars: a match of any one of them. Rules whose names collide get numbers.

Parameters
----------
*args : Grammar
    The grammars.

Returns
-------
Grammar
    The union.

>>> print(Grammar.union(Grammar.from_ebnf('root ::= "a"'), Grammar.from_ebnf('root ::= "b"')))
root ::= root_1 | root_2
root_1 ::= "a"
root_2 ::= "b"
<BLANKLINE>
)doc";

constexpr const char* kExpressionsDoc = R"doc(
Return the body of each rule as nested tuples.

Returns
-------
dict of str to tuple
    For each rule its expression: the kind, the values of that kind, and last the span in bytes.

>>> Grammar.from_ebnf('root ::= "a" [0-9]* | ""').expressions()["root"]  # doctest: +NORMALIZE_WHITESPACE
('choice', (('sequence', (('literal', b'a', (9, 12)),
                          ('repeat', ('class', ((48, 57),), (13, 18)), 0, None, (13, 19))), (9, 19)),
            ('empty', (22, 24))), (9, 24))
)doc";

constexpr const char* kPassesDoc = R"doc(
Return the grammar after each pass that prepares it for the engine.

Parameters
----------
fuse_literals : bool
    Whether `"a" "b"` becomes `"ab"`.
right_recursion_to_repeat : bool
    Whether `a ::= x a | y` becomes `a ::= x* y`.
inlining : bool
    Whether small rules are written into their callers.

Returns
-------
list of (str, Grammar)
    The name of each pass and its result.

>>> grammar = Grammar.from_ebnf('root ::= "<" list ">"   list ::= "x" | "x" list')
>>> name, result = grammar.passes()[-1]
>>> print(name, str(result), sep=": ", end="")
fuse_literals: root ::= "<" "x"* "x>"
)doc";

constexpr const char* kSerializeDoc = R"doc(
Write the grammar as JSON text, with its source and spans.

Returns
-------
str
    JSON, for `deserialize_json`.

>>> grammar = Grammar.from_ebnf('root ::= "a"*')
>>> str(Grammar.deserialize_json(grammar.serialize_json())) == str(grammar)
True
)doc";

constexpr const char* kDeserializeDoc = R"doc(
Read what `serialize_json` wrote. Nothing in the text is trusted.

Parameters
----------
json_string : str or bytes
    The text.

Returns
-------
Grammar
    It equals the grammar that was written.

Raises
------
InvalidJSONError, DeserializeFormatError, DeserializeVersionError
    The text is not JSON, not a grammar of ours, or of another version.

>>> Grammar.deserialize_json(Grammar.from_ebnf('root ::= "a"*').serialize_json()).source
'root ::= "a"*'
)doc";

using PyText = py::typing::Union<py::str, py::bytes>;

// str or bytes. An unpaired surrogate in a str becomes bytes that the parser rejects with their
// position.
std::string text_of(const PyText& text) {
  if (py::isinstance<py::bytes>(text)) return py::cast<std::string>(text);
  if (!py::isinstance<py::str>(text)) {
    throw py::type_error(concat("text must be str or bytes, not ",
                                std::string(py::str(py::type::of(text).attr("__name__")))));
  }
  PyObject* encoded = PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogatepass");
  if (encoded == nullptr) throw py::error_already_set();
  return py::cast<std::string>(py::reinterpret_steal<py::bytes>(encoded));
}

GrammarPtr from_ebnf(const PyText& text, const std::string& root_rule_name) {
  const std::string bytes = text_of(text);
  return unlocked_in_budget(
      [&] { return share(check_grammar(parse_ebnf(bytes, root_rule_name))); });
}

GrammarPtr from_regex(const PyText& pattern, bool print_converted_ebnf) {
  const std::string bytes = text_of(pattern);
  const GrammarPtr grammar =
      unlocked_in_budget([&] { return share(check_grammar(regex::grammar_of_regex(bytes))); });
  if (print_converted_ebnf) py::print(print_ebnf(*grammar), py::arg("end") = "");
  return grammar;
}

// The source of a combined grammar is its printed text, so that its spans are valid.
GrammarPtr combined(const py::args& args, Grammar (*combine)(const std::vector<const Grammar*>&)) {
  std::vector<GrammarPtr> held;
  std::vector<const Grammar*> grammars;
  for (const py::handle& arg : args) {
    if (!py::isinstance<Grammar>(arg)) {
      throw py::type_error(
          concat("argument ", held.size(), " is ", kind_of_object(arg), "; wanted a Grammar"));
    }
    held.push_back(py::cast<GrammarPtr>(arg));
    grammars.push_back(held.back().get());
  }
  if (grammars.empty()) throw py::type_error("at least one grammar is needed");
  EbnfLimits limits;
  limits.n_bytes = limits.n_rules = UINT32_MAX;
  return unlocked_in_budget([&] {
    return share(check_grammar(parse_ebnf(print_ebnf(combine(grammars)), "root", limits)));
  });
}

// ---- Inspecting a grammar ----

struct RuleInfo {
  std::string name;
  SourceSpan span;
  SourceSpan name_span;
  uint32_t line;
  std::string body;
  bool is_nullable;
  bool is_recursive;
  std::shared_ptr<const RuleOptions> options;  // null: the rule has no options
};

std::vector<RuleInfo> rules_of(const Grammar& grammar) {
  return unlocked_in_budget([&] {
    const std::vector<bool> nullable = analysis::nullable_rules(grammar);
    const analysis::RuleGraph graph(grammar);
    std::vector<RuleInfo> infos;
    for (size_t i = 0; i < grammar.n_rules(); ++i) {
      const Rule& rule = grammar.rule(RuleId(i));
      const uint32_t line = grammar.source()->position(rule.name_span.begin).line;
      infos.push_back({rule.name, rule.span, rule.name_span, line, print_ebnf(grammar, rule.body),
                       nullable[i], graph.is_recursive[i], rule.options});
    }
    return infos;
  });
}

using Steps = std::vector<std::pair<std::string, GrammarPtr>>;

Steps passes_of(const Grammar& grammar, bool fuse, bool repeat, bool inlining) {
  PassOptions options;
  options.fuse_literals = fuse;
  options.right_recursion_to_repeat = repeat;
  options.inlining = inlining;
  return unlocked_in_budget([&] {
    Steps steps;
    const PassTrace trace = [&steps](std::string_view name, const Grammar& result) {
      steps.emplace_back(name, share(result));
    };
    run_passes(grammar, options, &trace);
    return steps;
  });
}

py::dict options_dict(const RuleInfo& rule) {
  py::dict out;
  if (!rule.options) return out;
  const RuleOptions& options = *rule.options;
  if (options.max_tokens) out["max_tokens"] = *options.max_tokens;
  if (options.max_chars) out["max_chars"] = *options.max_chars;
  if (options.is_lazy) out["lazy"] = true;
  if (options.capture) out["capture"] = *options.capture;
  if (options.temperature) out["temperature"] = *options.temperature;
  if (options.parts) out["parts"] = *options.parts;
  if (options.is_hidden) out["hidden"] = true;
  return out;
}

py::dict option_spans(const RuleInfo& rule) {
  py::dict out;
  for (const auto& option : options_dict(rule)) {
    const std::string name = py::cast<std::string>(option.first);
    const auto* const found = std::find(kOptionNames.begin(), kOptionNames.end(), name);
    out[option.first] =
        to_tuple(rule.options->spans[static_cast<size_t>(found - kOptionNames.begin())]);
  }
  return out;
}

void bind_rule_info(py::module_& module) {
  py::class_<RuleInfo>(module, "RuleInfo",
                       "One rule of a Grammar. Spans count bytes of its source.")
      .def_readonly("name", &RuleInfo::name)
      .def_property_readonly(
          "span", [](const RuleInfo& rule) { return to_tuple(rule.span); },
          "The whole definition, name to end of body.")
      .def_property_readonly("name_span",
                             [](const RuleInfo& rule) { return to_tuple(rule.name_span); })
      .def_readonly("line", &RuleInfo::line, "Line of the definition, from 1.")
      .def_readonly("body", &RuleInfo::body, "The body as EBNF.")
      .def_readonly("is_nullable", &RuleInfo::is_nullable, "Whether it matches the empty string.")
      .def_readonly("is_recursive", &RuleInfo::is_recursive,
                    "Whether it refers to itself, directly or through other rules.")
      .def_property_readonly(
          "options", [](const RuleInfo& rule) { return options_dict(rule); },
          "The options that are written, by name; `lazy` is True.")
      .def_property_readonly(
          "option_spans", [](const RuleInfo& rule) { return option_spans(rule); },
          "The span of each option in the text.")
      .def("__repr__", [](const RuleInfo& rule) {
        return "<RuleInfo " + rule.name + print_options(rule.options.get(), rule.name) +
               " ::= " + rule.body + ">";
      });
}

// ---- Bindings ----

void add_constructors(py::class_<Grammar, GrammarPtr>& grammar) {
  grammar
      .def_static("from_ebnf", &from_ebnf, py::arg("ebnf_string"), py::kw_only(),
                  py::arg("root_rule_name") = "root", kFromEbnfDoc)
      .def_static("from_regex", &from_regex, py::arg("regex_string"), py::kw_only(),
                  py::arg("print_converted_ebnf") = false, kFromRegexDoc)
      .def_static(
          "builtin_json_grammar",
          [] { return share(check_grammar(parse_ebnf(std::string(json_ebnf()), "root"))); },
          kBuiltinJsonDoc)
      .def_static(
          "concat", [](const py::args& grammars) { return combined(grammars, &concat_grammars); },
          kConcatDoc)
      .def_static(
          "union", [](const py::args& grammars) { return combined(grammars, &unite_grammars); },
          kUnionDoc);
}

void add_contents(py::class_<Grammar, GrammarPtr>& grammar) {
  grammar
      .def("__str__",
           [](const Grammar& self) { return unlocked_in_budget([&] { return print_ebnf(self); }); })
      .def("__repr__",
           [](const Grammar& self) {
             return concat("<Grammar with root `", self.rule(self.root()).name,
                           "`, rules: ", self.n_rules(), ">");
           })
      .def_property_readonly(
          "root_rule_name", [](const Grammar& self) { return self.rule(self.root()).name; },
          "The rule that a whole output must match.")
      .def_property_readonly("rules", &rules_of, "The rules, in the order of the text.")
      .def_property_readonly(
          "source", [](const Grammar& self) { return self.source()->text(); },
          "The text that all spans point into.")
      .def_property_readonly(
          "source_name", [](const Grammar& self) { return self.source()->name(); },
          "The name of the source in messages: `grammar`, `pattern`, `schema` and the like.")
      .def_property_readonly(
          "diagnostics",
          [](const Grammar& self) {
            return diagnostics_to_python(self.diagnostics(), *self.source());
          },
          "Warnings and hints: rules that never match or are never used, lookaheads that the "
          "grammar doesn't keep.")
      .def(
          "expressions",
          [](const Grammar& self) { return in_budget([&] { return expressions_of(self); }); },
          kExpressionsDoc)
      .def("passes", &passes_of, py::kw_only(), py::arg("fuse_literals") = true,
           py::arg("right_recursion_to_repeat") = true, py::arg("inlining") = true, kPassesDoc);
}

// For each rule that was written out: its name, a JSON Pointer to its element, and its filled holes
// as (span, slot, pointer).
py::list argument_places(const Grammar& self) {
  py::list rules;
  const ArgumentPlaces* places = self.argument_places();
  if (places == nullptr) return rules;
  for (const auto& [name, of_rule] : places->rules) {
    py::list holes;
    for (const FilledHole& hole : of_rule.holes)
      holes.append(py::make_tuple(to_tuple(hole.span), hole.slot, hole.pointer));
    rules.append(py::make_tuple(name, of_rule.element, holes));
  }
  return rules;
}

// Grammars as JSON, for pickle, and as the plain values between the two.
void add_plain_forms(py::class_<Grammar, GrammarPtr>& grammar) {
  grammar
      .def_static(
          "deserialize_json",
          [](const PyText& text) -> GrammarPtr {
            py::object read = py::module_::import("xg2lab.grammar").attr("grammar_from_json");
            return py::cast<GrammarPtr>(read(text));
          },
          py::arg("json_string"), kDeserializeDoc)
      .def(
          "serialize_json",
          [](const Grammar& self) -> py::str {
            py::object write = py::module_::import("xg2lab.grammar").attr("grammar_to_json");
            return write(py::cast(&self));
          },
          kSerializeDoc)
      .def("__reduce__",
           [](const py::object& self) -> py::tuple {
             return py::make_tuple(py::module_::import("xg2lab.grammar").attr("grammar_from_json"),
                                   py::make_tuple(self.attr("serialize_json")()));
           })
      .def("_argument_places",
           [](const Grammar& self) { return in_budget([&] { return argument_places(self); }); })
      .def("_to_plain",
           [](const Grammar& self) { return in_budget([&] { return grammar_to_python(self); }); })
      .def_static("_from_plain", [](const py::dict& plain) {
        return in_budget([&] { return share(check_grammar(grammar_from_python(plain))); });
      });
}

}  // namespace

void bind_grammar(py::module_& module) {
  bind_rule_info(module);
  py::class_<Grammar, GrammarPtr> grammar(module, "Grammar", kGrammarDoc);
  add_constructors(grammar);
  add_contents(grammar);
  add_plain_forms(grammar);
  bind_grammar_questions(grammar);
  bind_lark(grammar);
}

}  // namespace xg2lab::bind
