// The history of a matcher: one record for each accepted token, shared by forks, truncated by
// rollback.
//
// Tests: tests/core/test_matcher.py
//
// IDEA
//   Records live in chunks of 256; each chunk points to the previous one. A fork shares all chunks,
//   and copies only the last chunk when either side writes to it (persistent stack, XGrammar
//   section 3.3); so forking costs the same after ten tokens or a million. With a window, chunks
//   that rollback can no longer reach are released.
//
// INVARIANTS
//   I1  only the sole owner of a chunk writes to it
//   I2  every chunk but the last is full
//
// COST      push, pop: O(1) amortized; fork: O(1); memory: 12 bytes a token, and the texts of
//           accept_string.
// THREADS   a History belongs to one matcher, which belongs to one thread at a time. Forks may
//           belong to different threads; the chunks that they share are read-only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/ids.h"
#include "support/sole_owner.h"

namespace xg2lab {

struct HistoryRecord {
  ColumnId before;      // the matcher's column before the step
  TokenId token;        // meaningless if `text_index` is set
  uint32_t text_index;  // 1 + index into the chunk's texts, for accept_string; 0 for a token
};

class History {
 public:
  explicit History(int64_t window = -1) : window_(window) {}

  size_t size() const { return size_; }
  // The number of records kept: those within rollback's reach, and the rest of their oldest chunk.
  size_t n_kept() const { return n_kept_; }
  // The size of the kept records and texts, shared with forks or not.
  size_t size_bytes() const { return n_bytes_; }
  // The number of records that rollback can still undo.
  size_t n_reachable() const { return size_ - n_forgotten_; }

  void push_token(ColumnId before, TokenId token) {
    writable_chunk(/*for_push=*/true).records.push_back({before, token, 0});
    grow(0);
  }
  void push_text(ColumnId before, std::string text) {
    Chunk& chunk = writable_chunk(/*for_push=*/true, 1);
    const size_t n_text_bytes = text.size();
    if (chunk.records.size() == chunk.records.capacity())
      chunk.records.reserve(2 * chunk.records.size());
    chunk.texts.push_back(std::move(text));  // the last statement that may throw
    chunk.records.push_back({before, TokenId(0u), static_cast<uint32_t>(chunk.texts.size())});
    grow(n_text_bytes);
  }

  // Removes the newest record; returns the matcher's column before that step. Needs n_reachable() >
  // 0.
  ColumnId pop() {
    Chunk& chunk = writable_chunk(/*for_push=*/false);
    const HistoryRecord record = chunk.records.back();
    chunk.records.pop_back();
    n_bytes_ -= sizeof(HistoryRecord);
    --n_kept_;
    if (record.text_index != 0) {
      n_bytes_ -= chunk.texts.back().size();
      chunk.texts.pop_back();
    }
    if (chunk.records.empty()) {
      std::shared_ptr<Chunk> previous = chunk.previous;
      last_ = std::move(previous);
    }
    --size_;
    return record.before;
  }

  // The newest record's token, unless it is a record of accept_string.
  std::optional<TokenId> last_token() const {
    if (!last_ || last_->records.back().text_index != 0) return std::nullopt;
    return last_->records.back().token;
  }

  // Visits the kept records from oldest to newest: visit(record, text or nullptr).
  template <class Visit>
  void for_each(Visit visit) const {
    std::vector<const Chunk*> chunks;
    for (const Chunk* chunk = last_.get(); chunk != nullptr; chunk = chunk->previous.get())
      chunks.push_back(chunk);
    for (auto chunk = chunks.rbegin(); chunk != chunks.rend(); ++chunk) {
      for (const HistoryRecord& record : (*chunk)->records) {
        visit(record, record.text_index == 0 ? nullptr : &(*chunk)->texts[record.text_index - 1]);
      }
    }
  }
  // Whether for_each visits the whole history, from the first token.
  bool is_whole() const { return !is_cut_; }

  // Replaces the columns of all kept records, oldest first (after moving to another table).
  void rename(const std::vector<ColumnId>& before_columns) {
    History renamed(-1);
    size_t i = 0;
    for_each([&](const HistoryRecord& record, const std::string* text) {
      if (text != nullptr) {
        renamed.push_text(before_columns[i++], *text);
      } else {
        renamed.push_token(before_columns[i++], record.token);
      }
    });
    last_ = std::move(renamed.last_);
  }

  void clear() {
    last_.reset();
    size_ = 0;
    n_kept_ = 0;
    n_bytes_ = 0;
    n_forgotten_ = 0;
    is_cut_ = false;
  }
  int64_t window() const { return window_; }

 private:
  static constexpr size_t kChunkRecords = 256;
  struct Chunk {
    ~Chunk() {  // releases long lists of chunks in a loop: recursion would overflow the call stack
      while (previous && is_sole_owner(previous))
        previous = std::exchange(previous->previous, nullptr);
    }
    std::vector<HistoryRecord> records;
    std::vector<std::string> texts;
    std::shared_ptr<Chunk> previous;
  };

  Chunk& writable_chunk(bool for_push, size_t n_texts = 0) {
    if (!last_ || (for_push && last_->records.size() == kChunkRecords)) {
      auto chunk = std::make_shared<Chunk>();
      chunk->records.reserve(1);  // no empty chunk remains if memory runs out
      chunk->texts.reserve(n_texts);
      chunk->previous = std::move(last_);
      last_ = std::move(chunk);
    } else if (!is_sole_owner(last_)) {
      auto copy = std::make_shared<Chunk>();
      copy->records = last_->records;
      copy->texts = last_->texts;
      copy->previous = last_->previous;
      last_ = std::move(copy);
    }
    return *last_;
  }

  void grow(size_t n_text_bytes) {
    ++size_;
    n_bytes_ += sizeof(HistoryRecord) + n_text_bytes;
    ++n_kept_;
    if (window_ >= 0) forget();
  }

  // Releases chunks beyond the window, unless a fork shares the chunks that lead to them (I1).
  void forget() {
    const auto window = static_cast<size_t>(window_);
    n_forgotten_ = std::max(n_forgotten_, size_ - std::min(size_, window));
    if (last_->records.size() > 1) return;  // checking once a chunk is enough
    Chunk* chunk = last_.get();
    for (size_t i = 0; i < window / kChunkRecords + 1 && chunk != nullptr; ++i) {
      if (chunk->previous && !is_sole_owner(chunk->previous)) return;
      chunk = chunk->previous.get();
    }
    if (chunk != nullptr && chunk->previous) {
      chunk->previous.reset();
      is_cut_ = true;
      n_kept_ = n_bytes_ = 0;
      for (const Chunk* kept = last_.get(); kept != nullptr; kept = kept->previous.get()) {
        n_kept_ += kept->records.size();
        n_bytes_ += kept->records.size() * sizeof(HistoryRecord);
        for (const std::string& text : kept->texts) n_bytes_ += text.size();
      }
    }
  }

  std::shared_ptr<Chunk> last_;
  size_t size_ = 0;
  size_t n_kept_ = 0;
  size_t n_bytes_ = 0;
  size_t n_forgotten_ = 0;
  bool is_cut_ = false;
  int64_t window_;
};

}  // namespace xg2lab
