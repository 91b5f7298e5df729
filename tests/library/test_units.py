"""The pages of units: loaded from the folder of the unit, replaced when the file changes, never taken from other folders."""

import shutil
from pathlib import Path

import pytest

from autograder.judge import pack as packs
from autograder.library import units
from autograder.library.models import UnitPage
from autograder.library.versions import load_folders
from tests.conftest import EXERCISES

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A unit with one exercise and a page."""
    shutil.copytree(packs.find(EXERCISES, "value-unary"), tmp_path / "scalar-engine" / "value-unary")
    (tmp_path / "scalar-engine" / "unit.md").write_text("Build it.\n\n## What you learn\n\n$x^2$ <script>x</script>\n")
    return tmp_path / "scalar-engine" / "value-unary"


def test_loading_an_exercise_loads_the_page_of_its_unit(folder: Path) -> None:
    load_folders([folder])
    page = UnitPage.objects.get()
    assert (page.title, page.slug, page.math) == ("Scalar engine", "scalar-engine", True)
    assert "What you learn</h2>" in page.text
    assert "<script" not in page.text
    assert units.slugs_of(["Scalar engine", "Higher order"]) == {"Scalar engine": "scalar-engine"}


def test_a_changed_file_replaces_the_page_and_a_removed_one_removes_it(folder: Path) -> None:
    load_folders([folder])
    (folder.parent / "unit.md").write_text("Something else.\n")
    load_folders([folder])
    assert "Something else." in UnitPage.objects.get().text
    (folder.parent / "unit.md").unlink()
    load_folders([folder])
    assert not UnitPage.objects.exists()


def test_an_exercise_in_another_folder_leaves_the_page_alone(folder: Path, tmp_path: Path) -> None:
    load_folders([folder])
    shutil.copytree(folder, tmp_path / "drafts" / "value-unary")
    load_folders([tmp_path / "drafts" / "value-unary"])
    assert UnitPage.objects.get().title == "Scalar engine"
    (tmp_path / "drafts" / "unit.md").write_text("A draft of another text.\n")
    load_folders([tmp_path / "drafts" / "value-unary"])
    assert "Build it." in UnitPage.objects.get().text


def test_every_unit_of_the_curriculum_has_a_page() -> None:
    units = {exercise.parent.parent for exercise in EXERCISES.glob("*/*/exercise.toml")} - {EXERCISES / "drafts"}
    assert len(units) > 10
    assert sorted(unit.name for unit in units if not (unit / "unit.md").is_file()) == []
