"""The notebook of an exercise is downloaded, filled in, and submitted as it is."""

import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from autograder.courses.models import Assignment
from autograder.judge import pack
from autograder.judge.grade import Judge
from autograder.library.notebooks.download import parts_of
from autograder.library.notebooks.exercise_folder import import_notebook
from autograder.library.versions import load_folders
from autograder.submissions.models import Submission
from tests.cast import Cast, ahead, source_of
from tests.library.notebooks.assignments import SAMPLES
from tests.library.notebooks.made import code, notebook
from tests.web.conftest import Signed, change, page

pytestmark = pytest.mark.django_db


def where(cast: Cast, name: str = "notebook") -> str:
    return reverse(name, args=(cast.course.slug, cast.assignment.slug))


def cells_of(data: bytes) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(data)["cells"]]


def test_it_is_linked_beside_the_download_and_has_the_statement_and_the_starter(cast: Cast, signed: Signed) -> None:
    assert f'href="{where(cast)}" download="value-engine.ipynb"' in " ".join(
        page(signed("ada"), where(cast, "exercise")).split()
    )
    answer = signed("ada").get(where(cast))
    assert answer.headers["Content-Type"] == "application/x-ipynb+json"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="value-engine.ipynb"'
    first, *_, own, checks = cells_of(answer.content)
    assert first.startswith("# value-engine\n\n")
    assert own in source_of("value-engine", "starter").decode()
    assert f"http://testserver{where(cast, 'exercise')}" in checks


def test_it_has_the_draft_if_there_is_one(cast: Cast, signed: Signed) -> None:
    signed("ada").post(where(cast, "draft"), {"source": "mine = 1\n", "seen": 0})
    assert "mine = 1" in cells_of(signed("ada").get(where(cast)).content)
    assert "mine = 1" not in cells_of(signed("ben").get(where(cast)).content)


def test_it_comes_back_as_a_submission(cast: Cast, signed: Signed) -> None:
    data = signed("ada").get(where(cast)).content
    sent = SimpleUploadedFile("value-engine.ipynb", data)
    signed("ada").post(where(cast, "submit"), {"kind": "submit", "source": "", "file": sent})
    stored = bytes(Submission.objects.get().source)
    assert pack._bare(stored) == pack._bare(source_of("value-engine", "starter"))


def test_before_it_opens_there_is_no_notebook(cast: Cast, signed: Signed) -> None:
    change(cast, opens_at=ahead(days=1))
    assert signed("ada").get(where(cast)).status_code == 404


def test_a_notebook_goes_into_the_editor_by_the_server(cast: Cast, signed: Signed) -> None:
    def upload(data: bytes) -> tuple[int, dict[str, str]]:
        answer = signed("ada").post(where(cast, "upload"), {"file": SimpleUploadedFile("mine.ipynb", data)})
        return answer.status_code, answer.json()

    status, found = upload(notebook(code("x = 1"), code("print(x)")))
    assert (status, found["source"]) == (200, "# cell 1\nx = 1\n\n\n# cell 2\n# print(x)\n")
    assert found["text"].startswith("Lines that only work in a notebook")
    status, refused = upload(b"{")
    assert (status, refused["text"][:37]) == (422, "mine.ipynb is not a valid notebook. S")
    assert not Submission.objects.exists()


# -- from another grader to a grade ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", SAMPLES)
def test_an_imported_assignment_makes_the_round_trip(
    slug: str, cast: Cast, signed: Signed, tmp_path: Path, judge: Judge
) -> None:
    """Import, load, download the notebook, fill in its cells, submit it as it is, and grade what was stored."""
    (tmp_path / f"{slug}.ipynb").write_bytes(SAMPLES[slug])
    folder = import_notebook(tmp_path / f"{slug}.ipynb", tmp_path / "exercises").folder
    (loaded,) = load_folders([folder])
    cast.assignment = Assignment.objects.create(
        course=cast.course, version=loaded.version, slug=f"hw-{slug}", title="Imported", points=10
    )
    downloaded = json.loads(signed("ada").get(where(cast)).content)
    solutions = parts_of((folder / "solution.py").read_text())
    cells = [cell for cell in downloaded["cells"] if "file" in cell["metadata"].get("gradus", {})]
    for cell, solution in zip(cells, solutions, strict=True):
        cell["source"] = f"%time\n{solution}\n"
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "5"}]
    downloaded["cells"].insert(3, code("!rm -rf"))
    sent = SimpleUploadedFile(f"hw-{slug}.ipynb", json.dumps(downloaded).encode())
    signed("ada").post(where(cast, "submit"), {"kind": "submit", "source": "", "file": sent})
    report = judge.grade(pack.load(folder), bytes(Submission.objects.get().source), 1)
    assert (report.verdict, report.score) == ("passed", report.max_score), report.message
