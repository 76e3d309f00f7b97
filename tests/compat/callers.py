"""Programs that import XGrammar, run unchanged on xg2lab: a line of JSON says what each did.

python -m xg2lab.compat --quiet tests/compat/callers.py vllm|outlines
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 4}, "adult": {"type": "boolean"}},
    "required": ["name", "adult"],
    "additionalProperties": False,
}


def vllm() -> dict[str, Any]:
    """vLLM's manager with its own backend."""
    sys.path.append(str(ROOT))  # for the scenarios; xg2lab is the one that is installed
    import vllm.v1.structured_output as module

    from tests.integrations.vllm.scenarios import OF_ANY_BACKEND

    for scenario in OF_ANY_BACKEND:
        scenario()
    own = module.XgrammarBackend
    assert own.__module__ == "vllm.v1.structured_output.backend_xgrammar"
    return {"ran": [scenario.__name__ for scenario in OF_ANY_BACKEND], "version": _version("vllm")}


def outlines() -> dict[str, Any]:
    """A model of transformers under Outlines' generators, with its backend "xgrammar"."""
    import outlines
    from outlines.types import CFG, JsonSchema, Regex
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from xg2lab.tiny import tiny_model_path

    folder = tiny_model_path()
    model = outlines.from_transformers(
        AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    )
    wanted: dict[str, tuple[Any, Any]] = {
        "json": (JsonSchema(json.dumps(PERSON)), lambda text: set(json.loads(text)) == {"name", "adult"}),
        "regex": (Regex(r"\d{3}-\d{2}"), lambda text: re.fullmatch(r"\d{3}-\d{2}", text)),
        "cfg": (CFG('root ::= "yes" | "no"'), lambda text: text in ("yes", "no")),
    }
    texts: dict[str, str] = {}
    for kind, (output_type, fits) in wanted.items():
        generator = outlines.Generator(model, output_type, backend="xgrammar")
        for prompt in ("Ines Duarte is 41 years old.", ["One.", "Two."]):
            if isinstance(prompt, str):
                texts[kind] = generator(prompt, max_new_tokens=200)
            else:
                texts[kind] = generator.batch(prompt, max_new_tokens=200)[-1]
            assert fits(texts[kind]), (kind, texts[kind])
    return {"texts": texts, "version": _version("outlines")}


def _version(name: str) -> str:
    from importlib.metadata import version

    try:
        return version(name)
    except ModuleNotFoundError:
        return version(f"{name}-cpu")


if __name__ == "__main__":
    result = {"vllm": vllm, "outlines": outlines}[sys.argv[1]]()
    import xgrammar

    assert xgrammar.__name__ == "xg2lab"
    theirs = [
        name for name, module in sys.modules.items() if "site-packages/xgrammar" in str(getattr(module, "__file__", ""))
    ]
    assert theirs == [], theirs
    print(json.dumps(result))
