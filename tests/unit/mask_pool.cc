// mask/pool/mask_pool.h: what one grammar leaves there and another finds, within a bound of bytes.
#include "mask/pool/mask_pool.h"

#include <string>
#include <utility>

#include "unit/fixture.h"

namespace xg2lab {
namespace {

using unit::kNoLimit;
using unit::program_of;
using unit::rule_named;

constexpr int64_t kUnbounded = -1;

std::shared_ptr<const TokenSets> any_tokens() {
  static const auto made = unit::tokens_of({"a", "b", "]", ">"});
  return made;
}

// A grammar as a user of the pool: its rule `item`, up to structure, and who it is.
struct User {
  User(MaskPool& pool, const std::string& grammar)
      : program(program_of(grammar)),
        rule(rule_named(*program, "item")),
        structure(*program, pool.structures()),
        id(next_grammar_id()) {
    pool.add_grammar(id, grammar);
  }
  PoolKey key(uint32_t state = 0) { return {structure.rule(rule), state, true}; }
  PoolLookup find(MaskPool& pool, uint32_t state = 0) {
    return pool.find(key(state), *program, rule, id);
  }
  void add(MaskPool& pool, PoolOffer offer, uint32_t state = 0) {
    pool.add(key(state), std::move(offer), *program, rule, id, nullptr);
    pool.check_invariants();
  }
  // What a walk sees that reads every byte right behind the rule.
  std::optional<Beyond> one_byte_beyond() const {
    ColumnTable table(program, kNoLimit);
    const ColumnId column = table.beyond(rule);
    BeyondSteps steps;
    for (uint32_t byte = 0; byte < 256; ++byte) {
      table.step(column, static_cast<uint8_t>(byte));
      steps.from(column).set(byte);
    }
    return Beyond::of(table, rule, steps);
  }

  std::shared_ptr<const Program> program;
  RuleId rule;
  ProgramStructure structure;
  GrammarId id;
};

// An entry of some bytes; `asks_callers`: whether tokens outlive the rule.
PoolOffer offer_of(bool asks_callers, size_t n_uncertain = 0) {
  InsidePart inside;
  if (asks_callers) inside.return_nodes = {1};
  MaskEntry entry;
  entry.uncertain.resize(n_uncertain);
  return {std::make_shared<const InsidePart>(std::move(inside)),
          std::make_shared<const MaskEntry>(std::move(entry)), std::nullopt};
}

TEST_CASE("MaskPool: nobody has met the rule: a miss, on the user's account") {
  MaskPool pool(any_tokens(), kUnbounded);
  User user(pool, R"(root ::= "[" item "]"   item ::= [a-z]+)");
  const PoolLookup found = user.find(pool);
  CHECK(found.inside == nullptr);
  CHECK(found.entry == nullptr);
  CHECK(pool.statistics().n_misses == 1);
  CHECK(pool.by_grammar().front().n_built == 1);
  pool.check_invariants();
}

TEST_CASE("MaskPool: an entry that asks no caller is everyone's who has the rule: a perfect hit") {
  MaskPool pool(any_tokens(), kUnbounded);
  User donor(pool, R"(root ::= "[" item "]"   item ::= [a-z]+)");
  User user(pool, R"(root ::= x | item "," item   x ::= "y"   item ::= [a-z]+)");
  const PoolOffer offer = offer_of(false);
  donor.add(pool, offer);
  const PoolLookup found = user.find(pool);
  CHECK(found.entry == offer.entry);
  CHECK(found.inside == offer.inside);
  CHECK(found.donor == donor.id);
  CHECK(pool.statistics().n_perfect_hits == 1);
  CHECK(pool.by_grammar()[0].n_given == 1);
  CHECK(pool.by_grammar()[1].n_perfect_hits == 1);
}

TEST_CASE("MaskPool: the same rule among other callers: a partial hit, the inside alone") {
  MaskPool pool(any_tokens(), kUnbounded);
  User donor(pool, R"(root ::= "[" item "]"   item ::= [a-z]+)");
  User user(pool, R"(root ::= "[" item ">"   item ::= [a-z]+)");
  PoolOffer offer = offer_of(true);
  offer.beyond = donor.one_byte_beyond();
  REQUIRE(offer.beyond.has_value());
  const auto inside = offer.inside;
  donor.add(pool, std::move(offer));
  const PoolLookup found = user.find(pool);
  CHECK(found.inside == inside);
  CHECK(found.entry == nullptr);
  CHECK(found.donor == donor.id);
  CHECK(pool.statistics().n_partial_hits == 1);
}

TEST_CASE(
    "MaskPool: the same rule among callers that look the same: a perfect hit, whatever lies "
    "further") {
  for (const bool has_weak_hashes : {false, true}) {
    MaskPool pool(any_tokens(), kUnbounded, has_weak_hashes);
    User donor(pool, R"(root ::= "[" item "]" "a"   item ::= [a-z]+)");
    User near(pool, R"(root ::= "<" item "]" "b"   item ::= [a-z]+)");
    User far(pool, R"(root ::= "[" item ("]" | ">") "a"   item ::= [a-z]+)");
    PoolOffer offer = offer_of(true);
    offer.beyond = donor.one_byte_beyond();
    const auto entry = offer.entry;
    donor.add(pool, std::move(offer));
    CHECK(near.find(pool).entry == entry);
    CHECK(far.find(pool).entry == nullptr);
    CHECK(far.find(pool).inside != nullptr);
  }
}

TEST_CASE("MaskPool: another rule, another state or another kind of walk is another key") {
  for (const bool has_weak_hashes : {false, true}) {
    MaskPool pool(any_tokens(), kUnbounded, has_weak_hashes);
    User donor(pool, R"(root ::= "[" item "]"   item ::= [a-z]+)");
    User other(pool, R"(root ::= "[" item "]"   item ::= [a-y]+)");
    donor.add(pool, offer_of(false));
    CHECK(other.find(pool).inside == nullptr);
    CHECK(donor.find(pool, 1).inside == nullptr);
    PoolKey plain = donor.key();
    plain.is_expanded = false;
    CHECK(pool.find(plain, *donor.program, donor.rule, donor.id).inside == nullptr);
    CHECK(donor.find(pool).inside != nullptr);
  }
}

TEST_CASE(
    "MaskPool: an entry that asks callers, and doesn't say what it saw, leaves its inside alone") {
  MaskPool pool(any_tokens(), kUnbounded);
  User donor(pool, R"(root ::= "[" item "]"   item ::= [a-z]+)");
  donor.add(pool, offer_of(true));
  CHECK(donor.find(pool).entry == nullptr);
  CHECK(donor.find(pool).inside != nullptr);
  CHECK(pool.statistics().n_entries == 0);
}

TEST_CASE("MaskPool I1: the bytes never pass the bound, and what was used last stays") {
  constexpr int64_t kBound = 20'000;
  MaskPool pool(any_tokens(), kBound);
  User user(pool, R"(root ::= "[" item "]"   item ::= [a-z]+)");
  user.add(pool, offer_of(false, 1000), 0);
  for (uint32_t state = 1; state < 20; ++state) {
    user.add(pool, offer_of(false, 1000), state);
    CHECK(pool.statistics().size_bytes <= static_cast<size_t>(kBound));
    CHECK(user.find(pool, 0).entry != nullptr);  // asked for each time, so never the oldest
  }
  CHECK(pool.statistics().n_evictions > 0);
  CHECK(pool.statistics().n_states + pool.statistics().n_evictions == 20);
  CHECK(user.find(pool, 1).inside == nullptr);
}

TEST_CASE("MaskPool: what is evicted lives on with those who found it, and no longer counts") {
  MaskPool pool(any_tokens(), 10'000);
  User user(pool, R"(root ::= "[" item "]"   item ::= [a-z]+)");
  user.add(pool, offer_of(false, 1000), 0);
  const PoolLookup found = user.find(pool, 0);
  REQUIRE(found.entry != nullptr);
  user.add(pool, offer_of(false, 100'000), 1);  // more than the bound by itself
  CHECK(pool.statistics().size_bytes == 0);
  CHECK(pool.statistics().n_evictions == 2);
  CHECK(found.entry->uncertain.size() == 1000);
}

TEST_CASE("MaskPool: of one state at most 32 contexts are kept") {
  MaskPool pool(any_tokens(), kUnbounded);
  User user(pool, R"(root ::= "[" item "]"   item ::= [a-z]+)");
  for (size_t i = 0; i < 40; ++i) user.add(pool, offer_of(false, i));
  CHECK(pool.statistics().n_entries == 32);
  CHECK(user.find(pool).entry->uncertain.size() == 39);  // the newest first
}

TEST_CASE("MaskPool: cleared, it has no bytes and no entries, and hits of before still count") {
  MaskPool pool(any_tokens(), kUnbounded);
  User user(pool, R"(root ::= "[" item "]"   item ::= [a-z]+)");
  user.add(pool, offer_of(false, 10));
  user.find(pool);
  pool.clear();
  pool.check_invariants();
  CHECK(pool.statistics().size_bytes == 0);
  CHECK(pool.statistics().n_states == 0);
  CHECK(pool.statistics().n_perfect_hits == 1);
  CHECK(user.find(pool).inside == nullptr);
}

TEST_CASE("MaskPool: accounts are kept of the last 1,024 grammars, by their numbers") {
  MaskPool pool(any_tokens(), kUnbounded);
  const GrammarId first = next_grammar_id();
  pool.add_grammar(first, "first");
  CHECK(pool.name_of(first) == "first");
  GrammarId last = first;
  for (size_t i = 0; i < 1024; ++i) pool.add_grammar(last = next_grammar_id(), "later");
  CHECK(pool.name_of(first).empty());
  CHECK(pool.by_grammar().size() == 1024);
  CHECK(pool.by_grammar().back().id == last);
  pool.count_built(last);
  pool.count_background(last);
  CHECK(pool.by_grammar().back().n_built == 1);
  CHECK(pool.by_grammar().back().n_background == 1);
}

}  // namespace
}  // namespace xg2lab
