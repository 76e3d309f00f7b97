// Builds a vocabulary: checks, the blob, kinds, byte order, hash; then the look-ups.
// Read: the constructor, which is the table of contents.
// The trick: tokens are sorted by their first eight bytes as one integer; only ties read the blob.
#include "vocab/vocabulary.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "support/error.h"
#include "support/text.h"

namespace xg2lab {
namespace {

constexpr size_t kMaxTokenBytes = std::numeric_limits<uint16_t>::max();

[[noreturn]] void refuse(std::string message, std::string hint) {
  throw Error(ErrorKind::kVocabularyError, std::move(message), std::move(hint));
}

void check_sizes(const VocabularySpec& spec) {
  const size_t n_listed = spec.tokens.size();
  if (spec.n_tokens < n_listed) {
    refuse(concat("vocab_size is ", spec.n_tokens, ", but the list holds ", n_listed, " tokens"),
           concat("pass the width of the model's logits, which is at least ", n_listed,
                  ", or leave vocab_size out"));
  }
  if (spec.n_tokens > std::numeric_limits<int32_t>::max()) {
    refuse(concat("vocab_size is ", spec.n_tokens, ", which no token id can number"),
           "token ids are 32-bit; pass the width of the model's logits");
  }
  size_t n_bytes = 0;
  for (size_t i = 0; i < n_listed; ++i) {
    n_bytes += spec.tokens[i].size();
    if (spec.tokens[i].size() > kMaxTokenBytes) {
      refuse(concat("token ", i, " has ", spec.tokens[i].size(), " bytes; a token has at most ",
                    kMaxTokenBytes),
             "check that the list holds one token an entry");
    }
  }
  if (n_bytes > std::numeric_limits<uint32_t>::max()) {
    refuse(concat("the tokens have ", n_bytes, " bytes together; at most 4,294,967,295 fit"),
           "check that the list holds one token an entry");
  }
}

// The ids, checked, ascending, without duplicates.
std::vector<TokenId> checked_ids(std::vector<TokenId> ids, size_t n_tokens, const char* role) {
  for (const TokenId id : ids) {
    if (id.index() >= n_tokens) {
      refuse(concat(role, " token id ", id.value, " is not in the vocabulary, ",
                    n_tokens == 0 ? "which has no tokens"
                                  : concat("whose ids are 0 to ", n_tokens - 1)),
             "pass vocab_size if the model's logits are wider than the list of tokens");
    }
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

// ---- Sorting by the first eight bytes ----

struct SortEntry {
  uint64_t
      // big-endian, so that integers compare like byte strings; short tokens are padded with 0
      first_bytes;
  TokenId id;
};

uint64_t first_eight_bytes(std::string_view bytes) {
  uint64_t value = 0;
  const size_t n = std::min<size_t>(bytes.size(), 8);
  for (size_t i = 0; i < 8; ++i) {
    value = (value << 8) | (i < n ? static_cast<unsigned char>(bytes[i]) : 0u);
  }
  return value;
}

size_t common_prefix_length(std::string_view a, std::string_view b) {
  const size_t n = std::min(a.size(), b.size());
  size_t i = 0;
  while (i < n && a[i] == b[i]) ++i;
  return i;
}

// ---- Hashing: two lanes with odd multipliers, words read little-endian ----

class ContentHasher {
 public:
  void add(uint64_t word) {
    high_ = mix((high_ ^ word) * 0x9E3779B97F4A7C15u + 0x632BE59BD9B4E019u);
    low_ = mix((low_ + word) * 0xD6E8FEB86659FD93u ^ high_);
  }
  void add(std::string_view bytes) {
    for (size_t i = 0; i < bytes.size(); i += 8) {
      uint64_t word = 0;
      const size_t n = std::min<size_t>(8, bytes.size() - i);
      for (size_t k = 0; k < n; ++k) {
        word |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i + k])) << (8 * k);
      }
      add(word);
    }
  }
  ContentHash value() const { return {high_, low_}; }

 private:
  static uint64_t mix(uint64_t word) { return (word ^ (word >> 31)) * 0xBF58476D1CE4E5B9u; }
  uint64_t high_ = 0x243F6A8885A308D3u;
  uint64_t low_ = 0x13198A2E03707344u;
};

}  // namespace

const char* token_kind_name(TokenKind kind) {
  switch (kind) {
    case TokenKind::kText: return "text";
    case TokenKind::kSpecial: return "special";
    case TokenKind::kStop: return "stop";
    case TokenKind::kPadding: return "padding";
    case TokenKind::kEmpty: return "empty";
  }
  return "text";
}

Vocabulary::Vocabulary(VocabularySpec spec) {
  check_sizes(spec);
  stop_tokens_ = checked_ids(std::move(spec.stop_tokens), spec.n_tokens, "stop");
  special_tokens_ = checked_ids(std::move(spec.special_tokens), spec.n_tokens, "special");
  const auto padding = checked_ids(std::move(spec.padding_tokens), spec.n_tokens, "padding");

  offsets_.reserve(spec.n_tokens + 1);
  kinds_.assign(spec.n_tokens, TokenKind::kPadding);
  offsets_.push_back(0);
  for (size_t i = 0; i < spec.tokens.size(); ++i) {
    blob_ += spec.tokens[i];
    offsets_.push_back(static_cast<uint32_t>(blob_.size()));
    max_token_bytes_ = std::max(max_token_bytes_, spec.tokens[i].size());
    kinds_[i] = spec.tokens[i].empty() ? TokenKind::kEmpty : TokenKind::kText;
  }
  blob_.shrink_to_fit();
  offsets_.resize(spec.n_tokens + 1, offsets_.back());
  // Later assignments override earlier ones: stop over special over padding.
  for (const TokenId id : padding) kinds_[id.index()] = TokenKind::kPadding;
  for (const TokenId id : special_tokens_) kinds_[id.index()] = TokenKind::kSpecial;
  for (const TokenId id : stop_tokens_) kinds_[id.index()] = TokenKind::kStop;

  sort_text_tokens();
  measure_common_prefixes();
  content_hash_ = hash_content();
}

void Vocabulary::sort_text_tokens() {
  std::vector<SortEntry> entries;
  entries.reserve(n_tokens());
  for (size_t i = 0; i < n_tokens(); ++i) {
    const TokenId id(i);
    if (is_text(id)) entries.push_back({first_eight_bytes(bytes(id)), id});
  }
  std::sort(entries.begin(), entries.end(), [this](const SortEntry& a, const SortEntry& b) {
    if (a.first_bytes != b.first_bytes) return a.first_bytes < b.first_bytes;
    const int order = bytes(a.id).compare(bytes(b.id));
    return order != 0 ? order < 0 : a.id < b.id;
  });
  by_rank_.reserve(entries.size());
  for (const SortEntry& entry : entries) by_rank_.push_back(entry.id);
}

void Vocabulary::measure_common_prefixes() {
  common_prefix_.assign(n_ranks(), 0);
  for (size_t r = 1; r < n_ranks(); ++r) {
    const size_t length = common_prefix_length(bytes_at(TokenRank(r - 1)), bytes_at(TokenRank(r)));
    common_prefix_[r] = static_cast<uint16_t>(length);
  }
}

ContentHash Vocabulary::hash_content() const {
  ContentHasher hasher;
  hasher.add(n_tokens());
  for (size_t i = 0; i < n_tokens(); ++i) {
    const std::string_view token = bytes(TokenId(i));
    hasher.add((token.size() << 8) | static_cast<uint64_t>(kinds_[i]));
    hasher.add(token);
  }
  return hasher.value();
}

std::pair<TokenRank, TokenRank> Vocabulary::find(std::string_view wanted) const {
  const auto first =
      std::lower_bound(by_rank_.begin(), by_rank_.end(), wanted,
                       [this](TokenId id, std::string_view text) { return bytes(id) < text; });
  auto last = first;
  while (last != by_rank_.end() && bytes(*last) == wanted) ++last;
  return {TokenRank(static_cast<size_t>(first - by_rank_.begin())),
          TokenRank(static_cast<size_t>(last - by_rank_.begin()))};
}

std::optional<TokenRank> Vocabulary::rank_of(TokenId id) const {
  if (id.index() >= n_tokens() || !is_text(id)) return std::nullopt;
  auto [first, last] = find(bytes(id));
  while (first < last && token_at(first) != id) ++first.value;
  return first;
}

// The tokens that begin with text[0, n) are a range of ranks, which shrinks with each byte. The
// first rank of the range is the token text[0, n) itself, if it exists.
std::optional<TokenRank> Vocabulary::longest_match(std::string_view text) const {
  std::optional<TokenRank> best;
  auto first = by_rank_.begin();
  auto last = by_rank_.end();
  for (size_t n = 1; n <= text.size() && first != last; ++n) {
    const auto at = [this, n](TokenId id) { return static_cast<unsigned char>(bytes(id)[n - 1]); };
    const auto wanted = static_cast<unsigned char>(text[n - 1]);
    first = std::partition_point(
        first, last, [&](TokenId id) { return bytes(id).size() < n || at(id) < wanted; });
    last = std::partition_point(first, last, [&](TokenId id) { return at(id) <= wanted; });
    if (first != last && bytes(*first).size() == n) {
      best = TokenRank(static_cast<size_t>(first - by_rank_.begin()));
    }
  }
  return best;
}

size_t Vocabulary::memory_size_bytes() const {
  return sizeof(*this) + blob_.capacity() + offsets_.capacity() * sizeof(uint32_t) +
         kinds_.capacity() * sizeof(TokenKind) + common_prefix_.capacity() * sizeof(uint16_t) +
         (stop_tokens_.capacity() + special_tokens_.capacity() + by_rank_.capacity()) *
             sizeof(TokenId);
}

void Vocabulary::check_invariants() const {
  XG2LAB_ASSERT(offsets_.size() == n_tokens() + 1 && offsets_.back() == blob_.size(),
                "vocabulary I1");
  XG2LAB_ASSERT(std::is_sorted(offsets_.begin(), offsets_.end()), "vocabulary I1");
  const auto n_text = std::count(kinds_.begin(), kinds_.end(), TokenKind::kText);
  XG2LAB_ASSERT(n_ranks() == static_cast<size_t>(n_text), "vocabulary I2");
  XG2LAB_ASSERT(common_prefix_.size() == n_ranks(), "vocabulary I4");
  for (size_t r = 0; r < n_ranks(); ++r) {
    const TokenRank rank(r);
    XG2LAB_ASSERT(is_text(token_at(rank)) && !bytes_at(rank).empty(), "vocabulary I2");
    XG2LAB_ASSERT(bytes_at(rank).size() <= kMaxTokenBytes, "vocabulary I5");
    if (r == 0) {
      XG2LAB_ASSERT(common_prefix(rank) == 0, "vocabulary I4");
      continue;
    }
    const TokenRank before(r - 1);
    const int order = bytes_at(before).compare(bytes_at(rank));
    XG2LAB_ASSERT(order < 0 || (order == 0 && token_at(before) < token_at(rank)), "vocabulary I3");
    XG2LAB_ASSERT(common_prefix(rank) == common_prefix_length(bytes_at(before), bytes_at(rank)),
                  "vocabulary I4");
  }
}

}  // namespace xg2lab
