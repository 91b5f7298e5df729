"""The diagnosis of a grading, as it was stored: what pages may say of it."""

import msgspec

from autograder.judge.misconceptions import title_of


class Told(msgspec.Struct, frozen=True):
    """An explanation without the note for instructors, which may quote the reference. An empty key: none is known.

    `title` is empty in gradings that were stored before explanations had titles. `numbers` is never stored: it is made
    from what the reader may see of a check."""

    key: str
    words: str
    checks: tuple[str, ...] = ()
    title: str = ""
    numbers: str = ""

    @property
    def heading(self) -> str:
        """The title of the misconception."""
        if not self.key:
            return "No known mistake explains these numbers"
        return self.title or title_of(self.key)

    @property
    def known(self) -> bool:
        return bool(self.key)
