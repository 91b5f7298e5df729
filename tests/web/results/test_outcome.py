"""The wording of results. They never say that everything passed while checks are hidden or were not run."""

import re
from datetime import UTC, datetime, timedelta
from itertools import product

import msgspec
import pytest
from django.urls import reverse
from django.utils import timezone
from msgspec.structs import replace

from autograder.courses.people.check_visibility import CheckVisibility
from autograder.judge.report import Counterexample, Detail, GradientOf, Report, Shown
from autograder.submissions.handing_in.attempts import attempts_used
from autograder.submissions.models import Kind, Work
from autograder.submissions.work import queue
from autograder.web.results import outcome as words
from autograder.web.results.explanation import Explanation
from autograder.web.results.outcome import ResultContext, outcome_of
from autograder.web.results.visible import visible
from tests.cast import Cast
from tests.web.conftest import Signed, change, checked, grade, page, reported
from tests.web.player.examples import EXAMPLE

AT = datetime(2026, 11, 24, 14, 7, tzinfo=UTC)
DUE = datetime(2026, 11, 26, 23, 59, tzinfo=UTC)


def about(kind: Kind = Kind.SUBMIT, **more: object) -> ResultContext:
    given: dict[str, object] = {"kind": kind, "number": 3, "submitted_at": AT, "points": 10.0, "hidden": 3} | more
    return ResultContext(**given)  # type: ignore[arg-type]


def report(public: str, hidden: str, **more: object) -> Report:
    """`report("1110", "100")`: public and hidden checks that pass or fail, each worth the same."""
    return reported(
        *(checked(f"p{n}", passed=c == "1") for n, c in enumerate(public)),
        *(checked(f"h{n}", passed=c == "1", hidden=True) for n, c in enumerate(hidden)),
        **more,
    )


def strip(graded: Report, sight: CheckVisibility = CheckVisibility.TITLES, **more: object) -> words.VerdictSummary:
    return outcome_of(visible(graded, (), (), sight, explain_hidden=True), about(**more)).summary  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def on_that_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.utils.timezone.now", lambda: AT + timedelta(minutes=5))


def test_passed() -> None:
    found = strip(report("1111", "111", seconds=0.079), late="On time.", number=4)
    assert (found.state, found.heading) == ("passed", "All 7 checks pass, including the 3 hidden ones; 10 of 10 points")
    assert found.line == "On time. Submission 4, today 14:07, graded within a second."
    assert (found.points, found.of) == ("10", "of 10 points")


@pytest.mark.parametrize(
    ("took", "told"), [(0.02, "within a second"), (0.99, "within a second"), (7.31, "within 8 seconds")]
)
def test_students_see_whole_seconds_while_results_are_hidden(took: float, told: str) -> None:
    """Code could sleep for a time that depends on a hidden input."""
    assert strip(report("1111", "111", seconds=took)).line.endswith(f"graded {told}.")
    assert strip(report("1111", "", seconds=0.3), kind=Kind.RUN).line.endswith("graded in 300 ms.")
    assert strip(report("1111", "111", seconds=1.26), CheckVisibility.ALL).line.endswith("graded in 1.3 s.")


def test_partly_passed() -> None:
    found = strip(report("1110", "100"))
    assert (found.state, found.heading) == ("partial", "4 of 7 checks pass, 5.71 of 10 points; public: 3 of 4")
    assert found.line == "Submission 3, today 14:07, graded within a second."
    assert (found.points, found.of) == ("5.71", "of 10 points")


def test_nothing_passed_yet() -> None:
    found = strip(report("0000", "000"))
    assert (found.state, found.heading) == ("failed", "0 of 7 checks pass, 0 of 10 points; public: 0 of 4")
    assert found.line.startswith("Start with the check that is expanded below. Later checks often depend on it.")
    assert (found.points, found.of) == ("0", "of 10 points")


def test_a_run() -> None:
    found = strip(report("1111", ""), kind=Kind.RUN)
    assert (found.state, found.heading) == ("run", "4 of 4 public checks pass; 3 hidden checks run when you submit")
    assert found.line.startswith("Runs earn no points. Submit to have everything graded.")
    assert found.points == ""


def test_hidden_results_held_back() -> None:
    found = strip(report("1111", "010"), CheckVisibility.NOTHING, shown_from=DUE)
    assert found.state == "held"
    assert found.heading == "4 of 4 public checks pass; 3 hidden checks graded, not shown yet"
    assert found.line.startswith("Hidden results and your points appear after Thu 26 Nov, 23:59.")
    assert found.points == ""


def test_hidden_results_that_are_never_shown() -> None:
    assert strip(report("1111", "010"), CheckVisibility.NOTHING, never=True).line.startswith(
        "This assignment does not show hidden results."
    )


def test_what_stopped_before_the_end_is_counted_too() -> None:
    found = strip(report("10", "0", verdict="error", reason="memory", message="Your code exceeded the memory limit."))
    assert found.heading == "The code ran out of memory: 1 of 3 checks pass, 3.33 of 10 points; public: 1 of 2"
    assert found.line.startswith("Stopped during a hidden check: your code exceeded the memory limit")


def test_what_is_only_public_is_not_counted_twice() -> None:
    assert strip(report("10", "")).heading == "1 of 2 checks pass, 5 of 10 points"
    assert strip(report("11", ""), kind=Kind.RUN, hidden=0).heading == "2 of 2 public checks pass"
    assert strip(report("11", ""), kind=Kind.RUN, hidden=1).heading.endswith("; 1 hidden check runs when you submit")


def test_the_points_of_a_heading_also_stand_beside_it() -> None:
    assert strip(report("10", "0")).parts == ("1 of 3 checks pass", ", 3.33 of 10 points", "; public: 1 of 2")
    assert strip(report("1", "1")).parts == ("All 2 checks pass, including the hidden one", "; 10 of 10 points", "")
    assert strip(report("10", "0"), CheckVisibility.NOTHING).parts[1:] == ("", "")


def test_what_python_could_not_read() -> None:
    unread = report("", "", verdict="error", reason="source", message="The file is not valid Python: SyntaxError")
    found = strip(unread)
    assert (found.state, found.heading) == ("error", "The code did not run")
    assert found.line == "The file has a syntax error, so no checks ran. This did not use up a submission."
    assert "did not use up" not in strip(unread, kind=Kind.RUN).line


def test_what_stopped_while_it_was_loaded_did_use_one_up() -> None:
    found = strip(report("", "", verdict="error", reason="exception", message="Loading the file raised KeyError"))
    assert found.line == "Your code stopped while it was being loaded, so no checks ran."


def test_our_error() -> None:
    found = strip(report("11", "1", verdict="internal", message="checks.py:12"))
    assert (found.state, found.heading) == ("internal", "Internal error")
    assert found.line.startswith("The problem is in Gradus, not in your code.")
    assert "checks.py" not in found.line + found.heading


@pytest.mark.parametrize(
    ("before", "seconds", "heading"),
    [
        (0, 0.4, "Next in line, a moment"),
        (2, 2.2, "Third in line, about 2 seconds"),
        (14, 40, "Number 15 in line, about 40 seconds"),
        (400, 300, "Number 401 in line, about 5 minutes"),
    ],
)
def test_waiting(before: int, seconds: float, heading: str) -> None:
    found = words.waiting(before, seconds, AT)
    assert (found.state, found.heading) == ("waiting", heading)
    assert found.line == "You can keep typing. The result will be for your code as of today 14:07."


def test_running() -> None:
    found = words.running(3, 7, AT)
    assert (found.heading, found.line) == (
        "Running: 3 of 7 checks done",
        "You can leave this page; the result will be saved.",
    )


@pytest.mark.parametrize("sight", CheckVisibility)
@pytest.mark.parametrize("kind", Kind)
def test_all_is_said_only_when_all_passed_and_all_is_known(sight: CheckVisibility, kind: Kind) -> None:
    for public, hidden in product(("11", "10", "00"), ("11", "10", "00", "1-")):
        graded = reported(
            *(checked(f"p{n}", passed=c == "1") for n, c in enumerate(public)),
            *(
                checked(f"h{n}", passed=c == "1", hidden=True, ending="unreached" if c == "-" else "failed")
                for n, c in enumerate(hidden)
                if kind == Kind.SUBMIT
            ),
        )
        found = strip(graded, sight, kind=kind, hidden=2)
        everything = (public, hidden, kind) == ("11", "11", Kind.SUBMIT) and sight is not CheckVisibility.NOTHING
        assert ("checks pass, including the 2 hidden ones" in found.heading) == everything, found
        assert ("All" in found.heading) == everything
        assert (found.state == "passed") == everything


def test_the_first_failing_public_check_is_open_and_no_other() -> None:
    seen = visible(report("1001", "0"), (), (), CheckVisibility.ALL, explain_hidden=True)
    found = outcome_of(seen, about())
    assert [shown.opened for shown in found.public] == [False, True, False, False]
    assert [shown.opened for shown in found.hidden] == [False]


def test_where_only_hidden_checks_fail_the_first_explained_one_is_open() -> None:
    explanations = (Explanation("wrong-sign", "A sign is the other way round.", ("h1", "h2")),)
    seen = visible(report("11", "000"), explanations, (), CheckVisibility.TITLES, explain_hidden=True)
    found = outcome_of(seen, about())
    assert [shown.opened for shown in (*found.public, *found.hidden)] == [False, False, False, True, False]
    assert [shown.explanations for shown in found.hidden] == [(), explanations, explanations]
    assert [shown.has_more for shown in found.hidden] == [False, True, True]


FAILS, RAISES = "No known mistake explains why this check fails.", "Your code raised an exception in this check."
SEVERAL = "No known mistake explains the hidden checks that fail."
TRIED = "Its input is not shown. Try inputs that the examples do not have"


def hidden_words(ending: str, sight: CheckVisibility, *explanations: Explanation, **more: object) -> tuple[list[str], str]:
    """What is said at two hidden checks of which the second fails, and above them."""
    graded = reported(checked("p"), checked("h0", hidden=True), checked("h1", hidden=True, passed=False, ending=ending))
    explain = bool(more.get("explain_hidden"))
    found = outcome_of(visible(graded, explanations, (), sight, explain_hidden=explain), about(**more))  # type: ignore[arg-type]
    return [shown.unexplained for shown in found.hidden], found.hidden_note


@pytest.mark.parametrize(("ending", "says"), [("failed", FAILS), ("raised", RAISES), ("late", FAILS)])
def test_a_hidden_failure_that_nobody_can_explain_says_so_and_what_to_try(ending: str, says: str) -> None:
    titles = CheckVisibility.TITLES
    (passed, failed), _ = hidden_words(ending, titles, explain_hidden=True, exercise_kind="vjp")
    assert passed == "" and failed.startswith(f"{says} {TRIED}: other shapes")
    known = Explanation("wrong-sign", "The sign is wrong.", ("h1",))
    assert hidden_words(ending, titles, known, explain_hidden=True)[0] == ["", ""]
    for more in ({"explain_hidden": False}, {"explain_hidden": True, "explained": False}):
        assert hidden_words(ending, titles, **more)[0] == ["", ""], "not allowed, or not known yet"


def test_where_only_the_number_of_hidden_failures_is_shown_it_is_said_once() -> None:
    count = CheckVisibility.COUNT
    checks, note = hidden_words("raised", count, explain_hidden=True)
    assert checks == [] and note.startswith(f"Hidden checks: 1 of 2 pass. {SEVERAL} Their inputs are not shown. Try inputs")
    known = Explanation("wrong-sign", "The sign is wrong.", ("h1",))
    for explanations, more in (((known,), {"explain_hidden": True}), ((), {"explain_hidden": False})):
        assert SEVERAL not in hidden_words("failed", count, *explanations, **more)[1]


def test_a_forward_pass_that_raised_has_no_player() -> None:
    graded = reported(checked("one", passed=False, ending="raised", message="ZeroDivisionError: division by zero"))
    for events, has_player in ((EXAMPLE.events, True), (EXAMPLE.events[-1:], False)):
        seen = visible(graded, (), (replace(EXAMPLE, check="one", events=events),), CheckVisibility.ALL, explain_hidden=True)
        assert outcome_of(seen, about()).has_player == has_player


def test_the_words_of_staff_and_school_have_no_exclamation_marks_and_true_minus_signs() -> None:
    for sight, public, hidden in product(CheckVisibility, ("11", "10", "00"), ("11", "00")):
        found = strip(report(public, hidden), sight, shown_from=DUE)
        assert "!" not in found.heading + found.line
        assert "-" not in found.heading


# -- on the page, with database rows


@pytest.mark.django_db
def test_it_is_true_that_an_unreadable_file_did_not_use_up_a_submission(cast: Cast, signed: Signed) -> None:
    change(cast, attempt_limit=2)
    submission = cast.hands_in("ada", b"def (\n")
    grade(submission, report("", "", verdict="error", reason="source", message="SyntaxError: line 1"))
    text = page(signed("ada"), reverse("exercise", args=(cast.course.slug, cast.assignment.slug)))
    assert "This did not use up a submission." in text
    assert "SyntaxError: line 1" in text
    assert attempts_used(cast.assignment, cast.membership("ada")) == 0
    assert re.search(r"0 of 2</b>\s+submissions used", text)
    assert "2 submissions left" in text


@pytest.mark.django_db
def test_a_submission_that_nobody_could_grade(cast: Cast, signed: Signed) -> None:
    submission = cast.hands_in("ada")
    Work.objects.filter(submission=submission).update(state=Work.State.FAILED, ended_at=timezone.now())
    text = page(signed("ada"), reverse("outcome", args=(submission.pk,)))
    assert "Internal error" in text
    assert "data-events" not in text
    assert attempts_used(cast.assignment, cast.membership("ada")) == 0


@pytest.mark.django_db
def test_a_submission_that_a_newer_one_replaced(cast: Cast, signed: Signed) -> None:
    cast.course.supersedes = True
    cast.course.save()
    cast.assignment.refresh_from_db()
    first = cast.hands_in("ada", b"x = 1\n")
    cast.hands_in("ada", b"x = 2\n")
    text = page(signed("ada"), reverse("outcome", args=(first.pk,)))
    assert "Replaced by a newer submission" in text
    assert "It was not graded and did not use up a submission. The newer submission is number 2." in text
    assert "data-events" not in text


@pytest.mark.django_db
def test_what_waits_and_runs_is_followed(cast: Cast, signed: Signed) -> None:
    submission = cast.hands_in("ada")
    where = reverse("outcome", args=(submission.pk,))
    text = page(signed("ada"), where)
    assert "Next in line" in text
    assert 'data-verdict="queued"' in text
    queue.claim("box")
    text = page(signed("ada"), where)
    assert "Running" in text
    assert f'data-events="/s/{submission.pk}/events/?seen=running"' in text
    assert 'data-verdict="running"' in text
    assert f'hx-get="{where}"' in text


@pytest.mark.django_db
def test_a_verdict_is_followed_until_what_explains_it_can_be_there(cast: Cast, signed: Signed) -> None:
    submission = cast.hands_in("ada")
    grading = grade(submission, report("10", "1"), explained_at=None)
    grading.graded_at = AT + timedelta(minutes=5)
    grading.save()
    where = reverse("outcome", args=(submission.pk,))
    assert "data-events" in page(signed("ada"), where)
    grading.traces = [msgspec.to_builtins(replace(EXAMPLE, check="one"))]  # only part of the explanation is stored yet
    grading.save()
    assert "data-events" in page(signed("ada"), where)
    grading.explained_at = AT + timedelta(minutes=5)
    grading.save()
    assert "data-events" not in page(signed("ada"), where)


def test_the_page_says_that_the_mistake_is_looked_for(cast: Cast, signed: Signed) -> None:
    submission = cast.hands_in("ada")
    grading = grade(submission, report("10", "1"), explained_at=None)
    where = reverse("outcome", args=(submission.pk,))
    for seconds, followed, sentence in (
        (1, True, words.EXPLAINING),
        (60, True, words.EXPLAINING),
        (180, False, words.EXPLAINED_LATER),
    ):
        grading.graded_at = AT + timedelta(minutes=5) - timedelta(seconds=seconds)
        grading.save()
        text = page(signed("ada"), where)
        assert (("data-events" in text), sentence in text) == (followed, True), seconds
    grading.explained_at = AT + timedelta(minutes=5)
    grading.save()
    text = page(signed("ada"), where)
    assert words.EXPLAINING not in text and words.EXPLAINED_LATER not in text


@pytest.mark.parametrize("graded", [report("11", "1"), reported(checked("p0", passed=False, ending="unreached"))])
def test_no_mistake_is_looked_for_where_no_check_failed(graded: Report, cast: Cast, signed: Signed) -> None:
    """All passed, or none was reached, as after a syntax error."""
    submission = cast.hands_in("ada")
    grading = grade(submission, graded, explained_at=None)
    grading.graded_at = AT + timedelta(minutes=5)
    grading.save()
    text = page(signed("ada"), reverse("outcome", args=(submission.pk,)))
    assert "data-events" in text, "its backward passes may follow"
    assert words.EXPLAINING not in text and words.EXPLAINED_LATER not in text


# -- what a check compared ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sight", list(CheckVisibility))
def test_the_program_of_a_check_is_shown_with_its_values(sight: CheckVisibility) -> None:
    detail = Detail("names", {}, Shown("text", ("a",)), Shown("text", ("b",)), note="# a program\nmodel.a = p0")
    graded = reported(
        checked("public", passed=False, detail=detail), checked("hidden", passed=False, hidden=True, detail=detail)
    )
    found = outcome_of(visible(graded, (), (), sight, explain_hidden=True), about())
    assert [check.program for check in found.public] == [detail.note]
    shown = {check.program for check in found.hidden}
    assert shown == {detail.note} if sight is CheckVisibility.ALL else shown <= {""}


@pytest.mark.parametrize(
    ("own", "simpler"), [(("3", "-2.0000001"), False), (("3.25", "-2"), True), (("3", "-2", "1"), True)]
)
def test_steps_of_another_example_than_the_checks_are_called_one(own: tuple[str, ...], simpler: bool) -> None:
    trace = replace(EXAMPLE, check="bad", inputs={"x": "[3, -2]"})
    detail = Detail("y", {"x": Shown("array", own, (len(own),))}, Shown("float", ("1",)), Shown("float", ("2",)))
    graded = reported(checked("bad", passed=False, detail=detail))
    (check,) = outcome_of(visible(graded, (), (trace,), CheckVisibility.ALL, explain_hidden=True), about()).public
    assert check.trace is not None and check.simpler is simpler


# -- explanations ---------------------------------------------------------------------------------------------------------


def explained(*explanations: Explanation) -> list[Explanation]:
    """The explanations shown for a failed check, whose y is 2 instead of 1, and for a passing one."""
    detail = Detail("y", {}, Shown("float", ("1",)), Shown("float", ("2",)))
    report = reported(checked("bad", passed=False, detail=detail), checked("good"))
    found = outcome_of(visible(report, explanations, (), CheckVisibility.ALL, explain_hidden=True), about())
    return [each for check in found.public for each in check.explanations]


def test_below_an_explanation_stand_the_numbers_of_its_check() -> None:
    (explanation,) = explained(Explanation("wrong-sign", "A sign.", ("bad",), "Sign error"))
    assert (explanation.heading, explanation.numbers) == ("Sign error", "In this check, y is 2; 1 was expected.")


@pytest.mark.django_db
def test_the_smallest_example_and_whose_gradient_it_is_are_below_the_explanation(cast: Cast, signed: Signed) -> None:
    one = Shown("array", ("1",), (1,), "float64")
    field = GradientOf(function="-sum(x)")
    example = Counterexample("p0", "sum_vjp(g, x)", "x", {"x": one}, one, replace(one, values=("-1",)), field)
    submission = cast.hands_in("ada")
    stored = msgspec.to_builtins(Explanation("flipped-sign", "A sign.", ("p0",), counterexample=example))
    grade(submission, report("01", ""), explained_at=AT, diagnosis=[stored])
    text = page(signed("ada"), reverse("outcome", args=(submission.pk,)))
    assert "sum_vjp(g, x) with x = [1]: the gradient with respect to x should be [1], but is [−1]." in text
    assert "sum_vjp returns the gradient of -sum(x)." in text


def test_where_no_mistake_is_known_no_numbers_are_claimed_for_one() -> None:
    (explanation,) = explained(Explanation("", "No guess."))
    assert explanation.numbers == ""


def test_an_explanation_that_was_stored_without_a_title_has_that_of_its_key() -> None:
    stored = {"key": "missing-upstream", "words": "Your answer is what you get.", "checks": ["bad"], "generator": "known"}
    explanation = msgspec.convert(stored, Explanation)
    assert explanation.heading == "Upstream gradient left out"
    assert msgspec.convert({**stored, "title": "The author's"}, Explanation).heading == "The author's"
    assert msgspec.convert({**stored, "key": "a-key-of-old"}, Explanation).heading == "Known mistake"
