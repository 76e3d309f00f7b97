"""What is bundled is named with its licence: in NOTICES.txt beside the bundle, and in exported pages."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

from xg2lab.widgets.bundle import bundle_text
from xg2lab.widgets.export import export_html, picture_page
from xg2lab.widgets.views.tape import Tape

WIDGETS = Path(__file__).parents[2] / "widgets"
RULE = "-" * 80


def sections() -> dict[str, str]:
    """The notices, by the name of the package."""
    parts = [part.strip() for part in bundle_text("NOTICES.txt").split(RULE)][1:]
    return {part.split()[0]: part for part in parts}


def test_every_dependency_of_the_page_is_named_with_version_licence_and_text() -> None:
    wanted = json.loads((WIDGETS / "package.json").read_text(encoding="utf-8"))["dependencies"]
    found = sections()
    for name, version in wanted.items():
        assert found[name].startswith(f"{name} {version}\nLicense: "), name
        assert len(found[name]) > 900, name  # the licence's own text
    # The packages that these depend on are bundled with them.
    assert {"@preact/signals-core", "@lezer/common", "style-mod", "w3c-keyname", "crelt"} <= set(found)


def test_what_the_lock_says_of_a_licence_is_what_the_notices_say() -> None:
    packages = json.loads((WIDGETS / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    ours = [name for name in sections() if f"node_modules/{name}" in packages]
    assert len(ours) > 12
    for name in ours:
        package = packages[f"node_modules/{name}"]
        assert not package.get("dev"), f"{name} is a tool of the build and is in the bundle"
        said = re.search(r"^License: (.+)$", sections()[name], re.MULTILINE)
        assert said is not None
        assert said[1] == package.get("license", said[1]), name


def test_what_is_compiled_into_a_package_is_named() -> None:
    found = sections()
    assert re.match(r"Graphviz \d+\.\d+\.\d+ \(within @hpcc-js/wasm-graphviz\)\nLicense: EPL", found["Graphviz"])
    assert "https://gitlab.com/graphviz/graphviz" in found["Graphviz"]
    assert "License: MIT" in found["Expat"]


def test_an_exported_page_carries_them_and_a_picture_does_not(session: Any, tmp_path: Path) -> None:
    page = export_html(session, tmp_path / "page.html", views=("tape",)).read_text(encoding="utf-8")
    told = re.search(r'<pre id="xg2lab-notices">(.*?)</pre>', page, re.DOTALL)
    assert told is not None
    assert html.unescape(told[1]) == bundle_text("NOTICES.txt")
    assert "xg2lab-notices" not in picture_page(Tape(session))
