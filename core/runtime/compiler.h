// Compilation: from a grammar and a vocabulary to a compiled grammar.
//
// IDEA
//   Compilation is passes (grammar -> grammar) and lower (grammar -> program). No step depends on
//   the vocabulary's size: masks are built when a text first needs them.
//
// THREADS   pure: any number of compilations at once.
// SEE ALSO  XGrammar 2 section 3.2 (just-in-time masks).
#pragma once

#include <memory>

#include "runtime/compiled_grammar.h"

namespace xg2lab {

// Ignores `sharing.pool` if the options switch it off. Throws GrammarError (an unproductive root,
// or a token edge that the vocabulary doesn't permit, or has no name for) or LimitError
// (EngineOptions::max_fsm_states).
std::shared_ptr<CompiledGrammar> compile(std::shared_ptr<const Grammar> grammar,
                                         std::shared_ptr<const TokenSets> tokens,
                                         const EngineOptions& options, Sharing sharing = {});

// Rebuilds the result of compile() from its parts, without lowering again. Throws UnsupportedError
// (left recursion, with the pushdown automaton) or DeserializeFormatError (token edges that the
// vocabulary doesn't permit).
std::shared_ptr<CompiledGrammar> restore(std::shared_ptr<const Grammar> grammar,
                                         std::shared_ptr<const Program> program,
                                         std::shared_ptr<const TokenSets> tokens,
                                         const EngineOptions& options, Sharing sharing = {});

// The grammar after all passes; runs the passes again if the grammar was deserialized.
std::shared_ptr<const Grammar> optimized_grammar(const CompiledGrammar& compiled);

}  // namespace xg2lab
