"""Base classes and helpers for management commands: usage errors are one line, with exit status 2."""

import os
import shlex
import sys
from argparse import ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error, InterfaceError, OperationalError, ProgrammingError

USAGE = 2
DATABASE_ERRORS = (OperationalError, ProgrammingError, InterfaceError)


class ActionParser(CommandParser):
    """The parser of one action of a command, which reports errors in one line."""

    def error(self, message: str) -> NoReturn:
        refuse(self, self.prog.partition(" ")[2], message)


def refuse(parser: CommandParser, command: str, message: str) -> NoReturn:
    """Report a usage error in one line with exit status 2, or raise an exception if called from Python."""
    if parser.called_from_command_line:
        print(f"{command}: {message}; see manage.py {command} --help", file=sys.stderr)
        raise SystemExit(USAGE)
    raise CommandError(message, returncode=USAGE)


class GradusCommand(BaseCommand):
    """A command whose usage errors are one line. It needs no database."""

    requires_system_checks = ()

    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **options)
        parser.error = lambda message: refuse(parser, subcommand, message)  # type: ignore[method-assign]
        return parser

    def run_from_argv(self, argv: list[str]) -> None:
        """Run like Django's implementation, but exit quietly if the output pipe is closed."""
        try:
            super().run_from_argv(argv)
        except BrokenPipeError:
            sys.stderr.close()
            raise SystemExit(1) from None


def bad_usage(message: str) -> CommandError:
    """Return the exception for a usage error: one line, exit status 2."""
    return CommandError(" ".join(message.split()), returncode=USAGE)


@contextmanager
def the_database() -> Iterator[None]:
    """Turn database errors in the block into one line with a remedy."""
    try:
        yield
    except DATABASE_ERRORS as error:
        raise CommandError(about_database(error)) from error


def about_database(error: Error) -> str:
    """Why the database cannot be used, which one it is, what selected it, and what to do."""
    cause = str(error).strip().split("\n")[0]
    if "DATABASE_URL" in os.environ:
        selected = "as DATABASE_URL says"
    elif "GRADUS_DATA" in os.environ:
        selected = "in the folder that GRADUS_DATA names"
    else:
        selected = "as neither DATABASE_URL nor GRADUS_DATA is set"
    used = settings.DATABASES["default"]
    where = f"{used['NAME']} on {used['HOST']}" if used.get("HOST") else used["NAME"]
    if "no such table" in cause or ("relation" in cause and "does not exist" in cause):
        cure = f"If that is the right one, create them: {as_typed('migrate')}"
        return f"The database has no tables ({cause}). It is {where}, {selected}. {cure}"
    return f"The database cannot be used ({cause}). It is {where}, {selected}. Start it, or correct the setting."


def as_typed(arguments: str, *, folder: bool = True) -> str:
    """A command line that reaches this site. A data folder that was set for one command has to be set for the next one, but
    strangers need not read its name.
    """
    data = os.environ.get("GRADUS_DATA") if folder else None
    return (f"GRADUS_DATA={shlex.quote(data)} " if data else "") + f".venv/bin/python manage.py {arguments}"


def printable(text: str) -> str:
    """Replace control characters, so that text from a file cannot control the terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def contents(name: str, most: int = -1) -> bytes:
    """Read a file named by the user, at most `most` bytes of it."""
    path = Path(name)
    if not path.exists():
        raise bad_usage(f"the file {path} does not exist")
    if path.is_dir():
        raise bad_usage(f"{path} is a folder, not a file")
    try:
        with path.open("rb") as file:
            return file.read(most)
    except OSError as error:
        raise bad_usage(str(error)) from error


def seconds(text: str) -> float:
    """An argparse type: a number of seconds to wait."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 86_400:
        raise ArgumentTypeError(f"'{text}' is not a number of seconds (0 to 86400)")
    return value


def number(text: str) -> int:
    """An argparse type: a positive count or a row id, limited to what every database can store."""
    if not (text.isascii() and text.isdigit()) or not 0 < int(text) < 1 << 31:
        raise ArgumentTypeError(f"'{text}' is not a whole number, 1 or greater")
    return int(text)
