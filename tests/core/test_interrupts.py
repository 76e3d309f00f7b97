"""Ctrl-C ends a call, whatever the engine is at, as KeyboardInterrupt; and a handler that goes on lets the call go on.

Each call here would take minutes, and runs in a process of its own, where no limit stands in the way.
"""

import os
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent")

WATCHDOG = 300  # seconds: no measure of anything, but that a test ends

SETUP = """
import json, os, signal, sys, threading
import xg2lab as xgr
from xg2lab import _core

NO_LIMITS = dict(max_compile_seconds=1e6, max_mask_seconds=1e6, max_work_bytes=1 << 50, max_fsm_states=1 << 50)
INFO = xgr.TokenizerInfo([b"a", b"b", b"x", b"a" * 60_000, b"</s>"], stop_token_ids=[4])
COMPILER = xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(**NO_LIMITS))
# A shortest match needs a deterministic machine: this one has 2**40 states.
DOUBLING = 'root ::= x "." x[lazy] ::= ("a" | "b")* "a" ("a" | "b"){40}'
PALINDROMES = 'root ::= "a" root "a" | "b" root "b" | ""'
SLOW_PATTERNS = [f"(?!.*k{i})" + ".*".join(f"{c}{i}" for c in "abcdefgh") + "[a-z]{3,40}" for i in range(20_000)]

def matcher():
    return xgr.GrammarMatcher(COMPILER.compile_grammar(PALINDROMES))

def in_text():
    made = matcher()
    made.accept_string("a")
    return made

# The bitmask is made here because making it imports torch. An interrupt during that import can end
# the process.
BITMASK = xgr.allocate_token_bitmask(2, INFO.vocab_size)
"""

CALLS = {
    "compile_grammar": "COMPILER.compile_grammar(DOUBLING)",
    "from_json_schema": """
with xgr.work_limits(max_seconds=1e6, max_bytes=1 << 50):
    xgr.Grammar.from_json_schema(json.dumps(
        {"properties": {f"p{i}": {"type": "string", "pattern": p} for i, p in enumerate(SLOW_PATTERNS)}}))
""",
    "compile_lark": r"""
COMPILER.compile_lark("start: (" + "|".join(f"T{i}" for i in range(20_000)) + ")*\n" + "\n".join(
    f"T{i}: /{p}/" for i, p in enumerate(SLOW_PATTERNS)))
""",
    "from_ebnf": r"""
with xgr.work_limits(max_seconds=1e6, max_bytes=1 << 50):
    xgr.Grammar.from_ebnf("root ::= " + " | ".join(f'Regex({json.dumps(p)})' for p in SLOW_PATTERNS))
""",
    "fill": "in_text().fill_next_token_bitmask(BITMASK)",
    "batch fill": """
xgr.BatchGrammarMatcher(max_threads=2).batch_fill_next_token_bitmask([in_text(), in_text()], BITMASK)
""",
    "accept_string": 'matcher().accept_string("a" * 100_000)',
    "accept_token": "in_text().accept_token(3)",
    "deserialize": r"""
rows = [["machine", f"Regex({json.dumps(p)})", 9, 12] for p in SLOW_PATTERNS]
tables = json.loads(xgr.Grammar.from_ebnf('root ::= "a"').serialize_json()) | {"expressions": rows}
with xgr.work_limits(max_seconds=1e6, max_bytes=1 << 50):
    xgr.Grammar.deserialize_json(json.dumps(tables))
""",
}

ENDING = """
except KeyboardInterrupt:
    print("KeyboardInterrupt")
except BaseException as error:
    print(type(error).__name__, error)
else:
    print("returned")
"""


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.strip().splitlines())


def answer_of(script: str, n_signals: int = 1) -> str:
    """What a process prints that is interrupted some time after it has said that it is ready."""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        try:
            for _ in range(n_signals):
                assert child.stdout.readline().strip() == "ready"
                # It is in its call by then, most probably; if it isn't, the interpreter hears the
                # signal.
                with pytest.raises(subprocess.TimeoutExpired):
                    child.wait(timeout=0.5)
                child.send_signal(signal.SIGINT)
            return child.communicate(timeout=WATCHDOG)[0].strip()
        finally:
            child.kill()


@pytest.mark.parametrize("name", CALLS)
def test_an_interrupt_ends_the_call(name: str):
    script = SETUP + 'try:\n    print("ready", flush=True)\n' + indented(CALLS[name]) + ENDING
    assert answer_of(script) == "KeyboardInterrupt"


def test_what_a_handler_raises_is_what_the_call_raises():
    handler = """
def handle(number, frame):
    raise ArithmeticError("mine")
signal.signal(signal.SIGINT, handle)
"""
    script = SETUP + handler + 'try:\n    print("ready", flush=True)\n' + indented(CALLS["compile_grammar"]) + ENDING
    assert answer_of(script) == "ArithmeticError mine"


def test_after_a_handler_that_returns_the_call_is_done_again():
    """The handler makes what the call waits for end: the second time it has an end of its own."""
    script = (
        SETUP
        + """
options = xgr.EngineOptions(max_compile_seconds=2, max_work_bytes=1 << 50, max_fsm_states=1 << 50)
compiler = xgr.GrammarCompiler(INFO, options=options, cache_enabled=False)
heard = []
signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
print("ready", flush=True)
try:
    compiler.compile_grammar(DOUBLING)
except xgr.Xg2LabError as error:
    print(type(error).__name__, len(heard))
"""
    )
    assert answer_of(script) == "LimitError 1"


def test_a_signal_that_waits_while_an_error_is_made_is_not_lost():
    """The budget's end and the interrupt at once: the interrupt wins, and nothing becomes a RuntimeError."""
    script = (
        SETUP
        + """
compiler = xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(max_compile_seconds=0.05), cache_enabled=False)
said = set()
def interrupt():
    while not done:
        os.kill(os.getpid(), signal.SIGINT)
        stop.wait(0.03)
done, stop = False, threading.Event()
thread = threading.Thread(target=interrupt)
n_calls = 0
try:
    thread.start()
except KeyboardInterrupt:
    pass
while n_calls < 60:
    try:
        n_calls += 1
        compiler.compile_grammar(DOUBLING)
    except KeyboardInterrupt:
        said.add("KeyboardInterrupt")
    except xgr.Xg2LabError as error:
        said.add(type(error).__name__)
    except BaseException as error:
        said.add(f"{type(error).__name__}: {error}")
signal.signal(signal.SIGINT, signal.SIG_IGN)
done = True
thread.join()
print(sorted(said - {"LimitError"}))
"""
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=WATCHDOG, check=False)
    assert ran.stdout.strip() == "['KeyboardInterrupt']", ran.stderr


def test_a_matcher_is_as_it_was():
    script = (
        SETUP
        + """
slow = matcher()
other = matcher()
assert slow.accept_string("aa")
before = slow.n_steps
print("ready", flush=True)
try:
    slow.accept_token(3)
except KeyboardInterrupt:
    pass
assert other.accept_string("aa")
print(slow.n_steps == before, slow.is_completed() == other.is_completed())
print(slow.accept_string("aa"), slow.is_completed())
"""
    )
    assert answer_of(script) == "True True\nTrue True"


def test_an_interrupt_ends_the_wait_for_another_thread():
    """Its walk has no end in sight, and the main thread needs the same mask."""
    script = (
        SETUP
        + """
import numpy as np
rows = np.zeros((2, (INFO.vocab_size + 31) // 32), np.int32)
options = xgr.EngineOptions(**NO_LIMITS, context_walks="never", rule_inlining=False)
compiler = xgr.GrammarCompiler(INFO, options=options)
compiled = compiler.compile_grammar('root ::= p "x"\\np ::= "a" p "a" | "b" p "b" | ""')
def fill(row):
    xgr.GrammarMatcher(compiled).fill_next_token_bitmask(rows, row)
threading.Thread(target=fill, args=(1,), daemon=True).start()
try:
    threading.Event().wait(0.3)  # the other is in its walk by then, most probably
    print("ready", flush=True)
    fill(0)
except KeyboardInterrupt:
    print("KeyboardInterrupt", flush=True)
    os._exit(0)
print("returned")
"""
    )
    assert answer_of(script) == "KeyboardInterrupt"


def test_an_interrupt_ends_the_wait_for_a_turn_and_takes_none():
    script = (
        SETUP
        + """
compiler = xgr.GrammarCompiler(INFO, max_threads=1)
compiler._turns.__enter__()
try:
    print("ready", flush=True)
    compiler.compile_grammar('root ::= "a"')
except KeyboardInterrupt:
    before = compiler._turns.n_free
    compiler._turns.__exit__(None, None, None)
    print("KeyboardInterrupt", before, compiler._turns.n_free)
"""
    )
    assert answer_of(script) == "KeyboardInterrupt 0 1"
