"""The database as it is at one moment, read for as long as it takes, while everybody goes on writing."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper


@contextmanager
def one_moment(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Inside, every reading sees the same moment, and nothing can be written.

    SQLite is told by hand: `atomic` would take the lock of a writer, and nobody could hand in until we are through.
    """
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA query_only = ON")
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
                cursor.execute("PRAGMA query_only = OFF")
    else:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield
