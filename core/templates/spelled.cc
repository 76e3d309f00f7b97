// Read: static_texts and spelled; then StaticParts, which finds the literals that become token
// edges.
#include "templates/spelled.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "grammar/rewrite.h"
#include "grammar/walk.h"
#include "support/budget.h"
#include "support/findings.h"
#include "support/text.h"
#include "templates/references.h"

namespace xg2lab::templates {
namespace {

constexpr size_t kMostFindings = 200;

bool is_text(const Hole& hole) {
  return hole.kind == HoleKind::kText || hole.kind == HoleKind::kOneOf;
}

class StaticParts {
 public:
  explicit StaticParts(const Template& of)
      : of_(of),
        grammar_(of.grammar),
        references_(references_of_rules(grammar_)),
        is_literal_(grammar_.n_exprs()),
        literals_(grammar_.n_rules()) {
    for (const ExprId literal : of.literals) is_literal_[literal.index()] = true;
    std::vector<RuleId> read_again;
    for (const RuleReferences& references : references_) {
      if (references.parts) read_again.push_back(*references.parts);
    }
    is_read_again_ = reached(read_again);
    is_written_ = reached({grammar_.root()});
    find_literals();
  }

  // Whether the rule reads only bytes that were written before.
  bool reads_bytes(RuleId rule) const {
    return is_read_again_[rule.index()] && !is_written_[rule.index()];
  }

  // The literals of all other rules, in the order of the text.
  std::vector<ExprId> literals() const {
    std::vector<ExprId> all;
    for (size_t i = 0; i < literals_.size(); ++i) {
      if (!reads_bytes(RuleId(i))) all.insert(all.end(), literals_[i].begin(), literals_[i].end());
    }
    std::ranges::stable_sort(all, {},
                             [&](ExprId literal) { return grammar_.expr(literal).span.begin; });
    return all;
  }

  // Throws if a text has no way to come in tokens.
  void check() const {
    Findings findings(kMostFindings);
    for (size_t i = 0; i < grammar_.n_rules(); ++i) {
      if (reads_bytes(RuleId(i))) continue;
      refuse_one_machine(RuleId(i), findings);
      if (!is_read_again_[i]) continue;
      refuse_texts(
          RuleId(i), findings,
          "can't be both tokens and bytes: the output has its rule, and `parts` of another "
          "rule reads the same rule in bytes",
          "give `parts` a rule that no other rule calls");
    }
    if (!findings.is_empty()) std::move(findings).raise(*grammar_.source());
  }

 private:
  // The rules that some rules lead to by their bodies, with these rules themselves.
  std::vector<bool> reached(std::vector<RuleId> open) const {
    std::vector<bool> found(grammar_.n_rules());
    for (const RuleId rule : open) found[rule.index()] = true;
    while (!open.empty()) {
      const RuleId rule = open.back();
      open.pop_back();
      count_work("reading the template's rules");
      for (const RuleId named : references_[rule.index()].body) {
        if (found[named.index()]) continue;
        found[named.index()] = true;
        open.push_back(named);
      }
    }
    return found;
  }

  void find_literals() {
    std::vector<bool> seen(grammar_.n_exprs());
    const auto is_new = [&](ExprId id) {
      const bool was_seen = seen[id.index()];
      seen[id.index()] = true;
      return !was_seen;
    };
    for (size_t i = 0; i < grammar_.n_rules(); ++i) {
      const auto visit = [&](ExprId id) {
        const Expr& expr = grammar_.expr(id);
        if (expr.kind == ExprKind::kAnyOrder)
          is_literal_[grammar_.children(id).back().index()] = true;
        if (expr.kind == ExprKind::kLiteral && is_literal_[id.index()]) literals_[i].push_back(id);
      };
      const Rule& rule = grammar_.rule(RuleId(i));
      for_each_expr(grammar_, rule.body, is_new, visit);
      if (rule.lookahead) for_each_expr(grammar_, *rule.lookahead, is_new, visit);
    }
  }

  // Refuses the texts of a rule whose language is one machine on bytes.
  void refuse_one_machine(RuleId id, Findings& findings) const {
    const Rule& rule = grammar_.rule(id);
    if (!is_written_[id.index()] || !rule.options || !rule.options->cuts_language()) return;
    const std::vector<bool> within = reached({id});
    for (size_t i = 0; i < within.size(); ++i) {
      if (!within[i]) continue;
      refuse_texts(
          RuleId(i), findings,
          concat("can't be spelled in tokens: rule `", rule.name, "` has ",
                 rule.options->is_lazy ? "lazy" : "max_chars", " and becomes one machine on bytes"),
          "give the option to a part without static text, or leave spelling=\"tokens\" out");
    }
  }

  void refuse_texts(RuleId rule, Findings& findings, const std::string& why,
                    const std::string& hint) const {
    const auto refuse = [&](SourceSpan span) {
      findings.report("unsupported_spelling",
                      concat("text ", quoted(grammar_.source()->slice(span)), " ", why), span,
                      hint);
    };
    const Hole* hole = of_.hole(rule);
    if (hole != nullptr && is_text(*hole)) refuse(hole->span);
    for (const ExprId literal : literals_[rule.index()]) refuse(grammar_.expr(literal).span);
  }

  const Template& of_;
  const Grammar& grammar_;
  const std::vector<RuleReferences> references_;  // index: RuleId
  std::vector<bool> is_literal_;                  // index: ExprId
  std::vector<std::vector<ExprId>> literals_;     // index: RuleId
  std::vector<bool> is_read_again_;               // index: RuleId; for the `parts` of some rule
  std::vector<bool> is_written_;                  // index: RuleId; the root leads to it
};

// A name for a rule that the template hasn't.
std::string free_name(const Grammar& grammar, const std::string& wanted) {
  std::string name = wanted;
  for (size_t n = 1; grammar.find_rule(name); ++n) name = concat(wanted, "_", n);
  return name;
}

// Replaces literals by token edges. A separator of AnyOrder has to be a rule then.
class Spelling {
 public:
  Spelling(const Grammar& of, const std::vector<ExprId>& literals,
           const std::vector<SpelledText>& texts)
      : of_(of), ids_(of.n_exprs(), nullptr) {
    std::map<std::string_view, const std::vector<TokenId>*> by_text;
    for (const SpelledText& text : texts) by_text[text.text] = &text.ids;
    for (const ExprId literal : literals) ids_[literal.index()] = by_text.at(of.literal(literal));
  }

  ExprId remade(GrammarBuilder& builder, ExprId old, std::span<const ExprId> children) {
    const SourceSpan span = builder.expr(old).span;
    if (ids_[old.index()] != nullptr) return builder.tokens(*ids_[old.index()], span);
    if (builder.expr(old).kind != ExprKind::kAnyOrder) return builder.with_children(old, children);
    std::vector<ExprId> parts(children.begin(), children.end());
    const ExprId separator = parts.back();
    const ExprKind kind = builder.expr(separator).kind;
    if (kind == ExprKind::kSequence || kind == ExprKind::kTokenSet) {
      const SourceSpan written = builder.expr(separator).span;
      const RuleId rule = builder.add_rule(
          free_name(of_, n_separators_ == 0 ? "separator" : concat("separator", n_separators_)),
          written);
      ++n_separators_;
      builder.set_body(rule, separator, written);
      parts.back() = builder.rule_ref(rule, written);
    }
    return builder.with_children(old, parts);
  }

 private:
  const Grammar& of_;
  std::vector<const std::vector<TokenId>*> ids_;  // index: ExprId; null: no literal
  size_t n_separators_ = 0;
};

}  // namespace

std::vector<SpelledText> static_texts(const Template& of) {
  const StaticParts parts(of);
  parts.check();
  std::vector<SpelledText> texts;
  std::map<std::string_view, size_t> known;
  for (const ExprId literal : parts.literals()) {
    const std::string_view text = of.grammar.literal(literal);
    if (!known.try_emplace(text, texts.size()).second) continue;
    texts.push_back({std::string(text), of.grammar.expr(literal).span, {}});
  }
  return texts;
}

Template spelled(const Template& of, std::vector<SpelledText> texts) {
  const StaticParts parts(of);
  Spelling spelling(of.grammar, parts.literals(), texts);
  Template made{rewrite(of.grammar,
                        [&](GrammarBuilder& builder, ExprId old, std::span<const ExprId> children) {
                          return spelling.remade(builder, old, children);
                        }),
                of.holes};
  made.holes.resize(made.grammar.n_rules());
  for (size_t i = 0; i < of.holes.size(); ++i) {
    std::optional<Hole>& hole = made.holes[i];
    if (hole) hole->is_spelled = is_text(*hole) && !parts.reads_bytes(RuleId(i));
  }
  made.spelling = std::make_shared<const std::vector<SpelledText>>(std::move(texts));
  return made;
}

std::string misspelled(std::string_view text, std::string_view mistake) {
  return concat("encode(", quoted(text), ") ", mistake);
}

Diagnostic misspelled_text(const SpelledText& text, std::string_view mistake) {
  return {"misspelled_text", Severity::kError, misspelled(text.text, mistake), text.span,
          kEncodeHint};
}

}  // namespace xg2lab::templates
