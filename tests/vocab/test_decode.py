"""Token texts to bytes, against the definitions of the two conventions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xg2lab import _core

RAW, BYTE_FALLBACK, BYTE_LEVEL = 0, 1, 2


def byte_level_table():
    """GPT-2's table by its definition: printable bytes are themselves, the others U+0100 and on."""
    shown = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {byte: chr(byte) for byte in shown} | {byte: chr(256 + i) for i, byte in enumerate(hidden)}


TABLE = byte_level_table()


@given(st.binary(max_size=20))
def test_byte_level_reads_back_every_byte_string(data):
    assert _core.decode_token("".join(TABLE[byte] for byte in data), BYTE_LEVEL) == data


@given(st.text(max_size=10))
def test_byte_level_keeps_text_outside_its_table(text):
    in_table = all(character in TABLE.values() for character in text)
    inverse = {character: byte for byte, character in TABLE.items()}
    expected = bytes(inverse[character] for character in text) if in_table else text.encode()
    assert _core.decode_token(text, BYTE_LEVEL) == expected


@pytest.mark.parametrize("text", ["a b", "日", "<|im start|>", "\u0144", "\u00ad"])
def test_byte_level_keeps_added_tokens(text):
    assert _core.decode_token(text, BYTE_LEVEL) == text.encode()


@pytest.mark.parametrize("data", [b"\xc4", b"\xff\xfe", b"\xc0\x80", b"a\xc4\xa0\xc4"])
def test_byte_level_keeps_what_is_no_text(data):
    assert _core.decode_token(data, BYTE_LEVEL) == data


@given(st.binary(max_size=20), st.sampled_from([RAW, BYTE_FALLBACK, BYTE_LEVEL]))
def test_decoding_any_bytes_ends(data, vocab_type):
    assert isinstance(_core.decode_token(data, vocab_type), bytes)


@pytest.mark.parametrize(
    ("text", "data"),
    [(f"<0x{byte:02X}>", bytes([byte])) for byte in range(256)]
    + [
        ("<0x0a>", b"\n"),
        ("▁a▁▁b", b" a  b"),
        ("▁", b" "),
        ("<0x0A>x", b"<0x0A>x"),
        ("<0xG0>", b"<0xG0>"),
        ("<0x0A", b"<0x0A"),
        ("<0x>", b"<0x>"),
        ("é", "é".encode()),
    ],
)
def test_byte_fallback(text, data):
    assert _core.decode_token(text, BYTE_FALLBACK) == data


@given(st.binary(max_size=20))
def test_raw_is_the_bytes(data):
    assert _core.decode_token(data, RAW) == data
