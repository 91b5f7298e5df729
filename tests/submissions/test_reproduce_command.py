"""`manage.py reproduce`: grades again in a real sandbox and compares the result with the stored verdict."""

import pytest

from autograder.submissions import regrades
from autograder.submissions.grader import Grader
from autograder.submissions.models import Grading, Kind, Submission
from tests.cast import Cast, source_of
from tests.commands import Shell

pytestmark = pytest.mark.django_db(transaction=True)
WRONG = "wrong/missing-upstream"


@pytest.fixture
def graded(cast: Cast, grader: Grader) -> Submission:
    submission = cast.hands_in("ada", source_of("value-engine", WRONG))
    grader.work()
    return submission


def test_a_verdict_comes_out_again(graded: Submission, shell: Shell) -> None:
    ended = shell("reproduce", graded.pk)
    grading = graded.gradings.get()
    assert ended.status == 0, ended.out + ended.error
    assert f"The report is the same as that of grading {grading.pk} of " in ended.out
    assert f"seed {grading.seed}" in ended.out
    assert graded.gradings.count() == 1


def test_a_run_is_tried_on_its_public_checks_alone(cast: Cast, grader: Grader, shell: Shell) -> None:
    run = cast.hands_in("ada", kind=Kind.RUN)
    grader.work()
    assert shell("reproduce", run.pk).status == 0


def test_one_of_its_other_gradings(cast: Cast, graded: Submission, grader: Grader, shell: Shell) -> None:
    regrades.start(course=cast.course, by=cast.staff, reason="a better check")
    grader.work()
    again = graded.gradings.get(current=False)
    ended = shell("reproduce", graded.pk, "--grading", again.pk)
    assert (ended.status, f"grading {again.pk} of " in ended.out) == (0, True)


def test_another_report_is_told_check_by_check(graded: Submission, shell: Shell) -> None:
    grading = graded.gradings.get()
    grading.report["judge_version"] = "0.0"
    check = next(check for check in grading.report["checks"] if not check["passed"])
    check["ending"], check["passed"] = "passed", True
    grading.save()
    ended = shell("reproduce", graded.pk)
    assert ended.status == 1
    assert f"The report differs from grading {grading.pk}" in ended.out
    assert f"check {check['id']}: stored passed, now failed" in ended.out
    assert "graded with a different judge_version: stored '0.0', now" in ended.out


def test_what_it_was_made_with_alone_makes_no_difference(graded: Submission, shell: Shell) -> None:
    Grading.objects.update(report=graded.gradings.get().report | {"judge_version": "0.0", "seconds": 99.0})
    assert shell("reproduce", graded.pk).status == 0


def test_what_is_not_there_is_one_line(cast: Cast, shell: Shell) -> None:
    waiting = cast.hands_in("ada")
    assert shell("reproduce", 99_999).error == "There is no submission #99999."
    told = shell("reproduce", waiting.pk).error
    assert told == f"No grading counts of submission #{waiting.pk}. Its gradings: none."
    told = shell("reproduce", waiting.pk, "--grading", 5).error
    assert told == f"There is no grading 5 of submission #{waiting.pk}. Its gradings: none."


@pytest.mark.parametrize("arguments", [(), ("x",), ("1", "--grading", "0"), ("9" * 30,)])
def test_a_wrong_call_has_status_2(shell: Shell, arguments: tuple[str, ...]) -> None:
    assert shell("reproduce", *arguments).status == 2
