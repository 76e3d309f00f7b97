// Queries about a Grammar. Read: pass_of, call_sites_of, bind_grammar_questions.
#include "bind/grammar_questions.h"
#include "bind/grammar_object.h"

#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/lookahead.h"
#include "bind/interruptible.h"
#include "passes/drop_unreachable.h"
#include "passes/fuse_literals.h"
#include "passes/inline_fragments.h"
#include "passes/normalize.h"

namespace xg2lab::bind {

namespace py = pybind11;

namespace {

// Runs a single pass, for tests (xg2lab.testing.GrammarFunctor).
GrammarPtr pass_of(const Grammar& grammar, const std::string& name) {
  const Budget budget(Work::kCompile);
  if (name == "normalize") return share(passes::normalize(grammar));
  if (name == "inline_fragments") return share(passes::inline_fragments(grammar, {}));
  if (name == "fuse_literals") return share(passes::fuse_literals(grammar));
  if (name == "drop_unreachable")
    return share(passes::drop_unreachable(grammar, passes::UnusedRules::kWarn));
  throw py::key_error("no single pass has the name `" + name + "`");
}

constexpr const char* kLintDoc = R"doc(
Find what is questionable about the grammar, as `xg2lab.lint` does.

Parameters
----------
seconds : float
    How long to search for an ambiguous text; 0 does not search.

Returns
-------
Findings
    In the order of the text.

>>> [finding.code for finding in Grammar.from_ebnf('root ::= x | "a"   x ::= [a-z]').lint()]
['ambiguous']
)doc";

// ---- What follows a rule ----

constexpr const char* kCallSitesDoc = R"doc(
Find where a rule is used, and what follows it there.

Parameters
----------
rule_name : str
    The rule's name.

Returns
-------
tuple of (list, str or None)
    For each use: the caller's name, the span of the reference in bytes, and what follows as EBNF, or None if that is
    not one thing. Then what follows every use, or None.

Raises
------
KeyError
    There is no such rule.

>>> grammar = Grammar.from_ebnf('root ::= "[" name "]" | "<" name ">"   name ::= [a-z]+')
>>> grammar.call_sites("name")
([('root', (13, 17), '"]"'), ('root', (28, 32), '">"')], None)
)doc";

constexpr const char* kRuleAtDoc = R"doc(
Find the rule whose definition contains a byte of `source`.

Parameters
----------
offset : int
    The byte's offset.

Returns
-------
str or None
    The rule's name; None between rules.

>>> Grammar.from_ebnf('root ::= x   x ::= "a"').rule_at(19)
'x'
)doc";

using PyCallSite = std::tuple<std::string, PySpan, std::optional<std::string>>;

std::pair<std::vector<PyCallSite>, std::optional<std::string>> call_sites_of(
    const Grammar& grammar, const std::string& name) {
  const auto rule = grammar.find_rule(name);
  if (!rule) throw py::key_error("the grammar has no rule `" + name + "`");
  const auto infos = unlocked_in_budget([&] { return analysis::find_lookaheads(grammar); });
  const analysis::LookaheadInfo& info = infos[rule->index()];
  const auto printed = [&](const std::optional<ExprId>& id) {
    return id ? std::optional<std::string>(print_ebnf(grammar, *id)) : std::nullopt;
  };
  std::vector<PyCallSite> sites;
  for (const analysis::CallSite& site : info.sites) {
    sites.emplace_back(grammar.rule(site.caller).name, to_tuple(grammar.expr(site.reference).span),
                       printed(site.next));
  }
  return {sites, printed(info.unique_next)};
}

std::optional<std::string> rule_name_at(const Grammar& grammar, uint32_t offset) {
  const auto rule = rule_at(grammar, offset);
  return rule ? std::optional<std::string>(grammar.rule(*rule).name) : std::nullopt;
}

}  // namespace

void bind_grammar_questions(py::class_<Grammar, GrammarPtr>& grammar) {
  grammar.def("_pass", &pass_of, py::arg("name"))
      .def(
          "lint",
          [](const py::object& self, double seconds) -> py::list {
            return py::module_::import("xg2lab.lints")
                .attr("lint")(self, py::arg("seconds") = seconds);
          },
          py::kw_only(), py::arg("seconds") = 1.0, kLintDoc)
      .def("_repr_html_",
           [](const py::object& self) -> py::str {
             return py::module_::import("xg2lab.show.html").attr("grammar_html")(self);
           })
      .def("call_sites", &call_sites_of, py::arg("rule_name"), kCallSitesDoc)
      .def("rule_at", &rule_name_at, py::arg("offset"), kRuleAtDoc);
}

}  // namespace xg2lab::bind
