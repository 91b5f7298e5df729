"""The second proof of an exercise repeats the jobs that a change affects, and no others."""

from collections import Counter
from pathlib import Path

import pytest

from autograder.judge import pack
from autograder.judge.grade import Judge
from autograder.prove import job_pools, jobs
from autograder.prove.findings import Proof
from autograder.prove.memory import Memory
from autograder.prove.proving import prove_here
from tests.prove.tiny_exercise import CHECKS, PARTS, SETTINGS, SOLUTION, write_exercise


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The jobs that are really done, by purpose."""
    counted = Counter[str]()

    def work(judge: Judge, exercise: pack.Pack, job: jobs.ProofJob) -> object:
        counted[job.purpose] += 1
        return jobs.work(judge, exercise, job)

    monkeypatch.setattr(job_pools, "work", work)
    return counted


def proved(judge: Judge, folder: Path, before: dict[str, bytes]) -> tuple[Proof, dict[str, bytes]]:
    exercise = pack.load(folder)
    memory = Memory(exercise, before)
    return prove_here(judge, exercise, memory, lambda done, of: None), memory.kept


@pytest.mark.parametrize(
    ("changed", "repeated"),
    [
        ({}, set()),
        ({"statement.md": "Other words.\n"}, set()),
        ({"exercise.toml": SETTINGS.replace("Twice and", "Two times and")}, set()),
        ({"right/by_sum.py": "def slope(g, x):\n    return g * (x + x + 1)\n"}, {"right", "flicker"}),
        ({"wrong/missing-upstream.py": "def slope(g, x):\n    return x * 2 + 1\n"}, {"wrong", "diagnosis"}),
        ({"right/third.py": PARTS["right/by_sum.py"] + "\n"}, {"right", "flicker"}),
    ],
)
def test_only_what_a_change_affects_is_repeated(
    judge: Judge, tmp_path: Path, done: Counter[str], changed: dict[str, str], repeated: set[str]
) -> None:
    folder = write_exercise(tmp_path / "twice-and-a-bit", {})
    first, kept = proved(judge, folder, {})
    assert done["mutant"] > 10
    done.clear()
    write_exercise(folder, changed)
    second, _ = proved(judge, folder, kept)
    assert set(done) == repeated and sum(done.values()) <= 3
    assert (second.findings, second.killed, second.wrong_endings) == (first.findings, first.killed, first.wrong_endings)


@pytest.mark.parametrize(
    "changed",
    [
        {"checks.py": CHECKS + "\n# the lines of findings move\n"},
        {"exercise.toml": SETTINGS + "\n[limits]\ncpu_seconds = 3\nwall_seconds = 15\n"},
        {"solution.py": SOLUTION.replace("2 * x + 1", "x + x + 1")},
    ],
)
def test_what_decides_every_verdict_makes_a_proof_begin_anew(
    judge: Judge, tmp_path: Path, done: Counter[str], changed: dict[str, str]
) -> None:
    folder = write_exercise(tmp_path / "twice-and-a-bit", {})
    _, kept = proved(judge, folder, {})
    before = done.copy()
    done.clear()
    write_exercise(folder, changed)
    _, again = proved(judge, folder, kept)
    assert set(done) == set(before)
    assert not kept.keys() & again.keys(), "what is not used any more is forgotten"


def test_a_finding_is_found_again(judge: Judge, tmp_path: Path, done: Counter[str]) -> None:
    weak = CHECKS.replace("rng.normal(size=(5, 2)):\n        expect", "[(1.0, 0.5)]:\n        expect")
    folder = write_exercise(tmp_path / "twice-and-a-bit", {"checks.py": weak})
    first, kept = proved(judge, folder, {})
    done.clear()
    second, _ = proved(judge, folder, kept)
    assert not done and second == first
    assert {"survivor", "vacuous-check"} & {finding.rule for finding in second.findings}
