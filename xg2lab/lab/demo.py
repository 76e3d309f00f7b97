"""The same prompt, sampled freely and under the grammar, token by token: `python -m xg2lab.lab.demo`.

>>> arguments(["--format", "llama_function", "--seed", "3"]).seed
3

Both runs use the same random numbers, so they differ by the mask alone. Plain text, at most 92 columns, no colour: it
reads the same in a terminal, a log and a mail. Exits 0; 2 if a requested thing does not exist.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Sequence
from functools import partial

from xg2lab.errors import Xg2LabError
from xg2lab.lab.model.runner import Runner
from xg2lab.lab.model.tokenizer import Chat
from xg2lab.lab.session.events import SessionEvent
from xg2lab.lab.session.session import Session
from xg2lab.lab.trace.steps import Step
from xg2lab.lab.trace.table import probability, shown
from xg2lab.tiny import FORMATS, MODEL_NAMES, example_requests, grammar_for, prompt
from xg2lab.tiny.formats import FormatError, read

__all__ = ["arguments", "main"]

# A seed and temperature at which the shipped model, sampled freely, visibly breaks the default
# format.
SEED, TEMPERATURE = 5, 1.6
_HEAD = f"{'#':>4}  {'token':<26}  {'bytes':>9}  {'allowed':>8}  {'Z':>6}  {'mask us':>9}  {'model ms':>8}"


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line, read."""
    parser = argparse.ArgumentParser(prog="python -m xg2lab.lab.demo", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--format", choices=FORMATS, default="qwen", help="how a tool call is written (default: qwen)")
    parser.add_argument("--request", help="what to ask the model (default: an example that fits the format)")
    parser.add_argument("--temperature", type=float, default=TEMPERATURE, help=f"default: {TEMPERATURE}")
    parser.add_argument("--seed", type=int, default=SEED, help=f"default: {SEED}")
    parser.add_argument("--model", default="tiny", help=f"{', '.join(MODEL_NAMES)}, a Hugging Face id, or a folder")
    parser.add_argument("--max-tokens", type=int, default=160, help="the most tokens a run may take (default: 160)")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the demo; the exit status."""
    asked = arguments(argv)
    try:
        show(asked)
    except Xg2LabError as error:
        print(f"xg2lab demo: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    return 0


def show(asked: argparse.Namespace) -> None:
    """Load, run twice, compare."""
    from xg2lab.lab.model.model_runner import ModelRunner

    request = asked.request or example_requests(asked.format)[0]
    runner = ModelRunner.load(asked.model)
    begin = partial(
        Session,
        model=runner,
        prompt=_prompt(runner, asked.model, request, asked.format),
        temperature=asked.temperature,
        seed=asked.seed,
        max_tokens=asked.max_tokens,
    )
    free = begin(grammar_for(asked.format), name="free", constrained=False)
    bound = begin(free.compiled, name="under the grammar")
    head = bound.trace.header
    model = head["model"]
    assert model is not None, "both sessions read with the runner"
    print(f"model      {model['name']}: {model['n_parameters']:,} parameters, {model['dtype']}")
    print(f"           on {model['device']}, vocabulary of {head['vocab_size']:,} tokens")
    n_rules = len(bound.compiled.grammar.rules)
    print(f"grammar    {asked.format}: {n_rules} rules, compiled in {head['compile_us']:,.0f} us")
    print(textwrap.fill(f"request    {request}", 92, subsequent_indent=" " * 11))
    print(f"sampling   temperature {asked.temperature}, seed {asked.seed}, the same random numbers in both runs")
    print("columns    allowed: tokens the grammar allows; Z: their share of the model's probability")
    _run("FREE: the model samples whatever it likes", free)
    _run("UNDER THE GRAMMAR: it chooses among the allowed tokens", bound)
    print("\nTHE SAME PROMPT, TWICE")
    _verdict(free, asked.format)
    _verdict(bound, asked.format)


def _prompt(runner: Runner, model: str, request: str, form: str) -> str:
    if model in MODEL_NAMES:
        return prompt(request, form)
    text = f"{request}\nAnswer with one tool call in the {form} format and nothing else."
    tokenizer = runner.tokenizer
    if not isinstance(tokenizer, Chat) or not tokenizer.chat_template:
        return text + "\n"
    message = [{"role": "user", "content": text}]
    return tokenizer.apply_chat_template(message, tokenize=False, add_generation_prompt=True)


def _run(title: str, session: Session) -> None:
    """Step to the end, a line a token as it comes."""
    print(f"\n{title}\n{_HEAD}")

    def tell(event: SessionEvent) -> None:
        if event["type"] == "step" and event["step"] is not None:
            print(_line(event["step"], session), flush=True)

    stop = session.subscribe(tell)
    session.run()
    stop()


def _line(step: Step, session: Session) -> str:
    allowed = "" if step.n_allowed is None else f"{step.n_allowed:,}"
    mask = "" if step.mask_us is None else f"{step.mask_us:,.1f}"
    model = "" if step.model_ms is None else f"{step.model_ms:,.2f}"
    where = f"{step.byte_begin}+{step.n_bytes}"
    broke = session.trace.broke
    mark = "  <- breaks" if broke is not None and broke["step"] == step.index else ""
    return (
        f"{step.index:>4}  {shown(step.text, 25):<26}  {where:>9}  {allowed:>8}  {probability(step.z):>6}  "
        f"{mask:>9}  {model:>8}{mark}"
    )


def _verdict(session: Session, form: str) -> None:
    """Whether the output is in the grammar, where it left it, and what the format's own reader makes of it."""
    trace, broke = session.trace, session.trace.broke
    print(f"\n{session.name}: {trace.n_decided} tokens, {trace.n_bytes} bytes")
    for line in session.text.splitlines():
        print(textwrap.fill(line, 92, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False))
    if broke is None:
        ended = session.status in ("terminated", "completed")
        print("  in the grammar: yes" if ended else "  in the grammar: so far; cut at --max-tokens")
    else:
        print(f"  in the grammar: no, from byte {broke['byte']} on, in token {broke['step']} {shown(broke['text'])}")
        _wrapped(f"    {broke['reason']}")
        for item in broke["expected_by"][:2]:
            if "line" in item:
                _wrapped(f"    line {item['line']} of the grammar: {item.get('line_text', '').strip()}")
    try:
        _wrapped(f"  the format's reader: {read(form, session.text)}")
    except FormatError as error:
        _wrapped(f"  the format's reader: refuses it: {error}")


def _wrapped(line: str) -> None:
    indent = " " * (len(line) - len(line.lstrip()))
    print(textwrap.fill(line, 92, subsequent_indent=indent + "  ", break_on_hyphens=False))


if __name__ == "__main__":
    sys.exit(main())
