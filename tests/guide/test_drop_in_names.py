"""Every public name of XGrammar is here, with its parameters; what differs on purpose is a table with reasons."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.compat.names import DEFAULTS, DIFFERENT, MISSING
from xg2lab.compat.names import names as names_of_xgrammar
from xg2lab.sources.json_schema import grammar_from_json_schema

NAMES = names_of_xgrammar()
STUB = Path(xgr.__file__).parent / "_core.pyi"


def rows() -> Iterator[tuple[str, str]]:
    for module, names in NAMES.items():
        for name, what in names.items():
            full = f"{module}.{name}" if module else name
            if full not in MISSING:
                yield full, what


def found(full: str) -> Any:
    """The thing of ours by that name: the longest beginning that is a module, then attributes."""
    parts = full.split(".")
    for n in range(len(parts) - 1, -1, -1):
        try:
            thing = importlib.import_module(".".join(["xg2lab", *parts[:n]]))
        except ModuleNotFoundError:
            continue
        for part in parts[n:]:
            thing = getattr(thing, part)
        return thing
    raise AssertionError(full)


Parameters = dict[str, tuple[str, str | None]]  # name: how it is passed, the default as source


def parameters_of_source(source: str) -> Parameters:
    function = ast.parse(f"def f{source}: ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    return parameters_of_tree(function.args)


def parameters_of_tree(arguments: ast.arguments) -> Parameters:
    made: Parameters = {}
    named = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(named) - len(arguments.defaults)) + [ast.unparse(value) for value in arguments.defaults]
    made |= {argument.arg: ("by place", default) for argument, default in zip(named, defaults, strict=True)}
    if arguments.vararg is not None:
        made["*"] = ("all", None)
    for argument, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        made[argument.arg] = ("by name", None if value is None else ast.unparse(value))
    if arguments.kwarg is not None:
        made["**kwargs"] = ("all", None)
    made.pop("self", None)
    return made


@cache
def stub() -> dict[str, Parameters]:
    """The parameters of the engine's methods, which Python can't inspect."""
    made: dict[str, Parameters] = {}
    for node in ast.parse(STUB.read_text()).body:
        for member in getattr(node, "body", []):
            if isinstance(node, ast.ClassDef) and isinstance(member, ast.FunctionDef):
                made[f"{node.name}.{member.name}"] = parameters_of_tree(member.args)
    return made


def parameters_of_ours(full: str) -> Parameters:
    owner, _, name = full.rpartition(".")
    thing = found(full)
    if inspect.isfunction(thing) or inspect.ismethod(thing):
        signature = inspect.signature(thing)
        made: Parameters = {}
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD and "SchemaOptions" in str(parameter.annotation):
                made |= {k: v for k, v in schema_options().items() if k not in made}
            elif parameter.kind is parameter.VAR_KEYWORD:
                made["**kwargs"] = ("all", None)
            elif parameter.kind is parameter.VAR_POSITIONAL:
                made["*"] = ("all", None)
            else:
                default = None if parameter.default is parameter.empty else default_text(parameter.default)
                made[parameter.name] = ("by name" if parameter.kind is parameter.KEYWORD_ONLY else "by place", default)
        made.pop("self", None)
        return made
    made = dict(stub()[f"{owner.rpartition('.')[2]}.{name}"])
    if full == "grammar.Grammar.from_json_schema":
        made = {"schema": made["schema"], **schema_options()}
    return made


def schema_options() -> Parameters:
    parameters = inspect.signature(grammar_from_json_schema).parameters.values()
    return {p.name: ("by name", default_text(p.default)) for p in parameters if p.kind is p.KEYWORD_ONLY}


def default_text(value: Any) -> str:
    return f"VocabType.{value.name}" if isinstance(value, xgr.VocabType) else repr(value)


@cache
def instances() -> dict[str, Any]:
    info = xgr.TokenizerInfo([b"a", b"</s>"])
    compiler = xgr.GrammarCompiler(info)
    compiled = compiler.compile_grammar('root ::= "a"')
    made = [info, compiler, compiled, xgr.GrammarMatcher(compiled)]
    return {type(thing).__name__: thing for thing in made}


@pytest.mark.parametrize(("full", "what"), [*rows()], ids=[full for full, _ in rows()])
def test_the_name_is_here(full: str, what: str):
    if what.startswith("field"):
        model, _, field = full.rpartition(".")
        fields = found(model).model_fields
        assert fields[field].is_required() == ("required" in what)
        assert fields[field].alias == ("schema" if "alias" in what else None)
        return
    if what == "property":
        owner, _, name = full.rpartition(".")
        assert not callable(getattr(instances()[owner.rpartition(".")[2]], name))
        return
    thing = found(full)
    if not what.startswith("("):
        assert thing is not None
        return
    theirs, ours = parameters_of_source(what), parameters_of_ours(full)
    for name, (how, default) in theirs.items():
        if name in DIFFERENT:
            continue
        assert name in ours, f"{full} has no parameter {name}"
        assert ours[name][0] in (how, "by place"), f"{full}: {name} is passed {ours[name][0]}"
        if default is None:  # they ask for it
            continue
        wanted = DEFAULTS.get((name, default), (default, ""))[0] if "schema" in theirs else default
        assert ours[name][1] == wanted, f"{full}: {name} is {ours[name][1]} by default, theirs {default}"
    places = [name for name, (how, _) in theirs.items() if how == "by place"]
    assert [name for name, (how, _) in ours.items() if how == "by place"][: len(places)] == places
    extra = {name: default for name, (_, default) in ours.items() if name not in theirs and name[0] != "*"}
    assert None not in extra.values(), f"{full}: a caller of theirs doesn't give {extra}"


def test_the_tables_of_exceptions_are_no_longer_than_needed():
    for full in MISSING:
        with pytest.raises((AttributeError, AssertionError)):
            found(full)
        module = max((name for name in NAMES if full.startswith(name + ".")), key=len)
        assert full.removeprefix(module + ".") in NAMES[module]
    for (name, theirs), (ours, _) in DEFAULTS.items():
        assert schema_options()[name][1] == ours != theirs
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        found("builtin_structural_tag.get_llama_structural_tag")(unknown=1)


def test_a_plain_import_reaches_the_modules():
    """`xgr.testing` and the like without an import of their own, and nothing heavy before they are asked for."""
    program = (
        "import sys\n"
        "import xg2lab as xgr\n"
        "assert not {'pydantic', 'torch', 'transformers', 'mlx'} & set(sys.modules)\n"
        "assert xgr.testing._is_grammar_accept_string('root ::= [a]', 'a')\n"
        "xgr.exception.InvalidJSONError, xgr.contrib.hf.LogitsProcessor, xgr.hf.LogitsProcessor\n"
        "xgr.contrib.mlxlm.XGrammarLogitsProcessor\n"
        "assert not {'pydantic', 'torch', 'transformers', 'mlx'} & set(sys.modules)\n"
        "assert xgr.structural_tag.StructuralTag is xgr.StructuralTag\n"
        "xgr.get_model_structural_tag('llama')\n"
        "assert 'torch' not in sys.modules\n"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr


def test_a_star_import_has_them_all():
    names: dict[str, Any] = {}
    exec("from xg2lab import *", names)
    assert {*NAMES[""]} <= {*names}
    assert {*NAMES[""]} <= {*dir(xgr)}
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        xgr.nothing  # noqa: B018


def test_the_examples_of_the_page_run():
    page = Path(__file__).parents[2] / "docs" / "drop_in.md"
    found = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert found.attempted > 5
    assert found.failed == 0


# ---- The table of differences: each line that speaks of behaviour ----


def test_differences_in_schemas():
    def accepts(schema: Any, text: str, **options: Any) -> bool:
        return xgr.testing._is_grammar_accept_string(xgr.Grammar.from_json_schema(schema, **options), text)

    unique = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
    with pytest.raises(RuntimeError, match="/uniqueItems"):
        xgr.Grammar.from_json_schema(unique)
    assert accepts(unique, '["a", "a"]', on_unsupported="relax")
    assert not accepts({"type": "integer", "not": {"const": 3}}, "3")
    assert not accepts({"type": "number", "multipleOf": 0.5}, "0.3")
    assert accepts({"type": "string", "pattern": "b"}, '"abc"')
    assert accepts({"type": "string", "maxLength": 3}, '"\\n"')
    assert not accepts({"type": "string", "maxLength": 3}, '"\x01"')
    assert [accepts({"items": {"type": "null"}}, "[" + " " * n + "null]") for n in (64, 65)] == [True, False]


def test_differences_elsewhere():
    info = xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
    compiler = xgr.GrammarCompiler(info)
    matcher = xgr.GrammarMatcher(compiler.compile_grammar('root ::= "a"+'), max_rollback_tokens=1)
    assert all(matcher.accept_token(token) for token in (0, 0, 1))
    assert matcher.find_jump_forward_string() == ""
    with pytest.raises(RuntimeError, match="only 1 steps can be taken back"):
        matcher.rollback(2)
    assert xgr.TokenizerInfo(["a", "<|end_of_text|>"]).stop_token_ids == [1]
    with pytest.raises(RuntimeError, match="never matches"):
        compiler.compile_grammar("root ::= root")
    with pytest.raises(RuntimeError, match="/format/exclude"):
        xgr.StructuralTag.from_json({"format": {"type": "any_text", "exclude": ["a"]}})
    with pytest.raises(RuntimeError, match="force_reasoning"):
        xgr.get_model_structural_tag("llama", force_reasoning=True)
    with pytest.raises(ValueError, match="has a root already"):
        compiler.compile_grammar(xgr.Grammar.from_ebnf('x ::= "a"', root_rule_name="x"), root_rule_name="x")
    with pytest.raises(RuntimeError, match=r"not JSON|format"):
        xgr.CompiledGrammar.deserialize_json('{"grammar": {}}', info)
