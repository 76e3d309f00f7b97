"""One code that a diagnostic can have, and how its example gives it.

>>> Code("duplicate_rule", "error", "A rule is defined twice.", 'root ::= a   a ::= "1"   a ::= "2"').provoked()
{'duplicate_rule'}

See also: `xg2lab.lints.catalogue`, which has all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from xg2lab.errors import Diagnostic, Xg2LabError
from xg2lab.options import EngineOptions

__all__ = ["Code", "How", "Severity", "errors"]

How = Literal[
    "lint",
    "regex",
    "compile",
    "operators",
    "lark",
    "json_schema",
    "structural_tag",
    "compile_tag",
    "template",
    "spelled_template",
    "schema_template",
]
Severity = Literal["error", "warning", "hint"]
FORMATS = ("structural_tag", "compile_tag")  # their examples are what stands in "format"


@dataclass(frozen=True)
class Code:
    """One code.

    `how` says what the example is given to: `lint` (EBNF), a reader (`regex`, `lark`, `json_schema`,
    `structural_tag`), a compiler (`compile`: EBNF; `compile_tag`) with a vocabulary of the tokens a, b, one without
    bytes, a stop token and one of padding, `CompiledGrammar.operators` (`operators`: EBNF), or `Template.write_out`
    (`template`: EBNF; `spelled_template`: with an encoder that returns no ids; `schema_template`). `options` go to it.
    `shown` stands for an example too long to print.
    """

    code: str
    severity: Severity
    explanation: str
    example: str
    how: How = "lint"
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    shown: str = ""

    def provoked(self) -> set[str]:
        """The codes that the example gives."""
        return {finding.code for finding in self.findings()}

    def remedy(self) -> str:
        """The hint that the example's finding has."""
        return next((finding.hint for finding in self.findings() if finding.code == self.code), "")

    def findings(self) -> list[Diagnostic]:
        """Return all findings in the example."""
        from xg2lab.lints import lint

        if self.how in ("compile", "operators", "compile_tag", "template", "spelled_template", "schema_template"):
            try:
                return self._written_out() if self.how.endswith("template") else self._compiled()
            except Xg2LabError as error:
                return error.diagnostics
        text = f'{{"format": {self.example}}}' if self.how in FORMATS else self.example
        kind = "ebnf" if self.how == "lint" else self.how
        return lint(text, kind=kind, **self.options)

    def _written_out(self) -> list[Diagnostic]:
        from xg2lab.template import Template

        if self.how == "spelled_template":
            template = Template.from_ebnf(self.example, spelling="tokens", encode=lambda _: [])
        else:
            template = (Template.from_ebnf if self.how == "template" else Template.from_json_schema)(self.example)
        return template.write_out(**self.options).diagnostics

    def _compiled(self) -> list[Diagnostic]:
        from xg2lab.compiler import GrammarCompiler
        from xg2lab.tokenizer_info import TokenizerInfo

        info = TokenizerInfo([b"a", b"b", b"", b"</s>"], vocab_size=5, stop_token_ids=[3])
        options = EngineOptions() if self.how == "operators" else EngineOptions(**self.options)
        compiler = GrammarCompiler(info, options=options, cache_enabled=False)
        if self.how == "compile":
            compiled = compiler.compile_grammar(self.example)
        elif self.how == "operators":
            compiled = compiler.compile_grammar(self.example)
            compiled.operators(**self.options)
        else:
            compiled = compiler.compile_structural_tag(f'{{"format": {self.example}}}')
        return compiled.grammar.diagnostics


def errors(rows: Iterable[tuple[str, str, str]], how: How = "lint") -> list[Code]:
    """Codes of errors, from what they mean and their examples."""
    return [Code(code, "error", explanation, example, how) for code, explanation, example in rows]
