// mask/sets/adaptive_mask.h, mask/sets/mask_union.h: each form of a set and each way to make one,
// held against plain lists of ids.
#include "mask/sets/adaptive_mask.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "mask/sets/mask_union.h"
#include "support/bits.h"
#include "unit/fixture.h"

namespace xg2lab {
namespace {

using Ids = std::vector<uint32_t>;
using unit::ids_of;
using unit::words_of;

// 1,024 texts in an order that is not that of their bytes, so that ids and ranks differ; 33 words.
const TokenSets& tokens() {
  static const auto made = [] {
    std::vector<std::string> texts;
    for (uint32_t i = 0; i < 1024; ++i) texts.push_back("t" + std::to_string(i * 37 % 1024));
    return unit::tokens_of(texts);
  }();
  return *made;
}

Ids range(uint32_t begin, uint32_t end) {
  Ids ids(end - begin);
  std::iota(ids.begin(), ids.end(), begin);
  return ids;
}

Ids without(const Ids& from, const Ids& ids) {
  Ids rest;
  std::ranges::set_difference(from, ids, std::back_inserter(rest));
  return rest;
}

AdaptiveMask mask_of(const Ids& ids) { return AdaptiveMask(tokens(), words_of(tokens(), ids)); }

Ids written(const AdaptiveMask& mask) {
  mask.check_invariants(tokens());
  Ids target(tokens().n_words, 0xFFFFFFFFu);  // what was there before must not show
  mask.write(tokens(), target);
  return ids_of(target);
}

Ids ids_at(const std::vector<RankRange>& ranges, const std::vector<TokenRank>& more = {}) {
  Ids ids;
  for (const auto& [begin, end] : ranges) {
    for (uint32_t rank = begin; rank < end; ++rank)
      ids.push_back(tokens().vocabulary->token_at(TokenRank(rank)).value);
  }
  for (const TokenRank rank : more) ids.push_back(tokens().vocabulary->token_at(rank).value);
  std::ranges::sort(ids);
  return ids;
}

// ---- Forms ----

TEST_CASE("AdaptiveMask: the smallest of three forms, up to a row's number of words") {
  REQUIRE(tokens().n_words == 33);
  const Ids all = range(0, 1024);
  const struct {
    Ids ids;
    MaskStorage storage;
    size_t n_listed;
  } cases[] = {{{}, MaskStorage::kAcceptedList, 0},
               {range(5, 37), MaskStorage::kAcceptedList, 32},
               {range(5, 38), MaskStorage::kBitset, 0},
               {range(0, 512), MaskStorage::kBitset, 0},
               {without(all, range(9, 42)), MaskStorage::kBitset, 0},
               {without(all, range(9, 41)), MaskStorage::kRejectedList, 32},
               {all, MaskStorage::kRejectedList, 0}};
  for (const auto& [ids, storage, n_listed] : cases) {
    const AdaptiveMask mask = mask_of(ids);
    CHECK(mask.storage() == storage);
    CHECK(mask.n_accepted() == ids.size());
    CHECK(mask.n_listed() == n_listed);
    CHECK(written(mask) == ids);
    CHECK(mask.words().empty() == (storage != MaskStorage::kBitset));
    const AdaptiveMask same = AdaptiveMask::of_text(tokens(), words_of(tokens(), ids));
    CHECK(same.storage() == storage);
    CHECK(written(same) == ids);
  }
}

TEST_CASE("AdaptiveMask: add_to keeps what the target has, in every form") {
  for (const Ids& ids : {range(5, 20), range(0, 512), range(1, 1024)}) {
    Ids target = words_of(tokens(), {0, 7, 900});
    mask_of(ids).add_to(tokens(), target);
    Ids expected(ids);
    for (const uint32_t id : {0u, 7u, 900u}) expected.push_back(id);
    std::ranges::sort(expected);
    const auto repeated = std::ranges::unique(expected);
    expected.erase(repeated.begin(), repeated.end());
    CHECK(ids_of(target) == expected);
  }
}

TEST_CASE("AdaptiveMask: a set with special tokens lacks tokens of all that token edges can take") {
  VocabularySpec spec;
  for (uint32_t i = 0; i < 320; ++i) spec.tokens.push_back("t" + std::to_string(i));
  spec.tokens.emplace_back("<tool>");
  spec.special_tokens = {TokenId(320)};
  spec.n_tokens = 321;
  const TokenSets sets(std::make_shared<const Vocabulary>(std::move(spec)));
  const Ids all_but_two = without(range(0, 321), {3, 200});
  const AdaptiveMask mask(sets, words_of(sets, all_but_two));
  mask.check_invariants(sets);
  CHECK(mask.storage() == MaskStorage::kRejectedList);
  CHECK(mask.n_listed() == 2);
  Ids target(sets.n_words);
  mask.write(sets, target);
  CHECK(ids_of(target) == all_but_two);
}

// ---- Ranks ----

TEST_CASE("AdaptiveMask::of_ranks: the tokens of the ranges and the ranks beside them") {
  const std::vector<std::vector<RankRange>> cases{{},
                                                  {{3, 9}},
                                                  {{0, 1}, {1023, 1024}},
                                                  {{0, 400}, {500, 700}},
                                                  {{0, 1000}, {1001, 1024}},
                                                  {{0, 1024}}};
  for (const auto& ranges : cases) {
    CHECK(written(AdaptiveMask::of_ranks(tokens(), ranges)) == ids_at(ranges));
  }
  const std::vector<TokenRank> beside{TokenRank(450), TokenRank(452)};
  for (const auto& ranges : {cases[1], cases[3]}) {
    const AdaptiveMask mask = AdaptiveMask::of_ranks(tokens(), ranges, beside);
    CHECK(written(mask) == ids_at(ranges, beside));
  }
}

TEST_CASE(
    "AdaptiveMask::with: the set and ranks that were not in it, in every form it had or gets") {
  for (const std::vector<RankRange>& ranges :
       {std::vector<RankRange>{}, {{0, 31}}, {{0, 600}}, {{0, 990}}}) {
    const AdaptiveMask mask = AdaptiveMask::of_ranks(tokens(), ranges);
    for (const uint32_t n : {0u, 1u, 2u, 30u}) {
      std::vector<TokenRank> more;
      for (uint32_t i = 0; i < n; ++i) more.emplace_back(993 + i);
      CHECK(written(mask.with(tokens(), more)) == ids_at(ranges, more));
    }
  }
}

// ---- Like another ----

TEST_CASE("AdaptiveMask::like: near another it keeps the differences, and shares the words") {
  const auto home = std::make_shared<const AdaptiveMask>(mask_of(range(0, 600)));
  const AdaptiveMask near = AdaptiveMask::like(tokens(), home, {3, 4}, {800});
  CHECK(near.n_listed() == 3);
  CHECK(near.words().empty());
  CHECK(near.memory_size_bytes() < home->memory_size_bytes());
  CHECK(near.n_accepted() == 599);
  Ids expected = without(range(0, 600), {3, 4});
  expected.push_back(800);
  CHECK(written(near) == expected);
}

TEST_CASE("AdaptiveMask::like: far from the other, or small, it is a set of its own") {
  const auto home = std::make_shared<const AdaptiveMask>(mask_of(range(0, 600)));
  const AdaptiveMask far = AdaptiveMask::like(tokens(), home, range(0, 20), {});
  CHECK(far.storage() == MaskStorage::kBitset);
  CHECK_FALSE(far.words().empty());
  CHECK(written(far) == range(20, 600));
  const AdaptiveMask small = AdaptiveMask::like(tokens(), home, range(0, 590), {});
  CHECK(small.storage() == MaskStorage::kAcceptedList);
  CHECK(written(small) == range(590, 600));
}

TEST_CASE("AdaptiveMask::like: what is like one that is like another depends on neither") {
  const auto home = std::make_shared<const AdaptiveMask>(mask_of(range(0, 600)));
  const auto near =
      std::make_shared<const AdaptiveMask>(AdaptiveMask::like(tokens(), home, {3}, {}));
  const AdaptiveMask again = AdaptiveMask::like(tokens(), near, {4}, {});
  CHECK_FALSE(again.words().empty());
  CHECK(written(again) == without(range(0, 600), {3, 4}));
}

TEST_CASE("AdaptiveMask::with: what is like another stays like it") {
  const auto home = std::make_shared<const AdaptiveMask>(mask_of(ids_at({{0, 600}})));
  const uint32_t taken = tokens().vocabulary->token_at(TokenRank(5)).value;
  const AdaptiveMask near = AdaptiveMask::like(tokens(), home, {taken}, {});
  const AdaptiveMask more = near.with(tokens(), std::vector<TokenRank>{TokenRank(900)});
  CHECK(more.n_listed() == 2);
  CHECK(written(more) == ids_at({{0, 5}, {6, 600}, {900, 901}}));
}

// ---- Unions ----

TEST_CASE("MaskUnion: no part is nothing, one part is itself and makes no words") {
  const MaskUnion none(tokens(), {});
  CHECK(none.most() == nullptr);
  CHECK(none.size() == 0);
  const AdaptiveMask mask = mask_of(range(0, 500));
  const MaskPart part{&mask, {7}};
  MaskUnion one(tokens(), {&part, 1});
  CHECK(one.most() == &part);
  CHECK(one.beside().empty());
  CHECK(one.size() == 499);
  CHECK(ids_of(std::move(one).words()) == without(range(0, 500), {7}));
}

TEST_CASE("MaskUnion: `most` and what is beside it make up all that some part accepts") {
  std::mt19937 random(17);
  for (size_t round = 0; round < 50; ++round) {
    std::vector<AdaptiveMask> masks;
    std::vector<MaskPart> parts;
    std::vector<bool> is_in(1024);
    const size_t n_parts = 2 + random() % 3;
    masks.reserve(n_parts);
    for (size_t p = 0; p < n_parts; ++p) {
      const uint32_t n = std::vector{8u, 500u, 1010u}[random() % 3];
      const auto begin = static_cast<uint32_t>(random() % (1025 - n));
      const Ids ids = range(begin, begin + n);
      const Ids lacking = random() % 2 == 0 ? Ids{} : Ids{begin, begin + n - 1};
      for (const uint32_t id : without(ids, lacking)) is_in[id] = true;
      parts.push_back({&masks.emplace_back(mask_of(ids)), lacking});
    }
    MaskUnion all(tokens(), parts);
    for (const MaskPart& part : parts) CHECK(part.size() <= all.most()->size());
    Ids expected;
    for (uint32_t id = 0; id < 1024; ++id) {
      if (is_in[id]) expected.push_back(id);
    }
    CHECK(all.size() == expected.size());
    std::vector<TokenRank> ranks{TokenRank(0), TokenRank(500), TokenRank(1023)};
    std::vector<TokenRank> left(ranks);
    std::erase_if(left,
                  [&](TokenRank rank) { return is_in[tokens().vocabulary->token_at(rank).value]; });
    all.remove_from(ranks);
    CHECK(ranks == left);
    CHECK(ids_of(std::move(all).words()) == expected);
  }
}

}  // namespace
}  // namespace xg2lab
