"""Restores a site from a backup into an empty database, in one transaction.

A backup is never restored over a site in use. The whole archive is verified before the first row is written, and no code
from it is executed: exercises are only rows here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.color import no_style
from django.db import DataError, IntegrityError, connection, transaction
from django.db.models import F
from django.utils import timezone

from autograder import __version__
from autograder.backup.archive import Archive, Held, Manifest, opened
from autograder.backup.schema import Key, Schema, as_keys
from autograder.backup.tables import LEFT_OUT, Table, kept, tables_of
from autograder.courses.errors import Refused
from autograder.settings.checks import unfit_database

# Rows that a site creates before anyone uses it. They are replaced by those of the archive.
MADE_BY_ITSELF = frozenset(
    {
        *LEFT_OUT,
        "contenttypes.ContentType",
        "auth.Permission",
        "library.Exercise",
        "library.ExerciseVersion",
        "library.VersionPage",
        "library.UnitPage",
    }
)
ALIVE = timedelta(seconds=30)
ROWS_AT_ONCE, BYTES_AT_ONCE = 1000, 4 << 20
Say = Callable[[Held], object]


@dataclass(frozen=True)
class Restored:
    """The result of a restore. `again` is the number of gradings that were running during the backup and are queued again."""

    manifest: Manifest
    again: int


def check(path: Path) -> Manifest:
    """Read everything as `restore` does, including the check against this database's schema, but write nothing."""
    with opened(path) as archive:
        _verified(archive, Schema(connection))
    return archive.manifest


def restore(path: Path, say: Say = lambda held: None) -> Restored:
    """Restore a backup. `say` is called for every table written."""
    with opened(path) as archive:
        for unfit in unfit_database([connection.alias]):
            raise Refused(f"{unfit.msg} {unfit.hint}. Nothing was restored.")
        schema = Schema(connection)
        schema.refuse_newer_database()
        _refuse_a_site_in_use(tables_of(schema.models_at(schema.applied)))
        then = _state_of(archive.manifest, schema)
        _refuse_later_tables(schema, then, archive.manifest)
        tables = _verified(archive, schema)
        schema.reach(then)
        try:
            with transaction.atomic():
                again = _write(archive, tables, tables_of(schema.models_at(then)), say)
        except (IntegrityError, DataError) as error:
            raise Refused(f"The rows of this archive contradict each other. Nothing was restored: {error}") from error
    call_command("migrate", interactive=False, verbosity=0)  # from the archive's state to the current one
    return Restored(archive.manifest, again)


# -- before anything is written -------------------------------------------------------------------------------------------


def _state_of(manifest: Manifest, schema: Schema) -> frozenset[Key]:
    then = as_keys(manifest.migrations)
    if schema.unknown(then):
        raise Refused(
            f"This backup was made by Gradus {manifest.gradus}. This is Gradus {__version__}, which does not know all of its tables. "
            f"Restore it with Gradus {manifest.gradus} or later."
        )
    if not schema.is_whole(then):
        raise Refused("The archive lists migrations without their dependencies. No database can be in that state.")
    return then


def _refuse_later_tables(schema: Schema, then: frozenset[Key], manifest: Manifest) -> None:
    if schema.applied - then:
        raise Refused(
            f"This backup was made by Gradus {manifest.gradus}, and its tables are older than those of this database. Restore it "
            "into a database without tables. The restore creates the old tables, fills them, and then migrates them."
        )


def _verified(archive: Archive, schema: Schema) -> list[tuple[Held, Table]]:
    """Read every byte of the archive and validate it as rows of the tables in its manifest."""
    then = _state_of(archive.manifest, schema)
    expected = kept(tables_of(schema.models_at(then)))
    told = [(held.name, held.columns) for held in archive.manifest.tables]
    if told != [(table.name, table.column_names) for table in expected]:
        raise Refused("The tables of the archive do not match its migrations. The archive was changed.")
    pairs = list(zip(archive.manifest.tables, expected, strict=True))
    for held, table in pairs:
        for _ in _rows(archive, held, table):
            pass
    return pairs


def _rows(archive: Archive, held: Held, table: Table) -> Iterator[tuple[int, tuple[Any, ...]]]:
    reader = table.reader(connection)
    for number, line in enumerate(archive.lines(held), 1):
        yield len(line), reader.read(line, number)


def _refuse_a_site_in_use(tables: dict[str, Table]) -> None:
    """Refuse a site with accounts, courses or submissions, and leave it unchanged."""
    found = [table for name, table in tables.items() if name not in MADE_BY_ITSELF and table.model._base_manager.exists()]
    if found:
        counts = sorted(((table.model._base_manager.count(), table) for table in found), key=lambda pair: -pair[0])
        some = ", ".join(f"{count:,} in {table.name}" for count, table in counts[:3])
        raise Refused(
            f"This site is not empty ({some}), and a restore never overwrites data. "
            "Set DATABASE_URL or GRADUS_DATA to a new database and restore there. Nothing was changed."
        )
    workers = tables.get("submissions.Worker")
    if workers and workers.model._base_manager.filter(seen_at__gt=timezone.now() - ALIVE).exists():
        raise Refused(
            "A worker of this site is running. Stop the site, wait 30 seconds, and restore before you start it again."
        )


# -- in one transaction ---------------------------------------------------------------------------------------------------


def _write(archive: Archive, pairs: list[tuple[Held, Table]], everything: dict[str, Table], say: Say) -> int:
    _keep_others_out(everything)
    _refuse_a_site_in_use(everything)
    with connection.cursor() as cursor:
        for name in sorted(MADE_BY_ITSELF & everything.keys()):
            cursor.execute(f"DELETE FROM {_quoted(everything[name])}")  # noqa: S608
    for held, table in pairs:
        _fill(archive, held, table)
        say(held)
    again = _queued_again(everything)
    connection.check_constraints()  # foreign keys are deferred to the end of the transaction, because rows come in any order
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [table.model for _, table in pairs]):
            cursor.execute(statement)
    return again


def _keep_others_out(tables: dict[str, Table]) -> None:
    """Lock the tables against concurrent changes until the end. On SQLite, the transaction is enough."""
    if connection.vendor == "postgresql":
        names = ", ".join(_quoted(table) for _, table in sorted(tables.items()))
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE")


def _fill(archive: Archive, held: Held, table: Table) -> None:
    some, size = list[tuple[Any, ...]](), 0
    for length, row in _rows(archive, held, table):
        some.append(row)
        size += length
        if len(some) >= ROWS_AT_ONCE or size >= BYTES_AT_ONCE:
            table.insert(connection, some)
            some, size = [], 0
    if some:
        table.insert(connection, some)


def _queued_again(tables: dict[str, Table]) -> int:
    """Queue gradings again that were running, because their worker does not know this database. This does not use up a try."""
    work = tables["submissions.Work"].model._base_manager
    running = work.filter(state="running")
    return running.update(state="queued", token="", lease_until=None, tries=F("tries") - 1)


def _quoted(table: Table) -> str:
    return connection.ops.quote_name(table.model._meta.db_table)
