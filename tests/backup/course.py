"""A course in which everything has happened that can happen, graded for real; and values at the edges of what is kept."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.utils import timezone

from autograder.authoring import drafts
from autograder.authoring.models import DraftProof, ProofMemory, Publication
from autograder.courses import audit
from autograder.courses.models import Membership, Role, User
from autograder.courses.people.extensions import extension_grant
from autograder.courses.people.invitations import invitation_create
from autograder.courses.people.members import member_remove, member_role_update
from autograder.courses.setup.assignments import outside_assignment_create
from autograder.courses.setup.courses import section_create
from autograder.gradebook.decisions import overrides
from autograder.gradebook.decisions.criteria import NewCriterion, criteria_set
from autograder.gradebook.decisions.marking import mark
from autograder.gradebook.grades import freezing
from autograder.gradebook.imports import score_file
from autograder.gradebook.imports.score_import import Choices, import_scores
from autograder.gradebook.models import Excuse, NamedMistake, RegradeRequest, UnitRule
from autograder.gradebook.regrades import regrading
from autograder.gradebook.regrades.regrade_requests import request_add, request_answer
from autograder.lti import keys
from autograder.lti.models import (
    Context,
    Deployment,
    Enrolment,
    Launch,
    LineItem,
    LmsAccount,
    LoginState,
    OutgoingScore,
    Registration,
    RegistrationLink,
    ResourceLink,
)
from autograder.submissions import regrades
from autograder.submissions.comments import comment_add, comment_remove
from autograder.submissions.grader import Grader
from autograder.submissions.handing_in.drafts import draft_save
from autograder.submissions.models import Answer, Draft, Grading, Kind, Lane, Submission
from autograder.submissions.scratch.intake import scratch_ask
from autograder.submissions.work import queue
from tests.cast import Cast, ahead, source_of

EVERY_BYTE = bytes(range(256))
EDGES: dict[str, Any] = {
    "spelled out": "\\u0000 and \\\\u0000",
    "letters": "Zoë, 自动微分, \U0001f393, \u2028, \"'\\/",
    "numbers": [2**53 + 1, -(2**62), 1e-300, 0.1 + 0.2, 1e16, -0.5, 12345678901234567890],
    "nothing": [None, True, False, {}, [], ""],
}


def fill() -> None:
    cast, seminar = Cast(), Cast(slug="seminar")
    seminar.course.supersedes = True
    seminar.course.save()
    _people(cast)
    grader = Grader()
    try:
        _graded(cast, grader)
        _regrades(cast, grader)
    finally:
        grader.close()
    _decisions(cast)
    seminar.hands_in("eve")
    seminar.hands_in("eve")  # takes the place of the one before
    freezing.freeze(course=seminar.course, by=seminar.staff)
    freezing.unfreeze(course=seminar.course, by=seminar.staff)
    freezing.freeze(course=seminar.course, by=seminar.staff)
    _failed(seminar)
    _in_the_middle(cast)
    _lms(cast)
    _authoring(cast)
    audit.record("edges", cast.course, actor=cast.owner, course=cast.course, **EDGES)


def _people(cast: Cast) -> None:
    monday = section_create(course=cast.course, name="Monday, 8 o'clock", by=cast.staff)
    for name in ("ada", "ben", "cy"):
        member = cast.membership(name)
        member.section, member.lms_id = monday, f"lms {name}"
        member.save()
    User.objects.filter(username="ada").update(first_name="Zoë", last_name="O'Hara", last_login=timezone.now())
    member_role_update(membership=cast.membership("dan"), role=Role.ASSISTANT, by=cast.staff)
    member_remove(membership=cast.membership("gone"), by=cast.staff)
    invitation_create(course=cast.course, by=cast.staff, section=monday, uses=3)
    helpers = Group.objects.create(name="helpers")
    helpers.permissions.add(*Permission.objects.all()[:3])
    cast.owner.groups.add(helpers)
    cast.owner.user_permissions.add(Permission.objects.last())  # type: ignore[arg-type]
    LogEntry.objects.create(
        user=cast.owner, content_type=ContentType.objects.get_for_model(User), object_id="1", action_flag=CHANGE,
        object_repr="ada", change_message="[]",
    )  # fmt: skip


def _graded(cast: Cast, grader: Grader) -> None:
    for name, file in (("ada", "solution"), ("ben", "wrong/missing-upstream"), ("cy", "starter")):
        cast.hands_in(name, source_of("value-engine", file))
    cast.hands_in("ada", source_of("value-engine"), Kind.RUN)
    cast.hands_in("ben", EVERY_BYTE)
    while grader.work_once(tuple(Lane)):
        pass


def _regrades(cast: Cast, grader: Grader) -> None:
    committed = regrades.start(course=cast.course, by=cast.staff, reason="A check was too strict.", may_lower=True)
    while grader.work_once():
        pass
    Grading.objects.filter(work__batch=committed, submission__membership__user__username="ben").update(score=7.25)
    regrading.commit(committed, by=cast.staff, lower=True)
    regrades.discard(regrades.start(course=cast.course, by=cast.staff, reason="By mistake."), by=cast.staff)


def _decisions(cast: Cast) -> None:
    ada, ben = cast.membership("ada"), cast.membership("ben")
    for points in (Decimal("3.33"), Decimal("9.99")):
        overrides.override(assignment=cast.assignment, membership=ada, points=points, reason="On paper.", by=cast.staff)
    overrides.override(assignment=cast.assignment, membership=ben, points=Decimal(0), reason="By mistake.", by=cast.staff)
    overrides.undo_override(assignment=cast.assignment, membership=ben, by=cast.staff)
    extension_grant(
        assignment=cast.assignment, membership=ben, by=cast.staff, reason="Ill.", due_at=ahead(days=1, microseconds=1)
    )
    cast.assign("value-accumulate", late_share=Decimal("0.001"), cool_down=timedelta(days=40, microseconds=7), unit="Two")
    outside_assignment_create(course=cast.course, by=cast.staff, title="Exam", points=Decimal(20))
    file = score_file.read(b"login,exam,value-engine\nada,18,9\n", "exam.csv")
    import_scores(course=cast.course, file=file, by=cast.staff, choices=Choices(replace=True))
    NamedMistake.objects.create(
        assignment=cast.assignment, answer="0f", check_id="forward", name="Takes the sign along", named_by=cast.owner
    )
    _by_hand(cast, owner=cast.membership(cast.owner.username), submission=ben.submissions.order_by("pk")[0])
    Excuse.objects.create(assignment=cast.assignment, membership=cast.membership("bob"), reason="Ill.", author=cast.owner)
    UnitRule.objects.create(course=cast.course, unit="Two", weight=Decimal("12.50"), drop_lowest=0)
    owner, submission = cast.membership(cast.owner.username), ada.submissions.order_by("pk")[0]
    comment_add(submission=submission, by=owner, text="Why?\r\n\tReally: “why”", line=1)
    comment_remove(comment=comment_add(submission=submission, by=owner, text="No."), by=owner)
    declined = request_add(submission=submission, by=ada, text="It is “right”:\r\n\tx = ∂")
    request_answer(request=declined, by=owner, text="No.", effect=RegradeRequest.State.DECLINED)
    request_add(submission=submission, by=ada, text="Look again, please.")
    draft_save(assignment=cast.assignment, membership=ada, source='x = "\\0"\r\n# ∂\u2028', seen=0)
    Draft.objects.update(replaced="before\n")
    scratch_ask(assignment=cast.assignment, membership=ada, source=b"x = 1", calls=b"x")


def _by_hand(cast: Cast, owner: Membership, submission: Submission) -> None:
    style = NewCriterion("Style", Decimal("1.25"), "Names say: “what”.")
    criteria_set(assignment=cast.assignment, by=owner, criteria=[style, NewCriterion("Gone", Decimal(1))])
    points = {one.pk: Decimal("0.75") for one in cast.assignment.criteria.all()}
    mark(submission=submission, by=owner, points=points, remark="Zoë:\nfine.")
    first = cast.assignment.criteria.all()[0]
    kept = NewCriterion(first.title, first.points, first.description, first.pk)
    criteria_set(assignment=cast.assignment, by=owner, criteria=[kept], withdraw=True)
    mark(submission=submission, by=owner, points={first.pk: Decimal("1.05")})
    Answer.objects.create(
        criterion=first, membership=submission.membership, text="Zoë:\nfine.", pdf=EVERY_BYTE, file_name="∂.pdf",
        saved_at=timezone.now(),
    )  # fmt: skip


def _authoring(cast: Cast) -> None:
    """A draft that was proved and published, and that somebody has open."""
    owner, now = cast.membership(cast.owner.username), timezone.now()
    draft = drafts.start(cast.course, "vjp", "softplus", "Softplus, “stable”", "Own", by=owner)
    drafts.add(draft, "wrong/other.py", 'x = "\\0"\r\n# ∂\u2028', by=owner)
    drafts.visit(draft, "wrong/other.py", by=owner)
    DraftProof.objects.update(edition=2, found=EDGES, checks=[EDGES], trouble="“Why”", seconds=0.1 + 0.2, proved_at=now)
    ProofMemory.objects.create(proof=draft.proof, release="0f", known=EVERY_BYTE)
    Publication.objects.create(
        version=cast.assignment.exercise_version,
        draft=draft,
        course=cast.course,
        number=1,
        note="“New”",
        published_by=cast.owner,
    )


def _lms(cast: Cast) -> None:
    """A course of an LMS with its people and scores, and one of each row that only lives for minutes."""
    ada, now = cast.membership("ada"), timezone.now()
    keys.sign({})
    registration = Registration.objects.create(
        name="Zoë’s school", issuer="https://lms.test", client_id="1", key_set={"k": {"n": "∂"}}, made_by=cast.owner
    )
    deployment = Deployment.objects.create(registration=registration, deployment_id="1", seen_at=now)
    context = Context.objects.create(deployment=deployment, context_id="1", course=cast.course, scopes=["a", "b"])
    LmsAccount.objects.create(issuer=registration.issuer, sub="7", user=ada.user, registration=registration)
    Enrolment.objects.create(context=context, membership=ada, brought=True)
    ResourceLink.objects.create(context=context, link_id="1", assignment=cast.assignment)
    column = LineItem.objects.create(context=context, assignment=cast.assignment, url="https://lms.test/1?type_id=1")
    OutgoingScore.objects.create(
        line_item=column, membership=ada, points=Decimal("3.33"), maximum=Decimal(10), activity="Completed",
        grading="FullyGraded", comment="“Good”", try_at=now, lms_points=Decimal("3.3333"),
    )  # fmt: skip
    RegistrationLink.objects.create(token_hash="0f", expires_at=now)
    LoginState.objects.create(state_hash="0f", nonce="1", browser_hash="2", registration=registration)
    Launch.objects.create(code_hash="0f", deployment=deployment, message={"sub": "7"}, user=ada.user)


def _failed(cast: Cast) -> None:
    """In every lane and try: what is first in the queue is nobody's fault but ours."""
    for _ in range(queue.MAX_TRIES):
        claim = queue.claim("box:1")
        assert claim is not None
        queue.gradings.give_back(claim, "the machine had no memory left")


def _in_the_middle(cast: Cast) -> None:
    """One is being graded, its second try; others wait."""
    cast.hands_in("ben")
    first = queue.claim("box:1")
    assert first is not None
    queue.gradings.give_back(first, "the zygote died")
    cast.hands_in("cy")
    assert queue.claim("box:2") is not None
    cast.hands_in("ada")
    cast.hands_in("ada", kind=Kind.RUN)
