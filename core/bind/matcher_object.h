// The Python object of a matcher: the core's Matcher, its inspector when asked for, its last fill's report.
//
// THREADS   a matcher belongs to one thread at a time. Python code can break that while the GIL is
//           released, so each call takes `busy` and refuses a second one rather than race.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "runtime/inspect.h"
#include "runtime/matcher.h"
#include "support/error.h"

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
      : compiled(other.compiled), matcher(other.matcher.fork()) {}

  Inspector& inspect() {
    if (!inspector) inspector = std::make_unique<Inspector>(matcher);
    return *inspector;
  }

  pybind11::object compiled;  // the Python object, with its tokenizer_info
  Matcher matcher;
  std::unique_ptr<Inspector> inspector;
  std::optional<LastFill> last_fill;
  std::atomic<bool> busy{false};
};

// Holds the matcher for one call.
class Hold {
 public:
  explicit Hold(MatcherObject& object) : object_(object) {
    if (object_.busy.exchange(true, std::memory_order_acquire)) {
      throw Error(ErrorKind::kMatcherStateError, "the matcher is in use by another thread",
                  "give each thread its own matcher: fork() is cheap");
    }
  }
  ~Hold() { object_.busy.store(false, std::memory_order_release); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  MatcherObject& object_;
};

// UTF-8 bytes of a str, or the bytes of a bytes object. The view lives as long as `text`.
std::string_view bytes_of(pybind11::handle text, const char* what);

// The sentence that debug_print shows for a token or bytes.
std::string describe(const Explanation& explanation);

// GrammarMatcher's inspection methods, in inspect.cc.
void add_inspection(pybind11::class_<MatcherObject>& matcher);

}  // namespace xg2lab::bind
