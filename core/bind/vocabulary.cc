// Vocabulary, TokenTrie and the decoding of token texts, for Python.
#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind/bind.h"
#include "bind/unlocked.h"
#include "support/error.h"
#include "support/text.h"
#include "vocab/decode.h"
#include "vocab/token_trie.h"
#include "vocab/vocabulary.h"

namespace xg2lab::bind {
namespace {

using Ids = std::vector<int64_t>;

constexpr int64_t kMostTokens = int64_t{1} << 24;  // each takes memory, also padding

// Python's integers may be negative or wide; a TokenId is neither.
std::vector<TokenId> to_token_ids(const Ids& ids, const char* role) {
  std::vector<TokenId> token_ids;
  token_ids.reserve(ids.size());
  for (const int64_t id : ids) {
    if (id < 0 || id > INT32_MAX) {
      throw Error(ErrorKind::kVocabularyError, concat(role, " token id ", id, " is not a token id"),
                  "token ids count from 0");
    }
    token_ids.push_back(TokenId(static_cast<uint32_t>(id)));
  }
  return token_ids;
}

Ids to_ids(const std::vector<TokenId>& token_ids) {
  Ids ids;
  ids.reserve(token_ids.size());
  for (const TokenId id : token_ids) ids.push_back(id.value);
  return ids;
}

TokenId checked_id(const Vocabulary& vocabulary, int64_t id) {
  if (id < 0 || static_cast<size_t>(id) >= vocabulary.n_tokens()) {
    throw Error(ErrorKind::kVocabularyError, concat("token id ", id, " is not in the vocabulary"),
                vocabulary.n_tokens() == 0
                    ? "it has no tokens"
                    : concat("its ids are 0 to ", vocabulary.n_tokens() - 1));
  }
  return TokenId(static_cast<uint32_t>(id));
}

TokenRank checked_rank(const Vocabulary& vocabulary, int64_t rank) {
  if (rank < 0 || static_cast<size_t>(rank) >= vocabulary.n_ranks()) {
    throw Error(ErrorKind::kVocabularyError, concat("rank ", rank, " is not in the vocabulary"),
                concat("it ranks ", vocabulary.n_ranks(), " text tokens, from 0"));
  }
  return TokenRank(static_cast<uint32_t>(rank));
}

py::bytes to_bytes(std::string_view text) { return py::bytes(text.data(), text.size()); }

// The text of entry `index` of a list of token texts; str is read as UTF-8.
std::string token_text(py::handle entry, size_t index) {
  if (PyBytes_Check(entry.ptr())) {
    return std::string(PyBytes_AS_STRING(entry.ptr()),
                       static_cast<size_t>(PyBytes_GET_SIZE(entry.ptr())));
  }
  if (PyUnicode_Check(entry.ptr())) {
    Py_ssize_t size = 0;
    if (const char* text = PyUnicode_AsUTF8AndSize(entry.ptr(), &size)) {
      return std::string(text, static_cast<size_t>(size));
    }
    PyErr_Clear();
    throw Error(ErrorKind::kVocabularyError,
                concat("token ", index, " holds a lone surrogate, which UTF-8 cannot write"),
                "pass this token as bytes");
  }
  const auto type = py::str(py::type::handle_of(entry).attr("__name__")).cast<std::string>();
  throw Error(ErrorKind::kVocabularyError,
              concat("token ", index, " has type ", type, "; wanted str or bytes"),
              "pass the tokens' texts in the order of their ids");
}

std::vector<std::string> token_texts(const py::sequence& entries) {
  const py::object fast =
      py::reinterpret_steal<py::object>(PySequence_Fast(entries.ptr(), "a list of tokens"));
  if (!fast) throw py::error_already_set();
  const auto n = static_cast<size_t>(PySequence_Fast_GET_SIZE(fast.ptr()));
  std::vector<std::string> texts;
  texts.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    texts.push_back(
        token_text(PySequence_Fast_GET_ITEM(fast.ptr(), static_cast<Py_ssize_t>(i)), i));
  }
  return texts;
}

VocabType to_vocab_type(int type) {
  if (type < 0 || type > 2) {
    throw Error(ErrorKind::kVocabularyError, concat("vocab_type ", type, " is not known"),
                "use VocabType.RAW, VocabType.BYTE_FALLBACK or VocabType.BYTE_LEVEL");
  }
  return static_cast<VocabType>(type);
}

std::shared_ptr<Vocabulary> make_vocabulary(const py::sequence& tokens,
                                            std::optional<int64_t> n_tokens,
                                            const Ids& stop_token_ids, const Ids& special_token_ids,
                                            const Ids& padding_token_ids, int vocab_type) {
  const VocabType type = to_vocab_type(vocab_type);
  VocabularySpec spec;
  spec.tokens = token_texts(tokens);
  if (n_tokens && *n_tokens < 0) {
    throw Error(ErrorKind::kVocabularyError, concat("vocab_size is ", *n_tokens),
                "pass the width of the model's logits, or leave vocab_size out");
  }
  if (n_tokens && *n_tokens > kMostTokens && *n_tokens <= INT32_MAX) {
    throw Error(ErrorKind::kVocabularyError,
                concat("vocab_size is ", *n_tokens, "; at most ", kMostTokens, " tokens are taken"),
                "pass the width of the model's logits");
  }
  spec.n_tokens = n_tokens ? static_cast<size_t>(*n_tokens) : spec.tokens.size();
  spec.stop_tokens = to_token_ids(stop_token_ids, "stop");
  spec.special_tokens = to_token_ids(special_token_ids, "special");
  spec.padding_tokens = to_token_ids(padding_token_ids, "padding");
  const Unlocked unlocked;
  for (std::string& token : spec.tokens) token = decode_token(token, type);
  return std::make_shared<Vocabulary>(std::move(spec));
}

std::string hash_text(const Vocabulary& vocabulary) {
  char text[33];
  const ContentHash hash = vocabulary.content_hash();
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash.high),
                static_cast<unsigned long long>(hash.low));
  return text;
}

py::typing::List<py::bytes> all_bytes(const Vocabulary& vocabulary) {
  py::typing::List<py::bytes> list(vocabulary.n_tokens());
  for (size_t i = 0; i < vocabulary.n_tokens(); ++i)
    list[i] = to_bytes(vocabulary.bytes(TokenId(i)));
  return list;
}

std::string all_kinds(const Vocabulary& vocabulary) {
  std::string kinds;
  for (size_t i = 0; i < vocabulary.n_tokens(); ++i) {
    kinds += static_cast<char>(vocabulary.kind(TokenId(i)));
  }
  return kinds;
}

Ids find_all(const Vocabulary& vocabulary, const py::bytes& bytes) {
  Ids ids;
  const auto [first, last] = vocabulary.find(bytes);
  for (TokenRank rank = first; rank < last; ++rank.value)
    ids.push_back(vocabulary.token_at(rank).value);
  return ids;
}

Ids encode_greedy(const Vocabulary& vocabulary, const py::bytes& bytes) {
  const std::string_view text = bytes;
  Ids ids;
  for (size_t at = 0; at < text.size();) {
    const auto rank = vocabulary.longest_match(text.substr(at));
    if (!rank) {
      char byte[8];
      std::snprintf(byte, sizeof byte, "0x%02X", static_cast<unsigned char>(text[at]));
      throw Error(ErrorKind::kVocabularyError,
                  concat("no text token begins with byte ", byte, ", at offset ", at),
                  "the vocabulary lacks this byte; encode with the model's own tokenizer");
    }
    ids.push_back(vocabulary.token_at(*rank).value);
    at += vocabulary.bytes_at(*rank).size();
  }
  return ids;
}

// A broken invariant would end the process, so a trie of another vocabulary is refused first.
void check_trie(const TokenTrie& trie, const Vocabulary& vocabulary) {
  const TokenTrie again(vocabulary);
  bool is_its = trie.n_nodes() == again.n_nodes();
  for (uint32_t i = 0; is_its && i <= trie.n_nodes(); ++i) {
    const TrieNode& a = trie[i];
    const TrieNode& b = again[i];
    is_its = a.byte == b.byte && a.depth == b.depth && a.subtree_end == b.subtree_end &&
             a.first_rank == b.first_rank;
  }
  if (!is_its) {
    throw Error(ErrorKind::kArgumentError, "the trie was built from another vocabulary",
                "check the trie with the vocabulary that it was built from");
  }
  trie.check_invariants(vocabulary);
}

py::tuple node_tuple(const TokenTrie& trie, uint32_t index) {
  if (index > trie.n_nodes()) throw py::index_error("no such node");
  const TrieNode& node = trie[index];
  return py::make_tuple(node.byte, node.depth, node.subtree_end, node.first_rank);
}

// ---- Bindings ----

// The vocabulary as a whole, then questions about one token.
void bind_tokens(py::module_& module) {
  py::class_<Vocabulary, std::shared_ptr<Vocabulary>> vocabulary(
      module, "Vocabulary",
      "The bytes of each token id; immutable, and safe to share between threads.");
  vocabulary
      .def(py::init(&make_vocabulary), py::arg("tokens"), py::kw_only(),
           py::arg("n_tokens") = py::none(), py::arg("stop_token_ids") = Ids{},
           py::arg("special_token_ids") = Ids{}, py::arg("padding_token_ids") = Ids{},
           py::arg("vocab_type") = 0)
      .def_property_readonly("n_tokens", &Vocabulary::n_tokens)
      .def_property_readonly("n_ranks", &Vocabulary::n_ranks)
      .def_property_readonly("max_token_bytes", &Vocabulary::max_token_bytes)
      .def_property_readonly("memory_size_bytes", &Vocabulary::memory_size_bytes)
      .def_property_readonly("content_hash", &hash_text,
                             "32 hexadecimal digits, equal for equal content.")
      .def_property_readonly("stop_token_ids",
                             [](const Vocabulary& v) { return to_ids(v.stop_tokens()); })
      .def_property_readonly("special_token_ids",
                             [](const Vocabulary& v) { return to_ids(v.special_tokens()); })
      .def("all_bytes", &all_bytes, "The bytes of every id, in the order of ids.")
      .def(
          "all_kinds", [](const Vocabulary& v) { return to_bytes(all_kinds(v)); },
          "One byte for each id: 0 text, 1 special, 2 stop, 3 padding, 4 empty.")
      .def("tokens_by_rank", [](const Vocabulary& v) { return to_ids(v.tokens_by_rank()); })
      .def("check_invariants", &Vocabulary::check_invariants);
  vocabulary
      .def(
          "bytes",
          [](const Vocabulary& v, int64_t id) { return to_bytes(v.bytes(checked_id(v, id))); },
          py::arg("token_id"))
      .def(
          "kind",
          [](const Vocabulary& v, int64_t id) {
            return token_kind_name(v.kind(checked_id(v, id)));
          },
          py::arg("token_id"), "\"text\", \"special\", \"stop\", \"padding\" or \"empty\".")
      .def(
          "token_at",
          [](const Vocabulary& v, int64_t r) { return v.token_at(checked_rank(v, r)).value; },
          py::arg("rank"))
      .def(
          "common_prefix",
          [](const Vocabulary& v, int64_t r) { return v.common_prefix(checked_rank(v, r)); },
          py::arg("rank"))
      .def(
          "rank_of",
          [](const Vocabulary& v, int64_t id) -> std::optional<uint32_t> {
            const auto rank = v.rank_of(checked_id(v, id));
            return rank ? std::optional<uint32_t>(rank->value) : std::nullopt;
          },
          py::arg("token_id"), "The rank of a text token, else None.")
      .def("find", &find_all, py::arg("bytes"),
           "The ids of all text tokens with exactly these bytes.")
      .def("encode_greedy", &encode_greedy, py::arg("bytes"),
           "The ids that spell the bytes, the longest token first at each position.");
}

void bind_trie(py::module_& module) {
  py::class_<TokenTrie, std::shared_ptr<TokenTrie>>(
      module, "TokenTrie", "The prefix tree of a vocabulary's text tokens, in depth-first order.")
      .def(py::init<const Vocabulary&>(), py::arg("vocabulary"), py::call_guard<Unlocked>())
      .def_property_readonly("n_nodes", &TokenTrie::n_nodes)
      .def_property_readonly("max_depth", &TokenTrie::max_depth)
      .def_property_readonly("memory_size_bytes", &TokenTrie::memory_size_bytes)
      .def("node", &node_tuple, py::arg("index"),
           "(byte, depth, subtree_end, first_rank) of a node.")
      .def(
          "find", [](const TokenTrie& t, const py::bytes& bytes) { return t.find(bytes); },
          py::arg("bytes"), "The index of the node whose path these bytes are, else None.")
      .def("check_invariants", &check_trie, py::arg("vocabulary"));
}

}  // namespace

void bind_vocabulary(py::module_& module) {
  bind_tokens(module);
  bind_trie(module);
  module.def(
      "decode_token",
      [](py::object text, int vocab_type) {
        return to_bytes(decode_token(token_text(text, 0), to_vocab_type(vocab_type)));
      },
      py::arg("text"), py::arg("vocab_type"),
      "The bytes of a token, from the tokenizer's text for it.");
}

}  // namespace xg2lab::bind
