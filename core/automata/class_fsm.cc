#include "automata/class_fsm.h"

#include "automata/utf8.h"
#include "support/budget.h"

namespace xg2lab {

Fsm class_fsm(std::span<const CodePointRange> ranges) {
  constexpr OriginSetId kNoOrigins(0u);
  Fsm fsm;
  const StateId first = fsm.add_state();
  const StateId last = fsm.add_state();
  fsm.set_accepting(last);
  for (const CodePointRange& range : ranges) {
    for (const Utf8Sequence& sequence : utf8_sequences(range.lo, range.hi)) {
      count_work("building the machine of a class");
      StateId at = first;
      for (size_t i = 0; i < sequence.n_bytes; ++i) {
        const StateId to = i + 1 == sequence.n_bytes ? last : fsm.add_state();
        fsm.add_terminal(at, sequence.bytes[i], to, kNoOrigins);
        at = to;
      }
    }
  }
  return fsm;
}

}  // namespace xg2lab
