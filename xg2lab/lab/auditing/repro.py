"""Findings of an audit as lines that run: the grammar, the smallest vocabulary that still shows it, and an assertion.

>>> header = {"grammar": {"text": 'root ::= "ab"', "root": "root"}, "options": {}, "vocab_size": 3}
>>> from xg2lab import TokenizerInfo
>>> text, is_small = mask_repro(header, {"edges": []}, TokenizerInfo(["a", "b", "</s>"]), [], 0, accept=True)
>>> is_small  # of a finding that is none, nothing small remains
False
>>> exec(text.replace("info = ...", "info = xgr.TokenizerInfo(['a', 'b', '</s>'])"))
mask True, accept True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xg2lab.errors import Xg2LabError
from xg2lab.lab.trace.issue import literal, matcher_lines

if TYPE_CHECKING:
    from xg2lab.grammar import Grammar
    from xg2lab.lab import schema
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["ebnf_of", "keyword_repro", "mask_repro"]


def ebnf_of(grammar: Grammar) -> str:
    """A grammar as its author wrote it if that is EBNF, else as EBNF that means the same."""
    from xg2lab import Grammar

    try:
        Grammar.from_ebnf(grammar.source, root_rule_name=grammar.root_rule_name)
    except Xg2LabError:
        return str(grammar)
    return str(grammar.source)


def mask_repro(
    header: schema.Header,
    program: schema.Program,
    info: TokenizerInfo,
    taken: Sequence[tuple[int, bytes]],
    token_id: int,
    *,
    accept: bool,
) -> tuple[str, bool]:
    """Lines that end in an assertion which fails where mask and accept differ; whether a one-token vocabulary shows it.

    `taken`: the tokens before, each with its bytes. A grammar with token edges speaks of one tokenizer's ids, and a
    finding that needs other tokens beside it does not shrink: then the reader fills in the tokenizer.
    """
    data, output = info.decoded_vocab[token_id], b"".join(part for _, part in taken)
    is_text = bool(data) and token_id not in {*info.stop_token_ids, *info.special_token_ids}
    if is_text and not any(edge["kind"] == "token" for edge in program["edges"]):
        small = _text(
            header,
            f"xgr.TokenizerInfo([{data!r}, b'</s>'], stop_token_ids=[1])",
            f"matcher.accept_string({output!r})",
            0,
        )
        if _fails(small):
            return small, True
    ids = [token for token, _ in taken]
    before = f"all(matcher.accept_token(token) for token in {ids!r})"
    said = f"# seen: mask {not accept}, accept {accept}"
    whole = f"...  # that of the tokenizer: {header['vocab_size']} tokens"
    return f"{said}\n{_text(header, whole, before, token_id)}", False


def _text(header: schema.Header, info: str, before: str, token_id: int) -> str:
    return "\n".join([
        "import xg2lab as xgr",
        "from xg2lab.testing import bitmask_to_bool_mask",
        "",
        *matcher_lines(header, info),
        f"assert {before}",
        "",
        "bitmask = xgr.allocate_token_bitmask(1, info.vocab_size)",
        "matcher.fill_next_token_bitmask(bitmask)",
        f"mask = bool(bitmask_to_bool_mask(bitmask, info.vocab_size)[0][{token_id}])",
        f"accept = matcher.fork().accept_token({token_id})",
        'print(f"mask {mask}, accept {accept}")',
        "assert mask == accept",
    ])  # fmt: skip


def _fails(text: str) -> bool:
    """Whether the lines come to their assertion, and fail it."""
    names: dict[str, object] = {}
    try:
        exec(compile(text.replace("\nprint(", "\nstr("), "repro", "exec"), names)  # noqa: S102 (our own lines)
    except AssertionError:
        return "accept" in names
    except Exception:  # noqa: BLE001 (a grammar that needs more than its text: it does not shrink)
        return False
    return False


def keyword_repro(source: str, pointer: str) -> str:
    """Lines that say what became of one keyword of a schema."""
    return "\n".join([
        "import xg2lab as xgr",
        "",
        f"schema = {literal(source)}",
        'grammar = xgr.Grammar.from_json_schema(schema, on_unsupported="relax")',
        f"print(*[use for use in grammar.coverage if use.pointer == {pointer!r}], sep='\\n')",
    ])  # fmt: skip
