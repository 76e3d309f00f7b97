// Turns structural tags, JSON that describes the form of an answer, into a Grammar.
//
// Tests: tests/structural_tag/
//
// IDEA
//   A format describes a text: a constant, a value of a schema, or free text in which a trigger
//   opens a tag. Each format becomes an expression; free text becomes a TagDispatch
//   (docs/design/0005-tag-dispatch.md), so the engine needs nothing new. The context of a format is
//   known when it is lowered: free text ends at the first end of the surrounding tag, so that end
//   becomes a stop string, and no text has two readings.
//
// EXAMPLE   {"type": "tag", "begin": "<a>", "content": {"type": "any_text"}, "end": "</a>"}
//             "<a>" TagDispatch(stop_eos=false, stop_str=("</a>"))
//           With content {"type": "regex", "pattern": "[^<]*"}, which is not free text: "<a>"
//           Regex("[^<]*") "</a>".
//
// docs/design/0022-structural-tags.md defines each format.
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

// A tokenizer's view of texts: tokens may be named by their texts, and a text that is a special
// token may be generated as that token.
class TokenNames {
 public:
  struct Special {
    std::string_view text;
    TokenId id;
  };
  // `named`: the tokens with exactly this text. `like`: a text that may be meant by one that no
  // token has. `special`: tokens that never match as text, except stop tokens, whose texts are in
  // `stops`.
  TokenNames(std::function<std::vector<TokenId>(std::string_view)> named,
             std::function<std::optional<std::string>(std::string_view)> like,
             const std::vector<std::pair<std::string, TokenId>>& special,
             const std::vector<std::string>& stops);

  std::vector<TokenId> named(std::string_view text) const { return named_(text); }
  std::optional<std::string> like(std::string_view text) const { return like_(text); }
  bool has_special() const { return !special_.empty(); }
  bool is_stop(std::string_view text) const { return stops_.contains(std::string(text)); }
  // The longest special token whose text is a prefix of `text`.
  std::optional<Special> special_at(std::string_view text) const;

 private:
  std::function<std::vector<TokenId>(std::string_view)> named_;
  std::function<std::optional<std::string>(std::string_view)> like_;
  std::unordered_map<std::string, TokenId> special_;
  std::unordered_set<std::string> stops_;
  std::vector<size_t> sizes_;               // lengths of their texts, descending
  std::array<bool, 256> begins_special_{};  // by the first byte
};

struct StructuralTagOptions {
  const TokenNames* names = nullptr;  // null: no tokenizer
  bool relaxes = false;  // drop and list unsupported schema constraints instead of refusing them
};

// The root must be a structural tag, {"type": "structural_tag", "format": ...}. The result's
// keyword_uses() are those of its schemas. Throws Error with all mistakes:
// InvalidStructuralTagError, or UnsupportedError if all mistakes are unsupported features.
Grammar grammar_of_structural_tag(const JsonDocument& document,
                                  const StructuralTagOptions& options);

}  // namespace xg2lab
