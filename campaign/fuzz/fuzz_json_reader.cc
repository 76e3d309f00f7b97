// JSON text -> values with places. Small and fast: what it reads is the first thing that strangers
// send.
#include "explore.h"
#include "support/json_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xg2lab;
  const std::string text(reinterpret_cast<const char*>(data), size);
  fuzz::refused_or([&] {
    const auto document = read_json_text(text, "text");
    if (!document) return;
    for (size_t i = 0; i < document->n_values(); ++i) {
      const JsonId id(i);
      const SourceSpan span = document->span(id);
      if (span.begin > span.end || span.end > document->source()->text().size())
        fuzz::fail("a span leaves the source");
      const std::string pointer = document->pointer(id);
      const auto found = document->at_pointer(document->root(), pointer);
      if (!found || *found != id) fuzz::fail("a pointer leads elsewhere");
    }
  });
  return 0;
}
