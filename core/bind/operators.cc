// Trees of operators and their active positions, as plain tuples for xg2lab/compiling/operators.py.
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bind/bind.h"
#include "bind/docstrings.h"
#include "bind/grammar_object.h"
#include "bind/inspected.h"
#include "bind/matcher_object.h"
#include "operators/determinism.h"
#include "operators/operator_tree.h"
#include "operators/prepare.h"
#include "operators/text_positions.h"
#include "runtime/compiler.h"

namespace xg2lab::bind {
namespace {

using operators::Active;
using operators::Operator;
using operators::OperatorId;
using operators::OperatorKind;
using operators::OperatorTree;
using operators::Position;
using operators::Positions;
using operators::Reads;
using TreePtr = std::shared_ptr<OperatorTree>;

TreePtr operator_tree_of(const CompiledGrammar& compiled, size_t max_operators) {
  return unlocked_in_budget([&] {
    auto grammar =
        std::make_shared<const Grammar>(operators::prepared(grammar_with_token_ids(compiled)));
    return std::make_shared<OperatorTree>(operators::build_tree(std::move(grammar), max_operators));
  });
}

const char* operator_kind_name(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::kWrite: return "Write";
    case OperatorKind::kWait: return "Wait";
    case OperatorKind::kIfElse: return "IfElse";
    case OperatorKind::kSequence: return "Sequence";
    case OperatorKind::kDoWhile: return "DoWhile";
  }
  return "Write";
}

py::tuple watched_texts_of(const std::vector<WatchedText>& texts) {
  py::list all;
  for (const WatchedText& watched : texts) all.append(py::bytes(watched.text));
  return py::tuple(all);
}

// What a leaf reads: (word, values...).
py::tuple reads_of(const OperatorTree& tree, OperatorId id) {
  const Grammar& grammar = tree.grammar();
  const ExprId expr = tree.at(id).expr;
  switch (tree.at(id).reads) {
    case Reads::kNothing: return py::make_tuple("nothing");
    case Reads::kBytes: return py::make_tuple("bytes", py::bytes(std::string(tree.bytes(id))));
    case Reads::kTokens: {
      py::list ids;
      for (const TokenId token : grammar.token_set(expr).ids) ids.append(token.value);
      return py::make_tuple("tokens", py::tuple(ids), grammar.token_set(expr).is_negated);
    }
    case Reads::kClass: {
      py::list ranges;
      for (const CodePointRange& range : grammar.ranges(expr))
        ranges.append(py::make_tuple(range.lo, range.hi));
      return py::make_tuple("class", py::tuple(ranges));
    }
    case Reads::kWatched: {
      const Dispatch& dispatch = grammar.dispatch(expr);
      return py::make_tuple("watched", watched_texts_of(dispatch.tags),
                            watched_texts_of(dispatch.stop_texts),
                            watched_texts_of(dispatch.excludes));
    }
    case Reads::kMachine: return py::make_tuple("machine", grammar.machine(expr).words);
    case Reads::kShortest: return py::make_tuple("shortest");
  }
  return py::make_tuple("nothing");
}

// (kind, reads, rule, span, parent or None, children, least, most or None, slot or None,
// argument or None), by number.
py::list operator_rows_of(const OperatorTree& tree) {
  py::list rows;
  for (size_t i = 0; i < tree.size(); ++i) {
    const OperatorId id(i);
    const Operator& op = tree.at(id);
    py::list children;
    for (const OperatorId child : tree.children(id)) children.append(child.value);
    const bool is_loop = op.kind == OperatorKind::kDoWhile;
    const FilledHole* hole = tree.hole(id);
    rows.append(py::make_tuple(
        operator_kind_name(op.kind), reads_of(tree, id), tree.grammar().rule(op.rule).name,
        to_tuple(tree.span(id)), i == 0 ? py::object(py::none()) : py::int_(op.parent),
        py::tuple(children), is_loop ? py::object(py::int_(op.least)) : py::none(),
        is_loop && op.most != kNoUpperBound ? py::object(py::int_(op.most)) : py::none(),
        hole == nullptr ? py::object(py::none()) : py::str(hole->slot), tree.argument(id)));
  }
  return rows;
}

// (is_deterministic or None, most active or None, two rivals or None)
py::tuple determinism_of(const TreePtr& tree, size_t max_sets) {
  operators::DeterminismLimits limits;
  limits.n_sets = max_sets;
  const operators::Determinism found =
      unlocked_in_budget([&] { return operators::analyze(tree, limits); });
  py::object rivals = py::none();
  if (found.rivals) rivals = py::make_tuple(found.rivals->first.value, found.rivals->second.value);
  return py::make_tuple(found.is_deterministic, found.most_active, rivals);
}

// ---- Active positions ----

// (leaf, state, ((low, high), ...), bytes of a watched text that were read, positions within). The
// positions within a Wait for a shortest match lie at most a few hundred deep.
py::tuple position_row(Positions& positions, const Position& position) {
  py::list counts;
  for (const operators::Interval& each : position.counts)
    counts.append(py::make_tuple(each.low, each.high));
  py::object watched = py::none();
  py::list within;
  const Reads reads = positions.tree().at(position.leaf).reads;
  if (reads == Reads::kWatched) {
    watched = py::bytes(std::string(positions.watched(position)));
  }
  if (reads == Reads::kShortest) {
    for (const Position& inner : positions.within(position)) {
      if (!inner.is_end()) within.append(position_row(positions, inner));
    }
  }
  return py::make_tuple(position.leaf.value, position.state, py::tuple(counts), watched,
                        py::tuple(within));
}

std::vector<operators::TextPiece> pieces_of(const Matcher& matcher) {
  const Vocabulary& vocabulary = *matcher.compiled().tokens().vocabulary;
  std::vector<Matcher::Piece> steps;
  const std::string text = matcher.text(steps);
  std::vector<operators::TextPiece> pieces;
  size_t begin = 0;
  for (const Matcher::Piece& step : steps) {
    const bool is_text = !step.token || vocabulary.is_text(*step.token);
    pieces.push_back({step.token, is_text, text.substr(begin, step.end - begin)});
    begin = step.end;
  }
  return pieces;
}

py::list active_rows(MatcherObject& self, const TreePtr& tree) {
  const Hold hold(self);
  const Active* active = interruptible([&] {
    try {
      const Budget budget(self.matcher.compiled().options().parse.limits, Work::kMask);
      if (!self.operator_positions || self.operator_positions->tree() != tree)
        self.operator_positions = std::make_unique<operators::TextPositions>(tree);
      return &self.operator_positions->after(pieces_of(self.matcher));
    } catch (...) {
      self.operator_positions.reset();  // a set may be half made
      throw;
    }
  });
  py::list rows;
  for (const Position& position : *active) {
    if (!position.is_end())
      rows.append(position_row(self.operator_positions->positions(), position));
  }
  return rows;
}

}  // namespace

void bind_operators(py::module_& module) {
  py::class_<OperatorTree, TreePtr>(module, "OperatorTree",
                                    "The operators of a grammar; xg2lab.OperatorTree is its public "
                                    "form.")
      .def_static("of", &operator_tree_of, py::arg("compiled"), py::arg("max_operators"))
      .def("rows", &operator_rows_of)
      .def("determinism", &determinism_of,
           py::arg("max_sets") = operators::DeterminismLimits().n_sets);
  auto matcher = py::reinterpret_borrow<py::class_<MatcherObject>>(module.attr("GrammarMatcher"));
  matcher.def("_active_positions", &active_rows, py::arg("tree"))
      .def(
          "active_operators",
          [](const py::object& self) {
            return py::module_::import("xg2lab.compiling.operators").attr("active_operators")(self);
          },
          kActiveOperatorsDoc);
}

}  // namespace xg2lab::bind
