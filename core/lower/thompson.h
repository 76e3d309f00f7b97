// Thompson's construction: expressions become a machine with epsilon edges; and the rules that a grammar's expressions need beside
// its own.
//
// Tests: tests/core/test_program.py
//
// IDEA
//   Each expression is added behind a state, and says in which state it ends. No construction ever adds an edge into the state that
//   it is added behind, so alternatives may share it. Code points become UTF-8 bytes on the way.
//   x (s x)*, with one and the same x as a front end writes lists, is a loop: behind x, s leads back to its beginning. Written out it
//   would be x twice, to be joined again by minimization.
//   Alternatives that begin with literals share the states of what they begin with alike: a trie,
//   whose edges have the origins of all that go along them. A set of the subset construction has
//   all of such states or none, so its result is the same, at a price that is one look at each
//   letter, and not one for each text at each letter that the text may begin at.
//   Behind each of n alternatives in a loop come the n beginnings of all: without epsilon edges,
//   n² of them. Where the machine can't be deterministic either, such a choice may become a rule
//   of its own, which is called (call_choices).
//   A choice of many texts may be the smallest machine of them from the start (automata/text_machine.h): its states are several in
//   one. That is right as long as nobody reads them beside others; whoever finds that somebody does, builds it without.
//
// EXAMPLE   [a-f]* ("abc" | "abd"): behind the loop stands one edge on `a`, then one on `b`, then
//           two.
//           "[" item ("," item)* "]"   has one copy of item, and an edge "," from its end to its
//                                      beginning.
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
#include "grammar/grammar.h"
#include "grammar/walk.h"
#include "lower/lower.h"
#include "lower/member_machines.h"

namespace xg2lab {

[[noreturn]] void refuse_states(const Grammar& grammar, RuleId id, size_t max_states);
[[noreturn]] void refuse_edges(const Grammar& grammar, RuleId id, size_t max_edges);

// The sets of tokens that bodies name: a rule each, after those of the grammar.
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
  const std::vector<ExprId>& exprs() const { return exprs_; }  // the first that names each set

 private:
  const size_t n_rules_;
  std::map<std::pair<std::vector<TokenId>, bool>, size_t> known_;
  std::vector<ExprId> exprs_;
};

// The expressions that become rules of their own, after those of the grammar and of its tokens. A
// repetition that is counted makes two: the counted rule, then its child. Members in any order
// make three: the any-order rule, its member rule, its separator. A choice that is called makes
// one.
class MadeRules {
 public:
  MadeRules(const Grammar& grammar, const LowerOptions& options, size_t n_rules_before)
      : grammar_(grammar), options_(options), n_rules_(n_rules_before) {}

  bool is_counted(const Expr& expr) const {
    const uint32_t n_copies = expr.max == kNoUpperBound ? expr.min : expr.max;
    return options_.repetition_compression && n_copies > options_.repetition_threshold;
  }
  // The first rule of an expression in `user`; the same for the same expression.
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
    RuleId user;   // the grammar's rule in which it stands
    RuleId first;  // of the program; the others follow
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
  // `kept` and `made`: null where all that is referred to becomes part of one machine: rules are those of the grammar then,
  // and every repetition is written out.
  Thompson(const Grammar& grammar, const TokenRules& tokens, const KeptRules* kept, MadeRules* made,
           OriginSets& origins, size_t max_states)
      : grammar_(grammar),
        tokens_(tokens),
        kept_(kept),
        made_(made),
        origins_(origins),
        max_states_(max_states) {}

  // Whether choices of texts may be made smallest at once.
  void join_texts() { joins_texts_ = true; }
  bool has_joined_texts() const { return has_joined_texts_; }
  // Choices of many alternatives are called, but for one that is the whole body.
  void call_choices() { calls_choices_ = true; }
  bool has_called() const { return has_called_; }
  // As many as there would be without.
  size_t n_states() const { return fsm_.n_states() + n_left_out_; }

  // Of parts that follow each other. `rule` is the one that messages name.
  const Fsm& build(std::span<const ExprId> parts, RuleId rule);
  // All members, with marked ends (end_of_member); `order[i]` is the member of the source that is member i.
  const Fsm& build_members(ExprId any_order, std::span<const uint32_t> order, RuleId rule);

 private:
  StateId add_state();
  OriginSetId origin(ExprId id) { return origins_.single(id.value); }
  // Adds the machine of `id` from state `from`; returns the state in which it ends.
  StateId add(ExprId id, StateId from);
  StateId add_parts(std::span<const ExprId> parts, StateId from);
  StateId add_literal(ExprId id, StateId from);
  StateId add_class(ExprId id, StateId from);
  StateId add_choice(ExprId id, StateId from);
  // An alternative as the literal that it begins with and what follows.
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
};

}  // namespace xg2lab
