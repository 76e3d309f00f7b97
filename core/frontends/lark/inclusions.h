// The least sets that satisfy a list of inclusions.
//
// Tests: tests/core/test_growth_lark.py (through the Lark reader)
//
// IDEA
//   Variables are the nodes of a graph; an edge means "x contains y". Variables that reach each
//   other have the same value, so values are computed for one strongly connected component at a
//   time, from the components that it contains: each edge is visited once, and each component takes
//   one union. Values are computed on demand.
//
// EXAMPLE   x contains y and 1, y contains x and 2: both are {1, 2}
//
// COST      the edges reachable from the requested variables, and one union for each component.
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
  // A variable has at most one symbol.
  void add_symbol(Var x, uint32_t symbol) { symbol_[x] = symbol; }
  void include(Var x, Var y) { pairs_.emplace_back(x, y); }
  // Call after the last addition.
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

// The values of the variables, where each symbol stands for a set.
class Values {
 public:
  using Var = Inclusions::Var;
  using SetOf = std::function<SetId(uint32_t symbol)>;

  Values(const Inclusions& graph, SymbolSets& sets, SetOf set_of)
      : graph_(graph), sets_(sets), set_of_(std::move(set_of)) {}

  SetId value(Var x);
  // Whether the value contains a symbol, even one that stands for the empty set.
  bool is_any(Var x);
  size_t n_steps() const { return n_steps_; }

 private:
  static constexpr uint32_t kNoValue = UINT32_MAX;
  static constexpr uint32_t kNotMet = UINT32_MAX;
  struct Frame {
    Var var;
    uint32_t next;  // next successor to visit
  };
  void find(Var x);
  void open(Var x);
  void close(Var root);

  const Inclusions& graph_;
  SymbolSets& sets_;
  SetOf set_of_;
  std::vector<uint32_t> value_;   // index: Var
  std::vector<bool> is_any_;      // index: Var
  std::vector<uint32_t> met_at_;  // index: Var. Its number in the order of visits
  std::vector<uint32_t> lowest_;  // index: Var. Lowest visited number that it is known to reach
  std::vector<Var> met_;          // visited variables of open components, in the order of visits
  std::vector<Frame> frames_;
  uint32_t n_met_ = 0;
  size_t n_steps_ = 0;
};

}  // namespace xg2lab::lark
