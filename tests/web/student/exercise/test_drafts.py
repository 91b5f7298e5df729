"""Drafts: saved while typing, never overwritten silently, and restored after a submission was loaded into the editor."""

import json

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from autograder.submissions.handing_in.drafts import MAX_SOURCE_BYTES
from autograder.submissions.models import Draft
from tests.cast import Cast, source_of
from tests.web.conftest import Signed, words

pytestmark = pytest.mark.django_db


def where(cast: Cast, name: str = "draft") -> str:
    return reverse(name, args=(cast.course.slug, cast.assignment.slug))


def save(browser: Client, cast: Cast, source: str, seen: object, **more: object) -> HttpResponse:
    return browser.post(where(cast), {"source": source, "seen": seen, **more})  # type: ignore[return-value]


def kept(browser: Client, cast: Cast) -> str:
    return str(browser.get(where(cast)).json()["source"])


def test_before_the_first_there_is_the_starter(cast: Cast, signed: Signed) -> None:
    found = signed("ada").get(where(cast)).json()
    assert found == {"version": 0, "source": source_of("value-engine", "starter").decode(), "text": ""}
    assert not Draft.objects.exists()


def test_what_is_saved_is_there_on_another_device(cast: Cast, signed: Signed) -> None:
    saved = save(signed("ada"), cast, "x = 1\r\ny = 2\r\n", 0)
    assert (saved.status_code, saved.headers["Content-Type"]) == (200, "application/json")
    other = signed("ada").get(where(cast)).json()
    assert (other["version"], other["source"]) == (1, "x = 1\ny = 2\n")
    assert other["text"].startswith("Draft saved ")
    page = signed("ada").get(where(cast, "exercise")).content.decode()
    assert "x = 1\ny = 2\n</textarea>" in page
    assert 'data-draft-version="1"' in page
    assert signed("ada").get(where(cast, "download")).content == b"x = 1\ny = 2\n"


def test_who_saves_over_something_newer_is_told_and_given_it(cast: Cast, signed: Signed) -> None:
    browser = signed("ada")
    save(browser, cast, "first", 0)
    save(browser, cast, "second", 1)
    refused = save(browser, cast, "older page", 1)
    assert refused.status_code == 409
    found = signed("ada").get(where(cast)).json()
    assert (found["version"], found["source"]) == (2, "second")
    assert save(browser, cast, "second", 1).status_code == 200, "the same text is no conflict"


def test_the_newest_is_in_the_answer(cast: Cast, signed: Signed) -> None:
    save(signed("ada"), cast, "first", 0)
    refused = signed("ada").post(where(cast), {"source": "<b>older page", "seen": 0})
    assert refused.status_code == 409
    answer = refused.json()
    assert (answer["version"], answer["source"]) == (1, "first")
    versions = answer["versions"]
    assert "Your code was also changed in another tab or on another device" in words(versions)
    assert 'class="del"' in versions and "<code>first</code>" in versions
    assert 'class="add"' in versions and "<code>&lt;b&gt;older page</code>" in versions


def test_files_that_have_little_in_common_are_answered_with_the_saved_one(cast: Cast, signed: Signed) -> None:
    save(signed("ada"), cast, "\n".join(f"saved {n}" for n in range(900)), 0)
    refused = save(signed("ada"), cast, "\n".join(f"here {n}" for n in range(900)), 0)
    versions = json.loads(refused.content)["versions"]
    assert "They differ in many lines. This is the saved code:" in words(versions)
    assert "saved 0\nsaved 1\n" in versions and "here 0" not in versions


def test_a_text_is_not_saved_for_somebody_who_signed_in_since(cast: Cast, signed: Signed) -> None:
    refused = save(signed("ben"), cast, "ada's text", 0, owner=cast.student("ada").pk)
    assert refused.status_code == 403
    assert b"This browser is now signed in to another account" in refused.content
    assert not Draft.objects.exists()


def test_too_large_a_text_is_not_kept(cast: Cast, signed: Signed) -> None:
    save(signed("ada"), cast, "short", 0)
    refused = save(signed("ada"), cast, "#" * (MAX_SOURCE_BYTES + 1), 1)
    assert refused.status_code == 413
    assert f"the limit is {MAX_SOURCE_BYTES:,} bytes" in refused.content.decode()
    assert kept(signed("ada"), cast) == "short"


@pytest.mark.parametrize("seen", ["", "newest", "-1", "1.5"])
def test_a_page_that_does_not_say_what_it_began_with(cast: Cast, signed: Signed, seen: str) -> None:
    assert save(signed("ada"), cast, "x", seen).status_code == 400
    assert not Draft.objects.exists()


def test_a_draft_of_nothing_stays_nothing(cast: Cast, signed: Signed) -> None:
    save(signed("ada"), cast, "", 0)
    assert "\n</textarea>" in signed("ada").get(where(cast, "exercise")).content.decode()
    assert kept(signed("ada"), cast) == ""


def test_a_first_line_break_is_not_lost_in_the_page(cast: Cast, signed: Signed) -> None:
    save(signed("ada"), cast, "\nx = 1\n", 0)
    assert '">\n\nx = 1\n</textarea>' in signed("ada").get(where(cast, "exercise")).content.decode()


def test_no_null_bytes_in_a_draft(cast: Cast, signed: Signed) -> None:
    save(signed("ada"), cast, "a\0b", 0)
    assert kept(signed("ada"), cast) == "a\N{REPLACEMENT CHARACTER}b"
    submission = cast.hands_in("ada", b"c\0d\xff")
    signed("ada").post(where(cast, "restore"), {"submission": submission.pk})
    assert kept(signed("ada"), cast) == "c\N{REPLACEMENT CHARACTER}d\N{REPLACEMENT CHARACTER}"


# -- restoring a submission


def test_a_submission_is_restored_and_what_was_there_comes_back(cast: Cast, signed: Signed) -> None:
    browser = signed("ada")
    submission = cast.hands_in("ada", b"old = 1\n")
    save(browser, cast, "newer = 2\n", 0)
    answer = browser.post(where(cast, "restore"), {"submission": submission.pk}, follow=True)
    text = answer.content.decode()
    assert answer.redirect_chain[-1][0] == f"{where(cast, 'exercise')}#code"
    assert "Submission 1 was restored to the editor." in text
    assert 'form="put-back"' in text
    assert kept(browser, cast) == "old = 1\n"
    undone = browser.post(where(cast, "restore"), {}, follow=True).content.decode()
    assert "Your previous code was restored to the editor." in undone
    assert 'form="put-back"' not in undone
    assert kept(browser, cast) == "newer = 2\n"


def test_without_a_draft_the_way_back_is_the_starter(cast: Cast, signed: Signed) -> None:
    submission = cast.hands_in("ada", b"old = 1\n")
    signed("ada").post(where(cast, "restore"), {"submission": submission.pk})
    signed("ada").post(where(cast, "restore"), {})
    assert kept(signed("ada"), cast) == source_of("value-engine", "starter").decode()


def test_with_nothing_to_go_back_to(cast: Cast, signed: Signed) -> None:
    text = signed("ada").post(where(cast, "restore"), {}, follow=True).content.decode()
    assert "There is no previous code to restore." in text


def test_another_page_notices_what_was_restored(cast: Cast, signed: Signed) -> None:
    submission = cast.hands_in("ada", b"old = 1\n")
    save(signed("ada"), cast, "typed", 0)
    signed("ada").post(where(cast, "restore"), {"submission": submission.pk})
    assert save(signed("ada"), cast, "typed more", 1).status_code == 409


@pytest.mark.parametrize("whose", ["ben", "ada"])
def test_only_what_is_ones_own_is_restored(cast: Cast, signed: Signed, whose: str) -> None:
    submission = cast.hands_in(whose, b"somebody's\n")
    answer = signed("ada").post(where(cast, "restore"), {"submission": submission.pk})
    assert answer.status_code == (302 if whose == "ada" else 404)
    staff = signed(cast.owner.username).post(where(cast, "restore"), {"submission": submission.pk})
    assert staff.status_code == 404
