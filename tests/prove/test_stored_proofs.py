"""A proof is kept until something changes that it depends on; words are nothing that it depends on."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.explain.batch import Slots
from autograder.judge import pack
from autograder.prove import linter as proving
from autograder.prove import stored_proofs
from autograder.prove.findings import Proof
from autograder.prove.job_pools import Item, Progress, run
from autograder.prove.linter import prove
from sandbox.backends.bubblewrap import Bubblewrap
from tests.prove.tiny_exercise import CHECKS, PARTS, SETTINGS, SOLUTION, write_exercise

WORDS = {
    "statement": {"statement.md": PARTS["statement.md"] + "\nMore.\n"},
    "title of the exercise": {"exercise.toml": SETTINGS.replace("Twice and a bit", "Two and a bit")},
    "message": {"exercise.toml": SETTINGS + '\n[messages]\nmissing-upstream = "the upstream is missing"\n'},
    "reason": {"exercise.toml": SETTINGS.replace("difficulty = 1", 'difficulty = 1\npublic_checks_miss = "Why."')},
    "title of a check": {"checks.py": CHECKS.replace('"Many numbers"', '"Numbers"')},
    "comment": {"checks.py": CHECKS + "\n# nothing more\n"},
    "docstring": {"checks.py": '"""What is checked."""\n' + CHECKS},
}
DEEDS = {
    "solution": {"solution.py": SOLUTION.replace("2 * x", "x * 2")},
    "check": {"checks.py": CHECKS.replace("size=(5, 2)", "size=(6, 2)")},
    "points": {"checks.py": CHECKS.replace("points=3", "points=2").replace("points=1", "points=2")},
    "limits": {"exercise.toml": SETTINGS + "\n[limits]\nwall_seconds = 16.0\n"},
    "wrong solution": {"wrong/missing-bit.py": "def slope(g, x):\n    return g * 2 * x\n"},
    "right solution": {"right/by_sum.py": "def slope(g, x):\n    return g + 2 * g * x\n"},
}


class Jobs(list[str]):
    """What is asked of the slots, by purpose; nothing is graded."""

    def ask(self, opened: object, jobs: list[Item], progress: object) -> None:
        self.extend(job.purpose for _, job in jobs)
        raise Asked


class Asked(Exception):
    """Something is about to be graded."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "exercises" / "unit" / "twice-and-a-bit"


@pytest.fixture
def proofs(tmp_path: Path) -> Path:
    return tmp_path / "exercises" / "proofs"


@pytest.fixture
def lint(folder: Path, proofs: Path) -> Callable[..., Proof]:
    """`lint(parts)`: the tiny exercise proved with some of its parts replaced; proofs are kept."""

    def proved(parts: dict[str, str], again: bool = False) -> Proof:
        (proof,) = prove(Bubblewrap(), [write_exercise(folder, parts)], 2, proofs, again=again)
        return proof

    return proved


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Jobs:
    """From now on nothing is graded: the first job that would be raises."""
    jobs = Jobs()
    monkeypatch.setattr(proving, "run", jobs.ask)
    monkeypatch.setattr(proving, "pools", lambda *_: nullcontext())
    return jobs


def keep(folder: Path, proofs: Path) -> None:
    """A proof as it is written, without grading anything."""
    exercise = pack.load(write_exercise(folder, {}))
    stored_proofs.write(proofs, exercise, Proof(exercise.slug, exercise.version, (), 12, 11, 1))


def test_a_proof_is_written_for_the_next_time_and_another_diagnosis_asks_for_explanations_alone(
    lint: Callable[..., Proof], folder: Path, proofs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = replace(lint({}), seconds={})  # which are not stored
    path = stored_proofs.path_of(proofs, "twice-and-a-bit")
    assert list(proofs.iterdir()) == [path]
    assert set(first.wrong_endings) == {"missing-upstream"}
    purposes = list[str]()

    def seen(opened: Sequence[Slots], jobs: Sequence[Item], progress: Progress) -> object:
        purposes.extend(job.purpose for _, job in jobs)
        return run(opened, jobs, progress)

    monkeypatch.setattr(proving, "run", seen)
    assert lint({}) == first
    assert purposes == []
    written = path.read_text()
    path.write_text(written.replace(stored_proofs.diagnosis_hash(pack.load(folder)), "0" * 16))
    assert lint({}) == first
    assert purposes == ["diagnosis"]
    assert path.read_text() == written


@pytest.mark.parametrize("words", WORDS)
def test_words_are_not_proved_again(words: str, lint: Callable[..., Proof], asked: Jobs, folder: Path, proofs: Path) -> None:
    keep(folder, proofs)
    assert lint(WORDS[words]).mutants == 12, "the figures of the proof that was kept"
    assert asked == []


@pytest.mark.parametrize("deed", DEEDS)
def test_what_decides_is_proved_again(
    deed: str, lint: Callable[..., Proof], asked: Jobs, folder: Path, proofs: Path
) -> None:
    keep(folder, proofs)
    with pytest.raises(Asked):
        lint(DEEDS[deed])
    assert "mutant" in asked


def test_code_that_decides_differently_makes_proofs_worthless(
    lint: Callable[..., Proof], asked: Jobs, folder: Path, proofs: Path
) -> None:
    keep(folder, proofs)
    path = stored_proofs.path_of(proofs, "twice-and-a-bit")
    path.write_text(path.read_text().replace(stored_proofs.gradings_hash(pack.load(folder)), "0" * 16))
    with pytest.raises(Asked):
        lint({})
    assert "mutant" in asked


def test_everything_can_be_proved_again(lint: Callable[..., Proof], asked: Jobs, folder: Path, proofs: Path) -> None:
    keep(folder, proofs)
    with pytest.raises(Asked):
        lint({}, again=True)


def test_a_statement_that_does_not_render_is_found_though_the_gradings_are_proved(
    lint: Callable[..., Proof], asked: Jobs, folder: Path, proofs: Path
) -> None:
    keep(folder, proofs)
    proof = lint({"statement.md": "# Twice\n\nThe gradient of $x^2 + x.\n"})
    assert [finding.rule for finding in proof.findings] == ["statement"]
    assert asked == []


def test_an_interruption_keeps_what_is_proved(folder: Path, proofs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "AT_ONCE", 1)
    other = write_exercise(folder.with_name("twice-again"), {})
    going = prove(Bubblewrap(), [write_exercise(folder, {}), other], 2, proofs)
    assert next(going).slug == "twice-and-a-bit"
    assert [path.stem for path in proofs.iterdir()] == ["twice-and-a-bit"]


def test_what_is_not_proved_is_not_kept(lint: Callable[..., Proof], proofs: Path) -> None:
    wrong = {"wrong/missing-upstream.py": "def slope(g, x):\n    return x * g + g * x + g\n"}
    assert [finding.rule for finding in lint(wrong).findings] == ["wrong"]
    assert not proofs.exists()


def test_a_file_that_cannot_be_read_is_no_proof(lint: Callable[..., Proof], asked: Jobs, folder: Path, proofs: Path) -> None:
    keep(folder, proofs)
    stored_proofs.path_of(proofs, "twice-and-a-bit").write_text("{")
    with pytest.raises(Asked):
        lint({})
