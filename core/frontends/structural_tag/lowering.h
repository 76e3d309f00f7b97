// One format -> one expression, by what surrounds it.
//
// Tests: tests/structural_tag/test_formats.py
//
// IDEA
//   lower(format, around) matches the format and then one of `around.ends`, if there are any. Most formats are lowered by
//   themselves and closed with a choice of the ends. Free text takes the ends in: what ends it is part of its machine.
//   A format whose last part may be free text (a sequence, a choice) hands them on.
//
// INVARIANTS
//   I1  an end in `around.ends.texts` is not empty; `may_be_empty` says that an empty one was listed
//   I2  the texts of a Dispatch are distinct; an exclude that is also an end is dropped, as the end has to be read
//
// READ      lowering.cc (names, tags, what is made of formats), free_text.cc, token_formats.cc, contents.cc.
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
  bool are_last = false;  // nothing may follow them
  SourceSpan span;
  bool is_any() const { return !texts.empty() || !tokens.empty(); }
};

struct Around {
  Ends ends;
  // May not be in free text, as an end of a tag further out must not be in it.
  std::vector<WatchedText> forbidden;
  bool is_last = false;  // nothing follows but the ends
};

struct Tag {
  JsonId object;
  WatchedText begin;
  std::vector<TokenId> begin_tokens;  // in place of `begin`
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
  // What follows `begin` in a tag, in a rule of its own.
  ExprId rest_of(const Tag& tag, const Around& around);
  ExprId begin_of(const Tag& tag);

  // ---- free_text.cc ----
  ExprId any_text(JsonId format, const Around& around);
  ExprId triggered_tags(JsonId format, const Around& around);
  ExprId dispatch(JsonId format, const Around& around);
  struct FreeText {
    std::vector<WatchedText> tags;
    std::vector<ExprId> rules;  // one for each tag: a rule reference
    std::vector<WatchedText> excludes;
    bool loops = true;
    SourceSpan span;
  };
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
  // A schema's rules, and what became of its keywords, each by its place among the schema's values.
  struct Content {
    ExprId body;
    std::vector<std::pair<size_t, KeywordUse>> uses;
  };
  Content schema_rules(JsonId schema, const json_schema::Options& options, const std::string& how);
  // The rules of another grammar, under names that are free; a reference to its root. `standard`: rules without a place
  // are the same in all grammars that are embedded with these words.
  ExprId embed(const Grammar& other, const std::function<SourceSpan(SourceSpan)>& place,
               const std::string& standard = {});

  // ---- Parts that all need ----
  // The expression, then one of the ends.
  ExprId close(ExprId content, const Ends& ends);
  ExprId any_end(const Ends& ends);
  // A text; where it is a special token, or has one in it, that may come as the token.
  ExprId text(std::string_view bytes, SourceSpan span);
  // The special token that `bytes` begins with.
  std::optional<TokenNames::Special> special_at(std::string_view bytes) const;
  bool has_special(const std::vector<WatchedText>& texts) const;
  // Whether a stop token has the text of an end: where nothing may follow, it stands for the end.
  bool has_stop(const Ends& ends) const;
  ExprId pair(ExprId first, ExprId second, SourceSpan span);
  ExprId as_rule(std::string_view name, ExprId body, SourceSpan span);
  std::string fresh_name(std::string_view wanted);
  SourceSpan span(JsonId id) const { return document_.span(id); }

  const JsonDocument& document_;
  const TokenNames* names_;
  const bool relaxes_;
  Findings findings_;
  GrammarBuilder builder_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, size_t> last_number_;
  std::unordered_map<std::string, Content> shared_contents_;  // of schemas, by how and what
  std::vector<KeywordUse> uses_;
  std::unordered_map<std::string, RuleId> standard_rules_;
};

// A name for a rule out of a text: "<function=get_time>" is function_get_time.
std::string name_from(std::string_view text, std::string_view otherwise);

}  // namespace xg2lab::structural_tag
