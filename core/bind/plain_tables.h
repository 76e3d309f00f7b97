// Serialized objects as Python's values, which xg2lab/grammar.py and
// xg2lab/compiling/serialization.py write as JSON: dicts of tables, a row of which has the places
// that grammar/plain_fields.h, program/plain_fields.h and mask/plain_mask.h list. Only types are
// checked here; from_plain checks the values.
#pragma once

#include "bind/python.h"
#include "grammar/plain.h"
#include "mask/plain_mask.h"
#include "program/plain_program.h"

namespace xg2lab::bind {

pybind11::dict grammar_to_python(const Grammar& grammar);
// Throws GrammarError, or Python's TypeError, ValueError or KeyError, for any other input.
Grammar grammar_from_python(const pybind11::dict& tables);

pybind11::dict program_to_python(const Program& program);
pybind11::list masks_to_python(const MaskStore& masks, size_t n_states);
pybind11::list known_to_python(const KnownEntries& known, const TokenSets& tokens);
// Throw DeserializeFormatError, with the faulty place, for any other input.
PlainProgram program_from_python(const pybind11::dict& tables);
std::vector<PlainMask> masks_from_python(const pybind11::handle& masks);
std::vector<PlainInside> known_from_python(const pybind11::handle& masks);

}  // namespace xg2lab::bind
