// A compiled grammar's plain tables as Python values, which xg2lab/serialization.py writes as JSON.
#pragma once

#include "bind/python.h"
#include "mask/plain_mask.h"
#include "program/plain_program.h"

namespace xg2lab::bind {

pybind11::dict program_to_python(const Program& program);
pybind11::list masks_to_python(const MaskStore& masks, size_t n_states);
// Throw DeserializeFormatError with the faulty place, or Python's KeyError, for any other input.
PlainProgram program_from_python(const pybind11::dict& tables);
std::vector<PlainMask> masks_from_python(const pybind11::handle& masks);

}  // namespace xg2lab::bind
