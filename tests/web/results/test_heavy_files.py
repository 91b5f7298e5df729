"""Any file within the size limit is cheap to show, on every page that shows it."""

import random
import time

import pytest
from django.urls import reverse

from autograder.courses.models import Role
from autograder.submissions.comments import comment_add
from autograder.submissions.handing_in.intake import MAX_SOURCE_BYTES
from autograder.submissions.models import Submission
from autograder.web.results import diff
from autograder.web.results.diff import TOO_DIFFERENT, TOO_LONG, diff_lines
from autograder.web.results.shown_file import MAX_CHARACTERS, MAX_LINES, shown_file
from autograder.web.results.source_listing import listing_of
from tests.cast import Cast
from tests.web.conftest import Signed, checked, grade, member, page, reported, words

pytestmark = pytest.mark.django_db
CPU_SECONDS = 2.0  # an idle machine needs less than 0.25; without limits, these take from 5 s to minutes
PAGE_BYTES = 4_000_000  # twice the file in an editor, escaped

Files = tuple[bytes, bytes]


def filled(unit: bytes, size: int = MAX_SOURCE_BYTES) -> bytes:
    return (unit * (size // len(unit) + 1))[:size]


def distinct(letter: str, lines: int) -> bytes:
    return "".join(f"{letter}{n}\n" for n in range(lines)).encode()


def two_letters(seed: int, lines: int) -> bytes:
    drawn = random.Random(seed)
    return "".join(f"{drawn.choice('ab')}\n" for _ in range(lines)).encode()


HEAVY: dict[str, Files] = {
    "equal lines": (filled(b"x = 1\n", 96_000), filled(b"x = 1\n", 95_994)),
    "short lines": (filled(b"x\n"), filled(b"y\n")),
    "empty lines": (b"x" + filled(b"\n", MAX_SOURCE_BYTES - 1), b"xy" + filled(b"\n", MAX_SOURCE_BYTES - 2)),
    "tabs": (
        b"x" + filled(b"\t" * 60 + b"\n", MAX_SOURCE_BYTES - 1),
        b"x" + filled(b"\t" * 59 + b"\n", MAX_SOURCE_BYTES - 1),
    ),
    "one line": (filled(b"x"), filled(b"y")),
    "quotes": (filled(b"'\n"), filled(b'"\n')),
    "control characters": (filled(b"\x1b"), filled(b"\x1b\n")),
    "no UTF-8": (filled(b"\xff"), filled(b"\xff\n")),
    "nothing in common": (distinct("a", MAX_LINES), distinct("b", MAX_LINES)),
    "nothing in common, just comparable": (distinct("a", 310), distinct("b", 310)),
    "much in common, nothing in place": (two_letters(1, MAX_LINES), two_letters(2, MAX_LINES)),
    "just coloured": (filled(b"+x", 9_999), filled(b"x\n", 9_999)),
    "just shown": (filled(b"x = 1  # one\n", 12 * MAX_LINES), filled(b"x = 2  # two\n", 12 * MAX_LINES)),
    "just shown, wide": (filled(b"'" * 49 + b"\n", MAX_CHARACTERS), filled(b'"' * 49 + b"\n", MAX_CHARACTERS)),
}


def graded(cast: Cast, source: bytes) -> Submission:
    submission = cast.hands_in("ada", source)
    grade(submission, reported(checked("one", passed=False)))
    return submission


@pytest.mark.parametrize("files", HEAVY.values(), ids=HEAVY)
def test_rendering_any_file_takes_bounded_work(cast: Cast, signed: Signed, files: Files) -> None:
    older, newer = (graded(cast, source) for source in files)
    ines = member(cast, "ines", Role.INSTRUCTOR)
    comment_add(submission=newer, by=ines, text="Why?")
    ada, course, slug = signed("ada"), cast.course.slug, cast.assignment.slug
    pages = {
        "compare": (ada, reverse("compare", args=(course, slug)) + f"?s={older.pk}&s={newer.pk}"),
        "outcome": (ada, reverse("outcome", args=(newer.pk,))),
        "exercise": (ada, reverse("exercise", args=(course, slug)) + f"?s={newer.pk}&line=1"),
        "staff": (signed("ines"), reverse("submission", args=(course, newer.pk))),
    }
    page(ada, reverse("history", args=(course, slug)))  # fills the template cache
    for name, (browser, address) in pages.items():
        began = time.process_time()
        text = page(browser, address)
        took = time.process_time() - began
        print(f"{name}: {1000 * took:.0f} ms of CPU, {len(text.encode()):,} bytes")
        assert took < CPU_SECONDS, name
        assert len(text.encode()) < PAGE_BYTES, name


# -- long files -----------------------------------------------------------------------------------------------------------


def test_of_a_long_file_the_beginning_is_shown_and_all_of_it_can_be_downloaded(cast: Cast, signed: Signed) -> None:
    submission = graded(cast, distinct("a", MAX_LINES + 200))
    ines = member(cast, "ines", Role.INSTRUCTOR)
    comment_add(submission=submission, by=ines, text="Far below.", line=MAX_LINES + 100)
    text = page(signed("ines"), reverse("submission", args=(cast.course.slug, submission.pk)))
    assert f"<code>a{MAX_LINES - 1}</code>" in text.replace('<span class="n">', "").replace("</span>", "")
    assert f'id="L{MAX_LINES + 1}"' not in text
    assert (
        f"Only the beginning of this file is shown. The whole file is 1,200 lines long ({len(submission.source):,} bytes)."
        in words(text)
    )
    assert f'href="{reverse("source", args=(submission.pk,))}"' in text
    assert f"Line {MAX_LINES + 100}" in text and "Far below." in text


def test_a_file_at_the_limit_is_shown_whole(cast: Cast) -> None:
    lines = distinct("a", MAX_LINES)
    assert (len(listing_of(cast.hands_in("ada", lines)).lines), shown_file(lines).note) == (MAX_LINES, "")
    assert not shown_file(b"x" * MAX_CHARACTERS + b"\n").cut
    assert shown_file(b"x" * (MAX_CHARACTERS + 1)).cut
    assert shown_file(b"\t" * (MAX_CHARACTERS // 4 + 1) + b"x").cut


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ((distinct("a", MAX_LINES + 1), distinct("a", MAX_LINES)), TOO_LONG),
        ((distinct("a", MAX_LINES), distinct("b", MAX_LINES)), TOO_DIFFERENT),
    ],
)
def test_files_too_large_to_compare_are_offered_as_downloads(cast: Cast, signed: Signed, files: Files, said: str) -> None:
    older, newer = (graded(cast, source) for source in files)
    ada = signed("ada")
    text = page(ada, reverse("compare", args=(cast.course.slug, cast.assignment.slug)) + f"?s={older.pk}&s={newer.pk}")
    assert said in words(text)
    for submission in (older, newer):
        assert f'href="{reverse("source", args=(submission.pk,))}" download=' in text
    since = page(ada, reverse("outcome", args=(newer.pk,))).partition('id="since"')[2]
    assert said in words(since)
    assert f'href="{reverse("source", args=(older.pk,))}" download="submission-1.py"' in since


def test_no_letter_of_a_diff_turns_the_reading_direction(cast: Cast, signed: Signed) -> None:
    older, newer = graded(cast, b"x = 1\n"), graded(cast, "x = 1  # \u202e1 = y\n".encode())
    text = page(
        signed("ada"), reverse("compare", args=(cast.course.slug, cast.assignment.slug)) + f"?s={older.pk}&s={newer.pk}"
    )
    assert "\\u202e1 = y" in text and "\u202e1" not in text


# -- the shortest diff


def longest_common(left: str, right: str) -> int:
    lengths = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            lengths[i + 1][j + 1] = lengths[i][j] + 1 if a == b else max(lengths[i][j + 1], lengths[i + 1][j])
    return lengths[-1][-1]


def test_a_diff_is_as_short_as_can_be_and_each_line_is_where_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diff, "CONTEXT", 20)
    drawn = random.Random(7)
    for _ in range(300):
        left, right = ("".join(drawn.choices("abcd", k=drawn.randrange(12))) for _ in range(2))
        lines = diff_lines(left, right)
        assert lines is not None
        for line in lines:
            assert (left if line.css == "del" else right)[line.number - 1] == line.text
        kept = len(right) - sum(line.css == "add" for line in lines)
        assert kept == len(left) - sum(line.css == "del" for line in lines) == longest_common(left, right)
