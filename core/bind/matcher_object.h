// The Python object of a matcher: the core's Matcher, its inspector (made on request), and the
// report of its last fill.
//
// THREADS   a matcher belongs to one thread at a time. Python code can violate this while the GIL
//           is released, so each call takes `busy`, and a second concurrent call is refused instead
//           of racing. `busy` is the fork generation of its holder, or 0: a call in the parent
//           doesn't hold the matcher in the child.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "bind/python.h"
#include "operators/text_positions.h"
#include "runtime/inspect.h"
#include "runtime/matcher.h"
#include "support/error.h"
#include "support/fork_gate.h"

namespace xg2lab::bind {

struct LastFill {
  FillReport report;
  double us = 0;
};

struct MatcherObject {
  MatcherObject(pybind11::object compiled_object, std::shared_ptr<const CompiledGrammar> compiled,
                MatcherOptions options)
      : compiled(std::move(compiled_object)), matcher(std::move(compiled), std::move(options)) {}
  MatcherObject(const MatcherObject& other)
      : compiled(other.compiled), matcher(other.matcher.fork()), has_warned(other.has_warned) {}

  Inspector& inspect() {
    if (!inspector) inspector = std::make_unique<Inspector>(matcher);
    return *inspector;
  }

  pybind11::object compiled;  // with its tokenizer_info
  Matcher matcher;
  std::unique_ptr<Inspector> inspector;
  std::unique_ptr<operators::TextPositions> operator_positions;  // null: not asked for yet
  std::optional<LastFill> last_fill;
  bool has_warned = false;  // of an ambiguous temperature
  std::atomic<uint32_t> busy{0};
};

// Holds the matcher during one call.
class Hold {
 public:
  explicit Hold(MatcherObject& object) : object_(object) {
    if (!take(object_)) throw refusal();
  }
  ~Hold() { let_go(object_); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  // For a batch, which holds many matchers and may be refused one.
  static bool take(MatcherObject& object) {
    const uint32_t mine = ForkGate::generation();
    uint32_t holder = object.busy.load(std::memory_order_relaxed);
    return holder != mine &&
           object.busy.compare_exchange_strong(holder, mine, std::memory_order_acquire);
  }
  static void let_go(MatcherObject& object) { object.busy.store(0, std::memory_order_release); }
  static Error refusal() {
    return {ErrorKind::kMatcherStateError, "the matcher is in use by another thread",
            "give each thread its own matcher: fork() is cheap"};
  }

 private:
  MatcherObject& object_;
};

// Warns, once for each matcher, if rules with different temperatures are possible. Throws if
// warnings are errors.
void warn_if_ambiguous(MatcherObject& object, const ActiveTemperature& active);

// UTF-8 bytes of a str, or the bytes of a bytes object. The view lives as long as `text`.
std::string_view bytes_of(pybind11::handle text, const char* what);

// Bytes as text; bytes that are not UTF-8 as \xHH.
std::string readable(std::string_view bytes);
// The sentence that debug_print shows for a token or bytes.
std::string describe(const Explanation& explanation);
// The same for a token id (int) or text (str, bytes), for debug_print, which must not raise: if
// there is no explanation, the reason why. The empty text explains which continuations are
// expected.
std::string explain_or_why_not(MatcherObject& object, const pybind11::object& token_or_text);

// GrammarMatcher's inspection methods, in inspect.cc.
void add_inspection(pybind11::class_<MatcherObject>& matcher);

}  // namespace xg2lab::bind
