"""Creates a backup: a consistent snapshot of a site in one file that only its owner can read."""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import django
from django.db import connection
from django.utils import timezone

from autograder import __version__
from autograder.backup.archive import EDITION, FORMAT, PERSONAL, Held, Manifest, Writing
from autograder.backup.schema import Schema, as_lists
from autograder.backup.snapshot import one_moment
from autograder.backup.tables import LEFT_OUT, kept, tables_of
from autograder.courses.errors import Refused
from autograder.library.command import as_typed

Say = Callable[[Held], object]


def save(path: Path, say: Say = lambda held: None) -> Manifest:
    """Write a backup. `say` is called for every table written. The file appears under its name only when it is complete and
    on disk."""
    with _appearing_whole(path) as file, one_moment(connection):
        made_at, schema = timezone.now(), Schema(connection)
        schema.refuse_newer_database()
        tables = kept(tables_of(schema.models_at(schema.applied)))
        if not tables:
            raise Refused(f"This database has no tables, so there is nothing to save. Create them: {as_typed('migrate')}")
        writing, held = Writing(file), list[Held]()
        for table in tables:
            held.append(writing.add(table.name, table.column_names, table.rows()))
            say(held[-1])
        manifest = Manifest(
            format=FORMAT,
            edition=EDITION,
            made_at=made_at,
            gradus=__version__,
            django=django.get_version(),
            database=connection.vendor,
            personal_data=PERSONAL,
            left_out=LEFT_OUT,
            migrations={app: tuple(names) for app, names in as_lists(schema.applied).items()},
            tables=tuple(held),
        )
        writing.finish(manifest)
    return manifest


@contextmanager
def _appearing_whole(path: Path) -> Iterator[IO[bytes]]:
    """Write to a temporary file in the same folder, and link it to its name when it is synced to disk. Never overwrites a file."""
    if path.exists():
        raise Refused(f"{path} already exists and will not be overwritten. Choose another name.")
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.link(part, path)  # unlike a rename, this never replaces an existing file
        except FileExistsError as error:
            raise Refused(
                f"{path} was created by something else during this backup and was not overwritten. Choose another name."
            ) from error
        finally:
            with suppress(OSError):
                part.unlink()
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
