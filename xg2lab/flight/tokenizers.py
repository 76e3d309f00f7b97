"""Tokenizers of flights: a fingerprint in each file, and the vocabulary once in the folder.

>>> import xg2lab as xgr
>>> one, other = (xgr.TokenizerInfo(["a", last]) for last in ("</s>", "b"))
>>> fingerprint(one) == fingerprint(xgr.TokenizerInfo(["a", "</s>"])), fingerprint(one) == fingerprint(other)
(True, False)

The same ids mean other texts in another vocabulary, so a flight is opened with the tokenizer of its fingerprint alone.

See also: `xg2lab.TokenizerInfo.serialize_json`.
"""

from __future__ import annotations

import gzip
import hashlib
import os
from pathlib import Path

from xg2lab.errors import DeserializeFormatError, VocabularyError
from xg2lab.support.files import read_file
from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["fingerprint", "tokenizer_beside"]

_HEX = 32


def fingerprint(tokenizer_info: TokenizerInfo) -> str:
    """Return the name of a tokenizer by its contents.

    Parameters
    ----------
    tokenizer_info : TokenizerInfo
        The vocabulary.

    Returns
    -------
    str
        32 hexadecimal digits. They cover each token's bytes and kind, the stop tokens, the size and the type.

    >>> import xg2lab as xgr
    >>> len(fingerprint(xgr.TokenizerInfo(["a", "</s>"])))
    32
    """
    text = f"{tokenizer_info.vocabulary.content_hash} {tokenizer_info.dump_metadata()}"
    return hashlib.sha256(text.encode()).hexdigest()[:_HEX]


def file_name(name: str) -> str:
    """The file of the tokenizer with this fingerprint."""
    return f"tokenizer-{name}.json.gz"


def packed(tokenizer_info: TokenizerInfo) -> bytes:
    """The contents of a tokenizer's file."""
    return gzip.compress(tokenizer_info.serialize_json().encode(), compresslevel=6, mtime=0)


def tokenizer_beside(path: str | os.PathLike[str], wanted: str) -> TokenizerInfo | None:
    """Return the tokenizer that was stored in a flight's folder.

    Parameters
    ----------
    path : str or path
        The flight's file.
    wanted : str
        The fingerprint.

    Returns
    -------
    TokenizerInfo or None
        None if the folder has no such file.

    Raises
    ------
    DeserializeFormatError, DeserializeVersionError, InvalidJSONError, LimitError
        The file is damaged, or too large.
    VocabularyError
        The file holds a tokenizer of another fingerprint.

    >>> tokenizer_beside("no/such.xgflight", "0" * 32) is None
    True
    """
    if len(wanted) != _HEX or not all(digit in "0123456789abcdef" for digit in wanted):
        return None  # it is part of a path
    file = Path(path).parent / file_name(wanted)
    try:
        data = read_file(file)
    except FileNotFoundError:
        return None
    try:
        info = TokenizerInfo.deserialize_json(data.decode())
    except UnicodeDecodeError as error:
        raise DeserializeFormatError(f"{file.name} is not UTF-8", hint="copy the file again") from error
    found = fingerprint(info)
    if found != wanted:
        raise VocabularyError(
            f"{file.name} holds a tokenizer of fingerprint {found}", hint="the file was changed: copy it again"
        )
    return info
