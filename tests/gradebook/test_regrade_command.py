"""`manage.py regrade`: a preview without effect, then the decision."""

import re

import pytest

from autograder.courses.models import AuditEntry
from autograder.submissions.grader import Grader
from autograder.submissions.messages import doorbell
from autograder.submissions.models import Batch, Grading, Submission, Worker
from tests.cast import Cast, source_of, version_of
from tests.commands import Ended, Shell
from tests.submissions.conftest import grader, nothing_remembered, warm_grader

# fixtures: a real sandbox, which the other gradebook tests do not need
__all__ = ["grader", "nothing_remembered", "warm_grader"]

pytestmark = pytest.mark.django_db(transaction=True)
WRONG = "wrong/missing-upstream"


@pytest.fixture
def graded(cast: Cast, grader: Grader) -> Cast:
    """Ada's submission is wrong and Ben's right, but both are graded 8 of 10, as a mistake in the exercise might do."""
    cast.hands_in("ada", source_of("value-engine", WRONG))
    cast.hands_in("ben")
    grader.work()
    Grading.objects.update(score=8, max_score=10)
    return cast


def preview(shell: Shell, *options: object) -> Ended:
    return shell("regrade", "autodiff", "--preview", "--reason", "A check was too strict.", *options)


def scores() -> dict[str, float]:
    current = Grading.objects.filter(current=True).select_related("submission__membership__user")
    return {grading.submission.membership.user.username: grading.score for grading in current}


def batch() -> int:
    return Batch.objects.get().pk


def test_a_preview_is_asked_for_by_the_owner(graded: Cast, shell: Shell) -> None:
    ended = preview(shell)
    assert (ended.status, ended.out) == (0, f"Regrade {batch()}: 2 submissions to grade again\n")
    assert Batch.objects.get().created_by == graded.owner


def test_what_would_change_is_a_table_and_counts_for_nothing(graded: Cast, grader: Grader, shell: Shell) -> None:
    preview(shell)
    grader.work()
    out = shell("regrade", "--batch", batch(), "--show").out
    rows = [line.split() for line in out.splitlines()]
    low = Grading.objects.get(submission__membership__user__username="ada", current=False).score
    assert rows[1][:2] == ["ada", "value-engine"]
    assert rows[1][2:] == ["8", "of", "10", f"{low:g}", "of", "10", f"−{(8 - low) * 10:.0f}%"]
    assert rows[2][0] == "ben"
    assert rows[2][-1] == "+20%"
    assert "2 of 2 graded again, 1 up, 1 down" in out
    assert "this regrade does not lower" in out
    assert scores() == {"ada": 8, "ben": 8}


def test_waiting_shows_the_table_at_once(
    graded: Cast, grader: Grader, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doorbell, "ring_for_regrades", grader.work)
    assert "1 up, 1 down" in preview(shell, "--wait").out


def test_waiting_when_nobody_works(graded: Cast, shell: Shell) -> None:
    Worker.objects.all().delete()
    ended = preview(shell, "--wait", "0.2")
    assert ended.status == 1
    assert re.fullmatch(
        r"regrade \d+ is not finished: 0 of 2, and no worker is running. It continues in the background.", ended.error
    )


def test_commit_lets_it_count_but_lowers_nobody(graded: Cast, grader: Grader, shell: Shell) -> None:
    preview(shell)
    grader.work()
    ended = shell("regrade", "--batch", batch(), "--commit")
    assert ended.out == f"Regrade {batch()} was applied: 1 up, 0 down; 1 would go down and were not changed.\n"
    assert scores() == {"ada": 8, "ben": 10}
    assert AuditEntry.objects.get(action="score-changed").actor == graded.owner
    assert shell("regrade", "--batch", batch(), "--commit").error == "This regrade is already applied."


def test_commit_may_lower_if_it_was_said(graded: Cast, grader: Grader, shell: Shell) -> None:
    preview(shell, "--may-lower")
    grader.work()
    assert shell("regrade", "--batch", batch(), "--commit").out.endswith("was applied: 1 up, 1 down.\n")
    assert scores()["ada"] < 8


def test_commit_of_an_unfinished_preview(graded: Cast, shell: Shell) -> None:
    preview(shell)
    assert "not finished yet" in shell("regrade", "--batch", batch(), "--commit").error


def test_discard(graded: Cast, shell: Shell) -> None:
    preview(shell)
    assert "discarded" in shell("regrade", "--batch", batch(), "--discard").out
    assert Batch.objects.get().state == Batch.State.DISCARDED
    assert scores() == {"ada": 8, "ben": 8}


def test_a_selection(graded: Cast, shell: Shell) -> None:
    ben = Submission.objects.get(membership__user__username="ben")
    preview(
        shell,
        "--submission",
        ben.pk,
        "--assignment",
        "value-engine",
        "--version",
        graded.assignment.exercise_version.hash[:8],
    )
    assert [work.submission for work in Batch.objects.get().work.all()] == [ben]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--submission", "999999"), "There is no submission #999999 in Autodiff."),
        (("--version", "zzz"), "There is no version zzz."),
        (("--assignment", "value-motor"), "There is no assignment 'value-motor' in Autodiff."),
        (("--by", "mallory"), "There is no account 'mallory'."),
    ],
)
def test_what_is_refused_is_one_line(graded: Cast, shell: Shell, options: tuple[str, ...], words: str) -> None:
    ended = preview(shell, *options)
    assert (ended.status, ended.out) == (1, "")
    assert ended.error.startswith(words)
    assert not Batch.objects.exists()


def test_a_version_of_an_exercise_that_nobody_did(graded: Cast, shell: Shell) -> None:
    ended = preview(shell, "--version", version_of("value-unary").hash)
    assert ended.error == "This selection contains no submissions to grade again."


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("autodiff", "--preview"),
        ("--preview", "--reason", "x"),
        ("--show",),
        ("--batch", "1"),
        ("--batch", "1", "--show", "--commit"),
        ("autodiff", "--batch", "1", "--show"),
        ("--batch", "1", "--commit", "--may-lower"),
        ("--batch", "1", "--show", "--wait", "nan"),
        ("--batch", "9" * 30, "--show"),
        ("autodiff", "--preview", "--reason", "x", "--submission", "9" * 30),
    ],
)
def test_a_wrong_call_has_status_2(shell: Shell, arguments: tuple[str, ...]) -> None:
    assert shell("regrade", *arguments).status == 2
