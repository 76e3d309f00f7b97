// Accessors of Grammar, and the builder that establishes its invariants. Read: the accessors, the
// node makers of GrammarBuilder, copy, then build (which asserts I5 and I6). The trick: copy walks
// with an explicit stack, so that a deep expression can't exhaust the call stack.
#include "grammar/grammar.h"

#include <algorithm>
#include <utility>

#include "support/bounds.h"
#include "support/budget.h"
#include "support/utf8.h"

namespace xg2lab {
bool keeps_references(ExprKind kind) {
  return kind == ExprKind::kDispatch || kind == ExprKind::kAnyOrder;
}

std::vector<std::string_view> views(const std::vector<WatchedText>& texts) {
  std::vector<std::string_view> all;
  for (const WatchedText& watched : texts) all.push_back(watched.text);
  return all;
}

// ---- Reading a grammar -------------------------------------------------------------------------

std::optional<RuleId> Grammar::find_rule(std::string_view name) const {
  const auto found = std::lower_bound(
      rules_by_name_.begin(), rules_by_name_.end(), name,
      [this](RuleId id, std::string_view wanted) { return rule(id).name < wanted; });
  if (found == rules_by_name_.end() || rule(*found).name != name) return std::nullopt;
  return *found;
}

std::string_view Grammar::literal(ExprId id) const {
  const Expr& e = expr(id);
  XG2LAB_ASSERT(e.kind == ExprKind::kLiteral, "literal() is for a kLiteral");
  return std::string_view(literal_table_).substr(e.first, e.count);
}

std::span<const CodePointRange> Grammar::ranges(ExprId id) const {
  const Expr& e = expr(id);
  XG2LAB_ASSERT(e.kind == ExprKind::kClass, "ranges() is for a kClass");
  return std::span<const CodePointRange>(range_table_).subspan(e.first, e.count);
}

RuleId Grammar::rule_ref(ExprId id) const {
  const Expr& e = expr(id);
  XG2LAB_ASSERT(e.kind == ExprKind::kRuleRef, "rule_ref() is for a kRuleRef");
  return RuleId(e.first);
}

const Dispatch& Grammar::dispatch(ExprId id) const {
  const Expr& e = expr(id);
  XG2LAB_ASSERT(e.kind == ExprKind::kDispatch, "dispatch() is for a kDispatch");
  return *dispatch_table_[e.min];
}

const std::shared_ptr<const Machine>& Grammar::shared_machine(ExprId id) const {
  const Expr& e = expr(id);
  XG2LAB_ASSERT(e.kind == ExprKind::kMachine, "a machine is what a kMachine has");
  return machine_table_[e.min];
}

const AnyOrderBounds& Grammar::any_order(ExprId id) const {
  const Expr& e = expr(id);
  XG2LAB_ASSERT(e.kind == ExprKind::kAnyOrder, "any_order() is for a kAnyOrder");
  return *any_order_table_[e.min];
}

const TokenSet& Grammar::token_set(ExprId id) const {
  const Expr& e = expr(id);
  XG2LAB_ASSERT(e.kind == ExprKind::kTokenSet, "token_set() is for a kTokenSet");
  return *token_set_table_[e.min];
}

Grammar with_diagnostics(Grammar grammar, std::vector<Diagnostic> diagnostics) {
  grammar.diagnostics_ = std::move(diagnostics);
  return grammar;
}

bool has_kind(const Grammar& grammar, ExprKind kind) {
  for (size_t i = 0; i < grammar.n_exprs(); ++i) {
    if (grammar.expr(ExprId(i)).kind == kind) return true;
  }
  return false;
}

bool has_token_names(const Grammar& grammar) {
  for (size_t i = 0; i < grammar.n_exprs(); ++i) {
    const ExprId id(i);
    if (grammar.expr(id).kind == ExprKind::kTokenSet && !grammar.token_set(id).names.empty())
      return true;
  }
  return false;
}

bool is_large_machine(const Grammar& grammar, ExprId id) {
  constexpr size_t kMostStates = 256;
  return grammar.expr(id).kind == ExprKind::kMachine &&
         grammar.machine(id).fsm.n_states() > kMostStates;
}

std::optional<RuleId> rule_at(const Grammar& grammar, uint32_t offset) {
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    const SourceSpan span = grammar.rule(RuleId(i)).span;
    if (span.begin <= offset && offset < span.end) return RuleId(i);
  }
  return std::nullopt;
}

bool is_rule_name(std::string_view name) {
  for (size_t at = 0; at < name.size();) {
    const auto here = decode_utf8(name, at);
    if (!here) return false;
    const bool joins = at > 0 && (name[at] == '-' || name[at] == '.');
    if (!joins && !is_name_character(here->code_point)) return false;
    at += here->n_bytes;
  }
  return !name.empty();
}

// ---- Rules -------------------------------------------------------------------------------------

GrammarBuilder::GrammarBuilder(Grammar previous)
    : grammar_(std::move(previous)), has_body_(grammar_.n_rules(), true) {}

GrammarBuilder GrammarBuilder::like(const Grammar& previous) {
  GrammarBuilder builder;
  builder.grammar_.source_ = previous.source_;
  builder.grammar_.diagnostics_ = previous.diagnostics_;
  builder.grammar_.argument_places_ = previous.argument_places_;
  for (const Rule& rule : previous.rules_) {
    const RuleId id = builder.add_rule(rule.name, rule.name_span);
    builder.grammar_.rules_[id.index()].span = rule.span;
    builder.grammar_.rules_[id.index()].options = rule.options;
  }
  builder.grammar_.rules_by_name_ = previous.rules_by_name_;
  return builder;
}

RuleId GrammarBuilder::add_rule(std::string name, SourceSpan name_span) {
  const RuleId id(grammar_.rules_.size());
  grammar_.rules_.push_back(
      {std::move(name), ExprId(), name_span, name_span, std::nullopt, nullptr});
  has_body_.push_back(false);
  return id;
}

void GrammarBuilder::set_body(RuleId rule, ExprId body, SourceSpan span) {
  grammar_.rules_[rule.index()].body = body;
  if (span != SourceSpan{}) grammar_.rules_[rule.index()].span = span;
  has_body_[rule.index()] = true;
}

void GrammarBuilder::set_lookahead(RuleId rule, std::optional<ExprId> lookahead) {
  grammar_.rules_[rule.index()].lookahead = lookahead;
}

void GrammarBuilder::set_options(RuleId rule, std::shared_ptr<const RuleOptions> options) {
  if (options && options->is_empty()) options = nullptr;
  grammar_.rules_[rule.index()].options = std::move(options);
}

void GrammarBuilder::copy_options(RuleId rule, const Grammar& from, const Rule& other,
                                  std::span<const RuleId> rules) {
  if (!other.options || !other.options->parts) return set_options(rule, other.options);
  auto copied = std::make_shared<RuleOptions>(*other.options);
  const auto parts = from.find_rule(*copied->parts);
  XG2LAB_ASSERT(parts, "a rule's parts are a rule of its grammar");
  copied->parts = grammar_.rules_[rules[parts->index()].index()].name;
  set_options(rule, std::move(copied));
}

void GrammarBuilder::set_source(std::shared_ptr<const SourceText> source) {
  grammar_.source_ = std::move(source);
}

void GrammarBuilder::add_diagnostic(Diagnostic diagnostic) {
  grammar_.diagnostics_.push_back(std::move(diagnostic));
}

void GrammarBuilder::set_keyword_uses(std::vector<KeywordUse> uses) {
  grammar_.keyword_uses_ = std::make_shared<const std::vector<KeywordUse>>(std::move(uses));
}

void GrammarBuilder::set_argument_places(ArgumentPlaces places) {
  grammar_.argument_places_ = std::make_shared<const ArgumentPlaces>(std::move(places));
}

// ---- Expressions -------------------------------------------------------------------------------

ExprId GrammarBuilder::add(Expr expr) {
  count_work("writing the grammar's expressions");
  grammar_.exprs_.push_back(expr);
  return ExprId(grammar_.exprs_.size() - 1);
}

ExprId GrammarBuilder::add_with_children(Expr expr, std::span<const ExprId> children) {
  for (ExprId child : children) {
    XG2LAB_ASSERT(child.index() < grammar_.exprs_.size(), "I1: children come before their parent");
  }
  expr.first = static_cast<uint32_t>(grammar_.child_table_.size());
  expr.count = static_cast<uint32_t>(children.size());
  grammar_.child_table_.insert(grammar_.child_table_.end(), children.begin(), children.end());
  return add(expr);
}

ExprId GrammarBuilder::empty(SourceSpan span) { return add({ExprKind::kEmpty, span}); }

ExprId GrammarBuilder::nothing(SourceSpan span) { return add({ExprKind::kNothing, span}); }

ExprId GrammarBuilder::literal(std::string_view bytes, SourceSpan span) {
  if (bytes.empty()) return empty(span);
  const auto first = static_cast<uint32_t>(grammar_.literal_table_.size());
  grammar_.literal_table_ += bytes;
  return add({ExprKind::kLiteral, span, first, static_cast<uint32_t>(bytes.size())});
}

ExprId GrammarBuilder::char_class(std::vector<CodePointRange> ranges, SourceSpan span) {
  ranges = normal(std::move(ranges));
  if (ranges.empty()) return nothing(span);
  return add_class(ranges, span);
}

ExprId GrammarBuilder::add_class(std::span<const CodePointRange> ranges, SourceSpan span) {
  const auto first = static_cast<uint32_t>(grammar_.range_table_.size());
  grammar_.range_table_.insert(grammar_.range_table_.end(), ranges.begin(), ranges.end());
  return add({ExprKind::kClass, span, first, static_cast<uint32_t>(ranges.size())});
}

ExprId GrammarBuilder::rule_ref(RuleId rule, SourceSpan span) {
  return add({ExprKind::kRuleRef, span, rule.value});
}

ExprId GrammarBuilder::sequence(std::span<const ExprId> children, SourceSpan span) {
  if (children.empty()) return empty(span);
  if (children.size() == 1) return children.front();
  return add_with_children({ExprKind::kSequence, span}, children);
}

ExprId GrammarBuilder::choice(std::span<const ExprId> children, SourceSpan span) {
  if (children.empty()) return nothing(span);
  if (children.size() == 1) return children.front();
  return add_with_children({ExprKind::kChoice, span}, children);
}

ExprId GrammarBuilder::repeat(ExprId child, uint32_t min, uint32_t max, SourceSpan span) {
  XG2LAB_ASSERT(min <= max && is_bound(min) && (max == kNoUpperBound || is_bound(max)),
                "I7: bounds");
  if (min == 1 && max == 1) return child;
  if (max == 0) return empty(span);
  return add_with_children({ExprKind::kRepeat, span, 0, 0, min, max}, {&child, 1});
}

ExprId GrammarBuilder::dispatch(Dispatch dispatch, std::span<const ExprId> rule_refs,
                                SourceSpan span) {
  return add_dispatch(std::make_shared<const Dispatch>(std::move(dispatch)), rule_refs, span);
}

ExprId GrammarBuilder::add_dispatch(std::shared_ptr<const Dispatch> dispatch,
                                    std::span<const ExprId> rule_refs, SourceSpan span) {
  XG2LAB_ASSERT(rule_refs.size() == dispatch->tags.size(), "I8: a reference for each tag");
  for (ExprId id : rule_refs) {
    XG2LAB_ASSERT(expr(id).kind == ExprKind::kRuleRef, "I8: tags open rules");
  }
  const auto row = static_cast<uint32_t>(grammar_.dispatch_table_.size());
  grammar_.dispatch_table_.push_back(std::move(dispatch));
  return add_with_children({ExprKind::kDispatch, span, 0, 0, row}, rule_refs);
}

ExprId GrammarBuilder::tokens(std::span<const TokenId> ids, SourceSpan span) {
  std::vector<ExprId> edges;
  for (const TokenId id : ids) edges.push_back(token_set({{id}}, span));
  return sequence(edges, span);
}

ExprId GrammarBuilder::any_order(AnyOrderBounds bounds, std::span<const ExprId> children,
                                 SourceSpan span) {
  if (!bounds.is_possible()) return nothing(span);
  if (bounds.members.empty() || bounds.max_total == 0) return empty(span);
  return add_any_order(std::make_shared<const AnyOrderBounds>(std::move(bounds)), children, span);
}

ExprId GrammarBuilder::add_any_order(std::shared_ptr<const AnyOrderBounds> bounds,
                                     std::span<const ExprId> children, SourceSpan span) {
  XG2LAB_ASSERT(children.size() == bounds->members.size() + 1,
                "I11: a reference for each member, and a separator");
  for (size_t i = 0; i < children.size(); ++i) {
    const ExprKind kind = expr(children[i]).kind;
    const bool is_separator = i + 1 == children.size();
    XG2LAB_ASSERT(kind == ExprKind::kRuleRef ||
                      (is_separator && (kind == ExprKind::kLiteral || kind == ExprKind::kEmpty)),
                  "I11: members are rules, a separator is a rule or a text");
  }
  const auto row = static_cast<uint32_t>(grammar_.any_order_table_.size());
  grammar_.any_order_table_.push_back(std::move(bounds));
  return add_with_children({ExprKind::kAnyOrder, span, 0, 0, row}, children);
}

ExprId GrammarBuilder::machine(std::shared_ptr<const Machine> machine, SourceSpan span) {
  const FrozenFsm& fsm = machine->fsm;
  XG2LAB_ASSERT(fsm.rule_edges.empty(), "I10: a kMachine refers to no rule");
  if (!fsm.is_accepting[0] && fsm.terminal_edges.empty()) return nothing(span);
  const auto row = static_cast<uint32_t>(grammar_.machine_table_.size());
  grammar_.machine_table_.push_back(std::move(machine));
  return add({ExprKind::kMachine, span, 0, 0, row});
}

ExprId GrammarBuilder::token_set(TokenSet set, SourceSpan span) {
  std::sort(set.ids.begin(), set.ids.end());
  set.ids.erase(std::unique(set.ids.begin(), set.ids.end()), set.ids.end());
  std::ranges::stable_sort(set.names, {}, &TokenName::text);
  set.names.erase(std::unique(set.names.begin(), set.names.end()), set.names.end());
  if (set.ids.empty() && set.names.empty() && !set.is_negated) return nothing(span);
  const auto row = static_cast<uint32_t>(grammar_.token_set_table_.size());
  grammar_.token_set_table_.push_back(std::make_shared<const TokenSet>(std::move(set)));
  return add({ExprKind::kTokenSet, span, 0, 0, row});
}

ExprId GrammarBuilder::with_children(ExprId id, std::span<const ExprId> children) {
  return std::ranges::equal(grammar_.children(id), children) ? id : again(id, children);
}

ExprId GrammarBuilder::again(ExprId id, std::span<const ExprId> children) {
  const Expr same = expr(id);
  return has_children(same.kind) ? add_with_children(same, children) : add(same);
}

// ---- Copying between grammars ------------------------------------------------------------------

void GrammarBuilder::set_spans(size_t first, SourceSpan span) {
  for (size_t i = first; i < grammar_.exprs_.size(); ++i) {
    grammar_.exprs_[i].span = span;
    place_token_names(grammar_.exprs_[i], [span](SourceSpan) { return span; });
  }
}

void GrammarBuilder::place_token_names(const Expr& e,
                                       const std::function<SourceSpan(SourceSpan)>& place) {
  if (e.kind != ExprKind::kTokenSet || grammar_.token_set_table_[e.min]->names.empty()) return;
  TokenSet moved = *grammar_.token_set_table_[e.min];
  for (TokenName& name : moved.names) name.span = place(name.span);
  grammar_.token_set_table_[e.min] = std::make_shared<const TokenSet>(std::move(moved));
}

ExprId GrammarBuilder::copy_node(const Grammar& from, ExprId id, std::span<const ExprId> children,
                                 std::span<const RuleId> rules) {
  const Expr& e = from.expr(id);
  switch (e.kind) {
    case ExprKind::kEmpty:
    case ExprKind::kNothing: return add({e.kind, e.span});
    case ExprKind::kLiteral: return literal(from.literal(id), e.span);
    case ExprKind::kClass: return add_class(from.ranges(id), e.span);
    case ExprKind::kRuleRef: return rule_ref(rules[from.rule_ref(id).index()], e.span);
    case ExprKind::kSequence: return sequence(children, e.span);
    case ExprKind::kChoice: return choice(children, e.span);
    case ExprKind::kRepeat: return repeat(children.front(), e.min, e.max, e.span);
    case ExprKind::kDispatch:
    case ExprKind::kAnyOrder: {
      std::vector<ExprId> references;
      for (ExprId reference : from.children(id)) {
        references.push_back(copy_node(from, reference, {}, rules));
      }
      return e.kind == ExprKind::kDispatch
                 ? add_dispatch(from.dispatch_table_[e.min], references, e.span)
                 : add_any_order(from.any_order_table_[e.min], references, e.span);
    }
    case ExprKind::kTokenSet: {
      const auto row = static_cast<uint32_t>(grammar_.token_set_table_.size());
      grammar_.token_set_table_.push_back(from.token_set_table_[e.min]);
      return add({e.kind, e.span, 0, 0, row});
    }
    case ExprKind::kMachine: return machine(from.machine_table_[e.min], e.span);
  }
  return empty(e.span);
}

ExprId GrammarBuilder::copy(const Grammar& from, ExprId root, std::span<const RuleId> rules,
                            std::span<const std::optional<ExprId>> bodies) {
  const auto body_instead_of = [&](ExprId id) -> std::optional<ExprId> {
    if (from.expr(id).kind != ExprKind::kRuleRef) return std::nullopt;
    const size_t rule = from.rule_ref(id).index();
    return rule < bodies.size() ? bodies[rule] : std::nullopt;
  };
  ++copy_number_;
  if (copies_.size() < from.n_exprs()) copies_.resize(from.n_exprs());
  const auto is_copied = [&](ExprId id) { return copies_[id.index()].copy_number == copy_number_; };
  std::vector<ExprId> pending{root};
  std::vector<ExprId> children;
  while (!pending.empty()) {
    const ExprId id = pending.back();
    const bool keeps = keeps_references(from.expr(id).kind);
    const auto old_children = keeps ? std::span<const ExprId>() : from.children(id);
    const size_t n_pending = pending.size();
    for (size_t i = old_children.size(); i-- > 0;) {
      if (!is_copied(old_children[i])) pending.push_back(old_children[i]);
    }
    if (pending.size() > n_pending) continue;  // children are copied first
    pending.pop_back();
    if (is_copied(id)) continue;
    children.clear();
    for (ExprId child : old_children) children.push_back(copies_[child.index()].made);
    const auto body = body_instead_of(id);
    const ExprId made = body ? *body : copy_node(from, id, children, rules);
    copies_[id.index()] = {copy_number_, made};
  }
  return copies_[root.index()].made;
}

void GrammarBuilder::map_spans(size_t first, const std::function<SourceSpan(SourceSpan)>& place) {
  for (size_t i = first; i < grammar_.exprs_.size(); ++i) {
    Expr& e = grammar_.exprs_[i];
    e.span = place(e.span);
    place_token_names(e, place);
    if (e.kind != ExprKind::kDispatch) continue;
    Dispatch moved = *grammar_.dispatch_table_[e.min];
    for (auto* texts : {&moved.tags, &moved.stop_texts, &moved.excludes}) {
      for (WatchedText& watched : *texts) watched.span = place(watched.span);
    }
    grammar_.dispatch_table_[e.min] = std::make_shared<const Dispatch>(std::move(moved));
  }
}

// ---- The finished grammar ----------------------------------------------------------------------

Grammar GrammarBuilder::build(RuleId root) && {
  const size_t n_rules = grammar_.rules_.size();
  XG2LAB_ASSERT(root.index() < n_rules, "I5: the root is a rule");
  for (size_t i = 0; i < n_rules; ++i) XG2LAB_ASSERT(has_body_[i], "every rule has a body");
  for (const Expr& e : grammar_.exprs_) {
    XG2LAB_ASSERT(e.kind != ExprKind::kRuleRef || e.first < n_rules, "I5: references name a rule");
  }
  grammar_.root_ = root;
  // The names of like() are sorted already; the names of rules added later are merged in.
  if (grammar_.rules_by_name_.size() == n_rules) return std::move(grammar_);
  for (size_t i = grammar_.rules_by_name_.size(); i < n_rules; ++i)
    grammar_.rules_by_name_.emplace_back(i);
  const auto name = [this](RuleId id) -> const std::string& { return grammar_.rule(id).name; };
  const auto is_before = [&](RuleId a, RuleId b) { return name(a) < name(b); };
  if (!std::is_sorted(grammar_.rules_by_name_.begin(), grammar_.rules_by_name_.end(), is_before))
    std::sort(grammar_.rules_by_name_.begin(), grammar_.rules_by_name_.end(), is_before);
  for (size_t i = 1; i < n_rules; ++i) {
    XG2LAB_ASSERT(name(grammar_.rules_by_name_[i - 1]) != name(grammar_.rules_by_name_[i]),
                  "I6: names of rules are distinct");
  }
  return std::move(grammar_);
}

}  // namespace xg2lab
