// Serialized tables as Python's values: the writer and the reader, as visitors of the lists of
// fields (support/fields.h).
//
// Tests: tests/core/test_serialization.py, tests/core/test_serialization_hostile.py
//
// IDEA
//   A row is a tuple with a place for each field of its list. A table is a list of rows, or bytes
//   that hold words. An object of tables is a dict. The reader takes any Python value and checks
//   types; support/field_checks.h checks the values.
//
// READS     also the values of the JSON text: lists instead of tuples, base64 instead of bytes
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "automata/machine.h"
#include "bind/plain_values.h"
#include "bind/python.h"
#include "frontends/ebnf/parser.h"
#include "support/fields.h"
#include "support/ids.h"
#include "support/word_rows.h"

namespace xg2lab::bind {

// ---- Writing ----

class PlainWriter {
 public:
  static py::object write(bool value) { return py::bool_(value); }
  static py::object write(uint32_t value) { return py::int_(value); }
  static py::object write(size_t value) { return py::int_(value); }
  static py::object write(double value) { return py::float_(value); }
  static py::object write(const std::string& value) { return py::str(value); }
  static py::object write(const std::shared_ptr<const xg2lab::Machine>& machine) {
    return py::str(machine->words);
  }
  template <class Tag>
  static py::object write(Id<Tag> id) {
    return py::int_(id.value);
  }
  template <class Value>
  static py::object write(const std::optional<Value>& value) {
    return value ? write(*value) : py::object(py::none());
  }
  template <class Value>
  static py::object write(const std::shared_ptr<const Value>& value) {
    return value ? write(*value) : py::object(py::none());
  }
  template <class Value>
  static py::object write(const std::vector<Value>& values) {
    py::list list(values.size());
    for (size_t i = 0; i < values.size(); ++i) list[i] = write(values[i]);
    return list;
  }
  template <class Value, size_t n>
  static py::object write(const std::array<Value, n>& values) {
    py::list list(n);
    for (size_t i = 0; i < n; ++i) list[i] = write(values[i]);
    return list;
  }
  template <class Number>
  static py::object write(OrNone<Number> max) {
    return max.bound == UINT32_MAX ? py::object(py::none()) : write(max.bound);
  }
  template <class List>
  static py::object write(OnlyOne<List> one) {
    return write(one.list.front());
  }
  template <class String>
  static py::object write(ByteString<String> string) {
    return py::bytes(string.bytes);
  }
  template <class Value>
  static py::object write(AsText<Value> text) {
    return py::str(text.write(text.value));
  }
  template <class Table>
  static py::object write(Words<Table> words) {
    return bytes_of_words(to_words(words.table));
  }
  template <Listed Row>
  static py::object write(const Row& row);
};

class RowWriter {
 public:
  explicit RowWriter(size_t n_columns) : row_(n_columns) {}
  template <class Field, class... Declared>
  void operator()(const char*, const Field& field, const Declared&...) {
    if constexpr (std::same_as<Field, SourceSpan>) {
      fields(*this, field);
    } else {
      row_[n_written_++] = PlainWriter::write(field);
    }
  }
  template <class Expr>
  void payload_of(const Expr& e);
  py::tuple row() && { return std::move(row_); }

 private:
  py::tuple row_;
  size_t n_written_ = 0;
};

// The payload of an expression: None, one value or a row.
class PayloadWriter {
 public:
  void no_value() { value_ = py::none(); }
  template <class Field, class... Declared>
  void one_value(const char*, const Field& field, const Declared&...) {
    value_ = PlainWriter::write(field);
  }
  template <class List>
  void row(const List& list) {
    ColumnCount count;
    list(count);
    RowWriter writer(count.n_columns());
    list(writer);
    value_ = std::move(writer).row();
  }
  py::object value() && { return std::move(value_); }

 private:
  py::object value_;
};

template <Listed Row>
py::object PlainWriter::write(const Row& row) {
  RowWriter writer(n_columns(row));
  fields(writer, row);
  return std::move(writer).row();
}

template <class Expr>
void RowWriter::payload_of(const Expr& e) {
  PayloadWriter writer;
  payload(writer, e);
  row_[n_written_++] = std::move(writer).value();
}

// An object of tables as a dict.
class TablesWriter {
 public:
  template <class Field, class... Declared>
  void operator()(const char* name, const Field& field, const Declared&...) {
    tables_[name] = PlainWriter::write(field);
  }
  template <class Tables, class Row>
  void optional_rows(const char* name, const Tables& tables,
                     std::vector<Row> (*rows_of)(const Tables&), void (*)(Tables&, Row)) {
    const std::vector<Row> rows = rows_of(tables);
    if (!rows.empty()) tables_[name] = PlainWriter::write(rows);
  }
  py::dict tables() && { return std::move(tables_); }

 private:
  py::dict tables_;
};

// ---- Reading ----

// All throw Python's TypeError or ValueError, FormError, or std::invalid_argument, which becomes a
// ValueError.
class PlainReader {
 public:
  void read(const py::handle& from, bool& value) { value = flag(from); }
  void read(const py::handle& from, uint32_t& value) { value = number(from); }
  void read(const py::handle& from, size_t& value) { value = number(from); }
  void read(const py::handle& from, double& value) { value = real(from); }
  void read(const py::handle& from, std::string& value) { value = string(from); }
  void read(const py::handle& from, std::shared_ptr<const xg2lab::Machine>& machine) {
    // A machine is serialized as its words and built again from them, so it can't differ from its
    // words.
    auto& known = machines_[string(from)];
    if (known == nullptr) known = read_machine(string(from));
    machine = known;
  }
  template <class Tag>
  void read(const py::handle& from, Id<Tag>& id) {
    id = Id<Tag>(number(from));
  }
  template <class Value>
  void read(const py::handle& from, std::optional<Value>& value) {
    if (!from.is_none()) read(from, value.emplace());
  }
  template <class Value>
  void read(const py::handle& from, std::shared_ptr<const Value>& value) {
    if (from.is_none()) return;
    auto made = std::make_shared<Value>();
    read(from, *made);
    value = std::move(made);
  }
  template <class Value>
  void read(const py::handle& from, std::vector<Value>& values) {
    for (const py::handle& value : rows(from)) read(value, values.emplace_back());
  }
  template <class Value, size_t n>
  void read(const py::handle& from, std::array<Value, n>& values) {
    const py::sequence row_of = row(from, n);
    for (size_t i = 0; i < n; ++i) read(row_of[i], values[i]);
  }
  template <class Number>
  void read(const py::handle& from, OrNone<Number> max) {
    max.bound = from.is_none() ? UINT32_MAX : number(from);
  }
  template <class List>
  void read(const py::handle& from, OnlyOne<List> one) {
    read(from, one.list.emplace_back());
  }
  template <class String>
  void read(const py::handle& from, ByteString<String> into) {
    if (!py::isinstance<py::bytes>(from)) throw py::type_error("expected bytes");
    into.bytes = py::cast<std::string>(from);
  }
  template <class Value>
  void read(const py::handle& from, AsText<Value> text) {
    if (!text.read(string(from), text.value)) throw py::value_error(text.refusal);
  }
  template <class Table>
  void read(const py::handle& from, Words<Table> into) {
    from_words(read_words(from), into.table, into.cut_off);
  }
  template <Listed Row>
  void read(const py::handle& from, Row& into);

 private:
  std::unordered_map<std::string, std::shared_ptr<const xg2lab::Machine>> machines_;
};

class RowReader {
 public:
  RowReader(PlainReader& reader, const py::handle& from, size_t n_columns)
      : reader_(reader), row_(row(from, n_columns)) {}
  template <class Field, class... Declared>
  void operator()(const char*, Field&& field, const Declared&...) {
    if constexpr (std::same_as<Field, SourceSpan&>) {
      fields(*this, field);
    } else {
      reader_.read(row_[n_read_++], field);
    }
  }
  template <class Expr>
  void payload_of(Expr& e);

 private:
  PlainReader& reader_;
  py::sequence row_;
  size_t n_read_ = 0;
};

class PayloadReader {
 public:
  PayloadReader(PlainReader& reader, py::object from) : reader_(reader), from_(std::move(from)) {}
  void no_value() {}
  template <class Field, class... Declared>
  void one_value(const char*, Field&& field, const Declared&...) {
    reader_.read(from_, field);
  }
  template <class List>
  void row(const List& list) {
    ColumnCount count;
    list(count);
    RowReader reader(reader_, from_, count.n_columns());
    list(reader);
  }

 private:
  PlainReader& reader_;
  py::object from_;
};

template <Listed Row>
void PlainReader::read(const py::handle& from, Row& into) {
  RowReader reader(*this, from, n_columns(into));
  fields(reader, into);
}

template <class Expr>
void RowReader::payload_of(Expr& e) {
  PayloadReader reader(reader_, row_[n_read_++]);
  payload(reader, e);
}

}  // namespace xg2lab::bind
