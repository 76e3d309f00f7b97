// The watched texts as patterns of one Aho-Corasick automaton, which finds which text contains
// which.
#include "analysis/readable_texts.h"

#include <algorithm>

#include "dispatch/aho_corasick.h"

namespace xg2lab::analysis {

bool ReadableTexts::are_all() const {
  const auto all = [](const std::vector<bool>& readable) {
    return std::ranges::find(readable, false) == readable.end();
  };
  return all(tags) && all(stop_texts) && all(excludes);
}

std::vector<std::string_view> watched_texts(const Dispatch& dispatch) {
  std::vector<std::string_view> texts;
  for (const auto* list : {&dispatch.tags, &dispatch.stop_texts, &dispatch.excludes}) {
    const auto more = views(*list);
    texts.insert(texts.end(), more.begin(), more.end());
  }
  return texts;
}

ReadableTexts readable_texts(const Dispatch& dispatch) {
  const std::vector<std::string_view> texts = watched_texts(dispatch);
  const std::vector<bool> all = readable_patterns(AhoCorasick(texts), texts);
  auto next = all.begin();
  const auto take = [&](const std::vector<WatchedText>& watched) {
    const auto begin = next;
    next += static_cast<ptrdiff_t>(watched.size());
    return std::vector<bool>(begin, next);
  };
  ReadableTexts readable;
  readable.tags = take(dispatch.tags);
  readable.stop_texts = take(dispatch.stop_texts);
  readable.excludes = take(dispatch.excludes);
  return readable;
}

}  // namespace xg2lab::analysis
