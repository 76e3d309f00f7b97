// Many threads on one compiled grammar: what each reads must be what it would have read alone.
//
// Run by: make sanitize, make sanitize ARGS=--thread
// Usage:   shared_grammar_stress [threads] [steps] [seed]
//
// IDEA
//   A script is a random walk (stress.h). Each runs alone on a grammar of its own, then all run at
//   once on one that starts cold, and the digests of what they saw have to be equal.
//   Two forks of one matcher share chunks of history and belong to two threads: second part.
//   Grammars of one tokenizer share entries: third part. The background makes entries beside them:
//   fourth part. Requests are linked from one template, whose entries they share: fifth part.
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

#include "core/stress.h"
#include "frontends/ebnf/builtin_json.h"
#include "templates/arguments.h"
#include "templates/slots.h"

namespace xg2lab {
namespace {

using namespace stress;

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

// Forks of one matcher, a thread each, and the matcher itself in one more: they write to, and let
// go of, the chunks of history that they share.
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

// A thread reads its fork and lets go of it; then the origin's thread writes where it now is the
// only owner. The flag between them orders nothing (relaxed), so what makes this right is the
// history's own doing.
void write_after_others_let_go(const std::shared_ptr<const TokenSets>& tokens) {
  const Case on{"", R"(root ::= "[" root* "]" | [a-z])", size_t{1} << 28, 300};
  const SharedGrammar shared = compile_case(on, tokens, on.max_bytes);
  for (const bool has_window : {false, true}) {
    MatcherOptions options;
    if (has_window) options.max_rollback_tokens = 300;
    for (const int64_t n_tokens : {10, 256, 257, 900}) {
      auto origin = std::make_unique<Matcher>(shared, options);
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

// Grammars with rules in common, each compiled and walked in a thread of its own, with one pool and
// one log.
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

// Grammars whose mask entries a background thread makes while other threads walk the grammars. Some
// grammars are dropped at once, others while the background thread works.
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

// Requests linked from one template, each in a thread of its own: the first that need a known
// state's entry make it, the others find it. One thread makes all entries beside them.
void compare_requests(const std::shared_ptr<const TokenSets>& tokens, const Size& size,
                      Outcome* outcome) {
  using templates::Argument;
  const auto of_kind = [](Argument::Kind kind) {
    Argument argument;
    argument.kind = kind;
    return argument;
  };
  auto of = std::make_shared<templates::ScopedTemplate>();
  of->of = parse_template(R"(root ::= "[" Each($rows, row, ",") "]" | Each($rows, tag)
                             row ::= "{\"" $name "\":" value "}"   tag ::= $name "+" word
                             value ::= "[" (value ("," value)*)? "]" | word
                             word ::= [a-z]+ (" " [a-z]+)*)",
                          "root");
  Findings findings(10);
  of->scopes = templates::find_scopes(of->of, findings);
  const auto arguments_of = [&](size_t i) {
    Argument rows = of_kind(Argument::kList);
    for (size_t k = 0; k <= i % 3; ++k) {
      Argument name = of_kind(Argument::kText);
      name.text = "a" + std::string(i, 'b') + std::to_string(k);
      Argument row = of_kind(Argument::kMapping);
      row.members = {{"name", std::move(name)}};
      rows.items.push_back(std::move(row));
    }
    auto request = std::make_shared<Argument>(of_kind(Argument::kMapping));
    request->members = {{"rows", std::move(rows)}};
    return request;
  };
  const size_t n_rounds = 1 + size.n_steps / 100;
  for (size_t round = 0; round < n_rounds; ++round) {
    std::vector<uint64_t> alone(size.n_threads);
    std::vector<uint64_t> together(size.n_threads);
    auto run = [&](const CompiledTemplate& ready, size_t i) {
      const Case on{"", "", size_t{1} << 28, SIZE_MAX};
      Script script(matcher_for(on, instantiate(ready, arguments_of(i))),
                    size.seed * 1000 + round * 100 + i, on.window);
      script.run(60);
      return script.digest();
    };
    const auto compiled = [&] { return compile_template(of, tokens, EngineOptions{}); };
    for (size_t i = 0; i < size.n_threads; ++i) alone[i] = run(*compiled(), i);
    auto shared = compiled();
    in_threads(size.n_threads, [&](size_t i) {
      if (i == 0 && round % 2 == 0) make_masks(*shared);
      together[i] = run(*shared, i);
      if (i == 1) static_cast<void>(shared->memory_size_bytes());
    });
    outcome->add(alone, together);
  }
  std::printf("%-28s %zu threads x %zu rounds: %zu differ\n", "requests of one template",
              size.n_threads, n_rounds, outcome->n_wrong);
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
      {"words, in context", words, size_t{1} << 15, SIZE_MAX, MaskWays{.entries = false}},
  };
  const std::shared_ptr<const TokenSets> tokens = make_tokens();
  Outcome outcome;
  for (const Case& on : cases) compare(on, tokens, size, &outcome);
  compare_forks(tokens, size, &outcome);
  compare_pool(tokens, size, &outcome);
  compare_ahead(tokens, size, &outcome);
  compare_requests(tokens, size, &outcome);
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
