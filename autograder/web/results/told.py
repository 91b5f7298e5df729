"""The diagnosis of a grading, as it was stored: what pages may say of it."""

import msgspec


class Told(msgspec.Struct, frozen=True):
    """An explanation without the note for instructors, which may quote the reference. An empty key: none is known."""

    key: str
    words: str
    checks: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """The name of the mistake, as a title."""
        if not self.key:
            return "No known mistake explains these numbers"
        return self.key.replace("-", " ").capitalize()

    @property
    def known(self) -> bool:
        return bool(self.key)
