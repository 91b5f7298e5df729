"""The course home and the grades page: progress in the user's time zone, with a constant number of queries."""

import re
import zoneinfo
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from autograder.courses.models import Assignment, Membership, User
from autograder.courses.people.extensions import extension_grant
from autograder.gradebook.decisions import overrides
from autograder.gradebook.grades.matrix import matrix_of
from autograder.library.models import VersionPage
from autograder.submissions.models import Grading, Submission, Work
from autograder.web import timestamps
from autograder.web.student.assignment_progress import steps_of, units_of
from autograder.web.student.course_home.due_soon import due_soon
from autograder.web.student.course_home.news import news_of
from autograder.web.student.course_home.progress_stairs import progress_stairs
from tests.cast import Cast, ago, ahead
from tests.web.conftest import Signed, change, checked, grade, page, reported, words

pytestmark = pytest.mark.django_db


def graded(cast: Cast, passed: bool, name: str = "ada") -> Submission:
    submission = cast.hands_in(name, b"x = 1\n")
    grade(submission, reported(checked("one", passed=passed), checked("two")))
    return submission


def home(cast: Cast, signed: Signed, name: str = "ada") -> str:
    return page(signed(name), reverse("home", args=(cast.course.slug,)))


def grades(cast: Cast, signed: Signed, name: str = "ada") -> str:
    return page(signed(name), reverse("grades", args=(cast.course.slug,)))


def state(cast: Cast) -> str:
    return steps_of(cast.membership("ada"))[0].state


def test_an_empty_course_says_what_will_be_there(cast: Cast, signed: Signed) -> None:
    cast.assignment.removed_at = timezone.now()
    cast.assignment.save()
    assert "No exercises yet. They appear here, grouped by unit, when your instructor assigns them." in home(cast, signed)
    assert "No exercises yet. Your points and how they are calculated will appear here" in grades(cast, signed)


def test_the_states_of_a_step(cast: Cast) -> None:
    assert state(cast) == "idle"
    submission = cast.hands_in("ada", b"x = 1\n")
    assert state(cast) == "waiting"
    grade(submission, reported(checked("one", passed=False)))
    assert state(cast) == "failed"
    graded(cast, passed=False)
    assert state(cast) == "partial"
    graded(cast, passed=True)
    assert state(cast) == "passed"
    change(cast, show_hidden="never", hidden_meanwhile="nothing")
    assert state(cast) == "held"


def test_the_columns_of_a_unit_have_headings(cast: Cast, signed: Signed) -> None:
    assert "Kind State Points" in words(home(cast, signed))


def test_units_come_in_the_order_of_their_first_steps(cast: Cast) -> None:
    change(cast, unit="B", position=1)
    for position, (slug, unit) in enumerate((("a1", "A"), ("b2", "B"), ("c1", "")), 2):
        Assignment.objects.create(
            course=cast.course,
            version=cast.assignment.version,
            slug=slug,
            title=slug,
            unit=unit,
            points=2,
            position=position,
        )
    units = units_of(steps_of(cast.membership("ada")))
    assert [(unit.number, unit.title, len(unit.steps)) for unit in units] == [(1, "B", 2), (2, "A", 1), (3, "Exercises", 1)]
    steps = steps_of(cast.membership("ada"))
    assert [(step.number, step.assignment.unit) for step in steps] == [(1, "B"), (2, "B"), (3, "A"), (4, "")]
    stairs = progress_stairs(steps)
    assert stairs is not None and [title for _, title in stairs.units] == ["B", "A", ""]


def test_one_goes_on_with_what_was_begun(cast: Cast, signed: Signed) -> None:
    change(cast, position=2)
    Assignment.objects.create(
        course=cast.course, version=cast.assignment.version, slug="first", title="first", points=2, position=1
    )
    assert "Start step 1" in home(cast, signed)
    graded(cast, passed=False)
    assert "Continue with step 2" in home(cast, signed)


def test_after_the_last_step_there_is_nothing_to_go_on_with(cast: Cast, signed: Signed) -> None:
    graded(cast, passed=True)
    assert "All steps passed" in home(cast, signed)


def test_what_passed_late_is_passed_whatever_its_points(cast: Cast, signed: Signed) -> None:
    change(cast, due_at=ago(days=1), late_share="0.5")
    graded(cast, passed=True)
    (step,) = steps_of(cast.membership("ada"))
    assert (step.state, step.when, step.points) == ("passed", "passed", cast.assignment.points / 2)
    assert "All steps passed" in home(cast, signed)
    (row,) = matrix_of(cast.staff).rows
    assert row.tile(cast.assignment).state == "pass", "staff see the same"


def test_full_points_without_a_pass_finish_a_step(cast: Cast, signed: Signed) -> None:
    graded(cast, passed=False)
    overrides.override(
        assignment=cast.assignment,
        membership=cast.membership("ada"),
        points=Decimal(10),
        reason="At the board.",
        by=cast.staff,
    )
    text = home(cast, signed)
    assert ">full points<" in text
    assert "Continue with step" not in text and "All steps passed" not in text


def test_due_soon_lists_what_can_be_done_and_leads_there(cast: Cast, signed: Signed) -> None:
    def add(slug: str, **terms: Any) -> Assignment:
        return Assignment.objects.create(
            course=cast.course, version=cast.assignment.version, slug=slug, title=slug.title(), points=2, position=9, **terms
        )

    friday = ahead(days=5)
    change(cast, title="Overdue", unit="One", due_at=ago(days=2))
    add("closed", unit="One", due_at=ago(days=2), closes_at=ago(days=1))
    add("not-open", unit="One", opens_at=ahead(days=1), due_at=ahead(days=2))
    add("far", unit="One", due_at=ahead(days=22))
    for slug in ("first", "second"):
        add(slug, unit="Two", due_at=friday)
    add("alone", unit="Three", due_at=friday)
    steps = steps_of(cast.membership("ada"))
    assert [(entry.title, entry.overdue, entry.first.assignment.slug) for entry in due_soon(steps)] == [
        ("Overdue", True, cast.assignment.slug),
        ("Two: 2 steps", False, "first"),
        ("Alone", False, "alone"),
    ]
    aside = home(cast, signed).partition("Due soon")[2].partition("</section>")[0]
    links = re.findall(r'href="([^"]+)"', aside)
    assert links == [reverse("exercise", args=(cast.course.slug, s)) for s in (cast.assignment.slug, "first", "alone")]
    assert "was due" in aside
    assert f"Was due {timestamps.date_and_time(due_soon(steps)[0].due_at)}" in words(home(cast, signed)), (
        "what to go on with"
    )
    graded(cast, passed=True)
    assert "Overdue" not in [entry.title for entry in due_soon(steps_of(cast.membership("ada")))]


def test_what_is_not_open_yet_is_no_link(cast: Cast, signed: Signed) -> None:
    opens_at = ahead(days=3)
    change(cast, opens_at=opens_at)
    text = home(cast, signed)
    assert reverse("exercise", args=(cast.course.slug, cast.assignment.slug)) not in text
    assert f"opens {timestamps.day(opens_at)}" in text


# -- time ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zone", "due", "shown"),
    [
        ("Europe/Berlin", datetime(2030, 1, 10, 22, 59, tzinfo=UTC), "Thu 10 Jan, 23:59"),
        ("Europe/Berlin", datetime(2030, 7, 10, 21, 59, tzinfo=UTC), "Wed 10 Jul, 23:59"),
        ("America/New_York", datetime(2030, 3, 10, 6, 59, tzinfo=UTC), "Sun 10 Mar, 01:59"),
        ("America/New_York", datetime(2030, 3, 10, 7, 0, tzinfo=UTC), "Sun 10 Mar, 03:00"),
        ("Asia/Kathmandu", datetime(2030, 3, 10, 7, 0, tzinfo=UTC), "Sun 10 Mar, 12:45"),
    ],
)
def test_dates_are_in_the_readers_own_time(cast: Cast, signed: Signed, zone: str, due: datetime, shown: str) -> None:
    User.objects.filter(pk=cast.student("ada").pk).update(time_zone=zone)
    change(cast, due_at=due)
    shown = shown.replace(",", " 2030,")
    assert shown in home(cast, signed)
    desk = page(signed("ada"), reverse("exercise", args=(cast.course.slug, cast.assignment.slug)))
    assert shown in desk
    assert f"your time ({timestamps.zone_name(zoneinfo.ZoneInfo(zone))})" in desk


def test_who_never_chose_reads_the_time_of_the_course(cast: Cast, signed: Signed) -> None:
    cast.course.time_zone = "Europe/Berlin"
    cast.course.save()
    change(cast, due_at=datetime(2030, 1, 10, 22, 59, tzinfo=UTC))
    assert "Thu 10 Jan 2030, 23:59" in home(cast, signed)
    assert "Berlin time" in home(cast, signed)
    submission = graded(cast, passed=True)
    Submission.objects.filter(pk=submission.pk).update(submitted_at=datetime(2026, 1, 5, 22, 30, tzinfo=UTC))
    assert "23:30" in page(signed("ada"), reverse("outcome", args=(submission.pk,)))


def test_words_of_time() -> None:
    now = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)
    said = {
        timestamps.until(now + timedelta(days=2, hours=3), now): "in 2 days",
        timestamps.until(now + timedelta(hours=1), now): "in 1 hour",
        timestamps.until(now - timedelta(minutes=5), now): "5 minutes ago",
        timestamps.until(now + timedelta(seconds=0.2), now): "in 1 second",
        timestamps.moment(now - timedelta(hours=1), now): "today 11:00",
        timestamps.moment(now - timedelta(hours=13), now): "yesterday 23:00",
        timestamps.moment(now - timedelta(days=3), now): "Sat 21 Nov, 12:00",
        timestamps.moment(now - timedelta(days=400), now): "Mon 20 Oct 2025, 12:00",
        timestamps.date_and_time(now, now): "Tue 24 Nov, 12:00",
    }
    assert {found: found for found in said} == {words: words for words in said.values()}


def test_what_is_due_closed_or_past(cast: Cast, signed: Signed) -> None:
    change(cast, due_at=ahead(days=3, hours=1))
    assert "due in 3 days" in home(cast, signed)
    past = ago(days=3)
    change(cast, due_at=past)
    assert f"was due {timestamps.day(past)}" in home(cast, signed)
    change(cast, closes_at=ago(days=1))
    assert ">closed<" in home(cast, signed)


# -- news


def news(cast: Cast) -> list[str]:
    membership = cast.membership("ada")
    return [item.words for item in news_of(membership, steps_of(membership))]


def test_what_others_did_to_ones_work_is_told(cast: Cast) -> None:
    member = cast.membership("ada")
    submission = graded(cast, passed=True)
    assert news(cast) == []
    Grading.objects.filter(submission=submission).update(why=Grading.Why.REGRADE)
    assert news(cast) == ["was graded again."]
    overrides.override(
        assignment=cast.assignment, membership=member, points=Decimal(5), reason="<b>At</b> the board.", by=cast.staff
    )
    assert news(cast)[0] == "has a score set by your instructor: <b>At</b> the board."


@pytest.mark.parametrize(
    ("granted", "words"),
    [
        (
            {"due_at": datetime(2030, 1, 1, 12, 0, tzinfo=UTC)},
            "is now due Tue 1 Jan 2030, 12:00 for you: you have an extension.",
        ),
        ({"closes_at": datetime(2030, 1, 1, 12, 0, tzinfo=UTC)}, "stays open for you until Tue 1 Jan 2030, 12:00."),
        ({"extra_attempts": 1}, "allows you one more submission."),
        ({"extra_attempts": 3}, "allows you 3 more submissions."),
    ],
)
def test_what_was_granted(cast: Cast, granted: dict[str, object], words: str) -> None:
    extension_grant(
        assignment=cast.assignment, membership=cast.membership("ada"), by=cast.staff, reason="Ill.", **granted  # type: ignore[arg-type]
    )  # fmt: skip
    assert news(cast) == [words]


def test_what_opened_this_week(cast: Cast) -> None:
    change(cast, opens_at=ago(days=2))
    assert news(cast) == ["is open."]
    change(cast, opens_at=ago(days=9))
    assert news(cast) == []


def test_the_news_of_others_are_not_ones_own(cast: Cast) -> None:
    Grading.objects.filter(submission=graded(cast, passed=True, name="ben")).update(why=Grading.Why.REGRADE)
    assert news(cast) == []


# -- the staircase


def test_the_way_up_has_a_tread_for_every_step_begun(cast: Cast) -> None:
    assert progress_stairs(steps_of(cast.membership("ada"))) is None, "one step is no way"
    cast.assign("value-unary", position=1, unit="Second")
    graded(cast, passed=False)
    stairs = progress_stairs(steps_of(cast.membership("ada")))
    assert stairs is not None
    (tread,) = stairs.treads
    assert (tread.state, tread.width) == ("some", 308.0), "half of a step of 616"
    assert stairs.you == (308.0, 78.0)
    assert [title for _, title in stairs.units] == ["", "Second"]
    assert stairs.line.endswith("V24.0H1232.0")


def test_labels_of_units_do_not_overlap(cast: Cast) -> None:
    change(cast, unit="A unit of a single exercise")
    for n, unit in enumerate(("Middle", *["A long last unit"] * 30), 1):
        cast.assign("value-unary", position=n, unit=unit, slug=f"more-{n}")
    stairs = progress_stairs(steps_of(cast.membership("ada")))
    assert stairs is not None
    assert [title for _, title in stairs.units] == ["", "", "A long last unit"], "a step is 38 units wide"
    assert [x for x, _ in stairs.units] == [0, 38.5, 77]
    cast.course.assignments.filter(position__gt=6).update(removed_at=timezone.now())
    stairs = progress_stairs(steps_of(cast.membership("ada")))
    assert stairs is not None
    assert [title for _, title in stairs.units] == ["A unit of a single ex…", "Middle", "A long last unit"], "22 letters fit"


# -- explanation of a grade


def test_where_the_points_come_from(cast: Cast, signed: Signed) -> None:
    assert "Not submitted yet; the best submission counts." in grades(cast, signed)
    cast.hands_in("ada", b"x = 1\n")
    assert "Not graded yet; the best submission counts." in grades(cast, signed)
    graded(cast, passed=False)
    assert "Submission 2: 50% of 10 points; the best submission counts." in grades(cast, signed)


def test_a_late_share_is_told(cast: Cast, signed: Signed) -> None:
    graded(cast, passed=True)
    change(cast, policy="last", late_share=Decimal("0.9"), due_at=ago(days=1))
    text = grades(cast, signed)
    assert "Submission 1: 100% of 10 points, 1 day late: 10% off; the last submission counts." in text
    assert "9 <span" in text


def test_a_score_that_was_set_says_by_whom_and_why(cast: Cast, signed: Signed) -> None:
    member = cast.membership("ada")
    overrides.override(
        assignment=cast.assignment, membership=member, points=Decimal("7.5"), reason="At <the> board.", by=cast.staff
    )
    text = grades(cast, signed)
    assert f"Set by {cast.owner.username}: At &lt;the&gt; board." in text
    assert "7.5 <span" in text
    assert "◆ set" in text


# -- number of queries

MANY, CROWD = 40, 1000


@pytest.fixture
def large(cast: Cast) -> Cast:
    """40 exercises and 1,000 students, each with submissions to three of them; Ada has one to every exercise."""
    version, now = cast.assignment.version, timezone.now()
    Assignment.objects.bulk_create(
        Assignment(
            course=cast.course, version=version, slug=f"a{n}", title=f"Exercise {n}", unit=f"Unit {n // 5}", position=n,
            points=10, due_at=ahead(days=n - 10), opens_at=ago(days=20 - n),
        )
        for n in range(1, MANY)
    )  # fmt: skip
    users = User.objects.bulk_create(User(username=f"s{n}") for n in range(CROWD))
    members = Membership.objects.bulk_create(Membership(course=cast.course, user=user) for user in users)
    ada, assignments = cast.membership("ada"), list(cast.course.assignments.all())
    pairs = [(ada, assignment) for assignment in assignments for _ in range(3)]
    pairs += [(member, assignments[n % MANY]) for n, member in enumerate(members * 3)]
    submissions = Submission.objects.bulk_create(
        Submission(assignment=assignment, membership=member, source=b"x = 1\n", submitted_at=now)
        for member, assignment in pairs
    )
    works = Work.objects.bulk_create(
        Work(
            submission=submission, version=version, course=cast.course, membership=submission.membership, lane=1,
            state=Work.State.DONE, queued_at=now, ended_at=now,
        )
        for submission in submissions
    )  # fmt: skip
    report = msgspec.to_builtins(reported(checked("one"), checked("two", passed=False)))
    Grading.objects.bulk_create(
        Grading(
            submission=work.submission, work=work, version=version, current=True, why=Grading.Why.FIRST, seed=1,
            verdict="partial", score=1, max_score=2, seconds=0.1, judge_version="1", report=report, worker="w", graded_at=now,
        )
        for work in works
    )  # fmt: skip
    return cast


def test_no_page_asks_the_database_thirty_times(
    large: Cast, signed: Signed, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    browser, course = signed("ada"), large.course.slug
    mine = [s.pk for s in Submission.objects.filter(membership=large.membership("ada"), assignment=large.assignment)]
    compared = f"?s={mine[0]}&s={mine[1]}"
    for address in (
        reverse("home", args=(course,)),
        reverse("grades", args=(course,)),
        reverse("exercise", args=(course, large.assignment.slug)),
        reverse("history", args=(course, large.assignment.slug)),
        reverse("compare", args=(course, large.assignment.slug)) + compared,
        reverse("outcome", args=(mine[0],)),
        reverse("front"),
    ):
        with django_assert_max_num_queries(29):
            browser.get(address)
    with django_assert_max_num_queries(35):  # a write, with its savepoints
        hand_in = reverse("submit", args=(course, large.assignment.slug))
        browser.post(hand_in, {"kind": "run", "source": "x = 2"}, headers={"HX-Request": "true"})


@pytest.mark.parametrize("name", ["home", "grades", "exercise", "history"])
def test_a_page_computes_the_scores_of_its_student_once(cast: Cast, signed: Signed, name: str) -> None:
    """Even with late days, where each score depends on all others."""
    cast.course.late_days = 3
    cast.course.save()
    change(cast, due_at=ago(days=1, hours=1), late_share="0.5")
    cast.assign("value-tanh-relu", position=1, due_at=ago(hours=1), late_share="0.5")
    graded(cast, passed=False)
    browser = signed("ada")
    where = reverse(name, args=(cast.course.slug, *([cast.assignment.slug] if name in ("exercise", "history") else [])))
    with CaptureQueriesContext(connection) as queries:
        html = page(browser, where)
    in_order = [query["sql"] for query in queries if '"submissions_submission"."submitted_at" ASC' in query["sql"]]
    scorings = [sql for sql in in_order if '"submissions_grading"."max_score"' in sql]
    assert len(scorings) == 1
    if name == "home":
        assert "<b>1 of 3</b>late days left" in html
    if name == "exercise":
        assert "Late: a submission now uses 2 late days and earns full credit." in words(html)


# -- next and previous exercise


def neighbours(text: str) -> list[tuple[str, str]]:
    links = re.findall(r'<a href="/c/autodiff/([^/]+)/" rel="(prev|next)"', text)
    return [(rel, slug) for slug, rel in links]


def desk_of(cast: Cast, browser: Client, slug: str) -> str:
    return page(browser, reverse("exercise", args=(cast.course.slug, slug)))


def test_the_previous_and_the_next_exercise_that_can_be_opened(cast: Cast, signed: Signed) -> None:
    middle = cast.assign("fn-cubic", opens_at=ahead(days=1))
    last = cast.assign("value-topo")
    first, student = cast.assignment.slug, signed("ada")
    assert neighbours(desk_of(cast, student, first)) == [("next", last.slug)]
    assert neighbours(desk_of(cast, student, last.slug)) == [("prev", first)]
    change(cast, opens_at=None)
    middle.opens_at = ago(days=1)
    middle.save()
    assert neighbours(desk_of(cast, student, middle.slug)) == [("prev", first), ("next", last.slug)]


def test_the_only_exercise_has_no_neighbours(cast: Cast, signed: Signed) -> None:
    text = desk_of(cast, signed("ada"), cast.assignment.slug)
    assert neighbours(text) == []
    assert "Other exercises" not in text


def test_how_difficult_it_is_and_how_long_it_takes(cast: Cast, signed: Signed) -> None:
    words = "Difficulty 1 of 5, about 30 min"
    assert words in home(cast, signed)
    assert words in desk_of(cast, signed("ada"), cast.assignment.slug)


def test_an_exercise_that_does_not_say_how_long_it_takes(cast: Cast, signed: Signed) -> None:
    VersionPage.objects.update(minutes=None)
    assert '<span class="sub">Difficulty 1 of 5</span>' in home(cast, signed)
    VersionPage.objects.update(difficulty=None)  # as before the page is prepared again
    assert "Difficulty" not in home(cast, signed)
