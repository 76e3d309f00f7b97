// Thompson's construction turns expressions into a machine with epsilon edges. Also here: the extra
// rules that a grammar's expressions need besides its own.
//
// Tests: tests/core/test_program.py
//
// IDEA
//   Each expression is added behind a given state, and its construction returns the state in which
//   it ends. No construction ever adds an edge into the state that it starts from, so alternatives
//   may share that state. Code points become UTF-8 bytes on the way.
//
//   A class shares the states before its last bytes, and x+ is built as a loop around one x: the
//   result is the same as with copies, which minimization would join.
//
//   x (s x)*, where both x are the same expression, as front ends write lists, is built as a loop:
//   after x, s leads back to the start of x. Written out, x would occur twice and minimization
//   would have to join the copies.
//
//   Alternatives that begin with literals share the states of their common prefixes: a trie, whose
//   edges have the origins of all alternatives that use them. A set of the subset construction
//   contains all NFA states of a shared prefix or none, so the result is the same. The cost is one
//   step for each byte of the trie, instead of one for each alternative at each position where the
//   choice may begin.
//
//   In a loop over n alternatives, each of the n ends is followed by all n beginnings: without
//   epsilon edges that is n² edges. If the machine can't be determinized either, such a choice may
//   become a rule of its own, which is called (call_choices).
//
//   A choice of many texts may be built as their minimal machine from the start
//   (automata/text_machine.h), in which one state stands for several trie nodes. This is correct
//   only if no other alternative is read beside the texts; if the subset construction finds that
//   one is, the machine is built again without it.
//
// EXAMPLE   [a-f]* ("abc" | "abd")     after the loop one edge on `a`, then one on `b`, then two.
//           "[" item ("," item)* "]"   one copy of item, and an edge "," from its end to its start.
//
// SEE ALSO  Thompson 1968.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "automata/fsm.h"
#include "automata/utf8.h"
#include "grammar/grammar.h"
#include "grammar/walk.h"
#include "lower/lower.h"
#include "lower/member_machines.h"

namespace xg2lab {

[[noreturn]] void refuse_states(const Grammar& grammar, RuleId id, size_t max_states);
[[noreturn]] void refuse_edges(const Grammar& grammar, RuleId id, size_t max_edges);

// The sets of tokens that bodies name. Each distinct set is a rule, numbered after those of the
// grammar.
class TokenRules {
 public:
  TokenRules(const Grammar& grammar, size_t n_rules_before) : n_rules_(n_rules_before) {
    if (!has_kind(grammar, ExprKind::kTokenSet)) return;
    std::vector<bool> seen(grammar.n_exprs());
    const auto is_new = [&](ExprId id) {
      const bool was_seen = seen[id.index()];
      seen[id.index()] = true;
      return !was_seen;
    };
    for (size_t r = 0; r < grammar.n_rules(); ++r) {
      for_each_expr(grammar, grammar.rule(RuleId(r)).body, is_new, [&](ExprId id) {
        if (grammar.expr(id).kind != ExprKind::kTokenSet) return;
        const TokenSet& set = grammar.token_set(id);
        if (known_.try_emplace({set.ids, set.is_negated}, exprs_.size()).second)
          exprs_.push_back(id);
      });
    }
  }

  RuleId rule_of(const TokenSet& set) const {
    return RuleId(n_rules_ + known_.at({set.ids, set.is_negated}));
  }
  // index: set; the first expression that names it
  const std::vector<ExprId>& exprs() const { return exprs_; }

 private:
  const size_t n_rules_;
  std::map<std::pair<std::vector<TokenId>, bool>, size_t> known_;
  std::vector<ExprId> exprs_;
};

// The expressions that become rules of their own, numbered after the rules of the grammar and the
// token rules. A counted repetition makes two rules: the counted rule, then its child. Members in
// any order make three: the any-order rule, its member rule, its separator. A choice that is called
// makes one.
class MadeRules {
 public:
  MadeRules(const Grammar& grammar, const LowerOptions& options, size_t n_rules_before)
      : grammar_(grammar), options_(options), n_rules_(n_rules_before) {}

  bool is_counted(const Expr& expr) const {
    const uint32_t n_copies = expr.max == kNoUpperBound ? expr.min : expr.max;
    return options_.repetition_compression && n_copies > options_.repetition_threshold;
  }
  // The first rule made for an expression that occurs in rule `user`; the same expression always
  // gets the same rule.
  RuleId rule_of(ExprId expr, RuleId user) {
    const auto [known, is_new] = known_.try_emplace(expr, made_.size());
    if (is_new) {
      made_.push_back({expr, user, RuleId(n_rules_)});
      n_rules_ += grammar_.expr(expr).kind == ExprKind::kAnyOrder ? 3 : 2;
    }
    return made_[known->second].first;
  }

  RuleId rule_of_part(ExprId part, RuleId user) {
    const auto [known, is_new] = known_parts_.try_emplace(part, made_.size());
    if (is_new) made_.push_back({part, user, RuleId(n_rules_++), true});
    return made_[known->second].first;
  }

  struct Made {
    ExprId expr;
    RuleId user;   // the grammar's rule in which the expression occurs
    RuleId first;  // rule of the program; the expression's other rules follow it
    bool is_part = false;
  };
  size_t size() const { return made_.size(); }
  const Made& operator[](size_t i) const { return made_[i]; }

 private:
  const Grammar& grammar_;
  const LowerOptions& options_;
  size_t n_rules_;
  std::unordered_map<ExprId, size_t> known_;
  std::unordered_map<ExprId, size_t> known_parts_;
  std::vector<Made> made_;
};

class Thompson {
 public:
  // `kept` and `made` are null if all called rules are inlined into one machine: rule ids are those
  // of the grammar then, and every repetition is written out.
  Thompson(const Grammar& grammar, const TokenRules& tokens, const KeptRules* kept, MadeRules* made,
           OriginSets& origins, size_t max_states)
      : grammar_(grammar),
        tokens_(tokens),
        kept_(kept),
        made_(made),
        origins_(origins),
        max_states_(max_states) {}

  // Allows choices of texts to be built as minimal machines at once.
  void join_texts() { joins_texts_ = true; }
  bool has_joined_texts() const { return has_joined_texts_; }
  // Makes choices of many alternatives called rules, except a choice that is the whole body.
  void call_choices() { calls_choices_ = true; }
  bool has_called() const { return has_called_; }
  // As many states as the machine would have if nothing was shared or joined: limits are in
  // proportion to these.
  size_t n_states() const { return fsm_.n_states() + n_left_out_; }

  // Builds a sequence of parts. `rule` is the rule that messages name.
  const Fsm& build(std::span<const ExprId> parts, RuleId rule);
  // Builds all members with marked ends (end_of_member); `order[i]` is the source index of member
  // i.
  const Fsm& build_members(ExprId any_order, std::span<const uint32_t> order, RuleId rule);

 private:
  StateId add_state();
  OriginSetId origin(ExprId id) { return origins_.single(id.value); }
  // Adds the machine of `id` behind state `from`; returns the state in which it ends.
  StateId add(ExprId id, StateId from);
  StateId add_parts(std::span<const ExprId> parts, StateId from);
  StateId add_literal(ExprId id, StateId from);
  StateId add_class(ExprId id, StateId from);
  StateId add_choice(ExprId id, StateId from);
  // An alternative as the literal that it begins with and the parts that follow.
  struct Head {
    std::string_view bytes;
    ExprId literal;
    std::span<const ExprId> rest;
  };
  std::optional<Head> head_of(ExprId id) const;
  void add_heads(std::vector<Head> heads, StateId from, StateId to);
  std::optional<StateId> add_texts(ExprId choice, StateId from);
  StateId add_machine(ExprId id, StateId from);
  StateId add_repeat(ExprId id, StateId from);
  StateId add_loop(ExprId child, StateId from);
  std::span<const Utf8Sequence> sequences_of(std::span<const CodePointRange> ranges);
  // Counts `n` states that sharing saves as if they were there.
  void leave_out(size_t n);

  const Grammar& grammar_;
  const TokenRules& tokens_;
  const KeptRules* kept_;
  MadeRules* made_;
  OriginSets& origins_;
  size_t max_states_;
  RuleId rule_;
  Fsm fsm_;
  bool joins_texts_ = false;
  bool has_joined_texts_ = false;
  bool calls_choices_ = false;
  bool has_called_ = false;
  std::optional<ExprId> whole_;
  size_t n_left_out_ = 0;
  std::vector<CodePointRange> last_class_;
  std::vector<Utf8Sequence> sequences_;  // of last_class_
};

}  // namespace xg2lab
