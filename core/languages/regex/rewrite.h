// Transformations of a pattern's tree.
//
// Tests: tests/core/test_regex.py
//
// EXAMPLE   searched(^a|b$)  is  a.* | .*b  with . for any character, once the anchors are resolved
#pragma once

#include <string>

#include "languages/regex/ast.h"

namespace xg2lab::regex {

// The texts that contain a match: any text may surround it, except where an anchor excludes that.
NodeId searched(Ast& ast, NodeId node);

// Resolves the anchors ^ and $ whose outcome is certain: at the ends of a pattern they always hold,
// in the middle of a nonempty match they never hold. Other anchors stay.
NodeId settle_anchors(Ast& ast, NodeId node);

// Replaces lazy repetitions by the texts that they match if any text may follow: a*?b becomes
// (?:(?!b)a)*b. For a match of the whole text this makes no difference; it matters to a consumer
// that reads the text token by token.
NodeId settle_lazy(Ast& ast, NodeId node);

bool has_lookarounds(const Ast& ast, NodeId node);

// The number of characters in the node, with repetitions multiplied out; saturates.
size_t n_characters(const Ast& ast, NodeId node);

// Whether some repetition would have to be written out for more than `most` rounds.
bool has_large_repeat(const Ast& ast, NodeId node, uint32_t most);

// A pattern for the node in the dialect of parser.h, without flags.
std::string print(const Ast& ast, NodeId node);

}  // namespace xg2lab::regex
