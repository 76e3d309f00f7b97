"""docs/diagnostics.md is what `xg2lab.lints.catalogue` says; `--write` renews it."""

from __future__ import annotations

import sys
from pathlib import Path

from xg2lab.lints.catalogue import SECTIONS, Code

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "diagnostics.md"
HEAD = """\
# Diagnostics

Every finding has a stable code, a severity, a place in the text, a message and usually a hint. Errors have them as
`error.diagnostics`, grammars as `grammar.diagnostics`; `xg2lab.lint(text)`, `grammar.lint()` and `xg2lab lint FILE`
return them all.

An *error* means that the grammar can't be used, a *warning* that it probably does not mean what its author thinks, a
*hint* that it could be written better. Tests run each example below and compare its code and its hint with the table.
Written by `python -m tools.check_diagnostics --write`.
"""
HOWS = {
    "lint": "",
    "regex": "pattern",
    "compile": "compiled",
    "operators": "compiled.operators()",
    "lark": "",
    "json_schema": "",
    "structural_tag": "format",
    "compile_tag": "format, compiled",
    "template": "template",
    "spelled_template": 'template, spelling="tokens"',
    "schema_template": "schema with slots",
}


def row(code: Code) -> str:
    """Return one code as a list item with its example."""
    options = ", ".join(f"{name}={value!r}" for name, value in code.options.items())
    note = ", ".join(filter(None, [HOWS[code.how], options]))
    example = (code.shown or code.example).encode("utf-8", "backslashreplace").decode()
    marks = "``" if "`" in example else "`"
    shown = f"{marks}{_cell(example)}{marks}" + (f" ({note})" if note else "")
    remedy = _cell(code.remedy()).replace("<", "&lt;")
    return f"| `{code.code}` | {code.severity} | {code.explanation} | {shown} | {remedy} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ⏎ ")


def page() -> str:
    """Return the page."""
    parts = [HEAD]
    for title, codes in SECTIONS.items():
        parts += [
            f"\n## {title}\n",
            "| code | severity | means | example | what it suggests |",
            "|---|---|---|---|---|",
            *map(row, codes),
        ]
    return "\n".join(parts) + "\n"


def main(arguments: list[str]) -> int:
    """Compare, or with --write renew; 1 if the two differ."""
    if "--write" in arguments:
        PAGE.write_text(page(), encoding="utf-8")
        print(f"wrote {PAGE.relative_to(ROOT)}")
        return 0
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page():
        print("docs/diagnostics.md is not as xg2lab/lints/catalogue.py says: python -m tools.check_diagnostics --write")
        return 1
    print("diagnostics: the page is as the table says")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
