// Read: Classes: first a state on no loop, then classify_loop.
#include "automata/minimize.h"

#include <algorithm>
#include <span>
#include <vector>

#include "automata/components.h"
#include "automata/known_loops.h"
#include "automata/loop_blocks.h"
#include "automata/quotient.h"
#include "automata/signature.h"
#include "support/budget.h"
#include "support/interned_rows.h"
#include "support/phases.h"

namespace xg2lab {
namespace {

// Assigns states to classes, component by component, from the end.
class Classes {
 public:
  explicit Classes(const FrozenFsm& rows)
      : rows_(rows), class_of_(rows.n_states()), known_loops_(signatures_) {
    for_each_component(rows, [this](std::span<uint32_t> component) {
      count_work("minimizing a machine", component.size());
      if (component.size() == 1 && !leads_to_itself(component.front())) classify(component.front());
      else classify_loop(component);
    });
  }
  std::span<const uint32_t> of_states() const { return class_of_; }
  size_t n_classes() const { return signatures_.size(); }

 private:
  bool leads_to_itself(uint32_t state) const {
    const auto leads_back = [&](const auto& edge) { return edge.to.value == state; };
    return std::ranges::any_of(rows_.terminals(StateId(state)), leads_back) ||
           std::ranges::any_of(rows_.rules(StateId(state)), leads_back);
  }

  void classify(uint32_t state) {
    row_.clear();
    append_signature(rows_, state, class_of_, row_);
    class_of_[state] = class_of(row_);
  }

  // The class of a signature, which is new if no class has it. Most states of a literal have one
  // edge, and are the only ones with an edge to its target's class: these are found by that class,
  // and looked up by content only where there are several.
  uint32_t class_of(std::span<const uint32_t> signature) {
    constexpr size_t kOneRange = 3;
    const bool is_one_range = signature.size() == kOneRange && signature.front() < kAcceptsNot;
    if (!is_one_range) return signatures_.add(signature).id;
    const uint32_t to = SignatureReader{signature}.to();  // within a loop, perhaps a later class
    if (to >= first_source_.size()) first_source_.resize(2 * size_t{to} + 1, kNoClass);
    uint32_t& first = first_source_[to];
    if (first == kNoClass) return first = signatures_.append_unlisted(signature);
    if (std::ranges::equal(signatures_[first], signature)) return first;
    return signatures_.add(signature).id;
  }

  void classify_loop(std::span<uint32_t> component) {
    const auto first_class = static_cast<uint32_t>(signatures_.size());
    first_of_block_.clear();
    if (component.size() == 1) {
      class_of_[component.front()] = first_class;
      first_of_block_.push_back(component.front());
    } else {
      if (!blocks_) blocks_.emplace(rows_, class_of_);
      std::ranges::sort(component);
      blocks_->split(component, first_class);
      for (size_t b = 0; b < blocks_->n_blocks(); ++b)
        first_of_block_.push_back(blocks_->first_of(b));
    }
    // The signatures of the blocks are taken after all states of the component have their class
    // numbers, since signatures refer to these.
    block_signatures_.clear();
    for (const uint32_t state : first_of_block_) {
      row_.clear();
      append_signature(rows_, state, class_of_, row_);
      // blocks differ, so the signature's row number is the block's number
      block_signatures_.add(row_);
    }
    const std::span<const uint32_t> known = known_loops_.find(block_signatures_);
    if (!known.empty()) {
      for (const uint32_t state : component)
        class_of_[state] = known[class_of_[state] - first_class];
      return;
    }
    // The blocks are new classes; their numbers were assigned by split(), so their signatures are
    // appended in the same order.
    known_loops_.add();
    for (uint32_t block = 0; block < block_signatures_.size(); ++block)
      class_of(block_signatures_[block]);
  }

  const FrozenFsm& rows_;
  std::vector<uint32_t> class_of_;
  static constexpr uint32_t kNoClass = UINT32_MAX;

  InternedRows signatures_;             // of classes
  std::vector<uint32_t> first_source_;  // index: class; the first class with one range, to it
  KnownLoops known_loops_;
  std::optional<LoopBlocks> blocks_;
  std::vector<uint32_t> first_of_block_;
  InternedRows block_signatures_;
  std::vector<uint32_t> row_;
};

std::optional<FrozenFsm> deterministic(const Fsm& fsm, OriginSets& origins,
                                       const SubsetLimits& limits, bool is_final) {
  Phased phase("determinize");
  std::optional<FrozenFsm> rows = determinize(fsm, origins, limits);
  if (!rows) return std::nullopt;
  if (is_final) rows = trimmed(*rows, origins);
  phase.made(fsm.n_states(), rows->n_states());
  return rows;
}

}  // namespace

FrozenFsm minimize(const FrozenFsm& rows, OriginSets& origins) {
  Phased phase("minimize");
  const Classes classes(rows);
  FrozenFsm result = quotient(rows, classes.of_states(), classes.n_classes(), origins);
  phase.made(rows.n_states(), result.n_states());
  return result;
}

std::optional<FrozenFsm> minimal(const Fsm& fsm, OriginSets& origins, const SubsetLimits& limits) {
  const std::optional<FrozenFsm> rows = deterministic(fsm, origins, limits, false);
  return rows ? std::optional(minimize(*rows, origins)) : std::nullopt;
}

std::optional<FrozenFsm> reduced(const Fsm& fsm, OriginSets& origins, Reduction how,
                                 const SubsetLimits& limits) {
  const bool is_minimal = how == Reduction::kMinimal;
  if (how != Reduction::kNoEpsilon) {
    std::optional<FrozenFsm> rows = deterministic(fsm, origins, limits, !is_minimal);
    if (rows) return is_minimal ? minimize(*rows, origins) : std::move(rows);
  }
  Phased phase("remove_epsilon");
  const std::optional<Fsm> without = remove_epsilon(fsm, limits.n_edges);
  if (!without) return std::nullopt;
  FrozenFsm result = freeze(*without, origins);
  phase.made(fsm.n_states(), result.n_states());
  return result;
}

}  // namespace xg2lab
