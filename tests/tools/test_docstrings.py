"""The check of docstrings: complete ones pass, and each way to be incomplete is named."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tools.check_docstrings import Public, count, missing, publics
from xg2lab import GrammarMatcher, errors


def whole(word, *, n=1):
    """Repeat a word.

    Parameters
    ----------
    word : str
        The word.
    n : int
        How often.

    Returns
    -------
    str
        The words.

    Raises
    ------
    ArgumentError
        `n` is negative.

    >>> whole("a", n=2)
    'aa'
    """
    if n < 0:
        raise errors.ArgumentError("n is negative")
    return word * n


def reading(text: str) -> int:
    from xg2lab.errors import ArgumentError

    if not text:
        raise ArgumentError("there is no text")
    return int(text)


class Counter:
    """Counts.

    Parameters
    ----------
    n : int
        Where to begin.

    >>> Counter(2).next()
    3
    """

    def __init__(self, n: int) -> None:
        self.n = n

    def next(self) -> int:
        """Return the next number.

        Returns
        -------
        int
            The number.
        """
        return self.n + 1

    @property
    def double(self):
        """Twice the number."""
        return 2 * self.n


@dataclass
class Point:
    """A point.

    Attributes
    ----------
    x : int
        Its place.

    >>> Point(1, 2).x
    1
    """

    x: int
    y: int


SECTIONS = """Read a number.

Parameters
----------
text : str
    The text.

Returns
-------
int
    The number.

Raises
------
ArgumentError
    The text is empty.

>>> reading("1")
1
"""


def documented(text):
    """`reading` with this docstring."""
    reading.__doc__ = text
    return missing(Public("reading", reading))


def test_a_complete_docstring_lacks_nothing():
    assert missing(Public("whole", whole)) == []
    assert documented(SECTIONS) == []


@pytest.mark.parametrize(
    ("was", "becomes", "lacks"),
    [
        ("text : str\n", "text\n", "parameter `text` has no type"),
        ("text : str\n", "word : str\n", "no parameter `text`"),
        ("text : str\n", "text, word : str\n", "there is no parameter `word`"),
        ("Returns\n-------\nint\n    The number.\n", "", "no Returns"),
        ("ArgumentError\n", "LimitError\n", "no Raises: ArgumentError"),
        (">>> reading", "reading", "no example"),
        ('>>> reading("1")', '>>> reading("1")  # doctest: +SKIP', "no example"),
    ],
)
def test_what_is_missing_is_named(was, becomes, lacks):
    assert was in SECTIONS
    assert lacks in documented(SECTIONS.replace(was, becomes))


def test_no_docstring_at_all():
    assert documented("") == ["no docstring"]


def test_a_base_of_the_error_will_do_and_a_reason_stands_for_an_example():
    text = SECTIONS.replace("ArgumentError\n", "RuntimeError, ArgumentError\n")
    text = text.replace('>>> reading("1")\n1', "No example: it needs a number.")
    assert documented(text) == []


def test_the_example_of_a_class_counts_for_the_methods_it_calls():
    method = Public("Counter.next", Counter.next, Counter)
    assert missing(method) == ["no example"]
    assert missing(method, Counter.__doc__) == []
    assert missing(Public("Counter", Counter)) == []


def test_a_property_has_a_type_and_a_dataclass_its_fields():
    assert missing(Public("Counter.double", vars(Counter)["double"], Counter, is_property=True)) == ["no type"]
    assert missing(Public("Point", Point)) == ["no parameter `y`"]


def test_signatures_of_the_engine_are_those_of_the_stub():
    accept = next(each for each in publics() if each.name == "xg2lab.GrammarMatcher.accept_token")
    assert missing(accept) == []
    assert "token_id" in GrammarMatcher.accept_token.__doc__


def test_every_public_name_is_complete():
    counted = count()
    assert counted.incomplete == {}
    assert counted.n_names > 400
