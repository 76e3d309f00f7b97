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
#include <vector>

#include "runtime/compiled_grammar.h"
#include "runtime/compiled_template.h"
#include "templates/arguments.h"

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

// Compiles the parts of a template that no argument changes. Throws as compile() does, for faults
// that no argument can mend, and VocabularyError if the vocabulary's tokens don't spell the static
// text.
std::shared_ptr<CompiledTemplate> compile_template(
    std::shared_ptr<const templates::ScopedTemplate> of, std::shared_ptr<const TokenSets> tokens,
    const EngineOptions& options, Sharing sharing = {});

// The findings about a template that hold for all arguments, in the order of the text: its own
// warnings, rules that the root never needs, and rules that match nothing in any instance.
std::vector<Diagnostic> template_findings(const Template& of);

// Makes the entries of all known states now, before a request needs them. Does nothing if the
// options switch the cross-grammar cache off.
void make_masks(const CompiledTemplate& of);

// Links the template's program with the arguments, of which it keeps a copy. An instance that can't
// be linked (TemplateProgram::obstacles) is compiled from the written-out grammar instead. Texts
// that the template takes in tokens have theirs (templates::Argument::in_tokens). Throws
// TemplateArgumentError with all mistakes in the arguments, and what compile() throws.
std::shared_ptr<CompiledGrammar> instantiate(const CompiledTemplate& of,
                                             std::shared_ptr<const templates::Argument> arguments);

// The grammar after all passes; runs the passes again if the grammar was deserialized.
std::shared_ptr<const Grammar> optimized_grammar(const CompiledGrammar& compiled);

// The grammar before the passes, with the ids of tokens that it names by their texts.
Grammar grammar_with_token_ids(const CompiledGrammar& compiled);

}  // namespace xg2lab
