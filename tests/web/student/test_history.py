"""The history: all submissions with results, the best and the counting one, comparison of two; source is always escaped."""

from datetime import timedelta

import pytest
from django.urls import reverse

from autograder.submissions.models import Kind, Submission
from autograder.web.results.diff import DiffLine, diff_lines
from autograder.web.student.assignment_progress import steps_of
from autograder.web.student.history.submissions import submission_rows
from autograder.web.timestamps import moment
from tests.cast import Cast, ago
from tests.web.conftest import Signed, change, checked, grade, page, reported, words

pytestmark = pytest.mark.django_db

HOSTILE = "<script>alert(1)</script>\x1b[31mred\x1b[0m \u202egnp.exe\u202c \0 \x7f </textarea></template> &amp; '\" \xff"
STORED = HOSTILE.replace("\0", "")  # the judge never writes NUL characters
RAW = HOSTILE.encode("utf-8", "surrogateescape") + b"\xff\xfe"


def handed_in(cast: Cast, share: float | None, kind: Kind = Kind.SUBMIT, late: bool = False) -> Submission:
    submission = cast.hands_in("ada", b"x = 1\n", kind)
    if late:
        Submission.objects.filter(pk=submission.pk).update(submitted_at=ago(hours=1))
    if share is not None:
        grade(submission, reported(checked("one", points=share), checked("two", passed=share == 1, points=1 - share)))
    return submission


def tags(cast: Cast) -> list[str]:
    """Return `best` and `counts` of every row, oldest first."""
    membership = cast.membership("ada")
    (step,) = steps_of(membership)
    rows = submission_rows(membership, cast.assignment, step)
    return [" ".join(word for word, on in (("best", row.best), ("counts", row.counts)) if on) for row in rows[::-1]]


def test_of_equal_ones_the_first_is_the_best_and_counts(cast: Cast) -> None:
    for share in (0.5, 0.75, 0.75):
        handed_in(cast, share)
    assert tags(cast) == ["", "best counts", ""]


def test_where_the_last_counts(cast: Cast) -> None:
    change(cast, policy="last")
    for share in (0.75, 0.5):
        handed_in(cast, share)
    handed_in(cast, None)
    assert tags(cast) == ["best", "counts", ""]


def test_the_best_is_the_best_after_what_lateness_costs(cast: Cast) -> None:
    change(cast, policy="best", late_share=0.5)
    for share in (0.75, 1.0):
        handed_in(cast, share)
    change(cast, due_at=ago(minutes=30))
    Submission.objects.filter(pk=Submission.objects.order_by("id")[0].pk).update(submitted_at=ago(hours=1))
    assert tags(cast) == ["best counts", ""]


def test_nothing_is_best_that_has_no_points(cast: Cast) -> None:
    grade(cast.hands_in("ada", b"x = 1\n"), reported(checked("one", passed=False)))
    assert tags(cast) == ["counts"]


def test_runs_and_submissions_have_numbers_of_their_own(cast: Cast, signed: Signed) -> None:
    for kind in (Kind.RUN, Kind.SUBMIT, Kind.RUN, Kind.SUBMIT):
        handed_in(cast, 0.5, kind)
    cast.hands_in("ben", b"x = 1\n")
    rows = submission_rows(cast.membership("ada"), cast.assignment, steps_of(cast.membership("ada"))[0])
    assert [(row.run, row.number) for row in rows] == [(False, 2), (True, 2), (False, 1), (True, 1)]
    assert [row.result for row in rows] == ["1 of 2 checks pass, 5 of 10 points", "1 of 2 public checks pass"] * 2
    text = page(signed("ada"), reverse("history", args=(cast.course.slug, cast.assignment.slug)))
    assert 'aria-label="Compare run 2"' in text
    assert "Run 2 1 of 2 public checks pass" in words(text)


def shown(cast: Cast, signed: Signed) -> str:
    return page(signed("ada"), reverse("history", args=(cast.course.slug, cast.assignment.slug)))


def test_a_run_says_how_many_public_checks_pass(cast: Cast, signed: Signed) -> None:
    for passed in (True, False):
        run = cast.hands_in("ada", b"x = 1\n", Kind.RUN)
        grade(run, reported(checked("one", passed=passed), checked("two")))
    broken = cast.hands_in("ada", b"x =\n", Kind.RUN)
    grade(broken, reported(checked("one", passed=False), verdict="error", reason="source"))
    (step,) = steps_of(cast.membership("ada"))
    rows = submission_rows(cast.membership("ada"), cast.assignment, step)
    assert [(row.state, row.result) for row in rows] == [
        ("error", "syntax error, not counted"),
        ("partial", "1 of 2 public checks pass"),
        ("run", "2 of 2 public checks pass"),
    ]
    assert "1 of 2 public checks pass" in shown(cast, signed)
    assert "1 of 2 public checks pass" in page(
        signed("ada"), reverse("exercise", args=(cast.course.slug, cast.assignment.slug))
    )


def test_a_syntax_error_has_no_number_and_never_counts(cast: Cast, signed: Signed) -> None:
    change(cast, policy="last")
    handed_in(cast, 1.0, Kind.SUBMIT)
    broken = cast.hands_in("ada", b"x =\n")
    grade(broken, reported(checked("one", passed=False), verdict="error", reason="source"))
    (step,) = steps_of(cast.membership("ada"))
    assert (step.submissions, step.points) == (1, cast.assignment.points)
    rows = submission_rows(cast.membership("ada"), cast.assignment, step)
    assert [(row.name, row.result, row.counts) for row in rows] == [
        ("submission with a syntax error", "syntax error, not counted", False),
        ("submission 1", "2 of 2 checks pass, 10 of 10 points", True),
    ]
    assert 'aria-label="Compare submission with a syntax error"' in shown(cast, signed)
    text = page(signed("ada"), reverse("exercise", args=(cast.course.slug, cast.assignment.slug)) + f"?s={broken.pk}")
    assert reverse("regrade-request", args=(broken.pk,)) not in text
    handed_in(cast, 0.5, Kind.SUBMIT)
    assert "submission 2" in page(
        signed(cast.owner.username), reverse("student", args=(cast.course.slug, cast.membership("ada").pk))
    )


def test_times_have_seconds_where_two_rows_share_a_minute(cast: Cast, signed: Signed) -> None:
    at = ago(days=3).replace(second=7)
    for moved in (timedelta(0), timedelta(seconds=5), timedelta(minutes=-20)):
        Submission.objects.filter(pk=handed_in(cast, 0.5).pk).update(submitted_at=at + moved)
    text = shown(cast, signed)
    assert [f">{moment(at)}:{second}</time>" in text for second in ("07", "12")] == [True, True]
    assert f">{moment(at - timedelta(minutes=20))}</time>" in text


def test_an_empty_history_says_what_will_be_there(cast: Cast, signed: Signed) -> None:
    text = page(signed("ada"), reverse("history", args=(cast.course.slug, cast.assignment.slug)))
    assert "Each submission and its result will be listed here, and you can restore any of them." in text


# -- comparison


def diff_of(older: str, newer: str) -> list[DiffLine]:
    lines = diff_lines(older.splitlines(), newer.splitlines())
    assert lines is not None
    return lines


def test_a_unified_diff_with_signs() -> None:
    older = "".join(f"line {n}\n" for n in range(20))
    newer = older.replace("line 9\n", "line nine\nand more\n")
    lines = diff_of(older, newer)
    assert [(line.sign, line.text, line.number) for line in lines if line.sign != " "] == [
        ("−", "line 9", 10),
        ("+", "line nine", 10),
        ("+", "and more", 11),
    ]
    assert [line.text for line in lines if line.sign == " "] == [f"line {n}" for n in (6, 7, 8, 10, 11, 12)]


def test_what_is_far_apart_is_folded() -> None:
    older = "".join(f"line {n}\n" for n in range(40))
    lines = diff_of(older, older.replace("line 2\n", "two\n").replace("line 30\n", "thirty\n"))
    assert [line.css for line in lines].count("fold") == 1
    assert diff_of(older, older) == []


def test_compared_older_first_whatever_was_chosen_first(cast: Cast, signed: Signed) -> None:
    first, second = cast.hands_in("ada", b"a = 1\n"), cast.hands_in("ada", b"a = 2\n")
    where = reverse("compare", args=(cast.course.slug, cast.assignment.slug))
    text = page(signed("ada"), f"{where}?s={second.pk}&s={first.pk}")
    assert text.index("a = 1") < text.index("a = 2")
    assert 'aria-label="removed">−</span><code>a = 1' in text
    assert 'aria-label="added">+</span><code>a = 2' in text
    assert "2 lines" in text


@pytest.mark.parametrize("chosen", ["", "?s={0}", "?s={0}&s={0}", "?s={0}&s={1}&s={2}", "?s=x&s=y"])
def test_what_was_chosen_badly_is_said(cast: Cast, signed: Signed, chosen: str) -> None:
    numbers = [cast.hands_in("ada", b"x = %d\n" % n).pk for n in range(3)]
    where = reverse("compare", args=(cast.course.slug, cast.assignment.slug))
    assert "Select two submissions to compare." in page(signed("ada"), where + chosen.format(*numbers))


# -- escaping


def test_hostile_texts_and_names_are_inert_on_every_page(cast: Cast, signed: Signed) -> None:
    ada = cast.student("ada")
    ada.first_name, ada.last_name = "<script>alert(1)</script>", "\u202eRobert"
    ada.save()
    browser = signed("ada")
    first, second = cast.hands_in("ada", RAW), cast.hands_in("ada", RAW + b"\nmore")
    wrong = checked("one", passed=False, title="A title", message=STORED, stdout=STORED)
    grade(second, reported(wrong, checked("two"), stdout=STORED, verdict="error", reason="crash", message=STORED))
    browser.post(reverse("restore", args=(cast.course.slug, cast.assignment.slug)), {"submission": first.pk})
    course, slug = cast.course.slug, cast.assignment.slug
    for address in (
        reverse("home", args=(course,)),
        reverse("grades", args=(course,)),
        reverse("exercise", args=(course, slug)),
        reverse("history", args=(course, slug)),
        reverse("compare", args=(course, slug)) + f"?s={first.pk}&s={second.pk}",
        reverse("outcome", args=(second.pk,)),
        reverse("time-zone"),
        reverse("help"),
    ):
        text = page(browser, address)
        assert "<script>alert" not in text, address
        assert "</textarea></template>" not in text, address
        if "/s/" not in address:
            assert "<bdi>&lt;script&gt;alert(1)&lt;/script&gt; \u202eRobert</bdi>" in text, address


def test_a_source_is_served_as_text_and_nothing_else(cast: Cast, signed: Signed) -> None:
    submission = cast.hands_in("ada", RAW)
    answer = signed("ada").get(reverse("source", args=(submission.pk,)))
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer.content.decode().endswith("\N{REPLACEMENT CHARACTER}" * 2)
    file = signed("ada").get(reverse("download", args=(cast.course.slug, cast.assignment.slug)))
    assert file["Content-Disposition"] == f'attachment; filename="{cast.assignment.slug}.py"'
