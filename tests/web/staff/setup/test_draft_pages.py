"""Pages of drafts: beginning, the workspace, its proof, settings, trying, publishing."""

import io
import re
import zipfile
from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from autograder.authoring import drafts
from autograder.authoring.models import Draft, DraftProof, Publication
from autograder.courses.models import Role, User
from autograder.prove.findings import RULES, Finding
from tests.authoring.conftest import proved
from tests.cast import Cast
from tests.web.conftest import browser_of, member

pytestmark = pytest.mark.django_db
STATEMENT = "expect_answer(\n    student.call('scale_vjp', array([[1.0]])),\n    (array([1.0]),),\n    'scale_vjp',\n)"
SURVIVOR = Finding("survivor", "solution.py", 8, "a mutant survives", "-a\n+b", "x = 1\n", "wrong-sign", STATEMENT)
Where = Callable[..., str]


@pytest.fixture
def draft(cast: Cast) -> Draft:
    return drafts.start(cast.course, "vjp", "a-draft", "Softplus", "Own", by=cast.staff)


@pytest.fixture
def grace(cast: Cast) -> Client:
    return browser_of(cast.owner)


def at(cast: Cast, *parts: str) -> str:
    return "/".join([f"/t/{cast.course.slug}/drafts", *parts, ""])


def text_of(page: bytes) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.decode()).split())


def test_a_draft_begins_from_a_template_and_from_an_exercise(cast: Cast, grace: Client) -> None:
    for slug, start in (("mine", "template:function"), ("copied", "copy:value-engine")):
        sent = {
            "do": "template",
            "template-title": "T",
            "template-slug": slug,
            "template-unit": "Own",
            "template-start": start,
        }
        answer = grace.post(at(cast), sent, follow=True)
        assert answer.redirect_chain[-1][0].endswith(f"/drafts/{slug}/") and "works as it is" in text_of(answer.content)
    listed = text_of(grace.get(at(cast)).content)
    assert "waits for a worker" in listed
    assert Draft.objects.get(slug="copied").based_on is not None


def test_a_draft_begins_from_a_function_and_what_cannot_be_read_stays_typed(cast: Cast, grace: Client) -> None:
    about = {"function-title": "Sine", "function-slug": "sine", "function-unit": "Own", "do": "function"}
    refused = grace.post(at(cast), about | {"function-source": "def f(x):\n    return np.fft.fft(x)"})
    said = text_of(refused.content)
    assert "Line 2" in said and "np.fft.fft(x)" in refused.content.decode() and not Draft.objects.exists()
    source, shapes = "def sine(x):\n    return np.sin(x)", "x: n"
    answer = grace.post(at(cast), about | {"function-source": source, "function-shapes": shapes}, follow=True)
    assert "The draft is complete" in text_of(answer.content)
    assert "np.cos(x)" in Draft.objects.get(slug="sine").files.get(path="solution.py").text


def test_a_draft_goes_out_and_comes_in_as_a_zip(cast: Cast, grace: Client, draft: Draft) -> None:
    sent = grace.get(at(cast, "a-draft", "zip"))
    assert sent["Content-Disposition"] == 'attachment; filename="a-draft.zip"'
    assert zipfile.ZipFile(io.BytesIO(sent.content)).testzip() is None
    upload = SimpleUploadedFile("a.zip", sent.content)
    grace.post(at(cast), {"do": "zip", "zip-archive": upload, "zip-slug": "again"})
    assert drafts.texts_of(Draft.objects.get(slug="again")) == drafts.texts_of(draft)
    refused = grace.post(at(cast), {"do": "zip", "zip-archive": SimpleUploadedFile("a.zip", b"no"), "zip-slug": "no"})
    assert "cannot be read as a zip archive" in text_of(refused.content)


def test_a_removed_draft_is_restored(cast: Cast, grace: Client, draft: Draft) -> None:
    grace.post(at(cast), {"do": "remove", "draft": "a-draft"})
    assert "Removed drafts" in text_of(grace.get(at(cast)).content)
    answer = grace.post(at(cast), {"do": "restore", "draft": "a-draft"}, follow=True)
    assert "Softplus was restored." in text_of(answer.content)


def test_the_workspace_shows_all_files_and_saves_one_without_scripts(cast: Cast, grace: Client, draft: Draft) -> None:
    page = grace.get(at(cast, "a-draft"), {"file": "solution.py"}).content.decode()
    for path in drafts.texts_of(draft):
        assert f"file={path.replace('/', '%2F')}" in page or f"file={path}" in page
    sent = {"path": "solution.py", "edition": "1", "text": "x = 1\r\n"}
    grace.post(at(cast, "a-draft"), sent)
    assert draft.files.get(path="solution.py").text == "x = 1\n"
    overtaken = grace.post(at(cast, "a-draft"), sent | {"text": "y = 2"})
    assert overtaken.status_code == 409 and "y = 2" in overtaken.content.decode()
    assert draft.files.get(path="solution.py").text == "x = 1\n"
    assert grace.get(at(cast, "a-draft"), {"file": "nothing.py"}).status_code == 404


def test_saving_as_it_is_typed_answers_with_what_stands(cast: Cast, grace: Client, draft: Draft) -> None:
    where = at(cast, "a-draft", "save")
    saved = grace.post(where, {"path": "checks.py", "edition": "1", "text": "a"})
    assert saved.json()["edition"] == 2
    overtaken = grace.post(where, {"path": "checks.py", "edition": "1", "text": "b"})
    assert overtaken.status_code == 409 and overtaken.json()["text"] == "a" and overtaken.json()["edition"] == 2
    long = grace.post(where, {"path": "checks.py", "edition": "2", "text": "x" * 200_001})
    assert long.status_code == 422 and "too long" in long.json()["message"]
    gone = grace.post(where, {"path": "wrong/gone.py", "edition": "1", "text": ""})
    assert gone.status_code == 409 and "text" not in gone.json()


def test_files_are_added_renamed_and_removed(cast: Cast, grace: Client, draft: Draft) -> None:
    where = at(cast, "a-draft", "files")
    grace.post(where, {"do": "add", "new": "wrong/other.py"})
    grace.post(where, {"do": "rename", "path": "wrong/other.py", "new": "wrong/third.py"})
    edition = draft.files.get(path="wrong/third.py").edition
    answer = grace.post(where, {"do": "remove", "path": "wrong/third.py", "edition": edition}, follow=True)
    assert "wrong/third.py was removed." in text_of(answer.content)
    refused = grace.post(where, {"do": "add", "new": "../x.py"}, follow=True)
    assert "Use letters, digits" in text_of(refused.content)


def test_the_statement_is_previewed_without_what_could_harm(cast: Cast, grace: Client, draft: Draft) -> None:
    evil = '# Hello\n\n<script>alert(1)</script><img src="https://evil.example/x.png" onerror=alert(1)>\n\n![x](https://evil.example/y.png)\n\n$x^2$'
    shown = grace.post(at(cast, "a-draft", "preview"), {"text": evil}).content.decode()
    assert "<script" not in shown.replace('<script src="/static', "") and "<img" not in shown
    assert 'data-tex="x^2"' in shown


def test_the_proof_says_where_it_stands(cast: Cast, grace: Client, draft: Draft) -> None:
    where = at(cast, "a-draft", "proof")
    assert "waits for a worker" in text_of(grace.get(where).content)
    DraftProof.objects.update(running=1, done=3, of=9)
    assert "3 of 9" in text_of(grace.get(where).content)
    DraftProof.objects.update(running=0)
    proved(draft)
    page = grace.get(where).content.decode()
    assert "no findings" in page and "9 of 9 mutants killed" in page and RULES["flicker"] in page
    mark = re.search(r"\?seen=([^\"]+)", page)
    assert mark is not None and grace.get(where, {"seen": mark[1]}).status_code == 204
    drafts.save(draft, "statement.md", "New.", 1, by=cast.staff)
    assert "before your last change" in text_of(grace.get(where, {"seen": mark[1]}).content)


def test_a_survivor_is_killed_or_kept_by_a_button(cast: Cast, grace: Client, draft: Draft) -> None:
    proved(draft, SURVIVOR)
    page = text_of(grace.get(at(cast, "a-draft", "proof")).content)
    assert "Add this question to “Other shapes, including a single row and a single column”" in page
    assert "Keep as wrong/wrong-sign.py" in page
    where, sent = at(cast, "a-draft", "survivor"), {"edition": "1", "number": "0"}
    added = grace.post(where, sent | {"do": "add"})
    assert "file=checks.py#L" in added["Location"]
    assert "expect_answer(" in draft.files.get(path="checks.py").text
    grace.post(where, sent | {"do": "keep", "path": "wrong/wrong-sign.py"})
    assert draft.files.get(path="wrong/wrong-sign.py").text == "x = 1\n"
    for outdated in ({"edition": "7", "number": "0"}, {"edition": "1", "number": "5"}, {"edition": "1", "number": "x"}):
        answer = grace.post(where, outdated | {"do": "add"}, follow=True)
        assert "The proof has changed" in text_of(answer.content)


def test_settings_are_a_form_that_saves_as_it_is_typed(cast: Cast, grace: Client, draft: Draft) -> None:
    page = grace.get(at(cast, "a-draft"), {"file": "exercise.toml"}).content.decode()
    assert 'name="title"' in page and 'value="Softplus"' in page
    assert 'name="text"' in grace.get(at(cast, "a-draft"), {"file": "exercise.toml", "text": "yes"}).content.decode()
    sent = {"title": "Softer", "unit": "Own", "concepts": "a, b", "difficulty": "2", "minutes": "30", "points": "4",
            "profile": "numpy", "edition": "1"}  # fmt: skip
    where, typed = at(cast, "a-draft", "settings"), {"HX-Request": "true"}
    saved = grace.post(where, sent, headers=typed).content.decode()
    assert 'name="edition" value="2"' in saved and "Saved" in saved
    assert 'title = "Softer"' in draft.files.get(path="exercise.toml").text
    wrong = text_of(grace.post(where, sent | {"difficulty": "9", "edition": "2"}, headers=typed).content)
    assert "Not saved yet." in wrong and "difficulty" in wrong.lower()
    overtaken = text_of(grace.post(where, sent | {"title": "Third"}, headers=typed).content)
    assert "has changed exercise.toml since you opened it" in overtaken
    plain = grace.post(where, sent | {"edition": "2", "minutes": ""}, follow=True)
    assert "The settings were saved." in text_of(plain.content)
    drafts.save(draft, "exercise.toml", "title = ", 3, by=cast.staff)
    assert 'name="text"' in grace.get(at(cast, "a-draft"), {"file": "exercise.toml"}).content.decode()


def test_others_are_told_who_has_the_draft_open(cast: Cast, grace: Client, draft: Draft) -> None:
    member(cast, "ines", Role.INSTRUCTOR)
    where = at(cast, "a-draft", "here")
    assert text_of(grace.post(where, {"path": "checks.py"}).content) == ""
    other = browser_of(User.objects.get(username="ines"))
    assert "is at checks.py" in text_of(other.post(where, {"path": "statement.md"}).content)


def test_a_draft_is_tried_on_the_page_of_students(cast: Cast, grace: Client, draft: Draft) -> None:
    refused = grace.post(at(cast, "a-draft", "try"), follow=True)
    assert "have not been read yet" in text_of(refused.content)
    proved(draft)
    tried = grace.post(at(cast, "a-draft", "try"), follow=True)
    shown = text_of(tried.content)
    assert "You are trying a draft as a student." in shown and "Softplus" in shown
    assert tried.redirect_chain[-1][0].startswith("/c/trials-")
    assert "Drafts of" not in text_of(grace.get("/", follow=True).content), "no list of courses has it"
    ann = browser_of(member(cast, "ann", Role.ASSISTANT).user)
    assert ann.get(tried.redirect_chain[-1][0]).status_code == 404


def test_publishing_says_what_is_in_its_way_and_what_is_new(cast: Cast, grace: Client, draft: Draft) -> None:
    where = at(cast, "a-draft", "publish")
    assert "It is still being checked." in text_of(grace.get(where).content)
    proved(draft)
    answer = grace.post(where, {"note": "The first one."}, follow=True)
    assert "Version 1 of Softplus is published." in text_of(answer.content)
    assert "Nothing has changed since version 1." in text_of(answer.content)
    drafts.save(draft, "statement.md", "Other words.", 1, by=cast.staff)
    proved(draft)
    page = text_of(grace.get(where).content)
    assert "What is new" in page and "statement.md changed" in page and "Other words." in page
    grace.post(where, {"note": "Plainer."})
    first, second = (text_of(grace.get(at(cast, "a-draft", "versions", n)).content) for n in "12")
    assert "all files are new" in first and "Other words." in second and "checks.py" not in second
    assert Publication.objects.count() == 2 and grace.get(at(cast, "a-draft", "versions", "3")).status_code == 404


def test_what_is_decided_about_an_exercise_is_said(cast: Cast, grace: Client, draft: Draft) -> None:
    where, page = at(cast, "a-draft", "decide"), at(cast, "a-draft", "publish")
    refused = grace.post(where, {"do": "share"}, follow=True)
    assert "has not been published yet" in text_of(refused.content)
    proved(draft)
    grace.post(page, {"note": "The first one."})
    for do, said in (
        ("share", "Every course of this site can assign it."),
        ("unshare", "Only this course can assign it."),
        ("withdraw", "nobody can assign it"),
        ("bring-back", "Only this course can assign it."),
        ("reader", "waits for the approval"),
        ("no-reader", "can publish alone"),
    ):
        assert said in text_of(grace.post(where, {"do": do}, follow=True).content), do
    assert grace.post(where, {"do": "anything"}).status_code == 404
