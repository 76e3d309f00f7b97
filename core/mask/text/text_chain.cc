// Read: CharacterSteps (the steps of one state), leads_on (of a column), find_text_chain.
// The trick: counts of a repetition are in its items and not in its states, so the steps of one
// state serve a thousand columns of a chain.
#include "mask/text/text_chain.h"

#include <algorithm>
#include <map>
#include <utility>

#include "automata/utf8_states.h"

namespace xg2lab {
namespace {

constexpr uint8_t kProbe = 'a';  // every useful chain contains this character

// For each first byte, the state after each character that begins with the byte.
class CharacterSteps {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;  // the state reads no such character
  static constexpr uint32_t kSeveral =
      UINT32_MAX - 1;  // the characters lead to several states, or some are not read
  using ByFirstByte = std::array<uint32_t, 256>;

  explicit CharacterSteps(const Program& program) : program_(program) {}

  const ByFirstByte& from(StateId state) {
    const auto [known, is_new] = known_.try_emplace(state);
    if (!is_new) return known->second;
    ByFirstByte& after = known->second;
    after = after_bytes(state);
    for (const Utf8Edge& edge : utf8_edges(kBetweenCodePoints)) {
      if (edge.next == kBetweenCodePoints) continue;
      for (size_t byte = edge.range.lo; byte <= edge.range.hi; ++byte)
        after[byte] = after_rest(after[byte], edge.next);
    }
    return after;
  }

 private:
  ByFirstByte after_bytes(StateId state) const {
    ByFirstByte after;
    after.fill(kNone);
    for (const TerminalEdge& edge : program_.terminals(state)) {
      for (size_t byte = edge.range.lo; byte <= edge.range.hi; ++byte)
        after[byte] =
            after[byte] == kNone || after[byte] == edge.to.value ? edge.to.value : kSeveral;
    }
    return after;
  }

  // The state after the remaining bytes of a character, which UTF-8 reads from `rest_state`.
  uint32_t after_rest(uint32_t state, Utf8State rest_state) {
    if (rest_state == kBetweenCodePoints || state == kNone || state == kSeveral) return state;
    const StateId at(state);
    if (program_.is_accepting(at) || !program_.calls(at).empty()) return kSeveral;
    const auto [known, is_new] = rests_.try_emplace({state, rest_state}, kSeveral);
    if (!is_new) return known->second;
    const ByFirstByte after = after_bytes(at);
    const Utf8Edge edge = utf8_edges(rest_state).front();
    const uint32_t first = after_rest(after[edge.range.lo], edge.next);
    bool is_one = true;
    for (size_t byte = edge.range.lo + 1u; is_one && byte <= edge.range.hi; ++byte)
      is_one = after[byte] == after[byte - 1] || after_rest(after[byte], edge.next) == first;
    if (!is_one || first == kNone)
      return kSeveral;  // some character must follow the first byte, so kNone is wrong
    return rests_[{state, rest_state}] = first;
  }

  const Program& program_;
  std::unordered_map<StateId, ByFirstByte> known_;
  std::map<std::pair<uint32_t, Utf8State>, uint32_t> rests_;
};

// The first bytes whose characters lead every item of the column to the same state as the probe.
FirstBytes leads_on(CharacterSteps& steps, std::span<const Item> items) {
  FirstBytes text;
  text.set();
  bool is_read = false;
  for (const Item& item : items) {
    const CharacterSteps::ByFirstByte& after = steps.from(item.state);
    if (after[kProbe] == CharacterSteps::kSeveral) return {};
    is_read = is_read || after[kProbe] != CharacterSteps::kNone;
    for (size_t byte = 0; byte < text.size(); ++byte) {
      if (after[byte] != after[kProbe]) text.reset(byte);
    }
  }
  return is_read ? text : FirstBytes();
}

bool reads_any(const Program& program, std::span<const Item> items, const FirstBytes& text) {
  for (const Item& item : items) {
    for (const TerminalEdge& edge : program.terminals(item.state)) {
      for (size_t byte = edge.range.lo; byte <= edge.range.hi; ++byte) {
        if (text[byte]) return true;
      }
    }
  }
  return false;
}

}  // namespace

std::optional<TextChain> find_text_chain(ColumnTable& table, const TokenSets& tokens, ColumnId from,
                                         const MaskCosts& costs) {
  const std::vector<Item> first = table.items(from);
  if (!reads_any(table.program(), first, FirstBytes().set(kProbe))) return std::nullopt;
  CharacterSteps steps(table.program());
  TextChain chain;
  chain.links_.push_back(from);
  chain.first_bytes_ = leads_on(steps, first);
  const FirstBytes& text = chain.first_bytes_;
  if (!text[kProbe]) return std::nullopt;
  const TextNodes& nodes = tokens.text_nodes;
  const size_t n_most_elsewhere = tokens.trie.n_nodes() / costs.nodes_an_exit_of_chain;
  if (nodes.n_elsewhere(text) > n_most_elsewhere) return std::nullopt;
  while (chain.length() < nodes.most_characters()) {
    const std::vector<Item> items = table.items(chain.links_.back());
    const FirstBytes here = leads_on(steps, items);
    // The chain ends before a column whose text differs. If that column reads some of the text, the
    // chain would not decide these tokens, so there is no chain.
    if ((text & ~here).any()) {
      if (reads_any(table.program(), items, text)) return std::nullopt;
      break;
    }
    chain.links_.push_back(table.step(chain.links_.back(), kProbe));
    if (chain.links_.back() == kDead) return std::nullopt;
    if (table.at(chain.links_.back()).is_complete)
      chain.first_end_ = std::min(chain.first_end_, chain.length());
  }
  chain.text_ = tokens.text_class(text);
  return chain;
}

}  // namespace xg2lab
