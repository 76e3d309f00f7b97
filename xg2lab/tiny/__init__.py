"""The tiny model that ships with xg2lab: where it lies, how it is asked, what it may answer.

>>> print(prompt("What is the weather in Oslo?", format="llama_function"))
<|im_start|>system
llama format<|im_end|>
<|im_start|>user
What is the weather in Oslo?<|im_end|>
<|im_start|>assistant
<BLANKLINE>
>>> grammar_for("llama_function").startswith("#")
True

Light on purpose: standard library only. Loading the model is the work of `xg2lab.lab.model.model_runner`; how it was
trained is in `xg2lab.tiny.training`, which nothing here imports.
"""

from __future__ import annotations

from pathlib import Path

from xg2lab.errors import ModelLoadError
from xg2lab.tiny.formats import FORMATS, known
from xg2lab.tiny.grammars import grammar_for

__all__ = ["FORMATS", "MODEL_NAMES", "example_requests", "grammar_for", "prompt", "tiny_model_path"]

#: The two checkpoints that ship: the finished one, and one from early in the same training, which
#: errs far more.
MODEL_NAMES: tuple[str, ...] = ("tiny", "tiny_early")

#: What the system line calls a format, where the model was trained with another name for it.
_SAID = {"llama_function": "llama"}

_CALL_REQUESTS: tuple[str, ...] = (
    "What is the weather in Lisbon in celsius?",
    "Please set a timer for 25 minutes called lentil soup.",
    "Send an email to ines.duarte@harbor.example with the subject Boat repair.",
    "Find flights from Nairobi to Montreal on 2031-05-17.",
    "Add the event Violin lesson on 2029-11-08 at 16:45.",
    "Convert 340 USD to CHF.",
    "How warm is it in Tromso right now?",
    "I need to fly from Bogota to Dublin on 2030-02-26.",
)

_RECORD_REQUESTS: tuple[str, ...] = (
    "Ines Duarte is 41 years old and lives in Lisbon.",
    "The customer ordered 12 copper kettles at 18.50 each.",
    "The meeting Harbor budget is on 2030-09-14 at 08:30.",
)


def tiny_model_path(name: str = "tiny") -> Path:
    """The folder of a shipped checkpoint: `tiny`, or `tiny_early`. Raises `ModelLoadError` for any other name."""
    folder = Path(__file__).parent / name
    if name not in MODEL_NAMES or not (folder / "model.safetensors").is_file():
        raise ModelLoadError(
            f"no model named {name!r} ships with xg2lab",
            hint=f"the names are {', '.join(MODEL_NAMES)}; for another model, pass its folder or Hugging Face id",
        )
    return folder


def prompt(request: str, format: str = "qwen") -> str:
    """The text to feed the tiny model so that it answers `request` in `format` (one of `FORMATS`).

    The model reads two turns: a system line that names the format, then the request. `json` is for sentences to
    extract a record from; the other formats are for requests that one of the tools can serve.
    """
    said = _SAID.get(known(format), format)
    return (
        f"<|im_start|>system\n{said} format<|im_end|>\n<|im_start|>user\n{request}<|im_end|>\n<|im_start|>assistant\n"
    )


def example_requests(format: str = "qwen") -> list[str]:
    """Requests that fit `format`; their names, cities and free words are ones the training text never holds."""
    return list(_RECORD_REQUESTS if known(format) == "json" else _CALL_REQUESTS)
