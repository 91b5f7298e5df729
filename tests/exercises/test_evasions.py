"""Solutions that keep to the numbers and break a rule fail a hidden check of their exercise, on any seed."""

import pytest

from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from tests.exercises.evasions import all_of_them

EVASIONS = all_of_them()
SEEDS = (1, 2)


@pytest.mark.parametrize(
    ("slug", "what", "lines"), EVASIONS, ids=[f"{slug}: {what}".replace(" ", "-") for slug, what, _ in EVASIONS]
)
def test_an_evasion_fails_a_hidden_check(slug: str, what: str, lines: str, judge: Judge, packs: dict[str, Pack]) -> None:
    source = packs[slug].solution + b"\n\n" + lines.encode()
    for seed in SEEDS:
        report = judge.grade(packs[slug], source, seed)
        assert report.verdict in ("partial", "failed"), (report.verdict, report.message)
        assert any(check.hidden and not check.passed for check in report.checks)
