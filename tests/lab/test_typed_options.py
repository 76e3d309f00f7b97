"""Keyword arguments that are passed on have a type each; it is the type that the receiver gives them."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from xg2lab.lab.comparison.comparing import compare
from xg2lab.lab.comparison.shortest import Bounds, shortest_disagreement
from xg2lab.lab.model.sampling import SamplingChanges, SamplingOptions
from xg2lab.options import EngineOptions, EngineSwitches

LEFT_TO_THE_WIDGET = {"session", "other", "tell", "is_cancelled"}
OF_ENGINES = {"engines", "source"}  # compared by another method of the view


@pytest.mark.parametrize(("some", "whole"), [(EngineSwitches, EngineOptions), (SamplingChanges, SamplingOptions)])
def test_some_fields_of_options_have_the_types_of_the_options(some: type, whole: type) -> None:
    assert written(some) == {field.name: field.type for field in dataclasses.fields(whole)}


def keywords(function: Callable[..., Any]) -> dict[str, str]:
    """Parameters by name, with their types as they are written; not those that take what is left."""
    parameters = inspect.signature(function).parameters.values()
    return {one.name: one.annotation for one in parameters if one.kind is not one.VAR_KEYWORD}


def written(of: type) -> dict[str, str]:
    """The fields of a dict of keyword arguments, with their types as they are written."""
    return {name: reference.__forward_arg__ for name, reference in of.__annotations__.items()}


def test_the_bounds_of_a_search_are_parameters_of_the_search() -> None:
    known = keywords(shortest_disagreement)
    assert written(Bounds) == {name: known[name] for name in written(Bounds)}


def test_what_widgets_pass_on_are_the_parameters_of_the_functions_behind() -> None:
    pytest.importorskip("anywidget")
    from xg2lab.widgets.comparer import Compared
    from xg2lab.widgets.export import ExportOptions, export_html

    own = {name: of for name, of in keywords(compare).items() if name not in LEFT_TO_THE_WIDGET | OF_ENGINES}
    assert written(Compared) == own | written(EngineSwitches)
    assert written(ExportOptions) == {n: of for n, of in keywords(export_html).items() if n not in ("session", "path")}
