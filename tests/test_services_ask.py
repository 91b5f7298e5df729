"""Every service that writes checks the permission of the acting member: each is called with every role, and none is left
out.
"""

import ast
import importlib
import inspect
import pkgutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import get_random_string

import autograder
from autograder.authoring import drafts, exchange, publishing, trials
from autograder.authoring.models import Draft
from autograder.courses.accounts import first_passwords, reset_links
from autograder.courses.accounts.services import account_correct
from autograder.courses.errors import Refused
from autograder.courses.importers.lms_ids import lms_ids_import, lms_ids_preview
from autograder.courses.importers.roster import roster_import, roster_preview
from autograder.courses.models import Assignment, AuditEntry, Membership, Role, Section, User
from autograder.courses.people import invitations
from autograder.courses.people.extensions import extension_grant, extension_withdraw, extensions_grant
from autograder.courses.people.members import (
    member_add,
    member_add_by_login,
    member_details_update,
    member_remove,
    member_restore,
    member_role_update,
    member_update,
)
from autograder.courses.rights import OPERATOR, Acting
from autograder.courses.setup import course_copies
from autograder.courses.setup.assignments import (
    assignment_create,
    assignment_remove,
    assignment_restore,
    assignment_update,
    assignments_order,
    assignments_update,
    exercises_assign,
    outside_assignment_create,
)
from autograder.courses.setup.courses import course_archive, course_create, course_update, section_create
from autograder.courses.setup.dates import Dates
from autograder.gradebook.decisions import criteria, excuses, marking, overrides
from autograder.gradebook.exports import EXPORTS, Options, export_service, submission_archive
from autograder.gradebook.grades import freezing, unit_rules
from autograder.gradebook.grades.sheet import sheet_of
from autograder.gradebook.imports import score_file, score_import
from autograder.gradebook.insights import named_mistakes
from autograder.gradebook.insights.failure_groups import FailedAnswer, answer_of
from autograder.gradebook.models import RegradeRequest
from autograder.gradebook.regrades import regrade_requests, regrade_undo, regrading
from autograder.judge.report import Detail, Shown
from autograder.lti import connection_settings, roster_refresh
from autograder.lti import roster as lms_roster
from autograder.lti.launch import contexts, deep_linking
from autograder.lti.models import Context, Deployment, Launch, Registration, ResourceLink
from autograder.submissions import comments, regrades
from autograder.submissions.messages import doorbell
from autograder.submissions.models import Batch, Submission
from tests.authoring.conftest import proved
from tests.cast import Cast, ahead, version_of
from tests.gradebook.conftest import add_grading, graded
from tests.web.conftest import checked

LAYERS = ("courses", "submissions", "authoring", "gradebook", "lti")
ROOT = Path(autograder.__file__).parent
STAFF = ("assistant of the section", "instructor", "owner")
TEACHING = ("instructor", "owner")
OWNING = ("owner",)
STYLE = (criteria.NewCriterion("Style", Decimal(2)),)
WRITES = {"create", "save", "update", "delete", "bulk_create", "bulk_update", "get_or_create", "update_or_create"}


@pytest.fixture(autouse=True)
def silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    monkeypatch.setattr(doorbell, "ring_for_regrades", lambda: None)
    monkeypatch.setattr(doorbell, "ring_for_proofs", lambda: None)


@dataclass
class Scene:
    """A course with a student's submission and members of every role."""

    cast: Cast
    monday: Section
    ada: Membership
    submission: Submission
    by_role: dict[str, Membership]

    @property
    def assignment(self) -> Assignment:
        return self.cast.assignment

    def about(self) -> dict[str, Any]:
        return {"assignment": self.assignment, "membership": self.ada}

    @property
    def owner(self) -> Membership:
        return self.by_role["owner"]

    def batch(self) -> Batch:
        """A finished preview of a regrade of Ada's submission."""
        made = regrades.start(course=self.cast.course, by=self.owner, reason="A check was wrong.")
        add_grading(self.submission, made.work.get(), 7, current=False, why="regrade")
        return made

    def counting(self) -> Batch:
        made = self.batch()
        regrading.commit(made, by=self.owner, lower=False)
        made.refresh_from_db()
        return made


@pytest.fixture
def scene(db: None) -> Scene:
    cast = Cast()
    other = Cast(slug="elsewhere", exercise="value-unary")
    monday, tuesday = (Section.objects.create(course=cast.course, name=name) for name in ("Monday", "Tuesday"))
    submission = graded(cast, "ada", 5)
    ada = cast.membership("ada")
    ada.section = monday
    ada.save()

    def member(name: str, role: Role, section: Section | None = None, **kept: Any) -> Membership:
        user = User.objects.create_user(name)
        made = Membership.objects.create(course=cast.course, user=user, role=role, section=section, **kept)
        return Membership.objects.select_related("course", "user", "section").get(pk=made.pk)

    acting = {
        "student": member("sam", Role.STUDENT, monday),
        "assistant of the section": member("mona", Role.ASSISTANT, monday),
        "assistant of another section": member("tudor", Role.ASSISTANT, tuesday),
        "instructor": member("ines", Role.INSTRUCTOR),
        "owner": cast.staff,
        "instructor who was removed": member("rolf", Role.INSTRUCTOR, removed_at=timezone.now()),
        "owner of another course": other.staff,
    }
    return Scene(cast, monday, Membership.objects.select_related("course", "user").get(pk=ada.pk), submission, acting)


# -- the calls ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """`ready` sets up the arguments as the owner; `act` calls the service."""

    service: Callable[..., Any]
    who: tuple[str, ...]
    act: Callable[[Scene, Any, Any], Any]
    ready: Callable[[Scene], Any] = lambda scene: None
    note: str = ""

    @property
    def name(self) -> str:
        return name_of(self.service) + (f" {self.note}" if self.note else "")


def name_of(service: Callable[..., Any]) -> str:
    return f"{service.__module__.removeprefix('autograder.')}.{service.__name__}"


SINE = "def sine(x):\n    return np.sin(x)"


def a_draft(scene: Scene) -> Draft:
    return drafts.start(scene.cast.course, "vjp", "draft", "Draft", "Own", by=scene.owner)


def a_published_draft(scene: Scene) -> Draft:
    made = proved(a_draft(scene))
    publishing.publish(made, "A note.", by=scene.owner)
    return made


def a_folder(scene: Scene) -> Path:
    folder = Path(tempfile.mkdtemp()) / "draft"
    exchange.sync(folder, a_draft(scene).course, by=scene.owner)
    (folder / "statement.md").write_text("Other words.")
    return folder


COURSE: dict[str, Any] = {"title": "New", "term": "", "time_zone": "UTC", "supersedes": False, "late_days": 0}
NO_IDS = {"lms_id": "", "sis_id": ""}
CASES = (
    Case(course_update, TEACHING, lambda s, by, _: course_update(course=s.cast.course, by=by, **COURSE)),
    Case(course_archive, OWNING, lambda s, by, _: course_archive(course=s.cast.course, by=by, archived=True)),
    Case(section_create, TEACHING, lambda s, by, _: section_create(course=s.cast.course, name="Wed", by=by)),
    Case(
        member_add,
        TEACHING,
        lambda s, by, user: member_add(course=s.cast.course, user=user, by=by),
        ready=lambda s: User.objects.create_user("new"),
    ),
    Case(
        member_add,
        OWNING,
        lambda s, by, user: member_add(course=s.cast.course, user=user, by=by, role=Role.OWNER),
        ready=lambda s: User.objects.create_user("new"),
        note="as an owner",
    ),
    Case(member_role_update, TEACHING, lambda s, by, _: member_role_update(membership=s.ada, role=Role.ASSISTANT, by=by)),
    Case(
        member_role_update,
        OWNING,
        lambda s, by, _: member_role_update(membership=s.ada, role=Role.OWNER, by=by),
        note="to owner",
    ),
    Case(
        member_role_update,
        OWNING,
        lambda s, by, second: member_role_update(membership=second, role=Role.STUDENT, by=by),
        ready=lambda s: second_owner(s),
        note="of an owner",
    ),
    Case(
        member_details_update,
        TEACHING,
        lambda s, by, _: member_details_update(membership=s.ada, by=by, section=None, **NO_IDS),
    ),
    Case(member_remove, TEACHING, lambda s, by, _: member_remove(membership=s.ada, by=by)),
    Case(
        member_remove,
        OWNING,
        lambda s, by, second: member_remove(membership=second, by=by),
        ready=lambda s: second_owner(s),
        note="of an owner",
    ),
    Case(
        member_update,
        TEACHING,
        lambda s, by, _: member_update(membership=s.ada, by=by, role=Role.STUDENT, section=None, **NO_IDS),
    ),
    Case(
        member_add_by_login,
        TEACHING,
        lambda s, by, user: member_add_by_login(course=s.cast.course, login="new", by=by, role=Role.STUDENT, section=None),
        ready=lambda s: User.objects.create_user("new"),
    ),
    Case(
        member_restore,
        TEACHING,
        lambda s, by, gone: member_restore(membership=gone, by=by),
        ready=lambda s: member_remove(membership=s.ada, by=s.owner),
    ),
    Case(
        assignment_create,
        TEACHING,
        lambda s, by, _: assignment_create(course=s.cast.course, version=version_of("value-unary"), by=by),
    ),
    Case(
        assignment_update,
        TEACHING,
        lambda s, by, _: assignment_update(assignment=s.assignment, by=by, title="Other"),
    ),
    Case(
        exercises_assign,
        TEACHING,
        lambda s, by, _: exercises_assign(course=s.cast.course, by=by, exercises={"value-unary": Dates()}),
    ),
    Case(
        assignments_update,
        TEACHING,
        lambda s, by, _: assignments_update(changes={s.assignment: {"title": "Other"}}, by=by),
    ),
    Case(
        assignments_order,
        TEACHING,
        lambda s, by, _: assignments_order(
            course=s.cast.course,
            by=by,
            slugs=[one.slug for one in s.cast.course.assignments.filter(removed_at=None).order_by("-position", "-id")],
        ),
    ),
    Case(
        assignment_remove,
        TEACHING,
        lambda s, by, _: assignment_remove(assignment=s.assignment, by=by),
    ),
    Case(
        assignment_restore,
        TEACHING,
        lambda s, by, _: assignment_restore(assignment=s.assignment, by=by),
        ready=lambda s: assignment_remove(assignment=s.assignment, by=s.owner),
    ),
    Case(
        extension_grant,
        TEACHING,
        lambda s, by, _: extension_grant(**s.about(), by=by, reason="Ill.", extra_attempts=1),
    ),
    Case(
        extension_withdraw,
        TEACHING,
        lambda s, by, _: extension_withdraw(**s.about(), by=by, reason="A slip."),
        ready=lambda s: extension_grant(**s.about(), by=s.owner, reason="Ill.", extra_attempts=1),
    ),
    Case(
        extensions_grant,
        TEACHING,
        lambda s, by, _: extensions_grant(
            assignment=s.assignment, memberships=[s.ada], by=by, reason="Ill.", due_at=ahead(days=1)
        ),
    ),
    Case(
        course_copies.course_copy,
        TEACHING,
        lambda s, by, _: course_copies.course_copy(course=s.cast.course, slug="copy", title="Copy", term="", days=7, by=by),
    ),
    Case(
        unit_rules.course_copy,
        TEACHING,
        lambda s, by, _: unit_rules.course_copy(course=s.cast.course, slug="copy", title="Copy", term="", days=7, by=by),
    ),
    Case(
        first_passwords.first_passwords_create,
        OWNING,
        lambda s, by, _: first_passwords.first_passwords_create(course=s.cast.course, by=by),
    ),
    Case(
        reset_links.reset_link_create,
        TEACHING,
        lambda s, by, _: reset_links.reset_link_create(membership=s.ada, by=by),
    ),
    Case(
        account_correct,
        TEACHING,
        lambda s, by, _: account_correct(
            membership=s.ada, by=by, first_name="Ada", last_name="Lovelace", email="ada@example.org"
        ),
    ),
    Case(
        invitations.invitation_create,
        TEACHING,
        lambda s, by, _: invitations.invitation_create(course=s.cast.course, by=by),
    ),
    Case(
        invitations.invitation_revoke,
        TEACHING,
        lambda s, by, made: invitations.invitation_revoke(invitation=made.invitation, by=by),
        ready=lambda s: invitations.invitation_create(course=s.cast.course, by=s.owner),
    ),
    Case(
        roster_import,
        TEACHING,
        lambda s, by, read: roster_import(preview=read, by=by),
        ready=lambda s: roster_preview(b"login,section\nnew,Wed\nada,Tuesday\n", s.cast.course),
    ),
    Case(
        lms_ids_import,
        TEACHING,
        lambda s, by, read: lms_ids_import(preview=read, by=by),
        ready=lambda s: lms_ids_preview(
            b"Student,ID,SIS User ID,SIS Login ID,Section\nAda,7,s7,ada,Monday\n", s.cast.course
        ),
    ),
    Case(
        comments.comment_add,
        STAFF,
        lambda s, by, _: comments.comment_add(submission=s.submission, by=by, text="Why?"),
    ),
    Case(
        comments.comment_remove,
        TEACHING,
        lambda s, by, made: comments.comment_remove(comment=made, by=by),
        ready=lambda s: comments.comment_add(submission=s.submission, by=s.owner, text="Why?"),
        note="of somebody else",
    ),
    Case(
        regrades.start,
        TEACHING,
        lambda s, by, _: regrades.start(course=s.cast.course, by=by, reason="A check was wrong."),
    ),
    Case(
        regrades.grade_again,
        STAFF,
        lambda s, by, _: regrades.grade_again(submission=s.submission, by=by, reason="A doubt."),
    ),
    Case(
        regrades.discard,
        TEACHING,
        lambda s, by, batch: regrades.discard(batch, by=by),
        ready=Scene.batch,
    ),
    Case(
        regrading.commit,
        TEACHING,
        lambda s, by, batch: regrading.commit(batch, by=by, lower=False),
        ready=Scene.batch,
    ),
    Case(
        regrade_undo.undo,
        TEACHING,
        lambda s, by, batch: regrade_undo.undo(batch, by=by, reason="A slip."),
        ready=Scene.counting,
    ),
    Case(
        criteria.criteria_set,
        TEACHING,
        lambda s, by, _: criteria.criteria_set(assignment=s.assignment, by=by, criteria=STYLE),
    ),
    Case(
        marking.mark,
        STAFF,
        lambda s, by, style: marking.mark(submission=s.submission, by=by, points={style: Decimal(1)}),
        ready=lambda s: a_criterion(s),
    ),
    Case(
        marking.take_over,
        STAFF,
        lambda s, by, again: marking.take_over(submission=again, source=s.submission, by=by),
        ready=lambda s: a_submission_after_a_marked_one(s),
    ),
    Case(excuses.excuse, TEACHING, lambda s, by, _: excuses.excuse(**s.about(), reason="Ill.", by=by)),
    Case(
        excuses.withdraw_excuse,
        TEACHING,
        lambda s, by, _: excuses.withdraw_excuse(**s.about(), by=by),
        ready=lambda s: excuses.excuse(**s.about(), reason="Ill.", by=s.owner),
    ),
    Case(
        overrides.override,
        TEACHING,
        lambda s, by, _: overrides.override(**s.about(), points=Decimal(8), reason="On paper.", by=by),
    ),
    Case(
        overrides.undo_override,
        TEACHING,
        lambda s, by, _: overrides.undo_override(**s.about(), by=by),
        ready=lambda s: overrides.override(**s.about(), points=Decimal(8), reason="On paper.", by=s.owner),
    ),
    Case(
        outside_assignment_create,
        TEACHING,
        lambda s, by, _: outside_assignment_create(course=s.cast.course, title="Exam", points=Decimal(20), by=by),
    ),
    Case(
        score_import.preview_import,
        TEACHING,
        lambda s, by, _: score_import.preview_import(course=s.cast.course, file=scores_of_ada(), by=by),
    ),
    Case(score_import.import_scores, TEACHING, lambda s, by, _: imported(s, by)),
    Case(
        score_import.undo_import,
        TEACHING,
        lambda s, by, made: score_import.undo_import(score_import=made, by=by),
        ready=lambda s: imported(s, s.owner).score_import,
    ),
    Case(freezing.freeze, TEACHING, lambda s, by, _: freezing.freeze(course=s.cast.course, by=by)),
    Case(
        freezing.unfreeze,
        TEACHING,
        lambda s, by, _: freezing.unfreeze(course=s.cast.course, by=by),
        ready=lambda s: freezing.freeze(course=s.cast.course, by=s.owner),
    ),
    Case(
        unit_rules.unit_rules_set,
        TEACHING,
        lambda s, by, _: unit_rules.unit_rules_set(
            course=s.cast.course, by=by, rules=[unit_rules.NewUnitRule("", Decimal(100))]
        ),
    ),
    Case(
        named_mistakes.mistake_name,
        TEACHING,
        lambda s, by, answer: named_mistakes.mistake_name(
            assignment=s.assignment, answer=answer, name="Sign", words="", by=by
        ),
        ready=lambda s: an_answer(),
    ),
    Case(
        named_mistakes.mistake_unname,
        TEACHING,
        lambda s, by, number: named_mistakes.mistake_unname(assignment=s.assignment, number=number, by=by),
        ready=lambda s: (
            named_mistakes.mistake_name(assignment=s.assignment, answer=an_answer(), name="Sign", words="", by=s.owner).pk
        ),
    ),
    Case(
        regrade_requests.request_add,
        (),  # only the student who submitted, who has none of these roles
        lambda s, by, _: regrade_requests.request_add(submission=s.submission, by=by, text="It is right."),
    ),
    Case(
        regrade_requests.request_withdraw,
        (),
        lambda s, by, asked: regrade_requests.request_withdraw(request=asked, by=by),
        ready=lambda s: a_request(s),
    ),
    Case(
        regrade_requests.request_answer,
        STAFF,
        lambda s, by, asked: an_answer_to(asked, by, RegradeRequest.State.DECLINED),
        ready=lambda s: a_request(s),
        note="by words",
    ),
    Case(
        regrade_requests.request_answer,
        STAFF,
        lambda s, by, asked: an_answer_to(asked, by, RegradeRequest.State.REGRADE),
        ready=lambda s: a_request(s),
        note="by a regrade",
    ),
    Case(
        regrade_requests.request_answer,
        TEACHING,
        lambda s, by, asked: an_answer_to(asked, by, RegradeRequest.State.POINTS),
        ready=lambda s: a_request(s),
        note="by points",
    ),
    Case(
        submission_archive.submissions_download,
        (*STAFF, "assistant of another section"),  # assistants get only the students of their section
        lambda s, by, _: submission_archive.submissions_download(
            assignment=s.assignment, by=by, which=submission_archive.Which.ALL
        ),
        ready=lambda s: a_submission_of_tuesday(s),
    ),
    Case(
        export_service.export,
        (*STAFF, "assistant of another section"),  # the page limits assistants to the students of their section
        lambda s, by, sheet: export_service.export(EXPORTS["csv"], sheet, Options(), course=s.cast.course, by=by),
        ready=lambda s: sheet_of(s.cast.course),
    ),
    Case(
        drafts.start,
        TEACHING,
        lambda s, by, _: drafts.start(s.cast.course, "vjp", "new", "New", "Own", by=by),
    ),
    Case(
        drafts.from_function,
        TEACHING,
        lambda s, by, _: drafts.from_function(s.cast.course, SINE, "", "new", "New", "Own", by=by),
    ),
    Case(
        drafts.copy,
        TEACHING,
        lambda s, by, _: drafts.copy(s.cast.course, s.assignment.exercise_version, "new", "New", by=by),
    ),
    Case(drafts.create, TEACHING, lambda s, by, _: drafts.create(s.cast.course, "new", "New", {"checks.py": ""}, by=by)),
    Case(
        exchange.import_zip,
        TEACHING,
        lambda s, by, data: exchange.import_zip(s.cast.course, data, "new", by=by),
        ready=lambda s: exchange.zipped(a_draft(s)),
    ),
    Case(
        exchange.sync,
        TEACHING,
        lambda s, by, folder: exchange.sync(folder, s.cast.course, by=by),
        ready=lambda s: a_folder(s),
    ),
    Case(
        drafts.save, TEACHING, lambda s, by, made: drafts.save(made, "checks.py", "x", 1, by=by), ready=lambda s: a_draft(s)
    ),
    Case(drafts.add, TEACHING, lambda s, by, made: drafts.add(made, "wrong/x.py", by=by), ready=lambda s: a_draft(s)),
    Case(
        drafts.rename,
        TEACHING,
        lambda s, by, made: drafts.rename(made, "right/row_by_row.py", "right/x.py", by=by),
        ready=lambda s: a_draft(s),
    ),
    Case(
        drafts.remove_file,
        TEACHING,
        lambda s, by, made: drafts.remove_file(made, "right/row_by_row.py", 1, by=by),
        ready=lambda s: a_draft(s),
    ),
    Case(
        drafts.change_files,
        TEACHING,
        lambda s, by, made: drafts.change_files(made, {"checks.py": "x"}, by=by),
        ready=lambda s: a_draft(s),
    ),
    Case(drafts.visit, TEACHING, lambda s, by, made: drafts.visit(made, "checks.py", by=by), ready=lambda s: a_draft(s)),
    Case(drafts.remove, TEACHING, lambda s, by, made: drafts.remove(made, by=by), ready=lambda s: a_draft(s)),
    Case(drafts.restore, TEACHING, lambda s, by, made: drafts.restore(made, by=by), ready=lambda s: a_draft(s)),
    Case(
        publishing.publish,
        TEACHING,
        lambda s, by, made: publishing.publish(made, "A note.", by=by),
        ready=lambda s: proved(a_draft(s)),
    ),
    Case(
        publishing.want_reader,
        TEACHING,
        lambda s, by, made: publishing.want_reader(made, wanted=True, by=by),
        ready=lambda s: a_draft(s),
    ),
    Case(
        publishing.approve,
        TEACHING,
        lambda s, by, made: publishing.approve(made, 1, by=by),
        ready=lambda s: drafts.start(s.cast.course, "vjp", "draft", "Draft", "Own", by=OPERATOR),
    ),
    Case(
        publishing.share,
        TEACHING,
        lambda s, by, made: publishing.share(made, shared=True, by=by),
        ready=lambda s: a_published_draft(s),
    ),
    Case(
        publishing.withdraw,
        TEACHING,
        lambda s, by, made: publishing.withdraw(made, by=by),
        ready=lambda s: a_published_draft(s),
    ),
    Case(
        publishing.bring_back,
        TEACHING,
        lambda s, by, made: publishing.bring_back(made, by=by),
        ready=lambda s: a_published_draft(s),
    ),
    Case(trials.begin, TEACHING, lambda s, by, made: trials.begin(made, by=by), ready=lambda s: proved(a_draft(s))),
    Case(
        contexts.context_connect,
        TEACHING,
        lambda s, by, context: contexts.context_connect(context=context, course=s.cast.course, by=by),
        ready=lambda s: a_context(s),
    ),
    Case(
        contexts.context_disconnect,
        TEACHING,
        lambda s, by, context: contexts.context_disconnect(context=context, by=by),
        ready=lambda s: a_connected_context(s),
    ),
    Case(
        contexts.link_choose,
        TEACHING,
        lambda s, by, link: contexts.link_choose(link=link, assignment=s.assignment, by=by),
        ready=lambda s: a_link(s),
    ),
    Case(
        connection_settings.context_update,
        TEACHING,
        lambda s, by, context: connection_settings.context_update(
            context=context, by=by, sends_zeros=True, lateness_by_lms=True
        ),
        ready=lambda s: a_connected_context(s),
    ),
    Case(
        connection_settings.scores_send_again,
        TEACHING,
        lambda s, by, context: connection_settings.scores_send_again(context=context, by=by),
        ready=lambda s: a_connected_context(s),
    ),
    Case(
        deep_linking.exercises_link,
        TEACHING,
        lambda s, by, context: deep_linking.exercises_link(launch=a_launch(context), context=context, chosen=[], by=by),
        ready=lambda s: a_connected_context(s),
    ),
    Case(
        lms_roster.roster_preview,
        TEACHING,
        lambda s, by, _: lms_roster.roster_preview(course=s.cast.course, by=by),
    ),
    Case(
        roster_refresh.roster_apply,
        TEACHING,
        lambda s, by, _: roster_refresh.roster_apply(course=s.cast.course, rows=[], kinds=[], by=by),
    ),
)


def a_context(scene: Scene) -> Context:
    registration = Registration.objects.create(name="School", issuer="https://lms.test", client_id="1")
    deployment = Deployment.objects.create(registration=registration, deployment_id="1")
    return Context.objects.create(deployment=deployment, context_id="1")


def a_connected_context(scene: Scene) -> Context:
    context = a_context(scene)
    contexts.context_connect(context=context, course=scene.cast.course, by=scene.owner)
    return Context.objects.get(pk=context.pk)


def a_launch(context: Context) -> Launch:
    return Launch.objects.create(code_hash=get_random_string(64), deployment=context.deployment, message={})


def a_link(scene: Scene) -> ResourceLink:
    return ResourceLink.objects.create(context=a_connected_context(scene), link_id="1")


def second_owner(scene: Scene) -> Membership:
    user = User.objects.create_user("otto")
    return member_add(course=scene.cast.course, user=user, by=scene.owner, role=Role.OWNER)


def a_request(scene: Scene) -> RegradeRequest:
    return regrade_requests.request_add(submission=scene.submission, by=scene.ada, text="It is right.")


def an_answer_to(asked: RegradeRequest, by: Membership, effect: str) -> RegradeRequest:
    answer: dict[str, Any] = {"text": "Look again.", "effect": effect, "points": Decimal(8)}
    return regrade_requests.request_answer(request=asked, by=by, **answer)


def a_submission_of_tuesday(scene: Scene) -> None:
    tuesday = scene.by_role["assistant of another section"].section
    graded(scene.cast, "tia", 5)
    Membership.objects.filter(user__username="tia").update(section=tuesday)


def scores_of_ada() -> score_file.ScoreFile:
    return score_file.read(b"login,value-engine\nada,9\n", "exam.csv")


def imported(scene: Scene, by: Acting) -> score_import.Imported:
    choices = score_import.Choices(replace=True)
    return score_import.import_scores(course=scene.cast.course, file=scores_of_ada(), by=by, choices=choices)


def a_criterion(scene: Scene) -> int:
    criteria.criteria_set(assignment=scene.assignment, by=scene.owner, criteria=STYLE)
    scene.submission.assignment.refresh_from_db()
    return scene.assignment.criteria.get(removed_at=None).pk


def a_submission_after_a_marked_one(scene: Scene) -> Submission:
    marking.mark(submission=scene.submission, by=scene.owner, points={a_criterion(scene): Decimal(1)})
    return graded(scene.cast, "ada", 5)


def an_answer() -> FailedAnswer:
    found = answer_of([checked("forward", passed=False, detail=Detail("y", {}, None, Shown("float", ("2.0",))))])
    assert found is not None
    return found


# -- the results -------------------------------------------------------------------------------------------------------

ROLES = (
    *("student", "assistant of the section", "assistant of another section", "instructor", "owner"),
    *("instructor who was removed", "owner of another course"),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_it_is_done_for_those_who_may_and_refused_to_all_others(scene: Scene, case: Case) -> None:
    for role in ROLES:
        with transaction.atomic():
            ready = case.ready(scene)
            before = AuditEntry.objects.count()
            try:
                case.act(scene, scene.by_role[role], ready)
                done = True
            except Refused as refused:
                assert refused.message.startswith("You may not "), f"{role}: {refused.message}"
                assert AuditEntry.objects.count() == before, f"{role} was refused, and something was written"
                done = False
            assert done == (role in case.who), f"{role} {'may' if done else 'may not'} call {case.name}"
            transaction.set_rollback(True)


def services_that_act() -> dict[str, Callable[..., Any]]:
    """All public functions of the packages that take an acting member."""
    found: dict[str, Callable[..., Any]] = {}
    for layer in LAYERS:
        package = importlib.import_module(f"autograder.{layer}")
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if {"migrations", "management", "demo"} & set(info.name.split(".")):
                continue
            for name, made in inspect.getmembers(importlib.import_module(info.name), inspect.isfunction):
                own = made.__module__ == info.name and not name.startswith("_")
                if own and get_type_hints(made).get("by") in (Membership, Acting):
                    found[name_of(made)] = made
    return found


ASKING = {
    "courses.rights.require",
    "courses.rights.require_people",
    "courses.accounts.access.controllable_members",
    "courses.accounts.access.require_account",
    "courses.accounts.access.why_not_change",
    "courses.accounts.first_passwords.without_password",
}  # these only read
RECORDING = {
    "gradebook.regrades.regrading.record_grade_change",
    "gradebook.regrades.regrading.record_score_change",
}  # these write the audit entries of services that have checked the right


def test_no_service_is_left_out() -> None:
    assert set(services_that_act()) - ASKING - RECORDING == {name_of(case.service) for case in CASES}


FOR_OPERATORS = [case for case in CASES if get_type_hints(case.service)["by"] is Acting]


@pytest.mark.parametrize("case", FOR_OPERATORS, ids=lambda case: case.name)
def test_operators_may_what_the_command_line_can(scene: Scene, case: Case) -> None:
    ready = case.ready(scene)
    earlier = set(AuditEntry.objects.values_list("pk", flat=True))
    case.act(scene, OPERATOR, ready)
    assert set(AuditEntry.objects.exclude(pk__in=earlier).values_list("actor", flat=True)) <= {None}


def test_a_course_is_made_by_who_teaches(scene: Scene) -> None:
    for role, member in scene.by_role.items():
        if role in ("instructor", "owner", "owner of another course"):
            course_create(slug=f"new-{member.pk}", title="New", by=member.user, owner=member.user)
        else:
            with pytest.raises(Refused, match="You cannot create courses"):
                course_create(slug="no", title="No", by=member.user, owner=member.user)


WITHOUT_A_RIGHT = {
    "courses.audit.record": "is how the others write it down",
    "courses.audit.record_all": "is the same for many at once",
    "courses.people.members.member_join": "for a new course's owner and for who is invited",
    "courses.accounts.access.end_others_access": "is part of joining a course",
    "courses.accounts.access.access_record": "is how the others note that staff can sign in with an account",
    "courses.people.joining.invitation_register": "the link is the right",
    "courses.accounts.reset_links.reset_link_mail": "anybody may ask; the mail goes to the account's own address",
    "courses.accounts.reset_links.password_reset": "the link is the right",
    "courses.mail_delivery.mails_send": "sends what a service stored",
    "lti.sending.changes.contexts_changed": "is the sender's note of how far it has read",
    "lti.sending.columns.column_lost": "the LMS said so",
    "lti.sending.columns.column_make": "belongs to a link that an instructor connected",
    "lti.launch.contexts.context_note": "the signed message is the right",
    "lti.launch.contexts.enrolment_note": "the signed message, or a roster that was applied, is the right",
    "lti.launch.contexts.line_item_note": "the signed message is the right",
    "lti.launch.contexts.link_note": "the signed message is the right",
    "lti.launch.contexts.member_arrive": "the signed message is the right",
    "lti.sending.delivery.score_claim": "sends what the gradebook has",
    "lti.registration.dynamic_registration.register_from_link": "the link is the right",
    "lti.launch.id_tokens.keys_store": "stores public keys",
    "lti.keys.keys_rotate": "is a command of operators",
    "lti.launch.oidc.launch_keep": "the signed message is the right",
    "lti.launch.oidc.launch_use": "the code is the right",
    "lti.launch.oidc.login_begin": "anybody may begin a launch",
    "lti.launch.oidc.sweep": "deletes what nobody can use any more",
    "lti.launch.people.account_link": "the owner of the account has signed in",
    "lti.launch.people.account_of": "the signed message is the right",
    "authoring.proofs.prove_next": "a worker, which proves what was asked for",
    "lti.sending.results.results_read": "stores what the LMS has",
}


def public_functions(layer: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    for path in sorted((ROOT / layer).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        names = parts[:-1] if parts[-1] == "__init__" else parts
        if not {"migrations", "management", "demo", "models", "admin"} & set(parts):
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                    yield ".".join((*names, node.name)), node


def writes(function: ast.FunctionDef, layer: str) -> bool:
    """Whether the function writes: calls a method that writes rows or, in the submissions package, one that writes the
    audit trail.
    """
    called = {
        node.func.attr for node in ast.walk(function) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    return "record" in called if layer == "submissions" else bool(called & (WRITES | {"record"}))


@pytest.mark.parametrize("layer", LAYERS)
def test_whatever_writes_takes_who_acts(layer: str) -> None:
    found = {name: node for name, node in public_functions(layer) if writes(node, layer)}
    assert found
    without = {
        name for name, node in found.items() if "by" not in {arg.arg for arg in (*node.args.args, *node.args.kwonlyargs)}
    }
    excused = {name for name in WITHOUT_A_RIGHT if name.startswith(f"{layer}.")}
    assert without == excused, "they write, and ask nobody for a right"
