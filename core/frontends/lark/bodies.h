// The bodies of definitions: choices, sequences, atoms.
//
// Tests: tests/core/test_lark.py.   NOT HERE  statements (parser.h, which has the whole grammar).
#pragma once

#include "frontends/lark/cursor.h"
#include "frontends/lark/parser.h"

namespace xg2lab::lark {

// Parses up to the end of the statement.
NodeId read_body(Cursor& at, const ParseContext& context);

}  // namespace xg2lab::lark
