"""The markup rules of all pages hold for staff pages as well. Pages of submissions have a file of their own."""

from decimal import Decimal

import pytest

from autograder.courses.models import Section
from autograder.courses.people import invitations
from autograder.courses.people.extensions import extension_grant
from autograder.courses.rights import OPERATOR
from autograder.courses.setup.assignments import outside_assignment_create
from autograder.gradebook.decisions.overrides import override
from autograder.gradebook.imports import score_file
from autograder.gradebook.imports.score_import import Choices, import_scores
from autograder.judge.report import Detail, Shown
from autograder.submissions.models import Kind
from autograder.web.results.explanation import Explanation
from tests.cast import Cast, ahead
from tests.web.conftest import browser_of, checked, grade, page, reported
from tests.web.test_markup import Markup

pytestmark = pytest.mark.django_db
ADDRESSES = (
    *("", "?state=stuck", "?state=silent", "exercises/value-engine/", "exercises/value-unary/"),
    *("gradebook/", "gradebook/?open={ada}", "gradebook/{ada}/", "gradebook/{ada}/?a=value-engine", "gradebook/extend/"),
    *(
        "gradebook/export/",
        "gradebook/export/?format=canvas&do=check",
        "gradebook/ids/",
        "gradebook/scores/",
        "gradebook/freeze/",
    ),
    *("exercises/midterm-exam/settings/", "gradebook/{ada}/?a=midterm-exam"),
    *("settings/", "copy/", "exercises/", "exercises/value-engine/settings/", "assign/"),
    *("people/", "people/{ada}/", "roster/", "invite/"),
)


@pytest.fixture
def course(cast: Cast) -> Cast:
    """Students who are stuck, passed, waiting or only ran code; explained and unexplained mistakes; two units, a section."""
    cast.assign("value-unary", position=2, unit="Second")
    Section.objects.create(course=cast.course, name="Mon")
    detail = Detail("y", {}, Shown("float", ("-2.0",)), Shown("float", ("2.0",)))
    for n in range(8):
        told = [Explanation("wrong-sign", "A sign.") if n % 2 else Explanation("", "Nothing known.")]
        wrong = checked("example", passed=False, detail=detail)
        grade(cast.hands_in("ada", b"x = 1\n"), reported(wrong, checked("good", hidden=True)), diagnosis=told)
    grade(cast.hands_in("ben"), reported(checked("example")))
    grade(cast.hands_in("ben", kind=Kind.RUN), reported(checked("example")))
    cast.hands_in("cy")
    ada, owner = cast.membership("ada"), cast.staff
    override(assignment=cast.assignment, membership=ada, points=Decimal(5), reason="Oral exam.", by=owner)
    extension_grant(assignment=cast.assignment, membership=ada, by=owner, due_at=ahead(days=3), reason="Ill.")
    outside_assignment_create(course=cast.course, by=OPERATOR, title="Midterm exam", points=Decimal(20), unit="Exams")
    file = score_file.read(b"login,midterm-exam\nada,18\nben,11\n", "midterm.csv")
    import_scores(course=cast.course, file=file, by=OPERATOR, choices=Choices())
    invitations.invitation_create(course=cast.course, by=cast.staff, days=3, uses=9, domains="x.org", is_open=True)
    return cast


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_page_holds_what_every_page_promises(course: Cast, address: str) -> None:
    html = page(browser_of(course.owner), f"/t/autodiff/{address.format(ada=course.membership('ada').pk)}")
    found = Markup(html)
    assert found.acts == []
    assert found.left_open == []
    assert [name for name, count in found.ids.items() if count > 1] == []
    assert set(found.refers) <= set(found.ids)
    assert (found.tags["h1"], found.tags["main"], found.tags["header"] >= 1) == (1, 1, True)
    assert found.tags["caption"] == found.tags["table"]
    assert html.count("<th ") == html.count('scope="')
    assert html.count('tabindex="0" role="group" aria-label="') == html.count('tabindex="0"')


def test_the_live_part_fits_into_the_page(course: Cast) -> None:
    browser = browser_of(course.owner)
    whole, part = page(browser, "/t/autodiff/"), page(browser, "/t/autodiff/live/")
    assert part.strip() in whole
    assert Markup(part).acts == []
    assert Markup(part).left_open == []
