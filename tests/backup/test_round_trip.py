"""A site, its backup, and the site that is made of it: on each database, out of each."""

import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.backup.conftest import KINDS, MakeSite
from tests.backup.sites import Site

pytestmark = pytest.mark.slow

STATES = {"queued", "running", "done", "failed", "superseded", "dropped"}
Rows = dict[str, dict[str, list[Any]]]


def values(row: list[Any]) -> dict[str, Any]:
    return dict(row)


def waiting_again(rows: Rows) -> Rows:
    """As they must be in the new site: what was being graded waits, and that was no try."""
    for row in rows["submissions.Work"].values():
        before = values(row)
        if before["state"] == "'running'":
            new = {"state": "'queued'", "token": "''", "lease_until": "None", "tries": str(int(before["tries"]) - 1)}
            row[:] = [[name, new.get(name, value)] for name, value in row]
    return rows


def states(rows: Rows) -> set[str]:
    return {values(row)["state"].strip("'") for row in rows["submissions.Work"].values()}


@pytest.mark.parametrize("to", KINDS)
@pytest.mark.parametrize("of", KINDS)
def test_every_row_and_every_grade_comes_back(
    of: str, to: str, full_sites: Callable[[str], Site], saved: Callable[[str], Path], make_site: MakeSite
) -> None:
    old, new = full_sites(of), make_site(to)
    before = old.ask("rows")
    assert states(before) == STATES, "everything has happened in this course"
    assert {name for name, rows in before.items() if not rows} == set(), "no table is empty"
    assert "Back in the queue: 1 submission that" in new.manage("restore", saved(of))
    after = new.ask("rows")
    for table, rows in waiting_again(before).items():
        assert after[table] == rows, table
    assert new.ask("grades") == old.ask("grades")


@pytest.mark.parametrize("to", KINDS)
def test_the_new_site_goes_on(to: str, saved: Callable[[str], Path], make_site: MakeSite) -> None:
    """What waited is graded, with exercises laid out anew; what is new gets a number of its own."""
    site = make_site(to)
    site.manage("restore", saved("sqlite"))
    before = site.ask("rows")
    assert all(
        str(pk) not in before[table]
        for pk, table in zip(site.ask("new_rows"), ("courses.Course", "courses.User"), strict=True)
    )
    waited = sum(values(row)["state"] == "'queued'" for row in before["submissions.Work"].values())
    done = sum(values(row)["state"] == "'done'" for row in before["submissions.Work"].values())
    after = site.ask("grade_all")
    assert waited
    assert after.get("queued", 0) == 0
    assert after["done"] == done + waited == len(site.ask("rows")["submissions.Grading"])


def test_a_backup_of_a_restored_site_is_the_same_again(
    saved: Callable[[str], Path], make_site: MakeSite, tmp_path: Path
) -> None:
    """Of one on which nothing was being graded."""
    first, second = make_site("sqlite"), make_site("sqlite")
    first.manage("restore", saved("sqlite"))
    first.manage("backup", tmp_path / "first.zip")
    second.manage("restore", tmp_path / "first.zip")
    assert second.ask("rows") == first.ask("rows")


def test_only_its_owner_can_read_it_and_it_says_what_it_holds(
    saved: Callable[[str], Path], full_sites: Callable[[str], Site], tmp_path: Path
) -> None:
    site, file = full_sites("sqlite"), tmp_path / "now.zip"
    assert "personal data" in site.manage("backup", file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "of Gradus" not in site.manage("restore", "--check", file)
    assert [path.name for path in tmp_path.iterdir()] == ["now.zip"]


def test_neither_sessions_nor_the_secret_of_the_site_are_in_it(
    saved: Callable[[str], Path], full_sites: Callable[[str], Site]
) -> None:
    with zipfile.ZipFile(saved("sqlite")) as archive:
        text = b"".join(archive.read(name) for name in archive.namelist())
        assert "tables/sessions.Session.jsonl" not in archive.namelist()
    assert (full_sites("sqlite").data / "secret-key").read_bytes() not in text
