"""The check of a request before vLLM queues it: what is refused becomes an HTTP 400 that says where and why.

    the JSON Schema of this request is refused at /properties/tags/uniqueItems: no grammar can compare items ...

Imported by `register` alone, since it imports vLLM. Runs in the process of the API server, which has no tokenizer of
ours: the names of tokens in a grammar are looked up later, when the engine process compiles it.

See also: `xg2lab/integrations/requests.py`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from vllm.exceptions import VLLMClientError

from xg2lab.errors import ArgumentError, UnsupportedError, Xg2LabError
from xg2lab.integrations.requests import check_request, grammar_kind, pointer_of, request_grammar

__all__ = ["GrammarRefusedError", "validate_grammar"]

#: The place within a schema at the head of a message, which the pointer of the whole request says better.
_PLACE = re.compile(r"\Aat /\S*: ")
_TITLES: dict[str, str] = {
    "json_schema": "JSON Schema",
    "json_object": "JSON object",
    "regex": "regular expression",
    "choice": "choice",
    "ebnf": "EBNF grammar",
    "lark": "Lark grammar",
    "structural_tag": "structural tag",
}


class GrammarRefusedError(VLLMClientError):  # pyright: ignore[reportUntypedBaseClass]
    """A request whose grammar can't be enforced: vLLM answers it with HTTP 400 and this text.

    It is no `VLLMValidationError`: vLLM's backend "auto" takes one of those as a reason to hand the request to another
    engine, and the check of a structural tag replaces its text by a general one.

    Parameters
    ----------
    message : str
        What is refused, where and why.

    Attributes
    ----------
    pointer : str or None
        The JSON Pointer of the place, in a JSON Schema or a structural tag.

    No example: it needs vLLM.
    """

    def __init__(self, message: str, pointer: str | None = None) -> None:
        super().__init__(message)
        self.pointer = pointer


def validate_grammar(sampling_params: Any) -> None:
    """Refuse a request whose grammar can't be compiled; takes the place of vLLM's `validate_xgrammar_grammar`.

    Parameters
    ----------
    sampling_params : SamplingParams
        The request. Without `structured_outputs` there is nothing to check.

    Raises
    ------
    GrammarRefusedError
        The grammar is refused, or the request has an option that the engine does not have.

    No example: it needs vLLM.
    """
    params = sampling_params.structured_outputs
    if params is None or params.all_constraints_none():
        return
    kind: str | None = None
    try:
        _check_options(params)
        kind, text = _kind_and_text(params)
        check_request(request_grammar(kind, text))
    except Xg2LabError as error:
        pointer = pointer_of(error)
        what = "structured output" if kind is None else _TITLES[kind]
        where = "" if pointer is None else f" at {pointer or 'its root'}"
        said = _PLACE.sub("", str(error), count=1) if pointer else str(error)
        raise GrammarRefusedError(f"the {what} of this request is refused{where}: {said}", pointer) from error


def _kind_and_text(params: Any) -> tuple[str, Any]:
    """The kind and the grammar of a request, as vLLM hands them to the backend later."""
    if params.json is not None:
        return "json_schema", params.json if isinstance(params.json, str) else json.dumps(params.json)
    if params.json_object is not None:
        return "json_object", ""
    if params.regex is not None:
        return "regex", params.regex
    if params.choice is not None:
        return "choice", params.choice if isinstance(params.choice, str) else json.dumps(params.choice)
    if params.grammar is not None:
        return grammar_kind(params.grammar), params.grammar
    return "structural_tag", params.structural_tag


def _check_options(params: Any) -> None:
    """Options of a single request do not reach vLLM's backends: refused, so that none is ignored."""
    if params.whitespace_pattern is not None:
        raise UnsupportedError(
            "structured_outputs.whitespace_pattern has no effect in this server",
            hint="leave it out, and write the layout into the grammar, or ask for JSON without spaces when the server "
            "starts",
        )
    for name in ("disable_any_whitespace", "disable_additional_properties"):
        if getattr(params, name):
            raise ArgumentError(
                f"structured_outputs.{name} has no effect for a single request",
                hint="leave it out: additional properties are forbidden unless the schema allows them, and the option "
                "--structured-outputs-config of the server asks for JSON without spaces",
            )
