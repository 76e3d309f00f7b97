"""The end of a process and its children: forks while threads work, shutdown while threads work. Each in a process."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

COMMON = """
import itertools, os, random, sys, threading, time
import numpy as np
import xg2lab as xgr

PIECES = [bytes(piece) for piece in itertools.product(b'[]{}",:1e.tx -', repeat=3)]
TOKENS = [bytes([byte]) for byte in range(256)] + PIECES + [b"</s>"]
info = xgr.TokenizerInfo(TOKENS, stop_token_ids=[len(TOKENS) - 1])
compiler = xgr.GrammarCompiler(info)
TEXTS = ["{", '{"a', '{"a"', '{"a":', '{"a":1', "[", "[1", "[1.", "[1e", '"', "t", "-", "[[[[", "[{", "[t", "[f"]

def fresh():
    # Of four, so that threads find many masks to make.
    new = xgr.GrammarCompiler(info, cache_enabled=False)
    return [new.compile_builtin_json_grammar() for _ in range(4)]

def bitmask_of(n_rows):  # NumPy's: `xgr.allocate_token_bitmask` imports torch, which takes longer than these tests
    return np.full((n_rows, -(-info.vocab_size // 32)), -1, np.int32)

def batch_of_masks(grammars, n_threads=4):
    matchers = [xgr.GrammarMatcher(grammars[i % 4]) for i in range(len(TEXTS))]
    assert all(xgr.BatchGrammarMatcher.batch_accept_string(matchers, TEXTS))
    bitmask = bitmask_of(len(TEXTS))
    xgr.BatchGrammarMatcher(n_threads).batch_fill_next_token_bitmask(matchers, bitmask)
    return bitmask.tobytes()

def keep_busy(box, until):  # box[0]: grammars whose masks are being made, their locks are mostly held
    while not until.is_set():
        box[0] = fresh()
        batch_of_masks(box[0])
"""


def run(script: str, seconds: float = 120) -> str:
    """What a fresh process prints; it has to end by itself, in time, with 0."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", COMMON + textwrap.dedent(script)],
        capture_output=True, text=True, timeout=seconds, env=os.environ, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    assert done.stderr == ""
    return done.stdout


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


@needs_fork
def test_children_of_a_process_with_workers_have_their_own():
    out = run("""
        expected = batch_of_masks(fresh())
        compiled = fresh()
        n = xgr.BatchGrammarMatcher.n_workers()
        assert n == 3, n
        pid = os.fork()
        if pid == 0:
            before = xgr.BatchGrammarMatcher.n_workers()
            same = batch_of_masks(compiled) == expected and batch_of_masks(fresh()) == expected
            os._exit(0 if same and before == 0 and xgr.BatchGrammarMatcher.n_workers() == 3 else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert batch_of_masks(fresh()) == expected
        assert xgr.BatchGrammarMatcher.n_workers() == 3
        print("well")
    """)
    assert out == "well\n"


@pytest.mark.slow
@needs_fork
def test_forks_while_threads_are_inside_the_engine():
    """Fifty children, forked whenever; each uses what the parent's threads were using at that moment."""
    out = run("""
        import warnings
        warnings.simplefilter("ignore")  # Python 3.12 warns of forks beside threads: that is the subject
        box = [fresh()]
        expected = batch_of_masks(fresh())
        until = threading.Event()
        threads = [threading.Thread(target=keep_busy, args=(box, until)) for _ in range(3)]
        for thread in threads:
            thread.start()
        rng = random.Random(1)
        failed = 0
        for _ in range(50):
            time.sleep(rng.random() * 0.004)
            pid = os.fork()
            if pid == 0:
                os._exit(0 if batch_of_masks(box[0]) == expected and batch_of_masks(fresh(), 2) == expected else 1)
            end = time.monotonic() + 60
            while time.monotonic() < end:
                done, status = os.waitpid(pid, os.WNOHANG)
                if done:
                    break
                time.sleep(0.001)
            else:
                os.kill(pid, 9)
                os.waitpid(pid, 0)
                status = -1
            if status:
                failed += 1
                break
        until.set()
        for thread in threads:
            thread.join()
        print(failed)
    """)
    assert out == "0\n"


@needs_fork
def test_a_matcher_in_use_by_a_thread_of_the_parent_is_free_in_the_child():
    out = run("""
        import warnings
        warnings.simplefilter("ignore")
        compiled = compiler.compile_grammar("root ::= [a]*")
        matcher = xgr.GrammarMatcher(compiled)
        until = threading.Event()
        def read():
            while not until.is_set():
                matcher.accept_string(b"a" * 100_000)
                matcher.reset()
        thread = threading.Thread(target=read)
        thread.start()
        codes = []
        for _ in range(20):
            time.sleep(0.002)
            pid = os.fork()
            if pid == 0:
                matcher.reset()
                os._exit(0 if matcher.accept_string("aaa") and matcher.n_steps == 1 else 1)
            codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        until.set()
        thread.join()
        print(set(codes))
    """)
    assert out == "{0}\n"


@needs_fork
def test_a_child_compiles_though_the_turns_of_the_parent_are_taken():
    out = run("""
        import faulthandler
        compiler = xgr.GrammarCompiler(info, max_threads=2)
        turns = compiler._turns
        turns.__enter__(), turns.__enter__()
        pid = os.fork()
        if pid == 0:
            faulthandler.dump_traceback_later(60, exit=True)  # of a child that waits for a turn
            matcher = xgr.GrammarMatcher(compiler.compile_grammar('root ::= "a"'))
            os._exit(0 if matcher.accept_string("a") and turns.n_free == 2 else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        print(turns.n_free)
    """)
    assert out == "0\n0\n"


@needs_fork
def test_an_interrupt_while_a_fork_waits_is_heard_after_it_and_the_child_finds_the_lock_free():
    out = run("""
        import signal, warnings
        warnings.simplefilter("ignore")
        from xg2lab.support.forks import shared_lock
        is_held, may_go = threading.Event(), threading.Event()
        def hold():
            with shared_lock:
                is_held.set()
                may_go.wait()
        def interrupt():
            time.sleep(0.2)  # the main thread waits by then, most probably
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)
            may_go.set()
        threads = [threading.Thread(target=hold), threading.Thread(target=interrupt)]
        threads[0].start()
        is_held.wait()
        pid, heard = None, False
        try:
            threads[1].start()
            pid = os.fork()
            if pid == 0:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                got = []
                thread = threading.Thread(target=lambda: got.append(shared_lock.acquire(timeout=60)))
                thread.start()
                thread.join()
                os._exit(0 if got == [True] else 1)
            time.sleep(60)
        except KeyboardInterrupt:
            heard = True
        for thread in threads:
            thread.join()
        code = None if pid is None else os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        print(heard, code)
    """)
    # Without a child the signal came before the fork: then nothing was to be seen.
    assert out in {"True 0\n", "True None\n"}


@needs_fork
def test_a_fork_of_multiprocessing_and_a_child_of_a_child():
    out = run("""
        import multiprocessing, warnings
        warnings.simplefilter("ignore")
        expected = batch_of_masks(fresh())
        def work(queue):
            pid = os.fork()
            if pid == 0:
                os._exit(0 if batch_of_masks(fresh()) == expected else 1)
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            queue.put((code, batch_of_masks(fresh()) == expected))
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        process = context.Process(target=work, args=(queue,))
        process.start()
        print(queue.get(timeout=60))
        process.join()
    """)
    assert out == "(0, True)\n"


def test_matchers_that_share_their_states_ask_for_no_help():
    """Sixteen columns, one within the other, of one grammar: the first makes what all of them need."""
    out = run("""
        compiled = fresh()[0]
        matchers = [xgr.GrammarMatcher(compiled) for _ in range(16)]
        assert all(xgr.BatchGrammarMatcher.batch_accept_string(matchers, ["[" * n + "1" for n in range(1, 17)]))
        together = bitmask_of(16)
        alone = together.copy()
        xgr.BatchGrammarMatcher(4).batch_fill_next_token_bitmask(matchers, together)
        for i, matcher in enumerate(matchers):
            matcher.fill_next_token_bitmask(alone, i)
        print(xgr.BatchGrammarMatcher.n_workers(), (together == alone).all())
    """)
    assert out == "0 True\n"


def test_waiting_workers_do_not_hold_up_the_end():
    assert run("batch_of_masks(fresh()); print(xgr.BatchGrammarMatcher.n_workers())", 60) == "3\n"


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.3])
def test_daemon_threads_inside_the_engine_do_not_hold_up_the_end_nor_abort_it(delay: float):
    script = f"""
        for _ in range(4):
            threading.Thread(target=keep_busy, args=([None], threading.Event()), daemon=True).start()
        time.sleep({delay})
        print("over")
    """
    for _ in range(3):
        assert run(script, 60) == "over\n"


def test_batches_from_an_exit_handler():
    out = run("""
        import atexit
        expected = batch_of_masks(fresh())
        atexit.register(lambda: print(batch_of_masks(fresh()) == expected))
    """)
    assert out == "True\n"
