r"""The stacks of a pushdown automaton before a token, as one tree small enough to keep and to send.

>>> program = {"rules": [{"name": "root"}], "states": [{"rule": 0, "before": '"("', "after": "root"},
...                                                    {"rule": 0, "before": "root", "after": '")"'}]}
>>> tree = {"n_stacks": 1, "n_frames": 2, "tops": [{"state": 0, "below": 1}], "frames": [
...     {"id": 0, "below": None, "called": 0, "state": 1, "counts": None},
...     {"id": 1, "below": 0, "called": 0, "state": 1, "counts": None}]}
>>> print("\n".join(stack_lines(tree, program)))
1 stack on 2 frames, the bottom first
  root -> root • ")"  when root is complete
  root -> root • ")"  when root is complete
  root -> "(" • root  top

IDEA
  A frame says where the parse goes on when a rule is complete; a stack is a state on top of a chain of frames. Stacks
  share frames, so all of them are one tree, drawn from the bottom. An ambiguous text may have tens of thousands of
  stacks: listed are some, and those of their frames that are nearest to the tops. The counts say how many there are.

Shapes and units: `{"n_stacks", "n_frames", "tops": [{"state", "below"}], "frames": [{"id", "below", "called", "state",
"counts"}]}`. `below` is the id of a frame, None at the bottom; frames below stand before those above. Ids are of this
tree alone. `n_frames` counts the frames of the listed stacks; a frame that isn't listed is a `below` without a frame.
See also `GrammarMatcher.stacks`, `docs/design/0010-two-parsers-one-table.md`.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.matcher import GrammarMatcher

__all__ = ["ASKED", "RECORDED", "Most", "stack_lines", "stack_tree"]


class Most(NamedTuple):
    """How much of a tree is listed."""

    stacks: int
    frames: int


#: What a trace keeps of each step, and what is listed when somebody asks.
RECORDED, ASKED = Most(24, 96), Most(400, 2000)
_MOST_LINES = 60


def stack_tree(matcher: GrammarMatcher, most: Most = ASKED) -> schema.StackTree:
    """A matcher's stacks. Raises `MatcherStateError` if the grammar was compiled for another parser."""
    whole = matcher.stacks(most.stacks)
    frames = {frame["id"]: frame for frame in whole["frames"]}
    kept: dict[int, None] = {}
    level = [top["below"] for top in whole["tops"]]
    while level and len(kept) < most.frames:
        fresh = [at for at in dict.fromkeys(level) if at is not None and at not in kept]
        kept |= dict.fromkeys(fresh[: most.frames - len(kept)])
        level = [frames[at]["below"] for at in fresh]
    numbers = {at: number for number, at in enumerate(sorted(frames))}
    below = {None: None} | numbers
    return {
        "n_stacks": whole["n_stacks"],
        "n_frames": len(frames),
        "tops": [{"state": top["state"], "below": below[top["below"]]} for top in whole["tops"]],
        "frames": [
            {
                "id": numbers[at],
                "below": below[frames[at]["below"]],
                "called": frames[at]["called"],
                "state": frames[at]["state"],
                "counts": frames[at]["counts"],
            }
            for at in sorted(kept)
        ],
    }


def stack_lines(tree: schema.StackTree, program: schema.Program) -> list[str]:
    """The tree in words, from the bottom; indented where stacks part."""
    rules, states = program["rules"], program["states"]
    listed = {frame["id"] for frame in tree["frames"]}
    above: dict[int | None, list[Any]] = defaultdict(list)
    nodes: list[schema.StackTop | schema.StackFrame] = [*tree["tops"], *tree["frames"]]
    for node in nodes:
        above[node["below"] if node["below"] in listed else None].append(node)
    out: list[str] = []
    agenda = [(node, 0) for node in reversed(above[None])]
    while agenda and len(out) < _MOST_LINES:
        node, depth = agenda.pop()
        state = states[node["state"]]
        item = f"{rules[state['rule']]['name']} -> {state['before']} • {state['after']}".strip()
        counts = node.get("counts")
        role = f"when {rules[node['called']]['name']} is complete" if "id" in node else "top"
        out.append(f"{'  ' * (depth + 1)}{item}  {role}" + (f", {counts} done" if counts else ""))
        higher = above[node["id"]] if "id" in node else []
        agenda += [(next_one, depth + (len(higher) > 1)) for next_one in reversed(higher)]
    n_hidden = tree["n_frames"] + tree["n_stacks"] - len(out)
    if n_hidden > 0:
        out.append(f"  and {n_hidden:,} more")
    n_stacks, n_frames = tree["n_stacks"], tree["n_frames"]
    head = f"{n_stacks:,} stack{'s' * (n_stacks != 1)} on {n_frames:,} frame{'s' * (n_frames != 1)}"
    return [f"{head}, the bottom first" if n_frames else head, *out]
