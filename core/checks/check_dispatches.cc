// Read: warn_of, which checks one dispatch; first_within finds the text that ends before another
// one does.
#include "checks/check_dispatches.h"

#include <span>
#include <string_view>
#include <utility>

#include "analysis/readable_texts.h"
#include "dispatch/aho_corasick.h"
#include "grammar/rewrite.h"
#include "support/budget.h"
#include "support/text.h"

namespace xg2lab::checks {
namespace {

// The watched text that ends first within `text`.
std::string_view first_within(std::string_view text, const AhoCorasick& automaton,
                              std::span<const std::string_view> all) {
  count_work("checking the texts of a dispatch", text.size());
  StateId at = automaton.root();
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    at = automaton.next(at, static_cast<uint8_t>(text[i]));
    if (const auto found = automaton.match(at)) return all[*found];
  }
  return {};
}

struct Kind {
  const char* code;
  const char* name;
  const char* consequence;
};

void warn_of(const Dispatch& dispatch, SourceSpan whole, std::vector<Diagnostic>& warnings) {
  const analysis::ReadableTexts readable = analysis::readable_texts(dispatch);
  if (readable.are_all()) return;
  const std::vector<std::string_view> all = analysis::watched_texts(dispatch);
  const AhoCorasick automaton(all);
  const auto report = [&](const Kind& kind, const std::vector<WatchedText>& texts,
                          const std::vector<bool>& is_readable) {
    for (size_t i = 0; i < texts.size(); ++i) {
      if (is_readable[i]) continue;
      const std::string first(first_within(texts[i].text, automaton, all));
      warnings.push_back({kind.code, Severity::kWarning,
                          concat(kind.name, " `", texts[i].text, "` ", kind.consequence, ": `",
                                 first, "` is read before its end"),
                          texts[i].span.empty() ? whole : texts[i].span,
                          "remove it, or what is within it"});
    }
  };
  report({"tag_never_fires", "tag", "never fires"}, dispatch.tags, readable.tags);
  report({"stop_never_read", "stop string", "never ends the dispatch"}, dispatch.stop_texts,
         readable.stop_texts);
  report({"exclude_never_read", "exclude", "forbids nothing"}, dispatch.excludes,
         readable.excludes);
}

}  // namespace

Grammar check_dispatches(Grammar grammar) {
  std::vector<Diagnostic> warnings;
  std::vector<bool> used;
  for (size_t i = 0; i < grammar.n_exprs(); ++i) {
    const ExprId id(i);
    if (grammar.expr(id).kind != ExprKind::kDispatch) continue;
    if (used.empty()) used = used_exprs(grammar);
    if (!used[i]) continue;
    warn_of(grammar.dispatch(id), grammar.expr(id).span, warnings);
  }
  return with_warnings(std::move(grammar), std::move(warnings));
}

}  // namespace xg2lab::checks
