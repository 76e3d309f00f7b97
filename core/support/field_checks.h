// The visitor of a list of fields (support/fields.h) that checks what the list declares.
//
// Tests: tests/unit/support_fields.cc, tests/core/test_serialization_hostile.py
//
// IDEA
//   A scope holds the sizes of the tables that ids point into: `scope.n_of(RuleId())` is the number
//   of rules. An id's type selects the table, so the list declares only the message for an id out
//   of range. The visitor also checks ids in lists, in optional values and in nested rows.
//
// EXAMPLE
//   check_fields(edge, scope, [&](const char* what) { refuse("/states/7", what); });
//
// COST      a comparison for each declared field; a message is made only if a check fails.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/fields.h"
#include "support/ids.h"

namespace xg2lab {

// `refuse(what)` throws.
template <class Scope, class Refuse>
class FieldChecks {
 public:
  FieldChecks(const Scope& scope, const Refuse& refuse) : scope_(scope), refuse_(refuse) {}

  template <class Field, class... Declared>
  void operator()(const char*, const Field& field, const Declared&... declared) {
    check(field, declared...);
  }
  template <class Field>
  void operator()(const char*, const Field&, const CheckedIn&) {}
  template <class Tables, class Get, class Add>
  void optional_rows(const char*, const Tables&, Get, Add) {}
  // A payload is no value, one value or a row, depending on the expression's kind.
  template <class Expr>
  void payload_of(const Expr& e) {
    payload(*this, e);
  }
  void no_value() {}
  template <class Field, class... Declared>
  void one_value(const char*, const Field& field, const Declared&... declared) {
    (*this)(nullptr, field, declared...);
  }
  template <class List>
  void row(const List& list) {
    list(*this);
  }

 private:
  template <class Tag, class... Declared>
  void check(Id<Tag> id, const Declared&... declared) {
    static_assert(sizeof...(Declared) == 1, "an id needs or_refuse() or checked_in()");
    (require(id.index() < scope_.n_of(id), declared), ...);
  }
  template <class... Declared>
  void check(SourceSpan span, const Declared&... declared) {
    static_assert(sizeof...(Declared) == 1, "a span needs or_refuse() or checked_in()");
    (require(span.begin <= span.end && span.end <= scope_.n_source_bytes, declared), ...);
  }
  template <class Value, class... Declared>
  void check(const std::optional<Value>& value, const Declared&... declared) {
    if (value) check(*value, declared...);
  }
  template <class Value, class... Declared>
  void check(const std::shared_ptr<const Value>& value, const Declared&... declared) {
    if (value) check(*value, declared...);
  }
  template <class Value, class... Declared>
  void check(const std::vector<Value>& values, const Declared&... declared) {
    for (const Value& value : values) check(value, declared...);
  }
  template <class Value, size_t n, class... Declared>
  void check(const std::array<Value, n>& values, const Declared&... declared) {
    for (const Value& value : values) check(value, declared...);
  }
  template <class List, class... Declared>
  void check(OnlyOne<List> one, const Declared&... declared) {
    check(one.list, declared...);
  }
  template <class Table, class... Declared>
  void check(Words<Table> words, const Declared&... declared) {
    check(words.table, declared...);
  }
  template <class Value, class... Declared>
  void check(const Value& value, const Declared&... declared) {
    if constexpr (Listed<const Value>) fields(*this, value);
    (demand(value, declared), ...);
  }

  void require(bool is_in_range, OrRefuse declared) const {
    if (!is_in_range) refuse_(declared.refusal);
  }
  template <class Value, class Holds>
  void demand(const Value& value, const Must<Holds>& declared) const {
    if (!declared.holds(value)) refuse_(declared.refusal);
  }

  const Scope& scope_;
  const Refuse& refuse_;
};

// Checks all that the list of `row` declares.
template <Listed Row, class Scope, class Refuse>
void check_fields(const Row& row, const Scope& scope, const Refuse& refuse) {
  FieldChecks checks(scope, refuse);
  fields(checks, row);
}

// Checks an object of tables and names the place of an error: "/rules/7" for a row, "/root" for any
// other field.
template <class Scope, class Refuse>
class TableChecks {
 public:
  TableChecks(const Scope& scope, const Refuse& refuse) : scope_(scope), refuse_(refuse) {}

  template <class Field, class... Declared>
  void operator()(const char* name, const Field& field, const Declared&... declared) {
    const auto refuse = [&](const char* what) { refuse_(std::string("/") + name, what); };
    FieldChecks checks(scope_, refuse);
    checks(name, field, declared...);
  }
  template <Listed Row>
  void operator()(const char* name, const std::vector<Row>& rows) {
    for (size_t i = 0; i < rows.size(); ++i) {
      check_fields(rows[i], scope_, [&](const char* what) {
        refuse_(std::string("/") + name + "/" + std::to_string(i), what);
      });
    }
  }
  template <class Tables, class Get, class Add>
  void optional_rows(const char*, const Tables&, Get, Add) {}

 private:
  const Scope& scope_;
  const Refuse& refuse_;
};

// `refuse(place, what)` throws.
template <Listed Tables, class Scope, class Refuse>
void check_tables(const Tables& tables, const Scope& scope, const Refuse& refuse) {
  TableChecks checks(scope, refuse);
  fields(checks, tables);
}

}  // namespace xg2lab
