// What a compiler brings, from Python: the engine's options, and the pool of its tokenizer.
#pragma once

#include <memory>
#include <optional>

#include "bind/bind.h"
#include "runtime/compiled_grammar.h"

namespace xg2lab::bind {

// Of an xg2lab.EngineOptions.
EngineOptions options_of(const py::object& options);

// The given pool, if any. A pool of another vocabulary is refused: its masks are about other
// tokens.
std::shared_ptr<MaskPool> pool_of(const std::optional<std::shared_ptr<MaskPool>>& pool,
                                  const std::shared_ptr<TokenSets>& tokens);

}  // namespace xg2lab::bind
