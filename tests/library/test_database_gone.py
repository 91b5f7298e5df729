"""A database that cannot be reached, or has no tables, is one line with the cure, whatever command is typed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import EXERCISES
from tests.processes import run

GRACE = ("--username", "grace", "--email", "grace@example.org")
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
    assert "database cannot be used" in line and "Connection refused" in line
    assert "gradus on 127.0.0.1, as DATABASE_URL says" in line


@pytest.mark.parametrize("words", [("queue",), ("createsuperuser", "--noinput", *GRACE)], ids=lambda words: words[0])
def test_a_database_without_tables_is_named_with_what_selected_it(words: tuple[str, ...], tmp_path: Path) -> None:
    """As it happens where the data folder of `manage.py up` is forgotten at the next command."""
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    done = run("manage.py", *words, environment={**environment, "GRADUS_DATA": str(tmp_path)})
    assert done.returncode == 1
    line = done.stderr.strip().splitlines()[-1]
    assert "The database has no tables (no such table: " in line
    assert f"It is {tmp_path}/gradus.sqlite3, in the folder that GRADUS_DATA names." in line
    assert line.endswith(f"If that is the right one, create them: GRADUS_DATA={tmp_path} .venv/bin/python manage.py migrate")
