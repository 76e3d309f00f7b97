// Rows of bitmasks with their checks, and the application of a bitmask to logits in CPU memory.
// Read: BitmaskRows, then apply_on_cpu, then the table of what Python sees.
// The trick: checks compare fields of one small struct; only a failed check asks Python for
// descriptions.
#include "bind/bitmask.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "bind/bind.h"
#include "bind/unlocked.h"
#include "support/apply_bitmask.h"
#include "support/bits.h"
#include "support/error.h"
#include "support/text.h"

namespace xg2lab::bind {
namespace {

constexpr const char* kAllocateHint =
    "allocate_token_bitmask(batch_size, vocab_size) makes one that fits";

[[noreturn]] void refuse_bitmask(std::string message, std::string hint) {
  throw Error(ErrorKind::kBitmaskError, std::move(message), std::move(hint));
}

// The memory of words or floats must be aligned.
void check_layout(const TensorView& view, const char* what) {
  if (reinterpret_cast<uintptr_t>(view.data) % view.item_size() == 0 && view.has_whole_strides)
    return;
  refuse_bitmask(concat(what, " has elements that are not aligned in memory"), "pass a copy of it");
}

// A view of the bitmask after the checks that concern all its rows.
TensorView checked_bitmask(py::handle bitmask, bool for_writing) {
  const auto view = view_tensor(bitmask);
  if (!view) {
    refuse_bitmask("the bitmask is " + kind_of_object(bitmask) +
                       "; wanted a NumPy array or a torch tensor of int32",
                   kAllocateHint);
  }
  if (view->element != ElementType::kInt32 && view->element != ElementType::kUInt32) {
    refuse_bitmask("the bitmask has dtype " + dtype_name(bitmask) + "; wanted int32",
                   kAllocateHint);
  }
  if (!view->on_cpu) {
    refuse_bitmask("the bitmask is on device " + device_name(bitmask) + "; wanted cpu",
                   "fill a bitmask on the CPU and copy it: bitmask.to(logits.device)");
  }
  if (view->n_dimensions != 1 && view->n_dimensions != 2) {
    refuse_bitmask("the bitmask has shape " + shape_text(bitmask) +
                       "; wanted (batch_size, n_words) or (n_words,)",
                   kAllocateHint);
  }
  if (view->column_stride() != 1 && view->n_columns() > 1) {
    refuse_bitmask("the words of a bitmask's row are not contiguous", "pass a copy in C order");
  }
  check_layout(*view, "the bitmask");
  if (!for_writing) return *view;
  if (!view->writable) refuse_bitmask("the bitmask is read-only", "pass a writable copy");
  if (view->rows_overlap()) {
    refuse_bitmask("the rows of the bitmask overlap in memory",
                   "pass a copy: each row needs words of its own");
  }
  return *view;
}

uint32_t* row_begin(const TensorView& view, int64_t index) {
  return static_cast<uint32_t*>(view.data) + index * view.row_stride();
}

std::string words_needed(size_t n_tokens) {
  return concat(n_tokens, " tokens need ", n_words_for(n_tokens), " words");
}

}  // namespace

BitmaskRows::BitmaskRows(py::object bitmask)
    : owner_(std::move(bitmask)), view_(checked_bitmask(owner_, /*for_writing=*/true)) {}

std::span<uint32_t> BitmaskRows::row(int64_t index, size_t n_tokens) const {
  if (index < 0 || index >= view_.n_rows()) {
    refuse_bitmask(
        concat("row ", index, " does not exist; the bitmask has shape ", shape_text(owner_)),
        view_.n_rows() > 1 ? concat("rows count from 0 to ", view_.n_rows() - 1)
                           : "its only row is row 0");
  }
  const auto n_words = static_cast<size_t>(view_.n_columns());
  if (n_words * kBitsPerWord < n_tokens) {
    refuse_bitmask(
        concat("the bitmask has ", n_words, " words a row; ", words_needed(n_tokens)),
        concat("allocate_token_bitmask(batch_size, ", n_tokens, ") makes one that fits"));
  }
  return {row_begin(view_, index), n_words};
}

BitmaskRow bitmask_row(py::object bitmask, int64_t index, size_t n_tokens) {
  const BitmaskRows rows(bitmask);
  return {rows.row(index, n_tokens), std::move(bitmask)};
}

namespace {

// ---- Application to logits ----

struct LogitsRows {
  TensorView logits;
  TensorView bitmask;
  std::vector<int64_t> rows;
  size_t n_tokens;
};

template <class Element>
void apply_rows(const LogitsRows& work, Element minus_infinity) {
  for (const int64_t row : work.rows) {
    Element* logits = static_cast<Element*>(work.logits.data) + row * work.logits.row_stride();
    const std::span<const uint32_t> words(row_begin(work.bitmask, row), n_words_for(work.n_tokens));
    apply_bitmask(std::span<Element>(logits, work.n_tokens), words, minus_infinity);
  }
}

// xg2lab/bitmask.py checks the shapes with better messages; they are checked again here because of
// the pointers.
void apply_on_cpu(const py::object& logits, const py::object& bitmask, size_t n_tokens,
                  std::vector<int64_t> rows) {
  const auto view = view_tensor(logits);
  if (!view || !view->on_cpu || view->n_dimensions < 1 || view->n_dimensions > 2) {
    refuse_bitmask("the logits are not a matrix in CPU memory",
                   "pass a NumPy array or a CPU tensor");
  }
  if (view->column_stride() != 1 && view->n_columns() > 1) {
    refuse_bitmask("the values of a logits row are not contiguous",
                   "pass logits.contiguous(), or use backend=\"torch_native\"");
  }
  if (!view->writable) refuse_bitmask("the logits are read-only", "pass a writable copy");
  check_layout(*view, "the logits");
  if (view->rows_overlap()) {
    refuse_bitmask("the rows of the logits overlap in memory",
                   "pass a copy: each row needs values of its own");
  }
  LogitsRows work{*view, checked_bitmask(bitmask, /*for_writing=*/false), std::move(rows),
                  n_tokens};
  if (n_tokens > static_cast<size_t>(view->n_columns()) ||
      n_tokens > static_cast<size_t>(work.bitmask.n_columns()) * kBitsPerWord) {
    refuse_bitmask(concat("the logits or the bitmask are narrower than ", n_tokens, " tokens"),
                   kAllocateHint);
  }
  for (const int64_t row : work.rows) {
    if (0 <= row && row < view->n_rows() && row < work.bitmask.n_rows()) continue;
    refuse_bitmask(concat("row ", row, " is not a row of both logits and bitmask"), kAllocateHint);
  }
  const std::string dtype = dtype_name(logits);
  const Unlocked unlocked;
  switch (view->element) {
    case ElementType::kFloat32: return apply_rows<float>(work, kMinusInfinityFloat32);
    case ElementType::kFloat64: return apply_rows<double>(work, kMinusInfinityFloat64);
    case ElementType::kFloat16: return apply_rows<uint16_t>(work, kMinusInfinityFloat16);
    case ElementType::kBFloat16: return apply_rows<uint16_t>(work, kMinusInfinityBFloat16);
    default: break;
  }
  refuse_bitmask(
      "the logits have dtype " + dtype + "; wanted float32, float64, float16 or bfloat16",
      "convert them first: logits.float()");
}

// ---- support/bits.h on NumPy arrays of uint32, which tests compare with sets ----

using Words = py::array_t<uint32_t, py::array::c_style>;

std::span<uint32_t> mutable_span(Words& words) {
  return {words.mutable_data(), static_cast<size_t>(words.size())};
}
std::span<const uint32_t> const_span(const Words& words) {
  return {words.data(), static_cast<size_t>(words.size())};
}

void check_bits(std::span<const uint32_t> words, size_t end) {
  if (end > words.size() * kBitsPerWord) throw py::index_error("a bit beyond the last word");
}

template <void (*kOperation)(std::span<uint32_t>, std::span<const uint32_t>)>
void binary(Words target, const Words& source) {
  if (source.size() > target.size()) throw py::index_error("the source is longer than the target");
  kOperation(mutable_span(target), const_span(source));
}

template <void (*kOperation)(std::span<uint32_t>, size_t, size_t)>
void on_range(Words words, size_t begin, size_t end) {
  check_bits(const_span(words), end);
  kOperation(mutable_span(words), begin, end);
}

template <void (*kOperation)(std::span<uint32_t>, std::span<const uint32_t>)>
void on_positions(Words words, const Words& positions) {
  for (const uint32_t position : const_span(positions))
    check_bits(const_span(words), size_t{position} + 1);
  kOperation(mutable_span(words), const_span(positions));
}

// A class of static functions instead of a module, so that the stub of `_core` stays one file.
struct Bits {};

void bind_bits(py::module_& module) {
  py::class_<Bits> bits(module, "Bits",
                        "Sets as words of 32 bits (core/support/bits.h), for tests.");
  bits.def_static("fill_ones", [](Words words, size_t n_bits) {
    check_bits(const_span(words), n_bits);
    fill_ones(mutable_span(words), n_bits);
  });
  bits.def_static("fill_zeros", [](Words words) { fill_zeros(mutable_span(words)); });
  bits.def_static("set_range", &on_range<set_range>);
  bits.def_static("clear_range", &on_range<clear_range>);
  bits.def_static("set_each", &on_positions<set_each>);
  bits.def_static("clear_each", &on_positions<clear_each>);
  bits.def_static("copy_into", &binary<copy_into>);
  bits.def_static("or_into", &binary<or_into>);
  bits.def_static("and_into", &binary<and_into>);
  bits.def_static("and_not_into", &binary<and_not_into>);
  bits.def_static("count_ones", [](const Words& words) { return count_ones(const_span(words)); });
  bits.def_static("any_one", [](const Words& words) { return any_one(const_span(words)); });
  bits.def_static("members", [](const Words& words) {
    std::vector<size_t> members;
    for_each_one(const_span(words), [&members](size_t bit) { members.push_back(bit); });
    return members;
  });
  bits.def_static("gather", [](Words target, const Words& source, const Words& positions) {
    for (const uint32_t position : const_span(positions))
      check_bits(const_span(source), size_t{position} + 1);
    check_bits(const_span(target), static_cast<size_t>(positions.size()));
    gather(mutable_span(target), const_span(source), const_span(positions));
  });
  bits.def_static("scatter", [](Words target, const Words& source, const Words& positions) {
    for (const uint32_t position : const_span(positions))
      check_bits(const_span(target), size_t{position} + 1);
    for_each_one(const_span(source), [&positions](size_t bit) {
      if (bit >= static_cast<size_t>(positions.size()))
        throw py::index_error("a member without a position");
    });
    scatter(mutable_span(target), const_span(source), const_span(positions));
  });
}

}  // namespace

void bind_bitmask(py::module_& module) {
  // pybind11 looks up NumPy's functions on first use and releases the GIL meanwhile. At the end of
  // the process that would abort it (bind/unlocked.h), so the look-up is made now.
  py::dtype::of<uint32_t>();
  bind_bits(module);
  module.def(
      "bitmask_row_address",
      [](py::object bitmask, int64_t index, size_t n_tokens) {
        const BitmaskRow row = bitmask_row(std::move(bitmask), index, n_tokens);
        return py::make_tuple(reinterpret_cast<uintptr_t>(row.words.data()), row.words.size());
      },
      py::arg("bitmask"), py::arg("index"), py::arg("n_tokens"),
      "The address and word count of a bitmask's row, after the checks that every fill makes.");
  module.def("apply_bitmask_on_cpu", &apply_on_cpu, py::arg("logits"), py::arg("bitmask"),
             py::arg("n_tokens"), py::arg("rows"),
             "Sets to minus infinity each of the first n_tokens logits whose bit is 0, in the rows "
             "named.");
}

}  // namespace xg2lab::bind
