"""Reads and changes an `exercise.toml` as a form does: whatever the form does not show stays as the author wrote it."""

from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from autograder.courses.errors import Refused

PATH = "exercise.toml"
PLAIN = ("title", "unit", "difficulty", "minutes", "points", "profile", "public_checks_miss")
OPTIONAL = ("minutes", "public_checks_miss")  # left out of the file when empty
LIMITS = ("cpu_seconds", "wall_seconds")


def values_of(text: str) -> dict[str, Any]:
    """The values of the form's fields. Raises `Refused` if the text is not TOML."""
    document = _parsed(text)
    limits = document.get("limits", {})
    concepts = document.get("concepts", [])
    return {
        **{name: document.get(name) for name in PLAIN},
        **{name: limits.get(name) for name in LIMITS if isinstance(limits, Mapping)},
        "concepts": ", ".join(map(str, concepts)) if isinstance(concepts, list) else "",
    }


def with_values(text: str, values: Mapping[str, Any]) -> str:
    """The text with the values of a form in it."""
    document = _parsed(text)
    for name in PLAIN:
        _set(document, name, values[name], optional=name in OPTIONAL)
    concepts = [word.strip() for word in values["concepts"].split(",") if word.strip()]
    if list(document.get("concepts", [])) != concepts:
        document["concepts"] = concepts
    if "limits" not in document and any(values[name] is not None for name in LIMITS):
        document["limits"] = tomlkit.table()
    for name in LIMITS if "limits" in document else ():
        _set(document["limits"], name, values[name], optional=True)
    return tomlkit.dumps(document)


def _set(table: Any, name: str, value: Any, *, optional: bool) -> None:
    if optional and value in (None, ""):
        table.pop(name, None)
    elif table.get(name) != value:
        table[name] = value


def _parsed(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except (TOMLKitError, ValueError, RecursionError) as error:
        raise Refused(f"{PATH} cannot be read: {error}") from error
