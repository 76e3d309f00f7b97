// Inspection of a matcher: its chart, its mask entries, why a token is or isn't allowed.
//
// Tests: tests/core/test_inspect.py
//
// IDEA
//   Everything a view shows is asked for here, after the fact: the decode path records nothing. The inspector
//   keeps a chart by position beside the matcher and brings it up to date when asked: texts usually
//   grow at the end, so that is a few bytes' work.
//
// EXAMPLE   Under `root ::= item ","; item ::= [0-9]+` after "1": the token "2," is accepted by the parent check, "2x" is
//           rejected by lookahead: `item` could end before "x", and no caller goes on with it.
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

// One code for each token id, by which views colour the vocabulary.
enum class Provenance : uint8_t {
  kRejected = 0,
  kAccepted = 1,
  kUncertainAccepted = 2,
  kUncertainRejected = 3,
  kSpecial = 4,
  kStopLegal = 5,
  kStopNotLegal = 6,
  kPadding = 7,  // nothing to write: an id without a token, or a token without bytes
};

struct MaskEntryFacts {
  EntryPlace place;
  const MaskEntry* entry;
  EntryOrigin origin;
  std::string donor_name;
  uint64_t n_hits;
};

struct WalkStep {
  uint8_t byte;
  std::vector<Item>
      items;  // of the column after the byte; empty: it died here. origins are positions
};

// A token edge that may be crossed, and the item that stands before it in a rule of the grammar.
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
  std::vector<ByteRange> expected;  // before the byte it died at, or after the last
  std::vector<Item> expected_by;
  std::vector<ExpectedToken> expected_tokens;  // at the same place
  std::vector<ExpectedToken> first_tokens;     // before the first byte
  bool first_has_bytes = false;                // there a byte may come, too
  bool is_taken_whole = false;                 // by a token edge
  std::vector<Item> counted;                   // items of counted rules in that same column
  std::vector<std::string> limits;             // sentences: which of them are at a bound
  bool is_over_budget = false;        // only max_tokens forbids it; limits say of which rules
  std::optional<EntryPlace> entry;    // the mask entry that decided
  std::vector<std::string> dispatch;  // how far triggers are read there (dispatch_text.h)
};

// What may come where the explanation ends, in words: "a", Token(5). Empty: nothing.
std::string expected_text(const Program& program, const Explanation& explanation);

class Inspector {
 public:
  explicit Inspector(const Matcher& matcher);

  // The chart of the matcher's text, brought up to date.
  const Chart& chart(const Matcher& matcher);
  std::vector<Provenance> provenance(Matcher& matcher);
  std::vector<MaskEntryFacts> mask_entries(Matcher& matcher);
  Explanation explain_token(Matcher& matcher, int64_t token_id);
  Explanation explain_bytes(Matcher& matcher, std::string_view bytes);

 private:
  void walk(const Matcher& matcher, Explanation& explanation);
  void find_mechanism(Matcher& matcher, Explanation& explanation);
  // Whether a token edge decides of the token; then it is explained.
  bool explain_token_edge(Matcher& matcher, Explanation& explanation) const;
  std::vector<ExpectedToken> expected_tokens() const;
  std::string members_limit(const Item& item) const;
  void add_dispatch(Explanation& explanation) const;

  Chart chart_;
  std::string text_;  // what chart_ has read
  std::vector<Matcher::Piece> pieces_;
};

}  // namespace xg2lab
