r"""The token ids of a request that failed: which of them breaks the grammar, at which byte, and why.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo(["[", "]", "1", "1]", "x", "</s>"], stop_token_ids=[5])
>>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "[" [0-9]+ "]"')
>>> print(diagnose(compiled, "Failed to advance, tokens [0, 2, 4, 1]"))
blocked at step 2, byte 2: token 4 'x' (rejected_by_cache)
  It breaks at byte 1 of 1 (x): expected [0-9\]].
  line 1:14: root ::= "[" [0-9]+ "]"
  2 of 4 tokens were accepted: '[1'

IDEA
  A matcher takes the tokens one by one, as a server would; at the first that it refuses, the engine is asked why. No
  session and no model is needed, so it answers in a moment however large the model was. `Session.replay` takes the same
  tokens in a trace of its own, for the views.

See also `xg2lab.lab.session.pasted`, which finds the ids in a log line; `xg2lab.lab.trace.issue`,
which writes the text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from xg2lab.lab.session.instances import Instance
from xg2lab.lab.session.pasted import read_ids
from xg2lab.lab.session.setup import Made, header_facts
from xg2lab.lab.trace.issue import issue_text, matcher_lines, versions
from xg2lab.lab.trace.spelling import Spelling
from xg2lab.lab.trace.steps import Step
from xg2lab.lab.trace.trace import header
from xg2lab.lab.trace.values import plain

if TYPE_CHECKING:
    from xg2lab.compiler import CompiledGrammar
    from xg2lab.lab import schema
    from xg2lab.matcher import GrammarMatcher
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["KINDS", "Diagnosis", "diagnose"]

#: What may be found: the first seven name what is wrong with a token, the last three how far the
#: output is.
KINDS: dict[str, str] = {
    "blocked": "the grammar does not allow it here",
    "outside_vocabulary": "the vocabulary has no such id",
    "no_token": "the id is padding, or a token without bytes",
    "special_token": "a special token, which never matches as text",
    "stop_too_early": "a stop token before the output is a whole sentence",
    "after_end": "the output had ended before it",
    "nothing": "there are no ids",
    "ended": "all are accepted, and the output has ended",
    "complete": "all are accepted, and the output may end here",
    "unfinished": "all are accepted, and the output must go on",
}
_KIND_OF = {
    "special_token": "special_token",
    "stop_not_legal": "stop_too_early",
    "padding": "no_token",
    "empty_token": "no_token",
    "terminated": "after_end",
}
_ACCEPTED = ("ended", "complete", "unfinished")
TAIL_CHARACTERS = 60


class _Facts(NamedTuple):
    """What the text of an issue is made of: `taken` are the accepted tokens, `text` the one that was not."""

    header: schema.Header
    program: schema.Program
    taken: list[tuple[int, bytes]]
    byte_begin: int
    text: str


@dataclass(frozen=True)
class Diagnosis:
    """The verdict of a grammar on the token ids of an output.

    Attributes
    ----------
    kind : str
        What was found, a key of `xg2lab.lab.session.diagnosing.KINDS`: "blocked", "complete", "unfinished", ...
    ids : tuple of int
        The ids of the output.
    step : int
        The index of the token that was refused; the number of ids if all are accepted.
    byte : int
        The byte of the output at which it was refused.
    token_id : int or None
        The token that was refused.
    reason : str
        The reason as a sentence.
    hint : str
        What to look at next; may be empty.
    source : str
        Where in a text the ids were found.
    output : bytes
        The bytes of the accepted tokens.
    why : dict or None
        The answer of `GrammarMatcher.explain` for the refused token; None where there is nothing to explain.

    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo(["[", "]", "1", "x", "</s>"], stop_token_ids=[4])
    >>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "[" [0-9]+ "]"')
    >>> found = diagnose(compiled, [0, 2, 3])
    >>> found.kind, found.step, found.mechanism, found.expected_by["rule_name"], found.to_wire()["line"]["column"]
    ('blocked', 2, 'rejected_by_cache', 'root', 14)
    >>> found.issue_text().splitlines()[0], found.repro().splitlines()[0]
    ("## Why is token 3 b'x' blocked?", 'import xg2lab as xgr')
    """

    kind: str
    ids: tuple[int, ...]
    step: int
    byte: int
    token_id: int | None
    reason: str
    hint: str
    source: str
    output: bytes
    #: what `GrammarMatcher.explain` says of the token, None where there is nothing to ask about
    why: schema.Explanation | None = field(repr=False)
    _facts: _Facts = field(repr=False, compare=False)

    @property
    def is_accepted(self) -> bool:
        """Whether the grammar accepts all ids."""
        return self.kind in _ACCEPTED

    @property
    def mechanism(self) -> str:
        """The engine's word for how the token was refused; empty if none was."""
        return "" if self.why is None else str(self.why["mechanism"])

    @property
    def expected_by(self) -> schema.ExpectedBy | None:
        """The innermost item that expected another byte, with its source line if it has one; None if there is no such
        item.
        """
        items = [] if self.why is None else self.why["expected_by"]
        return max(items, key=lambda item: item["origin"], default=None)

    @property
    def selection(self) -> schema.Selection:
        """The selection that shows the refusal in the views."""
        item, entry = self.expected_by, None if self.why is None else self.why["entry"]
        return {
            "step": self.step,
            "token": self.token_id if self.why is not None else None,
            "byte": self.byte if self.why is not None and self.why["died_at"] is not None else None,
            "rule": item and item["rule"],
            "item": None,
            "state": item and item["state"],
            "mask_entry": entry and entry["state"],
        }

    def to_wire(self) -> schema.WireDiagnosis:
        """Return the diagnosis as JSON values.

        Returns
        -------
        dict
            The fields, and the text of the issue.
        """
        item = self.expected_by
        line: schema.SourceLine | None = None
        if item is not None and "line" in item and "column" in item:  # rules that every schema has are not in its text
            line = {"line": item["line"], "column": item["column"], "text": item.get("line_text", "").strip()}
        return {
            "kind": self.kind,
            "n_ids": len(self.ids),
            "step": self.step,
            "byte": self.byte,
            "token_id": self.token_id,
            "text": self._facts.text,
            "mechanism": self.mechanism,
            "reason": self.reason,
            "hint": self.hint,
            "source": self.source,
            "line": line,
            "issue": self.issue_text(),
        }

    def issue_text(self) -> str:
        """Write the diagnosis as the text of an issue, with lines that reproduce it with xg2lab alone.

        Returns
        -------
        str
            Markdown.
        """
        known = self._facts
        seen = versions(known.header)
        if self.why is not None:
            step = Step(index=self.step, byte_begin=known.byte_begin).to_wire()
            return issue_text(known.header, known.program, step, known.taken, self.why, seen)
        facts = [f"- {name}: {value}" for name, value in (("ids", list(self.ids)), ("output", repr(self.output)))]
        code = ["```python", *self._lines(), "```", ""]
        return "\n".join([f"## {self._title()}", "", self.reason, "", *facts, f"- seen with: {seen}", "", *code])

    def repro(self) -> str:
        """Return the lines that reproduce the diagnosis with xg2lab alone.

        Returns
        -------
        str
            Python, which asserts the result.
        """
        return self.issue_text().split("```python\n", 1)[1].rsplit("\n```", 1)[0]

    def _title(self) -> str:
        if self.is_accepted:
            return f"All {len(self.ids)} tokens are accepted"
        return "There are no token ids" if self.token_id is None else f"There is no token {self.token_id}"

    def _lines(self) -> list[str]:
        head, program = self._facts.header, self._facts.program
        info = f"xgr.TokenizerInfo([b'</s>'], stop_token_ids=[0], vocab_size={head['vocab_size']})"
        accept = f"matcher.accept_string({self.output!r})"
        if any(edge["kind"] == "token" for edge in program["edges"]):
            info = f"...  # that of the tokenizer: {head['vocab_size']} tokens"
            accept = f"all(matcher.accept_token(token) for token in {[token for token, _ in self._facts.taken]!r})"
        lines = ["import xg2lab as xgr", "", *matcher_lines(head, info), f"assert {accept}"]
        if self.kind == "outside_vocabulary":
            return [*lines, f"assert not matcher.accept_token({self.token_id})  # the vocabulary has no such id"]
        return [*lines, f"assert {'not ' if self.kind == 'unfinished' else ''}matcher.is_completed()"]

    def __str__(self) -> str:
        told = f"{self.output.decode('utf-8', 'backslashreplace')[-TAIL_CHARACTERS:]!r}"
        if self.is_accepted or self.token_id is None:
            lines = [f"{self.kind}: {self.reason}"]
        else:
            name = f"token {self.token_id} {self._facts.text!r}"
            lines = [f"{self.kind} at step {self.step}, byte {self.byte}: {name} ({self.mechanism or self.kind})"]
            lines.append(f"  {self.reason}")
        item = self.expected_by
        if item is not None and "line" in item and "column" in item:
            lines.append(f"  line {item['line']}:{item['column']}: {item.get('line_text', '').strip()}")
        lines.append(f"  {self.step} of {len(self.ids)} tokens were accepted: {told}")
        return "\n".join([*lines, *([f"  hint: {self.hint}"] if self.hint else [])])


def diagnose(
    compiled: CompiledGrammar,
    ids: str | Iterable[int],
    tokenizer_info: TokenizerInfo | None = None,
    *,
    instance: Instance | None = None,
) -> Diagnosis:
    """Take token ids one by one from the beginning of the output, up to the first that the grammar refuses.

    Parameters
    ----------
    compiled : CompiledGrammar
        The grammar, with the options that the server had.
    ids : str or iterable of int
        The ids of the whole output, or a text that contains them.
    tokenizer_info : TokenizerInfo, optional
        The vocabulary, if it is not the one that the grammar was compiled for.
    instance : Instance, optional
        The `xg2lab.lab.session.instances.Instance` that the grammar is, unless the grammar names its own.

    Returns
    -------
    Diagnosis
        `print` shows it with the line of the grammar.

    Raises
    ------
    SessionError
        The text contains no ids.

    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo(["[", "]", "1", "x", "</s>"], stop_token_ids=[4])
    >>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "[" [0-9]+ "]"')
    >>> diagnose(compiled, [0, 2]).kind
    'unfinished'
    """
    import xg2lab

    info = tokenizer_info or compiled.tokenizer_info
    pasted = read_ids(ids)
    spelling, matcher = Spelling(info), xg2lab.GrammarMatcher(compiled)
    taken: list[tuple[int, bytes]] = []
    why: schema.Explanation | None = None
    kind, text, token = "", "", None
    for token in pasted.ids:
        if not 0 <= token < info.vocab_size:
            kind = "outside_vocabulary"
            break
        if matcher.is_terminated() or not matcher.accept_token(token):
            told: schema.Explanation = plain(matcher.explain(token_id=token))
            why, kind, text = told, _KIND_OF.get(told["mechanism"], "blocked"), spelling.text(token)
            break
        taken.append((token, spelling.data(token, is_crossed=True)))
    else:
        token = None
        kind = "nothing" if not pasted.ids else _how_far(matcher)
    begin = sum(len(data) for _, data in taken)
    made = Made(compiled, instance=instance or Instance.from_compiled(compiled))
    facts: schema.Header = {**header("pasted ids", vocab_size=info.vocab_size), **header_facts(made, info, None)}
    known = _Facts(facts, plain(compiled.program()), taken, begin, text)
    return Diagnosis(
        kind,
        pasted.ids,
        len(taken),
        begin + (0 if why is None else why["died_at"] or 0),
        token,
        why["reason"] if why else _reason(kind, matcher, token, info.vocab_size, len(taken)),
        _hint(kind, len(pasted.ids), len(taken), pasted.source),
        pasted.source,
        b"".join(data for _, data in taken),
        why,
        known,
    )


def _how_far(matcher: GrammarMatcher) -> str:
    return "ended" if matcher.is_terminated() else "complete" if matcher.is_completed() else "unfinished"


def _reason(kind: str, matcher: GrammarMatcher, token: int | None, vocab_size: int, n_taken: int) -> str:
    if kind == "outside_vocabulary":
        return f"The vocabulary has {vocab_size} tokens, 0 to {vocab_size - 1}: there is no token {token}."
    if kind == "nothing":
        return "There are no ids to take."
    if kind == "ended":
        return f"All {n_taken} tokens are accepted, and the output ends with the last."
    if kind == "complete":
        return f"All {n_taken} tokens are accepted, and the output is a whole sentence."
    expected = matcher.explain(data=b"").get("expected_text")
    return f"All {n_taken} tokens are accepted, and the output must go on" + (f" with {expected}." if expected else ".")


def _hint(kind: str, n_ids: int, n_taken: int, source: str) -> str:
    """Suggest the next thing to look at."""
    if kind in _ACCEPTED:
        return "the grammar allows these tokens: compare grammar, options and tokenizer with the server's"
    if kind == "outside_vocabulary":
        return "is this the tokenizer of the model that was served?"
    if n_taken or kind == "nothing":
        return ""
    if kind == "special_token":
        return "the first id is a special token: give the ids of the output alone, without the prompt's"
    if n_ids == 1 or source == "ids after the word token":
        return "a log line names the token it failed at: give the ids of the whole output, from its beginning"
    return "the first id is refused: do the ids begin where the output begins, without the prompt's?"
