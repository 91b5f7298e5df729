"""Manual points: permissions, effect on the score, and validation."""

import csv
import io
import zipfile
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from autograder.courses.errors import AtField, Conflict, Refused
from autograder.courses.models import Assignment, AuditEntry, Criterion, Membership, Role, Section
from autograder.courses.setup.assignments import assignment_update, outside_assignment_create
from autograder.courses.setup.course_copies import course_copy
from autograder.gradebook.decisions.criteria import MarksWouldGo, NewCriterion, criteria_set
from autograder.gradebook.decisions.excuses import excuse
from autograder.gradebook.decisions.marking import mark, marked_before, take_over
from autograder.gradebook.decisions.marking_queue import marking_queue
from autograder.gradebook.decisions.overrides import override
from autograder.gradebook.exports import EXPORTS, Options
from autograder.gradebook.exports.export_service import remarks_on
from autograder.gradebook.exports.submission_archive import MANIFEST, Which, submissions_download
from autograder.gradebook.grades import freezing
from autograder.gradebook.grades.manual_points import rubric_of
from autograder.gradebook.grades.scores import score_of, scores_of_course
from autograder.gradebook.grades.sheet import sheet_of
from autograder.gradebook.grades.totals import how_of_student
from autograder.gradebook.models import Marking, RegradeRequest
from autograder.gradebook.regrades import regrading
from autograder.gradebook.regrades.regrade_requests import regraded_by
from autograder.submissions import regrades
from autograder.submissions.models import Grading, Kind, Submission
from tests.cast import Cast, ago
from tests.gradebook.conftest import add_grading, graded

RUBRIC = (NewCriterion("Style", Decimal(3), "Names say what things are."), NewCriterion("Tests", Decimal(1)))


@pytest.fixture
def by(cast: Cast) -> Membership:
    return Membership.objects.select_related("course").get(user=cast.owner)


@pytest.fixture
def rubric(cast: Cast, by: Membership) -> list[Criterion]:
    """Criteria for 4 of the 10 points."""
    return put(cast, by, RUBRIC)


def put(cast: Cast, by: Membership, wanted: Sequence[NewCriterion], **more: Any) -> list[Criterion]:
    criteria_set(assignment=cast.assignment, by=by, criteria=wanted, **more)
    cast.assignment.refresh_from_db()
    return list(cast.assignment.criteria.filter(removed_at=None))


def give(submission: Submission, by: Membership, *points: str, **more: Any) -> Marking:
    criteria = submission.assignment.criteria.filter(removed_at=None)
    given = {one.pk: Decimal(each) for one, each in zip(criteria, points, strict=True)}
    return mark(submission=submission, by=by, points=given, **more)


def as_they_are(criteria: Sequence[Criterion], **changes: NewCriterion) -> list[NewCriterion]:
    return [changes.get(one.title) or NewCriterion(one.title, one.points, one.description, one.pk) for one in criteria]


def points(cast: Cast, name: str = "ada") -> Decimal | None:
    return score_of(cast.assignment, cast.membership(name)).points


def rules(cast: Cast, **changed: Any) -> None:
    Assignment.objects.filter(pk=cast.assignment.pk).update(**changed)
    cast.assignment.refresh_from_db()


# -- effect on the score


def test_checks_and_marks_add_up(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    submission = graded(cast, "ada", 5)  # half of the checks
    assert points(cast) == 3, "half of the 6 points that are left for the checks"
    give(submission, by, "2.25", "1")
    score = score_of(cast.assignment, cast.membership("ada"))
    assert score.points == Decimal("6.25")
    assert not score.unmarked


def test_an_assignment_may_be_marked_by_hand_alone(cast: Cast, by: Membership) -> None:
    put(cast, by, [NewCriterion("Report", Decimal(10))])
    submission = graded(cast, "ada", 10)
    assert points(cast) == 0
    give(submission, by, "7.5")
    assert points(cast) == Decimal("7.5")


def test_late_work_is_reduced_as_a_whole(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    rules(cast, due_at=ago(days=2, hours=1), late_share="0.5", policy="last")
    submission = graded(cast, "ada", 10, at=ago(hours=1))
    give(submission, by, "3", "1")
    assert points(cast) == 5


def test_the_best_submission_is_the_best_with_its_marks(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    first = graded(cast, "ada", 6, at=ago(hours=2))
    second = graded(cast, "ada", 8, at=ago(hours=1))
    assert score_of(cast.assignment, cast.membership("ada")).counted.submission_id == second.pk  # type: ignore[union-attr]
    give(first, by, "3", "1")
    score = score_of(cast.assignment, cast.membership("ada"))
    assert (score.points, score.counted.submission_id) == (Decimal("7.6"), first.pk)  # type: ignore[union-attr]


def test_the_last_submission_does_not_take_the_marks_along(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    rules(cast, policy="last")
    give(graded(cast, "ada", 6, at=ago(hours=2)), by, "3", "1")
    graded(cast, "ada", 10, at=ago(hours=1))
    score = score_of(cast.assignment, cast.membership("ada"))
    assert (score.points, score.unmarked) == (Decimal(6), True)


def test_marks_are_read_in_one_query_and_only_where_there_are_criteria(
    cast: Cast, by: Membership, django_assert_num_queries: Any
) -> None:
    other = cast.assign("fn-cubic")
    submissions = [graded(cast, f"student-{n}", 5) for n in range(5)]
    members = [one.membership_id for one in submissions]
    with django_assert_num_queries(4):  # extensions, gradings, overrides, excuses
        scores_of_course([cast.assignment, other], members)
    put(cast, by, RUBRIC)
    for submission in submissions:
        submission.assignment.refresh_from_db()
        give(submission, by, "1", "1")
    assert cast.assignment.course == other.course  # both are loaded
    with django_assert_num_queries(5):
        found = scores_of_course([cast.assignment, other], members)
    assert {found[member, cast.assignment.pk].points for member in members} == {Decimal(5)}


def test_an_override_and_an_excuse_stand_before_marks(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    give(graded(cast, "ada", 10), by, "3", "1")
    graded(cast, "ben", 10)
    override(assignment=cast.assignment, membership=cast.membership("ada"), points=Decimal(2), reason="r", by=cast.staff)
    excuse(assignment=cast.assignment, membership=cast.membership("ben"), reason="r", by=by)
    assert points(cast) == 2
    assert points(cast, "ben") is None
    assert marking_queue(by).waiting == ()


def test_a_regrade_keeps_the_marks(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    submission = graded(cast, "ada", 5)
    give(submission, by, "3", "1")
    batch = regrades.start(course=cast.course, by=cast.staff, reason="r")
    add_grading(submission, submission.work.get(batch=batch), 10, current=False, why=Grading.Why.REGRADE)
    (change,) = regrading.preview(batch)
    assert (change.before, change.after) == (Decimal(7), Decimal(10))
    asked = {"text": "It is right.", "asked_at": timezone.now(), "batch": batch}
    request = RegradeRequest.objects.create(submission=submission, grading=submission.gradings.all()[0], **asked)
    regrading.commit(batch, by=cast.staff, lower=False)
    assert points(cast) == 10
    regraded = regraded_by(RegradeRequest.objects.get(pk=request.pk))
    assert regraded is not None
    assert (regraded.before, regraded.after) == (Decimal(7), Decimal(10))


def test_the_list_of_a_download_has_the_marks(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    give(graded(cast, "ada", 5), by, "3", "1")
    graded(cast, "ben", 5)
    archive = submissions_download(assignment=cast.assignment, by=by, which=Which.ALL)
    with zipfile.ZipFile(io.BytesIO(b"".join(archive.parts))) as opened:
        rows = list(csv.reader(io.StringIO(opened.read(MANIFEST).decode("utf-8-sig"))))
    assert [row[6:8] for row in rows[1:]] == [["7.00", "10.00"], ["3.00", "10.00"]]


def test_a_freeze_keeps_what_stood_and_refuses_marks(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    submission = graded(cast, "ada", 5)
    give(submission, by, "1", "1")
    freezing.freeze(course=cast.course, by=cast.staff)
    with pytest.raises(Refused, match=r"No points can be given now: .* froze the gradebook"):
        give(submission, by, "3", "1")
    assert sheet_of(cast.course).cells[submission.membership_id, cast.assignment.pk].points == 5
    assert marking_queue(by).waiting == ()


def test_what_is_not_marked_is_said_in_totals_and_before_an_export(
    cast: Cast, by: Membership, rubric: list[Criterion]
) -> None:
    graded(cast, "ada", 10)
    how = how_of_student(cast.membership("ada"))
    assert f"{cast.assignment.title}: not marked yet, 6 of 10" in how.lines[0].notes
    assert "1 grade is not marked yet: missing points count as 0 in the file" in remarks_on(
        EXPORTS["csv"], sheet_of(cast.course), Options()
    )


# -- giving marks


def somebody(cast: Cast, role: Role, section: Section | None = None) -> Membership:
    found = cast.membership("somebody")
    found.role, found.section = role, section
    found.save()
    return Membership.objects.select_related("course").get(pk=found.pk)


@pytest.mark.parametrize(
    ("role", "section", "may"),
    [
        (Role.STUDENT, None, False),
        (Role.STUDENT, "Mon", False),
        (Role.ASSISTANT, None, True),
        (Role.ASSISTANT, "Mon", True),
        (Role.ASSISTANT, "Tue", False),
        (Role.INSTRUCTOR, None, True),
        (Role.OWNER, None, True),
    ],
)
def test_assistants_of_the_section_and_those_above_give_points(
    cast: Cast, rubric: list[Criterion], role: Role, section: str | None, may: bool
) -> None:
    sections = {name: Section.objects.create(course=cast.course, name=name) for name in ("Mon", "Tue")}
    submission = graded(cast, "ada", 5)
    Membership.objects.filter(pk=submission.membership_id).update(section=sections["Mon"])
    submission = Submission.objects.get(pk=submission.pk)
    by = somebody(cast, role, sections[section] if section else None)
    if may:
        give(submission, by, "1", "1")
        return
    with pytest.raises(Refused, match="You may not give points by hand"):
        give(submission, by, "1", "1")
    with pytest.raises(Refused, match="You may not give points by hand"):
        take_over(submission=submission, source=submission, by=by)
    assert not Marking.objects.exists()


def test_nobody_of_another_course_and_nobody_who_was_removed(cast: Cast, rubric: list[Criterion]) -> None:
    submission = graded(cast, "ada", 5)
    elsewhere = Cast(slug="elsewhere", exercise="value-unary")
    strangers = [
        Membership.objects.select_related("course").get(user=elsewhere.owner, course=elsewhere.course),
        somebody(cast, Role.OWNER),
    ]
    strangers[1].removed_at = ago(days=1)
    for stranger in strangers:
        with pytest.raises(Refused, match="You may not give points by hand"):
            give(submission, stranger, "1", "1")
        with pytest.raises(Refused, match="You may not change this course"):
            criteria_set(assignment=cast.assignment, by=stranger, criteria=())


@pytest.mark.parametrize("role", [Role.STUDENT, Role.ASSISTANT])
def test_only_who_sets_up_the_course_changes_criteria(cast: Cast, role: Role) -> None:
    with pytest.raises(Refused, match="You may not change this course"):
        put(cast, somebody(cast, role), RUBRIC)


def test_it_is_audited_with_before_and_after(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    submission = graded(cast, "ada", 5)
    give(submission, by, "1", "1", remark="Good names.")
    newest = give(submission, by, "2.5", "1")
    standing = rubric_of(submission)
    assert standing is not None
    assert (standing.marking, [line.points for line in standing.lines]) == (newest, [Decimal("2.5"), Decimal(1)])
    second, first = AuditEntry.objects.filter(action="marked")
    assert (first.actor, first.submission_number, first.membership_id) == (
        cast.owner,
        submission.pk,
        submission.membership_id,
    )
    assert (first.details["before"], first.details["after"], first.details["remark"]) == (None, "2", "Good names.")
    assert (second.details["before"], second.details["after"]) == ("2.00", "3.5")
    assert second.details["criteria"] == ["Style: 1.00 → 2.50 of 3.00", "Tests: 1.00 → 1.00 of 1.00"]
    assert Marking.objects.filter(submission=submission).count() == 2, "what stood before is kept"


@pytest.mark.parametrize(
    ("style", "words"), [("3.01", "0 and 3.00"), ("-0.01", "0 and"), ("NaN", "0 and"), ("1.001", "decimals")]
)
def test_points_are_from_0_to_what_the_criterion_is_worth(
    cast: Cast, by: Membership, rubric: list[Criterion], style: str, words: str
) -> None:
    with pytest.raises(AtField, match=words) as refused:
        give(graded(cast, "ada", 5), by, style, "1")
    assert refused.value.field == f"points_{rubric[0].pk}"
    assert not Marking.objects.exists()


def test_every_criterion_is_marked_or_none(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    submission = graded(cast, "ada", 5)
    with pytest.raises(Refused, match="criteria of this assignment changed"):
        mark(submission=submission, by=by, points={rubric[0].pk: Decimal(1)})
    with pytest.raises(Refused, match="criteria of this assignment changed"):
        mark(submission=submission, by=by, points={rubric[0].pk: Decimal(1), 10**6: Decimal(1)})


def test_runs_and_what_has_no_result_are_not_marked(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    run = graded(cast, "ada", 5, kind=Kind.RUN)
    with pytest.raises(Refused, match="This is a run"):
        give(run, by, "1", "1")
    with pytest.raises(Refused, match="no check results yet"):
        give(cast.hands_in("ben"), by, "1", "1")
    with pytest.raises(Refused, match="no check results yet"):
        give(graded(cast, "cem", 0, verdict="internal"), by, "1", "1")


def test_nothing_is_given_where_there_are_no_criteria(cast: Cast, by: Membership) -> None:
    with pytest.raises(Refused, match="has no points that are given by hand"):
        mark(submission=graded(cast, "ada", 5), by=by, points={})


def test_a_long_remark_is_refused(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    with pytest.raises(AtField, match="limit is 2,000"):
        give(graded(cast, "ada", 5), by, "1", "1", remark="x" * 2001)


def test_newer_marks_are_not_overwritten_unseen(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    submission = graded(cast, "ada", 5)
    first = give(submission, by, "1", "1", seen=0)
    with pytest.raises(Conflict, match=r"marked this submission in the meantime: Style 1.00, Tests 1.00\.") as refused:
        give(submission, by, "3", "1", seen=0)
    assert refused.value.stands == first
    give(submission, by, "3", "1", seen=first.pk)
    assert points(cast) == 7


def test_pressed_twice_it_is_one_marking(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    submission = graded(cast, "ada", 5)
    assert give(submission, by, "1", "1", seen=0) == give(submission, by, "1", "1", seen=0)
    assert AuditEntry.objects.filter(action="marked").count() == 1


# -- marks of an earlier submission ---------------------------------------------------------------------------------------


def test_marks_are_taken_over_with_their_remark(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    rules(cast, policy="last")
    first, second = (graded(cast, "ada", 5, at=ago(hours=n)) for n in (2, 1))
    assert marked_before(second) is None
    give(first, by, "2", "1", remark="Fine.")
    give(first, by, "2.5", "1", remark="Fine.")
    assert marked_before(second) == first
    assert marked_before(first) is None
    take_over(submission=second, source=first, by=by, seen=0)
    assert points(cast) == Decimal("6.5")
    standing = rubric_of(second)
    assert standing is not None and standing.marking is not None
    assert standing.marking.remark == "Fine."
    assert AuditEntry.objects.filter(action="marked")[0].details["taken_over_from"] == first.pk


def test_only_from_the_same_student_and_assignment_and_only_whole(
    cast: Cast, by: Membership, rubric: list[Criterion]
) -> None:
    mine, bens = graded(cast, "ada", 5), graded(cast, "ben", 5)
    give(bens, by, "1", "1")
    with pytest.raises(Refused, match="no points given by hand that could be copied"):
        take_over(submission=mine, source=bens, by=by)
    later = graded(cast, "ben", 5)
    put(cast, by, [*as_they_are(rubric), NewCriterion("Docs", Decimal(1))])
    later.assignment.refresh_from_db()
    assert marked_before(later) is None
    with pytest.raises(Refused, match="not marked for every criterion"):
        take_over(submission=later, source=bens, by=by)


# -- the queue


def waiting(by: Membership) -> list[int]:
    return [one.submission_id for one in marking_queue(by).waiting]


def test_what_counts_and_is_not_marked_waits_by_assignment_and_name(
    cast: Cast, by: Membership, rubric: list[Criterion]
) -> None:
    cem, ada = (graded(cast, name, 5) for name in ("cem", "ada"))
    older = graded(cast, "ben", 3, at=ago(hours=2))
    ben = graded(cast, "ben", 5, at=ago(hours=1))
    assert waiting(by) == [ada.pk, ben.pk, cem.pk]
    give(ben, by, "1", "1")
    assert waiting(by) == [ada.pk, cem.pk], f"{older.pk} counts in no case that a marker would see"
    queue = marking_queue(by)
    assert [queue.after(one).submission_id for one in (ada, ben, cem)] == [cem.pk, cem.pk, ada.pk]  # type: ignore[union-attr]


def test_a_newer_one_waits_where_marks_could_make_it_count(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    give(graded(cast, "ada", 5, at=ago(hours=3)), by, "3", "0.5")  # 6.5 points
    newer = graded(cast, "ada", 5, at=ago(hours=2))  # 7 points at most
    assert waiting(by) == [newer.pk]
    give(newer, by, "0", "0")
    hopeless = graded(cast, "ada", 1, at=ago(hours=1))  # 4.6 points at most
    assert waiting(by) == [], f"{hopeless.pk} cannot count"


def test_an_assistant_marks_their_section(cast: Cast, rubric: list[Criterion]) -> None:
    section = Section.objects.create(course=cast.course, name="Mon")
    ada, ben = (graded(cast, name, 5) for name in ("ada", "ben"))
    Membership.objects.filter(pk=ben.membership_id).update(section=section)
    assert waiting(somebody(cast, Role.ASSISTANT, section)) == [ben.pk]
    assert waiting(somebody(cast, Role.ASSISTANT)) == [ada.pk, ben.pk]
    assert waiting(somebody(cast, Role.STUDENT)) == []


def test_a_new_criterion_makes_marked_submissions_wait_again(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    submission = graded(cast, "ada", 5)
    give(submission, by, "1", "1")
    assert waiting(by) == []
    put(cast, by, [*as_they_are(rubric), NewCriterion("Docs", Decimal(1))])
    assert waiting(by) == [submission.pk]
    assert points(cast) == Decimal("4.5"), "2 by hand, and half of the 5 that are left for the checks"


# -- criteria -------------------------------------------------------------------------------------------------------------


def test_criteria_are_saved_in_order_and_audited(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    assert cast.assignment.points_by_hand == 4
    edition = cast.assignment.edition
    renamed = NewCriterion("Readability", Decimal("2.5"), number=rubric[0].pk)
    now = put(cast, by, [as_they_are(rubric)[1], renamed], edition=edition)
    assert [(one.title, one.points) for one in now] == [("Tests", 1), ("Readability", Decimal("2.5"))]
    assert (cast.assignment.points_by_hand, cast.assignment.edition) == (Decimal("3.5"), edition + 1)
    entry = AuditEntry.objects.filter(action="criteria-changed")[0]
    assert entry.details["before"] == ["Style (3.00): Names say what things are.", "Tests (1.00)"]
    assert entry.details["after"] == ["Tests (1.00)", "Readability (2.50)"]
    put(cast, by, as_they_are(now))
    assert AuditEntry.objects.filter(action="criteria-changed").count() == 2, "nothing changed, nothing is written down"


def test_two_who_change_them_notice_each_other(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    with pytest.raises(Conflict, match="Another person changed"):
        put(cast, by, (), edition=cast.assignment.edition - 1)
    assert cast.assignment.criteria.filter(removed_at=None).count() == 2


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ([NewCriterion("Style", Decimal("10.01"))], "add up to 10.01 points, but .* is worth 10.00"),
        ([NewCriterion("Style", Decimal(1)), NewCriterion("style ", Decimal(1))], "Two criteria have the title Style"),
        ([NewCriterion(" ", Decimal(1))], "needs a title"),
        ([NewCriterion("Style", Decimal(0))], "more than 0 points"),
        ([NewCriterion("Style", Decimal("0.001"))], "at most two decimals"),
        ([NewCriterion("x" * 101, Decimal(1))], "limit is 100"),
        ([NewCriterion("Style", Decimal(1), "x" * 301)], "limit is 300"),
        ([NewCriterion(f"{n}", Decimal(1)) for n in range(9)], "at most 8 criteria"),
        ([NewCriterion("Style", Decimal(1), number=10**6)], "no longer belongs to"),
    ],
)
def test_criteria_that_cannot_be(cast: Cast, by: Membership, wanted: list[NewCriterion], words: str) -> None:
    with pytest.raises(Refused, match=words):
        put(cast, by, wanted)
    cast.assignment.refresh_from_db()
    assert (cast.assignment.points_by_hand, Criterion.objects.count()) == (Decimal(0), 0)


def test_work_that_is_graded_outside_has_none(cast: Cast, by: Membership) -> None:
    exam = outside_assignment_create(course=cast.course, by=by, title="Exam", points=Decimal(20))
    with pytest.raises(Refused, match="Exam is graded outside Gradus"):
        criteria_set(assignment=exam, by=by, criteria=RUBRIC)


def test_an_assignment_is_worth_at_least_its_criteria(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    with pytest.raises(AtField, match=r"4\.00 points are given by hand") as refused:
        assignment_update(assignment=cast.assignment, by=cast.staff, points=Decimal("3.99"))
    assert refused.value.field == "points"
    assignment_update(assignment=cast.assignment, by=cast.staff, points=Decimal(4))


def test_a_maximum_does_not_fall_below_marks(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    give(graded(cast, "ada", 5), by, "2.5", "1")
    style = rubric[0]
    with pytest.raises(AtField, match=r"1 submission has more than 2\.00 points for Style, up to 2\.50") as refused:
        put(cast, by, as_they_are(rubric, Style=NewCriterion("Style", Decimal(2), number=style.pk)))
    assert refused.value.field == "points_0"
    put(cast, by, as_they_are(rubric, Style=NewCriterion("Style", Decimal("2.5"), number=style.pk)))
    assert points(cast) == Decimal("6.75"), "3.5 by hand stay, and half of 6.5 for the checks"


def test_a_criterion_with_marks_goes_only_with_them(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    give(graded(cast, "ada", 5), by, "3", "1")
    with pytest.raises(MarksWouldGo, match=r"Points have already been given for Style \(1 submission\)"):
        put(cast, by, as_they_are(rubric)[1:])
    assert points(cast) == 7
    put(cast, by, as_they_are(rubric)[1:], withdraw=True)
    assert points(cast) == Decimal("5.5")
    assert not score_of(cast.assignment, cast.membership("ada")).unmarked, "what is left is marked"
    assert AuditEntry.objects.filter(action="criteria-changed")[0].details["marks_withdrawn"] == 1
    put(cast, by, (), withdraw=True)
    assert points(cast) == 5


def test_a_copied_course_has_the_criteria_and_nobodys_marks(cast: Cast, by: Membership, rubric: list[Criterion]) -> None:
    give(graded(cast, "ada", 5), by, "3", "1")
    put(cast, by, as_they_are(rubric)[:1], withdraw=True)
    made = course_copy(course=cast.course, slug="next", title="Next", term="", days=364, by=cast.staff)
    (copy,) = made.assignments.all()
    assert copy.points_by_hand == 3
    (criterion,) = copy.criteria.all()
    assert (criterion.title, criterion.points, criterion.description) == ("Style", Decimal(3), "Names say what things are.")
    assert not criterion.marks.exists()
