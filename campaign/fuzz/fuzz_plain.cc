// Grammars and programs read back from plain tables, as a serialized text holds them: true ones,
// with fields changed.
//
// IDEA
//   The input's pairs of bytes say which field is changed and to what, in the tables of a grammar
//   that is known. Reading refuses the result, or makes of it a grammar, a program, that can be
//   compiled and walked without harm. Whether the program still fits its grammar is not asked
//   here: masks and accept both read the program, so they agree.
#include <array>

#include "explore.h"
#include "frontends/ebnf/parser.h"
#include "grammar/plain.h"
#include "program/plain_program.h"

namespace xg2lab::fuzz {
namespace {

constexpr std::array kPlainGrammars{
    R"(root ::= "[" (x ("," x)*)? "]"   x ::= [a-z]+ | root)",
    R"(root ::= TagDispatch(("<a>", t), excludes=("bad"))   t ::= [0-9]{1,50} "x"?)",
    R"(root ::= AnyOrder(m?, n, sep=",")   m[max_tokens=4] ::= "a" [0-9]*   n ::= "b"{2,90})",
    R"(root ::= (s | Token(1, 2))* (= "x")   s ::= Regex("(?!ab)[a-c]+") "x")",
};

class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}
  bool is_over() const { return left_.empty(); }
  uint32_t next() {
    if (left_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(left_.front());
    left_.remove_prefix(1);
    return byte;
  }
  // Mostly small; sometimes at the ends of the range.
  uint32_t value() {
    const uint32_t byte = next();
    if (byte < 200) return byte;
    if (byte < 230) return next() << 8 | next();
    return UINT32_MAX - (byte - 230);
  }

 private:
  std::string_view left_;
};

template <class T>
T* one_of(std::vector<T>& values, Bytes& bytes) {
  return values.empty() ? nullptr : &values[bytes.next() % values.size()];
}

void change(PlainGrammar& plain, Bytes& bytes) {
  PlainExpr* expr = one_of(plain.exprs, bytes);
  Rule* rule = one_of(plain.rules, bytes);
  switch (bytes.next() % 12) {
    case 0: plain.root = RuleId(bytes.value()); break;
    case 1:
      if (expr) expr->kind = static_cast<ExprKind>(bytes.next() % 12);
      break;
    case 2:
      if (expr) expr->rule = RuleId(bytes.value());
      break;
    case 3:
      if (expr) expr->children.emplace_back(bytes.value());
      break;
    case 4:
      if (expr && !expr->children.empty()) *one_of(expr->children, bytes) = ExprId(bytes.value());
      break;
    case 5:
      if (expr) expr->min = bytes.value();
      break;
    case 6:
      if (expr) expr->max = bytes.value();
      break;
    case 7:
      if (expr) expr->ranges.push_back({bytes.value(), bytes.value()});
      break;
    case 8:
      if (expr) expr->literal.push_back(static_cast<char>(bytes.next()));
      break;
    case 9:
      if (rule) rule->body = ExprId(bytes.value());
      break;
    case 10:
      if (rule) rule->lookahead = ExprId(bytes.value());
      break;
    default:
      if (expr) expr->span = {bytes.value(), bytes.value()};
      break;
  }
}

void change(PlainProgram& plain, Bytes& bytes) {
  LoweredRule* rule = one_of(plain.rules, bytes);
  PlainState* state = one_of(plain.states, bytes);
  TerminalEdge* terminal = one_of(plain.terminal_edges, bytes);
  RuleEdge* call = one_of(plain.rule_edges, bytes);
  switch (bytes.next() % 11) {
    case 0: plain.root = RuleId(bytes.value()); break;
    case 1:
      if (rule) rule->n_states = bytes.value();
      break;
    case 2:
      if (rule) rule->repetition.reset();
      break;
    case 3:
      if (rule) rule->members.reset();
      break;
    case 4:
      if (state) state->is_accepting = !state->is_accepting;
      break;
    case 5:
      if (state) state->n_terminal_edges = bytes.value();
      break;
    case 6:
      if (state) state->n_rule_edges = bytes.value();
      break;
    case 7:
      if (terminal) terminal->to = StateId(bytes.value());
      break;
    case 8:
      if (call) call->to = StateId(bytes.value());
      break;
    case 9:
      if (call) call->rule = RuleId(bytes.value());
      break;
    default:
      if (!plain.n_spans.empty()) *one_of(plain.n_spans, bytes) = bytes.value();
      break;
  }
}

}  // namespace
}  // namespace xg2lab::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xg2lab;
  static const auto compiled = [] {
    std::vector<std::shared_ptr<const CompiledGrammar>> made;
    for (const char* text : fuzz::kPlainGrammars) {
      made.push_back(
          compile(std::make_shared<const Grammar>(parse_ebnf(text, "root")), fuzz::tokens(), {}));
    }
    return made;
  }();
  const fuzz::Input input(data, size);
  const CompiledGrammar& whole = *compiled[input.control % compiled.size()];
  fuzz::Bytes bytes(input.text);
  fuzz::refused_or([&] {
    if (input.bit(8)) {
      PlainGrammar plain = to_plain(*whole.grammar());
      while (!bytes.is_over()) fuzz::change(plain, bytes);
      fuzz::explore(input, check_grammar(from_plain(plain)));
      return;
    }
    PlainProgram plain = to_plain(whole.program());
    while (!bytes.is_over()) fuzz::change(plain, bytes);
    auto program = std::make_shared<const Program>(from_plain(plain, whole.grammar()->source()));
    const auto read =
        restore(whole.grammar(), std::move(program), fuzz::tokens(), fuzz::options_of(input, 16));
    fuzz::Walk(Matcher(read, {}), input.control).run(12);
  });
  return 0;
}
