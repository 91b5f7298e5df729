"""No page links to a page that its reader may not open: every link on every page is followed."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from urllib.parse import urldefrag, urljoin, urlsplit

import msgspec
import pytest
from django.test import Client
from django.utils import timezone

from autograder.authoring import drafts, publishing
from autograder.courses.models import Course, Membership, Role, Section, ShowSolutions
from autograder.courses.people.extensions import extension_grant
from autograder.gradebook.decisions import excuses
from autograder.gradebook.decisions.overrides import override
from autograder.gradebook.grades import freezing
from autograder.gradebook.regrades import regrading
from autograder.judge.report import Detail, Shown
from autograder.submissions import regrades
from autograder.submissions.comments import comment_add
from autograder.submissions.models import Batch, Grading, Kind, Submission, Work
from autograder.web.results.explanation import Explanation
from tests.authoring.conftest import proved
from tests.cast import Cast, ago
from tests.gradebook.conftest import add_grading
from tests.web.addresses import address, names
from tests.web.conftest import browser_of, change, checked, grade, member, reported
from tests.web.test_markup import Markup

pytestmark = pytest.mark.django_db
TERM = "Winter 2026"
ASSISTANTS = ("ann", "sol")  # of section Mon, and of the whole course
NOT_ASKED = ("events", "sign-out", "theme", "join", "healthz", "readyz", "metrics", "status", "admin-door")


@pytest.fixture
def course(cast: Cast) -> Cast:
    """Two sections, and in each a student with every kind of staff action."""
    cast.course.term = TERM
    cast.course.save()
    mon, tue = (Section.objects.create(course=cast.course, name=name) for name in ("Mon", "Tue"))
    member(cast, "ann", Role.ASSISTANT, mon)
    member(cast, "sol", Role.ASSISTANT)
    ines = member(cast, "ines", Role.INSTRUCTOR)
    change(cast, due_at=ago(days=1), unit="One", show_solutions=ShowSolutions.AFTER_PASSING)
    other = cast.assign("value-tanh-relu", unit="Two", position=1)
    for name, section in (("ada", mon), ("theo", tue), ("rob", mon)):
        student = member(cast, name, Role.STUDENT, section)
        for submission in _work_of(cast, name):
            comment_add(submission=submission, by=ines, text="Look here.", line=1)
        cast.hands_in(name, b"x = 1\n", Kind.RUN)
        override(assignment=cast.assignment, membership=student, points=Decimal(3), reason="r", by=ines)
        excuses.excuse(assignment=other, membership=student, by=ines, reason="ill")
        extension_grant(assignment=other, membership=student, by=ines, reason="r", due_at=timezone.now() + timedelta(days=3))
    Membership.objects.filter(user__username="rob").update(removed_at=timezone.now())
    _again(regrades.start(course=cast.course, by=cast.staff, reason="All of it."))
    publishing.publish(
        proved(drafts.start(cast.course, "vjp", "a-draft", "A draft", "Own", by=cast.staff)), "New.", by=cast.staff
    )
    first = Submission.objects.filter(membership__user__username="ada").earliest("pk")
    for name in ASSISTANTS:
        asked = regrades.grade_again(submission=first, by=cast.membership(name), reason="Hers.")
        _again(asked)
        regrading.commit(asked, by=cast.staff, lower=False)
    return cast


def _work_of(cast: Cast, name: str) -> Iterator[Submission]:
    """Four submissions that end in four ways for ada, and one for everybody else, whose pages differ in nothing else."""
    detail = Detail("gradient of x", expected=Shown("float", ("6",)), given=Shown("float", ("5",)))
    for told in (Explanation("wrong-sign", "Words."), Explanation("", "Unknown.")):
        submission = cast.hands_in(name, b"x = 1\n")
        grade(submission, reported(checked("grad", passed=False, detail=detail)), diagnosis=[told])
        yield submission
        if name != "ada":
            return
    submission = cast.hands_in(name, b"x = 2\n")
    grade(submission, reported(checked("grad")))
    yield submission
    broken = cast.hands_in(name, b"x = 3\n")
    broken.work.update(state=Work.State.FAILED, ended_at=timezone.now(), trouble="sandbox")


def _again(batch: Batch) -> None:
    for work in batch.work.select_related("submission"):
        add_grading(
            work.submission,
            work,
            7,
            current=False,
            why=Grading.Why.REGRADE,
            report=msgspec.to_builtins(reported(checked("grad"))),
        )


def starts(cast: Cast) -> list[str]:
    """Return every URL, for each student and submission."""
    found = dict.fromkeys(
        address(
            name, course=cast.course.slug, assignment=assignment.slug, number=submission.pk, check="grad",
            member=submission.membership_id, batch=batch, token="none", run=1, exercise=cast.exercise,
            unit="scalar-engine", code="none", guide="instructor", draft="a-draft", version=1, question=1,
        )
        for name in names() if name not in NOT_ASKED
        for assignment in cast.course.assignments.all()
        for submission in Submission.objects.all()
        for batch in Batch.objects.values_list("pk", flat=True)
    )  # fmt: skip
    return list(found)


@dataclass(frozen=True)
class Walk:
    """The visited pages by URL, and broken links with a page that has each of them."""

    pages: dict[str, str]
    dead: dict[str, str]


def walk(browser: Client, first: list[str]) -> Walk:
    """Open every URL and follow the links of each page."""
    pages: dict[str, str] = {}
    linked_on: dict[str, str] = {}
    answers: dict[str, int] = {}
    waiting = deque(first)
    while waiting:
        where = waiting.popleft()
        if where in answers:
            continue
        response = browser.get(where, follow=True)
        answers[where] = response.status_code
        if response.status_code == 200 and response["Content-Type"].startswith("text/html"):
            pages[where] = response.getvalue().decode()
            for link in _links(pages[where], where):
                linked_on.setdefault(link, where)
                waiting.append(link)
    return Walk(pages, {link: where for link, where in linked_on.items() if answers[link] != 200})


def _links(html: str, where: str) -> Iterator[str]:
    for link in Markup(html).links:
        there = urlsplit(urldefrag(urljoin(f"http://testserver{where}", link)).url)
        if there.netloc == "testserver" and not there.path.startswith(("/static/", "/sign-out/")):
            yield there._replace(scheme="", netloc="").geturl()


@pytest.mark.parametrize(
    ("name", "frozen"),
    [
        *((name, False) for name in (*ASSISTANTS, "ines", "owner", "ada")),
        *((name, True) for name in ("ann", "ines", "ada")),
    ],
)
def test_every_link_on_somebodys_pages_can_be_opened_and_titles_have_the_term(course: Cast, name: str, frozen: bool) -> None:
    if frozen:
        freezing.freeze(course=course.course, by=course.staff)
    found = walk(browser_of(course.owner if name == "owner" else course.student(name)), starts(course))
    for part in ("/submissions/", "/regrades/") if name in ASSISTANTS else ():
        assert any(part in where for where in found.pages)
    assert found.dead == {}
    titles = {
        where: html.partition("<title>")[2].partition("</title>")[0]
        for where, html in found.pages.items()
        if where.startswith(("/c/", "/t/autodiff/")) and "<title>" in html
    }
    assert len(titles) > 5
    assert {where: title for where, title in titles.items() if f"({TERM})" not in title} == {}


@pytest.mark.parametrize("name", ["ada", "ann"])
def test_the_list_of_courses_tells_terms_apart(course: Cast, name: str) -> None:
    user = course.student(name)
    again = Course.objects.create(slug="autodiff-27", title="Autodiff", term="Winter 2027")
    Membership.objects.create(course=again, user=user, role=Role.ASSISTANT)
    html = browser_of(user).get("/", follow=True).content.decode()
    assert "Autodiff (Winter 2026)" in html
    assert "Autodiff (Winter 2027)" in html
