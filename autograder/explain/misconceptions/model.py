"""Data types for the title and the explanation of a misconception."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Misconception:
    """`title` names the mistake as a textbook would. `text` explains what the numbers show, why that is wrong and where to
    look.

    Claims are based on numbers and never on code, so the first sentence must be true of every program that produces these
    numbers. Neither field quotes the reference or gives the corrected line.
    """

    title: str
    text: str
