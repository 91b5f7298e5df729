"""A database that cannot be reached is one line with the cure, whatever command is typed."""

import os
import subprocess
import sys

import pytest

from tests.conftest import EXERCISES

NOWHERE = "postgres://gradus@127.0.0.1:1/gradus"


@pytest.mark.parametrize(
    "words", [("migrate",), ("up",), ("queue",), ("exercise", "load"), ("createsuperuser", "--noinput")], ids=str
)
def test_a_command_says_it_in_one_line(words: tuple[str, ...], tmp_path: os.PathLike[str]) -> None:
    command = [sys.executable, "manage.py", *words]
    environment = os.environ | {"DATABASE_URL": NOWHERE, "GRADUS_DATA": str(tmp_path)}
    done = subprocess.run(
        command, cwd=EXERCISES.parent, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 1
    (line,) = done.stderr.strip().splitlines()
    assert "database cannot be used" in line and "Connection refused" in line and "DATABASE_URL" in line
