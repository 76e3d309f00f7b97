// The table of contents of compilation; the only file of runtime/ that includes a grammar's
// definition.
#include "runtime/compiler.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "checks/check_token_sets.h"
#include "grammar/rewrite.h"
#include "linking/link.h"
#include "lower/lower.h"
#include "passes/check_productive.h"
#include "passes/drop_unreachable.h"
#include "passes/leave_out_contents.h"
#include "passes/pipeline.h"
#include "passes/resolve_token_names.h"
#include "program/call_tree.h"
#include "program/left_recursion.h"
#include "runtime/spelling.h"
#include "support/bits.h"
#include "support/budget.h"
#include "support/error.h"
#include "support/text.h"
#include "templates/pieces.h"
#include "templates/references.h"
#include "templates/spelled.h"
#include "templates/write_out.h"
#include "vocab/token_names.h"

namespace xg2lab {
namespace {

void refuse_left_recursion(const Program& program, const SourceText& source) {
  const std::vector<RuleId> cycle = find_left_recursion(program);
  if (cycle.empty()) return;
  const std::string path =
      join(cycle, " -> ", [&](RuleId rule) { return program.rule(rule).name; });
  const ProgramRule& rule = program.rule(cycle.front());
  const Diagnostic found{
      "left_recursion", Severity::kError,
      "rule `" + rule.name + "` calls itself before anything is read (" + path +
          "): a pushdown automaton would push without end",
      rule.name_span.empty() ? rule.span : rule.name_span,
      "use EngineOptions(parser=\"earley\"), or write the repetition as x (op x)*"};
  throw Error(ErrorKind::kUnsupportedError, {found}, source);
}

// Each call of the cycle is a finding of its own, with its place.
void refuse_recursion(const Program& program, const SourceText& source) {
  const std::vector<RuleCall> cycle = find_recursion(program);
  if (cycle.empty()) return;
  const auto name = [&](RuleId rule) { return program.rule(rule).name; };
  const std::string path =
      join(cycle, " -> ", [&](const RuleCall& call) { return name(call.from); }) + " -> " +
      name(cycle.front().from);
  std::vector<Diagnostic> findings;
  for (const RuleCall& call : cycle) {
    const std::span<const SourceSpan> spans = program.spans(call.origins);
    const ProgramRule& rule = program.rule(call.from);
    const bool is_first = findings.empty();
    findings.push_back(
        {"recursion", Severity::kError,
         is_first ? "rule `" + rule.name + "` calls itself (" + path +
                        "): its tree of operators would be infinite"
                  : "of the cycle: `" + rule.name + "` calls `" + name(call.to) + "` here",
         spans.empty() ? rule.span : spans.front(),
         is_first ? "use EngineOptions(parser=\"earley\"), or write the repetition as x*" : ""});
    if (findings.size() == 20) break;
  }
  throw Error(ErrorKind::kUnsupportedError, findings, source);
}

void refuse_growth(const Program& program, size_t max_operators, const SourceText& source) {
  const CallTreeSize size = call_tree_size(program);
  if (size.n_nodes <= max_operators) return;
  const std::string path =
      join(std::span(size.largest).first(std::min<size_t>(size.largest.size(), 12)), " -> ",
           [&](RuleId rule) { return program.rule(rule).name; });
  const ProgramRule& root = program.rule(program.root());
  const Diagnostic found{
      "too_many_operators", Severity::kError,
      "rules expanded at each of their calls are more than " + std::to_string(max_operators) +
          " (most of them below " + path + ")",
      root.name_span.empty() ? root.span : root.name_span,
      "use EngineOptions(parser=\"earley\"), which shares what rules have in common, or set "
      "EngineOptions.max_operators"};
  throw Error(ErrorKind::kLimitError, {found}, source);
}

// What the chosen parser can't run.
void refuse_unsupported(const Program& program, const EngineOptions& options,
                        const SourceText& source) {
  switch (options.parse.parser) {
    case ParserKind::kEarley: return;
    case ParserKind::kPda: return refuse_left_recursion(program, source);
    case ParserKind::kOperators:
      refuse_recursion(program, source);
      refuse_growth(program, options.max_operators, source);
  }
}

// Refers to `tokens`.
checks::KnownTokens known_tokens(const TokenSets& tokens) {
  using checks::TokenUse;
  const Vocabulary& vocabulary = *tokens.vocabulary;
  const auto use = [&tokens, &vocabulary](TokenId id) {
    if (test_bit(tokens.by_id_words, id.value)) return TokenUse::kFree;
    const TokenKind kind = vocabulary.kind(id);
    return kind == TokenKind::kStop      ? TokenUse::kStop
           : kind == TokenKind::kPadding ? TokenUse::kPadding
                                         : TokenUse::kWithoutBytes;
  };
  return {vocabulary.n_tokens(), count_ones(tokens.by_id_words), use,
          [&vocabulary](std::string_view text) { return tokens_named(vocabulary, text); },
          [&vocabulary](std::string_view text) { return token_name_like(vocabulary, text); }};
}

// Checks the token edges of a deserialized program, which has no author to report to.
void check_tokens(const Program& program, const TokenSets& tokens) {
  for (size_t r = 0; program.has_token_edges() && r < program.n_rules(); ++r) {
    const ProgramRule& rule = program.rule(RuleId(r));
    if (!rule.tokens) continue;
    std::vector<uint32_t> taken(tokens.n_words, 0);
    if (rule.tokens->is_negated) taken = tokens.by_id_words;
    bool is_well = true;
    for (TokenId id : rule.tokens->ids) {
      is_well = is_well && id.index() < tokens.vocabulary->n_tokens() &&
                (rule.tokens->is_negated || test_bit(tokens.by_id_words, id.value));
      if (!is_well) break;
      if (rule.tokens->is_negated) clear_bit(taken, id.value);
      else set_bit(taken, id.value);
    }
    if (is_well && any_one(taken)) continue;
    throw Error(ErrorKind::kDeserializeFormatError,
                concat("/program/rules/", r,
                       ": a token edge of this vocabulary can take none of its tokens"),
                "use the text that serialize_json() returned, unchanged");
  }
}

using Clock = std::chrono::steady_clock;

// Reports each pass to the log, if it is on: the time since the previous pass, and the grammar's
// size before and after. The time for measuring sizes is not counted.
class PassTimer {
 public:
  // Of what begins without a grammar.
  explicit PassTimer(EventLog* log) : log_(log != nullptr && log->is_on() ? log : nullptr) {
    if (log_ == nullptr) return;
    for (const std::string_view phase : kLoweringPhases) phases_.push_back({.name = phase});
    begin_ = Clock::now();
  }
  PassTimer(EventLog* log, const Grammar& grammar) : PassTimer(log) {
    if (log_ == nullptr) return;
    n_rules_ = grammar.n_rules();
    n_exprs_ = count_exprs(grammar);
    begin_ = Clock::now();
  }

  bool is_on() const { return log_ != nullptr; }
  PhaseTable* phases() { return log_ != nullptr ? &phases_ : nullptr; }
  void done(std::string_view pass, const Grammar& result) {
    if (log_ == nullptr) return;
    PassCounts& counts = add(pass).counts;
    counts.rules = {n_rules_, result.n_rules()};
    counts.exprs = {n_exprs_, count_exprs(result)};
    std::tie(n_rules_, n_exprs_) = std::pair(counts.rules->second, counts.exprs->second);
    begin_ = Clock::now();
  }
  // Reports lowering, with its phases in the order in which a rule passes through them.
  void lowered(const Program& program) {
    if (log_ == nullptr) return;
    PassCounts& all = add("lower").counts;
    all.rules = {n_rules_, program.n_rules()};
    all.states = {0, program.n_states()};
    for (const PhaseFacts& facts : phases_) {
      if (facts.ns == 0) continue;
      CacheEvent& part = add(facts.name);
      part.inside = "lower";
      part.ns = facts.ns;
      if (facts.n_machines == 0) continue;
      part.counts.states = {facts.n_states_before, facts.n_states_after};
      part.counts.machines = facts.n_machines;
    }
    begin_ = Clock::now();
  }
  // Reports a pass that has machines before and after it.
  void done(std::string_view pass, const Program& before, const Program& after) {
    if (log_ == nullptr) return;
    PassCounts& counts = add(pass).counts;
    counts.rules = {before.n_rules(), after.n_rules()};
    counts.states = {before.n_states(), after.n_states()};
    begin_ = Clock::now();
  }
  // Reports a pass that leaves everything as it was.
  void done(std::string_view pass) {
    if (log_ == nullptr) return;
    add(pass);
    begin_ = Clock::now();
  }
  // Attributes the reported passes to `grammar`, whose number is assigned only now.
  void finish(GrammarId grammar, uint64_t compile_ns) {
    if (log_ == nullptr) return;
    CacheEvent& all = passes_.emplace_back();
    all.kind = EventKind::kCompile;
    all.ns = compile_ns;
    for (CacheEvent& event : passes_) {
      event.grammar = grammar;
      log_->add(std::move(event));
    }
  }

 private:
  static size_t count_exprs(const Grammar& grammar) {
    const std::vector<bool> used = used_exprs(grammar);
    return static_cast<size_t>(std::count(used.begin(), used.end(), true));
  }
  CacheEvent& add(std::string_view pass) {
    const uint64_t ns = ns_since(begin_);
    CacheEvent& event = passes_.emplace_back();
    event.kind = EventKind::kPass;
    event.name = pass;
    event.ns = ns;
    return event;
  }

  EventLog* const log_;
  Clock::time_point begin_;
  size_t n_rules_ = 0;
  size_t n_exprs_ = 0;
  PhaseTable phases_;
  std::vector<CacheEvent> passes_;
};

PassOptions passes_of(const EngineOptions& options) {
  PassOptions passes;
  passes.inlining = options.rule_inlining;
  passes.right_recursion_to_repeat = options.right_recursion_to_repeat;
  passes.fuse_literals = options.literal_fusion;
  return passes;
}

LowerOptions lowering_of(const EngineOptions& options) {
  LowerOptions lowering;
  lowering.determinize = options.determinize;
  lowering.minimize = options.minimize;
  lowering.max_states = options.max_fsm_states;
  lowering.repetition_compression = options.repetition_compression;
  lowering.repetition_threshold = options.repetition_threshold;
  lowering.uses_known_machines = options.cross_grammar_cache;
  return lowering;
}

// The part of compile() that runs within a budget. `part` of the grammar is compiled, and
// `expects_again` says whether other parts of it will be. `timer` has already reported the passes
// that the caller ran since `begin`.
std::shared_ptr<CompiledGrammar> compile_since(Clock::time_point begin, PassTimer& timer,
                                               std::shared_ptr<const Grammar> grammar,
                                               const Grammar& part, bool expects_again,
                                               std::shared_ptr<const TokenSets> tokens,
                                               const EngineOptions& options, Sharing sharing) {
  const checks::KnownTokens known = known_tokens(*tokens);
  checks::check_token_sets(*grammar, known);
  const PassTrace trace = [&timer](std::string_view pass, const Grammar& result) {
    timer.done(pass, result);
  };
  auto optimized = std::make_shared<const Grammar>(
      run_passes(passes::resolve_token_names(part, known), passes_of(options),
                 timer.is_on() ? &trace : nullptr));

  LowerOptions lowering = lowering_of(options);
  lowering.expects_again = expects_again;
  auto program = std::make_shared<const Program>(lower(*optimized, lowering, timer.phases()));
  timer.lowered(*program);
  refuse_unsupported(*program, options, *grammar->source());
  if (!options.cross_grammar_cache) sharing.pool = nullptr;
  auto compiled = std::make_shared<CompiledGrammar>(
      ProgramSource{std::move(grammar), std::move(optimized), {}}, std::move(program),
      std::move(tokens), options, ns_since(begin), std::move(sharing));
  timer.finish(compiled->id(), compiled->compile_ns());
  compiled->make_ahead();
  return compiled;
}

// Compiles a grammar with some of its contents: see runtime/contents_on_demand.h.
struct PartialCompiler {
  // Two such programs are kept beside the whole one; each has a part of the memory that a grammar
  // may use for columns.
  static constexpr size_t kShare = 4;

  std::shared_ptr<const Grammar> grammar;
  std::vector<Content> contents;
  std::shared_ptr<const TokenSets> tokens;
  EngineOptions options;
  Sharing sharing;

  std::shared_ptr<CompiledGrammar> operator()(std::span<const uint32_t> present) const {
    const auto begin = Clock::now();
    const Budget budget(options.compile_limits, Work::kCompile);
    PassTimer timer(sharing.events.get(), *grammar);
    if (present.size() == contents.size())
      return compile_since(begin, timer, grammar, *grammar, false, tokens, options, sharing);
    if (present.empty()) check_large_contents();
    EngineOptions own = options;
    own.max_configuration_bytes = std::max<size_t>(1, options.max_configuration_bytes / kShare);
    const Grammar part = passes::leave_out_contents(*grammar, grammar->root(), contents, present);
    timer.done("leave_out_contents", part);
    return compile_since(begin, timer, grammar, part, true, tokens, own, sharing);
  }

  // Compiles them by themselves, so that the author hears at once of a limit that is exceeded.
  void check_large_contents() const {
    std::vector<uint32_t> all(contents.size());
    std::iota(all.begin(), all.end(), 0);
    const checks::KnownTokens known = known_tokens(*tokens);
    for (const Content& content : contents) {
      if (!content.may_be_large) continue;
      const Grammar part = passes::leave_out_contents(*grammar, content.rule, contents, all);
      lower(run_passes(passes::resolve_token_names(part, known), passes_of(options), nullptr),
            lowering_of(options), nullptr);
    }
  }
};

// The contents of the grammar that are compiled on demand.
std::vector<Content> contents_on_demand(const Grammar& grammar, const EngineOptions& options) {
  const bool may_wait =
      options.contents_on_demand > 0 && options.parse.parser == ParserKind::kEarley;
  if (!may_wait || grammar.contents().size() < options.contents_on_demand) return {};
  return passes::contents_that_may_be_absent(grammar);
}

}  // namespace

std::shared_ptr<CompiledGrammar> compile(std::shared_ptr<const Grammar> grammar,
                                         std::shared_ptr<const TokenSets> tokens,
                                         const EngineOptions& options, Sharing sharing) {
  std::vector<Content> contents = contents_on_demand(*grammar, options);
  const size_t n_contents = contents.size();
  const PartialCompiler compile_with{std::move(grammar), std::move(contents), std::move(tokens),
                                     options, std::move(sharing)};
  std::shared_ptr<CompiledGrammar> compiled = compile_with({});
  if (n_contents > 0)
    compiled->set_contents_on_demand(std::make_unique<ContentsOnDemand>(n_contents, compile_with));
  return compiled;
}

std::shared_ptr<CompiledGrammar> restore(std::shared_ptr<const Grammar> grammar,
                                         std::shared_ptr<const Program> program,
                                         std::shared_ptr<const TokenSets> tokens,
                                         const EngineOptions& options, Sharing sharing) {
  const auto begin = Clock::now();
  const Budget budget(options.compile_limits, Work::kCompile);
  check_tokens(*program, *tokens);
  refuse_unsupported(*program, options, *grammar->source());
  if (!options.cross_grammar_cache) sharing.pool = nullptr;
  return std::make_shared<CompiledGrammar>(ProgramSource{std::move(grammar), nullptr, {}},
                                           std::move(program), std::move(tokens), options,
                                           ns_since(begin), std::move(sharing));
}

std::shared_ptr<const Grammar> optimized_grammar(const CompiledGrammar& compiled) {
  if (compiled.optimized()) return compiled.optimized();
  return std::make_shared<const Grammar>(
      run_passes(grammar_with_token_ids(compiled), passes_of(compiled.options())));
}

Grammar grammar_with_token_ids(const CompiledGrammar& compiled) {
  return passes::resolve_token_names(*compiled.grammar(), known_tokens(compiled.tokens()));
}

// ---- Templates ----

namespace {

// The machine of a rule with lazy or max_chars takes in all rules that it calls, holes too.
void oppose_cut_rules(const Template& of, std::vector<std::string>& obstacles) {
  const std::vector<bool> has_holes =
      templates::rules_with_holes(of, templates::references_of_rules(of.grammar));
  for (size_t i = 0; i < of.grammar.n_rules(); ++i) {
    const Rule& rule = of.grammar.rule(RuleId(i));
    if (has_holes[i] && rule.options && rule.options->cuts_language())
      obstacles.push_back(
          concat("the language of a rule with lazy or max_chars is one machine: ", rule.name));
  }
}

// Static text was spelled before the vocabulary was known.
void check_spelling(const Template& of, const TokenSets& tokens) {
  if (of.spelling == nullptr) return;
  constexpr size_t kMostFindings = 200;
  std::vector<Diagnostic> found;
  std::vector<int64_t> ids;
  for (const SpelledText& text : *of.spelling) {
    ids.clear();
    for (const TokenId id : text.ids) ids.push_back(id.value);
    const auto mistake = misspelling(text.text, ids, tokens);
    if (mistake && found.size() < kMostFindings)
      found.push_back(templates::misspelled_text(text, *mistake));
  }
  if (!found.empty())
    throw Error(ErrorKind::kVocabularyError, std::move(found), *of.grammar.source());
}

std::shared_ptr<const Grammar> written_out(const templates::ScopedTemplate& of,
                                           const templates::Argument& arguments) {
  templates::WrittenOut written = templates::write_out(of.of, of.scopes, arguments);
  XG2LAB_ASSERT(written.grammar, "linked arguments have no mistakes");
  return std::make_shared<const Grammar>(check_grammar(*std::move(written.grammar)));
}

}  // namespace

std::shared_ptr<CompiledTemplate> compile_template(
    std::shared_ptr<const templates::ScopedTemplate> of, std::shared_ptr<const TokenSets> tokens,
    const EngineOptions& options, Sharing sharing) {
  const auto begin = Clock::now();
  const Budget budget(options.compile_limits, Work::kCompile);
  check_spelling(of->of, *tokens);
  PassTimer timer(sharing.events.get(), of->of.grammar);
  const checks::KnownTokens known = known_tokens(*tokens);
  checks::check_token_sets(of->of.grammar, known);
  if (!options.cross_grammar_cache) sharing.pool = nullptr;
  auto compiled = std::make_shared<CompiledTemplate>();
  const Grammar pieces = templates::with_pieces(of->of);
  timer.done("take_pieces", pieces);
  const PassTrace trace = [&timer](std::string_view pass, const Grammar& result) {
    timer.done(pass, result);
  };
  const Grammar optimized = run_passes(passes::resolve_token_names(pieces, known),
                                       passes_of(options), timer.is_on() ? &trace : nullptr);
  Program whole = lower(optimized, lowering_of(options), timer.phases());
  timer.lowered(whole);
  compiled->program = split(of->of, std::move(whole));
  timer.done("keep_known", compiled->program.whole, compiled->program.known);
  oppose_cut_rules(of->of, compiled->program.obstacles);
  compiled->source = std::move(of);
  compiled->tokens = std::move(tokens);
  compiled->options = options;
  compiled->id = next_grammar_id();
  if (options.cross_grammar_cache) {
    const TemplateProgram& program = compiled->program;
    sharing.known = std::make_shared<KnownEntries>(program.known.n_states(), compiled->id);
    if (sharing.pool) sharing.pool->add_grammar(compiled->id, name_of(program.known));
  }
  compiled->sharing = std::move(sharing);
  compiled->compile_ns = ns_since(begin);
  timer.finish(compiled->id, compiled->compile_ns);
  return compiled;
}

std::vector<Diagnostic> template_findings(const Template& of) {
  std::vector<Diagnostic> found;
  try {
    found = passes::drop_unreachable(passes::check_productive(templates::with_placeholders(of)),
                                     passes::UnusedRules::kWarn)
                .diagnostics();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kGrammarError) throw;
    found = error.diagnostics();
  }
  // Holes and their parts are rules that the author didn't write.
  std::set<SourceSpan> unnamed;
  for (size_t i = 0; i < of.grammar.n_rules(); ++i) {
    const Rule& rule = of.grammar.rule(RuleId(i));
    if (rule.name.starts_with('$')) unnamed.insert({rule.name_span, rule.span});
    if (const Hole* hole = of.hole(RuleId(i))) unnamed.insert(hole->span);
  }
  std::erase_if(found, [&](const Diagnostic& one) { return unnamed.contains(one.span); });
  const std::vector<Diagnostic>& own = of.grammar.diagnostics();
  found.insert(found.begin(), own.begin(), own.end());
  std::ranges::stable_sort(found, {}, [](const Diagnostic& one) { return one.span.begin; });
  return found;
}

void make_masks(const CompiledTemplate& of) {
  if (!of.sharing.known) return;
  const Budget budget(of.options.compile_limits, Work::kCompile);
  const auto program = std::shared_ptr<const Program>(of.shared_from_this(), &of.program.known);
  MaskStore store(program, of.tokens, of.options.max_configuration_bytes, of.options.parse,
                  of.options.mask, of.sharing, of.sharing.known->of());
  for (size_t i = 0; i < program->n_states(); ++i) {
    const StateId state(i);
    if (has_own_entry(*program, state) || program->is_before_token(state)) store.make_ahead(state);
  }
}

std::shared_ptr<CompiledGrammar> instantiate(const CompiledTemplate& of,
                                             std::shared_ptr<const templates::Argument> arguments) {
  const auto begin = Clock::now();
  const Budget budget(of.options.compile_limits, Work::kCompile);
  PassTimer timer(of.sharing.events.get());
  const templates::ScopedTemplate& source = *of.source;
  std::vector<templates::ArgumentIssue> issues =
      templates::check_arguments(source.of, source.scopes, *arguments);
  if (!issues.empty()) throw templates::argument_error(issues, *source.of.grammar.source());
  timer.done("check_arguments");
  std::optional<Instance> linked;
  if (of.program.obstacles.empty()) {
    linked = link(of.program, *arguments,
                  {of.options.repetition_compression, of.options.repetition_threshold,
                   of.options.max_fsm_states});
  }
  if (!linked) {
    templates::WrittenOut written = templates::write_out(source.of, source.scopes, *arguments);
    if (!written.issues.empty())
      throw templates::argument_error(written.issues, *source.of.grammar.source());
    auto grammar = std::make_shared<const Grammar>(check_grammar(*std::move(written.grammar)));
    timer.done("write_out", *grammar);
    return compile_since(begin, timer, grammar, *grammar, false, of.tokens, of.options,
                         {of.sharing.pool, of.sharing.events, nullptr});
  }
  timer.done("link", of.program.known, linked->program);
  refuse_unsupported(linked->program, of.options, *source.of.grammar.source());
  InstanceOrigin origin{
      [written = of.source, arguments] { return written_out(*written, *arguments); },
      [facts = std::move(linked->facts), compiled = of.shared_from_this()](
          RuleId rule, std::span<const SourceSpan> spans) {
        return facts.pointer(compiled->program, rule, spans);
      }};
  auto program = std::make_shared<const Program>(std::move(linked->program));
  auto compiled = std::make_shared<CompiledGrammar>(
      ProgramSource{nullptr, nullptr, std::move(origin)}, std::move(program), of.tokens, of.options,
      ns_since(begin), of.sharing);
  timer.finish(compiled->id(), compiled->compile_ns());
  return compiled;
}

}  // namespace xg2lab
