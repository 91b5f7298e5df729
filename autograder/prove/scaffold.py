"""Creates a new exercise from a working template. Each kind has one, and frequent forms of a kind have another.

A template is a plain folder in `templates/`. The parts that the author must replace are marked, and the linter reports every
remaining mark. Existing files are never overwritten.
"""

import json
import keyword
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

from autograder.judge.pack import Kind

TEMPLATES = Path(__file__).resolve().parent / "templates"
KINDS: tuple[Kind, ...] = get_args(Kind)
FORMS: dict[str, Kind] = {
    "tensor-engine": "engine",
    "fix-the-bug": "semantics",
    "tester": "vjp",
}  # the kind of each further template
NAMES = (*KINDS, *FORMS)
DRAFTS = "drafts"
MARK = "TODO(author)"  # not a bare TODO, which a starter may contain for the student
LONGEST = 60
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_TEXTS = (".md", ".py", ".toml")


class ScaffoldError(Exception):
    """Raised if no folder was created. The message is one line with the reason and what to do."""


class BadName(ScaffoldError):
    """Raised for a slug or unit that cannot be used as a folder name and in a URL."""


class SlugTaken(ScaffoldError):
    """Raised if an exercise with this slug exists in any unit."""


def valid_name(text: str) -> str:
    """Returns the text if it is valid as a slug or unit name; raises BadName otherwise."""
    if len(text) > LONGEST:
        raise BadName(f"{text[:20]!r}... is too long for a name; use at most {LONGEST} characters")
    if not _NAME.fullmatch(text):
        raise BadName(
            f"{text!r} is not a valid name; use lower-case letters, digits and single dashes, and start with a letter"
        )
    if keyword.iskeyword(text) or keyword.issoftkeyword(text):
        raise BadName(f"'{text}' is a Python keyword; add another word, as in '{text}-vjp'")
    return text


def create(root: Path, slug: str, template: str, unit: str = DRAFTS) -> Path:
    """Creates `root/unit/slug` from a template, atomically."""
    for name in (slug, unit):
        valid_name(name)
    _refuse_taken(root, slug)
    home = root / unit
    try:
        with _folder(home), TemporaryDirectory(prefix=".new-", dir=home) as workshop:
            draft = Path(workshop, slug)
            _fill(draft, files_of(template, _words(slug), _words(unit)))
            _refuse_taken(root, slug)
            os.rename(draft, home / slug)
    except OSError as error:
        raise ScaffoldError(f"cannot write to {error.filename or home}: {error.strerror}") from error
    return home / slug


def files_of(template: str, title: str, unit: str) -> dict[str, str]:
    """The files of a new exercise, by path."""
    folder, files = TEMPLATES / template, dict[str, str]()
    for path in sorted(path for path in folder.rglob("*") if path.suffix in _TEXTS):
        text = path.read_text("utf-8")
        for mark, word in (("@title@", title), ("@unit@", unit)):
            text = text.replace(mark, json.dumps(word, ensure_ascii=False)[1:-1] if path.suffix == ".toml" else word)
        files[path.relative_to(folder).as_posix()] = text
    return files


def unfinished(folder: Path) -> Iterator[tuple[Path, int, str]]:
    """File, line and text of every mark that is left in the content files of an exercise."""
    for path in sorted(path for path in folder.rglob("*") if path.suffix in _TEXTS and not path.name.startswith(".")):
        for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), 1):
            _, mark, text = line.partition(MARK)
            if mark:
                yield path, number, text.strip(" :")


def _refuse_taken(root: Path, slug: str) -> None:
    taken = next(iter(sorted(root.glob(f"*/{slug}"))), None)
    if taken is not None:
        raise SlugTaken(f"'{slug}' already exists in {taken}; choose another slug, or rename that folder first")


@contextmanager
def _folder(path: Path) -> Iterator[None]:
    """The folder of a unit. It is created if necessary, and removed again if it stays empty."""
    path.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        with suppress(OSError):  # not empty, as expected
            path.rmdir()


def _fill(draft: Path, texts: Mapping[str, str]) -> None:
    for path, text in texts.items():
        target = draft / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")


def _words(slug: str) -> str:
    return slug.replace("-", " ").capitalize()
