"""Score import: the status of each cell, what is stored, and undoing it."""

from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, AuditEntry, Membership, Role, User
from autograder.courses.rights import OPERATOR
from autograder.courses.setup.assignments import outside_assignment_create
from autograder.gradebook.decisions import excuses, overrides
from autograder.gradebook.exports import EXPORTS, Options
from autograder.gradebook.exports.export_service import export
from autograder.gradebook.grades import freezing, scores
from autograder.gradebook.grades.sheet import sheet_of
from autograder.gradebook.imports.score_file import ScoreFile, read
from autograder.gradebook.imports.score_import import (
    Choices,
    Imported,
    PreviewChanged,
    Undone,
    import_scores,
    imports_of,
    undo_import,
)
from autograder.gradebook.imports.score_preview import ScorePreview, preview_scores
from autograder.gradebook.models import Override, ScoreImport
from tests.cast import Cast, ago
from tests.gradebook.conftest import graded

pytestmark = pytest.mark.django_db
REPLACE = Choices(replace=True)


@pytest.fixture
def exam(cast: Cast) -> Assignment:
    for name in ("ada", "ben", "cem"):
        cast.student(name)
    return outside_assignment_create(course=cast.course, by=cast.staff, title="Midterm exam", points=Decimal(20))


def file_of(text: str, name: str = "exam.csv") -> ScoreFile:
    return read(text.encode(), name)


def preview(cast: Cast, text: str) -> ScorePreview:
    return preview_scores(cast.course, file_of(text))


def imported(cast: Cast, text: str, choices: Choices = Choices(), name: str = "exam.csv") -> Imported:
    return import_scores(course=cast.course, file=file_of(text, name), by=cast.staff, choices=choices)


def undone(cast: Cast, done: Imported) -> Undone:
    return undo_import(score_import=done.score_import, by=cast.staff)


def points(cast: Cast, assignment: Assignment, name: str = "ada") -> str | None:
    found = scores.score_of(assignment, cast.membership(name)).points
    return None if found is None else f"{found.normalize():f}"


def cell_words(found: ScorePreview) -> list[str]:
    return [
        f"{row.who} {cell.said}: {cell.status}; {cell.words}".removesuffix("; ") for row in found.rows for cell in row.cells
    ]


def row_words(found: ScorePreview) -> list[str]:
    return [f"{row.line} {row.who}: {row.words}" for row in found.bad_rows]


# -- status of a cell


def test_every_cell_has_its_status(cast: Cast, exam: Assignment) -> None:
    graded(cast, "ada", 8.0)
    overrides.override(
        assignment=exam, membership=cast.membership("ben"), points=Decimal(12), reason="Second marker.", by=cast.staff
    )
    excuses.excuse(assignment=exam, membership=cast.membership("cem"), reason="Ill.", by=cast.staff)
    found = preview(cast, "who,Midterm exam,value-engine\nada,18,9\nben,12,x\nben2,,\ncem,5,-1\n")
    assert cell_words(found) == [
        "ada 18: new",
        "ada 9: replaces; 8, computed from a submission",
        "ben 12: unchanged",
        "ben x: cannot be imported; 'x' is not a number",
        "cem 5: excused; still excused; withdraw the excuse to set points",
        "cem -1: cannot be imported; -1 is negative",
    ]


def test_an_override_with_other_points_is_told_with_who_set_it_and_why(cast: Cast, exam: Assignment) -> None:
    imported(cast, "who,Midterm exam\nada,18\n")
    (words,) = cell_words(preview(cast, "who,Midterm exam\nada,17\n"))
    assert words.startswith("ada 17: replaces; 18, set by autodiff-grace: Imported from exam.csv on ")


@pytest.mark.parametrize("who", ["ada", "ADA", "ada@example.org", "4711", "s-1"])
def test_a_student_is_found_by_each_name(cast: Cast, exam: Assignment, who: str) -> None:
    User.objects.filter(username="ada").update(email="Ada@example.org")
    Membership.objects.filter(user__username="ada").update(lms_id="4711", sis_id="S-1")
    imported(cast, f"student,midterm-exam\n{who},18\n")
    assert points(cast, exam) == "18"


def test_rows_that_nobody_can_be_given_are_told(cast: Cast, exam: Assignment) -> None:
    Membership.objects.filter(user__username="ada").update(sis_id="77")
    Membership.objects.filter(user__username="ben").update(lms_id="77")
    for name in ("gone", "ann", "dee"):
        cast.student(name)
    Membership.objects.filter(user__username="gone").update(removed_at=ago(days=1))
    Membership.objects.filter(user__username="ann").update(role=Role.ASSISTANT)
    text = "who,Midterm exam\n77,1\nzoe,1\ngone,1\nann,1\n,1\ncem,1\nCEM,2\ndee,1,2\n"
    assert row_words(preview(cast, text)) == [
        "2 77: 77 is the SIS ID of ada and the LMS ID of ben.",
        "3 zoe: zoe is not in the course.",
        "4 gone: gone was removed from the course.",
        "5 ann: ann is not a student of the course.",
        "6 : The first column is empty, so the row does not identify a student.",
        "7 cem: This row is for cem, who is also on line 8.",
        "8 CEM: This row is for cem, who is also on line 7.",
        "9 dee: The row has 3 columns, but the header has 2.",
    ]


def test_rows_without_a_score_stand_against_nothing(cast: Cast, exam: Assignment) -> None:
    found = preview(cast, "who,Midterm exam,Remark\nzoe,,left early\nada,,\nada,18,\n")
    assert cell_words(found) == ["ada 18: new"]
    assert not found.bad_rows


@pytest.mark.parametrize("header", ["midterm-exam", "MIDTERM  EXAM", "Midterm exam (of 20)", "midterm-exam (out of 20.0)"])
def test_a_column_is_an_assignment_by_title_or_slug(cast: Cast, exam: Assignment, header: str) -> None:
    assert preview(cast, f"who,{header}\nada,18\n").assignments == (exam,)


def test_columns_that_are_no_assignment_are_told_but_for_those_about_people(cast: Cast, exam: Assignment) -> None:
    outside_assignment_create(course=cast.course, by=cast.staff, title="Talk", points=Decimal(5), slug="talk-1")
    outside_assignment_create(course=cast.course, by=cast.staff, title="Talk", points=Decimal(5), slug="talk-2")
    found = preview(cast, "who,Name,Midterm exam,Remark,Talk,value-engine (of 50)\nada,Ada,18,good,4,40\n")
    assert found.ignored == (
        ("Remark", "no assignment has this title or slug"),
        ("Talk", "this matches 2 assignments: use one of talk-1, talk-2"),
        ("value-engine (of 50)", "value-engine is worth 10 points"),
    )


def test_a_file_without_a_known_column_or_with_one_twice_is_refused(cast: Cast, exam: Assignment) -> None:
    with pytest.raises(
        Refused, match=r"No column of the file is an assignment of Autodiff\. Its assignments: value-engine, midterm-exam\."
    ):
        preview(cast, "who,Final\nada,18\n")
    with pytest.raises(Refused, match="The columns 'Midterm exam' and 'midterm-exam' are the same assignment"):
        preview(cast, "who,Midterm exam,midterm-exam\nada,18,17\n")


def test_a_removed_assignment_takes_no_scores(cast: Cast, exam: Assignment) -> None:
    Assignment.objects.filter(pk=exam.pk).update(removed_at=ago(days=1))
    with pytest.raises(Refused, match="No column of the file is an assignment"):
        preview(cast, "who,midterm-exam\nada,18\n")


# -- what is stored


def test_scores_are_stored_with_a_reason_that_students_read(cast: Cast, exam: Assignment) -> None:
    done = imported(cast, "who,Midterm exam\nada,18.5\nben,\n", Choices(reason="Paper exam\nof room 2. "))
    override = Override.objects.get()
    day = f"{done.score_import.made_at:%d %b %Y}".lstrip("0")
    assert override.reason == f"Imported from exam.csv on {day}. Paper exam of room 2."
    assert (override.points, override.author, override.score_import) == (Decimal("18.5"), cast.owner, done.score_import)
    assert (points(cast, exam), points(cast, exam, "ben")) == ("18.5", None)


def test_what_stands_is_kept_unless_it_is_to_be_replaced(cast: Cast, exam: Assignment) -> None:
    graded(cast, "ada", 8.0)
    text = "who,value-engine,Midterm exam\nada,9,18\n"
    done = imported(cast, text)
    assert (done.stored, done.kept, points(cast, cast.assignment), points(cast, exam)) == (1, 1, "8", "18")
    done = imported(cast, text, REPLACE)
    assert (done.stored, done.kept, points(cast, cast.assignment)) == (1, 0, "9")


def test_a_second_import_replaces_an_override_and_one_stands(cast: Cast, exam: Assignment) -> None:
    first = imported(cast, "who,Midterm exam\nada,18\n")
    imported(cast, "who,Midterm exam\nada,17\n", REPLACE)
    old, new = Override.objects.order_by("id")
    assert (old.undone_by, old.undone_at is not None, new.replaced, new.undone_at) == (cast.owner, True, old, None)
    assert old.score_import == first.score_import


def test_more_than_it_is_worth_is_allowed_only_on_purpose(cast: Cast, exam: Assignment) -> None:
    text = "who,Midterm exam\nada,22\nben,20\n"
    with pytest.raises(
        Refused, match=r"^Nothing was imported\. Line 2, Midterm exam: 22 is more than the assignment is worth\.$"
    ):
        imported(cast, text)
    assert imported(cast, text, Choices(only_good=True)).stored == 1
    assert (points(cast, exam), points(cast, exam, "ben")) == (None, "20")
    assert imported(cast, text, Choices(above=True)).stored == 1
    assert points(cast, exam) == "22"
    assert not preview(cast, text).above  # they are stored


def test_with_a_bad_cell_or_row_nothing_is_stored_unless_the_rest_is_wanted(cast: Cast, exam: Assignment) -> None:
    text = "who,Midterm exam\nada,18\nben,sick\nzoe,3\n"
    with pytest.raises(
        Refused, match=r"Nothing was imported\. Line 4: zoe is not in the course\. There is 1 more problem\."
    ):
        imported(cast, text)
    assert not ScoreImport.objects.exists()
    assert not AuditEntry.objects.filter(action="scores-imported").exists()
    assert imported(cast, text, Choices(only_good=True)).stored == 1


def test_an_import_that_changes_nothing_is_refused(cast: Cast, exam: Assignment) -> None:
    imported(cast, "who,Midterm exam\nada,18\n")
    for choices in (Choices(), REPLACE):
        with pytest.raises(Refused, match="There is nothing to import: no score would change"):
            imported(cast, "who,Midterm exam\nada,18.00\n", choices)
    with pytest.raises(Refused, match="There is nothing to import"):
        imported(cast, "who,Midterm exam\nada,17\n")  # existing points are kept
    assert ScoreImport.objects.count() == 1


def test_it_is_one_entry_of_the_history_with_a_part_for_each_score(cast: Cast, exam: Assignment) -> None:
    graded(cast, "ada", 8.0)
    imported(cast, "who,Midterm exam,value-engine\nada,18,9\nben,12,\n", Choices(replace=True, reason="On paper."))
    whole = AuditEntry.objects.get(action="scores-imported")
    assert whole.details == {"file": "exam.csv", "scores": 3, "replaced": 1, "reason": "On paper."}
    assert whole.actor == cast.owner
    parts = [
        (p.action, p.membership.user.username, p.assignment.slug, p.details["before"], p.details["after"])
        for p in whole.parts.order_by("id")
    ]
    assert parts == [
        ("score-imported", "ada", "midterm-exam", None, "18.00"),
        ("score-imported", "ada", "value-engine", "8.00", "9.00"),
        ("score-imported", "ben", "midterm-exam", None, "12.00"),
    ]


def test_the_command_line_imports_for_the_owner(cast: Cast, exam: Assignment) -> None:
    import_scores(course=cast.course, file=file_of("who,midterm-exam\nada,18\n"), by=OPERATOR, choices=Choices())
    assert Override.objects.get().author == cast.owner
    assert AuditEntry.objects.get(action="scores-imported").actor is None


@pytest.mark.parametrize("role", [Role.STUDENT, Role.ASSISTANT])
def test_only_instructors_import_and_undo(cast: Cast, exam: Assignment, role: Role) -> None:
    done = imported(cast, "who,midterm-exam\nada,18\n")
    cast.student("ann")
    Membership.objects.filter(user__username="ann").update(role=role)
    for deed in (
        lambda by: import_scores(course=cast.course, file=file_of("who,midterm-exam\nben,1\n"), by=by, choices=Choices()),
        lambda by: undo_import(score_import=done.score_import, by=by),
    ):
        with pytest.raises(Refused, match="You may not set a score"):
            deed(cast.membership("ann"))
    elsewhere = Cast(slug="elsewhere", exercise="value-unary")
    with pytest.raises(Refused, match="You may not set a score"):
        undo_import(score_import=done.score_import, by=elsewhere.staff)


def test_a_frozen_gradebook_takes_no_scores_and_undoes_none(cast: Cast, exam: Assignment) -> None:
    done = imported(cast, "who,Midterm exam\nada,18\n")
    freezing.freeze(course=cast.course, by=cast.staff)
    with pytest.raises(Refused, match="No scores can be imported now"):
        imported(cast, "who,Midterm exam\nben,18\n")
    with pytest.raises(Refused, match="No import can be undone now"):
        undone(cast, done)


def test_a_reason_too_long_is_refused(cast: Cast, exam: Assignment) -> None:
    with pytest.raises(Refused, match="The reason has 301 characters; the limit is 300"):
        imported(cast, "who,Midterm exam\nada,18\n", Choices(reason="x" * 301))
    assert not Override.objects.exists()


# -- between the preview and the import -----------------------------------------------------------------------------------


def test_what_changed_since_the_preview_is_told_and_nothing_is_stored(cast: Cast, exam: Assignment) -> None:
    text = "who,Midterm exam\nada,18\nben,12\n"
    seen = preview(cast, text).judgements
    overrides.override(
        assignment=exam, membership=cast.membership("ben"), points=Decimal(3), reason="Retake.", by=cast.staff
    )
    with pytest.raises(PreviewChanged) as changed:
        import_scores(course=cast.course, file=file_of(text), by=cast.staff, choices=REPLACE, seen=seen)
    assert changed.value.lines == (3,)
    assert changed.value.message.startswith("The course has changed since this preview, which affects line 3.")
    assert points(cast, exam) is None
    fresh = changed.value.fresh.judgements
    assert import_scores(course=cast.course, file=file_of(text), by=cast.staff, choices=REPLACE, seen=fresh).stored == 2


@pytest.mark.parametrize("change", ["worth", "removed", "renamed", "graded"])
def test_every_change_that_matters_is_noticed(cast: Cast, exam: Assignment, change: str) -> None:
    text = "who,Midterm exam,value-engine\nada,18,5\n"
    seen = preview(cast, text).judgements
    match change:
        case "worth":
            Assignment.objects.filter(pk=exam.pk).update(points=15)
        case "removed":
            Membership.objects.filter(user__username="ada").update(removed_at=ago(days=1))
        case "renamed":
            Assignment.objects.filter(pk=exam.pk).update(title="Final", slug="final")
        case "graded":
            graded(cast, "ada", 8.0)
    with pytest.raises(PreviewChanged):
        import_scores(course=cast.course, file=file_of(text), by=cast.staff, choices=Choices(only_good=True), seen=seen)


# -- undoing --------------------------------------------------------------------------------------------------------------


def test_undone_as_a_whole_it_restores_what_stood_before(cast: Cast, exam: Assignment) -> None:
    graded(cast, "ada", 8.0)
    overrides.override(
        assignment=exam, membership=cast.membership("ben"), points=Decimal(3), reason="Retake.", by=cast.staff
    )
    done = imported(cast, "who,Midterm exam,value-engine\nada,18,9\nben,12,\n", REPLACE)
    assert undone(cast, done) == Undone(3, 0)
    assert (points(cast, exam), points(cast, cast.assignment), points(cast, exam, "ben")) == (None, "8", "3")
    standing = Override.objects.get(undone_at=None)
    assert (standing.reason, standing.undone_by) == ("Retake.", None)
    whole = AuditEntry.objects.get(action="scores-import-undone")
    assert whole.details == {"file": "exam.csv", "scores": 3, "changed_since": 0}
    assert [(p.details["before"], p.details["after"]) for p in whole.parts.order_by("id")] == [
        ("18.00", None),
        ("9.00", "8.00"),
        ("12.00", "3.00"),
    ]
    with pytest.raises(Refused, match="This import has already been undone"):
        undone(cast, done)


def test_what_somebody_changed_since_stays(cast: Cast, exam: Assignment) -> None:
    done = imported(cast, "who,Midterm exam\nada,18\nben,12\ncem,7\n")
    ada, ben = cast.membership("ada"), cast.membership("ben")
    overrides.override(assignment=exam, membership=ada, points=Decimal(19), reason="Added up wrongly.", by=cast.staff)
    overrides.undo_override(assignment=exam, membership=ben, by=cast.staff)
    assert [(one.stored, one.standing) for one in imports_of(cast.course, 5)] == [(3, 1)]
    assert undone(cast, done) == Undone(1, 2)
    assert [points(cast, exam, name) for name in ("ada", "ben", "cem")] == ["19", None, None]


def test_with_everything_changed_since_there_is_nothing_to_undo(cast: Cast, exam: Assignment) -> None:
    done = imported(cast, "who,Midterm exam\nada,18\n")
    overrides.undo_override(assignment=exam, membership=cast.membership("ada"), by=cast.staff)
    with pytest.raises(Refused, match="Every score from this import has changed since then"):
        undone(cast, done)
    assert ScoreImport.objects.get().undone_at is None


@pytest.mark.parametrize("order", ["newest first", "oldest first"])
def test_imports_over_one_another_are_undone_in_any_order(cast: Cast, exam: Assignment, order: str) -> None:
    overrides.override(assignment=exam, membership=cast.membership("ada"), points=Decimal(1), reason="Oral.", by=cast.staff)
    first = imported(cast, "who,Midterm exam\nada,2\nben,2\n", REPLACE)
    second = imported(cast, "who,Midterm exam\nada,3\n", REPLACE)
    for done in (second, first) if order == "newest first" else (first, second):
        undone(cast, done)
    assert (points(cast, exam), points(cast, exam, "ben")) == ("1", None)


def test_undone_it_can_be_imported_again(cast: Cast, exam: Assignment) -> None:
    undone(cast, imported(cast, "who,Midterm exam\nada,18\n"))
    imported(cast, "who,Midterm exam\nada,18\n")
    assert points(cast, exam) == "18"


# -- round trip


def test_the_plain_csv_of_gradus_is_read_as_no_change(cast: Cast, exam: Assignment) -> None:
    graded(cast, "ada", 6.65)
    Assignment.objects.filter(pk=exam.pk).update(due_at=ago(days=1))  # missing scores are exported as 0.00
    imported(cast, "who,Midterm exam\nada,25\n", Choices(above=True))
    excuses.excuse(assignment=exam, membership=cast.membership("ben"), reason="Ill.", by=cast.staff)
    data = export(EXPORTS["csv"], sheet_of(cast.course), Options(), course=cast.course, by=cast.staff)
    found = preview_scores(cast.course, read(data, "autodiff-csv.csv"))
    assert sorted(cell_words(found)) == [
        "ada 25.00: unchanged",
        "ada 6.65: unchanged",
        "cem 0.00: unchanged; missing, which already counts as 0",
    ]
    assert (found.ignored, found.bad_rows) == ((), ())


def test_a_zero_of_another_file_is_a_score_also_after_the_due_date(cast: Cast, exam: Assignment) -> None:
    Assignment.objects.filter(pk=exam.pk).update(due_at=ago(days=1))
    assert cell_words(preview(cast, "who,Midterm exam\nada,0\n")) == ["ada 0: new"]


# -- many scores


def crowd(students: int) -> tuple[Cast, str]:
    """A course with five assignments graded outside Gradus, and a file with all scores."""
    cast = Cast(slug=f"crowd-{students}")
    users = User.objects.bulk_create(User(username=f"s{students}-{n}") for n in range(students))
    Membership.objects.bulk_create(Membership(course=cast.course, user=user) for user in users)
    for n in range(5):
        outside_assignment_create(course=cast.course, by=cast.staff, title=f"Sheet {n}", points=Decimal(20))
    rows = [f"s{students}-{n}" + "".join(f",{(n + m) % 21}" for m in range(5)) for n in range(students)]
    return cast, "\n".join(["login,Sheet 0,Sheet 1,Sheet 2,Sheet 3,Sheet 4", *rows])


def test_250_scores_are_imported_and_undone_with_few_questions_to_the_database(db: None) -> None:
    cast, text = crowd(50)
    with CaptureQueriesContext(connection) as importing:
        done = imported(cast, text)
    with CaptureQueriesContext(connection) as undoing:
        assert undone(cast, done) == Undone(250, 0)
    assert (len(importing) < 30, len(undoing) < 30) == (True, True)
