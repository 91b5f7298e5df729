"""The file format of a backup: a zip with one JSON-lines member per table, and a manifest that describes the contents.

An archive may come from an untrusted source. Nothing is extracted to disk, no name in it is used as a path, nothing is
unpickled, and only one row at a time is held in memory. Members, rows, sizes and hashes must match the manifest.
"""

import hashlib
import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Annotated

import msgspec

from autograder.courses.errors import Refused

FORMAT, EDITION = "gradus-backup", 1
MANIFEST = "manifest.json"
LARGEST_MANIFEST = 1 << 20
LARGEST_DIRECTORY = 1 << 20  # the zip's central directory
LARGEST_ROW = 64 << 20
UNSUSPICIOUS = 1 << 30  # bytes; an archive may always unpack to this size
FOLD = 200  # the maximum compression ratio above that size; reports compress to a tenth or less
BUFFER = 1 << 20
# The exceptions that zipfile raises for files that are damaged, encrypted or of another kind; NotImplementedError for an
# unknown compression method.
UNREADABLE = (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error)
PERSONAL = (
    "This file contains personal data: names, email addresses, password hashes, submissions, grades and the audit trail. "
    "Keep it where only people who may read the database can read it, and delete it when you no longer need it."
)
Count = Annotated[int, msgspec.Meta(ge=0)]


class Held(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of the archive for one table."""

    name: str
    columns: tuple[str, ...]
    rows: Count
    bytes: Count
    sha256: str

    @property
    def member(self) -> str:
        return f"tables/{self.name}.jsonl"


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: str
    edition: int
    made_at: datetime
    gradus: str
    django: str
    database: str
    personal_data: str
    left_out: dict[str, str]
    migrations: dict[str, tuple[str, ...]]
    tables: tuple[Held, ...]

    @property
    def rows(self) -> int:
        return sum(held.rows for held in self.tables)


class Edition(msgspec.Struct):
    """The part of a manifest that is read first, because a later edition may have a different format."""

    format: str
    edition: int
    gradus: str = "?"


class Writing:
    """An archive that is being written: one table after another, and the manifest at the end."""

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)

    def add(self, name: str, columns: tuple[str, ...], lines: Iterator[bytes]) -> Held:
        digest, rows, size = hashlib.sha256(), 0, 0
        place = Held(name, columns, 0, 0, "").member
        with self._zip.open(place, "w", force_zip64=True) as member, io.BufferedWriter(member, BUFFER) as out:  # type: ignore[arg-type]
            for line in lines:
                digest.update(line)
                out.write(line)
                rows, size = rows + 1, size + len(line)
        return Held(name, columns, rows, size, digest.hexdigest())

    def finish(self, manifest: Manifest) -> None:
        self._zip.writestr(MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=1))
        self._zip.close()


class Archive:
    """An archive that is being read. Anything that does not match its manifest is refused with a message."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
            self.manifest = self._read_manifest()
        except (*UNREADABLE, KeyError, ValueError) as error:
            raise Refused(f"This file is not a Gradus backup, or it is incomplete: {error}.") from error
        self._refuse_other_members(size)

    def _read_manifest(self) -> Manifest:
        with self._zip.open(MANIFEST) as member:
            text = member.read(LARGEST_MANIFEST + 1)
        if len(text) > LARGEST_MANIFEST:
            raise ValueError("the manifest is too long")
        edition = msgspec.json.decode(text, type=Edition)
        if edition.format != FORMAT:
            raise ValueError("the manifest belongs to a different kind of file")
        if edition.edition > EDITION:
            raise Refused(
                f"This backup was made by Gradus {edition.gradus} in a newer format ({edition.edition}; "
                f"this version reads up to {EDITION}). "
                f"Restore it with Gradus {edition.gradus} or later."
            )
        return msgspec.json.decode(text, type=Manifest)

    def _refuse_other_members(self, size: int) -> None:
        names, held = self._zip.namelist(), self.manifest.tables
        if sorted(names) != sorted((MANIFEST, *(one.member for one in held))):
            raise Refused(
                "The files in the archive are not those that its manifest lists. The archive was changed or damaged."
            )
        total = sum(one.bytes for one in held)
        if any(self._zip.getinfo(one.member).file_size != one.bytes for one in held):
            raise Refused(
                "The files in the archive do not have the sizes given in its manifest. The archive was changed or damaged."
            )
        if total > UNSUSPICIOUS and total > FOLD * size:
            raise Refused(
                f"The archive would unpack to {total / 1e9:.0f} GB, {total // size} times its size. A real backup never does."
            )

    def lines(self, held: Held) -> Iterator[bytes]:
        """Yield the rows of a table. Raises `Refused` at the end if they do not match the manifest."""
        digest, rows = hashlib.sha256(), 0
        try:
            with self._zip.open(held.member) as member, io.BufferedReader(member, BUFFER) as file:  # type: ignore[type-var]
                while line := file.readline(LARGEST_ROW + 1):
                    if len(line) > LARGEST_ROW:
                        raise Refused(
                            f"Row {rows + 1} of {held.name} is larger than {LARGEST_ROW >> 20} MB. No valid row is."
                        )
                    digest.update(line)
                    rows += 1
                    yield line
        except UNREADABLE as error:
            raise Refused(f"The archive is damaged in {held.name}: {error}. Use another copy of it.") from error
        if rows != held.rows or digest.hexdigest() != held.sha256:
            raise Refused(f"{held.name} does not match the manifest. The archive was changed or damaged.")


class _Sparing(io.BufferedReader):
    """A file that is never read in large chunks, as the central directory of a malicious zip could require."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > LARGEST_DIRECTORY:
            raise zipfile.BadZipFile("its list of files is too long")
        return super().read(size)


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    with path.open("rb", buffering=0) as raw, _Sparing(raw) as file:
        yield Archive(file, path.stat().st_size)
