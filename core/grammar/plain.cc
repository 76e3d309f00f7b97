// Tables out, and tables in with every check.
// Read: from_plain, then Checker.
#include "grammar/plain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <unordered_set>
#include <utility>

#include "support/bounds.h"
#include "support/utf8.h"

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

class Checker {
 public:
  explicit Checker(const PlainGrammar& plain) : plain_(plain) {}

  void check() const {
    if (plain_.rules.empty()) refuse("it has no rules");
    if (plain_.root >= plain_.rules.size()) refuse("the root is not one of its rules");
    if (plain_.source.size() >= UINT32_MAX) refuse("its source is too long");
    check_rules();
    for (size_t i = 0; i < plain_.exprs.size(); ++i) check_expr(i);
    check_sizes();
  }

 private:
  void check_span(SourceSpan span) const {
    if (span.begin > span.end || span.end > plain_.source.size()) {
      refuse("a span reaches out of the source");
    }
  }

  void check_rules() const {
    std::unordered_set<std::string_view> names;
    for (const PlainRule& rule : plain_.rules) {
      if (!is_rule_name(rule.name)) refuse("a rule has a name that can't be written");
      if (!names.insert(rule.name).second) refuse("two rules are named `" + rule.name + "`");
      if (rule.body >= plain_.exprs.size()) refuse("a rule has no body");
      if (rule.lookahead && *rule.lookahead >= plain_.exprs.size()) {
        refuse("a lookahead is not one of its expressions");
      }
      check_span(rule.span);
      check_span(rule.name_span);
      check_options(rule.options);
    }
    for (const PlainRule& rule : plain_.rules) {
      if (rule.options.parts && !names.contains(*rule.options.parts))
        refuse("the parts of a rule are not one of its rules");
    }
  }

  void check_options(const RuleOptions& options) const {
    for (const SourceSpan span : options.spans) check_span(span);
    const bool has_budget = options.max_tokens.value_or(1) > 0 &&
                            is_bound(options.max_tokens.value_or(0)) &&
                            is_bound(options.max_chars.value_or(0));
    const bool is_number =
        !options.temperature || (std::isfinite(*options.temperature) && *options.temperature >= 0);
    if (!has_budget || !is_number) refuse("an option of a rule has a value that makes no sense");
    if (options.is_lazy && options.max_tokens) refuse("a rule is lazy and has max_tokens");
    if (options.capture && (options.capture->empty() || find_invalid_utf8(*options.capture)))
      refuse("a capture has no name");
  }

  void check_expr(size_t index) const {
    const PlainExpr& e = plain_.exprs[index];
    check_span(e.span);
    for (uint32_t child : e.children) {
      if (child >= index) refuse("a child does not come before its parent");
    }
    if (!has_children(e.kind) && !e.children.empty()) refuse("a leaf has children");
    if (e.kind == ExprKind::kDispatch) check_dispatch(e);
    if (e.kind == ExprKind::kAnyOrder) check_any_order(e);
    if (e.kind == ExprKind::kTokenSet) check_token_set(e.tokens);
    if (e.kind == ExprKind::kMachine && e.machine == nullptr) refuse("a machine is missing");
    if (e.kind == ExprKind::kRepeat && e.children.size() != 1) {
      refuse("a repetition has not one child");
    }
    if (e.kind == ExprKind::kRepeat && !are_bounds(e.min, e.max, kNoUpperBound)) {
      refuse("a repetition has bounds that make no sense");
    }
    if (e.kind == ExprKind::kRuleRef && e.rule >= plain_.rules.size()) {
      refuse("a reference names no rule");
    }
    for (const CodePointRange& range : e.ranges) {
      if (range.lo > range.hi || range.hi > kMaxCodePoint)
        refuse("a class has a range that is none");
    }
  }

  static bool are_bounds(uint32_t min, uint32_t max, uint32_t no_max) {
    return min <= max && is_bound(min) && (max == no_max || is_bound(max));
  }

  static void check_token_set(const TokenSet& tokens) {
    if (tokens.ids.empty() && !tokens.is_negated) refuse("a set of tokens is empty");
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
      const PlainExpr& of = plain_.exprs[e.children[i]];
      const bool is_text = of.kind == ExprKind::kLiteral || of.kind == ExprKind::kEmpty;
      const bool is_separator = i + 1 == e.children.size();
      if (of.kind != ExprKind::kRuleRef && !(is_separator && is_text))
        refuse("a member is no rule, or a separator neither a rule nor a text");
    }
    const AnyOrderBounds& bounds = e.any_order;
    if (!are_bounds(bounds.min_total, bounds.max_total, AnyOrderBounds::kNoMax) ||
        !bounds.is_possible() || bounds.members.empty() || bounds.max_total == 0)
      refuse("members in any order have bounds that make no sense");
  }

  void check_dispatch(const PlainExpr& e) const {
    if (e.children.size() != e.dispatch.tags.size()) refuse("a tag has no rule, or two");
    for (uint32_t child : e.children) {
      if (plain_.exprs[child].kind != ExprKind::kRuleRef) refuse("a tag opens no rule");
    }
    std::unordered_set<std::string_view> known;
    for (const auto* texts : {&e.dispatch.tags, &e.dispatch.stop_texts, &e.dispatch.excludes}) {
      for (const WatchedText& watched : *texts) {
        check_span(watched.span);
        if (watched.text.empty()) refuse("a watched text is empty");
        if (find_invalid_utf8(watched.text)) refuse("a watched text is not UTF-8");
        if (!known.insert(watched.text).second) refuse("a text is watched for twice");
      }
    }
  }

  void check_sizes() const {
    std::vector<size_t> n_nodes(plain_.exprs.size());
    std::vector<size_t> depth(plain_.exprs.size());
    for (size_t i = 0; i < plain_.exprs.size(); ++i) {
      n_nodes[i] = depth[i] = 1;
      for (uint32_t child : plain_.exprs[i].children) {
        n_nodes[i] = std::min(n_nodes[i] + n_nodes[child], kMostNodes + 1);
        depth[i] = std::max(depth[i], depth[child] + 1);
      }
      if (n_nodes[i] > kMostNodes) refuse("its expressions unfold to too many nodes");
      if (depth[i] > kMostDepth) refuse("its expressions are nested too deep");
    }
  }

  const PlainGrammar& plain_;
};

ExprId build_expr(GrammarBuilder& builder, const PlainExpr& e, const std::vector<ExprId>& built) {
  std::vector<ExprId> children;
  for (uint32_t child : e.children) children.push_back(built[child]);
  switch (e.kind) {
    case ExprKind::kEmpty: return builder.empty(e.span);
    case ExprKind::kNothing: return builder.nothing(e.span);
    case ExprKind::kLiteral: return builder.literal(e.literal, e.span);
    case ExprKind::kClass: return builder.char_class(e.ranges, e.span);
    case ExprKind::kRuleRef: return builder.rule_ref(RuleId(e.rule), e.span);
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
  if (e.kind == ExprKind::kRuleRef) plain.rule = grammar.rule_ref(id).value;
  if (e.kind == ExprKind::kClass) {
    plain.ranges.assign(grammar.ranges(id).begin(), grammar.ranges(id).end());
  }
  for (ExprId child : grammar.children(id)) plain.children.push_back(child.value);
  return plain;
}

}  // namespace

const char* kind_name(ExprKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

std::optional<ExprKind> kind_named(std::string_view name) {
  const auto found = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (found == kKindNames.end()) return std::nullopt;
  return static_cast<ExprKind>(found - kKindNames.begin());
}

PlainGrammar to_plain(const Grammar& grammar) {
  PlainGrammar plain;
  plain.source = grammar.source()->text();
  plain.source_name = grammar.source()->name();
  plain.root = grammar.root().value;
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    const Rule& rule = grammar.rule(RuleId(i));
    std::optional<uint32_t> lookahead;
    if (rule.lookahead) lookahead = rule.lookahead->value;
    plain.rules.push_back({rule.name, rule.body.value, rule.span, rule.name_span, lookahead,
                           rule.options ? *rule.options : RuleOptions{}});
  }
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
  for (const PlainRule& rule : plain.rules) builder.add_rule(rule.name, rule.name_span);
  std::vector<ExprId> built;
  built.reserve(plain.exprs.size());
  for (const PlainExpr& e : plain.exprs) built.push_back(build_expr(builder, e, built));
  for (size_t i = 0; i < plain.rules.size(); ++i) {
    const PlainRule& rule = plain.rules[i];
    builder.set_body(RuleId(i), built[rule.body], rule.span);
    if (rule.lookahead) builder.set_lookahead(RuleId(i), built[*rule.lookahead]);
    builder.set_options(RuleId(i), std::make_shared<const RuleOptions>(rule.options));
  }
  return std::move(builder).build(RuleId(plain.root));
}

}  // namespace xg2lab
