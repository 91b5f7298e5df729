"""The tables of a site as a backup knows them: which are kept, their columns, and how a value becomes JSON and a value again.

A table is described by the models of any state of the migrations, so an archive is written and read as the site was then.
Values are typed on their way in: an archive cannot put anything into a column that is not of its kind.
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
    "courses.OutgoingMail": "mails that wait to be sent: the old site sends them",
    "courses.ResetLink": "links for a new password, valid for a day: whoever needs one asks again",
    "sessions.Session": "who is signed in: everybody signs in again",
    "submissions.Event": "what pages were told a moment ago: they look at the rows",
    "submissions.ScratchRun": "calls that were tried beside an editor: they are deleted after an hour anyway",
    "submissions.Worker": "which workers live: they say so themselves",
    "web.Guess": "who mistyped a password a moment ago: a new site begins without suspicion",
    "web.Pace": "who asked how often in the last minutes",
}
AT_ONCE = 200  # rows that are fetched together
NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")  # in JSON; an even number of backslashes before it would spell it out
Infinite = Literal["nan", "inf", "-inf"]


@dataclass(frozen=True)
class Kind:
    """How the values of a column travel: their type in JSON, and what is done to them before and after."""

    type: Any
    leave: Callable[[Any], Any] | None = None
    enter: Callable[[Any], Any] | None = None


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def _as_it_stands(text: str) -> msgspec.Raw:
    """JSON is not read and written again: it would cost most of the time, and keep less. A row is one line."""
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
    """One column. `name` is the attribute of the model, `course_id` and not `course`."""

    name: str
    field: "Field[Any, Any]"

    @cached_property
    def kind(self) -> Kind:
        field = self.field
        while isinstance(field, ForeignKey):
            field = field.target_field
        name = field.get_internal_type()
        if name not in KINDS:
            raise TypeError(f"a backup cannot keep {self.field} yet: say in KINDS how a {name} travels")
        return KINDS[name]

    def type(self, narrow: bool) -> Any:
        """What an archive may hold here. `narrow`: the database keeps the promised length of a text, as PostgreSQL does."""
        kind = self.kind
        if kind is JSON:  # null is the JSON value: no column of JSON can be empty
            return kind.type
        length = self.field.max_length if narrow and kind is TEXT else None
        known = Annotated[kind.type, msgspec.Meta(max_length=length)] if length else kind.type
        return known | None if self.field.null else known

    def enter(self, connection: BaseDatabaseWrapper) -> Callable[[Any], Any] | None:
        """From a decoded value to what the database's driver takes; None where that is the value itself."""
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
    """One table at one state of the migrations."""

    name: str
    model: type[Model]

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return tuple(Column(field.attname, field) for field in self.model._meta.local_concrete_fields)

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def rows(self) -> Iterator[bytes]:
        """All of it as lines of JSON, in the order of the primary key, never more than a few in memory."""
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
            if connection.vendor == "postgresql":  # a statement for each row would take twice as long
                with cursor.copy(f"COPY {into} FROM STDIN") as copy:
                    for values in prepared:
                        copy.write_row(values)
            else:
                places = ", ".join("%s" for _ in self.columns)
                cursor.executemany(f"INSERT INTO {into} VALUES ({places})", prepared)  # noqa: S608


class RowReader:
    """Reads lines of one table, and refuses what is no row of it."""

    def __init__(self, table: Table, *, narrow: bool) -> None:
        self._table, self._narrow = table, narrow
        self._decoder = msgspec.json.Decoder(tuple[tuple(column.type(narrow) for column in table.columns)])  # type: ignore[misc]

    def read(self, line: bytes, number: int) -> tuple[Any, ...]:
        try:
            row: tuple[Any, ...] = self._decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Refused(f"Row {number} of {self._table.name} in the archive is not one: {error}.") from error
        if self._narrow and b"\\u0000" in line and NUL.search(line):
            raise Refused(
                f"Row {number} of {self._table.name} holds the character NUL, which PostgreSQL keeps in no text. "
                "Restore to SQLite, take it out there, and make a new backup."
            )
        return row


def tables_of(apps: Apps) -> dict[str, Table]:
    """Every table of these models by its name, `courses.Course`; those left out of backups, too."""
    models = apps.get_models(include_auto_created=True)
    own = [model for model in models if model._meta.managed and not model._meta.proxy]
    return {model._meta.label: Table(model._meta.label, model) for model in own}


def kept(tables: dict[str, Table]) -> list[Table]:
    return [table for name, table in sorted(tables.items()) if name not in LEFT_OUT]
