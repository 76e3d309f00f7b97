"""`python -m campaign.soak_process THREADS SEED`: the process that a soak is about.

It reads commands from its standard input, a line of JSON each, and answers each by a line:

    {"seconds": 60}       all threads work for so long
    {"operations": 50}    each thread does so many
    {}                    the end

IDEA
  The main thread works like the others, and is the only one that Python interrupts. Between two commands all threads
  wait, so what memory is in use then is what the process keeps. Compiled grammars of the beginning live to the end;
  others come and go. One thread at a time forks; the children take walks too, and some are killed in the middle.

  A thread that is in one call for longer than STUCK_S is stuck: the process says where all threads are, and ends.

See also: `campaign/soak_walks.py` for what is done, `campaign/soak.py` for what is made of the answers.
"""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import json
import os
import random
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from types import FrameType
from typing import Any, NoReturn

import numpy as np

import xg2lab as xgr
from campaign.soak_memory import Most, resident_bytes, used_bytes
from campaign.soak_walks import GRAMMARS, INFO, N_WORDS, Bitmask, Calls, WrongError, compile_named, walked
from xg2lab.errors import LimitError

__all__ = ["STUCK_S", "Soak", "main"]

STUCK_S = 240.0  # no measure of anything, but that the process ends
CHILD_S = 120
N_SEEDS = 5  # walks that are known, of each grammar
P_LIMITS = 0.08
_PR_SET_PDEATHSIG = 1


class Interrupts:
    """Ctrl-C at any moment: Python's handler of it raises where the main thread hears, and else does nothing."""

    def __init__(self) -> None:
        self.hears = False
        self.n_sent = 0
        signal.signal(signal.SIGINT, self._handle)

    def hear(self, now: bool) -> None:
        """Whether the main thread takes an interrupt now. After one it takes none before it says so again."""
        self.hears = now

    def _handle(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self.hears:
            self.hears = False
            raise KeyboardInterrupt

    def send(self) -> None:
        """Sends one to this process."""
        self.n_sent += 1
        os.kill(os.getpid(), signal.SIGINT)


class Soak:
    """The shared objects, and the threads' work on them.

    Parameters
    ----------
    n_threads : int
        With the main one.
    seed : int
    """

    def __init__(self, n_threads: int, seed: int) -> None:
        self.n_threads, self.seed, self.round = n_threads, seed, 0
        self.interrupts = Interrupts()
        self.expected = self._walk_alone()
        tight = xgr.EngineOptions(max_pool_bytes=60_000, max_configuration_bytes=1 << 16, partial_jit_k=20)
        roomy = xgr.EngineOptions(max_configuration_bytes=1 << 20, partial_jit_k=5)
        plain = xgr.EngineOptions(cross_grammar_cache=False, max_configuration_bytes=1 << 18, context_walks="always")
        pda = xgr.EngineOptions(parser="pda", max_pool_bytes=60_000, max_configuration_bytes=1 << 18)
        self.compilers = [
            xgr.GrammarCompiler(INFO, max_threads=4, cache_limit_bytes=1 << 19, options=options)
            for options in (tight, roomy, plain)
        ]
        self.compilers.append(xgr.GrammarCompiler(INFO, cache_enabled=False, options=tight))
        self.stacked = xgr.GrammarCompiler(INFO, cache_enabled=False, options=pda)
        self.no_time = xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(max_compile_seconds=1e-9))
        self.kept = {
            (name, i): compile_named(compiler, name) for i, compiler in enumerate(self.compilers) for name in GRAMMARS
        }
        self.beats = [0.0] * n_threads  # 0: the thread waits
        self.counts: Counter[str] = Counter()
        self.findings: list[dict[str, str]] = []
        self.lock = threading.Lock()
        self.fork_lock = threading.Lock()
        sys.unraisablehook = self._ignored

    def _walk_alone(self) -> dict[tuple[str, int], str]:
        compiler = xgr.GrammarCompiler(INFO, cache_enabled=False, options=xgr.EngineOptions(cross_grammar_cache=False))
        return {
            (name, seed): walked(Calls(), compile_named(compiler, name), self.seed * 1000 + seed)
            for name in GRAMMARS
            for seed in range(N_SEEDS)
        }

    # ---- What a thread does ----

    def take_walk(self, calls: Calls, compiled: xgr.CompiledGrammar, name: str, rng: random.Random) -> None:
        """One walk; WrongError if it sees something else than it did alone."""
        seed = rng.randrange(N_SEEDS)
        if walked(calls, compiled, self.seed * 1000 + seed) != self.expected[name, seed]:
            raise WrongError("walk", f"{name}, walk {seed}")

    def operate(self, calls: Calls, rng: random.Random) -> None:
        """One operation, drawn by lot."""
        name = rng.choice(list(GRAMMARS))
        action = rng.random()
        if action < 0.4:
            compiled = self.kept[name, rng.randrange(len(self.compilers))]
            self.take_walk(calls, compiled, name, rng)
        elif action < 0.72:
            compiler = rng.choice(self.compilers)
            self.take_walk(calls, calls.make("compilations", lambda: compile_named(compiler, name)), name, rng)
        elif action < 0.76:
            name = rng.choice(["nested", "counted", "people"])  # those that a stack reads in few ways
            compiled = calls.make("compilations", lambda: compile_named(self.stacked, name))
            self.take_walk(calls, compiled, name, rng)
        elif action < 0.88:
            self.fill_batch(calls, rng)
        elif action < 0.93:
            self.refuse(calls, name)
        elif action < 0.95:
            calls.make("clearings", lambda: rng.choice(self.compilers).clear_cache() or True)
        elif action < 0.97:
            compiled = rng.choice(list(self.kept.values()))
            text = calls.make("writings", lambda: compiled.serialize_json(include_masks=True))
            again = calls.make("readings", lambda: xgr.CompiledGrammar.deserialize_json(text, INFO))
            if again.n_states != compiled.n_states:
                raise WrongError("reading", f"{again.n_states} of {compiled.n_states} states")
        else:
            self.fork(calls, rng)

    def fill_batch(self, calls: Calls, rng: random.Random) -> None:
        """Masks of several matchers at once, against those of each alone."""
        chosen = [rng.choice(list(self.kept)) for _ in range(rng.randint(2, 12))]
        compiled = [
            compile_named(self.compilers[-1], name) if rng.random() < 0.5 else self.kept[name, i] for name, i in chosen
        ]
        matchers = [xgr.GrammarMatcher(one) for one in compiled]
        together = np.zeros((len(matchers), N_WORDS), np.int32)
        batch = xgr.BatchGrammarMatcher(max_threads=rng.choice([1, 3]))
        for n_before in (0, 1):
            texts = ["[" if n_before else ""] * len(matchers)
            for matcher in matchers:
                matcher.reset()

            def take_texts(texts: list[str] = texts) -> list[bool]:
                return xgr.BatchGrammarMatcher.batch_accept_string(matchers, texts)

            calls.make("batches of texts", take_texts)
            calls.make("batches of masks", lambda: batch.batch_fill_next_token_bitmask(matchers, together) or True)
            alone = np.zeros_like(together)
            for i, matcher in enumerate(matchers):
                fork = matcher.fork()

                def fill(fork: xgr.GrammarMatcher = fork, alone: Bitmask = alone, i: int = i) -> bool:
                    return fork.fill_next_token_bitmask(alone, i)

                calls.make("fills", fill)
            if not (alone == together).all():
                raise WrongError("batch", f"{chosen}")

    def refuse(self, calls: Calls, name: str) -> None:
        """A compilation that has no time."""

        def has_none() -> bool:
            try:
                compile_named(self.no_time, name)
            except LimitError:
                return True
            return False

        if calls.make("compilations without time", has_none):
            calls.counts["refusals"] += 1

    # ---- Children ----

    def fork(self, calls: Calls, rng: random.Random) -> None:
        """A child that takes walks on what the threads use, and is killed somewhere or ends by itself."""
        kills = rng.random() < 0.5
        after = rng.random() ** 3 * 0.3
        child_seed = rng.randrange(1 << 30)
        with self.fork_lock:
            pid = os.fork()
            if pid == 0:
                self._in_child(child_seed)
        calls.counts["children"] += 1
        end = time.monotonic() + CHILD_S
        if kills:
            time.sleep(after)
            os.kill(pid, signal.SIGKILL)
            calls.counts["children killed"] += 1
        while True:
            calls.beat()
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                break
            if time.monotonic() > end:
                os.kill(pid, signal.SIGABRT)  # faulthandler says where it is
                time.sleep(1)
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                raise WrongError("child", f"stuck for {CHILD_S} s")
            time.sleep(0.01)
        code = os.waitstatus_to_exitcode(status)
        if code != 0 and not (kills and code == -signal.SIGKILL):
            raise WrongError("child", f"exit status {code}")

    def _in_child(self, seed: int) -> NoReturn:
        code = 70
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            self.beats = [0.0] * self.n_threads
            outcomes: list[bool] = []

            def work(i: int) -> None:
                rng = random.Random(seed + i)
                calls = Calls(random.Random(seed - i), P_LIMITS)
                name = rng.choice(list(GRAMMARS))
                self.take_walk(calls, self.kept[name, rng.randrange(len(self.compilers))], name, rng)
                self.take_walk(calls, compile_named(rng.choice(self.compilers), name), name, rng)
                self.fill_batch(calls, rng)
                outcomes.append(True)

            threads = [threading.Thread(target=work, args=(i,)) for i in (1, 2)]
            for thread in threads:
                thread.start()
            work(0)
            for thread in threads:
                thread.join()
            code = 0 if len(outcomes) == 3 else 71
        except BaseException:  # noqa: BLE001 (whatever it is, the parent hears of it)
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)

    # ---- Rounds ----

    def run(self, seconds: float, n_operations: int) -> dict[str, Any]:
        """All threads work for so long, or do so much; what came of it."""
        self.round += 1
        self.counts = Counter()
        self.interrupts.n_sent = 0
        n_before = len(self.findings)
        end = time.monotonic() + seconds if seconds else float("inf")
        is_over = threading.Event()
        threads = [
            threading.Thread(target=self._work, args=(i, end, n_operations), name=f"soak-{i}")
            for i in range(1, self.n_threads)
        ]
        helpers = [threading.Thread(target=work, args=(is_over,)) for work in (self._interrupt, self._watch)]
        most = Most()
        begin_bytes, begin_used = resident_bytes(), used_bytes()
        for thread in [*helpers, *threads]:
            thread.start()
        self._work(0, end, n_operations)
        for thread in threads:
            thread.join()
        is_over.set()
        for thread in helpers:
            thread.join()
        gc.collect()
        pools = [compiler.pool for compiler in self.compilers]
        return {
            "threads": self.n_threads,
            "round": self.round,
            "counts": dict(self.counts) | {"interrupts sent": self.interrupts.n_sent},
            "begin_bytes": begin_bytes,
            "end_bytes": resident_bytes(),
            "most_bytes": most.bytes(),
            "begin_used": begin_used,
            "end_used": used_bytes(),
            "grammar_bytes": sum(compiled.memory_size_bytes for compiled in self.kept.values()),
            "cache_bytes": sum(compiler.get_cache_size_bytes() for compiler in self.compilers),
            "pool_bytes": sum({pool.max_bytes: pool.size_bytes for pool in pools if pool is not None}.values()),
            "evictions": sum({pool.max_bytes: pool.n_evictions for pool in pools if pool is not None}.values()),
            "findings": self.findings[n_before:],
        }

    def _work(self, i: int, end: float, n_operations: int) -> None:
        rng = random.Random(f"{self.seed}/{self.round}/{i}")
        is_main = i == 0

        def beat() -> None:
            self.beats[i] = time.monotonic()

        def nothing(_: bool) -> None:
            pass

        calls = Calls(random.Random(rng.random()), P_LIMITS, beat, self.interrupts.hear if is_main else nothing)
        n = 0
        while time.monotonic() < end and (n_operations == 0 or n < n_operations):
            n += 1
            try:
                self.operate(calls, rng)
                calls.counts["operations"] += 1
            except KeyboardInterrupt:
                self._find("interrupt", "an interrupt where none was heard")
            except WrongError as wrong:
                self._find(str(wrong.args[0]), str(wrong.args[1]))
            except BaseException as error:  # noqa: BLE001 (whatever it is, it is a finding)
                self._find(type(error).__name__, traceback.format_exc()[-1500:])
        self.beats[i] = 0.0
        with self.lock:
            self.counts += calls.counts

    def _interrupt(self, is_over: threading.Event) -> None:
        rng = random.Random(f"{self.seed}/{self.round}/interrupts")
        while not is_over.wait(rng.expovariate(15)):
            self.interrupts.send()

    def _watch(self, is_over: threading.Event) -> None:
        while not is_over.wait(1.0):
            now = time.monotonic()
            stuck = [i for i, beat in enumerate(self.beats) if beat and now - beat > STUCK_S]
            if stuck:
                faulthandler.dump_traceback(file=sys.stderr, all_threads=True)
                say({"findings": [*self.findings, {"kind": "stuck", "detail": f"threads {stuck}"}], "is_stuck": True})
                os._exit(3)

    def _find(self, kind: str, detail: str) -> None:
        with self.lock:
            self.findings.append({"kind": kind, "detail": detail})

    def _ignored(self, unraisable: Any) -> None:
        """Python tells of errors where it can't raise them; an interrupt that is lost there is one."""
        self._find("unraisable", f"{unraisable.exc_type}: {unraisable.exc_value} in {unraisable.object!r:.200}")


def say(answer: dict[str, Any]) -> None:
    """A line for the parent."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def main(words: list[str]) -> int:
    """Reads commands until the end."""
    n_threads, seed = map(int, words)
    faulthandler.enable()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    soak = Soak(n_threads, seed)
    say({"is_ready": True, "resident_bytes": resident_bytes()})
    for line in sys.stdin:
        command = json.loads(line)
        if not command:
            break
        say(soak.run(command.get("seconds", 0), command.get("operations", 0)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
