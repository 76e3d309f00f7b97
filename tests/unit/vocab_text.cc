// vocab/text_nodes.h, text_class.h, run_nodes.h: what is known of the trie before any grammar is.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/bits.h"
#include "unit/fixture.h"

namespace xg2lab {
namespace {

using unit::list;
using unit::tokens_of;

// Characters of one, two and four bytes, cut off, broken, and behind each other.
std::shared_ptr<const TokenSets> mixed_tokens() {
  return tokens_of({"a",         "ab",   "a\"",      "a\",",  "b\"",  "é",    "éa",
                    "né",        "\xC3", "\xC3)",    "\xC3(", "\xA9", "\xFF", "a\xFF",
                    "a\xFF\xFF", "😀",   "\xF0\x9F", "aa\"",  "\"",   "\",",  " ",
                    "  ",        "  a",  " b",       "\n",    "\n ",  "ab"});
}

uint32_t node_of(const TokenSets& tokens, std::string_view path) {
  const std::optional<uint32_t> node = tokens.trie.find(path);
  REQUIRE(node.has_value());
  return *node;
}

// Every node from below the root to `node`, by the parents of TokenTrie I3.
std::vector<uint32_t> path_to(const TokenTrie& trie, uint32_t node) {
  std::vector<uint32_t> path;
  for (uint32_t i = 1; i <= node; ++i) {
    if (i <= node && node < trie[i].subtree_end) path.push_back(i);
  }
  return path;
}

FirstBytes all_but(std::string_view bytes) {
  FirstBytes text;
  text.set();
  for (const char byte : bytes) text.reset(static_cast<uint8_t>(byte));
  return text;
}

// ---- TextNodes ----

TEST_CASE("TextNodes: a path is whole characters, or ends within one") {
  const auto tokens = mixed_tokens();
  const TextNodes& nodes = tokens->text_nodes;
  for (const char* path : {"a", "ab", "\xC3\xA9", "né", "😀", "\""})
    CHECK_MESSAGE(nodes.is_whole(node_of(*tokens, path)), path);
  for (const char* path : {"\xC3", "\xA9", "\xF0\x9F", "a\xFF", "\xC3("})
    CHECK_FALSE_MESSAGE(nodes.is_whole(node_of(*tokens, path)), path);
}

TEST_CASE("TextNodes: a character begins at its first byte, and only behind whole characters") {
  const auto tokens = mixed_tokens();
  const TextNodes& nodes = tokens->text_nodes;
  for (const char* path : {"a", "aa", "\xC3", "n\xC3", "\xF0", "a\""})
    CHECK_MESSAGE(nodes.begins_character(node_of(*tokens, path)), path);
  for (const char* path : {"\xC3\xA9", "\xA9", "\xFF", "a\xFF", "\xF0\x9F", "\xC3("})
    CHECK_FALSE_MESSAGE(nodes.begins_character(node_of(*tokens, path)), path);
}

TEST_CASE(
    "TextNodes: beginning_with lists exactly the nodes that begin a character so, ascending") {
  const auto tokens = mixed_tokens();
  for (size_t byte = 0; byte < 256; ++byte) {
    std::vector<uint32_t> expected;
    for (uint32_t i = 1; i < tokens->trie.n_nodes(); ++i) {
      if (tokens->trie[i].byte == byte && tokens->text_nodes.begins_character(i))
        expected.push_back(i);
    }
    CHECK(list(tokens->text_nodes.beginning_with(static_cast<uint8_t>(byte))) == expected);
  }
}

TEST_CASE("TextNodes: malformed is the node where the broken character began, once") {
  const auto tokens = mixed_tokens();
  std::vector<uint32_t> expected;
  for (const char* path : {"\xC3", "\xA9", "\xFF", "a\xFF"})
    expected.push_back(node_of(*tokens, path));
  std::ranges::sort(expected);
  CHECK(list(tokens->text_nodes.malformed()) == expected);
}

TEST_CASE("TextNodes: characters are counted as they begin, none behind a malformed one") {
  const auto tokens = mixed_tokens();
  const TextNodes& nodes = tokens->text_nodes;
  const std::map<std::string, size_t> expected{{"a", 1},  {"ab", 2},    {"é", 1},        {"éa", 2},
                                               {"😀", 1}, {"a\xFF", 2}, {"a\xFF\xFF", 2}};
  for (const auto& [path, n] : expected)
    CHECK_MESSAGE(nodes.n_characters(node_of(*tokens, path)) == n, path);
  CHECK(nodes.most_characters() == 3);
}

TEST_CASE("TextNodes: ranks_by_length has every rank once, each among those of its length") {
  const auto tokens = mixed_tokens();
  const TextNodes& nodes = tokens->text_nodes;
  const auto all = list(nodes.ranks_by_length(0, nodes.most_characters()));
  CHECK(std::set<uint32_t>(all.begin(), all.end()).size() == tokens->vocabulary->n_ranks());
  CHECK(all.size() == tokens->vocabulary->n_ranks());
  for (size_t n = 0; n <= nodes.most_characters(); ++n) {
    for (const uint32_t rank : nodes.ranks_by_length(n, n)) {
      const auto bytes = tokens->vocabulary->bytes_at(TokenRank(rank));
      CHECK(nodes.n_characters(node_of(*tokens, bytes)) == n);
    }
  }
  CHECK(nodes.ranks_by_length(2, 3).size() ==
        nodes.ranks_by_length(2, 2).size() + nodes.ranks_by_length(3, 3).size());
}

// ---- TextClass ----

TEST_CASE("TextClass: a node leads elsewhere if it is malformed or begins a character outside") {
  const auto tokens = mixed_tokens();
  const auto text = tokens->text_class(all_but("\""));
  const auto malformed = list(tokens->text_nodes.malformed());
  for (uint32_t i = 1; i < tokens->trie.n_nodes(); ++i) {
    const bool is_outside = tokens->text_nodes.begins_character(i) && tokens->trie[i].byte == '"';
    const bool is_broken = std::ranges::binary_search(malformed, i);
    CHECK(text->leads_elsewhere(i) == (is_outside || is_broken));
  }
}

TEST_CASE("TextClass: next_elsewhere is the next such node, or the end, over words of bits too") {
  std::vector<std::string> words = unit::words_over("ab", 6);
  words.push_back("b\"");
  words.push_back("bb\"");
  const auto tokens = tokens_of(words);
  const auto text = tokens->text_class(all_but("\""));
  const uint32_t n = tokens->trie.n_nodes();
  REQUIRE(n > 128);
  for (uint32_t begin = 1; begin <= n; ++begin) {
    for (const uint32_t end : {begin, n / 2, n}) {
      uint32_t expected = begin;
      while (expected < end && !text->leads_elsewhere(expected)) ++expected;
      CHECK(text->next_elsewhere(begin, end) == (begin >= end ? end : expected));
    }
  }
}

TEST_CASE(
    "TextClass: the tokens that stay are those with no node on their path that leads elsewhere") {
  const auto tokens = mixed_tokens();
  for (const char* outside : {"", "\"", "a", "\"\xC3", "a\" \n\xF0"}) {
    const auto text = tokens->text_class(all_but(outside));
    for (size_t rank = 0; rank < tokens->vocabulary->n_ranks(); ++rank) {
      const auto bytes = tokens->vocabulary->bytes_at(TokenRank(rank));
      const auto path = path_to(tokens->trie, node_of(*tokens, bytes));
      const bool stays =
          std::ranges::none_of(path, [&](uint32_t i) { return text->leads_elsewhere(i); });
      const TokenId id = tokens->vocabulary->token_at(TokenRank(rank));
      CHECK(test_bit(text->staying(), id.value) == stays);
    }
  }
}

// A subtree by what it holds: the rests of its tokens, with repetitions.
std::vector<std::string> rests_below(const TokenSets& tokens, uint32_t node) {
  std::vector<std::string> rests;
  for (uint32_t r = tokens.trie.first_rank(node); r < tokens.trie.subtree_end_rank(node); ++r)
    rests.emplace_back(
        tokens.vocabulary->bytes_at(TokenRank(r)).substr(tokens.trie[node].depth - 1u));
  return rests;
}

TEST_CASE("TextClass: exits with equal subtrees are one group, all others are told apart") {
  const auto tokens = mixed_tokens();
  const auto text = tokens->text_class(all_but("\""));
  std::set<uint32_t> exits;
  for (uint32_t i = 1; i < tokens->trie.n_nodes(); ++i) {
    auto path = path_to(tokens->trie, i);
    path.pop_back();
    const bool is_below =
        std::ranges::any_of(path, [&](uint32_t above) { return text->leads_elsewhere(above); });
    if (text->leads_elsewhere(i) && !is_below) exits.insert(i);
  }
  std::set<uint32_t> grouped;
  std::set<std::vector<std::string>> kinds;
  size_t n_nodes = 0;
  for (const TextClass::ExitClass& exit_class : text->exit_classes()) {
    const auto kind = rests_below(*tokens, exit_class.front().node);
    CHECK(kinds.insert(kind).second);
    const uint32_t first = exit_class.front().node;
    n_nodes += tokens->trie[first].subtree_end - first;
    for (const TextClass::Exit& exit : exit_class) {
      CHECK(grouped.insert(exit.node).second);
      CHECK(rests_below(*tokens, exit.node) == kind);
      CHECK(exit.n_before == tokens->text_nodes.n_characters(exit.node) - 1);
      CHECK(exit.top == tokens->trie[path_to(tokens->trie, exit.node).front()].byte);
    }
    CHECK(std::ranges::is_sorted(
        exit_class, {}, [](const auto& exit) { return std::pair(exit.n_before, exit.node); }));
  }
  CHECK(grouped == exits);
  CHECK(text->n_exit_nodes() == n_nodes);
  // `"` with `,` below it comes after nothing and after "a"; `"` alone after "aa" and "b".
  CHECK(kinds.contains({"\"", "\","}));
  CHECK(kinds.contains({"\""}));
}

TEST_CASE("TextClasses: a set of first bytes has one class, and the 64 used last are kept") {
  const auto tokens = tokens_of({"a", "b"});
  const auto of = [&](size_t byte) {
    FirstBytes text;
    text.set(byte);
    return tokens->text_class(text);
  };
  const auto first = of(0);
  const auto second = of(1);
  CHECK(of(0) == first);
  for (size_t byte = 2; byte < 65; ++byte) of(byte);  // the 65th: one has to go
  CHECK(of(0) == first);                              // it was used after the second
  CHECK(of(1) != second);
}

// ---- RunNodes ----

TEST_CASE("RunNodes: runs by their length, and where each goes on as something else") {
  const auto tokens = mixed_tokens();
  RunNodes::Bytes spaces;
  for (const char byte : {' ', '\n'}) spaces.set(static_cast<uint8_t>(byte));
  const auto runs = tokens->run_nodes.of(tokens->trie, spaces);
  const auto nodes = [&](std::vector<std::string> paths) {
    std::vector<uint32_t> found;
    for (const std::string& path : paths) found.push_back(node_of(*tokens, path));
    return found;
  };
  REQUIRE(runs->by_length.size() == 3);
  CHECK(runs->by_length[0].empty());
  CHECK(runs->by_length[1] == nodes({"\n", " "}));
  CHECK(runs->by_length[2] == nodes({"\n ", "  "}));
  const TokenTrie& trie = tokens->trie;
  std::vector<uint32_t> ranks;  // of the tokens that end at these nodes
  for (const auto& [begin, end] : runs->tokens) {
    for (uint32_t rank = begin; rank < end; ++rank) ranks.push_back(rank);
  }
  std::vector<uint32_t> expected;
  for (const uint32_t node : nodes({"\n", "\n ", " ", "  "})) {
    for (uint32_t rank = trie.first_rank(node); rank < trie.end_rank(node); ++rank)
      expected.push_back(rank);
  }
  CHECK(ranks == expected);
  REQUIRE(runs->exits.size() == 2);
  CHECK(runs->exits[0].byte == 'a');
  CHECK(runs->exits[0].nodes == nodes({"  a"}));
  CHECK(runs->exits[1].byte == 'b');
  CHECK(runs->exits[1].nodes == nodes({" b"}));
}

TEST_CASE(
    "RunNodes: no token of the set leaves one empty length; equal sets share what was found") {
  const auto tokens = tokens_of({"a", "ab"});
  RunNodes::Bytes spaces;
  spaces.set(' ');
  const auto runs = tokens->run_nodes.of(tokens->trie, spaces);
  CHECK(runs->by_length.size() == 1);
  CHECK(runs->tokens.empty());
  CHECK(runs->exits.empty());
  CHECK(tokens->run_nodes.of(tokens->trie, spaces) == runs);
}

}  // namespace
}  // namespace xg2lab
