"""The paper's own baselines, XGrammar 0.1.18 and Outlines 0.2.3, each in an environment of its own.

    python -m benchmarks.templates --make-old-peers FOLDER     make the environments, from the package registry

`$XG2LAB_OLD_PEERS` names that folder for the benchmark; without it both are left out, and the run says so. The
environments hold the peer alone, and take what it needs beside from the Python that makes them (`requirements`).

Both compile outlines with text tags: neither has special tokens. XGrammar takes EBNF, a rule for each section, and
Outlines a regular expression, as its grammars are read by a parser that builds no index. A size that takes longer than
`LIMIT_S` seconds is given up, and so are larger ones.
"""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks import record
from benchmarks.templates.outlines import MARKS, Form, in_order, outline_task, tree
from benchmarks.texts import Source, Vocabulary

LIMIT_S = 120.0
N_WALKED = 300  # tokens of the second request
SIZES = (10, 60)


@dataclass(frozen=True)
class OldPeer:
    """A package, its version, and what it needs that we do not bring."""

    package: str
    version: str
    requirements: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.package} {self.version}"

    def python(self, folder: Path) -> Path:
        """The Python of its environment."""
        return folder / f"{self.package}-{self.version}" / "bin" / "python"


OLD_PEERS = (
    OldPeer("xgrammar", "0.1.18", ("sentencepiece",)),
    OldPeer(
        "outlines",
        "0.2.3",
        (
            "outlines_core==0.1.26", "interegular", "jinja2", "markupsafe", "lark", "nest_asyncio", "cloudpickle",
            "diskcache", "referencing", "rpds-py", "jsonschema", "jsonschema-specifications", "attrs", "iso3166",
            "airportsdata", "genson",
        ),
    ),
)  # fmt: skip


def make(folder: Path) -> None:
    """Make the environments that are missing."""
    for peer in OLD_PEERS:
        home = folder / f"{peer.package}-{peer.version}"
        if peer.python(folder).exists():
            continue
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        packages = [f"{peer.package}=={peer.version}", *peer.requirements]
        subprocess.run([str(peer.python(folder)), "-m", "pip", "install", "-q", "--no-deps", *packages], check=True)
        inside = home / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
        (inside / "zz_outer.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", encoding="utf-8")


def rows(words: Vocabulary, sizes: tuple[int, ...] = SIZES) -> list[record.Figures]:
    """A row for each older peer and size: of the second of two requests, as the first makes what all share."""
    folder = os.environ.get("XG2LAB_OLD_PEERS")
    found: list[record.Figures] = []
    for peer in OLD_PEERS:
        if not folder or not peer.python(Path(folder)).exists():
            print(f"left out: {peer.name} (no environment; --make-old-peers makes one)")
            continue
        for n in sizes:
            times = ask(peer, Path(folder), words, n)
            labels = {"engine": peer.name, "task": "outlines, text tags", "n": n, "way": "older peer"}
            if isinstance(times, str):
                print(f"given up: {peer.name} on outlines of {n} sections: {times}")
                found.append({**labels, "vocabulary": words.name, "failed": times})
                break
            found.append({**labels, "vocabulary": words.name, **times})
    return found


def ask(peer: OldPeer, folder: Path, words: Vocabulary, n: int) -> dict[str, float] | str:
    """The times of a peer's second request of one size, or why there are none."""
    requests = [request(peer, words, n, number) for number in (0, 1)]
    job = {
        "peer": peer.package,
        "tokens": words.tokens,
        "n_text": words.n_text,
        "stop_token": words.stop_token,
        "requests": [(requests[0][0], []), (requests[1][0], requests[1][1][:N_WALKED])],
    }
    with tempfile.TemporaryDirectory() as place:
        given, taken = Path(place) / "job.pickle", Path(place) / "times.json"
        given.write_bytes(pickle.dumps(job))
        child = Path(__file__).with_name("old_peer_child.py")
        command = [str(peer.python(folder)), "-P", str(child), str(given), str(taken)]  # -P: no imports from here
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        try:
            done = subprocess.run(command, env=clean, capture_output=True, text=True, timeout=2 * LIMIT_S, check=False)
        except subprocess.TimeoutExpired:
            return f"over {LIMIT_S:.0f} s a request"
        if done.returncode:
            return (done.stderr.strip().splitlines() or ["it ended"])[-1][:160]
        return json.loads(taken.read_text(encoding="utf-8"))[1]


def request(peer: OldPeer, words: Vocabulary, n: int, number: int) -> tuple[str, list[int]]:
    """A request's text in the peer's notation, and its reference text."""
    form = Form("text tags")
    of = outline_task(words, n, form).request(number)
    grammar = of.grammars["rules"]
    assert isinstance(grammar, Source)
    return regex(n, number, form) if peer.package == "outlines" else grammar.ebnf, of.tokens


def regex(n: int, number: int, form: Form) -> str:
    """The outline as a regular expression."""
    start, pad, end = (re.escape(mark) for mark in MARKS)
    sections = in_order(tree(n, f"outline {n} {number}"))
    return "".join(
        f"{re.escape(f'<section id={chr(34)}{section.id}{chr(34)}>')}{start}{form.text}{pad}{form.text}{end}"
        for section in sections
    )
