// Read: TextClass's constructor, then exits (find_staying, find_exit_classes) and the comparison of
// subtrees.
#include "vocab/text_class.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "support/bits.h"
#include "support/hash.h"

namespace xg2lab {
namespace {

constexpr size_t kMaxClasses = 64;  // kept; a grammar uses a handful

// Hashes a subtree relative to its top: bytes, depths, and the number of tokens that end at each
// node.
uint64_t hash_of_subtree(const TokenTrie& trie, uint32_t top) {
  uint64_t hash = trie[top].subtree_end - top;
  for (uint32_t i = top; i < trie[top].subtree_end; ++i) {
    const uint64_t depth = trie[i].depth - trie[top].depth;
    const uint64_t n_tokens = trie.end_rank(i) - trie.first_rank(i);
    hash = hash_combine(hash, trie[i].byte | depth << 8 | n_tokens << 24);
  }
  return hash;
}

bool are_equal(const TokenTrie& trie, uint32_t a, uint32_t b) {
  if (trie[a].subtree_end - a != trie[b].subtree_end - b) return false;
  for (uint32_t i = a, j = b; i < trie[a].subtree_end; ++i, ++j) {
    const bool is_same =
        trie[i].byte == trie[j].byte &&
        trie[i].depth - trie[a].depth == trie[j].depth - trie[b].depth &&
        trie.end_rank(i) - trie.first_rank(i) == trie.end_rank(j) - trie.first_rank(j);
    if (!is_same) return false;
  }
  return true;
}

}  // namespace

TextClass::TextClass(const Vocabulary& vocabulary, const TokenTrie& trie, const TextNodes& nodes,
                     const FirstBytes& text)
    : vocabulary_(vocabulary), trie_(trie), nodes_(nodes), elsewhere_(trie.n_nodes() / 64 + 1, 0) {
  const auto mark = [&](std::span<const uint32_t> listed) {
    for (uint32_t node : listed) elsewhere_[node / 64] |= uint64_t{1} << (node % 64);
  };
  mark(nodes.malformed());
  for (size_t byte = 0; byte < text.size(); ++byte) {
    if (!text[byte]) mark(nodes.beginning_with(static_cast<uint8_t>(byte)));
  }
}

const TextClass::Exits& TextClass::exits() const {
  return exits_.get("finding where tokens leave plain text", [this] {
    auto exits = std::make_unique<Exits>();
    find_staying(*exits);
    find_exit_classes(*exits);
    return exits;
  });
}

void TextClass::find_staying(Exits& exits) const {
  exits.staying.assign(n_words_for(vocabulary_.n_tokens()), 0);
  uint32_t rank = 0;
  const auto stay_until = [&](uint32_t end) {
    for (; rank < end; ++rank) set_bit(exits.staying, vocabulary_.token_at(TokenRank(rank)).value);
    // The exits' subtrees are disjoint ranges of ranks. The tokens between two of them stay in the
    // text.
  };
  const uint32_t n_nodes = trie_.n_nodes();
  for (uint32_t i = next_elsewhere(1, n_nodes); i < n_nodes;
       i = next_elsewhere(trie_[i].subtree_end, n_nodes)) {
    stay_until(trie_[i].first_rank);
    rank = trie_.subtree_end_rank(i);
  }
  stay_until(static_cast<uint32_t>(vocabulary_.n_ranks()));
}

// Exit classes are found by the hash of the subtree; equality is decided by comparing the subtrees.
void TextClass::find_exit_classes(Exits& exits) const {
  std::vector<ExitClass>& classes = exits.classes;
  std::unordered_multimap<uint64_t, size_t> by_hash;  // indices of classes
  for (uint32_t top = 1; top < trie_.n_nodes(); top = trie_[top].subtree_end) {
    const uint32_t end = trie_[top].subtree_end;
    for (uint32_t i = next_elsewhere(top, end); i < end;
         i = next_elsewhere(trie_[i].subtree_end, end)) {
      const uint64_t hash = hash_of_subtree(trie_, i);
      const auto n_before = static_cast<uint16_t>(nodes_.n_characters(i) - 1);
      const auto [begin, past] = by_hash.equal_range(hash);
      const auto equal = std::find_if(begin, past, [&](const auto& known) {
        return are_equal(trie_, classes[known.second].front().node, i);
      });
      if (equal != past) {
        classes[equal->second].push_back({i, trie_[top].byte, n_before});
        continue;
      }
      by_hash.emplace(hash, classes.size());
      classes.push_back({{i, trie_[top].byte, n_before}});
      exits.n_nodes += trie_[i].subtree_end - i;
    }
  }
  for (ExitClass& exit_class : classes)
    std::ranges::stable_sort(exit_class, {}, [](const Exit& exit) { return exit.n_before; });
}

// Finds the next set bit of elsewhere_, a word at a time.
uint32_t TextClass::next_elsewhere(uint32_t begin, uint32_t end) const {
  if (begin >= end) return end;
  size_t word = begin / 64;
  uint64_t bits = elsewhere_[word] >> (begin % 64) << (begin % 64);
  while (bits == 0) {
    if (++word * 64 >= end) return end;
    bits = elsewhere_[word];
  }
  const auto node =
      static_cast<uint32_t>(word * 64) + static_cast<uint32_t>(std::countr_zero(bits));
  return node < end ? node : end;
}

std::shared_ptr<const TextClass> TextClasses::of(const Vocabulary& vocabulary,
                                                 const TokenTrie& trie, const TextNodes& nodes,
                                                 const FirstBytes& text) const {
  const std::lock_guard lock(mutex_);
  const auto known =
      std::ranges::find_if(known_, [&](const KnownClass& each) { return each.text == text; });
  if (known != known_.end()) {
    std::rotate(known, known + 1, known_.end());
    return known_.back().made;
  }
  if (known_.size() == kMaxClasses) known_.erase(known_.begin());
  auto made = std::make_shared<const TextClass>(vocabulary, trie, nodes, text);
  known_.push_back({text, made});
  return made;
}

}  // namespace xg2lab
