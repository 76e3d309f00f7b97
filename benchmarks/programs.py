"""Programs in Python, JavaScript, Java and SQL: grammars that are not JSON, over programs that people wrote.

    python -m benchmarks programs

    python, javascript   what their lexers and brackets ask for: strings, comments, parentheses that match; grammars of
                         ours, for every engine
    java, sql            Lark grammars of the data folder (`$XG2LAB_DATA`/grammars), read by those who read Lark

An engine is timed on the programs that all engines of the run take with this grammar; `n_taken` says how many of the
`n_asked` it takes itself.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Callable
from typing import Any

from benchmarks import record, steps
from benchmarks.engines import LlGuidance, XGrammar, engines
from benchmarks.texts import DATA, Source, Vocabulary, tokens_of, vocabulary

SAME = ("grammar",)  # columns in which rows must agree to be compared (benchmarks/ahead.py)
N_PROGRAMS = 60
TEXTS = {"sql": "spider_dev_sql_dev.jsonl.xz"}

BRACKETS = r"""
root ::= part*
part ::= plain | string | comment | "(" part* ")" | "[" part* "]" | "{" part* "}"
"""
BRACKETS_LARK = r"""
start: part*
part: PLAIN | SLASH | STRING | COMMENT | "(" part* ")" | "[" part* "]" | "{" part* "}"
"""
PYTHON = Source(
    BRACKETS
    + r"""
plain ::= [^"'#(){}\[\]]
comment ::= "#" [^\n]* "\n"
string ::= "\"" ([^"\\\n] | "\\" any)* "\"" | "'" ([^'\\\n] | "\\" any)* "'" | long_string
long_string ::= "\"\"\"" long "\"\"\"" | "'''" lines "'''"
long ::= ("\""? "\""? ([^"\\] | "\\" any))*
lines ::= ("'"? "'"? ([^'\\] | "\\" any))*
any ::= [^\n] | "\n"
""",
    BRACKETS_LARK.replace("SLASH", "LONG")
    + r"""
PLAIN: /[^"'#(){}\[\]]+/
COMMENT: /#[^\n]*\n/
STRING: /"([^"\\\n]|\\[\s\S])*"|'([^'\\\n]|\\[\s\S])*'/
LONG: /\"\"\"("?"?([^"\\]|\\[\s\S]))*\"\"\"|'''('?'?([^'\\]|\\[\s\S]))*'''/
""",
)
JAVASCRIPT = Source(
    BRACKETS
    + r"""
plain ::= [^"'`(){}\[\]]
comment ::= "//" [^\n]* "\n" | "/*" ([^*] | "*"+ [^*/])* "*"+ "/"
string ::= "\"" ([^"\\\n] | "\\" any)* "\"" | "'" ([^'\\\n] | "\\" any)* "'" | "`" ([^`\\] | "\\" any)* "`"
any ::= [^\n] | "\n"
""",
    BRACKETS_LARK
    + r"""
PLAIN: /[^"'`(){}\[\]\/]+/
SLASH: "/"
COMMENT: /\/\/[^\n]*\n|\/\*([^*]|\*+[^*\/])*\*+\//
STRING: /"([^"\\\n]|\\[\s\S])*"|'([^'\\\n]|\\[\s\S])*'|`([^`\\]|\\[\s\S])*`/
""",
)
OURS = {"python": PYTHON, "javascript": JAVASCRIPT}


def programs(language: str) -> list[str]:
    """The first programs of a language in the data folder."""
    path = DATA / "program-texts" / TEXTS.get(language, "code_dev.jsonl.xz")
    if not path.exists():
        raise SystemExit(f"programs needs {path}; set XG2LAB_DATA to the data folder")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [row["text"] for row in map(json.loads, lines) if row["lang"] == language][:N_PROGRAMS]


def lark_of(language: str) -> str:
    """The data folder's Lark grammar of a language."""
    return (DATA / "grammars" / "lark-syncode" / f"{language}.lark").read_text(encoding="utf-8")


def compiler_of(engine: Any, language: str) -> Callable[[], None] | None:
    """What compiles a language's grammar into the engine; None if it reads no such grammar."""
    if language in OURS:
        return lambda: engine.compile(OURS[language])
    if isinstance(engine, XGrammar):
        return None
    text = lark_of(language)
    if isinstance(engine, LlGuidance):
        plain = re.sub(r"^(\??\w+)\.0:", r"\1:", text, flags=re.MULTILINE)  # a priority of 0 is that of all others
        return lambda: engine.compile_text(engine.llguidance.LLMatcher.grammar_from_lark(plain))

    def compile_ours() -> None:
        engine.compiled = engine.compiler.compile_lark(text)

    return compile_ours


def run() -> list[record.Figures]:
    words = vocabulary()
    return [row for language in ("python", "javascript", "java", "sql") for row in measure(words, language)]


def measure(words: Vocabulary, language: str) -> list[record.Figures]:
    """The rows of one language."""
    texts = [tokens_of(words, text) for text in programs(language)]
    taken: dict[str, list[bool]] = {}
    ready: list[tuple[Any, Callable[[], None]]] = []
    for engine in engines(words):
        compile_it = compiler_of(engine, language)
        if compile_it is None:
            print(f"left out: {engine.name} on {language}: it reads no Lark")
            continue
        try:
            compile_it()
        except (ValueError, RuntimeError) as error:
            print(f"left out: {engine.name} on {language}: {str(error).splitlines()[0][:100]}")
            continue
        taken[engine.name] = [steps.takes(engine, tokens) for tokens, _ in texts]
        ready.append((engine, compile_it))
    chosen = [i for i in range(len(texts)) if all(row[i] for row in taken.values())]
    labels = {"grammar": language, "vocabulary": words.name, "n_asked": len(texts)}
    return [
        {
            "engine": engine.name,
            **labels,
            "n_taken": sum(taken[engine.name]),
            **steps.measure(engine, compile_it, [texts[i] for i in chosen]),
        }
        for engine, compile_it in ready
    ]
