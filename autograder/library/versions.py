"""Loads exercise folders into the database as versions, and extracts a version to a folder for the judge.

Loading never changes existing versions. A version is extracted once to `CACHE/versions` and checked against its hash.
"""

import io
import lzma
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.db import transaction

from autograder.judge import pack
from autograder.judge.outcome import ListedCheck
from autograder.judge.pack import Content, Pack
from autograder.library import pages, units
from autograder.library.models import Exercise, ExerciseVersion
from autograder.prove import scaffold

REFERENCE = "solution.py"


@dataclass(frozen=True)
class LoadedVersion:
    version: ExerciseVersion
    new: bool


def load_folders(folders: Sequence[Path]) -> list[LoadedVersion]:
    """Load all folders or none. A folder that cannot be loaded raises a PackError.

    Folders whose versions are stored are only hashed: to run their checks takes seconds and imports torch.
    """
    stored = {folder: _stored(folder) for folder in folders}
    packs = {folder: pack.load(folder) for folder, version in stored.items() if version is None}
    with transaction.atomic():
        loaded = [
            LoadedVersion(version, new=False) if version is not None else _load(packs[folder])
            for folder, version in stored.items()
        ]
        units.load((one.version.unit, folder.parent) for one, folder in zip(loaded, stored, strict=True))
    make_pages()
    return loaded


def every_folder(root: Path) -> list[Path]:
    """Return the folders of all exercises, except drafts and hidden ones."""
    folders = (path.parent for path in root.glob("*/*/exercise.toml"))
    published = (folder for folder in folders if folder.parent.name != scaffold.DRAFTS)
    return sorted(folder for folder in published if not folder.name.startswith(("_", ".")))


def load_all() -> list[LoadedVersion]:
    return load_folders(sorted(path.parent for path in settings.EXERCISES.glob("*/*/exercise.toml")))


def _stored(folder: Path) -> ExerciseVersion | None:
    """The version that a folder contains, if it is stored with an up-to-date page."""
    same = ExerciseVersion.objects.select_related("exercise").filter(
        exercise__slug=folder.name, hash=pack.version_of(folder)
    )
    return same.filter(page__made_by=pages.MADE_BY).defer("archive").first()


def _load(exercise: Pack) -> LoadedVersion:
    row, _ = Exercise.objects.get_or_create(slug=exercise.slug)
    if row.owner:
        raise pack.PackError(f"exercise {row.slug} belongs to the course {row.owner}; choose another name for this folder")
    return store(row, exercise, [check.listed for check in exercise.checks])


def store(row: Exercise, exercise: Content, checks: Sequence[ListedCheck]) -> LoadedVersion:
    """Store what a folder contains as a version, unless it is stored already. Nothing in the folder is run."""
    about = exercise.settings
    version, new = ExerciseVersion.objects.get_or_create(
        exercise=row,
        hash=exercise.version,
        defaults={
            "title": about.title,
            "unit": about.unit,
            "kind": about.kind,
            "profile": about.profile,
            "points": about.points,
            "archive": lambda: _archive(exercise),  # only of a new version
        },
    )
    pages.make(version, exercise, checks)
    return LoadedVersion(version, new)


def _archive(exercise: Content) -> bytes:
    """Return a tar with exactly the files that define the version."""
    folder, data = exercise.folder, io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:xz") as tar:
        for path in pack.content_of(folder):
            about = tarfile.TarInfo(path.relative_to(folder).as_posix())
            about.size = path.stat().st_size
            with path.open("rb") as file:
                tar.addfile(about, file)
    if pack.version_of(folder) != exercise.version:  # otherwise a version would be stored that does not match its hash
        raise pack.PackError(f"exercise {exercise.slug} changed while it was being loaded; load it again")
    return data.getvalue()


def make_pages() -> None:
    """Recreate the pages of versions that were loaded with an older rendering. Their checks are run only if no page has
    listed them yet: they may be those of a course.
    """
    for version in ExerciseVersion.objects.exclude(page__made_by=pages.MADE_BY).select_related("exercise", "page"):
        if hasattr(version, "page"):
            pages.make(version, pack.read(folder_of(version)), pages.checks_of(version))
        else:
            exercise = pack_of(version.pk)
            pages.make(version, exercise, [check.listed for check in exercise.checks])


@dataclass(frozen=True)
class StoredExercise:
    """A version as a worker knows it: everything but the checks themselves, which only an examiner runs."""

    content: Content
    checks: tuple[ListedCheck, ...]

    @property
    def slug(self) -> str:
        return self.content.slug


@lru_cache(maxsize=256)
def exercise_of(version_id: int) -> StoredExercise:
    """Return a version without running its code. Cached for the lifetime of the process, because a version never changes."""
    version = ExerciseVersion.objects.select_related("exercise", "page").get(pk=version_id)
    return StoredExercise(pack.read(folder_of(version)), pages.checks_of(version))


@lru_cache(maxsize=256)
def pack_of(version_id: int) -> Pack:
    """Return a version with its checks, which runs its code in this process."""
    return pack.load(folder_of(ExerciseVersion.objects.select_related("exercise").get(pk=version_id)))


def forget() -> None:
    """Forgets what was read, for tests in which the numbers of versions repeat."""
    exercise_of.cache_clear()
    pack_of.cache_clear()


def folder_of(version: ExerciseVersion) -> Path:
    """Extract a version to a folder with a verified hash. Concurrent processes may do so; the first one to finish wins."""
    target: Path = settings.CACHE / "versions" / version.hash / version.exercise.slug
    if not target.is_dir():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
            laid_out = Path(scratch) / version.exercise.slug
            _lay_out(version, laid_out)
            if pack.version_of(laid_out) != version.hash:
                raise pack.PackError(f"version {version} cannot be read back: its files do not match its hash")
            try:
                os.rename(laid_out, target)
            except OSError:
                if not target.is_dir():
                    raise
                shutil.rmtree(laid_out)
    if pack.version_of(target) != version.hash:
        raise pack.PackError(f"{target} was changed after it was extracted. Delete it; the next grading extracts it again")
    return target


def solutions_of(version: ExerciseVersion) -> list[tuple[str, str]]:
    """Return the reference and the other correct solutions as name and text. They are read from the archive without running code."""
    with tarfile.open(fileobj=io.BytesIO(bytes(version.archive)), mode="r:xz") as tar:
        found = {member.name: tar.extractfile(member) for member in tar if member.isreg()}
        reference = [REFERENCE] if REFERENCE in found else _python_in(found, "solution/")
        names = [*reference, *_python_in(found, "right/")]
        return [(name.removeprefix("right/"), file.read().decode()) for name in names if (file := found[name])]


def files_of_version(version: ExerciseVersion) -> dict[str, str]:
    """The files of a version as texts, by path, from the archive."""
    with tarfile.open(fileobj=io.BytesIO(bytes(version.archive)), mode="r:xz") as tar:
        found = {member.name: tar.extractfile(member) for member in tar if member.isreg()}
        return {name: file.read().decode() for name, file in sorted(found.items()) if file is not None}


def statement_of(version: ExerciseVersion) -> str:
    """Return the statement as Markdown, from the archive. Pages have it as HTML."""
    with tarfile.open(fileobj=io.BytesIO(bytes(version.archive)), mode="r:xz") as tar:
        file = tar.extractfile("statement.md")
        assert file is not None, "every exercise has a statement"
        return file.read().decode()


def _python_in(names: Iterable[str], folder: str) -> list[str]:
    return sorted(name for name in names if name.startswith(folder) and name.endswith(".py"))


def _lay_out(version: ExerciseVersion, folder: Path) -> None:
    try:
        with tarfile.open(fileobj=io.BytesIO(bytes(version.archive)), mode="r:xz") as tar:
            for member in tar:
                _write(tar, member, folder)
    except (tarfile.TarError, lzma.LZMAError, EOFError) as error:
        raise pack.PackError(f"version {version} cannot be read back: {type(error).__name__}: {error}") from error


def _write(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    """Extract one member. Refuses anything but regular files inside the folder."""
    target, content = (folder / member.name).resolve(), tar.extractfile(member) if member.isreg() else None
    if content is None or not target.is_relative_to(folder.resolve()):
        raise tarfile.ReadError(f"'{member.name}' is not a file of an exercise")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content.read())
