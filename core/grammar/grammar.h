// Grammar: rules and expressions, immutable after build, every node with its source span.
//
// Tests: tests/core/test_grammar.py
//
// IDEA
//   A rule is a name and one expression; expressions form a directed acyclic graph of small nodes
//   in one array. Passes read one Grammar and build the next; a node that a pass keeps or makes out
//   of another keeps that node's span, so that the words of the user survive to the last pass.
//
// EXAMPLE
//   root ::= "a" b*       kSequence(kLiteral "a", kRepeat{0, inf}(kRuleRef b))
//
// INVARIANTS
//   I1  children of an expression have smaller ids than the expression itself
//   I2  a kSequence or kChoice has at least two children
//   I3  a kClass holds sorted, disjoint, non-adjacent ranges of Unicode scalar values
//   I4  a kLiteral is not empty (the empty string is kEmpty)
//   I5  every kRuleRef names a rule of this grammar
//   I6  names of rules are distinct
//   I7  no kRepeat is {0,0} or {1,1}; min <= max; min is at most kMostRepetitions, and so is a max
//       other than kNoUpperBound
//   I8  a kDispatch has a kRuleRef child for each of its tags; its texts are not empty, valid UTF-8
//       and distinct
//   I9  the ids of a kTokenSet are ascending, each once; there is one unless it is negated
//   I10  a kMachine's machine matches some string; read as EBNF, its words make an equal machine
//   I11  a kAnyOrder has a kRuleRef child for each of its members, then its separator: a kRuleRef, a kLiteral or a kEmpty;
//        its bounds are possible, and there is a member
//
// THREADS   immutable: shared by any number of threads.
// NOT HERE  how text becomes a Grammar (frontends/), how a Grammar changes (passes/).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "automata/machine.h"
#include "automata/member_sets.h"
#include "grammar/keyword_use.h"
#include "grammar/rule_options.h"
#include "support/code_points.h"
#include "support/error.h"
#include "support/ids.h"
#include "support/source.h"
#include "support/token_set.h"

namespace xg2lab {

enum class ExprKind : uint8_t {
  kEmpty,     // matches the empty string only
  kNothing,   // matches no string: the class [] and what follows from it
  kLiteral,   // a byte string
  kClass,     // one code point out of a set
  kRuleRef,   // one match of a rule
  kSequence,  // children one after another
  kChoice,    // one of the children
  kRepeat,    // its child, between min and max times
  kDispatch,  // free text watched for tags, each of which opens a rule
  kTokenSet,  // one token out of a set of ids, whatever its bytes
  kMachine,   // a regular language, given by its machine on bytes
  kAnyOrder,  // members in any order, with separators between them
};

// Whether expressions of the kind have children.
constexpr bool has_children(ExprKind kind) {
  return kind == ExprKind::kSequence || kind == ExprKind::kChoice || kind == ExprKind::kRepeat ||
         kind == ExprKind::kDispatch || kind == ExprKind::kAnyOrder;
}

constexpr uint32_t kNoUpperBound = UINT32_MAX;

// A text that free text is watched for, and where it is written.
struct WatchedText {
  std::string text;
  SourceSpan span;
};

// What free text is watched for (docs/design/0005-tag-dispatch.md says what each does).
struct Dispatch {
  std::vector<WatchedText> tags;        // tag i opens the rule of child i
  std::vector<WatchedText> stop_texts;  // end the dispatch
  std::vector<WatchedText> excludes;    // must not occur
  bool stop_eos = true;                 // whether it may end anywhere in free text
  bool loop_after_dispatch = true;      // whether free text goes on after a tag's rule
};

std::vector<std::string_view> views(const std::vector<WatchedText>& texts);

// `first` and `count` index the table that belongs to the kind (see Grammar's accessors).
struct Expr {
  ExprKind kind = ExprKind::kEmpty;
  SourceSpan span;
  uint32_t first = 0;
  uint32_t count = 0;
  uint32_t min =
      0;  // kRepeat; of a kDispatch, kTokenSet, kMachine or kAnyOrder the row of its table
  uint32_t max = 0;  // kRepeat only; kNoUpperBound: no limit
};

struct Rule {
  std::string name;
  ExprId body;
  SourceSpan span;                  // the whole definition, name to end of body
  SourceSpan name_span;             // the name where it is defined
  std::optional<ExprId> lookahead;  // (= ...) as written: what the author says must follow
  std::shared_ptr<const RuleOptions> options;  // null: none
};

class Grammar {
 public:
  size_t n_rules() const { return rules_.size(); }
  size_t n_exprs() const { return exprs_.size(); }
  RuleId root() const { return root_; }
  const Rule& rule(RuleId id) const { return rules_[id.index()]; }
  const Expr& expr(ExprId id) const { return exprs_[id.index()]; }
  std::optional<RuleId> find_rule(std::string_view name) const;

  // kSequence, kChoice: all children. kRepeat: its one child. kDispatch: the references of its tags.
  // kAnyOrder: its members, then the separator.
  std::span<const ExprId> children(ExprId id) const {
    const Expr& e = expr(id);
    if (!has_children(e.kind)) return {};
    return std::span<const ExprId>(child_table_).subspan(e.first, e.count);
  }
  std::string_view literal(ExprId id) const;                               // kLiteral
  std::span<const CodePointRange> ranges(ExprId id) const;                 // kClass
  RuleId rule_ref(ExprId id) const;                                        // kRuleRef
  const Dispatch& dispatch(ExprId id) const;                               // kDispatch
  const TokenSet& token_set(ExprId id) const;                              // kTokenSet
  const Machine& machine(ExprId id) const { return *shared_machine(id); }  // kMachine
  const std::shared_ptr<const Machine>& shared_machine(ExprId id) const;
  const AnyOrderBounds& any_order(ExprId id) const;  // kAnyOrder

  const std::shared_ptr<const SourceText>& source() const { return source_; }
  // Warnings and hints found on the way; errors are thrown instead.
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  // What became of the source's keywords, in the order of the text.
  const std::vector<KeywordUse>& keyword_uses() const {
    static const std::vector<KeywordUse> none;
    return keyword_uses_ ? *keyword_uses_ : none;
  }

 private:
  friend class GrammarBuilder;
  friend Grammar with_diagnostics(Grammar grammar, std::vector<Diagnostic> diagnostics);
  friend Grammar with_rules(Grammar grammar, const std::vector<bool>& kept);

  RuleId root_;
  std::vector<Rule> rules_;
  std::vector<Expr> exprs_;
  std::vector<ExprId> child_table_;
  std::vector<CodePointRange> range_table_;
  std::string literal_table_;
  std::vector<std::shared_ptr<const Dispatch>> dispatch_table_;   // shared by copies of a grammar
  std::vector<std::shared_ptr<const TokenSet>> token_set_table_;  // as well
  std::vector<std::shared_ptr<const Machine>> machine_table_;     // as well
  std::vector<std::shared_ptr<const AnyOrderBounds>> any_order_table_;  // as well
  std::shared_ptr<const SourceText> source_ = std::make_shared<SourceText>();
  std::vector<Diagnostic> diagnostics_;
  std::shared_ptr<const std::vector<KeywordUse>> keyword_uses_;  // null: none
  std::vector<RuleId> rules_by_name_;                            // sorted by name
};

// Builds a Grammar bottom-up. Simplifies as it goes where that loses nothing: sequences and choices
// of one child are that child, empty literals are kEmpty, empty sets are kNothing, e{1,1} is e,
// and e{0,0} is kEmpty.
class GrammarBuilder {
 public:
  GrammarBuilder() = default;
  // Goes on from all that `previous` has, which keeps its numbers: for passes that change little of it.
  explicit GrammarBuilder(Grammar previous);
  // Starts from the rules' names, spans and options, source and diagnostics of `previous`, without
  // its bodies and lookaheads: for passes.
  static GrammarBuilder like(const Grammar& previous);

  RuleId add_rule(std::string name, SourceSpan name_span = {});  // a body must follow
  void set_body(RuleId rule, ExprId body, SourceSpan span = {});
  void set_lookahead(RuleId rule, std::optional<ExprId> lookahead);
  void set_options(RuleId rule, std::shared_ptr<const RuleOptions> options);
  // Those of a rule of another grammar, whose rules are `rules` here (index: the other grammar's
  // RuleId).
  void copy_options(RuleId rule, const Grammar& from, const Rule& other,
                    std::span<const RuleId> rules);
  size_t n_rules() const { return grammar_.rules_.size(); }

  ExprId empty(SourceSpan span = {});
  ExprId nothing(SourceSpan span = {});
  ExprId literal(std::string_view bytes, SourceSpan span = {});
  ExprId char_class(std::vector<CodePointRange> ranges, SourceSpan span = {});  // sorts and merges
  ExprId rule_ref(RuleId rule, SourceSpan span = {});
  ExprId sequence(std::span<const ExprId> children, SourceSpan span = {});
  ExprId choice(std::span<const ExprId> children, SourceSpan span = {});
  ExprId repeat(ExprId child, uint32_t min, uint32_t max, SourceSpan span = {});
  // `rule_refs`: kRuleRef expressions, one for each tag.
  ExprId dispatch(Dispatch dispatch, std::span<const ExprId> rule_refs, SourceSpan span = {});
  // `set.ids`: in any order, and some perhaps more than once.
  ExprId token_set(TokenSet set, SourceSpan span = {});
  // `children`: the members, kRuleRef expressions, then the separator. Without members, or where none may be matched, it is
  // kEmpty; kNothing if the bounds are impossible.
  ExprId any_order(AnyOrderBounds bounds, std::span<const ExprId> children, SourceSpan span = {});
  // kNothing if it matches no string.
  ExprId machine(std::shared_ptr<const Machine> machine, SourceSpan span = {});
  // Copies an expression of another grammar, with its spans; rule references are mapped by `rules`
  // (index: the other grammar's RuleId). Shared nodes stay shared within one call. A reference to a
  // rule that has one of `bodies` (same index; may be shorter) becomes that body instead, but for
  // those of a kDispatch or kAnyOrder, which stay references.
  ExprId copy(const Grammar& from, ExprId expr, std::span<const RuleId> rules,
              std::span<const std::optional<ExprId>> bodies = {});
  // One node of another grammar with `children` in place of its own.
  ExprId copy_node(const Grammar& from, ExprId expr, std::span<const ExprId> children,
                   std::span<const RuleId> rules);

  // The expression with `children` in place of its own: itself, if it has these. As often as it has children.
  ExprId with_children(ExprId expr, std::span<const ExprId> children);
  // The same once more, as an expression of its own. `children` lie in no expression.
  ExprId again(ExprId expr, std::span<const ExprId> children);

  // All expressions from the `first`-th on get this place: they were copied from a grammar with another source.
  void set_spans(size_t first, SourceSpan span);
  size_t n_exprs() const { return grammar_.exprs_.size(); }

  // What there is so far. What it gives out is valid until something is added.
  const Grammar& so_far() const { return grammar_; }
  const Expr& expr(ExprId id) const { return grammar_.exprs_[id.index()]; }
  std::span<const ExprId> children(ExprId id) const { return grammar_.children(id); }
  // Moves the spans of the expressions from `first` on, and of the texts that their dispatches watch for: for what
  // was copied from a grammar with a source of its own.
  void map_spans(size_t first, const std::function<SourceSpan(SourceSpan)>& place);

  void set_source(std::shared_ptr<const SourceText> source);
  void add_diagnostic(Diagnostic diagnostic);
  void set_keyword_uses(std::vector<KeywordUse> uses);

  Grammar build(RuleId root) &&;

 private:
  ExprId add(Expr expr);
  ExprId add_with_children(Expr expr, std::span<const ExprId> children);
  ExprId add_class(std::span<const CodePointRange> ranges, SourceSpan span);  // normal, not empty
  ExprId add_dispatch(std::shared_ptr<const Dispatch> dispatch, std::span<const ExprId> rule_refs,
                      SourceSpan span);
  ExprId add_any_order(std::shared_ptr<const AnyOrderBounds> bounds,
                       std::span<const ExprId> children, SourceSpan span);

  Grammar grammar_;
  std::vector<bool> has_body_;  // index: RuleId
  struct Copy {
    uint32_t copy_number = 0;
    ExprId made;
  };
  std::vector<Copy>
      copies_;  // index: the other grammar's ExprId; of the latest call of copy() alone
  uint32_t copy_number_ = 0;
};

// The same grammar with these diagnostics in place of its own.
Grammar with_diagnostics(Grammar grammar, std::vector<Diagnostic> diagnostics);

// The same grammar with only those rules that are `kept` (index: RuleId; the root is), and only
// those expressions that they have. No body of a kept rule may refer to one that is not; an option
// `parts` that names one is left out.
Grammar with_rules(Grammar grammar, const std::vector<bool>& kept);

// The rule whose definition holds this byte of the source: where an inlined node came from.
std::optional<RuleId> rule_at(const Grammar& grammar, uint32_t offset);

// Whether there is an expression of the kind.
bool has_kind(const Grammar& grammar, ExprKind kind);

// Whether these are references to rules (and a separator) that stay what they are: no body takes their place.
bool keeps_references(ExprKind kind);

// A machine so large that it is better not determinized and minimized again with what stands around it.
bool is_large_machine(const Grammar& grammar, ExprId id);

// Whether EBNF can spell the name: name characters, and after the first also '-' and '.'.
bool is_rule_name(std::string_view name);

// EBNF text that parses back to the same grammar.
std::string print_ebnf(const Grammar& grammar);
// One expression of it.
std::string print_ebnf(const Grammar& grammar, ExprId expr);

}  // namespace xg2lab
