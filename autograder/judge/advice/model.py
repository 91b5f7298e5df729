"""What is said about a result in which no numbers were compared: what happened, what it means here, what to do next."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Advice:
    """`topics` are the headings of a statement that help, best first: each a few words of one, or the key that an author gave
    to one (see docs/authoring.md)."""

    key: str
    title: str
    words: str
    topics: tuple[str, ...] = ()
