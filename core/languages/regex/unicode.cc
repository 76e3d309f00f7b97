// Read: property, and the three kinds of tables that it consults.
#include "languages/regex/unicode.h"

#include <algorithm>
#include <array>
#include <map>

#include "languages/regex/unicode_tables.h"
#include "support/suggest.h"
#include "support/text.h"
#include "support/utf8.h"

namespace xg2lab::regex {
namespace {

// ---- General categories: numbers of the table, and groups of them ----

struct Category {
  std::string_view names;  // without case, spaces, hyphens, underscores
  uint32_t members;        // bit i: category i of the table
};

constexpr uint32_t bit(uint32_t category) { return uint32_t{1} << category; }
constexpr uint32_t bits(uint32_t first, uint32_t last) { return (bit(last) << 1) - bit(first); }

constexpr std::array<Category, 38> kCategories{{
    {"lu uppercaseletter", bit(0)},
    {"ll lowercaseletter", bit(1)},
    {"lt titlecaseletter", bit(2)},
    {"lm modifierletter", bit(3)},
    {"lo otherletter", bit(4)},
    {"mn nonspacingmark", bit(5)},
    {"mc spacingmark", bit(6)},
    {"me enclosingmark", bit(7)},
    {"nd decimalnumber digit", bit(8)},
    {"nl letternumber", bit(9)},
    {"no othernumber", bit(10)},
    {"pc connectorpunctuation", bit(11)},
    {"pd dashpunctuation", bit(12)},
    {"ps openpunctuation", bit(13)},
    {"pe closepunctuation", bit(14)},
    {"pi initialpunctuation", bit(15)},
    {"pf finalpunctuation", bit(16)},
    {"po otherpunctuation", bit(17)},
    {"sm mathsymbol", bit(18)},
    {"sc currencysymbol", bit(19)},
    {"sk modifiersymbol", bit(20)},
    {"so othersymbol", bit(21)},
    {"zs spaceseparator", bit(22)},
    {"zl lineseparator", bit(23)},
    {"zp paragraphseparator", bit(24)},
    {"cc control cntrl", bit(25)},
    {"cf format", bit(26)},
    {"cs surrogate", bit(27)},
    {"co privateuse", bit(28)},
    {"cn unassigned", bit(29)},
    {"lc casedletter", bits(0, 2)},
    {"l letter", bits(0, 4)},
    {"m mark combiningmark", bits(5, 7)},
    {"n number", bits(8, 10)},
    {"p punctuation punct", bits(11, 17)},
    {"s symbol", bits(18, 21)},
    {"z separator", bits(22, 24)},
    {"c other", bits(25, 29)},
}};

// ---- Binary properties: sets of the table, or derived ----

struct Binary {
  std::string_view names;
  uint32_t categories;        // bits, as above
  std::string_view sets;      // sets of the table to add
  std::string_view left_out;  // sets of the table to remove
};

constexpr uint32_t kLetters = bits(0, 4);
constexpr uint32_t kIdStart = kLetters | bit(9);
constexpr uint32_t kIdContinue = kIdStart | bit(5) | bit(6) | bit(8) | bit(11);
constexpr std::string_view kPatterns = "patternsyntax patternwhitespace";

constexpr std::array<Binary, 38> kBinaries{{
    {"alphabetic alpha", kIdStart, "otheralphabetic otherlowercase otheruppercase", ""},
    {"lowercase lower", bit(1), "otherlowercase", ""},
    {"uppercase upper", bit(0), "otheruppercase", ""},
    {"cased", bits(0, 2), "otherlowercase otheruppercase", ""},
    {"math", bit(18), "othermath", ""},
    {"idstart ids", kIdStart, "otheridstart", kPatterns},
    {"idcontinue idc", kIdContinue, "otheridstart otheridcontinue", kPatterns},
    {"assigned", bits(0, 28), "", ""},
    {"whitespace space wspace", 0, "whitespace", ""},
    {"dash", 0, "dash", ""},
    {"diacritic dia", 0, "diacritic", ""},
    {"emoji", 0, "emoji", ""},
    {"emojicomponent ecomp", 0, "emojicomponent", ""},
    {"emojimodifier emod", 0, "emojimodifier", ""},
    {"emojimodifierbase ebase", 0, "emojimodifierbase", ""},
    {"emojipresentation epres", 0, "emojipresentation", ""},
    {"extendedpictographic extpict", 0, "extendedpictographic", ""},
    {"extender ext", 0, "extender", ""},
    {"hexdigit hex", 0, "hexdigit", ""},
    {"asciihexdigit ahex", 0, "asciihexdigit", ""},
    {"ideographic ideo", 0, "ideographic", ""},
    {"unifiedideograph uideo", 0, "unifiedideograph", ""},
    {"radical", 0, "radical", ""},
    {"joincontrol joinc", 0, "joincontrol", ""},
    {"bidicontrol bidic", 0, "bidicontrol", ""},
    {"noncharactercodepoint nchar", 0, "noncharactercodepoint", ""},
    {"defaultignorablecodepoint di", 0, "defaultignorablecodepoint", ""},
    {"deprecated dep", 0, "deprecated", ""},
    {"logicalorderexception loe", 0, "logicalorderexception", ""},
    {"patternsyntax patsyn", 0, "patternsyntax", ""},
    {"patternwhitespace patws", 0, "patternwhitespace", ""},
    {"quotationmark qmark", 0, "quotationmark", ""},
    {"regionalindicator ri", 0, "regionalindicator", ""},
    {"sentenceterminal sterm", 0, "sentenceterminal", ""},
    {"softdotted sd", 0, "softdotted", ""},
    {"terminalpunctuation term", 0, "terminalpunctuation", ""},
    {"variationselector vs", 0, "variationselector", ""},
    {"any", bits(0, 29), "", ""},
}};

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

bool is_one_of(std::string_view names, std::string_view name) {
  const auto words = words_of(names);
  return std::find(words.begin(), words.end(), name) != words.end();
}

CodePointSet of_categories(uint32_t members) {
  CodePointSet set;
  uint32_t at = 0;
  for (uint32_t run : kGeneralCategories) {
    const uint32_t length = run / 32;
    if ((members & bit(run % 32)) != 0) set.push_back({at, at + length - 1});
    at += length;
  }
  return normal(std::move(set));
}

CodePointSet of_named_set(std::string_view name) {
  const auto named = std::find_if(kSets.begin(), kSets.end(), [&](const NamedSet& candidate) {
    return candidate.name == name;
  });
  CodePointSet set;
  uint32_t at = 0;
  for (uint32_t i = 0; i < named->count; i += 2) {
    at += kSetRuns[named->first + i];
    const uint32_t length = kSetRuns[named->first + i + 1];
    set.push_back({at, at + length - 1});
    at += length;
  }
  return normal(std::move(set));
}

CodePointSet of_binary(const Binary& binary) {
  CodePointSet set = of_categories(binary.categories);
  for (std::string_view name : words_of(binary.sets)) set = unite(set, of_named_set(name));
  for (std::string_view name : words_of(binary.left_out)) {
    set = intersect(set, complement(of_named_set(name)));
  }
  return set;
}

std::optional<CodePointSet> of_category(std::string_view name) {
  for (const Category& category : kCategories) {
    if (is_one_of(category.names, name)) return of_categories(category.members);
  }
  return std::nullopt;
}

std::optional<CodePointSet> of_script(std::string_view name, bool with_extensions) {
  const auto names = std::find_if(kScriptNames.begin(), kScriptNames.end(),
                                  [&](std::string_view all) { return is_one_of(all, name); });
  if (names == kScriptNames.end()) return std::nullopt;
  const auto script = static_cast<uint32_t>(names - kScriptNames.begin());
  CodePointSet set;
  uint32_t at = 0;
  for (uint32_t run : kScripts) {
    if (run % 256 == script) set.push_back({at, at + run / 256 - 1});
    at += run / 256;
  }
  set = normal(std::move(set));
  if (!with_extensions) return set;
  const auto ranges_of = [script](std::span<const ScriptRange> rows) {
    CodePointSet ranges;
    for (const ScriptRange& row : rows) {
      if (row.script == script) ranges.push_back({row.lo, row.hi});
    }
    return ranges;
  };
  set = intersect(set, complement(ranges_of(kFewerScripts)));
  return unite(set, ranges_of(kMoreScripts));
}

// Removes case, spaces, hyphens and underscores.
std::string loose(std::string_view name) {
  std::string kept;
  for (char c : name) {
    if (c == ' ' || c == '-' || c == '_') continue;
    kept += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return kept;
}

// ---- Cases ----

const std::map<uint32_t, std::vector<uint32_t>>& same_but_for_case() {
  static const auto* const kClasses = [] {
    auto* classes =
        new std::map<uint32_t, std::vector<uint32_t>>;  // never freed: used until the process ends
    for (const FoldRun& run : kFoldRuns) {
      for (uint32_t i = 0; i < run.count; ++i) {
        const uint32_t point = run.first + i * run.step;
        auto& members = (*classes)[point - run.distance];
        if (members.empty()) members.push_back(point - run.distance);
        members.push_back(point);
      }
    }
    return classes;
  }();
  return *kClasses;
}

}  // namespace

std::optional<CodePointSet> property(std::string_view words) {
  const size_t equals = words.find('=');
  if (equals != std::string_view::npos) {
    const std::string name = loose(words.substr(0, equals));
    const std::string value = loose(words.substr(equals + 1));
    if (is_one_of("generalcategory gc", name)) return of_category(value);
    if (is_one_of("script sc", name)) return of_script(value, false);
    if (is_one_of("scriptextensions scx", name)) return of_script(value, true);
    return std::nullopt;
  }
  const std::string name = loose(words);
  if (auto set = of_category(name)) return set;
  if (name == "ascii") return CodePointSet{{0, 0x7F}};
  for (const Binary& binary : kBinaries) {
    if (is_one_of(binary.names, name)) return of_binary(binary);
  }
  return std::nullopt;
}

std::optional<std::string> property_like(std::string_view words) {
  const std::string name = loose(words);
  if (of_script(name, false)) return concat("Script=", words);
  std::vector<std::string_view> names{"ascii"};
  for (const Category& category : kCategories) {
    for (std::string_view known : words_of(category.names)) names.push_back(known);
  }
  for (const Binary& binary : kBinaries) {
    for (std::string_view known : words_of(binary.names)) names.push_back(known);
  }
  const auto near = closest_name(name, names);
  return near ? std::optional<std::string>(*near) : std::nullopt;
}

CodePointSet with_other_cases(const CodePointSet& set) {
  // A member of a case class, and the class; ascending.
  using Member = std::pair<uint32_t, const std::vector<uint32_t>*>;
  static const auto* const kMembers = [] {
    auto* members = new std::vector<Member>;  // never freed: used until the process ends
    for (const auto& [folded, points] : same_but_for_case()) {
      for (uint32_t point : points) members->emplace_back(point, &points);
    }
    std::ranges::sort(*members);
    return members;
  }();
  CodePointSet all = set;
  for (const CodePointRange& range : set) {
    auto at = std::ranges::lower_bound(*kMembers, range.lo, {}, &Member::first);
    for (; at != kMembers->end() && at->first <= range.hi; ++at) {
      for (uint32_t point : *at->second) all.push_back({point, point});
    }
  }
  return normal(std::move(all));
}

CodePointSet digits() { return {{'0', '9'}}; }

CodePointSet spaces() {
  return {{0x09, 0x0D},     {0x20, 0x20},     {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
          {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
}

CodePointSet word_characters() { return {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}; }

CodePointSet line_terminators() { return {{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}; }

CodePointSet any() { return complement(CodePointSet{}); }

const CodePointSet& python_digits() {
  static const CodePointSet set = *property("Nd");
  return set;
}

const CodePointSet& python_spaces() {
  static const CodePointSet set = normal({{0x09, 0x0D},
                                          {0x1C, 0x20},
                                          {0x85, 0x85},
                                          {0xA0, 0xA0},
                                          {0x1680, 0x1680},
                                          {0x2000, 0x200A},
                                          {0x2028, 0x2029},
                                          {0x202F, 0x202F},
                                          {0x205F, 0x205F},
                                          {0x3000, 0x3000}});
  return set;
}

const CodePointSet& python_word_characters() {
  static const CodePointSet set =
      unite(unite(*property("L"), *property("N")), CodePointSet{{'_', '_'}});
  return set;
}

}  // namespace xg2lab::regex
