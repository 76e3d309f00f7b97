// Any object with a list of fields as text, to compare two of them, and the names of its fields.
//
// EXAMPLE   text_of(RuleEdge{...})   ->   "rule=1 to=2 origins=0 "
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "automata/machine.h"
#include "support/fields.h"
#include "support/ids.h"
#include "support/word_rows.h"

namespace xg2lab::unit {

class FieldText {
 public:
  template <class Field, class... Declared>
  void operator()(const char* name, const Field& field, const Declared&...) {
    text_ += std::string(name) + "=";
    put(field);
    text_ += " ";
  }
  template <class Tables, class Row>
  void optional_rows(const char* name, const Tables& tables,
                     std::vector<Row> (*rows_of)(const Tables&), void (*)(Tables&, Row)) {
    (*this)(name, rows_of(tables));
  }
  template <class Expr>
  void payload_of(const Expr& e) {
    payload(*this, e);
  }
  void no_value() {}
  template <class Field, class... Declared>
  void one_value(const char* name, const Field& field, const Declared&...) {
    (*this)(name, field);
  }
  template <class List>
  void row(const List& list) {
    list(*this);
  }
  const std::string& text() const { return text_; }

 private:
  void put(const std::string& text) { text_ += '"' + text + '"'; }
  void put(double number) { text_ += std::to_string(number); }
  void put(size_t number) { text_ += std::to_string(number); }
  void put(const std::shared_ptr<const Machine>& machine) { put(machine->words); }
  template <class Value>
  void put(const std::optional<Value>& value) {
    if (value) put(*value);
  }
  template <class Value>
  void put(const std::shared_ptr<const Value>& value) {
    if (value) put(*value);
  }
  template <class Value>
  void put(const std::vector<Value>& values) {
    for (const Value& value : values) put_item(value);
  }
  template <class Value, size_t n>
  void put(const std::array<Value, n>& values) {
    for (const Value& value : values) put_item(value);
  }
  template <class Number>
  void put(OrNone<Number> max) {
    put(max.bound);
  }
  template <class List>
  void put(OnlyOne<List> one) {
    put(one.list);
  }
  template <class String>
  void put(ByteString<String> string) {
    put(string.bytes);
  }
  template <class Value>
  void put(AsText<Value> text) {
    put(text.write(text.value));
  }
  template <class Table>
  void put(Words<Table> words) {
    put(words.table);
  }
  template <class Value>
  void put(const Value& value) {
    if constexpr (Listed<const Value>) {
      fields(*this, value);
    } else {
      put(size_t{to_word(value)});
    }
  }
  template <class Value>
  void put_item(const Value& value) {
    text_ += "[";
    put(value);
    text_ += "]";
  }

  std::string text_;
};

template <class Row>
std::string text_of(const Row& row) {
  FieldText text;
  fields(text, row);
  return text.text();
}

class FieldNames {
 public:
  template <class Field, class... Declared>
  void operator()(const char* name, const Field&, const Declared&...) {
    names_ += (names_.empty() ? "" : " ") + std::string(name);
  }
  template <class Tables, class Get, class Add>
  void optional_rows(const char* name, const Tables&, Get, Add) {
    names_ += std::string(" ") + name + "?";
  }
  template <class Expr>
  void payload_of(const Expr&) {
    names_ += " payload";
  }
  const std::string& names() const { return names_; }

 private:
  std::string names_;
};

template <class Row>
std::string names_of() {
  FieldNames names;
  const Row row{};
  fields(names, row);
  return names.names();
}

// The message of the error that `read` throws; empty if it throws none.
template <class Thrown = std::exception, class Read>
std::string refusal_of(const Read& read) {
  try {
    read();
  } catch (const Thrown& error) {
    return error.what();
  }
  return "";
}

}  // namespace xg2lab::unit
