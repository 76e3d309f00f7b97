// The texts of a dispatch as patterns of one automaton, which knows what hides what.
#include "passes/check_dispatches.h"

#include <string_view>
#include <utility>

#include "dispatch/aho_corasick.h"
#include "passes/rewrite.h"

namespace xg2lab::passes {
namespace {

// The watched text that is read first of those within `text`.
std::string_view first_within(std::string_view text, const std::vector<const WatchedText*>& all) {
  std::string_view first;
  size_t first_end = text.size();
  for (const WatchedText* other : all) {
    const size_t at = text.find(other->text);
    if (at == std::string_view::npos || at + other->text.size() >= first_end) continue;
    first_end = at + other->text.size();
    first = other->text;
  }
  return first;
}

struct Kind {
  const char* code;
  const char* name;
  const char* consequence;
};

void warn_of(const Dispatch& dispatch, SourceSpan whole, std::vector<Diagnostic>& warnings) {
  std::vector<const WatchedText*> all;
  for (const auto* texts : {&dispatch.tags, &dispatch.stop_texts, &dispatch.excludes}) {
    for (const WatchedText& watched : *texts) all.push_back(&watched);
  }
  const auto report = [&](const Kind& kind, const std::vector<WatchedText>& texts,
                          const std::vector<bool>& readable) {
    for (size_t i = 0; i < texts.size(); ++i) {
      if (readable[i]) continue;
      const std::string first(first_within(texts[i].text, all));
      warnings.push_back({kind.code, Severity::kWarning,
                          std::string(kind.name) + " `" + texts[i].text + "` " + kind.consequence +
                              ": `" + first + "` is read before its end",
                          texts[i].span.empty() ? whole : texts[i].span,
                          "remove it, or what is within it"});
    }
  };
  const ReadableTexts readable = readable_texts(dispatch);
  report({"tag_never_fires", "tag", "never fires"}, dispatch.tags, readable.tags);
  report({"stop_never_read", "stop string", "never ends the dispatch"}, dispatch.stop_texts,
         readable.stop_texts);
  report({"exclude_never_read", "exclude", "forbids nothing"}, dispatch.excludes,
         readable.excludes);
}

}  // namespace

ReadableTexts readable_texts(const Dispatch& dispatch) {
  std::vector<std::string_view> patterns;
  for (const auto* texts : {&dispatch.tags, &dispatch.stop_texts, &dispatch.excludes}) {
    const auto more = views(*texts);
    patterns.insert(patterns.end(), more.begin(), more.end());
  }
  const std::vector<bool> all = readable_patterns(AhoCorasick(patterns), patterns);
  auto next = all.begin();
  const auto take = [&](const std::vector<WatchedText>& texts) {
    const auto begin = next;
    next += static_cast<ptrdiff_t>(texts.size());
    return std::vector<bool>(begin, next);
  };
  ReadableTexts readable;
  readable.tags = take(dispatch.tags);
  readable.stop_texts = take(dispatch.stop_texts);
  readable.excludes = take(dispatch.excludes);
  return readable;
}

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

}  // namespace xg2lab::passes
