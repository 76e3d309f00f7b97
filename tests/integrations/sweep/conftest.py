"""What tests of sweeps share: a vocabulary of single bytes, in memory and as a file; inputs and rows."""

import json

import pytest

from xg2lab import TokenizerInfo
from xg2lab.integrations.sweep import SweepOptions
from xg2lab.integrations.sweep.measuring import Tools, measured


@pytest.fixture(scope="session")
def info():
    return TokenizerInfo([*(bytes([byte]) for byte in range(256)), b"</s>"], stop_token_ids=[256])


@pytest.fixture(scope="session")
def vocabulary(info, tmp_path_factory):
    path = tmp_path_factory.mktemp("vocabulary") / "bytes.json"
    path.write_text(info.serialize_json(), encoding="utf-8")
    return str(path)


@pytest.fixture
def lines(tmp_path):
    """Writes an input file, a value a line; a str as it is."""

    def write(*values, name="in.jsonl"):
        path = tmp_path / name
        texts = [value if isinstance(value, str) else json.dumps(value) for value in values]
        path.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
        return path

    return write


@pytest.fixture
def do(info):
    """Does one row in this process."""

    def one(value, *engines, what=("audit",), lost=None):
        tools = Tools(SweepOptions(what, engines or ("xg2lab",)), info)
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        stages = []
        row = measured(data, tools, lost, stages.append)
        return row, stages

    return one
