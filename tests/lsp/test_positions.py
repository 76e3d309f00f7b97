"""Bytes and the protocol's columns: there and back for each encoding, and in texts with every kind of line break."""

from __future__ import annotations

import pytest

from xg2lab.lsp.positions import Lines

TEXT = "a\r\nb\rc\n\né😀x\u2028y\n"
ENCODINGS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
UNITS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_each_code_point_has_its_column_and_back(encoding: str) -> None:
    lines = Lines(TEXT, encoding)
    line, column, offset = 0, 0, 0
    for k, letter in enumerate(TEXT):
        position = lines.position(offset)
        if not (letter == "\n" and TEXT[k - 1] == "\r"):  # between the two there is no place
            assert position == {"line": line, "character": column}
            assert lines.offset(position) == offset
        offset += len(letter.encode())
        column += len(letter.encode(ENCODINGS[encoding])) // UNITS[encoding]
        if letter == "\n" or (letter == "\r" and TEXT[k + 1] != "\n"):
            line, column = line + 1, 0
    assert lines.position(len(TEXT.encode())) == {"line": line, "character": 0}


def test_places_beyond_a_line_and_beyond_the_text_are_their_ends() -> None:
    lines = Lines(TEXT, "utf-16")
    assert lines.offset({"line": 0, "character": 99}) == 1
    assert lines.offset({"line": 99, "character": 0}) == len(TEXT.encode())
    assert lines.position(10**9) == lines.position(len(TEXT.encode()))


def test_a_place_within_a_code_point_is_its_begin() -> None:
    lines = Lines("é😀", "utf-16")
    assert [lines.position(byte)["character"] for byte in range(7)] == [0, 0, 1, 1, 1, 1, 3]
