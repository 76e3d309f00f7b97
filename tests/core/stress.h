// What the stress drivers share: scripts, and running them at once.
//
// IDEA
//   A script is a random walk drawn from a seed: fill, accept, roll back, fork, reset, explain.
//   What it sees (masks, forced bytes, whether the text is complete) depends on its seed alone,
//   never on what the shared tables hold already, nor on calls that failed before they were made
//   again: Faults.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "frontends/ebnf/parser.h"
#include "runtime/compiler.h"
#include "runtime/inspect.h"
#include "support/bits.h"
#include "support/hash.h"

namespace xg2lab::stress {

using SharedGrammar = std::shared_ptr<const CompiledGrammar>;

struct Size {
  size_t n_threads = 8;
  size_t n_steps = 1500;
  uint64_t seed = 1;
};

// Every byte, pieces that cross the rules of the grammars below, and a stop token.
inline std::shared_ptr<const TokenSets> make_tokens() {
  VocabularySpec spec;
  for (int byte = 0; byte < 256; ++byte) spec.tokens.emplace_back(1, static_cast<char>(byte));
  for (const char* piece :
       {"[[",   "]]",  "[]",     "],[",   "[a",       "a]",  "ab",   "a+a", "+a",  "a+",
        "{\"",  "\":", "\",\"",  "\"}",   "}}",       "{}",  "true", "fal", "se,", "12",
        "1.5e", ", ",  "\": \"", "\\u00", "\xC3\xA9", "if ", "inf",  "o+i"}) {
    spec.tokens.emplace_back(piece);
  }
  spec.stop_tokens.push_back(TokenId(spec.tokens.size()));
  spec.tokens.emplace_back("</s>");
  spec.n_tokens = spec.tokens.size();
  return std::make_shared<TokenSets>(std::make_shared<Vocabulary>(std::move(spec)));
}

// ---- One script ----

// Calls that fail now and then, and are made again. Here: none fails.
class Faults {
 public:
  virtual ~Faults() = default;
  virtual void make(const std::function<void()>& call) { call(); }
};

class Script {
 public:
  Script(Matcher matcher, uint64_t seed, size_t window, Faults& faults)
      : Script(std::move(matcher), seed, window) {
    faults_ = &faults;
  }
  Script(Matcher matcher, uint64_t seed, size_t window)
      : matcher_(std::move(matcher)),
        random_(seed),
        window_(window),
        words_(matcher_.compiled().tokens().n_words) {}

  void run(size_t n_steps) {
    for (size_t i = 0; i < n_steps; ++i) step();
  }
  uint64_t digest() const { return digest_; }

 private:
  uint64_t draw(uint64_t below) { return random_() % below; }
  template <class Call>
  auto made(const Call& call) {
    std::optional<decltype(call())> answer;
    if (faults_ == nullptr) answer.emplace(call());
    else faults_->make([&] { answer.emplace(call()); });
    return std::move(*answer);
  }
  void see(uint64_t value) { digest_ = hash_combine(digest_, value); }

  void step() {
    const uint64_t action = draw(100);
    // Ambiguous texts make long columns, so no text grows beyond 400 steps.
    if (action < 1 || matcher_.n_steps() > 400) return start_again();
    if (action < 62) return take_allowed(matcher_);
    if (action < 72) return offer_bytes();
    if (action < 84) return take_back();
    if (action < 95) return fork();
    if (action < 99) return see_forced_text();
    inspect();
  }

  void start_again() {
    matcher_.reset();
    n_reachable_ = 0;
  }

  // Fills the mask, takes one of its tokens.
  void take_allowed(Matcher& matcher) {
    if (matcher.has_stopped()) return;
    see(made([&] { return matcher.fill_next_token_bitmask(words_); }));
    for (uint32_t word : words_) see(word);
    see(matcher.is_completed());
    const size_t n_allowed = count_ones(words_);
    if (n_allowed == 0) return;
    size_t left = draw(n_allowed);
    int64_t chosen = 0;
    for_each_one(words_, [&](size_t id) {
      if (left-- == 0) chosen = static_cast<int64_t>(id);
    });
    const bool is_taken = made([&] { return matcher.accept_token(chosen); });
    see(is_taken);
    if (&matcher == &matcher_) count_step(is_taken);
  }

  void offer_bytes() {
    if (matcher_.has_stopped()) return;
    const char* const texts[] = {"[", "]", "a", "+a", "{\"k\":", "1", "x", "[[[[", ""};
    const char* const text = texts[draw(std::size(texts))];
    const bool is_taken = made([&] { return matcher_.accept_string(text); });
    see(is_taken);
    count_step(is_taken);
  }

  void take_back() {
    if (n_reachable_ == 0) return;
    const size_t n = 1 + draw(n_reachable_);
    matcher_.rollback(static_cast<int64_t>(n));
    n_reachable_ -= n;
  }

  // A fork goes its own way; then one of the two goes on.
  void fork() {
    Matcher other = made([&] { return matcher_.fork(); });
    if (draw(2) == 0) std::swap(other, matcher_);
    const uint64_t n = draw(6);
    for (uint64_t i = 0; i < n; ++i) take_allowed(other);
  }

  void see_forced_text() {
    for (const char byte : made([&] { return matcher_.find_jump_forward_string(); }))
      see(static_cast<uint8_t>(byte));
  }

  void inspect() {
    if (matcher_.has_stopped() || window_ != SIZE_MAX) return;
    see(made([&] { return Inspector(matcher_).explain_bytes(matcher_, "a]").is_allowed; }));
    see(made([&] { return matcher_.compiled().labels().states.size(); }));
  }

  void count_step(bool is_taken) {
    if (is_taken) n_reachable_ = std::min(n_reachable_ + 1, window_);
  }

  Matcher matcher_;
  Faults* faults_ = nullptr;
  std::mt19937_64 random_;
  const size_t window_;
  std::vector<uint32_t> words_;
  size_t n_reachable_ = 0;
  uint64_t digest_ = 0;
};

// ---- All at once, and each alone ----

// Runs work(i) for i < n in as many threads, which start together.
inline void in_threads(size_t n, const std::function<void(size_t)>& work) {
  std::atomic<bool> may_start{false};
  std::vector<std::thread> threads;
  threads.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    threads.emplace_back([&, i] {
      while (!may_start.load(std::memory_order_acquire)) std::this_thread::yield();
      work(i);
    });
  }
  may_start.store(true, std::memory_order_release);
  for (std::thread& thread : threads) thread.join();
}

struct Case {
  const char* name;
  std::string grammar;
  size_t max_bytes;  // of the configurations that the threads share
  size_t window;     // SIZE_MAX: no limit to rollback
  MaskWays ways = {};
};

inline SharedGrammar compile_case(const Case& on, const std::shared_ptr<const TokenSets>& tokens,
                                  size_t max_bytes, Sharing sharing = {},
                                  size_t partial_jit_k = 0) {
  EngineOptions options;
  options.partial_jit_k = partial_jit_k;
  options.max_configuration_bytes = max_bytes;
  options.mask.ways = on.ways;
  return compile(std::make_shared<const Grammar>(parse_ebnf(on.grammar, "root")), tokens, options,
                 std::move(sharing));
}

inline Matcher matcher_for(const Case& on, SharedGrammar compiled) {
  MatcherOptions options;
  if (on.window != SIZE_MAX) options.max_rollback_tokens = static_cast<int64_t>(on.window);
  return Matcher(std::move(compiled), options);
}

// What was found out: `digest` depends on the sizes and the seed, and is the same on every machine.
struct Outcome {
  size_t n_wrong = 0;
  uint64_t digest = 0;

  void add(const std::vector<uint64_t>& alone, const std::vector<uint64_t>& together) {
    for (size_t i = 0; i < alone.size(); ++i) {
      n_wrong += alone[i] != together[i] ? 1 : 0;
      digest = hash_combine(digest, alone[i]);
    }
  }
};

}  // namespace xg2lab::stress
