// The active positions after a text that grows: reads only what was added since the last call.
//
// Tests: tests/core/test_operators.py
//
// THREADS   as Positions.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "operators/positions.h"

namespace xg2lab::operators {

// A step of a text: a token, or bytes that were given as text.
struct TextPiece {
  std::optional<TokenId> token;
  bool is_text = true;  // whether the token's bytes match as text
  std::string bytes;
  friend bool operator==(const TextPiece&, const TextPiece&) = default;
};

class TextPositions {
 public:
  explicit TextPositions(std::shared_ptr<const OperatorTree> tree)
      : tree_(std::move(tree)), positions_(tree_), active_(positions_.start()) {}

  const std::shared_ptr<const OperatorTree>& tree() const { return tree_; }
  Positions& positions() { return positions_; }

  // The positions after the pieces; none if the tree can't read them.
  const Active& after(std::vector<TextPiece> pieces) {
    const bool has_grown = pieces.size() >= pieces_.size() &&
                           std::equal(pieces_.begin(), pieces_.end(), pieces.begin());
    if (!has_grown) {
      active_ = positions_.start();
      pieces_.clear();
    }
    for (size_t i = pieces_.size(); i < pieces.size(); ++i) {
      active_ = step(pieces[i]);
      pieces_.push_back(std::move(pieces[i]));
    }
    return active_;
  }

 private:
  Active step(const TextPiece& piece) {
    if (piece.token)
      return positions_.after_token(active_, *piece.token, piece.bytes, piece.is_text);
    Active active = active_;
    for (const char byte : piece.bytes)
      active = positions_.advance(active, static_cast<uint8_t>(byte));
    return active;
  }

  std::shared_ptr<const OperatorTree> tree_;
  Positions positions_;
  std::vector<TextPiece> pieces_;  // that active_ has read
  Active active_;
};

}  // namespace xg2lab::operators
