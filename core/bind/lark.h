// Grammar.from_lark, added to a class that is bound elsewhere.
#pragma once

#include <memory>

#include "bind/bind.h"
#include "grammar/grammar.h"

namespace xg2lab::bind {

void bind_lark(py::class_<Grammar, std::shared_ptr<Grammar>>& grammar);

}  // namespace xg2lab::bind
