r"""The shortest disagreement in words.

>>> byte_ranges([k in (97, 98, 10) for k in range(256)])
((10, 10), (97, 98))
>>> print(bytes_text(((10, 10), (97, 98), (200, 255))))
\n, [a-b], [\xc8-\xff]

See also `xg2lab.lab.comparison.shortest`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xg2lab.lab.comparison.shortest import Shortest

__all__ = ["byte_ranges", "bytes_text", "shortest_text"]

Ranges = tuple[tuple[int, int], ...]


def byte_ranges(taken: Sequence[bool]) -> Ranges:
    """The bytes that are taken, as ranges."""
    edges = [k for k in range(257) if (k < 256 and taken[k]) != (k > 0 and taken[k - 1])]
    return tuple((lo, hi - 1) for lo, hi in zip(edges[::2], edges[1::2], strict=True))


def bytes_text(ranges: Ranges) -> str:
    """Ranges of bytes as a reader sees them."""
    return ", ".join(_byte(lo) if lo == hi else f"[{_byte(lo)}-{_byte(hi)}]" for lo, hi in ranges)


def _byte(k: int) -> str:
    known = {9: "\\t", 10: "\\n", 13: "\\r", 32: "' '", 34: "'\"'", 44: "','"}
    return known.get(k) or (chr(k) if 32 < k < 127 else f"\\x{k:02x}")


def shortest_text(found: Shortest) -> str:
    """One sentence."""
    looked = f"{found.n_pairs:,} pairs of states"
    if found.is_running:
        return f"looking: {looked}, no disagreement in {found.n_bytes:,} bytes"
    if found.verdict == "refused":
        return f"the search failed: {found.why}"
    if found.verdict == "equal":
        return f"they are equal: all {looked} that texts lead to allow the same"
    if found.verdict == "none":
        end = f"all {looked} were looked at, but " if not found.n_waiting else ""
        why = f": {end}{found.why}" if found.why else ""
        return f"no disagreement in texts of up to {found.n_bytes:,} bytes, {looked}{why}"
    shown = found.text.decode("utf-8", "backslashreplace").replace("\n", "\\n")
    where = f'after "{shown}", byte {len(found.text)}' if found.text else "at the first byte"
    says = [f"{bytes_text(only)} only in {side}" for side, only in (("A", found.only_a), ("B", found.only_b)) if only]
    if found.ends_a != found.ends_b:
        says.append(f"the end only in {'A' if found.ends_a else 'B'}")
    if not says:
        says.append(f"{len(found.tokens)} tokens are in one mask alone")
    return f"they part {where}: {'; '.join(says)}"
