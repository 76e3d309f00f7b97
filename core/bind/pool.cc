// TokenSets, MaskPool and EventLog: the objects that compilers of one tokenizer share, and their
// accounts as plain dicts.
#include <pybind11/stl.h>

#include <memory>
#include <utility>
#include <vector>

#include "bind/bind.h"
#include "mask/pool/mask_pool.h"
#include "runtime/compiled_grammar.h"

namespace xg2lab::bind {
namespace {

py::dict statistics_of(const MaskPool& pool) {
  const PoolStatistics statistics = pool.statistics();
  py::dict out;
  out["n_states"] = statistics.n_states;
  out["n_entries"] = statistics.n_entries;
  out["size_bytes"] = statistics.size_bytes;
  out["n_perfect_hits"] = statistics.n_perfect_hits;
  out["n_partial_hits"] = statistics.n_partial_hits;
  out["n_misses"] = statistics.n_misses;
  out["n_evictions"] = statistics.n_evictions;
  return out;
}

py::list accounts_of(const MaskPool& pool) {
  py::list out;
  for (const GrammarStatistics& grammar : pool.by_grammar()) {
    py::dict entry;
    entry["id"] = grammar.id.value;
    entry["name"] = grammar.name;
    entry["n_built"] = grammar.n_built;
    entry["n_perfect_hits"] = grammar.n_perfect_hits;
    entry["n_partial_hits"] = grammar.n_partial_hits;
    entry["n_given"] = grammar.n_given;
    entry["n_background"] = grammar.n_background;
    out.append(entry);
  }
  return out;
}

py::object id_or_none(GrammarId id) {
  return id == GrammarId() ? py::object(py::none()) : py::object(py::int_(id.value));
}

void add_pass(py::dict& out, const CacheEvent& event) {
  const PassCounts& counts = event.counts;
  out["name"] = event.name;
  if (!event.inside.empty()) out["inside"] = event.inside;
  if (counts.rules) out["rules"] = *counts.rules;
  if (counts.exprs) out["exprs"] = *counts.exprs;
  if (counts.states) out["states"] = *counts.states;
  if (counts.machines) out["machines"] = *counts.machines;
}

py::dict event_dict(const CacheEvent& event) {
  py::dict out;
  out["kind"] = event_kind_name(event.kind);
  out["grammar"] = id_or_none(event.grammar);
  out["ns"] = event.ns;
  out["at_ns"] = event.at_ns;
  switch (event.kind) {
    case EventKind::kPass: add_pass(out, event); break;
    case EventKind::kCompile: break;
    case EventKind::kEntry:
      out["state"] = event.state;
      out["in_background"] = event.in_background;
      out["donor"] = id_or_none(event.donor);
      out["cache"] = cache_result_name(event.cache);
      break;
    case EventKind::kFill:
      out["cache"] = cache_result_name(event.cache);
      out["way"] = event.way;
      break;
    case EventKind::kEviction:
      out["donor"] = id_or_none(event.donor);
      out["n_bytes"] = event.n_bytes;
      break;
  }
  return out;
}

py::list events_of(const EventLog& log) {
  py::list out;
  for (const CacheEvent& event : log.events()) out.append(event_dict(event));
  return out;
}

}  // namespace

void bind_pool(py::module_& module) {
  py::class_<TokenSets, std::shared_ptr<TokenSets>>(
      module, "TokenSets", "A vocabulary's trie and text bitmask, shared by its grammars.")
      .def(py::init([](std::shared_ptr<Vocabulary> vocabulary) {
             const py::gil_scoped_release unlocked;
             return std::make_shared<TokenSets>(std::move(vocabulary));
           }),
           py::arg("vocabulary"))
      .def(
          "is_of",
          [](const TokenSets& self, const Vocabulary& vocabulary) {
            return *self.vocabulary == vocabulary;
          },
          py::arg("vocabulary"), "Whether a vocabulary has the same content.")
      .def_property_readonly("n_trie_nodes",
                             [](const TokenSets& self) { return self.trie.n_nodes(); });

  py::class_<MaskPool, std::shared_ptr<MaskPool>>(
      module, "MaskPool", "Mask entries that grammars of one tokenizer share.")
      .def(py::init([](std::shared_ptr<TokenSets> tokens, int64_t max_bytes, bool weak_hashes) {
             return std::make_shared<MaskPool>(std::move(tokens), max_bytes, weak_hashes);
           }),
           py::arg("token_sets"), py::arg("max_bytes"), py::arg("_testing_weak_hashes") = false)
      .def_property_readonly("max_bytes", &MaskPool::max_bytes, "The budget; -1: no limit.")
      .def_property_readonly(
          "token_sets",
          [](const MaskPool& self) { return std::const_pointer_cast<TokenSets>(self.tokens()); })
      .def("statistics", &statistics_of,
           "The sizes of the contents, and the counts of hits, misses and evictions.")
      .def(
          "by_grammar", &accounts_of,
          "For each of the last 1024 grammars: entries built, perfect hits, partial hits, and hits "
          "of other grammars on its entries.")
      .def(
          "name_of", [](const MaskPool& self, uint32_t id) { return self.name_of(GrammarId(id)); },
          py::arg("id"), "The name of a grammar; empty if it has been forgotten.")
      .def("clear", &MaskPool::clear,
           "Discards all entries; grammars keep the entries that they use.");

  py::class_<EventLog, std::shared_ptr<EventLog>>(
      module, "EventLog", "A bounded log of events in compilation and in the caches of masks.")
      .def(py::init<>())
      .def_property_readonly("is_on", &EventLog::is_on)
      .def("start", &EventLog::start, py::arg("capacity"), "Turns the log on and empties it.")
      .def("stop", &EventLog::stop, "Turns the log off; its events are kept.")
      .def_property_readonly("n_dropped", &EventLog::n_dropped,
                             "The number of events that were dropped.")
      .def("events", &events_of, "The events, oldest first, as dicts.");
}

void bind_structures(py::module_& module) {
  module.def(
      "structure_classes",
      [](const std::vector<std::shared_ptr<CompiledGrammar>>& grammars, bool weak_hashes) {
        StructureTable table(weak_hashes);
        std::vector<const Program*> programs;
        for (const auto& grammar : grammars) programs.push_back(&grammar->program());
        const py::gil_scoped_release unlocked;
        return structure_classes(programs, table);
      },
      py::arg("grammars"), py::arg("_testing_weak_hashes") = false,
      "For each grammar a number for each state; corresponding states of equal rules have equal "
      "numbers.");
}

}  // namespace xg2lab::bind
