// The only way for bindings to include pybind11: it makes sure that a shared_ptr argument is never
// null.
//
// Tests: tests/core/test_refused_arguments.py, tests/core/test_hostile_calls.py
//
// IDEA
//   pybind11 turns None into a null std::shared_ptr at any depth: in an argument, an item of a
//   list, a cast. Here a shared_ptr is never null, and an optional argument is a std::optional of
//   one:
//
//     [](std::shared_ptr<Grammar> grammar)                 None: a TypeError
//     [](std::optional<std::shared_ptr<MaskPool>> pool)    None: no pool
//
//   A specialization must be visible wherever the caster is used, so all of bind/ includes this
//   header instead of pybind11's (a test checks that). bind/calls.h adds the other guards around
//   all calls.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <type_traits>

namespace pybind11::detail {

template <typename T>
  requires std::is_class_v<T>
class type_caster<std::shared_ptr<T>> : public copyable_holder_caster<T, std::shared_ptr<T>> {
 public:
  bool load(handle source, bool convert) {
    return !source.is_none() &&
           copyable_holder_caster<T, std::shared_ptr<T>>::load(source, convert);
  }
};

}  // namespace pybind11::detail
