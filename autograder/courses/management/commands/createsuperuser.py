"""`manage.py createsuperuser`: Django's command, which also asks for the name that pages show."""

from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.core.management.base import CommandParser

NAMES = ("first_name", "last_name")


class Command(createsuperuser.Command):
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        for name in NAMES:
            parser.add_argument(f"--{name.replace('_', '-')}", dest=name)

    def handle(self, *args: Any, **options: Any) -> Any:
        """Django asks for each required field that was not given. Without a terminal, a name is optional."""
        required = self.UserModel.REQUIRED_FIELDS
        asked = [name for name in NAMES if options["interactive"] or options[name] is not None]
        self.UserModel.REQUIRED_FIELDS = [*required, *asked]
        try:
            return super().handle(*args, **options)
        finally:
            self.UserModel.REQUIRED_FIELDS = required
