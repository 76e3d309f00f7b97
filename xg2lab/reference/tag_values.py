r"""Values of a JSON Schema in a structural tag: as JSON, or as elements of the style `qwen_xml`.

>>> schema = {"properties": {"s": {"type": "string"}, "n": {"type": "integer"}}, "required": ["n"]}
>>> is_json('{"n": 1}', schema), is_json(' {"n": 1}', schema)
(True, False)
>>> is_elements("<parameter=s>a <b> c</parameter>\n<parameter=n>1</parameter>", schema)
True
>>> is_elements("<parameter=s>1</parameter>", schema)
False

A string is written into its element without escapes; a line break on either side is the element's.
Other values are JSON. Members come as the schema declares them, each at most once.

See also: json_schema.py, which judges values.
"""

import json
import re
from typing import Any

from xg2lab.reference.json_schema import is_valid

ELEMENT = re.compile(r"\s*<parameter=([^>]*)>(.*?)</parameter>", re.DOTALL)


def is_json(text: str, schema: Any) -> bool:
    """Is it JSON, without anything around it or half a surrogate pair in it, and valid?"""
    try:
        value = json.loads(text)
        json.dumps(value, ensure_ascii=False).encode()
        return text == text.strip(" \t\r\n") and is_valid(schema, value)
    except ValueError:  # UnicodeEncodeError is one
        return False


def is_elements(text: str, schema: Any) -> bool:
    """Are these the elements of an object that is valid?"""
    members: list[tuple[str, str]] = []
    at = 0
    while (found := ELEMENT.match(text, at)) is not None:
        members.append((found[1], found[2]))
        at = found.end()
    names = [name for name, _ in members]
    declared = schema.get("properties", {})
    if text[at:].strip() or names != [name for name in declared if name in names]:
        return False
    has_needed = all(name in names for name in schema.get("required", []))
    return has_needed and all(is_value(value, declared[name]) for name, value in members)


def is_value(text: str, schema: Any) -> bool:
    """Is it a valid string as it stands, or another valid value as JSON?"""
    if is_valid(schema, text.removeprefix("\n").removesuffix("\n")):
        return True
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return not isinstance(value, str) and is_valid(schema, value)
