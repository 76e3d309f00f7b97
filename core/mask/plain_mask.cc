// Read: to_plain(), then AcceptedReader, which makes a set's bitmask, then read_entry() and
// read_inside().
#include "mask/plain_mask.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "support/bits.h"
#include "support/error.h"
#include "support/field_checks.h"

namespace xg2lab {
namespace {

[[noreturn]] void refuse_mask(size_t index, const char* what) {
  throw Error(ErrorKind::kDeserializeFormatError, "/masks/" + std::to_string(index) + ": " + what,
              "use the text that serialize_json() returned, unchanged");
}

// The sizes of the tables that ids point into.
struct MaskScope {
  size_t n_states;
  size_t n_ranks;
  size_t n_of(StateId) const { return n_states; }
  size_t n_of(TokenRank) const { return n_ranks; }
};

// Entries before token edges are not written, because building them takes no walk. Entries with a
// choice of members are not written, because they refer to lists of members.
bool is_written(const Program& program, StateId state) {
  return !program.is_before_token(state) && !program.has_choice_of_members(state);
}

// The ids of a list, or the words of a bitmask.
std::vector<uint32_t> data_of(const AdaptiveMask& accepted, const TokenSets& tokens) {
  std::vector<uint32_t> words(tokens.n_words);
  accepted.write(tokens, words);
  if (accepted.storage() == MaskStorage::kBitset) return words;
  if (accepted.storage() == MaskStorage::kRejectedList) {
    std::vector<uint32_t> lacking(tokens.text_words);
    and_not_into(lacking, words);
    words = std::move(lacking);
  }
  std::vector<uint32_t> ids;
  for_each_one(words, [&ids](size_t id) { ids.push_back(static_cast<uint32_t>(id)); });
  return ids;
}

template <class Value>
bool is_ascending(const std::vector<Value>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
}

// Reads an accepted set; `index` is its position in the text, for error messages.
class AcceptedReader {
 public:
  AcceptedReader(MaskStorage storage, const std::vector<uint32_t>& data, const TokenSets& tokens,
                 size_t index)
      : storage_(storage), data_(data), tokens_(tokens), index_(index) {}

  // The set as a bitmask.
  std::vector<uint32_t> words() const {
    std::vector<uint32_t> words = words_of_form();
    std::vector<uint32_t> foreign(words);
    and_not_into(foreign, tokens_.text_words);
    if (any_one(foreign)) refuse("it accepts a token that is not text");
    return words;
  }
  AdaptiveMask mask(const std::vector<uint32_t>& words) const {
    AdaptiveMask accepted(tokens_, words);
    if (accepted.storage() != storage_) refuse("its form is not the smallest");
    return accepted;
  }

 private:
  [[noreturn]] void refuse(const char* what) const { refuse_mask(index_, what); }

  std::vector<uint32_t> words_of_form() const {
    std::vector<uint32_t> words(tokens_.n_words, 0);
    if (storage_ == MaskStorage::kBitset) {
      if (data_.size() != tokens_.n_words) refuse("its bitmask has another size");
      return data_;
    }
    const size_t n_tokens = tokens_.vocabulary->n_tokens();
    for (uint32_t id : data_) {
      if (id >= n_tokens) refuse("a token id is out of range");
    }
    if (!is_ascending(data_)) refuse("a token id is out of order");
    if (storage_ == MaskStorage::kAcceptedList) {
      set_each(words, data_);
      return words;
    }
    for (uint32_t id : data_) {
      if (!tokens_.vocabulary->is_text(TokenId(id))) refuse("it lacks a token that is not text");
    }
    copy_into(words, tokens_.text_words);
    clear_each(words, data_);
    return words;
  }

  const MaskStorage storage_;
  const std::vector<uint32_t>& data_;
  const TokenSets& tokens_;
  const size_t index_;
};

MaskEntry read_entry(const PlainMask& plain, const TokenSets& tokens, size_t index) {
  const AcceptedReader reader(plain.storage, plain.data, tokens, index);
  const std::vector<uint32_t> words = reader.words();
  MaskEntry entry;
  entry.accepted = reader.mask(words);
  if (!is_ascending(plain.uncertain)) refuse_mask(index, "an uncertain token is out of order");
  for (TokenRank rank : plain.uncertain) {
    if (test_bit(words, tokens.vocabulary->token_at(rank).index()))
      refuse_mask(index, "a token is both accepted and uncertain");
  }
  entry.uncertain = plain.uncertain;
  entry.n_rejected =
      tokens.vocabulary->n_ranks() - entry.accepted.n_accepted() - entry.uncertain.size();
  return entry;
}

// Reads the part that a state's rule decides. A rule that died at a trie node accepts no token
// below the node, and dies there once.
InsidePart read_inside(const PlainInside& plain, const TokenSets& tokens, size_t index) {
  const AcceptedReader reader(plain.storage, plain.data, tokens, index);
  const std::vector<uint32_t> words = reader.words();
  InsidePart inside{reader.mask(words), plain.return_nodes};
  uint32_t next = 1;  // the root of the trie is no token's end
  for (uint32_t node : plain.return_nodes) {
    if (node >= tokens.trie.n_nodes()) refuse_mask(index, "a trie node is out of range");
    if (node < next) refuse_mask(index, "a trie node is out of order");
    next = tokens.trie[node].subtree_end;
    const uint32_t end = tokens.trie.subtree_end_rank(node);
    for (uint32_t rank = tokens.trie[node].first_rank; rank < end; ++rank) {
      if (test_bit(words, tokens.vocabulary->token_at(TokenRank(rank)).index()))
        refuse_mask(index, "it accepts a token after which its rule has ended");
    }
  }
  return inside;
}

// The trie nodes that the check of a sample may walk, about: some milliseconds.
constexpr uint64_t kMostVisits = uint64_t{1} << 19;
constexpr size_t kStride = 7919;  // a prime, so that the sample is spread over all entries

bool is_equal(const MaskEntry& a, const MaskEntry& b, const TokenSets& tokens) {
  std::vector<uint32_t> a_words(tokens.n_words);
  std::vector<uint32_t> b_words(tokens.n_words);
  a.accepted.write(tokens, a_words);
  b.accepted.write(tokens, b_words);
  return a_words == b_words && a.uncertain == b.uncertain;
}

// Builds a sample of the entries again and compares: at least one entry, and all of them if that
// takes few trie nodes.
void check_sample(const std::vector<PlainMask>& plain, MaskStore& masks) {
  uint64_t n_visits = 0;
  for (size_t k = 0; k < plain.size() && n_visits < kMostVisits; ++k) {
    const size_t i = (k * kStride + plain.size() / 2) % plain.size();
    const StateId state = plain[i].state;
    n_visits += masks.estimate_visits(state) + 1;
    if (is_equal(*masks.find(state), masks.made_anew(state), masks.tokens())) continue;
    throw Error(
        ErrorKind::kDeserializeFormatError,
        "/masks/" + std::to_string(i) +
            ": it is not the mask of its state: the program "
            "allows other tokens",
        "use the text that serialize_json() returned, unchanged; or write it without masks");
  }
}

}  // namespace

bool read_mask_storage(std::string_view name, MaskStorage& storage) {
  for (const MaskStorage form :
       {MaskStorage::kAcceptedList, MaskStorage::kRejectedList, MaskStorage::kBitset}) {
    if (name != mask_storage_name(form)) continue;
    storage = form;
    return true;
  }
  return false;
}

std::vector<PlainMask> to_plain(const MaskStore& masks, size_t n_states) {
  std::vector<PlainMask> all;
  const TokenSets& tokens = masks.tokens();
  for (size_t s = 0; s < n_states; ++s) {
    const MaskEntry* entry = masks.find(StateId(s));
    if (entry == nullptr || !is_written(masks.program(), StateId(s))) continue;
    PlainMask& plain = all.emplace_back();
    plain.state = StateId(s);
    plain.storage = entry->accepted.storage();
    plain.data = data_of(entry->accepted, tokens);
    plain.uncertain = entry->uncertain;
  }
  return all;
}

void from_plain(const std::vector<PlainMask>& plain, size_t n_states, MaskStore& masks) {
  const MaskScope scope{n_states, masks.tokens().vocabulary->n_ranks()};
  for (size_t i = 0; i < plain.size(); ++i) {
    const auto refuse = [i](const char* what) { refuse_mask(i, what); };
    check_fields(plain[i], scope, refuse);
    if (i > 0 && plain[i - 1].state >= plain[i].state)
      refuse("its state is out of range, or out of order");
    if (!is_written(masks.program(), plain[i].state))
      refuse("it belongs to a token edge or a choice of members, whose masks are never written");
    masks.put(plain[i].state, read_entry(plain[i], masks.tokens(), i));
  }
  check_sample(plain, masks);
}

// ---- Parts that the instances of a template share ----

std::vector<PlainInside> to_plain(const KnownEntries& known, const TokenSets& tokens) {
  std::vector<PlainInside> all;
  for (size_t s = 0; s < known.n_states(); ++s) {
    const KnownEntry* made = known.find(StateId(s));
    if (made == nullptr || made->inside == nullptr) continue;
    PlainInside& plain = all.emplace_back();
    plain.state = StateId(s);
    plain.storage = made->inside->accepted.storage();
    plain.data = data_of(made->inside->accepted, tokens);
    plain.return_nodes = made->inside->return_nodes;
  }
  return all;
}

void from_plain(const std::vector<PlainInside>& plain, const Program& program,
                const TokenSets& tokens, KnownEntries& known) {
  const MaskScope scope{known.n_states(), tokens.vocabulary->n_ranks()};
  for (size_t i = 0; i < plain.size(); ++i) {
    const auto refuse = [i](const char* what) { refuse_mask(i, what); };
    const StateId state = plain[i].state;
    check_fields(plain[i], scope, refuse);
    if (i > 0 && plain[i - 1].state >= state) refuse("its state is out of range, or out of order");
    if (!is_written(program, state))
      refuse("it belongs to a token edge or a choice of members, whose masks are never written");
    auto inside = std::make_shared<const InsidePart>(read_inside(plain[i], tokens, i));
    std::shared_ptr<MaskEntry> entry;
    if (inside->return_nodes.empty()) {
      entry = std::make_shared<MaskEntry>();
      entry->accepted = inside->accepted;
      entry->n_rejected = tokens.vocabulary->n_ranks() - inside->accepted.n_accepted();
    }
    known.add(state, {std::move(inside), std::move(entry)});
  }
}

}  // namespace xg2lab
