// The matcher: one sequence's state. Tokens in, masks out.
//
// Twin:  xg2lab/reference/matcher.py
// Tests: tests/core/test_matcher.py, tests/differential/test_engine_vs_twin.py
//
// IDEA
//   A matcher is one column of the shared table, the history that led to it, and whether a stop token has ended
//   it. Accepting a token walks its bytes through the table; filling a mask copies what is known of the
//   column. Both change nothing when they refuse.
//
// INVARIANTS
//   I1  now_ != kDead
//   I2  the mask allows a token if and only if accept_token would take it (mask == accept)
//   I3  rollback(n) after n accepted tokens restores the matcher, mask included
//
// COST      accept_token: one known step a byte. fill: see Configurations::write. fork: O(1).
// THREADS   a matcher belongs to one thread at a time; what it shares is synchronized below.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/compiled_grammar.h"
#include "runtime/history.h"

namespace xg2lab {

struct MatcherOptions {
  std::optional<std::vector<TokenId>> override_stop_tokens;
  bool terminate_without_stop_token = false;
  int64_t max_rollback_tokens = -1;  // -1: no limit
  std::optional<double> default_temperature;
  bool is_strict = false;  // throw where a call of accept_* can't be served, instead of false
};

class Matcher {
 public:
  Matcher(std::shared_ptr<const CompiledGrammar> compiled, MatcherOptions options);

  // Whether the token was taken; false leaves the matcher as it was. After a stop token nothing is
  // taken, and an id outside the vocabulary never is: then a strict matcher throws
  // MatcherStateError or VocabularyError.
  // Throws LimitError, and leaves the matcher as it was, where its history would grow beyond its
  // limit.
  bool accept_token(int64_t token_id);
  // The same for bytes that need not be a token; one step each, the empty string too.
  bool accept_string(std::string_view bytes);

  // Writes the mask into `words` (all of them). Whether it forbids anything. Throws MatcherStateError after a
  // stop token.
  bool fill_next_token_bitmask(std::span<uint32_t> words, FillReport* report = nullptr);

  // Takes back `n` steps (tokens, or calls of accept_string). Throws MatcherStateError if that is more than
  // there are, or more than the window keeps.
  void rollback(int64_t n);
  void reset();
  Matcher fork() const { return *this; }

  // The text that must come next whatever the model says, up to the last edge that is one for sure of code points and
  // of tokens: see runtime/jump_forward.h.
  std::string find_jump_forward_string() const;

  // At which temperature to sample the next token: of the rules that are being matched, the innermost that has one; the
  // highest, where several readings of the text differ. Where no rule has one, the default.
  ActiveTemperature temperature() const { return temperature_at(now_); }

  // Whether the root is complete: the text so far is a sentence of the grammar.
  bool is_completed() const { return configurations_->table().at(now_).is_complete; }
  bool is_terminated() const {
    return stopped_ || (options_.terminate_without_stop_token && is_completed());
  }
  bool has_stopped() const { return stopped_; }
  // The stop token that ended the text, if one has.
  std::optional<TokenId> stopped_by() const {
    return stopped_ ? history_.last_token() : std::nullopt;
  }

  const std::vector<TokenId>& stop_tokens() const { return stop_tokens_; }
  bool is_stop_token(TokenId id) const;
  int64_t max_rollback_tokens() const { return options_.max_rollback_tokens; }
  bool is_strict() const { return options_.is_strict; }
  const CompiledGrammar& compiled() const { return *compiled_; }
  const std::shared_ptr<const CompiledGrammar>& shared_compiled() const { return compiled_; }

  // ---- For inspection (runtime/inspect.*) ----
  ColumnId column() const { return now_; }
  Configurations& configurations() const { return *configurations_; }
  // All bytes read so far. Throws MatcherStateError if a bounded history has let go of the beginning.
  std::string text() const;
  // The same, and where each step ends.
  struct Piece {
    std::optional<TokenId> token;  // none: bytes of accept_string
    size_t end = 0;
    friend bool operator==(const Piece&, const Piece&) = default;
  };
  std::string text(std::vector<Piece>& pieces) const;
  size_t n_steps() const { return history_.size(); }

  // ---- Beside the text (runtime/batch.*, runtime/draft_tree.*) ----
  // Whether the next fill is a look-up.
  bool knows_mask() const { return configurations_->knows(now_); }
  // Where a token leads from a column of this matcher's configurations; kDead where it isn't allowed, and
  // after a stop token.
  ColumnId column_after(ColumnId from, TokenId id) const;
  // What fill_next_token_bitmask writes where the matcher stands in `column`.
  bool fill_at(ColumnId column, std::span<uint32_t> words, FillReport* report = nullptr) const;
  // What temperature() is where the matcher stands in `column`.
  ActiveTemperature temperature_at(ColumnId column) const;

 private:
  void check_not_stopped(const char* what) const;
  // Whether the text has ended; throws if so and the matcher is strict.
  bool has_ended(const char* what) const;
  // After a step: moves on if the configurations are full; throws LimitError if the history is.
  // Whatever is thrown, the step is taken back: an interrupt may come while the move is made.
  void keep_within_limits();
  void check_history() const;
  // Moves to a fresh set of configurations if this one has outgrown its budget.
  void leave_full_configurations();

  std::shared_ptr<const CompiledGrammar> compiled_;
  std::shared_ptr<Configurations> configurations_;
  MatcherOptions options_;
  std::vector<TokenId> stop_tokens_;  // ascending
  ColumnId now_;
  History history_;
  bool stopped_ = false;
  size_t move_at_bytes_;
  double column_bytes_per_step_ = 0;  // of the history, when it last moved
};

}  // namespace xg2lab
