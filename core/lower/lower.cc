// Read: names of made rules, machine_of_dispatch, Lowering (the loop over rules).
#include "lower/lower.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "automata/minimize.h"
#include "dispatch/dispatch_machine.h"
#include "grammar/walk.h"
#include "lower/known_machines.h"
#include "lower/member_machines.h"
#include "lower/member_trie.h"
#include "lower/regular_rules.h"
#include "lower/sequence_machine.h"
#include "lower/thompson.h"
#include "support/bounds.h"
#include "support/budget.h"
#include "support/text.h"

namespace xg2lab {
namespace {

std::shared_ptr<const RunOptions> run_options(const Grammar& grammar, const Rule& rule,
                                              const KeptRules& kept) {
  if (!rule.options || !rule.options->keeps_rule()) return nullptr;
  const RuleOptions& options = *rule.options;
  std::optional<RuleId> parts;
  if (options.parts) parts = kept[grammar.find_rule(*options.parts).value()];
  return std::make_shared<const RunOptions>(RunOptions{
      options.max_tokens, options.capture, options.temperature, parts, options.is_hidden});
}

ProgramRule named(std::string name, SourceSpan span, SourceSpan name_span) {
  ProgramRule rule;
  rule.name = std::move(name);
  rule.span = span;
  rule.name_span = name_span;
  return rule;
}

// The source text of an expression, as the name of a rule that the grammar doesn't name.
std::string name_of(const Grammar& grammar, ExprId expr) {
  constexpr size_t kMostBytes = 40;
  return shortened(print_ebnf(grammar, expr), kMostBytes);
}

std::string name_of_repetition(const Grammar& grammar, ExprId repeat) {
  const Expr& expr = grammar.expr(repeat);
  const ExprId child = grammar.children(repeat)[0];
  std::string words = name_of(grammar, child);
  const ExprKind kind = grammar.expr(child).kind;
  const bool is_one = kind == ExprKind::kClass || kind == ExprKind::kRuleRef ||
                      (kind == ExprKind::kLiteral && words.back() == '"');
  if (!is_one) words = "(" + words + ")";
  return words + braces_text(expr.min, expr.max);
}

// The dispatch machine with origins and rule ids: the program's rule ids, or the grammar's if
// `kept` is null.
DispatchMachine machine_of_dispatch(const Grammar& grammar, ExprId id, const KeptRules* kept,
                                    OriginSets& origins) {
  Phased phase("dispatch_machine");
  const Dispatch& dispatch = grammar.dispatch(id);
  DispatchMachine machine =
      dispatch_machine({views(dispatch.tags), views(dispatch.stop_texts), views(dispatch.excludes),
                        dispatch.stop_eos, dispatch.loop_after_dispatch});
  const auto references = grammar.children(id);
  const OriginSetId of_text = origins.single(id.value);
  for (TerminalEdge& edge : machine.fsm.terminal_edges) {
    const bool is_text = edge.origins == DispatchMachine::kOfText;
    edge.origins =
        is_text ? of_text : origins.single(references[DispatchMachine::tag_of(edge.origins)].value);
  }
  for (RuleEdge& edge : machine.fsm.rule_edges) {
    const ExprId reference = references[edge.rule.index()];
    const RuleId rule = grammar.rule_ref(reference);
    edge = {kept == nullptr ? rule : (*kept)[rule], edge.to, origins.single(reference.value)};
  }
  XG2LAB_ASSERT(machine.fsm.is_accepting[0] || !machine.fsm.terminals(StateId(0u)).empty(),
                "a dispatch that is lowered can end (passes/check_productive)");
  phase.made(0, machine.fsm.n_states());
  return machine;
}

// For a machine that stays nondeterministic: removing its epsilon edges may double the number of
// its edges before its choices become called rules.
constexpr size_t kEdgesBeyond = 50'000;
size_t edges_in_proportion(const Fsm& fsm) {
  return 2 * (fsm.n_terminals() + fsm.n_rules()) + kEdgesBeyond;
}

// Converts a frozen machine back to the builder's form.
Fsm thawed(const FrozenFsm& frozen) {
  Fsm fsm;
  for (size_t s = 0; s < frozen.n_states(); ++s) fsm.add_state();
  for (size_t s = 0; s < frozen.n_states(); ++s) {
    if (frozen.is_accepting[s]) fsm.set_accepting(StateId(s));
    for (const TerminalEdge& edge : frozen.terminals(StateId(s)))
      fsm.add_terminal(StateId(s), edge.range, edge.to, edge.origins);
    for (const RuleEdge& edge : frozen.rules(StateId(s)))
      fsm.add_rule(StateId(s), edge.rule, edge.to, edge.origins);
  }
  return fsm;
}

class Lowering {
 public:
  Lowering(const Grammar& grammar, const LowerOptions& options)
      : grammar_(grammar),
        options_(options),
        kept_(grammar),
        tokens_(grammar, kept_.rules().size()),
        made_(grammar, options, kept_.rules().size() + tokens_.exprs().size()),
        regular_(grammar, origins_, options_,
                 [this](ExprId body, RuleId rule) {
                   if (grammar_.expr(body).kind == ExprKind::kDispatch)
                     return thawed(machine_of_dispatch(grammar_, body, nullptr, origins_).fsm);
                   Thompson thompson(grammar_, tokens_, nullptr, nullptr, origins_,
                                     options_.max_states);
                   return built(thompson, {&body, 1}, rule);
                 }),
        sequences_(grammar, origins_,
                   [this](ExprId expr, RuleId user) { return rule_called(expr, user); }),
        shapes_(grammar, options.expects_again) {}

  Program run() {
    for (const RuleId id : kept_.rules()) {
      const Rule& rule = grammar_.rule(id);
      ProgramRule lowered = named(rule.name, rule.span, rule.name_span);
      lowered.options = run_options(grammar_, rule, kept_);
      if (rule.options) lowered.absent_content = rule.options->absent_content;
      if (rule.options && rule.options->cuts_language()) add_cut(std::move(lowered), id);
      else add(std::move(lowered), rule.body, id);
    }
    for (ExprId expr : tokens_.exprs()) add_token_rule(expr);
    for (size_t i = 0; i < made_.size(); ++i) {  // the list grows as parts contain further parts
      if (made_[i].is_part) add_part(made_[i]);
      else if (grammar_.expr(made_[i].expr).kind == ExprKind::kAnyOrder) add_any_order(made_[i]);
      else add_counted(made_[i]);
    }
    write_origins();
    builder_.set_source(grammar_.source());
    return std::move(builder_).build(kept_[grammar_.root()]);
  }

 private:
  // `user` is the rule that messages name.
  void add(ProgramRule rule, ExprId body, RuleId user) {
    const FrozenFsm fsm = machine_of(body, user, rule);
    n_states_ += fsm.n_states();
    builder_.add_rule(std::move(rule), fsm);
  }

  void add_cut(ProgramRule rule, RuleId id) {
    check_budget("building the machine of rule", rule.name);
    const FrozenFsm& fsm = regular_machine(id);
    n_states_ += fsm.n_states();
    if (n_states_ > options_.max_states) refuse_states(grammar_, id, options_.max_states);
    builder_.add_rule(std::move(rule), fsm);
  }

  const FrozenFsm& regular_machine(RuleId id) {
    const Phased phase("regular_rules");
    return regular_.machine_of(id);
  }

  FrozenFsm machine_of(ExprId body, RuleId user, ProgramRule& lowered) {
    check_budget("building the machine of rule", lowered.name);
    const size_t max_states = options_.max_states - n_states_;
    if (is_large_machine(grammar_, body)) {
      FrozenFsm fsm = grammar_.machine(body).fsm;
      if (fsm.n_states() > max_states) refuse_states(grammar_, user, max_states);
      const OriginSetId origins = origin_of(body);
      for (TerminalEdge& edge : fsm.terminal_edges) edge.origins = origins;
      return fsm;
    }
    if (grammar_.expr(body).kind != ExprKind::kDispatch) {
      if (auto sequence = machine_of_sequence({&body, 1}, user, max_states))
        return *std::move(sequence);
      return made_or_known({&body, 1}, user, max_states).copied();
    }
    DispatchMachine dispatch = machine_of_dispatch(grammar_, body, &kept_, origins_);
    if (dispatch.fsm.n_states() > max_states) refuse_states(grammar_, user, max_states);
    lowered.dispatch = std::make_shared<const DispatchFacts>(std::move(dispatch.facts));
    return std::move(dispatch.fsm);
  }

  std::optional<FrozenFsm> machine_of_sequence(std::span<const ExprId> parts, RuleId user,
                                               size_t max_states) {
    if (options_.reduction() != Reduction::kMinimal) return std::nullopt;
    return sequences_.machine_of(parts, user, max_states);
  }

  // The machine of parts in turn, constructed or taken from the cache.
  SharedMachine made_or_known(std::span<const ExprId> parts, RuleId user, size_t max_states) {
    Phased phase(options_.uses_known_machines ? "known_machines" : "program");
    const BodyShape* shape = nullptr;
    if (options_.uses_known_machines) {
      shape = shapes_.of(parts, static_cast<uint32_t>(options_.reduction()),
                         [&](ExprId expr) { return rule_called(expr, user); });
      auto known = shape ? KnownMachines::shared().find(*shape, origins_) : std::nullopt;
      if (known && known->n_thompson_states <= max_states) {
        phase.made(0, known->fsm->n_states());
        return std::move(*known);
      }
    }
    SharedMachine machine = made(parts, user, max_states);
    if (shape && !machine.calls_choices)
      KnownMachines::shared().offer(*shape, machine, origins_, options_.expects_again);
    return machine;
  }

  // If the parts contain many texts, joins them into one trie first. This is valid only if no other
  // alternative is read beside the texts; if one is, minimal() fails and the machine is built
  // without joining.
  SharedMachine made(std::span<const ExprId> parts, RuleId user, size_t max_states) {
    if (options_.reduction() == Reduction::kMinimal) {
      Thompson thompson(grammar_, tokens_, &kept_, &made_, origins_, max_states);
      thompson.join_texts();
      const Fsm& fsm = built(thompson, parts, user);
      const size_t n_states = thompson.n_states();
      if (!thompson.has_joined_texts()) return reduced_machine(fsm, n_states, parts, user);
      auto machine = minimal(fsm, origins_, options_.limits_of(fsm, n_states));
      if (machine) return own(std::move(*machine), n_states);
    }
    Thompson thompson(grammar_, tokens_, &kept_, &made_, origins_, max_states);
    const Fsm& fsm = built(thompson, parts, user);
    return reduced_machine(fsm, thompson.n_states(), parts, user);
  }

  // If removing epsilon edges would yield too many edges, because long choices follow long choices,
  // the choices become rules that are called.
  SharedMachine reduced_machine(const Fsm& fsm, size_t n_states, std::span<const ExprId> parts,
                                RuleId user) {
    const Reduction how = options_.reduction();
    const SubsetLimits limits = options_.limits_of(fsm, n_states);
    SubsetLimits in_proportion = limits;
    in_proportion.n_edges = std::min(limits.n_edges, edges_in_proportion(fsm));
    if (auto machine = reduced(fsm, origins_, how, in_proportion))
      return own(std::move(*machine), n_states);
    Thompson thompson(grammar_, tokens_, &kept_, &made_, origins_, options_.max_states - n_states_);
    thompson.call_choices();
    const Fsm& calling = built(thompson, parts, user);
    auto machine = thompson.has_called()
                       ? reduced(calling, origins_, how, options_.limits_of(calling, n_states))
                       : reduced(fsm, origins_, Reduction::kNoEpsilon, limits);
    if (!machine) refuse_edges(grammar_, user, options_.max_states);
    SharedMachine made = own(std::move(*machine), n_states);
    made.calls_choices = thompson.has_called();
    return made;
  }

  static const Fsm& built(Thompson& thompson, std::span<const ExprId> parts, RuleId user) {
    Phased phase("thompson");
    const Fsm& fsm = thompson.build(parts, user);
    phase.made(0, fsm.n_states());
    return fsm;
  }

  static SharedMachine own(FrozenFsm fsm, size_t n_thompson_states) {
    return {std::make_shared<const FrozenFsm>(std::move(fsm)), {}, {}, n_thompson_states};
  }

  std::optional<RuleId> rule_called(ExprId id, RuleId user) {
    const Expr& expr = grammar_.expr(id);
    switch (expr.kind) {
      case ExprKind::kRuleRef: return kept_[grammar_.rule_ref(id)];
      case ExprKind::kTokenSet: return tokens_.rule_of(grammar_.token_set(id));
      case ExprKind::kAnyOrder: return made_.rule_of(id, user);
      case ExprKind::kRepeat:
        return made_.is_counted(expr) ? std::optional(made_.rule_of(id, user)) : std::nullopt;
      default: return std::nullopt;
    }
  }

  void add_token_rule(ExprId expr) {
    const SourceSpan span = grammar_.expr(expr).span;
    ProgramRule rule = named(name_of(grammar_, expr), span, span);
    rule.tokens = std::make_shared<const TokenSet>(grammar_.token_set(expr));
    n_states_ += 2;
    builder_.add_token_rule(std::move(rule));
  }

  void add_part(const MadeRules::Made made) {
    const SourceSpan span = grammar_.expr(made.expr).span;
    add(named(name_of(grammar_, made.expr), span, span), made.expr, made.user);
  }

  // Adds the counted rule, then its child.
  void add_counted(const MadeRules::Made made) {
    const Expr& expr = grammar_.expr(made.expr);
    const ExprId child = grammar_.children(made.expr)[0];
    const SourceSpan child_span = grammar_.expr(child).span;
    const RuleId child_rule(made.first.index() + 1);
    builder_.add_counted_rule(named(name_of_repetition(grammar_, made.expr), expr.span, expr.span),
                              {child_rule, expr.min, expr.max}, origins_.single(child.value));
    n_states_ += 2;
    add(named(name_of(grammar_, child), child_span, child_span), child, made.user);
  }

  // Adds the any-order rule, its member rule, and its separator.
  void add_any_order(const MadeRules::Made made) {
    const SourceSpan span = grammar_.expr(made.expr).span;
    const AnyOrderBounds& bounds = grammar_.any_order(made.expr);
    const auto children = grammar_.children(made.expr);
    const std::vector<uint32_t> order = members_by_text(grammar_, made.expr);
    AnyOrderFacts facts;
    facts.member_rule = RuleId(made.first.index() + 1);
    facts.separator = RuleId(made.first.index() + 2);
    facts.bounds = {{}, bounds.min_total, bounds.max_total, bounds.is_ordered};
    for (uint32_t i : order) {
      facts.bounds.members.push_back(bounds.members[i]);
      facts.names.push_back(grammar_.rule(grammar_.rule_ref(children[i])).name);
    }
    const std::string words = name_of(grammar_, made.expr);
    builder_.add_any_order_rule(named(words, span, span), std::move(facts),
                                origins_.single(made.expr.value));
    n_states_ += 3;
    check_budget("building the machine of", words);
    MemberMachine machine = member_machine(made, order);
    n_states_ += machine.fsm.n_states();
    builder_.add_member_rule(named("member of " + words, span, span), machine.fsm,
                             {made.first, std::move(machine.ends), std::move(machine.reach),
                              std::move(machine.reach_sets)});
    const ExprId separator = children.back();
    const SourceSpan separator_span = grammar_.expr(separator).span;
    add(named(name_of(grammar_, separator), separator_span, separator_span),
        body_of_part(grammar_, separator).value_or(separator), made.user);
  }

  MemberMachine member_machine(const MadeRules::Made& made, std::span<const uint32_t> order) {
    const size_t max_states = options_.max_states - n_states_;
    Phased phase("member_trie");
    if (options_.reduction() == Reduction::kMinimal) {
      const auto members = word_members(made, order, max_states);
      auto machine = members ? machine_of_words(*members, origins_, max_states) : std::nullopt;
      if (machine) {
        phase.made(0, machine->fsm.n_states());
        return std::move(*machine);
      }
    }
    Thompson thompson(grammar_, tokens_, &kept_, &made_, origins_, max_states);
    const Fsm& fsm = thompson.build_members(made.expr, order, made.user);
    auto machine =
        reduced(fsm, origins_, options_.reduction(), options_.limits_of(fsm, thompson.n_states()));
    if (!machine) refuse_edges(grammar_, made.user, options_.max_states);
    return with_ends(std::move(*machine));
  }

  // Each member as its first literal and the machine of the rest. Nothing if a member doesn't begin
  // with a literal.
  std::optional<std::vector<WordMember>> word_members(const MadeRules::Made& made,
                                                      std::span<const uint32_t> order,
                                                      size_t max_states) {
    const auto children = grammar_.children(made.expr);
    std::vector<WordMember> members;
    members.reserve(order.size());
    for (const uint32_t i : order) {
      const ExprId body = body_of_part(grammar_, children[i]).value_or(children[i]);
      std::span<const ExprId> parts(&body, 1);
      if (grammar_.expr(body).kind == ExprKind::kSequence) parts = grammar_.children(body);
      if (grammar_.expr(parts.front()).kind != ExprKind::kLiteral) return std::nullopt;
      const ExprId word = parts.front();
      SharedMachine rest = machine_of_rest(parts.subspan(1), made.user, max_states);
      if (!rest.fsm->is_deterministic) return std::nullopt;
      members.push_back({grammar_.literal(word), origin_of(word), std::move(rest)});
    }
    return members;
  }

  SharedMachine machine_of_rest(std::span<const ExprId> parts, RuleId user, size_t max_states) {
    if (parts.size() > 1 && grammar_.expr(parts.front()).kind == ExprKind::kMachine) {
      const FrozenFsm& first = grammar_.machine(parts.front()).fsm;
      const OriginSetId origins = origin_of(parts.front());
      const SharedMachine second = made_or_known(parts.subspan(1), user, max_states);
      auto both = first.is_deterministic && second.fsm->is_deterministic
                      ? concatenated(first, origins, second)
                      : std::nullopt;
      if (both) return own(std::move(*both), 0);
    }
    if (auto sequence = machine_of_sequence(parts, user, max_states))
      return own(*std::move(sequence), 0);
    return made_or_known(parts, user, max_states);
  }

  OriginSetId origin_of(ExprId expr) { return origins_.single(expr.value); }

  void write_origins() {
    std::vector<SourceSpan> spans;
    for (size_t i = 0; i < origins_.size(); ++i) {
      spans.clear();
      for (uint32_t expr : origins_.members(OriginSetId(i))) {
        const SourceSpan span = grammar_.expr(ExprId(expr)).span;
        if (!span.empty()) spans.push_back(span);
      }
      builder_.add_origins(spans);
    }
  }

  const Grammar& grammar_;
  const LowerOptions& options_;
  OriginSets origins_;
  ProgramBuilder builder_;
  const KeptRules kept_;
  const TokenRules tokens_;
  MadeRules made_;
  RegularRules regular_;
  SequenceMachines sequences_;
  BodyShapes shapes_;
  size_t n_states_ = 0;
};

}  // namespace

Program lower(const Grammar& grammar, const LowerOptions& options, PhaseTable* phases) {
  const PhaseClock clock(phases);
  return Lowering(grammar, options).run();
}

}  // namespace xg2lab
