"""Calls a management command in this process, on the test database, and captures its output and exit status."""

from dataclasses import dataclass

import pytest
from django.core.management import CommandError, call_command


@dataclass(frozen=True)
class Ended:
    status: int
    out: str
    error: str = ""


class Shell:
    """`shell("course", "show", "autodiff")`. The terminal is wide enough for every table."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: object) -> Ended:
        self._capsys.readouterr()
        status, error = 0, ""
        try:
            call_command(*map(str, arguments))
        except CommandError as refused:
            status, error = refused.returncode, str(refused)
        except SystemExit as ended:
            status = int(ended.code or 0)
        return Ended(status, self._capsys.readouterr().out, error)
