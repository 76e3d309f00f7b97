// The least sets that contain each other as they were told to.
//
// Tests: tests/core/test_growth_lark.py (through the Lark reader)
//
// IDEA
//   Variables are nodes of a graph, and "x contains y" an edge. Variables that reach each other
//   have one value, so a value is found for a strong component at a time, from the ones that it
//   contains: each edge is looked at once, and a union is made once a component. Values are found
//   on demand: what nobody asks for costs nothing.
//
// EXAMPLE   x contains y and 1, y contains x and 2: both are {1, 2}
//
// COST      edges that lead on from what was asked for, and one union a component.
// SEE ALSO  Tarjan 1972 (strong components); DeRemer and Pennello 1982.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "frontends/lark/symbol_sets.h"

namespace xg2lab::lark {

class Inclusions {
 public:
  using Var = uint32_t;
  static constexpr uint32_t kNoSymbol = UINT32_MAX;

  explicit Inclusions(size_t n_vars = 0) : symbol_(n_vars, kNoSymbol) {}
  Var add_var() {
    symbol_.push_back(kNoSymbol);
    return static_cast<Var>(symbol_.size() - 1);
  }
  // A variable has one symbol at most.
  void add_symbol(Var x, uint32_t symbol) { symbol_[x] = symbol; }
  void include(Var x, Var y) { pairs_.emplace_back(x, y); }
  // Nothing is added any more.
  void finish();

  size_t n_vars() const { return symbol_.size(); }
  size_t n_edges() const { return to_.size(); }
  uint32_t symbol(Var x) const { return symbol_[x]; }
  std::span<const Var> parts(Var x) const {
    return {to_.data() + begin_[x], begin_[x + 1] - begin_[x]};
  }

 private:
  std::vector<uint32_t> symbol_;  // index: Var
  std::vector<std::pair<Var, Var>> pairs_;
  std::vector<uint32_t> begin_;  // index: Var, of to_
  std::vector<Var> to_;
};

// The values of variables, where a symbol stands for a set.
class Values {
 public:
  using Var = Inclusions::Var;
  using SetOf = std::function<SetId(uint32_t symbol)>;

  Values(const Inclusions& graph, SymbolSets& sets, SetOf set_of)
      : graph_(graph), sets_(sets), set_of_(std::move(set_of)) {}

  SetId value(Var x);
  // Whether there is a symbol in it, whatever that stands for.
  bool is_any(Var x);
  size_t n_steps() const { return n_steps_; }

 private:
  static constexpr uint32_t kNoValue = UINT32_MAX;
  static constexpr uint32_t kNotMet = UINT32_MAX;
  struct Frame {
    Var var;
    uint32_t next;  // of its parts
  };
  void find(Var x);
  void open(Var x);
  void close(Var root);

  const Inclusions& graph_;
  SymbolSets& sets_;
  SetOf set_of_;
  std::vector<uint32_t> value_;   // index: Var
  std::vector<bool> is_any_;      // index: Var
  std::vector<uint32_t> met_at_;  // index: Var. The how many-th it was
  std::vector<uint32_t> lowest_;  // index: Var. The first of its component that is known
  std::vector<Var> met_;  // those whose component is open, in the order in which they were met
  std::vector<Frame> frames_;
  uint32_t n_met_ = 0;
  size_t n_steps_ = 0;
};

}  // namespace xg2lab::lark
