// Lark grammars in Python. Read: named_grammars_of, special_tokens_of, bind_lark.
#include "bind/lark.h"
#include "bind/grammar_object.h"

#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <map>
#include <utility>

#include "bind/interruptible.h"
#include "bind/tensor_view.h"
#include "frontends/lark/lark.h"
#include "passes/pipeline.h"
#include "support/text.h"
#include "vocab/vocabulary.h"

namespace xg2lab::bind {
namespace {

using NamedGrammars =
    py::typing::Optional<py::typing::Dict<py::str, py::typing::Union<Grammar, py::str>>>;

constexpr const char* kFromLarkDoc = R"doc(
Read a grammar written for Lark, or for llguidance.

Parameters
----------
lark_string : str
    Rules (small letters), terminals (capitals) and statements, as in Lark: templates, `%import common.X`, `%ignore`,
    `%override`, `%extend`, priorities of terminals. Of llguidance's additions: `<|token|>`, `<[5-7]>`, `@name`,
    `%json {...}`, `%lark {...}`, `%regex {...}` with substrings, `&` and `~` in terminals, and the options capture,
    lazy, max_chars, max_tokens, stop, stop_capture, suffix and temperature. The shape of trees (`->`, `?rule`, `_rule`)
    has no effect.
tokenizer_info : TokenizerInfo, optional
    The vocabulary in which tokens written by name, `<|im_end|>`, are looked up.
named_grammars : dict of str to Grammar or str, optional
    The grammars `@name`. A str is a Lark text with a rule `start`; `%import name.X` reads it too.
start : str
    The rule that a whole output must match.
lexer : str
    How a text is divided into terminals, as by Lark's lexer of this name. "contextual", "basic": the longest match,
    strings before patterns, so "iff" is never `if` `f`. "dynamic": the longest match of each terminal.
    "dynamic_complete": any division.

Returns
-------
Grammar
    A grammar with the rule `root`.

Raises
------
GrammarSyntaxError, GrammarError
    With *all* mistakes as `diagnostics`: each has a code, a place and a hint.
UnsupportedError
    A terminal is declared and not defined, a lookaround reaches beyond its terminal, or a suffix that captures leave
    out looks around. The error has the name and the place.
LimitError
    The text, a machine or the number of rules is too large.

>>> grammar = Grammar.from_lark('''
... start: "if" NAME | NAME "=" NAME
... NAME: /[a-z]+/
... %ignore " "
... ''')
>>> print(grammar)
root ::= start ignored?
start ::= (ignored? "if") (ignored NAME) | (ignored? NAME-2) (ignored? "=") (ignored? NAME)
ignored ::= " "+
NAME ::= [a-z]+
NAME-2 ::= Regex("(?!if$)[a-z]+")
<BLANKLINE>

Meaning: at most the texts that Lark reads with that lexer. Fewer are accepted where a competing terminal could only
begin to match (docs/design/0020-lark.md). Two patterns that match the same word are both tried, with a warning.
)doc";

// Grammars and texts by name.
struct Named {
  std::map<std::string, std::shared_ptr<const Grammar>, std::less<>> grammars;
  std::map<std::string, std::string, std::less<>> texts;
};

Named named_grammars_of(const py::object& named) {
  Named found;
  if (named.is_none()) return found;
  for (const auto& [key, value] : py::cast<py::dict>(named)) {
    const std::string name = py::cast<std::string>(key);
    if (py::isinstance<Grammar>(value)) {
      found.grammars.emplace(name, py::cast<GrammarPtr>(value));
    } else if (py::isinstance<py::str>(value)) {
      found.texts.emplace(name, py::cast<std::string>(value));
    } else {
      throw py::type_error(concat("a named grammar must be a Grammar or a str, not ",
                                  std::string(py::str(py::type::of(value).attr("__name__")))));
    }
  }
  return found;
}

// A special token with this name, otherwise any token with these bytes.
std::optional<TokenId> token_named(const Vocabulary& vocabulary, std::string_view name) {
  for (const auto* ids : {&vocabulary.special_tokens(), &vocabulary.stop_tokens()}) {
    for (const TokenId id : *ids) {
      if (vocabulary.bytes(id) == name) return id;
    }
  }
  const auto [begin, end] = vocabulary.find(name);
  return begin == end ? std::nullopt : std::optional(vocabulary.token_at(begin));
}

// The package reads the JSON text and the schema. Called without the GIL.
SchemaGrammar schema_grammar_of(std::string_view json) {
  const Indivisible indivisible;  // no budget error may cross the interpreter
  const py::gil_scoped_acquire locked;
  try {
    const py::object read =
        py::module_::import("xg2lab.sources.json_schema").attr("grammar_from_json_schema");
    using namespace py::literals;
    return {py::cast<GrammarPtr>(read(std::string(json), "strict_mode"_a = false)), ""};
  } catch (const py::error_already_set& error) {
    const py::object limit = py::module_::import("xg2lab.errors").attr("LimitError");
    if (!error.matches(PyExc_Exception) || error.matches(limit)) throw;
    const std::string message = py::cast<std::string>(py::str(error.value()));
    return {nullptr, message.substr(0, message.find('\n'))};
  }
}

GrammarPtr read_lark(const py::str& text, const py::object& tokenizer_info,
                     const NamedGrammars& named_grammars, const std::string& start,
                     const std::string& lexer, LarkWork* work) {
  const Named named = named_grammars_of(named_grammars);
  LarkOptions options;
  options.start = start;
  options.lexer = lexer;
  options.work = work;
  std::shared_ptr<Vocabulary> vocabulary;
  if (!tokenizer_info.is_none()) {
    if (!py::isinstance(tokenizer_info,
                        py::module_::import("xg2lab.tokenizer_info").attr("TokenizerInfo"))) {
      throw py::type_error("tokenizer_info is " + kind_of_object(tokenizer_info) +
                           "; wanted a TokenizerInfo");
    }
    vocabulary = py::cast<std::shared_ptr<Vocabulary>>(tokenizer_info.attr("_vocabulary"));
    options.special_token = [&](std::string_view name) { return token_named(*vocabulary, name); };
  }
  options.named_grammar = [&](std::string_view name) -> std::shared_ptr<const Grammar> {
    const auto found = named.grammars.find(name);
    return found == named.grammars.end() ? nullptr : found->second;
  };
  options.named_text = [&](std::string_view name) -> const std::string* {
    const auto found = named.texts.find(name);
    return found == named.texts.end() ? nullptr : &found->second;
  };
  options.schema_grammar = schema_grammar_of;
  PyObject* encoded = PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogatepass");
  if (encoded == nullptr) throw py::error_already_set();
  const auto bytes = py::cast<std::string>(py::reinterpret_steal<py::bytes>(encoded));
  return unlocked_in_budget(
      [&] { return std::make_shared<Grammar>(check_grammar(parse_lark(bytes, options))); });
}

GrammarPtr from_lark(const py::str& text, const py::object& tokenizer_info,
                     const NamedGrammars& named_grammars, const std::string& start,
                     const std::string& lexer) {
  return read_lark(text, tokenizer_info, named_grammars, start, lexer, nullptr);
}

constexpr const char* kLarkWorkDoc =
    R"(What `from_lark` does to read a text, counted: for tests of how it grows with the text.

Parameters
----------
text : str
    A Lark grammar with a rule `start`.
lexer : str, optional
    As `from_lark` has it.

Returns
-------
dict of str to int
    `nodes` of the trees of rules, `neighbour_steps` and `set_words` (what may stand beside what), `lexer_cells` (the machine of
    all terminals), `bar_steps` (what rules leave behind) and `exprs` of the grammar.

>>> from xg2lab.grammar import Grammar
>>> Grammar._lark_work('start: "a"')["nodes"] > 0
True
)";

std::map<std::string, size_t> lark_work(const py::str& text, const std::string& lexer) {
  LarkWork work;
  read_lark(text, py::none(), NamedGrammars(py::none()), "start", lexer, &work);
  return {{"nodes", work.n_nodes},         {"neighbour_steps", work.n_neighbour_steps},
          {"set_words", work.n_set_words}, {"lexer_cells", work.n_lexer_cells},
          {"bar_steps", work.n_bar_steps}, {"exprs", work.n_exprs}};
}

}  // namespace

void bind_lark(py::class_<Grammar, std::shared_ptr<Grammar>>& grammar) {
  grammar.def_static("from_lark", &from_lark, py::arg("lark_string"), py::kw_only(),
                     py::arg("tokenizer_info") = py::none(), py::arg("named_grammars") = py::none(),
                     py::arg("start") = "start", py::arg("lexer") = "contextual", kFromLarkDoc);
  grammar.def_static("_lark_work", &lark_work, py::arg("text"), py::kw_only(),
                     py::arg("lexer") = "contextual", kLarkWorkDoc);
}

}  // namespace xg2lab::bind
