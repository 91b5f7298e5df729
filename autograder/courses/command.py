"""What the commands on courses share: what is refused is one line and exit status 1."""

from abc import ABC, abstractmethod
from typing import Any

from django.core.management.base import CommandError

from autograder.courses.errors import Refused
from autograder.library.command import GradusCommand, the_database


class CourseCommand(GradusCommand, ABC):
    """A command that needs the database. What it does is `answer`."""

    def handle(self, *args: Any, **options: Any) -> None:
        with the_database():
            try:
                self.answer(options)
            except Refused as refused:
                raise CommandError(" ".join(refused.message.split())) from refused

    @abstractmethod
    def answer(self, options: dict[str, Any]) -> None:
        """What the command does; a Refused in it is told in one line."""
