"""A file is written whole or not at all, wherever the process ends; and read within its bound, however well packed."""

import gzip
import json
import os
import signal
import stat
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any, Self

import pytest

from xg2lab.errors import DeserializeFormatError, LimitError
from xg2lab.show.dot import Dot
from xg2lab.support import files
from xg2lab.support.files import inflated, read_file, write_file

ROOT = Path(__file__).parent.parent.parent
OLD, NEW = b"old" * 1000, b"new" * 700_001  # several pieces

#: Runs a writer in a child that is killed at the N-th of the calls that change the disk, before or
#: after it is made.
KILLED = """
    import os, signal, sys
    from pathlib import Path

    at, target = int(sys.argv[1]), sys.argv[2]
    n = 0

    def watched(function):
        def call(*arguments, **keywords):
            global n
            n += 1
            if n == at:
                os.kill(os.getpid(), signal.SIGKILL)
            made = function(*arguments, **keywords)
            n += 1
            if n == at:
                os.kill(os.getpid(), signal.SIGKILL)
            return made
        return call

    from xg2lab.support import files

    class Watched:
        def __init__(self, file):
            self.file = file
        def __enter__(self):
            return self
        def __exit__(self, *_):
            self.file.close()
        def __getattr__(self, name):
            attribute = getattr(self.file, name)
            return watched(attribute) if name in ("write", "flush") else attribute

    files.open = lambda *arguments: Watched(open(*arguments))
    os.fsync, os.open, os.fchmod = watched(os.fsync), watched(os.open), watched(os.fchmod)
    Path.replace = watched(Path.replace)
    {call}
    print(n)
"""


def child(call: str, at: int, target: Path) -> subprocess.CompletedProcess[str]:
    program = textwrap.dedent(KILLED).replace("{call}", call)
    # what stands there already may be an instrumented engine
    path = os.pathsep.join([*os.environ.get("PYTHONPATH", "").split(os.pathsep), str(ROOT)]).strip(os.pathsep)
    environment = {**os.environ, "PYTHONPATH": path}
    command = [sys.executable, "-c", program, str(at), str(target)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_killed_anywhere_the_old_or_the_new_is_there(tmp_path: Path):
    target = tmp_path / "file"
    call = "files.write_file(target, b'new' * 700_001)"
    whole = child(call, -1, target)
    n_points = int(whole.stdout)
    assert n_points >= 14
    assert target.read_bytes() == NEW
    seen: set[bytes] = set()
    for at in range(1, n_points + 1):
        target.write_bytes(OLD)
        ran = child(call, at, target)
        assert ran.returncode == -signal.SIGKILL, ran.stderr
        seen.add(target.read_bytes())
        assert target.read_bytes() in (OLD, NEW), at
    assert seen == {OLD, NEW}


class DiskFullError(OSError):
    pass


@pytest.mark.parametrize("n_written", [0, 1, 2])
def test_a_write_that_fails_leaves_the_old_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_written: int
):
    target = tmp_path / "file"
    target.write_bytes(OLD)
    opened = open

    class Full:
        def __init__(self, descriptor: int, mode: str) -> None:
            self.file = opened(descriptor, mode)
            self.left = n_written

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            self.file.close()

        def write(self, piece: bytes) -> int:
            if self.left == 0:
                raise DiskFullError
            self.left -= 1
            return self.file.write(piece)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.file, name)

    monkeypatch.setattr(files, "open", Full, raising=False)
    with pytest.raises(DiskFullError):
        write_file(target, NEW)
    assert target.read_bytes() == OLD
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_permissions_stay_and_links_are_followed(tmp_path: Path):
    target, link = tmp_path / "file", tmp_path / "link"
    target.write_bytes(OLD)
    target.chmod(0o640)
    link.symlink_to("file")
    assert write_file(link, NEW) == link
    assert link.is_symlink()
    assert target.read_bytes() == NEW
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    mask = os.umask(0o027)
    try:
        assert stat.S_IMODE(write_file(tmp_path / "fresh", "é").stat().st_mode) == 0o640
    finally:
        os.umask(mask)
    assert (tmp_path / "fresh").read_bytes() == b"\xc3\xa9"
    assert write_file(os.devnull, NEW) == Path(os.devnull)
    assert not Path(os.devnull).is_file()
    with pytest.raises(FileNotFoundError):
        write_file(tmp_path / "no" / "file", NEW)
    with pytest.raises(TypeError, match="data is a list; wanted bytes or a str"):
        write_file(tmp_path / "fresh", [1])  # pyright: ignore[reportArgumentType]
    assert write_file(tmp_path / ("a" * 255), "").read_bytes() == b""


def test_all_that_is_written_for_users_goes_this_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Whatever saves something is seen to use the one helper; nothing else in the package writes."""
    written: list[str] = []
    monkeypatch.setattr("xg2lab.show.dot.write_file", lambda path, _: written.append(str(path)) or path)
    Dot("digraph {}").save(tmp_path / "a.dot")
    assert written == [str(tmp_path / "a.dot")]
    allowed = {"files.py", "pictures.py", "results.py", "train.py"}  # a folder of its own, or a log that is added to
    for path in (ROOT / "xg2lab").rglob("*.py"):
        lines = path.read_text(encoding="utf-8").splitlines()
        text = "\n".join(line for line in lines if not line.lstrip().startswith((">>>", "...")))  # a reader's file
        writes = any(words in text for words in ("write_text(", "write_bytes(", '.open("w', '.open("a', '.open("x'))
        assert not writes or path.name in allowed, path


# ---- Reading ----


def test_a_small_file_that_unpacks_to_much_is_refused_before(tmp_path: Path):
    """64 MiB in 64 kB: what is unpacked before the refusal is counted, not timed."""
    packed = gzip.compress(bytes(1 << 26), 9)
    assert len(packed) < 1 << 17
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(packed)
    for most in (0, 1, 1 << 20, (1 << 26) - 1):
        with pytest.raises(LimitError, match=f"bomb.json.gz has more than {most} bytes") as caught:
            read_file(path, most)
        assert "max_bytes" in caught.value.hint
    assert len(read_file(path, 1 << 26)) == 1 << 26


def test_parts_and_damage():
    text = bytes(range(256)) * 9
    packed = gzip.compress(text)
    assert inflated(packed + packed + bytes(9), 2 * len(text), "it") == text * 2
    with pytest.raises(LimitError):
        inflated(packed + packed, 2 * len(text) - 1, "it")
    for end in range(3, len(packed)):
        with pytest.raises(DeserializeFormatError, match="cut off"):
            inflated(packed[:end], 1 << 20, "it")
    with pytest.raises(DeserializeFormatError, match="damaged"):
        inflated(packed[:-8] + bytes(8), 1 << 20, "it")


def test_a_trace_is_read_within_its_bound(tmp_path: Path):
    pytest.importorskip("torch")
    from xg2lab.lab.trace.trace import Trace, header

    path = tmp_path / "trace.json.gz"
    trace = Trace(header("demo", vocab_size=3))
    trace.save(path)
    assert Trace.load(path).header == trace.header
    path.write_bytes(gzip.compress(bytes(1 << 24)))
    with pytest.raises(LimitError, match=r"more than 1048576 bytes") as caught:
        Trace.load(path, max_bytes=1 << 20)
    assert "max_bytes" in caught.value.hint
    path.write_bytes(gzip.compress(b"[" + b"[]," * 100_000 + b"[]]"))
    with pytest.raises(LimitError, match="values"):
        Trace.load(path, max_bytes=1 << 20)
    path.write_bytes(gzip.compress(b"[" * 9000))
    with pytest.raises(DeserializeFormatError, match="is not a saved trace"):
        Trace.load(path)
    wire = trace.to_wire()
    wire["header"]["vocab_size"] = 1 << 40
    path.write_bytes(json.dumps(wire).encode())
    with pytest.raises(DeserializeFormatError) as refused:
        Trace.load(path)
    assert refused.value.pointer == "/header/vocab_size"
