"""docs/exports.md is followed from top to bottom on a course with three students; its table names every format."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.gradebook.exports import EXPORTS
from tests.docs.pages import ROOT, first_column, read
from tests.docs.test_operations import Site

COURSE = """
import django
django.setup()
from decimal import Decimal
from autograder.courses.importers.roster import roster_import, roster_preview
from autograder.gradebook.decisions.overrides import override
from tests.cast import Cast
cast = Cast(settings={"title": "ReLU backward", "slug": "relu-backward"})
rows = ["login,email,name,section", 'zoe,zoe@example.org,"O\\'Hara, Zoë",Monday', "ada,ada@example.org,Ada Lovelace,Monday"]
text = "\\n".join([*rows, "ben,ben@example.org,Ben Ali,Thursday"])
roster_import(preview=roster_preview(text.encode(), cast.course), by=cast.staff)
for login, points in (("zoe", "8.5"), ("ben", "6.25")):
    given = {"membership": cast.membership(login), "points": Decimal(points), "reason": "On paper.", "by": cast.staff}
    override(assignment=cast.assignment, **given)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    home: Path = tmp_path_factory.mktemp("site")
    (home / "data").mkdir()
    for name in ("manage.py", "autograder", "sandbox", "exercises", ".venv"):
        (home / name).symlink_to(ROOT / name)
    site = Site(home)
    assert site.run(".venv/bin/python manage.py migrate --verbosity 0") == ""
    subprocess.run([sys.executable, "-c", COURSE], cwd=ROOT, env=site.environment, check=True)
    for block in read("exports").blocks:
        site.take(block)
    yield site


@pytest.mark.slow
def test_everything_happens_as_the_page_says(site: Site) -> None:
    assert not site.told, "\n\n".join(site.told)


def test_the_table_names_every_format_and_by_what_it_knows_students() -> None:
    section = read("exports").section("Formats")
    assert first_column(section) == list(EXPORTS)
    told = {row[0].strip("`"): row[1].split("`")[1::2] for row in section.rows[1:]}
    assert {name: words for name, words in told.items() if words} == {
        name: [str(one) for one in export.identities] for name, export in EXPORTS.items() if export.identities
    }


def test_every_format_is_exported_on_the_page() -> None:
    commands = "\n".join(block.text for block in read("exports").blocks)
    assert [name for name in EXPORTS if f"--format {name} " not in commands] == []
