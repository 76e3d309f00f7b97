"""What the build and the checks of the page's sources refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.page_sources import Sources


def test_the_editor_takes_what_is_outside_its_folder_from_the_kit(tmp_path: Path) -> None:
    sources = Sources(tmp_path)
    sources.replace(
        "src/editor/heat.ts", "// Heat of the source", 'import { page } from "../page";\npage();\n// Heat of the source'
    )
    with pytest.raises(AssertionError, match=r"src/kit\.ts what lies outside its folder, not from \.\./page"):
        sources.build()


def test_a_saved_notebook_has_a_budget(tmp_path: Path) -> None:
    sources = Sources(tmp_path)
    sources.replace("build.mjs", "SAVED_BUDGET_BYTES = 219 * 1024", "SAVED_BUDGET_BYTES = 100 * 1024")
    with pytest.raises(AssertionError, match=r"the views take [0-9]+ B of a saved notebook, more than 102400"):
        sources.build()


def test_imports_in_a_circle_are_refused(tmp_path: Path) -> None:
    sources = Sources(tmp_path)
    sources.replace(
        "src/text.ts", "export ", 'import { Panel } from "./parts/small";\nexport const panel = Panel;\nexport '
    )
    with pytest.raises(AssertionError, match="noImportCycles"):
        sources.check()
