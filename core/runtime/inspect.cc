// Read: keeping the chart up to date; facts of entries; provenance; then explain: walk (push_token
// or push_bytes, add_continuation) and find_mechanism, whose last resort is ask_entries.
#include "runtime/inspect.h"

#include <algorithm>

#include "mask/walk/classify.h"
#include "runtime/budget_text.h"
#include "runtime/dispatch_text.h"
#include "support/bits.h"
#include "support/error.h"
#include "support/text.h"
#include "support/visible.h"

namespace xg2lab {
namespace {

std::vector<Item> items_of(const std::vector<ChartItem>& column) {
  std::vector<Item> items;
  for (const ChartItem& entry : column) items.push_back(entry.item);
  return items;
}

std::string quoted_bytes(std::string_view bytes) {
  std::string text = "\"";
  for (char byte : bytes) {
    const auto value = static_cast<uint8_t>(byte);
    text += value >= 0x80 ? std::string(1, byte) : byte_text(value);
  }
  return visible(text) + "\"";
}

// How a bound of a repetition restricts the continuation; nothing if the count is far from both
// bounds.
std::string limit_text(const ProgramRule& rule, const CountIntervals& done) {
  const Repetition& repetition = *rule.repetition;
  if (done.front().lo >= repetition.max) {
    return rule.name + " has been matched " + counts_text(done) + " times: no more may follow.";
  }
  if (done.back().hi < repetition.min) {
    return concat(rule.name, " has been matched ", counts_text(done), " times: at least ",
                  repetition.min, " are needed.");
  }
  return "";
}

std::string names_text(const AnyOrderFacts& facts, const std::vector<uint32_t>& members) {
  constexpr size_t kShown = 8;
  const auto name = [&](uint32_t member) -> const std::string& { return facts.names[member]; };
  const std::string text = join_first(kShown, members, ", ", name);
  return members.size() > kShown ? concat(text, " (", members.size(), ")") : text;
}

// How members in any order restrict the continuation: "AnyOrder(…) already has name, age; it still
// needs id." Nothing before the first member if none is required.
std::string members_text(const ProgramRule& rule, const MemberSets& sets, uint32_t word) {
  const AnyOrderFacts& facts = *rule.any_order;
  const MemberSets::Facts found = sets.facts(word);
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? " " : "; ") + part; };
  if (!found.matched.empty()) add("already has " + names_text(facts, found.matched));
  if (!found.lacking.empty()) add("still needs " + names_text(facts, found.lacking));
  if (found.n_total > 0 && found.n_total < facts.bounds.min_total)
    add(concat("needs at least ", facts.bounds.min_total, " members"));
  if (facts.bounds.has_max() && found.n_total + found.lacking.size() >= facts.bounds.max_total)
    add(concat("may have at most ", facts.bounds.max_total, " members"));
  if (found.n_sets > 1) add("may also be read in other ways");
  return text.empty() ? "" : rule.name + text + ".";
}

bool has_state(std::span<const Item> items, StateId state) {
  return std::any_of(items.begin(), items.end(),
                     [state](const Item& item) { return item.state == state; });
}

// Token edges with their spans: Token(5) in root (line 1).
std::string edges_text(const Program& program, const std::vector<ExpectedToken>& edges) {
  constexpr size_t kShown = 3;
  std::vector<std::string> shown;
  for (const ExpectedToken& edge : edges) {
    std::string words = program.rule(edge.token_rule).name + " in " +
                        program.rule(program.rule_of(edge.item.state)).name;
    if (!edge.spans.empty()) {
      const uint32_t line = program.source().position(edge.spans.front().begin).line;
      words += concat(" (line ", line, ")");
    }
    if (std::ranges::find(shown, words) == shown.end()) shown.push_back(std::move(words));
  }
  return join_first(kShown, shown, ", ");
}

bool holds(const MaskEntry& entry, TokenRank rank) {
  return std::binary_search(entry.uncertain.begin(), entry.uncertain.end(), rank);
}

}  // namespace

std::string expected_text(const Program& program, const Explanation& explanation) {
  std::vector<std::string> parts;
  if (!explanation.expected.empty()) parts.push_back(ranges_text(explanation.expected));
  for (const ExpectedToken& edge : explanation.expected_tokens) {
    const std::string& words = program.rule(edge.token_rule).name;
    if (std::ranges::find(parts, words) == parts.end()) parts.push_back(words);
  }
  return join(parts, " or ");
}

Inspector::Inspector(const Matcher& matcher) : chart_(matcher.compiled().shared_program()) {}

const Chart& Inspector::chart(const Matcher& matcher) {
  std::vector<Matcher::Piece> pieces;
  const std::string text = matcher.text(pieces);
  const Vocabulary& vocabulary = *matcher.compiled().tokens().vocabulary;
  const auto ends = std::mismatch(text_.begin(), text_.end(), text.begin(), text.end());
  auto shared = static_cast<size_t>(ends.first - text_.begin());
  const auto at =
      std::mismatch(pieces_.begin(), pieces_.end(), pieces.begin(), pieces.end()).second;
  auto piece = std::find_if(pieces.begin(), at,
                            [&](const Matcher::Piece& known) { return known.end > shared; });
  if (chart_.program().has_token_edges())  // equal bytes may then be different tokens
    shared = piece == pieces.begin() ? 0 : (piece - 1)->end;
  chart_.pop(text_.size() - shared);
  const std::string_view rest(text);
  while (shared < text.size()) {
    const bool is_token = chart_.program().has_token_edges() && piece->token;
    const size_t end = chart_.program().has_token_edges() ? piece->end : text.size();
    const std::string_view bytes = rest.substr(shared, end - shared);
    const bool is_read =
        is_token ? chart_.push_token(*piece->token, bytes, vocabulary.is_text(*piece->token))
                 : chart_.push_all(bytes) == bytes.size();
    XG2LAB_ASSERT(is_read, "Chart I3: the chart reads what the table has read");
    shared = end;
    ++piece;
  }
  text_ = text;
  pieces_ = std::move(pieces);
  return chart_;
}

// ---- Entries and provenance ----

std::vector<MaskEntryFacts> Inspector::mask_entries(Matcher& matcher) {
  MaskStore& store = matcher.compiled().masks();
  std::vector<MaskEntryFacts> facts;
  for (EntryKey& key : matcher.configurations().entry_keys(matcher.column())) {
    const MaskEntry& entry = store.entry(key);
    const EntryOrigin origin = store.origin(key);
    const bool is_own = origin.donor == store.grammar();
    const uint64_t n_hits = store.n_hits(key.state);
    facts.push_back({std::move(key), &entry, origin,
                     is_own ? matcher.compiled().name() : store.pool()->name_of(origin.donor),
                     n_hits});
  }
  return facts;
}

std::vector<Provenance> Inspector::provenance(Matcher& matcher) {
  const TokenSets& tokens = matcher.compiled().tokens();
  const Vocabulary& vocabulary = *tokens.vocabulary;
  std::vector<Provenance> codes(vocabulary.n_tokens(), Provenance::kRejected);
  std::vector<uint32_t> accepted(tokens.n_words, 0);
  std::vector<uint32_t> allowed(tokens.n_words, 0);
  if (!matcher.has_stopped()) {
    const FinalMask& mask = matcher.configurations().mask(matcher.column(), nullptr);
    matcher.configurations().write(mask, allowed);
    for (const MaskEntryFacts& facts : mask_entries(matcher)) {
      facts.entry->accepted.add_to(tokens, accepted);
      for (TokenRank rank : facts.entry->uncertain) {
        const TokenId id = vocabulary.token_at(rank);
        codes[id.index()] = test_bit(allowed, id.value) ? Provenance::kUncertainAccepted
                                                        : Provenance::kUncertainRejected;
      }
    }
    // Tokens that an entry accepts are rejected in context if they complete members that may not be
    // matched again.
    for_each_one(accepted, [&](size_t id) {
      codes[id] = test_bit(allowed, id) ? Provenance::kAccepted : Provenance::kUncertainRejected;
    });
  }
  for (size_t id = 0; id < codes.size(); ++id) {
    switch (vocabulary.kind(TokenId(id))) {
      case TokenKind::kSpecial:
        if (!test_bit(allowed, id)) codes[id] = Provenance::kSpecial;
        break;
      case TokenKind::kStop: codes[id] = Provenance::kStopNotLegal; break;
      case TokenKind::kPadding:
      case TokenKind::kEmpty: codes[id] = Provenance::kPadding; break;
      case TokenKind::kText: break;
    }
  }
  const bool may_stop = matcher.is_completed() && !matcher.has_stopped();
  for (TokenId id : matcher.stop_tokens()) {
    codes[id.index()] = may_stop ? Provenance::kStopLegal : Provenance::kStopNotLegal;
  }
  return codes;
}

// ---- Explanation ----

Explanation Inspector::explain_token(Matcher& matcher, int64_t token_id) {
  const Vocabulary& vocabulary = *matcher.compiled().tokens().vocabulary;
  if (token_id < 0 || static_cast<size_t>(token_id) >= vocabulary.n_tokens()) {
    throw Error(
        ErrorKind::kVocabularyError,
        concat("explain: token id ", token_id, " is outside the vocabulary of ",
               vocabulary.n_tokens(), " tokens"),
        vocabulary.n_tokens() == 0
            ? "give the text itself"
            : concat("give an id from 0 to ", vocabulary.n_tokens() - 1, ", or the text itself"));
  }
  Explanation explanation;
  const TokenId id(static_cast<uint32_t>(token_id));
  explanation.token = id;
  explanation.bytes = vocabulary.bytes(id);
  walk(matcher, explanation);
  find_mechanism(matcher, explanation);
  if (explanation.mechanism.starts_with("accepted") ||
      explanation.mechanism.starts_with("rejected")) {
    add_dispatch(explanation);
  }
  return explanation;
}

Explanation Inspector::explain_bytes(Matcher& matcher, std::string_view bytes) {
  Explanation explanation;
  explanation.bytes = bytes;
  walk(matcher, explanation);
  find_mechanism(matcher, explanation);
  if (explanation.mechanism.starts_with("accepted") ||
      explanation.mechanism.starts_with("rejected")) {
    add_dispatch(explanation);
  }
  return explanation;
}

void Inspector::walk(const Matcher& matcher, Explanation& explanation) {
  chart(matcher);
  explanation.first_tokens = expected_tokens();
  explanation.first_has_bytes = std::ranges::any_of(chart_.last(), [this](const ChartItem& entry) {
    return !chart_.program().terminals(entry.item.state).empty();
  });
  explanation.is_taken_whole = is_taken_whole(matcher, explanation);
  ColumnId at = matcher.column();  // the table, unlike the chart, tracks max_tokens
  const size_t n_read = explanation.is_taken_whole ? push_token(matcher, explanation)
                                                   : push_bytes(matcher, explanation, at);
  add_continuation(matcher, explanation, at);
  chart_.pop(n_read);
  if (explanation.is_over_budget) explanation.limits = budget_sentences(matcher, chart_);
}

// Whether a token edge consumes the token, whatever its bytes.
bool Inspector::is_taken_whole(const Matcher& matcher, const Explanation& explanation) const {
  if (!explanation.token) return false;
  const TokenId token = *explanation.token;
  const bool is_taken = !matcher.is_stop_token(token) && chart_.takes(token) &&
                        test_bit(matcher.compiled().tokens().by_id_words, token.value);
  if (!is_taken || !chart_.program().has_budgets()) return is_taken;
  return matcher.column_after(matcher.column(), token) != kDead;
}

// Pushes the token onto the chart. Returns the number of columns pushed, one for each byte.
size_t Inspector::push_token(const Matcher& matcher, Explanation& explanation) {
  const size_t first = chart_.n_bytes() + 1;
  const size_t n_read = explanation.bytes.size();
  const TokenId token = *explanation.token;
  const bool is_text = matcher.compiled().tokens().vocabulary->is_text(token);
  chart_.push_token(token, explanation.bytes, is_text);
  for (size_t i = 0; i < n_read; ++i) {
    const auto byte = static_cast<uint8_t>(explanation.bytes[i]);
    explanation.walk.push_back({byte, items_of(chart_.column(first + i))});
  }
  return n_read;
}

// Pushes bytes onto the chart until the parse dies in the table. Returns the number of bytes
// pushed; `at` becomes the column after them.
size_t Inspector::push_bytes(const Matcher& matcher, Explanation& explanation, ColumnId& at) {
  ColumnTable& table = matcher.configurations().table();
  size_t n_read = 0;
  for (char c : explanation.bytes) {
    const auto byte = static_cast<uint8_t>(c);
    const ColumnId next = table.step(at, byte);
    const bool is_read = chart_.push(byte);
    if (next == kDead) {
      explanation.died_at = n_read;
      explanation.walk.push_back({byte, {}});
      explanation.is_over_budget = is_read;
      if (is_read) chart_.pop(1);
      break;
    }
    at = next;
    ++n_read;
    explanation.walk.push_back({byte, items_of(chart_.last())});
  }
  return n_read;
}

// Adds the bytes that may follow the chart's last column, and their limits. `at`: the column in the
// table, which lacks items whose rules are over their budgets.
void Inspector::add_continuation(const Matcher& matcher, Explanation& explanation, ColumnId at) {
  const Program& program = chart_.program();
  ColumnTable& table = matcher.configurations().table();
  std::vector<ByteRange> expected;
  for (const ChartItem& entry : chart_.last()) {
    const Item& item = entry.item;
    if (program.has_budgets() && !explanation.is_taken_whole &&
        !has_state(table.items(at), item.state))
      continue;
    add_limits(item, explanation);
    const std::string where = dispatch_text(program, item.state).where;
    auto& known = explanation.dispatch;
    if (!where.empty() && std::ranges::find(known, where) == known.end()) known.push_back(where);
    bool is_expecting = false;
    for (const TerminalEdge& edge : program.terminals(item.state)) {
      if (!chart_.count_sets().is_open(edge.to, item.counts)) continue;
      expected.push_back(edge.range);
      is_expecting = true;
    }
    if (is_expecting) explanation.expected_by.push_back(item);
  }
  explanation.expected = union_of(std::move(expected));
  explanation.expected_tokens = expected_tokens();
}

// The bounds of counted and any-order rules that the item is at.
void Inspector::add_limits(const Item& item, Explanation& explanation) const {
  const Program& program = chart_.program();
  auto& limits = explanation.limits;
  if (program.repetition(item.state) != nullptr) {
    explanation.counted.push_back(item);
    const std::string limit =
        limit_text(program.rule(program.rule_of(item.state)), chart_.counts(item));
    if (!limit.empty()) limits.push_back(limit);
  }
  if (program.kind(item.state) == StateKind::kAnyOrder) explanation.counted.push_back(item);
  const std::string limit = members_limit(item);
  if (!limit.empty() && std::ranges::find(limits, limit) == limits.end()) limits.push_back(limit);
}

// How the members matched so far restrict the continuation; nothing if they don't.
std::string Inspector::members_limit(const Item& item) const {
  const Program& program = chart_.program();
  RuleId any_order = program.rule_of(item.state);
  if (program.kind(item.state) == StateKind::kMember && program.has_choice_of_members(item.state))
    any_order = program.rule(any_order).members->any_order;
  else if (program.kind(item.state) != StateKind::kAnyOrder) return "";
  return members_text(program.rule(any_order), chart_.count_sets().members(item.state),
                      item.counts.word);
}

std::vector<ExpectedToken> Inspector::expected_tokens() const {
  const Program& program = chart_.program();
  std::vector<ExpectedToken> found;
  for (const ChartItem& entry : chart_.last()) {
    for (const CallEdge& edge : program.calls(entry.item.state)) {
      if (!program.rule(edge.rule).tokens) continue;
      if (!chart_.count_sets().is_open(edge.to, entry.item.counts)) continue;
      const auto spans = program.spans(edge.origins);
      found.push_back({edge.rule, entry.item, {spans.begin(), spans.end()}});
    }
    // The root of a deserialized program may be a token rule, which no rule calls.
    const RuleId own = program.rule_of(entry.item.state);
    if (own == program.root() && program.is_before_token(entry.item.state))
      found.push_back({own, entry.item, {program.rule(own).span}});
  }
  return found;
}

// The position within a trigger after the last byte read.
void Inspector::add_dispatch(Explanation& explanation) const {
  for (const std::string& where : explanation.dispatch) {
    explanation.reason += explanation.died_at ? " The text before that is " : " Then the text is ";
    explanation.reason += where + ".";
  }
}

bool Inspector::explain_token_edge(Matcher& matcher, Explanation& explanation) const {
  const Program& program = chart_.program();
  const Vocabulary& vocabulary = *matcher.compiled().tokens().vocabulary;
  const TokenId token = *explanation.token;
  const bool is_text = vocabulary.is_text(token);
  std::vector<ExpectedToken> edges;
  for (const ExpectedToken& edge : explanation.first_tokens) {
    if (program.rule(edge.token_rule).tokens->holds(token) == explanation.is_taken_whole)
      edges.push_back(edge);
  }
  const bool is_refused =
      !explanation.is_taken_whole && !edges.empty() &&
      (is_text ? !explanation.first_has_bytes : vocabulary.kind(token) == TokenKind::kSpecial);
  if (!explanation.is_taken_whole && !is_refused) return false;
  explanation.is_allowed = explanation.is_taken_whole;
  explanation.entry =
      EntryKey{program.rule(edges.front().token_rule).start(), edges.front().token_rule, {}};
  if (is_refused) {
    explanation.mechanism = "rejected_by_token_edge";
    explanation.reason =
        concat(is_text ? "Only a whole token may come next" : "A special token is taken whole",
               ", and this one is not taken by ", edges_text(program, edges), ".");
    return true;
  }
  explanation.mechanism = "accepted_by_token_edge";
  explanation.reason =
      "The token is taken whole, whatever its bytes, by " + edges_text(program, edges) + ".";
  Configurations& configurations = matcher.configurations();
  if (is_text && configurations.walk(matcher.column(), explanation.bytes) != kDead)
    explanation.reason += " Its bytes may come next as well.";
  return true;
}

// ---- Mechanism: the first of these that decides is the one that is named ----

namespace {

// The end of the walk in words: where the parse dies and what was expected there.
struct WalkEnd {
  std::string died;  // "byte 2 of 3 (x)"; empty: the parse lives
  std::string expected;

  WalkEnd(const Program& program, const Explanation& explanation)
      : expected(expected_text(program, explanation)) {
    if (expected.empty()) expected = "the end of the text";
    if (!explanation.died_at) return;
    const size_t at = *explanation.died_at;
    died = concat("byte ", at + 1, " of ", explanation.bytes.size(), " (",
                  byte_text(static_cast<uint8_t>(explanation.bytes[at])), ")");
  }
  std::string text() const { return concat("It breaks at ", died, ": expected ", expected, "."); }
};

void decide(Explanation& explanation, bool is_allowed, const char* mechanism, std::string reason) {
  explanation.is_allowed = is_allowed;
  explanation.mechanism = mechanism;
  explanation.reason = std::move(reason);
  const bool is_of_text = explanation.died_at || mechanism == std::string_view("stop_not_legal");
  if (is_allowed || !is_of_text) return;
  for (const std::string& limit : explanation.limits) explanation.reason += " " + limit;
}

// Whether the token's kind alone forbids it.
bool is_decided_by_kind(TokenKind kind, Explanation& explanation) {
  const auto forbid = [&](const char* mechanism, const char* reason) {
    decide(explanation, false, mechanism, reason);
    return true;
  };
  switch (kind) {
    case TokenKind::kPadding:
      return forbid("padding", "The id is padding: the tokenizer has no token there.");
    case TokenKind::kSpecial:
    case TokenKind::kStop: return forbid("special_token", "A special token never matches as text.");
    case TokenKind::kEmpty:
      return forbid("empty_token", "The token has no bytes, so the text would stay the same.");
    case TokenKind::kText: break;
  }
  return false;
}

}  // namespace

// The verdicts of the column's mask entries on a text token: for each verdict, the last entry that
// gives it.
struct Inspector::EntryAnswers {
  std::optional<EntryKey> first;      // the first entry examined
  std::optional<EntryKey> inside;     // the whole token stays within the rule, in every context
  std::optional<EntryKey> closed;     // it would, but needs a member that may not be matched here
  std::optional<EntryKey> uncertain;  // the entry leaves the token to the rule's callers
  std::optional<EntryKey> left;       // the rule could end within the token
};

void Inspector::find_mechanism(Matcher& matcher, Explanation& explanation) {
  const WalkEnd end(chart_.program(), explanation);
  if (matcher.has_stopped()) {
    return decide(explanation, false, "terminated",
                  "A stop token has ended this text; nothing may follow.");
  }
  if (!explanation.token) {
    return explanation.died_at ? decide(explanation, false, "rejected_bytes", end.text())
                               : decide(explanation, true, "accepted_bytes",
                                        quoted_bytes(explanation.bytes) + " may come next.");
  }
  const TokenId token = *explanation.token;
  if (matcher.is_stop_token(token)) {
    return matcher.is_completed()
               ? decide(explanation, true, "stop_legal",
                        "The text is complete, so the stop token may end it.")
               : decide(explanation, false, "stop_not_legal",
                        concat("The text is not complete yet, so the stop token may not end it: ",
                               end.expected, " must follow."));
  }
  if (explain_token_edge(matcher, explanation)) return;
  const Vocabulary& vocabulary = *matcher.compiled().tokens().vocabulary;
  if (is_decided_by_kind(vocabulary.kind(token), explanation)) return;
  if (explanation.is_over_budget) {
    return decide(explanation, false, "rejected_by_budget", end.text());
  }
  decide_by_entries(ask_entries(matcher, explanation), explanation);
}

Inspector::EntryAnswers Inspector::ask_entries(Matcher& matcher, const Explanation& explanation) {
  const Program& program = chart_.program();
  ColumnTable& table = matcher.configurations().table();
  const TokenRank rank = *matcher.compiled().tokens().vocabulary->rank_of(*explanation.token);
  EntryAnswers answers;
  for (const MaskEntryFacts& facts : mask_entries(matcher)) {
    if (!answers.first) answers.first = facts.key;
    if (holds(*facts.entry, rank)) answers.uncertain = facts.key;
    ColumnId inside = inside_of(table, facts.key);
    for (char byte : explanation.bytes) {
      inside = table.step(inside, static_cast<uint8_t>(byte));
      if (inside == kDead) break;
      if (table.at(inside).is_complete) answers.left = facts.key;
    }
    if (inside == kDead) continue;
    if (program.has_choice_of_members(facts.key.state)) answers.closed = facts.key;
    if (explanation.died_at) continue;
    answers.inside = facts.key;
    break;
  }
  return answers;
}

void Inspector::decide_by_entries(const EntryAnswers& answers, Explanation& explanation) const {
  const bool lives = !explanation.died_at.has_value();
  const WalkEnd end(chart_.program(), explanation);
  const auto decide_by = [&](const std::optional<EntryKey>& entry, bool is_allowed,
                             const char* mechanism, std::string reason) {
    explanation.entry = entry;
    decide(explanation, is_allowed, mechanism, std::move(reason));
  };
  const auto rule_of = [&](const std::optional<EntryKey>& entry) -> const std::string& {
    return chart_.program().rule(entry->rule).name;
  };
  if (answers.inside) {
    decide_by(answers.inside, true, "accepted_by_cache",
              concat("The whole token stays within rule ", rule_of(answers.inside),
                     ", so its mask entry accepts it in every context."));
  } else if (answers.closed) {
    decide_by(answers.closed, false, "rejected_by_parent_check",
              concat("It begins a member that is not allowed here: it breaks at ", end.died,
                     ", expected ", end.expected, "."));
  } else if (answers.uncertain && lives) {
    decide_by(answers.uncertain, true, "accepted_by_parent_check",
              concat("Rule ", rule_of(answers.uncertain),
                     " ends within the token, and its caller reads the rest."));
  } else if (answers.uncertain) {
    decide_by(answers.uncertain, false, "rejected_by_parent_check",
              concat("Rule ", rule_of(answers.uncertain),
                     " may end within the token, but here the rest breaks at ", end.died,
                     ": expected ", end.expected, "."));
  } else if (answers.left && lives) {
    decide_by(answers.left, true, "accepted_by_cache",
              concat("Rule ", rule_of(answers.left),
                     " ends within the token, and its only caller reads the rest."));
  } else if (answers.left) {
    decide_by(answers.left, false, "rejected_by_lookahead",
              concat("Rule ", rule_of(answers.left),
                     " may end within the token, but no caller can read the rest: it breaks at ",
                     end.died, ", expected ", end.expected, "."));
  } else {
    decide_by(answers.first, false, "rejected_by_cache", end.text());
  }
}

}  // namespace xg2lab
