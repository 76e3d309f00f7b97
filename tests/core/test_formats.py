"""The standard's formats: nothing that is invalid is accepted, and what is valid is, but for what formats.h names.

The standard's own cases and MaskBench's instances are read from the data folder where it is there (XG2LAB_DATA).
"""

import datetime as dt
import ipaddress
import json
import lzma
import random
from typing import Any

import pytest

import xg2lab as xgr
from tests.generators import SHARE, seeded
from tests.vocabularies import DATA
from xg2lab._core import RegularLanguage, format_language, format_names, format_pattern
from xg2lab.errors import UnsupportedError

REGULAR = [name for name in format_names() if name != "regex"]
N = max(1, round(3000 * SHARE))


def language(name: str) -> RegularLanguage:
    made = format_language(name)
    assert made is not None
    return made


# ---- The table ----

#: Valid texts, and invalid ones, with two spaces between them.
CASES = {
    "date-time": (
        "2024-02-29T23:59:59.5Z  1985-04-12t23:20:50-23:59  1998-12-31T23:59:60z  0000-01-01T00:00:00+00:00",
        "2023-02-29T00:00:00Z  2024-01-01T24:00:00Z  2024-01-01T00:00:00  2024-01-01T00:00:60Z",
    ),
    "date": ("2000-02-29  2024-12-31", "1900-02-29  2024-11-31  2024-13-01  24-01-01"),
    "time": (
        "00:00:00Z  23:59:60Z  23:59:60.25-00:00  12:00:00.000+05:45",
        "00:00:60Z  12:00:00  12:00:00+24:00  1:00:00Z",
    ),
    "duration": ("P1Y  P1Y2M3D  PT36H  P2W  P1DT1S", "P  P1Y1D  PT  P1W1D  P1H  PT1.5S  p1y"),
    "email": (
        'a@b  "a b"@x.org  "\\""@x  a@[127.0.0.1]  a@[IPv6:::1]  a+b@x-y.com',
        'a  a@  @b  a..b@c  a@b..c  a@-b  a@[1.2.3]  a@b.  a b@c  "a"b@c  "\\"@x',
    ),
    "idn-email": ("é@ü.com  실례@실례.테스트  a@b", "@é  é@ü..com  é"),
    "hostname": ("a  a-b.c  A.1  x--y.com", "-a  a-  a..b  a_b  .a  a.  ab--c  xn--a  é"),
    "idn-hostname": (
        "ü.de  例え.テスト  a-b  münchen-flughafen.de  παράδειγ.δοκιμή  a。b",
        "-ü  ü-  Üb  ab--ü  ａ  é..a  a·b  אב",
    ),
    "ipv4": ("0.0.0.0  255.249.199.9", "256.0.0.1  01.2.3.4  1.2.3  1.2.3.4.5"),
    "ipv6": (
        "::  ::1  1::  1:2:3:4:5:6:7:8  1:2:3:4:5:6:1.2.3.4  1::1.2.3.4  1:2:3:4:5:6:7::",
        ":::  1  1:2:3:4:5:6:7  1::2::3  ::12345  ::1%a  1:2:3:4:5:6:7::8",
    ),
    "uri": (
        "a:  http://a/b?c#d  mailto:a@b.c  urn:a:b  http://[::1]:80/  http://[v1.a:b]",
        "a  /a  //a  http://[::1  http://a b  a:%2  a:#b#c",
    ),
    "uri-reference": ("a  /a  //a  ?q  #f  ./a:b  http://[::1]", "1:b  a\\b  a#b#c  [  //@a@b@c"),
    "iri": ("http://ü/ä?\ue000  a:", "ü  http://a/\ue000"),
    "iri-reference": ("ü  #ä  //ü?\U000f0000", "ü\ue000  [ü]"),
    "uuid": (
        "123e4567-e89b-12d3-a456-42661417400A",
        "123e4567e89b12d3a456426614174000  g23e4567-e89b-12d3-a456-426614174000",
    ),
    "uri-template": ("/{a}/{+b,c:12}  {x}  {?q*}  ü  a%20", "{  }  {a  {{a}}  {a:0}  {=a}  %2"),
    "json-pointer": ("/  /a~0b~1  //x", "a  /~  /~2  #/a"),
    "relative-json-pointer": ("0  1#  10/a/b", "01  -1  a  1##  0+1"),
}


@pytest.mark.parametrize("name", REGULAR)
def test_each_format_has_its_cases(name: str):
    valid, invalid = CASES[name]
    made = language(name)
    assert [text for text in valid.split("  ") if not made.accepts(text)] == []
    assert [text for text in invalid.split("  ") if made.accepts(text)] == []


def test_names():
    assert len(REGULAR) == 18
    assert format_language("color") is None
    assert format_pattern("color") == format_pattern("regex") == ""
    with pytest.raises(UnsupportedError, match='"regex" is not regular'):
        format_language("regex")


@pytest.mark.parametrize("name", REGULAR)
def test_a_format_is_the_language_of_its_pattern(name: str):
    """Some are made in another way, because that is faster; a grammar that is printed has the pattern."""
    with xgr.work_limits(max_seconds=60):  # the pattern of idn-email takes half of the usual limit
        assert RegularLanguage.from_regex(format_pattern(name)) == language(name)


# ---- Others' knowledge ----


def test_dates_as_the_calendar_has_them():
    made = language("date")
    for year in (1, 4, 100, 400, 1600, 1899, 1900, 1904, 1999, 2000, 2023, 2024, 2096, 2100, 9999):
        for month in range(14):
            for day in range(33):
                text = f"{year:04}-{month:02}-{day:02}"
                assert made.accepts(text) == is_date(text), text
    n_days = sum(made.accepts(f"{year:04}-02-29") for year in range(10000))
    assert n_days == 2425  # the year 0 too


def is_date(text: str) -> bool:
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def test_leap_seconds_are_the_last_of_a_day_in_utc():
    made = language("time")
    for minutes in range(1440):
        for offset in [*range(-1410, 1411, 30), 59, -1, 1439]:
            sign = "-" if offset < 0 else "+"
            text = f"{minutes // 60:02}:{minutes % 60:02}:60{sign}{abs(offset) // 60:02}:{abs(offset) % 60:02}"
            is_last = (minutes - offset) % 1440 == 1439
            assert made.accepts(text) == (is_last and offset % 30 == 0), text


def changed(rng: random.Random, text: str, letters: str) -> str:
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        at = rng.randint(0, len(text))
        text = text[:at] + rng.choice([*letters, "", ""]) + text[at + rng.randint(0, 2) :]
    return text


@pytest.mark.parametrize(("name", "address"), [("ipv4", ipaddress.IPv4Address), ("ipv6", ipaddress.IPv6Address)])
def test_addresses_as_python_reads_them(name: str, address: Any):
    rng = seeded(f"formats/{name}")
    made = language(name)
    for _ in range(3 * N):
        groups = [format(rng.choice([0, rng.randrange(65536)]), "x") for _ in range(8)]
        text = ":".join(groups)
        if name == "ipv4" or rng.random() < 0.3:
            octets = ".".join(
                str(rng.choice([0, 9, 99, 199, 249, 250, 255, 256, rng.randrange(256)])) for _ in range(4)
            )
            text = octets if name == "ipv4" else ":".join(groups[:6]) + ":" + octets
        if name == "ipv6" and rng.random() < 0.6:
            text = text.replace(":".join(groups[(at := rng.randrange(6)) : at + rng.randint(1, 4)]), "", 1)
        text = changed(rng, text, "0129:.af:")
        try:
            address(text)
            is_valid = True
        except ValueError:
            is_valid = False
        assert made.accepts(text) == is_valid, text


def test_internationalized_names_can_be_written_out():
    idna = pytest.importorskip("idna")
    rng = seeded("formats/idn")
    made = language("idn-hostname")
    letters = "ab9-üßñαωςбя例え々ー한글"
    n_accepted = 0
    for _ in range(N):
        weights = [rng.choice([1, 8]) for _ in letters]
        labels = ["".join(rng.choices(letters, weights, k=rng.choice([1, 3, 8, 9, 14, 30, 39]))) for _ in range(3)]
        text = ".".join(labels[: rng.randint(1, 3)])
        if made.accepts(text):
            n_accepted += 1
            assert len(idna.encode(text)) <= 253, text
    assert n_accepted > N / 20


def test_lengths_of_names():
    made = language("hostname")
    assert made.accepts("a" * 63 + ".com")
    assert not made.accepts("a" * 64 + ".com")
    assert not made.accepts(".".join(["a" * 63] * 4))
    mail = language("email")
    assert mail.accepts("a" * 64 + "@b")
    assert not mail.accepts("a" * 65 + "@b")
    assert mail.accepts('"' + "@" * 62 + '"@b')
    assert not mail.accepts('"' + "@" * 63 + '"@b')
    longest = ".".join("a" * n for n in (63, 63, 32, 16, 16, 16, 8, 8, 8, 8))
    assert made.accepts(longest)
    assert len(longest) <= 253
    assert not made.accepts(longest + "a")
    assert not made.accepts(longest + ".a")


# ---- The standard's cases, and MaskBench's instances ----

#: Valid texts that are not in, by formats.h and host_names.h: a part of each case's description or
#: text.
LEFT_OUT = {
    "hostname": ["xn--"],
    "idn-hostname": [
        "xn--", "Exceptions that are PVALID", "MIDDLE DOT", "KERAIA", "GERESH", "GERSHAYIM", "Arabic-Indic",
        "ZERO WIDTH", "label too long if separator ignored",
    ],
    "idn-email": ["not in Unicode NFC is valid"],
}  # fmt: skip


def suite() -> list[tuple[str, str, str, bool]]:
    path = DATA / "json-schema-test-suite" / "draft2020-12.json"
    if not path.exists():
        pytest.skip(f"no standard's cases: {path} is not there (set XG2LAB_DATA to the data folder)")
    return [
        (group["schema"]["format"], test["description"], test["data"], test["valid"])
        for group in json.loads(path.read_text(encoding="utf-8"))
        if group["file"].startswith("optional/format/") and group["schema"].get("format") in REGULAR
        for test in group["tests"]
        if isinstance(test["data"], str)
    ]


def test_the_standards_own_cases():
    cases = suite()
    assert len(cases) > 500
    left_out: list[str] = []
    for name, description, text, is_valid in cases:
        is_in = language(name).accepts(text)
        if is_in == is_valid:
            continue
        assert not is_in, f"{name}: {text!r} is accepted, though {description}"
        assert any(words in description or words in text for words in LEFT_OUT.get(name, [])), f"{name}: {text!r}"
        left_out.append(text)
    assert len(left_out) < 45


def strings_of(schema: Any, value: Any) -> list[tuple[str, str]]:
    """The strings of a valid instance that have a format, as far as properties and items lead to them."""
    if not isinstance(schema, dict):
        return []
    found: list[tuple[str, str]] = []
    if isinstance(value, str) and schema.get("format") in REGULAR:
        found.append((schema["format"], value))
    properties = schema.get("properties")
    if isinstance(value, dict) and isinstance(properties, dict):
        for key in value.keys() & properties.keys():
            found += strings_of(properties[key], value[key])
    if isinstance(value, list):
        for item in value:
            found += strings_of(schema.get("items"), item)
    return found


@pytest.mark.slow
def test_instances_of_maskbench_have_their_formats():
    path = DATA / "maskbench" / "dev.jsonl.xz"
    if not path.exists():
        pytest.skip(f"no MaskBench: {path} is not there (set XG2LAB_DATA to the data folder)")
    n_checked = 0
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if '"format"' not in line:
                continue
            row = json.loads(line)
            for test in row["tests"]:
                for name, text in strings_of(row["schema"], test["data"]) if test["valid"] else []:
                    n_checked += 1
                    assert language(name).accepts(text), f"{row['id']}: {text!r} is no {name}"
    assert n_checked > 500
