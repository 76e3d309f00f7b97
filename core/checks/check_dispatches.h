// Warns of watched texts of a dispatch that can never be read (analysis/readable_texts.h).
//
// Tests: tests/core/test_dispatch.py
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::checks {

// Warnings tag_never_fires, stop_never_read, exclude_never_read.
Grammar check_dispatches(Grammar grammar);

}  // namespace xg2lab::checks
