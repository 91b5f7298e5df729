"""What a worker and an examiner send each other. Both sides decode it by type; nothing else crosses."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from autograder.judge.files import FileSet
from autograder.judge.pack import Content, Settings, content_of
from sandbox.wire import Array, Limits

MIN_SECONDS = 5.0  # of CPU time: many times what the slowest check or explanation of an exercise uses
WALL_DIVISOR = 6  # the wall time of a grading divided by this is the CPU time of its checks, and again of its explanation
NOT_FOR_CHECKS = ("starter.py", "solution.py")
Decoded = TypeVar("Decoded")


def seconds_of(limits: Limits) -> float:
    """The CPU seconds that the checks may use on a submission with these limits, and again its explanation."""
    return max(MIN_SECONDS, limits.wall_seconds / WALL_DIVISOR)


class Exercise(msgspec.Struct, frozen=True):
    """What a grading needs of an exercise."""

    slug: str
    version: str
    folder: str  # where the examiner puts the files of `checks`
    settings: Settings
    checks: Mapping[str, bytes]  # checks.py and the modules beside it, such as tests that it makes checks of
    starter: bytes
    solution: bytes
    wrong: tuple[str, ...]  # names only
    files: FileSet | None
    tree: Mapping[str, bytes]  # everything, by path, if the exercise is to be learned or proved; otherwise empty


class Refusal(msgspec.Struct, frozen=True, tag="refusal"):
    """Why the worker could not do what the examiner asked: the name of a `SandboxError`, and its text."""

    error: str
    words: str
    layer: str = ""


class Opened(msgspec.Struct, frozen=True, tag="opened"):
    """A session of the submission's sandbox, whose four descriptors come with the message."""

    number: int
    layers: frozenset[str]


def exercise_of(content: Content, folder: str, *, whole: bool) -> Exercise:
    return Exercise(
        slug=content.slug,
        version=content.version,
        folder=folder,
        settings=content.settings,
        checks={
            path.name: path.read_bytes() for path in sorted(content.folder.glob("*.py")) if path.name not in NOT_FOR_CHECKS
        },
        starter=content.starter,
        solution=content.solution,
        wrong=tuple(content.wrong),
        files=content.files,
        tree={
            path.relative_to(content.folder).as_posix(): path.read_bytes() for path in content_of(content.folder) if whole
        },
    )


def packed(value: Any) -> Array:
    """A value for a frame's body, whose limit is larger than that of its header."""
    data = msgspec.msgpack.encode(value)
    return Array("numpy", "uint8", (len(data),), data)


def unpacked(body: Any, kind: type[Decoded]) -> Decoded:
    """Raises `msgspec.ValidationError` if the body is not what was expected."""
    if not isinstance(body, Array):
        raise msgspec.ValidationError(f"Expected a body, got {type(body).__name__}")
    return msgspec.msgpack.decode(body.data, type=kind)
