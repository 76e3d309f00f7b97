// The matcher: the state of one sequence. Tokens in, masks out.
//
// Twin:  xg2lab/reference/matcher.py
// Tests: tests/core/test_matcher.py, tests/differential/test_engine_vs_twin.py
//
// IDEA
//   A matcher consists of one column of the shared table, the history that led to this column, and
//   whether a stop token has ended the text. Accepting a token steps its bytes through the table;
//   filling a mask copies the column's cached mask. Both leave the matcher unchanged when they
//   fail.
//
//   The program may lack contents of a structural tag (runtime/contents_on_demand.h). Then what
//   reads from a column runs within with_contents().
//
// INVARIANTS
//   I1  now_ != kDead
//   I2  the mask allows a token if and only if accept_token would accept it (mask == accept)
//   I3  rollback(n) after n accepted tokens restores the matcher, mask included
//   I4  compiled_ has every content that the text has read
//
// COST      accept_token: one cached step a byte. fill: see Configurations::write. fork: O(1).
// THREADS   a matcher belongs to one thread at a time; the objects that it shares are synchronized.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parse/contents_needed.h"
#include "runtime/compiled_grammar.h"
#include "runtime/history.h"

namespace xg2lab {

struct MatcherOptions {
  std::optional<std::vector<TokenId>> override_stop_tokens;
  bool terminate_without_stop_token = false;
  int64_t max_rollback_tokens = -1;  // -1: no limit
  std::optional<double> default_temperature;
  bool is_strict = false;  // throw instead of returning false
};

class Matcher {
 public:
  Matcher(std::shared_ptr<const CompiledGrammar> compiled, MatcherOptions options);

  // Returns whether the token was accepted; if not, the matcher is unchanged. After a stop token
  // every token is rejected, and an id outside the vocabulary always is; a strict matcher throws
  // MatcherStateError or VocabularyError instead. Throws LimitError, and leaves the matcher
  // unchanged, if its history would exceed its limit.
  bool accept_token(int64_t token_id);
  // The same for bytes that need not be a token. Each call is one step, even with the empty string.
  bool accept_string(std::string_view bytes);

  // Writes the mask into all of `words`. Returns whether the mask forbids any token. Throws
  // MatcherStateError after a stop token.
  bool fill_next_token_bitmask(std::span<uint32_t> words, FillReport* report = nullptr);

  // Undoes `n` steps (tokens, or calls of accept_string). Throws MatcherStateError if there are
  // fewer steps, or if the window keeps fewer.
  void rollback(int64_t n);
  void reset();
  Matcher fork() const { return *this; }

  // Runs work that reads from this matcher's columns, and runs it anew after moving to a program
  // that has a content which the work needed. Columns that it got before belong to the old program.
  template <class Work>
  auto with_contents(const Work& work) {
    while (true) {
      ContentsNeeded needed;
      try {
        return work();
      } catch (ContentsNeeded& thrown) {
        needed = std::move(thrown);
      }
      move_to(given_->contents_on_demand()->with(std::move(needed.numbers)));
    }
  }
  // Moves to the program with all contents, for questions about states.
  void take_all_contents();
  bool shows_whole() const {
    return given_->contents_on_demand() == nullptr ||
           given_->contents_on_demand()->is_whole(*compiled_);
  }

  // The text that must come next whatever the model chooses, up to the last position that is
  // certainly a boundary of code points and of tokens: see runtime/jump_forward.h.
  std::string find_jump_forward_string();

  // The temperature for sampling the next token: that of the innermost open rule that has one; the
  // highest, if the text has several readings. The default if no open rule has one.
  ActiveTemperature temperature() const { return temperature_at(now_); }

  // Whether the root is complete: the text so far is a sentence of the grammar.
  bool is_completed() const { return configurations_->table().at(now_).is_complete; }
  bool is_terminated() const {
    return stopped_ || (options_.terminate_without_stop_token && is_completed());
  }
  bool has_stopped() const { return stopped_; }
  // The stop token that ended the text, if any.
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
  // All bytes read so far. Throws MatcherStateError if a bounded history has dropped the beginning.
  std::string text() const;
  // The same, split into steps.
  struct Piece {
    std::optional<TokenId> token;  // none: bytes of accept_string
    size_t end = 0;
    friend bool operator==(const Piece&, const Piece&) = default;
  };
  std::string text(std::vector<Piece>& pieces) const;
  size_t n_steps() const { return history_.size(); }

  // ---- Beside the text (runtime/batch.*, runtime/draft_tree.*), within with_contents() ----
  // Whether the next fill is a look-up.
  bool knows_mask() const { return configurations_->knows(now_); }
  // The column after a token, from a column of this matcher's configurations; kDead if the token
  // isn't allowed, and after a stop token.
  ColumnId column_after(ColumnId from, TokenId id) const;
  // The mask that fill_next_token_bitmask would write if the matcher were in `column`.
  bool fill_at(ColumnId column, std::span<uint32_t> words, FillReport* report = nullptr) const;
  // The result of temperature() if the matcher were in `column`.
  ActiveTemperature temperature_at(ColumnId column) const;

 private:
  // Reads the text again with another program of the same grammar.
  void move_to(std::shared_ptr<const CompiledGrammar> compiled);
  void check_not_stopped(const char* what) const;
  // Whether the text has ended; a strict matcher throws if it has.
  bool has_ended(const char* what) const;
  // Called after a step: moves to fresh configurations if these are full; throws LimitError if the
  // history is too large. If an exception is thrown, the step is undone: an interrupt may come
  // during the move.
  void keep_within_limits();
  void check_history() const;
  // Moves to a fresh set of configurations if this one has outgrown its budget.
  void leave_full_configurations();

  std::shared_ptr<const CompiledGrammar> given_;     // what the matcher was made of
  std::shared_ptr<const CompiledGrammar> compiled_;  // the same with the contents needed so far
  std::shared_ptr<Configurations> configurations_;
  MatcherOptions options_;
  std::vector<TokenId> stop_tokens_;  // ascending
  ColumnId now_;
  History history_;
  bool stopped_ = false;
  size_t move_at_bytes_;
  double column_bytes_per_step_ = 0;  // of the history, at the last move
};

}  // namespace xg2lab
