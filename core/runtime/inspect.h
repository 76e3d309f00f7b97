// Inspection of a matcher: its chart, its mask entries, and why a token is or isn't allowed.
//
// Tests: tests/core/test_inspect.py
//
// IDEA
//   Views compute everything from here on demand: the decode path records nothing. The inspector
//   keeps a chart, indexed by position, next to the matcher, and extends it on request: since texts
//   usually grow at the end, this reads only the few new bytes.
//
// EXAMPLE   Under `root ::= item ","; item ::= [0-9]+` after "1": the token "2," is accepted by the
//           parent check; "2x" is rejected by lookahead: `item` could end before "x", but no caller
//           continues with "x".
//
// COST      explain: O(bytes) chart columns. provenance: one pass over the vocabulary.
// THREADS   as the matcher's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parse/chart.h"
#include "runtime/labels.h"
#include "runtime/matcher.h"

namespace xg2lab {

// One code for each token id, which views map to colours. xg2lab/provenance.py names the same
// codes.
enum class Provenance : uint8_t {
  kRejected = 0,
  kAccepted = 1,
  kUncertainAccepted = 2,
  kUncertainRejected = 3,
  kSpecial = 4,
  kStopLegal = 5,
  kStopNotLegal = 6,
  kPadding = 7,  // not allowed by kind: an id without a token, or a token without bytes
};

struct MaskEntryFacts {
  EntryKey key;
  const MaskEntry* entry;
  EntryOrigin origin;
  std::string donor_name;
  uint64_t n_hits;
};

struct WalkStep {
  uint8_t byte;
  std::vector<Item>
      items;  // of the column after the byte, with origins as positions; empty: the parse died here
};

// A token edge that may be consumed, and the item before it in a rule of the grammar.
struct ExpectedToken {
  RuleId token_rule;
  Item item;
  std::vector<SourceSpan> spans;
};

struct Explanation {
  std::optional<TokenId> token;
  std::string bytes;
  bool is_allowed = false;
  std::string mechanism;
  std::string reason;
  std::optional<size_t> died_at;  // index of the byte
  std::vector<WalkStep> walk;
  // before the byte at which the parse died, or after the last byte
  std::vector<ByteRange> expected;
  std::vector<Item> expected_by;
  std::vector<ExpectedToken> expected_tokens;  // at the same position
  std::vector<ExpectedToken> first_tokens;     // before the first byte
  bool first_has_bytes = false;                // a byte is possible there, too
  bool is_taken_whole = false;                 // consumed whole, by a token edge
  std::vector<Item> counted;                   // items of counted rules in that column
  std::vector<std::string> limits;             // sentences: which of these items are at a bound
  bool is_over_budget = false;        // forbidden only by max_tokens; `limits` name the rules
  std::optional<EntryKey> entry;      // the mask entry that decided
  std::vector<std::string> dispatch;  // how much of each trigger has been read (dispatch_text.h)
};

// The possible continuations at the explanation's end, as text: "a", Token(5). Empty: none.
std::string expected_text(const Program& program, const Explanation& explanation);

class Inspector {
 public:
  explicit Inspector(const Matcher& matcher);

  // The chart of the matcher's text, extended to its end.
  const Chart& chart(const Matcher& matcher);
  std::vector<Provenance> provenance(Matcher& matcher);
  std::vector<MaskEntryFacts> mask_entries(Matcher& matcher);
  Explanation explain_token(Matcher& matcher, int64_t token_id);
  Explanation explain_bytes(Matcher& matcher, std::string_view bytes);

 private:
  // Reads the explanation's bytes, or its token, in the chart; takes them back at the end.
  void walk(const Matcher& matcher, Explanation& explanation);
  bool is_taken_whole(const Matcher& matcher, const Explanation& explanation) const;
  size_t push_token(const Matcher& matcher, Explanation& explanation);
  size_t push_bytes(const Matcher& matcher, Explanation& explanation, ColumnId& at);
  void add_continuation(const Matcher& matcher, Explanation& explanation, ColumnId at);
  void add_limits(const Item& item, Explanation& explanation) const;
  void find_mechanism(Matcher& matcher, Explanation& explanation);
  struct EntryAnswers;
  EntryAnswers ask_entries(Matcher& matcher, const Explanation& explanation);
  void decide_by_entries(const EntryAnswers& answers, Explanation& explanation) const;
  // Whether a token edge decides about the token; if so, completes the explanation.
  bool explain_token_edge(Matcher& matcher, Explanation& explanation) const;
  std::vector<ExpectedToken> expected_tokens() const;
  std::string members_limit(const Item& item) const;
  void add_dispatch(Explanation& explanation) const;

  Chart chart_;
  std::string text_;  // the text that chart_ has read
  std::vector<Matcher::Piece> pieces_;
};

}  // namespace xg2lab
