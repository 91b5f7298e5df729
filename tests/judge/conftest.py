"""Ways to put a file in front of a check: a student in a real sandbox, or a whole exercise folder on disk."""

from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import settings

from autograder.judge.checks.student import Student
from autograder.judge.grade import Judge
from sandbox.session import Session
from sandbox.wire import Loaded, Raised

settings.register_profile("judge", deadline=None, derandomize=True, database=None)
settings.load_profile("judge")

TOML = """
title = "Echo"
kind = "quiz"
profile = "python"
unit = "Tests"
points = 3
difficulty = 1

[[entry_points]]
name = "echo"
signature = "echo(x)"
"""

CHECKS = """
from autograder.judge.checks import check, expect_equal

@check("An integer comes back", points=1)
def integer(student, rng):
    n = int(rng.integers(100))
    expect_equal(student.call("echo", n), n, "echo(n)", {"n": n})

@check("A word comes back", points=2, hidden=True)
def word(student, rng):
    expect_equal(student.call("echo", "word"), "word", "echo('word')")
"""

PARTS = {
    "exercise.toml": TOML,
    "statement.md": "Write `echo`.\n",
    "starter.py": "def echo(x):\n    ...\n",
    "solution.py": "def echo(x):\n    return x\n",
    "checks.py": CHECKS,
    "wrong/silent.py": "def echo(x):\n    return None\n",
    "right/lambda.py": "echo = lambda x: x\n",
}


@pytest.fixture
def enter(judge: Judge) -> Iterator[Callable[..., Student]]:
    """`enter(source, profile="python")`: the source loaded in a sandbox, ready to be asked. One at a time per profile."""
    sessions: dict[str, Session] = {}

    def open_session(source: str, profile: str = "python") -> Student:
        if profile in sessions:
            sessions.pop(profile).close()
        session = sessions[profile] = judge.sandbox(profile).session()
        reply = session.load(dedent(source).encode())
        assert isinstance(reply, Loaded), reply
        return Student(session)

    yield open_session
    for session in sessions.values():
        session.close()


@pytest.fixture
def raised(judge: Judge) -> Callable[..., tuple[str, str]]:
    """`raised(source, profile="python")`: the type and the message of what the source raises while it is loaded."""

    def load(source: str, profile: str = "python") -> tuple[str, str]:
        with judge.sandbox(profile).session() as session:
            reply = session.load(source.encode())
        assert isinstance(reply, Raised), reply
        return reply.type_name, reply.message

    return load


@pytest.fixture
def write_exercise(tmp_path: Path) -> Callable[..., Path]:
    """`write_exercise({"checks.py": ...})`: a complete little exercise on disk, some parts replaced, None for left out."""

    def write(parts: dict[str, Any] | None = None, slug: str = "echo") -> Path:
        folder = tmp_path / "unit" / slug
        for name, content in {**PARTS, **(parts or {})}.items():
            if content is None:
                continue
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return folder

    return write
