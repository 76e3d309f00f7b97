// Many threads on one compiled grammar: what each reads must be what it would have read alone.
//
// Run by: make sanitize, make sanitize ARGS=--thread
// Usage:   shared_grammar_stress [threads] [steps] [seed]
//
// IDEA
//   A script is a random walk drawn from a seed: fill, accept, roll back, fork, reset, explain. What it
//   sees (masks, forced bytes, whether the text is complete) depends on its seed alone, never on what the shared
//   tables hold already. So each script runs alone on a grammar of its own, then all run at once on one that
//   starts cold, and the digests of what they saw have to be equal.
//   Two forks of one matcher share chunks of history and belong to two threads: second part. Grammars of one tokenizer
//   share entries: third part. The background makes entries beside them: fourth part.
//
// NOT HERE  Python: CPython is not built with the sanitizer, a plain program is.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "frontends/ebnf/builtin_json.h"
#include "frontends/ebnf/parser.h"
#include "runtime/compiler.h"
#include "runtime/inspect.h"
#include "support/bits.h"
#include "support/hash.h"

namespace xg2lab {
namespace {

using SharedGrammar = std::shared_ptr<const CompiledGrammar>;

struct Size {
  size_t n_threads = 8;
  size_t n_steps = 1500;
  uint64_t seed = 1;
};

// Every byte, pieces that cross the rules of the grammars below, and a stop token.
std::shared_ptr<const TokenSets> make_tokens() {
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

class Script {
 public:
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
    see(matcher.fill_next_token_bitmask(words_));
    for (uint32_t word : words_) see(word);
    see(matcher.is_completed());
    const size_t n_allowed = count_ones(words_);
    if (n_allowed == 0) return;
    size_t left = draw(n_allowed);
    int64_t chosen = 0;
    for_each_one(words_, [&](size_t id) {
      if (left-- == 0) chosen = static_cast<int64_t>(id);
    });
    const bool is_taken = matcher.accept_token(chosen);
    see(is_taken);
    if (&matcher == &matcher_) count_step(is_taken);
  }

  void offer_bytes() {
    if (matcher_.has_stopped()) return;
    const char* const texts[] = {"[", "]", "a", "+a", "{\"k\":", "1", "x", "[[[[", ""};
    const bool is_taken = matcher_.accept_string(texts[draw(std::size(texts))]);
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
    Matcher other = matcher_.fork();
    if (draw(2) == 0) std::swap(other, matcher_);
    const uint64_t n = draw(6);
    for (uint64_t i = 0; i < n; ++i) take_allowed(other);
  }

  void see_forced_text() {
    for (const char byte : matcher_.find_jump_forward_string()) see(static_cast<uint8_t>(byte));
  }

  void inspect() {
    if (matcher_.has_stopped() || window_ != SIZE_MAX) return;
    Inspector inspector(matcher_);
    see(inspector.explain_bytes(matcher_, "a]").is_allowed);
    see(matcher_.compiled().labels().states.size());
  }

  void count_step(bool is_taken) {
    if (is_taken) n_reachable_ = std::min(n_reachable_ + 1, window_);
  }

  Matcher matcher_;
  std::mt19937_64 random_;
  const size_t window_;
  std::vector<uint32_t> words_;
  size_t n_reachable_ = 0;
  uint64_t digest_ = 0;
};

// ---- All at once, and each alone ----

// Runs work(i) for i < n in as many threads, which start together.
void in_threads(size_t n, const std::function<void(size_t)>& work) {
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
  ContextWalks walks = ContextWalks::kWhereWordsFollow;
};

SharedGrammar compile_case(const Case& on, const std::shared_ptr<const TokenSets>& tokens,
                           size_t max_bytes, Sharing sharing = {}, size_t partial_jit_k = 0) {
  EngineOptions options;
  options.partial_jit_k = partial_jit_k;
  options.max_configuration_bytes = max_bytes;
  options.walk.context_walks = on.walks;
  return compile(std::make_shared<const Grammar>(parse_ebnf(on.grammar, "root")), tokens, options,
                 std::move(sharing));
}

Matcher matcher_for(const Case& on, SharedGrammar compiled) {
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

// Every script alone, then all at once.
void compare(const Case& on, const std::shared_ptr<const TokenSets>& tokens, const Size& size,
             Outcome* outcome) {
  std::vector<uint64_t> alone(size.n_threads);
  std::vector<uint64_t> together(size.n_threads);
  auto run = [&](const SharedGrammar& compiled, size_t i) {
    Script script(matcher_for(on, compiled), size.seed * 1000 + i / 2, on.window);
    script.run(size.n_steps);
    return script.digest();
  };
  for (size_t i = 0; i < size.n_threads; ++i) {
    alone[i] = run(compile_case(on, tokens, size_t{1} << 30), i);
  }
  const SharedGrammar shared = compile_case(on, tokens, on.max_bytes);
  in_threads(size.n_threads, [&](size_t i) { together[i] = run(shared, i); });
  outcome->add(alone, together);
  std::printf("%-28s %zu threads x %zu steps: %zu differ\n", on.name, size.n_threads, size.n_steps,
              outcome->n_wrong);
}

// Forks of one matcher, a thread each, and the matcher itself in one more: they write to, and let go of,
// the chunks of history that they share.
void compare_forks(const std::shared_ptr<const TokenSets>& tokens, const Size& size,
                   Outcome* outcome) {
  const Case on{"forks in threads", R"(root ::= "[" root* "]" | [a-z])", size_t{1} << 14, 300};
  const SharedGrammar shared = compile_case(on, tokens, on.max_bytes);
  const size_t n_rounds = size.n_steps / 10;
  for (size_t round = 0; round < n_rounds; ++round) {
    // The lengths go over the ends of chunks (256 records).
    Matcher origin = matcher_for(on, shared);
    for (size_t i = 0; i < 1 + round * 97 % 600; ++i) origin.accept_string("[");
    std::vector<uint64_t> digests[2];
    for (std::vector<uint64_t>& digest : digests) {
      digest.resize(size.n_threads);
      std::vector<std::unique_ptr<Script>> scripts;
      scripts.reserve(size.n_threads);
      for (size_t i = 0; i < size.n_threads; ++i)
        scripts.push_back(
            std::make_unique<Script>(origin.fork(), size.seed + round * 100 + i, 300));
      auto run = [&](size_t i) {
        scripts[i]->run(20);
        digest[i] = scripts[i]->digest();
        scripts[i].reset();
      };
      if (&digest == &digests[0]) {
        for (size_t i = 0; i < size.n_threads; ++i) run(i);
      } else {
        in_threads(size.n_threads, run);
      }
    }
    outcome->add(digests[0], digests[1]);
  }
  std::printf("%-28s %zu threads x %zu rounds: %zu differ\n", on.name, size.n_threads, n_rounds,
              outcome->n_wrong);
}

// A thread reads its fork and lets go of it; then the origin's thread writes where it now is the only owner.
// The flag between them orders nothing (relaxed), so what makes this right is the history's own doing.
void write_after_others_let_go(const std::shared_ptr<const TokenSets>& tokens) {
  const Case on{"", R"(root ::= "[" root* "]" | [a-z])", size_t{1} << 28, 300};
  const SharedGrammar shared = compile_case(on, tokens, on.max_bytes);
  for (const bool has_window : {false, true}) {
    for (const int64_t n_tokens : {10, 256, 257, 900}) {
      auto origin = std::make_unique<Matcher>(
          shared, MatcherOptions{std::nullopt, false, has_window ? 300 : -1});
      for (int64_t i = 0; i < n_tokens; ++i) origin->accept_token('[');
      auto other = std::make_unique<Matcher>(origin->fork());
      std::atomic<bool> has_let_go{false};
      in_threads(2, [&](size_t i) {
        if (i == 0) {
          other->rollback(std::min<int64_t>(n_tokens, 300));
          other->accept_token('[');
          if (!has_window) other->text();
          other.reset();
          has_let_go.store(true, std::memory_order_relaxed);
          return;
        }
        while (!has_let_go.load(std::memory_order_relaxed)) std::this_thread::yield();
        origin->rollback(1);
        for (int k = 0; k < 600; ++k) origin->accept_token('[');
        origin.reset();
      });
    }
  }
  std::printf("%-28s done\n", "writes after forks let go");
}

// Grammars with rules in common, each compiled and walked in a thread of its own, with one pool and one log.
void compare_pool(const std::shared_ptr<const TokenSets>& tokens, const Size& size,
                  Outcome* outcome) {
  const std::string rules = R"(
    value ::= string | list | [0-9]+
    list ::= "[" (value ("," " "? value)*)? "]"
    string ::= "\"" [^"\\]* "\""
  )";
  const char* const roots[] = {"root ::= value", "root ::= list+",
                               "root ::= \"{\" string \":\" value \"}\"",
                               "root ::= (string \",\")*"};
  const size_t n_rounds = 1 + size.n_steps / 100;
  for (const int64_t max_bytes : {int64_t{-1}, int64_t{20'000}}) {
    auto pool = std::make_shared<MaskPool>(tokens, max_bytes);
    auto events = std::make_shared<EventLog>();
    events->start(100);
    for (size_t round = 0; round < n_rounds; ++round) {
      std::vector<uint64_t> alone(size.n_threads);
      std::vector<uint64_t> together(size.n_threads);
      auto run = [&](size_t i, Sharing sharing) {
        const Case on{"", roots[i % std::size(roots)] + rules, size_t{1} << 28, SIZE_MAX};
        Script script(matcher_for(on, compile_case(on, tokens, on.max_bytes, std::move(sharing))),
                      size.seed * 1000 + round * 100 + i, on.window);
        script.run(60);
        return script.digest();
      };
      for (size_t i = 0; i < size.n_threads; ++i) alone[i] = run(i, {});
      in_threads(size.n_threads, [&](size_t i) {
        together[i] = run(i, {pool, events});
        if (i == 0) pool->clear();
        if (i == 1) pool->by_grammar();
      });
      outcome->add(alone, together);
    }
  }
  std::printf("%-28s %zu threads x %zu rounds: %zu differ\n", "grammars with one pool",
              size.n_threads, n_rounds, outcome->n_wrong);
}

// Grammars whose entries the background makes while threads walk them; some are dropped at once, some while it works.
void compare_ahead(const std::shared_ptr<const TokenSets>& tokens, const Size& size,
                   Outcome* outcome) {
  const Case on{"made ahead", std::string(json_ebnf()), size_t{256} << 20, SIZE_MAX};
  const size_t n_rounds = 1 + size.n_steps / 100;
  for (const bool has_pool : {false, true}) {
    for (size_t round = 0; round < n_rounds; ++round) {
      Sharing sharing;
      if (has_pool) sharing.pool = std::make_shared<MaskPool>(tokens, -1);
      std::vector<uint64_t> alone(size.n_threads);
      std::vector<uint64_t> together(size.n_threads);
      auto run = [&](const SharedGrammar& compiled, size_t i) {
        Script script(matcher_for(on, compiled), size.seed * 1000 + round * 100 + i, on.window);
        script.run(40);
        return script.digest();
      };
      for (size_t i = 0; i < size.n_threads; ++i) {
        alone[i] = run(compile_case(on, tokens, on.max_bytes), i);
      }
      const size_t k = round % 2 == 0 ? 1'000'000 : PartialJit::kAuto;
      const SharedGrammar shared = compile_case(on, tokens, on.max_bytes, sharing, k);
      in_threads(size.n_threads, [&](size_t i) {
        compile_case(on, tokens, on.max_bytes, sharing, 100);  // dropped at once
        together[i] = run(shared, i);
        if (i == 0) shared->state_costs();
        if (i == 1 && shared->partial_jit() != nullptr) shared->partial_jit()->progress();
      });
      outcome->add(alone, together);
    }
  }
  std::printf("%-28s %zu threads x %zu rounds: %zu differ\n", on.name, size.n_threads, n_rounds,
              outcome->n_wrong);
}

int run_all(const Size& size) {
  const std::string nested = R"(root ::= "[" root* "]" | [a-z])";
  const std::string ambiguous = R"(root ::= root "+" root | "a" | "[" root "]")";
  const std::string json(json_ebnf());
  const std::string words = R"(
    root ::= (statement " "?)*
    statement ::= "if " sum | name "in " sum | "[" (statement " "?)* "]"
    sum ::= name "+" sum | name
    name ::= "info" | [a-z]+
  )";
  constexpr size_t kRoomy = size_t{256} << 20;
  const Case cases[] = {
      {"json", json, kRoomy, SIZE_MAX},
      {"json, tables move", json, size_t{1} << 15, SIZE_MAX},
      {"json, short window", json, size_t{1} << 15, 40},
      {"nested, tables move", nested, 4096, SIZE_MAX},
      {"nested, window of chunks", nested, 4096, 270},
      {"ambiguous, tables move", ambiguous, size_t{1} << 14, SIZE_MAX},
      {"words", words, kRoomy, SIZE_MAX},
      {"words, tables move", words, size_t{1} << 15, SIZE_MAX},
      {"words, in context", words, size_t{1} << 15, SIZE_MAX, ContextWalks::kAlways},
  };
  const std::shared_ptr<const TokenSets> tokens = make_tokens();
  Outcome outcome;
  for (const Case& on : cases) compare(on, tokens, size, &outcome);
  compare_forks(tokens, size, &outcome);
  compare_pool(tokens, size, &outcome);
  compare_ahead(tokens, size, &outcome);
  write_after_others_let_go(tokens);
  std::printf("%s (digest %016llx)\n",
              outcome.n_wrong == 0 ? "all as alone" : "some saw something else than alone",
              static_cast<unsigned long long>(outcome.digest));
  return outcome.n_wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace xg2lab

int main(int argc, char** argv) {
  xg2lab::Size size;
  if (argc > 1) size.n_threads = std::strtoul(argv[1], nullptr, 10);
  if (argc > 2) size.n_steps = std::strtoul(argv[2], nullptr, 10);
  if (argc > 3) size.seed = std::strtoull(argv[3], nullptr, 10);
  try {
    return xg2lab::run_all(size);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
