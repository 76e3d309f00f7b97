#include "frontends/json_schema/formulas.h"

#include <algorithm>
#include <utility>

#include "support/hash.h"

namespace xg2lab::json_schema {

Formulas::Formulas() {
  intern({FormulaKind::kAlways, 0, {}});
  intern({FormulaKind::kNever, 0, {}});
  intern({FormulaKind::kUnknown, 0, {}});
}

namespace {

constexpr uint32_t kNoFormula = UINT32_MAX;
constexpr size_t kFirstSize = 64;

uint64_t hash_of(const Formula& formula) {
  const auto kind = static_cast<uint64_t>(formula.kind);
  uint64_t hash = (kind << 32 | formula.index) + (uint64_t{formula.scope.value} << 40);
  for (FormulaId part : formula.parts)
    hash = (hash ^ part.value) * 0x9e3779b97f4a7c15ull + (hash >> 29);
  return hash_mix(hash);
}

}  // namespace

FormulaId Formulas::add(Formula formula) {
  formulas_.append() = std::move(formula);
  hashes_.push_back(0);
  return FormulaId(formulas_.size() - 1);
}

FormulaId Formulas::intern(Formula formula) {
  if (2 * (n_known_ + 1) > table_.size()) grow();
  const uint64_t hash = hash_of(formula);
  const size_t mask = table_.size() - 1;
  for (size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const uint32_t id = table_[slot];
    if (id == kNoFormula) {
      const FormulaId made = add(std::move(formula));
      hashes_.back() = hash;
      table_[slot] = made.value;
      ++n_known_;
      return made;
    }
    if (hashes_[id] == hash && formulas_[id] == formula) return FormulaId(id);
  }
}

void Formulas::grow() {
  const std::vector<uint32_t> old =
      std::exchange(table_, std::vector(std::max(kFirstSize, 2 * table_.size()), kNoFormula));
  const size_t mask = table_.size() - 1;
  for (const uint32_t id : old) {
    if (id == kNoFormula) continue;
    size_t slot = hashes_[id] & mask;
    while (table_[slot] != kNoFormula) slot = (slot + 1) & mask;
    table_[slot] = id;
  }
}

FormulaId Formulas::atom(AtomContent content, JsonId origin) {
  atoms_.append() = {std::move(content), origin};
  return add({FormulaKind::kAtom, static_cast<uint32_t>(atoms_.size() - 1), {}});
}

FormulaId Formulas::negate(FormulaId id) {
  if (id == kAlways) return kNever;
  if (id == kNever) return kAlways;
  if (id == kUnknown) return kUnknown;
  if (formula(id).kind == FormulaKind::kNot) return formula(id).parts.front();
  return intern({FormulaKind::kNot, 0, {id}});
}

FormulaId Formulas::join(FormulaKind kind, std::vector<FormulaId> parts, FormulaId neutral,
                         FormulaId absorbing) {
  const auto is_nested = [&](FormulaId part) { return formula(part).kind == kind; };
  if (std::ranges::any_of(parts, is_nested)) {
    std::vector<FormulaId> flat;
    for (FormulaId part : parts) {
      const auto& inner = formula(part).parts;
      if (is_nested(part)) flat.insert(flat.end(), inner.begin(), inner.end());
      else flat.push_back(part);
    }
    parts = std::move(flat);
  }
  if (std::ranges::find(parts, absorbing) != parts.end()) return absorbing;
  std::erase(parts, neutral);
  if (!std::ranges::is_sorted(parts)) std::ranges::sort(parts);
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  if (parts.empty()) return neutral;
  if (parts.size() == 1) return parts.front();
  return intern({kind, 0, std::move(parts)});
}

FormulaId Formulas::all_of(std::vector<FormulaId> parts) {
  return join(FormulaKind::kAnd, std::move(parts), kAlways, kNever);
}

FormulaId Formulas::any_of(std::vector<FormulaId> parts) {
  return join(FormulaKind::kOr, std::move(parts), kNever, kAlways);
}

FormulaId Formulas::one_of(std::vector<FormulaId> parts) {
  std::erase(parts, kNever);
  if (parts.empty()) return kNever;
  if (parts.size() == 1) return parts.front();
  std::sort(parts.begin(), parts.end());
  return intern({FormulaKind::kOneOf, 0, std::move(parts)});
}

}  // namespace xg2lab::json_schema
