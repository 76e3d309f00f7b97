// One list of fields for each serialized type. Writing, reading and checking are visitors of it.
//
// Tests: tests/unit/support_fields.cc, tests/unit/program_plain.cc, tests/unit/grammar_plain.cc
//
// IDEA
//   A type is serialized if it has an overload of the function template `fields`. The overload
//   calls the visitor once for each field, in the order of the written row, with the field's name,
//   the field, and the declarations that hostile input is checked by:
//
//     template <class Visit, Of<RuleEdge> Edge>
//     void fields(Visit& visit, Edge& edge) {
//       visit("rule", edge.rule, or_refuse("an edge calls a rule that does not exist"));
//       visit("to", edge.to, or_refuse("an edge leads out of its rule"));
//       visit("origins", edge.origins, or_refuse("an edge has origins that do not exist"));
//     }
//
//   A new field is one such line. An id without a declaration does not compile, so no id that the
//   engine will use as an index can be left unchecked. The id's type says which table it points
//   into.
//
// VISITORS
//   bind/plain_rows.h        writes and reads Python's values
//   support/word_rows.h      writes and reads words of 32 bits
//   support/field_checks.h   checks the declarations
//   ColumnCount, below       counts the places of a row
//   tests/unit/field_text.h  prints any listed object, to compare two of them
//
// FORMS
//   A field is written as its type suggests: a number, a text, a list, a nested row. A wrapper
//   stands for any other form: or_none(max) is written as null if there is no maximum. A SourceSpan
//   takes two places of the row that it is in.
//
//   Beside calls of the visitor, a list may contain
//     visit.optional_rows(name, tables, rows_of, add)   a table that is left out if it has no rows
//     visit.payload_of(expr)                            a field whose form depends on another field
//
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/source.h"
#include "support/token_set.h"

namespace xg2lab {

// `Type` or `const Type`: a list serves readers and writers.
template <class Given, class Type>
concept Of = std::same_as<std::remove_const_t<Given>, Type>;

// ---- Declarations ----

// The id must be in its table; the span must be in the source.
struct OrRefuse {
  const char* refusal;
};
constexpr OrRefuse or_refuse(const char* refusal) { return {refusal}; }

// The named function checks the field, because the check needs more than this field.
struct CheckedIn {
  const char* function;
};
constexpr CheckedIn checked_in(const char* function) { return {function}; }

// The value must satisfy the predicate; of a list, each value must.
template <class Holds>
struct Must {
  Holds holds;
  const char* refusal;
};
template <class Holds>
constexpr Must<Holds> must(Holds holds, const char* refusal) {
  return {holds, refusal};
}

// ---- Forms ----

// A bound; UINT32_MAX, for no bound, is written as null.
template <class Number>
struct OrNone {
  Number& bound;
};
template <class Number>
OrNone<Number> or_none(Number& bound) {
  return {bound};
}

// A list that has exactly one element, written without the list.
template <class List>
struct OnlyOne {
  List& list;
};
template <class List>
OnlyOne<List> only_one(List& list) {
  return {list};
}

// A byte string, which need not be UTF-8.
template <class String>
struct ByteString {
  String& bytes;
};
template <class String>
ByteString<String> byte_string(String& bytes) {
  return {bytes};
}

// A value that is written as a text. `read` returns whether the text is valid.
template <class Value>
struct AsText {
  using Type = std::remove_const_t<Value>;
  Value& value;
  std::string (*write)(const Type&);
  bool (*read)(std::string_view, Type&);
  const char* refusal;
};
template <class Value>
AsText<Value> as_text(Value& value, std::string (*write)(const std::remove_const_t<Value>&),
                      bool (*read)(std::string_view, std::remove_const_t<Value>&),
                      const char* refusal) {
  return {value, write, read, refusal};
}

// A list of rows of numbers, written as words of 32 bits (support/word_rows.h).
template <class Table>
struct Words {
  Table& table;
  const char* cut_off;  // the refusal of words that end within a row
};
template <class Table>
Words<Table> words(Table& table, const char* cut_off = "its last row is cut off") {
  return {table, cut_off};
}

// ---- The lists of types that are part of grammars and of programs ----

template <class Visit, Of<SourceSpan> Span>
void fields(Visit& visit, Span& span) {
  visit("begin", span.begin);
  visit("end", span.end);
}

template <class Visit, Of<TokenSet> Set>
void fields(Visit& visit, Set& set) {
  visit("is_negated", set.is_negated);
  visit("ids", set.ids, checked_in("check_token_set"));
}

// ---- The simplest visitor ----

// Counts the places of a row.
class ColumnCount {
 public:
  template <class Field, class... Declared>
  void operator()(const char*, const Field& field, const Declared&...) {
    if constexpr (std::same_as<Field, SourceSpan>) {
      fields(*this, field);
    } else {
      ++n_columns_;
    }
  }
  template <class Expr>
  void payload_of(const Expr&) {
    ++n_columns_;
  }
  size_t n_columns() const { return n_columns_; }

 private:
  size_t n_columns_ = 0;
};

// A type with a list.
template <class Type>
concept Listed = requires(ColumnCount& count, Type& value) { fields(count, value); };

template <Listed Row>
size_t n_columns(const Row& row) {
  ColumnCount count;
  fields(count, row);
  return count.n_columns();
}

}  // namespace xg2lab
