"""Acknowledged data is on disk: a power cut loses none of it.

The database is on a file system image of its own. A power cut is simulated by copying the image while the site runs:
the copy has what the kernel was made to write, and nothing that was only in memory.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from autograder.settings import database
from tests.processes import ROOT, run
from tests.servers import need

SUBMISSIONS = 20
SIZE = 128 * 1024 * 1024
mounts = pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a file system from an image")


@contextmanager
def mounted(image: Path, place: Path) -> Iterator[Path]:
    place.mkdir()
    subprocess.run(["mount", "-o", "loop", image, place], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


@pytest.fixture
def image(tmp_path: Path) -> Path:
    image = tmp_path / "disk"
    with image.open("wb") as file:
        file.truncate(SIZE)
    subprocess.run([need("e2fsprogs", "mkfs.ext4", "/sbin/mkfs.ext4"), "-q", image], check=True)
    return image


def acknowledged(environment: dict[str, str], image: Path, copy: Path) -> dict[str, int]:
    """Return what a process reported as stored. The image is copied right after its last line."""
    command = [sys.executable, "-m", "tests.submissions.acknowledging", str(SUBMISSIONS)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, env=environment, **pipes) as process:  # type: ignore[call-overload]
        try:
            assert process.stdout.readline() == "ready\n"
            os.sync()  # the course was set up long before
            print(file=process.stdin, flush=True)
            rows = json.loads(process.stdout.readline())
            shutil.copyfile(image, copy)
        finally:
            process.kill()
    return dict(rows)


@mounts
def test_nothing_that_was_acknowledged_is_lost(image: Path, tmp_path: Path) -> None:
    copy = tmp_path / "after the cut"
    with mounted(image, tmp_path / "before") as data:
        environment = os.environ | {
            "GRADUS_DATA": str(data),
            "GRADUS_BROKER_URL": "filesystem://",
            "DATABASE_URL": f"sqlite:///{data / 'gradus.sqlite3'}",
        }
        ran = run("manage.py", "migrate", "--verbosity", "0", environment=environment)
        assert ran.returncode == 0, ran.stderr
        rows = acknowledged(environment, image, copy)
    assert rows["submissions_submission"] == SUBMISSIONS and all(rows.values())
    with mounted(copy, tmp_path / "after") as data:
        connection = sqlite3.connect(data / "gradus.sqlite3")
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        found = {table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in rows}
        connection.close()
    assert found == rows


def test_every_connection_to_sqlite_waits_for_the_disk(tmp_path: Path) -> None:
    """Checks the setting itself, also on machines where a power cut cannot be simulated."""
    options = database(f"sqlite:///{tmp_path / 'gradus.sqlite3'}")["OPTIONS"]
    connection = sqlite3.connect(tmp_path / "gradus.sqlite3")
    connection.executescript(options["init_command"])
    full = 2
    assert connection.execute("PRAGMA synchronous").fetchone() == (full,)
    connection.close()
