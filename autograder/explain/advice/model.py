"""Data type for advice on a result in which no numbers were compared."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Advice:
    """`words` say what happened, what it means and what to do next. `topics` identify helpful headings of the statement,
    best first: each is part of a heading, or a key that the author gave it (see docs/authoring.md)."""

    key: str
    title: str
    words: str
    topics: tuple[str, ...] = ()
