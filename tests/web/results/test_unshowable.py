"""A stored part of a submission that cannot be shown takes no page with it: the part says so, and everything else is there."""

import logging
from typing import Any

import msgspec
import pytest
from django.urls import reverse
from django.utils import timezone

from autograder.courses.models import Role
from autograder.judge.report import Counterexample, Detail, Shown
from autograder.observability import parts
from autograder.submissions.models import Submission
from autograder.web.results import outcome, status
from autograder.web.results.explanation import Explanation
from autograder.web.templatetags import gradus
from tests.cast import Cast
from tests.web.conftest import Signed, browser_of, checked, grade, page, reported, words
from tests.web.player.examples import EXAMPLE

ONE, TWO = Shown("array", ("1",), (1,), "float64"), Shown("array", ("2",), (1,), "float64")
COPIES = Shown("array", ("1",) * 48, (64, 3), "float64", cut=True)  # of 192 entries, 48 are stored
CANNOT = "cannot be shown because of an error in Gradus"


def fails(*_: object, **__: object) -> None:
    raise IndexError("tuple index out of range")


@pytest.fixture
def submission(cast: Cast) -> Submission:
    """Wrong in a public check, with everything below it that a check can have, after a right one."""
    before = cast.hands_in("ada", b"x = 1\n")
    grade(before, reported(checked("p0", passed=False), checked("p1")))
    submission = cast.hands_in("ada", b"x = 2\n")
    detail = Detail("the gradient of x", {"x": ONE}, ONE, TWO, (0,))
    example = Counterexample("p0", "sum_vjp(g, x)", "x", {"x": ONE}, ONE, COPIES)
    wrong = checked("p0", passed=False, detail=detail, message="x.grad is wrong.")
    trace = msgspec.structs.replace(EXAMPLE, check="p0")
    explanation = Explanation("wrong-sign", "A sign.", ("p0",), counterexample=example)
    grade(submission, reported(wrong, checked("p1")), diagnosis=[explanation], traces=[trace], explained_at=timezone.now())
    return submission


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Parts are lost as on a site; in all other tests, that is a failure."""
    monkeypatch.setattr(parts, "log", logging.getLogger("gradus.shown"))
    return caplog


def pages(submission: Submission, signed: Signed) -> dict[str, str]:
    """Every page with this result, by its viewer, as text."""
    course, assignment = submission.assignment.course, submission.assignment
    owner = course.memberships.get(role=Role.OWNER).user
    exercise = reverse("exercise", args=(course.slug, assignment.slug))
    return {
        "student": page(signed("ada"), f"{exercise}?s={submission.pk}&check=p0"),
        "live": page(signed("ada"), reverse("outcome", args=(submission.pk,))),
        "staff": page(browser_of(owner), reverse("submission", args=(course.slug, submission.pk))),
    }


def test_an_answer_of_many_copies_is_shown_by_its_shape(submission: Submission, signed: Signed) -> None:
    for html in pages(submission, signed).values():
        assert "should be [1], but is an array of shape (64, 3)." in words(html)
        assert CANNOT not in html


@pytest.mark.parametrize(
    ("module", "name", "sentence"),
    [
        (outcome, "comparison_of", "The comparison"),
        (outcome, "numbers_of", "The numbers of this mistake"),
        (outcome, "guidance_of", "The advice on this check"),
        (outcome, "on_one_line", "The input of this check"),
        (status, "changes_since", "What changed since an earlier submission"),
        (gradus, "render_player", "The backward pass"),
    ],
)
def test_a_part_that_fails_is_named_and_the_rest_is_there(
    module: Any,
    name: str,
    sentence: str,
    submission: Submission,
    signed: Signed,
    monkeypatch: pytest.MonkeyPatch,
    recorded: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(module, name, fails)
    for viewer, html in pages(submission, signed).items():
        text = words(html)
        assert f"{sentence} {CANNOT}" in text, viewer
        assert "x.grad is wrong." in text and "5 of 10 points" in text, viewer
    assert f"{sentence} cannot be shown" in recorded.text
    assert "tuple index out of range" in recorded.text, "with the cause, for the operator"


def test_an_example_that_fails_is_named(
    submission: Submission, signed: Signed, monkeypatch: pytest.MonkeyPatch, recorded: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Explanation, "example", property(fails))
    for viewer, html in pages(submission, signed).items():
        assert f"The smallest example {CANNOT}" in words(html), viewer
        assert "A sign." in html, viewer


@pytest.mark.parametrize(("field", "sentence"), [("diagnosis", "The diagnosis"), ("traces", "The backward pass")])
def test_what_cannot_be_read_is_named(
    field: str, sentence: str, submission: Submission, signed: Signed, recorded: pytest.LogCaptureFixture
) -> None:
    submission.gradings.update(**{field: [{"of": "another version"}]})
    for viewer, html in pages(submission, signed).items():
        assert f"{sentence} {CANNOT}" in words(html), viewer


def test_the_steps_that_are_fetched_later_say_it_too(
    submission: Submission, signed: Signed, monkeypatch: pytest.MonkeyPatch, recorded: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(gradus, "render_player", fails)
    assert f"The backward pass {CANNOT}" in page(signed("ada"), reverse("player", args=(submission.pk, "p0")))
