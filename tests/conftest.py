"""The cast of the tests: one warm judge for all of them, the real exercises, and what an honest submission looks like."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.judge import pack
from autograder.judge.grade import CEILING, Judge
from autograder.judge.pack import Pack
from autograder.judge.scaffold import DRAFTS
from autograder.library.sandboxes import backend
from sandbox.host import Sandbox
from tests.commands import Shell

EXERCISES = Path(__file__).resolve().parent.parent / "exercises"
SLUGS = tuple(sorted(path.parent.name for path in EXERCISES.glob("*/*/exercise.toml") if path.parts[-3] != DRAFTS))


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    with Judge(backend(), CEILING) as judge:
        yield judge


@pytest.fixture(scope="session")
def packs() -> dict[str, Pack]:
    return {slug: pack.load(pack.find(EXERCISES, slug)) for slug in SLUGS}


@pytest.fixture(scope="session", params=["python", "numpy", "torch"])
def any_profile(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def python_box() -> Iterator[Sandbox]:
    """A sandbox of the cheapest profile, for tests of the sandbox itself."""
    with Sandbox(backend(), "python") as box:
        box.wait_until_warm()
        yield box


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.setenv("COLUMNS", "160")
    return Shell(capsys)
