// Grammars and their spans as Python sees them, for all files that bind Grammar.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "bind/python.h"
#include "grammar/grammar.h"

namespace xg2lab::bind {

using GrammarPtr = std::shared_ptr<Grammar>;
using PySpan = std::pair<uint32_t, uint32_t>;  // first byte, and the byte behind the last

inline GrammarPtr share(Grammar grammar) { return std::make_shared<Grammar>(std::move(grammar)); }

inline PySpan to_tuple(SourceSpan span) { return {span.begin, span.end}; }

}  // namespace xg2lab::bind
