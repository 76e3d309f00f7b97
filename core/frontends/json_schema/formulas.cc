#include "frontends/json_schema/formulas.h"

#include <algorithm>
#include <utility>

namespace xg2lab::json_schema {

JsonType type_of(JsonKind kind) {
  switch (kind) {
    case JsonKind::kNull: return JsonType::kNull;
    case JsonKind::kFalse:
    case JsonKind::kTrue: return JsonType::kBoolean;
    case JsonKind::kNumber: return JsonType::kNumber;
    case JsonKind::kString: return JsonType::kString;
    case JsonKind::kArray: return JsonType::kArray;
    case JsonKind::kObject: return JsonType::kObject;
  }
  return JsonType::kNull;
}

Formulas::Formulas() {
  intern({FormulaKind::kAlways, 0, {}});
  intern({FormulaKind::kNever, 0, {}});
  intern({FormulaKind::kUnknown, 0, {}});
}

FormulaId Formulas::intern(Formula formula) {
  const auto [found, is_new] = known_.try_emplace(std::move(formula), FormulaId(formulas_.size()));
  if (is_new) formulas_.push_back(found->first);
  return found->second;
}

FormulaId Formulas::atom(AtomContent content, JsonId origin) {
  atoms_.push_back({std::move(content), origin});
  return intern({FormulaKind::kAtom, static_cast<uint32_t>(atoms_.size() - 1), {}});
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
  std::vector<FormulaId> flat;
  for (FormulaId part : parts) {
    if (part == absorbing) return absorbing;
    if (part == neutral) continue;
    if (formula(part).kind == kind) {
      const auto& inner = formula(part).parts;
      flat.insert(flat.end(), inner.begin(), inner.end());
    } else {
      flat.push_back(part);
    }
  }
  std::sort(flat.begin(), flat.end());
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  if (flat.empty()) return neutral;
  if (flat.size() == 1) return flat.front();
  return intern({kind, 0, std::move(flat)});
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
