"""`manage.py selfcheck`: tries to break through every layer of the sandbox and reports which layers hold."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from autograder.library.command import GradusCommand, bad_usage
from autograder.library.sandboxes import SandboxSettingError, backend
from sandbox.backends.container import Container
from sandbox.errors import SandboxError
from sandbox.limits import LAYERS
from sandbox.pool import open_sandbox
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
        except SandboxError as error:
            raise CommandError(f"nothing is graded: {error}", returncode=1) from error
        if isinstance(chosen, Container):
            self.stdout.write(f"{mode(chosen)} ({chosen.why})")
        missing = 0
        with open_sandbox(chosen, options["profile"]) as box, canary():
            try:
                for finding in Examination(box).findings():
                    promised = finding.layer in chosen.layers or chosen.name == "unsafe"
                    word = "OK     " if finding.holds else "MISSING" if promised else "WITHOUT"
                    self.stdout.write(f"{word}  {finding.layer:<13} {LAYERS[finding.layer]} ({finding.seen})")
                    if not finding.holds and promised:
                        missing += 1
                        self.stdout.write(f"         to get it: {finding.cure}")
            except SandboxError as error:
                self.stdout.write(f"MISSING  {error}")
                missing += 1
        if missing:
            end = "student code runs unprotected" if chosen.name == "unsafe" else "nothing is graded until they are there"
            self.stdout.write(f"{missing} of {len(LAYERS)} layers missing; {end}.")
            raise SystemExit(1)
        self.stdout.write(f"All {len(chosen.layers)} layers hold.")


def mode(container: Container) -> str:
    if container.pool:
        return f"Containers of one submission each, {container.pool} kept warm."
    return "One container holds a zygote; every submission has namespaces of its own in it."
