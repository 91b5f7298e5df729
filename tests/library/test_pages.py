"""A version's page: made when it is loaded, made again when the way of showing changes, and kindly missed."""

import logging

import pytest
from django.test import Client
from django.urls import reverse

from autograder.judge import pack as packs
from autograder.library import pages, versions
from autograder.library.models import VersionPage
from autograder.library.pages import NotPrepared, page_of
from autograder.library.versions import load_folders, make_pages
from tests.cast import Cast, ago, ahead, source_of, version_of
from tests.conftest import EXERCISES

pytestmark = pytest.mark.django_db
SLUG = "value-engine"


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    versions.forget()


def test_loading_makes_the_page() -> None:
    version = version_of(SLUG)
    page, pack = page_of(version), packs.load(packs.find(EXERCISES, SLUG))
    assert page.starter == source_of(SLUG, "starter").decode()
    assert [check.title for check in page.checks] == [check.title for check in pack.checks]
    assert len(page.public) + len(page.hidden) == len(pack.checks)
    assert "<p>" in page.statement
    assert page.summary


def test_loading_again_leaves_it() -> None:
    version_of(SLUG)
    before = VersionPage.objects.get()
    version_of(SLUG)
    assert VersionPage.objects.get().pk == before.pk


def test_a_version_of_before_gets_its_page_when_anything_is_loaded() -> None:
    version = version_of(SLUG)
    VersionPage.objects.all().delete()
    load_folders([packs.find(EXERCISES, "value-unary")])
    version.refresh_from_db()
    assert page_of(version).summary


def test_a_page_that_was_made_otherwise_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    version = version_of(SLUG)
    VersionPage.objects.update(statement="as it was")
    make_pages()
    assert VersionPage.objects.get().statement == "as it was"
    monkeypatch.setattr(pages, "MADE_BY", pages.MADE_BY + 1)
    make_pages()
    version.refresh_from_db()
    assert page_of(version).statement != "as it was"


def test_without_a_page_the_operator_is_told_what_to_type() -> None:
    version = version_of(SLUG)
    VersionPage.objects.all().delete()
    version.refresh_from_db()
    with pytest.raises(
        NotPrepared, match=f"{version.hash} of {SLUG} has no page yet. Create it with manage.py exercise load"
    ):
        page_of(version)


@pytest.mark.parametrize("name", ["exercise", "draft", "starter", "outcome", "submit"])
def test_a_reader_is_told_kindly_and_the_log_says_why(name: str, caplog: pytest.LogCaptureFixture) -> None:
    cast = Cast(SLUG)
    submission = cast.hands_in("ada", b"def f(): pass\n")
    submission.work.update(state="running", started_at=ago(), lease_until=ahead(minutes=1))
    VersionPage.objects.all().delete()
    browser = Client()
    browser.force_login(cast.student("ada"))
    where = (submission.pk,) if name == "outcome" else (cast.course.slug, cast.assignment.slug)
    with caplog.at_level(logging.ERROR, "gradus.web"):
        if name == "submit":
            answer = browser.post(reverse(name, args=where), {"kind": "bad"})
        else:
            answer = browser.get(reverse(name, args=where))
    assert answer.status_code == 503
    assert "This exercise is still being prepared." in answer.content.decode()
    assert "Create it with manage.py exercise load" in caplog.text
    assert "manage.py" not in answer.content.decode()
