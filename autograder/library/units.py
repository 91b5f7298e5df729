"""The pages that open the units of the curriculum.

The folder of a unit is named like the unit. It contains the exercises and a file `unit.md`, in the Markdown of statements.
"""

from collections.abc import Iterable
from pathlib import Path

from django.utils.text import slugify

from autograder.library import statements
from autograder.library.models import UnitPage

FILE = "unit.md"


def load(units: Iterable[tuple[str, Path]]) -> None:
    """Store the pages of units, given by their titles and folders. A unit whose file was removed loses its page."""
    for title, folder in set(units):
        if folder.name == slugify(title):
            _load(title, folder / FILE)


def _load(title: str, file: Path) -> None:
    if not file.is_file():
        UnitPage.objects.filter(title=title).delete()
        return
    text = statements.html_of(file.read_text("utf-8"))
    about = {"slug": slugify(title), "text": text, "math": statements.has_math(text)}
    UnitPage.objects.update_or_create(title=title, defaults=about)


def slugs_of(titles: Iterable[str]) -> dict[str, str]:
    """Return the slug of the page of every unit that has one."""
    return dict(UnitPage.objects.filter(title__in=set(titles)).values_list("title", "slug"))
