// Read: TreeBuilder::build (an agenda of expressions still to become operators), resolved (what an
// expression is after calls, and sequences of one part, are followed), then Refusals. The trick:
// which expressions match only the empty string is known before anything is expanded, since
// children of expressions and callees of rules come first; so no operator is made and dropped
// again.
#include "operators/operator_tree.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "analysis/derive.h"
#include "analysis/rule_graph.h"
#include "grammar/walk.h"
#include "support/budget.h"
#include "support/error.h"
#include "support/findings.h"
#include "support/text.h"

namespace xg2lab::operators {
namespace {

constexpr size_t kMostRefusals = 200;
constexpr uint32_t kMostLazyNesting = 200;  // of lazy rules in one another; positions.cc recurses

bool is_lazy(const Rule& rule) { return rule.options && rule.options->is_lazy; }

// ---- Refusals: all parts of the grammar that have no operator ----

class Refusals {
 public:
  Refusals(const Grammar& grammar, const analysis::RuleGraph& graph)
      : grammar_(grammar), graph_(graph), is_called_(grammar.n_rules()) {}

  void raise_if_any() {
    find_called();
    find_cycle();
    std::vector<bool> is_seen(grammar_.n_exprs());
    const auto is_new = [&](ExprId id) {
      const bool before = is_seen[id.index()];
      is_seen[id.index()] = true;
      return !before;
    };
    for (size_t i = 0; i < grammar_.n_rules(); ++i) {
      if (!is_called_[i]) continue;
      const Rule& rule = grammar_.rule(RuleId(i));
      refuse_options(rule);
      for_each_expr(grammar_, rule.body, is_new, [&](ExprId id) {
        if (grammar_.expr(id).kind == ExprKind::kAnyOrder) refuse_any_order(grammar_.expr(id));
      });
    }
    if (found_.empty()) return;
    std::stable_sort(found_.begin(), found_.end(), [](const Diagnostic& a, const Diagnostic& b) {
      return a.span.begin < b.span.begin;
    });
    if (found_.size() > kMostRefusals) found_.resize(kMostRefusals);
    throw Error(ErrorKind::kUnsupportedError, std::move(found_), *grammar_.source());
  }

 private:
  void report(const char* code, std::string message, SourceSpan span, std::string hint) {
    found_.push_back({code, Severity::kError, std::move(message), span, std::move(hint)});
  }

  // Finds the rules that the root calls; others are named by lookaheads and options alone.
  void find_called() {
    std::vector<RuleId> open{grammar_.root()};
    is_called_[grammar_.root().index()] = true;
    while (!open.empty()) {
      const RuleId rule = open.back();
      open.pop_back();
      for (const ExprId call : graph_.references(rule)) {
        const RuleId callee = grammar_.rule_ref(call);
        if (is_called_[callee.index()]) continue;
        is_called_[callee.index()] = true;
        open.push_back(callee);
      }
    }
  }

  void refuse_any_order(const Expr& e) {
    report("no_operator",
           "members in any order have no operator: the members that may come next depend on the "
           "set of members before them",
           e.span, "write the members in one order, or look at the chart instead");
  }

  void refuse_options(const Rule& rule) {
    if (!rule.options) return;
    for (const OptionKind kind : {OptionKind::kMaxTokens, OptionKind::kMaxChars}) {
      const bool is_tokens = kind == OptionKind::kMaxTokens;
      if (!(is_tokens ? rule.options->max_tokens : rule.options->max_chars)) continue;
      report("no_operator",
             concat("rule ", quoted(rule.name), " has ", kOptionNames[static_cast<size_t>(kind)],
                    "; no operator has such a limit"),
             rule.options->span(kind),
             is_tokens ? "remove the option, or look at the chart instead"
                       : "bound a repetition instead, as in [a-z]{0,50}");
    }
  }

  // Reports the shortest cycle of the first recursive rule, a diagnostic for each of its calls.
  void find_cycle() {
    size_t first = 0;
    while (first < is_called_.size() && !(is_called_[first] && graph_.is_recursive[first])) ++first;
    if (first == is_called_.size()) return;
    const RuleId start(first);
    const std::vector<ExprId> calls = cycle_of(start);
    std::string names = grammar_.rule(start).name;
    for (const ExprId call : calls) names += " -> " + grammar_.rule(grammar_.rule_ref(call)).name;
    RuleId caller = start;
    for (const ExprId call : calls) {
      const RuleId callee = grammar_.rule_ref(call);
      report("recursion",
             concat("rule ", quoted(grammar_.rule(caller).name), " calls ",
                    callee == caller ? "itself" : quoted(grammar_.rule(callee).name),
                    ", so the tree of operators would be infinite: ", names),
             grammar_.expr(call).span,
             "write the recursion as a repetition, x (op x)*, or as levels up to a fixed depth");
      caller = callee;
    }
  }

  // The calls of the shortest way from a recursive rule back to itself: breadth first.
  std::vector<ExprId> cycle_of(RuleId start) const {
    std::vector<std::optional<ExprId>> called_by(grammar_.n_rules());  // index: RuleId
    std::vector<RuleId> caller(grammar_.n_rules());
    std::deque<RuleId> open{start};
    while (!called_by[start.index()]) {
      const RuleId rule = open.front();
      open.pop_front();
      for (const ExprId call : graph_.references(rule)) {
        count_work("looking for recursion");
        const RuleId callee = grammar_.rule_ref(call);
        if (graph_.component[callee.index()] != graph_.component[start.index()] ||
            called_by[callee.index()])
          continue;
        called_by[callee.index()] = call;
        caller[callee.index()] = rule;
        open.push_back(callee);
      }
    }
    std::vector<ExprId> calls;
    RuleId at = start;
    do {
      calls.push_back(*called_by[at.index()]);
      at = caller[at.index()];
    } while (at != start);
    std::ranges::reverse(calls);
    return calls;
  }

  const Grammar& grammar_;
  const analysis::RuleGraph& graph_;
  std::vector<bool> is_called_;  // index: RuleId
  std::vector<Diagnostic> found_;
};

// ---- Facts about expressions that are known before they are expanded ----

// The expressions that become a Write of no bytes; index: ExprId. A choice of two empty parts is
// none of them: it stays an IfElse.
std::vector<bool> empty_exprs(const Grammar& grammar, const analysis::RuleGraph& graph,
                              const analysis::Facts& nullable) {
  std::vector<bool> is_empty(grammar.n_exprs());
  std::vector<bool> is_known(grammar.n_exprs());
  std::vector<ExprId> agenda;
  const auto decide = [&](ExprId id) {
    const Expr& e = grammar.expr(id);
    const auto children = grammar.children(id);
    switch (e.kind) {
      case ExprKind::kEmpty: return true;
      case ExprKind::kRuleRef: {
        const RuleId rule = grammar.rule_ref(id);
        return is_empty[grammar.rule(rule).body.index()] ||
               (is_lazy(grammar.rule(rule)) && nullable.rules[rule.index()]);
      }
      case ExprKind::kSequence:
        return std::ranges::all_of(children, [&](ExprId c) { return is_empty[c.index()]; });
      case ExprKind::kRepeat: return e.max == 0 || is_empty[children.front().index()];
      default: return false;
    }
  };
  for (const RuleId rule : graph.callees_first) {
    agenda.assign(1, grammar.rule(rule).body);
    std::vector<ExprId> found;  // parents first
    while (!agenda.empty()) {
      const ExprId id = agenda.back();
      agenda.pop_back();
      if (is_known[id.index()]) continue;
      is_known[id.index()] = true;
      count_work("making the tree of operators");
      found.push_back(id);
      const auto children = grammar.children(id);
      agenda.insert(agenda.end(), children.begin(), children.end());
    }
    std::ranges::sort(found);  // Grammar I1: children have smaller ids
    for (const ExprId id : found) is_empty[id.index()] = decide(id);
  }
  return is_empty;
}

}  // namespace

// ---- Expanding ----

class TreeBuilder {
 public:
  TreeBuilder(std::shared_ptr<const Grammar> grammar, size_t most_operators)
      : shared_(std::move(grammar)), grammar_(*shared_), most_(most_operators), graph_(grammar_) {}

  OperatorTree build() {
    Refusals(grammar_, graph_).raise_if_any();
    nullable_ = analysis::find_nullable(grammar_);
    is_empty_ = empty_exprs(grammar_, graph_, nullable_);
    tree_.grammar_ = shared_;
    frames_.push_back({grammar_.root(), 0, is_lazy(grammar_.rule(grammar_.root())) ? 1u : 0u});
    agenda_.push_back(called(grammar_.root(), 0, {}));
    while (!agenda_.empty()) {
      const Open open = agenda_.back();
      agenda_.pop_back();
      count_work("making the tree of operators");
      add(open);
    }
    return std::move(tree_);
  }

 private:
  // A call of a rule, and the frame around it: the rules that are open at an operator.
  struct Frame {
    RuleId rule;
    uint32_t outer = 0;
    uint32_t n_lazy = 0;  // of the rule and those around it
  };
  struct Place {
    uint32_t parent = 0;
    uint32_t place = 0;
  };
  // An expression that is to become an operator. `is_shortest`: the Wait around a lazy rule's body.
  struct Open {
    ExprId expr;
    uint32_t frame = 0;
    Place place;
    bool is_shortest = false;
  };

  // The body of the rule that `frame` has called.
  Open called(RuleId rule, uint32_t frame, Place place) const {
    const bool is_shortest = is_lazy(grammar_.rule(rule)) && !nullable_.rules[rule.index()];
    return {grammar_.rule(rule).body, frame, place, is_shortest};
  }

  // The same, after calls of rules and sequences with one part that is not empty are followed.
  Open resolved(Open open) {
    while (!open.is_shortest && !is_empty_[open.expr.index()]) {
      const ExprKind kind = grammar_.expr(open.expr).kind;
      if (kind == ExprKind::kRuleRef) {
        count_work("making the tree of operators");
        const RuleId rule = grammar_.rule_ref(open.expr);
        const uint32_t n_lazy = frames_[open.frame].n_lazy + (is_lazy(grammar_.rule(rule)) ? 1 : 0);
        if (n_lazy > kMostLazyNesting) refuse_nesting(rule);
        frames_.push_back({rule, open.frame, n_lazy});
        open = called(rule, static_cast<uint32_t>(frames_.size() - 1), open.place);
      } else if (kind == ExprKind::kSequence) {
        const auto parts = parts_of(open.expr);
        if (parts.size() > 1) break;
        open.expr = parts.front();
      } else {
        break;
      }
    }
    return open;
  }

  // The parts of a sequence that are not empty.
  std::vector<ExprId> parts_of(ExprId sequence) const {
    std::vector<ExprId> parts;
    for (const ExprId part : grammar_.children(sequence)) {
      if (!is_empty_[part.index()]) parts.push_back(part);
    }
    return parts;
  }

  void add(const Open& unresolved) {
    const size_t n_frames = frames_.size();
    const Open open = resolved(unresolved);
    if (tree_.operators_.size() >= most_) refuse_growth(open.frame);
    const uint32_t number = static_cast<uint32_t>(tree_.operators_.size());
    Operator made = operator_of(open);
    made.parent = open.place.parent;
    made.place = open.place.place;
    if (number > 0) {
      const Operator& parent = tree_.operators_[made.parent];
      tree_.children_[parent.first_child + made.place] = OperatorId(number);
    }
    add_children(open, number, made);
    if (made.n_children == 0) frames_.resize(n_frames);  // nothing refers to them
    tree_.operators_.push_back(made);
  }

  // Makes room for the children, and opens them, the first on top of the agenda.
  void add_children(const Open& open, uint32_t number, Operator& made) {
    std::vector<Open> children;
    const auto of = [&](ExprId expr, bool is_shortest = false) {
      const auto place = static_cast<uint32_t>(children.size());
      children.push_back({expr, open.frame, {number, place}, is_shortest});
    };
    switch (made.kind) {
      case OperatorKind::kWrite: break;
      case OperatorKind::kWait:
        if (made.reads == Reads::kShortest) of(open.expr);
        if (made.reads == Reads::kWatched) {
          for (const ExprId reference : grammar_.children(open.expr)) of(reference);
        }
        break;
      case OperatorKind::kSequence:
        for (const ExprId part : parts_of(open.expr)) of(part);
        break;
      case OperatorKind::kIfElse:
      case OperatorKind::kDoWhile:
        for (const ExprId child : grammar_.children(open.expr)) of(child);
        break;
    }
    made.first_child = static_cast<uint32_t>(tree_.children_.size());
    made.n_children = static_cast<uint32_t>(children.size());
    tree_.children_.resize(tree_.children_.size() + children.size());
    agenda_.insert(agenda_.end(), children.rbegin(), children.rend());
  }

  Operator operator_of(const Open& open) const {
    Operator made;
    made.rule = frames_[open.frame].rule;
    made.expr = open.expr;
    made.is_nullable = !open.is_shortest && nullable_.exprs[open.expr.index()];
    if (open.is_shortest) {
      made.kind = OperatorKind::kWait;
      made.reads = Reads::kShortest;
      return made;
    }
    if (is_empty_[open.expr.index()]) {
      made.is_nullable = true;
      made.reads = Reads::kBytes;
      return made;
    }
    const Expr& e = grammar_.expr(open.expr);
    switch (e.kind) {
      case ExprKind::kLiteral: made.reads = Reads::kBytes; break;
      case ExprKind::kTokenSet: {
        const TokenSet& tokens = grammar_.token_set(open.expr);
        const bool is_one = tokens.ids.size() == 1 && !tokens.is_negated;
        made.kind = is_one ? OperatorKind::kWrite : OperatorKind::kWait;
        made.reads = Reads::kTokens;
        break;
      }
      case ExprKind::kClass: wait_for(Reads::kClass, made); break;
      case ExprKind::kDispatch: wait_for(Reads::kWatched, made); break;
      case ExprKind::kMachine: wait_for(Reads::kMachine, made); break;
      case ExprKind::kChoice: made.kind = OperatorKind::kIfElse; break;
      case ExprKind::kSequence: made.kind = OperatorKind::kSequence; break;
      case ExprKind::kRepeat: {
        const ExprId child = grammar_.children(open.expr).front();
        made.kind = OperatorKind::kDoWhile;
        made.least = nullable_.exprs[child.index()] ? 0 : e.min;
        made.most = e.max;
        break;
      }
      default:
        XG2LAB_ASSERT(false, "operator_tree I4: what has no operator was refused or dropped");
    }
    return made;
  }

  static void wait_for(Reads reads, Operator& made) {
    made.kind = OperatorKind::kWait;
    made.reads = reads;
  }

  [[noreturn]] void refuse_nesting(RuleId rule) const {
    const Diagnostic found{
        "too_many_operators", Severity::kError,
        concat("more than ", kMostLazyNesting, " lazy rules are nested, down to rule ",
               quoted(grammar_.rule(rule).name)),
        grammar_.rule(rule).name_span, "remove the option from the inner rules"};
    throw Error(ErrorKind::kLimitError, {found}, *grammar_.source());
  }

  [[noreturn]] void refuse_growth(uint32_t frame) const {
    std::vector<std::string_view> names;
    for (uint32_t at = frame;; at = frames_[at].outer) {
      names.push_back(grammar_.rule(frames_[at].rule).name);
      if (at == 0) break;
    }
    std::ranges::reverse(names);
    const Rule& rule = grammar_.rule(frames_[frame].rule);
    const Diagnostic found{
        "too_many_operators", Severity::kError,
        concat("the tree has more than ", most_,
               " operators, since each call of a rule is a copy of it; the limit was reached in ",
               join_first(20, names, " -> ")),
        rule.name_span, "raise max_operators, or call these rules less often"};
    throw Error(ErrorKind::kLimitError, {found}, *grammar_.source());
  }

  const std::shared_ptr<const Grammar> shared_;
  const Grammar& grammar_;
  const size_t most_;
  const analysis::RuleGraph graph_;
  analysis::Facts nullable_;
  std::vector<bool> is_empty_;  // index: ExprId
  std::vector<Frame> frames_;   // the root's first
  std::vector<Open> agenda_;
  OperatorTree tree_;
};

// ---- The tree ----

std::string_view OperatorTree::bytes(OperatorId id) const {
  const ExprId expr = at(id).expr;
  return grammar_->expr(expr).kind == ExprKind::kLiteral ? grammar_->literal(expr) : "";
}

const FilledHole* OperatorTree::hole(OperatorId id) const {
  const ArgumentPlaces* places = grammar_->argument_places();
  if (places == nullptr) return nullptr;
  const ArgumentPlaces::OfRule* of_rule = places->of(grammar_->rule(at(id).rule).name);
  return of_rule == nullptr ? nullptr : of_rule->hole_at(span(id));
}

std::optional<std::string> OperatorTree::argument(OperatorId id) const {
  if (const FilledHole* filled = hole(id)) return filled->pointer;
  const ArgumentPlaces* places = grammar_->argument_places();
  if (places == nullptr) return std::nullopt;
  const ArgumentPlaces::OfRule* of_rule = places->of(grammar_->rule(at(id).rule).name);
  if (of_rule == nullptr || of_rule->element.empty()) return std::nullopt;
  return of_rule->element;
}

OperatorTree build_tree(std::shared_ptr<const Grammar> grammar, size_t most_operators) {
  return TreeBuilder(std::move(grammar), most_operators).build();
}

}  // namespace xg2lab::operators
