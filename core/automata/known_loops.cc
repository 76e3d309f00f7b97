// Read: find, is_twin, then look_twice.
#include "automata/known_loops.h"

#include <algorithm>

#include "automata/signature.h"
#include "support/budget.h"
#include "support/hash.h"

namespace xg2lab {
namespace {

// A hash of the ranges read and of their targets' hashes (`look`); neighbouring ranges whose
// targets have equal hashes count as one.
template <class Look>
uint64_t hash_of(SignatureReader at, Look look) {
  uint64_t hash = 0;
  uint64_t before = 0;  // the target's hash of the previous range
  uint32_t end = 0;     // end of the previous range; 0 before the first
  for (; at.is_range(); at.next()) {
    const uint64_t to = look(at.to());
    if (end != at.lo() || to != before || end == 0) hash = hash_combine(hash ^ end, to + at.lo());
    before = to;
    end = at.hi() + 1;
  }
  hash = hash_combine(hash ^ end, at.rest.front());
  for (at.rest = at.rest.subspan(1); !at.rest.empty(); at.next())
    hash = hash_combine(hash ^ at.rest.front(), look(at.to()));
  return hash;
}

}  // namespace

std::span<const uint32_t> KnownLoops::signature(uint32_t of) const {
  return of < first_block() ? signatures_[of] : (*blocks_)[of - first_block()];
}

uint64_t KnownLoops::look(uint32_t of) {
  uint64_t& known = looks_[of];
  if (known == kNoLook)
    known = hash_of(SignatureReader{signature(of)}, [](uint32_t) { return uint64_t{0}; });
  return known;
}

uint64_t KnownLoops::look_twice(uint32_t of) {
  return hash_of(SignatureReader{signature(of)}, [this](uint32_t to) { return look(to); });
}

uint32_t KnownLoops::way_out(uint32_t block) const {
  uint32_t least = kNoClass;
  const auto meet = [&](uint32_t to) {
    if (to < first_block()) least = std::min(least, to);
  };
  SignatureReader at{signature(block)};
  for (; at.is_range(); at.next()) meet(at.to());
  for (at.rest = at.rest.subspan(1); !at.rest.empty(); at.next()) meet(at.to());
  return least;
}

std::span<const uint32_t> KnownLoops::find(const InternedRows& blocks) {
  blocks_ = &blocks;
  looks_.resize(n_looked_at_);  // drops blocks that were not added
  looks_.resize(first_block() + blocks.size(), kNoLook);
  n_looked_at_ = first_block();
  count_work("minimizing a machine", blocks.size());
  twin_of_.assign(blocks.size(), kNoClass);
  // A block with an edge out of the component is tested, since it has fewer candidates.
  uint32_t block = first_block();
  uint32_t out = kNoClass;
  for (uint32_t b = 0; b < blocks.size() && out == kNoClass; ++b) {
    out = way_out(first_block() + b);
    if (out != kNoClass) block = first_block() + b;
  }
  if (loops_.empty()) return {};
  const uint64_t looks = look_twice(block);
  if (find_by(hash_combine(looks, out), block)) return twin_of_;
  // Looks for a twin inside a loop that the component leads to.
  const auto is_twin_in_loop = [&](uint32_t to) {
    Loop* loop = to < first_block() ? loop_of(to) : nullptr;
    if (loop == nullptr) return false;
    const auto key = [&](uint64_t looks) { return hash_combine(~looks, loop->begin); };
    if (!loop->has_each_class) {
      for (uint32_t c = loop->begin; c < loop->end; ++c) twins_.emplace(key(look_twice(c)), c);
      loop->has_each_class = true;
    }
    return find_by(key(looks), block);
  };
  SignatureReader at{signature(block)};
  for (; at.is_range(); at.next())
    if (is_twin_in_loop(at.to())) return twin_of_;
  for (at.rest = at.rest.subspan(1); !at.rest.empty(); at.next())
    if (is_twin_in_loop(at.to())) return twin_of_;
  return {};
}

void KnownLoops::add() {
  const auto n_blocks = static_cast<uint32_t>(blocks_->size());
  // Twins leave their loops for the same class, so blocks with an edge out of the component are
  // found by it. Only if no block has one are all blocks stored without an exit.
  bool leads_out = false;
  for (uint32_t block = first_block(); block < first_block() + n_blocks; ++block) {
    const uint32_t out = way_out(block);
    if (out == kNoClass) continue;
    leads_out = true;
    twins_.emplace(hash_combine(look_twice(block), out), block);
  }
  for (uint32_t block = first_block(); !leads_out && block < first_block() + n_blocks; ++block)
    twins_.emplace(hash_combine(look_twice(block), kNoClass), block);
  loops_.push_back({first_block(), first_block() + n_blocks});
  n_looked_at_ += n_blocks;
}

KnownLoops::Loop* KnownLoops::loop_of(uint32_t known) {
  const auto after = std::ranges::upper_bound(loops_, known, {}, &Loop::begin);
  if (after == loops_.begin() || known >= std::prev(after)->end) return nullptr;
  return &*std::prev(after);
}

bool KnownLoops::find_by(uint64_t key, uint32_t block) {
  const auto [begin, end] = twins_.equal_range(key);
  return std::any_of(begin, end, [&](const auto& entry) { return is_twin(entry.second, block); });
}

// Compares both in lockstep. Pairs on the agenda are assumed to be twins until they are compared.
bool KnownLoops::is_twin(uint32_t known, uint32_t block) {
  agenda_.clear();
  bool holds = pair_up(known, block);
  for (size_t i = 0; holds && i < agenda_.size(); ++i) {
    count_work("minimizing a machine");
    const uint32_t next = agenda_[i];
    holds = are_alike(signatures_[twin_of_[next]], (*blocks_)[next]);
  }
  // A failed comparison takes back all pairs that it assumed.
  if (!holds)
    for (const uint32_t paired : agenda_) twin_of_[paired] = kNoClass;
  return holds;
}

// Classes are pairwise inequivalent, so a block has at most one twin.
bool KnownLoops::pair_up(uint32_t known, uint32_t of) {
  if (of < first_block()) return of == known;
  uint32_t& twin = twin_of_[of - first_block()];
  if (twin == kNoClass) {
    twin = known;
    agenda_.push_back(of - first_block());
  }
  return twin == known;
}

bool KnownLoops::are_alike(std::span<const uint32_t> known, std::span<const uint32_t> block) {
  SignatureReader a{known};
  SignatureReader b{block};
  // The two signatures may cut ranges at different bytes, so the ranges are compared piece by
  // piece.
  for (uint32_t at = 0; a.is_range() && b.is_range();) {
    const uint32_t a_lo = std::max(a.lo(), at);
    const uint32_t b_lo = std::max(b.lo(), at);
    if (a_lo != b_lo || !pair_up(a.to(), b.to())) return false;
    at = std::min(a.hi(), b.hi()) + 1;
    if (a.hi() < at) a.next();
    if (b.hi() < at) b.next();
  }
  // The rest of a signature is whether the state accepts, and the called rules.
  if (a.rest.size() != b.rest.size() || a.rest.front() != b.rest.front()) return false;
  a.rest = a.rest.subspan(1);
  b.rest = b.rest.subspan(1);
  for (; !a.rest.empty(); a.next(), b.next())
    if (a.rest.front() != b.rest.front() || !pair_up(a.to(), b.to())) return false;
  return true;
}

}  // namespace xg2lab
