"""docs/instructor.md is followed word for word on a real site."""

import re
from pathlib import Path

from tests.docs.pages import DOCS, read
from tests.e2e.conftest import Visit
from tests.e2e.course import PASSWORD, TEACHER
from tests.e2e.guide import STEP, Reader, steps

GUIDE = "instructor"
OF_A_STUDENT = "See what a student sees"
LARGEST = 120_000  # bytes of a picture


def test_the_guide_leads_from_an_empty_site_to_a_graded_course(visit: Visit, tmp_path: Path) -> None:
    for block in read(GUIDE).blocks:
        (tmp_path / block.marks["file"]).write_text(block.text)
    teacher = Reader(visit(None), tmp_path, {"Username or email": TEACHER, "Password": PASSWORD})
    student = Reader(visit(None), tmp_path)
    for reader in (teacher, student):
        reader.page.goto("/")
    for section, step in steps(read(GUIDE).source):
        (student if section == OF_A_STUDENT else teacher).follow(step)


def test_whatever_the_guide_tells_to_press_is_pressed() -> None:
    """Bold text is used only in steps, or once in the sentence that explains it."""
    rest = STEP.sub("", read(GUIDE).source)
    assert re.findall(r"\*\*([^*]+)\*\*", rest) == ["bold"]
    assert len(list(steps(read(GUIDE).source))) > 15


def test_every_picture_is_light() -> None:
    named = re.findall(r"!\[[^\]]+\]\(images/([\w.-]+)\)", read(GUIDE).source)
    assert len(named) == 6
    assert [name for name in named if (DOCS / "images" / name).stat().st_size > LARGEST] == []
