"""An exercise of several files on its pages: uploads, what is stored, downloads, line comments, differences, solutions."""

import io
import zipfile
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from autograder.courses.models import Assignment, ShowSolutions
from autograder.courses.setup.assignments import assignment_update
from autograder.judge import files, pack
from autograder.library.uploads import zipped
from autograder.library.versions import load_folders
from autograder.submissions.comments import comment_add
from autograder.submissions.models import Kind, Submission
from tests.cast import Cast
from tests.several_files import CHAIN, WORDS, write
from tests.web.conftest import Signed, checked, grade, page, reported, words

pytestmark = pytest.mark.django_db
OPS = b"def double(n):\n    return n * 2\n"


@pytest.fixture
def chain(cast: Cast, tmp_path: Path) -> Assignment:
    """The exercise `chain` in the course, and before it `words`, from which a file is carried over."""
    loaded = load_folders([write(tmp_path / "unit" / slug, parts) for slug, parts in (("words", WORDS), ("chain", CHAIN))])
    earlier, later = (found.version for found in loaded)
    Assignment.objects.create(course=cast.course, version=earlier, slug="words", title="Words", points=10)
    return Assignment.objects.create(course=cast.course, version=later, slug="chain", title="Chain", points=10)


@pytest.fixture
def solution(tmp_path: Path, chain: Assignment) -> bytes:
    return pack.load(tmp_path / "unit" / "chain").solution


def address(chain: Assignment, name: str) -> str:
    return reverse(name, args=(chain.course.slug, chain.slug))


def graded(submission: Submission, score: float) -> None:
    """Graded with this many of 3 points."""
    missing = [checked("missing", passed=False, points=3 - score)] if score < 3 else []
    grade(submission, reported(checked("found", points=score), *missing))


def submit(browser: Client, chain: Assignment, **sent: object) -> str:
    answer = browser.post(address(chain, "submit"), {"kind": "submit", **sent}, headers={"HX-Request": "true"})
    return answer.content.decode()


def test_the_page_has_all_files_and_keeps_support_files_to_itself(chain: Assignment, signed: Signed) -> None:
    text = page(signed("ada"), address(chain, "exercise"))
    assert 'data-files="chain/engine.py chain/ops.py"' in text
    assert '<template data-given="chain/shape.py">PREFIX = &#x27;slope&#x27;' in text
    assert "# ==== file: chain/ops.py ====" in text
    assert "audit" not in text
    assert "return f&#x27;{a} {b}&#x27;" not in text, "the reference of an earlier exercise is not shown"
    assert "chain/words.py comes from an earlier exercise and is added when you run or submit." in words(text)
    one = page(signed("ada"), reverse("exercise", args=(chain.course.slug, "words")))
    assert "data-files" not in one
    assert "data-tabs" not in one


def test_the_editors_text_is_submitted_and_files_that_are_not_the_students_are_left_out(
    chain: Assignment, solution: bytes, signed: Signed
) -> None:
    sent = (solution + files.join({"chain/shape.py": b"PREFIX = 'edited'\n"})).decode()
    submit(signed("ada"), chain, source=sent)
    assert bytes(Submission.objects.get().source) == solution


@pytest.mark.parametrize("how", ["files", "zip"])
def test_an_upload_takes_the_place_of_the_editors_files(
    how: str, chain: Assignment, solution: bytes, signed: Signed
) -> None:
    sent = files.split(solution) | {"chain/ops.py": OPS}
    if how == "zip":
        upload: object = SimpleUploadedFile("mine.zip", zipped(files.join(sent)))
    else:
        upload = [SimpleUploadedFile(path.rpartition("/")[2], content) for path, content in sent.items()]
    submit(signed("ada"), chain, source="", file=upload)
    assert files.split(bytes(Submission.objects.get().source)) == sent


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (
            "x = 1\n",
            "This exercise consists of several files. Submit chain/engine.py and chain/ops.py, each below its heading line.",
        ),
        ("# ==== file: chain/ops.py ====\nx = 1\n", "The submission has no file chain/engine.py."),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_stored(
    source: str, sentence: str, chain: Assignment, signed: Signed
) -> None:
    assert submit(signed("ada"), chain, source=source) == f"{sentence} Nothing was submitted."
    assert not Submission.objects.exists()


def test_a_bad_archive_is_refused_with_its_reason(chain: Assignment, signed: Signed) -> None:
    said = submit(signed("ada"), chain, source="", file=SimpleUploadedFile("mine.zip", b"no zip"))
    assert said.startswith("mine.zip cannot be read as a zip archive.")
    assert not Submission.objects.exists()


def test_several_files_are_refused_where_one_is_asked_for(cast: Cast, solution: bytes, signed: Signed) -> None:
    answer = signed("ada").post(
        reverse("submit", args=(cast.course.slug, cast.assignment.slug)),
        {"kind": "submit", "source": solution.decode()},
        headers={"HX-Request": "true"},
    )
    assert answer.status_code == 422
    assert answer.content.decode().startswith("This exercise consists of a single file, but the submission has several.")


def test_files_for_the_editor_are_merged_by_the_server_and_nothing_is_stored(
    chain: Assignment, solution: bytes, signed: Signed
) -> None:
    sent = {
        "source": solution.decode(),
        "file": [SimpleUploadedFile("ops.py", OPS), SimpleUploadedFile("notes.py", b"")],
        "path": ["hw/chain/ops.py", "hw/notes.py"],
    }
    found = signed("ada").post(address(chain, "upload"), sent).json()
    assert files.split(found["source"].encode()) == files.split(solution) | {"chain/ops.py": OPS}
    assert found["text"] == "Not used: hw/notes.py."
    assert not Submission.objects.exists()
    refused = signed("ada").post(address(chain, "upload"), {"file": SimpleUploadedFile("a.py", b""), "path": "a.py"})
    assert refused.status_code == 422
    assert refused.json()["text"].startswith("The upload contains none of the files chain/engine.py and chain/ops.py.")


def test_downloads_are_archives_with_the_read_only_files(chain: Assignment, solution: bytes, signed: Signed) -> None:
    for answer in (
        signed("ada").post(address(chain, "download"), {"source": solution.decode()}),
        signed("ada").get(address(chain, "download")),
        signed("ada").get(address(chain, "starter")),
    ):
        assert answer.headers["Content-Type"] == "application/zip"
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            assert archive.namelist() == ["chain/shape.py", "chain/engine.py", "chain/ops.py"]
    with zipfile.ZipFile(
        io.BytesIO(signed("ada").post(address(chain, "download"), {"source": solution.decode()}).content)
    ) as sent:
        assert sent.read("chain/ops.py") == files.split(solution)["chain/ops.py"]


# -- carried files --------------------------------------------------------------------------------------------------------


def earlier(cast: Cast, source: bytes, score: float) -> None:
    cast.assignment = cast.course.assignments.get(slug="words")
    graded(cast.hands_in("ada", source), score)


def carried(cast: Cast, chain: Assignment, solution: bytes) -> bytes | None:
    cast.assignment = chain
    stored = bytes(cast.hands_in("ada", solution).source)
    return files.split(stored).get("chain/words.py")


def test_a_carried_file_is_the_best_of_the_students_own(cast: Cast, chain: Assignment, solution: bytes) -> None:
    assert carried(cast, chain, solution) is None, "the judge uses the reference"
    earlier(cast, b"good = 1\n", 3.0)
    earlier(cast, b"bad = 1\n", 1.0)
    assert carried(cast, chain, solution) == b"good = 1\n"
    chain.carried_files = "reference"
    chain.save()
    assert carried(cast, chain, solution) is None


def test_a_carried_file_that_is_sent_is_not_taken(cast: Cast, chain: Assignment, solution: bytes) -> None:
    assert carried(cast, chain, solution + files.join({"chain/words.py": b"forged = 1\n"})) is None


def test_staff_choose_where_carried_files_come_from(cast: Cast, chain: Assignment, signed: Signed) -> None:
    where = reverse("assignment-settings", args=(cast.course.slug, "chain"))
    assert "Files from earlier exercises" in words(page(signed(cast.owner.username), where))
    other = reverse("assignment-settings", args=(cast.course.slug, "words"))
    assert "Files from earlier exercises" not in words(page(signed(cast.owner.username), other))
    assignment_update(assignment=chain, by=cast.staff, carried_files="reference")
    assert Assignment.objects.get(pk=chain.pk).carried_files == "reference"
    history = page(signed(cast.owner.username), reverse("course-history", args=(cast.course.slug,)))
    assert "files from earlier exercises" in words(history)


# -- results --------------------------------------------------------------------------------------------------------------


def test_the_graded_text_in_the_page_is_the_editors(cast: Cast, chain: Assignment, solution: bytes, signed: Signed) -> None:
    earlier(cast, b"good = 1\n", 3.0)
    assert carried(cast, chain, solution) == b"good = 1\n"
    graded(Submission.objects.latest("pk"), 3.0)
    text = page(signed("ada"), address(chain, "exercise"))
    assert "good = 1" not in text
    signed("ada").post(address(chain, "restore"), {"submission": Submission.objects.latest("pk").pk})
    assert signed("ada").get(address(chain, "draft")).json()["source"] == solution.decode()


def test_comments_and_listings_name_the_file_and_count_in_it(
    cast: Cast, chain: Assignment, solution: bytes, signed: Signed
) -> None:
    cast.assignment = chain
    submission = cast.hands_in("ada", solution)
    graded(submission, 3.0)
    line = files.line_of(solution, "chain/ops.py", 2)
    comment_add(submission=submission, by=cast.staff, text="Why twice?", line=line)
    text = words(page(signed("ada"), address(chain, "exercise")))
    assert "chain/ops.py, line 2" in text
    assert f"Line {line}" not in text
    staff = page(signed(cast.owner.username), reverse("submission", args=(cast.course.slug, submission.pk)))
    assert 'aria-label="Comment on chain/ops.py, line 2"' in staff
    assert "<b><bdi>chain/ops.py</bdi></b>" in staff
    home = words(page(signed("ada"), reverse("home", args=(cast.course.slug,))))
    assert "on chain/ops.py, line 2" in home


def test_differences_count_in_the_file(cast: Cast, chain: Assignment, solution: bytes, signed: Signed) -> None:
    cast.assignment = chain
    older = cast.hands_in("ada", solution)
    newer = cast.hands_in("ada", files.join(files.split(solution) | {"chain/ops.py": OPS}))
    graded(older, 1.0)
    graded(newer, 3.0)
    text = page(signed("ada"), f"{address(chain, 'compare')}?s={older.pk}&s={newer.pk}")
    assert 'data-l="2"' in text
    assert "return n * 2" in text


def test_solutions_are_shown_file_by_file(cast: Cast, chain: Assignment, solution: bytes, signed: Signed) -> None:
    Assignment.objects.filter(pk=chain.pk).update(show_solutions=ShowSolutions.AFTER_PASSING, show_hidden="always")
    cast.assignment = chain
    graded(cast.hands_in("ada", solution), 3.0)
    text = words(page(signed("ada"), address(chain, "solutions")))
    assert "solution/chain/engine.py" in text
    assert "plus/chain/ops.py" in text


def test_a_run_takes_the_same_files(cast: Cast, chain: Assignment, solution: bytes) -> None:
    cast.assignment = chain
    assert bytes(cast.hands_in("ada", solution, Kind.RUN).source) == solution
