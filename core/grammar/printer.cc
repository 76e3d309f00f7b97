// Prints a grammar as EBNF text that parses back to an equal grammar (apart from spans).
// Read: print_ebnf, then Printer::print.
// The trick: each node has a binding strength, and a child gets parentheses if it binds less
// tightly than its position requires. The walk uses an explicit stack, so that depth can't exhaust
// the call stack.
//
// EXAMPLE   kRepeat{0,inf}(kSequence("a", "b"))  prints as  ("a" "b")*
#include <array>
#include <charconv>
#include <string>

#include "grammar/grammar.h"
#include "support/bounds.h"
#include "support/literal.h"
#include "support/text.h"
#include "support/utf8.h"

namespace xg2lab {
namespace {

// ---- Characters ----

void append_ranges(std::string& out, std::span<const CodePointRange> ranges) {
  constexpr std::string_view kSpecial = "]\\^-[";
  for (const CodePointRange& range : ranges) {
    append_character(out, range.lo, kSpecial);
    if (range.lo == range.hi) continue;
    if (range.hi > range.lo + 1) out += '-';
    append_character(out, range.hi, kSpecial);
  }
}

// A class that reaches U+10FFFF is printed as a negated class.
void append_class(std::string& out, std::span<const CodePointRange> ranges) {
  const bool is_negated = ranges.back().hi == kMaxCodePoint;
  out += is_negated ? "[^" : "[";
  if (is_negated) append_ranges(out, complement(ranges));
  else append_ranges(out, ranges);
  out += ']';
}

// ---- Expressions ----

// The binding strength of a node, and the least one that a position requires.
enum class Binding { kLoose, kInChoice, kInSequence, kInRepeat };

Binding binding_of(ExprKind kind) {
  switch (kind) {
    case ExprKind::kChoice: return Binding::kLoose;
    case ExprKind::kSequence: return Binding::kInChoice;
    case ExprKind::kRepeat: return Binding::kInSequence;
    default: return Binding::kInRepeat;
  }
}

// The part of a node that remains to be printed.
struct Task {
  ExprId id;
  size_t next_child;
  bool parenthesized;
};

static_assert(kNoUpperBound == kEndless);  // repetition_text writes no such bound

class Printer {
 public:
  explicit Printer(const Grammar& grammar) : grammar_(grammar) {}

  void print(ExprId root) {
    open(root, Binding::kLoose);
    while (!tasks_.empty()) {
      Task& task = tasks_.back();
      const Expr& e = grammar_.expr(task.id);
      const auto children = grammar_.children(task.id);
      if (task.next_child == children.size()) {
        if (e.kind == ExprKind::kRepeat) out_ += repetition_text(e.min, e.max);
        if (task.parenthesized) out_ += ')';
        tasks_.pop_back();
        continue;
      }
      const size_t child = task.next_child++;
      if (child > 0) out_ += e.kind == ExprKind::kChoice ? " | " : " ";
      open(children[child], place_of(e.kind));  // invalidates task
    }
  }

  std::string& out() { return out_; }

 private:
  // A choice directly inside a choice keeps its parentheses: without them it would parse back flat.
  static Binding place_of(ExprKind parent) {
    switch (parent) {
      case ExprKind::kChoice: return Binding::kInChoice;
      case ExprKind::kSequence: return Binding::kInSequence;
      default: return Binding::kInRepeat;
    }
  }

  void open(ExprId id, Binding place) {
    const ExprKind kind = grammar_.expr(id).kind;
    switch (kind) {
      case ExprKind::kEmpty: out_ += "\"\""; return;
      case ExprKind::kNothing: out_ += "[]"; return;
      case ExprKind::kLiteral: append_literal(out_, grammar_.literal(id)); return;
      case ExprKind::kClass: append_class(out_, grammar_.ranges(id)); return;
      case ExprKind::kRuleRef: out_ += grammar_.rule(grammar_.rule_ref(id)).name; return;
      case ExprKind::kDispatch: append_dispatch(id); return;
      case ExprKind::kTokenSet: out_ += token_set_text(grammar_.token_set(id)); return;
      case ExprKind::kMachine: out_ += grammar_.machine(id).words; return;
      case ExprKind::kAnyOrder: append_any_order(id); return;
      default: break;
    }
    const bool parenthesized = binding_of(kind) < place;
    if (parenthesized) out_ += '(';
    tasks_.push_back({id, 0, parenthesized});
  }

  void append_dispatch(ExprId id) {
    const Dispatch& dispatch = grammar_.dispatch(id);
    const auto references = grammar_.children(id);
    out_ += "TagDispatch(";
    for (size_t i = 0; i < references.size(); ++i) {
      out_ += '(';
      append_literal(out_, dispatch.tags[i].text);
      out_ += ", " + grammar_.rule(grammar_.rule_ref(references[i])).name + "), ";
    }
    out_ += dispatch.stop_eos ? "stop_eos=true" : "stop_eos=false";
    out_ +=
        dispatch.loop_after_dispatch ? ", loop_after_dispatch=true" : ", loop_after_dispatch=false";
    append_texts(", stop_str=(", dispatch.stop_texts);
    append_texts(", excludes=(", dispatch.excludes);
    out_ += ')';
  }

  void append_any_order(ExprId id) {
    const AnyOrderBounds& bounds = grammar_.any_order(id);
    const auto children = grammar_.children(id);
    out_ += "AnyOrder(";
    for (size_t i = 0; i < bounds.members.size(); ++i) {
      const MemberBounds member = bounds.members[i];
      if (i > 0) out_ += ", ";
      out_ += grammar_.rule(grammar_.rule_ref(children[i])).name;
      if (member.is_required) out_ += member.may_repeat ? "+" : "";
      else out_ += member.may_repeat ? '*' : '?';
    }
    const ExprId separator = children.back();
    if (grammar_.expr(separator).kind != ExprKind::kEmpty) {
      out_ += ", sep=";
      open(separator, Binding::kInRepeat);
    }
    if (bounds.min_total > 0) out_ += concat(", min=", bounds.min_total);
    if (bounds.has_max()) out_ += concat(", max=", bounds.max_total);
    if (bounds.is_ordered) out_ += ", ordered=true";
    out_ += ')';
  }

  void append_texts(const char* opening, const std::vector<WatchedText>& texts) {
    if (texts.empty()) return;
    const auto literal = [](const WatchedText& watched) { return print_literal(watched.text); };
    out_ += concat(opening, join(texts, ", ", literal), ")");
  }

  const Grammar& grammar_;
  std::vector<Task> tasks_;
  std::string out_;
};

}  // namespace

std::string print_ebnf(const Grammar& grammar) {
  Printer printer(grammar);
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    const Rule& rule = grammar.rule(RuleId(i));
    printer.out() += rule.name + print_options(rule.options.get(), rule.name) + " ::= ";
    printer.print(rule.body);
    if (rule.lookahead) {
      printer.out() += " (= ";
      printer.print(*rule.lookahead);
      printer.out() += ')';
    }
    printer.out() += '\n';
  }
  return std::move(printer.out());
}

std::string print_ebnf(const Grammar& grammar, ExprId expr) {
  Printer printer(grammar);
  printer.print(expr);
  return std::move(printer.out());
}

std::string shortest_number(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string print_options(const RuleOptions* options, std::string_view rule) {
  if (options == nullptr || options->is_empty()) return "";
  std::string out;
  const auto add = [&out](OptionKind kind, const std::string& value) {
    out += out.empty() ? "[" : ", ";
    out += kOptionNames[static_cast<size_t>(kind)];
    if (!value.empty()) out += "=" + value;
  };
  if (options->max_tokens) add(OptionKind::kMaxTokens, std::to_string(*options->max_tokens));
  if (options->max_chars) add(OptionKind::kMaxChars, std::to_string(*options->max_chars));
  if (options->is_lazy) add(OptionKind::kLazy, "");
  if (options->capture)
    add(OptionKind::kCapture, *options->capture == rule ? "" : print_literal(*options->capture));
  if (options->temperature) add(OptionKind::kTemperature, shortest_number(*options->temperature));
  if (options->parts) add(OptionKind::kParts, *options->parts);
  if (options->is_hidden) add(OptionKind::kHidden, "");
  return out.empty() ? out : out + "]";
}

}  // namespace xg2lab
