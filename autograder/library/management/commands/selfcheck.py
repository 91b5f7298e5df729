"""`manage.py selfcheck`: tries to get through every layer of the sandbox and says which of them hold."""

from typing import Any

from django.core.management.base import CommandParser

from autograder.library.command import GradusCommand, bad_usage
from autograder.library.sandboxes import SandboxSettingError, backend
from sandbox.errors import SandboxError
from sandbox.host import Sandbox
from sandbox.limits import LAYERS
from sandbox.selfcheck import Examination, canary


class Command(GradusCommand):
    help = "Tries to get through each layer of the sandbox; prints OK or MISSING, and exits with 1 if one is missing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--profile", choices=("python", "numpy", "torch"), default="python", help="whose zygote to examine"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            chosen = backend()
        except SandboxSettingError as error:
            raise bad_usage(str(error)) from error
        missing = 0
        with Sandbox(chosen, options["profile"]) as box, canary():
            try:
                for finding in Examination(box).findings():
                    word = "OK     " if finding.holds else "MISSING"
                    self.stdout.write(f"{word}  {finding.layer:<13} {LAYERS[finding.layer]} ({finding.seen})")
                    if not finding.holds:
                        missing += 1
                        self.stdout.write(f"         to get it: {finding.cure}")
            except SandboxError as error:
                self.stdout.write(f"MISSING  {error}")
                missing += 1
        if missing:
            end = "student code runs unprotected" if chosen.name == "unsafe" else "nothing is graded until they are there"
            self.stdout.write(f"{missing} of {len(LAYERS)} layers missing; {end}.")
            raise SystemExit(1)
        self.stdout.write(f"All {len(LAYERS)} layers hold.")
