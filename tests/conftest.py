"""Shared fixtures: one warm judge, the bundled exercises, and a sandbox."""

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import hypothesis
import pytest
from django.conf import settings
from msgspec.structs import replace
from xdist.scheduler.loadscope import LoadScopeScheduling

from autograder.judge import pack
from autograder.judge.checks.student import Student
from autograder.judge.grade import CEILING, Judge
from autograder.judge.pack import Pack
from autograder.library.sandboxes import backend
from autograder.prove.scaffold import DRAFTS
from sandbox.host import Sandbox
from sandbox.session import Session
from sandbox.wire import Loaded, Raised
from tests.commands import Shell
from tests.echo import PARTS

# The groups that take longest start first, so that no worker runs one of them alone at the end.
LONGEST = (
    "tests/e2e",
    "tests/explain/diagnosis/test_explain",
    "tests/submissions/test_deploy",
    "tests/submissions/test_chaos",
    "tests/submissions",
    "tests/hostile",
    "tests/backup",
    "tests/docs",
    "tests/watch",
)
# Directories whose tests share a site and a browser, zygotes, or full databases. Elsewhere, each module is a group.
ONE_GROUP = ("tests/e2e", "tests/hostile", "tests/backup")
# Each test of these starts its own site, or traces and explains as long as one.
GROUPS_OF_ONE = (
    "tests/submissions/test_chaos",
    "tests/submissions/test_deploy",
    "tests/web/results/test_fuzzed_answers",
)
EXERCISES = Path(__file__).resolve().parent.parent / "exercises"
# One exercise of each kind, for what would take minutes with all of them. `make prove` and `make bench` ask all.
SAMPLE = ("value-engine", "vjp-unbroadcast", "fn-cubic", "graph-walk", "accumulate-bug", "tensor-leaves", "mt-scalar")
SLUGS = tuple(sorted(path.parent.name for path in EXERCISES.glob("*/*/exercise.toml") if path.parts[-3] != DRAFTS))


def pytest_configure() -> None:
    """Use fast password hashing in tests, which tests/settings/test_hardening.py does not, and let no generated test fail
    because the machine is busy."""
    settings.PASSWORD_HASHERS = ["tests.hashing.OneRound"]
    if settings.DATABASES["default"]["ENGINE"] == "autograder.sqlite":  # whose default pytest-django does not know
        settings.DATABASES["default"].setdefault("TEST", {})["NAME"] = ":memory:"
    slow = [hypothesis.HealthCheck.too_slow]
    hypothesis.settings.register_profile(
        "gradus", deadline=None, derandomize=True, database=None, suppress_health_check=slow
    )
    hypothesis.settings.load_profile("gradus")


class ByGroup(LoadScopeScheduling):  # type: ignore[misc]  # pytest-xdist has no types
    """Runs tests that share a site, a browser or a zygote in one pytest-xdist worker, one after the other."""

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith(GROUPS_OF_ONE):
            return nodeid
        module = nodeid.partition("::")[0]
        return next((package for package in ONE_GROUP if module.startswith(package)), module)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByGroup:
    return ByGroup(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    order = [*LONGEST, ""]
    items.sort(key=lambda item: next(n for n, name in enumerate(order) if item.nodeid.startswith(name)))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Exclude modules and collected tests from garbage collection, because they live until the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    """A warm judge with a low CPU limit, so that endless loops end sooner. All other tests need far less."""
    with Judge(backend(), replace(CEILING, cpu_seconds=3)) as judge:
        yield judge


@pytest.fixture(scope="session")
def packs() -> dict[str, Pack]:
    return {slug: pack.load(pack.find(EXERCISES, slug)) for slug in SLUGS}


@pytest.fixture(scope="session", params=["python", "numpy", "torch"])
def any_profile(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def python_box() -> Iterator[Sandbox]:
    """A sandbox with the fastest profile, for tests of the sandbox itself."""
    with Sandbox(backend(), "python") as box:
        box.wait_until_warm()
        yield box


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.setenv("COLUMNS", "160")
    return Shell(capsys)


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
