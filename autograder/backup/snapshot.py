"""Provides a consistent snapshot of the database for a long read, while others continue to write."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper


@contextmanager
def one_moment(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Run the block in a read-only transaction with a consistent snapshot.

    On SQLite the transaction is started by hand, because `atomic` would take the write lock and block submissions until the
    end.
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
