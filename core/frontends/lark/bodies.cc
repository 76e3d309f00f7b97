// Recursive descent: choice, both, sequence, atom. Depth is limited (most_nesting_).
#include "frontends/lark/bodies.h"

#include <algorithm>
#include <utility>

#include "frontends/lark/values.h"
#include "support/bounds.h"
#include "support/nesting.h"
#include "support/text.h"
#include "support/utf8.h"

namespace xg2lab::lark {
namespace {

constexpr size_t kMostNesting = 200;

using Kind = LexemeKind;

class Bodies {
 public:
  Bodies(Cursor& at, const ParseContext& context)
      : at_(at), reading_(at.reading()), context_(context) {}

  // Parses up to the end of the statement.
  NodeId read_whole_choice() {
    const NodeId body = read_choice();
    if (!at_.is_at_end() && !is_too_deep_) at_.report_unexpected("`|` or the next statement");
    is_too_deep_ = false;
    at_.skip_to_end();
    return body;
  }

 private:
  NodeId add(NodeKind kind, std::vector<NodeId> children, uint32_t begin) {
    if (children.size() == 1) return children.front();
    Node node;
    node.kind = kind;
    node.span = at_.since(std::min(begin, at_.end_of_previous()));
    node.children = std::move(children);
    return context_.tree.add(std::move(node));
  }

  NodeId read_choice() {
    const uint32_t begin = at_.here().span.begin;
    std::vector<NodeId> branches;
    at_.take(Kind::kBar);
    do {
      branches.push_back(read_both());
      if (at_.take(Kind::kArrow)) {
        if (at_.here().kind == Kind::kName && !at_.is_at_end()) at_.step();
        else at_.report_unexpected("the alias's name");
      }
    } while (at_.take(Kind::kBar));
    return add(NodeKind::kChoice, std::move(branches), begin);
  }

  NodeId read_both() {
    const uint32_t begin = at_.here().span.begin;
    std::vector<NodeId> parts{read_sequence()};
    while (at_.take(Kind::kAnd)) parts.push_back(read_sequence());
    return add(NodeKind::kAnd, std::move(parts), begin);
  }

  NodeId read_sequence() {
    const uint32_t begin = at_.here().span.begin;
    std::vector<NodeId> parts;
    while (!at_.is_at_end()) {
      const uint32_t from = at_.here().span.begin;
      auto part = read_atom();
      if (!part) break;
      part = read_repetition(*part, from);
      parts.push_back(*part);
    }
    return add(NodeKind::kSequence, std::move(parts), begin);
  }

  NodeId add_repeat(NodeId child, uint32_t min, uint32_t max, uint32_t begin) {
    Node node;
    node.kind = NodeKind::kRepeat;
    node.span = at_.since(begin);
    node.children = {child};
    node.min = min;
    node.max = max;
    return context_.tree.add(std::move(node));
  }

  NodeId read_repetition(NodeId part, uint32_t begin) {
    if (at_.is_at_end()) return part;
    if (at_.here().kind == Kind::kRepeat) {
      const char mark = at_.words()[0];
      at_.step();
      part = add_repeat(part, mark == '+' ? 1 : 0, mark == '?' ? 1 : kNoMost, begin);
      if (at_.here().kind == Kind::kRepeat && !at_.is_at_end()) {
        reading_.report("double_repetition", quoted(at_.words()) + " repeats a repetition",
                        at_.here().span, "remove it, or put what it repeats in parentheses");
        at_.step();
      }
      return part;
    }
    if (at_.here().kind == Kind::kTilde && at_.here(1).kind == Kind::kNumber)
      return read_counts(part, begin);
    if (at_.here().kind == Kind::kOpenBrace) return read_braced_counts(part, begin);
    return part;
  }

  // ~ n or ~ n..m.
  NodeId read_counts(NodeId part, uint32_t begin) {
    at_.step();
    const SourceSpan first = at_.here().span;
    int min = read_number(at_.words());
    int max = min;
    at_.step();
    if (at_.take(Kind::kDots)) {
      if (at_.here().kind != Kind::kNumber || at_.is_at_end()) {
        at_.report_unexpected("a number");
        return part;
      }
      max = read_number(at_.words());
      at_.step();
    }
    return check_counts(part, min, max, {begin, first.begin});
  }

  // {n}, {n,}, {,m} or {n,m}.
  NodeId read_braced_counts(NodeId part, uint32_t begin) {
    const uint32_t first = at_.here().span.begin;
    at_.step();
    const bool has_min = at_.here().kind == Kind::kNumber;
    const int min = has_min ? read_number(at_.words()) : 0;
    if (has_min) at_.step();
    int max = min;
    bool is_endless = false;
    const bool has_comma = at_.take(Kind::kComma);
    if (has_comma) {
      is_endless = at_.here().kind != Kind::kNumber;
      if (!is_endless) {
        max = read_number(at_.words());
        at_.step();
      }
    }
    if (!at_.take(Kind::kCloseBrace) || (!has_min && is_endless) || (!has_min && !has_comma)) {
      reading_.report("bad_repetition", "this is not a repetition", {first, at_.end_of_previous()},
                      "write {n}, {n,}, {,m} or {n,m}");
      return part;
    }
    if (is_endless) {
      if (min >= 0) return add_repeat(part, static_cast<uint32_t>(min), kNoMost, begin);
      max = min;
    }
    return check_counts(part, min, max, {begin, first});
  }

  // `starts`: the start of the repeated part, and the start of its counts.
  NodeId check_counts(NodeId part, int min, int max, SourceSpan starts) {
    if (min >= 0 && max >= min && max < static_cast<int>(kMostRepetitions)) {
      return add_repeat(part, static_cast<uint32_t>(min), static_cast<uint32_t>(max), starts.begin);
    }
    const std::string bounds = concat(min, " to ", max);
    reading_.report("bad_repetition", "nothing can be repeated " + bounds + " times",
                    {starts.end, at_.end_of_previous()},
                    "write the smaller number first; both are from 0 to 2147483646");
    return part;
  }

  // Nothing if no atom begins here.
  std::optional<NodeId> read_atom() {
    const uint32_t begin = at_.here().span.begin;
    switch (at_.here().kind) {
      case Kind::kTilde: {
        at_.step();
        const auto child = at_.is_at_end() ? std::nullopt : read_nested_atom();
        if (!child) {
          at_.report_unexpected("what `~` negates");
          return std::nullopt;
        }
        Node node;
        node.kind = NodeKind::kNot;
        node.span = at_.since(begin);
        node.children = {*child};
        return context_.tree.add(std::move(node));
      }
      case Kind::kOpen: return read_group(Kind::kClose, "`)`");
      case Kind::kOpenMaybe: {
        const auto inner = read_group(Kind::kCloseMaybe, "`]`");
        return inner ? std::optional(add_repeat(*inner, 0, 1, begin)) : std::nullopt;
      }
      case Kind::kText: return read_text_or_range();
      case Kind::kPattern: return add_value(read_pattern(reading_, at_.here().span));
      case Kind::kName: return read_name();
      case Kind::kSpecial: return read_special();
      case Kind::kGrammar: {
        Node node;
        node.kind = NodeKind::kGrammar;
        node.text = at_.words().substr(1);
        return add_value(std::move(node));
      }
      case Kind::kDirective: return read_directive();
      case Kind::kUnterminatedText:
        return refuse_value("unterminated_text", "text is not closed in its line", "add \"");
      case Kind::kUnterminatedPattern:
        return refuse_value("unterminated_pattern", "pattern is not closed in its line",
                            "add /, and write a slash within it as \\/");
      default: return std::nullopt;
    }
  }

  std::optional<NodeId> read_nested_atom() {
    if (++depth_ > most_nesting_) return refuse_depth();
    const auto atom = read_atom();
    --depth_;
    return atom;
  }

  std::optional<NodeId> refuse_depth() {
    --depth_;
    if (!is_too_deep_) {
      reading_.report("nesting_too_deep",
                      concat("groups are nested deeper than ", most_nesting_, " levels"),
                      at_.here().span, "give the inner part a rule of its own");
    }
    is_too_deep_ = true;
    at_.skip_to_end();
    return std::nullopt;
  }

  NodeId add_value(Node node) {
    node.span = reading_.in_grammar(at_.here().span);
    at_.step();
    return context_.tree.add(std::move(node));
  }

  NodeId refuse_value(const char* code, std::string message, std::string hint) {
    reading_.report(code, std::move(message), at_.here().span, std::move(hint));
    return add_value({});
  }

  std::optional<NodeId> read_group(Kind closing, const char* mark) {
    const SourceSpan opening = at_.here().span;
    if (++depth_ > most_nesting_) return refuse_depth();
    at_.step();
    const NodeId inner = read_choice();
    --depth_;
    if (!at_.take(closing) && !is_too_deep_) {
      if (!at_.is_at_end()) {
        at_.report_unexpected(mark);
        while (!at_.is_at_end() && at_.here().kind != closing) at_.step();
        at_.take(closing);
      } else {
        reading_.report("unterminated_group", quoted(at_.words(opening)) + " is not closed",
                        opening, concat("add ", mark[1]));
      }
    }
    return inner;
  }

  NodeId read_text_or_range() {
    const SourceSpan first = at_.here().span;
    Node lo = read_text(reading_, first);
    if (at_.here(1).kind != Kind::kDots) return add_value(std::move(lo));
    at_.step();
    at_.step();
    if (at_.here().kind != Kind::kText || at_.is_at_end()) {
      at_.report_unexpected("the last character of the range");
      return context_.tree.add({});
    }
    const Node hi = read_text(reading_, at_.here().span);
    at_.step();
    const auto from = decode_utf8(lo.text, 0);
    const auto to = decode_utf8(hi.text, 0);
    const bool is_range = from && to && from->n_bytes == lo.text.size() &&
                          to->n_bytes == hi.text.size() && from->code_point <= to->code_point &&
                          !lo.ignores_case && !hi.ignores_case;
    if (!is_range) {
      reading_.report("bad_range", "a range goes from one character to a later one",
                      {first.begin, at_.end_of_previous()}, "write for example \"a\"..\"z\"");
      return context_.tree.add({});
    }
    Node node;
    node.kind = NodeKind::kRange;
    node.span = at_.since(first.begin);
    node.min = from->code_point;
    node.max = to->code_point;
    return context_.tree.add(std::move(node));
  }

  NodeId read_name() {
    const uint32_t begin = at_.here().span.begin;
    Node node;
    node.kind = NodeKind::kName;
    node.text = at_.words();
    at_.check_name(at_.here().span);
    // name{ that isn't followed by a number is a template.
    const bool is_template = at_.here(1).kind == Kind::kOpenBrace &&
                             at_.here(2).kind != Kind::kNumber && at_.here(2).kind != Kind::kComma;
    if (!is_template) return add_value(std::move(node));
    at_.step();
    at_.step();
    node.kind = NodeKind::kTemplate;
    do {
      auto argument = read_nested_atom();
      if (!argument) {
        at_.report_unexpected("an argument of the template");
        break;
      }
      node.children.push_back(*argument);
    } while (at_.take(Kind::kComma));
    if (!at_.take(Kind::kCloseBrace)) at_.report_unexpected("`,` or `}`");
    node.span = at_.since(begin);
    return context_.tree.add(std::move(node));
  }

  NodeId read_special() {
    Node node;
    node.kind = NodeKind::kTokens;
    const SourceSpan span = at_.here().span;
    const std::string_view name = at_.words();
    if (name.substr(0, 2) == "<[") {
      node.tokens = read_token_ids(reading_, span);
      return add_value(std::move(node));
    }
    const auto id = context_.special_token ? context_.special_token(name) : std::nullopt;
    if (id) {
      node.tokens.ids = {*id};
      return add_value(std::move(node));
    }
    return refuse_value(
        "unknown_special_token",
        context_.special_token ? "the vocabulary has no token " + quoted(name)
                               : quoted(name) + " is a token's name, and no tokenizer is known",
        context_.special_token
            ? "if it is not a token, write a text in quotation marks; or write a token's id: <[5]>"
            : "pass tokenizer_info, or write the token's id: <[5]>");
  }

  // %json {...}, %regex {...}, %lark {...}.
  std::optional<NodeId> read_directive() {
    const SourceSpan directive = at_.here().span;
    const std::string_view name = at_.words();
    Node node;
    if (name == "%lark" && at_.here(1).kind == Kind::kOpenBrace) return read_nested(directive);
    if ((name == "%json" || name == "%regex") && at_.here(1).kind == Kind::kBraced) {
      at_.step();
      const SourceSpan braces = at_.here().span;
      const SourceSpan whole{directive.begin, braces.end};
      if (name == "%regex") {
        node = read_substring(reading_, braces, whole);
      } else {
        node.kind = NodeKind::kJson;
        node.text = at_.words(braces);
      }
      at_.step();
      node.span = reading_.in_grammar(whole);
      return context_.tree.add(std::move(node));
    }
    if (name == "%json" || name == "%regex" || name == "%lark") {
      at_.step();
      reading_.report("expected_token", "expected `{...}` behind " + quoted(name), directive,
                      concat("write ", name, " {...}"));
      return context_.tree.add({});
    }
    reading_.report("unknown_directive", "there is no " + quoted(name) + " in a rule", directive,
                    "there are %json {...}, %regex {...} and %lark {...}");
    at_.step();
    return context_.tree.add({});
  }

  NodeId read_nested(SourceSpan directive) {
    at_.step();
    const uint32_t begin = at_.here().span.end;
    size_t depth = 0;
    do {
      if (at_.here().kind == Kind::kOpenBrace) ++depth;
      if (at_.here().kind == Kind::kCloseBrace) --depth;
      at_.step();
    } while (depth > 0 && !at_.is_over());
    if (depth > 0) {
      reading_.report("unterminated_group", "%lark's `{` is not closed", directive, "add }");
      return context_.tree.add({});
    }
    Node node;
    node.kind = NodeKind::kNested;
    node.text = reading_.text().substr(begin, at_.end_of_previous() - 1 - begin);
    node.span = at_.since(directive.begin);
    return context_.tree.add(std::move(node));
  }

  Cursor& at_;
  const Reading& reading_;
  const ParseContext& context_;
  const size_t most_nesting_ = bounded_nesting(kMostNesting);
  size_t depth_ = 0;
  bool is_too_deep_ = false;
};

}  // namespace

NodeId read_body(Cursor& at, const ParseContext& context) {
  return Bodies(at, context).read_whole_choice();
}

}  // namespace xg2lab::lark
