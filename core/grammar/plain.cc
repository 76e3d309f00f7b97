// Tables out, and tables in with every check.
// Read: from_plain, then Checker.
#include "grammar/plain.h"

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "grammar/plain_fields.h"
#include "support/bounds.h"
#include "support/field_checks.h"

namespace xg2lab {
namespace {

constexpr std::array<const char*, 12> kKindNames{"empty",    "nothing",  "literal", "class",
                                                 "rule",     "sequence", "choice",  "repeat",
                                                 "dispatch", "tokens",   "machine", "any_order"};
constexpr size_t kMostNodes = size_t{1} << 26;  // of the trees that shared nodes unfold to
constexpr size_t kMostDepth = 10000;

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::kGrammarError, "not a grammar: " + what);
}

// The sizes of the tables that ids point into.
struct GrammarScope {
  size_t n_rules;
  size_t n_exprs;
  size_t n_source_bytes;
  size_t n_of(RuleId) const { return n_rules; }
  size_t n_of(ExprId) const { return n_exprs; }
};

class Checker {
 public:
  explicit Checker(const PlainGrammar& plain) : plain_(plain) {}

  void check() const {
    if (plain_.rules.empty()) refuse("it has no rules");
    check_fields(plain_, scope(), &refuse);
    if (plain_.source.size() >= UINT32_MAX) refuse("its source is too long");
    check_rules();
    for (size_t i = 0; i < plain_.exprs.size(); ++i) check_expr(i);
    check_sizes();
  }

 private:
  GrammarScope scope() const {
    return {plain_.rules.size(), plain_.exprs.size(), plain_.source.size()};
  }

  void check_rules() const {
    std::unordered_set<std::string_view> names;
    for (const Rule& rule : plain_.rules) {
      if (!names.insert(rule.name).second) refuse("two rules are named `" + rule.name + "`");
    }
    for (const Rule& rule : plain_.rules) {
      if (!rule.options) continue;
      const RuleOptions& options = *rule.options;
      check_fields(options, scope(), &refuse);
      if (options.is_lazy && options.max_tokens) refuse("a rule is lazy and has max_tokens");
      if (options.parts && !names.contains(*options.parts))
        refuse("the parts of a rule are not one of its rules");
    }
  }

  void check_expr(size_t index) const {
    const PlainExpr& e = plain_.exprs[index];
    GrammarScope before = scope();
    before.n_exprs = index;  // children come before their parent
    check_fields(e, before, &refuse);
    if (!has_children(e.kind) && !e.children.empty()) refuse("a leaf has children");
    if (e.kind == ExprKind::kDispatch) check_dispatch(e);
    if (e.kind == ExprKind::kAnyOrder) check_any_order(e);
    if (e.kind == ExprKind::kTokenSet) check_token_set(e.tokens);
    if (e.kind == ExprKind::kMachine && e.machine == nullptr) refuse("a machine is missing");
    if (e.kind == ExprKind::kRepeat && e.children.size() != 1) {
      refuse("a repetition must have one child");
    }
    if (e.kind == ExprKind::kRepeat && !are_bounds(e.min, e.max, kNoUpperBound)) {
      refuse("a repetition has invalid bounds");
    }
  }

  static bool are_bounds(uint32_t min, uint32_t max, uint32_t no_max) {
    return min <= max && is_bound(min) && (max == no_max || is_bound(max));
  }

  void check_token_set(const TokenSet& tokens) const {
    if (tokens.ids.empty() && tokens.names.empty() && !tokens.is_negated)
      refuse("a set of tokens is empty");
    for (size_t i = 0; i < tokens.names.size(); ++i) {
      const auto& [text, span] = tokens.names[i];
      if (text.empty() || find_invalid_utf8(text)) refuse("a token's name is empty or not UTF-8");
      if (i > 0 && tokens.names[i - 1].text >= text)
        refuse("the names of a set of tokens are out of order");
      if (span.begin > span.end || span.end > plain_.source.size()) refuse(kSpanInSource.refusal);
    }
    const bool is_ascending = std::adjacent_find(tokens.ids.begin(), tokens.ids.end(),
                                                 std::greater_equal<>()) == tokens.ids.end();
    if (!is_ascending) refuse("the ids of a set of tokens are out of order");
    constexpr uint32_t kMostTokenId = 2147483647;
    if (!tokens.ids.empty() && tokens.ids.back().value > kMostTokenId)
      refuse("a token's id is out of range");
  }

  void check_any_order(const PlainExpr& e) const {
    if (e.children.size() != e.any_order.members.size() + 1) refuse("a member has no rule, or two");
    for (size_t i = 0; i < e.children.size(); ++i) {
      const PlainExpr& of = plain_.exprs[e.children[i].index()];
      const bool is_text = of.kind == ExprKind::kLiteral || of.kind == ExprKind::kEmpty;
      const bool is_separator = i + 1 == e.children.size();
      if (of.kind != ExprKind::kRuleRef && !(is_separator && is_text))
        refuse("a member is no rule, or a separator neither a rule nor a text");
    }
    const AnyOrderBounds& bounds = e.any_order;
    if (!are_bounds(bounds.min_total, bounds.max_total, AnyOrderBounds::kNoMax) ||
        !bounds.is_possible() || bounds.members.empty() || bounds.max_total == 0)
      refuse("members in any order have invalid bounds");
  }

  void check_dispatch(const PlainExpr& e) const {
    if (e.children.size() != e.dispatch.tags.size()) refuse("a tag has no rule, or two");
    for (ExprId child : e.children) {
      if (plain_.exprs[child.index()].kind != ExprKind::kRuleRef) refuse("a tag opens no rule");
    }
    std::unordered_set<std::string_view> known;
    for (const auto* texts : {&e.dispatch.tags, &e.dispatch.stop_texts, &e.dispatch.excludes}) {
      for (const WatchedText& watched : *texts) {
        if (!known.insert(watched.text).second) refuse("a text is watched for twice");
      }
    }
  }

  void check_sizes() const {
    std::vector<size_t> n_nodes(plain_.exprs.size());
    std::vector<size_t> depth(plain_.exprs.size());
    for (size_t i = 0; i < plain_.exprs.size(); ++i) {
      n_nodes[i] = depth[i] = 1;
      for (ExprId child : plain_.exprs[i].children) {
        n_nodes[i] = std::min(n_nodes[i] + n_nodes[child.index()], kMostNodes + 1);
        depth[i] = std::max(depth[i], depth[child.index()] + 1);
      }
      if (n_nodes[i] > kMostNodes) refuse("its expressions unfold to too many nodes");
      if (depth[i] > kMostDepth) refuse("its expressions are nested too deep");
    }
  }

  const PlainGrammar& plain_;
};

ExprId build_expr(GrammarBuilder& builder, const PlainExpr& e, const std::vector<ExprId>& built) {
  std::vector<ExprId> children;
  for (ExprId child : e.children) children.push_back(built[child.index()]);
  switch (e.kind) {
    case ExprKind::kEmpty: return builder.empty(e.span);
    case ExprKind::kNothing: return builder.nothing(e.span);
    case ExprKind::kLiteral: return builder.literal(e.literal, e.span);
    case ExprKind::kClass: return builder.char_class(e.ranges, e.span);
    case ExprKind::kRuleRef: return builder.rule_ref(e.rule, e.span);
    case ExprKind::kSequence: return builder.sequence(children, e.span);
    case ExprKind::kChoice: return builder.choice(children, e.span);
    case ExprKind::kRepeat: return builder.repeat(children.front(), e.min, e.max, e.span);
    case ExprKind::kDispatch: return builder.dispatch(e.dispatch, children, e.span);
    case ExprKind::kTokenSet: return builder.token_set(e.tokens, e.span);
    case ExprKind::kMachine: return builder.machine(e.machine, e.span);
    case ExprKind::kAnyOrder: return builder.any_order(e.any_order, children, e.span);
  }
  return builder.empty(e.span);
}

PlainExpr plain_expr(const Grammar& grammar, ExprId id) {
  const Expr& e = grammar.expr(id);
  PlainExpr plain;
  plain.kind = e.kind;
  plain.span = e.span;
  if (e.kind == ExprKind::kRepeat) plain.min = e.min;
  if (e.kind == ExprKind::kRepeat) plain.max = e.max;
  if (e.kind == ExprKind::kTokenSet) plain.tokens = grammar.token_set(id);
  if (e.kind == ExprKind::kDispatch) plain.dispatch = grammar.dispatch(id);
  if (e.kind == ExprKind::kMachine) plain.machine = grammar.shared_machine(id);
  if (e.kind == ExprKind::kAnyOrder) plain.any_order = grammar.any_order(id);
  if (e.kind == ExprKind::kLiteral) plain.literal = std::string(grammar.literal(id));
  if (e.kind == ExprKind::kRuleRef) plain.rule = grammar.rule_ref(id);
  if (e.kind == ExprKind::kClass) {
    plain.ranges.assign(grammar.ranges(id).begin(), grammar.ranges(id).end());
  }
  plain.children.assign(grammar.children(id).begin(), grammar.children(id).end());
  return plain;
}

}  // namespace

const char* kind_name(ExprKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

bool read_kind(std::string_view name, ExprKind& kind) {
  const auto found = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (found != kKindNames.end()) kind = static_cast<ExprKind>(found - kKindNames.begin());
  return found != kKindNames.end();
}

std::vector<PlainRuleOptions> rows_of_options(const PlainGrammar& plain) {
  std::vector<PlainRuleOptions> rows;
  for (size_t r = 0; r < plain.rules.size(); ++r) {
    const RuleOptions* options = plain.rules[r].options.get();
    if (options != nullptr && !options->is_empty()) rows.push_back({RuleId(r), *options});
  }
  return rows;
}

void add_options(PlainGrammar& plain, PlainRuleOptions row) {
  if (row.rule.index() >= plain.rules.size())
    throw std::invalid_argument("options belong to a rule that does not exist");
  Rule& rule = plain.rules[row.rule.index()];
  if (rule.options && !rule.options->is_empty())
    throw std::invalid_argument("a rule has options twice");
  rule.options = std::make_shared<const RuleOptions>(std::move(row.options));
}

std::vector<PlainTokenName> rows_of_token_names(const PlainGrammar& plain) {
  std::vector<PlainTokenName> rows;
  for (size_t i = 0; i < plain.exprs.size(); ++i) {
    for (const TokenName& name : plain.exprs[i].tokens.names) rows.push_back({ExprId(i), name});
  }
  return rows;
}

void add_token_name(PlainGrammar& plain, PlainTokenName row) {
  const bool is_set = row.expr.index() < plain.exprs.size() &&
                      plain.exprs[row.expr.index()].kind == ExprKind::kTokenSet;
  if (!is_set) throw std::invalid_argument("a token is named in an expression that is no set");
  plain.exprs[row.expr.index()].tokens.names.push_back(std::move(row.name));
}

PlainGrammar to_plain(const Grammar& grammar) {
  PlainGrammar plain;
  plain.source = grammar.source()->text();
  plain.source_name = grammar.source()->name();
  plain.root = grammar.root();
  plain.rules.reserve(grammar.n_rules());
  for (size_t r = 0; r < grammar.n_rules(); ++r) plain.rules.push_back(grammar.rule(RuleId(r)));
  plain.exprs.reserve(grammar.n_exprs());
  for (size_t i = 0; i < grammar.n_exprs(); ++i) {
    plain.exprs.push_back(plain_expr(grammar, ExprId(i)));
  }
  return plain;
}

Grammar from_plain(const PlainGrammar& plain) {
  Checker(plain).check();
  GrammarBuilder builder;
  builder.set_source(std::make_shared<const SourceText>(plain.source, plain.source_name));
  for (const Rule& rule : plain.rules) builder.add_rule(rule.name, rule.name_span);
  std::vector<ExprId> built;
  built.reserve(plain.exprs.size());
  for (const PlainExpr& e : plain.exprs) built.push_back(build_expr(builder, e, built));
  for (size_t i = 0; i < plain.rules.size(); ++i) {
    const Rule& rule = plain.rules[i];
    builder.set_body(RuleId(i), built[rule.body.index()], rule.span);
    if (rule.lookahead) builder.set_lookahead(RuleId(i), built[rule.lookahead->index()]);
    builder.set_options(RuleId(i), rule.options);
  }
  return std::move(builder).build(plain.root);
}

}  // namespace xg2lab
