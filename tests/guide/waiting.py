"""Which of the guide's snippets wait for a part that isn't there yet. Take a name out of WAITING to run its tests."""

import pytest

WAITING = {
    "recursion depth": "get_max_recursion_depth and its like: docs/design/0008-depth-has-no-knob.md",
    "internal state": "GrammarMatcher._debug_print_internal_state",
}


def waits_for(name: str) -> pytest.MarkDecorator:
    """Skips a test while what it needs is in the list."""
    return pytest.mark.skipif(name in WAITING, reason=f"waits for {WAITING.get(name)}")
