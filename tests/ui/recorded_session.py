"""A test fixture: a session without a model and without the engine, with the interface the widgets use.

Tokens, masks and charts are computed by `small_parser`; probabilities and times are drawn from a seeded generator, so that a
test sees the same figures each time.
"""

from __future__ import annotations

import random
import threading
import time
from types import SimpleNamespace
from typing import Any

import numpy as np

from .small_parser import GRAMMAR, RULES, Chart, Machines, edge_label

TARGET = '{"city": "Zürich", "unit": "celsius"}'
STOP, SPECIAL, PAD = "<stop>", "<tool>", "<pad>"
ALLOWED = (1, 2, 5)


def vocabulary(n_tokens: int, seed: int = 7) -> list[bytes]:
    """All 256 bytes, the tokens of the target text, JSON joints, and made-up words up to `n_tokens`."""
    rng = random.Random(seed)
    words = ['{"', '":', ' "', '",', '"}', '"}}', '", "', "city", "unit", "cel", "sius", "celsius", "fahren", "heit", "Z", "ür", "ich", "rich", "Zür", "Bas", "el", "Paris", " Airport", "\\n", "  ", "\n\n", '"c', '"f', '":"', "} ", "},"]
    out = [bytes([b]) for b in range(256)] + [w.encode() for w in words]
    seen = set(out)
    syllables = ["ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "wu", "za", "é", "ö", "日", "да", "ing", "er", "st", "1", "20", "_", "-", "; ", "(", '"', "}", ", "]
    while len(out) < n_tokens - 8:
        w = ("" if rng.random() < 0.5 else " ") + "".join(rng.choice(syllables) for _ in range(rng.randint(1, 4)))
        if w.encode() not in seen:
            seen.add(w.encode())
            out.append(w.encode())
    return out + [STOP.encode(), SPECIAL.encode()] + [PAD.encode()] * 6


class RecordedSession:
    """The part of the session's interface that views and their widget rely on."""

    def __init__(self, n_tokens: int = 2048, name: str = "recorded", delay_s: float = 0.0, seed: int = 3) -> None:
        self.name, self.prompt, self.delay_s = name, "What is the weather in Zürich?", delay_s
        self.machines = Machines()
        self.tokens = vocabulary(n_tokens)
        self.n_tokens = n_tokens
        self.stop_id, self.special_id = n_tokens - 8, n_tokens - 7
        self._ids: dict[bytes, int] = {}
        for k, t in enumerate(self.tokens[: n_tokens - 8]):
            self._ids.setdefault(t, k)
        self._order = sorted(range(n_tokens), key=lambda k: (k >= n_tokens - 8, self.tokens[k], k))
        self._seed, self._lock, self._pause = seed, threading.RLock(), threading.Event()
        self._watchers: list[Any] = []
        self.fail_at: int | None = None
        self._clear()
        self.selection: dict[str, Any] = dict.fromkeys(["step", "token", "byte", "rule", "item", "state", "mask_entry"])
        self.status, self.error = "idle", None

    # ---- what the engine would say ----------------------------------------------------------------------------------------

    def _clear(self) -> None:
        self.chart = Chart(self.machines)
        self.output_ids: list[int] = []
        self._bulk: list[tuple[np.ndarray, np.ndarray]] = []
        self._seen_states: dict[int, int] = {}
        self._visited: set[tuple[int, ...]] = set()
        self.trace = SimpleNamespace(steps=[], branches=[])
        self._rng = np.random.default_rng(self._seed)
        self._append_pending()

    def _alive(self, data: bytes) -> int:
        """How many bytes of `data` the chart takes."""
        n = 0
        for byte in data:
            if not self.chart.push(byte):
                break
            n += 1
        self.chart.pop(n) if n else None
        return n

    def _mask(self) -> np.ndarray:
        dead: set[bytes] = set()
        codes = np.zeros(self.n_tokens, np.uint8)
        top_rules = {self.machines.states[i[0]].rule for i in self.chart.scannable()}
        for k in self._order:
            data = self.tokens[k]
            if k == self.stop_id:
                codes[k] = 5 if self.chart.completed() else 6
            elif k == self.special_id:
                codes[k] = 4
            elif k > self.special_id:
                codes[k] = 7
            elif any(data[:n] in dead for n in range(1, len(data) + 1)):
                codes[k] = 3 if 2 in top_rules and data[0] != 0 and b'"' in data[1:] else 0
            else:
                n = self._alive(data)
                crossing = b'"' in data and len(data) > 1 and 2 in top_rules
                if n < len(data):
                    dead.add(data[: n + 1])
                    codes[k] = 3 if crossing and n else 0
                else:
                    codes[k] = 2 if crossing else 1
        return codes

    def _append_pending(self) -> None:
        index = len(self.trace.steps)
        began = time.perf_counter()
        codes = self._mask()
        mask_us = (time.perf_counter() - began) * 1e6 / 900
        logits = self._rng.normal(0, 1.6, self.n_tokens) - 9
        logits[self.n_tokens - 8 :] -= 3
        text = b"".join(self.tokens[t] for t in self.output_ids)
        rest = TARGET.encode()[len(text) :] if TARGET.encode().startswith(text) else b""
        for n in range(1, 9):
            if rest[:n] in self._ids:
                logits[self._ids[rest[:n]]] = 3 + 1.5 * n + self._rng.normal(0, 0.7)
        wants = {3: b'"}}', 7: b'"}}', 5: b"\n\n", 10: b'"f'}.get(index % 12)
        if wants:
            logits[self._ids.get(wants, 0)] = 8
        p = np.exp(logits - logits.max())
        p = (p / p.sum()).astype(np.float32)
        allowed = np.isin(codes, ALLOWED)
        z = float(p[allowed].sum())
        entries = []
        n_built = 0
        for state in dict.fromkeys(i[0] for i in self.chart.scannable()):
            n_built += state not in self._seen_states
            self._seen_states[state] = self._seen_states.get(state, -1) + 1
            n_unc = int(np.isin(codes, (2, 3)).sum())
            entries.append({"state": state, "rule": self.machines.states[state].rule, "storage": "rejected_list" if allowed.sum() > self.n_tokens / 2 else "accepted_list", "n_accepted": int((codes == 1).sum()), "n_rejected": int((codes == 0).sum()), "n_uncertain": n_unc, "size_bytes": 16 + 4 * n_unc + 2 * int(min(allowed.sum(), (~allowed).sum())), "build_us": round(80 + 11.5 * state, 1), "hits": self._seen_states[state]})
        key = tuple(sorted(i[0] for i in self.chart.scannable()))
        cache = "miss" if n_built else "context_hit" if key in self._visited else "perfect_hit"
        self._visited.add(key)
        by_p = [int(k) for k in np.argsort(-p)[:14]]
        best = [int(k) for k in np.argsort(-np.where(allowed, p, 0))[:10] if allowed[k]]
        shown = sorted(set(by_p) | set(best), key=lambda k: -p[k])[:20]
        step = {
            "index": index, "kind": None, "token_id": None, "text": None, "bytes": None, "byte_begin": len(text), "n_bytes": 0,
            "p": None, "q": None, "rank": None, "z": z, "kl": float(-np.log(z)) if z else None, "n_allowed": int(allowed.sum()),
            "mask_us": round(mask_us * (30 if cache == "miss" else 1), 1), "model_ms": 11.5 + float(self._rng.random()), "accept_us": None,
            "cache": cache, "n_built": n_built, "n_checked": int(np.isin(codes, (2, 3)).sum()),
            "top": [[k, self._text(k), float(p[k]), float(p[k] / z) if allowed[k] else 0.0, int(codes[k])] for k in shown],
            "entries": entries, "live": [{"state": s, "rule": self.machines.states[s].rule, "origin": o} for s, o, *_ in self.chart.scannable()],
            "completed": self.chart.completed(), "terminated": False, "explain": {},
        }  # fmt: skip
        blocked = [k for k in by_p if not allowed[k]][:6]
        self._bulk.append((codes, p))
        self.trace.steps.append(step)
        step["explain"] = {str(k): self._explain(self.tokens[k], k, codes) for k in blocked}

    def _text(self, k: int) -> str:
        return self.tokens[k].decode("utf-8", "replace")

    def _explain(self, data: bytes, token_id: int | None, codes: np.ndarray) -> dict[str, Any]:
        walk, died, n = [], None, 0
        expected: list[list[int]] = []
        by: list[dict[str, Any]] = []
        code = int(codes[token_id]) if token_id is not None else None
        special = {4: "special_token", 5: "stop_legal", 6: "stop_not_legal", 7: "padding"}.get(code if code is not None else -1)
        for k, byte in enumerate(b"" if special else data):
            before = self.chart.scannable()
            if not self.chart.push(byte):
                died = k
                expected = sorted({(lo, hi) for i in before for lo, hi, _ in self.machines.states[i[0]].byte_edges})  # type: ignore[assignment]
                expected = [list(r) for r in expected]
                by = [self._expecting(i) for i in before][:4]
                walk.append({"byte": byte, "alive": False, "items": []})
                break
            n += 1
            walk.append({"byte": byte, "alive": True, "items": [self._item(i) for i in self.chart.columns[-1] if self.machines.states[i[0]].byte_edges or i[2] != 1]})
        self.chart.pop(n) if n else None
        ok = special == "stop_legal" or (special is None and died is None)
        mechanism = special or {0: "rejected_by_cache", 1: "accepted_by_cache", 2: "accepted_by_parent_check", 3: "rejected_by_parent_check", None: "accepted_by_cache" if ok else "rejected_by_cache"}[code]
        names = [x["rule_name"] for x in by]
        text = edge_label(expected) if expected else ""
        reason = {
            "special_token": "A control token: it never stands for text.", "stop_legal": "`root` is complete, so the model may stop here.",
            "stop_not_legal": "The model may stop only when `root` is complete.", "padding": "Reserved by the tokenizer: no text is behind this id.",
        }.get(mechanism) or (f"All {len(data)} bytes are allowed." if ok else f"Byte {died} of the token has nowhere to go: `{names[0] if names else 'root'}` expects {text} here.")  # fmt: skip
        entry = self.trace.steps[-1]["entries"][0] if self.trace.steps and self.trace.steps[-1]["entries"] else None
        return {"token_id": token_id, "bytes": data.hex(), "text": data.decode("utf-8", "replace"), "allowed": ok, "mechanism": mechanism, "reason": reason, "died_at": died, "walk": walk, "expected": expected, "expected_text": text, "expected_by": by, "entry": entry}

    def _item(self, i: list[int]) -> dict[str, Any]:
        s = self.machines.states[i[0]]
        return {"state": i[0], "rule": s.rule, "origin": i[1], "before": s.before, "after": s.after}

    def _expecting(self, i: list[int]) -> dict[str, Any]:
        s = self.machines.states[i[0]]
        source = GRAMMAR.encode()
        line_begin = source.rfind(b"\n", 0, s.span[0]) + 1
        line_end = source.find(b"\n", s.span[0])
        return {**self._item(i), "rule_name": RULES[s.rule], "spans": [list(s.span)], "line": source[:line_begin].count(b"\n") + 1, "column": s.span[0] - line_begin + 1, "line_text": source[line_begin:line_end].decode()}

    # ---- the session's interface ------------------------------------------------------------------------------------------

    def subscribe(self, callback: Any) -> Any:
        self._watchers.append(callback)
        return lambda: self._watchers.remove(callback)

    def _tell(self, kind: str, **more: Any) -> None:
        for watcher in list(self._watchers):
            watcher({"type": kind, **more})

    @property
    def text(self) -> str:
        return b"".join(self.tokens[t] for t in self.output_ids).decode("utf-8", "replace")

    def header(self) -> dict[str, Any]:
        return {"name": self.name, "model": {"name": "recorded", "device": "cpu", "dtype": "float32", "n_parameters": 0}, "vocab_size": self.n_tokens, "grammar": {"text": GRAMMAR, "root": "root"}, "options": {}, "compile_us": 412.0, "prompt": self.prompt}

    def to_wire(self) -> dict[str, Any]:
        return {"version": 1, "header": self.header(), "program": self.machines.program(), "steps": self.trace.steps, "branches": self.trace.branches, "chart": {"columns": self.chart.columns}}

    def vocabulary(self) -> tuple[list[str], np.ndarray]:
        return [self._text(k) for k in range(self.n_tokens)], np.array(self._order, np.uint32)

    def step(self, n: int = 1) -> list[Any]:
        out = []
        for _ in range(n):
            if self.delay_s:
                time.sleep(self.delay_s)
            with self._lock:
                step = self.trace.steps[-1]
                if self.fail_at == step["index"]:
                    raise RuntimeError("The model failed: out of memory.")
                if step["terminated"]:
                    break
                codes, p = self._bulk[-1]
                allowed = np.isin(codes, ALLOWED)
                token = int(np.argmax(np.where(allowed, p, -1)))
                out.append(self._take(token, "forced_by_grammar" if allowed.sum() == 1 else "sampled"))
        return out

    def force(self, token: int | str | bytes) -> list[Any]:
        with self._lock:
            data = self.tokens[token] if isinstance(token, int) else token.encode() if isinstance(token, str) else token
            token_id = token if isinstance(token, int) else self._ids.get(data)
            if token_id is None or not np.isin(self._bulk[-1][0][token_id], ALLOWED):
                raise ValueError(f"token {data!r} is not allowed at step {self.trace.steps[-1]['index']}")
            return [self._take(token_id, "forced_by_user")]

    def _take(self, token: int, kind: str) -> Any:
        step = self.trace.steps[-1]
        codes, p = self._bulk[-1]
        data = b"" if token == self.stop_id else self.tokens[token]
        step["explain"][str(token)] = self._explain(self.tokens[token], token, codes)
        for byte in data:
            self.chart.push(byte)
        step.update(kind=kind, token_id=token, text=self._text(token), bytes=data.hex(), n_bytes=len(data), p=float(p[token]), q=float(p[token]) / step["z"], rank=int((p > p[token]).sum()) + 1, accept_us=2.1, terminated=token == self.stop_id)
        self.output_ids.append(token)
        if token == self.stop_id:
            self.status = "terminated"
        else:
            self._append_pending()
        self._tell("step", index=step["index"])
        return step

    def back(self, n: int = 1) -> None:
        with self._lock:
            n = min(n, len(self.output_ids))
            if n == 0:
                return
            at = len(self.output_ids) - n
            kept = [s for s in self.trace.steps[at:] if s["kind"] is not None]
            gone = [dict(s) for s in kept]
            self.trace.branches.append({"at": at, "steps": gone})
            self.chart.pop(sum(s["n_bytes"] for s in kept)) if sum(s["n_bytes"] for s in kept) else None
            del self.trace.steps[at + 1 :], self._bulk[at + 1 :], self.output_ids[at:]
            self.trace.steps[at].update(kind=None, token_id=None, text=None, bytes=None, n_bytes=0, p=None, q=None, rank=None, terminated=False)
            self.status = "idle"
            self._tell("rolled_back", index=at)

    def run(self, max_tokens: int | None = None, until: Any = None) -> list[Any]:
        self._pause.clear()
        self.status = "running"
        self._tell("status", status="running")
        out = []
        while not self._pause.is_set() and len(out) < (max_tokens or 100):
            got = self.step()
            if not got or got[0]["terminated"]:
                break
            out += got
            if isinstance(until, tuple) and self.trace.steps[-1]["z"] < until[1]:
                break
        if self.status != "terminated":
            self.status = "paused"
        self._tell("status", status=self.status)
        return out

    def pause(self) -> None:
        self._pause.set()

    def reset(self, prompt: str | None = None) -> None:
        with self._lock:
            self.prompt = prompt or self.prompt
            self._clear()
            self.status = "idle"
            self._tell("reset")

    def explain(self, token: int | str | bytes, step: int | None = None) -> dict[str, Any]:
        with self._lock:
            at = len(self.trace.steps) - 1 if step is None else step
            n = sum(s["n_bytes"] for s in self.trace.steps[at:])
            saved = self.chart
            if n:
                self.chart = Chart(self.machines)
                for byte in b"".join(self.tokens[t] for t in self.output_ids[:at]):
                    self.chart.push(byte)
            try:
                data = self.tokens[token] if isinstance(token, int) else token.encode() if isinstance(token, str) else token
                return self._explain(data, token if isinstance(token, int) else self._ids.get(data), self._bulk[at][0])
            finally:
                self.chart = saved

    def provenance(self, step: int) -> np.ndarray:
        return self._bulk[step][0]

    def probabilities(self, step: int) -> np.ndarray:
        return self._bulk[step][1]

    def select(self, **parts: Any) -> None:
        self.selection = {**self.selection, **parts}
        self._tell("selection", selection=self.selection)
