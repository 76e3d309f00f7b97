// Read: value (which appends to the list of parts), then emit.
// The trick: a container's part is appended when the container begins, and completed with its size
// when it ends.
#include "support/json_reader.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "support/nesting.h"
#include "support/utf8.h"

namespace xg2lab {
namespace {

constexpr size_t kMostDepth = 200;
constexpr size_t kMostBytes = size_t{8} << 20;  // bounds the number of values, too
// These limits agree with bind/json_value.cc, which converts Python's values.
constexpr size_t kMostOnOneLine = 12;
constexpr size_t kLongText = 40;  // code points

class TextReader {
 public:
  explicit TextReader(std::string_view text) : text_(text) {
    constexpr size_t kBytesOfAPart = 10;  // about
    parts_.reserve(text.size() / kBytesOfAPart);
  }

  bool read() {
    skip_spaces();
    if (!value(0)) return false;
    skip_spaces();
    return at_ == text_.size();
  }

  JsonDocument build(std::string name) const {
    JsonBuilder builder;
    builder.reserve(n_values_, text_.size());
    builder.begin_document();
    for (const Part& part : parts_) {
      switch (part.what) {
        case Part::kKey: builder.key(part.text); break;
        case Part::kScalar: builder.scalar(part.kind, part.text); break;
        case Part::kBegin: builder.begin(part.kind, part.fits_line); break;
        case Part::kEnd: builder.end(); break;
      }
    }
    return std::move(builder).build(std::move(name));
  }

 private:
  struct Part {
    enum What : uint8_t { kKey, kScalar, kBegin, kEnd };
    What what;
    JsonKind kind = JsonKind::kNull;
    bool fits_line = false;
    std::string_view text;
  };

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  void skip_spaces() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }

  bool value(size_t depth) {
    switch (peek()) {
      case '{': return object(depth);
      case '[': return array(depth);
      case '"': {
        const std::optional<std::string_view> text = string();
        return text && scalar(JsonKind::kString, *text);
      }
      case 't': return take("true") && scalar(JsonKind::kTrue, {});
      case 'f': return take("false") && scalar(JsonKind::kFalse, {});
      case 'n': return take("null") && scalar(JsonKind::kNull, {});
      default: return number();
    }
  }

  bool scalar(JsonKind kind, std::string_view text) {
    ++n_values_;
    parts_.push_back({Part::kScalar, kind, false, text});
    return true;
  }

  // An object is written on one line only if it is empty, an array if it is short and holds short
  // scalars.
  bool object(size_t depth) {
    if (depth == most_depth_) return false;
    const size_t begin = parts_.size();
    ++n_values_;
    parts_.push_back({Part::kBegin, JsonKind::kObject, false, {}});
    ++at_;
    const size_t first_key = keys_.size();
    skip_spaces();
    if (!take('}')) {
      do {
        skip_spaces();
        if (peek() != '"') return false;
        const std::optional<std::string_view> key = string();
        if (!key) return false;
        keys_.push_back(*key);
        parts_.push_back({Part::kKey, JsonKind::kNull, false, *key});
        skip_spaces();
        if (!take(':')) return false;
        skip_spaces();
        if (!value(depth + 1)) return false;
        skip_spaces();
      } while (take(','));
      if (!take('}')) return false;
    }
    if (has_twice(first_key)) return false;
    keys_.resize(first_key);
    parts_[begin].fits_line = parts_.size() == begin + 1;
    parts_.push_back({Part::kEnd, JsonKind::kNull, false, {}});
    return true;
  }

  // Whether a key of the innermost open object occurs twice. Few keys are compared pairwise.
  bool has_twice(size_t first_key) const {
    constexpr size_t kFew = 8;
    const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(first_key);
    if (keys_.size() - first_key <= kFew) {
      for (auto key = begin; key != keys_.end(); ++key)
        if (std::find(begin, key, *key) != key) return true;
      return false;
    }
    return std::unordered_set<std::string_view>(begin, keys_.end()).size() <
           keys_.size() - first_key;
  }

  bool array(size_t depth) {
    if (depth == most_depth_) return false;
    const size_t begin = parts_.size();
    ++n_values_;
    parts_.push_back({Part::kBegin, JsonKind::kArray, false, {}});
    ++at_;
    skip_spaces();
    if (!take(']')) {
      do {
        skip_spaces();
        if (!value(depth + 1)) return false;
        skip_spaces();
      } while (take(','));
      if (!take(']')) return false;
    }
    parts_[begin].fits_line =
        parts_.size() - begin - 1 <= kMostOnOneLine &&
        std::all_of(
            parts_.begin() + static_cast<std::ptrdiff_t>(begin) + 1, parts_.end(),
            [](const Part& part) { return part.what == Part::kScalar && is_short(part.text); });
    parts_.push_back({Part::kEnd, JsonKind::kNull, false, {}});
    return true;
  }

  static bool is_short(std::string_view text) {
    if (text.size() <= kLongText) return true;
    const auto begins = [](char c) { return (static_cast<uint8_t>(c) & 0xC0u) != 0x80u; };
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), begins)) <= kLongText;
  }

  bool number() {
    const size_t begin = at_;
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!digits()) return false;
    }
    return scalar(JsonKind::kNumber, text_.substr(begin, at_ - begin));
  }
  bool digits() {
    const size_t begin = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ > begin;
  }

  // A string without escapes is a view of the text. Other strings are decoded into decoded_.
  std::optional<std::string_view> string() {
    const size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\') {
      if (static_cast<uint8_t>(text_[at_]) < 0x20) return std::nullopt;
      ++at_;
    }
    if (take('"')) return text_.substr(begin, at_ - 1 - begin);
    decoded_.reserve(text_.size());  // never reallocated: views into it stay valid
    const size_t decoded = decoded_.size();
    decoded_ += text_.substr(begin, at_ - begin);
    while (!take('"')) {
      if (at_ == text_.size() || static_cast<uint8_t>(text_[at_]) < 0x20) return std::nullopt;
      if (!take('\\')) decoded_ += text_[at_++];
      else if (!escape()) return std::nullopt;
    }
    return std::string_view(decoded_).substr(decoded);
  }

  bool escape() {
    constexpr std::string_view kMarks = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char mark = peek();
    ++at_;
    if (const size_t which = kMarks.find(mark); mark != '\0' && which != std::string_view::npos) {
      decoded_ += kMeanings[which];
      return true;
    }
    if (mark != 'u') return false;
    const std::optional<uint32_t> unit = code_unit();
    if (!unit) return false;
    uint32_t code_point = *unit;
    if (is_surrogate(*unit)) {
      const std::optional<uint32_t> low = take("\\u") ? code_unit() : std::nullopt;
      const bool is_pair = low && *unit < 0xDC00 && *low >= 0xDC00 && *low <= kLastSurrogate;
      if (!is_pair) return false;
      code_point = 0x10000 + ((*unit - kFirstSurrogate) << 10) + (*low - 0xDC00);
    }
    append_utf8(decoded_, code_point);
    return true;
  }
  std::optional<uint32_t> code_unit() {
    uint32_t unit = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = peek();
      const char lower = static_cast<char>(c | 0x20);
      if (c >= '0' && c <= '9') unit = unit * 16 + static_cast<uint32_t>(c - '0');
      else if (lower >= 'a' && lower <= 'f')
        unit = unit * 16 + static_cast<uint32_t>(lower - 'a' + 10);
      else return std::nullopt;
    }
    return unit;
  }

  const std::string_view text_;
  const size_t most_depth_ = bounded_nesting(kMostDepth);
  size_t at_ = 0;
  std::string decoded_;
  std::vector<Part> parts_;
  size_t n_values_ = 0;
  std::vector<std::string_view> keys_;  // of the open objects
};

}  // namespace

std::optional<JsonDocument> read_json_text(std::string_view text, std::string name) {
  if (text.size() > kMostBytes || find_invalid_utf8(text)) return std::nullopt;
  TextReader reader(text);
  if (!reader.read()) return std::nullopt;
  return reader.build(std::move(name));
}

}  // namespace xg2lab
