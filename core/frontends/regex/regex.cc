// Read: add_regex, then Writer: expression (without lookarounds), in_json (parts small enough for a
// machine).
#include "frontends/regex/regex.h"

#include <algorithm>
#include <string>
#include <utility>

#include "languages/regex/rewrite.h"
#include "support/literal.h"
#include "support/utf8.h"

namespace xg2lab::regex {
namespace {

// The largest part that becomes a single machine when written as JSON; larger parts are composed.
constexpr size_t kMostInOneMachine = 400;
constexpr uint32_t kMostWrittenOut = 32;
constexpr LanguageLimits kSmall{{2'000, 200'000}, 2'000, 200'000};

std::string flag_words(Flags flags) {
  std::string words;
  if (flags.ignore_case) words += 'i';
  if (flags.multi_line) words += 'm';
  if (flags.dot_all) words += 's';
  return words;
}

// The macro call that denotes the pattern.
std::string macro_words(std::string_view pattern, const Options& options) {
  std::string words = "Regex(" + print_literal(pattern);
  const std::string flags = flag_words(options.flags);
  if (!flags.empty()) words += ", flags=\"" + flags + "\"";
  if (options.match == Match::kSearch) words += ", search=true";
  if (options.spelling == Spelling::kJsonString) words += ", json_string=true";
  if (options.spelling == Spelling::kJsonName) words += ", json_name=true";
  return words + ")";
}

class Writer {
 public:
  Writer(GrammarBuilder& builder, Ast& ast, Spelling spelling, const SpanInSource& in_source)
      : builder_(builder), ast_(ast), spelling_(spelling), in_source_(in_source) {}

  // A node without lookarounds, as expressions.
  ExprId expression(NodeId id) {
    const Node node = ast_[id];  // a copy: nodes are added
    const SourceSpan span = in_source_(node.span);
    switch (node.kind) {
      case NodeKind::kClass: return character(id);
      case NodeKind::kSequence:
        if (spelling_ == Spelling::kUtf8) return sequence(id);
        return builder_.sequence(parts(node), span);
      case NodeKind::kChoice: return builder_.choice(parts(node), span);
      case NodeKind::kRepeat:
        return builder_.repeat(part(node.children.front()), node.min,
                               node.max == kNoMost ? kNoUpperBound : node.max, span);
      case NodeKind::kLookaround: break;
    }
    XG2LAB_ASSERT(false, "expression() is for nodes without looks");
    return builder_.empty(span);
  }

  // A machine; nothing if it is too large.
  std::optional<ExprId> machine(NodeId id, std::string words, const LanguageLimits& limits) {
    const auto dfa = language(ast_, id, limits);
    return dfa ? machine(id, std::move(words), *dfa) : std::nullopt;
  }

  // The machine of a language that `id` describes.
  std::optional<ExprId> machine(NodeId id, std::string words, const CodePointDfa& dfa) {
    auto fsm = to_bytes(dfa, spelling_, kMostByteStates);
    if (!fsm) return std::nullopt;
    return builder_.machine(
        std::make_shared<const Machine>(Machine{std::move(words), std::move(*fsm)}),
        in_source_(ast_[id].span));
  }

  // Whether building a machine is worth trying.
  bool is_small(NodeId id) const {
    return n_characters(ast_, id) <= kMostInOneMachine &&
           !has_large_repeat(ast_, id, kMostWrittenOut);
  }

  // A part of a larger expression.
  ExprId part(NodeId id) {
    if (spelling_ == Spelling::kUtf8 || !is_small(id)) return expression(id);
    if (const auto made = small_machine(id)) return *made;
    return expression(id);
  }

 private:
  // The children of a sequence or choice. In JSON, neighbours that are small together become one
  // machine.
  std::vector<ExprId> parts(const Node& node) {
    std::vector<ExprId> parts;
    const auto& children = node.children;
    for (size_t i = 0; i < children.size();) {
      size_t n = 0;
      size_t n_mentioned = 0;
      while (spelling_ != Spelling::kUtf8 && i + n < children.size() && is_small(children[i + n])) {
        n_mentioned += n_characters(ast_, children[i + n]);
        if (n_mentioned > kMostInOneMachine) break;
        ++n;
      }
      std::optional<ExprId> together;
      if (n > 1) {
        const auto first = children.begin() + static_cast<ptrdiff_t>(i);
        std::vector<NodeId> run(first, first + static_cast<ptrdiff_t>(n));
        const SourceSpan span{ast_[run.front()].span.begin, ast_[run.back()].span.end};
        together =
            small_machine(node.kind == NodeKind::kChoice ? ast_.add_choice(std::move(run), span)
                                                         : ast_.add_sequence(std::move(run), span));
      }
      if (together) parts.push_back(*together);
      for (const size_t end = i + std::max<size_t>(n, 1); i < end; ++i) {
        if (!together) parts.push_back(part(children[i]));
      }
    }
    return parts;
  }

  std::optional<ExprId> small_machine(NodeId id) {
    return machine(id, macro_words(print(ast_, id), {{}, Match::kWhole, spelling_}), kSmall);
  }

  ExprId character(NodeId id) {
    const Node& node = ast_[id];
    if (spelling_ != Spelling::kUtf8) {
      const auto made = small_machine(id);
      XG2LAB_ASSERT(made.has_value(), "a class fits into a machine");
      return *made;
    }
    if (!is_one_character(id)) return builder_.char_class(node.set, in_source_(node.span));
    std::string bytes;
    append_utf8(bytes, node.set.front().lo);
    return builder_.literal(bytes, in_source_(node.span));
  }

  bool is_one_character(NodeId id) const {
    const Node& node = ast_[id];
    return node.kind == NodeKind::kClass && node.set.size() == 1 &&
           node.set[0].lo == node.set[0].hi;
  }

  // In UTF-8, neighbouring characters become one literal.
  ExprId sequence(NodeId id) {
    const Node node = ast_[id];
    std::vector<ExprId> children;
    for (size_t i = 0; i < node.children.size();) {
      if (!is_one_character(node.children[i])) {
        children.push_back(part(node.children[i++]));
        continue;
      }
      std::string bytes;
      SourceSpan span = in_source_(ast_[node.children[i]].span);
      for (; i < node.children.size() && is_one_character(node.children[i]); ++i) {
        const Node& character = ast_[node.children[i]];
        append_utf8(bytes, character.set.front().lo);
        span.end = std::max(span.end, in_source_(character.span).end);
      }
      children.push_back(builder_.literal(bytes, span));
    }
    return builder_.sequence(children, in_source_(node.span));
  }

  GrammarBuilder& builder_;
  Ast& ast_;
  Spelling spelling_;
  const SpanInSource& in_source_;
};

}  // namespace

ExprId add_regex(GrammarBuilder& builder, std::string_view pattern, const Options& options,
                 const SpanInSource& in_source, const Report& report) {
  bool is_well = true;
  const Report in_grammar = [&](const char* code, std::string message, SourceSpan span,
                                std::string hint) {
    is_well = false;
    report(code, std::move(message), in_source(span), std::move(hint));
  };
  Ast ast = tree_of_pattern(pattern, options.flags, options.match, in_grammar);
  if (!is_well) return builder.empty(in_source(whole_span(pattern)));
  Writer writer(builder, ast, options.spelling, in_source);
  const bool looks = has_lookarounds(ast, ast.root);
  if (looks || (options.spelling != Spelling::kUtf8 && writer.is_small(ast.root))) {
    if (const auto made =
            writer.machine(ast.root, macro_words(pattern, options), looks ? kRegexLimits : kSmall))
      return *made;
  }
  if (!looks) return writer.expression(ast.root);
  report_too_large(pattern, in_grammar);
  return builder.empty(in_source(whole_span(pattern)));
}

std::optional<ExprId> add_tree(GrammarBuilder& builder, Ast& ast, NodeId node,
                               const SpanInSource& in_source) {
  const NodeId settled = settle_anchors(ast, node);
  Writer writer(builder, ast, Spelling::kUtf8, in_source);
  if (!has_lookarounds(ast, settled)) return writer.expression(settled);
  return writer.machine(settled, macro_words(print(ast, settled), {}), kRegexLimits);
}

std::optional<ExprId> add_language(GrammarBuilder& builder, Ast& ast, NodeId written,
                                   const CodePointDfa& dfa, const SpanInSource& in_source) {
  const NodeId settled = settle_anchors(ast, written);
  return Writer(builder, ast, Spelling::kUtf8, in_source)
      .machine(settled, macro_words(print(ast, settled), {}), dfa);
}

Grammar grammar_of_regex(std::string pattern) {
  PatternSource pattern_source(std::move(pattern));
  const std::string& text = pattern_source.source()->text();
  GrammarBuilder builder;
  builder.set_source(pattern_source.source());
  const RuleId root = builder.add_rule("root", whole_span(text));
  const auto in_source = [](SourceSpan span) { return span; };
  const ExprId body = add_regex(builder, text, {}, in_source, pattern_source.report());
  pattern_source.raise_if_any();
  builder.set_body(root, body, whole_span(text));
  return std::move(builder).build(root);
}

}  // namespace xg2lab::regex
