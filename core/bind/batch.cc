// BatchGrammarMatcher and draft trees: lists in, one core call without the GIL, results and errors
// out. Read: the matchers of a batch (members, holds), results and errors (raise_first), the four
// operations, draft trees.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind/bind.h"
#include "bind/bitmask.h"
#include "bind/docstrings.h"
#include "bind/integers.h"
#include "bind/interruptible.h"
#include "bind/matcher_object.h"
#include "bind/tensor_view.h"
#include "runtime/batch.h"
#include "runtime/draft_tree.h"
#include "runtime/thread_pool.h"
#include "support/text.h"

namespace xg2lab::bind {
namespace {

// Raised after all parts are done, for the first part with an error.
struct BatchError {
  Error error;
  size_t index;
  py::object results;  // with None for matchers that raised
};

[[noreturn]] void refuse(std::string message, std::string hint) {
  throw Error(ErrorKind::kArgumentError, std::move(message), std::move(hint));
}

// ---- The matchers of a batch ----

struct Members {
  std::vector<py::object> owners;  // keep the matchers alive while the GIL is released
  std::vector<MatcherObject*> objects;
  size_t size() const { return objects.size(); }
};

Members members_of(const py::handle& matchers) {
  Members members{items_of(matchers, "matchers"), {}};
  members.objects.reserve(members.owners.size());
  for (size_t i = 0; i < members.owners.size(); ++i) {
    py::detail::make_caster<MatcherObject>
        matcher;  // one type look-up instead of isinstance and a cast
    if (!matcher.load(members.owners[i], /*convert=*/false)) {
      throw py::type_error(concat("matchers[", i, "] is ",
                                  std::string(py::repr(py::type::of(members.owners[i]))),
                                  "; wanted a GrammarMatcher"));
    }
    members.objects.push_back(py::detail::cast_op<MatcherObject*>(matcher));
  }
  std::vector<std::pair<MatcherObject*, size_t>> sorted;
  sorted.reserve(members.size());
  for (size_t i = 0; i < members.size(); ++i) sorted.emplace_back(members.objects[i], i);
  std::sort(sorted.begin(), sorted.end());
  for (size_t k = 1; k < sorted.size(); ++k) {
    if (sorted[k - 1].first == sorted[k].first) {
      refuse(concat("matchers ", sorted[k - 1].second, " and ", sorted[k].second,
                    " are the same object"),
             "each part of a batch needs a matcher of its own: fork() is cheap");
    }
  }
  return members;
}

void check_length(const char* what, size_t length, size_t n_matchers) {
  if (length == n_matchers) return;
  refuse(concat(what, " has ", length, " elements for ", n_matchers, " matchers"),
         "give one for each matcher, in the same order");
}

// ---- Running the parts, and their errors ----

// Holds the matchers that are not in use, for one call; `refused`: the indices of the others.
class Holds {
 public:
  explicit Holds(const Members& members) {
    // so that nothing throws between taking a matcher and recording it
    held_.reserve(members.size());
    refused.reserve(members.size());
    for (size_t i = 0; i < members.size(); ++i) {
      if (Hold::take(*members.objects[i])) held_.push_back(members.objects[i]);
      else refused.push_back(i);
    }
  }
  ~Holds() {
    for (MatcherObject* object : held_) Hold::let_go(*object);
  }
  Holds(const Holds&) = delete;
  Holds& operator=(const Holds&) = delete;

  std::vector<size_t> refused;  // ascending

 private:
  std::vector<MatcherObject*> held_;
};

// Runs the parts whose matcher is free; a matcher in use elsewhere is an error of its part alone.
template <class Part>
void run(const Members& members, std::vector<Part>& parts, size_t n_threads,
         void (*operation)(std::span<Part>, size_t)) {
  const Holds holds(members);
  for (size_t i = 0; i < parts.size(); ++i) parts[i].matcher = &members.objects[i]->matcher;
  for (const size_t i : holds.refused) parts[i].matcher = nullptr;
  if (holds.refused.empty()) {
    unlocked([&] { operation(parts, n_threads); });
  } else {
    std::vector<Part> free;
    for (const Part& part : parts) {
      if (part.matcher != nullptr) free.push_back(part);
    }
    unlocked([&] { operation(free, n_threads); });
    auto done = free.begin();
    for (Part& part : parts) {
      if (part.matcher != nullptr) part = std::move(*done++);
    }
    for (const size_t i : holds.refused) parts[i].error = std::make_exception_ptr(Hold::refusal());
  }
}

using Bools = py::typing::List<bool>;

// The result of each part, by `answer`; None for a part with an error.
template <class Part>
Bools answers(const std::vector<Part>& parts, bool (*answer)(const Part&)) {
  py::list list(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    list[i] = parts[i].error ? py::object(py::none()) : py::object(py::bool_(answer(parts[i])));
  }
  return py::reinterpret_steal<Bools>(list.release());
}

// The error of a part's exception, with the part's index.
Error error_of(const std::exception_ptr& exception, size_t i, size_t n_others) {
  const std::string who = concat("matcher ", i, ": ");
  const std::string others = n_others > 0 ? concat(" (and ", n_others, " more matchers)") : "";
  try {
    std::rethrow_exception(exception);
  } catch (const Error& error) {
    const Diagnostic& first = error.diagnostics().front();
    return {error.kind(), who + first.message + others, first.hint};
  } catch (const std::bad_alloc&) {
    return {ErrorKind::kLimitError, who + "there is no memory left" + others,
            "make smaller batches, or bound the grammars by EngineOptions"};
  }
}

// Throws the error of the first part that has one, together with the results of the other parts,
// which are done.
template <class Part>
void raise_first(const std::vector<Part>& parts, bool (*answer)(const Part&)) {
  size_t n_errors = 0;
  for (const Part& part : parts) n_errors += part.error ? 1 : 0;
  for (size_t i = 0; n_errors > 0 && i < parts.size(); ++i) {
    if (!parts[i].error) continue;
    throw BatchError{error_of(parts[i].error, i, n_errors - 1), i, answers(parts, answer)};
  }
}

template <class Part>
Bools accepted(const std::vector<Part>& parts) {
  constexpr auto answer = [](const Part& part) { return part.accepted; };
  raise_first<Part>(parts, answer);
  return answers<Part>(parts, answer);
}

void print_explanation(size_t i, MatcherObject& object, const py::object& token) {
  py::print("matcher", i, explain_or_why_not(object, token));
}

// ---- The operations ----

class BatchMatcher {
 public:
  explicit BatchMatcher(size_t n_threads) : n_threads_(n_threads) {}
  size_t n_threads() const { return n_threads_; }

 private:
  size_t n_threads_;
};

// The meaning of "auto": half of the processors, which is the number of cores if each runs two
// threads; at least two.
size_t n_threads_by_default() {
  const size_t n = ThreadPool::n_processors();
  return std::max<size_t>((n + 1) / 2, std::min<size_t>(n, 2));
}

size_t n_threads_of(const py::object& max_threads) {
  constexpr int64_t kMostThreads = 1024;
  if (py::isinstance<py::str>(max_threads) && max_threads.cast<std::string>() == "auto") {
    return n_threads_by_default();
  }
  if (!py::isinstance<py::int_>(max_threads) || py::isinstance<py::bool_>(max_threads)) {
    throw py::type_error("max_threads must be a number or \"auto\", not " +
                         kind_of_object(max_threads));
  }
  const int64_t n = ints_of(py::make_tuple(max_threads), "max_threads").front();
  if (n < 1 || n > kMostThreads) {
    refuse(concat("max_threads is ", n, "; wanted 1 to ", kMostThreads),
           "\"auto\" takes half of the processors");
  }
  return static_cast<size_t>(n);
}

std::vector<int64_t> rows_of(const py::object& indices, size_t n_matchers) {
  std::vector<int64_t> rows;
  if (indices.is_none()) {
    for (size_t i = 0; i < n_matchers; ++i) rows.push_back(static_cast<int64_t>(i));
    return rows;
  }
  rows = ints_of(indices, "indices");
  check_length("indices", rows.size(), n_matchers);
  std::vector<std::pair<int64_t, size_t>> sorted;
  for (size_t i = 0; i < rows.size(); ++i) sorted.emplace_back(rows[i], i);
  std::sort(sorted.begin(), sorted.end());
  for (size_t k = 1; k < sorted.size(); ++k) {
    if (sorted[k - 1].first == sorted[k].first) {
      refuse(concat("matchers ", sorted[k - 1].second, " and ", sorted[k].second,
                    " would write the same row, ", sorted[k].first),
             "give each matcher a row of its own");
    }
  }
  return rows;
}

void batch_fill(const BatchMatcher& self, const py::object& matchers, const py::object& bitmask,
                const py::object& indices, bool debug_print) {
  const Members members = members_of(matchers);
  const std::vector<int64_t> rows = rows_of(indices, members.size());
  const BitmaskRows all(bitmask);
  std::vector<FillPart> parts(members.size());
  for (size_t i = 0; i < parts.size(); ++i) {  // all rows are checked before one is written
    const Vocabulary& vocabulary = *members.objects[i]->matcher.compiled().tokens().vocabulary;
    parts[i].row = all.row(rows[i], vocabulary.n_tokens());
  }
  run(members, parts, self.n_threads(), &fill_batch);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].error) members.objects[i]->last_fill = LastFill{parts[i].report, parts[i].us};
  }
  for (size_t i = 0; debug_print && i < parts.size(); ++i)
    print_explanation(i, *members.objects[i], py::bytes(""));
  raise_first<FillPart>(parts, [](const FillPart& part) { return part.forbids; });
}

Bools accept_token(const py::object& matchers, const py::object& tokens, bool debug_print) {
  const Members members = members_of(matchers);
  const std::vector<int64_t> ids = ints_of(tokens, "tokens");
  check_length("tokens", ids.size(), members.size());
  std::vector<AcceptTokenPart> parts(members.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i].token_id = ids[i];
    if (debug_print) print_explanation(i, *members.objects[i], py::int_(ids[i]));
  }
  run(members, parts, n_threads_by_default(), &accept_tokens);
  return accepted(parts);
}

Bools batch_accept_string(const py::object& matchers, const py::object& strings, bool debug_print) {
  const Members members = members_of(matchers);
  const std::vector<py::object> texts = items_of(strings, "strings");
  check_length("strings", texts.size(), members.size());
  std::vector<AcceptStringPart> parts(members.size());
  for (size_t i = 0; i < parts.size(); ++i) parts[i].bytes = bytes_of(texts[i], "accept_string");
  for (size_t i = 0; debug_print && i < parts.size(); ++i)
    print_explanation(i, *members.objects[i], texts[i]);
  run(members, parts, n_threads_by_default(), &accept_strings);
  return accepted(parts);
}

void rollback(const py::object& matchers, const py::object& num_tokens) {
  const Members members = members_of(matchers);
  std::vector<int64_t> steps;
  if (PyIndex_Check(num_tokens.ptr()) != 0) {
    steps.assign(members.size(), ints_of(py::make_tuple(num_tokens), "num_tokens").front());
  } else {
    steps = ints_of(num_tokens, "num_tokens");
    check_length("num_tokens", steps.size(), members.size());
  }
  std::vector<RollbackPart> parts(members.size());
  for (size_t i = 0; i < parts.size(); ++i) parts[i].n_steps = steps[i];
  run(members, parts, n_threads_by_default(), &roll_back);
  raise_first<RollbackPart>(parts, [](const RollbackPart&) { return true; });
}

// A vector of temperatures that Python owns.
struct FloatVector {
  float* first = nullptr;
  int64_t stride = 1;
  int64_t size = 0;
};

FloatVector floats_of(const py::object& vector, bool must_be_dense) {
  const auto view = view_tensor(vector);
  const auto refuse_vector = [](const std::string& what) {
    refuse("temperatures: " + what,
           "give a torch tensor or NumPy array of float32 in CPU memory, of one dimension");
  };
  if (!view) refuse_vector("got " + kind_of_object(vector));
  if (view->n_dimensions != 1) refuse_vector("the shape is " + shape_text(vector));
  if (view->element != ElementType::kFloat32) refuse_vector("the type is " + dtype_name(vector));
  if (!view->on_cpu) refuse_vector("it is on " + device_name(vector));
  if (!view->writable) refuse_vector("it is read-only");
  if (view->shape[0] > 1 && view->strides[0] == 0) refuse_vector("its elements overlap in memory");
  if (must_be_dense && view->shape[0] > 1 && view->strides[0] != 1) refuse_vector("it has gaps");
  return {static_cast<float*>(view->data), view->strides[0], view->shape[0]};
}

void fill_temperature(const py::object& matchers, const py::object& temperatures,
                      const py::object& indices) {
  const Members members = members_of(matchers);
  const std::vector<int64_t> rows = rows_of(indices, members.size());
  const FloatVector out = floats_of(temperatures, false);
  for (const int64_t row : rows) {  // all rows are checked before one is written
    if (row >= 0 && row < out.size) continue;
    refuse(concat("temperatures has ", out.size, " elements; there is no element ", row),
           "give one for each matcher, or indices within them");
  }
  for (size_t i = 0; i < members.size(); ++i) {
    MatcherObject& object = *members.objects[i];
    ActiveTemperature active;
    {
      const Hold hold(object);
      active = object.matcher.temperature();
    }
    out.first[rows[i] * out.stride] =
        active.value ? static_cast<float>(*active.value) : kNoTemperature;
    warn_if_ambiguous(object, active);
  }
}

// ---- Draft trees ----

using Indices = py::array_t<int64_t, py::array::c_style>;

Indices indices_of(const py::object& array, const char* name) {
  py::array any = py::array::ensure(array);
  if (!any) PyErr_Clear();
  if (!any || any.ndim() != 1 ||
      (any.dtype().kind() != 'i' && any.dtype().kind() != 'u' && any.size() > 0)) {
    refuse(concat("draft tree: ", name, " is not a vector of integers in CPU memory"),
           "give a torch tensor or NumPy array of int64, of shape (n_nodes,)");
  }
  return Indices(any);
}

bool traverse_draft_tree(MatcherObject& self, const py::object& retrieve_next_token,
                         const py::object& retrieve_next_sibling, const py::object& draft_tokens,
                         const py::object& token_bitmask, double time_threshold,
                         const py::object& temperatures) {
  const Hold hold(self);
  const Indices children = indices_of(retrieve_next_token, "retrieve_next_token");
  const Indices siblings = indices_of(retrieve_next_sibling, "retrieve_next_sibling");
  const Indices tokens = indices_of(draft_tokens, "draft_tokens");
  const auto span_of = [](const Indices& array) {
    return std::span<const int64_t>(array.data(), static_cast<size_t>(array.size()));
  };
  const DraftTree tree{span_of(children), span_of(siblings), span_of(tokens)};
  const size_t n_tokens = self.matcher.compiled().tokens().vocabulary->n_tokens();
  MaskRows rows;
  if (!tree.tokens.empty()) {
    const auto last = static_cast<int64_t>(tree.tokens.size()) - 1;
    const BitmaskRows all(token_bitmask);
    const std::span<uint32_t> first = all.row(0, n_tokens);
    rows = {first.data(), 0, first.size()};
    if (last > 0) rows.stride = (all.row(last, n_tokens).data() - rows.first) / last;
  }
  std::optional<std::chrono::nanoseconds> limit;
  if (time_threshold > 0 && time_threshold < 1e9) {
    limit = std::chrono::nanoseconds(static_cast<int64_t>(time_threshold * 1e9));
  }
  std::span<float> of_nodes;
  if (!temperatures.is_none()) {
    const FloatVector out = floats_of(temperatures, true);
    if (out.size < static_cast<int64_t>(tree.tokens.size())) {
      refuse(concat("temperatures has ", out.size, " elements for ", tree.tokens.size(), " nodes"),
             "give one for each node");
    }
    of_nodes = {out.first, tree.tokens.size()};
  }
  return unlocked([&] { return fill_draft_tree(self.matcher, tree, rows, limit, of_nodes); });
}

constexpr const char* kBatchDoc =
    R"(Calls for many matchers at once, with threads where they help.

Parameters
----------
max_threads : int or "auto"
    How many threads may fill at once, the calling one included. "auto": half of the processors, two at least.
    The threads belong to the process, are made when first needed, and stay.

Each matcher behaves as it would alone, and none does half of its work. A matcher that can't accept its token or text
(the grammar forbids it, the matcher has ended, the id is outside the vocabulary) returns False and stays as it was; the
others accept theirs.

A matcher that raises (a limit, a strict matcher, a mask after the end, a rollback too far, a matcher that another
thread uses) does not stop the others either. When all are done, the first error is raised: `error.index` is the number
of its matcher, and `error.results` has each matcher's result, None if it raised. The result of a fill is whether the
mask forbids anything, that of a rollback True. Rows and matchers without a result are as they were. Arguments that do
not fit (lengths, the same matcher or row twice, a bitmask of another shape) raise ArgumentError or BitmaskError before
anything is done.

>>> import numpy as np
>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"ab", b"</s>"], stop_token_ids=[3])
>>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"*')
>>> matchers = [xgr.GrammarMatcher(compiled) for _ in range(3)]
>>> xgr.BatchGrammarMatcher.batch_accept_token(matchers, [0, 2, -1])
[True, True, False]
>>> bitmask = xgr.allocate_token_bitmask(3, info.vocab_size)
>>> xgr.BatchGrammarMatcher(max_threads=2).batch_fill_next_token_bitmask(matchers, bitmask)
>>> [format(int(word), "04b") for word in np.asarray(bitmask)[:, 0]]
['1010', '1010', '0101'])";

constexpr const char* kDraftTreeDoc =
    R"(Fill a row of a bitmask for each node of a draft tree. The matcher does not change.

Parameters
----------
retrieve_next_token, retrieve_next_sibling : int64, shape (n_nodes,)
    The first child of node i, and the next child of the same parent; -1 if there is none. Node 0 is the root.
draft_tokens : int64, shape (n_nodes,)
    The drafted tokens. Node 0 is the text so far; its token isn't read.
token_bitmask : int32, shape (n_nodes or more, ceil(vocab_size / 32))
    Row i becomes the mask after the tokens on the way to node i: zeros if one of them isn't allowed, or ends the
    text. Rows of nodes that can't be reached from node 0 are not written.
time_threshold : float
    Seconds after which to give up; no limit if it is 0 or less.
temperatures : float32, shape (n_nodes or more,), optional
    Element i becomes `temperature` at node i, -1 where there is none.

Returns
-------
bool
    Whether all nodes were filled in time.

Raises
------
ArgumentError
    An index outside the tree, a node that is reached twice (a cycle), a root with siblings, lengths that differ.
BitmaskError
    A bitmask of a wrong type or shape.
VocabularyError
    Of a strict matcher: a token id is outside the vocabulary. Otherwise its node gets zeros, as for a forbidden token.

>>> import numpy as np
>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"c", b"</s>"], stop_token_ids=[3])
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "a" ("b" "c")?'))
>>> bitmask = np.zeros((3, 1), np.int32)                     # the text so far, then "a", then "a" "b"
>>> matcher.traverse_draft_tree(np.array([1, 2, -1]), np.array([-1, -1, -1]), np.array([0, 0, 1]), bitmask)
True
>>> [format(int(word), "04b") for word in bitmask[:, 0]]
['0001', '1010', '0100'])";

void raise_in_python(const BatchError& batch) {
  py::object type = py::module_::import("xg2lab.errors").attr(error_kind_name(batch.error.kind()));
  const Diagnostic& first = batch.error.diagnostics().front();
  py::object exception = type(first.message, py::arg("hint") = first.hint);
  exception.attr("index") = batch.index;
  exception.attr("results") = batch.results;
  PyErr_SetObject(type.ptr(), exception.ptr());
}

}  // namespace

void bind_batch(py::module_& module) {
  ThreadPool::shared();  // makes the pool, which then handles forks
  py::register_local_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const BatchError& error) {
      raise_in_python(error);
    }
  });
  py::class_<BatchMatcher>(module, "BatchGrammarMatcher", kBatchDoc)
      .def(py::init([](const py::object& max_threads) {
             return BatchMatcher(n_threads_of(max_threads));
           }),
           py::arg("max_threads") = "auto")
      .def_property_readonly("max_threads", &BatchMatcher::n_threads,
                             "How many threads may fill at once.")
      .def("batch_fill_next_token_bitmask", &batch_fill, py::arg("matchers"), py::arg("bitmask"),
           py::arg("indices") = py::none(), py::arg("debug_print") = false, kBatchFillDoc)
      .def_static("batch_accept_token", &accept_token, py::arg("matchers"), py::arg("tokens"),
                  py::arg("debug_print") = false, kBatchAcceptTokenDoc)
      .def_static("batch_accept_string", &batch_accept_string, py::arg("matchers"),
                  py::arg("strings"), py::arg("debug_print") = false, kBatchAcceptStringDoc)
      .def_static("batch_rollback", &rollback, py::arg("matchers"), py::arg("num_tokens") = 1,
                  kBatchRollbackDoc)
      .def_static("batch_fill_temperature", &fill_temperature, py::arg("matchers"),
                  py::arg("temperatures"), py::arg("indices") = py::none(), kBatchTemperatureDoc)
      .def_static("n_workers", [] { return ThreadPool::shared().n_workers(); }, kNWorkersDoc);
  auto matcher = py::reinterpret_borrow<py::class_<MatcherObject>>(module.attr("GrammarMatcher"));
  matcher.def("traverse_draft_tree", &traverse_draft_tree, py::arg("retrieve_next_token"),
              py::arg("retrieve_next_sibling"), py::arg("draft_tokens"), py::arg("token_bitmask"),
              py::arg("time_threshold") = -1.0, py::arg("temperatures") = py::none(),
              kDraftTreeDoc);
}

}  // namespace xg2lab::bind
