// Read: check_token_sets, then Checker, with one function for each kind of mistake.
#include "checks/check_token_sets.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "grammar/rewrite.h"
#include "support/findings.h"
#include "support/text.h"

namespace xg2lab::checks {
namespace {

bool is_word(char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z') || byte == '_' || byte == '-' || byte == '.' ||
         (static_cast<uint8_t>(byte) & 0x80u) != 0;
}

class Checker {
 public:
  Checker(const Grammar& grammar, const KnownTokens& known) : grammar_(grammar), known_(known) {}

  void check(ExprId expr) {
    const TokenSet& set = grammar_.token_set(expr);
    const SourceSpan span = grammar_.expr(expr).span;
    std::set<TokenId> excluded;
    for (TokenId id : set.ids) {
      const std::string digits = std::to_string(id.value);
      const auto place = [&] { return place_of(digits, span); };
      if (id.index() >= known_.n_tokens) {
        report("token_out_of_range", digits, place(),
               concat("is outside the vocabulary of ", known_.n_tokens, " tokens"),
               concat("ids are 0 to ", known_.n_tokens - 1));
      } else if (set.is_negated) {
        if (known_.use(id) == TokenUse::kFree) excluded.insert(id);
      } else {
        check_use(known_.use(id), digits, place);
      }
    }
    for (const TokenName& name : set.names) {
      for (TokenId id : check_name(name, set.is_negated)) excluded.insert(id);
    }
    if (set.is_negated && excluded.size() == known_.n_free) {
      add({"no_token_left", Severity::kError, "this excludes every token of the vocabulary", span,
           "exclude fewer tokens"});
    }
  }

  void raise() {
    if (found_.empty()) return;
    std::stable_sort(found_.begin(), found_.end(), [](const Diagnostic& a, const Diagnostic& b) {
      return a.span.begin < b.span.begin;
    });
    throw Error(ErrorKind::kGrammarError, std::move(found_), *grammar_.source());
  }

 private:
  // The tokens of the name that an edge can consume.
  std::vector<TokenId> check_name(const TokenName& name, bool may_be_none) {
    std::vector<TokenId> ids = known_.named(name.text);
    if (ids.empty()) {
      const auto near = known_.like(name.text);
      add({"unknown_token", Severity::kError,
           concat("the vocabulary has no token ", quoted(name.text)), name.span,
           near ? concat("did you mean ", quoted(*near), "?")
                : "tokens are named by their exact text, spaces included"});
      return ids;
    }
    const TokenUse use = known_.use(ids.front());
    std::erase_if(ids, [&](TokenId id) { return known_.use(id) != TokenUse::kFree; });
    if (ids.empty() && !may_be_none) check_use(use, quoted(name.text), [&] { return name.span; });
    return ids;
  }

  // `token`: its id, or its quoted text. place(): where the grammar has it.
  template <class Place>
  void check_use(TokenUse use, const std::string& token, const Place& place) {
    switch (use) {
      case TokenUse::kFree: return;
      case TokenUse::kStop:
        return report("stop_token_edge", token, place(), "is a stop token: it ends the text",
                      "remove it; where the text may end, stop tokens are allowed anyway");
      case TokenUse::kPadding:
        return report("padding_token_edge", token, place(),
                      "is padding: the tokenizer has no token there",
                      "look the id up in the tokenizer");
      case TokenUse::kWithoutBytes:
        return report("empty_token_edge", token, place(),
                      "has no bytes: it would leave no trace in the text",
                      "look the id up in the tokenizer");
    }
  }

  void report(const char* code, const std::string& token, SourceSpan place, const std::string& what,
              std::string hint) {
    add({code, Severity::kError, concat("token ", token, " ", what), place, std::move(hint)});
  }

  // Reports a mistake once, since a set of TokenTagDispatch names its triggers a second time.
  void add(Diagnostic diagnostic) {
    if (known_places_.emplace(diagnostic.code, diagnostic.span).second)
      found_.push_back(std::move(diagnostic));
  }

  // The span of the number within `span`; `span` itself if the number isn't written there.
  SourceSpan place_of(const std::string& digits, SourceSpan span) const {
    const std::string_view words = grammar_.source()->slice(span);
    for (size_t at = words.find(digits); at != std::string_view::npos;
         at = words.find(digits, at + 1)) {
      const size_t end = at + digits.size();
      const bool is_whole =
          (at == 0 || !is_word(words[at - 1])) && (end == words.size() || !is_word(words[end]));
      if (!is_whole) continue;
      return {span.begin + static_cast<uint32_t>(at), span.begin + static_cast<uint32_t>(end)};
    }
    return span;
  }

  const Grammar& grammar_;
  const KnownTokens& known_;
  std::vector<Diagnostic> found_;
  std::set<std::pair<std::string, SourceSpan>> known_places_;
};

}  // namespace

void check_token_sets(const Grammar& grammar, const KnownTokens& known) {
  Checker checker(grammar, known);
  const std::vector<bool> used = used_exprs(grammar);
  for (size_t i = 0; i < grammar.n_exprs(); ++i) {
    if (used[i] && grammar.expr(ExprId(i)).kind == ExprKind::kTokenSet) checker.check(ExprId(i));
  }
  checker.raise();
}

}  // namespace xg2lab::checks
