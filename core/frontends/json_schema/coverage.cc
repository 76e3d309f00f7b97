#include "frontends/json_schema/coverage.h"

#include <algorithm>
#include <utility>

namespace xg2lab::json_schema {

// A keyword may be read more than once; what matters most of it stays.
void Coverage::note(JsonId keyword, KeywordState state, std::string why) {
  const auto [found, is_new] = uses_.try_emplace(keyword, state, why);
  if (!is_new && state > found->second.first) found->second = {state, std::move(why)};
}

bool Coverage::remark(JsonId keyword, std::string_view words) {
  auto found = uses_.find(keyword);
  if (found == uses_.end()) {
    const auto above = document_.parent(keyword);
    found = above ? uses_.find(*above) : uses_.end();
  }
  if (found == uses_.end()) return false;
  auto& [state, why] = found->second;
  if (state == KeywordState::kEnforced && why.empty()) why = words;
  return true;
}

void Coverage::report(JsonId place, const char* code, std::string message, std::string hint) {
  const std::string pointer = document_.pointer(place);
  if (!pointer.empty()) message = "at " + pointer + ": " + message;
  const SourceSpan span =
      document_.key_span(place).empty()
          ? document_.span(place)
          : SourceSpan{document_.key_span(place).begin,
                       std::min(document_.span(place).end, document_.key_span(place).end + 60)};
  const bool is_known = std::any_of(errors_.begin(), errors_.end(), [&](const Diagnostic& d) {
    return d.code == code && d.span == span;
  });
  if (!is_known)
    errors_.push_back({code, Severity::kError, std::move(message), span, std::move(hint)});
}

void Coverage::refuse(JsonId keyword, const char* code, std::string message, std::string hint) {
  note(keyword, relaxes_ ? KeywordState::kRelaxed : KeywordState::kRefused, message);
  if (!relaxes_) report(keyword, code, std::move(message), std::move(hint));
}

void Coverage::mistake(JsonId place, const char* code, std::string message, std::string hint) {
  has_mistakes_ = true;
  report(place, code, std::move(message), std::move(hint));
}

std::vector<KeywordUse> Coverage::uses() const {
  std::vector<KeywordUse> uses;
  for (const auto& [id, use] : uses_) {
    uses.push_back({use.first, use.second, document_.key_span(id)});
  }
  return uses;
}

Error Coverage::placed(const Error& error) const {
  std::vector<Diagnostic> found = error.diagnostics();
  const std::string pointer = document_.pointer(at_);
  for (Diagnostic& diagnostic : found) {
    if (diagnostic.code.empty()) diagnostic.code = "schema_too_large";
    if (!pointer.empty()) diagnostic.message.insert(0, "at " + pointer + ": ");
    diagnostic.span =
        document_.key_span(at_).empty() ? document_.span(at_) : document_.key_span(at_);
  }
  return {error.kind(), std::move(found), *document_.source()};
}

void Coverage::raise() const {
  if (errors_.empty()) return;
  std::vector<Diagnostic> errors = errors_;
  std::stable_sort(errors.begin(), errors.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return a.span.begin < b.span.begin;
  });
  throw Error(has_mistakes_ ? ErrorKind::kGrammarError : ErrorKind::kUnsupportedError,
              std::move(errors), *document_.source());
}

}  // namespace xg2lab::json_schema
