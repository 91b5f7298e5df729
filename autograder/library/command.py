"""What the commands share: bad usage is one clear line and exit status 2."""

import sys
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser

USAGE = 2


class ActionParser(CommandParser):
    """The parser of one action of a command; its errors are one line too."""

    def error(self, message: str) -> NoReturn:
        refuse(self, self.prog.partition(" ")[2], message)


def refuse(parser: CommandParser, command: str, message: str) -> NoReturn:
    """A wrong call: one line and exit status 2, or an exception for a caller in this process."""
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
        """As Django does it, but with the error as one plain line."""
        try:
            super().run_from_argv(argv)
        except BrokenPipeError:
            sys.stderr.close()
            raise SystemExit(1) from None


def bad_usage(message: str) -> CommandError:
    """The error to raise for a wrong call: one line, exit status 2."""
    return CommandError(" ".join(message.split()), returncode=USAGE)
