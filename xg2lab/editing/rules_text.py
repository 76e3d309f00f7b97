r"""EBNF and Lark in an editor: rules, terminals, macros, options, statements.

>>> text = RulesText('root ::= val   value ::= [0-9]+', "ebnf")
>>> [word.label for word in text.completions(12) if word.kind == "rule"]
['root', 'value']
>>> text.definition(12), text.definition(20)
(None, (15, 20))
>>> [edit.text for edit in text.rename(16, "number")]
['number']

Spans count bytes. Nothing here compiles: `facts` are those of the last text that was a grammar.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from xg2lab.editing.facts import GrammarFacts
from xg2lab.editing.names import Lexeme, Mention, Names, NamesLanguage
from xg2lab.editing.records import Completion, Edit, Fold, Hover, Span, Symbol, WordKind
from xg2lab.editing.snippets import SNIPPETS
from xg2lab.errors import ArgumentError, Xg2LabError
from xg2lab.sources.grammar_words import (
    COMMON_TERMINALS,
    LARK_OPTIONS,
    LARK_STATEMENTS,
    MACROS,
    OPERATORS,
    OPTIONS,
    TEMPLATE_MACROS,
    Option,
)

__all__ = ["RulesText"]

MOST_SHOWN = 400  # characters of a rule in a hover
WORD = re.compile(rb"[A-Za-z0-9_.%$\x80-\xff-]*\Z")
OPEN_COMMENT = {"ebnf": re.compile(rb"#[^\n]*\Z"), "lark": re.compile(rb"(?:#|//)[^\n]*\Z")}
IMPORT = re.compile(rb"%import\s+common\s*(?:\.|\((?:\s*\w+\s*,)*)\s*\w*\Z")
CLOSED = ("literal", "class", "pattern", "unterminated", "braced", "token")  # lexemes in which no name stands


class RulesText:
    """One text of EBNF, with or without slots, or of Lark."""

    def __init__(self, text: str, language: NamesLanguage) -> None:
        self.names = Names.of(text, language)
        self.language: NamesLanguage = language
        self.dialect = "lark" if language == "lark" else "ebnf"

    @property
    def data(self) -> bytes:
        """The text."""
        return self.names.data

    # ---- Completion ----

    def completions(self, offset: int) -> list[Completion]:
        """The words that may stand at a byte."""
        head = self.data[:offset]
        typed = WORD.search(head)
        span = (offset - len(typed[0]) if typed else offset, offset)
        lexeme = self.names.lexeme_at(offset)
        if self._is_in_options(lexeme, offset):
            return self._options(span)
        if self._is_closed(lexeme, offset):
            return []
        if self.dialect == "lark":
            return self._in_lark(span, head)
        return self._in_ebnf(span)

    def _is_closed(self, lexeme: Lexeme | None, offset: int) -> bool:
        """Whether a byte is in a comment, a literal, a class or a pattern."""
        if lexeme is not None and lexeme.kind in CLOSED and lexeme.span[0] < offset:
            return offset < lexeme.span[1] or lexeme.kind == "unterminated"
        begin = 0 if lexeme is None else lexeme.span[1]
        at = self.names.lexeme_index(offset)
        begin = self.names.lexemes[at].span[1] if lexeme is None and at >= 0 else begin
        return bool(OPEN_COMMENT[self.dialect].search(self.data, min(begin, offset), offset))

    def _is_in_options(self, lexeme: Lexeme | None, offset: int) -> bool:
        """Whether a byte is between the brackets of a rule's options."""
        at = self.names.lexeme_index(offset)
        if self.dialect == "lark":
            return self._is_in_lark_options(at)
        if lexeme is None or at < 1 or not lexeme.span[0] < offset:
            return False
        before = self.names.lexemes[at - 1]
        is_bracket = lexeme.kind in ("options", "class", "unterminated") and self.data[lexeme.span[0]] == ord("[")
        is_open = lexeme.kind == "unterminated" or offset < lexeme.span[1]
        begins_line = not self.data[: before.span[0]].rpartition(b"\n")[2].strip()
        is_rule = lexeme.kind == "options" or self._is_definition(before.span) or begins_line
        return is_bracket and is_open and before.kind == "name" and before.span[1] == lexeme.span[0] and is_rule

    def _is_definition(self, span: Span) -> bool:
        return any(rule.name_span == span for rule in self.names.rules)

    def _is_in_lark_options(self, at: int) -> bool:
        """Behind `name[` at the beginning of a line."""
        lexemes = self.names.lexemes
        while at >= 0 and self.names.words(lexemes[at].span) not in ("[", "]", ":"):
            at -= 1
        if at < 1 or self.names.words(lexemes[at].span) != "[" or lexemes[at - 1].kind != "name":
            return False
        line = self.data[: lexemes[at - 1].span[0]].rpartition(b"\n")[2]
        return not line.strip(b" \t?!") and lexemes[at - 1].span[1] == lexemes[at].span[0]

    def _options(self, span: Span) -> list[Completion]:
        known: dict[str, Option] = LARK_OPTIONS if self.dialect == "lark" else OPTIONS

        def word(name: str, option: Option) -> Completion:
            if option.value is None:
                return Completion(name, name, "option", "option of a rule", option.means, span)
            value = option.value.replace("\\", "\\\\").replace("}", "\\}")
            return Completion(
                name, f"{name}=${{1:{value}}}", "option", f"{name}={option.value}", option.means, span, is_snippet=True
            )

        return [word(name, option) for name, option in known.items()]

    def _in_ebnf(self, span: Span) -> list[Completion]:
        index = self.names.lexeme_index(span[0])
        before = self.names.lexemes[index] if index >= 0 else None
        call = self._macro_around(index)
        if call is not None:
            return [*self._macro_keywords(call, span), *self._rules(span), *self._plain("true false", span)]
        found: list[Completion] = []
        if self._begins_line(span):
            found += self._snippets("rule", span)
        if before is not None and not self._awaits_define(index, span):
            found += self._rules(span)
            found += self._macros(span)
            found += self._snippets("body", span)
        if before is not None and span[0] == span[1]:
            found += self._operators(index, span)
        return found

    def _awaits_define(self, index: int, span: Span) -> bool:
        """Whether the name before belongs to a rule that is being begun: `name |`."""
        lexemes = self.names.lexemes
        if lexemes[index].kind not in ("name", "options", "class"):
            return False
        at = index if lexemes[index].kind == "name" else index - 1
        line = self.data[: lexemes[at].span[0]].rpartition(b"\n")[2]
        is_defined = any(lexeme.kind == "define" for lexeme in lexemes[at + 1 : at + 3])
        same_line = b"\n" not in self.data[lexemes[index].span[1] : span[0]]
        return at >= 0 and not line.strip() and same_line and not is_defined and not self._is_in_body(at)

    def _is_in_body(self, at: int) -> bool:
        """Whether the lexeme before awaits an expression, so that a body goes on in a further line."""
        return at > 0 and self.names.lexemes[at - 1].kind in ("bar", "open", "define")

    def _begins_line(self, span: Span) -> bool:
        return not self.data[: span[0]].rpartition(b"\n")[2].strip()

    def _operators(self, index: int, span: Span) -> list[Completion]:
        if self._awaits_define(index, span):
            insert = "::= " if self.data[: span[0]].endswith(b" ") else " ::= "
            return [Completion("::=", insert, "operator", "operator", "Defines the rule.", span, rank=0)]
        follows = self.names.lexemes[index].kind in ("name", "literal", "class", "close", "token", "slot")
        after_one = ("|", "*", "+", "?", "{2,5}")
        return [
            Completion(written, written, "operator", "operator", means, span, rank=2)
            for written, means in OPERATORS.items()
            if follows or written not in after_one
        ]

    def _macro_around(self, index: int) -> str | None:
        """The macro in whose parentheses a lexeme is."""
        depth, lexemes = 0, self.names.lexemes
        while index > 0 and lexemes[index].kind != "define":
            words = self.names.words(lexemes[index].span)
            depth += (words == ")") - words.startswith("(")
            name = self.names.words(lexemes[index - 1].span)
            if depth < 0 and words == "(":
                if lexemes[index - 1].kind == "name" and name in MACROS:
                    return name
                depth = 0  # a tuple, or a group: what is around it?
            index -= 1
        return None

    def _macro_keywords(self, macro: str, span: Span) -> list[Completion]:
        return [
            Completion(
                name, f"{name}=", "option", f"{name}= of {macro}", means[:1].upper() + means[1:] + ".", span, rank=0
            )
            for name, means in MACROS[macro].keywords.items()
        ]

    def _macros(self, span: Span) -> list[Completion]:
        macros = {**MACROS, **TEMPLATE_MACROS} if self.language == "template" else MACROS
        return [
            Completion(
                name, _macro_snippet(macro.call), "macro", macro.call, macro.means, span, is_snippet=True, rank=2
            )
            for name, macro in macros.items()
        ]

    def _rules(self, span: Span) -> list[Completion]:
        return [self._name(rule.name, rule.n_uses, span) for rule in self._first_rules]

    @cached_property
    def _first_rules(self) -> list[_Named]:
        """Each name once; of definitions of one name the first, then imports."""
        found: dict[str, _Named] = {}
        for rule in self.names.rules:
            found.setdefault(rule.name, _Named(rule.name, rule.n_uses))
        for name in self.names.defined:
            if name not in found:
                found[name] = _Named(name, len(self.names.places(name, kinds=("reference",))))
        return list(found.values())

    def _name(self, name: str, n_uses: int, span: Span) -> Completion:
        kind = self._word_kind(name)
        detail = f"{kind}, {n_uses} use{'s' * (n_uses != 1)}"
        return Completion(name, name, kind, detail, self._shown_rule(name), span)

    def _word_kind(self, name: str) -> WordKind:
        is_terminal = self.dialect == "lark" and name.upper() == name
        return "terminal" if is_terminal else "rule"

    def _snippets(self, where: str, span: Span) -> list[Completion]:
        found = [snippet for snippet in SNIPPETS[self.dialect] if snippet.where == where]
        return [
            Completion(one.label, one.text, "snippet", "snippet", one.doc, span, is_snippet=True, rank=3)
            for one in found
        ]

    def _plain(self, words: str, span: Span) -> list[Completion]:
        return [Completion(word, word, "value", "value", "", span) for word in words.split()]

    def _in_lark(self, span: Span, head: bytes) -> list[Completion]:
        if IMPORT.search(head):
            dot = head.rfind(b".", span[0], span[1])
            own = (span[0] if dot < 0 else dot + 1, span[1])
            return [Completion(name, name, "terminal", "terminal of the library", "", own) for name in COMMON_TERMINALS]
        found: list[Completion] = []
        if self._begins_line(span):
            found += [
                Completion(word, f"{word} ", "keyword", "statement", means, span)
                for word, means in LARK_STATEMENTS.items()
                if word not in ("%json", "%regex", "%lark")
            ]
            found += self._snippets("rule", span)
        elif self.names.lexeme_index(span[0]) >= 0:
            found += [*self._rules(span), *self._parameters(span), *self._snippets("body", span)]
        return found

    def _parameters(self, span: Span) -> list[Completion]:
        rule = self.names.rule_before(span[0])
        mine = [m.name for m in self.names.mentions if m.kind == "parameter" and m.scope == rule]
        return [Completion(name, name, "rule", "parameter", "A parameter of this rule.", span, rank=0) for name in mine]

    # ---- Definitions, references, renaming ----

    def definition(self, offset: int) -> Span | None:
        """The place where the name at a byte is defined."""
        found = self._name_at(offset)
        return None if found is None else self.names.definition(found.name, found.scope)

    def references(self, offset: int) -> list[Span]:
        """All places of the name at a byte, its definitions among them."""
        found = self._any_at(offset)
        if found is None:
            return []
        kinds = (found.kind,) if found.kind in ("macro", "slot") else ()
        return self.names.places(found.name, found.scope, kinds)

    def _any_at(self, offset: int) -> Mention | None:
        return self.names.mention_at(offset)

    def _name_at(self, offset: int) -> Mention | None:
        found = self._any_at(offset)
        return found if found is not None and found.kind in ("definition", "reference", "parameter") else None

    def renamable(self, offset: int) -> Span | None:
        """The name at a byte, if it may get another one."""
        found = self._name_at(offset)
        if found is None or (found.scope is None and self.names.is_imported(found.name)):
            return None
        is_known = self.names.definition(found.name, found.scope) is not None
        return found.span if is_known else None

    def rename(self, offset: int, name: str) -> list[Edit]:
        """Give the rule, terminal or parameter at a byte another name. Raises `ArgumentError`."""
        found = self._name_at(offset)
        if found is None or self.renamable(offset) is None:
            why = "it comes from another text" if found is not None and self.names.is_imported(found.name) else ""
            raise ArgumentError("nothing here can be renamed" + (f": {why}" if why else ""), hint="go to a rule's name")
        self._check_name(found, name)
        return [Edit(span, name) for span in self.names.places(found.name, found.scope)]

    def _check_name(self, found: Mention, name: str) -> None:
        lexemes = _lexemes(name, self.language)
        if [lexeme.kind for lexeme in lexemes] != ["name"] or lexemes[0].span != (0, len(name.encode())):
            raise ArgumentError(f"`{name}` is not the name of a rule", hint="names have letters, digits and _")
        if self.dialect == "lark" and self._word_kind(name) != self._word_kind(found.name):
            raise ArgumentError(
                f"`{name}` does not name a {self._word_kind(found.name)}",
                hint="a rule's name has small letters, a terminal's capitals",
            )
        if self.dialect == "ebnf" and name in {**MACROS, **TEMPLATE_MACROS}:
            raise ArgumentError(f"`{name}` is the name of a macro", hint="choose another one")
        taken = name in self.names.defined or any(
            m.name == name for m in self.names.mentions if m.kind in ("reference", "parameter")
        )
        if taken and name != found.name:
            raise ArgumentError(f"there is a `{name}` already", hint="choose another name")

    # ---- Symbols, folding, hover ----

    def symbols(self) -> list[Symbol]:
        """All rules and terminals."""
        return [
            Symbol(
                rule.name,
                "terminal" if self._word_kind(rule.name) == "terminal" else "rule",
                rule.span,
                rule.name_span,
                f"{rule.n_uses} use{'s' * (rule.n_uses != 1)}",
            )
            for rule in self.names.rules
        ]

    def folds(self) -> list[Fold]:
        """Rules of several lines, and comments of several lines."""
        found = [Fold(rule.span) for rule in self.names.rules if b"\n" in self.data[slice(*rule.span)]]
        return found + [Fold(span, "comment") for span in self._comment_blocks()]

    def _comment_blocks(self) -> list[Span]:
        blocks: list[Span] = []
        begin: int | None = None
        at, end = 0, 0
        marks = (b"#", b"//") if self.dialect == "lark" else (b"#",)
        for line in [*self.data.split(b"\n"), b""]:
            if line.lstrip().startswith(marks):
                begin = at if begin is None else begin
                end = at + len(line)
            elif begin is not None:
                if b"\n" in self.data[begin:end]:
                    blocks.append((begin, end))
                begin = None
            at += len(line) + 1
        return blocks

    def hover(self, offset: int, facts: GrammarFacts | None) -> Hover | None:
        """What is known of the word at a byte."""
        found = self._any_at(offset)
        if found is not None and found.kind == "macro":
            return _macro_card(found)
        if found is not None and found.kind == "slot":
            return Hover(found.span, f"`{found.name}`: a slot of the template; an argument fills it.")
        if found is not None and found.scope is not None:
            return Hover(found.span, f"`{found.name}`: a parameter of this rule.")
        if found is not None:
            return Hover(found.span, self._rule_card(found.name, facts))
        return self._word_card(offset)

    def _shown_rule(self, name: str) -> str:
        rule = next((rule for rule in self.names.rules if rule.name == name), None)
        if rule is None:
            return "From another text." if self.names.is_imported(name) else ""
        text = " ".join(self.names.words(rule.span).split())
        return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"

    def _rule_card(self, name: str, facts: GrammarFacts | None) -> str:
        shown = self._shown_rule(name)
        if name not in self.names.defined:
            return f"`{name}` is not defined."
        lines = [f"```{self.dialect}\n{shown}\n```"] if shown else [f"`{name}`"]
        if facts is None:
            return "\n\n".join([*lines, "*The text has never been a grammar, so more is not known.*"])
        if name in facts.written:
            lowered = facts.lowered(name)
            if lowered is None:
                lines.append("**lowered** it went into the rules that use it")
            elif lowered != shown:
                lines.append(f"**lowered**\n```ebnf\n{lowered}\n```")
            for title, words in (("first", facts.first(name)), ("follow", facts.follow(name))):
                if words is not None:
                    lines.append(f"**{title}** `{words}`")
        return "\n\n".join(lines)

    def _word_card(self, offset: int) -> Hover | None:
        """A word beside names: an option, an operator, a statement."""
        lexeme = self.names.lexeme_at(offset)
        if lexeme is None:
            return None
        words = self.names.words(lexeme.span)
        if lexeme.kind == "directive" and words in LARK_STATEMENTS:
            return Hover(lexeme.span, f"`{words}` {LARK_STATEMENTS[words]}")
        if lexeme.kind in ("repeat", "bar"):
            key = "{2,5}" if words.startswith("{") else words
            return Hover(lexeme.span, f"`{words}` {OPERATORS.get(key, '')}") if key in OPERATORS else None
        if lexeme.kind == "options":
            return self._option_card(lexeme, offset)
        return None

    def _option_card(self, lexeme: Lexeme, offset: int) -> Hover | None:
        for word in re.finditer(rb"[a-z_]+", self.data[slice(*lexeme.span)]):
            span = lexeme.span[0] + word.start(), lexeme.span[0] + word.end()
            name = word[0].decode()
            if span[0] <= offset <= span[1] and name in OPTIONS:
                return Hover(span, f"`{name}` {OPTIONS[name].means}")
        return None


@dataclass(frozen=True)
class _Named:
    """A name that may be completed."""

    name: str
    n_uses: int


def _lexemes(name: str, language: NamesLanguage) -> list[Lexeme]:
    try:
        return Names.of(name, language).lexemes
    except (Xg2LabError, ValueError):
        return []


def _macro_snippet(call: str) -> str:
    r"""A call as a snippet: what is in its parentheses is selected.

    >>> _macro_snippet('Regex("[a-z]{2}")')
    'Regex(${1:"[a-z]{2\\}"})$0'
    """
    name, _, rest = call.partition("(")
    inner = rest.removesuffix(")").replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")
    return f"{name}(${{1:{inner}}})$0"


def _macro_card(found: Mention) -> Hover:
    macro = MACROS.get(found.name) or TEMPLATE_MACROS[found.name]
    lines = [f"```ebnf\n{macro.call}\n```", macro.means]
    lines += [f"- `{name}`: {means}" for name, means in macro.keywords.items()]
    return Hover(found.span, "\n\n".join(lines[:2]) + ("\n\n" + "\n".join(lines[2:]) if lines[2:] else ""))
