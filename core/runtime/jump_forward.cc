// Read: the forced bytes (forced_bytes), their tokens (longest_token, goes_past), then the end
// (jump_forward_string).
#include "runtime/jump_forward.h"

#include <optional>
#include <string_view>
#include <vector>

#include "support/budget.h"

namespace xg2lab {
namespace {

constexpr size_t kMaxForcedBytes = 1 << 16;

// ---- The forced bytes ----

// The only byte that can follow, if there is exactly one and no token edge.
std::optional<uint8_t> only_byte(const ColumnTable& table, ColumnId at) {
  table.need_contents(at);
  // A token edge consumes any token of its set, so no byte is forced there.
  if (table.at(at).expects_token) return std::nullopt;
  std::optional<uint8_t> only;
  for (const Item& item : table.items(at)) {
    for (const TerminalEdge& edge : table.program().terminals(item.state)) {
      if (!table.count_sets().is_open(edge.to, item.counts)) continue;
      if (edge.range.lo != edge.range.hi || (only && *only != edge.range.lo)) return std::nullopt;
      only = edge.range.lo;
    }
  }
  return only;
}

struct Forced {
  std::string bytes;
  ColumnId end;  // the column after these bytes
};

Forced forced_bytes(ColumnTable& table, ColumnId from) {
  Forced forced{{}, from};
  while (forced.bytes.size() < kMaxForcedBytes && !table.at(forced.end).is_complete) {
    const std::optional<uint8_t> byte = only_byte(table, forced.end);
    if (!byte) break;
    forced.bytes.push_back(static_cast<char>(*byte));
    forced.end = table.step(forced.end, *byte);
  }
  return forced;
}

// Whether position `at` is between two code points.
bool is_boundary(std::string_view bytes, size_t at) {
  for (size_t back = 1; back <= 4 && back <= at; ++back) {
    const auto byte = static_cast<uint8_t>(bytes[at - back]);
    if (byte >= 0xC0) return back >= (byte >= 0xF0 ? 4u : byte >= 0xE0 ? 3u : 2u);
    if (byte < 0x80) return true;
  }
  return true;
}

// ---- Their tokens ----

bool ends_a_text_token(const Matcher& matcher, uint32_t node) {
  const TokenSets& tokens = matcher.compiled().tokens();
  for (uint32_t rank = tokens.trie.first_rank(node); rank < tokens.trie.end_rank(node); ++rank) {
    if (!matcher.is_stop_token(tokens.vocabulary->token_at(TokenRank(rank)))) return true;
  }
  return false;
}

struct Fit {
  size_t n_bytes = 0;            // length of the longest token that is a prefix of `bytes`
  std::optional<uint32_t> past;  // the node of all `bytes`, if longer tokens begin with them
};

Fit longest_token(const Matcher& matcher, std::string_view bytes) {
  const TokenTrie& trie = matcher.compiled().tokens().trie;
  Fit fit;
  uint32_t node = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto child = trie.child(node, static_cast<uint8_t>(bytes[i]));
    if (!child) return fit;
    node = *child;
    if (ends_a_text_token(matcher, node)) fit.n_bytes = i + 1;
  }
  fit.past = node;
  return fit;
}

// Whether some token below `node` is allowed, given the column after `node`'s own bytes.
bool goes_past(const Matcher& matcher, uint32_t node, ColumnId column) {
  const TokenTrie& trie = matcher.compiled().tokens().trie;
  ColumnTable& table = matcher.configurations().table();
  const size_t depth = trie[node].depth;
  std::vector<ColumnId> path{column};  // path[d]: after d bytes below `node`
  for (uint32_t i = node + 1; i < trie[node].subtree_end;) {
    path.resize(trie[i].depth - depth);
    path.push_back(table.step(path.back(), trie[i].byte));
    count_work("computing the jump-forward string");
    if (path.back() == kDead) {
      i = trie[i].subtree_end;
      continue;
    }
    if (ends_a_text_token(matcher, i)) return true;
    ++i;
  }
  return false;
}

}  // namespace

// ---- The end ----

std::string jump_forward_string(const Matcher& matcher) {
  return matcher.has_stopped() ? std::string() : jump_forward_string(matcher, matcher.column());
}

std::string jump_forward_string(const Matcher& matcher, ColumnId column) {
  const Forced forced = forced_bytes(matcher.configurations().table(), column);
  const std::string_view bytes = forced.bytes;
  // The text so far ends inside a code point, so no whole code point is forced.
  const bool continues = !bytes.empty() && (static_cast<uint8_t>(bytes[0]) & 0xC0u) == 0x80u;
  if (continues) return {};
  size_t edge = 0;
  size_t end = 0;  // the last token boundary between two code points
  while (edge < bytes.size()) {
    const Fit fit = longest_token(matcher, bytes.substr(edge));
    // All remaining bytes are a prefix of some token: if an allowed one is longer, the model may
    // choose it.
    if (fit.past && goes_past(matcher, *fit.past, forced.end)) return forced.bytes.substr(0, end);
    if (fit.n_bytes == 0) {  // the vocabulary can't spell the bytes
      end = bytes.size();
      while (!is_boundary(bytes, end)) --end;
      break;
    }
    edge += fit.n_bytes;
    if (is_boundary(bytes, edge)) end = edge;
  }
  return forced.bytes.substr(0, end);
}

}  // namespace xg2lab
