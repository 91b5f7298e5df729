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
    help = "Tries to break through each layer of the sandbox. Prints OK or MISSING for each, and exits with 1 if one is missing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--profile",
            choices=("python", "numpy", "torch"),
            default="python",
            help="the exercise profile whose zygote is examined",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            chosen = backend()
        except SandboxSettingError as error:
            raise bad_usage(str(error)) from error
        except SandboxError as error:
            raise CommandError(f"Cannot grade: {error}", returncode=1) from error
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
                        self.stdout.write(f"         To enable it: {finding.cure}")
            except SandboxError as error:
                self.stdout.write(f"MISSING  {error}")
                missing += 1
        if missing:
            end = "student code runs unprotected" if chosen.name == "unsafe" else "nothing is graded until they are active"
            self.stdout.write(f"{missing} of {len(LAYERS)} layers missing; {end}.")
            raise SystemExit(1)
        self.stdout.write(f"All {len(chosen.layers)} layers are active.")


def mode(container: Container) -> str:
    if container.pool:
        return f"One container per submission; {container.pool} {'is' if container.pool == 1 else 'are'} kept warm."
    return "One container with a zygote. Every submission has its own namespaces in it."
