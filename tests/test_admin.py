"""The admin shows every table and can change only accounts."""

from decimal import Decimal

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from autograder.courses.models import Criterion, Invitation, OutgoingMail, ResetLink, User
from autograder.courses.people.extensions import extension_grant
from autograder.courses.rights import OPERATOR
from autograder.courses.setup.courses import section_create
from autograder.gradebook.decisions import overrides
from autograder.gradebook.models import Excuse, Freeze, Mark, Marking, NamedMistake, RegradeRequest, ScoreImport, UnitRule
from autograder.submissions import regrades
from autograder.submissions.handing_in.drafts import draft_save
from autograder.submissions.models import (
    Answer,
    Comment,
    Grading,
    Replacement,
    ScratchRun,
    Snapshot,
    Submission,
    Tally,
    Work,
    Worker,
)
from autograder.submissions.scratch.intake import scratch_ask
from autograder.submissions.work import queue
from autograder.web.models import Guess, Pace
from tests.cast import Cast, ahead

pytestmark = pytest.mark.django_db
OURS = ("library", "courses", "submissions", "gradebook", "web")
MODELS = [model for label in OURS for model in apps.get_app_config(label).get_models()]
READ_ONLY = [model for model in MODELS if model is not User]
SOURCE = b"<script>alert(1)</script>\xff\n"


@pytest.fixture
def cast(db: None) -> Cast:
    return Cast()


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root"))
    return client


def a_row_of_each(cast: Cast, name: str) -> None:
    """Create a row in every table, for one more student."""
    submission = cast.hands_in(name, SOURCE)
    claim = queue.claim(f"box:{name}")
    assert claim is not None
    assert queue.gradings.finish(claim)
    Grading.objects.create(
        submission=submission,
        work_id=claim.pk,
        version=cast.assignment.exercise_version,
        current=True,
        why=Grading.Why.FIRST,
        seed=1,
        verdict="partial",
        score=1,
        max_score=10,
        seconds=0.1,
        judge_version="1",
        report={"message": "<b>bold</b>"},
        worker="box",
        graded_at=timezone.now(),
    )
    member, assignment = cast.membership(name), cast.assignment
    section_create(course=cast.course, name=f"Section {name}", by=OPERATOR)
    extension_grant(assignment=assignment, membership=member, by=cast.staff, reason="Ill.", due_at=ahead(days=1))
    overrides.override(assignment=assignment, membership=member, points=Decimal(5), reason="At the board.", by=cast.staff)
    ScoreImport.objects.create(course=cast.course, file_name=f"{name}.csv", author=cast.owner)
    batch = regrades.start(course=cast.course, by=cast.staff, reason="A check was wrong.")
    Replacement.objects.create(batch=batch, after=Grading.objects.get(submission=submission))
    invited = {"created_by": cast.owner, "expires_at": ahead(days=1), "token_hash": name}
    Invitation.objects.create(course=cast.course, **invited)
    draft_save(assignment=assignment, membership=member, source="x = 1", seen=0)
    scratch_ask(assignment=assignment, membership=member, source=b"private code", calls=b"private calls")
    Comment.objects.create(submission=submission, line=1, text="Why?", author=cast.owner)
    UnitRule.objects.create(course=cast.course, unit=name, drop_lowest=1)
    criterion = Criterion.objects.create(assignment=assignment, title=name, points=1)
    Answer.objects.create(criterion=criterion, membership=member, submission=submission, text="Why", saved_at=timezone.now())
    marking = Marking.objects.create(submission=submission, author=cast.owner)
    Mark.objects.create(marking=marking, criterion=criterion, points=1)
    Excuse.objects.create(assignment=assignment, membership=member, reason="Ill.", author=cast.owner)
    NamedMistake.objects.create(assignment=assignment, answer=name, check_id="forward", name=name, named_by=cast.owner)
    grading = Grading.objects.get(submission=submission)
    RegradeRequest.objects.create(submission=submission, grading=grading, text="It is right.", asked_at=timezone.now())
    Freeze.objects.create(course=cast.course, by=cast.owner, points={}, lifted_at=timezone.now())
    ResetLink.objects.create(user=member.user, token_hash=name, account_mark=f"mark of {name}", expires_at=ahead(days=1))
    OutgoingMail.objects.create(kind="reset", to=name, try_at=timezone.now())
    Pace.objects.create(key=name, free_at=1.0)
    Guess.objects.create(key=name, last_at=timezone.now())
    Tally.objects.create(counter="verdicts", label="submit passed passed", process=name, value=1)
    Snapshot.objects.create(at=timezone.now(), counts={})
    Worker.objects.create(name=name, version="1", started_at=timezone.now(), seen_at=timezone.now())


def address(model: type[Model], page: str, *arguments: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=arguments)


def text(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200, url
    return str(response.content.decode())


def test_every_table_is_there(staff: Client) -> None:
    for model in MODELS:
        text(staff, address(model, "changelist"))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_list_asks_as_often_for_many_rows_as_for_one(cast: Cast, staff: Client, model: type[Model]) -> None:
    asked = []
    for name in ("ada", "ben", "cy", "dan"):
        a_row_of_each(cast, name)
        with CaptureQueriesContext(connection) as queries:
            text(staff, address(model, "changelist"))
        asked.append(len(queries))
    assert asked[1] == asked[-1]


@pytest.mark.parametrize("model", READ_ONLY, ids=lambda model: model.__name__)
def test_rows_are_read_only(cast: Cast, staff: Client, model: type[Model]) -> None:
    a_row_of_each(cast, "ada")
    row = model._default_manager.order_by("pk")[0]
    shown = text(staff, address(model, "change", row.pk))
    assert 'type="submit"' not in shown.partition('id="content"')[2]
    for url in (address(model, "change", row.pk), address(model, "add"), address(model, "delete", row.pk)):
        assert staff.post(url, {"post": "yes"}).status_code == 403, url


def test_what_was_handed_in_is_shown_as_text(cast: Cast, staff: Client) -> None:
    a_row_of_each(cast, "ada")
    shown = text(staff, address(Submission, "change", Submission.objects.get().pk))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\xff" in shown
    assert "<script>alert" not in shown
    assert "&lt;b&gt;bold&lt;/b&gt;" in text(staff, address(Grading, "change", Grading.objects.get().pk))


def test_the_token_of_a_lease_is_not_shown(cast: Cast, staff: Client) -> None:
    cast.hands_in("ada")
    claim = queue.claim("box")
    assert claim is not None
    assert claim.token not in text(staff, address(Work, "change", claim.pk))


def test_of_a_scratch_run_neither_code_nor_calls_nor_answer_are_shown(cast: Cast, staff: Client) -> None:
    a_row_of_each(cast, "ada")
    ScratchRun.objects.update(answer={"value": "private answer"}, token="private token")
    for url in (address(ScratchRun, "changelist"), address(ScratchRun, "change", ScratchRun.objects.get().pk)):
        assert "private" not in text(staff, url)


def test_lists_can_be_searched(cast: Cast, staff: Client) -> None:
    a_row_of_each(cast, "ada")
    for model in MODELS:
        text(staff, address(model, "changelist") + "?q=ada")


def test_an_account_can_be_changed_but_not_deleted(cast: Cast, staff: Client) -> None:
    ada = cast.student("ada")
    assert 'name="is_staff"' in text(staff, address(User, "change", ada.pk))
    assert staff.post(address(User, "delete", ada.pk), {"post": "yes"}).status_code == 403


def test_two_accounts_cannot_be_given_one_address(cast: Cast, staff: Client) -> None:
    cast.student("ben")
    User.objects.filter(username="ben").update(email="ben@example.org")
    ada = cast.student("ada")
    sent = {"username": "ada", "email": "BEN@example.org", "time_zone": "UTC", "is_active": "on"}
    sent |= {"date_joined_0": "2026-01-01", "date_joined_1": "12:00:00"}
    answer = staff.post(address(User, "change", ada.pk), sent)
    assert "Another account has this email address." in answer.content.decode()
    assert staff.post(address(User, "change", ada.pk), sent | {"email": "ada@example.org"}).status_code == 302


def test_neither_hash_nor_mark_of_a_reset_link_is_shown(cast: Cast, staff: Client) -> None:
    link = ResetLink.objects.create(
        user=cast.student("ada"), token_hash="h" * 64, account_mark="m" * 64, expires_at=ahead(days=1)
    )
    for url in (address(ResetLink, "changelist"), address(ResetLink, "change", link.pk)):
        shown = text(staff, url)
        assert "h" * 64 not in shown
        assert "m" * 64 not in shown


def test_students_and_owners_of_courses_are_not_let_in(cast: Cast, client: Client) -> None:
    client.force_login(cast.owner)
    assert client.get(address(Submission, "changelist")).status_code == 302
