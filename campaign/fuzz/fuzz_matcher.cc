// Sequences of operations on matchers of grammars that are known: accept, rollback, fork, reset,
// mask, text.
//
// IDEA
//   The first byte chooses a grammar, the second the options; each byte behind them is one
//   operation. Beside the matcher goes a list of the tokens that it took: at the end a fresh
//   matcher is led along the list, and both masks are equal. Grammars stay compiled, so the tables
//   that matchers share grow over the whole run.
#include <array>
#include <map>

#include "explore.h"
#include "frontends/ebnf/builtin_json.h"
#include "frontends/ebnf/parser.h"

namespace xg2lab::fuzz {
namespace {

constexpr std::array kMatcherGrammars{
    R"g(root ::= "[" (root ("," root)*)? "]" | "a"+)g",
    R"g(root ::= e   e ::= e "+" e | "(" e ")" | [a-c0-9]+)g",
    R"g(root ::= x* y   x ::= "a" | "ab" | "aa"   y ::= "b"*)g",
    R"g(root ::= TagDispatch(("<a>", t), ("</", u), stop_str=("]]"), stop_eos=true)   t ::= [0-9]+ "</"   u ::= "a" | "<a>")g",
    R"g(root ::= "{" AnyOrder(m?, n, o*, sep=",") "}"   m ::= "a" [0-9]*   n ::= "b"   o ::= "k" [01])g",
    R"g(root ::= [a-c]{2,60} "x" ([0-9] | "ab"){0,40} "k"{3}?)g",
    R"g(root ::= (p | q)*   p[max_tokens=3] ::= [a-c ]*   q[lazy] ::= [^<]* "<")g",
    R"g(root ::= s*   s ::= "\"" [^"\\]* "\"" | Token(0, 1) | ExcludeToken(2, 3) "x")g",
    R"g(root ::= n n2 "a"   n ::= n2 n | "" | "a"   n2 ::= n n2 | "" | "b")g",
    R"g(root ::= Regex("(?!ab)[a-ck]*x") | Substring("aab ", "ba", "k1"))g",
};

std::shared_ptr<const CompiledGrammar> compiled(const Input& input) {
  static std::map<std::pair<uint64_t, uint64_t>, std::shared_ptr<const CompiledGrammar>> known;
  const uint64_t which = input.control >> 56 & 0xF;
  // Of the twelve options four, so that all that come are compiled once: both parsers, tail calls,
  // counts, contexts.
  constexpr uint64_t kChosen = uint64_t{0x2E0} << 16;
  const uint64_t how = input.control & kChosen;
  auto& found = known[{which, how}];
  if (found) return found;
  std::string text(which < kMatcherGrammars.size() ? kMatcherGrammars[which] : json_ebnf());
  Grammar grammar = parse_ebnf(std::move(text), "root");
  return known[{which, how}] = compile(std::make_shared<const Grammar>(std::move(grammar)),
                                       tokens(), options_of(Input(how), 16));
}

class Operations {
 public:
  Operations(std::shared_ptr<const CompiledGrammar> grammar, const MatcherOptions& options)
      : matcher_(std::move(grammar), options),
        options_(options),
        words_(tokens()->n_words),
        again_(words_.size()) {}

  void run(std::string_view bytes) {
    for (const char byte : bytes) {
      step(static_cast<uint8_t>(byte));
      if (taken_.size() > 300) break;
    }
    compare_with_fresh();
  }

 private:
  // The low six bits name a token, the high two what is done.
  void step(uint8_t byte) {
    const auto token = static_cast<int64_t>(byte & 63);
    switch (byte >> 6) {
      case 0: return accept(token);
      case 1: return take_allowed(static_cast<size_t>(token));
      case 2: return take_back(static_cast<size_t>(token % 7));
      default: return other(token);
    }
  }

  bool is_over() const { return matcher_.has_stopped(); }

  void accept(int64_t token) {
    if (is_over()) return;
    if (matcher_.accept_token(token)) taken_.push_back(token);
  }

  void take_allowed(size_t which) {
    if (is_over()) return;
    matcher_.fill_next_token_bitmask(words_);
    const size_t n = count_ones(words_);
    if (n == 0) return;
    size_t left = which % n;
    int64_t token = -1;
    for_each_one(words_, [&](size_t id) {
      if (left-- == 0) token = static_cast<int64_t>(id);
    });
    if (!matcher_.accept_token(token)) fail("a token of the mask is not accepted", token);
    taken_.push_back(token);
  }

  void take_back(size_t n) {
    const size_t window = options_.max_rollback_tokens < 0
                              ? taken_.size()
                              : static_cast<size_t>(options_.max_rollback_tokens);
    if (n > taken_.size() || n > window || n > n_kept_ + taken_.size()) return;
    try {
      matcher_.rollback(static_cast<int64_t>(n));
    } catch (const Error&) {
      return;  // the window is what it is after steps that were taken back
    }
    taken_.resize(taken_.size() - n);
  }

  void other(int64_t token) {
    if (token < 16) {
      Matcher fork = matcher_.fork();
      if (token % 2 == 0) std::swap(fork, matcher_);
      if (!fork.has_stopped()) fork.accept_token(token);
    } else if (token < 20) {
      matcher_.reset();
      taken_.clear();
    } else if (token < 40) {
      hold_token_against_mask(token);
    } else {
      matcher_.find_jump_forward_string();
      matcher_.is_completed();
    }
  }

  void hold_token_against_mask(int64_t first) {
    if (is_over()) return;
    matcher_.fill_next_token_bitmask(words_);
    const auto n = static_cast<int64_t>(tokens()->vocabulary->n_tokens());
    for (int64_t token = first % 4; token < n; token += 4) {
      Matcher fork = matcher_.fork();
      const bool allows = (words_[static_cast<size_t>(token) / 32] >> (token % 32) & 1) != 0;
      if (fork.accept_token(token) != allows) fail("mask and accept differ", token);
    }
  }

  void compare_with_fresh() {
    Matcher fresh(matcher_.shared_compiled(), options_);
    for (const int64_t token : taken_) {
      if (!fresh.accept_token(token)) fail("a fresh matcher refuses what was taken", token);
    }
    if (fresh.has_stopped() != matcher_.has_stopped() ||
        fresh.is_completed() != matcher_.is_completed()) {
      fail("a fresh matcher stands elsewhere");
    }
    if (is_over()) return;
    matcher_.fill_next_token_bitmask(words_);
    fresh.fill_next_token_bitmask(again_);
    if (words_ != again_) fail("a fresh matcher has another mask");
  }

  Matcher matcher_;
  MatcherOptions options_;
  std::vector<int64_t> taken_;
  size_t n_kept_ = 0;
  std::vector<uint32_t> words_;
  std::vector<uint32_t> again_;
};

}  // namespace
}  // namespace xg2lab::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xg2lab;
  const fuzz::Input input(data, size);
  MatcherOptions options;
  options.terminate_without_stop_token = input.bit(0);
  if (input.bit(1)) options.max_rollback_tokens = static_cast<int64_t>(input.control >> 4 & 15);
  fuzz::refused_or([&] { fuzz::Operations(fuzz::compiled(input), options).run(input.text); });
  return 0;
}
