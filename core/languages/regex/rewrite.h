// What can be done to a tree before anything is made of it.
//
// Tests: tests/core/test_regex.py
//
// EXAMPLE   searched(^a|b$)  is  a.* | .*b  with . for any character, once the anchors are settled
#pragma once

#include <string>

#include "languages/regex/ast.h"

namespace xg2lab::regex {

// The texts in which the pattern is found: any text around it, but for where an anchor says that there is none.
NodeId searched(Ast& ast, NodeId node);

// The node without those anchors ^ and $ of which it is clear whether they hold: at the ends of a pattern they say nothing, in the
// middle of something that is not empty they can't hold. Others stay.
NodeId settle_anchors(Ast& ast, NodeId node);

// The node in which lazy repetitions are written as what they match when the text goes on as it likes: a*?b as (?:(?!b)a)*b.
// Whoever matches a whole text can't tell the difference; who reads a text token by token can.
NodeId settle_lazy(Ast& ast, NodeId node);

bool has_looks(const Ast& ast, NodeId node);

// How many characters the node mentions, each as often as its repetitions say; saturates.
size_t n_characters(const Ast& ast, NodeId node);

// Whether a repetition in it goes beyond `most` rounds that would have to be written out.
bool has_large_repeat(const Ast& ast, NodeId node, uint32_t most);

// A pattern for the node, in the dialect of parser.h, without flags.
std::string print(const Ast& ast, NodeId node);

}  // namespace xg2lab::regex
