"""What clients may ask with is what a query holds, with the same defaults."""

from __future__ import annotations

import dataclasses

from connote.faces.serving.parameters import QUERY, checked, query_of
from connote.model import Query


def test_there_is_a_parameter_for_each_field_of_a_query() -> None:
    assert [field.name for field in dataclasses.fields(Query)] == list(QUERY)


def test_what_is_not_given_is_as_the_query_has_it() -> None:
    assert Query("x") == query_of(checked({"query": "x"}, QUERY, ("query",)))
