"""What clients ask with: each parameter once, for schemas, for query strings and for JSON."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from connote.languages import language_named
from connote.model import MOST_HITS, SYMBOL_KINDS, Query

Schema = dict[str, Any]

_MOST_QUERY = 10_000
_MOST_PATH = 4096
_MOST_ITEMS = 100
_SURROGATE = re.compile("[\ud800-\udfff]")
_WHOLE = re.compile(r"[+-]?[0-9]{1,20}")
_DECIMAL = re.compile(r"[+-]?([0-9]{1,20}(\.[0-9]{0,400})?|\.[0-9]{1,400})([eE][+-]?[0-9]{1,3})?")


def _texts(description: str, **items: Any) -> Schema:
    return {
        "type": "array",
        "items": {"type": "string", "maxLength": _MOST_PATH, **items},
        "maxItems": _MOST_ITEMS,
        "description": description,
    }


_LIMIT: Schema = {
    "type": "integer", "minimum": 1, "maximum": MOST_HITS, "default": 10, "description": "The most hits to return.",
}  # fmt: skip
_PATH: Schema = {
    "type": "string", "minLength": 1, "maxLength": _MOST_PATH,
    "description": "A file, relative to the root, with `/`.",
}  # fmt: skip

QUERY: dict[str, Schema] = {
    "query": {
        "type": "string", "maxLength": _MOST_QUERY,
        "description": "What the code does that is looked for, in your own words, or a name.",
    },
    "limit": _LIMIT,
    "mode": {
        "type": "string", "enum": ["hybrid", "semantic", "lexical"], "default": "hybrid",
        "description": "Meaning and words together, meaning alone, or words alone.",
    },
    "include": _texts("Globs of files to search, relative to the root: **, *, ?, [a-z], {a,b}."),
    "exclude": _texts("Globs of files to leave out."),
    "ignore_case": {"type": "boolean", "default": False, "description": "Whether globs ignore case."},
    "languages": _texts("Languages to search, such as python or py."),
    "exclude_languages": _texts("Languages to leave out."),
    "kinds": _texts("Only definitions of these kinds.", enum=list(SYMBOL_KINDS)),
    "prefix": {
        "type": "string", "maxLength": _MOST_PATH, "description": "Only this folder or file, relative to the root.",
    },
    "tests": {"type": "boolean", "default": True, "description": "Whether files of tests may be found."},
    "definitions": {
        "type": "boolean", "default": False, "description": "Whether hits are symbols, the best place of each once.",
    },
    "min_score": {
        "type": "number", "minimum": 0, "maximum": 1, "description": "The least score of a hit; .15 unless set.",
    },
    "relax": {
        "type": "boolean", "default": True,
        "description": "Whether to try once more at half of min_score when nothing is found.",
    },
    "context": {
        "type": "integer", "minimum": 0, "maximum": 1000, "default": 0,
        "description": "Lines of the file to add before and after each hit.",
    },
    "why": {"type": "boolean", "default": False, "description": "Whether hits say what their score is the sum of."},
}  # fmt: skip
"""The fields of `model.Query`."""

SIMILAR: dict[str, Schema] = {
    "path": _PATH,
    "line": {
        "type": "integer", "minimum": 1, "maximum": 2_147_483_647, "description": "A line of it, counted from 1.",
    },
    "limit": _LIMIT,
}  # fmt: skip
READ: dict[str, Schema] = {
    "path": _PATH,
    "start_line": {**SIMILAR["line"], "description": "The first line, counted from 1; without it, the first."},
    "end_line": {**SIMILAR["line"], "description": "The last line; without it, the last of the file."},
}
INDEX: dict[str, Schema] = {
    "rebuild": {"type": "boolean", "default": False, "description": "Whether to start afresh."},
}


def object_schema(parameters: Mapping[str, Schema], required: Sequence[str] = ()) -> Schema:
    """Return the JSON Schema of an object with these parameters and no others."""
    schema: Schema = {"type": "object", "properties": dict(parameters), "additionalProperties": False}
    return {**schema, "required": list(required)} if required else schema


def checked(
    values: Mapping[str, object], parameters: Mapping[str, Schema], required: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the values that are given, each as its schema says, and the defaults of those that are not.

    Raises ValueError, in a sentence, for an unknown name, a missing value, and one of a wrong type or out of range.
    """
    unknown = [name for name in values if name not in parameters]
    if unknown:
        raise ValueError(f"there is no parameter {unknown[0][:100]!a}; there are {', '.join(parameters)}")
    given = {name: _checked(name, value, parameters[name]) for name, value in values.items()}
    for name in required:
        if name not in given:
            raise ValueError(f"{name} is missing")
    defaults = {name: schema["default"] for name, schema in parameters.items() if "default" in schema}
    return {**defaults, **given}


def query_of(values: Mapping[str, Any]) -> Query:
    """Return the query that checked values make."""
    fields: dict[str, Any] = dict(values)
    for name, value in values.items():
        if isinstance(value, list):
            fields[name] = tuple(value)
    for name in ("languages", "exclude_languages"):
        if name in fields:
            fields[name] = tuple(map(language_named, fields[name]))
    # Half a character is nothing that a model could read.
    fields["query"] = _SURROGATE.sub("\ufffd", fields["query"])
    return dataclasses.replace(Query(""), **fields)


def from_strings(pairs: Sequence[tuple[str, str]], parameters: Mapping[str, Schema]) -> dict[str, object]:
    """Return the values that a query string gives: lists from repeated names, the rest by what its schema says.

    What is not what it should be stays a string, for `checked` to refuse. Raises ValueError for a name that is given
    twice and is no list.
    """
    values: dict[str, Any] = {}
    for name, text in pairs:
        kind = parameters.get(name, {}).get("type")
        if kind == "array":
            values.setdefault(name, []).append(text)
        elif name in values:
            raise ValueError(f"{name} is given twice")
        else:
            values[name] = _value(text, kind)
    return values


def _value(text: str, kind: str | None) -> object:
    if kind == "boolean":
        return {"true": True, "1": True, "false": False, "0": False}.get(text, text)
    if kind == "integer" and _WHOLE.fullmatch(text):
        return int(text)
    if kind == "number" and _DECIMAL.fullmatch(text):
        return float(text)
    return text


def _checked(name: str, value: object, schema: Schema) -> Any:
    kind = schema["type"]
    if kind == "string":
        return _text(name, value, schema)
    if kind == "boolean":
        if not isinstance(value, bool):
            raise ValueError(f"{name} is neither true nor false")
        return value
    if kind == "array":
        return _list(name, value, schema)
    return _number(name, value, schema)


def _list(name: str, value: object, schema: Schema) -> list[str]:
    if not isinstance(value, list):
        raise ValueError(f"{name} is no list")
    if len(value) > schema["maxItems"]:
        raise ValueError(f"{name} has more than {schema['maxItems']} entries")
    return [_text(f"an entry of {name}", one, schema["items"]) for one in value]


def _number(name: str, value: object, schema: Schema) -> int | float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{name} is no number")
    if not schema["minimum"] <= value <= schema.get("maximum", value):
        raise ValueError(f"{name} is {_short(value)}; it can be {schema['minimum']} to {schema['maximum']}")
    if schema["type"] == "integer":
        if value != int(value):
            raise ValueError(f"{name} is {value}, which is no whole number")
        return int(value)
    return float(value)


def _text(name: str, value: object, schema: Schema) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} is no text")
    if len(value) > schema.get("maxLength", len(value)):
        raise ValueError(f"{name} has more than {schema['maxLength']:,} characters")
    if len(value) < schema.get("minLength", 0):
        raise ValueError(f"{name} is empty")
    if "enum" in schema and value not in schema["enum"]:
        raise ValueError(f"{name} is {value[:100]!a}; it can be {', '.join(schema['enum'])}")
    return value


def _short(number: float) -> str:
    # The digits of a very long one are nobody's wish, and Python refuses to write them.
    return str(number) if abs(number) < 1e15 else "out of range"
