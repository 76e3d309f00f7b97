// Lowers one format to one expression, depending on its context.
//
// Tests: tests/structural_tag/test_formats.py
//
// IDEA
//   lower(format, around) matches the format followed by one of `around.ends`, if there are any.
//   Most formats are lowered by themselves and followed by a choice of the ends. Free text includes
//   the ends: the strings that end it are part of its machine. A format whose last part may be free
//   text (a sequence, a choice) passes the ends on to that part.
//
// INVARIANTS
//   I1  an end in `around.ends.texts` is not empty; `may_be_empty` records an empty end
//   I2  the texts of a Dispatch are distinct; an exclude that is also an end is dropped, since the
//       end must be readable
//
// READ      lowering.cc (names, tags, combinations of formats), free_text.cc, token_formats.cc,
//           contents.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "frontends/structural_tag/fields.h"
#include "frontends/structural_tag/structural_tag.h"

namespace xg2lab::json_schema {
struct Options;
}

namespace xg2lab::structural_tag {

struct Ends {
  std::vector<WatchedText> texts;
  std::vector<TokenId> tokens;
  bool may_be_empty = false;
  bool are_last = false;  // nothing may follow these ends
  SourceSpan span;
  bool is_any() const { return !texts.empty() || !tokens.empty(); }
};

struct Around {
  Ends ends;
  // Must not occur in free text, because it ends a tag further out.
  std::vector<WatchedText> forbidden;
  bool is_last = false;  // only the ends follow
};

struct Tag {
  JsonId object;
  WatchedText begin;
  std::vector<TokenId> begin_tokens;  // instead of `begin`
  JsonId content;
  Ends ends;
};

class Lowering {
 public:
  Lowering(const JsonDocument& document, const StructuralTagOptions& options)
      : document_(document),
        names_(options.names),
        relaxes_(options.relaxes),
        findings_(document) {}

  Grammar run();

 private:
  using Lower = ExprId (Lowering::*)(JsonId format, const Around& around);
  struct Kind {
    std::string_view name;
    Lower lower;
  };
  static const std::vector<Kind>& kinds();

  ExprId lower(JsonId format, const Around& around);
  ExprId lower_field(Fields& fields, std::string_view name, const Around& around);

  // ---- lowering.cc ----
  ExprId sequence(JsonId format, const Around& around);
  ExprId one_of(JsonId format, const Around& around);
  ExprId optional(JsonId format, const Around& around);
  ExprId plus(JsonId format, const Around& around);
  ExprId star(JsonId format, const Around& around);
  ExprId repeat(JsonId format, const Around& around);
  ExprId tag(JsonId format, const Around& around);
  ExprId tags_with_separator(JsonId format, const Around& around);
  ExprId repeated(JsonId format, std::pair<uint32_t, uint32_t> times, Fields& fields,
                  const Around& around);
  std::optional<Tag> read_tag(JsonId object);
  std::vector<Tag> read_tags(Fields& fields);
  std::optional<Ends> read_ends(Fields& fields);
  // The part of a tag after `begin`, as a rule of its own.
  ExprId rest_of(const Tag& tag, const Around& around);
  ExprId begin_of(const Tag& tag);

  // ---- free_text.cc ----
  ExprId any_text(JsonId format, const Around& around);
  ExprId triggered_tags(JsonId format, const Around& around);
  ExprId dispatch(JsonId format, const Around& around);
  struct FreeText {
    std::vector<WatchedText> tags;
    std::vector<ExprId> rules;  // for each tag, a reference to its rule
    std::vector<WatchedText> excludes;
    bool loops = true;
    SourceSpan span;
  };
  std::vector<std::vector<ExprId>> opened_by_triggers(const FreeText& text,
                                                      const std::vector<Tag>& tags,
                                                      const Around& behind);
  ExprId any_tag(const FreeText& text);
  ExprId free_text(FreeText text, const Around& around);
  ExprId watched(const FreeText& text, std::vector<WatchedText> stops, bool may_stop_anywhere);
  ExprId with_special_triggers(const FreeText& text, const Around& around);
  bool check_texts(const FreeText& text, const Around& around);

  // ---- token_formats.cc ----
  ExprId token(JsonId format, const Around& around);
  ExprId exclude_token(JsonId format, const Around& around);
  ExprId any_tokens(JsonId format, const Around& around);
  ExprId token_triggered_tags(JsonId format, const Around& around);
  ExprId token_dispatch(JsonId format, const Around& around);
  std::vector<TokenId> read_token(JsonId value);
  std::vector<TokenId> read_tokens(Fields& fields, std::string_view name);
  ExprId token_set(std::vector<TokenId> ids, bool is_negated, SourceSpan span);

  // ---- contents.cc ----
  ExprId const_string(JsonId format, const Around& around);
  ExprId grammar(JsonId format, const Around& around);
  ExprId regex(JsonId format, const Around& around);
  ExprId json_schema(JsonId format, const Around& around);
  ExprId qwen_xml_parameter(JsonId format, const Around& around);
  ExprId schema_content(JsonId schema, std::string_view style, Fields& fields);
  // The rules of a schema and the states of its keywords, each by its index among the schema's
  // values.
  struct Content {
    ExprId body;
    std::vector<std::pair<size_t, KeywordUse>> uses;
    bool may_be_large = false;  // compiling it may exceed a limit
  };
  // `name`: the schema's text after the options in words, `how`.
  Content schema_rules(JsonId schema, const json_schema::Options& options, const std::string& how,
                       const std::string& name);
  // Adds the rules of another grammar under unused names; returns a reference to its root.
  // `standard`: rules without a span are the same in all grammars that are embedded under this
  // prefix.
  ExprId embed(const Grammar& other, const std::function<SourceSpan(SourceSpan)>& in_source,
               const std::string& standard = {});

  // ---- Shared parts ----
  // What was lowered so far: schemas, and parts whose compiling may exceed a limit.
  struct Parts {
    size_t n_schemas = 0;
    size_t n_large = 0;
  };
  // The expression, followed by one of the ends.
  ExprId close(ExprId content, const Ends& ends);
  ExprId any_end(const Ends& ends);
  // A text. A special token that is the text, or occurs in it, may be generated as that token.
  ExprId text(std::string_view bytes, SourceSpan span);
  // The special token whose text is a prefix of `bytes`.
  std::optional<TokenNames::Special> special_at(std::string_view bytes) const;
  bool has_special(const std::vector<WatchedText>& texts) const;
  // Whether a stop token has the text of an end. If nothing may follow, the stop token stands for
  // the end.
  bool has_stop(const Ends& ends) const;
  ExprId pair(ExprId first, ExprId second, SourceSpan span);
  ExprId as_rule(std::string_view name, ExprId body, SourceSpan span);
  // Notes a rule as one that may be compiled later, if schemas are in it: `before` is what had been
  // lowered before the rule. `is_of_tags`: it is a choice of tags, each of which is noted too.
  ExprId as_content(ExprId rule_ref, const Parts& before, bool is_of_tags = false);
  std::string fresh_name(std::string_view wanted);
  SourceSpan span(JsonId id) const { return document_.span(id); }

  const JsonDocument& document_;
  const TokenNames* names_;
  const bool relaxes_;
  Findings findings_;
  GrammarBuilder builder_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, size_t> last_number_;
  std::unordered_map<std::string, Content> shared_contents_;  // of schemas, by style and text
  std::vector<KeywordUse> uses_;
  Parts parts_;
  std::vector<xg2lab::Content> contents_;
  std::unordered_map<std::string, RuleId> standard_rules_;
};

// A rule name derived from a text: "<function=get_time>" gives function_get_time.
std::string name_from(std::string_view text, std::string_view otherwise);

}  // namespace xg2lab::structural_tag
