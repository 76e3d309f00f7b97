// Grammar: rules and expressions, immutable after build, every node with its source span.
//
// Tests: tests/core/test_grammar.py
//
// IDEA
//   A rule is a name and one expression; expressions form a directed acyclic graph of small nodes
//   in one array. Passes read one Grammar and build the next. A node that a pass keeps, or derives
//   from another, has that node's span, so that messages can quote the source even after the last
//   pass.
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
//   I9  the ids and names of a kTokenSet are ascending, without duplicates; both lists are empty
//       only if negated
//   I10  a kMachine's machine matches some string; read as EBNF, its words make an equal machine
//   I11  a kAnyOrder has a kRuleRef child for each of its members, then its separator: a kRuleRef,
//        a kLiteral or a kEmpty; its bounds can be satisfied, and it has at least one member
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
#include "grammar/argument_places.h"
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
  kNothing,   // matches no string: the class [] and expressions that need it
  kLiteral,   // a byte string
  kClass,     // one code point out of a set
  kRuleRef,   // one match of a rule
  kSequence,  // children one after another
  kChoice,    // matches one of the children
  kRepeat,    // the child, repeated min to max times
  kDispatch,  // free text watched for tags, each of which opens a rule
  kTokenSet,  // one token of a set of ids, whatever its bytes
  kMachine,   // a regular language, given by its machine on bytes
  kAnyOrder,  // members in any order, with separators between them
};

// Whether expressions of the kind have children.
constexpr bool has_children(ExprKind kind) {
  return kind == ExprKind::kSequence || kind == ExprKind::kChoice || kind == ExprKind::kRepeat ||
         kind == ExprKind::kDispatch || kind == ExprKind::kAnyOrder;
}

constexpr uint32_t kNoUpperBound = UINT32_MAX;

// A text that a dispatch watches for, and its span in the source.
struct WatchedText {
  std::string text;
  SourceSpan span;
};

// The texts that a dispatch watches for (docs/design/0005-tag-dispatch.md describes the effects).
struct Dispatch {
  std::vector<WatchedText> tags;        // tag i opens the rule of child i
  std::vector<WatchedText> stop_texts;  // end the dispatch
  std::vector<WatchedText> excludes;    // must not occur
  bool stop_eos = true;                 // whether the dispatch may end anywhere in free text
  bool loop_after_dispatch = true;      // whether free text continues after a tag's rule
};

std::vector<std::string_view> views(const std::vector<WatchedText>& texts);

// `first` and `count` index the table of the expression's kind (see Grammar's accessors).
struct Expr {
  ExprKind kind = ExprKind::kEmpty;
  SourceSpan span;
  uint32_t first = 0;
  uint32_t count = 0;
  uint32_t min =
      0;  // kRepeat: the bound; kDispatch, kTokenSet, kMachine, kAnyOrder: row of the kind's table
  uint32_t max = 0;  // kRepeat only; kNoUpperBound: no limit
};

struct Rule {
  std::string name;
  ExprId body;
  SourceSpan span;                  // the whole definition, name to end of body
  SourceSpan name_span;             // the name where it is defined
  std::optional<ExprId> lookahead;  // (= ...) as written: the author's promise of what follows
  std::shared_ptr<const RuleOptions> options;  // null: the rule has no options
};

// A part of a structural tag that a text needs only once it is there.
struct Content {
  RuleId rule;
  bool may_be_large = false;  // compiling it may exceed a limit
};

class Grammar {
 public:
  size_t n_rules() const { return rules_.size(); }
  size_t n_exprs() const { return exprs_.size(); }
  RuleId root() const { return root_; }
  const Rule& rule(RuleId id) const { return rules_[id.index()]; }
  const Expr& expr(ExprId id) const { return exprs_[id.index()]; }
  std::optional<RuleId> find_rule(std::string_view name) const;

  // kSequence, kChoice: all children. kRepeat: its child. kDispatch: the rule references of its
  // tags. kAnyOrder: its members, then the separator.
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
  // Warnings and hints of the front end and the passes; errors are thrown instead.
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  // The treatment of each keyword of the source, in the order of the text.
  const std::vector<KeywordUse>& keyword_uses() const {
    static const std::vector<KeywordUse> none;
    return keyword_uses_ ? *keyword_uses_ : none;
  }
  // Of a structural tag: the rules of what follows a tag's beginning, and of what a trigger opens,
  // if schemas are in it. A text needs them only once it is there (runtime/contents_on_demand.h).
  // None after a pass.
  std::span<const Content> contents() const { return contents_; }
  // Null unless the grammar was written out from a template in this process.
  const ArgumentPlaces* argument_places() const { return argument_places_.get(); }

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
  // this table and the next three are shared by copies of a grammar
  std::vector<std::shared_ptr<const Dispatch>> dispatch_table_;
  std::vector<std::shared_ptr<const TokenSet>> token_set_table_;
  std::vector<std::shared_ptr<const Machine>> machine_table_;
  std::vector<std::shared_ptr<const AnyOrderBounds>> any_order_table_;
  std::shared_ptr<const SourceText> source_ = std::make_shared<SourceText>();
  std::vector<Diagnostic> diagnostics_;
  std::shared_ptr<const std::vector<KeywordUse>> keyword_uses_;  // null: none
  std::shared_ptr<const ArgumentPlaces> argument_places_;        // null: none
  std::vector<Content> contents_;
  std::vector<RuleId> rules_by_name_;  // sorted by name
};

// Builds a Grammar bottom-up, simplifying trivial cases: sequences and choices of one child become
// that child, empty literals kEmpty, empty sets kNothing, e{1,1} becomes e, and e{0,0} kEmpty.
class GrammarBuilder {
 public:
  GrammarBuilder() = default;
  // Starts with the rules and expressions of `previous`, whose ids stay valid: for passes that
  // change little.
  explicit GrammarBuilder(Grammar previous);
  // Starts with the names, spans and options of the rules of `previous`, and its source and
  // diagnostics, without bodies and lookaheads: for passes that rebuild every body.
  static GrammarBuilder like(const Grammar& previous);

  RuleId add_rule(std::string name, SourceSpan name_span = {});  // a body must follow
  void set_body(RuleId rule, ExprId body, SourceSpan span = {});
  void set_lookahead(RuleId rule, std::optional<ExprId> lookahead);
  void set_options(RuleId rule, std::shared_ptr<const RuleOptions> options);
  // Copies the options of a rule of another grammar; `rules` maps that grammar's rules to rules of
  // this builder (index: the other grammar's RuleId).
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
  // `set.ids` and `set.names` may be in any order and contain duplicates.
  ExprId token_set(TokenSet set, SourceSpan span = {});
  // These tokens one after another, each as a set of its own.
  ExprId tokens(std::span<const TokenId> ids, SourceSpan span = {});
  // `children`: the members, as kRuleRef expressions, then the separator. Yields kEmpty if there
  // are no members or none may be matched; kNothing if the bounds can't be satisfied.
  ExprId any_order(AnyOrderBounds bounds, std::span<const ExprId> children, SourceSpan span = {});
  // Yields kNothing if the machine matches no string.
  ExprId machine(std::shared_ptr<const Machine> machine, SourceSpan span = {});
  // Copies an expression of another grammar with its spans; `rules` maps rule references (index:
  // the other grammar's RuleId). Shared nodes stay shared within one call. A reference to a rule
  // with one of `bodies` (same index; may be shorter) is replaced by that body, except for the
  // references of a kDispatch or kAnyOrder.
  ExprId copy(const Grammar& from, ExprId expr, std::span<const RuleId> rules,
              std::span<const std::optional<ExprId>> bodies = {});
  // Copies one node of another grammar, with `children` as its children.
  ExprId copy_node(const Grammar& from, ExprId expr, std::span<const ExprId> children,
                   std::span<const RuleId> rules);

  // The expression with `children` as its children, of which there must be as many; the expression
  // itself if these are its children already.
  ExprId with_children(ExprId expr, std::span<const ExprId> children);
  // A new copy of the expression with `children`, none of which may belong to another expression.
  ExprId again(ExprId expr, std::span<const ExprId> children);

  // Sets the span of every expression from `first` on: they were copied from a grammar with another
  // source.
  void set_spans(size_t first, SourceSpan span);
  size_t n_exprs() const { return grammar_.exprs_.size(); }

  // The grammar so far. References into it are valid until something is added.
  const Grammar& so_far() const { return grammar_; }
  const Expr& expr(ExprId id) const { return grammar_.exprs_[id.index()]; }
  std::span<const ExprId> children(ExprId id) const { return grammar_.children(id); }
  // Moves the spans of the expressions from `first` on, of their dispatches' watched texts and of
  // their tokens' names, after a copy from a grammar with another source.
  void map_spans(size_t first, const std::function<SourceSpan(SourceSpan)>& place);

  void set_source(std::shared_ptr<const SourceText> source);
  void add_diagnostic(Diagnostic diagnostic);
  void set_keyword_uses(std::vector<KeywordUse> uses);
  void set_argument_places(ArgumentPlaces places);
  void set_contents(std::vector<Content> contents) { grammar_.contents_ = std::move(contents); }

  Grammar build(RuleId root) &&;

 private:
  ExprId add(Expr expr);
  ExprId add_with_children(Expr expr, std::span<const ExprId> children);
  // Moves the spans of the names in a kTokenSet.
  void place_token_names(const Expr& e, const std::function<SourceSpan(SourceSpan)>& place);
  // normalized, not empty
  ExprId add_class(std::span<const CodePointRange> ranges, SourceSpan span);
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
  std::vector<Copy> copies_;  // index: the other grammar's ExprId; of the latest call of copy()
  uint32_t copy_number_ = 0;
};

// The grammar with its diagnostics replaced.
Grammar with_diagnostics(Grammar grammar, std::vector<Diagnostic> diagnostics);

// The grammar with only the rules `kept` (index: RuleId; the root must be kept) and the expressions
// that these use. No kept rule's body may refer to a dropped rule; an option `parts` that names a
// dropped rule is removed.
Grammar with_rules(Grammar grammar, const std::vector<bool>& kept);

// The rule whose definition contains this offset of the source: the rule that an inlined node came
// from.
std::optional<RuleId> rule_at(const Grammar& grammar, uint32_t offset);

// Whether the grammar has an expression of the kind.
bool has_kind(const Grammar& grammar, ExprKind kind);

// Whether some set of tokens names tokens by their texts.
bool has_token_names(const Grammar& grammar);

// Whether the kind's children must stay rule references (and a separator) instead of being inlined.
bool keeps_references(ExprKind kind);

// Whether a machine is so large that determinizing and minimizing it again with its surroundings
// should be avoided.
bool is_large_machine(const Grammar& grammar, ExprId id);

// Whether the name is valid in EBNF: name characters, and after the first one also '-' and '.'.
bool is_rule_name(std::string_view name);

// EBNF text that parses back to the same grammar.
std::string print_ebnf(const Grammar& grammar);
// One expression as EBNF text.
std::string print_ebnf(const Grammar& grammar, ExprId expr);

}  // namespace xg2lab
