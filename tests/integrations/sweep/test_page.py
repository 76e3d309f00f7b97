"""The page of a sweep: well-formed whatever the schemas say, self-contained, and its bars lead to cases."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from xg2lab.integrations.sweep import results_page, sweep
from xg2lab.integrations.sweep.page import CASES_OF_A_GROUP
from xg2lab.integrations.sweep.rows import empty_engine, empty_row

HOSTILE = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>\"'&\u202e\x00 ]]>"
VOID = {"meta", "link", "br", "img", "input", "hr"}


class Reader(HTMLParser):
    """Elements in order; each end tag must close the element that is open."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.scripts = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data


def engine(name="xg2lab", verdict="compiled", **more):
    return {**empty_engine(name, verdict), **more}


def hostile_row():
    row = empty_row(HOSTILE, 1, "refused")
    for key in ("name", "command", "message", "schema", "error", "code", "pointer", "keyword"):
        row[key] = HOSTILE
    row["refused_keywords"] = [HOSTILE]
    row["engines"] = [
        engine(HOSTILE, "refused", version=HOSTILE, code=HOSTILE, message=HOSTILE, first_mask_not_accept=HOSTILE)
    ]
    texts = dict.fromkeys(["a", "b", "text", "example_a", "example_b", "wrong", "why"], HOSTILE)
    row["disagreements"] = [
        {"kind": "instance", "instance": 0, "step": 0, "byte": 0, "only_a": 1, "only_b": 1, **texts},
    ]
    row["generated"] = {"text": HOSTILE, "n_tokens": 1, "end": HOSTILE, "is_valid": "no", "is_expected": "", "why": "a"}
    return row


def test_hostile_texts_stay_texts():
    text = results_page([hostile_row()], title=HOSTILE)
    page = Reader(text)
    assert [tag for tag, _ in page.elements].count("script") == 2
    assert "img" not in [tag for tag, _ in page.elements]
    assert not [attrs for _, attrs in page.elements if any(name.startswith("on") for name in attrs)]
    data = json.loads(page.scripts[0])
    assert data["cases"][0]["schema"] == HOSTILE.replace("\u202e", "\\u202E").replace("\x00", "\\x00")
    assert "\u202e" not in text
    assert "\x00" not in text


def test_the_page_s_policy_allows_its_own_script_alone():
    page = Reader(results_page([hostile_row()]))
    policy = next(attrs["content"] for tag, attrs in page.elements if attrs.get("http-equiv"))
    digest = base64.b64encode(hashlib.sha256(page.scripts[1].encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'"
    assert not [attrs for _, attrs in page.elements if {"src", "href"} & {*attrs}]


def test_every_bar_is_a_group_and_every_case_is_there():
    wrong = engine(n_masks=2, mask_max_us=9.0, first_us=500.0, mask_histogram=[0, 1, 1], wrongly_accepted=[0])
    rows = [
        {**empty_row("a", 1, "compiled"), "engines": [wrong, engine("other", "crashed")], "n_instances": 1},
        {**empty_row("b", 2, "refused"), "engines": [engine(verdict="refused", code="c")], "refused_keywords": ["not"]},
        empty_row("c", 3, "unreadable"),
    ]
    page = Reader(results_page(rows))
    data = json.loads(page.scripts[0])
    bars = {attrs["data-group"] for tag, attrs in page.elements if "data-group" in attrs}
    assert bars == {*data["groups"]}
    assert {"verdict/xg2lab/refused", "verdict//unreadable", "keyword/not", "wrongly_accepted/xg2lab"} <= bars
    assert {"first/xg2lab/26", "slowest/xg2lab/15", "verdict/other/crashed", "code/xg2lab/c"} <= bars
    assert [case["id"] for case in data["cases"]] == ["a", "b", "c"]
    assert data["first"] == "wrongly_accepted/xg2lab"
    assert json.loads(Reader(results_page([])).scripts[0]) == {"groups": {}, "cases": [], "first": ""}


def test_a_group_has_a_bound_and_says_how_many_there_are():
    rows = [{**empty_row(f"{k}", k, "unreadable"), "schema": "a" * 50_000} for k in range(CASES_OF_A_GROUP + 5)]
    data = json.loads(Reader(results_page(rows)).scripts[0])
    group = data["groups"]["verdict//unreadable"]
    assert (group["n"], len(group["cases"])) == (CASES_OF_A_GROUP + 5, CASES_OF_A_GROUP)
    assert {(len(case["schema"]), case["schema_cut"]) for case in data["cases"]} == {(20_000, True)}


def test_a_schema_is_there_for_each_message(lines, tmp_path, vocabulary):
    source = lines({"type": "strin"}, {"type": "array", "items": {"type": "string"}, "uniqueItems": True})
    sweep(source, tmp_path / "out.jsonl", vocabulary=vocabulary, workers=1, quiet=True)
    from xg2lab.integrations.sweep import read_rows

    data = json.loads(Reader(results_page(read_rows(tmp_path / "out.jsonl"))).scripts[0])
    first, second = data["cases"]
    assert (first["schema"], data["groups"]["keyword/uniqueItems"]["cases"]) == ('{"type": "strin"}', [1])
    assert "there is no type `strin`" in first["message"]
    assert re.fullmatch(r"xg2lab sweep \S+in\.jsonl --only [0-9a-f]{16} --vocabulary \S+", second["command"])


@pytest.mark.browser
def test_a_bar_leads_to_a_case_and_the_address_leads_there_again(tmp_path):
    from playwright.sync_api import expect, sync_playwright

    from tests.ui.jupyter import ARGS, chromium_path

    refused = {**empty_row("b", 2, "refused"), "engines": [engine(verdict="refused", code="c")]}
    refused |= {"name": "second", "schema": '{"title": "</script>"}', "message": "because"}
    rows = [{**empty_row("a", 1, "compiled"), "engines": [engine()], "name": "first"}, refused, hostile_row()]
    path = tmp_path / "page.html"
    path.write_text(results_page(rows), encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=ARGS)
        page = browser.new_page()
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text))
        page.goto(path.as_uri())
        page.locator('button[data-group="code/xg2lab/c"]').click()
        cases = page.locator("#cases details")
        expect(cases).to_have_count(1)
        cases.first.locator("summary").click()
        expect(cases.first).to_contain_text("because")
        expect(cases.first.locator("pre").nth(1)).to_have_text('{\n  "title": "</script>"\n}')
        expect(page).to_have_url(re.compile("group=code%2Fxg2lab%2Fc&case=b$"))
        address = page.url
        page.goto("about:blank")
        page.goto(address)
        expect(page.locator("#cases details[open]")).to_contain_text("because")
        page.locator('button[data-group^="wrong/"]').click()
        page.locator("#cases summary").click()
        expect(page.locator("#cases details[open] pre").first).to_contain_text("<script>alert(1)")
        browser.close()
    assert errors == []
