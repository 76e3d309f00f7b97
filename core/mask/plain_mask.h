// Entries of the mask store as plain tables, for serialization.
//
// Tests: tests/core/test_serialization.py, tests/core/test_serialization_hostile.py,
//        tests/core/test_template_serialization.py
//
// IDEA
//   A serialized entry has the form in which the store keeps it: the accepted ids, the ids of the
//   rejected text tokens, or a bitmask. A serialized text may have been changed, so reading checks
//   the ids, the ranks, their order, and that the form is the smallest one. Whether the entries are
//   true is checked for a sample: its entries are built again and compared. Building all of them
//   would be as slow as compiling without masks.
//
//   Of a template's known rules the rule part of an entry is written (InsidePart), because what
//   follows the rule belongs to each instance. Reading compiles the template again, so a part is
//   only checked for its form: it is not compared with the rule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mask/entries/mask_store.h"
#include "support/fields.h"

namespace xg2lab {

struct PlainMask {
  StateId state;
  MaskStorage storage = MaskStorage::kAcceptedList;
  std::vector<uint32_t> data;        // ascending token ids, or words of the bitmask
  std::vector<TokenRank> uncertain;  // ascending
};

struct PlainInside {
  StateId state;
  MaskStorage storage = MaskStorage::kAcceptedList;
  std::vector<uint32_t> data;          // as in PlainMask
  std::vector<uint32_t> return_nodes;  // ascending trie nodes, none below another
};

bool read_mask_storage(std::string_view name, MaskStorage& storage);

template <class Visit, Of<PlainMask> Mask>
void fields(Visit& visit, Mask& mask) {
  constexpr auto name =
      +[](const MaskStorage& form) { return std::string(mask_storage_name(form)); };
  visit("state", mask.state, or_refuse("its state is out of range, or out of order"));
  visit("storage", as_text(mask.storage, name, &read_mask_storage, "its form is unknown"));
  visit("data", words(mask.data), checked_in("AcceptedReader"));
  visit("uncertain", words(mask.uncertain), or_refuse("an uncertain token is out of range"));
}

template <class Visit, Of<PlainInside> Inside>
void fields(Visit& visit, Inside& inside) {
  constexpr auto name =
      +[](const MaskStorage& form) { return std::string(mask_storage_name(form)); };
  visit("state", inside.state, or_refuse("its state is out of range, or out of order"));
  visit("storage", as_text(inside.storage, name, &read_mask_storage, "its form is unknown"));
  visit("data", words(inside.data), checked_in("AcceptedReader"));
  visit("return_nodes", words(inside.return_nodes), checked_in("read_inside"));
}

// The built entries of all states, in ascending order of states. Entries of counted rules are left
// out, and built again when needed.
std::vector<PlainMask> to_plain(const MaskStore& masks, size_t n_states);
// Puts the entries into the store. Throws DeserializeFormatError, which names the position.
void from_plain(const std::vector<PlainMask>& plain, size_t n_states, MaskStore& masks);

// The parts of all known states that have one, in ascending order of states. Entries of token edges
// are left out: they are made from the set of tokens.
std::vector<PlainInside> to_plain(const KnownEntries& known, const TokenSets& tokens);
// Adds the parts. `program`: the known rules. Throws DeserializeFormatError, which names the
// position.
void from_plain(const std::vector<PlainInside>& plain, const Program& program,
                const TokenSets& tokens, KnownEntries& known);

}  // namespace xg2lab
