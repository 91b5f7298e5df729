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

# Groups that take longest begin first, so that no worker is left alone with one at the end.
LONGEST = (
    "tests/e2e",
    "tests/judge/diagnosis/test_explain",
    "tests/submissions",
    "tests/hostile",
    "tests/docs",
    "tests/watch",
)
ONE_GROUP = ("tests/e2e",)  # share a site and a browser; elsewhere every module is a group of its own
EXERCISES = Path(__file__).resolve().parent.parent / "exercises"
SLUGS = tuple(sorted(path.parent.name for path in EXERCISES.glob("*/*/exercise.toml") if path.parts[-3] != DRAFTS))


def pytest_itemcollected(item: pytest.Item) -> None:
    """What shares a site, a browser or a zygote runs in one worker of pytest-xdist."""
    item.add_marker(pytest.mark.xdist_group(group_of(item)))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    order = [*LONGEST, ""]
    items.sort(key=lambda item: next(n for n, name in enumerate(order) if item.nodeid.startswith(name)))


def group_of(item: pytest.Item) -> str:
    module = item.nodeid.partition("::")[0].removesuffix(".py")
    return next((package for package in ONE_GROUP if module.startswith(package)), module).removeprefix("tests/")


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
