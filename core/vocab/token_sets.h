// Facts about a vocabulary that mask code needs, computed once for all grammars of a tokenizer.
//
// THREADS   immutable: shared by any number of compiled grammars and threads.
#pragma once

#include <memory>
#include <vector>

#include "vocab/run_nodes.h"
#include "vocab/text_class.h"
#include "vocab/text_nodes.h"
#include "vocab/token_trie.h"
#include "vocab/vocabulary.h"

namespace xg2lab {

struct TokenSets {
  explicit TokenSets(std::shared_ptr<const Vocabulary> tokens);

  std::shared_ptr<const TextClass> text_class(const FirstBytes& text) const {
    return text_classes.of(*vocabulary, trie, text_nodes, text);
  }

  std::shared_ptr<const Vocabulary> vocabulary;
  TokenTrie trie;
  TextNodes text_nodes;
  TextClasses text_classes;
  RunNodes run_nodes;
  std::vector<uint32_t> text_words;  // bitmask of the tokens of kind kText
  std::vector<uint32_t>
      by_id_words;  // those, and special tokens with bytes: the tokens that token edges can consume
  size_t n_words;   // words of one bitmask row
};

}  // namespace xg2lab
