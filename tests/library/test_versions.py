"""A version is what an exercise was when it was loaded, for good: laid out anywhere it is graded as it was."""

import io
import shutil
import tarfile
from pathlib import Path

import pytest
from django.db.models import QuerySet
from pytest_django import Settings

from autograder.judge import pack
from autograder.judge.grade import Judge
from autograder.library import versions
from autograder.library.models import Exercise, ExerciseVersion, VersionPage
from autograder.library.pages import MADE_BY
from autograder.library.versions import folder_of, load_folders, pack_of
from tests.at_once import Crowd
from tests.conftest import EXERCISES

pytestmark = pytest.mark.django_db
SLUG = "value-engine"


@pytest.fixture(autouse=True)
def cache(settings: Settings, tmp_path: Path) -> Path:
    """Its own for each test: nothing is laid out yet, and nothing is remembered."""
    settings.CACHE = tmp_path / "cache"
    versions.forget()
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An exercise that its author goes on working on."""
    return Path(shutil.copytree(pack.find(EXERCISES, SLUG), tmp_path / "work" / SLUG))


def load(folder: Path) -> ExerciseVersion:
    (loaded,) = load_folders([folder])
    return loaded.version


def change(folder: Path, words: str = "More words.") -> None:
    with (folder / "statement.md").open("a") as statement:
        statement.write(f"\n{words}\n")


def test_loading_a_changed_folder_makes_a_new_version_of_the_same_exercise(folder: Path) -> None:
    first = load(folder)
    change(folder)
    second = load(folder)
    assert second.hash != first.hash
    assert list(Exercise.objects.get().versions.order_by("id")) == [first, second]


def test_loading_a_changed_folder_leaves_the_old_version_as_it_was(folder: Path) -> None:
    before = ExerciseVersion.objects.filter(pk=load(folder).pk).values().get()
    change(folder)
    load(folder)
    assert ExerciseVersion.objects.filter(pk=before["id"]).values().get() == before


def test_loading_twice_makes_no_second_version(folder: Path) -> None:
    first = load(folder)
    (again,) = load_folders([folder])
    assert (again.version, again.new) == (first, False)
    assert ExerciseVersion.objects.count() == 1


def test_a_folder_that_is_named_twice_is_loaded_once(folder: Path) -> None:
    (loaded,) = load_folders([folder, folder])
    assert loaded.new
    assert [one.version for one in load_folders([folder, folder])] == [loaded.version]


def test_a_stored_version_is_not_run_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not on every start of a site: it would import torch and take seconds."""
    first = load(folder)

    def run(_: Path) -> pack.Pack:
        raise AssertionError("its checks were run")

    with monkeypatch.context() as patched:
        patched.setattr(pack, "load", run)
        assert load(folder) == first
    VersionPage.objects.update(made_by=0)
    load(folder)
    assert VersionPage.objects.get().made_by == MADE_BY, "a page of an older rendering is made again"


def test_a_change_taken_back_is_the_old_version_again(folder: Path) -> None:
    first, statement = load(folder), (folder / "statement.md").read_bytes()
    change(folder)
    load(folder)
    (folder / "statement.md").write_bytes(statement)
    assert load(folder) == first


def test_one_broken_folder_stops_the_loading_of_all(folder: Path, tmp_path: Path) -> None:
    broken = Path(shutil.copytree(folder, tmp_path / "work" / "broken"))
    (broken / "checks.py").write_text("1 / 0\n")
    with pytest.raises(pack.PackError, match="ZeroDivisionError"):
        load_folders([folder, broken])
    assert not Exercise.objects.exists()


def test_a_folder_that_changes_while_it_is_loaded_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its archive would not have its hash, and a version that cannot be read back could never be mended."""
    read = pack.load

    def and_the_author_saves(path: Path) -> pack.Pack:
        loaded = read(path)
        change(folder)
        return loaded

    monkeypatch.setattr(pack, "load", and_the_author_saves)
    with pytest.raises(pack.PackError, match="changed while it was being loaded"):
        load(folder)
    assert not ExerciseVersion.objects.exists()


def test_an_old_version_is_laid_out_with_its_own_content(folder: Path) -> None:
    first = load(folder)
    change(folder, "Only in the second.")
    second = load(folder)
    assert "Only in the second." not in (folder_of(first) / "statement.md").read_text()
    assert "Only in the second." in (folder_of(second) / "statement.md").read_text()


def test_a_version_laid_out_has_its_hash(folder: Path) -> None:
    version = load(folder)
    shutil.rmtree(folder)
    assert pack.version_of(folder_of(version)) == version.hash
    assert pack_of(version.pk).version == version.hash


def test_a_version_laid_out_is_graded_as_its_folder_is(folder: Path, judge: Judge) -> None:
    source = (folder / "wrong" / "missing-upstream.py").read_bytes()
    own, laid_out = pack.load(folder), pack_of(load(folder).pk)
    as_its_folder, as_laid_out = judge.grade(own, source, seed=7), judge.grade(laid_out, source, seed=7)
    assert as_laid_out.verdict == "partial"
    assert (as_laid_out.score, as_laid_out.version) == (as_its_folder.score, as_its_folder.version)
    assert [(check.id, check.passed, check.message) for check in as_laid_out.checks] == [
        (check.id, check.passed, check.message) for check in as_its_folder.checks
    ]


def test_a_version_cannot_be_saved_again(folder: Path) -> None:
    version = load(folder)
    version.title = "Another"
    with pytest.raises(TypeError, match="never changes"):
        version.save()
    version.refresh_from_db()
    assert version.title != "Another"


def test_a_version_cannot_be_written_over_under_its_own_number(folder: Path) -> None:
    version = load(folder)
    known = {field.attname: getattr(version, field.attname) for field in ExerciseVersion._meta.fields}
    with pytest.raises(Exception, match=r"UNIQUE|unique"):
        ExerciseVersion(**known | {"title": "Another"}).save()


def test_versions_cannot_be_changed_or_deleted_by_the_queryset(folder: Path) -> None:
    version = load(folder)
    versions: QuerySet[ExerciseVersion] = ExerciseVersion.objects.filter(pk=version.pk)
    with pytest.raises(TypeError, match="cannot be changed or deleted"):
        versions.update(title="Another")
    with pytest.raises(TypeError, match="cannot be changed or deleted"):
        Exercise.objects.get().versions.update(title="Another")
    with pytest.raises(TypeError, match="cannot be changed or deleted"):
        versions.bulk_update([version], ["title"])
    with pytest.raises(TypeError, match="cannot be changed or deleted"):
        versions.delete()


def test_a_version_cannot_be_deleted(folder: Path) -> None:
    version = load(folder)
    with pytest.raises(TypeError, match="never changes"):
        version.delete()
    assert ExerciseVersion.objects.get() == version


def with_archive(version: ExerciseVersion, archive: bytes) -> ExerciseVersion:
    """The version as a database with a damaged disk would give it."""
    version.archive = archive
    return version


@pytest.mark.parametrize("damage", ["cut", "noise", "empty", "another folder"])
def test_a_corrupted_archive_is_refused_and_nothing_is_laid_out(folder: Path, cache: Path, damage: str) -> None:
    version = load(folder)
    archive, other = bytes(version.archive), io.BytesIO()
    with tarfile.open(fileobj=other, mode="w:xz") as tar:
        tar.add(folder / "statement.md", "statement.md")
    damaged = {"cut": archive[: len(archive) // 2], "noise": b"noise" * 99, "empty": b"", "another folder": other.getvalue()}
    with pytest.raises(pack.PackError, match="cannot be read back"):
        folder_of(with_archive(version, damaged[damage]))
    assert not list(cache.rglob("*.py"))


def test_an_archive_that_leaves_its_folder_is_refused(folder: Path, cache: Path) -> None:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:xz") as tar:
        tar.addfile(tarfile.TarInfo("../../outside.py"))
    with pytest.raises(pack.PackError, match="is not a file of an exercise"):
        folder_of(with_archive(load(folder), data.getvalue()))
    assert not list(cache.rglob("outside.py"))


def test_a_laid_out_folder_that_somebody_changed_is_refused(folder: Path) -> None:
    version = load(folder)
    with (folder_of(version) / "checks.py").open("a") as checks:
        checks.write("# full marks for me\n")
    with pytest.raises(pack.PackError, match="was changed after it was extracted"):
        folder_of(version)


def test_several_processes_that_lay_out_at_once_agree_and_leave_no_scraps(folder: Path, cache: Path, tmp_path: Path) -> None:
    version, archive = load(folder), tmp_path / "archive"
    archive.write_bytes(bytes(version.archive))
    environment = {"GRADUS_CACHE": str(cache), "GRADUS_DATA": str(tmp_path), "DATABASE_URL": f"sqlite:///{tmp_path}/none"}
    with Crowd(environment) as crowd:
        crowd.python("from django.db import connection; connection.ensure_connection()")  # one creates the file
        found = crowd.at_once("lay_out", [(SLUG, version.hash, archive)] * 4)
    (laid_out,) = (cache / "versions" / version.hash).iterdir()
    assert found == [str(laid_out)] * 4
    assert pack.version_of(laid_out) == version.hash
