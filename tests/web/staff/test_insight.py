"""The insight page, with counts checked by hand: attempts, checks, misconceptions and unexplained answers."""

import time
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from autograder.courses.models import AuditEntry, Membership, Role, Section, User
from autograder.gradebook.insights.insight import Insight, insight_of
from autograder.gradebook.models import NamedMistake
from autograder.judge.report import CheckResult, Detail, Shown
from autograder.submissions.models import Grading, Kind, Submission
from autograder.web.results.explanation import Explanation
from tests.cast import Cast, ago
from tests.gradebook.large import large_course
from tests.web.conftest import browser_of, checked, grade, member, page, reported

pytestmark = pytest.mark.django_db

SIGN, UPSTREAM = (
    Explanation("wrong-sign", "A sign is the other way round."),
    Explanation("missing-upstream", "It is left out."),
)
UNEXPLAINED = Explanation("", "No mistake that we know of.")


def hands_in(
    cast: Cast, name: str, *told: Explanation, at: Any = None, checks: tuple[CheckResult, ...] = (), **more: Any
) -> Submission:
    """Submit a wrong answer with these explanations, or a right one without any."""
    submission = cast.hands_in(name, b"x = 1\n")
    at = at or timezone.now()
    Submission.objects.filter(pk=submission.pk).update(submitted_at=at)
    wrong = bool(told or more)
    checks = checks or (checked("forward"), checked("grad", passed=not wrong, hidden=True))
    grade(submission, reported(*checks, **more), diagnosis=told, graded_at=at)
    return submission


def wrong(given: str, *, check: str = "grad", expected: str = "6", what: str = "gradient of x", **more: Any) -> CheckResult:
    detail = Detail(what, expected=Shown("float", (expected,)), given=Shown("float", (given,)))
    return checked(check, passed=False, detail=detail, **more)


def seen(cast: Cast, name: str | None = None) -> Insight:
    user = cast.owner if name is None else User.objects.get(username=name)
    cast.assignment.refresh_from_db()
    return insight_of(cast.assignment, Membership.objects.get(course=cast.course, user=user), timezone.now())


def shown(cast: Cast) -> str:
    return page(browser_of(cast.owner), "/t/autodiff/exercises/value-engine/")


def test_students_submissions_and_what_failed(cast: Cast) -> None:
    hands_in(cast, "ada", SIGN)
    hands_in(cast, "ada")
    hands_in(cast, "ben", SIGN)
    hands_in(cast, "cy", checks=(checked("forward", passed=False),), verdict="error", reason="exception")
    found = seen(cast)
    assert (found.students, found.submissions, found.failed, found.not_run, found.passed) == (3, 4, 3, 1, 1)


def test_runs_and_gradings_that_do_not_count_are_not_counted(cast: Cast) -> None:
    submission = cast.hands_in("ada", b"x = 1\n", Kind.RUN)
    grade(submission, reported(checked("forward", passed=False)), diagnosis=[SIGN])
    grade(cast.hands_in("ada"), reported(checked("forward", passed=False)), diagnosis=[SIGN], current=False)
    grade(cast.hands_in("ada"), reported(checked("forward", passed=False), verdict="internal"), diagnosis=[SIGN])
    grade(cast.hands_in("ada"), reported(checked("forward", passed=False), verdict="error", reason="source"))
    assert seen(cast).submissions == 0
    assert "Nothing has been graded yet." in shown(cast)


def test_the_time_to_pass_is_the_median_from_the_first_submission_to_the_first_that_passed(cast: Cast) -> None:
    for name, minutes in (("ada", 10), ("ben", 24), ("cy", 60)):
        hands_in(cast, name, SIGN, at=ago(minutes=100))
        hands_in(cast, name, at=ago(minutes=100) + timedelta(minutes=minutes))
        hands_in(cast, name, at=ago(minutes=1))
    hands_in(cast, "never", SIGN, at=ago(minutes=100))
    to_pass = seen(cast).to_pass
    assert to_pass is not None and round(to_pass.total_seconds()) == 24 * 60
    assert "median 24 minutes to pass" in shown(cast)


def test_a_check_is_counted_at_the_first_try_and_at_the_latest(cast: Cast) -> None:
    right, half = (checked("a"), checked("b", hidden=True)), (checked("a"), checked("b", hidden=True, passed=False))
    hands_in(cast, "ada", SIGN, checks=half)
    hands_in(cast, "ada", checks=right)
    hands_in(cast, "ben", checks=right)
    hands_in(cast, "ben", SIGN, checks=(checked("a", passed=False), checked("b", hidden=True)))
    counted = {check.id: (check.first, check.latest, check.hidden) for check in seen(cast).checks}
    assert counted["a"] == (2, 1, False)
    assert counted["b"] == (1, 2, True)


def test_checks_stand_in_the_order_of_the_exercise(cast: Cast) -> None:
    hands_in(cast, "ada", checks=(checked("gone"),))
    ids = [check.id for check in seen(cast).checks]
    listed = [check["id"] for check in cast.assignment.exercise_version.page.checks]
    assert ids == [*listed, "gone"]


def test_hidden_checks_are_marked(cast: Cast) -> None:
    hands_in(cast, "ada", checks=(checked("own"), checked("secret", hidden=True)))
    html = shown(cast)
    assert 'The secret check <span class="tag">hidden</span>' in html
    assert "The own check</th>" in html


def test_a_misconception_is_counted_by_students_now_and_ever_and_by_submissions(cast: Cast) -> None:
    hands_in(cast, "ada", SIGN)
    hands_in(cast, "ada", SIGN)
    hands_in(cast, "ada", UPSTREAM)
    hands_in(cast, "ben", SIGN)
    hands_in(cast, "ben")
    hands_in(cast, "cy", SIGN, UPSTREAM)
    counted = {one.key: (len(one.now), len(one.ever), one.submissions) for one in seen(cast).misconceptions}
    assert counted == {"missing-upstream": (2, 2, 2), "wrong-sign": (1, 3, 4)}


def test_most_students_now_stand_first_and_what_is_unexplained_last(cast: Cast) -> None:
    for name in ("ada", "ben"):
        hands_in(cast, name, SIGN)
        hands_in(cast, name, UNEXPLAINED)
    hands_in(cast, "cy", UPSTREAM)
    assert [one.key for one in seen(cast).misconceptions] == ["missing-upstream", "wrong-sign", ""]


def test_a_mistake_is_named_in_words(cast: Cast) -> None:
    hands_in(cast, "ada", SIGN)
    hands_in(cast, "ben", UNEXPLAINED)
    html = shown(cast)
    assert "Sign error <span>A sign is the other way round.</span>" in html
    assert "No known mistake explains these numbers" in html


def test_the_authors_title_is_the_name(cast: Cast) -> None:
    hands_in(cast, "ada", SIGN)
    hands_in(cast, "ada", Explanation("wrong-sign", "A sign is the other way round.", title="Plus for minus"))
    assert "Plus for minus <span>A sign is the other way round.</span>" in shown(cast)


@pytest.mark.usefixtures("still")
def test_per_day_of_the_last_seven_in_submissions(cast: Cast) -> None:
    for days in (0, 0, 2, 6, 7):
        hands_in(cast, "ada", SIGN, at=ago(days=days))
    found = seen(cast)
    assert found.misconceptions[0].per_day(found.days) == [1, 0, 0, 0, 1, 0, 2]
    html = shown(cast)
    assert 'aria-label="per day: 1, 0, 0, 0, 1, 0, 2"' in html
    assert '<path d="M2.0 12.8 L16.5 23.0 L31.0 23.0 L45.5 23.0 L60.0 12.8 L74.5 23.0 L89.0 2.6"/>' in html


def test_bars_are_shares_of_the_students(cast: Cast) -> None:
    for name in ("ada", "ben"):
        hands_in(cast, name, SIGN)
    hands_in(cast, "ben")
    for name in ("cy", "dan"):
        hands_in(cast, name)
    html = shown(cast)
    assert 'aria-label="2 of 4 students in any submission, 1 in the latest"' in html
    assert '<rect class="past" y="4" width="100.0" height="10"/><rect class="now" y="1" width="50.0" height="16"/>' in html


def test_examples_are_the_latest_of_each_student_newest_first_and_five_at_most(cast: Cast) -> None:
    hands_in(cast, "ada", SIGN)
    again = hands_in(cast, "ada", SIGN)
    others = [hands_in(cast, f"s{n}", SIGN) for n in range(5)]
    (mistake,) = seen(cast).misconceptions
    assert mistake.examples == [one.pk for one in reversed(others)]
    assert again.pk not in mistake.examples
    assert "<bdi>s4</bdi>" in shown(cast)


def test_unexplained_failures_with_equal_answers_to_a_check_are_one_group(cast: Cast) -> None:
    hands_in(cast, "ada", UNEXPLAINED, checks=(checked("a"), wrong("9")))
    hands_in(cast, "ada", UNEXPLAINED, checks=(wrong("9"),))
    hands_in(cast, "ben", UNEXPLAINED, checks=(wrong("9"),))
    hands_in(cast, "cy", UNEXPLAINED, checks=(wrong("-9"),))
    hands_in(cast, "dan", UNEXPLAINED, checks=(wrong("9", check="other"),))
    hands_in(cast, "eve", SIGN, checks=(wrong("9"),))
    groups = seen(cast).groups
    counted = [(one.check.id, one.given and one.given.values, one.submissions, len(one.students)) for one in groups]
    assert counted[0] == ("grad", ("9",), 3, 2)
    assert sorted(counted[1:]) == [("grad", ("-9",), 1, 1), ("other", ("9",), 1, 1)]
    html = shown(cast)
    assert '<span class="n failed">−9</span>' in html
    assert "gradient of x, The grad check" in html


def test_a_failure_without_a_value_is_in_no_group(cast: Cast) -> None:
    hands_in(cast, "ada", UNEXPLAINED, checks=(checked("a", passed=False),))
    found = seen(cast)
    assert found.groups == ()
    assert [one.key for one in found.misconceptions] == [""]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ((), "Every analysed wrong answer matches a known mistake."),
        (("5",), "1 submission matches no known mistake."),
        (("5", "4"), "2 submissions match no known mistake."),
        (("",), "1 submission matches no known mistake and has no value to compare, so nothing is grouped."),
        (("", ""), "2 submissions match no known mistake and have no value to compare, so nothing is grouped."),
        (("5", ""), "2 submissions match no known mistake. 1 of them has no value to compare, so it is not grouped."),
    ],
)
def test_one_sentence_counts_what_no_known_mistake_explains_as_the_table_does(
    cast: Cast, given: tuple[str, ...], sentence: str
) -> None:
    hands_in(cast, "ada", SIGN)
    for value in given:
        hands_in(cast, "ben", UNEXPLAINED, checks=(wrong(value) if value else checked("grad", passed=False),))
    assert seen(cast).unexplained == len(given)
    html = shown(cast)
    assert f">{sentence}</p>" in html
    assert ("Every analysed" in html) == ("No known mistake explains these numbers" not in html)


def test_without_a_wrong_answer_nothing_is_said_to_be_explained(cast: Cast) -> None:
    hands_in(cast, "ada")
    html = shown(cast)
    assert "No wrong answers have been analysed yet." in html
    assert "Every analysed" not in html


def test_an_array_is_cut_and_says_its_shape(cast: Cast) -> None:
    values = tuple(str(n) for n in range(12))
    detail = Detail("x.grad", expected=Shown("array", values, (3, 4)), given=Shown("array", values, (3, 4)))
    hands_in(cast, "ada", UNEXPLAINED, checks=(checked("a", passed=False, detail=detail),))
    assert "[[0, 1, 2, 3], [4, 5, …]] of shape (3, 4)" in shown(cast)


def test_what_students_and_their_code_say_is_text(cast: Cast) -> None:
    user = cast.student("ada")
    user.first_name = "<script>alert(1)</script>"
    user.save()
    bad = wrong("<b>nan</b>", expected="<i>1</i>", what="<u>x</u>", title="<s>t</s>")
    hands_in(cast, "ada", UNEXPLAINED, Explanation("<em>key</em>", "<p>words</p>"), checks=(bad,))
    html = shown(cast)
    for raw in ("<script>alert", "<b>nan", "<i>1", "<u>x", "<s>t", "<em>key", "<Em>key", "<p>words"):
        assert raw not in html


def test_an_assistant_counts_her_section_alone(cast: Cast) -> None:
    mon, tue = (Section.objects.create(course=cast.course, name=name) for name in ("Mon", "Tue"))
    member(cast, "mona", Role.STUDENT, mon)
    member(cast, "theo", Role.STUDENT, tue)
    member(cast, "ann", Role.ASSISTANT, mon)
    hands_in(cast, "theo", SIGN)
    hands_in(cast, "mona", UPSTREAM)
    found = seen(cast, "ann")
    assert (found.students, found.submissions, [one.key for one in found.misconceptions]) == (1, 1, ["missing-upstream"])
    assert "theo" not in page(browser_of(User.objects.get(username="ann")), "/t/autodiff/exercises/value-engine/")


def test_a_removed_assignment_and_one_elsewhere_are_not_found(cast: Cast) -> None:
    Cast(slug="elsewhere", exercise="value-unary")
    cast.assign("fn-cubic", removed_at=ago(days=1))
    for slug in ("fn-cubic", "value-unary", "nothing"):
        page(browser_of(cast.owner), f"/t/autodiff/exercises/{slug}/", 404)


def test_a_thousand_students_are_counted_in_few_queries() -> None:
    course = large_course(assignments=1, gradings=3)
    owner = User.objects.create_user("grace")
    Membership.objects.create(course=course, user=owner, role=Role.OWNER)
    values = tuple(str(n / 7) for n in range(64))
    detail = Detail("x.grad", expected=Shown("array", values, (8, 8)), given=Shown("array", values, (8, 8)))
    report = reported(*(checked(f"c{n}", passed=n > 1, detail=detail) for n in range(8)))
    told = [msgspec.to_builtins(UNEXPLAINED)]
    Grading.objects.update(report=msgspec.to_builtins(report), diagnosis=told)
    browser = browser_of(owner)
    with CaptureQueriesContext(connection) as queries:
        begun = time.perf_counter()
        html = page(browser, "/t/large/exercises/a0/")
        took = time.perf_counter() - begun
    print(f"insight of 3,000 submissions: {took:.2f} s, {len(queries)} queries")
    assert "<b>3000 submissions</b>" in html
    assert len(queries) <= 10


# -- named by staff -------------------------------------------------------------------------------------------------------


def names_it(cast: Cast, submission: Submission, name: str = "Doubles it", words: str = "", who: User | None = None) -> str:
    given = {"act": "name", "submission": submission.pk, "name": name, "words": words}
    answer = browser_of(who or cast.owner).post("/t/autodiff/exercises/value-engine/", given, follow=True)
    return answer.content.decode()


def told(insight: Insight) -> list[tuple[str, int, int, int]]:
    return [(one.name, one.submissions, len(one.ever), len(one.now)) for one in insight.misconceptions if one.name]


def test_a_named_answer_is_counted_under_its_name_then_and_since(cast: Cast) -> None:
    for name in ("ada", "ben"):
        hands_in(cast, name, UNEXPLAINED, checks=(wrong("9"),), at=ago(days=2))
    last = hands_in(cast, "cy", UNEXPLAINED, checks=(wrong("0"),))
    assert len(seen(cast).groups) == 2
    html = names_it(cast, Submission.objects.filter(membership__user__username="ben").get(), words="Twice the slope.")
    assert "These answers now count as “Doubles it”" in html
    assert "Twice the slope." in html
    hands_in(cast, "dua", UNEXPLAINED, checks=(wrong("9"),))
    hands_in(cast, "ada")
    found = seen(cast)
    assert told(found) == [("Doubles it", 3, 3, 2)]
    named = next(one for one in found.misconceptions if one.name)
    assert (sum(named.days.values()), len(named.days)) == (3, 2)
    assert [group.examples for group in found.groups] == [[last.pk]]
    assert next(one for one in found.misconceptions if not one.key).submissions == 1


def test_another_check_or_another_exercise_is_another_answer(cast: Cast) -> None:
    names_it(cast, hands_in(cast, "ada", UNEXPLAINED, checks=(wrong("9"),)))
    hands_in(cast, "ben", UNEXPLAINED, checks=(wrong("9", check="other"),))
    hands_in(cast, "cy", UNEXPLAINED, checks=(wrong("9", what="gradient of y"),))
    assert told(seen(cast)) == [("Doubles it", 1, 1, 1)]
    assert len(seen(cast).groups) == 2


def test_a_name_is_taken_back_and_given_again(cast: Cast) -> None:
    submission = hands_in(cast, "ada", UNEXPLAINED, checks=(wrong("9"),))
    names_it(cast, submission)
    assert "This mistake already has the name Doubles it." in names_it(cast, submission, "Another")
    number = NamedMistake.objects.get().pk
    for said in ("was removed", "was already removed"):
        answer = browser_of(cast.owner).post(
            "/t/autodiff/exercises/value-engine/", {"act": "unname", "mistake": number}, follow=True
        )
        assert said in answer.content.decode()
    assert (told(seen(cast)), len(seen(cast).groups)) == ([], 1)
    names_it(cast, submission, "Another")
    assert [one[0] for one in told(seen(cast))] == ["Another"]
    entries = AuditEntry.objects.filter(action__startswith="mistake-").order_by("id")
    assert [(entry.action, entry.details["name"]) for entry in entries] == [
        *(("mistake-named", "Doubles it"), ("mistake-unnamed", "Doubles it"), ("mistake-named", "Another")),
    ]


def test_a_name_changes_no_points_and_no_student_sees_it(cast: Cast) -> None:
    submission = hands_in(cast, "ada", UNEXPLAINED, checks=(wrong("9"),))
    before = Grading.objects.values().get()
    names_it(cast, submission, "Secretly named")
    assert Grading.objects.values().get() == before
    assert "Secretly named" not in page(browser_of(cast.student("ada")), f"/s/{submission.pk}/outcome/")


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [(" ", "", "Enter a name for the mistake"), ("x" * 81, "", "at most 80"), ("x", "y" * 301, "300")],
)
def test_a_name_is_a_few_words(cast: Cast, name: str, words: str, said: str) -> None:
    submission = hands_in(cast, "ada", UNEXPLAINED, checks=(wrong("9"),))
    assert said in names_it(cast, submission, name, words)
    assert not NamedMistake.objects.exists()


def test_a_name_is_given_by_who_sets_up_the_course(cast: Cast) -> None:
    submission = hands_in(cast, "ada", UNEXPLAINED, checks=(wrong("9"),))
    ann = member(cast, "ann", Role.ASSISTANT).user
    assert "Name this mistake" not in page(browser_of(ann), "/t/autodiff/exercises/value-engine/")
    assert "You may not change this course" in names_it(cast, submission, who=ann)
    assert not NamedMistake.objects.exists()


def test_what_shows_no_value_or_is_of_another_course_has_no_name(cast: Cast) -> None:
    other = hands_in(Cast(slug="other"), "sol", UNEXPLAINED, checks=(wrong("9"),))
    silent = hands_in(cast, "ada", UNEXPLAINED, checks=(checked("grad", passed=False),))
    for number in (other.pk, silent.pk, 0, "²"):
        given = {"act": "name", "submission": number, "name": "x"}
        assert browser_of(cast.owner).post("/t/autodiff/exercises/value-engine/", given).status_code == 404
