// Queries about a Grammar in Python: what follows a rule, the result of a pass, warnings.
#pragma once

#include <memory>

#include "bind/python.h"
#include "grammar/grammar.h"

namespace xg2lab::bind {

void bind_grammar_questions(pybind11::class_<Grammar, std::shared_ptr<Grammar>>& grammar);

}  // namespace xg2lab::bind
