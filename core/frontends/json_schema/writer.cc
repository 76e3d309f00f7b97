// write() empties the work list of rules; value() and cases() write the expression of a value; then
// numbers, and unconstrained values.
#include "frontends/json_schema/writer.h"

#include <algorithm>
#include <array>

#include "languages/numbers/number_words.h"
#include "support/budget.h"
#include "support/error.h"
#include "support/known_values.h"
#include "support/text.h"

namespace xg2lab::json_schema {
namespace {

constexpr size_t kMostRules = 100'000;
constexpr size_t kMostInlineValues = 8;
constexpr size_t kMostEdgesKept = 2000;  // of a number's machine

std::string name_of(std::string_view text) {
  std::string name;
  for (char c : text) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_plain) name += c;
    else if (!name.empty() && name.back() != '_') name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.size() > 40) name.resize(40);
  return name;
}

// Integers, nonnegative counts, ports: a few languages that many schemas use. Their words describe
// them completely.
KnownValues<Machine>& known_numbers() {
  constexpr size_t kMost = 256;
  static auto* const known =
      new KnownValues<Machine>(kMost);  // never destroyed: threads may outlive main
  return *known;
}
}  // namespace

Writer::Writer(const JsonDocument& document, const Options& options, Formulas& formulas,
               Conditions& conditions, Reader& reader, Algebra& algebra, Coverage& coverage,
               Slots& slots, GrammarBuilder& builder)
    : document_(document),
      options_(options),
      formulas_(formulas),
      conditions_(conditions),
      reader_(reader),
      algebra_(algebra),
      coverage_(coverage),
      slots_(slots),
      builder_(builder),
      layout_(builder, options),
      texts_(builder, conditions, coverage),
      names_(algebra, conditions, texts_, coverage) {}

RuleId Writer::write(FormulaId formula) {
  used_names_ = {"root", "string", "number", "any", "ws", "comma"};
  const FormulaId root = canonical(formula);
  const RuleId id = builder_.add_rule("root", document_.span(document_.root()));
  // the root is not a JSON value, so no other rule refers to it
  if (options_.elements != nullptr) {
    const SourceSpan span = span_of(root);
    builder_.set_body(id, sequence({elements_of(root, span), space()}, span), span);
    write_pending_elements();
    write_pending();
    return id;
  }
  rules_[{root, options_.depth}] = id;
  pending_.push_back({id, root, options_.depth});
  write_pending();
  return id;
}

// Writing a body may append further rules, so the list is a queue and deep schemas need no
// recursion.
void Writer::write_pending() {
  while (!pending_.empty()) {
    check_budget("writing the grammar of a schema");
    const auto [rule, content, depth] = pending_.front();
    pending_.pop_front();
    layout_.set_depth(depth);
    const Coverage::Processing processing(coverage_, algebra_.origin_of(content));
    const SourceSpan span = span_of(content);
    const ExprId body = content == kAlways ? any_value() : cases(algebra_.cases(content), span);
    builder_.set_body(rule, body, span);
  }
}

// Resolves a formula that only refers to another schema to that schema's formula.
FormulaId Writer::canonical(FormulaId formula) {
  for (int i = 0; i < 1000 && formulas_.formula(formula).kind == FormulaKind::kSchema; ++i) {
    // A reference is followed only as long as its target is another reference, or trivial; the last
    // schema of the chain names the rule.
    const Formula& schema = formulas_.formula(formula);
    const FormulaId content = reader_.content(JsonId(schema.index), schema.scope);
    if (content != kAlways && content != kNever &&
        formulas_.formula(content).kind != FormulaKind::kSchema)
      break;
    formula = content;
  }
  return formula;
}

bool Writer::needs_rule(FormulaId formula) {
  const CaseSet& set = algebra_.cases(formula);
  return !set.arrays.empty() || !set.objects.empty() || set.size() > kMostInlineValues;
}

ExprId Writer::value(FormulaId formula) {
  formula = canonical(formula);
  if (formula == kAlways) {
    remark_plain_numbers();
    return any_value();
  }
  const Coverage::Processing processing(coverage_, algebra_.origin_of(formula));
  if (rules_.contains({formula, layout_.depth()}) || needs_rule(formula))
    return builder_.rule_ref(rule(formula), span_of(formula));
  return cases(algebra_.cases(formula), span_of(formula));
}

RuleId Writer::rule(FormulaId formula) {
  const std::pair key(formula, layout_.depth());
  if (const auto known = rules_.find(key); known != rules_.end()) return known->second;
  if (rules_.size() >= kMostRules)
    throw Error(ErrorKind::kLimitError, "this schema needs more than 100,000 rules",
                "use fewer or smaller alternatives");
  const RuleId id = builder_.add_rule(rule_name(formula), span_of(formula));
  // The rule is entered before its body is written, so that a recursive schema refers to itself.
  rules_[key] = id;
  pending_.push_back({id, formula, layout_.depth()});
  return id;
}

SourceSpan Writer::span_of(FormulaId id) const {
  const Formula& formula = formulas_.formula(id);
  switch (formula.kind) {
    case FormulaKind::kSchema: return document_.span(JsonId(formula.index));
    case FormulaKind::kAtom: return document_.span(formulas_.atom(formula.index).origin);
    case FormulaKind::kAlways:
    case FormulaKind::kNever:
    case FormulaKind::kUnknown: return {};
    default: return span_of(formula.parts.front());
  }
}

std::string Writer::rule_name(FormulaId id) {
  const Formula* formula = &formulas_.formula(id);
  while (!formula->parts.empty()) formula = &formulas_.formula(formula->parts.front());
  std::string name;
  if (formula->kind == FormulaKind::kSchema || formula->kind == FormulaKind::kAtom) {
    // The last parts of its path that are names: /properties/address/items  ->  address_item
    JsonId value = formula->kind == FormulaKind::kSchema ? JsonId(formula->index)
                                                         : formulas_.atom(formula->index).origin;
    std::string suffix;
    for (auto above = document_.parent(value); above && name.empty();
         value = *above, above = document_.parent(value)) {
      if (document_.is_array(*above)) continue;
      const std::string_view key = document_.key(value);
      const std::string_view holder = document_.parent(*above) ? document_.key(*above) : "";
      const bool is_name = holder == "properties" || holder == "definitions" || holder == "$defs" ||
                           holder == "patternProperties";
      if (is_name) name = name_of(key);
      else if (key == "items" || key == "additionalItems") suffix = "_item" + suffix;
      else if (key == "additionalProperties") suffix = "_value" + suffix;
    }
    if (name.empty()) name = "root";
    name += suffix;
  }
  return unique_name(name);
}

// `words` in letters, digits and underscores, with a number if the name is taken.
std::string Writer::unique_name(std::string_view words) {
  std::string name = name_of(words);
  if (name.empty()) name = "value";
  if (name.front() >= '0' && name.front() <= '9') name.insert(0, "_");
  const auto [used, is_new] = used_names_.insert(name);
  if (is_new) return name;
  int& last_number = last_numbers_[name];
  for (;;) {
    std::string unique = concat(name, "_", ++last_number + 1);
    if (used_names_.insert(unique).second) return unique;
  }
}

ExprId Writer::cases(const CaseSet& set, SourceSpan span) {
  std::vector<ExprId> all;
  if (set.null) all.push_back(builder_.literal("null", span));
  if (set.boolean && set.boolean->allows_true) all.push_back(builder_.literal("true", span));
  if (set.boolean && set.boolean->allows_false) all.push_back(builder_.literal("false", span));
  for (const NumberCase& c : set.numbers) all.push_back(number(c, span));
  for (const StringCase& c : set.strings) all.push_back(string(c, span));
  for (const SlotCase& c : set.slots) all.push_back(slot_values(c));
  if (layout_.may_nest()) {
    layout_.enter();
    for (const ArrayCase& c : set.arrays) all.push_back(array(c, span));
    for (const ObjectCase& c : set.objects) all.push_back(object(c, span));
    layout_.leave();
  }
  return builder_.choice(all, span);
}

ExprId Writer::number(const NumberCase& c, SourceSpan span) {
  if (is_any(c)) return any_number();
  if (c.values) {
    // As a serializer writes the values, if each has a single spelling.
    const bool is_plain = std::all_of(c.values->begin(), c.values->end(), [](const Decimal& value) {
      return value.is_zero() ||
             (value.exponent() < 15 && value.weight() > -15 && value.exponent() >= -4);
    });
    if (is_plain) {
      std::vector<ExprId> all;
      for (const Decimal& value : *c.values) {
        all.push_back(builder_.literal(value.text(), span));
        if (value.is_integer() && !c.is_plain)
          all.push_back(builder_.literal(value.text() + ".0", span));
      }
      return builder_.choice(all, span);
    }
  }
  return machine_of_numbers(c, span);
}

ExprId Writer::machine_of_numbers(const NumberCase& c, SourceSpan span) {
  std::string words = c.values ? number_words(*c.values) : number_words(c.constraint);
  const NumberForm form{c.is_plain, options_.plain_numbers};
  const std::string name =
      concat(form.is_plain ? "plain " : "", form.is_bounded ? "bounded " : "", words);
  auto& known = numbers_[name];
  if (!known) known = known_numbers().find(name);
  if (known) return builder_.machine(known, span);
  NumberLanguage language = c.values ? values_language(*c.values) : number_language(c.constraint);
  if (!language.machine) {
    coverage_.refuse(coverage_.at(), "number_too_large",
                     "these numbers need too large a machine: " + language.too_large,
                     "use a `multipleOf` with fewer digits, and bounds with fewer digits");
    return coverage_.relaxes() ? any_number() : builder_.nothing(span);
  }
  const NumberSet set = c.values ? set_of(*c.values) : *number_set(c.constraint);
  if (!keep_form(language, set, form, words)) return builder_.nothing(span);
  const bool is_small = language.machine->terminal_edges.size() <= kMostEdgesKept;
  known = std::make_shared<const Machine>(Machine{std::move(words), std::move(*language.machine)});
  if (is_small) known_numbers().keep(name, known);
  return builder_.machine(known, span);
}

// ---- Any value at all ----

ExprId Writer::any_string() {
  const auto [found, is_new] = standard_rules_.try_emplace("string");
  if (is_new) {
    found->second = builder_.add_rule("string");
    const StringCase all;
    builder_.set_body(found->second,
                      options_.excludes.empty() ? texts_.string(all, {}) : string(all, {}));
  }
  return builder_.rule_ref(found->second);
}

// Remarks that a value may be a number although no keyword says so, at the keyword that leaves it
// open.
void Writer::remark_plain_numbers() {
  if (!options_.plain_numbers) return;
  const std::string_view words = words_of_plain_numbers(false);
  const JsonId value = coverage_.at();
  if (!document_.is_object(value)) {
    coverage_.remark(value, words);
    return;
  }
  for (const char* keyword : {"items", "additionalProperties", "properties", "type"}) {
    const auto found = document_.find(value, keyword);
    if (found && coverage_.remark(*found, words)) return;
  }
  coverage_.remark(value, words);
}

ExprId Writer::any_number() {
  const auto [found, is_new] = standard_rules_.try_emplace("number");
  if (is_new) {
    found->second = builder_.add_rule("number");
    if (options_.plain_numbers) {
      builder_.set_body(found->second, machine_of_numbers({}, {}));
      return builder_.rule_ref(found->second);
    }
    const auto digits = [&](uint32_t min) {
      return builder_.repeat(builder_.char_class({{'0', '9'}}), min, kNoUpperBound);
    };
    const ExprId first = builder_.char_class({{'1', '9'}});
    const ExprId whole =
        builder_.choice(std::array{builder_.literal("0"), sequence({first, digits(0)}, {})});
    const ExprId fraction = sequence({builder_.literal("."), digits(1)}, {});
    const ExprId exponent =
        sequence({builder_.char_class({{'e', 'e'}, {'E', 'E'}}),
                  optional(builder_.char_class({{'+', '+'}, {'-', '-'}}), {}), digits(1)},
                 {});
    builder_.set_body(found->second, sequence({optional(builder_.literal("-"), {}), whole,
                                               optional(fraction, {}), optional(exponent, {})},
                                              {}));
  }
  return builder_.rule_ref(found->second);
}

ExprId Writer::any_value() {
  const uint32_t depth = layout_.depth();
  const auto [found, is_new] =
      standard_rules_.try_emplace(depth == 0 ? "any" : concat("any_", depth));
  if (is_new) {
    const RuleId value = found->second =
        builder_.add_rule(depth == 0 ? found->first : unique_name(found->first));
    const ExprId string = any_string();
    std::vector<ExprId> all;
    if (layout_.may_nest()) {
      layout_.enter();
      const ExprId item = any_value();
      const auto list = [&](ExprId one) {
        return sequence(
            {one, builder_.repeat(sequence({layout_.comma(), one}, {}), 0, kNoUpperBound)}, {});
      };
      all.push_back(
          brackets("{", list(sequence({string, layout_.colon(), item}, {})), "}", true, {}));
      all.push_back(brackets("[", list(item), "]", true, {}));
      layout_.leave();
    }
    all.insert(all.end(), {string, any_number(), builder_.literal("true"),
                           builder_.literal("false"), builder_.literal("null")});
    builder_.set_body(value, builder_.choice(all));
  }
  return builder_.rule_ref(found->second);
}

ExprId Writer::sequence(std::span<const ExprId> parts, SourceSpan span) {
  flat_.clear();
  for (ExprId part : parts) {
    const ExprKind kind = builder_.expr(part).kind;
    if (kind == ExprKind::kEmpty) continue;
    if (kind != ExprKind::kSequence) {
      flat_.push_back(part);
      continue;
    }
    const auto inner = builder_.children(part);
    flat_.insert(flat_.end(), inner.begin(), inner.end());
  }
  return builder_.sequence(flat_, span);
}

ExprId Writer::brackets(std::string_view open, ExprId content, std::string_view close,
                        bool may_be_empty, SourceSpan span) {
  const ExprId full = sequence({content, layout_.close(close)}, span);
  if (!options_.any_whitespace) {
    const ExprId whole = sequence({layout_.open(open), full}, span);
    if (!may_be_empty) return whole;
    return builder_.choice(std::array{whole, layout_.empty(open, close)}, span);
  }
  // "{" ws (content ws "}" | "}")
  const ExprId inner =
      may_be_empty ? builder_.choice(std::array{full, builder_.literal(close, span)}, span) : full;
  return sequence({layout_.open(open), inner}, span);
}

}  // namespace xg2lab::json_schema
