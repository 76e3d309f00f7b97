// The parser of the dialect: a stack of open groups, fed one lexeme at a time. Read: Parser::parse,
// find_rules, parse_rule, read_element; then the stack (open_group, close_group, end_alternative);
// then the reports of mistakes. The trick: parsed expressions are kept on two shared stacks
// (elements, alternatives), and an open group only records where its own entries begin. So nesting
// needs no recursion and a group no allocation.
#include "frontends/ebnf/parser.h"

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontends/ebnf/advice.h"
#include "frontends/ebnf/lexeme_values.h"
#include "frontends/ebnf/lexer.h"
#include "frontends/ebnf/macros.h"
#include "frontends/ebnf/rule_options.h"
#include "support/budget.h"
#include "support/findings.h"
#include "support/nesting.h"
#include "support/suggest.h"
#include "support/text.h"
#include "support/utf8.h"

namespace xg2lab {
namespace ebnf {
namespace {

constexpr size_t kComparedNames = 10000;  // for "did you mean"
constexpr size_t kSuggestions = 20;

// A parsed part, waiting to become a child.
struct Part {
  ExprId id;
  SourceSpan span;   // with the surrounding parentheses, if any
  size_t depth = 1;  // of groups and repetitions
};

// An open "(" or "(=", or the body of a rule.
struct Group {
  SourceSpan opening;
  size_t first_element;
  size_t first_alternative;
  uint32_t end_of_last;  // end of the lexeme before the current alternative
};

// An open If( of a template.
struct OpenIf {
  Slot slot;
  SourceSpan name;
  size_t n_groups;  // open groups, with its branch
  std::vector<Part> branches;
};

const char* name_of(LexemeKind kind) {
  switch (kind) {
    case LexemeKind::kName: return "name";
    case LexemeKind::kDefine: return "define";
    case LexemeKind::kLiteral: return "literal";
    case LexemeKind::kClass: return "class";
    case LexemeKind::kOptions: return "options";
    case LexemeKind::kRepeat: return "repeat";
    case LexemeKind::kOpen:
    case LexemeKind::kOpenLookahead: return "open";
    case LexemeKind::kClose: return "close";
    case LexemeKind::kBar: return "bar";
    case LexemeKind::kToken: return "token";
    case LexemeKind::kSlot: return "slot";
    case LexemeKind::kEnd: return "end";
    case LexemeKind::kUnterminatedLiteral:
    case LexemeKind::kUnterminatedClass:
    case LexemeKind::kUnterminatedBounds: return "unterminated";
    case LexemeKind::kAlmostDefine:
    case LexemeKind::kUnknown: break;
  }
  return "unknown";
}

// What a text is called in messages.
const char* source_name(Dialect dialect) {
  return dialect == Dialect::kTemplate ? "template" : "grammar";
}

class Parser {
 public:
  Parser(std::string text, const EbnfLimits& limits, Dialect dialect = Dialect::kGrammar)
      : source_(std::make_shared<const SourceText>(std::move(text), source_name(dialect))),
        text_(source_->text()),
        limits_(limits),
        dialect_(dialect),
        most_nesting_(bounded_nesting(limits.nesting)),
        findings_(limits.n_errors) {}

  Grammar parse(std::string_view root_rule_name) {
    read_rules();
    const auto root = check_names(root_rule_name);
    if (!findings_.is_empty()) std::move(findings_).raise(*source_);
    builder_.set_source(source_);
    n_rules_ = builder_.n_rules();
    return std::move(builder_).build(*root);
  }

  // Mistakes are not reported.
  Outline outline() {
    Outline outline;
    outline_ = &outline;
    read_rules();
    outline_ = nullptr;
    for (const Lexeme& lexeme : lexemes_) {
      if (lexeme.kind != LexemeKind::kEnd)
        outline.lexemes.push_back({name_of(lexeme.kind), lexeme.span});
    }
    return outline;
  }

  Template parse_template(std::string_view root_rule_name) {
    Grammar grammar = parse(root_rule_name);
    holes_.resize(n_rules_);
    return {std::move(grammar), std::move(holes_), std::move(literals_)};
  }

 private:
  // ---- Lexemes ----

  const Lexeme& here(size_t n_ahead = 0) const { return lexemes_[at_ + n_ahead]; }
  std::string_view words(SourceSpan span) const {
    return text_.substr(span.begin, span.end - span.begin);
  }
  std::string_view words() const { return words(here().span); }
  uint32_t end_of_previous() const { return at_ == 0 ? 0 : lexemes_[at_ - 1].span.end; }

  // `name ::=`, or `name[options] ::=`.
  bool is_rule_at(size_t at) const {
    if (lexemes_[at].kind != LexemeKind::kName) return false;
    return lexemes_[at + 1].kind == LexemeKind::kDefine || has_options_at(at);
  }
  bool has_options_at(size_t at) const {
    const LexemeKind kind = lexemes_[at + 1].kind;
    return (kind == LexemeKind::kOptions || kind == LexemeKind::kClass) &&
           lexemes_[at + 2].kind == LexemeKind::kDefine &&
           lexemes_[at].span.end == lexemes_[at + 1].span.begin;
  }
  bool is_at_end_of_rule() const { return here().kind == LexemeKind::kEnd || is_rule_at(at_); }

  // ---- Rules ----

  void read_rules() {
    lexemes_ = read_lexemes(text_, dialect_);
    find_rules();
    skip_to_first_rule();
    while (here().kind != LexemeKind::kEnd && !findings_.is_full()) {
      count_work("reading rules");
      const SourceSpan name = here().span;
      parse_rule();
      if (outline_ != nullptr) outline_->rules.push_back({name, {name.begin, end_of_previous()}});
    }
  }

  void mention(MentionKind kind, SourceSpan span) {
    if (outline_ != nullptr) outline_->mentions.push_back({kind, span});
  }

  void find_rules() {
    for (size_t at = 0; lexemes_[at].kind != LexemeKind::kEnd; ++at) {
      if (!is_rule_at(at)) continue;
      const SourceSpan span = lexemes_[at].span;
      const auto [known, is_new] = rules_.emplace(words(span), RuleId(rules_.size()));
      if (is_new) {
        builder_.add_rule(std::string(words(span)), span);
        first_places_.push_back(span);
      }
      if (rules_.size() > limits_.n_rules) {
        throw Error(ErrorKind::kLimitError,
                    concat("the grammar has more than ", limits_.n_rules, " rules"));
      }
    }
  }

  // Text before the first rule is a mistake, which is reported once.
  void skip_to_first_rule() {
    if (is_at_end_of_rule()) return;
    stray_before_rules_ = true;
    const bool is_name = here().kind == LexemeKind::kName;
    const std::string name(is_name ? words() : "name");
    if (is_name) miswritten_.emplace(words(), here().span);
    if (is_name) ++at_;
    std::string found = here().kind == LexemeKind::kEnd ? "the end" : quoted(words());
    findings_.report("expected_token",
                     is_name ? "expected `::=` after " + quoted(name) + ", found " + found
                             : "expected a rule, found " + found,
                     here().span, "a rule is written " + name + " ::= ...");
    while (!is_at_end_of_rule()) ++at_;
  }

  void parse_rule() {
    const SourceSpan name_span = here().span;
    const RuleId rule = rules_.at(words());
    mention(MentionKind::kDefinition, name_span);
    const auto options = read_head(name_span, rule);
    has_unterminated_ = is_too_deep_ = false;
    const ExprId body = parse_choice(name_span, true).id;
    std::optional<ExprId> lookahead;
    if (here().kind == LexemeKind::kOpenLookahead) {
      const SourceSpan opening = here().span;
      ++at_;
      lookahead = parse_choice(opening, false).id;
    }
    while (!is_at_end_of_rule()) skip_after_rule();
    if (first_places_[rule.index()] != name_span) return;  // a duplicate, already reported
    builder_.set_body(rule, body, {name_span.begin, end_of_previous()});
    builder_.set_lookahead(rule, lookahead);
    builder_.set_options(rule, options);
  }

  // Reads `name[options] ::=` and reports mistakes in it.
  std::shared_ptr<const RuleOptions> read_head(SourceSpan name_span, RuleId rule) {
    const SourceSpan first = first_places_[rule.index()];
    if (first != name_span) {
      const SourcePosition place = source_->position(first.begin);
      findings_.report("duplicate_rule", "rule " + quoted(words()) + " is defined twice", name_span,
                       concat("the first definition is at line ", place.line, ", column ",
                              place.column, "; join the two with |, or rename one"));
    }
    std::shared_ptr<const RuleOptions> options;
    if (has_options_at(at_)) {
      options = read_rule_options(text_, here(1).span, words(), findings_);
      ++at_;
      if (options->parts) {
        const SourceSpan option = options->span(OptionKind::kParts);  // parts=name
        const auto n_bytes = static_cast<uint32_t>(options->parts->size());
        const SourceSpan name{option.end - n_bytes, option.end};
        mention(MentionKind::kReference, name);
        if (!rules_.contains(*options->parts)) undefined_.push_back(name);
      }
    }
    at_ += 2;
    return options;
  }

  // After a lookahead only the next rule may follow.
  void skip_after_rule() {
    findings_.report("expected_token", "expected the next rule, found " + quoted(words()),
                     here().span, "a lookahead (= ...) must be at the end of its rule");
    while (!is_at_end_of_rule()) ++at_;
  }

  // ---- Expressions ----

  // Parses a choice with all groups in it: a body up to the end of its rule, or a lookahead up to
  // its ")".
  Part parse_choice(SourceSpan opening, bool is_body) {
    groups_.clear();
    elements_.clear();
    alternatives_.clear();
    open_ifs_.clear();
    groups_.push_back({opening, 0, 0, end_of_previous()});
    while (true) {
      if (is_at_end_of_rule() || findings_.is_full()) {
        if (!is_body || groups_.size() > 1) report_unclosed(is_body ? 1 : 0);
        while (groups_.size() > 1) close_group(end_of_previous());
        return finish_choice();
      }
      switch (here().kind) {
        case LexemeKind::kBar: end_alternative(); break;
        case LexemeKind::kOpen: open_group(); break;
        case LexemeKind::kOpenLookahead:
          if (is_body && groups_.size() == 1) return finish_choice();
          report_misplaced_lookahead();
          open_group();
          break;
        case LexemeKind::kClose:
          if (is_in_if()) {
            close_if();
          } else if (groups_.size() > 1) {
            close_group(here().span.end);
          } else if (!is_body) {
            ++at_;
            return finish_choice();
          } else {
            report_unexpected();
          }
          break;
        case LexemeKind::kRepeat: repeat_last(); break;
        default:
          if (is_in_if() && words() == ",") end_branch();
          else read_element();
          break;
      }
      ++at_;
    }
  }

  void read_element() {
    const Lexeme& lexeme = here();
    switch (lexeme.kind) {
      case LexemeKind::kLiteral: push(literal(lexeme)); break;
      case LexemeKind::kClass:
        report_misplaced_options();
        push(builder_.char_class(read_class(text_, lexeme, findings_), lexeme.span));
        break;
      case LexemeKind::kName: read_name(); break;
      case LexemeKind::kToken: {
        const auto set = read_token(text_, lexeme, findings_);
        push(set ? builder_.token_set(*set, lexeme.span) : builder_.empty(lexeme.span));
        break;
      }
      case LexemeKind::kSlot: push_text_hole(lexeme.span); break;
      default: report_unexpected(); break;
    }
  }

  ExprId literal(const Lexeme& lexeme) {
    const ExprId made = builder_.literal(read_literal(text_, lexeme, findings_), lexeme.span);
    if (builder_.expr(made).kind == ExprKind::kLiteral) literals_.push_back(made);
    return made;
  }

  // Reports a class directly behind a name or a parenthesis that reads like options. An author who
  // does want a class of these characters can write them in another order.
  void report_misplaced_options() {
    const bool is_attached = at_ > 0 && lexemes_[at_ - 1].span.end == here().span.begin;
    if (!is_attached || !looks_like_options(words())) return;
    findings_.report("misplaced_option", "options " + quoted(words()) + " belong to no rule",
                     here().span,
                     concat("write options where the rule is defined: name", words(),
                            " ::= ...; give this part a rule of its own"));
  }

  void read_name() {
    const SourceSpan span = here().span;
    if (here(1).kind == LexemeKind::kOpen && is_macro(words())) {
      mention(MentionKind::kMacro, span);
      return read_macro(words());
    }
    if (here(1).kind == LexemeKind::kOpen && dialect_ == Dialect::kTemplate && read_hole()) return;
    mention(MentionKind::kReference, span);
    const auto known = rules_.find(words());
    if (known != rules_.end()) return push(builder_.rule_ref(known->second, span));
    if (here(1).kind == LexemeKind::kOpen && here(1).span.begin == span.end) {
      if (const auto meant = macro_like(words())) {
        findings_.report("unknown_macro", "there is no macro " + quoted(words()), span,
                         "did you mean " + quoted(*meant) + "?");
        return read_macro(*meant);  // the arguments may contain mistakes, too
      }
    }
    // `name = ...` is most likely a rule in another notation, so a single report suffices.
    if (here(1).kind == LexemeKind::kAlmostDefine) miswritten_.emplace(words(), span);
    undefined_.push_back(span);
    push(builder_.empty(span));
  }

  // The lexeme behind the rule that is being read. It is looked for once for each rule, since a
  // rule may have thousands of macros.
  size_t end_of_rule() {
    if (end_of_rule_ <= at_) {
      end_of_rule_ = at_ + 1;
      while (lexemes_[end_of_rule_].kind != LexemeKind::kEnd && !is_rule_at(end_of_rule_))
        ++end_of_rule_;
    }
    return end_of_rule_;
  }

  // Parses the call of a macro, up to its `)`, which the caller skips.
  void read_macro(std::string_view name) {
    const MacroCall call = read_macro_call(text_, lexemes_, at_, end_of_rule(), findings_);
    MacroContext context{builder_, findings_, *source_, [this](SourceSpan rule) {
                           mention(MentionKind::kReference, rule);
                           const auto known = rules_.find(words(rule));
                           if (known != rules_.end()) return std::optional(known->second);
                           undefined_.push_back(rule);
                           return std::optional<RuleId>();
                         }};
    const ExprId made = make_macro(call, name, context);
    elements_.push_back({made, call.span, 1});
  }

  void push(ExprId id) { elements_.push_back({id, here().span, 1}); }

  void repeat_last() {
    const Lexeme& lexeme = here();
    if (elements_.size() == groups_.back().first_element) {
      findings_.report(
          "expected_expression", quoted(words()) + " repeats nothing", lexeme.span,
          concat("put what is repeated before it, or write the character as a literal: \"",
                 words().substr(0, 1), "\""));
      return;
    }
    if (dialect_ == Dialect::kTemplate && words().find('$') != std::string_view::npos)
      return repeat_by_slots();
    const auto bounds = read_bounds(text_, lexeme, findings_);
    if (!bounds) return;
    Part& part = elements_.back();
    part.span.end = lexeme.span.end;
    part.id = builder_.repeat(part.id, bounds->min, bounds->max, part.span);
    if (++part.depth > most_nesting_ + 1) refuse_nesting();
  }

  // ---- Holes of a template: each becomes a rule of its own ----

  Slot slot_at(SourceSpan span) {
    mention(MentionKind::kSlot, span);
    const bool is_of_request = words(span).starts_with("$$");
    return {std::string(words(span).substr(is_of_request ? 2 : 1)), is_of_request, span};
  }

  RuleId add_inner_rule() { return builder_.add_rule(concat("$", builder_.n_rules())); }

  RuleId rule_of(const Part& part) {
    const RuleId rule = add_inner_rule();
    builder_.set_body(rule, part.id, part.span);
    return rule;
  }

  // Pushes a reference to a new rule for the hole.
  void push_hole(Hole hole, size_t depth) {
    const SourceSpan span = hole.span;
    const RuleId rule = add_inner_rule();
    children_.clear();
    for (RuleId part : hole.rules) children_.push_back(builder_.rule_ref(part, span));
    builder_.set_body(rule, builder_.sequence(children_, span), span);
    holes_.resize(builder_.n_rules());
    holes_.back() = std::move(hole);
    elements_.push_back({builder_.rule_ref(rule, span), span, depth});
  }

  void push_text_hole(SourceSpan span) {
    Hole hole;
    hole.span = span;
    hole.slot = slot_at(span);
    push_hole(std::move(hole), 1);
  }

  // Reads the hole whose name is here, up to its last lexeme. False: it is none.
  bool read_hole() {
    if (words() == "OneOf") read_call(HoleKind::kOneOf, "OneOf($xs)");
    else if (words() == "Use") read_call(HoleKind::kUse, "Use($g)");
    else if (words() == "Each") read_call(HoleKind::kEach, "Each($xs, rule, \",\")");
    else if (words() == "If") open_if();
    else return false;
    return true;
  }

  // OneOf, Use, Each: arguments between commas, of which the first is a slot.
  void read_call(HoleKind kind, const char* example) {
    const SourceSpan name = here().span;
    Hole hole;
    hole.kind = kind;
    std::vector<Lexeme> arguments;
    bool is_well_formed = true;
    size_t n_read = 0;  // arguments and commas
    for (at_ += 2; !is_at_end_of_rule() && here().kind != LexemeKind::kClose; ++at_) {
      const bool is_comma = words() == ",";
      is_well_formed = is_well_formed && is_comma == (n_read % 2 == 1);
      ++n_read;
      if (!is_comma) arguments.push_back(here());
    }
    is_well_formed = is_well_formed && n_read % 2 == 1;
    if (is_at_end_of_rule()) --at_;  // unclosed
    hole.span = {name.begin, here().span.end};
    const size_t n_most = hole.kind == HoleKind::kEach ? 3 : 1;
    const size_t n_least = hole.kind == HoleKind::kEach ? 2 : 1;
    is_well_formed = is_well_formed && here().kind == LexemeKind::kClose &&
                     arguments.size() >= n_least && arguments.size() <= n_most &&
                     arguments[0].kind == LexemeKind::kSlot &&
                     (n_most == 1 || arguments[1].kind == LexemeKind::kName);
    if (!is_well_formed) return report_bad_hole(hole.span, example);
    mention(MentionKind::kMacro, name);
    hole.slot = slot_at(arguments[0].span);
    if (arguments.size() > 1 && !add_named_rule(hole, arguments[1].span)) return;
    if (arguments.size() > 2 && !add_separator(hole, arguments[2], example)) return;
    push_hole(std::move(hole), 1);
  }

  bool add_named_rule(Hole& hole, SourceSpan name) {
    mention(MentionKind::kReference, name);
    const auto known = rules_.find(words(name));
    if (known == rules_.end()) {
      undefined_.push_back(name);
      elements_.push_back({builder_.empty(hole.span), hole.span, 1});
      return false;
    }
    hole.rules.push_back(known->second);
    return true;
  }

  bool add_separator(Hole& hole, const Lexeme& lexeme, const char* example) {
    if (lexeme.kind == LexemeKind::kName) return add_named_rule(hole, lexeme.span);
    if (lexeme.kind != LexemeKind::kLiteral) {
      report_bad_hole(hole.span, example);
      return false;
    }
    hole.rules.push_back(rule_of({literal(lexeme), lexeme.span, 1}));
    return true;
  }

  void report_bad_hole(SourceSpan span, const char* example) {
    findings_.report("bad_hole", quoted(words(span)) + " is not " + example, span,
                     concat("write ", example));
    elements_.push_back({builder_.empty(span), span, 1});
  }

  // e{$n}, e{$lo,$hi}: e becomes a rule.
  void repeat_by_slots() {
    const SourceSpan written = here().span;
    Part part = elements_.back();
    elements_.pop_back();
    const std::string_view inside = words(written).substr(1, words(written).size() - 2);
    const size_t comma = inside.find(',');
    const auto begin = written.begin + 1;
    const auto end = written.end - 1;
    const auto middle =
        comma == std::string_view::npos ? end : begin + static_cast<uint32_t>(comma);
    const auto min = bound_at({begin, middle}, 0);
    const auto max =
        comma == std::string_view::npos ? min : bound_at({middle + 1, end}, kNoUpperBound);
    if (!min || !max)
      return report_bad_hole(written, "a repetition {$n}, {$lo,}, {,$hi} or {$lo,$hi}");
    Hole hole;
    hole.kind = HoleKind::kRepeat;
    hole.span = {part.span.begin, written.end};
    hole.min = *min;
    hole.max = *max;
    hole.rules.push_back(rule_of(part));
    push_hole(std::move(hole), part.depth + 1);
    if (part.depth + 1 > most_nesting_ + 1) refuse_nesting();
  }

  // A number or a slot between blanks; `otherwise` if there is neither. Nothing: a mistake.
  std::optional<HoleBound> bound_at(SourceSpan span, uint32_t otherwise) {
    while (span.begin < span.end && text_[span.begin] == ' ') ++span.begin;
    while (span.begin < span.end && text_[span.end - 1] == ' ') --span.end;
    if (span.empty()) return HoleBound{otherwise, {}};
    const auto lexemes = read_lexemes(words(span), dialect_);
    const bool is_whole = lexemes[0].span == SourceSpan{0, span.end - span.begin};
    if (is_whole && lexemes[0].kind == LexemeKind::kSlot) return HoleBound{0, slot_at(span)};
    constexpr size_t kMostDigits = 9;
    const bool is_number = words(span).find_first_not_of("0123456789") == std::string_view::npos &&
                           span.end - span.begin <= kMostDigits;
    if (!is_number) return std::nullopt;
    return HoleBound{static_cast<uint32_t>(std::stoul(std::string(words(span)))), {}};
  }

  // An If is a group whose alternatives end at commas, too.
  bool is_in_if() const {
    return !open_ifs_.empty() && open_ifs_.back().n_groups == groups_.size();
  }

  void open_if() {
    const SourceSpan name = here().span;
    const bool is_begun = here(2).kind == LexemeKind::kSlot && lexemes_.size() > at_ + 3 &&
                          words(here(3).span) == ",";
    if (!is_begun) {
      report_bad_hole(name, "If($b, e, f)");
      return;
    }
    mention(MentionKind::kMacro, name);
    const Slot slot = slot_at(here(2).span);
    at_ += 3;  // the comma, which the caller skips
    if (groups_.size() > most_nesting_) refuse_nesting();
    open_branch(name);
    open_ifs_.push_back({slot, name, groups_.size(), {}});
  }

  void open_branch(SourceSpan opening) {
    groups_.push_back({opening, elements_.size(), alternatives_.size(), here().span.end});
  }

  void end_branch() {
    const SourceSpan opening = groups_.back().opening;
    open_ifs_.back().branches.push_back(finish_choice());
    open_branch(opening);
  }

  void close_if() {
    OpenIf of = std::move(open_ifs_.back());
    open_ifs_.pop_back();
    of.branches.push_back(finish_choice());
    Hole hole;
    hole.kind = HoleKind::kIf;
    hole.span = {of.name.begin, here().span.end};
    hole.slot = of.slot;
    if (of.branches.size() != 2) return report_bad_hole(hole.span, "If($b, e, f)");
    size_t depth = 1;
    for (const Part& branch : of.branches) {
      depth = std::max(depth, branch.depth + 1);
      hole.rules.push_back(rule_of(branch));
    }
    if (depth > most_nesting_ + 1) refuse_nesting();
    push_hole(std::move(hole), depth);
  }

  // ---- The stack of open groups ----

  void open_group() {
    if (groups_.size() > most_nesting_) refuse_nesting();
    groups_.push_back({here().span, elements_.size(), alternatives_.size(), here().span.end});
  }

  // Makes a sequence of the elements since the last bar.
  void end_alternative() {
    Group& group = groups_.back();
    Part part{ExprId(), {group.end_of_last, group.end_of_last}, 0};
    children_.clear();
    for (size_t i = group.first_element; i < elements_.size(); ++i) {
      children_.push_back(elements_[i].id);
      part.depth = std::max(part.depth, elements_[i].depth);
    }
    if (!children_.empty()) {
      part.span = {elements_[group.first_element].span.begin, elements_.back().span.end};
    }
    part.id = builder_.sequence(children_, part.span);
    elements_.resize(group.first_element);
    alternatives_.push_back(part);
    group.end_of_last = here().span.end;
  }

  // Finishes the innermost group's choice and pops the group.
  Part finish_choice() {
    end_alternative();
    const size_t first = groups_.back().first_alternative;
    Part choice{ExprId(), {alternatives_[first].span.begin, alternatives_.back().span.end}, 0};
    children_.clear();
    for (size_t i = first; i < alternatives_.size(); ++i) {
      children_.push_back(alternatives_[i].id);
      choice.depth = std::max(choice.depth, alternatives_[i].depth);
    }
    choice.id = builder_.choice(children_, choice.span);
    alternatives_.resize(first);
    groups_.pop_back();
    return choice;
  }

  void close_group(uint32_t end) {
    const uint32_t begin = groups_.back().opening.begin;
    Part part = finish_choice();
    part.span = {begin, end};
    if (++part.depth > most_nesting_ + 1) refuse_nesting();
    elements_.push_back(part);
  }

  // ---- Mistakes ----

  // Reports once for each rule. Parsing may continue, since the parser doesn't recurse; the result
  // is discarded.
  void refuse_nesting() {
    if (is_too_deep_) return;
    is_too_deep_ = true;
    findings_.report(
        "nesting_too_deep",
        concat("groups and repetitions are nested deeper than ", most_nesting_, " levels"),
        here().span, "give the inner part a rule of its own");
  }

  // Reports the groups on the stack from `first` on.
  void report_unclosed(size_t first) {
    if (has_unterminated_ || is_too_deep_)
      return;  // the unclosed literal contains the missing parentheses
    for (size_t i = first; i < groups_.size(); ++i) {
      findings_.report("unterminated_group", quoted(words(groups_[i].opening)) + " is not closed",
                       groups_[i].opening, "add )");
    }
  }

  void report_misplaced_lookahead() {
    findings_.report("syntax", "a lookahead (= ...) is not allowed inside an expression",
                     here().span, "put it at the end of the rule, after all alternatives");
  }

  void report_unexpected() {
    const Lexeme& lexeme = here();
    const auto report = [&](const char* code, std::string message, std::string hint) {
      findings_.report(code, std::move(message), lexeme.span, std::move(hint));
    };
    switch (lexeme.kind) {
      case LexemeKind::kUnterminatedLiteral:
        has_unterminated_ = true;
        return report("unterminated_literal", "literal is not closed in its line",
                      concat("add ", words().substr(0, 1), "; a line break in it is \\n"));
      case LexemeKind::kUnterminatedClass:
        has_unterminated_ = true;
        return report("unterminated_class", "class is not closed in its line",
                      "add ]; a line break in it is \\n, a bracket \\]");
      case LexemeKind::kUnterminatedBounds:
        return report("bad_repetition",
                      quoted(words()) + " is not closed: a repetition is {n}, {n,}, {,m} or {n,m}",
                      "write for example {2,5}; a brace as text is \"{\"");
      case LexemeKind::kClose:
        return report("syntax", "`)` closes nothing", "remove it, or add ( before");
      case LexemeKind::kDefine:
        return report("expected_token", "`::=` has no rule's name before it",
                      "a rule is written name ::= ...");
      default: break;
    }
    const Lexeme* previous = at_ > 0 ? &lexemes_[at_ - 1] : nullptr;
    const bool is_run = previous != nullptr && previous->kind == lexeme.kind &&
                        previous->span.end == lexeme.span.begin;
    if (is_run) return;  // reported with the run's first character
    report("syntax", "unexpected " + quoted(words()),
           advice_on(text_.substr(lexeme.span.begin, 8)));
  }

  // ---- Names ----

  // The root, once all rules are parsed. Nothing if it is missing, which is reported.
  std::optional<RuleId> check_names(std::string_view root_rule_name) {
    if (stray_before_rules_ && rules_.empty()) return std::nullopt;  // a single report suffices
    if (rules_.empty()) {
      findings_.report("empty_grammar", "the grammar has no rules", {0, 0},
                       concat("write for example ", root_rule_name, " ::= \"yes\" | \"no\""));
      return std::nullopt;
    }
    std::vector<std::string_view> names;
    for (size_t i = 0; i < first_places_.size() && i < kComparedNames; ++i) {
      names.push_back(words(first_places_[i]));
    }
    size_t n_suggestions = 0;
    std::unordered_map<std::string_view, std::string> hints;
    for (const SourceSpan& span : undefined_) {
      const std::string name(words(span));
      if (miswritten_.count(name) > 0) continue;
      std::string& hint = hints[words(span)];
      if (hint.empty()) {
        const auto near =
            ++n_suggestions <= kSuggestions ? closest_name(name, names) : std::nullopt;
        hint = near ? "did you mean " + quoted(*near) + "?" : "define it: " + name + " ::= ...";
      }
      findings_.report("undefined_rule", "rule " + quoted(name) + " is not defined", span, hint);
    }
    const auto root = rules_.find(root_rule_name);
    if (root != rules_.end()) return root->second;
    if (!stray_before_rules_ && !findings_.has_syntax_error()) {
      report_missing_root(root_rule_name, names);
    }
    return std::nullopt;
  }

  void report_missing_root(std::string_view wanted, const std::vector<std::string_view>& names) {
    constexpr size_t kListed = 8;
    std::string hint;
    if (const auto near = closest_name(wanted, names)) {
      hint = "did you mean " + quoted(*near) + "?";
    } else {
      hint = names.size() == 1 ? "the only rule is " : "the rules are ";
      hint += join_first(kListed, names, ", ", quoted);
    }
    hint += "; name another root with root_rule_name";
    findings_.report("missing_root", "the root rule " + quoted(wanted) + " is not defined", {0, 0},
                     hint);
  }

  std::shared_ptr<const SourceText> source_;
  std::string_view text_;
  const EbnfLimits& limits_;
  const Dialect dialect_;
  const size_t most_nesting_;
  Findings findings_;
  std::vector<Lexeme> lexemes_;
  size_t at_ = 0;
  size_t end_of_rule_ = 0;  // see end_of_rule()

  GrammarBuilder builder_;
  std::unordered_map<std::string_view, RuleId> rules_;
  std::vector<SourceSpan> first_places_;  // index: RuleId
  std::vector<SourceSpan> undefined_;     // references without a rule
  std::unordered_map<std::string_view, SourceSpan> miswritten_;
  bool stray_before_rules_ = false;
  bool has_unterminated_ = false;  // this rule has an unclosed literal or class
  bool is_too_deep_ = false;       // this rule exceeds the nesting limit

  std::vector<Group> groups_;
  std::vector<Part> elements_;
  std::vector<Part> alternatives_;
  std::vector<ExprId> children_;
  std::vector<OpenIf> open_ifs_;
  std::vector<std::optional<Hole>> holes_;  // index: RuleId; may be shorter
  std::vector<ExprId> literals_;            // but for separators of AnyOrder
  size_t n_rules_ = 0;                      // of the grammar that was built
  Outline* outline_ = nullptr;              // null: none is wanted
};

void check_text(const std::string& text, const EbnfLimits& limits, Dialect dialect) {
  if (text.size() > limits.n_bytes) {
    throw Error(ErrorKind::kLimitError,
                concat("the ", source_name(dialect), "'s text has ", text.size(),
                       " bytes; the limit is ", limits.n_bytes),
                "split it into several grammars");
  }
  const auto invalid = find_invalid_utf8(text);
  if (!invalid) return;
  constexpr const char* kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(text[*invalid]);
  const auto at = static_cast<uint32_t>(*invalid);
  Findings findings(1);
  std::string message = "byte ";
  message += std::to_string(at);
  message += " (0x";
  message += kDigits[byte >> 4];
  message += kDigits[byte & 15];
  message += ") is not valid UTF-8";
  findings.report("invalid_utf8", message, {at, at + 1},
                  "save the text as UTF-8; a code point can also be written \\xHH");
  std::move(findings).raise(SourceText(text, source_name(dialect)));
}

}  // namespace
}  // namespace ebnf

Grammar parse_ebnf(std::string text, std::string_view root_rule_name, const EbnfLimits& limits) {
  ebnf::check_text(text, limits, ebnf::Dialect::kGrammar);
  return ebnf::Parser(std::move(text), limits).parse(root_rule_name);
}

Template parse_template(std::string text, std::string_view root_rule_name,
                        const EbnfLimits& limits) {
  ebnf::check_text(text, limits, ebnf::Dialect::kTemplate);
  return ebnf::Parser(std::move(text), limits, ebnf::Dialect::kTemplate)
      .parse_template(root_rule_name);
}

Outline outline_ebnf(std::string text, bool has_slots) {
  const auto dialect = has_slots ? ebnf::Dialect::kTemplate : ebnf::Dialect::kGrammar;
  EbnfLimits limits;
  limits.n_errors = SIZE_MAX;  // a mistake must not end the outline
  ebnf::check_text(text, limits, dialect);
  return ebnf::Parser(std::move(text), limits, dialect).outline();
}

std::shared_ptr<const Machine> read_machine(const std::string& words) {
  const Grammar grammar = parse_ebnf("root ::= " + words, "root");
  const ExprId body = grammar.rule(grammar.root()).body;
  if (grammar.n_rules() != 1 || grammar.expr(body).kind != ExprKind::kMachine) {
    throw Error(ErrorKind::kGrammarError, "the text of a machine does not describe a machine");
  }
  return grammar.shared_machine(body);
}

}  // namespace xg2lab
