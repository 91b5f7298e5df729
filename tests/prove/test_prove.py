"""Every rule of the linter fires when the thing it names is broken, and on nothing else. All exercises here are proved in one
go: what takes long is to start the processes that grade."""

import re
import shutil
from pathlib import Path

import pytest

from autograder.judge import pack
from autograder.prove import scaffold
from autograder.prove.findings import RULES, Proof
from autograder.prove.linter import prove
from autograder.prove.scaffold import NAMES
from sandbox.backends.bubblewrap import Bubblewrap
from tests.conftest import EXERCISES
from tests.prove.tiny_exercise import CHECKS, PARTS, SETTINGS, write_exercise

PUBLIC_WITH_ONES = CHECKS.replace("g, x = float(rng.uniform(1, 2)),", "g, x = 1.0,")
SPOILED: dict[str, dict[str, str]] = {
    "folder": {"exercise.toml": SETTINGS.replace("points = 4", "points = 5")},
    "todo": {"statement.md": PARTS["statement.md"] + "\nTODO(author): an example.\n"},
    "statement": {"statement.md": "# Twice\n\nThe gradient of $x^2 + x.\n"},
    "misconception": {"wrong/takes-three.py": "def slope(g, x):\n    return g * (3 * x + 1)\n"},
    "minutes": {"exercise.toml": SETTINGS.replace("minutes = 10\n", "")},
    "limits": {"exercise.toml": SETTINGS + "\n[limits]\ncpu_seconds = 25\nwall_seconds = 30\n"},
    "starter": {"starter.py": PARTS["solution.py"]},
    "reference": {"solution.py": "def slope(g, x):\n    return g * 2 * x\n"},
    "right": {"right/by_sum.py": "def slope(g, x):\n    return g * x\n"},
    "wrong": {"wrong/missing-upstream.py": "def slope(g, x):\n    return x * g + g * x + g\n"},
    "diagnosis": {"wrong/missing-constant.py": PARTS["wrong/missing-upstream.py"]},
    "public-checks": {"checks.py": PUBLIC_WITH_ONES},
    "broken-check": {"checks.py": CHECKS.replace("rng.normal(size=(5, 2)):\n        expect", "1 / 0:\n        expect")},
    "survivor": {
        "checks.py": CHECKS.replace(
            "for g, x in rng.normal(size=(5, 2)):\n        expect", "for g, x in [(1.0, 0.5)]:\n        expect"
        )
    },
    "allow-list": {"exercise.toml": SETTINGS + '\n[[allow]]\nmutant = "nothing like it"\nreason = "none"\n'},
    "dead-check": {
        "checks.py": CHECKS.replace("points=3", "points=2")
        + '\n\n@check("Always", points=1, hidden=True)\ndef always(student: Student, rng: np.random.Generator) -> None:\n    pass\n'
    },
    "vacuous-check": {
        "checks.py": CHECKS.replace("rng.normal(size=(5, 2)):\n        expect", "np.ones((5, 2)):\n        expect")
    },
    "flicker": {
        "checks.py": CHECKS.replace(
            "    for g, x in rng.normal(size=(5, 2)):\n        expect",
            '    rng = np.random.default_rng(abs(hash("seed")))\n    for g, x in rng.normal(size=(5, 2)):\n        expect',
        ).replace('"slope")', "f\"slope {hash('seed')}\")"),
        "right/by_sum.py": 'def slope(g, x):\n    print(hash("printed"))\n    return g * x + g * x + g\n',
    },
}

FAILING_VARIETY = SPOILED["survivor"]["checks.py"].replace(
    '        student.call("slope", float(g), float(x))\n', '        student.call("slope", "no", None)\n'
)
HANGING = "def slope(g, x):\n    n = 2\n    while n > 0:\n        n -= 1\n    return g * (2 * x + 1)\n"
REASON = SETTINGS.replace("difficulty = 1", 'difficulty = 1\npublic_checks_miss = "The upstream is what students find out."')
OTHERS = {
    "sound": {},
    "failing variety": {"checks.py": FAILING_VARIETY},
    "hanging mutants": {"solution.py": HANGING},
    "public checks that say why": {"checks.py": PUBLIC_WITH_ONES, "exercise.toml": REASON},
    "a reason for nothing": {"exercise.toml": REASON},
}
REAL = pack.find(EXERCISES, "graph-build")
HIDDEN = [check.id for check in pack.load(REAL).checks if check.hidden]


@pytest.fixture(scope="module")
def proofs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Proof]:
    """Of every exercise here, by what was done to it."""
    root = tmp_path_factory.mktemp("spoiled")
    folders = {
        name: write_exercise(root / f"case{n}" / "twice-and-a-bit", parts)
        for n, (name, parts) in enumerate({**SPOILED, **OTHERS}.items())
    }
    folders |= {check_id: without(check_id, root / f"without-{check_id}") for check_id in HIDDEN}
    folders |= {kind: scaffold.create(root, f"new-{kind}", kind) for kind in NAMES}
    return dict(zip(folders, prove(Bubblewrap(), list(folders.values()), 2), strict=True))


def without(check_id: str, folder: Path) -> Path:
    """A real exercise in which one hidden check lets everything pass."""
    shutil.copytree(REAL, folder)
    for path in sorted(folder.glob("right/*.py"))[1:]:  # no check is dead or alive because of them
        path.unlink()
    source, function = (folder / "checks.py").read_text(), check_id.replace("-", "_")
    emptied = re.sub(rf"(def {function}\(.*?\) -> None:\n)", r"\1    return\n", source)
    assert emptied != source, check_id
    (folder / "checks.py").write_text(emptied)
    return folder


def rules(proof: Proof) -> set[str]:
    return {finding.rule for finding in proof.findings}


def test_a_sound_exercise_has_no_findings_and_a_full_score(proofs: dict[str, Proof]) -> None:
    proof = proofs["sound"]
    assert proof.findings == ()
    assert proof.score == 1.0
    assert proof.mutants > 10
    assert proof.killed + proof.equivalent == proof.mutants


def test_every_rule_is_tried() -> None:
    assert SPOILED.keys() == RULES.keys()


@pytest.mark.parametrize("rule", SPOILED)
def test_a_broken_exercise_is_found_by_its_rule(rule: str, proofs: dict[str, Proof]) -> None:
    proof = proofs[rule]
    assert rule in rules(proof), proof.findings
    for finding in proof.findings:
        assert finding.message
        assert "\n" not in finding.message
        assert Path(finding.path).exists() or Path(finding.path).parent.exists()


def test_a_survivor_is_shown_with_its_diff_and_the_inputs_on_which_it_differs(proofs: dict[str, Proof]) -> None:
    proof = proofs["survivor"]
    survivor = next(finding for finding in proof.findings if finding.rule == "survivor")
    assert "it differs from the solution: seed" in survivor.message
    assert "slope" in survivor.message
    assert "--- solution.py" in survivor.detail
    assert proof.score < 1


def test_a_variety_that_fails_on_the_solution_proves_nothing(proofs: dict[str, Proof]) -> None:
    proof = proofs["failing variety"]
    assert proof.equivalent == 0
    assert any("fails for the solution itself" in finding.message for finding in proof.findings)


def test_a_broken_check_is_shown_with_its_line_and_traceback(proofs: dict[str, Proof]) -> None:
    broken = next(finding for finding in proofs["broken-check"].findings if finding.rule == "broken-check")
    assert SPOILED["broken-check"]["checks.py"].splitlines()[broken.line - 1].strip() == "for g, x in 1 / 0:"
    assert "many-numbers" in broken.message and "ZeroDivisionError: division by zero" in broken.message
    assert f"checks.py:{broken.line}: for g, x in 1 / 0:" in broken.detail


def test_public_checks_that_miss_the_point_are_told_with_the_figures(proofs: dict[str, Proof]) -> None:
    found = [finding for finding in proofs["public-checks"].findings if finding.rule == "public-checks"]
    assert [finding.message for finding in found] == [
        "only 0 of 1 wrong solutions fail a public check; add public checks that catch the others (missing-upstream), "
        "or give a reason in public_checks_miss"
    ]
    assert rules(proofs["public checks that say why"]) == set()


def test_a_reason_that_is_no_longer_needed_is_found(proofs: dict[str, Proof]) -> None:
    found = proofs["a reason for nothing"].findings
    assert [(finding.rule, finding.message) for finding in found] == [
        (
            "public-checks",
            "1 of 1 wrong solutions fail a public check; public_checks_miss no longer applies, remove it",
        )
    ]


def test_two_names_for_the_same_answers_are_found(proofs: dict[str, Proof]) -> None:
    told = [finding for finding in proofs["diagnosis"].findings if finding.rule == "diagnosis"]
    assert [Path(finding.path).name for finding in told] == ["missing-upstream.py"]
    assert "explains this as “missing-constant” (known: wrong/missing-constant.py)" in told[0].message


def test_a_mutant_that_hangs_is_killed_by_its_limit(proofs: dict[str, Proof]) -> None:
    proof = proofs["hanging mutants"]
    assert proof.mutants > 15
    assert rules(proof) <= {"survivor"}


@pytest.mark.parametrize("check_id", HIDDEN)
def test_a_real_exercise_without_one_of_its_hidden_checks_is_found(check_id: str, proofs: dict[str, Proof]) -> None:
    """A check that lets everything pass is dead, whatever the others catch."""
    found = [finding.message for finding in proofs[check_id].findings if finding.rule == "dead-check"]
    assert found == [f"{check_id}: no mutant or wrong solution fails this check"], proofs[check_id].findings


@pytest.mark.parametrize("kind", NAMES)
def test_of_a_new_exercise_the_linter_asks_for_the_authors_part_and_nothing_else(
    kind: str, proofs: dict[str, Proof]
) -> None:
    proof = proofs[kind]
    assert {finding.rule for finding in proof.findings} == {"todo"}, [str(finding) for finding in proof.findings]
    assert proof.score == 1.0
    assert proof.mutants - proof.equivalent >= 5
