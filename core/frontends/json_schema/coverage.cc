#include "frontends/json_schema/coverage.h"

#include <algorithm>
#include <utility>

#include "support/text.h"

namespace xg2lab::json_schema {

// A keyword may be read more than once; its most significant state is kept.
void Coverage::note(JsonId keyword, KeywordState state, std::string_view why) {
  Use& use = uses_[keyword.index()];
  if (use.is_known && state <= use.state) return;
  n_uses_ += use.is_known ? 0 : 1;
  use = {true, state, kept(why)};
}

uint32_t Coverage::kept(std::string_view note) {
  if (note.empty()) return 0;
  if (notes_.back() != note) notes_.emplace_back(note);
  return static_cast<uint32_t>(notes_.size() - 1);
}

bool Coverage::remark(JsonId keyword, std::string_view words) {
  Use* use = &uses_[keyword.index()];
  if (!use->is_known) {
    const auto above = document_.parent(keyword);
    if (!above) return false;
    use = &uses_[above->index()];
  }
  if (!use->is_known) return false;
  if (use->state != KeywordState::kEnforced) return true;
  const std::string before = notes_[use->note];
  if (before.empty()) use->note = kept(words);
  else if (before.find(words) == std::string::npos) use->note = kept(concat(before, "; ", words));
  return true;
}

void Coverage::report(JsonId value, const char* code, std::string message, std::string hint) {
  const std::string pointer = document_.pointer(value);
  if (!pointer.empty()) message = "at " + pointer + ": " + message;
  const SourceSpan span =
      document_.key_span(value).empty()
          ? document_.span(value)
          : SourceSpan{document_.key_span(value).begin,
                       std::min(document_.span(value).end, document_.key_span(value).end + 60)};
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

void Coverage::mistake(JsonId value, const char* code, std::string message, std::string hint) {
  has_mistakes_ = true;
  report(value, code, std::move(message), std::move(hint));
}

std::vector<KeywordUse> Coverage::uses() const {
  std::vector<KeywordUse> uses;
  uses.reserve(n_uses_);
  for (size_t i = 0; i < uses_.size(); ++i) {
    const Use& use = uses_[i];
    if (use.is_known) uses.push_back({use.state, notes_[use.note], document_.key_span(JsonId(i))});
  }
  return uses;
}

Error Coverage::located(const Error& error) const {
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
