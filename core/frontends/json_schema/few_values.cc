// few_texts walks the machine's live states; few_numbers steps from multiple to multiple.
#include "frontends/json_schema/few_values.h"

#include <algorithm>
#include <utility>

#include "automata/sources.h"
#include "support/utf8.h"

namespace xg2lab::json_schema {
namespace {

std::vector<bool> live_states(const CodePointDfa& dfa) {
  const auto n_letters = static_cast<Letter>(dfa.alphabet.n_letters());
  const Sources sources(dfa.n_states(), [&](auto f) {
    for (uint32_t s = 0; s < dfa.n_states(); ++s) {
      for (Letter letter = 0; letter < n_letters; ++letter) f(s, dfa.step(s, letter));
    }
  });
  return states_that_can_accept(dfa.n_states(), sources,
                                [&](uint32_t s) { return dfa.is_accepting[s]; });
}

class Walk {
 public:
  Walk(const CodePointDfa& dfa, size_t most) : dfa_(dfa), most_(most), is_live_(live_states(dfa)) {}

  // Returns false if there are too many. A text with as many characters as there are states has
  // passed a loop.
  bool from(uint32_t state, size_t n_read) {
    if (!is_live_[state]) return true;
    if (n_read >= dfa_.n_states()) return false;
    if (dfa_.is_accepting[state]) {
      if (texts.size() == most_) return false;
      texts.push_back(text_);
    }
    for (const Alphabet::Interval& interval : dfa_.alphabet.intervals()) {
      const uint32_t next = dfa_.step(state, interval.letter);
      if (!is_live_[next]) continue;
      if (interval.hi - interval.lo >= most_) return false;
      for (uint32_t point = interval.lo; point <= interval.hi; ++point) {
        const size_t n_bytes = text_.size();
        append_utf8(text_, point);
        if (!from(next, n_read + 1)) return false;
        text_.resize(n_bytes);
      }
    }
    return true;
  }

  std::vector<std::string> texts;

 private:
  const CodePointDfa& dfa_;
  const size_t most_;
  const std::vector<bool> is_live_;
  std::string text_;
};

}  // namespace

std::optional<std::vector<std::string>> few_texts(const CodePointDfa& dfa, size_t most) {
  constexpr size_t kMostStates = 2'000;  // also bounds the recursion depth
  if (dfa.n_states() > kMostStates) return std::nullopt;
  Walk walk(dfa, most);
  if (!walk.from(0, 0)) return std::nullopt;
  return std::move(walk.texts);
}

std::optional<std::vector<Decimal>> few_numbers(const NumberConstraint& c, size_t most) {
  if (!c.min || !c.max) return std::nullopt;
  std::optional<Decimal> step;
  if (c.integer == Integers::kOnly) step = Decimal(1);
  for (const Decimal& one : c.multiples_of) {
    step = step ? least_common_multiple(*step, one) : one.magnitude();
    if (!step) return std::nullopt;
  }
  std::vector<Decimal> values;
  std::optional<Decimal> value = step ? first_multiple(*c.min, *step) : c.min;
  if (!step && *c.min != *c.max) return std::nullopt;
  // Some of the multiples may be excluded.
  for (size_t n_tried = 0; value && *value <= *c.max; ++n_tried) {
    if (n_tried > 4 * most || values.size() > most) return std::nullopt;
    if (satisfies(*value, c)) values.push_back(*value);
    if (!step) break;
    value = add(*value, *step);
  }
  if (!value || values.size() > most) return std::nullopt;
  return values;
}

}  // namespace xg2lab::json_schema
