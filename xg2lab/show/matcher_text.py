"""A matcher's state as text, for debugging: `print(matcher._debug_print_internal_state())`.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b";", b"</s>"], stop_token_ids=[3])
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= name ";"   name ::= [a-z]+'))
>>> matcher.accept_token(0)
True
>>> print(matcher._debug_print_internal_state())
text      'a' in 1 step
complete  no
expected  [;a-z]
items     1
          root ::= … [a-z] • ";" | [a-z]    from byte 0, line 1

`explain` has the same of one token, as values; `chart` has the way there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xg2lab._core import GrammarMatcher
    from xg2lab.lab.schema.engine import ExpectedBy

#: Of the text, from its end.
MOST_BYTES = 60
MOST_ITEMS = 100


def internal_state(matcher: GrammarMatcher, text: bytes | None) -> str:
    """What `_debug_print_internal_state()` returns. `text`: all bytes so far; None if they are not kept."""
    steps = f"{matcher.n_steps} step{'s' * (matcher.n_steps != 1)}"
    said = "not kept" if text is None else repr(text[-MOST_BYTES:].decode("utf-8", "backslashreplace"))
    cut = "…" if text is not None and len(text) > MOST_BYTES else ""
    lines = [f"text      {cut}{said} in {steps}", f"complete  {'yes' if matcher.is_completed() else 'no'}"]
    if matcher.is_terminated():
        return "\n".join([*lines, f"ended     {matcher.why_terminated}"])
    here = matcher.explain(data=b"")
    items = here["expected_by"]
    shown = [
        f"{item['rule_name']} ::= {'… ' * bool(item['before'])}{item['before']} • {item['after']}"
        f"    from byte {item['origin']}{_line(item)}"
        for item in items[:MOST_ITEMS]
    ]
    more = [f"{len(items) - MOST_ITEMS} more"] * (len(items) > MOST_ITEMS)
    return "\n".join(
        [
            *lines,
            f"expected  {here['expected_text'] or 'the end'}",
            f"items     {len(items)}",
            *(" " * 10 + line for line in [*shown, *more]),
        ]
    )


def _line(item: ExpectedBy) -> str:
    """The line that the item stands in; white space that every schema has stands in none."""
    return f", line {item['line']}" if "line" in item else ""
