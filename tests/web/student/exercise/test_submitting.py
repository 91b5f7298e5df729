"""Run, submit and upload: what is accepted, the error messages, and that typed code is never lost."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from autograder.courses.models import Course, ShowHidden
from autograder.gradebook.grades import freezing
from autograder.submissions.handing_in.drafts import MAX_SOURCE_BYTES
from autograder.submissions.models import Kind, Submission
from tests.cast import Cast, ago, ahead
from tests.library.notebooks.made import code, notebook
from tests.submissions.test_claims_at_once import Site
from tests.web.conftest import Signed, change, checked, grade, page, reported, words

pytestmark = pytest.mark.django_db
PRESSED_AT = "/c/autodiff/value-engine/hand-in/"
SCRIPT = {"HX-Request": "true"}


def where(cast: Cast, name: str = "submit") -> str:
    return reverse(name, args=(cast.course.slug, cast.assignment.slug))


def sent(browser: Client, cast: Cast, headers: dict[str, str] | None = None, **form: Any) -> HttpResponse:
    given = {"kind": "submit", "source": "x = 1\n", "once": "press"} | form
    return browser.post(where(cast), given, headers=headers or {})  # type: ignore[return-value]


def upload(name: str, content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content, "text/x-python")


@pytest.mark.parametrize("kind", Kind)
def test_without_a_script_one_comes_back_to_the_page_with_the_result(cast: Cast, signed: Signed, kind: Kind) -> None:
    response = sent(signed("ada"), cast, kind=kind)
    submission = Submission.objects.get()
    assert (submission.kind, bytes(submission.source)) == (kind, b"x = 1\n")
    assert response["Location"] == f"{where(cast, 'exercise')}?s={submission.pk}#result"


@pytest.mark.parametrize("kind", Kind)
def test_a_script_gets_the_result_the_next_press_and_what_is_left(cast: Cast, signed: Signed, kind: Kind) -> None:
    change(cast, attempt_limit=7)
    response = sent(signed("ada"), cast, SCRIPT, kind=kind)
    text = response.content.decode()
    assert response.status_code == 200
    assert text.startswith('<div class="outcome" id="outcome"')
    assert "Next in line" in text
    assert 'hx-swap-oob="true"' in text
    assert 'name="once" id="once" value=""' not in text
    assert "disabled" not in text
    assert f"{6 if kind == Kind.SUBMIT else 7} submissions left" in text


def test_a_frozen_gradebook_says_so_before_one_submits(cast: Cast, signed: Signed) -> None:
    says = "The gradebook is frozen: a submission is graded, but your points do not change."
    assert says not in words(page(signed("ada"), where(cast, "exercise")))
    freezing.freeze(course=cast.course, by=cast.staff)
    assert says in words(page(signed("ada"), where(cast, "exercise")))
    assert says in words(sent(signed("ada"), cast, SCRIPT).content.decode()), "and after"


def test_the_line_ends_of_a_form_are_made_plain(cast: Cast, signed: Signed) -> None:
    sent(signed("ada"), cast, source="def f():\r\n    return 1\r\n")
    assert bytes(Submission.objects.get().source) == b"def f():\n    return 1\n"


def test_an_uploaded_file_goes_before_what_is_typed_and_stays_as_it_is(cast: Cast, signed: Signed) -> None:
    sent(signed("ada"), cast, file=upload("value.py", b"x = 2\r\n\xff"))
    assert bytes(Submission.objects.get().source) == b"x = 2\r\n\xff"


def test_an_uploaded_notebook_is_submitted_as_its_code(cast: Cast, signed: Signed) -> None:
    sent(signed("ada"), cast, file=upload("any.ipynb", notebook(code("%time x = 1\ny = 2"))))
    assert bytes(Submission.objects.get().source) == b"# cell 1\n# %time x = 1\ny = 2\n"


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a text file": (
        {"file": upload("notes.txt", b"x = 1")},
        "notes.txt is neither a Python file nor a notebook: the name must end in .py or .ipynb.",
    ),
    "5 MB": (
        {"file": upload("value.py", b"#" * 5_000_000)},
        f"value.py is 5,000,000 bytes; the limit is {MAX_SOURCE_BYTES:,} bytes.",
    ),
    "a damaged notebook": ({"file": upload("value.ipynb", b"{")}, "value.ipynb is not a valid notebook."),
    "too long": (
        {"source": "#" * (MAX_SOURCE_BYTES + 1)},
        f"The file is {MAX_SOURCE_BYTES + 1:,} bytes; the limit is {MAX_SOURCE_BYTES:,} bytes.",
    ),
    "empty": ({"source": " \r\n"}, "The file is empty. Nothing was submitted."),
    "an empty file": ({"file": upload("value.py", b"\n")}, "The file is empty."),
    "an unknown kind": (
        {"kind": "grade"},
        "The request does not say whether to run or to submit. Nothing was submitted. Reload the page.",
    ),
    "no kind": ({"kind": ""}, "The request does not say whether to run or to submit."),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_is_refused_with_a_sentence(cast: Cast, signed: Signed, case: str) -> None:
    form, sentence = REFUSED[case]
    for file in form.values():
        if isinstance(file, SimpleUploadedFile):
            file.seek(0)
    told = sent(signed("ada"), cast, SCRIPT, **form)
    assert (told.status_code, told["Content-Type"]) == (422, "text/plain; charset=utf-8")
    assert sentence in told.content.decode()
    assert len(told.content) <= 500
    assert not Submission.objects.exists()


def test_a_refused_page_has_the_sentence_and_what_was_typed(cast: Cast, signed: Signed) -> None:
    typed = "kept = '<b>' # & all of it\r\n"
    response = sent(signed("ada"), cast, source=typed, kind="grade")
    text = response.content.decode()
    assert response.status_code == 409
    assert "does not say whether to run or to submit" in text
    assert "kept = &#x27;&lt;b&gt;&#x27; # &amp; all of it" in text


CLOSED: dict[str, tuple[dict[str, Any], str]] = {
    "too early": ({"opens_at": ahead(days=1)}, "opens on"),
    "closed": ({"closes_at": ago(days=1)}, "Ask your instructor if you need more time."),
    "none left": ({"attempt_limit": 1}, "You have no submissions left for value-engine (1 of 1 used)."),
    "cool-down": ({"cool_down": timedelta(seconds=50)}, "before your next submission for value-engine."),
}


@pytest.mark.parametrize("case", CLOSED)
def test_when_it_is_not_the_time(cast: Cast, signed: Signed, case: str) -> None:
    settings, sentence = CLOSED[case]
    cast.hands_in("ada", b"x = 0\n")
    change(cast, **settings)
    browser = signed("ada")
    told = sent(browser, cast, SCRIPT)
    waits = case == "cool-down"
    assert told.status_code == (429 if waits else 422)
    assert sentence in told.content.decode()
    page = sent(browser, cast, source="typed = 1")
    assert page.status_code == (429 if waits else 409)
    assert told.get("Retry-After") == page.get("Retry-After") == ("50" if waits else None)
    if case != "too early":  # then the exercise has no page yet
        assert sentence in page.content.decode()
        assert "typed = 1" in page.content.decode()
    assert Submission.objects.count() == 1


def test_runs_go_on_when_no_submission_is_left(cast: Cast, signed: Signed) -> None:
    change(cast, attempt_limit=1, cool_down=timedelta(hours=1))
    cast.hands_in("ada", b"x = 0\n")
    assert sent(signed("ada"), cast, SCRIPT, kind="run").status_code == 200


def test_dates_in_a_refusal_are_the_readers_own(cast: Cast, signed: Signed) -> None:
    cast.course.time_zone = "Europe/Berlin"
    cast.course.save()
    change(cast, closes_at=ago(days=1).replace(month=1, day=5, hour=22, minute=30, year=2026))
    assert "closed on 05 January 2026, 23:30 CET." in sent(signed("ada"), cast, SCRIPT).content.decode()


# -- requests that are too large

HUGE = "#" * 5_000_000


def test_a_form_of_5_mb_is_refused_with_a_sentence_on_our_page(cast: Cast, signed: Signed) -> None:
    response = sent(signed("ada"), cast, source=HUGE)
    text = response.content.decode()
    assert response.status_code == 413
    assert "<h1>Too large</h1>" in text
    assert f"at most {MAX_SOURCE_BYTES:,} bytes" in text
    assert not Submission.objects.exists()


def test_a_script_that_sends_5_mb_gets_the_sentence_alone(cast: Cast, signed: Signed) -> None:
    response = sent(signed("ada"), cast, SCRIPT, source=HUGE)
    assert (response.status_code, response["Content-Type"]) == (413, "text/plain; charset=utf-8")
    draft = signed("ada").post(where(cast, "draft"), {"source": HUGE, "seen": 0}, headers={"Accept": "application/json"})
    assert draft.status_code == 413
    assert "Nothing was submitted or saved." in draft.json()["text"]


def test_it_is_the_same_where_tokens_are_checked(cast: Cast) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(cast.student("ada"))
    browser.get(where(cast, "exercise"))
    token = browser.cookies["csrftoken"].value
    assert sent(browser, cast, csrfmiddlewaretoken=token).status_code == 302
    assert sent(browser, cast, csrfmiddlewaretoken=token, source=HUGE).status_code == 413


# -- double clicks


def test_pressed_twice_it_is_one_submission(cast: Cast, signed: Signed) -> None:
    browser = signed("ada")
    first, second = sent(browser, cast), sent(browser, cast)
    assert first["Location"] == second["Location"]
    assert Submission.objects.count() == 1
    assert sent(browser, cast, SCRIPT).status_code == 200
    assert Submission.objects.count() == 1


def test_pressed_twice_with_one_submission_left_is_not_refused(cast: Cast, signed: Signed) -> None:
    change(cast, attempt_limit=1)
    sent(signed("ada"), cast)
    assert sent(signed("ada"), cast).status_code == 302


@pytest.mark.parametrize("changed", [{"source": "x = 2\n"}, {"kind": "run"}])
def test_gone_back_changed_and_sent_again_is_something_new(cast: Cast, signed: Signed, changed: dict[str, Any]) -> None:
    sent(signed("ada"), cast)
    sent(signed("ada"), cast, **changed)
    assert Submission.objects.count() == 2


def test_the_same_press_of_two_students_is_two_submissions(cast: Cast, signed: Signed) -> None:
    sent(signed("ada"), cast)
    sent(signed("ben"), cast)
    assert Submission.objects.count() == 2


def test_a_press_never_opens_a_result_by_the_rules_of_another_exercise(cast: Cast, signed: Signed) -> None:
    """Regression test: sending the same token to an exercise that shows hidden results revealed those of one that hides
    them.
    """
    change(cast, show_hidden=ShowHidden.NEVER)
    browser = signed("ada")
    sent(browser, cast)
    hidden = checked("hush", hidden=True, passed=False, message="a secret")
    grade(Submission.objects.get(), reported(checked("one"), hidden))
    cast.assignment = cast.assign("value-unary", show_hidden=ShowHidden.ALWAYS)
    assert "a secret" not in sent(browser, cast, SCRIPT).content.decode()
    assert Submission.objects.count() == 2


def test_pressed_twice_at_the_same_moment_it_is_one_submission(tmp_path: Path) -> None:
    with Site(tmp_path, f"sqlite:///{tmp_path / 'gradus.sqlite3'}") as site:
        site.python("from tests.cast import Cast; Cast().student('ada')")
        found = site.at_once("press", [("ada", PRESSED_AT)] * 4)
        assert len({tuple(each) for each in found}) == 1, found
        assert site.ask("from autograder.submissions.models import Submission; print(Submission.objects.count())") == "1"


# -- GET requests


@pytest.mark.parametrize("name", ["submit", "restore"])
def test_back_from_signing_in_one_is_at_the_desk(cast: Cast, signed: Signed, name: str) -> None:
    assert Client().post(where(cast, name), {})["Location"] == f"/sign-in/?next={where(cast, name)}"
    assert signed("ada").get(where(cast, name))["Location"] == where(cast, "exercise")


@pytest.mark.parametrize("name", ["starter", "download", "draft"])
def test_the_starter_is_not_there_before_the_exercise_opens(cast: Cast, signed: Signed, name: str) -> None:
    change(cast, opens_at=ahead(days=1))
    assert signed("ada").get(where(cast, name)).status_code == 404
    assert "You can read the task then" in signed("ada").get(where(cast, "exercise")).content.decode()
    assert "def " not in signed("ada").get(where(cast, "exercise")).content.decode()
    assert signed(cast.owner.username).get(where(cast, name)).status_code == 200


# -- confirmation


SAME = "This is the same code as submission 1. Submit anyway?"
LATE = "The due date has passed. A submission now earns 50% credit. Submit anyway?"


def handed_in() -> int:
    return Submission.objects.filter(kind=Kind.SUBMIT).count()


def test_the_same_code_again_is_asked_about_and_goes_in_when_confirmed(cast: Cast, signed: Signed) -> None:
    browser = signed("ada")
    sent(browser, cast)
    asked = sent(browser, cast, SCRIPT, once="again")
    assert (asked.status_code, asked.content.decode(), handed_in()) == (422, SAME, 1)
    confirmed = asked["Gradus-Confirm"]
    other = sent(browser, cast, SCRIPT, once="again", source="x = 1\n#", confirmed=confirmed)
    assert (other.status_code, handed_in()) == (200, 2)
    assert sent(browser, cast, SCRIPT, once="again", confirmed=confirmed).status_code == 200
    assert handed_in() == 3


def test_a_confirmation_holds_for_the_file_that_was_asked_about(cast: Cast, signed: Signed) -> None:
    browser = signed("ada")
    for source in ("x = 1\n", "x = 2\n"):
        sent(browser, cast, source=source)
    confirmed = sent(browser, cast, SCRIPT, once="again")["Gradus-Confirm"]
    asked = sent(browser, cast, SCRIPT, once="again", source="x = 2\n", confirmed=confirmed)
    assert asked.content.decode() == "This is the same code as submission 2. Submit anyway?"


def test_without_a_script_the_question_comes_with_a_button_and_what_was_typed(cast: Cast, signed: Signed) -> None:
    browser = signed("ada")
    sent(browser, cast)
    text = sent(browser, cast, once="again").content.decode()
    assert SAME in text
    assert '<button class="btn small" form="code" name="kind" value="submit">Submit anyway</button>' in text
    assert "x = 1\n</textarea>" in text
    token = text.partition('name="confirmed" value="')[2].partition('"')[0]
    assert len(token) == 32
    assert sent(browser, cast, once="again", confirmed=token).status_code == 302
    assert handed_in() == 2


def test_what_was_never_graded_is_not_the_same_again(cast: Cast, signed: Signed) -> None:
    browser = signed("ada")
    sent(browser, cast)
    Submission.objects.get().work.update(state="failed", lease_until=None, ended_at=ago())
    assert sent(browser, cast, once="again").status_code == 302


def test_runs_and_other_students_are_not_compared(cast: Cast, signed: Signed) -> None:
    assert sent(signed("ada"), cast, kind="run").status_code == 302
    assert sent(signed("ben"), cast).status_code == 302
    assert sent(signed("ada"), cast, once="again").status_code == 302
    assert sent(signed("ada"), cast, kind="run", once="third").status_code == 302


def test_the_first_late_submission_is_asked_about(cast: Cast, signed: Signed) -> None:
    change(cast, due_at=ago(days=1), late_share="0.5", policy="best")
    browser = signed("ada")
    page = browser.get(where(cast, "exercise")).content.decode()
    assert "Late: a submission now earns 50% credit." in page
    asked = sent(browser, cast, SCRIPT)
    assert (asked.content.decode(), handed_in()) == (LATE, 0)
    sent(browser, cast, confirmed=asked["Gradus-Confirm"])
    assert sent(browser, cast, once="again", source="x = 2\n").status_code == 302
    assert handed_in() == 2


def test_where_lateness_costs_nothing_nothing_is_asked(cast: Cast, signed: Signed) -> None:
    change(cast, due_at=ago(days=1), policy="best")
    assert "Late:" not in signed("ada").get(where(cast, "exercise")).content.decode()
    assert sent(signed("ada"), cast).status_code == 302


def test_each_day_costs_more(cast: Cast, signed: Signed) -> None:
    change(cast, due_at=ago(hours=25), late_per_day="0.1")
    asked = sent(signed("ada"), cast, SCRIPT)
    assert asked.content.decode() == "The due date has passed. A submission now earns 80% credit. Submit anyway?"


def test_within_the_grace_period_nothing_is_late(cast: Cast, signed: Signed) -> None:
    change(cast, due_at=ago(minutes=10), late_share="0.5", late_grace=timedelta(minutes=15))
    assert sent(signed("ada"), cast).status_code == 302


def test_a_late_day_that_would_be_used_is_said(cast: Cast, signed: Signed) -> None:
    Course.objects.update(late_days=3)
    change(cast, due_at=ago(hours=1), late_share="0.5")
    asked = sent(signed("ada"), cast, SCRIPT)
    assert "A submission now uses 1 late day and earns full credit." in asked.content.decode()
    change(cast, late_days_limit=0)
    assert "A submission now earns 50% credit." in sent(signed("ada"), cast, SCRIPT).content.decode()


def test_after_the_last_date_for_credit_it_counts_nothing(cast: Cast, signed: Signed) -> None:
    Course.objects.update(late_days=3)
    change(cast, due_at=ago(days=2), no_credit_after=ago(days=1))
    assert "A submission now earns no credit." in sent(signed("ada"), cast, SCRIPT).content.decode()


def test_two_questions_are_asked_at_once(cast: Cast, signed: Signed) -> None:
    browser = signed("ada")
    sent(browser, cast)
    change(cast, due_at=ago(seconds=0), late_share="0.5", policy="last")
    Submission.objects.update(submitted_at=ago(days=1))
    asked = sent(browser, cast, SCRIPT, once="again").content.decode()
    assert asked == SAME.replace("Submit anyway?", LATE)


def test_what_is_refused_is_not_asked_about_first(cast: Cast, signed: Signed) -> None:
    change(cast, attempt_limit=1)
    browser = signed("ada")
    sent(browser, cast)
    assert "You have no submissions left" in sent(browser, cast, SCRIPT, once="again").content.decode()
