// mask/text/home.h, mask/text/text_chain.h: where text changes nothing, or changes it alike.
#include "mask/text/home.h"

#include "mask/text/text_chain.h"
#include "unit/fixture.h"

namespace xg2lab {
namespace {

using unit::column_after;
using unit::kNoLimit;
using unit::program_of;

constexpr size_t kLongest = 3;  // characters of a token

// Words of text, as real vocabularies have most; a few tokens that end or break it.
const TokenSets& text_tokens() {
  static const auto made = [] {
    std::vector<std::string> tokens = unit::words_over("abcdefgh ", kLongest);
    for (const char* other :
         {"\"", "\",", "\\", "\\n", "é", "éa", "\xFF", "\xC3", "a\"", "0", "12"})
      tokens.emplace_back(other);
    return unit::tokens_of(tokens);
  }();
  return *made;
}

// Tokens that are digits, nearly all of them.
const TokenSets& digit_tokens() {
  static const auto made = [] {
    std::vector<std::string> tokens = unit::words_over("01234567", kLongest);
    for (const char* other : {"a", " ", "ab", "\""}) tokens.emplace_back(other);
    return unit::tokens_of(tokens);
  }();
  return *made;
}

struct Walk {
  explicit Walk(const char* grammar) : table(program_of(grammar), kNoLimit) {}
  std::optional<Home> home_from(const char* text, const TokenSets& tokens = text_tokens()) {
    return homes.find(table, tokens, column_after(table, text));
  }
  std::optional<TextChain> chain_from(const char* text, const TokenSets& tokens = text_tokens()) {
    return find_text_chain(table, tokens, column_after(table, text), MaskCosts());
  }

  ColumnTable table;
  Homes homes{MaskCosts()};
};

constexpr const char* kString = R"(root ::= "\"" ([^"\\] | "\\" [n"])* "\"")";

// ---- Homes ----

TEST_CASE("Home: the inside of a string is one, and what ends or escapes it leads elsewhere") {
  Walk walk(kString);
  const auto home = walk.home_from("\"");
  REQUIRE(home.has_value());
  CHECK(home->column() == column_after(walk.table, "\"abc"));
  CHECK(home->is_on_the_way(home->column()));
  for (const char* text : {"a", " ", "é", "😀"}) {
    const auto first = static_cast<uint8_t>(text[0]);
    CHECK(home->begins(first));
    CHECK(home->after(first) == walk.table.step(home->column(), first));
    CHECK(home->is_on_the_way(home->after(first)));
    CHECK(column_after(walk.table, home->column(), text) == home->column());
  }
  for (const uint8_t byte : {'"', '\\'}) {
    CHECK_FALSE(home->begins(byte));
    CHECK_FALSE(home->first_bytes()[byte]);
    CHECK(home->after(byte) == kDead);
  }
  CHECK_FALSE(home->may_end());
}

TEST_CASE("Home: its first bytes are those of the characters that all lead back, by definition") {
  Walk walk(R"(root ::= "\"" ([^"\\é] | "é" "z")* "\"")");
  const auto home = walk.home_from("\"");
  REQUIRE(home.has_value());
  for (uint32_t byte = 0; byte < 0x80; ++byte) {
    const bool leads_back =
        walk.table.step(home->column(), static_cast<uint8_t>(byte)) == home->column();
    CHECK(home->first_bytes()[byte] == leads_back);
  }
  CHECK_FALSE(home->first_bytes()[0xC3]);  // é begins with it, and leads elsewhere
  CHECK(home->first_bytes()[0xC4]);
  CHECK_FALSE(home->first_bytes()[0x80]);  // no character begins with it
  CHECK(characters_leading_home(walk.table, home->column()) == home->first_bytes());
}

TEST_CASE("Home: characters lead back where each of them ends a rule that is called again") {
  // In the column of `part*` no item stays within its rule over a letter: `part` is complete, and
  // the root, which waits here, calls it again.
  Walk walk(R"x(root ::= part*   part ::= [^"()] | "(" part* ")")x");
  const auto home = walk.home_from("");
  REQUIRE(home.has_value());
  CHECK(home->column() == walk.table.start());
  CHECK(home->begins('a'));
  CHECK_FALSE(home->begins('('));
}

TEST_CASE("Home: a column outside the text may lead to one by its first character") {
  Walk walk(R"(root ::= [a-z] [^<]* "<")");
  const auto home = walk.home_from("");
  REQUIRE(home.has_value());
  CHECK(home->column() == column_after(walk.table, "ab"));
  CHECK(home->begins('a'));
  CHECK_FALSE(home->begins(' '));  // not from here, but from home
  CHECK(home->first_bytes()[' ']);
}

TEST_CASE("Home: where the goal may end among the text, the home says so") {
  Walk free(R"(root ::= [^<]*)");
  CHECK(free.home_from("")->may_end());
  CHECK_FALSE(free.home_from("")->may_end_within());
  Walk open(R"(root ::= [^<]* "<")");
  CHECK_FALSE(open.home_from("")->may_end());
}

TEST_CASE("Home: none for digits, nor where two characters make a round, nor at a text's end") {
  CHECK_FALSE(Walk("root ::= [0-9]+").home_from("").has_value());
  CHECK_FALSE(Walk("root ::= ([^<] [^<])*").home_from("").has_value());
  CHECK_FALSE(Walk("root ::= [^<]* \"<\"").home_from("<").has_value());
  CHECK_FALSE(Walk("root ::= [^<]{0,9}").home_from("").has_value());
}

TEST_CASE("Home: none where most of the vocabulary leads elsewhere") {
  CHECK(Walk("root ::= [a-z ]*").home_from("").has_value());
  CHECK_FALSE(Walk("root ::= [a-z ]*").home_from("", digit_tokens()).has_value());
}

TEST_CASE("Home: what walks found out stays with the home, not with the walk") {
  Walk walk(kString);
  auto first = walk.home_from("\"");
  CHECK_FALSE(first->is_met_again());
  auto second = walk.home_from("\"a");
  CHECK(second->column() == first->column());
  CHECK(second->is_met_again());
  CHECK(second->has_few_exits());
  second->give_up();
  CHECK_FALSE(first->is_given_up());  // with few exits walks are worth it
}

// ---- Chains ----

TEST_CASE("TextChain: every character leads to the same next column, as far as tokens reach") {
  Walk walk(R"(root ::= "\"" [^"\\]{0,20} "\"")");
  const auto chain = walk.chain_from("\"");
  REQUIRE(chain.has_value());
  CHECK(chain->length() == kLongest);
  CHECK(chain->after(0) == column_after(walk.table, "\""));
  for (const char* text : {"a", " ", "é", "h"})
    CHECK(chain->after(1) == column_after(walk.table, chain->after(0), text));
  CHECK(chain->after(2) == column_after(walk.table, "\"éa"));
  CHECK(chain->after(kLongest + 1) == kDead);
  CHECK(chain->first_bytes()['a']);
  CHECK_FALSE(chain->first_bytes()['"']);
  CHECK_FALSE(chain->has_ended(kLongest));
}

TEST_CASE("TextChain: it ends where the text is full") {
  Walk walk(R"(root ::= "\"" [^"\\]{0,20} "\"")");
  const std::string nearly = "\"" + std::string(18, 'a');
  const auto chain = walk.chain_from(nearly.c_str());
  REQUIRE(chain.has_value());
  CHECK(chain->length() == 2);
  CHECK(chain->after(2) == column_after(walk.table, nearly + "bb"));
  CHECK(chain->after(3) == kDead);
}

TEST_CASE("TextChain: has_ended from the first link at which the goal may be complete") {
  Walk walk(R"(root ::= [^"\\]{2,40})");
  const auto chain = walk.chain_from("");
  REQUIRE(chain.has_value());
  CHECK_FALSE(chain->has_ended(1));
  CHECK(chain->has_ended(2));
  CHECK(chain->has_ended(3));
}

TEST_CASE("TextChain: none where a character tells columns apart, or what may come changes") {
  CHECK_FALSE(Walk(R"(root ::= ("a" "b" | [^ab"]) [^"]{0,9})").chain_from("").has_value());
  CHECK_FALSE(Walk(R"(root ::= [^"] "x")").chain_from("").has_value());
  CHECK_FALSE(Walk(R"(root ::= "0" [^"]{0,9})").chain_from("").has_value());
}

TEST_CASE("TextChain: none where more than a few tokens lead elsewhere") {
  CHECK_FALSE(Walk("root ::= [a-d]{0,20}").chain_from("").has_value());
  CHECK(Walk("root ::= [a-h ]{0,20}").chain_from("").has_value());
  CHECK_FALSE(Walk("root ::= [a-h ]{0,20}").chain_from("", digit_tokens()).has_value());
}

}  // namespace
}  // namespace xg2lab
