"""The front end's lock can be installed from anywhere: nothing is missing, and no registry is named."""

import json

from tools.bundle import LOCK

PACKAGES = json.loads(LOCK.read_text(encoding="utf-8"))["packages"]


def test_no_optional_package_of_another_platform_is_missing():
    """`npm ci` refuses a lock that lacks one, everywhere. npm writes one where a registry serves one platform."""
    present = {key.rpartition("node_modules/")[2] for key in PACKAGES}
    optional = {name for package in PACKAGES.values() for name in package.get("optionalDependencies", {})}
    assert optional
    assert optional - present == set()


def test_no_package_says_where_it_was_fetched():
    assert [name for name, package in PACKAGES.items() if "resolved" in package] == []
