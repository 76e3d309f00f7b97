// Read: forced_tokens, then what one of its rounds adds: spelled text (Walk::add_text) or the only
// allowed token (Walk::only_token).
#include "runtime/forced_tokens.h"

#include <bit>
#include <optional>

#include "runtime/jump_forward.h"
#include "support/budget.h"
#include "support/utf8.h"

namespace xg2lab {
namespace {

constexpr size_t kMaxForcedTokens = 1 << 16;

class ForcedWalk {
 public:
  explicit ForcedWalk(const Matcher& matcher) : matcher_(matcher), now_(matcher.column()) {}

  // Adds the tokens of the text that is forced here. Returns whether the search may continue.
  bool add_text(const SpellText& spell) {
    const std::string text = jump_forward_string(matcher_, now_);
    if (text.empty() || find_invalid_utf8(text)) return add_only_token();
    const size_t n_before = forced.size();
    for (const TokenId id : spell(text)) {
      const ColumnId after = matcher_.column_after(now_, id);
      // The spelling has a special token, or a budget of tokens is used up.
      if (after == kDead) return forced.size() == n_before && add_only_token();
      add(id, after);
    }
    return true;
  }

  bool add_only_token() {
    const std::optional<TokenId> id = only_token();
    if (id) add(*id, matcher_.column_after(now_, *id));
    return id.has_value();
  }

  bool is_open() const {
    return forced.size() < kMaxForcedTokens &&
           !matcher_.configurations().table().at(now_).is_complete;
  }

  std::vector<TokenId> forced;

 private:
  void add(TokenId id, ColumnId after) {
    forced.push_back(id);
    now_ = after;
    count_work("computing the forced tokens");
  }

  // The token that the mask allows, if it allows one alone.
  std::optional<TokenId> only_token() {
    words_.resize(matcher_.compiled().tokens().n_words);
    matcher_.fill_at(now_, words_);
    std::optional<TokenId> only;
    for (size_t i = 0; i < words_.size(); ++i) {
      if (words_[i] == 0) continue;
      if (only || !std::has_single_bit(words_[i])) return std::nullopt;
      only = TokenId(static_cast<uint32_t>(32 * i) +
                     static_cast<uint32_t>(std::countr_zero(words_[i])));
    }
    return only;
  }

  const Matcher& matcher_;
  ColumnId now_;
  std::vector<uint32_t> words_;
};

}  // namespace

std::vector<TokenId> forced_tokens(Matcher& matcher, const SpellText& spell) {
  if (matcher.has_stopped()) return {};
  return matcher.with_contents([&] {
    const OwnBudget budget(matcher.compiled().options().parse.limits, Work::kMask);
    ForcedWalk walk(matcher);
    while (walk.is_open() && (spell ? walk.add_text(spell) : walk.add_only_token())) {}
    return std::move(walk.forced);
  });
}

}  // namespace xg2lab
