"""The guidance for results without compared numbers."""

from typing import Any

import pytest
from django.urls import reverse

from autograder.courses.people.check_visibility import CheckVisibility
from autograder.judge.report import Detail, Report, Shown, StackLine, Stopped
from autograder.library.statements import headings_of, html_of
from autograder.submissions.models import Kind
from autograder.web.results.explanation import Explanation
from autograder.web.results.guidance import WHOLE_TASK
from autograder.web.results.outcome import Outcome, outcome_of
from autograder.web.results.visible import visible
from tests.cast import Cast
from tests.web.conftest import Signed, checked, grade, page, reported
from tests.web.results.test_outcome import about

HEADINGS = headings_of(html_of("## What to write\n\na\n\n## Saved values {#graph-freed}\n"))
UNKNOWN = Explanation("", "No mistake that we know of.")
KNOWN = Explanation("missing-upstream", "The upstream is missing.", ("one",))
FREED = Stopped("RuntimeError", "graph-freed", (StackLine(4, "f", "y = g()"), StackLine(9, "g", "y.backward()")))
ODD = Stopped("<b>Odd</b>", "", (StackLine(2, "<i>", "x = '<script>'"),))
NUMBERS = Detail("x.grad", {}, Shown("float", ("1",)), Shown("float", ("2",)))
NOTHING = Detail("answer", {}, Shown("float", ("1",)), Shown("NoneType", ("None",)))


def failing(ending: str = "failed", explanations: tuple[Explanation, ...] = (UNKNOWN,), **more: Any) -> Outcome:
    return of(reported(checked("one", passed=False, ending=ending, **more), checked("two")), explanations)


def of(report: Report, explanations: tuple[Explanation, ...] = ()) -> Outcome:
    return outcome_of(
        visible(report, explanations, (), CheckVisibility.ALL, explain_hidden=True),
        about(exercise_kind="semantics", headings=HEADINGS),
    )


def test_that_no_mistake_is_known_is_said_where_numbers_were_compared() -> None:
    shown = failing(detail=NUMBERS).public[0]
    assert shown.explanations == (UNKNOWN,) and shown.guidance is None


@pytest.mark.parametrize(
    ("ending", "more"),
    [("failed", {"detail": NOTHING}), ("failed", {}), ("raised", {"stopped": FREED}), ("late", {}), ("ended", {})],
)
def test_that_no_mistake_is_known_is_said_nowhere_else(ending: str, more: dict[str, Any]) -> None:
    assert failing(ending, **more).public[0].explanations == ()


def test_an_exception_has_its_meaning_its_lines_and_its_place_in_the_task() -> None:
    guidance = failing("raised", stopped=FREED).public[0].guidance
    assert guidance is not None
    assert guidance.title == "Second backward pass through a freed graph" and "Here a second pass" in guidance.words
    assert [line.number for line in guidance.lines] == [4, 9]
    assert (guidance.last, guidance.remark) == (9, "RuntimeError")
    assert guidance.place is not None and guidance.place.title == "Saved values"


def test_without_a_fitting_heading_the_task_as_a_whole_is_the_place() -> None:
    guidance = failing("raised", stopped=Stopped("ValueError")).public[0].guidance
    assert guidance is not None and guidance.place == WHOLE_TASK and guidance.last is None


def test_where_the_task_does_not_help_there_is_no_link() -> None:
    outcome = of(reported(checked("one"), verdict="error", reason="source", stopped=Stopped("SyntaxError")))
    assert outcome.guidance is not None and outcome.guidance.place is None


def test_where_a_mistake_is_known_only_the_lines_are_added() -> None:
    guidance = failing("raised", (KNOWN,), stopped=FREED).public[0].guidance
    assert guidance is not None and guidance.title == "" and guidance.lines == FREED.lines


def test_an_older_report_without_lines_still_has_words() -> None:
    outcome = of(reported(checked("one"), verdict="error", reason="exception", message="Loading the file raised E"))
    assert outcome.said == "Loading the file raised E"
    assert outcome.guidance is not None and outcome.guidance.title and outcome.guidance.lines == ()
    assert failing("raised", message="Your code raised E").public[0].guidance is None


def test_a_limit_is_said_once_and_names_its_line() -> None:
    words = "During the check “The one check”: not finished after 15 s."
    stopped = Stopped(lines=(StackLine(3, "f", "while True:"),))
    ended = checked("one", passed=False, ending="ended", message="The submission was stopped during this check.")
    outcome = of(reported(ended, verdict="error", reason="timeout-wall", message=words, stopped=stopped))
    assert outcome.summary.heading.startswith("The code did not finish in time: 0 of 1") and outcome.summary.line.startswith(
        words
    )
    assert outcome.said == "" and outcome.public[0].guidance is None
    assert outcome.guidance is not None and (outcome.guidance.last, outcome.guidance.remark) == (3, "stopped here")


@pytest.mark.parametrize("kind", Kind)
def test_the_starter_is_told_first(kind: Kind) -> None:
    raised = checked("one", passed=False, ending="raised", stopped=Stopped("NotImplementedError", "not-written"))
    seen = visible(reported(raised, starter=True), (UNKNOWN,), (), CheckVisibility.ALL, explain_hidden=True)
    outcome = outcome_of(seen, about(kind=kind))
    assert outcome.summary.heading.startswith("Unchanged starter: 0 of 1")
    assert outcome.guidance is not None and "Write the parts" in outcome.guidance.words
    assert outcome.public[0].explanations == () and outcome.public[0].guidance is None


@pytest.mark.django_db
def test_lines_are_links_and_everything_of_the_student_is_text(cast: Cast, signed: Signed) -> None:
    submission = cast.hands_in("ada", b"x = 1\n")
    grade(submission, reported(checked("one", passed=False, ending="raised", stopped=ODD)))
    pages = {
        "ada": reverse("outcome", args=(submission.pk,)),
        cast.owner.username: reverse("submission", args=(cast.course.slug, submission.pk)),
    }
    for who, address in pages.items():
        html = page(signed(who), address)
        assert 'href="#L2"' in html and 'data-stopped-remark="&lt;b&gt;Odd&lt;/b&gt;"' in html
        assert not any(tag in html for tag in ("<b>Odd", "<i>", "<script>'"))
