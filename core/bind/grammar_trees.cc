// Read: tree_of, one case for each kind. A tree is made once and shared by the trees that contain
// it.
#include "bind/grammar_trees.h"
#include "bind/grammar_object.h"

#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "grammar/plain.h"

namespace xg2lab::bind {

namespace py = pybind11;

namespace {

py::tuple texts_to_bytes(const std::vector<WatchedText>& texts) {
  py::list all;
  for (const WatchedText& watched : texts) all.append(py::bytes(watched.text));
  return py::tuple(all);
}

// ('dispatch', ((tag, rule), ...), stop texts, excludes, stop_eos, loop_after_dispatch, span)
py::tuple dispatch_tree(const Grammar& grammar, ExprId id) {
  const Dispatch& dispatch = grammar.dispatch(id);
  const auto references = grammar.children(id);
  py::list tags;
  for (size_t i = 0; i < references.size(); ++i) {
    tags.append(py::make_tuple(py::bytes(dispatch.tags[i].text),
                               grammar.rule(grammar.rule_ref(references[i])).name));
  }
  return py::make_tuple(kind_name(ExprKind::kDispatch), py::tuple(tags),
                        texts_to_bytes(dispatch.stop_texts), texts_to_bytes(dispatch.excludes),
                        dispatch.stop_eos, dispatch.loop_after_dispatch,
                        to_tuple(grammar.expr(id).span));
}

// ('any_order' or 'in_order', ((member, min, max or None), ...), separator, min_total, max_total or
// None, span)
py::tuple any_order_tree(const Grammar& grammar, ExprId id, const std::vector<py::object>& trees) {
  const AnyOrderBounds& bounds = grammar.any_order(id);
  const auto children = grammar.children(id);
  py::list members;
  for (size_t i = 0; i < bounds.members.size(); ++i) {
    const bool may_repeat = bounds.members[i].may_repeat;
    members.append(py::make_tuple(trees[children[i].index()], bounds.members[i].is_required ? 1 : 0,
                                  may_repeat ? py::object(py::none()) : py::object(py::int_(1))));
  }
  const py::object max =
      bounds.has_max() ? py::object(py::int_(bounds.max_total)) : py::object(py::none());
  return py::make_tuple(bounds.is_ordered ? "in_order" : kind_name(ExprKind::kAnyOrder),
                        py::tuple(members), trees[children.back().index()], bounds.min_total, max,
                        to_tuple(grammar.expr(id).span));
}

py::tuple tree_of(const Grammar& grammar, ExprId id, const std::vector<py::object>& trees) {
  const Expr& e = grammar.expr(id);
  const py::str kind(kind_name(e.kind));
  const py::object span = py::cast(to_tuple(e.span));
  switch (e.kind) {
    case ExprKind::kEmpty:
    case ExprKind::kNothing: return py::make_tuple(kind, span);
    case ExprKind::kLiteral: return py::make_tuple(kind, py::bytes(grammar.literal(id)), span);
    case ExprKind::kRuleRef:
      return py::make_tuple(kind, grammar.rule(grammar.rule_ref(id)).name, span);
    case ExprKind::kRepeat: {
      const py::object max = e.max == kNoUpperBound ? py::object(py::none()) : py::int_(e.max);
      return py::make_tuple(kind, trees[grammar.children(id).front().index()], e.min, max, span);
    }
    case ExprKind::kDispatch: return dispatch_tree(grammar, id);
    case ExprKind::kTokenSet: {
      py::list ids;
      for (TokenId token : grammar.token_set(id).ids) ids.append(token.value);
      for (const TokenName& name : grammar.token_set(id).names) ids.append(name.text);
      return py::make_tuple(kind, py::tuple(ids), grammar.token_set(id).is_negated, span);
    }
    case ExprKind::kMachine: return py::make_tuple(kind, grammar.machine(id).words, span);
    case ExprKind::kAnyOrder: return any_order_tree(grammar, id, trees);
    default: break;
  }
  py::list parts;
  if (e.kind == ExprKind::kClass) {
    for (const CodePointRange& range : grammar.ranges(id)) {
      parts.append(py::make_tuple(range.lo, range.hi));
    }
  }
  for (ExprId child : grammar.children(id)) parts.append(trees[child.index()]);
  return py::make_tuple(kind, py::tuple(parts), span);
}

}  // namespace

py::dict expressions_of(const Grammar& grammar) {
  std::vector<py::object> trees(grammar.n_exprs());
  for (size_t i = 0; i < grammar.n_exprs(); ++i) trees[i] = tree_of(grammar, ExprId(i), trees);
  py::dict bodies;
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    const Rule& rule = grammar.rule(RuleId(i));
    bodies[py::str(rule.name)] = trees[rule.body.index()];
  }
  return bodies;
}

}  // namespace xg2lab::bind
