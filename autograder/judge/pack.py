"""Loads an exercise folder and checks that it is complete. A Pack is immutable; its version is the hash of its contents."""

import hashlib
import importlib.util
import math
import re
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Literal

import msgspec

from autograder.judge.checks.registry import Check, CheckFunction, collect
from autograder.judge.misconceptions import Reworded
from autograder.judge.source_hash import exercise_hash
from sandbox.wire import Limits

PARTS = ("exercise.toml", "statement.md", "starter.py", "solution.py", "checks.py")
Kind = Literal["engine", "graph", "semantics", "vjp", "function", "higher-order", "quiz"]
Profile = Literal["python", "numpy", "torch"]
VARIANT = "~"
LONGEST_WORK = 600  # minutes


class PackError(Exception):
    """Raised if an exercise cannot be used. The message is one line that names the file and the problem."""


class EntryPoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    signature: str = ""


class LimitsTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits of the exercise. The sandbox's own limits apply as well."""

    cpu_seconds: int = 3
    wall_seconds: float = 60.0
    memory_mib: int = 1024


class WrongTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The endings that a named wrong solution must cause."""

    fails: list[str] = []


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
    wrong: dict[str, WrongTable] = {}
    allow: list[Allowed] = []
    messages: dict[str, str | Reworded] = {}
    public_checks_miss: str = ""


@dataclass(frozen=True)
class Pack:
    slug: str
    folder: Path
    version: str  # the hash of all content
    settings: Settings
    statement: str
    starter: bytes
    solution: bytes
    checks: tuple[Check, ...]
    variety: CheckFunction | None = field(repr=False)
    wrong: Mapping[str, bytes] = field(repr=False)
    right: Mapping[str, bytes] = field(repr=False)

    @cached_property
    def behaviour(self) -> str:
        """The hash of the content that affects verdicts: everything but the statement, titles and messages."""
        return exercise_hash(self.folder, content_of(self.folder))

    @cached_property
    def _bare_starter(self) -> bytes:
        return _bare(self.starter)

    def is_starter(self, source: bytes) -> bool:
        """Whether a source equals the starter up to whitespace and comments."""
        return _bare(source) == self._bare_starter

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
    missing = [part for part in PARTS if not (folder / part).is_file()]
    missing += [f"{part}/" for part in ("wrong", "right") if not list((folder / part).glob("*.py"))]
    if missing:
        raise PackError(f"exercise {folder.name} has no {', '.join(missing)} (in {folder})")
    settings = _settings(folder / "exercise.toml")
    checks, variety = _checks(folder)
    for part in ("starter.py", "solution.py"):
        _compile(folder / part)
    pack = Pack(
        slug=folder.name,
        folder=folder,
        version=version_of(folder),
        settings=settings,
        statement=_text(folder / "statement.md"),
        starter=(folder / "starter.py").read_bytes(),
        solution=(folder / "solution.py").read_bytes(),
        checks=tuple(checks),
        variety=variety,
        wrong=_sources(folder / "wrong"),
        right=_sources(folder / "right"),
    )
    _consistent(pack)
    return pack


def profile_of(folder: Path) -> Profile:
    """Reads only the profile, without running `checks.py`, so that a zygote can warm up during the imports."""
    return _settings(folder / "exercise.toml").profile


def kind_of(folder: Path) -> Kind:
    return _settings(folder / "exercise.toml").kind


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


def _consistent(pack: Pack) -> None:
    settings, path = pack.settings, pack.folder / "exercise.toml"
    total = sum(check.points for check in pack.checks)
    ids = [check.id for check in pack.checks]
    unknown = sorted({name for table in settings.wrong.values() for name in table.fails} - set(ids))
    for trouble, where in (
        ("no checks are declared" if not ids else "", "checks.py"),
        ("two checks have the same name" if len(set(ids)) < len(ids) else "", "checks.py"),
        ("no check is public" if all(check.hidden for check in pack.checks) else "", "checks.py"),
        ("no check is hidden" if not any(check.hidden for check in pack.checks) else "", "checks.py"),
        (
            f"the checks are worth {total:g} points, but the exercise is worth {settings.points:g}"
            if not math.isclose(total, settings.points)
            else "",
            "checks.py",
        ),
        ("a check has negative points" if any(check.points < 0 for check in pack.checks) else "", "checks.py"),
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
        (f"[wrong] names unknown checks: {', '.join(unknown)}" if unknown else "", "exercise.toml"),
        ("the statement is empty" if not pack.statement.strip() else "", "statement.md"),
    ):
        if trouble:
            raise PackError(f"{path.parent / where}: {trouble}")
    lost = sorted(set(settings.wrong) - set(pack.wrong))
    if lost:
        raise PackError(f"{path}: [wrong] names files that are not in wrong/: {', '.join(lost)}")


def _sources(folder: Path) -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in sorted(folder.glob("*.py"))}


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
