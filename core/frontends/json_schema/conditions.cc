#include "frontends/json_schema/conditions.h"

#include <algorithm>

#include "automata/sources.h"
#include "frontends/json_schema/known_patterns.h"
#include "languages/formats/formats.h"
#include "support/error.h"
#include "support/known_values.h"
#include "support/utf8.h"

namespace xg2lab::json_schema {

std::vector<uint32_t> code_points(std::string_view utf8) {
  std::vector<uint32_t> points;
  for (size_t i = 0; i < utf8.size();) {
    const auto decoded = decode_utf8(utf8, i);
    XG2LAB_ASSERT(decoded.has_value(), "texts of a JsonDocument are UTF-8");
    points.push_back(decoded->code_point);
    i += decoded->n_bytes;
  }
  return points;
}

namespace {

// One traversal from the start; the shortest and longest texts of a state are known once those of
// all its targets are.
TextLengths lengths_of(const CodePointDfa& dfa) {
  constexpr uint32_t kNone = UINT32_MAX;  // no text
  const auto n_letters = static_cast<Letter>(dfa.alphabet.n_letters());
  const Sources sources(dfa.n_states(), [&](auto f) {
    for (uint32_t s = 0; s < dfa.n_states(); ++s) {
      for (Letter letter = 0; letter < n_letters; ++letter) f(s, dfa.step(s, letter));
    }
  });
  const std::vector<bool> is_live = states_that_can_accept(
      dfa.n_states(), sources, [&](uint32_t s) { return dfa.is_accepting[s]; });
  if (!is_live[0]) return {};
  TextLengths lengths{kNone, 0};
  std::vector<uint32_t> n_open(dfa.n_states(), 0);  // edges from unfinished states
  std::vector<uint32_t> shortest(dfa.n_states(), kNone);
  std::vector<uint32_t> longest(dfa.n_states(), 0);
  for (uint32_t s = 0; s < dfa.n_states(); ++s) {
    for (const uint32_t from : sources.of(s)) n_open[s] += is_live[from] ? 1 : 0;
  }
  // Breadth-first order for the shortest texts.
  std::vector<uint32_t> order{0};
  shortest[0] = 0;
  for (size_t i = 0; i < order.size() && lengths.min == kNone; ++i) {
    if (dfa.is_accepting[order[i]]) lengths.min = shortest[order[i]];
    for (Letter letter = 0; letter < n_letters; ++letter) {
      const uint32_t to = dfa.step(order[i], letter);
      if (!is_live[to] || shortest[to] != kNone) continue;
      shortest[to] = shortest[order[i]] + 1;
      order.push_back(to);
    }
  }
  // Topological order for the longest texts; states on a loop never become ready.
  order.assign(n_open[0] == 0 ? 1 : 0, 0);
  size_t n_live = 0;
  for (size_t s = 0; s < dfa.n_states(); ++s) n_live += is_live[s] ? 1 : 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (dfa.is_accepting[order[i]]) lengths.max = std::max(lengths.max, longest[order[i]]);
    for (Letter letter = 0; letter < n_letters; ++letter) {
      const uint32_t to = dfa.step(order[i], letter);
      if (!is_live[to]) continue;
      longest[to] = std::max(longest[to], longest[order[i]] + 1);
      if (--n_open[to] == 0) order.push_back(to);
    }
  }
  if (order.size() < n_live) lengths.max = kNoLongest;
  return lengths;
}

template <class Language>
TextLengths known_lengths(const std::string& name, Language language) {
  constexpr size_t kMost = 1'000;
  static auto* const known = new KnownValues<TextLengths>(kMost);  // may outlive main
  if (const auto found = known->find(name)) return *found;
  const TextLengths made = lengths_of(language());
  known->keep(name, std::make_shared<const TextLengths>(made));
  return made;
}

}  // namespace

ConditionId Conditions::add(ConditionKind kind, std::string_view text, JsonId origin) {
  const auto [found, is_new] =
      known_.try_emplace({kind, std::string(text)}, ConditionId(conditions_.size()));
  if (is_new) {
    conditions_.push_back({kind, std::string(text), origin});
    languages_.emplace_back();
    lengths_.emplace_back();
  }
  return found->second;
}

const CodePointDfa& Conditions::language(ConditionId id) {
  auto& language = languages_[id.index()];
  if (language) return *language;
  const Condition& condition = conditions_[id.index()];
  if (condition.kind == ConditionKind::kPattern) {
    language = language_of_pattern(condition.text);
  } else {
    language = format_language(condition.text);
    XG2LAB_ASSERT(language != nullptr, "only formats that have a language are conditions");
  }
  return *language;
}

const MaybeDfa& Conditions::language(std::span<const ConditionId> kept,
                                     std::span<const ConditionId> excluded) {
  std::pair asked(std::vector(kept.begin(), kept.end()),
                  std::vector(excluded.begin(), excluded.end()));
  if (const auto known = together_.find(asked); known != together_.end()) return known->second;
  MaybeDfa all;
  if (!excluded.empty()) {
    const MaybeDfa& more = language(kept, excluded.first(excluded.size() - 1));
    if (more) all = subtract(*more, language(excluded.back()));
  } else if (kept.size() > 1) {
    const MaybeDfa& more = language(kept.first(kept.size() - 1), {});
    if (more) all = intersect(*more, language(kept.back()));
  } else {
    all = kept.empty() ? everything() : language(kept.front());
  }
  return together_.emplace(std::move(asked), std::move(all)).first->second;
}

TextLengths Conditions::lengths(ConditionId id) {
  auto& lengths = lengths_[id.index()];
  if (!lengths) {
    const Condition& condition = conditions_[id.index()];
    lengths =
        known_lengths((condition.kind == ConditionKind::kPattern ? "p" : "f") + condition.text,
                      [&]() -> const CodePointDfa& { return language(id); });
  }
  return *lengths;
}

bool Conditions::accepts(ConditionId id, std::string_view text) {
  return language(id).accepts(code_points(text));
}

}  // namespace xg2lab::json_schema
