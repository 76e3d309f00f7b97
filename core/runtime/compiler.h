// Compilation: a grammar and a vocabulary in, a compiled grammar out.
//
// IDEA
//   passes (grammar -> grammar), lower (grammar -> program), and nothing that depends on the vocabulary's
//   size: masks are made when a text first needs them.
//
// THREADS   pure: any number of compilations at once.
// SEE ALSO  XGrammar 2 section 3.2 (just-in-time masks).
#pragma once

#include <memory>

#include "runtime/compiled_grammar.h"

namespace xg2lab {

// `sharing.pool` is left alone if the options switch it off.
// Throws GrammarError (a root that can't match, a token edge that the vocabulary can't have), LimitError (EngineOptions::max_fsm_states).
std::shared_ptr<CompiledGrammar> compile(std::shared_ptr<const Grammar> grammar,
                                         std::shared_ptr<const TokenSets> tokens,
                                         const EngineOptions& options, Sharing sharing = {});

// What compile() made, from its parts: the program is not lowered again.
// Throws UnsupportedError (left recursion, with the pushdown automaton), DeserializeFormatError (token edges that the
// vocabulary can't have).
std::shared_ptr<CompiledGrammar> restore(std::shared_ptr<const Grammar> grammar,
                                         std::shared_ptr<const Program> program,
                                         std::shared_ptr<const TokenSets> tokens,
                                         const EngineOptions& options, Sharing sharing = {});

// The grammar after all passes; they are run again if it was restored.
std::shared_ptr<const Grammar> optimized_grammar(const CompiledGrammar& compiled);

}  // namespace xg2lab
