"""Fuzzing: the log is read rightly, faults get names, seeds and kept cases pass, entry points hold on a few inputs."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from campaign import entry_points
from campaign.cases import REGRESSIONS
from campaign.children import Limits, run_child
from campaign.entry_targets import TARGETS as ENTRY_TARGETS
from campaign.entry_targets import has_front_end, run, seeds
from campaign.fuzzing import BUILD, FUZZ, SANITIZER_OPTIONS, TARGETS, Fuzzing, Target, finding, read_log
from campaign.part import Run
from tests.generators import SHARE
from xg2lab import Grammar

NAMES = [target.name for target in TARGETS]
READERS = {
    "ebnf": Grammar.from_ebnf,
    "regex": Grammar.from_regex,
    "json_schema": Grammar.from_json_schema,
    "lark": Grammar.from_lark,
    "structural_tag": Grammar.from_structural_tag,
}

LOG = """\
#2\tINITED cov: 10 ft: 11 corp: 1/1b exec/s: 0 rss: 30Mb
==77==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x6020000
    #0 0x55 in std::vector<int>::operator[](unsigned long) /usr/include/vector.h:9
    #1 0x56 in xg2lab::fuzz::explore(xg2lab::fuzz::Input const&) campaign/fuzz/explore.h:1
    #2 0x57 in xg2lab::parse_lark(std::string, xg2lab::LarkOptions const&) core/frontends/lark/lark.cc:5
"""


def test_every_target_has_a_source_seeds_and_its_dictionary():
    assert {path.stem.removeprefix("fuzz_") for path in FUZZ.glob("fuzz_*.cc")} == set(NAMES)
    for target in TARGETS:
        seeds = list((FUZZ / "seeds" / target.name).iterdir())
        assert len(seeds) > 5
        assert max(seed.stat().st_size for seed in seeds) <= target.max_len
        assert not target.dictionary or (FUZZ / "dictionaries" / f"{target.dictionary}.dict").exists()
    total = sum(path.stat().st_size for path in (FUZZ / "seeds").rglob("*") if path.is_file())
    assert total < 400_000


def test_dictionaries_are_in_libfuzzers_form():
    for path in (FUZZ / "dictionaries").glob("*.dict"):
        lines = path.read_text(encoding="ascii").splitlines()
        assert all(re.fullmatch(r'#.*|w\d+="(?:[^"\\]|\\x[0-9a-f]{2})+"', line) for line in lines), path
        assert len(lines) > 10


@pytest.mark.slow
def test_every_target_compiles(tmp_path: Path):
    """With any compiler: libFuzzer, which wants clang, is needed for linking only. One unit reads the headers once."""
    compiler = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
    if compiler is None:
        pytest.skip("no C++ compiler")
    unit = tmp_path / "targets.cc"
    entry = '#define LLVMFuzzerTestOneInput {0}\n#include "fuzz_{0}.cc"\n#undef LLVMFuzzerTestOneInput\n'
    unit.write_text("".join(map(entry.format, NAMES)), encoding="utf-8")
    includes = [f"-I{folder}" for folder in (FUZZ, FUZZ.parents[1] / "core")]
    done = subprocess.run(
        [compiler, "-std=c++20", "-fsyntax-only", *includes, unit], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[:3000]


def test_units_visit_each_target_in_each_round(tmp_path: Path):
    units = list(Fuzzing().units(Run("fuzz", 1, tmp_path)))
    assert len(units) % len(TARGETS) == 0
    assert [unit.partition("/")[2] for unit in units[: len(TARGETS)]] == NAMES


def test_a_log_that_was_cut_short_still_says_how_far_it_was():
    assert read_log(LOG)["executions"] == 2
    assert read_log("")["executions"] == 0


def test_a_fault_is_named_by_what_failed_and_where(tmp_path: Path):
    artifact = tmp_path / "crash-0123"
    artifact.write_bytes(b"x")
    found = finding(Target("lark", 1, 1), artifact, LOG)
    assert (found.name, found.kind) == ("lark/crash/xg2lab::parse_lark", "crash")
    assert "heap-buffer-overflow" in found.detail
    assert found.case == str(artifact)


def test_an_exception_is_named_by_its_type_and_line(tmp_path: Path):
    log = (
        " === Uncaught Python exception: ===\nKeyError: 'line'\nTraceback:\n"
        '  File "/x/campaign/entry_targets.py", line 9, in run\n'
        '  File "/x/xg2lab/lints/structure.py", line 60, in walk\n'
    )
    found = entry_points.finding("grammars", tmp_path / "crash-1", log)
    assert found.name == "grammars/KeyError/lints/structure.py, line 60, in walk"


def cases() -> list[Path]:
    return sorted(path for path in REGRESSIONS.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", sorted(READERS))
def test_kept_cases_and_seeds_are_read_or_refused(name: str):
    """The package's own readers, on the texts alone: each in one child, so that a crash is a failure and no end."""
    folders = [FUZZ / "seeds" / name, REGRESSIONS / name]
    paths = sorted(path for folder in folders if folder.is_dir() for path in folder.iterdir())
    chosen = paths[:: max(1, round(1 / SHARE))]

    def read_all(tell):
        for path in chosen:
            tell({"path": path.name})
            text = path.read_bytes()[:-8].decode("utf-8", "surrogateescape")
            refused = run_or_refuse(READERS[name], text)
            tell({"refused": refused})

    result = run_child(read_all, Limits(cpu_s=120, wall_s=1200, address_bytes=4 << 30))
    assert result.kind == "ok", (result.told[-1:], result.detail)
    assert sum(not told["refused"] for told in result.told if "refused" in told) > len(chosen) // 4


def run_or_refuse(read, text: str) -> bool:
    from xg2lab.errors import Xg2LabError

    try:
        read(text)
    except Xg2LabError:
        return True
    return False


@pytest.mark.parametrize("name", NAMES)
def test_kept_cases_pass_their_target(name: str):
    program = BUILD / f"fuzz_{name}"
    paths = [path for path in cases() if path.parent.name == name]
    if not paths:
        pytest.skip("no case is kept for it")
    if not program.exists():
        pytest.skip("the fuzz targets are not built (make campaign builds them where clang is)")
    environment = {**os.environ, **SANITIZER_OPTIONS}
    done = subprocess.run(
        [program, "-timeout=60", *paths], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("name", sorted(ENTRY_TARGETS))
def test_entry_points_give_results_or_refusals(name: str):
    """The seeds, which get through, and inputs by lot, without coverage: bytes, and JSON of odd values."""
    if name == "messages" and not has_front_end():
        pytest.skip("the front end was not built")
    rng = random.Random(f"{os.environ.get('XG2LAB_SEED', '1')}/{name}")
    odd = [None, True, -1, 1e400, "\x00", "a", [], {}, [[]], {"type": "object"}, {"format": {"type": "any_text"}}]

    def try_all(tell):
        for data in seeds(name):
            tell({"data": data.hex()})
            if name in {"compiled", "compiled_templates"}:  # records that are changed on purpose
                run(name, data)
            else:
                ENTRY_TARGETS[name](data)
        for _ in range(max(3, int(25 * SHARE))):
            data = rng.randbytes(rng.randrange(40))
            if rng.random() < 0.4:
                data = json.dumps({rng.choice(["a", "type", "max_stacks"]): rng.choice(odd)}).encode()
            tell({"data": data.hex()})
            run(name, data)

    result = run_child(try_all, Limits(cpu_s=120, wall_s=1200, address_bytes=4 << 30))
    assert result.kind == "ok", (result.detail, result.told[-1:])
