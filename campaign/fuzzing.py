"""Coverage-guided fuzzing of the engine's C++: libFuzzer over each target of `campaign/fuzz`, under ASan and UBSan.

Units are rounds: in each, every target runs for its share of the time on its corpus, which is kept in the part's
folder and grows from run to run. The seeds that it starts from are `campaign/fuzz/seeds`; words of each notation are in
`campaign/fuzz/dictionaries`. What is counted are executions, as libFuzzer reports them at its end.

A fault is an artifact: the input that crashed, ran out of time or memory. It is kept, made smaller, and is a finding;
`python -m campaign.cases` turns it into a file of `campaign/fuzz/regressions`, which the tests run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from campaign.part import Done, Figures, Finding, Run
from tools.running import SetupError, run_logged

__all__ = ["NICE", "SANITIZER_OPTIONS", "TARGETS", "Fuzzing", "Target", "build", "find_clang", "read_log"]

ROOT = Path(__file__).parents[1]
FUZZ = ROOT / "campaign" / "fuzz"
BUILD = ROOT / "build-fuzz"
N_ROUNDS = 24
NICE = os.environ.get("XG2LAB_CAMPAIGN_NICE", "19")  # the machine may have other work
CLANGS = ("clang++", "clang++-20", "clang++-19", "clang++-18", "clang++-17", "clang++-16", "clang++-15", "clang++-14")


@dataclass(frozen=True)
class Target:
    """A program of campaign/fuzz. `weight`: its share of the time. `max_len`: of an input, control bytes included."""

    name: str
    max_len: int
    weight: int
    dictionary: str = ""
    timeout_s: int = 20


TARGETS = (
    Target("ebnf", 400, 4, "ebnf"),
    Target("regex", 200, 4, "regex"),
    Target("json_schema", 600, 4, "json_schema"),
    Target("lark", 400, 4, "lark"),
    Target("structural_tag", 600, 3, "structural_tag"),
    Target("readers", 72, 4, "readers"),
    Target("json_reader", 200, 4, "json"),
    Target("matcher", 200, 4),
    Target("vocabulary", 400, 3),
    Target("plain", 60, 3),
)
_BY_NAME = {target.name: target for target in TARGETS}
SANITIZER_OPTIONS = {
    # libFuzzer's library holds functions of std::vector<unsigned> that the linker may take for
    # ours and that don't tell the sanitizer where a vector ends: so it doesn't ask for that here.
    # `python -m tools.sanitize` does.
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=0:handle_abort=1:detect_container_overflow=0",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}


class Fuzzing:
    """Each unit is one target in one round."""

    title = "coverage-guided fuzzing of the engine under sanitizers"

    def prepare(self, run: Run) -> str | None:
        """Builds the targets."""
        del run
        compiler = find_clang()
        if compiler is None:
            return "no clang with libFuzzer on this machine"
        try:
            build(compiler)
        except SetupError as error:
            return str(error)
        return None

    def units(self, run: Run) -> Iterable[str]:
        """Round by round, so that a run which is cut short has visited all targets."""
        del run
        return [f"{i}/{target.name}" for i in range(N_ROUNDS) for target in TARGETS]

    def do(self, run: Run, unit: str) -> Done:
        """Runs a target for its share of a round."""
        number, _, name = unit.partition("/")
        target = _BY_NAME[name]
        share = target.weight / sum(other.weight for other in TARGETS)
        seconds = max(2, round(60 * run.minutes / max(1, round(N_ROUNDS * run.share)) * share))
        return fuzz(target, run.folder, seconds, seed=run.seed * 1000 + int(number) + 1)


# ---- Building ----


def find_clang() -> str | None:
    """The first clang that links libFuzzer."""
    for name in CLANGS:
        path = shutil.which(name)
        if path is not None and _has_libfuzzer(path):
            return path
    return None


def _has_libfuzzer(compiler: str) -> bool:
    program = 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }\n'
    command = [compiler, "-x", "c++", "-", "-fsanitize=fuzzer,address,undefined", "-o", os.devnull]
    return subprocess.run(command, input=program, text=True, capture_output=True, check=False).returncode == 0


def build(compiler: str) -> None:
    """Compiles the engine and the targets, incrementally. SetupError with the log if that fails."""
    defines = [
        "XG2LAB_BIND=OFF",
        "XG2LAB_FUZZ=ON",
        f"CMAKE_CXX_COMPILER={compiler}",
        "CMAKE_BUILD_TYPE=Debug",
        "CMAKE_CXX_FLAGS_DEBUG=-O1 -g1",
    ]
    configure = ["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", *(f"-D{define}" for define in defines)]
    run_logged("fuzz configure", configure)
    run_logged("fuzz targets", ["cmake", "--build", BUILD])


# ---- Running ----


def fuzz(target: Target, folder: Path, seconds: int, seed: int) -> Done:
    """One run of a target: what it executed, and its artifacts as findings.

    Parameters
    ----------
    target : Target
    folder : Path
        Holds `corpus/NAME`, which grows, and `artifacts/NAME`.
    seconds : int
        By the clock.
    seed : int
        libFuzzer's.
    """
    corpus, artifacts = folder / "corpus" / target.name, folder / "artifacts" / target.name
    for path in (corpus, artifacts):
        path.mkdir(parents=True, exist_ok=True)
    before = set(artifacts.iterdir())
    words = [
        BUILD / f"fuzz_{target.name}", corpus, FUZZ / "seeds" / target.name,
        f"-seed={seed}", f"-max_total_time={seconds}", f"-max_len={target.max_len}", f"-timeout={target.timeout_s}",
        "-rss_limit_mb=2048", "-malloc_limit_mb=512", "-print_final_stats=1", "-reload=0", "-use_value_profile=0",
        "-entropic=0",  # it weighs the corpus by rare features, which took two thirds of the time, and found less
        f"-artifact_prefix={artifacts}/",
    ]  # fmt: skip
    dictionary = FUZZ / "dictionaries" / f"{target.dictionary}.dict"
    if target.dictionary:
        words.append(f"-dict={dictionary}")
    log = folder / "log" / f"{target.name}.log"
    log.parent.mkdir(exist_ok=True)
    with log.open("wb") as file:
        command = ["nice", "-n", NICE, *(str(word) for word in words)]
        status = subprocess.run(
            command, stdout=file, stderr=subprocess.STDOUT, env={**os.environ, **SANITIZER_OPTIONS}, check=False
        ).returncode
    text = log.read_text(encoding="utf-8", errors="replace")
    known = read_log(text)
    found = [finding(target, path, text) for path in sorted(set(artifacts.iterdir()) - before)]
    if status != 0 and not found:
        found = [Finding(f"{target.name}/exit", "exit", f"exit status {status}: {text[-300:]}", os.fspath(log))]
    row: Figures = {
        "target": target.name, "seed": seed, "seconds": seconds, "executions": known["executions"],
        "corpus": sum(1 for _ in corpus.iterdir()), "coverage": known["coverage"], "features": known["features"],
        "peak_mb": known["peak_mb"], "slowest_s": known["slowest_s"], "findings": len(found),
    }  # fmt: skip
    return Done({"executions": known["executions"], f"executions of {target.name}": known["executions"]}, [row], found)


def read_log(text: str) -> dict[str, int]:
    r"""What libFuzzer says at its end: executions, coverage, features, memory, and the slowest input.

    >>> log = "#7 INITED cov: 5 ft: 6 corp: 1/1b\n#90\tDONE   cov: 12 ft: 34 corp: 5/6b\n"
    >>> log += "stat::number_of_executed_units: 90\nstat::slowest_unit_time_sec: 2\nstat::peak_rss_mb: 41\n"
    >>> read_log(log)
    {'executions': 90, 'coverage': 12, 'features': 34, 'peak_mb': 41, 'slowest_s': 2}
    """
    patterns = {
        "executions": r"stat::number_of_executed_units: *(\d+)",
        "coverage": r"\bcov: (\d+)",
        "features": r"\bft: (\d+)",
        "peak_mb": r"stat::peak_rss_mb: *(\d+)",
        "slowest_s": r"stat::slowest_unit_time_sec: *(\d+)",
    }
    found = {name: re.findall(pattern, text) for name, pattern in patterns.items()}
    # One that was killed has no statistics; the last number of a line is how far it was.
    found["executions"] = found["executions"] or re.findall(r"^#(\d+)", text, re.MULTILINE)
    return {name: int(values[-1]) if values else 0 for name, values in found.items()}


def finding(target: Target, artifact: Path, log: str) -> Finding:
    """An artifact as a finding, named by what failed and where, so that one fault is found once."""
    kind = artifact.name.partition("-")[0]  # crash, timeout, oom, slow-unit
    said = re.search(r"(?:ERROR: |runtime error: |fuzz: |assertion )[^\n]*", log)
    frame = re.search(r"#\d+ 0x[0-9a-f]+ in (xg2lab::(?!fuzz::)[^(]*)", log)
    where = frame[1] if frame else ""
    name = f"{target.name}/{kind}/{where or (said[0][:60] if said else artifact.name)}"
    return Finding(name, kind, f"{said[0][:160] if said else ''} {where}".strip(), os.fspath(artifact))
