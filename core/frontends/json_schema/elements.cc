// The parts of Writer that write elements, and strings that exclude texts.
// Read: elements (the properties and their order), element (one of them), then the values of each
// style.
#include "frontends/json_schema/elements.h"

#include <algorithm>
#include <array>

#include "automata/code_points_to_bytes.h"
#include "frontends/json_schema/writer.h"
#include "languages/regex/pattern.h"
#include "support/literal.h"
#include "support/text.h"

namespace xg2lab::json_schema {
namespace {

// Names that an undeclared element may have.
constexpr const char* kPlainName = "[^\\s<>\"&=\\x00-\\x1f]+";

CodePointDfa containing(std::string_view text) {
  return regex::language_of_regex(escaped_pattern(text), {}, regex::Match::kSearch);
}

// Names are written as they are, except where the surrounding attributes are escaped.
std::string written_name(std::string_view name, ElementValues values) {
  if (values != ElementValues::kTyped && values != ElementValues::kNested) return std::string(name);
  std::string escaped;
  for (const char byte : name) {
    if (byte == '&') escaped += "&amp;";
    else if (byte == '"') escaped += "&quot;";
    else escaped += byte;
  }
  return escaped;
}

// Texts that begin with a line break, and texts that end with one.
const CodePointDfa& begins_line() {
  static const CodePointDfa all = regex::language_of_regex("\\n[^]*", {}, regex::Match::kWhole);
  return all;
}
const CodePointDfa& ends_line() {
  static const CodePointDfa all = regex::language_of_regex("[^]*\\n", {}, regex::Match::kWhole);
  return all;
}

// Adds the element's line break on both sides: required if the text has one of its own there,
// otherwise optional. The result is one machine; four machines, for the texts that do or don't
// begin and end with a line break, would be four times as large.
MaybeDfa with_line_breaks(const CodePointDfa& texts) {
  const CodePointDfa line_break = only_text(std::array{uint32_t{'\n'}});
  const auto with_one = [](MaybeDfa with, MaybeDfa without) {
    return with && without ? unite(*with, *without) : std::nullopt;
  };
  const MaybeDfa before = with_one(concatenate(line_break, texts), subtract(texts, begins_line()));
  if (!before) return std::nullopt;
  return with_one(concatenate(*before, line_break), subtract(*before, ends_line()));
}

// Which combinations occur: [whether the text begins with a line break][whether it ends with one].
using Ways = std::array<std::array<bool, 2>, 2>;
Ways ways_of(const CodePointDfa& texts) {
  const size_t n_letters = texts.alphabet.n_letters();
  const std::array among{
      texts.alphabet.letters_in(CodePointSet{{0, '\n' - 1}, {'\n' + 1, 0x10FFFF}}),
      texts.alphabet.letters_in(CodePointSet{{'\n', '\n'}})};
  Ways ways{};
  ways[0][0] = texts.is_accepting[0];
  for (const bool begins : {false, true}) {
    std::vector<bool> seen(texts.n_states());
    std::vector<uint32_t> pending;
    const auto visit = [&](uint32_t state) {
      if (seen[state]) return;
      seen[state] = true;
      pending.push_back(state);
    };
    for (Letter letter = 0; letter < n_letters; ++letter) {
      if (!among[begins][letter]) continue;
      const uint32_t to = texts.step(0, letter);
      ways[begins][begins] = ways[begins][begins] || texts.is_accepting[to];
      visit(to);
    }
    while (!pending.empty()) {
      const uint32_t state = pending.back();
      pending.pop_back();
      for (Letter letter = 0; letter < n_letters; ++letter) {
        const uint32_t to = texts.step(state, letter);
        for (const bool ends : {false, true})
          ways[begins][ends] =
              ways[begins][ends] || (texts.is_accepting[to] && among[ends][letter]);
        visit(to);
      }
    }
  }
  return ways;
}

// The same as a pattern: each combination with its line breaks.
std::string words_with_line_breaks(const CodePointDfa& texts, const std::string& words) {
  const Ways ways = ways_of(texts);
  std::string all;
  for (const bool begins : {false, true}) {
    for (const bool ends : {false, true}) {
      if (!ways[begins][ends]) continue;
      const auto line_break = [](bool is_needed) { return is_needed ? "\"\\n\"" : "\"\\n\"?"; };
      const std::string that =
          concat(begins ? "(?=\\n)" : "(?!\\n)", ends ? "(?=[^]*\\n$)" : "(?![^]*\\n$)", words);
      all += all.empty() ? "(" : " | ";
      all.append(line_break(begins)).append(" Regex(").append(print_literal(that)).append(") ");
      all.append(line_break(ends));
    }
  }
  return all + ")";
}

}  // namespace

// ---- Strings without excluded texts ------------------------------------------------------------

// A JSON string. A pattern or format is the string's only constraint; excludes don't apply to it.
ExprId Writer::string(StringCase c, SourceSpan span) {
  if (options_.excludes.empty() || !c.conditions.empty())
    return c.is_any() && options_.excludes.empty() ? any_string() : texts_.string(c, span);
  if (c.values) {
    std::erase_if(*c.values, [&](std::string_view value) { return is_excluded(value); });
    return texts_.string(c, span);
  }
  std::string words;
  const MaybeDfa language = without(c, options_.excludes, words);
  return language
             ? texts_.of_language(*language, words, Spelling::kJsonString, span, document_.root())
             : builder_.nothing(span);
}

bool Writer::is_excluded(std::string_view text) const {
  return std::any_of(
      options_.excludes.begin(), options_.excludes.end(),
      [&](const std::string& exclude) { return text.find(exclude) != std::string_view::npos; });
}

MaybeDfa Writer::without(const StringCase& c, const std::vector<std::string>& texts,
                         std::string& words) {
  MaybeDfa language = texts_.language(c, document_.root());
  words = texts_.words(c);
  for (const std::string& text : texts) {
    if (language) language = subtract(*language, containing(text));
    words.insert(0, "(?![^]*" + escaped_pattern(text) + ")");
  }
  if (!language)
    coverage_.refuse(document_.root(), "string_too_large",
                     "a string without the excluded texts needs too large a machine",
                     "use smaller lengths, or exclude less");
  return language;
}

// A string without quotes and escapes, up to and including `end`. Unconstrained text and its end
// are one machine.
ExprId Writer::raw_string(const StringCase& c, std::string_view end, SourceSpan span) {
  std::vector<std::string> excludes;
  if (c.conditions.empty()) excludes = options_.excludes;
  if (c.is_any()) {
    Dispatch text;
    text.stop_eos = false;
    text.stop_texts.push_back({std::string(end), span});
    bool hides = false;  // an exclude within the end would be read before the end
    for (const std::string& exclude : excludes) {
      if (exclude == end) continue;
      hides = hides || end.find(exclude) != std::string_view::npos;
      text.excludes.push_back({exclude, span});
    }
    if (!hides) return builder_.dispatch(std::move(text), {}, span);
    text.excludes.push_back(text.stop_texts.front());
    text.stop_texts.clear();
    text.stop_eos = true;
    return sequence({builder_.dispatch(std::move(text), {}, span), builder_.literal(end, span)},
                    span);
  }
  excludes.emplace_back(end);
  const bool breaks_lines = options_.elements->breaks_lines;
  // A line break at the edge of the text needs an additional one of the element, since a reader
  // removes one.
  const auto line_break = [&](bool is_needed) {
    const ExprId one = builder_.literal("\n", span);
    return is_needed ? one : optional(one, span);
  };
  const auto between = [&](ExprId text, bool begins_line, bool ends_line) {
    const ExprId close = builder_.literal(end, span);
    if (!breaks_lines) return sequence({text, close}, span);
    return sequence({line_break(begins_line), text, line_break(ends_line), close}, span);
  };
  if (c.values) {
    std::vector<ExprId> all;
    for (std::string_view value : *c.values) {
      const bool holds_one = std::any_of(
          excludes.begin(), excludes.end(),
          [&](const std::string& text) { return value.find(text) != std::string_view::npos; });
      if (!holds_one)
        all.push_back(
            between(builder_.literal(value, span), value.starts_with('\n'), value.ends_with('\n')));
    }
    return builder_.choice(all, span);
  }
  std::string words;
  const MaybeDfa language = without(c, excludes, words);
  if (!language) return builder_.nothing(span);
  if (!breaks_lines) return between(raw_language(*language, words, span), false, false);
  const MaybeDfa lines = with_line_breaks(*language);
  if (!lines) {
    refuse_raw_text();
    return builder_.nothing(span);
  }
  return sequence({raw_machine(*lines, words_with_line_breaks(*language, words), span),
                   builder_.literal(end, span)},
                  span);
}

ExprId Writer::raw_language(const CodePointDfa& language, const std::string& words,
                            SourceSpan span) {
  return raw_machine(language, "Regex(" + print_literal(words) + ")", span);
}

ExprId Writer::raw_machine(const CodePointDfa& language, std::string words, SourceSpan span) {
  if (language.is_empty()) return builder_.nothing(span);
  auto fsm = to_bytes(language, Spelling::kUtf8, regex::kMostByteStates);
  if (!fsm) {
    refuse_raw_text();
    return builder_.nothing(span);
  }
  return builder_.machine(
      std::make_shared<const Machine>(Machine{std::move(words), std::move(*fsm)}), span);
}

void Writer::refuse_raw_text() {
  coverage_.refuse(document_.root(), "string_too_large", "this string needs too large a machine",
                   "use smaller lengths, or a simpler pattern");
}

// ---- Objects as elements -----------------------------------------------------------------------

ExprId Writer::space() {
  const ExprId one = builder_.char_class({{'\t', '\n'}, {'\r', '\r'}, {' ', ' '}});
  return builder_.repeat(one, 0, options_.max_whitespace.value_or(kUsualWhitespace));
}

// The objects that satisfy a formula; if other values do too, these are refused.
ExprId Writer::elements_of(FormulaId formula, SourceSpan span) {
  if (formula == kAlways && options_.elements->values == ElementValues::kNamed)
    refuse_names(document_.root());
  const CaseSet set =
      formula == kAlways ? CaseSet::all(bit_of(JsonType::kObject)) : algebra_.cases(formula);
  std::vector<ExprId> all;
  for (const ObjectCase& c : set.objects) all.push_back(elements(c, span));
  return builder_.choice(all, span);
}

ExprId Writer::elements(const ObjectCase& c, SourceSpan span) {
  ObjectCase all = c;
  for (const Others& others : all.others) {
    for (std::string_view name : others.filter.except_names) all.property(name, others.origin);
  }
  std::stable_partition(all.properties.begin(), all.properties.end(),
                        [](const Property& property) { return property.is_declared; });
  const JsonId origin = all.properties.empty() ? document_.root() : all.properties.front().origin;
  const bool declares = std::any_of(all.properties.begin(), all.properties.end(),
                                    [](const Property& property) { return property.is_declared; });
  // If each end repeats the name, an object without declared or mentioned properties is empty.
  const bool is_named = options_.elements->values == ElementValues::kNamed;
  const bool is_closed = options_.is_strict && !c.says_others && (declares || is_named);
  std::vector<Member> members;
  std::vector<std::string_view> taken;
  uint32_t n_required = 0;
  for (Property& property : all.properties) {
    taken.push_back(property.name);
    property.value = algebra_.value_of(all, property.name);
    const bool is_required = property.presence == Presence::kRequired;
    const bool is_possible =
        property.presence != Presence::kForbidden && algebra_.allows_name(all, property.name) &&
        !algebra_.is_never(property.value) && !(is_closed && !property.is_declared && !is_required);
    if (!is_possible && is_required) return builder_.nothing(span);
    if (!is_possible) continue;
    const SourceSpan place = document_.key_span(property.origin).empty()
                                 ? document_.span(property.origin)
                                 : document_.key_span(property.origin);
    const std::string name = written_name(property.name, options_.elements->values);
    members.push_back({property.name,
                       element(builder_.literal(name, place), name, property.value, place),
                       is_required, false});
    n_required += is_required ? 1 : 0;
  }
  const bool counts = c.min > n_required || (c.max != kUnbounded && c.max < members.size()) ||
                      (c.max != kUnbounded && !is_closed);
  if (!c.some.empty() || !c.odd_names.empty() ||
      (counts && !(options_.any_order && members.size() > 1)))
    coverage_.refuse(origin, "unsupported_combination",
                     concat("style ", options_.elements->name,
                            " can't enforce this object's combined property constraints"),
                     "declare the properties, without counting them");
  if (!is_closed) add_other_elements(all, taken, origin, members, span);
  std::vector<ExprId> parts;
  if (options_.any_order && members.size() > 1) return unordered_elements(members, c, span);
  for (const Member& member : members) {
    parts.push_back(
        member.is_required
            ? member.expr
            : builder_.repeat(member.expr, 0, member.may_repeat ? kNoUpperBound : 1, span));
  }
  return builder_.sequence(parts, span);
}

ExprId Writer::unordered_elements(const std::vector<Member>& members, const ObjectCase& c,
                                  SourceSpan span) {
  AnyOrderBounds bounds;
  bounds.min_total = c.min;
  bounds.max_total = c.max == kUnbounded ? AnyOrderBounds::kNoMax : c.max;
  std::vector<ExprId> children;
  for (const Member& member : members) {
    const RuleId rule = builder_.add_rule(unique_name(concat(member.name, "_element")), span);
    builder_.set_body(rule, member.expr, span);
    bounds.members.push_back({member.is_required, member.may_repeat});
    children.push_back(builder_.rule_ref(rule, span));
  }
  if (!bounds.is_possible()) return builder_.nothing(span);
  children.push_back(builder_.empty(span));  // empty separator
  return builder_.any_order(std::move(bounds), children, span);
}

void Writer::refuse_names(JsonId origin) {
  coverage_.refuse(origin, "unsupported_style",
                   concat("style ", options_.elements->name,
                          " repeats each property's name, so all of them have to be declared"),
                   "list the properties, and set additionalProperties to false");
}

// Undeclared properties, grouped by the requirements on their names. Impossible in a style that
// repeats names.
void Writer::add_other_elements(const ObjectCase& all, const std::vector<std::string_view>& taken,
                                JsonId origin, std::vector<Member>& members, SourceSpan span) {
  const bool is_named = options_.elements->values == ElementValues::kNamed;
  const CodePointDfa plain = regex::language_of_regex(kPlainName, {}, regex::Match::kWhole);
  std::vector<ExprId> others;
  for (const NameRegion& region : names_.regions(all, taken, origin)) {
    FormulaId value = kAlways;
    for (const Others& other : all.others) {
      if (Names::applies(other.filter, region)) value = formulas_.both(value, other.value);
    }
    const MaybeDfa names = intersect(Names::language(region), plain);
    if (!names || names->is_empty() || algebra_.is_never(value)) continue;
    if (is_named) {
      refuse_names(origin);
      return;
    }
    const std::string words = "(?=" + Names::words(region) + "$)" + kPlainName;
    others.push_back(element(raw_language(*names, words, span), {}, value, span));
  }
  if (!others.empty()) members.push_back({"others", builder_.choice(others, span), false, true});
}

ExprId Writer::element(ExprId name, std::string_view written_name, FormulaId value,
                       SourceSpan span) {
  const ElementStyle& style = *options_.elements;
  std::vector<ExprId> parts{space(), builder_.literal(style.begin, span), name,
                            builder_.literal(style.behind_name, span)};
  if (style.name == "glm_xml") {
    parts.push_back(space());
    parts.push_back(builder_.literal("<arg_value>", span));
  }
  parts.push_back(element_value(value, written_name, span));
  return builder_.sequence(parts, span);
}

// ---- Values by style ---------------------------------------------------------------------------

// The ways to write a value that ends its element: strings as raw text, other values as JSON or as
// elements within this one. The style defines the text that announces each way.
class Writer::ElementValue {
 public:
  ElementValue(Writer& writer, FormulaId formula, SourceSpan span)
      : writer_(writer),
        builder_(writer.builder_),
        style_(*writer.options_.elements),
        span_(span),
        formula_(writer.canonical(formula)),
        set_(formula_ == kAlways ? CaseSet::all() : writer.algebra_.cases(formula_)),
        strings_(std::exchange(set_.strings, {})) {}

  // The value up to the element's end, and the end. `name`: of the element.
  ExprId write(std::string_view name) {
    switch (style_.values) {
      case ElementValues::kRaw:
        add_texts("");
        if (!holds_any_text() || !writer_.options_.excludes.empty()) add_json("", set_);
        break;
      case ElementValues::kString:
        add_texts("true\">");
        add_json("false\">", set_);
        break;
      case ElementValues::kTyped: add_typed(); break;
      case ElementValues::kNested: add_nested(); break;
      case ElementValues::kNamed: {
        add_within_name();
        const ExprId named = builder_.literal(concat("</", name, ">"), span_);
        return writer_.sequence({builder_.choice(ways_, span_), named}, span_);
      }
    }
    return builder_.choice(ways_, span_);
  }

 private:
  void add_texts(std::string_view head) {
    for (const StringCase& c : strings_)
      add({builder_.literal(head, span_), writer_.raw_string(c, style_.end, span_)});
  }

  // Values without strings, which add_texts writes.
  void add_json(std::string_view head, const CaseSet& values) {
    if (values.is_empty()) return;
    add({builder_.literal(head, span_), writer_.space(), writer_.cases(values, span_),
         writer_.space(), end()});
  }

  void add_typed() {
    add_texts("string\"<|sep|>");
    CaseSet null, boolean, numbers, arrays, objects;
    null.null = set_.null;
    boolean.boolean = set_.boolean;
    numbers.numbers = set_.numbers;
    arrays.arrays = set_.arrays;
    objects.objects = set_.objects;
    add_json("null\"<|sep|>", null);
    add_json("boolean\"<|sep|>", boolean);
    add_json("number\"<|sep|>", numbers);
    add_json("array\"<|sep|>", arrays);
    add_json("object\"<|sep|>", objects);
  }

  void add_nested() {
    add_texts("raw\">");
    add_json("json\">", scalars());
    if (!set_.objects.empty())
      add({builder_.literal("dict\">", span_), nested(true), writer_.space(), end()});
    if (!set_.arrays.empty())
      add({builder_.literal("list\">", span_), nested(false), writer_.space(), end()});
  }

  // The closing name behind these ways is the same for all.
  void add_within_name() {
    for (const StringCase& c : strings_) ways_.push_back(writer_.raw_string(c, style_.end, span_));
    if (const CaseSet values = scalars(); !values.is_empty())
      add({writer_.cases(values, span_), end()});
    if (!set_.objects.empty()) add({nested(true), writer_.space(), end()});
    if (!set_.arrays.empty()) add({nested(false), writer_.space(), end()});
  }

  void add(std::initializer_list<ExprId> parts) { ways_.push_back(writer_.sequence(parts, span_)); }
  ExprId nested(bool is_object) { return writer_.nested(formula_, is_object, span_); }
  ExprId end() { return builder_.literal(style_.end, span_); }
  bool holds_any_text() const {
    return std::ranges::any_of(strings_, [](const StringCase& c) { return c.is_any(); });
  }
  CaseSet scalars() const {
    CaseSet scalars = set_;
    scalars.arrays.clear();
    scalars.objects.clear();
    return scalars;
  }

  Writer& writer_;
  GrammarBuilder& builder_;
  const ElementStyle& style_;
  const SourceSpan span_;
  const FormulaId formula_;
  CaseSet set_;  // without the strings
  const std::vector<StringCase> strings_;
  std::vector<ExprId> ways_;
};

ExprId Writer::element_value(FormulaId formula, std::string_view name, SourceSpan span) {
  return ElementValue(*this, formula, span).write(name);
}

// Nested objects or arrays as elements: a rule for each formula, since they may be recursive.
ExprId Writer::nested(FormulaId formula, bool is_object, SourceSpan span) {
  const auto [found, is_new] = element_rules_.try_emplace({formula, is_object});
  if (is_new) {
    found->second = builder_.add_rule(unique_name(is_object ? "elements" : "items"), span);
    pending_elements_.push_back({found->second, formula, is_object});
  }
  return builder_.rule_ref(found->second, span);
}

ExprId Writer::list_elements(const ArrayCase& c, SourceSpan span) {
  if (!c.contains.empty() || c.unique)
    coverage_.refuse(
        document_.root(), "unsupported_combination",
        concat("style ", options_.elements->name, " can't enforce contains or uniqueItems"),
        "leave them out");
  const bool is_named = options_.elements->values == ElementValues::kNamed;
  const auto item = [&](FormulaId formula) {
    if (is_named) return element(builder_.literal("item", span), "item", formula, span);
    return sequence(
        {space(), builder_.literal("<cofl:value type=\"", span), element_value(formula, {}, span)},
        span);
  };
  const auto n_fixed = static_cast<uint32_t>(c.prefix.size());
  const bool may_go_on = !algebra_.is_never(c.rest);
  const auto left = [](uint32_t bound, uint32_t n) { return bound > n ? bound - n : 0; };
  ExprId all = builder_.empty(span);
  if (may_go_on)
    all = builder_.repeat(item(c.rest), left(c.min, n_fixed),
                          c.max == kUnbounded ? kNoUpperBound : left(c.max, n_fixed), span);
  for (uint32_t i = n_fixed; i-- > 0;) {
    if (i >= c.max) continue;
    const ExprId one = sequence({item(c.prefix[i]), all}, span);
    all = i < c.min ? one : builder_.repeat(one, 0, 1, span);
  }
  return all;
}

void Writer::write_pending_elements() {
  while (!pending_elements_.empty()) {
    const PendingElements next = pending_elements_.back();
    pending_elements_.pop_back();
    const SourceSpan span = span_of(next.formula);
    std::vector<ExprId> all;
    const CaseSet set = next.formula == kAlways ? CaseSet::all() : algebra_.cases(next.formula);
    if (next.is_object) {
      for (const ObjectCase& c : set.objects) all.push_back(elements(c, span));
    } else {
      for (const ArrayCase& c : set.arrays) all.push_back(list_elements(c, span));
    }
    builder_.set_body(next.rule, builder_.choice(all, span), span);
  }
}

}  // namespace xg2lab::json_schema
