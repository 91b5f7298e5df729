"""The base class of commands on courses: a refusal is printed in one line, with exit status 1."""

from abc import ABC, abstractmethod
from typing import Any

from django.core.management.base import CommandError

from autograder.courses.errors import Refused
from autograder.library.command import GradusCommand, the_database


class CourseCommand(GradusCommand, ABC):
    """A command that needs the database. Subclasses implement `answer`."""

    def handle(self, *args: Any, **options: Any) -> None:
        with the_database():
            try:
                self.answer(options)
            except Refused as refused:
                raise CommandError(" ".join(refused.message.split())) from refused

    @abstractmethod
    def answer(self, options: dict[str, Any]) -> None:
        """Run the command. A `Refused` is reported in one line."""
