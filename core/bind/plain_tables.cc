// Read: TablesReader and PlacedTablesReader, which adds places to errors; then the functions, of a
// few lines each.
#include "bind/plain_tables.h"

#include <string>
#include <vector>

#include "bind/plain_rows.h"
#include "bind/plain_values.h"
#include "grammar/plain_fields.h"
#include "program/plain_fields.h"
#include "support/error.h"

namespace xg2lab::bind {
namespace {

// Reads a dict of tables; errors are those of PlainReader, or a KeyError.
class TablesReader {
 public:
  explicit TablesReader(const py::dict& tables) : tables_(tables) {}
  template <class Field, class... Declared>
  void operator()(const char* name, Field&& field, const Declared&...) {
    reader_.read(tables_[name], field);
  }
  template <class Tables, class Row>
  void optional_rows(const char* name, Tables& tables, std::vector<Row> (*)(const Tables&),
                     void (*add)(Tables&, Row)) {
    if (!tables_.contains(name)) return;
    for (const py::handle& value : rows(tables_[name])) {
      Row row;
      reader_.read(value, row);
      add(tables, std::move(row));
    }
  }

 private:
  const py::dict& tables_;
  PlainReader reader_;
};

constexpr const char* kNoList = "it is missing or not a list";

[[noreturn]] void refuse_at(const std::string& place, const std::string& what) {
  throw Error(ErrorKind::kDeserializeFormatError, place + ": " + what,
              "use the text that serialize_json() returned, unchanged");
}

// Runs `read`; adds the place to its errors.
template <class Read>
void at(const std::string& place, const Read& read) {
  try {
    read();
  } catch (const FormError& error) {
    throw Error(ErrorKind::kDeserializeFormatError, place + ": " + error.what());
  } catch (const std::invalid_argument& error) {
    refuse_at(place, error.what());
  } catch (const py::builtin_exception& error) {
    refuse_at(place, error.what());
  }
}

// Calls read(value) for each row of a list; the place of a row in an error is "/program/rules/7".
template <class Read>
void read_each(const std::string& place, const py::handle& list, const Read& read) {
  size_t i = 0;
  if (!py::isinstance<py::list>(list)) at(place, [] { throw FormError(kNoList); });
  for (const py::handle& value : rows(list)) {
    at(place + "/" + std::to_string(i++), [&] { read(value); });
  }
}

// Reads a dict of tables; adds the place to errors.
class PlacedTablesReader {
 public:
  PlacedTablesReader(const char* place, const py::dict& tables) : place_(place), tables_(tables) {}
  template <class Field, class... Declared>
  void operator()(const char* name, Field&& field, const Declared&...) {
    at(place_of(name), [&] { reader_.read(tables_[name], field); });
  }
  template <Listed Row>
  void operator()(const char* name, std::vector<Row>& table) {
    read_each(place_of(name), tables_[name],
              [&](const py::handle& value) { reader_.read(value, table.emplace_back()); });
  }
  template <class Table, class... Declared>
  void operator()(const char* name, Words<Table> words, const Declared&...) {
    const std::string place = place_of(name);
    at(place, [&] {
      try {
        reader_.read(tables_[name], words);
      } catch (const BadWords& bad) {
        if (!bad.row()) throw;
        refuse_at(place + "/" + std::to_string(*bad.row()), bad.what());
      }
    });
  }
  template <class Tables, class Row>
  void optional_rows(const char* name, Tables& tables, std::vector<Row> (*)(const Tables&),
                     void (*add)(Tables&, Row)) {
    if (!tables_.contains(name)) return;
    read_each(place_of(name), tables_[name], [&](const py::handle& value) {
      Row row;
      reader_.read(value, row);
      add(tables, std::move(row));
    });
  }

 private:
  std::string place_of(const char* name) const { return std::string(place_) + "/" + name; }

  const char* place_;
  const py::dict& tables_;
  PlainReader reader_;
};

// Compares a dict's keys with the names of an object's tables.
class TableNames {
 public:
  explicit TableNames(const py::dict& tables) : tables_(tables) {}
  template <class Field, class... Declared>
  void operator()(const char* name, const Field&, const Declared&...) {
    required_ += (required_.empty() ? "" : ", ") + std::string(name);
    is_complete_ = is_complete_ && tables_.contains(name);
    n_known_ += tables_.contains(name) ? 1 : 0;
  }
  template <class Tables, class Get, class Add>
  void optional_rows(const char* name, const Tables&, Get, Add) {
    n_known_ += tables_.contains(name) ? 1 : 0;
  }
  void check() const {
    if (!is_complete_ || n_known_ != tables_.size())
      throw FormError("its fields are not " + required_);
  }

 private:
  const py::dict& tables_;
  std::string required_;
  bool is_complete_ = true;
  size_t n_known_ = 0;
};

template <class Tables>
py::dict written(const Tables& plain) {
  TablesWriter writer;
  fields(writer, plain);
  return std::move(writer).tables();
}

}  // namespace

py::dict grammar_to_python(const Grammar& grammar) { return written(to_plain(grammar)); }

Grammar grammar_from_python(const py::dict& tables) {
  PlainGrammar plain;
  TablesReader reader(tables);
  fields(reader, plain);
  return from_plain(plain);
}

py::dict program_to_python(const Program& program) { return written(to_plain(program)); }

PlainProgram program_from_python(const py::dict& tables) {
  PlainProgram plain;
  TableNames names(tables);
  fields(names, plain);
  at("/program", [&] { names.check(); });
  PlacedTablesReader reader("/program", tables);
  fields(reader, plain);
  return plain;
}

py::list masks_to_python(const MaskStore& masks, size_t n_states) {
  return PlainWriter::write(to_plain(masks, n_states));
}

py::list known_to_python(const KnownEntries& known, const TokenSets& tokens) {
  return PlainWriter::write(to_plain(known, tokens));
}

namespace {

template <class Mask>
std::vector<Mask> rows_of_masks(const py::handle& masks) {
  std::vector<Mask> plain;
  PlainReader reader;
  read_each("/masks", masks,
            [&](const py::handle& value) { reader.read(value, plain.emplace_back()); });
  return plain;
}

}  // namespace

std::vector<PlainMask> masks_from_python(const py::handle& masks) {
  return rows_of_masks<PlainMask>(masks);
}

std::vector<PlainInside> known_from_python(const py::handle& masks) {
  return rows_of_masks<PlainInside>(masks);
}

}  // namespace xg2lab::bind
