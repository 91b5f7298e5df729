"""`manage.py submit`: submits a file from the command line and waits for the verdict."""

import time
from pathlib import Path

import pytest
from django.conf import settings

from autograder.explain.diagnosis import prediction
from autograder.library.versions import pack_of
from autograder.prove.stored_proofs import wrong_endings
from autograder.submissions.grader import Grader
from autograder.submissions.management.commands import submit
from autograder.submissions.messages import doorbell
from autograder.submissions.models import Kind, Submission, Work
from autograder.submissions.work import queue
from tests.cast import Cast, source_of
from tests.commands import Ended, Shell
from tests.library.notebooks.made import code, notebook
from tests.submissions.conftest import judge_of

pytestmark = pytest.mark.django_db(transaction=True)
WRONG = "wrong/missing-upstream"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_bytes(source_of("value-engine"))
    return tmp_path / "mine.py"


@pytest.fixture
def answered(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    """The doorbell is answered in this process, so the work is done when it returns."""
    monkeypatch.setattr(doorbell, "ring", grader.work)


def handed_in(shell: Shell, file: Path, *options: object) -> Ended:
    return shell("submit", "autodiff", "value-engine", "ada", file, *options)


def test_a_file_is_handed_in_and_waits(cast: Cast, shell: Shell, file: Path) -> None:
    cast.student("ada")
    ended = handed_in(shell, file)
    submission = Submission.objects.get()
    assert (ended.status, ended.out) == (0, f"Submitted as #{submission.pk}\n")
    assert submission.membership.user.username == "ada"
    assert (submission.kind, submission.work.get().state) == (Kind.SUBMIT, Work.State.QUEUED)


def test_a_notebook_is_handed_in_as_its_code(cast: Cast, shell: Shell, tmp_path: Path) -> None:
    cast.student("ada")
    (tmp_path / "mine.ipynb").write_bytes(notebook(code("x = 1"), code("x")))
    ended = handed_in(shell, tmp_path / "mine.ipynb")
    assert ended.status == 0, ended.error
    assert bytes(Submission.objects.get().source) == b"# cell 1\nx = 1\n\n\n# cell 2\n# x\n"


@pytest.mark.usefixtures("answered")
def test_the_verdict_is_shown_as_grade_shows_it(cast: Cast, shell: Shell, file: Path) -> None:
    cast.student("ada")
    ended = handed_in(shell, file, "--wait")
    assert ended.status == 0, ended.error
    assert "✓ All checks passed  10 of 10 points  mine.py · value-engine" in ended.out


@pytest.mark.usefixtures("answered")
def test_a_wrong_answer_is_explained_below_its_verdict(cast: Cast, grader: Grader, shell: Shell, file: Path) -> None:
    cast.student("ada")
    prediction.load(
        judge_of(grader), pack_of(cast.assignment.version_id), settings.CACHE / "diagnosis", proved=wrong_endings
    )
    file.write_bytes(source_of("value-engine", WRONG))
    words = " ".join(handed_in(shell, file, "--wait", "30").out.split())
    assert words.index("Some checks passed") < words.index("Why Upstream gradient left out")


@pytest.mark.usefixtures("answered")
def test_what_cannot_be_explained_is_not_waited_for(
    cast: Cast, shell: Shell, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast.student("ada")
    file.write_text("class Value(:\n")
    monkeypatch.setattr(submit, "EXPLANATION_SECONDS", 1200.0)
    begun = time.monotonic()
    assert "Grading did not finish" in handed_in(shell, file, "--wait").out
    assert time.monotonic() - begun < 600


@pytest.mark.usefixtures("answered")
def test_a_run_tries_the_public_checks_and_counts_for_nothing(cast: Cast, shell: Shell, file: Path) -> None:
    cast.student("ada")
    ended = handed_in(shell, file, "--run", "--wait")
    assert (ended.status, "hidden" in ended.out) == (0, False)
    assert Submission.objects.get().kind == Kind.RUN


def test_when_nobody_grades_it_stays_handed_in(cast: Cast, shell: Shell, file: Path) -> None:
    cast.student("ada")
    ended = handed_in(shell, file, "--wait", "0.2")
    assert ended.status == 1
    assert "is not graded yet: waiting: 0 ahead of it" in ended.error
    assert "no worker is running. It remains in the queue." in ended.error
    assert Work.objects.get().state == Work.State.QUEUED


def test_what_could_not_be_graded_says_so(cast: Cast, shell: Shell, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        while claim := queue.claim("w"):
            queue.gradings.give_back(claim, "the disk is full")

    monkeypatch.setattr(doorbell, "ring", fail)
    cast.student("ada")
    ended = handed_in(shell, file, "--wait")
    assert (ended.status, "in 3 tries because of an internal error: the disk is full" in ended.error) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("audotiff", "value-engine", "ada"), "There is no course 'audotiff'. Existing courses: autodiff."),
        (("autodiff", "value-motor", "ada"), "There is no assignment 'value-motor' in Autodiff."),
        (("autodiff", "value-engine", "mallory"), "There is no account 'mallory'."),
    ],
)
def test_what_is_refused_is_one_line(cast: Cast, shell: Shell, file: Path, arguments: tuple[str, ...], words: str) -> None:
    cast.student("ada")
    ended = shell("submit", *arguments, file)
    assert (ended.status, ended.out) == (1, "")
    assert ended.error.startswith(words)
    assert not Submission.objects.exists()


def test_an_empty_file_is_refused(cast: Cast, shell: Shell, file: Path) -> None:
    cast.student("ada")
    file.write_bytes(b"\n")
    assert handed_in(shell, file).error == "The file is empty. Nothing was submitted."


@pytest.mark.parametrize("options", [("--wait", "long"), ("--wait", "-1"), ("--wait", "nan")])
def test_a_wrong_call_has_status_2(cast: Cast, shell: Shell, file: Path, options: tuple[str, ...]) -> None:
    assert handed_in(shell, file, *options).status == 2


def test_a_missing_file_has_status_2(cast: Cast, shell: Shell, tmp_path: Path) -> None:
    assert handed_in(shell, tmp_path / "nothing.py").status == 2
