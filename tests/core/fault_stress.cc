// Calls that fail anywhere: afterwards everything is as it was, and the same call gives what it
// gives elsewhere.
//
// Run by: make sanitize, make sanitize ARGS=--thread
// Usage:   fault_stress [threads] [steps] [seed]
//
// IDEA
//   operator new is this program's own, and refuses where it is told to. First part: the same
//   small scenario again and again, alone; the n-th time the n-th allocation is refused, so that
//   each place that takes memory fails once. Second part: threads on one cold grammar with one
//   small pool, the background beside them, each call with a refused allocation or a budget that
//   is over soon. Third part: batches, with the pool's workers, where any thread is refused.
//   Fourth part: children, forked while threads work.
//
//   What fails is made again. What the scripts see (stress.h) has to be what they see alone.
//
// NOT HERE  rollback: it has no budget, and without memory it may take back fewer steps than it
//           was told to.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "core/stress.h"
#include "frontends/ebnf/builtin_json.h"
#include "runtime/batch.h"
#include "runtime/partial_jit.h"
#include "support/budget.h"
#include "support/error.h"
#include "support/fork_gate.h"
#include "support/interrupts.h"

// ---- Memory that is refused ----

namespace {

constexpr int64_t kNever = -1;
thread_local int64_t n_until_refusal = kNever;  // of this thread
std::atomic<uint64_t> one_of{0};                // of all threads; 0: none
std::atomic<uint64_t> n_asked{0}, n_refused{0};

void* take(size_t size, size_t alignment = 0) {
  const uint64_t every = one_of.load(std::memory_order_relaxed);
  bool is_refused =
      every != 0 && n_asked.fetch_add(1, std::memory_order_relaxed) % every == every - 1;
  if (n_until_refusal > 0 && --n_until_refusal == 0) {
    n_until_refusal = kNever;
    is_refused = true;
  }
  if (is_refused) {
    n_refused.fetch_add(1, std::memory_order_relaxed);
    throw std::bad_alloc();
  }
  void* block = nullptr;
  if (alignment == 0) block = std::malloc(size == 0 ? 1 : size);
  else if (posix_memalign(&block, std::max(alignment, sizeof(void*)), size) != 0) block = nullptr;
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

void* operator new(size_t size, const std::nothrow_t&) noexcept {
  try {
    return take(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](size_t size, const std::nothrow_t& refuses) noexcept {
  return operator new(size, refuses);
}
void* operator new(size_t size) { return take(size); }
void* operator new[](size_t size) { return take(size); }
void* operator new(size_t size, std::align_val_t at) { return take(size, static_cast<size_t>(at)); }
void* operator new[](size_t size, std::align_val_t at) {
  return take(size, static_cast<size_t>(at));
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { std::free(block); }
void operator delete[](void* block, size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, size_t, std::align_val_t) noexcept { std::free(block); }

namespace xg2lab {
namespace {

using namespace stress;

const char* const kRules = R"(
  value ::= string | list | number | object | "te" value
  list ::= "[" (value ("," " "? value)*)? "]"
  object ::= "{" (string ":" value ("," string ":" value)*)? "}"
  number ::= [0-9]+ ("." [0-9]{1,40})?
  string ::= "\"" [^"\\]* "\""
)";

std::string grammar_of(size_t i) {
  const char* const roots[] = {"root ::= value", "root ::= list+",
                               "root ::= (string \",\")* value{2,50}",
                               "root ::= (value \" \"?)* | [a-z]+ (\"=\" value)?"};
  return roots[i % std::size(roots)] + std::string(kRules);
}

// ---- Alone: each allocation fails once ----

struct Scenario {
  std::shared_ptr<const TokenSets> tokens;
  std::shared_ptr<MaskPool> pool = std::make_shared<MaskPool>(tokens, 50'000);
  std::shared_ptr<EventLog> events = std::make_shared<EventLog>();
  SharedGrammar compiled = nullptr;

  uint64_t run(size_t i) {
    const Case on{"", grammar_of(i), size_t{1} << 16, SIZE_MAX};
    if (!compiled) compiled = compile_case(on, tokens, on.max_bytes, {pool, events});
    Script script(matcher_for(on, compiled), 7 + i, SIZE_MAX);
    script.run(12);
    return script.digest();
  }
};

size_t refuse_each(const std::shared_ptr<const TokenSets>& tokens, const Size& size) {
  size_t n_wrong = 0;
  size_t n_places = 0;
  for (size_t i = 0; i < 4; ++i) {
    Scenario expected{tokens};
    expected.events->start(50);
    const uint64_t digest = expected.run(i);
    // All of the first, where the texts are read; then some, further apart than before.
    for (int64_t n = 1, gap = 1;; n += gap) {
      Scenario scenario{tokens};
      scenario.events->start(50);
      n_until_refusal = n;
      bool has_failed = false;
      try {
        n_wrong += scenario.run(i) != digest ? 1 : 0;
      } catch (const std::bad_alloc&) {
        has_failed = true;
      } catch (const Error&) {
        has_failed = true;  // what could not be made was told as an error of the text's
      }
      const bool is_over = n_until_refusal != kNever;
      n_until_refusal = kNever;
      if (is_over) break;
      ++n_places;
      if (has_failed) n_wrong += scenario.run(i) != digest ? 1 : 0;
      gap = n < static_cast<int64_t>(size.n_steps) ? 1 : 1 + n / 40;
    }
  }
  std::printf("%-28s %zu places: %zu wrong\n", "each allocation refused", n_places, n_wrong);
  return n_wrong;
}

// ---- Together ----

class RandomFaults : public Faults {
 public:
  explicit RandomFaults(uint64_t seed) : random_(seed) {}
  size_t n_failed() const { return n_failed_; }

  void make(const std::function<void()>& call) override {
    for (const bool is_last : {false, false, true}) {
      const uint64_t kind = is_last ? 3 : random_() % 4;
      try {
        if (kind == 0) n_until_refusal = 1 + static_cast<int64_t>(random_() % 60);
        if (kind == 1) {
          // Operator new is not counted here, so it is the time that is over.
          const Budget budget(WorkLimits{1e-12, SIZE_MAX}, Work::kMask);
          call();
        } else {
          call();
        }
        n_until_refusal = kNever;
        return;
      } catch (const std::bad_alloc&) {
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::kLimitError) throw;
      }
      n_until_refusal = kNever;
      ++n_failed_;
    }
  }

 private:
  std::mt19937_64 random_;
  size_t n_failed_ = 0;
};

size_t compare_faults(const std::shared_ptr<const TokenSets>& tokens, const Size& size) {
  size_t n_wrong = 0;
  std::atomic<size_t> n_failed{0};
  const size_t n_rounds = 1 + size.n_steps / 50;
  for (size_t round = 0; round < n_rounds; ++round) {
    const Sharing sharing{std::make_shared<MaskPool>(tokens, 20'000), std::make_shared<EventLog>()};
    sharing.events->start(100);
    const Case on{"", grammar_of(round), size_t{1} << 15, SIZE_MAX};
    std::vector<uint64_t> alone(size.n_threads);
    std::vector<uint64_t> together(size.n_threads);
    for (size_t i = 0; i < size.n_threads; ++i) {
      Script script(matcher_for(on, compile_case(on, tokens, on.max_bytes)), size.seed + i / 2,
                    on.window);
      script.run(40);
      alone[i] = script.digest();
    }
    const SharedGrammar shared = compile_case(on, tokens, on.max_bytes, sharing, 50);
    in_threads(size.n_threads, [&](size_t i) {
      RandomFaults faults(size.seed * 1000 + round * 100 + i);
      faults.make([&] { compile_case({"", grammar_of(i), 0, 0}, tokens, 1 << 15, sharing, 5); });
      Script script(matcher_for(on, shared), size.seed + i / 2, on.window, faults);
      script.run(40);
      together[i] = script.digest();
      n_failed += faults.n_failed();
      if (i == 0) sharing.pool->clear();
    });
    for (size_t i = 0; i < size.n_threads; ++i) n_wrong += alone[i] != together[i] ? 1 : 0;
  }
  std::printf("%-28s %zu threads x %zu rounds, %zu calls failed: %zu wrong\n",
              "threads with faults", size.n_threads, n_rounds, n_failed.load(), n_wrong);
  return n_wrong;
}

// ---- Batches ----

// Masks of matchers of cold grammars: many ask for help, and wait for each other's entries.
size_t fill_batches(const std::shared_ptr<const TokenSets>& tokens, const Size& size) {
  constexpr size_t kMembers = 24;
  const char* const texts[] = {"", "[", "\"", "{\"a\":", "1", "te"};
  std::atomic<size_t> n_wrong{0}, n_failed{0};
  const size_t n_words = tokens->n_words;
  const auto masks = [&](Sharing sharing, bool refuses) {
    std::vector<SharedGrammar> grammars;
    for (size_t i = 0; i < 4; ++i)
      grammars.push_back(compile_case({"", grammar_of(i), 0, 0}, tokens, 1 << 20, sharing, 20));
    std::vector<Matcher> matchers;
    for (size_t i = 0; i < kMembers; ++i) {
      matchers.emplace_back(grammars[i % 4], MatcherOptions{});
      matchers.back().accept_string(texts[i % std::size(texts)]);
    }
    std::vector<uint32_t> rows(kMembers * n_words);
    std::vector<FillPart> parts(kMembers);
    for (size_t i = 0; i < kMembers; ++i) {
      parts[i].matcher = &matchers[i];
      parts[i].row = std::span(rows).subspan(i * n_words, n_words);
    }
    if (refuses) one_of.store(97);
    try {
      const ForkGate::Inside inside;
      fill_batch(parts, 4);
    } catch (const std::bad_alloc&) {}
    if (refuses) one_of.store(0);
    for (FillPart& part : parts) {  // what failed is made again, by its own matcher
      if (part.is_done && !part.error) continue;
      ++n_failed;
      part.matcher->fill_next_token_bitmask(part.row);
    }
    return rows;
  };
  const std::vector<uint32_t> expected = masks({}, false);
  const size_t n_rounds = 1 + size.n_steps / 50;
  for (size_t round = 0; round < n_rounds; ++round) {
    const Sharing sharing{std::make_shared<MaskPool>(tokens, round % 2 == 0 ? -1 : 20'000),
                          nullptr};
    if (masks(sharing, true) != expected) ++n_wrong;
    in_threads(3, [&](size_t) {
      if (masks(sharing, false) != expected) ++n_wrong;
    });
  }
  std::printf("%-28s %zu rounds, %zu parts failed: %zu wrong\n", "batches", n_rounds,
              n_failed.load(), n_wrong.load());
  return n_wrong;
}

// ---- Children ----

size_t fork_children(const std::shared_ptr<const TokenSets>& tokens, const Size& size) {
  const Case on{"", grammar_of(0), size_t{1} << 16, SIZE_MAX};
  const auto digest = [&](const SharedGrammar& compiled, size_t i) {
    const ForkGate::Inside inside;
    Script script(matcher_for(on, compiled), size.seed + i, on.window);
    script.run(20);
    return script.digest();
  };
  const uint64_t expected = digest(compile_case(on, tokens, on.max_bytes), 0);
  const Sharing sharing{std::make_shared<MaskPool>(tokens, 20'000), nullptr};
  const SharedGrammar shared = compile_case(on, tokens, on.max_bytes, sharing, 100);
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      for (size_t k = 0; !is_over.load(); ++k) {
        digest(shared, i + k % 7);
        const ForkGate::Inside inside;
        compile_case(on, tokens, on.max_bytes, sharing, 20);
      }
    });
  }
  size_t n_wrong = 0;
  const size_t n_children = 5 + size.n_steps / 50;
  for (size_t i = 0; i < n_children; ++i) {
    std::fflush(stdout);  // or the child has it too
    const pid_t pid = fork();
    if (pid == 0) {
      alarm(300);  // a child that waits for a lock of its parent's
      std::_Exit(digest(shared, 0) == expected ? 0 : 1);
    }
    int status = -1;
    if (waitpid(pid, &status, 0) != pid || status != 0) ++n_wrong;
  }
  is_over.store(true);
  for (std::thread& thread : threads) thread.join();
  std::printf("%-28s %zu: %zu wrong\n", "children", n_children, n_wrong);
  return n_wrong;
}

int run_all(const Size& size) {
  const std::shared_ptr<const TokenSets> tokens = make_tokens();
  BackgroundQueue::shared();  // from now on forks are watched
  size_t n_wrong = refuse_each(tokens, size);
  n_wrong += compare_faults(tokens, size);
  n_wrong += fill_batches(tokens, size);
  n_wrong += fork_children(tokens, size);
  std::printf("%s, %llu allocations refused\n",
              n_wrong == 0 ? "all as alone" : "some saw something else than alone",
              static_cast<unsigned long long>(n_refused.load()));
  return n_wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace xg2lab

int main(int argc, char** argv) {
  xg2lab::stress::Size size;
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
