#include "frontends/json_schema/known_patterns.h"

#include <utility>

#include "frontends/regex/regex.h"
#include "support/known_values.h"

namespace xg2lab::json_schema {
namespace {

constexpr size_t kMostPatterns = 512;
constexpr size_t kMostEdges = 4'000;  // edges of a pattern's machines; cells of its language
constexpr size_t kMostMachines = 64;
constexpr size_t kMostMachineEdges = 50'000;

// Never destroyed: threads may outlive main.
template <class Value, size_t kMost>
KnownValues<Value>& known() {
  static auto* const values = new KnownValues<Value>(kMost);
  return *values;
}

bool is_small(const Grammar& grammar) {
  size_t n_edges = grammar.n_exprs();
  for (size_t i = 0; i < grammar.n_exprs(); ++i) {
    const ExprId id(i);
    if (grammar.expr(id).kind == ExprKind::kMachine)
      n_edges += grammar.machine(id).fsm.terminal_edges.size();
  }
  return n_edges <= kMostEdges;
}

}  // namespace

std::shared_ptr<const Grammar> grammar_of_pattern(const std::string& pattern,
                                                  const regex::Report& report) {
  auto& grammars = known<Grammar, kMostPatterns>();
  if (auto found = grammars.find(pattern)) return found;
  bool is_well = true;
  regex::Options options;
  options.match = regex::Match::kSearch;
  options.spelling = Spelling::kJsonString;
  GrammarBuilder builder;
  const RuleId root = builder.add_rule("root");
  const ExprId body = regex::add_regex(
      builder, pattern, options, [](SourceSpan) { return SourceSpan(); },
      [&](const char* code, std::string message, SourceSpan span, std::string hint) {
        is_well = false;
        report(code, std::move(message), span, std::move(hint));
      });
  builder.set_body(root, body);
  auto made = std::make_shared<const Grammar>(std::move(builder).build(root));
  if (is_well && is_small(*made)) grammars.keep(pattern, made);
  return made;
}

std::shared_ptr<const CodePointDfa> language_of_pattern(const std::string& pattern) {
  auto& languages = known<CodePointDfa, kMostPatterns>();
  if (auto found = languages.find(pattern)) return found;
  auto made = std::make_shared<const CodePointDfa>(
      regex::language_of_regex(pattern, {}, regex::Match::kSearch));
  if (made->next.size() <= kMostEdges) languages.keep(pattern, made);
  return made;
}

std::shared_ptr<const Machine> known_machine(const std::string& words) {
  return known<Machine, kMostMachines>().find(words);
}

void keep_machine(const std::shared_ptr<const Machine>& machine) {
  if (machine->fsm.terminal_edges.size() <= kMostMachineEdges)
    known<Machine, kMostMachines>().keep(machine->words, machine);
}

}  // namespace xg2lab::json_schema
