// TokenSets, CompiledGrammar and GrammarMatcher: convert, check, release the GIL, call.
#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bind/bind.h"
#include "bind/bitmask.h"
#include "bind/docstrings.h"
#include "bind/encoder.h"
#include "bind/engine_options.h"
#include "bind/integers.h"
#include "bind/interruptible.h"
#include "bind/mask_costs.h"
#include "bind/matcher_object.h"
#include "bind/plain_tables.h"
#include "bind/tensor_view.h"
#include "grammar/grammar.h"
#include "runtime/compiled_grammar.h"
#include "runtime/compiler.h"
#include "runtime/forced_tokens.h"
#include "support/findings.h"
#include "support/text.h"
#include "support/visible.h"
#include "templates/spelled.h"

namespace xg2lab::bind {
namespace {

bool is_compiled(PyObject* object) { return py::isinstance<CompiledGrammar>(object); }

}  // namespace

// A CompiledGrammar as a Python object, with its tokenizer_info.
class CompiledObject : public py::object {
 public:
  PYBIND11_OBJECT(CompiledObject, py::object, is_compiled)
};

}  // namespace xg2lab::bind

namespace pybind11::detail {
template <>
struct handle_type_name<xg2lab::bind::CompiledObject> {
  static constexpr auto name = make_caster<xg2lab::CompiledGrammar>::name;
};
}  // namespace pybind11::detail

namespace xg2lab::bind {
namespace {

py::object jit_progress(const CompiledGrammar& self) {
  if (self.partial_jit() == nullptr) return py::none();
  const PartialJit::Progress progress = self.partial_jit()->progress();
  py::dict out;
  out["n_planned"] = progress.n_planned;
  out["n_done"] = progress.n_done;
  out["is_over"] = progress.is_over;
  return out;
}

// The grammar whose states are shown: the whole one.
const CompiledGrammar& whole_of(const CompiledGrammar& self) {
  return *unlocked([&] { return &self.whole(); }, Length::kLong);
}

py::list state_costs(const CompiledGrammar& self) {
  const CompiledGrammar& whole = whole_of(self);
  const std::vector<StateCost> costs = unlocked([&] { return whole.state_costs(); });
  py::list out;
  for (const StateCost& cost : costs) {
    py::dict entry;
    entry["state"] = cost.state.value;
    entry["rule"] = whole.program().rule(whole.program().rule_of(cost.state)).name;
    entry["n_visits"] = cost.n_visits;
    entry["ns"] = cost.ns ? py::object(py::int_(*cost.ns)) : py::object(py::none());
    entry["cache"] =
        cost.ns ? py::object(py::str(cache_result_name(cost.origin.cache))) : py::none();
    entry["in_background"] = cost.origin.in_background;
    out.append(entry);
  }
  return out;
}

std::optional<std::vector<TokenId>> stop_tokens_of(const py::object& ids) {
  if (ids.is_none()) return std::nullopt;
  const char* const what = "override_stop_tokens";
  const auto values =
      PyIndex_Check(ids.ptr()) != 0 ? ints_of(py::make_tuple(ids), what) : ints_of(ids, what);
  std::vector<TokenId> out;
  for (int64_t id : values) {
    if (id < 0 || id > INT32_MAX) {
      throw Error(ErrorKind::kVocabularyError,
                  concat("override_stop_tokens: ", id, " is not a token id"),
                  "token ids count from 0");
    }
    out.push_back(TokenId(static_cast<uint32_t>(id)));
  }
  return out;
}

std::vector<int64_t> ids_of(const std::vector<TokenId>& tokens) {
  std::vector<int64_t> ids;
  for (TokenId id : tokens) ids.push_back(id.value);
  return ids;
}

bool fill(MatcherObject& self, const py::object& bitmask, int64_t index, bool debug_print) {
  if (debug_print) py::print(explain_or_why_not(self, py::bytes("")));
  const Hold hold(self);
  const BitmaskRow row =
      bitmask_row(bitmask, index, self.matcher.compiled().tokens().vocabulary->n_tokens());
  LastFill last;
  const auto begin = std::chrono::steady_clock::now();
  const bool forbids =
      unlocked([&] { return self.matcher.fill_next_token_bitmask(row.words, &last.report); });
  last.us =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  self.last_fill = last;
  if (debug_print) py::print("mask:", cache_result_name(last.report.cache));
  return forbids;
}

bool accept(MatcherObject& self, int64_t token_id, bool debug_print) {
  if (debug_print) py::print(explain_or_why_not(self, py::int_(token_id)));
  const Hold hold(self);
  return interruptible([&] { return self.matcher.accept_token(token_id); });
}

bool accept_string(MatcherObject& self, const py::object& text, bool debug_print) {
  const std::string_view bytes = bytes_of(text, "accept_string");
  if (debug_print) py::print(explain_or_why_not(self, text));
  const Hold hold(self);
  return unlocked([&] { return self.matcher.accept_string(bytes); });
}

py::object forced_text(MatcherObject& self) {
  const Hold hold(self);
  const std::string bytes = interruptible([&] { return self.matcher.find_jump_forward_string(); });
  PyObject* text =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "ignore");
  if (text == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(text);
}

// The ids by which Python's encoder writes a text. Throws VocabularyError for ids of other bytes.
SpellText speller(const py::object& encode, const TokenSets& tokens) {
  if (encode.is_none()) return {};
  check_encoder(encode);
  return [&encode, &tokens](const std::string& text) {
    const Encoded answer = encoded(encode, text, &tokens);
    if (!answer.mistake.empty()) {
      throw Error(ErrorKind::kVocabularyError, templates::misspelled(text, answer.mistake),
                  templates::kEncodeHint);
    }
    return answer.tokens();
  };
}

py::typing::List<py::int_> forced_ids(MatcherObject& self, const py::object& encode) {
  const Hold hold(self);
  const SpellText spell = speller(encode, self.matcher.compiled().tokens());
  const std::vector<TokenId> forced =
      interruptible([&] { return forced_tokens(self.matcher, spell); });
  return py::cast(ids_of(forced));
}

std::optional<double> temperature_of(MatcherObject& self) {
  ActiveTemperature active;
  {
    const Hold hold(self);
    active = self.matcher.temperature();
  }
  warn_if_ambiguous(self, active);
  return active.value;
}

std::optional<std::string> why_terminated(MatcherObject& self) {
  const Hold hold(self);
  const Matcher& matcher = self.matcher;
  if (const std::optional<TokenId> token = matcher.stopped_by()) {
    const std::string_view bytes = matcher.compiled().tokens().vocabulary->bytes(*token);
    return concat("Stop token ", token->value,
                  bytes.empty() ? "" : " (" + visible(readable(bytes)) + ")", " was accepted.");
  }
  if (!matcher.is_terminated()) return std::nullopt;
  return "The text is a sentence of the grammar, and terminate_without_stop_token is set.";
}

constexpr const char* kMatcherDoc = R"(One sequence's state: accepts tokens, fills bitmasks.

Parameters
----------
compiled_grammar : CompiledGrammar
    The grammar.
override_stop_tokens : int or list of int, optional
    Token ids that end this text, instead of the tokenizer's. They never match as text.
terminate_without_stop_token : bool
    `is_terminated()` is true as soon as the text is a sentence of the grammar.
max_rollback_tokens : int
    How many steps `rollback` can take back; -1 for no limit. A step takes 12 bytes (and the text, for
    `accept_string`) until it is out of reach.
default_temperature : float, optional
    The value of `temperature` where no rule that is being matched has one.
strict : bool
    Whether `accept_token` and `accept_string` raise after a stop token, and for an id outside the vocabulary. Otherwise
    they return False, as servers expect. A fork is as strict as its original.

Raises
------
VocabularyError
    A stop token id outside the vocabulary.
ArgumentError
    max_rollback_tokens below -1; a default_temperature that is negative or not finite.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"ab", b"</s>"], stop_token_ids=[3])
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"*'))
>>> matcher.accept_token(0), matcher.accept_token(0)
(True, False)
>>> matcher.allowed_tokens()
[1, 3]
>>> matcher.accept_token(99)
False

See also: XGrammar 2 section 3.4 (Earley parser with adaptive token mask cache).)";

constexpr const char* kJumpForwardDoc =
    R"(Return the text that must come next, whatever the model predicts. The matcher does not change.

Returns
-------
str
    Whole code points, up to an edge between tokens; '' if there is a choice. The forced text is spelled with the
    longest tokens. If a token could be longer than the forced text, the model may prefer it, so the text ends before
    it: tokenizing the returned text never rules out a token that the model could have chosen at its end. A vocabulary
    that can't spell the text sets no such edges.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"x", b":", b" ", b" a", b"a", b"b"], stop_token_ids=[])
>>> compiler = xgr.GrammarCompiler(info)
>>> xgr.GrammarMatcher(compiler.compile_grammar('root ::= "x: " [a-z]')).find_jump_forward_string()
'x:'
>>> xgr.GrammarMatcher(compiler.compile_grammar('root ::= "x: " [b-z]')).find_jump_forward_string()
'x: ')";

constexpr const char* kForcedTokensDoc =
    R"(Return the tokens that must come next, whatever the model predicts. The matcher does not change.

Parameters
----------
encode : callable, optional
    From a str to the token ids by which the tokenizer writes it, such as
    `lambda text: tokenizer.encode(text, add_special_tokens=False)`.

Returns
-------
list of int
    Token ids; each is allowed after those before it. A token is forced if the mask allows it alone and the text is not
    complete. Token edges of one id are forced, and text of which the vocabulary has only one spelling. Most
    vocabularies have several, and the grammar does not decide between them. With `encode`, the text that
    find_jump_forward_string() returns is forced too, as `encode` writes it, and so are the tokens after it. The list
    ends before the first token of that text which is not allowed: a special one, or one beyond a rule's max_tokens.
    Stop tokens are never forced.

Raises
------
VocabularyError
    `encode` returned no list of ids, or ids of other bytes than the text's.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"<", b"p", b"<p", b">", b"<image>"], stop_token_ids=[], special_token_ids=[4])
>>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= Token(4) "<p>" Token(4) [<p]')
>>> matcher = xgr.GrammarMatcher(compiled)
>>> matcher.find_forced_tokens()  # then "<" and "<p" are allowed
[4]
>>> matcher.find_forced_tokens(lambda text: {"<p>": [2, 3]}[text])
[4, 2, 3, 4]

See also: docs/design/0009.)";

// ---- The matcher's bindings: its steps, then its queries ----

std::unique_ptr<MatcherObject> make_matcher(const CompiledObject& compiled,
                                            const py::object& override_stop_tokens,
                                            bool terminate_without_stop_token,
                                            int64_t max_rollback_tokens,
                                            std::optional<double> default_temperature,
                                            bool strict) {
  return std::make_unique<MatcherObject>(
      compiled, compiled.cast<std::shared_ptr<CompiledGrammar>>(),
      MatcherOptions{stop_tokens_of(override_stop_tokens), terminate_without_stop_token,
                     max_rollback_tokens, default_temperature, strict});
}

void add_steps(py::class_<MatcherObject>& matcher) {
  matcher
      .def(py::init(&make_matcher), py::arg("compiled_grammar"), py::kw_only(),
           py::arg("override_stop_tokens") = py::none(),
           py::arg("terminate_without_stop_token") = false, py::arg("max_rollback_tokens") = -1,
           py::arg("default_temperature") = py::none(), py::arg("strict") = false)
      .def("accept_token", &accept, py::arg("token_id"), py::kw_only(),
           py::arg("debug_print") = false, kAcceptTokenDoc)
      .def("accept_string", &accept_string, py::arg("input_str"), py::kw_only(),
           py::arg("debug_print") = false, kAcceptStringDoc)
      .def("fill_next_token_bitmask", &fill, py::arg("bitmask"), py::arg("index") = 0,
           py::kw_only(), py::arg("debug_print") = false, kFillBitmaskDoc)
      .def(
          "rollback",
          [](MatcherObject& self, int64_t num_tokens) {
            const Hold hold(self);
            self.matcher.rollback(num_tokens);
          },
          py::arg("num_tokens") = 1, kRollbackDoc)
      .def(
          "reset",
          [](MatcherObject& self) {
            const Hold hold(self);
            self.matcher.reset();
          },
          kResetDoc)
      .def(
          "fork",
          [](MatcherObject& self) {
            const Hold hold(self);
            return std::make_unique<MatcherObject>(self);
          },
          kForkDoc);
}

void add_questions(py::class_<MatcherObject>& matcher) {
  matcher.def("find_jump_forward_string", &forced_text, kJumpForwardDoc)
      .def("find_forced_tokens", &forced_ids, py::arg("encode") = py::none(), kForcedTokensDoc)
      .def(
          "is_terminated",
          [](MatcherObject& self) {
            const Hold hold(self);
            return self.matcher.is_terminated();
          },
          kIsTerminatedDoc)
      .def(
          "is_completed",
          [](MatcherObject& self) {
            const Hold hold(self);
            return self.matcher.is_completed();
          },
          kIsCompletedDoc)
      .def_property_readonly(
          "temperature", &temperature_of,
          "The temperature at which to sample the next token: that of the innermost rule that has "
          "one, else `default_temperature`, else None. If readings of the text differ, the highest "
          "counts, with one RuntimeWarning for each matcher.")
      .def_property_readonly("why_terminated", &why_terminated,
                             "Why `is_terminated()` is true, as a sentence; None while it isn't.")
      .def_property_readonly(
          "stop_token_ids", [](MatcherObject& self) { return ids_of(self.matcher.stop_tokens()); },
          "The token ids that end this text.")
      .def_property_readonly(
          "strict", [](MatcherObject& self) { return self.matcher.is_strict(); },
          "Whether accepting raises after a stop token, and for an id outside the vocabulary.")
      .def_property_readonly(
          "max_rollback_tokens",
          [](MatcherObject& self) { return self.matcher.max_rollback_tokens(); },
          "How many steps `rollback` can take back; -1 for no limit.")
      .def_property_readonly(
          "n_steps",
          [](MatcherObject& self) {
            const Hold hold(self);
            return self.matcher.n_steps();
          },
          "Steps taken and not rolled back.")
      .def_property_readonly(
          "compiled_grammar", [](MatcherObject& self) { return self.compiled; },
          "The compiled grammar, which other matchers may share.");
}

void bind_matcher(py::module_& module) {
  py::class_<MatcherObject> matcher(module, "GrammarMatcher", kMatcherDoc);
  add_steps(matcher);
  add_questions(matcher);
  add_inspection(matcher);
}

std::shared_ptr<CompiledGrammar> compiled_by(std::shared_ptr<Grammar> grammar,
                                             std::shared_ptr<TokenSets> tokens,
                                             const py::object& options,
                                             std::optional<std::shared_ptr<MaskPool>> pool,
                                             std::optional<std::shared_ptr<EventLog>> events,
                                             const std::optional<GivenCosts>& testing_costs) {
  std::shared_ptr<MaskPool> shared_pool = pool_of(pool, tokens);
  EngineOptions engine_options = options_of(options);
  engine_options.mask.costs = costs_of(testing_costs);
  return unlocked(
      [&] {
        return compile(grammar, tokens, engine_options, {shared_pool, events.value_or(nullptr)});
      },
      Length::kLong);
}

// Deserializes a compiled grammar, see bind/plain_tables.h.
std::shared_ptr<CompiledGrammar> restored(std::shared_ptr<Grammar> grammar,
                                          std::shared_ptr<TokenSets> tokens,
                                          const py::object& options,
                                          std::optional<std::shared_ptr<MaskPool>> pool,
                                          std::optional<std::shared_ptr<EventLog>> events,
                                          const py::dict& program, const py::list& masks) {
  std::shared_ptr<MaskPool> shared_pool = pool_of(pool, tokens);
  const EngineOptions engine_options = options_of(options);
  const PlainProgram plain_program = program_from_python(program);
  const std::vector<PlainMask> plain_masks = masks_from_python(masks);
  return unlocked(
      [&] {
        const Budget budget(engine_options.compile_limits, Work::kCompile);
        auto read = std::make_shared<const Program>(from_plain(plain_program, grammar->source()));
        const size_t n_states = read->n_states();
        auto compiled = restore(grammar, std::move(read), tokens, engine_options,
                                {shared_pool, events.value_or(nullptr)});
        from_plain(plain_masks, n_states, compiled->masks());
        compiled->make_ahead();
        return compiled;
      },
      Length::kLong);
}

}  // namespace

void warn_if_ambiguous(MatcherObject& object, const ActiveTemperature& active) {
  if (!active.is_ambiguous || object.has_warned) return;
  object.has_warned = true;
  const int result =
      PyErr_WarnEx(PyExc_RuntimeWarning,
                   "rules with different temperatures may be meant by this text; the "
                   "highest is taken",
                   1);
  if (result != 0) throw py::error_already_set();
}

std::string_view bytes_of(py::handle text, const char* what) {
  if (PyBytes_Check(text.ptr())) {
    return {PyBytes_AS_STRING(text.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(text.ptr()))};
  }
  if (PyUnicode_Check(text.ptr())) {
    Py_ssize_t size = 0;
    const char* utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (utf8 == nullptr) throw py::error_already_set();
    return {utf8, static_cast<size_t>(size)};
  }
  throw py::type_error(concat(what, ": give str or bytes"));
}

void bind_runtime(py::module_& module) {
  py::class_<CompiledGrammar, std::shared_ptr<CompiledGrammar>>(module, "CompiledGrammar")
      // Work that can fail is done before the object exists, since a half-constructed object would
      // appear in tracebacks.
      .def(py::init([](std::shared_ptr<CompiledGrammar> made) { return made; }), py::arg("made"))
      .def_static("compile", &compiled_by, py::arg("grammar"), py::arg("token_sets"),
                  py::arg("options"), py::arg("pool") = py::none(), py::arg("events") = py::none(),
                  py::kw_only(), py::arg("_testing_costs") = py::none(), kCompileDoc)
      .def_static("restore", &restored, py::arg("grammar"), py::arg("token_sets"),
                  py::arg("options"), py::arg("pool"), py::arg("events"), py::kw_only(),
                  py::arg("program"), py::arg("masks"), kRestoreDoc)
      .def("_program_tables",
           [](const CompiledGrammar& self) {
             const CompiledGrammar& whole = whole_of(self);
             return in_budget([&] { return program_to_python(whole.program()); });
           })
      .def("_mask_tables",
           [](const CompiledGrammar& self) {
             const CompiledGrammar& whole = whole_of(self);
             return in_budget(
                 [&] { return masks_to_python(whole.masks(), whole.program().n_states()); });
           })
      .def_property_readonly(
          "id", [](const CompiledGrammar& self) { return self.id().value; },
          "The grammar's number in this process, as a mask entry's `donor` and the pool name it.")
      .def_property_readonly("name", &CompiledGrammar::name,
                             "The first line of the source, shortened.")
      .def_property_readonly(
          "grammar",
          [](const CompiledGrammar& self) { return std::make_shared<Grammar>(*self.grammar()); },
          "The grammar as it was read, before all passes.")
      .def_property_readonly(
          "optimized_grammar",
          [](const CompiledGrammar& self) {
            return unlocked_in_budget(
                [&] { return std::make_shared<Grammar>(*optimized_grammar(self.whole())); });
          },
          "The grammar after all passes.")
      .def_property_readonly("memory_size_bytes", &CompiledGrammar::memory_size_bytes,
                             "The memory of program, masks and columns so far, in bytes.")
      .def_property_readonly(
          "compile_us",
          [](const CompiledGrammar& self) { return static_cast<double>(self.compile_ns()) / 1e3; },
          "How long compiling took, in microseconds.")
      .def_property_readonly(
          "n_states",
          [](const CompiledGrammar& self) { return whole_of(self).program().n_states(); },
          "The number of states of all rules.")
      .def_property_readonly(
          "_waits",
          [](const CompiledGrammar& self) { return self.contents_on_demand() != nullptr; },
          "Whether parts of it are compiled when a text needs them.")
      .def_property_readonly(
          "_whole",
          [](const std::shared_ptr<CompiledGrammar>& self) {
            ContentsOnDemand* const contents = self->contents_on_demand();
            return contents == nullptr ? self : unlocked([&] { return contents->whole(); });
          },
          "This grammar with all contents compiled (`EngineOptions.contents_on_demand`).")
      .def("jit_progress", &jit_progress, kJitProgressDoc)
      .def("state_costs", &state_costs, kStateCostsDoc)
      .def_property_readonly(
          "n_columns",
          [](const CompiledGrammar& self) { return self.configurations()->table().n_columns(); },
          "The number of distinct columns that parses have met so far.");
  bind_matcher(module);
}

}  // namespace xg2lab::bind
