// Read: Writer::write, node (one function for each kind), leaf_terminal and skip; copies of rules
// come last. The trick: an expression is requested by its bar and by the bars that it may leave
// behind (targets); if no text satisfies both, no expression is written.
#include "frontends/lark/writer.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "frontends/lark/bars.h"
#include "frontends/lark/captured_parts.h"
#include "frontends/regex/regex.h"
#include "support/budget.h"
#include "support/text.h"

namespace xg2lab::lark {
namespace {

constexpr uint32_t kMostWrittenOut =
    64;  // repetitions up to this many rounds get a rule for each round

constexpr size_t kMostUnfactored = 8;  // branches of a choice

using Maybe = std::optional<ExprId>;  // nothing: no text

class Writer {
 public:
  Writer(GrammarBuilder& builder, const WriterContext& context)
      : builder_(builder),
        context_(context),
        bars_(context),
        n_most_rules_(builder.n_rules() + kMostCopies + context.resolved.definitions.size()),
        captured_parts_(builder, context,
                        [this](const std::string& wanted) { return fresh_name(wanted); }) {}

  std::optional<RuleId> write() {
    const SourceSpan span = start().span;
    const BarSet all = bars_.after(context_.root, 0);
    is_too_large_ = bars_.is_too_large();
    if (is_too_large_) return finished(RuleId());
    if (all.empty()) {
      context_.reading.findings().report(
          "never_matches",
          "the lexer divides no text so that " + quoted(start().name) + " matches it",
          start().name_span,
          "either a rule never ends, or adjacent terminals run into each other: "
          "lexer=\"dynamic_complete\" accepts every division of a text");
      return std::nullopt;
    }
    const auto& skip = context_.lexing.skips[context_.lexing.skip_at_end];
    const bool is_rule = context_.neighbours.leaf(context_.root).kind == LeafKind::kRule;
    if (skip.contenders.empty() && is_rule) {
      const auto root = copy(context_.resolved.start, 0, all);
      write_pending();
      return finished(root);
    }
    const RuleId root = builder_.add_rule(fresh_name("root"), start().name_span);
    std::vector<Maybe> branches;
    for (const auto& [bar, targets] :
         by_bar(all, [&](BarId each) { return cut_to(skip.first, each); })) {
      const auto text = node(context_.root, 0, targets);
      const BarSet after = bars_.after_skip(context_.lexing.skip_at_end, bar);
      const auto rest =
          after.empty() ? std::nullopt : skip_expr(context_.lexing.skip_at_end, bar, after);
      branches.push_back(rest ? sequence({text, builder_.repeat(*rest, 0, 1, span)}, span) : text);
    }
    builder_.set_body(root, choice(branches, span).value_or(builder_.nothing(span)), span);
    write_pending();
    return finished(root);
  }

  size_t n_bar_steps() const { return bars_.n_steps(); }

 private:
  const Definition& start() const { return context_.resolved.definitions[context_.resolved.start]; }

  std::optional<RuleId> finished(RuleId root) const {
    if (!is_too_large_) return root;
    context_.reading.findings().report(
        "lexer_too_large",
        concat("keeping adjacent terminals apart needs too many copies of rules: more than ",
               n_most_rules_),
        {0, 0}, "use fewer terminals that can run into each other, or lexer=\"dynamic_complete\"");
    return std::nullopt;
  }

  // ---- Expressions, or nothing ----

  Maybe sequence(const std::vector<Maybe>& parts, SourceSpan span) {
    std::vector<ExprId> present;
    for (const Maybe& part : parts) {
      if (!part) return std::nullopt;
      if (builder_.expr(*part).kind != ExprKind::kEmpty) present.push_back(*part);
    }
    return builder_.sequence(present, span);
  }
  Maybe choice(const std::vector<Maybe>& branches, SourceSpan span) {
    std::vector<ExprId> present;
    std::unordered_set<uint32_t> known;
    for (const Maybe& branch : branches) {
      if (branch && known.insert(branch->value).second) present.push_back(*branch);
    }
    if (present.empty()) return std::nullopt;
    if (present.size() >= kMostUnfactored) present = factored(present, span);
    return builder_.choice(present, span);
  }

  // Factors out equal ignored prefixes of branches: `ignored? (a | b)` instead of `ignored? a |
  // ignored? b`. Otherwise all branches begin with the same expression, and a parser that follows
  // it follows all branches.
  std::vector<ExprId> factored(const std::vector<ExprId>& branches, SourceSpan span) {
    std::map<ExprId, std::vector<ExprId>> behind;  // the prefix; the rests of its branches
    const auto prefix_of = [this](ExprId branch) -> std::optional<ExprId> {
      if (builder_.expr(branch).kind != ExprKind::kSequence) return std::nullopt;
      const auto parts = builder_.children(branch);
      const bool is_prefix = parts.size() == 2 && prefixes_.contains(parts[0].value);
      return is_prefix ? std::optional(parts[0]) : std::nullopt;
    };
    for (ExprId branch : branches) {
      if (const auto prefix = prefix_of(branch))
        behind[*prefix].push_back(builder_.children(branch)[1]);
    }
    std::vector<ExprId> result;
    for (ExprId branch : branches) {
      const auto prefix = prefix_of(branch);
      if (!prefix || behind.at(*prefix).size() == 1) {
        result.push_back(branch);
      } else if (std::vector<ExprId>& rests = behind.at(*prefix); !rests.empty()) {
        const ExprId rest = builder_.choice(std::exchange(rests, {}), span);
        result.push_back(builder_.sequence(std::array{*prefix, rest}, span));
      }
    }
    return result;
  }

  // `ignored` or `ignored?`; shared by all terminals that it precedes.
  ExprId prefix(ExprId space, bool is_optional, SourceSpan span) {
    const RuleId rule = builder_.so_far().rule_ref(space);
    const auto [known, is_new] = prefix_of_.emplace(std::pair(rule, is_optional), space);
    if (is_new && is_optional) known->second = builder_.repeat(space, 0, 1, span);
    prefixes_.insert(known->second.value);
    return known->second;
  }

  BarId cut_to(const CodePointSet& first, BarId bar) {
    return bars_.of(intersect(bars_[bar], first));
  }

  // Groups the bars of a set by the result of `cut`.
  template <class Cut>
  std::map<BarId, BarSet> by_bar(const BarSet& bars, Cut cut) {
    std::map<BarId, BarSet> groups;
    for (BarId bar : bars) groups[cut(bar)].insert(bar);
    return groups;
  }
  static BarSet both(const BarSet& a, const BarSet& b) {
    BarSet common;
    for (BarId bar : a) {
      if (b.contains(bar)) common.insert(bar);
    }
    return common;
  }

  // ---- Nodes. `bar` is already intersected with the node's first characters ----

  Maybe node(NodeId id, BarId bar, const BarSet& targets) {
    is_too_large_ = is_too_large_ || builder_.n_exprs() > kMostExprs;
    if (is_too_large_) return std::nullopt;
    if (++n_nodes_ % 1024 == 0) check_budget("writing the rules");
    const Node& here = context_.tree[id];
    const Leaf& leaf = context_.neighbours.leaf(id);
    switch (leaf.kind) {
      case LeafKind::kRule: return leaf_rule(id, leaf.index, bar, targets);
      case LeafKind::kTerminal: return leaf_terminal(id, bar, targets);
      case LeafKind::kOpaque: return leaf_opaque(id, bar, targets);
      case LeafKind::kNone: break;
    }
    if (here.kind == NodeKind::kSequence) return rest(id, 0, bar, targets);
    if (here.kind == NodeKind::kRepeat) return repetition(id, bar, targets);
    if (here.children.empty())
      return targets.contains(bar) ? Maybe(builder_.empty(here.span)) : std::nullopt;
    std::vector<Maybe> branches;
    for (NodeId child : here.children)
      branches.push_back(node(child, bars_.before(child, bar), targets));
    return choice(branches, here.span);
  }

  Maybe leaf_rule(NodeId id, size_t rule, BarId bar, const BarSet& targets) {
    const BarSet wanted = both(targets, bars_.after(id, bar));
    if (wanted.empty()) return std::nullopt;
    return builder_.rule_ref(copy(rule, bar, wanted), context_.tree[id].span);
  }

  // The children of a sequence from `from` on.
  Maybe rest(NodeId id, size_t from, BarId bar, const BarSet& targets) {
    const Node& here = context_.tree[id];
    const size_t n = here.children.size();
    std::vector<Maybe> parts;
    // Parts are appended as long as every way to read the child restricts the rest alike. Otherwise
    // the sequence branches by the bar that the child leaves.
    for (; from < n; ++from) {
      const NodeId child = here.children[from];
      const BarId own = bars_.before(child, bars_.before_rest(id, from, bar));
      if (from + 1 == n) {
        parts.push_back(node(child, own, targets));
        return sequence(parts, here.span);
      }
      auto groups = by_bar(bars_.after(child, own),
                           [&](BarId each) { return bars_.before_rest(id, from + 1, each); });
      std::erase_if(groups, [&](const auto& group) {
        return both(bars_.after_rest(id, from + 1, group.first), targets).empty();
      });
      if (groups.size() != 1) {
        parts.push_back(branching(id, from, own, {groups, targets}));
        return sequence(parts, here.span);
      }
      bar = groups.begin()->first;
      parts.push_back(node(child, own, groups.begin()->second));
    }
    return targets.contains(bar) ? Maybe(builder_.empty(here.span)) : std::nullopt;
  }

  struct Branching {
    std::map<BarId, BarSet> groups;  // by the bars that the child may leave behind
    BarSet targets;
  };

  // A child, if the rest of the sequence depends on the bar that the child leaves behind.
  Maybe branching(NodeId id, size_t from, BarId own, const Branching& ways) {
    const Node& here = context_.tree[id];
    std::vector<Maybe> branches;
    for (const auto& [next, behind] : ways.groups) {
      const auto head = node(here.children[from], own, behind);
      if (!head) continue;
      const bool is_long = from + 2 < here.children.size();
      const auto tail = is_long ? Maybe(rest_rule(id, from + 1, next, ways.targets))
                                : rest(id, from + 1, next, ways.targets);
      branches.push_back(sequence({head, tail}, here.span));
    }
    return choice(branches, here.span);
  }

  Maybe leaf_opaque(NodeId id, BarId bar, const BarSet& targets) {
    const Leaf& leaf = context_.neighbours.leaf(id);
    const Opaque& opaque = context_.opaque[leaf.index];
    const SourceSpan span = context_.tree[id].span;
    if (!targets.contains(0) || (opaque.may_be_empty && !targets.contains(bar)))
      return std::nullopt;
    const auto may_begin = [&](BarId each) { return intersect(bars_[each], opaque.first).empty(); };
    const SkipIndex skip = context_.lexing.skip_at[id.index()];
    BarSet after;
    for (BarId each : bars_.after_skip(skip, bar)) {
      if (may_begin(each)) after.insert(each);
    }
    const auto before = after.empty() ? std::nullopt : skip_expr(skip, bar, after);
    if (!before) return may_begin(bar) ? Maybe(opaque.expr) : std::nullopt;
    const ExprId space = may_begin(bar) ? builder_.repeat(*before, 0, 1, span) : *before;
    return sequence({space, opaque.expr}, span);
  }

  // ---- Terminals, and the ignored text before them ----

  Maybe leaf_terminal(NodeId id, BarId bar, const BarSet& targets) {
    const SourceSpan span = context_.tree[id].span;
    std::vector<Maybe> branches;
    if (context_.neighbours.may_be_empty(id) && targets.contains(bar)) {
      branches.emplace_back(builder_.empty(span));
    }
    for (ContenderIndex contender : context_.lexing.contenders_at[id.index()]) {
      if (!targets.contains(bars_.not_next(contender))) continue;
      branches.push_back(spaced_contender(id, contender, bar));
    }
    return choice(branches, span);
  }

  Maybe spaced_contender(NodeId id, ContenderIndex contender, BarId bar) {
    const SkipIndex skip = context_.lexing.skip_at[id.index()];
    const SourceSpan span = context_.tree[id].span;
    std::vector<Maybe> branches;
    bool is_direct = bars_.may_begin(contender, bar);
    const BarId direct = bars_.cut(contender, bar);
    // The contender may follow the bar directly or after ignored text. Where both restrict it
    // alike, the ignored text is optional; otherwise the two are separate branches.
    BarSet spaced;
    for (BarId each : bars_.after_skip(skip, bar)) {
      if (bars_.may_begin(contender, each)) spaced.insert(each);
    }
    for (const auto& [own, behind] :
         by_bar(spaced, [&](BarId each) { return bars_.cut(contender, each); })) {
      auto space = skip_expr(skip, bar, behind);
      const bool is_optional = space && is_direct && direct == own;
      if (space) space = prefix(*space, is_optional, span);
      is_direct = is_direct && !is_optional;
      branches.push_back(sequence({space, contender_expr(contender, own, span)}, span));
    }
    if (is_direct) branches.push_back(contender_expr(contender, direct, span));
    return choice(branches, span);
  }

  // The terminal's words that don't begin with a character of the bar.
  Maybe contender_expr(ContenderIndex index, BarId bar, SourceSpan span) {
    const Contender& contender = context_.lexing.contenders[index];
    const Terminal& terminal = context_.terminals[contender.terminal];
    if (!terminal.is_named) return words(index, bar);
    const auto known = contender_rules_.find({index, bar});
    if (known != contender_rules_.end()) return builder_.rule_ref(known->second, span);
    const RuleId rule = builder_.add_rule(fresh_name(terminal.name), terminal.span);
    const auto options = context_.resolved.by_name.find(terminal.name);
    const Definition& definition = context_.resolved.definitions[options->second];
    builder_.set_options(rule, captured_parts_.options_of(definition, terminal));
    builder_.set_body(rule, words(index, bar), definition.span);
    contender_rules_.emplace(std::pair(index, bar), rule);
    return builder_.rule_ref(rule, span);
  }

  ExprId words(ContenderIndex index, BarId bar) {
    const Contender& contender = context_.lexing.contenders[index];
    const Terminal& terminal = context_.terminals[contender.terminal];
    regex::Ast& ast = context_.terminals.ast();
    regex::NodeId tree = contender.tree;
    if (bar != 0) {
      const regex::NodeId barred = ast.add_class(bars_[bar], terminal.span);
      tree = ast.add_sequence({ast.add_lookaround(barred, true, true, terminal.span), tree},
                              terminal.span);
    }
    const CodePointDfa* machine = bar == 0 && contender.machine ? &*contender.machine : nullptr;
    return expr_of(builder_, context_, {tree, machine, terminal.name, terminal.span});
  }

  // Ignored text, one or more words, that leaves one of the targets behind.
  Maybe skip_expr(SkipIndex index, BarId bar, const BarSet& targets) {
    const Skip& skip = context_.lexing.skips[index];
    const BarId own = cut_to(skip.first, bar);
    const BarSet wanted = both(targets, bars_.after_skip(index, own));
    if (wanted.empty()) return std::nullopt;
    const std::tuple key(index, own, wanted);
    const auto known = skip_rules_.find(key);
    if (known != skip_rules_.end()) return builder_.rule_ref(known->second);
    const RuleId rule = builder_.add_rule(fresh_name("ignored"));
    skip_rules_.emplace(key, rule);
    const auto body = skip_body(index, own, wanted);
    builder_.set_body(rule, body.value_or(builder_.nothing()));
    return builder_.rule_ref(rule);
  }

  Maybe skip_body(SkipIndex index, BarId bar, const BarSet& targets) {
    const Skip& skip = context_.lexing.skips[index];
    std::vector<Maybe> branches;
    // the bar that ignored text leaves doesn't restrict further ignored text
    bool is_plain = bar == 0;
    for (ContenderIndex contender : skip.contenders) {
      const BarId next = bars_.not_next(contender);
      is_plain = is_plain && targets.contains(next) && cut_to(skip.first, next) == 0;
    }
    if (is_plain) {
      for (ContenderIndex contender : skip.contenders)
        branches.push_back(contender_expr(contender, 0, {}));
      const auto any = choice(branches, {});
      const bool is_one =
          skip.contenders.size() == 1 && context_.lexing.contenders[skip.contenders[0]].is_closed;
      return is_one ? any : Maybe(builder_.repeat(*any, 1, kNoUpperBound));
    }
    for (ContenderIndex contender : skip.contenders) {
      if (!bars_.may_begin(contender, bar)) continue;
      const auto word = contender_expr(contender, bars_.cut(contender, bar), {});
      const BarId next = bars_.not_next(contender);
      if (targets.contains(next)) branches.push_back(word);
      branches.push_back(sequence({word, skip_expr(index, next, targets)}, {}));
    }
    return choice(branches, {});
  }

  // ---- Repetitions ----

  Maybe repetition(NodeId id, BarId bar, const BarSet& targets) {
    const Node& here = context_.tree[id];
    const NodeId child = here.children.front();
    if (here.max == 0)
      return targets.contains(bar) ? Maybe(builder_.empty(here.span)) : std::nullopt;
    BarId own = bars_.before(child, bar);
    const bool may_be_none = here.min == 0 && targets.contains(bar);
    if (both(bars_.after_rounds(child, own, here.max != 1), targets).empty()) {
      return may_be_none ? Maybe(builder_.empty(here.span)) : std::nullopt;
    }
    bool is_simple = is_round(child, own);
    const uint32_t n_written = here.max == kNoMost ? here.min : here.max;
    if (!is_simple && n_written > kMostWrittenOut) {
      own = widest(child, own);
      is_simple = true;
    }
    if (here.max == 1) {
      const auto once = node(child, own, targets);
      return once && may_be_none ? Maybe(builder_.repeat(*once, 0, 1, here.span)) : once;
    }
    if (is_simple) return simple_repetition(id, own, targets, may_be_none);
    return builder_.rule_ref(rounds(id, own, targets.contains(bar), 0, targets), here.span);
  }

  // Whether each round leaves the bar that it started with.
  bool is_round(NodeId child, BarId bar) {
    const BarSet after = bars_.after(child, bar);
    return std::all_of(after.begin(), after.end(),
                       [&](BarId each) { return bars_.before(child, each) == bar; });
  }

  // The union of the bars of all rounds: too large a bar removes texts but adds none.
  BarId widest(NodeId child, BarId bar) {
    for (BarId wider = bar;; bar = wider) {
      CodePointSet set = bars_[bar];
      for (BarId each : bars_.after(child, bar)) set = unite(set, bars_[bars_.before(child, each)]);
      wider = bars_.of(set);
      if (wider == bar) return bar;
    }
  }

  Maybe simple_repetition(NodeId id, BarId own, const BarSet& targets, bool may_be_none) {
    const Node& here = context_.tree[id];
    const NodeId child = here.children.front();
    const uint32_t max = here.max == kNoMost ? kNoUpperBound : here.max;
    const BarSet after = bars_.after(child, own);
    const auto round = node(child, own, after);
    const BarSet last = both(after, targets);
    std::vector<Maybe> branches;
    if (last == after && round) {
      branches.emplace_back(
          builder_.repeat(*round, may_be_none ? 0 : std::max(here.min, 1u), max, here.span));
      return branches.front();
    }
    if (may_be_none) branches.emplace_back(builder_.empty(here.span));
    if (!last.empty() && round) {
      const uint32_t fewer = max == kNoUpperBound ? max : max - 1;
      const ExprId before =
          builder_.repeat(*round, here.min > 0 ? here.min - 1 : 0, fewer, here.span);
      branches.push_back(sequence({before, node(child, own, last)}, here.span));
    }
    return choice(branches, here.span);
  }

  // The rounds from the n-th on, as a rule. `may_end`: the bar left by the previous round is one of
  // the targets.
  RuleId rounds(NodeId id, BarId bar, bool may_end, uint32_t n, const BarSet& targets) {
    const std::tuple key(id, bar, may_end, n, targets);
    const auto known = round_rules_.find(key);
    if (known != round_rules_.end()) return known->second;
    const RuleId rule = add_helper(context_.tree[id].span);
    round_rules_.emplace(key, rule);
    pending_.push_back([this, rule, id, bar, may_end, n, targets] {
      const Node& here = context_.tree[id];
      const NodeId child = here.children.front();
      std::vector<Maybe> branches;
      if (n >= here.min && may_end) branches.emplace_back(builder_.empty(here.span));
      if (here.max == kNoMost || n < here.max) {
        std::map<std::pair<BarId, bool>, BarSet> groups;
        for (BarId each : bars_.after(child, bar)) {
          groups[{bars_.before(child, each), targets.contains(each)}].insert(each);
        }
        const uint32_t next = here.max == kNoMost ? std::min(n + 1, here.min) : n + 1;
        for (const auto& [state, behind] : groups) {
          const BarSet ends = bars_.after_rounds(child, state.first, true);
          if (!state.second && both(ends, targets).empty()) continue;
          const auto round = node(child, bar, behind);
          if (!round) continue;
          const RuleId more = rounds(id, state.first, state.second, next, targets);
          branches.push_back(sequence({round, builder_.rule_ref(more, here.span)}, here.span));
        }
      }
      set_body(rule, choice(branches, here.span), here.span);
    });
    return rule;
  }

  // ---- Rules ----

  RuleId copy(size_t index, BarId bar, const BarSet& targets) {
    const std::tuple key(index, bar, targets);
    const auto known = copies_.find(key);
    if (known != copies_.end()) return known->second;
    const Definition& definition = context_.resolved.definitions[index];
    const RuleId rule = builder_.add_rule(fresh_name(definition.name), definition.name_span);
    builder_.set_options(rule, definition.options);
    copies_.emplace(key, rule);
    pending_.push_back([this, rule, index, bar, targets] {
      const Definition& written = context_.resolved.definitions[index];
      current_ = written.name;
      set_body(rule, node(written.body, bars_.before(written.body, bar), targets), written.span);
    });
    return rule;
  }

  ExprId rest_rule(NodeId id, size_t from, BarId bar, const BarSet& targets) {
    const std::tuple key(id, from, bar, targets);
    auto known = rest_rules_.find(key);
    const SourceSpan span = context_.tree[id].span;
    if (known == rest_rules_.end()) {
      const RuleId rule = add_helper(span);
      known = rest_rules_.emplace(key, rule).first;
      pending_.push_back([this, rule, id, from, bar, targets, span] {
        set_body(rule, rest(id, from, bar, targets), span);
      });
    }
    return builder_.rule_ref(known->second, span);
  }

  RuleId add_helper(SourceSpan span) { return builder_.add_rule(fresh_name(current_), span); }

  void set_body(RuleId rule, Maybe body, SourceSpan span) {
    builder_.set_body(rule, body.value_or(builder_.nothing(span)), span);
  }

  void write_pending() {
    for (size_t i = 0; i < pending_.size(); ++i) {
      is_too_large_ = is_too_large_ || builder_.n_rules() > n_most_rules_ || bars_.is_too_large();
      if (is_too_large_) return;
      check_budget("writing the rules");
      const std::function<void()> write = std::move(pending_[i]);
      write();
    }
  }

  // The name itself for the first copy, then name-2 and so on.
  std::string fresh_name(const std::string& wanted) {
    std::string name = wanted;
    for (size_t& n = n_named_[wanted]; !names_.insert(name).second;) {
      name = concat(wanted, "-", ++n + 1);
    }
    return name;
  }

  GrammarBuilder& builder_;
  const WriterContext& context_;
  Bars bars_;
  const size_t n_most_rules_;
  CapturedParts captured_parts_;
  std::string current_ = "root";  // the rule whose body is being written
  std::map<std::tuple<size_t, BarId, BarSet>, RuleId> copies_;
  std::map<std::tuple<NodeId, size_t, BarId, BarSet>, RuleId> rest_rules_;
  std::map<std::tuple<NodeId, BarId, bool, uint32_t, BarSet>, RuleId> round_rules_;
  std::map<std::pair<ContenderIndex, BarId>, RuleId> contender_rules_;
  std::map<std::tuple<SkipIndex, BarId, BarSet>, RuleId> skip_rules_;
  std::map<std::pair<RuleId, bool>, ExprId> prefix_of_;
  std::unordered_set<uint32_t> prefixes_;  // ExprId values
  std::vector<std::function<void()>> pending_;
  std::set<std::string> names_;
  std::unordered_map<std::string, size_t> n_named_;
  size_t n_nodes_ = 0;
  bool is_too_large_ = false;
};

}  // namespace

std::optional<RuleId> write_rules(GrammarBuilder& builder, const WriterContext& context,
                                  LarkWork* work) {
  Writer writer(builder, context);
  const auto root = writer.write();
  if (work != nullptr) work->n_bar_steps += writer.n_bar_steps();
  return root;
}

}  // namespace xg2lab::lark
