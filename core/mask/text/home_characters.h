// The characters that lead a recogniser back to its state through live states: the text of a home
// (home.h).
//
// Tests: tests/core/test_free_text.py
//
// IDEA
//   A recogniser reads each character byte by byte, together with the states of UTF-8. A first byte
//   leads home if every character that begins with the byte leads back. Bytes of one byte class
//   lead to the same state, so one byte of each class is tried. The result for continuation bytes
//   is computed once for each pair of recogniser state and UTF-8 state.
//
//   string ::= "\"" [^"\\]* "\"": within the string all characters except `"` and `\` lead back.
//
// A reader has `step(state, byte)`; `may_pass(state)`: a character may continue through the state;
// `may_end(state)`: the goal is complete in the state; and `program()`.
//
// COST      about 400 steps for a new home, most of them known.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <concepts>
#include <map>
#include <utility>

#include "automata/utf8_states.h"
#include "program/program.h"
#include "vocab/text_class.h"

namespace xg2lab {

template <class R>
concept TextReader =
    std::regular<typename R::State> && requires(R reader, typename R::State state, uint8_t byte) {
      { reader.step(state, byte) } -> std::same_as<typename R::State>;
      { reader.may_pass(state) } -> std::same_as<bool>;
      { reader.may_end(state) } -> std::same_as<bool>;
      { reader.program() } -> std::same_as<const Program&>;
    };

template <TextReader R>
class HomeCharacters {
 public:
  using State = typename R::State;

  struct FromState {
    // For each first byte: the state after the byte, and whether all its characters lead home.
    std::array<State, 256> after;
    FirstBytes leads_home;
    bool may_end_within = false;  // the goal may be complete within a character
    const FirstBytes& first_bytes() const { return leads_home; }
  };

  HomeCharacters(R reader, const State& home) : reader_(std::move(reader)), home_(home) {}

  FromState from(const State& state) {
    FromState out;
    for (const Utf8Edge& lead : utf8_edges(kBetweenCodePoints)) {
      for (size_t byte = lead.range.lo; byte <= lead.range.hi; ++byte) {
        out.after[byte] = reader_.step(state, static_cast<uint8_t>(byte));
        const Known known = find(out.after[byte], lead.next);
        out.leads_home[byte] = known.leads_home;
        out.may_end_within = out.may_end_within || known.may_end;
      }
    }
    return out;
  }
  // True if every rest of a character, read from `rest_state`, leads from `state` to the home.
  bool leads_home(const State& state, Utf8State rest_state) {
    return find(state, rest_state).leads_home;
  }

 private:
  struct Known {
    bool leads_home;
    bool may_end;
  };

  Known find(const State& state, Utf8State rest_state) {
    if (rest_state == kBetweenCodePoints) return {state == home_, false};
    if (!reader_.may_pass(state)) return {false, false};
    const auto known = known_.find({state, rest_state});
    if (known != known_.end()) return known->second;
    Known found{true, reader_.may_end(state)};
    const auto edge_leads_home = [&](const Utf8Edge& edge) {
      return reader_.program().holds_of_each_class(edge.range, [&](uint8_t byte) {
        const Known next = find(reader_.step(state, byte), edge.next);
        found.may_end = found.may_end || next.may_end;
        return next.leads_home;
      });
    };
    found.leads_home = std::ranges::all_of(utf8_edges(rest_state), edge_leads_home);
    known_[{state, rest_state}] = found;
    return found;
  }

  R reader_;
  State home_;
  std::map<std::pair<State, Utf8State>, Known> known_;
};

}  // namespace xg2lab
