"""The status code of every URL for every role. A URL that is missing in these tables is a failure until its access is
defined.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from django.test import Client
from django.urls import reverse
from msgspec.structs import replace

from autograder.authoring import drafts
from autograder.courses.models import Asks, Role, Section, User
from autograder.gradebook.decisions.criteria import NewCriterion, criteria_set
from autograder.gradebook.grades.manual_points import criteria_of
from autograder.submissions import regrades
from autograder.submissions.handing_in.answers import pdf_save
from autograder.submissions.handing_in.drafts import draft_save
from autograder.submissions.models import Batch, ScratchRun, Submission
from autograder.submissions.scratch import queue as scratch_queue
from autograder.submissions.scratch.answer import ScratchAnswer
from autograder.submissions.scratch.intake import scratch_ask
from tests.cast import Cast, ago
from tests.web.addresses import address, names
from tests.web.conftest import browser_of, checked, grade, member, reported
from tests.web.headers import has_them, is_not_kept
from tests.web.player.examples import EXAMPLE

pytestmark = pytest.mark.django_db

MARK = "n0b0dy-elses"
ROLES = (*("nobody", "elsewhere", "removed", "classmate", "herself", "other assistant", "assistant", "instructor", "owner"),)
STRANGERS = ("elsewhere", "removed")
STAFF = ("other assistant", "assistant", "instructor", "owner")
MAY_SEE = ("herself", "assistant", "instructor", "owner")
SIGN_IN, STREAM = "sign in", "stream"
Expected = dict[str, int | str]


def everybody(answer: int, **but: int | str) -> Expected:
    return dict.fromkeys(ROLES, answer) | but


def members(answer: int, **but: int | str) -> Expected:
    return everybody(answer) | {"nobody": SIGN_IN} | dict.fromkeys(STRANGERS, 404) | but


def who_may_see(answer: int | str, nobody: int | str = SIGN_IN) -> Expected:
    return {role: answer if role in MAY_SEE else nobody if role == "nobody" else 404 for role in ROLES}


def staff(answer: int) -> Expected:
    """Assistants of any section, instructors, owners."""
    return members(404) | dict.fromkeys(STAFF, answer)


def staff_of_hers(answer: int) -> Expected:
    """Staff who may see the student's work. The page is not for the student."""
    return members(404, assistant=answer, instructor=answer, owner=answer)


def teachers(answer: int) -> Expected:
    return members(404, instructor=answer, owner=answer)


def owner(answer: int) -> Expected:
    return members(404, owner=answer)


def herself(answer: int) -> Expected:
    return members(404, herself=answer)


GET: dict[str, Expected] = {
    "front": everybody(302, nobody=200, removed=200),
    "sign-in": everybody(302, nobody=200),
    "sign-out": everybody(405),
    "account": everybody(200, nobody=SIGN_IN),
    "unlink-lms-account": everybody(405, nobody=SIGN_IN),
    "password": everybody(200, nobody=SIGN_IN),
    "forgot-password": everybody(200),
    "reset": everybody(404),  # an invalid link; valid ones have tests of their own
    "admin-door": everybody(403, nobody=SIGN_IN),
    "theme": everybody(405),
    "time-zone": everybody(200, nobody=SIGN_IN),
    "help": everybody(200),
    "guide": everybody(404),  # an invalid name; valid ones have tests of their own
    "public-units": everybody(404),  # shown only if the operator allows it, which has tests of its own
    "public-unit": everybody(404),
    "next-exercise": members(302),
    "home": members(200),
    "grades": members(200),
    "unit": members(200),
    "exercise": members(200),
    "submit": members(302),
    "scratch": members(302),
    "scratch-run": herself(200),
    "answer": herself(200),  # the others have saved no PDF
    "draft": members(200),
    "download": members(200),
    "notebook": members(200),
    "upload": members(405),
    "starter": members(200),
    "restore": members(302),
    "history": members(200),
    "compare": members(200),
    "solutions": members(404),  # not shown by default
    "outcome": who_may_see(200),
    "events": who_may_see(STREAM, nobody=401),
    "player": who_may_see(200),
    "source": who_may_see(200),
    "handed-in-answer": who_may_see(200),
    "regrade-request": herself(200),
    "join": everybody(404),  # an invalid link; valid ones have tests of their own
    "new-course": teachers(200),
    "settings": teachers(200),
    "lms": staff(200),
    "course-history": teachers(200),
    "copy-course": teachers(200),
    "exercises": teachers(200),
    "assign": teachers(200),
    "assign-plan": teachers(405),
    "edit-exercises": teachers(302),  # without exercises
    "edit-exercises-plan": teachers(405),
    "order-exercises": teachers(405),
    "drafts": teachers(200),
    "workspace": teachers(200),
    "draft-zip": teachers(200),
    "draft-save": teachers(405),
    "draft-files": teachers(405),
    "draft-proof": teachers(200),
    "draft-preview": teachers(405),
    "draft-here": teachers(405),
    "draft-survivor": teachers(405),
    "draft-settings": teachers(405),
    "draft-try": teachers(405),
    "draft-publish": teachers(200),
    "draft-decide": teachers(405),
    "draft-version": teachers(404),  # nothing is published
    "exercise-preview": teachers(200),
    "assignment-settings": teachers(200),
    "late-chart": teachers(405),
    "criteria": teachers(302),  # redirects to the settings
    "people": teachers(200),
    "first-passwords": owner(405),
    "member": teachers(200),
    "member-account": teachers(200),
    "roster": teachers(200),
    "lms-roster": teachers(200),
    "invite": teachers(200),
    "overview": staff(200),
    "live": staff(200),
    "insight": staff(200),
    "download-submissions": staff(200),
    "gradebook": staff(200),
    "marking": staff(200),
    "mark-next": staff(302),
    "student-grades": staff_of_hers(200),
    "bulk-extensions": teachers(200),
    "freeze": teachers(200),
    "export": staff(200),
    "import-lms-ids": teachers(200),
    "import-scores": teachers(200),
    "student": staff_of_hers(200),
    "submission": staff_of_hers(200),
    "regrade-requests": staff(200),
    "regrades": teachers(200),
    "new-regrade": teachers(200),
    "regrade": teachers(200),
    "regrade-progress": teachers(200),
    "healthz": everybody(200),
    "readyz": everybody(200),
    "metrics": everybody(404),  # without the token
    "status": everybody(404, nobody=SIGN_IN),
    "lti-login": everybody(403),  # without the parameters of a platform
    "lti-launch": everybody(405),
    "lti-continue": everybody(405),
    "lti-jwks": everybody(200),
    "lti-account": everybody(403),  # an invalid code; valid ones have tests of their own
    "lti-connect": everybody(403, nobody=SIGN_IN),
    "lti-deep-link": everybody(403, nobody=SIGN_IN),
    "lti-register": everybody(403),  # an invalid link; valid ones have tests of their own
    "lti-registrations": everybody(404, nobody=SIGN_IN),
    "lti-new-registration": everybody(404, nobody=SIGN_IN),
    "lti-registration": everybody(404, nobody=SIGN_IN),
}
POST: dict[str, Expected] = {
    "front": everybody(405),
    "sign-in": everybody(302, nobody=200),
    "sign-out": everybody(302),
    "account": everybody(405, nobody=SIGN_IN),
    "unlink-lms-account": everybody(404, nobody=SIGN_IN),  # without a known link
    "password": everybody(200, nobody=SIGN_IN),
    "forgot-password": everybody(200),
    "reset": everybody(404),
    "admin-door": everybody(405),
    "theme": everybody(302),
    "time-zone": everybody(302, nobody=SIGN_IN),  # none: that of the browser
    "help": everybody(405),
    "guide": everybody(405),
    "public-units": everybody(405),
    "public-unit": everybody(405),
    "next-exercise": members(405),
    "home": members(405),
    "grades": members(405),
    "unit": members(405),
    "exercise": members(405),
    "submit": members(302),
    "scratch": members(302),
    "scratch-run": everybody(405, nobody=SIGN_IN),
    "answer": members(302),  # without a file
    "draft": members(200, herself=409),  # the student's page started from another draft
    "download": members(200),
    "notebook": members(405),
    "upload": members(422),  # without a file
    "starter": members(405),
    "restore": herself(302),
    "history": members(405),
    "compare": members(405),
    "solutions": members(405),
    "outcome": everybody(405, nobody=SIGN_IN),
    "events": everybody(405),
    "player": everybody(405, nobody=SIGN_IN),
    "source": everybody(405, nobody=SIGN_IN),
    "handed-in-answer": everybody(405, nobody=SIGN_IN),
    "regrade-request": herself(422),  # without a text
    "join": everybody(404),
    "new-course": teachers(200),
    "settings": teachers(200),
    "lms": members(404) | {"assistant": 302, "other assistant": 302},  # assistants only look; without a known action
    "course-history": teachers(405),
    "copy-course": teachers(200),
    "exercises": teachers(404),  # without a known action
    "assign": teachers(200),
    "assign-plan": teachers(200),
    "edit-exercises": teachers(302),
    "edit-exercises-plan": teachers(200),
    "order-exercises": teachers(409),  # without the exercises
    "drafts": teachers(200),
    "workspace": teachers(409),  # without a file
    "draft-zip": teachers(405),
    "draft-save": teachers(409),
    "draft-files": teachers(302),
    "draft-proof": teachers(405),
    "draft-preview": teachers(200),
    "draft-here": teachers(200),
    "draft-survivor": teachers(302),
    "draft-settings": teachers(302),
    "draft-try": teachers(302),
    "draft-publish": teachers(200),
    "draft-decide": teachers(404),  # without a known decision
    "draft-version": teachers(405),
    "exercise-preview": teachers(405),
    "assignment-settings": teachers(200),
    "late-chart": teachers(204),  # without dates and credit
    "criteria": teachers(409),  # without the edition that it changes
    "people": teachers(200),
    "first-passwords": owner(200),
    "member": teachers(200),
    "member-account": teachers(302),
    "roster": teachers(200),
    "lms-roster": teachers(200),
    "invite": teachers(200),
    "overview": staff(405),
    "live": staff(405),
    "insight": staff(404),  # without a known action
    "download-submissions": staff(422),  # without a selection
    "gradebook": staff(405),
    "marking": staff(405),
    "mark-next": staff(405),
    "student-grades": staff_of_hers(302),
    "bulk-extensions": teachers(200),
    "freeze": teachers(302),
    "export": staff(200),
    "import-lms-ids": teachers(200),
    "import-scores": teachers(200),
    "student": members(404) | dict.fromkeys(STAFF, 405),
    "submission": staff_of_hers(302),
    "regrade-requests": members(404) | dict.fromkeys(STAFF, 405),
    "regrades": teachers(405),
    "new-regrade": teachers(422),  # without a reason
    "regrade": teachers(302),
    "regrade-progress": members(404) | dict.fromkeys(STAFF, 405),
    "healthz": everybody(405),
    "readyz": everybody(405),
    "metrics": everybody(405),
    "status": everybody(405, nobody=SIGN_IN),
    "lti-login": everybody(403),
    "lti-launch": everybody(403),
    "lti-continue": everybody(403),
    "lti-jwks": everybody(405),
    "lti-account": everybody(403),
    "lti-connect": everybody(403, nobody=SIGN_IN),
    "lti-deep-link": everybody(403, nobody=SIGN_IN),
    "lti-register": everybody(405),
    "lti-registrations": everybody(404, nobody=SIGN_IN),
    "lti-new-registration": everybody(404, nobody=SIGN_IN),
    "lti-registration": everybody(404, nobody=SIGN_IN),
}
WRITES = (
    *(
        "sign-in",
        "sign-out",
        "password",
        "forgot-password",
        "theme",
        "time-zone",
        "submit",
        "scratch",
        "answer",
        "draft",
        "upload",
        "download",
        "restore",
        "submission",
        "regrade",
        "new-regrade",
        "regrade-request",
        "download-submissions",
    ),
    *(
        "new-course",
        "settings",
        "copy-course",
        "assign",
        "assign-plan",
        "edit-exercises",
        "edit-exercises-plan",
        "order-exercises",
        "drafts",
        "workspace",
        "draft-save",
        "draft-files",
        "draft-preview",
        "draft-here",
        "draft-survivor",
        "draft-settings",
        "draft-try",
        "draft-publish",
        "assignment-settings",
        "criteria",
        "people",
        "member",
        "member-account",
        "roster",
        "lms",
        "lms-roster",
        "invite",
    ),
    *("student-grades", "bulk-extensions", "freeze", "export", "import-lms-ids", "import-scores", "first-passwords"),
)


@dataclass(frozen=True)
class Site:
    """Ada has two submissions, a draft and results. The other users have every other role."""

    cast: Cast
    first: Submission
    second: Submission
    batch: Batch
    scratch_run: ScratchRun
    people: dict[str, User | None]
    question: int

    def browser(self, role: str, *, checks_tokens: bool = False) -> Client:
        if user := self.people[role]:
            user.refresh_from_db()  # the owner may have set a password in the meantime
        return browser_of(user, checks_tokens=checks_tokens)

    def where(self, name: str) -> str:
        return address(
            name, course=self.cast.course.slug, assignment=self.cast.assignment.slug, number=self.second.pk, check="forward",
            member=self.second.membership_id, batch=self.batch.pk, token="nobody-has-it", run=self.scratch_run.pk,
            exercise=self.cast.exercise, unit="scalar-engine", code="nobody-has-it", guide="nobodys", draft="a-draft", version=1,
            question=self.question,
        )  # fmt: skip

    def sends(self) -> dict[str, str]:
        """Form data for any URL: each view uses the fields that it knows."""
        return {
            "kind": "submit",
            "source": "x = 1\n",
            "seen": "0",
            "submission": str(self.second.pk),
            "theme": "dark",
            "calls": "x",
        }


@pytest.fixture
def site(cast: Cast) -> Site:
    drafts.start(cast.course, "vjp", "a-draft", "A draft", "Own", by=cast.staff)
    mine, other = (Section.objects.create(course=cast.course, name=name) for name in ("Mon", "Tue"))
    member(cast, "ada", Role.STUDENT, mine)
    member(cast, "ben", Role.STUDENT, mine)
    member(cast, "ann", Role.ASSISTANT, mine)
    member(cast, "otto", Role.ASSISTANT, other)
    member(cast, "ines", Role.INSTRUCTOR)
    gone = cast.membership("rob")
    gone.removed_at = ago(days=1)
    gone.save()
    asked = NewCriterion("Drawing", Decimal(1), asks=Asks.PDF, question="Draw the graph.")
    cast.assignment = criteria_set(assignment=cast.assignment, by=cast.staff, criteria=[asked])
    (question,) = criteria_of(cast.assignment)
    drawing = f"%PDF-1.7 {MARK} drawing".encode()
    pdf_save(question=question, membership=cast.membership("ada"), name="graph.pdf", content=drawing)
    elsewhere = Cast(slug="elsewhere", exercise="value-unary").student("mallory")
    first, second = (cast.hands_in("ada", f"x = '{MARK}-{n}'\n".encode()) for n in (1, 2))
    for submission in (first, second):
        wrong = checked("forward", passed=False, message=f"{MARK} message", stdout=f"{MARK} printed")
        grade(submission, reported(wrong, checked("secret", hidden=True)), traces=(replace(EXAMPLE, check="forward"),))
    draft_save(assignment=cast.assignment, membership=cast.membership("ada"), source=f"{MARK} draft", seen=0)
    scratch_run = scratch_ask(
        assignment=cast.assignment,
        membership=cast.membership("ada"),
        source=f"x = '{MARK} code'\n".encode(),
        calls=f"x + '{MARK} calls'\n".encode(),
    )
    claim = scratch_queue.claim("w")
    assert claim is not None
    shown = ScratchAnswer(output=f"{MARK} scratch printed", value=f"'{MARK} scratch value'")
    scratch_queue.runs.finish(claim, answer=msgspec.to_builtins(shown))
    people: dict[str, User | None] = {
        "nobody": None,
        "elsewhere": elsewhere,
        "removed": gone.user,
        "classmate": cast.student("ben"),
        "herself": cast.student("ada"),
        "other assistant": cast.student("otto"),
        "assistant": cast.student("ann"),
        "instructor": cast.student("ines"),
        "owner": cast.owner,
    }
    batch = regrades.start(course=cast.course, by=cast.staff, reason=f"{MARK} reason")
    return Site(cast, first, second, batch, scratch_run, people, question.pk)


def test_every_address_has_somebody_who_said_who_may() -> None:
    assert names() == sorted(GET) == sorted(POST)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_every_url_has_the_expected_status_and_headers_for_each_role(site: Site, role: str, method: str) -> None:
    found: Expected = {}
    for name in names():
        browser = site.browser(role)
        where = site.where(name)
        response = browser.get(where) if method == "GET" else browser.post(where, site.sends())
        found[name] = response.status_code
        if response.get("Location", "").startswith("/sign-in/?next="):
            found[name] = SIGN_IN
        elif response.streaming:
            found[name] = STREAM
        has_them(response, nonce=name != "admin-door", framed=name.startswith("lti-") and response.status_code == 403)
        if method == "GET" and role != "nobody":
            is_not_kept(response, name)
    table = GET if method == "GET" else POST
    assert found == {name: table[name][role] for name in names()}


@pytest.mark.parametrize("role", [role for role in ROLES if role not in MAY_SEE])
def test_no_url_shows_a_students_work_to_others(site: Site, role: str) -> None:
    asked: tuple[dict[str, Any], ...] = (
        {
            "s": site.second.pk,
            "check": "forward",
            "step": 1,
            "number": site.second.pk,
            "run": site.scratch_run.pk,
            "owner": site.second.membership.user_id,
        },
        {"s": [site.first.pk, site.second.pk], "submission": site.second.pk},
    )
    for name in names():
        browser = site.browser(role)
        for query in asked:
            for response in (browser.get(site.where(name), query), browser.post(site.where(name), site.sends() | query)):
                if not response.streaming:
                    assert MARK not in response.content.decode(), (name, query)


@pytest.mark.parametrize("role", MAY_SEE)
def test_who_may_see_her_work_sees_it(site: Site, role: str) -> None:
    browser, both = site.browser(role), {"s": [site.first.pk, site.second.pk]}
    assert f"{MARK}-2" in browser.get(site.where("source")).content.decode()
    assert f"{MARK} printed" in browser.get(site.where("outcome")).content.decode()
    assert f"{MARK} message" in browser.get(site.where("exercise"), {"s": site.second.pk}).content.decode()
    assert f"{MARK}-1" in browser.get(site.where("compare"), both).content.decode()


def test_only_its_owner_can_read_a_scratch_run(site: Site) -> None:
    for role in ROLES:
        browser = site.browser(role)
        for where, query in ((site.where("scratch-run"), {}), (site.where("scratch"), {"run": site.scratch_run.pk})):
            shown = browser.get(where, query, follow=True).content.decode()
            assert (f"{MARK} scratch value" in shown) == (role == "herself"), (role, where)


def test_a_draft_is_hers_alone(site: Site) -> None:
    for role in ROLES:
        for name in ("exercise", "draft", "download"):
            shown = f"{MARK} draft" in site.browser(role).get(site.where(name)).content.decode()
            assert shown == (role == "herself"), (role, name)


def test_nobody_can_write_to_somebody_elses_work(site: Site) -> None:
    for role in ROLES:
        if role != "herself":
            for name in WRITES:
                site.browser(role).post(site.where(name), site.sends())
    assert site.browser("herself").get(site.where("draft")).json()["source"] == f"{MARK} draft"
    assert Submission.objects.filter(membership=site.second.membership).count() == 2


@pytest.mark.parametrize("number", ["²", "٣", "0", "-1", "1e3", "9" * 18, "9" * 40, "' or 1=1 --"])
def test_numbers_that_are_none_are_not_found(site: Site, number: str) -> None:
    browser = site.browser("herself")
    assert browser.get(site.where("exercise"), {"s": number}).status_code == 404
    assert browser.post(site.where("restore"), {"submission": number}).status_code == 404
    assert browser.get(site.where("compare"), {"s": [number, str(site.first.pk)]}).status_code in (200, 404)
    assert browser.post(site.where("draft"), {"seen": number, "source": "x"}).status_code in (400, 409)
    at_a_step: dict[str, Any] = {"s": site.first.pk, "check": "forward", "step": number}
    assert browser.get(site.where("exercise"), at_a_step).status_code == 200
    for name in ("outcome", "source", "events"):
        other = site.where(name).replace(str(site.second.pk), number)
        assert browser.get(other).status_code == 404, name


def test_a_submission_is_shown_under_its_own_exercise_alone(site: Site) -> None:
    other = site.cast.assign("value-tanh-relu")
    browser = site.browser("herself")
    for name, query in (("exercise", {"s": site.first.pk}), ("compare", {"s": [site.first.pk, site.second.pk]})):
        where = address(name, course=site.cast.course.slug, assignment=other.slug)
        assert browser.get(where, query).status_code == 404, name
    where = address("restore", course=site.cast.course.slug, assignment=other.slug)
    assert browser.post(where, {"submission": site.first.pk}).status_code == 404


@pytest.mark.parametrize("role", [role for role in ROLES if role not in ("nobody", "owner")])
def test_the_admin_lets_no_member_of_a_course_in(site: Site, role: str) -> None:
    response = site.browser(role).get(reverse("admin:index"))
    assert (response.status_code, response["Location"].partition("?")[0]) == (302, "/admin/login/")


# -- CSRF protection


@pytest.mark.parametrize("name", WRITES)
def test_without_a_token_nothing_is_done(site: Site, name: str) -> None:
    before = Submission.objects.count()
    role = "nobody" if name == "sign-in" else "herself"
    response = site.browser(role, checks_tokens=True).post(site.where(name), site.sends())
    assert response.status_code == 403
    assert "Page expired" in response.content.decode()
    assert Submission.objects.count() == before


def test_whatever_takes_a_post_is_asked_for_a_token() -> None:
    takes = {name for name, table in POST.items() if any(answer in (200, 302, 409, 422) for answer in table.values())}
    assert takes == set(WRITES)
