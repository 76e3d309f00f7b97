"""The front end's lock can be installed from anywhere: nothing is missing, and no registry is named."""

import json

import pytest

from tools.complete_lock import LOCK, missing

pytestmark = pytest.mark.skipif(not LOCK.exists(), reason="this checkout has no front end")


def test_no_optional_package_of_another_platform_is_missing():
    # `python -m tools.complete_lock` adds them
    assert missing(json.loads(LOCK.read_text(encoding="utf-8"))) == {}


def test_no_package_says_where_it_was_fetched():
    packages = json.loads(LOCK.read_text(encoding="utf-8"))["packages"]
    assert [name for name, package in packages.items() if "resolved" in package] == []


def test_a_missing_package_gets_its_platform():
    wanted = {"@a/cli-darwin-arm64": "2.0.0", "@a/here": "2.0.0"}
    tool = {"version": "2.0.0", "dev": True, "optionalDependencies": wanted}
    lock = {"packages": {"node_modules/tool": tool, "node_modules/@a/here": {}}}
    entry = {"version": "2.0.0", "dev": True, "optional": True, "cpu": ["arm64"], "os": ["darwin"]}
    assert missing(lock) == {"node_modules/@a/cli-darwin-arm64": entry}
