"""Changes since an earlier submission: lines and fixed checks, and nothing that the viewer may not see."""

import pytest
from django.urls import reverse

from autograder.submissions.models import Grading, Kind, Submission
from autograder.web.access import ViewedSubmission
from autograder.web.results.changes_since import ChangesSince
from autograder.web.results.status import status_of
from tests.cast import Cast
from tests.web.conftest import Signed, change, checked, grade, page, reported

pytestmark = pytest.mark.django_db
WRONG = b"def f(x):\n    # a rule\n    y = x\n    return y\n"
RIGHT = WRONG.replace(b"y = x\n", b"y = 2 * x\n")


def handed_in(cast: Cast, source: bytes, *passed: bool, kind: Kind = Kind.SUBMIT, hidden: bool = False) -> Submission:
    submission = cast.hands_in("ada", source, kind)
    names = ("one", "two", "three")
    checks = [checked(name, passed=on, hidden=hidden) for name, on in zip(names, passed, strict=False)]
    grade(submission, reported(*checks))
    return submission


def since(cast: Cast, submission: Submission) -> ChangesSince | None:
    return status_of(ViewedSubmission(submission, cast.membership("ada"))).changes_since


def shown(cast: Cast, signed: Signed, submission: Submission) -> str:
    text = page(signed("ada"), f"{reverse('exercise', args=(cast.course.slug, cast.assignment.slug))}?s={submission.pk}")
    return " ".join(text.partition('id="since"')[2].partition("</details>")[0].split())


def test_the_line_that_fixed_it(cast: Cast, signed: Signed) -> None:
    handed_in(cast, WRONG, False, True)
    text = shown(cast, signed, handed_in(cast, RIGHT, True, True))
    assert "What changed since submission 1 " in text
    assert "“The one check” failed then and passes now." in text
    assert 'The line that fixed it: <a href="#L3">line 3</a>, <code> y = 2 * x</code>' in text
    assert text.count('class="add"') == text.count('class="del"') == 1


def test_of_several_lines_none_is_said_to_have_fixed_it(cast: Cast, signed: Signed) -> None:
    handed_in(cast, WRONG, False, False)
    text = shown(cast, signed, handed_in(cast, RIGHT.replace(b"return y", b"return y + 0"), True, True))
    assert "“The one check”, “The two check” failed then and pass now." in text
    assert 'The lines that changed: <a href="#L3">line 3</a>, <a href="#L4">line 4</a>.' in text
    assert "The line that fixed it" not in text


def test_comments_and_blank_lines_fix_nothing(cast: Cast) -> None:
    handed_in(cast, WRONG, False)
    found = since(cast, handed_in(cast, RIGHT.replace(b"# a rule", b"# the rule\n"), True))
    assert found is not None and found.fixing is not None
    assert found.fixing.text.strip() == "y = 2 * x"


def test_where_nothing_got_better_only_the_lines_are_shown(cast: Cast, signed: Signed) -> None:
    handed_in(cast, WRONG, False)
    text = shown(cast, signed, handed_in(cast, RIGHT, False))
    assert "What changed since submission 1" in text
    assert "fixed" not in text
    assert "now." not in text


def test_the_same_text_is_stepped_over_and_the_first_has_nothing_before_it(cast: Cast) -> None:
    first = handed_in(cast, WRONG, False)
    assert since(cast, first) is None
    run = handed_in(cast, RIGHT, True, kind=Kind.RUN)
    found, later = since(cast, run), since(cast, handed_in(cast, RIGHT, True))
    assert found is not None and later is not None
    assert (found.name, later.name) == ("submission 1", "submission 1")
    again = since(cast, handed_in(cast, WRONG, False))
    assert again is not None
    assert again.name == "submission 2"


def test_what_was_never_graded_and_what_others_wrote_is_not_compared(cast: Cast) -> None:
    cast.hands_in("ada", WRONG)
    grade(cast.hands_in("ben", WRONG), reported(checked("one", passed=False)))
    assert since(cast, handed_in(cast, RIGHT, True)) is None


def test_a_check_that_was_not_reached_did_not_fail(cast: Cast) -> None:
    grade(cast.hands_in("ada", WRONG), reported(checked("one", passed=False, ending="unreached")))
    found = since(cast, handed_in(cast, RIGHT, True))
    assert found is not None
    assert found.fixed == ()


@pytest.mark.parametrize(("meanwhile", "told"), [("titles", True), ("count", False), ("nothing", False)])
def test_a_hidden_check_is_named_only_where_its_title_may_be_seen(
    cast: Cast, signed: Signed, meanwhile: str, told: bool
) -> None:
    change(cast, show_hidden="never", hidden_meanwhile=meanwhile)
    handed_in(cast, WRONG, False, hidden=True)
    latest = handed_in(cast, RIGHT, True, hidden=True)
    assert ("The one check" in shown(cast, signed, latest)) is told
    assert Grading.objects.count() == 2
