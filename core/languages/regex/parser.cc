// Recursive descent: disjunction, alternative, term. Depth is limited (most_nesting_). Read:
// Parser::parse, read_choice, read_term; then groups, classes, counts. The trick: flags are applied
// while reading, so the tree has none; (?i) applies until its group ends.
#include "languages/regex/parser.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "languages/regex/escapes.h"
#include "languages/regex/unicode.h"
#include "support/bounds.h"
#include "support/findings.h"
#include "support/nesting.h"
#include "support/text.h"
#include "support/utf8.h"

namespace xg2lab::regex {
namespace {

struct Bounds {
  uint32_t min;
  uint32_t max;
  bool is_lazy = false;
};

class Parser {
 public:
  Parser(std::string_view pattern, Flags flags, const Report& report)
      : pattern_(pattern), flags_(flags), report_(report) {}

  Ast parse() {
    ast_.root = read_choice();
    while (at_ < pattern_.size()) {  // only a closing parenthesis also stops read_choice early
      report_("bad_regex", "`)` closes nothing", {at_, at_ + 1}, "remove it, or write \\)");
      ++at_;
      read_choice();
    }
    return std::move(ast_);
  }

 private:
  bool is_at(std::string_view words) const { return pattern_.substr(at_, words.size()) == words; }
  bool is_over() const { return at_ >= pattern_.size(); }
  SourceSpan since(uint32_t begin) const { return {begin, at_}; }
  std::string shown(uint32_t begin) const { return quoted(pattern_.substr(begin, at_ - begin)); }

  // ---- From choices down to terms ----

  NodeId read_choice() {
    const uint32_t begin = at_;
    const Flags outside = flags_;
    std::vector<NodeId> branches{read_sequence()};
    while (!is_over() && pattern_[at_] == '|') {
      ++at_;
      branches.push_back(read_sequence());
    }
    flags_ = outside;
    return ast_.add_choice(std::move(branches), since(begin));
  }

  NodeId read_sequence() {
    const uint32_t begin = at_;
    std::vector<NodeId> parts;
    while (!is_over() && pattern_[at_] != '|' && pattern_[at_] != ')') {
      const uint32_t before = at_;
      std::optional<NodeId> part = read_term();
      if (!part) continue;
      const bool is_assertion = ast_[*part].kind == NodeKind::kLookaround || is_boundary_;
      is_boundary_ = false;
      while (const auto bounds = read_bounds()) {
        if (is_assertion) {
          report_("bad_regex", "an assertion can't be repeated", {before, at_},
                  "remove the repetition");
        } else {
          *part = ast_.add_repeat(*part, bounds->min, bounds->max, since(before));
          const bool is_new = bounds->min != 1 || bounds->max != 1;
          if (bounds->is_lazy && is_new && bounds->max > 0) ast_.set_lazy(*part);
        }
        if (is_at_bounds()) refuse_second_bounds();
      }
      parts.push_back(*part);
    }
    return ast_.add_sequence(std::move(parts), since(begin));
  }

  // Nothing if there is no term, or if it has no effect by itself (a comment, flags).
  std::optional<NodeId> read_term() {
    const uint32_t begin = at_;
    if (is_at_bounds()) {
      read_bounds();
      report_("bad_regex", shown(begin) + " repeats nothing", since(begin),
              "write what is to be repeated before it, or a backslash");
      return std::nullopt;
    }
    switch (pattern_[at_]) {
      case '(': return read_group();
      case '[': {
        CodePointSet set = read_class();  // before the span, since reading moves at_
        return ast_.add_class(std::move(set), since(begin));
      }
      case '.':
        ++at_;
        return ast_.add_class(flags_.dot_all ? any() : complement(line_ends()), since(begin));
      case '^': ++at_; return edge(false, flags_.multi_line, since(begin));
      case '$': ++at_; return edge(true, flags_.multi_line, since(begin));
      case '\\': return read_backslash();
      case '{':
        if (is_at("{,") && !flags_.is_python) refuse_open_bounds();
        break;
      default: break;
    }
    const auto plain = decode_utf8(pattern_, at_);
    at_ += plain ? plain->n_bytes : 1;
    const uint32_t code_point = plain ? plain->code_point : 0xFFFD;
    return ast_.add_class(cased({{code_point, code_point}}), since(begin));
  }

  NodeId read_backslash() {
    const uint32_t begin = at_;
    const char letter = at_ + 1 < pattern_.size() ? pattern_[at_ + 1] : '\0';
    switch (letter) {
      case 'b':
      case 'B': at_ += 2; return boundary(letter == 'B', since(begin));
      case 'A': at_ += 2; return edge(false, false, since(begin));
      case 'z':
      case 'Z': at_ += 2; return edge(true, false, since(begin));
      default: break;
    }
    const auto escape = read_escape(pattern_, at_, false, flags_, report_);
    if (!escape) return ast_.add_sequence({}, since(begin));
    CodePointSet set = escape->set;
    if (!escape->is_set) set = normal({{escape->code_point, escape->code_point}});
    return ast_.add_class(cased(std::move(set)), since(begin));
  }

  CodePointSet line_ends() const {
    return flags_.is_python ? CodePointSet{{'\n', '\n'}} : line_terminators();
  }

  CodePointSet cased(CodePointSet set) const {
    return flags_.ignore_case ? with_other_cases(set) : set;
  }

  // ---- Assertions ----

  // The edge of the text, or, with `of_line`, of a line.
  NodeId edge(bool is_ahead, bool of_line, SourceSpan span) {
    const NodeId other = ast_.add_class(of_line ? complement(line_ends()) : any(), span);
    return ast_.add_lookaround(other, is_ahead, true, span);
  }

  NodeId boundary(bool is_negated, SourceSpan span) {
    check_not_behind("a word boundary", span);
    CodePointSet words = flags_.is_python ? python_word_characters() : word_characters();
    if (flags_.ignore_case) words = with_other_cases(words);
    const auto look = [&](bool is_ahead, bool is_negative) {
      return ast_.add_lookaround(ast_.add_class(words, span), is_ahead, is_negative, span);
    };
    // \b: exactly one side is a word character. \B: both sides are, or neither is.
    const NodeId first = ast_.add_sequence({look(false, false), look(true, !is_negated)}, span);
    const NodeId second = ast_.add_sequence({look(false, true), look(true, is_negated)}, span);
    is_boundary_ = true;
    return ast_.add_choice({first, second}, span);
  }

  void check_not_behind(const char* what, SourceSpan span) {
    if (!is_behind_) return;
    report_("unsupported_regex", concat(what, " in a lookbehind is not supported"), span,
            "write it outside of the lookbehind");
  }

  // ---- Groups ----

  std::optional<NodeId> read_group() {
    const uint32_t begin = at_;
    if (depth_ >= most_nesting_) {
      if (!is_too_deep_) {
        report_("nesting_too_deep", concat("groups are nested more than ", most_nesting_, " deep"),
                {at_, at_ + 1}, "write the pattern with fewer groups in groups");
      }
      is_too_deep_ = true;
      at_ = static_cast<uint32_t>(pattern_.size());
      return std::nullopt;
    }
    if (is_at("(?#")) return skip_comment();
    for (const auto& [opening, is_ahead, is_negative] :
         {LookaroundSyntax{"(?=", true, false}, LookaroundSyntax{"(?!", true, true},
          LookaroundSyntax{"(?<=", false, false}, LookaroundSyntax{"(?<!", false, true}}) {
      if (is_at(opening)) return read_lookaround({opening, is_ahead, is_negative});
    }
    const Flags outside = flags_;
    if (is_at("(?")) {
      at_ += 2;
      if (!read_group_kind(begin)) return std::nullopt;
    } else {
      ++at_;
    }
    const NodeId inner = read_inner();
    close(begin);
    flags_ = outside;
    is_boundary_ = false;
    return group(inner);
  }

  struct LookaroundSyntax {
    std::string_view opening;
    bool is_ahead;
    bool is_negative;
  };

  // The content of a group.
  NodeId read_inner() {
    ++depth_;
    const NodeId inner = read_choice();
    --depth_;
    return inner;
  }

  // A group may be repeated even if it contains an assertion.
  NodeId group(NodeId inner) {
    if (ast_[inner].kind != NodeKind::kLookaround) return inner;
    Node node;
    node.span = ast_[inner].span;
    node.children = {inner};
    return ast_.add(std::move(node));
  }

  NodeId read_lookaround(const LookaroundSyntax& look) {
    const uint32_t begin = at_;
    at_ += static_cast<uint32_t>(look.opening.size());
    if (look.is_ahead) check_not_behind("a lookahead", since(begin));
    const bool was_behind = std::exchange(is_behind_, is_behind_ || !look.is_ahead);
    const NodeId inner = read_inner();
    is_behind_ = was_behind;
    close(begin);
    return ast_.add_lookaround(inner, look.is_ahead, look.is_negative, since(begin));
  }

  void close(uint32_t begin) {
    if (!is_over() && pattern_[at_] == ')') {
      ++at_;
    } else if (!is_too_deep_) {
      report_("bad_regex", "`(` is not closed", {begin, begin + 1}, "add ), or write \\(");
    }
  }

  std::optional<NodeId> skip_comment() {
    const uint32_t begin = at_;
    while (!is_over() && pattern_[at_] != ')') ++at_;
    close(begin);
    return std::nullopt;
  }

  // Reads from `(?` up to the start of the group's content. Returns false if the group is complete.
  bool read_group_kind(uint32_t begin) {
    const size_t name = is_at("P<") ? 2 : (is_at("<") ? 1 : 0);
    if (name > 0) {
      const size_t end = pattern_.find('>', at_);
      const bool is_named = end != std::string_view::npos && end > at_ + name &&
                            is_name(pattern_.substr(at_ + name, end - at_ - name));
      if (is_named) {
        at_ = static_cast<uint32_t>(end + 1);
      } else {
        at_ += static_cast<uint32_t>(name);
        report_("bad_regex", "this group has no name", since(begin),
                "write (?<name>...) or (?:...)");
      }
      return true;
    }
    if (is_at("P=") || is_at("P>") || is_at("R") || is_at("&") || is_at("0")) {
      return skip_group(
          begin, "is not supported",
          "no grammar can compare two texts; a pattern can't refer to itself: write a rule");
    }
    if (is_at(">")) {
      return skip_group(begin, "is atomic, which is not supported",
                        "write (?:...) if it means the same");
    }
    if (is_at("|") || is_at("(") || is_at("P") || is_at("'")) {
      return skip_group(begin, "is of a kind that is not supported", "write (?:...)");
    }
    return read_modifiers(begin);
  }

  static bool is_name(std::string_view words) {
    for (size_t at = 0; at < words.size();) {
      const auto here = decode_utf8(words, at);
      if (!here || !(is_name_character(here->code_point) || here->code_point == '$')) return false;
      at += here->n_bytes;
    }
    return words[0] < '0' || words[0] > '9';
  }

  // Reads the group's content only to report its mistakes.
  bool skip_group(uint32_t begin, const char* what, const char* hint) {
    ++at_;
    report_("unsupported_regex", "group " + shown(begin) + " " + what, since(begin), hint);
    read_inner();
    if (!is_over()) ++at_;
    return false;
  }

  // i, m, s, u; a minus separates the flags that are set from those that are cleared; then `:` or
  // `)`.
  bool read_modifiers(uint32_t begin) {
    Flags changed = flags_;
    bool value = true;
    for (; !is_over() && pattern_[at_] != ')' && pattern_[at_] != ':'; ++at_) {
      switch (pattern_[at_]) {
        case '-': value = false; break;
        case 'i': changed.ignore_case = value; break;
        case 'm': changed.multi_line = value; break;
        case 's': changed.dot_all = value; break;
        case 'u': break;
        default: {
          const auto whole = decode_utf8(pattern_, at_);
          const uint32_t end = at_ + (whole ? whole->n_bytes : 1);
          report_("unsupported_regex",
                  "group modifier " + quoted(pattern_.substr(at_, end - at_)) + " is not supported",
                  {at_, end},
                  "the modifiers are i, m, s and u; a group without captures is (?:...)");
          at_ = end - 1;
        }
      }
    }
    flags_ = changed;
    if (is_over()) {
      close(begin);
      return false;
    }
    const bool has_content = pattern_[at_++] == ':';
    return has_content;  // otherwise the flags apply up to the end of the surrounding group
  }

  // ---- Classes ----

  CodePointSet read_class() {
    const uint32_t begin = at_++;
    const bool is_negated = !is_over() && pattern_[at_] == '^';
    if (is_negated) ++at_;
    CodePointSet set;
    const uint32_t first = at_;  // in Python, a bracket in this position is a character
    while (!is_over() && (pattern_[at_] != ']' || (flags_.is_python && at_ == first))) {
      const uint32_t item = at_;
      const auto lo = read_class_atom();
      const bool is_range =
          at_ + 1 < pattern_.size() && pattern_[at_] == '-' && pattern_[at_ + 1] != ']';
      if (!is_range || !lo || lo->is_set) {
        if (lo) add(set, *lo);
        continue;
      }
      const uint32_t hyphen = at_++;
      const auto hi = read_class_atom();
      if (!hi) continue;
      if (hi->is_set) {  // [a-\d] means a, a hyphen, digits
        at_ = hyphen;
        add(set, *lo);
        add(set, {false, '-', {}});
        ++at_;
        continue;
      }
      add_range(set, lo->code_point, hi->code_point, since(item));
    }
    if (is_over()) {
      report_("bad_regex", "`[` is not closed", {begin, begin + 1}, "add ], or write \\[");
    } else {
      ++at_;
    }
    set = cased(normal(std::move(set)));
    return is_negated ? complement(set) : set;
  }

  std::optional<Escape> read_class_atom() {
    if (pattern_[at_] == '\\') return read_escape(pattern_, at_, true, flags_, report_);
    const auto plain = decode_utf8(pattern_, at_);
    at_ += plain ? plain->n_bytes : 1;
    return Escape{false, plain ? plain->code_point : 0xFFFD, {}};
  }

  static void add(CodePointSet& set, const Escape& atom) {
    if (atom.is_set) set.insert(set.end(), atom.set.begin(), atom.set.end());
    else set.push_back({atom.code_point, atom.code_point});
  }

  void add_range(CodePointSet& set, uint32_t lo, uint32_t hi, SourceSpan span) {
    if (lo <= hi) {
      set.push_back({lo, hi});
      return;
    }
    report_(
        "bad_regex",
        "range " + quoted(pattern_.substr(span.begin, span.end - span.begin)) + " runs backwards",
        span, "write the smaller code point first; a hyphen itself is \\-");
  }

  // ---- Counts ----

  // The end of `{n}`, `{n,}` or `{n,m}` at `at`, in Python also `{,m}`; nothing if there is none.
  std::optional<size_t> braces_end(size_t at) const {
    const auto digits = [&] {
      const size_t first = at;
      while (at < pattern_.size() && pattern_[at] >= '0' && pattern_[at] <= '9') ++at;
      return at > first;
    };
    if (at >= pattern_.size() || pattern_[at++] != '{') return std::nullopt;
    const bool has_min = digits();
    bool has_max = false;
    if (at < pattern_.size() && pattern_[at] == ',') {
      ++at;
      has_max = digits();
    }
    if (!has_min && !(flags_.is_python && has_max)) return std::nullopt;
    if (at >= pattern_.size() || pattern_[at] != '}') return std::nullopt;
    return at + 1;
  }

  bool is_at_bounds() const {
    if (is_over()) return false;
    const char here = pattern_[at_];
    return here == '*' || here == '+' || here == '?' || (here == '{' && braces_end(at_));
  }

  // Reads a count and the mark of laziness.
  std::optional<Bounds> read_bounds() {
    if (!is_at_bounds()) return std::nullopt;
    const uint32_t begin = at_;
    Bounds bounds{0, kNoMost};
    switch (pattern_[at_]) {
      case '*': ++at_; break;
      case '+':
        bounds.min = 1;
        ++at_;
        break;
      case '?':
        bounds.max = 1;
        ++at_;
        break;
      default: bounds = read_braces();
    }
    if (!is_over() && pattern_[at_] == '?') {  // doesn't change the language
      bounds.is_lazy = true;
      ++at_;
    } else if (!is_over() && pattern_[at_] == '+') {
      ++at_;
      report_("unsupported_regex", "possessive repetition " + shown(begin) + " is not supported",
              since(begin), "leave the + out if it means the same");
    }
    return bounds;
  }

  Bounds read_braces() {
    const uint32_t begin = at_;
    const auto end = static_cast<uint32_t>(*braces_end(at_));
    const auto number = [&](size_t at) {
      uint64_t value = 0;
      for (; pattern_[at] >= '0' && pattern_[at] <= '9'; ++at) {
        value = std::min(value * 10 + static_cast<uint64_t>(pattern_[at] - '0'),
                         uint64_t{kMostRepetitions} + 1);
      }
      return value;
    };
    const uint64_t min = number(begin + 1);
    const size_t comma = pattern_.substr(begin, end - begin).find(',');
    const bool is_endless = comma != std::string_view::npos && pattern_[begin + comma + 1] == '}';
    const uint64_t max =
        comma == std::string_view::npos ? min : (is_endless ? kNoMost : number(begin + comma + 1));
    at_ = end;
    if (min > kMostRepetitions || (!is_endless && max > kMostRepetitions)) {
      report_("bad_regex",
              concat("repetition ", shown(begin), " requires more than ", kMostRepetitions),
              since(begin), "for no limit leave the upper bound out: {n,}");
      return {0, kNoMost};
    }
    if (max < min) {
      report_("bad_regex",
              concat("repetition ", shown(begin), " requires at least ", min, " and at most ", max),
              since(begin), concat("write {", max, ",", min, "}"));
      return {0, kNoMost};
    }
    return {static_cast<uint32_t>(min), static_cast<uint32_t>(max)};
  }

  void refuse_second_bounds() {
    const uint32_t begin = at_;
    const SourceSpan span{begin, begin + 1};
    report_("bad_regex", "a repetition is repeated", span, "put the first repetition into (?:...)");
  }

  // {,5} is literal text in ECMA-262 without u, a mistake with u, and {0,5} in Python.
  void refuse_open_bounds() {
    size_t end = at_ + 2;
    while (end < pattern_.size() && pattern_[end] >= '0' && pattern_[end] <= '9') ++end;
    if (end == at_ + 2 || end >= pattern_.size() || pattern_[end] != '}') return;
    const SourceSpan span{at_, static_cast<uint32_t>(end + 1)};
    const std::string_view words = pattern_.substr(span.begin, span.end - span.begin);
    report_("unsupported_regex", "repetition " + quoted(words) + " has no lower bound", span,
            concat("write {0", words.substr(1), ", or \\{ for a brace"));
  }

  std::string_view pattern_;
  Flags flags_;
  const Report& report_;
  Ast ast_;
  uint32_t at_ = 0;
  const size_t most_nesting_ = bounded_nesting(kMostNesting);
  size_t depth_ = 0;          // of nested groups
  bool is_behind_ = false;    // inside a lookbehind
  bool is_boundary_ = false;  // the last term was \b or \B
  bool is_too_deep_ = false;
};

}  // namespace

Flags read_flags(std::string_view words, const Report& report) {
  Flags flags;
  for (uint32_t at = 0; at < words.size();) {
    const auto whole = decode_utf8(words, at);
    const uint32_t end = at + (whole ? whole->n_bytes : 1);
    const SourceSpan span{at, end};
    switch (words[at]) {
      case 'i': flags.ignore_case = true; break;
      case 'm': flags.multi_line = true; break;
      case 's': flags.dot_all = true; break;
      case 'u': break;  // always on
      default:
        report("unsupported_regex",
               "flag " + quoted(words.substr(at, end - at)) + " is not supported", span,
               "the flags are i, m, s and u");
    }
    at = end;
  }
  return flags;
}

Ast parse(std::string_view pattern, Flags flags, const Report& report) {
  if (pattern.size() > kMostPatternBytes) {
    report("regex_too_large", concat("the pattern has more than ", kMostPatternBytes, " bytes"),
           {0, 0}, "split it");
    pattern = "";
  }
  return Parser(pattern, flags, report).parse();
}

}  // namespace xg2lab::regex
