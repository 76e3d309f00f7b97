"""Animated SVGs: at each moment exactly one frame is shown, ids stay apart, and the file is well-formed.

The picture of the first notebook shows what its session recorded.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from tools.animate import Frame, animated
from tools.replay_picture import replay_picture
from xg2lab import Session
from xg2lab.tiny import grammar_for, prompt

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}"><g id="a"/><path fill="url(#a)"/></svg>'
NAMES = {"svg": "http://www.w3.org/2000/svg"}


def pictures():
    return [Frame(SVG.format(w=90, h=20), 1.0), Frame(SVG.format(w=60, h=40), 2.0), Frame(SVG.format(w=10, h=10), 5.0)]


def shown_at(svg, share):
    """The frames that are visible at this share of the loop, by the keyframes (which step at their end)."""
    seen = []
    for number, keys in re.findall(r"@keyframes k(\d+)\{((?:[\d.]+%\{visibility:\w+\})+)\}", svg):
        states = [(float(at) / 100, what) for at, what in re.findall(r"([\d.]+)%\{visibility:(\w+)\}", keys)]
        if [what for at, what in states if at <= share][-1] == "visible":
            seen.append(int(number))
    return seen


def test_one_frame_at_a_time():
    moving = animated(pictures(), title="three")
    assert [shown_at(moving, share) for share in (0, 0.1, 0.2, 0.374, 0.5, 0.999)] == [[0], [0], [1], [1], [2], [2]]


def test_it_is_as_large_as_its_frames_and_well_formed():
    root = ET.fromstring(animated(pictures(), title="a <b> & c"))
    assert (root.get("width"), root.get("height")) == ("90", "40")
    assert root.findtext("svg:title", namespaces=NAMES) == "a <b> & c"
    assert len(root.findall("svg:g", NAMES)) == 3


def test_ids_of_frames_differ():
    moving = animated(pictures(), title="three")
    ids = re.findall(r'\bid="([^"]+)"', moving)
    assert len(ids) == len(set(ids)) == 3
    assert set(re.findall(r"url\(#([^)]+)\)", moving)) == set(ids)


def test_reduced_motion_shows_the_last():
    assert "{.f{animation:none}.f2{visibility:visible}}" in animated(pictures(), title="three")


def test_once_it_rests_at_the_last_frame():
    moving = animated(pictures(), title="three", once=True)
    assert "animation-iteration-count:1;" in moving
    assert "animation-fill-mode:forwards" in moving
    assert [shown_at(moving, share) for share in (0, 0.2, 0.999, 1)] == [[0], [1], [2], [2]]
    assert "animation-iteration-count:infinite;" in animated(pictures(), title="three")


def test_the_first_notebooks_picture_shows_what_was_recorded():
    pytest.importorskip("anywidget")
    pytest.importorskip("transformers")
    session = Session(grammar_for("qwen"), model="tiny_early", prompt=prompt("What is the weather?", "qwen"), seed=8)
    session.run(max_tokens=6)
    root = ET.fromstring(replay_picture(session))
    frames = root.findall("svg:g/svg:svg", NAMES)
    assert len(frames) == 6 + 1
    for step, frame in zip(session.trace.steps[:6], frames[:-1], strict=True):
        said = [text.text for text in frame.findall("svg:text", NAMES)]
        assert f"step {step.index}: {step.n_allowed:,} of 2,048 tokens may come next" in said
        (squares,) = frame.findall("svg:path", NAMES)
        assert (squares.get("d") or "").count("M") == step.n_allowed
        assert said[1] == "What is the weather?"
        assert "".join(said[3 : 3 + step.index]) == session.trace.output_bytes.decode()[: step.byte_begin].replace(
            "\n", "↵"
        )
        assert [text for text in said if text and text.endswith(", blocked")] == [
            f"{one.p:.3f}, blocked" for one in step.top[:5] if one.provenance == 0
        ]
    assert any((text.text or "").startswith("Why not “") for text in frames[-1].findall("svg:text", NAMES))


def test_no_frames_and_no_size_are_refused():
    with pytest.raises(ValueError, match="no frames"):
        animated([], title="none")
    with pytest.raises(ValueError, match="no width"):
        animated([Frame("<svg/>", 1.0)], title="none")
