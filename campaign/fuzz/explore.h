// What every fuzz target does with a grammar: compile it, walk by its masks, and hold each mask
// against accept.
//
// IDEA
//   A fuzz input is the text, and in its last eight bytes what is done with it: options, and the
//   seed of a walk. So a text alone, with eight bytes behind it, is a seed that people can read.
//
// WHAT IS A FAULT
//   A sanitizer's report; an exception that is no Error of ours; a token in the mask that is not
//   accepted, or accepted and not in the mask; a mask that differs after accept and rollback; a
//   limit of time or memory, which libFuzzer keeps. A refusal, Error of any kind, is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/pipeline.h"
#include "runtime/compiler.h"
#include "runtime/matcher.h"
#include "support/bits.h"
#include "support/error.h"

namespace xg2lab::fuzz {

[[noreturn]] inline void fail(const char* what, int64_t token = -1) {
  std::fprintf(stderr, "fuzz: %s (token %lld)\n", what, static_cast<long long>(token));
  std::abort();
}

// The text, and behind it eight bytes of control; fewer count as 0.
struct Input {
  std::string text;
  uint64_t control = 0;

  explicit Input(uint64_t only_control) : control(only_control) {}
  Input(const uint8_t* data, size_t size) {
    const size_t n_control = size < 8 ? size : 8;
    for (size_t i = 0; i < n_control; ++i) control = control << 8 | data[size - n_control + i];
    text.assign(reinterpret_cast<const char*>(data), size - n_control);
  }
  bool bit(unsigned i) const { return (control >> i & 1) != 0; }
};

// Small, so that a mask can be held against accept token by token; with pieces that cross the
// rules of most grammars, halves of characters, a token twice, an empty one, special ones, a stop
// token and padding.
inline const std::shared_ptr<const TokenSets>& tokens() {
  static const std::shared_ptr<const TokenSets> made = [] {
    VocabularySpec spec;
    for (const char* piece :
         {"a",        "b",    "c",      "k",    "x",   "0",     "1",    "9",        "-",
          ".",        "e",    "\"",     "'",    "{",   "}",     "[",    "]",        "(",
          ")",        ",",    ":",      " ",    "\n",  "\t",    "<",    ">",        "/",
          "\\",       "+",    "*",      "_",    "A",   "\xC3",  "\xA9", "\xC3\xA9", "\xF0\x9F",
          "\x98\x80", "\xFF", "ab",     "aa",   "aab", "ba",    "ab",   "12",       "0.5",
          "{\"",      "\":",  "\", \"", "\"}",  "]]",  "[[",    "},{",  "true",     "null",
          "</",       "<a>",  "if",     "else", "  ",  "\\u00", "k1",   "]<]"}) {
      spec.tokens.emplace_back(piece);
    }
    spec.tokens.emplace_back(1, '\0');
    spec.tokens.emplace_back("");
    spec.special_tokens.push_back(TokenId(spec.tokens.size()));
    spec.tokens.emplace_back("<|tool|>");
    spec.stop_tokens.push_back(TokenId(spec.tokens.size()));
    spec.tokens.emplace_back("</s>");
    spec.n_tokens = spec.tokens.size() + 3;
    return std::make_shared<TokenSets>(std::make_shared<Vocabulary>(std::move(spec)));
  }();
  return made;
}

// Twelve bits from `first`. Limits are small: what takes long has to end by itself.
inline EngineOptions options_of(const Input& input, unsigned first) {
  EngineOptions options;
  options.rule_inlining = !input.bit(first);
  options.right_recursion_to_repeat = !input.bit(first + 1);
  options.literal_fusion = !input.bit(first + 2);
  options.determinize = !input.bit(first + 3);
  options.minimize = options.determinize && !input.bit(first + 4);
  options.parse.parser = input.bit(first + 5) ? ParserKind::kPda : ParserKind::kEarley;
  options.parse.tail_calls = !input.bit(first + 6);
  options.parse.max_stacks = 2000;
  options.repetition_compression = !input.bit(first + 7);
  options.repetition_threshold = input.bit(first + 8) ? 0 : 32;
  options.mask.context_expansion = !input.bit(first + 9);
  options.mask.token_classes = !input.bit(first + 10);
  options.mask.ways.entries = !input.bit(first + 11);
  options.max_fsm_states = 50'000;
  options.compile_limits.seconds = 2;
  options.max_configuration_bytes = size_t{32} << 20;
  options.max_history_bytes = size_t{4} << 20;
  return options;
}

class Walk {
 public:
  Walk(Matcher matcher, uint64_t seed)
      : matcher_(std::move(matcher)),
        random_(seed),
        words_(tokens_of(matcher_).n_words),
        again_(words_.size()) {}

  // Steps along the mask; every so often the whole mask is held against accept, or a step is taken
  // back.
  void run(size_t n_steps) {
    for (size_t i = 0; i < n_steps && !matcher_.has_stopped(); ++i) {
      matcher_.fill_next_token_bitmask(words_);
      if (i % 4 == 0) hold_against_accept();
      const int64_t token = chosen();
      if (token < 0) return;
      if (!matcher_.accept_token(token)) fail("a token of the mask is not accepted", token);
      if (random_() % 5 == 0) take_back();
    }
  }
  Matcher& matcher() { return matcher_; }

 private:
  static const TokenSets& tokens_of(const Matcher& matcher) { return matcher.compiled().tokens(); }

  bool allows(size_t id) const { return (words_[id / 32] >> (id % 32) & 1) != 0; }

  void hold_against_accept() {
    const size_t n = tokens_of(matcher_).vocabulary->n_tokens();
    for (size_t id = 0; id < n; ++id) {
      Matcher other = matcher_.fork();
      const bool is_taken = other.accept_token(static_cast<int64_t>(id));
      if (is_taken != allows(id)) {
        fail(is_taken ? "a token is accepted and not in the mask"
                      : "a token is in the mask and not accepted",
             static_cast<int64_t>(id));
      }
    }
    for (size_t id = n; id < words_.size() * 32; ++id) {
      if (allows(id)) fail("the mask allows an id that is no token", static_cast<int64_t>(id));
    }
  }

  int64_t chosen() {
    const size_t n = count_ones(words_);
    if (n == 0) return -1;
    size_t left = random_() % n;
    int64_t found = -1;
    for_each_one(words_, [&](size_t id) {
      if (left-- == 0) found = static_cast<int64_t>(id);
    });
    return found;
  }

  void take_back() {
    matcher_.rollback(1);
    matcher_.fill_next_token_bitmask(again_);
    if (again_ != words_) fail("the mask after a step taken back is another");
  }

  Matcher matcher_;
  std::mt19937_64 random_;
  std::vector<uint32_t> words_;
  std::vector<uint32_t> again_;
};

// A grammar through compiler and matcher; bits 16 and up of the control say how.
inline void explore(const Input& input, Grammar grammar) {
  const auto compiled =
      compile(std::make_shared<const Grammar>(std::move(grammar)), tokens(), options_of(input, 16));
  Walk walk(Matcher(compiled, {}), input.control);
  walk.run(12);
  walk.matcher().find_jump_forward_string();
}

// Calls `act`; an Error is a refusal, anything else leaves the process.
inline void refused_or(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    if (error.what()[0] == '\0') fail("an error without a message");
  }
}

}  // namespace xg2lab::fuzz
