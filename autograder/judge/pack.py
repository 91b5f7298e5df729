"""Reads an exercise folder and checks that it is complete. A `Pack` has the checks as functions, a `Content` everything else.

Both are immutable, and their version is the hash of the folder. Only `load` runs the author's code.
"""

import hashlib
import importlib.util
import math
import re
import sys
import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Literal

import msgspec

from autograder.judge import files
from autograder.judge.checks.registry import Check, CheckFunction, collect
from autograder.judge.files import FilesError, FileSet
from autograder.judge.outcome import ListedCheck
from autograder.judge.source_hash import exercise_hash
from sandbox.wire import Limits, Program

PARTS = ("exercise.toml", "statement.md", "checks.py")
FREE = re.compile(r"(?:[A-Za-z0-9_*]+/){0,8}[A-Za-z0-9_*]+\.py")
OTHER_FILES_LIMIT = 1 << 20  # bytes of given, support and carried files together; a frame holds twice as many
Kind = Literal["engine", "graph", "semantics", "vjp", "function", "higher-order", "quiz"]
Profile = Literal["python", "numpy", "torch"]
VARIANT = "~"
LONGEST_WORK = 600  # minutes


class PackError(Exception):
    """Raised if an exercise cannot be used. The message is one line that names the file and the problem."""


class Reworded(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An exercise author's own title and text for a mistake; the catalogue supplies an empty field."""

    title: str = ""
    text: str = ""


class EntryPoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    signature: str = ""


class LimitsTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits of the exercise. The sandbox's own limits apply as well."""

    cpu_seconds: int = 3
    wall_seconds: float = 60.0
    memory_mib: int = 1024


class Allowed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mutant that may survive: its description by the linter, and the reason."""

    mutant: str
    reason: str


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of `exercise.toml`."""

    title: str
    kind: Kind
    profile: Profile
    points: float
    difficulty: int
    unit: str
    entry_points: list[EntryPoint]
    minutes: int | None = None  # estimated working time of a student; None in old versions
    concepts: list[str] = []
    limits: LimitsTable = LimitsTable()
    allow: list[Allowed] = []
    messages: dict[str, str | Reworded] = {}
    public_checks_miss: str = ""
    main: str = ""  # the file that defines the entry points, such as `layers.py`; needed if there are several
    carried: dict[str, str] = {}  # files that students bring from an earlier exercise, and the slug of that exercise
    free: list[str] = []  # patterns of files that students may add; `*` stands for any characters
    wrong: dict[str, object] = {}  # of old versions; says nothing any more


@dataclass(frozen=True)
class Content:
    """An exercise without its checks, read without running its code."""

    slug: str
    folder: Path
    version: str  # the hash of all content
    settings: Settings
    statement: str
    starter: bytes
    solution: bytes
    wrong: Mapping[str, bytes] = field(repr=False)
    right: Mapping[str, bytes] = field(repr=False)
    files: FileSet | None  # for an exercise of several files; its sources are joined (`judge.files`)

    @cached_property
    def behaviour(self) -> str:
        """The hash of the content that affects verdicts: everything but the statement, titles and messages."""
        return exercise_hash(self.folder, content_of(self.folder))

    @property
    def file_name(self) -> str:
        """What a submission of a single file is called."""
        return self.settings.main.rpartition("/")[2] or f"{self.slug}.py"

    @cached_property
    def _bare_starter(self) -> bytes:
        return _bare(self.starter)

    def is_starter(self, source: bytes) -> bool:
        """Whether a source equals the starter up to whitespace and comments."""
        if self.files is not None:
            sent, starter = files.split(source), files.split(self.starter)
            return all(path in sent and _bare(sent[path]) == _bare(starter[path]) for path in starter)
        return _bare(source) == self._bare_starter

    def program(self, source: bytes) -> bytes | Program:
        """What runs in the sandbox: the source itself or, for several files, all of them."""
        if self.files is None:
            return source
        return Program(self.files.main, self.files.complete(source, self.starter))

    def problem_of(self, source: bytes) -> str:
        """Why a source has the wrong files, as a sentence; empty if it can be graded."""
        return files.problem_of(source, self.files)

    @property
    def entry_points(self) -> tuple[str, ...]:
        return tuple(point.name for point in self.settings.entry_points)

    def limits(self, ceiling: Limits) -> Limits:
        table = self.settings.limits
        return msgspec.structs.replace(
            ceiling,
            cpu_seconds=min(table.cpu_seconds, ceiling.cpu_seconds),
            wall_seconds=min(table.wall_seconds, ceiling.wall_seconds),
            memory_bytes=min(table.memory_mib << 20, ceiling.memory_bytes),
        )


@dataclass(frozen=True)
class Pack(Content):
    checks: tuple[Check, ...]
    variety: CheckFunction | None = field(repr=False)


def public(pack: Pack) -> Pack:
    """The exercise with its public checks only. If they are worth no points, each counts 1, so that there is a verdict."""
    points = public_points([check.listed for check in pack.checks])
    checks = tuple(replace(check, points=points[check.id]) for check in pack.checks if check.id in points)
    return replace(pack, checks=checks, settings=with_points(pack.settings, points))


def public_points(checks: Iterable[ListedCheck]) -> dict[str, float]:
    """What the public checks are worth on their own."""
    points = {check.id: check.points for check in checks if not check.hidden}
    return points if any(points.values()) else dict.fromkeys(points, 1.0)


def with_points(settings: Settings, points: Mapping[str, float]) -> Settings:
    return msgspec.structs.replace(settings, points=sum(points.values()))


def find(root: Path, slug: str) -> Path:
    """The folder of an exercise by its slug. The error for an unknown slug suggests similar ones."""
    folders = {path.parent.name: path.parent for path in root.glob("*/*/exercise.toml")}
    folders |= {path.name: path for path in root.glob("*/*") if path.is_dir() and path.name not in folders}
    folders = {name: path for name, path in folders.items() if not name.startswith(("_", "."))}
    if slug in folders:
        return folders[slug]
    near = get_close_matches(slug, folders, n=3, cutoff=0.4)
    hint = f"did you mean {', '.join(near)}?" if near else f"there are {', '.join(sorted(folders)) or 'none'}."
    raise PackError(f"no exercise '{slug}'; {hint}")


def load(folder: Path) -> Pack:
    """Loads an exercise folder. This executes its `checks.py`: exercises are trusted, submissions are not."""
    return with_checks(read(folder))


def with_checks(content: Content) -> Pack:
    """The exercise with its checks. This executes its `checks.py`."""
    checks, variety = _checks(content.folder)
    _consistent(checks, content)
    known = {part.name: getattr(content, part.name) for part in fields(content)}
    return Pack(**known, checks=tuple(checks), variety=variety)


def read(folder: Path) -> Content:
    """Reads an exercise folder without running anything in it."""
    several = has_several_files(folder)
    missing = [part for part in PARTS if not (folder / part).is_file()]
    missing += [
        f"{part}/" if several else f"{part}.py" for part in ("starter", "solution") if not _has(folder, part, several)
    ]
    missing += [f"{part}/" for part in ("wrong", "right") if not _entries(folder / part)]
    if missing:
        raise PackError(f"exercise {folder.name} has no {', '.join(missing)} (in {folder})")
    settings = _settings(folder / "exercise.toml")
    file_set = _file_set(folder, settings) if several else None
    for part in ("starter", "solution", "given", "support", "carried"):
        for path in sorted((folder / part).rglob("*.py")) if several else [folder / f"{part}.py"]:
            if path.is_file():
                _compile(path)
    content = Content(
        slug=folder.name,
        folder=folder,
        version=version_of(folder),
        settings=settings,
        statement=_text(folder / "statement.md"),
        starter=_source(folder, "starter", file_set),
        solution=_source(folder, "solution", file_set),
        wrong=_sources(folder, "wrong", file_set),
        right=_sources(folder, "right", file_set),
        files=file_set,
    )
    _complete(content)
    return content


def profile_of(folder: Path) -> Profile:
    """Reads only the profile, without running `checks.py`, so that a zygote can warm up during the imports."""
    return _settings(folder / "exercise.toml").profile


def kind_of(folder: Path) -> Kind:
    return _settings(folder / "exercise.toml").kind


def has_several_files(folder: Path) -> bool:
    return (folder / "starter").is_dir()


def misconception(name: str) -> str:
    """The misconception key of a file in `wrong/`: `missing-upstream~2.py` stands for `missing-upstream`."""
    return name.partition(VARIANT)[0]


def _bare(source: bytes) -> bytes:
    """A source without whitespace and comments. It is not parsed, so text after a # in a string counts as a comment."""
    return b"".join(re.sub(rb"#[^\r\n]*", b"", source).split())


def _settings(path: Path) -> Settings:
    try:
        return msgspec.toml.decode(path.read_bytes(), type=Settings)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
        raise PackError(f"{path}: {_one_line(error)}") from error


def _checks(folder: Path) -> tuple[list[Check], CheckFunction | None]:
    path = folder / "checks.py"
    name = f"gradus_checks_{folder.name.replace('-', '_')}_{abs(hash(str(path)))}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    loader = spec.loader
    sys.modules[name] = module
    try:
        return collect(lambda: loader.exec_module(module))
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else 0
        raise PackError(f"{path}:{line}: {type(error).__name__}: {_one_line(error)}") from error


def _complete(content: Content) -> None:
    settings = content.settings
    for trouble, where in (
        *(
            (f"{name} must be more than 0" if getattr(settings.limits, name) <= 0 else "", "exercise.toml")
            for name in ("cpu_seconds", "wall_seconds", "memory_mib")
        ),
        ("points must be more than 0" if settings.points <= 0 else "", "exercise.toml"),
        ("difficulty must be 1 to 5" if not 1 <= settings.difficulty <= 5 else "", "exercise.toml"),
        (
            f"minutes must be 1 to {LONGEST_WORK}"
            if settings.minutes is not None and not 1 <= settings.minutes <= LONGEST_WORK
            else "",
            "exercise.toml",
        ),
        ("no entry points are declared" if not settings.entry_points else "", "exercise.toml"),
        ("the statement is empty" if not content.statement.strip() else "", "statement.md"),
    ):
        if trouble:
            raise PackError(f"{content.folder / where}: {trouble}")


def _consistent(checks: Sequence[Check], content: Content) -> None:
    """Raises an error if the checks do not fit the exercise."""
    points, total = content.settings.points, sum(check.points for check in checks)
    ids = [check.id for check in checks]
    for trouble in (
        "no checks are declared" if not ids else "",
        "two checks have the same name" if len(set(ids)) < len(ids) else "",
        "no check is public" if all(check.hidden for check in checks) else "",
        "no check is hidden" if not any(check.hidden for check in checks) else "",
        f"the checks are worth {total:g} points, but the exercise is worth {points:g}"
        if not math.isclose(total, points)
        else "",
        "a check has negative points" if any(check.points < 0 for check in checks) else "",
    ):
        if trouble:
            raise PackError(f"{content.folder / 'checks.py'}: {trouble}")


def _has(folder: Path, part: str, several: bool) -> bool:
    return any((folder / part).rglob("*.py")) if several else (folder / f"{part}.py").is_file()


def _entries(folder: Path) -> list[Path]:
    """The files of `right/` or `wrong/`, and the folders for exercises of several files."""
    return [path for path in sorted(folder.glob("*")) if path.suffix == ".py" or (path.is_dir() and any(path.rglob("*.py")))]


def _file_set(folder: Path, settings: Settings) -> FileSet:
    """The files of an exercise by the folder that they are in: starter/, given/, support/ or carried/."""
    parts = {part: _contents(folder / part) for part in ("starter", "given", "support", "carried")}
    paths = [path for contents in parts.values() for path in contents]
    editable = sorted(parts["starter"], key=lambda path: (path != settings.main, path))
    found = FileSet(
        settings.main,
        tuple(editable),
        parts["given"],
        parts["support"],
        parts["carried"],
        dict(settings.carried),
        tuple(settings.free),
    )
    size = sum(len(content) for part in ("given", "support", "carried") for content in parts[part].values())
    missing = sorted(set(editable) - set(_contents(folder / "solution")))
    alien = sorted(path for path in set(_contents(folder / "solution")) - set(editable) if not found.may_add(path))
    patterns = [pattern for pattern in settings.free if not FREE.fullmatch(pattern)]
    twice = sorted({path for path in paths if paths.count(path) > 1})
    for trouble, where in (
        ("main must name a file of the exercise" if settings.main not in paths else "", "exercise.toml"),
        (f"the solution has no {files.listed(missing)}" if missing else "", "solution"),
        (f"the solution has {files.listed(alien)}, which the starter does not have" if alien else "", "solution"),
        (f"{files.listed(twice)} is in two folders" if twice else "", "starter"),
        (next(filter(None, map(files.problem_of_path, paths)), ""), "starter"),
        (files.problem_of_paths(paths), "starter"),
        (f"free: {patterns[0]!r} is no pattern such as lib/*.py" if patterns else "", "exercise.toml"),
        (
            "[carried] must name the files in carried/" if set(settings.carried) != set(parts["carried"]) else "",
            "exercise.toml",
        ),
        (
            f"given, support and carried files have more than {OTHER_FILES_LIMIT:,} bytes"
            if size > OTHER_FILES_LIMIT
            else "",
            "given",
        ),
    ):
        if trouble:
            raise PackError(f"{folder / where}: {trouble}")
    return found


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.py"))}


def _source(folder: Path, part: str, file_set: FileSet | None) -> bytes:
    """The starter or the solution, with several files joined in the order of the starter."""
    if file_set is None:
        return (folder / f"{part}.py").read_bytes()
    contents = _contents(folder / part)
    return _joined({path: contents[path] for path in (*file_set.editable, *_added(contents, file_set))}, folder / part)


def _added(contents: Mapping[str, bytes], file_set: FileSet) -> list[str]:
    return [path for path in contents if file_set.may_add(path)]


def _sources(folder: Path, part: str, file_set: FileSet | None) -> dict[str, bytes]:
    """The files of `right/` or `wrong/`. For an exercise of several files, each replaces files of the solution: a file the
    main file, or the only editable one; a folder those of the same names."""
    if file_set is None:
        return {path.stem: path.read_bytes() for path in sorted((folder / part).glob("*.py"))}
    solution = _contents(folder / "solution")
    first = file_set.main if file_set.main in file_set.editable else file_set.editable[0]
    found = {}
    for path in _entries(folder / part):
        own = _contents(path) if path.is_dir() else {first: path.read_bytes()}
        unknown = sorted(path for path in set(own) - set(file_set.submitted) if not file_set.may_add(path))
        if unknown:
            raise PackError(f"{path}: {files.listed(unknown)} is not a file that students submit")
        content = {name: solution[name] for name in (*file_set.editable, *_added(solution, file_set))} | own
        found[path.name.removesuffix(".py")] = _joined(content, path)
    return found


def _joined(content: Mapping[str, bytes], where: Path) -> bytes:
    try:
        return files.join(content)
    except FilesError as error:
        raise PackError(f"{where}: {error}") from error


def _compile(path: Path) -> None:
    try:
        compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise PackError(f"{path}:{getattr(error, 'lineno', 0) or 0}: {_one_line(error)}") from error


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise PackError(f"{path}: not UTF-8: {_one_line(error)}") from error


def version_of(folder: Path) -> str:
    """The hash of all content files in the folder."""
    digest = hashlib.sha256()
    for path in content_of(folder):
        data = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()[:16]


def content_of(folder: Path) -> list[Path]:
    """The content files of an exercise in a fixed order."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    ]


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:400]
