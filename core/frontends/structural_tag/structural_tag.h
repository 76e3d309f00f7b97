// Structural tags: JSON that says what an answer looks like -> Grammar.
//
// Tests: tests/structural_tag/
//
// IDEA
//   A format says what a text is: a constant, a schema's value, free text in which a trigger opens a tag. Each becomes an
//   expression; free text becomes a TagDispatch (docs/design/0005-tag-dispatch.md), so the engine knows nothing new.
//   What follows a format is known when it is lowered: free text ends at the first end of the tag around it, so that
//   end is given to it as a stop string, and no two readings of a text compete.
//
// EXAMPLE   {"type": "tag", "begin": "<a>", "content": {"type": "any_text"}, "end": "</a>"}
//             "<a>" TagDispatch(stop_eos=false, stop_str=("</a>"))
//           The same with {"type": "regex", "pattern": "[^<]*"} in it: no free text, so "<a>" Regex("[^<]*") "</a>".
//
// docs/design/0022-structural-tags.md says what each format means.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "grammar/grammar.h"
#include "support/json_value.h"

namespace xg2lab {

// What a tokenizer adds: tokens may be named by their texts, and a text that is a special token may come as that.
class TokenNames {
 public:
  struct Special {
    std::string_view text;
    TokenId id;
  };
  // `named`: the tokens with exactly this text. `special`: tokens that never match as text, but for stop tokens, whose texts
  // are in `stops`.
  TokenNames(std::function<std::vector<TokenId>(std::string_view)> named,
             const std::vector<std::pair<std::string, TokenId>>& special,
             const std::vector<std::string>& stops);

  std::vector<TokenId> named(std::string_view text) const { return named_(text); }
  bool has_special() const { return !special_.empty(); }
  bool is_stop(std::string_view text) const { return stops_.contains(std::string(text)); }
  // The longest special token that `text` begins with.
  std::optional<Special> special_at(std::string_view text) const;

 private:
  std::function<std::vector<TokenId>(std::string_view)> named_;
  std::unordered_map<std::string, TokenId> special_;
  std::unordered_set<std::string> stops_;
  std::vector<size_t> sizes_;               // of their texts, descending
  std::array<bool, 256> begins_special_{};  // by the first byte
};

struct StructuralTagOptions {
  const TokenNames* names = nullptr;  // null: without a tokenizer
  bool relaxes = false;  // what schemas ask for and can't be kept is left out and listed
};

// The root is a structural tag, {"type": "structural_tag", "format": ...}. Its keyword_uses() are those of its schemas.
// Throws Error with all mistakes: InvalidStructuralTagError, or UnsupportedError if that is all there is.
Grammar grammar_of_structural_tag(const JsonDocument& document,
                                  const StructuralTagOptions& options);

}  // namespace xg2lab
