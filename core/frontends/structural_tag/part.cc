// Read: copy; span_outside, which looks for the innermost value around a span.
#include "frontends/structural_tag/part.h"

#include <algorithm>
#include <utility>

namespace xg2lab::structural_tag {
namespace {

void copy(const JsonDocument& from, JsonId id, JsonBuilder& to) {
  const JsonKind kind = from.kind(id);
  if (kind != JsonKind::kArray && kind != JsonKind::kObject) {
    to.scalar(kind, from.text(id));
    return;
  }
  const std::string_view text = from.source()->slice(from.span(id));
  to.begin(kind, text.find('\n') == std::string_view::npos);
  for (JsonId child : from.children(id)) {
    if (kind == JsonKind::kObject) to.key(from.key(child));
    copy(from, child, to);
  }
  to.end();
}

}  // namespace

JsonDocument document_of(const JsonDocument& whole, JsonId first) {
  JsonBuilder builder;
  builder.begin_document();
  copy(whole, first, builder);
  return std::move(builder).build("schema");
}

JsonId Part::value_at(uint32_t begin) const {
  size_t low = 0;
  size_t high = document_.n_values();
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    const JsonId id(middle);
    const SourceSpan key = document_.key_span(id);
    const uint32_t here = key.empty() ? document_.span(id).begin : key.begin;
    (here <= begin ? low : high) = middle;
  }
  return JsonId(low);
}

SourceSpan Part::span_outside(SourceSpan within) const {
  if (within == SourceSpan{}) return {};
  const auto outside = [&](size_t k) { return JsonId(first_.index() + k); };
  for (std::optional<JsonId> id = value_at(within.begin); id; id = document_.parent(*id)) {
    const SourceSpan value = document_.span(*id);
    const SourceSpan key = document_.key_span(*id);
    const SourceSpan whole_value = whole_.span(outside(id->index()));
    const SourceSpan whole_key = whole_.key_span(outside(id->index()));
    if (key.begin <= within.begin && within.end <= key.end && !key.empty()) return whole_key;
    if (within == value) return whole_value;
    if (key.begin == within.begin && !key.empty()) return {whole_key.begin, whole_value.end};
    if (within.begin < value.begin || within.end > value.end) continue;
    const bool is_scalar = document_.children(*id).empty();
    const uint32_t shift = within.begin - value.begin;
    if (is_scalar)
      return {whole_value.begin + shift, whole_value.begin + shift + within.end - within.begin};
    return whole_value;
  }
  return whole_.span(first_);
}

}  // namespace xg2lab::structural_tag
