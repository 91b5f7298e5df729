"""Describes the tables of a backup: which are included, their columns, and how values are converted to JSON and back.

A table is described by the models of any migration state, so an archive is written and read with the schema of its time.
Values are validated when they are read: an archive cannot put a value of a wrong type into a column.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from django.apps.registry import Apps
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Field, ForeignKey, Model, TextField
from django.db.models.functions import Cast

from autograder.courses.errors import Refused

LEFT_OUT = {
    "courses.OutgoingMail": "email that waits to be sent: the old site sends it",
    "courses.ResetLink": "password reset links, valid for a day: people can request a new one",
    "sessions.Session": "sessions: everyone has to sign in again",
    "submissions.Event": "events already sent to open pages: pages read the current state from the other tables",
    "submissions.ScratchRun": "scratch runs: they are deleted after an hour anyway",
    "submissions.Worker": "running workers: workers register themselves",
    "web.Guess": "recent failed sign-ins: the login throttle starts empty",
    "web.Pace": "request counts of the last minutes: the rate limits start empty",
}
AT_ONCE = 200  # rows fetched at a time
NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")  # in JSON; after an odd number of further backslashes, it is literal text
Infinite = Literal["nan", "inf", "-inf"]


@dataclass(frozen=True)
class Kind:
    """How the values of a column are stored: their type in JSON, and conversions when writing and reading."""

    type: Any
    leave: Callable[[Any], Any] | None = None
    enter: Callable[[Any], Any] | None = None


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def _as_it_stands(text: str) -> msgspec.Raw:
    """Copy JSON without parsing it, which would take most of the time and lose information. A row must be a single line."""
    return msgspec.Raw(text.replace("\n", " ").replace("\r", " ").encode())


TEXT, INTEGER = Kind(str), Kind(int)
JSON = Kind(msgspec.Raw, _as_it_stands, lambda raw: bytes(raw).decode())
KINDS = {
    **dict.fromkeys(("AutoField", "BigAutoField", "SmallAutoField", "IntegerField", "BigIntegerField"), INTEGER),
    **dict.fromkeys(("SmallIntegerField", "PositiveIntegerField", "PositiveSmallIntegerField"), INTEGER),
    "PositiveBigIntegerField": INTEGER,
    **dict.fromkeys(("CharField", "TextField", "SlugField", "URLField", "FileField", "GenericIPAddressField"), TEXT),
    "BooleanField": Kind(bool),
    "FloatField": Kind(float | Infinite, _number, float),
    "DecimalField": Kind(Decimal),
    "DateTimeField": Kind(Annotated[datetime, msgspec.Meta(tz=True)]),
    "DateField": Kind(date),
    "TimeField": Kind(time),
    "DurationField": Kind(timedelta),
    "UUIDField": Kind(UUID),
    "BinaryField": Kind(bytes),
    "JSONField": JSON,
}


@dataclass(frozen=True)
class Column:
    """One column. `name` is the attribute of the model: `course_id`, not `course`."""

    name: str
    field: "Field[Any, Any]"

    @cached_property
    def kind(self) -> Kind:
        field = self.field
        while isinstance(field, ForeignKey):
            field = field.target_field
        name = field.get_internal_type()
        if name not in KINDS:
            raise TypeError(f"a backup cannot store {self.field} yet: add {name} to KINDS")
        return KINDS[name]

    def type(self, narrow: bool) -> Any:
        """Return the type of a value in an archive. With `narrow`, the length of text is limited, as PostgreSQL enforces it."""
        kind = self.kind
        if kind is JSON:  # null is the JSON value, because no JSON column is nullable in the database
            return kind.type
        length = self.field.max_length if narrow and kind is TEXT else None
        known = Annotated[kind.type, msgspec.Meta(max_length=length)] if length else kind.type
        return known | None if self.field.null else known

    def enter(self, connection: BaseDatabaseWrapper) -> Callable[[Any], Any] | None:
        """Return the conversion from a decoded value to a database value, or None if they are equal."""
        kind = self.kind
        if kind in (TEXT, INTEGER, JSON) or kind.type is bool:
            return kind.enter

        def prepared(value: Any) -> Any:
            if value is None:
                return None
            return self.field.get_db_prep_save(kind.enter(value) if kind.enter else value, connection)

        return prepared


@dataclass(frozen=True)
class Table:
    """One table in one migration state."""

    name: str
    model: type[Model]

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return tuple(Column(field.attname, field) for field in self.model._meta.local_concrete_fields)

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def rows(self) -> Iterator[bytes]:
        """Yield all rows as lines of JSON, ordered by primary key, with only a few in memory."""
        wanted = [Cast(column.name, TextField()) if column.kind is JSON else column.name for column in self.columns]
        changed = [(n, column.kind.leave) for n, column in enumerate(self.columns) if column.kind.leave]
        encode = msgspec.json.Encoder().encode
        for row in self.model._base_manager.order_by("pk").values_list(*wanted).iterator(AT_ONCE):
            values = list(row)
            for n, leave in changed:
                if values[n] is not None:
                    values[n] = leave(values[n])
            yield encode(values) + b"\n"

    def reader(self, connection: BaseDatabaseWrapper) -> "RowReader":
        return RowReader(self, narrow=connection.vendor == "postgresql")

    def insert(self, connection: BaseDatabaseWrapper, rows: Sequence[Sequence[Any]]) -> None:
        quote = connection.ops.quote_name
        into = f"{quote(self.model._meta.db_table)} ({', '.join(quote(str(c.field.column)) for c in self.columns)})"
        changes = [(n, enter) for n, enter in enumerate(c.enter(connection) for c in self.columns) if enter]
        prepared = [list(row) for row in rows]
        for values in prepared:
            for n, enter in changes:
                values[n] = enter(values[n])
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":  # separate statements would take twice as long
                with cursor.copy(f"COPY {into} FROM STDIN") as copy:
                    for values in prepared:
                        copy.write_row(values)
            else:
                places = ", ".join("%s" for _ in self.columns)
                cursor.executemany(f"INSERT INTO {into} VALUES ({places})", prepared)  # noqa: S608


class RowReader:
    """Reads lines of one table, and refuses lines that are not rows of it."""

    def __init__(self, table: Table, *, narrow: bool) -> None:
        self._table, self._narrow = table, narrow
        self._decoder = msgspec.json.Decoder(tuple[tuple(column.type(narrow) for column in table.columns)])  # type: ignore[misc]

    def read(self, line: bytes, number: int) -> tuple[Any, ...]:
        try:
            row: tuple[Any, ...] = self._decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Refused(f"Row {number} of {self._table.name} in the archive is not valid: {error}.") from error
        if self._narrow and b"\\u0000" in line and NUL.search(line):
            raise Refused(
                f"Row {number} of {self._table.name} contains a NUL character, which PostgreSQL cannot store in text. "
                "Restore to SQLite, remove the character there, and make a new backup."
            )
        return row


def tables_of(apps: Apps) -> dict[str, Table]:
    """Return every table of these models by label, such as `courses.Course`, including those excluded from backups."""
    models = apps.get_models(include_auto_created=True)
    own = [model for model in models if model._meta.managed and not model._meta.proxy]
    return {model._meta.label: Table(model._meta.label, model) for model in own}


def kept(tables: dict[str, Table]) -> list[Table]:
    return [table for name, table in sorted(tables.items()) if name not in LEFT_OUT]
