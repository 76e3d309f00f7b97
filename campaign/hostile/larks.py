"""Hostile Lark grammars: chains, templates, terminals that compete, what is ignored, and broken texts."""

from __future__ import annotations

from campaign.hostile.inputs import family

__all__: list[str] = []

NAME = "NAME: /[a-z][a-z0-9]*/\n"


@family("lark", 2500, 10_000, 20_000)
def chain(n: int) -> str:
    return "start: r0\n" + "\n".join(f'r{i}: "a" r{i + 1} | "b"' for i in range(n)) + f'\nr{n}: "c"\n'


@family("lark", 100, 1000, 5000, 20_000)
def keywords_and_name(n: int) -> str:
    return "start: (" + " | ".join(f'"kw{i}" NAME' for i in range(n)) + ")*\n" + NAME + '%ignore " "\n'


@family("lark", 100, 1000, 5000)
def terminals_and_name(n: int) -> str:
    lines = "".join(f'K{i}: "key{i}"\n' for i in range(n))
    return "start: (" + " | ".join(f"K{i}" for i in range(n)) + " | NAME)*\n" + lines + NAME + "%ignore /[ \\n]+/\n"


@family("lark", 100, 1000, 3000)
def template_uses(n: int) -> str:
    uses = " | ".join(f't{{"a{i}", r{i % 7}}}' for i in range(n))
    return f"start: {uses}\nt{{x, y}}: x y*\n" + "".join(f'r{i}: "{i}"\n' for i in range(7))


@family("lark", 5, 12, 40)
def templates_that_double(n: int) -> str:
    lines = "".join(f"t{i}{{x}}: t{i + 1}{{x}} t{i + 1}{{(x x)}}\n" for i in range(n))
    return f'start: t0{{"a"}}\n{lines}t{n}{{x}}: x\n'


@family("lark", 5, 30, 300)
def template_that_grows(n: int) -> str:
    return 'start: t{"a"}\nt{x}: x | t{(x "b")}\n' + "".join(f'r{i}: "{i}"\n' for i in range(n))


@family("lark", 100, 1000, 5000)
def separated_lists(n: int) -> str:
    uses = " ".join(f'_sep{{"i{i}", ","}}' for i in range(n))
    return f"start: {uses}\n_sep{{x, s}}: x (s x)*\n"


@family("lark", 4, 20, 100, 400)
def overlapping_terminals(n: int) -> str:
    lines = "".join(f"T{i}: /[a-{chr(98 + i % 24)}]+{i}[a-z]*/\n" for i in range(n))
    return "start: (" + " | ".join(f"T{i}" for i in range(n)) + ")*\n" + lines


@family("lark", 4, 12, 40, 200)
def terminals_from_the_end(n: int) -> str:
    lines = "".join(f"T{i}: /[ab]*a[ab]{{{i}}}/\n" for i in range(n))
    return "start: (" + " | ".join(f'T{i} ","' for i in range(n)) + ")*\n" + lines


@family("lark", 10, 100, 1000)
def terminals_with_priority(n: int) -> str:
    lines = "".join(f"T{i}.{i}: /k{i % 10}[a-z]*/\n" for i in range(n))
    return "start: (" + " | ".join(f"T{i}" for i in range(n)) + ")*\n" + lines


@family("lark", 10, 100, 1000)
def terminals_of_terminals(n: int) -> str:
    lines = "".join(f'T{i}: T{i + 1} "a"? T{i + 1}?\n' for i in range(n))
    return f'start: T0\n{lines}T{n}: "x"\n'


@family("lark", 5, 30, 200)
def terminals_that_double(n: int) -> str:
    lines = "".join(f"T{i}: T{i + 1} T{i + 1}\n" for i in range(n))
    return f'start: T0\n{lines}T{n}: "x"\n'


@family("lark", 5, 12, 30)
def terminals_that_meet(n: int) -> str:
    return "start: T\nT: " + " & ".join(f"/.*a.{{{i}}}b.*/" for i in range(n)) + "\n"


@family("lark", 2, 5, 30)
def terminals_that_are_not(n: int) -> str:
    return "start: T\nT: " + "~(" * n + "/[a-z]*x[a-z]*/" + " | /y[a-z]*/)" * n + "\n"


@family("lark", 10, 100, 1000)
def ignored(n: int) -> str:
    lines = "".join(f"%ignore /c{i}[a-z]* /\n" for i in range(n))
    return 'start: ("a" | NAME | "b")*\n' + NAME + lines


@family("lark", 3, 50, 1000)
def comments_and_operators(n: int) -> str:
    operators = " | ".join(f'"{"<>=!+-*/%"[i % 9] * (1 + i // 9)}"' for i in range(n))
    comment = r"COMMENT: /\/\*(.|\n)*?\*\//" + "\n%ignore COMMENT\n"
    return f"start: NAME (op NAME)*\nop: {operators}\n{NAME}{comment}" + '%ignore " "\n'


@family("lark", 10, 100, 1000)
def lazy_terminals(n: int) -> str:
    return "start: " + " ".join(f"T{i}" for i in range(n)) + "\n" + "".join(f"T{i}: /.*?k{i}/\n" for i in range(n))


@family("lark", 10, 200, 2000)
def expressions(n: int) -> str:
    levels = "".join(f'?e{i}: e{i + 1} | e{i} "o{i}" e{i + 1}\n' for i in range(n))
    return f'start: e0\n{levels}?e{n}: NAME | "(" e0 ")"\n{NAME}%ignore " "\n'


@family("lark", 10, 300, 3000)
def left_recursion(n: int) -> str:
    return "start: l0\n" + "".join(f'l{i}: l{(i + 1) % n} "a" | l{(7 * i + 3) % n} "b" | "c"\n' for i in range(n))


@family("lark", 10, 300, 3000)
def nullable_cycles(n: int) -> str:
    return "start: n0 n0\n" + "".join(f'n{i}: n{(i + 1) % n} n{(i + 2) % n} | | "a"\n' for i in range(n))


@family("lark", 10, 300, 10_000)
def optional_parts(n: int) -> str:
    return "start: " + " ".join(f'["k{i}" NAME]' for i in range(n)) + "\n" + NAME + '%ignore " "\n'


@family("lark", 100, 990, 50_000)
def parentheses(n: int) -> str:
    return "start: " + "(" * n + '"a"' + ")" * n + "\n"


@family("lark", 10, 400)
def nested_loops(n: int) -> str:
    return "start: " + "(" * n + '"a"' + ")+" * n + "\n"


@family("lark", 10, 1000, 100_000)
def bounds(n: int) -> str:
    return 'start: ("a" | NAME){0}\n'.replace("{0}", f"~0..{n}") + NAME


@family("lark", 2, 3, 6)
def nested_bounds(n: int) -> str:
    return "start: " + "(" * n + '"a"' + ")~1..300" * n + "\n"


@family("lark", 10, 100, 1000)
def nested_grammars(n: int) -> str:
    return "start: " + " ".join(f'%lark {{ start: "x{i}" Y\n Y: /[a-z]+/ }}' for i in range(n)) + "\n"


@family("lark", 10, 100, 1000)
def schemas(n: int) -> str:
    parts = (f'%json {{"type": "object", "properties": {{"p{i}": {{"minimum": {i}}}}}}}' for i in range(n))
    return "start: " + " ".join(parts) + "\n"


@family("lark", 1000, 100_000, 500_000)
def substrings(n: int) -> str:
    return 'start: S\nS: %regex {"substring_chars": "' + "abcdefg hij" * (n // 11) + '"}\n'


@family("lark", 1000, 100_000)
def substring_words(n: int) -> str:
    return 'start: S\nS: %regex {"substring_words": "' + " ".join(f"w{i}" for i in range(n // 6)) + '"}\n'


@family("lark", 10, 100, 1000, lexer="dynamic")
def dynamic_terminals(n: int) -> str:
    return (
        "start: (" + " | ".join(f"T{i}" for i in range(n)) + ")*\n" + "".join(f"T{i}: /[a-z]+{i}?/\n" for i in range(n))
    )


@family("lark", 10, 100, 1000, lexer="dynamic_complete")
def complete_terminals(n: int) -> str:
    return (
        "start: (" + " | ".join(f"T{i}" for i in range(n)) + ")*\n" + "".join(f"T{i}: /[a-z]+{i}?/\n" for i in range(n))
    )


@family("lark", 100, 1000, 5000, lexer="basic")
def basic_keywords(n: int) -> str:
    return "start: (" + " | ".join(f'"kw{i}" NAME' for i in range(n)) + ")*\n" + NAME + '%ignore " "\n'


@family("lark", 100, 10_000)
def words(n: int) -> str:
    return "start: W+\nW: " + " | ".join(f'"word{i}"' for i in range(n)) + '\n%ignore " "\n'


@family("lark", 100, 5000)
def words_ignoring_case(n: int) -> str:
    return "start: W+\nW: " + " | ".join(f'"Wörd{i}"i' for i in range(n)) + '\n%ignore " "\n'


@family("lark", 1000, 1_000_000)
def long_literal(n: int) -> str:
    return f'start: "{"x" * n}"\n'


@family("lark", 50, 250, 1000)
def keys_in_text(n: int) -> str:
    return "start: T\nT: /" + ".*".join(f"k{i}" for i in range(n)) + "/\n"


@family("lark", 10, 20, 200)
def letter_from_the_end(n: int) -> str:
    return f"start: T NAME\nT: /[ab]*a[ab]{{{n}}}/\n" + NAME


@family("lark", 100, 20_000)
def unused_terminals(n: int) -> str:
    return 'start: "a"\n' + "".join(f"T{i}: /[a-z]{{{i % 50}}}x/\n" for i in range(n))


@family("lark", 1000, 50_000)
def undefined_names(n: int) -> str:
    return "start: " + " ".join(f"u{i} U{i}" for i in range(n)) + "\n"


@family("lark", 1000, 50_000)
def repeated_definitions(n: int) -> str:
    return "".join(f'start: "{i}"\n' for i in range(n))


@family("lark", 1000, 1_000_000)
def open_parentheses(n: int) -> str:
    return "start: " + "(" * n


@family("lark", 1000, 1_000_000)
def open_pattern(n: int) -> str:
    return "start: /" + "(a|" * (n // 3)


@family("lark", 1000, 500_000)
def imports(n: int) -> str:
    return "%import common.WORD\n" * (n // 20) + "start: WORD\n"


@family("lark", 1000, 1_000_000)
def comment(n: int) -> str:
    return "// " + "\u202e\0" * (n // 4) + '\nstart: "a"\n'


@family("lark", 100, 1000)
def import_web(n: int) -> str:
    lines = "".join(f"%extend A{i % 3}: A{i % 3} /x/\n%override A{i % 3}: /y{i}/\n" for i in range(n))
    return "start: A0\nA0: /a/\nA1: /b/\nA2: /c/\n" + lines
