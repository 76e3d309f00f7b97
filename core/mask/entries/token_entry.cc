// Builds one bitmask and stores it in the smallest form.
#include "mask/entries/token_entry.h"

#include <chrono>

#include "support/bits.h"
#include "support/cache_events.h"

namespace xg2lab {

MaskEntry token_entry(const TokenSets& tokens, const TokenSet& set) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<uint32_t> accepted(tokens.n_words, 0);
  if (set.is_negated) accepted = tokens.by_id_words;
  for (TokenId id : set.ids) {
    if (id.index() >= tokens.vocabulary->n_tokens()) continue;
    if (set.is_negated) clear_bit(accepted, id.value);
    else if (test_bit(tokens.by_id_words, id.value)) set_bit(accepted, id.value);
  }
  MaskEntry entry;
  entry.accepted = AdaptiveMask(tokens, accepted);
  entry.n_rejected = count_ones(tokens.by_id_words) - entry.accepted.n_accepted();
  entry.build_ns = ns_since(begin);
  return entry;
}

}  // namespace xg2lab
