// Read: to_plain(), then EntryReader, which makes an entry's bitmask and from it the entry.
#include "mask/plain_mask.h"

#include <algorithm>
#include <functional>
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

// Reads one entry; `index` is its position in the text, for error messages.
class EntryReader {
 public:
  EntryReader(const PlainMask& plain, const TokenSets& tokens, size_t index)
      : plain_(plain), tokens_(tokens), index_(index) {}

  MaskEntry read() const {
    const std::vector<uint32_t> words = accepted_words();
    std::vector<uint32_t> foreign(words);
    and_not_into(foreign, tokens_.text_words);
    if (any_one(foreign)) refuse("it accepts a token that is no text");
    MaskEntry entry;
    entry.accepted = AdaptiveMask(tokens_, words);
    if (entry.accepted.storage() != plain_.storage) refuse("its form is not the smallest");
    check_ascending(plain_.uncertain, "an uncertain token is out of order");
    for (TokenRank rank : plain_.uncertain) {
      if (test_bit(words, tokens_.vocabulary->token_at(rank).index())) {
        refuse("a token is both accepted and uncertain");
      }
    }
    entry.uncertain = plain_.uncertain;
    entry.n_rejected =
        tokens_.vocabulary->n_ranks() - entry.accepted.n_accepted() - entry.uncertain.size();
    return entry;
  }

 private:
  [[noreturn]] void refuse(const char* what) const { refuse_mask(index_, what); }

  template <class Value>
  void check_ascending(const std::vector<Value>& values, const char* refusal) const {
    const auto is_out_of_order =
        std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) != values.end();
    if (is_out_of_order) refuse(refusal);
  }

  std::vector<uint32_t> accepted_words() const {
    std::vector<uint32_t> words(tokens_.n_words, 0);
    if (plain_.storage == MaskStorage::kBitset) {
      if (plain_.data.size() != tokens_.n_words) refuse("its bitmask has another size");
      return plain_.data;
    }
    const size_t n_tokens = tokens_.vocabulary->n_tokens();
    for (uint32_t id : plain_.data) {
      if (id >= n_tokens) refuse("a token id is out of range");
    }
    check_ascending(plain_.data, "a token id is out of order");
    if (plain_.storage == MaskStorage::kAcceptedList) {
      set_each(words, plain_.data);
      return words;
    }
    for (uint32_t id : plain_.data) {
      if (!tokens_.vocabulary->is_text(TokenId(id))) refuse("it lacks a token that is no text");
    }
    copy_into(words, tokens_.text_words);
    clear_each(words, plain_.data);
    return words;
  }

  const PlainMask& plain_;
  const TokenSets& tokens_;
  const size_t index_;
};

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
        "/masks/" + std::to_string(i) + ": it is not the mask of its state: the program " +
            "beside it allows other tokens",
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
    std::vector<uint32_t> words(tokens.n_words);
    entry->accepted.write(tokens, words);
    const auto push = [&plain](size_t id) { plain.data.push_back(static_cast<uint32_t>(id)); };
    switch (plain.storage) {
      case MaskStorage::kAcceptedList: for_each_one(words, push); break;
      case MaskStorage::kRejectedList: {
        std::vector<uint32_t> lacking(tokens.text_words);
        and_not_into(lacking, words);
        for_each_one(lacking, push);
        break;
      }
      case MaskStorage::kBitset: plain.data = std::move(words); break;
    }
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
      refuse("it is of a token edge or a choice of members, whose mask isn't written");
    masks.put(plain[i].state, EntryReader(plain[i], masks.tokens(), i).read());
  }
  check_sample(plain, masks);
}

}  // namespace xg2lab
