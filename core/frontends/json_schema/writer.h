// Writes formulas as a grammar: a rule for each structured formula, an expression for each case.
//
// Tests: tests/json_schema/, tests/differential/test_json_schema.py
//
// IDEA
//   A value is described by a formula; the choice of the formula's cases is its expression. A
//   formula with arrays or objects gets a rule, and each value with the same formula refers to it,
//   so recursive schemas become recursive rules and repeated parts are written once. Bodies are
//   written from a work list, so that a deep schema needs no deep call stack.
//
// NOT HERE  arrays (arrays.cc) and objects (objects.cc), which are parts of this class; names of
//           properties: names.h.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "frontends/json_schema/algebra.h"
#include "frontends/json_schema/json_schema.h"
#include "frontends/json_schema/layout.h"
#include "frontends/json_schema/names.h"
#include "frontends/json_schema/texts.h"

namespace xg2lab::json_schema {

class Writer {
 public:
  Writer(const JsonDocument& document, const Options& options, Formulas& formulas,
         Conditions& conditions, Reader& reader, Algebra& algebra, Coverage& coverage, Slots& slots,
         GrammarBuilder& builder);

  // Writes the rule `root` and all rules that it needs.
  RuleId write(FormulaId root);
  // Index: RuleId.
  std::vector<std::optional<Hole>> holes(size_t n_rules) && {
    holes_.resize(n_rules);
    return std::move(holes_);
  }

 private:
  void write_pending();
  // ---- Values ----
  ExprId value(FormulaId formula);
  ExprId cases(const CaseSet& set, SourceSpan span);
  ExprId number(const NumberCase& c, SourceSpan span);
  ExprId machine_of_numbers(const NumberCase& c, SourceSpan span);
  bool needs_rule(FormulaId formula);
  RuleId rule(FormulaId formula);
  FormulaId canonical(FormulaId formula);
  std::string rule_name(FormulaId formula);
  std::string unique_name(std::string_view words);
  SourceSpan span_of(FormulaId formula) const;

  // ---- Any value at all ----
  ExprId any_value();
  ExprId any_string();
  ExprId any_number();
  void remark_plain_numbers();

  // ---- Slots (written_slots.cc) ----
  ExprId add_hole(Hole hole);
  RuleId add_inner_rule(ExprId body, SourceSpan span);
  ExprId slot_values(const SlotCase& c);
  std::optional<JsonId> dialect_of(JsonId value) const;
  bool check_slots(const ArrayCase& c);
  ExprId array_of_slots(const ArrayCase& c, SourceSpan span);

  // ---- Elements, and strings without excluded texts (elements.cc) ----
  ExprId string(StringCase c, SourceSpan span);
  bool is_excluded(std::string_view text) const;
  MaybeDfa without(const StringCase& c, const std::vector<std::string>& texts, std::string& words);
  ExprId raw_string(const StringCase& c, std::string_view end, SourceSpan span);
  ExprId raw_language(const CodePointDfa& language, const std::string& words, SourceSpan span);
  ExprId raw_machine(const CodePointDfa& language, std::string words, SourceSpan span);
  void refuse_raw_text();
  ExprId space();
  ExprId elements_of(FormulaId formula, SourceSpan span);
  ExprId elements(const ObjectCase& c, SourceSpan span);
  ExprId element(ExprId name, std::string_view written_name, FormulaId value, SourceSpan span);
  class ElementValue;
  ExprId element_value(FormulaId formula, std::string_view name, SourceSpan span);
  ExprId nested(FormulaId formula, bool is_object, SourceSpan span);
  ExprId list_elements(const ArrayCase& c, SourceSpan span);
  void write_pending_elements();
  void refuse_names(JsonId origin);

  // ---- Arrays (arrays.cc) ----
  ExprId array(const ArrayCase& c, SourceSpan span);
  ExprId items(const ArrayCase& c, SourceSpan span);
  class CountedItems;
  ExprId items_that_contain(const ArrayCase& c, SourceSpan span);
  struct Value {
    std::string name;  // equal only for equal values
    ExprId expr;
  };
  std::optional<std::vector<Value>> finite_values(FormulaId item, SourceSpan span);
  bool items_differ(const ArrayCase& c, uint32_t n_positions);
  std::optional<ExprId> different_positions(const ArrayCase& c, uint32_t n_positions,
                                            SourceSpan span);
  ExprId unique_items(const ArrayCase& c, SourceSpan span);
  // Further items, each after a comma: at least `min`, at most `max`, from item `from` on.
  // `of_rest`: the expression of c.rest, if it was made.
  ExprId more_items(const ArrayCase& c, uint32_t from, uint32_t min, uint32_t max, SourceSpan span,
                    std::optional<ExprId> of_rest);

  // ---- Objects (objects.cc) ----
  struct Member {
    std::string_view name;
    ExprId expr;
    bool is_required = false;
    bool may_repeat = false;
  };
  ExprId object(const ObjectCase& c, SourceSpan span);
  static void add_names_left_out(ObjectCase& all);
  // One way to satisfy an object's conditions that some property must exist.
  struct Variant {
    std::vector<Property> properties;
    std::vector<std::pair<size_t, FormulaId>> one_more;  // a region, and a value
  };
  std::vector<Variant> variants_of(const ObjectCase& all, const std::vector<NameRegion>& regions);
  bool forbid_impossible(ObjectCase& all, bool is_closed);
  struct ObjectParts;
  void find_regions(ObjectParts& object, bool is_closed);
  ExprId region_member(ObjectParts& object, size_t index, FormulaId value);
  Member property_member(const Property& property);
  std::optional<std::vector<Member>> variant_members(const Variant& variant, ObjectParts& object);
  ExprId braces(const std::vector<Member>& members, const ObjectParts& object);
  ExprId in_every_order(const std::vector<ExprId>& asked, std::optional<ExprId> other,
                        SourceSpan span);
  ExprId member(ExprId key, FormulaId value, SourceSpan span);
  FormulaId value_in(const NameRegion& region, const ObjectCase& c);
  // Takes the properties of regions with few names out of the regions.
  std::vector<Property> listed_properties(std::vector<NameRegion>& regions, const ObjectCase& c,
                                          JsonId origin);
  void remark_repeated_names(const ObjectCase& c, const std::vector<NameRegion>& regions);
  ExprId members_of(const std::vector<Member>& members, uint32_t min, uint32_t max,
                    SourceSpan span);
  // As an AnyOrder(...).
  ExprId listed_members(const std::vector<Member>& members, uint32_t min, uint32_t max,
                        bool is_ordered, SourceSpan span);
  ExprId ordered_members(const std::vector<Member>& members, SourceSpan span);

  void add_other_elements(const ObjectCase& all, const std::vector<std::string_view>& taken,
                          JsonId origin, std::vector<Member>& members, SourceSpan span);
  ExprId unordered_elements(const std::vector<Member>& members, const ObjectCase& c,
                            SourceSpan span);

  ExprId optional(ExprId expr, SourceSpan span) { return builder_.repeat(expr, 0, 1, span); }
  // Flattens nested sequences and drops empty parts.
  ExprId sequence(std::span<const ExprId> parts, SourceSpan span);
  ExprId sequence(std::initializer_list<ExprId> parts, SourceSpan span) {
    return sequence(std::span(parts.begin(), parts.size()), span);
  }
  ExprId brackets(std::string_view open, ExprId content, std::string_view close, bool may_be_empty,
                  SourceSpan span);

  const JsonDocument& document_;
  const Options& options_;
  Formulas& formulas_;
  Conditions& conditions_;
  Reader& reader_;
  Algebra& algebra_;
  Coverage& coverage_;
  Slots& slots_;
  GrammarBuilder& builder_;
  Layout layout_;
  Texts texts_;
  Names names_;

  struct Pending {
    RuleId rule;
    FormulaId formula;
    uint32_t depth;
  };
  std::map<std::pair<FormulaId, uint32_t>, RuleId> rules_;  // by formula and indentation depth
  std::deque<Pending> pending_;
  std::unordered_set<std::string> used_names_;
  std::unordered_map<std::string, int> last_numbers_;  // suffixes of names that were taken
  struct PendingElements {
    RuleId rule;
    FormulaId formula;
    bool is_object;
  };
  std::map<std::pair<FormulaId, bool>, RuleId> element_rules_;
  std::vector<PendingElements> pending_elements_;
  std::map<std::string, RuleId> standard_rules_;
  std::deque<std::string> listed_names_;
  std::vector<ExprId> flat_;                // parts of one sequence
  size_t n_members_ = 0;                    // over all objects written so far
  std::vector<std::optional<Hole>> holes_;  // index: RuleId; may be shorter
  // Machines of numbers by form and words: 1,000 properties may be integers.
  std::map<std::string, std::shared_ptr<const Machine>> numbers_;
};

}  // namespace xg2lab::json_schema
