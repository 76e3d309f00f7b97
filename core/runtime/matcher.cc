// Read: construction, accepting, filling, rollback, forced bytes, moving to fresh configurations.
#include "runtime/matcher.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/jump_forward.h"
#include "support/bits.h"
#include "support/budget.h"
#include "support/error.h"
#include "support/text.h"

namespace xg2lab {
namespace {

std::vector<TokenId> checked_stop_tokens(const MatcherOptions& options,
                                         const Vocabulary& vocabulary) {
  if (!options.override_stop_tokens) return vocabulary.stop_tokens();
  std::vector<TokenId> ids = *options.override_stop_tokens;
  for (TokenId id : ids) {
    if (id.index() >= vocabulary.n_tokens()) {
      throw Error(
          ErrorKind::kVocabularyError,
          concat("override_stop_tokens: token id ", static_cast<int32_t>(id.value),
                 " is outside the vocabulary of ", vocabulary.n_tokens(), " tokens"),
          vocabulary.n_tokens() == 0
              ? "an empty vocabulary has no stop token; terminate_without_stop_token=True ends "
                "texts"
              : concat("give ids from 0 to ", vocabulary.n_tokens() - 1));
    }
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

// The program that has the contents which earlier texts needed.
std::shared_ptr<const CompiledGrammar> latest_of(std::shared_ptr<const CompiledGrammar> given) {
  const ContentsOnDemand* const contents = given->contents_on_demand();
  std::shared_ptr<const CompiledGrammar> latest = contents ? contents->latest() : nullptr;
  return latest ? latest : given;
}

}  // namespace

Matcher::Matcher(std::shared_ptr<const CompiledGrammar> compiled, MatcherOptions options)
    : given_(std::move(compiled)),
      compiled_(latest_of(given_)),
      configurations_(compiled_->configurations()),
      options_(std::move(options)),
      stop_tokens_(checked_stop_tokens(options_, *compiled_->tokens().vocabulary)),
      now_(configurations_->table().start()),
      history_(options_.max_rollback_tokens < 0 ? -1 : options_.max_rollback_tokens),
      move_at_bytes_(compiled_->options().max_configuration_bytes) {
  if (options_.max_rollback_tokens < -1) {
    throw Error(ErrorKind::kArgumentError,
                concat("max_rollback_tokens is ", options_.max_rollback_tokens),
                "give the number of steps to keep, or -1 for no limit");
  }
  const double temperature = options_.default_temperature.value_or(0);
  if (!std::isfinite(temperature) || temperature < 0) {
    throw Error(ErrorKind::kArgumentError, "default_temperature is " + std::to_string(temperature),
                "give a number from 0 on, or None");
  }
  // A bounded history forgets the text that move_to() reads again.
  if (options_.max_rollback_tokens >= 0) take_all_contents();
}

void Matcher::check_not_stopped(const char* what) const {
  if (!stopped_) return;
  throw Error(
      ErrorKind::kMatcherStateError,
      concat(what, ": the matcher has terminated, a stop token was accepted"),
      "check is_terminated() first; rollback(1) takes the stop token back, reset() starts anew");
}

bool Matcher::has_ended(const char* what) const {
  if (stopped_ && options_.is_strict) check_not_stopped(what);
  return stopped_;
}

bool Matcher::is_stop_token(TokenId id) const {
  return std::binary_search(stop_tokens_.begin(), stop_tokens_.end(), id);
}

// ---- Accepting ----

bool Matcher::accept_token(int64_t token_id) {
  if (has_ended("accept_token")) return false;
  const Vocabulary& vocabulary = *compiled_->tokens().vocabulary;
  if (token_id < 0 || static_cast<size_t>(token_id) >= vocabulary.n_tokens()) {
    if (!options_.is_strict) return false;
    throw Error(
        ErrorKind::kVocabularyError,
        concat("accept_token: token id ", token_id, " is outside the vocabulary of ",
               vocabulary.n_tokens(), " tokens"),
        "if the model's logits are wider than the tokenizer, give TokenizerInfo vocab_size=<width "
        "of the logits>");
  }
  const TokenId id(static_cast<uint32_t>(token_id));
  if (is_stop_token(id)) {
    if (!is_completed()) return false;
    history_.push_token(now_, id);
    stopped_ = true;
    return true;
  }
  // The column is computed before anything is changed, so a rejected token leaves the matcher as it
  // was.
  const ColumnId after = with_contents([&] { return column_after(now_, id); });
  if (after == kDead) return false;
  history_.push_token(now_, id);
  now_ = after;
  keep_within_limits();
  return true;
}

ColumnId Matcher::column_after(ColumnId from, TokenId id) const {
  return is_stop_token(id) ? kDead : configurations_->after(from, id);
}

bool Matcher::accept_string(std::string_view bytes) {
  if (has_ended("accept_string")) return false;
  const ColumnId after = with_contents([&] { return configurations_->walk(now_, bytes); });
  if (after == kDead) return false;
  history_.push_text(now_, std::string(bytes));
  now_ = after;
  keep_within_limits();
  return true;
}

// ---- Filling ----

bool Matcher::fill_next_token_bitmask(std::span<uint32_t> words, FillReport* report) {
  check_not_stopped("fill_next_token_bitmask");
  return with_contents([&] { return fill_at(now_, words, report); });
}

bool Matcher::fill_at(ColumnId column, std::span<uint32_t> words, FillReport* report) const {
  const FinalMask& mask = configurations_->mask(column, report);
  const TokenSets& tokens = compiled_->tokens();
  const size_t n_words = tokens.n_words;
  configurations_->write(mask, words.first(n_words));
  if (words.size() > n_words) fill_zeros(words.subspan(n_words));
  size_t n_allowed = mask.n_allowed;
  const bool may_stop = configurations_->table().at(column).is_complete;
  for (TokenId id : stop_tokens_) {
    if (test_bit(words, id.value)) {
      // an overridden stop token: for this matcher the id is never text
      clear_bit(words, id.value);
      --n_allowed;
    }
    if (may_stop) {
      set_bit(words, id.value);
      ++n_allowed;
    }
  }
  return n_allowed < tokens.vocabulary->n_tokens();
}

ActiveTemperature Matcher::temperature_at(ColumnId column) const {
  ActiveTemperature active;
  if (!stopped_) active = configurations_->temperature(column);
  if (!active.value) active.value = options_.default_temperature;
  return active;
}

// ---- Rollback ----

void Matcher::rollback(int64_t n) {
  if (n < 0 || static_cast<size_t>(n) > history_.n_reachable()) {
    const bool is_bounded = static_cast<size_t>(std::max<int64_t>(n, 0)) <= history_.size();
    throw Error(
        ErrorKind::kMatcherStateError,
        concat("rollback(", n, "): only ", history_.n_reachable(), " steps can be taken back"),
        n < 0        ? "give a number from 0 on"
        : is_bounded ? concat("the window is max_rollback_tokens=", options_.max_rollback_tokens,
                              "; make the matcher with a larger one, or -1 for no limit")
                     : concat("the matcher has accepted ", history_.size(), " steps"));
  }
  // A stop token is a step like any other in the history, and undoing it reopens the text.
  for (int64_t i = 0; i < n; ++i) {
    now_ = history_.pop();
    stopped_ = false;
  }
}

void Matcher::reset() {
  history_.clear();
  stopped_ = false;
  configurations_ = compiled_->configurations();
  now_ = configurations_->table().start();
  move_at_bytes_ = compiled_->options().max_configuration_bytes;
}

// ---- Forced bytes ----

std::string Matcher::find_jump_forward_string() {
  return with_contents([&] {
    const OwnBudget budget(compiled_->options().parse.limits, Work::kMask);
    return jump_forward_string(*this);
  });
}

// ---- Moving to a program with more contents ----

void Matcher::take_all_contents() {
  ContentsOnDemand* const contents = given_->contents_on_demand();
  if (contents == nullptr) return;
  std::shared_ptr<const CompiledGrammar> whole = contents->whole();
  if (compiled_ != whole) move_to(std::move(whole));
}

void Matcher::move_to(std::shared_ptr<const CompiledGrammar> compiled) {
  Matcher moved = *this;
  moved.compiled_ = std::move(compiled);
  moved.reset();
  history_.for_each([&](const HistoryRecord& record, const std::string* text) {
    const bool is_read =
        text != nullptr ? moved.accept_string(*text) : moved.accept_token(record.token.value);
    XG2LAB_ASSERT(is_read, "a grammar accepts a text whichever contents are compiled");
  });
  *this = std::move(moved);
}

// ---- Moving to fresh configurations ----

void Matcher::keep_within_limits() {
  try {
    if (configurations_->memory_size_bytes() > move_at_bytes_) leave_full_configurations();
    check_history();
  } catch (...) {
    now_ = history_.pop();
    throw;
  }
}

void Matcher::check_history() const {
  const size_t limit = compiled_->options().max_history_bytes;
  const double n_column_bytes = column_bytes_per_step_ * static_cast<double>(history_.n_kept());
  if (history_.size_bytes() + static_cast<size_t>(n_column_bytes) <= limit) return;
  throw Error(
      ErrorKind::kLimitError,
      concat("the history of this matcher needs more than EngineOptions.max_history_bytes, ", limit,
             " bytes, after ", history_.size() - 1, " steps"),
      "give GrammarMatcher max_rollback_tokens=N to keep the last N tokens only, or raise "
      "max_history_bytes");
}

void Matcher::leave_full_configurations() {
  std::vector<ColumnId> columns;
  history_.for_each(
      [&](const HistoryRecord& record, const std::string*) { columns.push_back(record.before); });
  columns.push_back(now_);
  const ColumnTable& table = configurations_->table();
  const NeededColumns needed = table.needed_by(columns);
  column_bytes_per_step_ =
      static_cast<double>(needed.n_bytes) / static_cast<double>(columns.size());
  // Moving most of the configurations would free little memory; the check is repeated when they
  // have doubled.
  const size_t n_bytes = configurations_->memory_size_bytes();
  if (needed.n_bytes > n_bytes / 2) {
    move_at_bytes_ = 2 * n_bytes;
    return;
  }
  // Another matcher may have replaced the full set already; then that set is adopted.
  std::shared_ptr<Configurations> fresh = compiled_->replace(configurations_);
  if (fresh == configurations_) return;
  std::vector<ColumnId> moved = fresh->table().adopt(table, needed, columns);
  const ColumnId now = moved.back();
  moved.pop_back();
  history_.rename(moved);  // the last statement that may throw
  now_ = now;
  configurations_ = std::move(fresh);
  // The columns of this history alone may exceed the budget: move again only when the memory has
  // doubled.
  move_at_bytes_ = std::max(compiled_->options().max_configuration_bytes,
                            2 * configurations_->memory_size_bytes());
}

std::string Matcher::text() const {
  std::vector<Piece> pieces;
  return text(pieces);
}

std::string Matcher::text(std::vector<Piece>& pieces) const {
  if (!history_.is_whole()) {
    throw Error(
        ErrorKind::kMatcherStateError,
        concat("the beginning of the text is gone: the history is bounded by max_rollback_tokens=",
               options_.max_rollback_tokens),
        "make the matcher with max_rollback_tokens=-1 to inspect it");
  }
  const Vocabulary& vocabulary = *compiled_->tokens().vocabulary;
  std::string bytes;
  history_.for_each([&](const HistoryRecord& record, const std::string* piece) {
    if (piece != nullptr) {
      bytes += *piece;
      pieces.push_back({std::nullopt, bytes.size()});
    } else if (!is_stop_token(record.token)) {
      bytes += vocabulary.bytes(record.token);
      pieces.push_back({record.token, bytes.size()});
    }
  });
  return bytes;
}

}  // namespace xg2lab
