"""Backups of other versions, and databases that are not empty: what can be restored is, and what cannot says which can."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader

from autograder.backup.schema import StepwiseLoader
from tests.backup.conftest import KINDS, MakeSite
from tests.backup.sites import Site
from tests.backup.test_archives import Forged, forged, refusal

__all__ = ("forged",)
THEN = ("courses.0002_hidden_meanwhile", "gradebook.0001_initial", "submissions.0002_drafts", "admin", "sessions")


@pytest.fixture(scope="module")
def site(make_site: MakeSite) -> Site:
    """Empty and migrated, before and after every refusal."""
    site = make_site("sqlite")
    site.manage("migrate", "-v", "0")
    return site


@pytest.fixture(scope="module")
def old(make_site: MakeSite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The backup of a site whose tables are as they once were."""
    site, file = make_site("sqlite"), tmp_path_factory.mktemp("old") / "old.zip"
    site.ask("migrate", *THEN)
    site.ask("old_course")
    site.manage("backup", file)
    return file


@pytest.mark.parametrize("kind", KINDS)
def test_an_older_backup_is_brought_up_to_date(kind: str, old: Path, make_site: MakeSite) -> None:
    site = make_site(kind)
    site.manage("restore", old)
    assert "No planned migration operations" in site.manage("migrate", "--plan")
    rows = site.ask("rows")
    assert ["title", "'Old'"] in rows["courses.Course"]["1"]
    assert ["edition", "1"] in rows["courses.Assignment"]["1"], "a column of today"
    assert ["state", "'queued'"] in rows["submissions.Work"]["1"]
    assert rows["auth.Permission"], "accounts can be given rights"


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_database_has_the_tables_of_one_that_took_every_step(kind: str, make_site: MakeSite) -> None:
    new, old = make_site(kind), make_site(kind)
    new.ask("migrate")
    old.ask("migrate_step_by_step")
    tables = new.ask("tables")
    assert {"courses_user", "submissions_work", "gradebook_mark", "lti_lineitem", "library_exercise"} <= tables.keys()
    assert tables == old.ask("tables")
    for site in (new, old):
        assert "No planned migration operations" in site.manage("migrate", "--plan")


def test_a_later_step_may_follow_one_that_replaces_others(monkeypatch: pytest.MonkeyPatch) -> None:
    load_disk = MigrationLoader.load_disk

    def with_later_step(loader: MigrationLoader) -> None:
        load_disk(loader)
        replacing = [key for key, each in loader.disk_migrations.items() if key[0] == "courses" and each.replaces]
        assert replacing
        later = type("Later", (Migration,), {"dependencies": replacing})
        loader.disk_migrations["courses", "9999_later"] = later("9999_later", "courses")

    monkeypatch.setattr(MigrationLoader, "load_disk", with_later_step)
    graph = StepwiseLoader(None).graph
    assert ("courses", "0001_initial") in graph.forwards_plan(("courses", "9999_later"))


def test_an_older_backup_needs_a_database_without_tables(old: Path, site: Site) -> None:
    assert "Restore it into a database without tables" in site.refuses("restore", old)
    assert site.holds_nothing()


def test_a_later_backup_says_which_version_can_restore_it(forged: Forged, site: Site, tmp_path: Path) -> None:
    forged.manifest["gradus"] = "9.1.0"
    forged.manifest["migrations"]["courses"].append("0099_of_tomorrow")
    said = refusal(site, forged, tmp_path)
    assert "made by Gradus 9.1.0" in said
    assert "Restore it with Gradus 9.1.0 or later" in said


def test_a_backup_in_a_later_way_says_so(forged: Forged, site: Site, tmp_path: Path) -> None:
    forged.manifest = {"format": "gradus-backup", "edition": 2, "gradus": "9.1.0", "tables": "elsewhere"}
    assert "Restore it with Gradus 9.1.0 or later" in refusal(site, forged, tmp_path)


def test_a_state_that_no_site_was_in(forged: Forged, site: Site, tmp_path: Path) -> None:
    forged.manifest["migrations"]["courses"].remove("0001_initial")
    assert "No database can be in that state" in refusal(site, forged, tmp_path)


def test_a_database_of_a_later_version_is_neither_saved_nor_filled(
    saved: Callable[[str], Path], make_site: MakeSite, tmp_path: Path
) -> None:
    site = make_site("sqlite")
    site.manage("migrate", "-v", "0")
    code = "from django.db.migrations.recorder import MigrationRecorder as R; from django.db import connection as c"
    site.manage("shell", "--no-imports", "-c", f"{code}; R(c).record_applied('courses', '0099_of_tomorrow')")
    for arguments in (("backup", tmp_path / "x.zip"), ("restore", saved("sqlite"))):
        assert "does not know the migration courses.0099_of_tomorrow" in site.refuses(*arguments)


@pytest.mark.parametrize("kind", KINDS)
def test_a_site_that_somebody_works_with_stays_as_it_is(
    kind: str, saved: Callable[[str], Path], full_sites: Callable[[str], Site]
) -> None:
    site = full_sites(kind)
    before = site.ask("rows")
    said = site.refuses("restore", saved("sqlite"))
    assert "This site is not empty" in said
    assert "a restore never overwrites data" in said
    assert site.ask("rows") == before


def test_what_a_new_site_made_by_itself_makes_way(
    saved: Callable[[str], Path], full_sites: Callable[[str], Site], make_site: MakeSite
) -> None:
    """Exercises that were loaded when it was first started."""
    site = make_site("sqlite")
    site.manage("migrate", "-v", "0")
    site.manage("exercise", "load", "fn-cubic")
    site.manage("restore", saved("sqlite"))
    assert site.ask("rows")["library.Exercise"] == full_sites("sqlite").ask("rows")["library.Exercise"]


def test_a_site_whose_workers_live_is_stopped_first(saved: Callable[[str], Path], make_site: MakeSite) -> None:
    site = make_site("sqlite")
    site.manage("migrate", "-v", "0")
    code = (
        "from django.utils.timezone import now; from autograder.submissions.models import Worker; "
        "Worker.objects.create(name='box:1', version='1', started_at=now(), seen_at=now())"
    )
    site.manage("shell", "--no-imports", "-c", code)
    assert "A worker of this site is running" in site.refuses("restore", saved("sqlite"))


def test_a_backup_is_never_written_over(full_sites: Callable[[str], Site], tmp_path: Path) -> None:
    (tmp_path / "mine.zip").write_text("mine")
    assert "will not be overwritten" in full_sites("sqlite").refuses("backup", tmp_path / "mine.zip")
    assert (tmp_path / "mine.zip").read_text() == "mine"


def test_a_folder_that_is_not_there(full_sites: Callable[[str], Site], tmp_path: Path) -> None:
    said = full_sites("sqlite").refuses("backup", tmp_path / "no" / "x.zip")
    assert "cannot be written (No such file or directory). No backup was made." in said
