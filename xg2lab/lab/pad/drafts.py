r"""One text of a grammar, read, linted and compiled: everything that an editor shows about it, as values.

>>> draft = make_draft('root ::= digits{5,2}   digit ::= [0-9]')
>>> [(finding.code, fix.title) for finding in draft.findings if (fix := fix_of(finding, draft.text))]
[('undefined_rule', 'use digit'), ('bad_repetition', 'write {2,5}')]
>>> draft.good is None
True
>>> good = make_draft('root ::= "[" digit{2} "]"   digit ::= [0-9]').good
>>> [rule.name for rule in good.rules], good.lowered, good.passes[0].shown
(['root', 'digit'], 'root ::= "[" [0-9]{2} "]"\n', 'inline_fragments: `digit` went into its uses')

IDEA
  A draft never raises: what is wrong with a text is among its findings. What could be compiled is held apart
  (`Good`), because a view goes on showing the last one while the text is wrong.

COST  Reading and linting are linear in the text, compiling is over the 256 single bytes. The search for ambiguous
      texts takes up to `seconds`, so it is made on request only.
THREADS  All functions may be called from any thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, TypedDict

from xg2lab.compiler import GrammarCompiler
from xg2lab.errors import ArgumentError, Diagnostic, Xg2LabError
from xg2lab.grammar import Grammar
from xg2lab.lab.pad.template_drafts import TemplateText, read_template
from xg2lab.language.byte_matcher import byte_vocabulary
from xg2lab.language.examples import Checker
from xg2lab.language.nodes import Nodes
from xg2lab.lints import Findings, lint
from xg2lab.lints.fixes import Fix, fix_of
from xg2lab.lints.keywords import Keyword, keywords_of
from xg2lab.show.railroad import Track, railroad
from xg2lab.sources.json_schema import OnUnsupported
from xg2lab.sources.readers import READERS, Reader
from xg2lab.template import Template

if TYPE_CHECKING:
    from xg2lab.template import Encode
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = [
    "KINDS",
    "AbandonedError",
    "Draft",
    "Fix",
    "Good",
    "Keyword",
    "Pass",
    "RuleFacts",
    "compile_draft",
    "fix_of",
    "make_draft",
    "read_draft",
]

KINDS = ("ebnf", "json_schema", "regex", "structural_tag", "lark")
MOST_TRACKS = 300  # rules with a railroad
MOST_LOWERED = 200_000  # characters of the lowered grammar


@dataclass(frozen=True)
class RuleFacts:
    """One rule. `span` and `name_span` count bytes of the text, where the text is what rules were read from."""

    name: str
    span: tuple[int, int]
    name_span: tuple[int, int]
    body: str
    n_uses: int
    track: Track | None = None


@dataclass(frozen=True)
class Pass:
    """The changes of a pass that prepares a grammar for the engine."""

    name: str
    inlined: tuple[str, ...]
    changed: tuple[str, ...]

    @property
    def shown(self) -> str:
        """In words."""
        gone = f"{_names(self.inlined)} went into {'its' if len(self.inlined) == 1 else 'their'} uses"
        return f"{self.name}: {gone if self.inlined else 'rewrites ' + _names(self.changed)}"


@dataclass(frozen=True)
class Good:
    """A text that is a grammar, compiled over single bytes."""

    text: str
    kind: str
    grammar: Grammar = field(repr=False)
    checker: Checker = field(repr=False)
    rules: tuple[RuleFacts, ...]
    n_states: int
    lowered: str
    passes: tuple[Pass, ...]
    ms: float  # to read and compile it
    template: Template | None = field(default=None, repr=False)  # of which the grammar is an instance
    arguments: dict[str, object] | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Draft:
    """The facts about one text. `keywords` is empty unless it is a JSON Schema or holds one.

    `read` is what became of a template and its arguments. `findings` are then the template's and the instance's.
    """

    text: str
    kind: str
    findings: tuple[Diagnostic, ...]
    keywords: tuple[Keyword, ...] = ()
    good: Good | None = None
    read: TemplateText | None = None

    def shown(self, name: str = "pad", width: int | None = None) -> str:
        """The findings with their lines, as `xg2lab.lint` shows them."""
        issues = () if self.read is None else self.read.issues
        return Findings((*self.findings, *issues), self.text, name).shown(width)

    @property
    def n_said(self) -> int:
        """How many findings there are, of arguments too."""
        return len(self.findings) + (0 if self.read is None else len(self.read.places))

    @property
    def n_errors(self) -> int:
        """How many findings keep it from being a grammar."""
        in_arguments = () if self.read is None else self.read.places
        return sum(finding.severity == "error" for finding in (*self.findings, *in_arguments))


class AbandonedError(Exception):
    """The draft is no longer wanted."""


def make_draft(
    text: str,
    kind: str = "ebnf",
    *,
    on_unsupported: OnUnsupported = "error",
    tokenizer_info: TokenizerInfo | None = None,
) -> Draft:
    """All that is known of a text: `read_draft`, then `compile_draft`."""
    draft = read_draft(text, kind, on_unsupported=on_unsupported)
    return compile_draft(draft, on_unsupported=on_unsupported, tokenizer_info=tokenizer_info)


class ReadOptions(TypedDict, total=False):
    """Options of a reader that a pad has."""

    on_unsupported: OnUnsupported


def read_draft(
    text: str,
    kind: str,
    *,
    on_unsupported: OnUnsupported = "error",
    seconds: float = 0.0,
    arguments: str | None = None,
    encode: Encode | None = None,
) -> Draft:
    """The findings of a text and its keywords; nothing is compiled. `seconds` for the search for ambiguous texts.

    With the text of its `arguments` it is a template (of the kinds "ebnf" and "json_schema"); `encode` is what writes
    its texts if they come in tokens.
    """
    reader = _reader(kind)
    options = _options(reader, on_unsupported)
    if arguments is not None:
        read = read_template(text, arguments, kind, encode=encode, seconds=seconds, **options)
        return Draft(text, kind, read.findings, read=read)
    findings = tuple(lint(text, kind=kind, seconds=seconds, **options))
    return Draft(text, kind, findings, keywords_of(reader, text, on_unsupported))


def compile_draft(
    draft: Draft,
    *,
    on_unsupported: OnUnsupported = "error",
    tokenizer_info: TokenizerInfo | None = None,
    go_on: Callable[[], bool] = lambda: True,
) -> Draft:
    """The draft with its grammar, unless it has errors; those that only compiling finds are added.

    `tokenizer_info` is needed by grammars that name tokens' ids. Between its parts it asks `go_on`, and raises
    `AbandonedError` where it should not.
    """
    if draft.n_errors:
        return draft
    reader = _reader(draft.kind)
    try:
        if draft.read is not None:
            return replace(draft, good=_instance(reader, draft, tokenizer_info, go_on))
        return replace(draft, good=_good(reader, draft.text, _options(reader, on_unsupported), tokenizer_info, go_on))
    except Xg2LabError as error:
        found = error.diagnostics or [Diagnostic("refused", "error", error.message, error.hint)]
        return replace(draft, findings=(*draft.findings, *found))


def _options(reader: Reader, on_unsupported: OnUnsupported) -> ReadOptions:
    return {"on_unsupported": on_unsupported} if "on_unsupported" in reader.options else {}


def _reader(kind: str) -> Reader:
    if kind not in KINDS:
        raise ArgumentError(f"there is no kind of grammar {kind!r}", hint="one of " + ", ".join(KINDS))
    return READERS[kind]


def _good(
    reader: Reader, text: str, options: ReadOptions, tokenizer_info: TokenizerInfo | None, go_on: Callable[[], bool]
) -> Good:
    begun = perf_counter()
    grammar = reader.grammar(text, **options)
    if not go_on():
        raise AbandonedError
    checker = Checker(grammar, tokenizer_info)
    ms = (perf_counter() - begun) * 1000
    if not go_on():
        raise AbandonedError
    return _good_of(reader, text, grammar, checker, _rules(grammar), ms)


def _instance(reader: Reader, draft: Draft, tokenizer_info: TokenizerInfo | None, go_on: Callable[[], bool]) -> Good:
    """The instance of a template, linked: what examples are held against, and what the views show written out."""
    read = draft.read
    if read is None or read.template is None or read.arguments is None:
        raise ArgumentError("this draft holds no template with arguments", hint="read_draft(text, kind, arguments=...)")
    begun = perf_counter()
    ready = GrammarCompiler(tokenizer_info or byte_vocabulary()).compile_template(read.template)
    if not go_on():
        raise AbandonedError
    compiled = ready.instantiate(**read.arguments)
    ms = (perf_counter() - begun) * 1000
    if not go_on():
        raise AbandonedError
    made = _good_of(reader, draft.text, compiled.grammar, Checker(compiled), _rules_of_template(compiled.grammar), ms)
    return replace(made, template=read.template, arguments=read.arguments)


def _good_of(
    reader: Reader, text: str, grammar: Grammar, checker: Checker, rules: tuple[RuleFacts, ...], ms: float
) -> Good:
    after = grammar.passes()
    n_states = len(checker.compiled.program()["states"])
    lowered = str(after[-1][1])
    if len(lowered) > MOST_LOWERED:
        lowered = lowered[:MOST_LOWERED] + "\n# the rest is not shown\n"
    return Good(text, reader.name, grammar, checker, rules, n_states, lowered, _passes(grammar, after), ms)


def _rules(grammar: Grammar) -> tuple[RuleFacts, ...]:
    nodes = Nodes.of(grammar)
    uses = [0] * len(nodes.rules)
    for node in nodes.nodes:
        if node.kind == "rule":
            uses[node.rule] += 1
    bodies = [rule.body for rule in grammar.rules]
    return tuple(
        RuleFacts(
            rule.name,
            rule.span,
            rule.name_span,
            bodies[number] if number < len(bodies) else "",
            uses[number],
            railroad(nodes, number) if number < MOST_TRACKS else None,
        )
        for number, rule in enumerate(nodes.rules)
    )


def _rules_of_template(grammar: Grammar) -> tuple[RuleFacts, ...]:
    """The rules of a written-out template by the names that its text gives them; of copies the first, with all uses."""
    source = grammar.source.encode()
    first: dict[tuple[int, int], RuleFacts] = {}
    for rule in _rules(grammar):
        name = source[slice(*rule.name_span)].decode("utf-8", "replace") or rule.name
        known = first.get(rule.span)
        first[rule.span] = (
            replace(rule, name=name) if known is None else replace(known, n_uses=known.n_uses + rule.n_uses)
        )
    return tuple(first.values())


def _passes(grammar: Grammar, after: list[tuple[str, Grammar]]) -> tuple[Pass, ...]:
    """The passes that changed something."""
    made: list[Pass] = []
    before = {rule.name: rule.body for rule in grammar.rules}
    for name, result in after:
        now = {rule.name: rule.body for rule in result.rules}
        if now != before:
            changed = [rule for rule, body in now.items() if before.get(rule) != body]
            made.append(Pass(name, tuple(rule for rule in before if rule not in now), tuple(changed)))
        before = now
    return tuple(made)


def _names(names: tuple[str, ...]) -> str:
    most = 4
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(f"`{name}`" for name in names[:most]) + more
