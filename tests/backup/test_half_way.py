"""Killed in the middle, or in the middle of other people's work: a backup is whole or not there, and so is a restored site."""

import fcntl
import mmap
import os
import signal
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.backup.conftest import KINDS, MakeSite
from tests.backup.sites import Site


def held_at(site: Site, table: str, *arguments: object) -> "subprocess.Popen[str]":
    """A command that stands still at most two tables after this one, until somebody reads on.

    It writes into a pipe that holds a single line, so it waits for the reader and cannot run ahead on a busy machine.
    """
    end, start = os.pipe2(os.O_DIRECT | os.O_CLOEXEC)
    fcntl.fcntl(start, fcntl.F_SETPIPE_SZ, mmap.PAGESIZE)
    process = site.begin("manage.py", *map(str, arguments), "-v", "2", stdout=start)
    os.close(start)
    process.stdout = os.fdopen(end)
    while table not in (line := process.stdout.readline()):
        assert line, process.communicate()[1]
    return process


def killed(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL


def saved_rows(file: Path, table: str) -> list[dict[str, Any]]:
    with zipfile.ZipFile(file) as archive:
        (held,) = (one for one in msgspec.json.decode(archive.read("manifest.json"))["tables"] if one["name"] == table)
        lines = archive.read(f"tables/{table}.jsonl").splitlines()
    return [dict(zip(held["columns"], msgspec.json.decode(line), strict=True)) for line in lines]


@pytest.mark.parametrize("kind", KINDS)
def test_a_restore_that_is_killed_leaves_an_empty_site_where_it_can_be_repeated(
    kind: str, saved: Callable[[str], Path], make_site: MakeSite
) -> None:
    site = make_site(kind)
    killed(held_at(site, "submissions.Submission", "restore", saved("sqlite")))
    assert site.holds_nothing()
    site.manage("restore", saved("sqlite"))
    assert not site.holds_nothing()


def test_a_backup_that_is_killed_leaves_no_file_of_its_name(full_sites: Callable[[str], Site], tmp_path: Path) -> None:
    killed(held_at(full_sites("sqlite"), "submissions.Grading", "backup", tmp_path / "now.zip"))
    assert not (tmp_path / "now.zip").exists()


def test_a_backup_that_fails_leaves_nothing_at_all(make_site: MakeSite, tmp_path: Path) -> None:
    assert "no tables" in make_site("sqlite").refuses("backup", tmp_path / "now.zip")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", KINDS)
def test_students_hand_in_while_a_backup_is_made_and_it_shows_the_moment_at_which_it_began(
    kind: str, saved: Callable[[str], Path], make_site: MakeSite, tmp_path: Path
) -> None:
    """The backup stands still between its tables: if it kept anybody out, they would wait here for good."""
    site = make_site(kind)
    site.manage("restore", saved("sqlite"))
    before, file = set(site.ask("hand_in", 3)), tmp_path / "now.zip"
    process = held_at(site, "submissions.Draft", "backup", file)
    meanwhile = set(site.ask("hand_in", 20))
    _, error = process.communicate(timeout=600)
    assert process.returncode == 0, error
    submissions = {row["id"] for row in saved_rows(file, "submissions.Submission")}
    assert before <= submissions
    assert not meanwhile & submissions
    assert {row["submission_id"] for row in saved_rows(file, "submissions.Work")} == submissions
    again = make_site(kind)
    again.manage("restore", file)
