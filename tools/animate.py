"""An animated SVG from pictures that follow each other: one file of text, no script, played in a loop or once.

>>> one = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="20" viewBox="0 0 90 20"><text>a</text></svg>'
>>> moving = animated([Frame(one, 1.0), Frame(one.replace("a<", "b<"), 3.0)], title="two letters")
>>> moving.count("<text>"), "25.000%{visibility:visible}" in moving
(2, True)

IDEA
  Each picture is a nested <svg>; keyframes show one at a time. Gradients and clips are known by id in the whole file,
  so the ids of each picture get the picture's number. A reader who prefers reduced motion sees the last picture.

See also `tools/take_pictures.py`, which takes the pictures of the README.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Frame", "animated"]

_SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"')


@dataclass(frozen=True)
class Frame:
    """A picture and how long it is shown, in seconds."""

    svg: str
    seconds: float

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in pixels."""
        found = _SIZE.search(self.svg)
        if found is None:
            raise ValueError("the picture has no width and height")
        return float(found[1]), float(found[2])


def animated(frames: Sequence[Frame], *, title: str, paper: str = "#ffffff", once: bool = False) -> str:
    """Return one SVG that shows the frames one after the other, and then begins again, or rests at the last.

    Parameters
    ----------
    frames : sequence of Frame
        At least one. The smaller ones are at the top left.
    title : str
        What the picture shows, for readers who do not see it.
    paper : str
        The colour behind the frames.
    once : bool
        True shows each frame once and keeps the last.

    Returns
    -------
    str
        The SVG.

    Raises
    ------
    ValueError
        There are no frames, or one of them has no size.
    """
    if not frames:
        raise ValueError("there are no frames")
    width = max(frame.size[0] for frame in frames)
    height = max(frame.size[1] for frame in frames)
    total = sum(frame.seconds for frame in frames)
    count = 1 if once else "infinite"
    rules = [f".f{{visibility:hidden;animation-duration:{total:g}s;animation-iteration-count:{count};"]
    rules[0] += "animation-timing-function:step-end" + (";animation-fill-mode:forwards}" if once else "}")
    shown: list[str] = []
    begin = 0.0
    for number, frame in enumerate(frames):
        end = begin + frame.seconds
        keys = [(0.0, "hidden")] if number else []
        keys.append((begin / total, "visible"))
        if number < len(frames) - 1:
            keys.append((end / total, "hidden"))
        elif once:
            keys.append((1.0, "visible"))
        rules.append(f"@keyframes k{number}{{" + "".join(f"{at:.3%}{{visibility:{what}}}" for at, what in keys) + "}")
        rules.append(f".f{number}{{animation-name:k{number}}}")
        shown.append(f'<g class="f f{number}">{_with_own_ids(frame.svg, number)}</g>')
        begin = end
    rules.append(
        f"@media (prefers-reduced-motion:reduce){{.f{{animation:none}}.f{len(frames) - 1}{{visibility:visible}}}}"
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{''.join(rules)}</style>",
            f'<rect width="100%" height="100%" fill="{escape(paper)}"/>',
            *shown,
            "</svg>",
            "",
        ]
    )


def _with_own_ids(svg: str, number: int) -> str:
    """A picture whose ids begin with its number.

    >>> _with_own_ids('<svg><g id="a" fill="url(#a)"/><use href="#a"/></svg>', 2)
    '<svg><g id="f2-a" fill="url(#f2-a)"/><use href="#f2-a"/></svg>'
    """
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>f{number}-", svg)
