"""What a student reads about one misconception."""

from dataclasses import dataclass

import msgspec


@dataclass(frozen=True)
class Misconception:
    """`title` names the mistake as a textbook would. `text` explains it in one to three sentences: what the numbers show,
    why that is wrong, where to look.

    A claim is made from numbers and never from code, so the first sentence must be true of every program that gives these
    numbers. Neither field quotes the reference or gives the corrected line.
    """

    title: str
    text: str


class Reworded(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the author of an exercise says of a misconception; an empty field leaves it to the catalogue."""

    title: str = ""
    text: str = ""
