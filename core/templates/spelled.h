// Static text as a tokenizer writes it: the literals of a template become token edges.
//
// Twin:  xg2lab/reference/template.py
// Tests: tests/core/test_spelled_template.py, tests/differential/test_instances.py
//
// IDEA
//   In WGrammar static text is a list of tokens: those that the tokenizer's encoder writes for it.
//   No other tokens spell it, and no token crosses its edges. So each literal is replaced by a
//   sequence of token edges, one for each id, and the texts of arguments are written the same way
//   (templates/write_out.h, linking/link.h). All other parts stay on bytes: classes, texts that a
//   dispatch watches for, patterns, and the grammar of Use($g).
//
// EXAMPLE   root ::= "<p>" [^<]* $end      the encoder writes "<p>" as 7, 9
//           root ::= Token(7) Token(9) [^<]* $end
//
//   A rule that is the `parts` of another reads bytes that were written before, when no token is
//   known. Its literals and texts stay bytes, so no other rule may call it unless it has none.
//   A rule with lazy or max_chars is one machine on bytes and has no place for a token edge.
//
// SEE ALSO  WGrammar sections 3.1 and 3.2; docs/design/0041-operators.md lists the texts that are
//           lost.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grammar/template.h"

namespace xg2lab::templates {

// The distinct static texts, in the order of the template's text and without ids. Throws
// UnsupportedError with all places where text is that can't come in tokens.
std::vector<SpelledText> static_texts(const Template& of);

// The template with token edges in place of its literals. `texts`: static_texts(of), with ids.
Template spelled(const Template& of, std::vector<SpelledText> texts);

// What is wrong with an encoder's answer for a text, as a message. `mistake` ends a sentence that
// begins with the call: "has the bytes `a`".
std::string misspelled(std::string_view text, std::string_view mistake);
// The same of a template's static text.
Diagnostic misspelled_text(const SpelledText& text, std::string_view mistake);
inline constexpr const char* kEncodeHint =
    "encode has to return the ids of this text alone: "
    "lambda text: tokenizer.encode(text, add_special_tokens=False)";

}  // namespace xg2lab::templates
