"""Calls that nobody should make, of everything that can be called: `python -m tests.hostile FILE --begin 0 --end 99`.

A *plan* is a list of calls, each a function, its arguments and names; the same for the same seed. This program makes
the calls of a plan in order and writes before each which it is into FILE, eight bytes: whoever started it knows
which call ended the process. What a call raises that it should not is printed, a line of JSON each.

tests/core/test_hostile_calls.py runs it as a child with bounds on memory.
"""

from __future__ import annotations

# pyright: reportPrivateUsage=false
import argparse
import collections
import contextlib
import decimal
import fractions
import importlib
import inspect
import io
import itertools
import json
import mmap
import os
import pkgutil
import random
import re
import resource
import signal
import struct
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import xg2lab as xgr
from tests.hostile_values import HOSTILE, OTHERS
from xg2lab import _core
from xg2lab.compiling.pool import shared_parts
from xg2lab.errors import Xg2LabError
from xg2lab.support.arguments import Parameter, options_of, parameters_of

EBNF = 'root ::= "a" r | "b"\nr[capture] ::= [ab]* "<a>"'
TOKENS = [b"a", b"b", b"ab", b"<a>", b"", b"\xc3", b"</s>"]
#: Folders with modules for users, beside those right below xg2lab/.
FOLDERS = ("compiling", "language", "show", "sources", "support", "tool_calls")
#: Of the package: not what needs torch or a browser, and not what only prints or is imported by
#: nobody. Bounds of work, which are as large as whoever passes them says: of those, nothing that
#: is a number.
BOUNDS = {"seconds", "rounds", "most_pairs", "timeout"}
LEFT_OUT = {"xg2lab.__main__", "xg2lab._core", "xg2lab.errors", "xg2lab.support.arguments"}
MOST_MEMORY = 6 << 30  # of addresses, which threads reserve and don't use


# ---- Values that fit ----


class Good:
    """Objects that calls take: those that nothing changes made once, the others anew."""

    def __init__(self) -> None:
        self.info = xgr.TokenizerInfo(TOKENS, stop_token_ids=[6])
        self.compiler = xgr.GrammarCompiler(self.info)
        self.compiled = self.compiler.compile_grammar(EBNF)
        self.grammar = self.compiled.grammar
        self.shared = shared_parts(self.info, xgr.EngineOptions())
        language = _core.RegularLanguage.from_regex("[ab]+")
        constraint = _core.NumberConstraint(min="1", max="9")
        self.by_type: dict[str, Callable[[], Any]] = {
            "Grammar": lambda: self.grammar,
            "RuleInfo": lambda: self.grammar.rules[0],
            "RegularLanguage": lambda: language,
            "NumberConstraint": lambda: constraint,
            "NumberMachine": lambda: constraint.machine(),
            "Vocabulary": lambda: self.info.vocabulary,
            "TokenTrie": lambda: _core.TokenTrie(self.info.vocabulary),
            "TokenNames": lambda: _core.TokenNames(self.info.vocabulary),
            "Bits": _core.Bits,
            "TokenSets": lambda: self.shared.token_sets,
            "MaskPool": lambda: _core.MaskPool(self.shared.token_sets, 1 << 20),
            "EventLog": _core.EventLog,
            "CompiledGrammar": lambda: self.compiled,
            "GrammarMatcher": self.matcher,
            "BatchGrammarMatcher": lambda: xgr.BatchGrammarMatcher(2),
            "TokenizerInfo": lambda: self.info,
            "GrammarCompiler": lambda: xgr.GrammarCompiler(self.info),
            "EngineOptions": xgr.EngineOptions,
            "SupportsInt": lambda: 1,
            "SupportsIndex": lambda: 1,
            "int": lambda: 1,
            "SupportsFloat": lambda: 0.5,
            "float": lambda: 0.5,
            "bool": lambda: True,
            "str": lambda: "a",
            "bytes": lambda: b"ab",
            "dict": dict,
            "list": list,
            "None": lambda: None,
            "Callable": lambda: lambda value: value,
            "ArrayLike": lambda: np.zeros(4, np.uint32),
            "Annotated": lambda: np.zeros(4, np.uint32),
        }
        tag = {"format": {"type": "tag", "begin": "a", "content": {"type": "any_text"}, "end": "b"}}
        self.by_name: dict[str, Callable[[], Any]] = {
            "self": self.matcher,
            "text": lambda: EBNF,
            "compiled_grammar": lambda: self.compiled,
            "options": xgr.EngineOptions,
            "bitmask": lambda: np.zeros((2, 1), np.int32),
            "token_bitmask": lambda: np.zeros((2, 1), np.int32),
            "logits": lambda: np.zeros((2, 7), np.float32),
            "temperatures": lambda: np.zeros(2, np.float32),
            "matchers": lambda: [self.matcher(), self.matcher()],
            "tokens": lambda: [0, 1],
            "strings": lambda: ["a", b"b"],
            "indices": lambda: [1, 0],
            "rows": lambda: [0, 1],
            "grammars": lambda: [self.compiled],
            "retrieve_next_token": lambda: np.array([1, -1]),
            "retrieve_next_sibling": lambda: np.array([-1, -1]),
            "draft_tokens": lambda: np.array([0, 1]),
            "tag": lambda: tag,
            "structural_tag": lambda: tag,
            "schema": lambda: {"type": "object", "properties": {"a": {"type": "integer"}}},
            "program": self.compiled._program_tables,
            "masks": list,
            "numbers": lambda: ["1", "2.5"],
            "vocab_type": lambda: 0,
            "rule_name": lambda: "r",
            "tokenizer_info": lambda: self.info,
            "plain": self.grammar._to_plain,
        }

    def add_lab(self) -> None:
        """Those of `xg2lab.lab`: a session without a model, and what is told of it."""
        from xg2lab import lab

        def session() -> Any:
            made = lab.Session(self.compiled, max_tokens=20)
            made.force(0)
            return made

        other = 'root ::= "a" | "b" "a"'
        self.by_type |= {
            "Session": session,
            "Trace": lambda: session().trace,
            "Step": lambda: session().trace.steps[0],
            "Diagnosis": lambda: lab.diagnose(self.compiled, [0, 1]),
            "AuditReport": lambda: lab.audit(session(), seconds=0.01),
            "CompareReport": lambda: lab.compare(session(), grammar=other, rounds=2, seconds=0.01),
            "Lockstep": lambda: lab.Lockstep([session(), session()]),
            "Shortest": lambda: lab.shortest_disagreement(EBNF, other, seconds=0.01),
        }
        self.by_name |= {
            "session": session,
            "sessions": lambda: [session(), session()],
            "compiled": lambda: self.compiled,
            "grammar": lambda: other,
            "a": lambda: EBNF,
            "b": lambda: other,
            "other": session,
            "trace": lambda: session().trace,
            "model": lambda: None,
            "tokenizer": lambda: None,
            "value": lambda: session().trace.to_wire(),
            "path": lambda: Path("trace.json"),
            "ids": lambda: [0, 1],
            "token": lambda: 1,
            "seconds": lambda: 0.01,
            "rounds": lambda: 2,
            "most_pairs": lambda: 100,
            "timeout": lambda: 0.01,
            "limits": lambda: None,
            "max_tokens": lambda: 20,
            "header": lambda: session().trace.header,
            "step": lambda: 0,
            "column": lambda: 1,
        }

    def matcher(self) -> xgr.GrammarMatcher:
        matcher = xgr.GrammarMatcher(self.compiled)
        matcher.accept_token(0)
        return matcher

    def value(self, parameter: Parameter) -> Any:
        """A value that such a parameter takes, as far as its name and type say."""
        if parameter.name in self.by_name and parameter.name != "self":
            return self.by_name[parameter.name]()
        for option in options_of(parameter.annotation):
            short = re.split(r"[\[(]", option)[0].rpartition(".")[2]
            if short in ("Sequence", "list"):
                return ["1"] if "str" in option else [1]
            if short in self.by_type:
                return self.by_type[short]()
        return 1


# ---- What can be called ----


@dataclass
class Target:
    """Something that can be called: its name, and its parameters."""

    name: str
    function: Callable[..., Any]
    parameters: list[Parameter]
    is_private: bool  #: of the engine: AttributeError is none of its answers


def targets_of_engine(good: Good) -> Iterator[Target]:
    """All functions, classes, methods and properties of `xg2lab._core`."""
    for name, value in sorted(vars(_core).items()):
        if isinstance(value, type):
            yield from targets_of_class(name, value, good)
        elif callable(value):
            yield Target(name, value, signature_of(value), True)


def targets_of_class(name: str, type_: type, good: Good) -> Iterator[Target]:
    itself = Parameter("self", f"xg2lab._core.{name}")
    for key, member in sorted(vars(type_).items()):
        if isinstance(member, property):
            if name == "Bits":  # of which there are no objects
                continue
            yield Target(f"{name}.{key}", member.fget or len, [itself], True)
            yield Target(f"{name}.{key} =", lambda it, v, key=key: setattr(it, key, v), [itself, Parameter("v")], False)
        elif key == "__init__":
            yield Target(name, type_, signature_of(member)[1:], True)
            yield Target(f"{name}.__init__", member, signature_of(member), True)
        elif isinstance(member, staticmethod) or callable(member):
            function = getattr(type_, key)
            if key not in ("__new__", "__class_getitem__", "_pybind11_conduit_v1_") and inspect.isroutine(function):
                yield Target(f"{name}.{key}", function, signature_of(function) or [itself], True)


def signature_of(function: Any) -> list[Parameter]:
    """As pybind11 writes it into the docstring."""
    line = (function.__doc__ or "").partition("\n")[0]
    return (parameters_of(line[line.index("(") :]) or []) if "(" in line else []


def targets_of_package() -> Iterator[Target]:
    """All that `__all__` of the package and of its light modules names, and public methods of its classes."""
    packages = [xgr, *(importlib.import_module(f"xg2lab.{folder}") for folder in FOLDERS)]
    modules = [one for each in packages for one in pkgutil.iter_modules(each.__path__, f"{each.__name__}.")]
    names = [one.name for one in modules if not one.ispkg]
    seen: set[int] = set()
    for module_name in ["xg2lab", *sorted(set(names) - LEFT_OUT)]:
        module = importlib.import_module(module_name)
        for name in module.__all__ if hasattr(module, "__all__") else []:
            if module_name == "xg2lab" and name in getattr(module, "LATER", {}):
                continue
            value = getattr(module, name)
            if not callable(value) or id(value) in seen or getattr(value, "__module__", "") == "xg2lab._core":
                continue
            seen.add(id(value))
            yield Target(f"{module_name}.{name}", value, python_signature(value), False)
            for key in sorted(vars(value)) if isinstance(value, type) else []:
                if not key.startswith("_") and callable(getattr(value, key)):
                    function = getattr(value, key)
                    parameters = python_signature(function)
                    if parameters and parameters[0].name == "self":
                        parameters[0] = Parameter("self", f"xg2lab.{name}", kind="made")
                    yield Target(f"{module_name}.{name}.{key}", function, parameters, False)


def targets_of_lab() -> Iterator[Target]:
    """All that `xg2lab.lab` names, but for models; of its classes public methods and properties, inherited ones too."""
    from xg2lab import lab

    for name in sorted(set(lab.__all__) - {"ModelRunner"}):
        value = getattr(lab, name)
        yield Target(f"xg2lab.lab.{name}", value, python_signature(value), False)
        for key in dir(value) if isinstance(value, type) else []:
            member = inspect.getattr_static(value, key)
            itself = Parameter("self", f"xg2lab.lab.{name}", kind="made")
            if key.startswith("_"):
                continue
            if isinstance(member, property):
                yield Target(f"xg2lab.lab.{name}.{key}", member.fget or len, [itself], False)
                continue
            function: Any = getattr(value, key)
            if callable(function):
                parameters = python_signature(function)
                if parameters and parameters[0].name == "self":
                    parameters[0] = itself
                yield Target(f"xg2lab.lab.{name}.{key}", function, parameters, False)


def python_signature(function: Any) -> list[Parameter]:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return []
    kinds = {"KEYWORD_ONLY": "*", "VAR_POSITIONAL": "*args", "VAR_KEYWORD": "**kwargs"}
    return [
        Parameter(
            parameter.name,
            "" if parameter.annotation is parameter.empty else str(parameter.annotation),
            None if parameter.default is parameter.empty else "...",
            kinds.get(parameter.kind.name, ""),
        )
        for parameter in signature.parameters.values()
    ]


# ---- The plan ----


@dataclass
class Call:
    """One call: arguments are made when it is made."""

    target: Target
    arguments: list[Callable[[], Any]]
    keywords: dict[str, Callable[[], Any]]


def plan(good: Good, seed: str, part: str, n_random: int, every: int) -> list[Call]:
    """All calls: each argument hostile in turn (each `every`-th of them), then several at random."""
    rng = random.Random(seed)
    if part == "lab":
        good.add_lab()
    parts = {"engine": lambda: targets_of_engine(good), "package": targets_of_package, "lab": targets_of_lab}
    targets = [*parts[part]()]
    calls: list[Call] = []
    for target in targets:
        parameters = [p for p in target.parameters if p.kind in ("", "*", "made")]
        for i, parameter in enumerate(parameters):
            if parameter.kind == "made":  # a method of Python's does with another object what that one does
                continue
            for k, hostile in enumerate(HOSTILE):
                if parameter.name in BOUNDS and is_number(hostile):
                    continue
                if (k + i) % every == rng.randrange(every) or k == HOSTILE.index(OTHERS[0]):
                    calls.append(one_call(target, parameters, {parameter.name: hostile}, good))
        for _ in range(n_random):
            chosen = {
                p.name: rng.choice(HOSTILE)
                for p in parameters
                if rng.random() < 0.5 and p.kind != "made" and p.name not in BOUNDS
            }
            calls.append(one_call(target, parameters, chosen, good))
        first = [made for made in parameters if made.kind == "made"]
        front = [lambda first=first: good.value(first[0])] * len(first)
        if not BOUNDS & {p.name for p in parameters}:
            calls.append(Call(target, front + [rng.choice(HOSTILE) for _ in range(rng.randrange(9))], {}))
        calls.append(Call(target, [], {"\ud800": rng.choice(HOSTILE), "no such name": OTHERS[0]}))
    return calls


def is_number(make_one: Callable[[], Any]) -> bool:
    return isinstance(make_one(), (int, float, np.number, decimal.Decimal, fractions.Fraction))


def one_call(target: Target, parameters: list[Parameter], hostile: dict[str, Callable[[], Any]], good: Good) -> Call:
    def made(parameter: Parameter) -> Callable[[], Any]:
        if parameter.name in hostile:
            return hostile[parameter.name]
        return lambda: good.value(parameter)

    return Call(
        target,
        [made(parameter) for parameter in parameters if parameter.kind != "*"],
        {p.name: made(p) for p in parameters if p.kind == "*" and (p.default is None or p.name in hostile)},
    )


#: What a call may raise. Python's protocols ask for KeyError, IndexError and StopIteration; code
#: in Python may also raise AttributeError, of an object that is asked for something,
#: ArithmeticError, of a Decimal that is no number, and RecursionError, where the text of a list is
#: nested too deep, and OSError, of a file that isn't there.
ALLOWED = (Xg2LabError, TypeError, ValueError, OverflowError, KeyError, IndexError, StopIteration, BufferError)


def wrong(call: Call, error: BaseException) -> str | None:
    """What is wrong with an error; None if it may be."""
    text = ""
    if isinstance(error, ALLOWED):
        with contextlib.suppress(Exception):  # of what it says, which may be a hostile object
            text = str(error)
        is_raw = any(words in text for words in ("nable to cast", "incompatible function arg", "std::", "xg2lab::"))
        return "speaks of C++" if is_raw and call.target.is_private else None
    if isinstance(error, (AttributeError, ArithmeticError, RecursionError, OSError)) and not call.target.is_private:
        return None
    return "is not one of those that a call may raise"


def make(call: Call) -> dict[str, str] | None:
    """Makes a call; what is wrong with what it raised."""
    arguments = [make_one() for make_one in call.arguments]
    keywords = {name: make_one() for name, make_one in call.keywords.items()}
    try:
        result = call.target.function(*arguments, **keywords)
        if isinstance(result, types.GeneratorType):
            collections.deque(itertools.islice(result, 20), maxlen=0)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        what = wrong(call, error)
        if what is None:
            return None
        shown = ascii(error)[:300]
        return {"call": described(call), "error": type(error).__name__, "text": shown, "what": what}
    return None


def described(call: Call) -> str:
    def shown(make_one: Callable[[], Any]) -> str:
        try:
            value = make_one()
            is_made = _core._is_made(value)
            return ascii(value)[:80] if is_made else f"{type(value).__name__}, never made"
        except Exception:  # noqa: BLE001 - a text that can't be had
            return "an object without a text"

    words = [shown(argument) for argument in call.arguments]
    words += [f"{name!a}={shown(argument)}" for name, argument in call.keywords.items()]
    return f"{call.target.name}({', '.join(words)})"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--part", choices=("engine", "package", "lab"), required=True)
    parser.add_argument("--seed", required=True)
    parser.add_argument("--begin", type=int, default=0)
    parser.add_argument("--end", type=int, default=1 << 60)
    parser.add_argument("--random", type=int, default=4)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--describe", action="store_true")
    parser.add_argument("--crash-at", type=int, help="that this call ends the process, as a test of the test")
    arguments = parser.parse_args()
    if _core.counts_bytes():  # a sanitizer's own memory is beyond any limit
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    good = Good()
    calls = plan(good, arguments.seed, arguments.part, arguments.random, arguments.every)
    most_nesting = _core._most_nesting()
    with arguments.file.open("r+b") as file:
        at = mmap.mmap(file.fileno(), 8)
    for i in range(arguments.begin, min(arguments.end, len(calls))):
        if arguments.describe:
            print(described(calls[i]))
            continue
        at[:] = struct.pack("<q", i)
        if i == arguments.crash_at:
            os.kill(os.getpid(), signal.SIGKILL)
        with contextlib.redirect_stdout(io.StringIO()):
            found = make(calls[i])
        _core._set_most_nesting(most_nesting)
        if found is not None:
            print(json.dumps(found), flush=True)
    if not arguments.describe:
        matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(good.info).compile_grammar(EBNF))
        if matcher.allowed_tokens() != [0, 1, 2] and matcher.allowed_tokens() != [0, 1]:
            print(
                json.dumps({"call": "afterwards", "error": "", "text": str(matcher.allowed_tokens()), "what": "masks"})
            )
        at[:] = struct.pack("<q", -1)
        print(json.dumps({"n_calls": len(calls), "n_targets": len({call.target.name for call in calls})}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
