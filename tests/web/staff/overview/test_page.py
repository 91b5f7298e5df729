"""The overview of a course: states of cells, students who need help, and permissions."""

import re
import time
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from autograder.courses.models import Assignment, Membership, Role, Section, User
from autograder.gradebook.grades.matrix import STUCK_AFTER, Tile, TileState, matrix_of
from autograder.gradebook.insights.attention import Streak, StudentNeed, needs_of, needs_you_first, streaks_of
from autograder.submissions.handing_in import intake
from autograder.submissions.models import Kind, Submission, Work, Worker
from autograder.web.results.explanation import Explanation
from autograder.web.staff.overview.matrix_tiles import tile_html, tile_level
from autograder.web.timestamps import took
from tests.cast import Cast, ago, ahead
from tests.gradebook.conftest import graded
from tests.gradebook.large import large_course
from tests.web.conftest import Signed, browser_of, change, checked, grade, member, page, reported, words

pytestmark = pytest.mark.django_db


def staff_of(cast: Cast) -> Membership:
    return Membership.objects.get(course=cast.course, user=cast.owner)


def tile(cast: Cast, name: str, assignment: Assignment | None = None) -> Tile:
    (row,) = (row for row in matrix_of(staff_of(cast)).rows if row.student.user.username == name)
    return row.tile(assignment or cast.assignment)


def fails(
    cast: Cast, name: str, times: int, key: str | None = None, at: datetime | None = None, title: str = ""
) -> Submission:
    for _ in range(times):
        submission = cast.hands_in(name, b"x = 1\n")
        told = [Explanation(key, "Words.", title=title)] if key is not None else []
        grade(submission, reported(checked("forward", passed=False)), diagnosis=told)
        if at:
            Submission.objects.filter(pk=submission.pk).update(submitted_at=at)
    return submission


def broke(submission: Submission) -> None:
    submission.work.update(state=Work.State.FAILED, ended_at=timezone.now(), trouble="sandbox")


def needs(cast: Cast) -> list[StudentNeed]:
    staff, now = staff_of(cast), timezone.now()
    return needs_of(matrix_of(staff), streaks_of(staff, now), now)


def overview(cast: Cast, name: str | None = None, query: str = "") -> str:
    user = cast.owner if name is None else User.objects.get(username=name)
    return page(browser_of(user), f"/t/{cast.course.slug}/{query}")


def names_of(html: str) -> list[str]:
    """Return the names in the matrix, in order."""
    body = html.split("<tbody>")[1].split("</tbody>")[0]
    return [part.split("</bdi>")[0] for part in body.split("<bdi>")[1:]]


# -- states of cells


def test_never_touched_is_not_started(cast: Cast) -> None:
    cast.student("ada")
    assert tile(cast, "ada").state is TileState.NONE


def test_a_tile_shows_the_best_and_counts_attempts(cast: Cast) -> None:
    graded(cast, "ada", 4)
    graded(cast, "ada", 7)
    newest = graded(cast, "ada", 2)
    assert tile(cast, "ada") == Tile(0.7, 3, newest.pk)
    assert tile(cast, "ada").state is TileState.PARTIAL


def test_no_points_is_failed_and_full_points_are_passed_for_good(cast: Cast) -> None:
    graded(cast, "ada", 0)
    assert tile(cast, "ada").state is TileState.FAILED
    graded(cast, "ada", 10, verdict="passed")
    graded(cast, "ada", 0)
    assert tile(cast, "ada").state is TileState.PASSED


def test_what_waits_is_waiting_until_it_is_graded(cast: Cast) -> None:
    graded(cast, "ada", 4)
    waiting = cast.hands_in("ada")
    assert tile(cast, "ada").state is TileState.WAITING
    assert tile(cast, "ada").newest == waiting.pk
    grade(waiting, reported(checked("forward")))
    assert tile(cast, "ada").state is TileState.PASSED


def test_our_error_is_shown_until_something_newer_is_graded(cast: Cast) -> None:
    broke(cast.hands_in("ada"))
    assert tile(cast, "ada").state is TileState.INTERNAL
    assert tile(cast, "ada").attempts == 0
    graded(cast, "ada", 4)
    assert tile(cast, "ada").state is TileState.PARTIAL


def test_stuck_is_seven_attempts_without_a_pass(cast: Cast) -> None:
    fails(cast, "ada", STUCK_AFTER - 1)
    assert not tile(cast, "ada").stuck
    fails(cast, "ada", 1)
    assert tile(cast, "ada").state is TileState.STUCK
    graded(cast, "ada", 10, verdict="passed")
    assert not tile(cast, "ada").stuck


def test_runs_regrades_and_internal_verdicts_are_no_attempts(cast: Cast) -> None:
    graded(cast, "ada", 10, kind=Kind.RUN, verdict="passed")
    graded(cast, "ada", 10, verdict="internal")
    graded(cast, "ada", 10, current=False, verdict="passed")
    assert tile(cast, "ada").attempts == 0
    assert tile(cast, "ada").state is TileState.NONE


def test_an_assignment_worth_nothing_to_the_judge_divides_by_nothing(cast: Cast) -> None:
    graded(cast, "ada", 0, max_score=0)
    assert tile(cast, "ada").state is TileState.FAILED


@pytest.mark.parametrize(("share", "level"), [(0.001, 1), (0.4, 4), (0.44, 4), (0.999, 9)])
def test_a_tile_is_filled_in_tenths_and_never_quite(share: float, level: int) -> None:
    assert tile_level(Tile(share, 1)) == level


@pytest.mark.parametrize(
    ("shown", "html"),
    [
        (Tile(0.4, 2), '<span class="cell part l4"><span class="sr">4 of 10</span></span>'),
        (Tile(0, 9), '<span class="cell stuck">9<span class="sr"> attempts, stuck</span></span>'),
        (Tile(0, 1), '<span class="cell fail">✕<span class="sr">no points</span></span>'),
        (Tile(), '<span class="cell none"><span class="sr">not started</span></span>'),
        (Tile(coming=TileState.WAITING), '<span class="cell wait">…<span class="sr">being graded</span></span>'),
        (Tile(coming=TileState.INTERNAL), '<span class="cell intern"><span class="sr">internal error</span></span>'),
    ],
)
def test_each_state_has_its_shape_and_its_word(cast: Cast, shown: Tile, html: str) -> None:
    cast.assignment.refresh_from_db()
    assert tile_html(shown, cast.assignment, "") == html


def test_a_tile_leads_to_the_newest_submission(cast: Cast) -> None:
    assert 'href="/t/x/s/7/"' in tile_html(Tile(0.4, 2, newest=7), cast.assignment, "/t/x/s/987654321/")


# -- students who need help


def test_many_failures_come_first_and_name_the_mistake(cast: Cast) -> None:
    fails(cast, "ada", 4, "wrong-sign")
    fails(cast, "ada", 3, "missing-upstream")
    (need,) = needs(cast)
    assert (need.tile and need.tile.attempts, need.streak) == (7, Streak("missing-upstream", 3))
    html = overview(cast)
    assert "7 attempts without a pass, the last 3 in a row: <em>Upstream gradient left out</em>" in html
    assert '<b class="failed">1 stuck</b>' in html


def test_a_mistake_has_the_title_of_the_newest_explanation(cast: Cast) -> None:
    fails(cast, "ada", 2, "wrong-sign")
    fails(cast, "ada", 1, "wrong-sign", title="Plus for minus")
    assert "the last 3 in a row: <em>Plus for minus</em>" in overview(cast)


def test_the_same_mistake_three_times_in_a_row_is_a_need_and_twice_is_none(cast: Cast) -> None:
    fails(cast, "ada", 2, "wrong-sign")
    assert needs(cast) == []
    fails(cast, "ada", 1, "wrong-sign")
    (need,) = needs(cast)
    assert need.streak == Streak("wrong-sign", 3)
    fails(cast, "ada", 1, "missing-upstream")
    assert needs(cast) == []


def test_a_mistake_that_is_overcome_is_no_need(cast: Cast) -> None:
    fails(cast, "ada", 3, "wrong-sign")
    graded(cast, "ada", 10, verdict="passed")
    assert needs(cast) == []


def test_no_known_mistake_in_a_row_is_told_of_who_is_stuck_and_no_need_by_itself(cast: Cast) -> None:
    fails(cast, "ada", 3, "")
    assert needs(cast) == []
    fails(cast, "ada", 4, "")
    assert "no known mistake explains the last 7" in overview(cast)


def test_two_weeks_of_silence_while_there_is_something_to_do(cast: Cast) -> None:
    change(cast, opens_at=ago(days=30))
    cast.student("never")
    for name, days in (("long", 15), ("lately", 13)):
        fails(cast, name, 1, at=ago(days=days))
    assert [(need.row.student.user.username, need.tile) for need in needs(cast)] == [("long", None), ("never", None)]
    html = overview(cast)
    assert "has not been active yet." in html
    assert "has not been active since" in html


def test_nobody_is_silent_who_has_nothing_to_do(cast: Cast) -> None:
    cast.student("ada")
    change(cast, opens_at=ago(days=3))
    assert needs(cast) == []
    change(cast, opens_at=ago(days=30), closes_at=ago(days=1))
    assert needs(cast) == []
    change(cast, closes_at=ahead(days=1))
    assert len(needs(cast)) == 1


def test_needs_you_first_then_our_errors_then_waiting_then_failures_then_names(cast: Cast) -> None:
    for name in ("ann", "zoe"):
        cast.student(name)
    graded(cast, "ben", 4)
    fails(cast, "cy", 1)
    cast.hands_in("dan")
    broke(cast.hands_in("eve"))
    fails(cast, "fay", 3, "wrong-sign")
    fails(cast, "gil", 7)
    fails(cast, "hal", 8)
    staff, now = staff_of(cast), timezone.now()
    matrix = matrix_of(staff)
    order = needs_you_first(matrix, needs_of(matrix, streaks_of(staff, now), now))
    names = ["hal", "gil", "fay", "eve", "dan", "cy", "ben", "ann", "zoe"]
    assert [row.student.user.username for row in order] == names
    assert names_of(overview(cast)) == names
    assert names_of(overview(cast, query="?sort=name")) == sorted(names)


# -- the page -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.314, "0.31 s"), (12.4, "12 s"), (99.4, "99 s"), (140, "2 minutes"), (90_000, "1 day")]
)
def test_a_wait_is_as_exact_as_one_feels_it(seconds: float, words: str) -> None:
    assert took(seconds) == words


def test_the_facts(cast: Cast) -> None:
    now = timezone.now()
    for name, seconds in (("ada", 2), ("ben", 4), ("cy", 9)):
        submission = graded(cast, name, 4, at=now - timedelta(minutes=1))
        submission.gradings.update(graded_at=now - timedelta(minutes=1) + timedelta(seconds=seconds))
    cast.hands_in("dan")
    broke(cast.hands_in("eve"))
    fails(cast, "old", 1, at=ago(days=8))
    Worker.objects.create(name="w1", version="1", started_at=now, seen_at=now)
    Worker.objects.create(name="w2", version="1", started_at=now, seen_at=now - timedelta(hours=1))
    html = overview(cast)
    for fact in (
        "<b>5 of 6</b>active in the last 7 days",
        "<b>4.00 s</b>median time from submission to result",
        "<b>1 waiting</b>1 of 2 workers up",
    ):
        assert fact in html
    assert "1 internal error not graded: eve, value-engine" in words(html)


def test_an_error_that_a_retry_overcame_is_counted_too(cast: Cast) -> None:
    assert "0 internal errors none in the last 7 days" in words(overview(cast))
    graded(cast, "ada", 10).work.update(tries=2)
    graded(cast, "ben", 10).work.update(tries=2, ended_at=ago(days=8))
    assert "1 internal error 1 graded after a retry in the last 7 days" in words(overview(cast))
    for name in ("eve", "fay"):
        broke(cast.hands_in(name))
    said = "3 internal errors not graded: eve, value-engine, and 1 more; 1 graded after a retry in the last 7 days"
    assert said in words(overview(cast))


def test_nobody_waited_for_what_was_replayed(cast: Cast) -> None:
    week = intake.replay(
        user=cast.student("ada"), course=cast.course, assignment=cast.assignment.slug, source=b"x = 1\n", at=ago(days=3)
    )
    grade(week, reported(checked("forward")))
    assert "<b>–</b>median time from submission to result" in overview(cast)
    graded(cast, "ada", 10, at=ago(seconds=30), graded_at=ago(seconds=26))
    assert "<b>4.00 s</b>median time from submission to result" in overview(cast)


@pytest.mark.parametrize(
    ("state", "names"),
    [
        ("stuck", ["gil"]),
        ("needs", ["gil", "fay"]),
        ("wait", ["dan"]),
        ("intern", ["eve"]),
        ("part", ["ben"]),
        ("fail", ["fay"]),
        ("none", ["ann"]),
        ("nonsense", ["gil", "fay", "eve", "dan", "ben", "ann"]),
    ],
)
def test_only_those_in_a_state(cast: Cast, state: str, names: list[str]) -> None:
    cast.student("ann")
    graded(cast, "ben", 4)
    cast.hands_in("dan")
    broke(cast.hands_in("eve"))
    fails(cast, "fay", 3, "wrong-sign")
    fails(cast, "gil", 7)
    assert names_of(overview(cast, query=f"?state={state}")) == names


def test_a_state_that_nobody_is_in_says_so(cast: Cast) -> None:
    cast.student("ann")
    assert "None of the 1 student is in this state." in overview(cast, query="?state=stuck")


def test_an_empty_course_says_what_will_be_here(cast: Cast) -> None:
    assert "No students yet." in overview(cast)


def test_fifty_at_a_time(cast: Cast) -> None:
    for n in range(51):
        cast.student(f"s{n:02}")
    first, second = (overview(cast, query=f"?sort=name&page={number}") for number in (1, 2))
    assert (len(names_of(first)), names_of(second)) == (50, ["s50"])
    assert "1 to 50 of 51" in first
    assert 'href="?sort=name&amp;page=2"' in first
    assert names_of(overview(cast, query="?sort=name&page=99")) == ["s50"]


def test_how_many_passed_counts_everybody_and_not_this_page(cast: Cast) -> None:
    graded(cast, "ada", 10, verdict="passed")
    cast.student("ben")
    html = overview(cast, query="?state=none")
    assert names_of(html) == ["ben"]
    assert 'aria-label="1 of 2 passed"' in html


def test_columns_stand_under_their_units(cast: Cast) -> None:
    change(cast, unit="One")
    cast.assign("fn-cubic", position=1, unit="Two")
    cast.student("ada")
    html = overview(cast)
    assert '<th class="unitname" colspan="1" scope="colgroup">One</th>' in html
    assert '<th class="unitname u1" colspan="1" scope="colgroup">Two</th>' in html


def test_a_unit_has_one_head_also_where_its_exercises_are_apart(cast: Cast) -> None:
    change(cast, unit="One")
    cast.assign("fn-cubic", position=1, unit="Two")
    last = cast.assign("value-tanh-relu", position=2, unit="One")
    cast.student("ada")
    html = overview(cast)
    assert '<th class="unitname" colspan="2" scope="colgroup">One</th>' in html
    assert html.count('scope="colgroup">One</th>') == 1
    assert [one.slug for one in matrix_of(staff_of(cast)).assignments] == ["value-engine", last.slug, "fn-cubic"]


def test_names_cannot_bring_markup(cast: Cast) -> None:
    user = cast.student("ada")
    user.first_name, user.last_name = "<script>alert(1)</script>", '"><b>'
    user.save()
    change(cast, title='"><i>', unit="<i>unit</i>")
    fails(cast, "ada", 7, "<img src=x>")
    broke(cast.hands_in("ada"))
    html = overview(cast)
    for raw in ("<script>alert", '"><b>', "<i>", "<img"):
        assert raw not in html.replace('<i class="cell', "")


# -- by section -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def sections(cast: Cast) -> Cast:
    mon, tue = (Section.objects.create(course=cast.course, name=name) for name in ("Mon", "Tue"))
    member(cast, "mona", Role.STUDENT, mon)
    member(cast, "theo", Role.STUDENT, tue)
    member(cast, "ann", Role.ASSISTANT, mon)
    member(cast, "ines", Role.INSTRUCTOR)
    fails(cast, "theo", 7)
    broke(cast.hands_in("theo"))
    cast.hands_in("theo")
    graded(cast, "mona", 10, verdict="passed")
    return cast


def test_an_assistant_sees_her_section_and_no_number_of_another(sections: Cast) -> None:
    html = overview(sections, "ann")
    assert "theo" not in html
    assert names_of(html) == ["mona"]
    for fact in ("1 of 1</b>active", "<b>0 stuck</b>", "<b>0 waiting</b>", "<b>0 internal errors</b>", "1 of 1 passed"):
        assert fact in html, fact
    assert "Waiting jobs on the whole site" not in html
    assert "theo" not in page(browser_of(User.objects.get(username="ann")), "/t/autodiff/live/")


def test_no_query_takes_an_assistant_to_another_section(sections: Cast) -> None:
    tue = Section.objects.get(name="Tue")
    assert names_of(overview(sections, "ann", f"?section={tue.pk}")) == ["mona"]


def test_export_is_of_the_section_that_is_shown(sections: Cast) -> None:
    tue = Section.objects.get(name="Tue")
    assert 'href="/t/autodiff/gradebook/export/">Export</a>' in overview(sections, "ines")
    html = overview(sections, "ines", f"?section={tue.pk}")
    assert f'href="/t/autodiff/gradebook/export/?section={tue.pk}">Export</a>' in html


def test_an_instructor_chooses_a_section(sections: Cast) -> None:
    tue = Section.objects.get(name="Tue")
    assert names_of(overview(sections, "ines")) == ["theo", "mona"]
    html = overview(sections, "ines", f"?section={tue.pk}")
    assert names_of(html) == ["theo"]
    assert "0 of 1 passed" in html


# -- live -----------------------------------------------------------------------------------------------------------------


def test_live_lists_the_newest_first_with_their_states(cast: Cast, signed: Signed) -> None:
    graded(cast, "ada", 4, at=ago(minutes=9))
    graded(cast, "ben", 10, at=ago(minutes=8), kind=Kind.RUN, verdict="passed")
    broke(cast.hands_in("eve"))
    cast.hands_in("dan")
    html = page(browser_of(cast.owner), "/t/autodiff/live/")
    order = [html.index(f"<bdi>{name}</bdi>") for name in ("dan", "eve", "ben", "ada")]
    assert order == sorted(order)
    for said in ("being graded", "internal error, not counted", "a run", "4 of 10"):
        assert said in html


def test_live_sends_nothing_to_who_has_it_already(cast: Cast) -> None:
    browser = browser_of(cast.owner)
    cast.hands_in("dan")
    where = page(browser, "/t/autodiff/").split('hx-get="')[1].split('"')[0]
    assert browser.get(where).status_code == 204
    cast.hands_in("eve")
    assert browser.get(where).status_code == 200


def test_without_a_worker_it_says_that_nothing_is_graded(cast: Cast) -> None:
    assert "No worker is running, so nothing is being graded." in overview(cast)


def test_why_a_worker_grades_nothing_is_for_who_sets_up(cast: Cast) -> None:
    now = timezone.now()
    Worker.objects.create(name="w1", version="1", started_at=now, seen_at=now, trouble="no user namespaces")
    member(cast, "ann", Role.ASSISTANT)
    assert "1 of 1 worker is not grading: no user namespaces" in overview(cast)
    html = overview(cast, "ann")
    assert "no user namespaces" not in html
    assert "1 of 1 worker is not grading. Tell the site operator." in html


# -- links


def test_staff_come_from_the_front_page_to_the_overview_and_students_to_their_course(cast: Cast, signed: Signed) -> None:
    assert browser_of(cast.owner).get("/")["Location"] == "/t/autodiff/"
    assert signed("ada").get("/")["Location"] == "/c/autodiff/"


@pytest.mark.parametrize("where", ["", "grades/", "value-engine/", "value-engine/history/", "value-engine/compare/"])
def test_staff_find_the_overview_from_a_students_page_and_students_do_not(cast: Cast, signed: Signed, where: str) -> None:
    link = '<a href="/t/autodiff/">Teach</a>'
    assert link in page(browser_of(cast.owner), f"/c/autodiff/{where}")
    assert link not in page(signed("ada"), f"/c/autodiff/{where}")
    assert 'href="/c/autodiff/">View as student' in overview(cast)


# -- a thousand students and sixty exercises ------------------------------------------------------------------------------


def queries_of(course_slug: str, user: User, path: str = "") -> int:
    browser = browser_of(user)
    with CaptureQueriesContext(connection) as queries:
        page(browser, f"/t/{course_slug}/{path}")
    return len(queries)


def test_a_larger_course_costs_no_query_more() -> None:
    course = large_course(students=12, assignments=6)
    owner = User.objects.create_user("grace")
    Membership.objects.create(course=course, user=owner, role=Role.OWNER)
    few = queries_of("large", owner)
    for n in range(3):
        user = User.objects.create_user(f"more{n}")
        Membership.objects.create(course=course, user=user)
    assert queries_of("large", owner) == few
    assert queries_of("large", owner, "live/") <= 10


def test_a_thousand_by_sixty_is_one_page() -> None:
    course = large_course()
    owner = User.objects.create_user("grace")
    Membership.objects.create(course=course, user=owner, role=Role.OWNER)
    browser = browser_of(owner)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # autovacuum does this, but not inside a test's transaction
    with CaptureQueriesContext(connection) as queries:
        begun = time.perf_counter()
        html = page(browser, "/t/large/")
        took = time.perf_counter() - begun
    print(f"overview of 1,000 x 60: {took:.2f} s, {len(queries)} queries, {len(html) / 1e6:.2f} MB")
    for query in sorted(queries, key=lambda one: -float(one["time"]))[:3]:
        print(query["time"], query["sql"][:150])
    assert len(queries) < 40
    assert html.count('class="cell ') >= 50 * 60
    assert "1 to 50 of 1000" in html


# -- a new course


def test_a_new_course_says_what_is_left_to_do(cast: Cast) -> None:
    def steps() -> dict[str, str]:
        list_ = overview(cast).partition('id="first-steps"')[2].partition("</ol>")[0]
        return {words(item): re.findall(r'aria-label="([^"]+)"', item)[0] for item in list_.split("<li>")[1:]}

    left = {"Give them due dates": "to do", "Look at the course as a student": "to do"}
    Assignment.objects.update(removed_at=ago())
    assert steps() == left | {"Assign exercises": "to do", "Add students": "to do"}
    Assignment.objects.update(removed_at=None, due_at=None)
    cast.student("ada")
    assert steps() == left | {"Assign exercises": "done", "Add students": "done"}
    Assignment.objects.update(due_at=ahead(days=1))
    assert steps() == {}


def test_it_is_said_to_nobody_who_cannot_do_it_and_not_in_a_course_that_runs(cast: Cast) -> None:
    Assignment.objects.update(due_at=None)
    assistant = member(cast, "ann", Role.ASSISTANT)
    assert "Set up this course" not in overview(cast, assistant.user.username)
    assert "Set up this course" in overview(cast)
    graded(cast, "ada", 4)
    assert "Set up this course" not in overview(cast)
