"""The stored diagnosis of a grading, as pages may show it."""

import msgspec

from autograder.explain.misconceptions import title_of
from autograder.explain.misconceptions.numbers import example_of, gradient_of
from autograder.judge.report import Counterexample


class Explanation(msgspec.Struct, frozen=True):
    """An explanation without the note for instructors, which may quote the reference. An empty key means that no known
    mistake matches.

    `title` is empty in gradings stored before explanations had titles. `numbers` is never stored: it is derived from
    the parts of a check that the viewer may see.
    """

    key: str
    words: str
    checks: tuple[str, ...] = ()
    title: str = ""
    counterexample: Counterexample | None = None
    numbers: str = ""

    @property
    def heading(self) -> str:
        if not self.key:
            return "No known mistake explains these numbers"
        return self.title or title_of(self.key)

    @property
    def example(self) -> str:
        return example_of(self.counterexample) if self.counterexample else ""

    @property
    def gradient_of(self) -> str:
        return gradient_of(self.counterexample) if self.counterexample else ""

    @property
    def known(self) -> bool:
        return bool(self.key)
