// Read: Parser::parse, definitions, statements. bodies.cc parses bodies.
#include "frontends/lark/parser.h"

#include <algorithm>
#include <utility>

#include "frontends/ebnf/rule_options.h"
#include "frontends/lark/bodies.h"
#include "frontends/lark/cursor.h"
#include "frontends/lark/values.h"
#include "support/text.h"

namespace xg2lab::lark {
namespace {

using Kind = LexemeKind;

class Parser {
 public:
  Parser(const Reading& reading, const ParseContext& context)
      : at_(reading), reading_(reading), context_(context) {}

  Document parse() {
    while (!at_.is_over() && !reading_.findings().is_full()) {
      if (at_.is_at_definition()) read_definition(DefinitionKind::kDefine);
      else if (at_.is_at_statement()) read_statement();
      else skip_stray();
    }
    return std::move(document_);
  }

 private:
  void skip_stray() {
    at_.begin_statement();
    at_.report_unexpected("a rule `name: ...`, or a statement such as %ignore");
    at_.skip_to_end();
  }

  // ---- Definitions ----

  void read_definition(DefinitionKind kind) {
    at_.begin_statement();
    const uint32_t from = at_.here().span.begin;
    at_.skip_marks();
    Definition definition;
    definition.kind = kind;
    definition.name = at_.words();
    definition.name_span = reading_.in_grammar(at_.here().span);
    definition.is_terminal = is_terminal_name(definition.name);
    at_.check_name(at_.here().span);
    at_.step();
    if (at_.take(Kind::kOpenBrace)) definition.params = read_params();
    if (at_.take(Kind::kDot)) {
      definition.priority = read_number(at_.words());
      at_.step();
    }
    if (at_.here().kind == Kind::kOpenMaybe) read_options(definition);
    if (!at_.take(Kind::kColon)) at_.report_unexpected("`:`");
    definition.body = read_body(at_, context_);
    definition.span = at_.since(from);
    document_.definitions.push_back(std::move(definition));
  }

  std::vector<std::string> read_params() {
    std::vector<std::string> params;
    while (at_.here().kind == Kind::kName) {
      document_.params.push_back(reading_.in_grammar(at_.here().span));
      params.emplace_back(at_.words());
      at_.check_name(at_.here().span);
      at_.step();
      if (!at_.take(Kind::kComma)) break;
    }
    if (params.empty()) at_.report_unexpected("the name of a parameter");
    if (!at_.take(Kind::kCloseBrace)) {
      at_.report_unexpected("`}`");
      while (at_.here().kind != Kind::kColon && !at_.is_over()) at_.step();
    }
    return params;
  }

  void read_options(Definition& definition) {
    const uint32_t begin = at_.here().span.begin;
    while (at_.here().kind != Kind::kCloseMaybe && at_.here().kind != Kind::kColon &&
           !at_.is_over())
      at_.step();
    const SourceSpan brackets{begin, at_.here().span.end};
    if (!at_.take(Kind::kCloseMaybe)) return at_.report_unexpected("`]`");
    ebnf::OtherOption other;
    std::optional<SourceSpan> capture_span;
    other.names = {"suffix", "stop", "stop_capture"};
    other.take = [&](std::string_view name, SourceSpan value) {
      if (name == "stop_capture") {
        definition.suffix_capture = read_capture(value);
        capture_span = value;
        return;
      }
      if (definition.suffix) {
        reading_.report("duplicate_option", "a rule can have one suffix or stop only", value,
                        "remove one of them, or write a terminal that matches either");
      }
      definition.suffix = read_suffix(value);
      definition.hides_suffix = name == "stop";
    };
    Findings mistakes(reading_.findings().most());
    definition.options =
        ebnf::read_rule_options(reading_.text(), brackets, definition.name, mistakes, &other);
    mistakes.move_to([&](Diagnostic mistake) {
      reading_.report(mistake.code.c_str(), std::move(mistake.message), mistake.span,
                      std::move(mistake.hint));
    });
    if (capture_span && !definition.suffix) {
      reading_.report("bad_option",
                      "`stop_capture` names the end of a rule, and this rule has no suffix or stop",
                      *capture_span, "add suffix=\"...\" or stop=\"...\"");
    }
    if (definition.options->is_empty()) {
      definition.options = nullptr;
    } else if (reading_.is_imported()) {
      auto options = std::make_shared<RuleOptions>(*definition.options);
      for (SourceSpan& span : options->spans) span = reading_.in_grammar(span);
      definition.options = std::move(options);
    }
  }

  std::optional<std::string> read_capture(SourceSpan value) {
    const std::string_view written = at_.words(value);
    if (written.size() > 2 && written[0] == '"') return read_text(reading_, value).text;
    reading_.report("bad_option", "`stop_capture` must be a name in quotation marks", value,
                    "write for example stop_capture=\"end\"");
    return std::nullopt;
  }

  // A text, a pattern, or the name of a terminal.
  NodeId read_suffix(SourceSpan value) {
    const std::string_view written = at_.words(value);
    const bool is_text = written.size() > 2 && written[0] == '"';
    if (is_text) return context_.tree.add(read_text(reading_, value));
    const bool is_pattern = written.size() > 2 && written[0] == '/';
    if (is_pattern) return context_.tree.add(read_pattern(reading_, value));
    Node node;
    node.kind = NodeKind::kName;
    node.span = reading_.in_grammar(value);
    node.text = written;
    const bool is_name = std::all_of(written.begin(), written.end(), [](char byte) {
      return byte == '_' || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
    });
    if (written.empty() || !is_name) {
      reading_.report(
          "bad_option",
          "a suffix must be a text in quotation marks, a pattern, or the name of a terminal", value,
          "write for example suffix=\"<end>\"");
      node.kind = NodeKind::kText;
    }
    return context_.tree.add(std::move(node));
  }

  // ---- Statements ----

  void read_statement() {
    at_.begin_statement();
    const SourceSpan directive = at_.here().span;
    const std::string_view name = at_.words();
    at_.step();
    if (name == "%ignore") {
      document_.ignored.push_back(read_body(at_, context_));
    } else if (name == "%declare") {
      read_declare();
    } else if (name == "%import") {
      read_import(directive.begin);
    } else if (name == "%override" || name == "%extend") {
      if (at_.is_before_definition())
        return read_definition(name == "%extend" ? DefinitionKind::kExtend
                                                 : DefinitionKind::kOverride);
      at_.report_unexpected("a definition `name: ...`");
    } else if (name == "%llguidance") {
      read_settings(directive);
    } else {
      reading_.report("unknown_directive", "there is no statement " + quoted(name), directive,
                      "the statements are %ignore, %import, %declare, %override and %extend");
    }
    at_.skip_to_end();
  }

  // The settings don't concern the language; one that would change the language is refused.
  void read_settings(SourceSpan directive) {
    const SourceSpan braces = at_.here().span;
    if (!at_.take(Kind::kBraced)) return at_.report_unexpected("`{`");
    const std::string_view settings = at_.words(braces);
    for (const char* changes : {"allow_initial_skip", "skip_repetition", "allow_invalid_utf8"}) {
      if (settings.find(changes) == std::string_view::npos) continue;
      reading_.report("unsupported_setting", concat("setting `", changes, "` is not supported"),
                      {directive.begin, braces.end}, "leave it out");
    }
  }

  void read_declare() {
    if (at_.is_at_end()) at_.report_unexpected("the name of a terminal");
    while (at_.here().kind == Kind::kName && !at_.is_at_end()) {
      document_.declared.push_back(
          {std::string(at_.words()), reading_.in_grammar(at_.here().span)});
      at_.step();
    }
    if (!at_.is_at_end()) at_.report_unexpected("the name of a terminal");
  }

  void read_import(uint32_t begin) {
    Import import;
    const bool is_relative = at_.take(Kind::kDot);
    SourceSpan last = at_.here().span;
    while (at_.here().kind == Kind::kName && !at_.is_at_end()) {
      last = at_.here().span;
      import.path.emplace_back(at_.words());
      at_.step();
      if (!at_.take(Kind::kDot)) break;
    }
    const bool has_list = at_.here().kind == Kind::kOpen && !at_.is_at_end();
    if (import.path.size() < (has_list || is_relative ? 1u : 2u)) {
      return at_.report_unexpected("a grammar and a name in it: common.INT");
    }
    if (has_list) {
      read_import_list(import);
    } else {
      const SourceSpan place = reading_.in_grammar(last);
      ImportedName name{import.path.back(), import.path.back(), place, place};
      if (!is_relative || import.path.size() > 1) import.path.pop_back();
      if (at_.take(Kind::kArrow)) {
        if (at_.here().kind != Kind::kName || at_.is_at_end())
          return at_.report_unexpected("a name");
        name.alias = at_.words();
        name.alias_span = reading_.in_grammar(at_.here().span);
        at_.check_name(at_.here().span);
        at_.step();
      }
      import.names.push_back(std::move(name));
    }
    if (!at_.is_at_end()) at_.report_unexpected("the next statement");
    import.span = at_.since(begin);
    document_.imports.push_back(std::move(import));
  }

  void read_import_list(Import& import) {
    at_.step();
    while (at_.here().kind == Kind::kName) {
      const SourceSpan place = reading_.in_grammar(at_.here().span);
      import.names.push_back({std::string(at_.words()), std::string(at_.words()), place, place});
      at_.step();
      if (!at_.take(Kind::kComma)) break;
    }
    if (!at_.take(Kind::kClose)) at_.report_unexpected("`)`");
  }

  Cursor at_;
  const Reading& reading_;
  const ParseContext& context_;
  Document document_;
};

}  // namespace

bool is_terminal_name(std::string_view name) {
  return std::none_of(name.begin(), name.end(),
                      [](char byte) { return byte >= 'a' && byte <= 'z'; });
}

Document parse(const Reading& reading, const ParseContext& context) {
  return Parser(reading, context).parse();
}

}  // namespace xg2lab::lark
