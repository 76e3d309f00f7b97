"""The rows of three backends in vLLM, on MaskBench's dev schemas: where they differ, an instance says who is wrong.

    python -m tools.serving_masks --schemas 200        # in an environment with vLLM; `make serving` runs it there

IDEA
  Each backend of vLLM (ours, XGrammar's, llguidance's) compiles a schema and reads a valid instance, token by token. At
  each token the rows are compared. If one side allows a token that the other forbids, an instance is looked for that
  goes on with it and that the allowing side accepts to its end:

    valid by `jsonschema`      the other side forbids a valid instance
    not valid, or not JSON     the allowing side allows an invalid one

  A valid instance that the forbidding side accepts in another spelling (other tokens, whitespace, escapes, or another
  order of the properties) is a choice of layout and is counted apart. So is what our backend forbids on purpose, and
  allows with another option: undeclared properties, which XGrammar's forbids as well, and numbers such as 2E+0000.
  What has no such instance among those that are tried is counted as unexplained, and what `jsonschema` can't judge as
  undecided, with the reason.

See also: tools/serving.py.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("XG2LAB_DATA", ROOT.parent / "shared" / "data"))
OURS = "xg2lab"
OPEN = "undecided"  # where the judge can't say
MOST_STEPS, MOST_TRIES, MOST_TOKENS, MOST_EXAMPLES = 48, 3, 120, 3
MOST_DETOUR, MOST_ENDS = 6, 16  # tokens of a detour; places of the instance where it may come back

#: What our backend forbids although it is valid, and the options of the engine that allow it.
CHOICES: dict[str, dict[str, Any]] = {
    "a spelling of a number": {"number_form": "any"},
    "undeclared properties": {"strict_mode": False, "number_form": "any"},
}


#: ECMAScript's white space and ends of lines, for a class in Python's `re`; what it reads otherwise outside classes.
LINE_ENDS = r"\n\r\u2028\u2029"
SPACE = rf"\t\v\f {LINE_ENDS}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\ufeff"
OUTSIDE = {r"\S": f"[^{SPACE}]", ".": f"[^{LINE_ENDS}]", "$": r"\Z"}


@dataclass
class Pair:
    """Ours beside another engine: how many rows agree, and the verdicts on those that don't."""

    n_rows: int = 0
    n_equal: int = 0
    verdicts: Counter[str] = field(default_factory=Counter[str])
    examples: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def add(self, verdict: str, example: str) -> None:
        """Count a verdict, and keep the first few examples of it."""
        self.verdicts[verdict] += 1
        kept = self.examples.setdefault(verdict, [])
        if len(kept) < MOST_EXAMPLES and example not in kept:
            kept.append(example)


class Engines:
    """The backends, and texts under their grammars."""

    def __init__(self) -> None:
        from transformers import AutoTokenizer
        from vllm.v1.structured_output.backend_guidance import GuidanceBackend
        from vllm.v1.structured_output.backend_types import StructuredOutputOptions
        from vllm.v1.structured_output.backend_xgrammar import XgrammarBackend

        from tests.integrations.vllm.standin import config
        from xg2lab.integrations.vllm.backend import Xg2labBackend
        from xg2lab.tiny import tiny_model_path

        self.tokenizer = AutoTokenizer.from_pretrained(tiny_model_path())
        self.vocab_size = len(self.tokenizer)
        settings = config(n_drafts=0, max_num_seqs=1, vocab_size=self.vocab_size)
        classes = {OURS: Xg2labBackend, "xgrammar": XgrammarBackend, "llguidance": GuidanceBackend}
        self.backends = {
            name: cls(settings, tokenizer=self.tokenizer, vocab_size=self.vocab_size) for name, cls in classes.items()
        }
        self.info = self.backends[OURS].tokenizer_info
        self.compiler = self.backends[OURS].compiler
        self.json_kind = StructuredOutputOptions.JSON
        self.stop = int(self.tokenizer.eos_token_id)
        self.specials = {*self.info.special_token_ids, *self.info.stop_token_ids}
        self.plain = np.array([token not in self.specials for token in range(self.vocab_size)])

    def grammar(self, name: str, schema: str) -> Any:
        """A new grammar of a backend; None if it refuses the schema."""
        try:
            grammar = self.backends[name].compile_grammar(self.json_kind, schema, stop_token_ids={self.stop})
        except Exception:  # noqa: BLE001 (each library has errors of its own)
            return None
        # llguidance's grammar holds its error, and vLLM logs it.
        return None if name == "llguidance" and grammar.ll_matcher.get_error() else grammar

    def row(self, name: str, grammar: Any) -> np.ndarray:
        """The row of the next token, as booleans; special tokens are left out, and the stop token is the last."""
        from xg2lab.bitmask import bitmask_to_bool_mask

        bitmask = self.backends[name].allocate_token_bitmask(1)
        bitmask.fill_(0)
        grammar.fill_bitmask(bitmask, 0)
        row = bitmask_to_bool_mask(bitmask.numpy(), self.vocab_size)[0]
        return np.append(row & self.plain, row[self.stop])

    def accepts(self, name: str, schema: str, tokens: Sequence[int]) -> bool:
        """Whether an engine accepts a whole text: each token is allowed by its row, and then the end is."""
        grammar = self.grammar(name, schema)
        for token in tokens:
            if not self.row(name, grammar)[token] or not grammar.accept_tokens("", [token]):
                return False
        return bool(self.row(name, grammar)[-1])

    def bytes_of(self, tokens: Sequence[int]) -> bytes:
        """The bytes of tokens."""
        return b"".join(self.info.decoded_vocab[token] for token in tokens)


def instances(n_schemas: int) -> Iterator[tuple[str, Any, Any]]:
    """Schemas of MaskBench spread over the set, each with its first valid instance: id, schema, value."""
    with lzma.open(DATA / "maskbench" / "dev.jsonl.xz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    for row in rows[:: max(1, len(rows) // n_schemas)][:n_schemas]:
        value = next((test["data"] for test in row["tests"] if test["valid"]), None)
        if value is not None:
            yield row["id"], row["schema"], value


def verdict_of(data: bytes, schema: Any) -> tuple[str, Any]:
    """Say "valid", or why not; and return the value as well."""
    from jsonschema import Draft7Validator, Draft202012Validator
    from jsonschema.exceptions import best_match
    from jsonschema.validators import validator_for

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in items}) < len(items):
            raise ValueError("a property occurs twice")
        return dict(items)

    try:
        value = json.loads(data.decode(), object_pairs_hook=pairs)
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}", None
    cls: Any = _with_patterns(validator_for(schema, default=Draft202012Validator))
    try:
        found = best_match(cls(schema, format_checker=cls.FORMAT_CHECKER).iter_errors(value))
    except Exception as error:  # noqa: BLE001 (a schema that the validator can't use)
        return f"unknown: {error}", value
    if found is not None and found.validator == "format" and str(found.instance).startswith("0000-"):
        return "unknown: Python's dates have no year 0, which RFC 3339 has", value
    rules = json.dumps(schema)
    if found is None and re.search(r":60(?!\d)", data.decode()) and re.search(r'"(date-)?time"', rules):
        return "unknown: the validator takes second 60 of any minute", value
    if found is None and '"dependencies"' in rules and not Draft7Validator(schema).is_valid(value):
        return "unknown: valid only because newer drafts have no dependencies", value
    return ("valid" if found is None else f"invalid: {found.message}"[:90]), value


def _with_patterns(cls: Any) -> Any:
    """A validator's class with patterns as ECMAScript reads them: its white space, its `.` and `$`, ASCII classes."""
    from jsonschema import ValidationError
    from jsonschema.validators import extend

    def pattern(_validator: Any, text: str, instance: Any, _schema: Any) -> Iterator[Any]:
        if isinstance(instance, str) and not re.search(as_python(text), instance, re.ASCII):
            yield ValidationError(f"{instance!r} does not match {text!r}")

    return extend(cls, {"pattern": pattern}, format_checker=cls.FORMAT_CHECKER)


def as_python(pattern: str) -> str:
    r"""Return a pattern of ECMAScript for Python's `re` with the flag ASCII.

    >>> as_python(r"^[\s-]+.$") == f"^[{SPACE}-]+[^{LINE_ENDS}]\\Z"
    True
    """
    parts: list[str] = []
    in_class = False
    for piece in re.findall(r"\\.|.", pattern, re.DOTALL):
        if piece == r"\s":
            parts.append(SPACE if in_class else f"[{SPACE}]")
        elif piece == r"\S" and in_class:
            raise ValueError(r"\S within a class has no short form in Python")
        elif piece in OUTSIDE and not in_class:
            parts.append(OUTSIDE[piece])
        else:
            parts.append(piece)
            in_class = piece != "]" and (in_class or piece == "[")
    return "".join(parts)


def continuations(added: bytes, rest: bytes) -> Iterator[bytes]:
    """What may follow a token in place of `rest`, so that a text like the instance ends well."""
    yield from (rest, rest[len(added) :], rest[1:])
    if added.endswith(b"\\"):  # the next character, escaped
        yield b"u%04x" % rest[0] + rest[1:] if rest else b""
    if added[-1:] in (b"e", b"E", b".", b"-", b"+"):  # a number goes on
        yield b"0" + rest


def spellings(value: Any, schema: Any) -> Iterator[str]:
    """The same value written in other usual ways: by layout, by escapes, by the schema's order of properties."""
    # Texts that look like special tokens, and a control character that JSON does not forbid.
    yield json.dumps(value).replace("<", "\\u003c").replace("\x7f", "\\u007f")
    for each in (value, ordered(value, schema)):
        yield json.dumps(each)
        yield json.dumps(each, separators=(",", ":"))
        yield json.dumps(each, ensure_ascii=False)
        yield json.dumps(each, indent=2)


def ordered(value: Any, schema: Any) -> Any:
    """The value with its properties in the schema's order, as far as the schema says it in place."""
    if isinstance(value, list):
        items = schema.get("items") if isinstance(schema, dict) else None
        return [ordered(each, items) for each in value]
    if not isinstance(value, dict):
        return value
    known = schema.get("properties") if isinstance(schema, dict) else None
    known = known if isinstance(known, dict) else {}
    names = [name for name in known if name in value] + [name for name in value if name not in known]
    return {name: ordered(value[name], known.get(name)) for name in names}


@dataclass
class Case:
    """One schema, read up to one token."""

    engines: Engines
    id: str
    schema: Any
    schema_text: str
    tokens: list[int]
    text: bytes

    def explained(self, allowing: str, forbidding: str, prefix: list[int], token: int) -> tuple[str, str] | None:
        """A verdict and its instance, for a token that one side allows after `prefix` and the other forbids."""
        begin, added = self.engines.bytes_of(prefix), self.engines.bytes_of([token])
        rest = self.text[len(begin) :]
        wrong: tuple[str, str] | None = None
        for whole in self._texts(allowing, [*prefix, token], added, rest):
            if whole is None:
                continue
            data = self.engines.bytes_of(whole)
            said, value = verdict_of(data, self.schema)
            shown = f"{data.decode('utf-8', 'backslashreplace')[:100]!r}"
            if said == "valid":
                return self._forbidden(forbidding, data, value), shown
            if wrong is None or wrong[0].startswith(OPEN):
                wrong = wrong if wrong and said.startswith("unknown") else _against(allowing, said, shown)
        return wrong

    def _texts(self, name: str, tokens: list[int], added: bytes, rest: bytes) -> Iterator[list[int] | None]:
        """Texts that begin with `tokens` and that the engine accepts, the likeliest first; None for one that fails."""
        for goes_on in continuations(added, rest):
            whole = [*tokens, *self._encoded(goes_on)]
            yield whole if self.engines.accepts(name, self.schema_text, whole) else None
        yield self._generated(name, tokens)
        yield self._after_a_detour(name, tokens, rest)

    def at_the_end(self, allowing: str, forbidding: str, prefix: list[int]) -> tuple[str, str]:
        """The verdict where one side lets the text end and the other does not."""
        data = self.engines.bytes_of(prefix)
        said, value = verdict_of(data, self.schema)
        shown = f"{data.decode('utf-8', 'backslashreplace')[:100]!r}"
        if said == "valid":
            return self._forbidden(forbidding, data, value), shown
        return _against(allowing, said, shown)

    def _forbidden(self, name: str, data: bytes, value: Any) -> str:
        """What kind of valid instance `name` forbids."""
        if name == OURS and (kind := self._chosen(data)) is not None:
            return f"{name} forbids {kind}"
        for text in spellings(value, self.schema):
            own = self._own(text)
            # Texts that look like special tokens, without those tokens.
            apart = [token for piece in re.split("(<)", text) if piece for token in self._own(piece)]
            for tokens in (own, apart, self._encoded(text.encode())):
                if self.engines.accepts(name, self.schema_text, tokens):
                    return f"{name} forbids a spelling of a valid instance"
        if name != OURS and undeclared(value, self.schema):
            return f"{name} forbids undeclared properties"
        return f"{name} forbids a valid instance"

    def _chosen(self, data: bytes) -> str | None:
        """The choice of our backend that forbids a text: the option without which the engine accepts it."""
        from xg2lab import GrammarMatcher

        for kind, options in CHOICES.items():
            matcher = GrammarMatcher(self.engines.compiler.compile_json_schema(self.schema_text, **options))
            if matcher.accept_string(data) and matcher.is_completed():
                return kind
        return None

    def _own(self, text: str) -> list[int]:
        return self.engines.tokenizer.encode(text, add_special_tokens=False)

    def _encoded(self, data: bytes) -> list[int]:
        return self.engines.info.encode_greedy(data)

    def _begun(self, name: str, tokens: list[int]) -> Any:
        """A grammar of the engine that has read `tokens`; None if it refuses one."""
        grammar = self.engines.grammar(name, self.schema_text)
        return grammar if all(grammar.accept_tokens("", [token]) for token in tokens) else None

    def _generated(self, name: str, tokens: list[int]) -> list[int] | None:
        """A text that begins with `tokens` and that the engine lets end, written by a hurried writer."""
        rng = random.Random(len(tokens))
        closing = [self.engines.info.find(mark)[0] for mark in ('"', "}", "]", "0", "e", "l")]
        for _ in range(MOST_TRIES):
            grammar, whole = self._begun(name, tokens), list(tokens)
            if grammar is None:
                return None
            while len(whole) < len(tokens) + MOST_TOKENS:
                row = self.engines.row(name, grammar)
                if row[-1]:
                    return whole
                allowed = np.flatnonzero(row[:-1]).tolist()
                if not allowed:
                    break
                hurried = [token for token in closing if row[token]]
                token = rng.choice(hurried) if hurried and rng.random() < 0.8 else rng.choice(allowed)
                if not grammar.accept_tokens("", [token]):
                    break
                whole.append(token)
        return None

    def _after_a_detour(self, name: str, tokens: list[int], rest: bytes) -> list[int] | None:
        """A text that begins with `tokens`, goes on at random for a few, and ends as the instance does."""
        ends = [match.start() for match in re.finditer(rb'["}\]:,]', rest)][:MOST_ENDS]
        for attempt in range(MOST_TRIES):
            rng, grammar, whole = random.Random(attempt), self._begun(name, tokens), list(tokens)
            if grammar is None:
                return None
            for _ in range(MOST_DETOUR):
                for end in ends:
                    text = [*whole, *self._encoded(rest[end:])]
                    if self.engines.accepts(name, self.schema_text, text):
                        return text
                allowed = np.flatnonzero(self.engines.row(name, grammar)[:-1]).tolist()
                if not allowed:
                    break
                whole.append(rng.choice(allowed))
                if not grammar.accept_tokens("", [whole[-1]]):
                    break
        return None


def _against(allowing: str, said: str, shown: str) -> tuple[str, str]:
    """The verdict on the side that allows a text which is not valid, or of which the judge says nothing."""
    if said.startswith("unknown: "):
        return f"{OPEN}: {said.removeprefix('unknown: ')}", shown
    return f"{allowing} allows an invalid instance", f"{shown}: {said}"


def undeclared(value: Any, schema: Any) -> bool:
    """Whether the value has a property that the schema, where it says it in place, does not declare."""
    if isinstance(value, list):
        items = schema.get("items") if isinstance(schema, dict) else None
        return any(undeclared(each, items) for each in value)
    if not isinstance(value, dict) or not isinstance(schema, dict):
        return False
    known = schema.get("properties")
    if not isinstance(known, dict):
        return False
    return any(name not in known or undeclared(inner, known[name]) for name, inner in value.items())


def compare(
    engines: Engines, schema_id: str, schema: Any, value: Any, pairs: dict[str, Pair], refused: Counter[str]
) -> None:
    """Read one instance with all engines, and explain each row of theirs that differs from ours."""
    schema_text = json.dumps(schema)
    data = json.dumps(value, ensure_ascii=False).encode()
    tokens = engines.info.encode_greedy(data)
    case = Case(engines, schema_id, schema, schema_text, tokens, data)
    grammars = {name: engines.grammar(name, schema_text) for name in engines.backends}
    for name, grammar in grammars.items():
        refused[name] += grammar is None
    if grammars[OURS] is None:
        return
    alive = {name: grammar for name, grammar in grammars.items() if grammar is not None}
    for step, token in enumerate(tokens[:MOST_STEPS]):
        rows = {name: engines.row(name, grammar) for name, grammar in alive.items()}
        for name, pair in pairs.items():
            if name in rows and OURS in rows:
                _row(case, name, pair, rows, tokens[:step])
        for name in list(alive):
            if not rows[name][token] or not alive[name].accept_tokens("", [token]):
                del alive[name]  # its verdict is among those of this row


def _row(case: Case, name: str, pair: Pair, rows: dict[str, np.ndarray], prefix: list[int]) -> None:
    pair.n_rows += 1
    pair.n_equal += bool((rows[name] == rows[OURS]).all())
    for allowing, forbidding in ((OURS, name), (name, OURS)):
        more = np.flatnonzero(rows[allowing] & ~rows[forbidding]).tolist()
        if not more:
            continue
        found = None
        if more[-1] == len(rows[allowing]) - 1:
            found = case.at_the_end(allowing, forbidding, prefix)
            more.pop()
        for token in random.Random(len(prefix)).sample(more, min(MOST_TRIES, len(more))):
            found = found or case.explained(allowing, forbidding, prefix, token)
        after = case.engines.bytes_of(prefix)[-40:]
        if found is None:
            shown = case.engines.info.token_text(more[0]) if more else "the end"
            found = f"unexplained: {allowing} allows more", f"after {after!r}: {shown!r}"
        pair.add(found[0], f"{case.id}: {found[1]}")


def main(words: Sequence[str] | None = None) -> int:
    """Print the comparison; 1 if an instance shows our backend to allow what is invalid, or to forbid what is valid."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.serving_masks", description="masks of three backends in vLLM"
    )
    parser.add_argument("--schemas", type=int, default=200, help="how many schemas of MaskBench (200)")
    chosen = parser.parse_args(words)
    if not (DATA / "maskbench").is_dir():
        print(f"  masks are not compared: {DATA / 'maskbench'} is not there (set XG2LAB_DATA to the data folder)")
        return 0
    engines = Engines()
    pairs = {name: Pair() for name in engines.backends if name != OURS}
    refused: Counter[str] = Counter()
    n_schemas = 0
    for name, schema, value in instances(chosen.schemas):
        n_schemas += 1
        compare(engines, name, schema, value, pairs, refused)
    told = ", ".join(f"{name} {refused[name]}" for name in engines.backends)
    print(f"  {n_schemas} schemas of MaskBench; refused by {told}")
    for name, pair in pairs.items():
        print(f"  {OURS} beside {name}: {pair.n_rows} rows, {pair.n_equal} equal")
        for verdict, count in pair.verdicts.most_common():
            print(f"    {count:6}  {verdict}")
            for example in pair.examples[verdict]:
                print(f"              {example}")
    ours = [f"{OURS} allows an invalid instance", f"{OURS} forbids a valid instance"]
    n_ours = sum(pair.verdicts[verdict] for pair in pairs.values() for verdict in ours)
    n_open = sum(n for pair in pairs.values() for verdict, n in pair.verdicts.items() if verdict.startswith("unexpl"))
    print(f"  rows in which our backend is shown to be wrong: {n_ours}; unexplained: {n_open}")
    return 1 if n_ours else 0


if __name__ == "__main__":
    sys.exit(main())
