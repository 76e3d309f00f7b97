// Rows of numbers as words of 32 bits, and back, as visitors of the rows' lists (support/fields.h).
//
// Tests: tests/unit/support_fields.cc, tests/core/test_serialization_hostile.py
//
// IDEA
//   Large tables are written as words instead of JSON lists, because a JSON list becomes a Python
//   object for each number. Each field of a row takes one word. A type whose values are fewer than
//   all words has overloads of `to_word` and `from_word` beside its list.
//
// EXAMPLE
//   {PlainState{true, 2, 0}, PlainState{false, 1, 7}}   ->   1 2 0   0 1 7
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/fields.h"
#include "support/ids.h"

namespace xg2lab {

// The error for invalid words. `row`: the row with the invalid word; nothing if the words end
// within a row.
class BadWords : public std::invalid_argument {
 public:
  explicit BadWords(const char* what, std::optional<size_t> row = std::nullopt)
      : std::invalid_argument(what), row_(row) {}
  std::optional<size_t> row() const { return row_; }

 private:
  std::optional<size_t> row_;
};

constexpr uint32_t to_word(uint32_t number) { return number; }
constexpr uint32_t to_word(bool flag) { return flag ? 1 : 0; }
template <class Tag>
constexpr uint32_t to_word(Id<Tag> id) {
  return id.value;
}

// Return the refusal of an invalid word; null for a valid one.
constexpr const char* from_word(uint32_t word, uint32_t& number) {
  number = word;
  return nullptr;
}
constexpr const char* from_word(uint32_t word, bool& flag) {
  flag = word == 1;
  return word > 1 ? "expected 0 or 1" : nullptr;
}
template <class Tag>
constexpr const char* from_word(uint32_t word, Id<Tag>& id) {
  id = Id<Tag>(word);
  return nullptr;
}

class WordWriter {
 public:
  explicit WordWriter(std::vector<uint32_t>& out) : out_(out) {}
  template <class Field, class... Declared>
  void operator()(const char*, const Field& field, const Declared&...) {
    out_.push_back(to_word(field));
  }

 private:
  std::vector<uint32_t>& out_;
};

class WordReader {
 public:
  WordReader(const uint32_t* words, size_t row) : next_(words), row_(row) {}
  template <class Field, class... Declared>
  void operator()(const char*, Field& field, const Declared&...) {
    if (const char* refusal = from_word(*next_++, field)) throw BadWords(refusal, row_);
  }

 private:
  const uint32_t* next_;
  size_t row_;
};

// A row of a type without a list is one number.
template <class Visit, class Row>
void visit_row(Visit& visit, Row& row) {
  if constexpr (Listed<Row>) {
    fields(visit, row);
  } else {
    visit("value", row);
  }
}

template <class Row>
std::vector<uint32_t> to_words(const std::vector<Row>& rows) {
  std::vector<uint32_t> out;
  WordWriter writer(out);
  for (const Row& row : rows) visit_row(writer, row);
  return out;
}

// Throws BadWords; `cut_off` is the refusal of words that end within a row.
template <class Row>
void from_words(std::span<const uint32_t> words, std::vector<Row>& rows, const char* cut_off) {
  ColumnCount count;
  const Row example{};
  visit_row(count, example);
  const size_t n = count.n_columns();
  if (words.size() % n != 0) throw BadWords(cut_off);
  rows.resize(words.size() / n);
  for (size_t i = 0; i < rows.size(); ++i) {
    WordReader reader(words.data() + i * n, i);
    visit_row(reader, rows[i]);
  }
}

// Lists of numbers: each begins with its length.
inline std::vector<uint32_t> to_words(const std::vector<std::vector<uint32_t>>& lists) {
  std::vector<uint32_t> out;
  for (const std::vector<uint32_t>& list : lists) {
    out.push_back(static_cast<uint32_t>(list.size()));
    out.insert(out.end(), list.begin(), list.end());
  }
  return out;
}

inline void from_words(std::span<const uint32_t> words, std::vector<std::vector<uint32_t>>& lists,
                       const char* cut_off) {
  for (size_t i = 0; i < words.size(); i += words[i] + size_t{1}) {
    const size_t n = words[i];
    if (n >= words.size() - i) throw BadWords(cut_off);
    const auto begin = words.begin() + static_cast<ptrdiff_t>(i) + 1;
    lists.emplace_back(begin, begin + static_cast<ptrdiff_t>(n));
  }
}

}  // namespace xg2lab
