"""Tests of other graders on trial: which wrong solutions they let pass."""

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from autograder.judge import pack
from autograder.judge.grade import Judge
from autograder.judge.pack import public
from autograder.prove import adopt, court, suite
from autograder.prove.court import Reference, Trial
from autograder.prove.scaffold import SlugTaken
from autograder.prove.suite import SuiteError, UnderTest

Hold = Callable[..., Trial]

SOLUTION = """
import math

def exp_forward(x):
    return math.exp(x)

def exp_backward(g, x):
    return g * math.exp(x)
"""
VANISHING = """
from operators import exp_backward, exp_forward

def test_forward():
    assert exp_forward(0.0) == 1.0

def test_backward():
    assert exp_backward(0.0, 2.0) == 0.0
"""
CAREFUL = """
import math
import pytest
from operators import exp_backward, exp_forward

@pytest.fixture
def point():
    yield 0.7

@pytest.mark.parametrize("x", [0.5, -1.25])
def test_forward(x):
    assert exp_forward(x) == pytest.approx(math.exp(x))

class TestBackward:
    def test_with_upstream(self, point):
        assert exp_backward(3.0, point) == pytest.approx(3.0 * math.exp(point))
"""


@pytest.fixture
def hold(judge: Judge, tmp_path: Path) -> Hold:
    """`hold(tests, solution)`: the trial of tests with a solution, which they import as `operators`."""

    def on_trial(tests: str, solution: str = SOLUTION, name: str = "test_operators.py") -> Trial:
        (tmp_path / name).write_text(dedent(tests))
        (tmp_path / "operators.py").write_text(dedent(solution))
        reference = court.reference_at(tmp_path / "operators.py")
        return court.hold(judge, suite.load(tmp_path / name), reference)

    return on_trial


def test_a_test_at_a_point_where_every_gradient_vanishes_lets_wrong_ones_pass(hold: Hold) -> None:
    trial = hold(VANISHING)
    survivors = "\n".join(version.diff for version in trial.survivors)
    assert "+    return g + math.exp(x)" not in survivors
    assert "+    return g\n" in survivors
    assert trial.fails("test_forward") > 0
    assert trial.rate < 1
    sizes = [version.size for version in trial.survivors]
    assert sizes == sorted(sizes)


def test_careful_tests_catch_every_wrong_solution(hold: Hold) -> None:
    trial = hold(CAREFUL)
    assert trial.tests == ("test_forward[1]", "test_forward[2]", "TestBackward.test_with_upstream")
    assert [version.diff for version in trial.survivors] == []
    assert len(trial.caught) == len(trial.wrong) > 5


def test_asserts_without_functions_are_tests_of_their_own(hold: Hold) -> None:
    trial = hold("from operators import *\ny = exp_forward(1.0)\nassert y > 2.7\nassert y < 2.8\n")
    assert trial.tests == ("line 3", "line 4")
    assert trial.fails("line 3") > 0
    assert any("exp_backward" in version.diff or "return g" in version.diff for version in trial.survivors)


CELLS = """import math

# %%
def exp_forward(x):
    return math.exp(x)

# %% the value
assert abs(exp_forward(1.0) - math.e) < 1e-9

# %%
assert exp_backward(2.0, 0.0) == 2.0
"""


def test_cells_are_tests_and_the_functions_in_them_are_not_used(hold: Hold) -> None:
    trial = hold(CELLS)
    assert trial.tests == ("the value", "cell 3")
    assert trial.fails("the value") > 0


def test_a_failure_in_a_cell_quotes_its_line(hold: Hold) -> None:
    with pytest.raises(SuiteError, match=r"cell 3: `assert exp_backward\(2\.0, 0\.0\) == 2\.0` does not hold"):
        hold(CELLS, "import math\ndef exp_forward(x):\n    return math.exp(x)\ndef exp_backward(g, x):\n    return 3.0\n")


def test_hypothesis_draws_the_same_examples_for_every_version(hold: Hold) -> None:
    trial = hold(
        """
        import math
        from hypothesis import given
        from hypothesis.strategies import floats
        from operators import exp_forward

        @given(floats(-2, 2))
        def test_forward(x):
            assert math.isclose(exp_forward(x), math.exp(x))
        """
    )
    assert trial.fails("test_forward") > 0


def test_a_package_is_imported_under_its_own_names(judge: Judge, tmp_path: Path) -> None:
    package = tmp_path / "engine"
    package.mkdir()
    (package / "__init__.py").write_text("from .scalar import Value\n")
    (package / "scalar.py").write_text(
        "class Value:\n    def __init__(self, data):\n        self.data = data\n"
        "    def __add__(self, other):\n        return Value(self.data + other.data)\n"
    )
    tests = tmp_path / "test_engine.py"
    tests.write_text(
        "import engine\nfrom engine import scalar\nfrom engine.scalar import Value\n"
        "def test_sum():\n    out = engine.Value(2) + Value(3)\n"
        "    assert isinstance(out, scalar.Value)\n    assert out.data == 5\n"
    )
    trial = court.hold(judge, suite.load(tests), court.reference_at(package))
    assert trial.rate == 1.0
    assert any("engine/scalar.py" in version.name for version in trial.wrong)
    assert "Value" in court.reference_at(package).tested.names["engine"]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a solution that fails": (
        {"tests": "from operators import *\ndef test_it():\n    assert exp_forward(1.0) == 7\n"},
        "the solution does not pass 1 of 1 tests; test_it: `assert exp_forward(1.0) == 7` does not hold",
    ),
    "no tests": ({"tests": "x = 1\n"}, "contains no test"),
    "no Python": ({"tests": "def ("}, "cannot be read"),
    "a missing module": (
        {"tests": "import operators, no_such_module_here.deep\ndef test_it():\n    assert no_such_module_here.f(1)\n"},
        "the solution does not pass",
    ),
    "a missing fixture": (
        {"tests": "from operators import *\ndef test_it(tmp_path):\n    assert exp_forward(1.0)\n"},
        "the test needs the fixture tmp_path, which is not in this file",
    ),
    "a solution that cannot be loaded": ({"tests": VANISHING, "solution": "1 / 0\n"}, "ZeroDivisionError: division by zero"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_tried_is_said_in_one_line(hold: Hold, name: str) -> None:
    arguments, words = REFUSED[name]
    with pytest.raises(SuiteError) as refused:
        hold(**arguments)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_versions_that_run_for_ever_or_die_are_caught(judge: Judge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "test_it.py").write_text("from loops import *\ndef test_it():\n    assert count(3) == 3\n")
    source = "def count(n):\n    return n\n"
    wrong = {
        "endless": "def count(n):\n    while True:\n        pass\n",
        "dead": "import os\ndef count(n):\n    os._exit(3)\n",
        "silent": "def count(n):\n    return None\n",
    }
    monkeypatch.setattr(court, "LIMITS", court.LIMITS.__class__(cpu_seconds=1, wall_seconds=20.0))
    trial = court.hold(
        judge,
        suite.load(tmp_path / "test_it.py"),
        Reference(source, UnderTest({"loops": "loops"}, {"loops": ["count"]}), "python", wrong),
    )
    assert {"wrong/endless", "wrong/dead", "wrong/silent"} <= trial.caught.keys()


TESTS = "from echoes import echo\nassert echo(3) == 3\nassert echo('a') == 'a'\n"


def test_tests_become_the_public_checks_of_a_new_exercise(
    judge: Judge, write_exercise: Callable[..., Path], tmp_path: Path
) -> None:
    exercise = pack.load(write_exercise())
    path = tmp_path / "tests.py"
    path.write_text(TESTS)
    tests = suite.load(path)
    trial = court.hold(judge, tests, Reference.of_exercise(exercise), same=court.same_as(judge, exercise))
    root = exercise.folder.parent.parent
    adopted = pack.load(adopt.adopt(root, exercise, tests, trial.tests, "echo-with-tests"))
    assert [(check.title, check.hidden, check.points) for check in adopted.checks] == [
        ("An integer comes back", True, 1),
        ("A word comes back", True, 2),
        ("Test: line 2", False, 0),
        ("Test: line 3", False, 0),
    ]
    assert judge.grade(adopted, adopted.solution, 1).verdict == "passed"
    report = judge.grade(adopted, b"def echo(x):\n    return 4\n", 1)
    failed = {check.title: check.message for check in report.checks if not check.hidden}
    assert failed["Test: line 2"] == "`assert echo(3) == 3` does not hold.\necho(3) is 4."
    assert report.score == 0
    assert judge.grade(adopted, b"raise ValueError\n", 1).reason == "exception"
    run = judge.grade(public(adopted), b"def echo(x):\n    return 3\n", 1)
    assert (run.verdict, run.score, run.max_score) == ("partial", 1, 2)
    with pytest.raises(SlugTaken):
        adopt.adopt(root, exercise, tests, trial.tests, "echo-with-tests")


FORGED = {
    "an object that is equal to everything": "class Yes:\n    __eq__ = lambda s, o: True\ndef echo(x):\n    return Yes()\n",
    "names that the tests use": "def echo(x):\n    return 1\nabs = len = isinstance = lambda *a: 0\n",
    "a module instead of a function": "import math as echo\n",
}


@pytest.mark.parametrize("name", FORGED)
def test_no_trick_passes_a_public_test(judge: Judge, write_exercise: Callable[..., Path], tmp_path: Path, name: str) -> None:
    exercise = pack.load(write_exercise())
    path = tmp_path / "tests.py"
    path.write_text("from echoes import *\nassert echo(3) == 3\nassert abs(echo(5) - 5) < 1e-9\n")
    folder = adopt.adopt(exercise.folder.parent.parent, exercise, suite.load(path), ["line 2", "line 3"], "echo-again")
    assert not any(check.passed for check in judge.grade(pack.load(folder), FORGED[name].encode(), 1).checks)


def test_tests_that_workers_cannot_run_are_refused(write_exercise: Callable[..., Path], tmp_path: Path) -> None:
    exercise = pack.load(write_exercise())
    path = tmp_path / "tests.py"
    path.write_text("import pytest\nfrom echoes import echo\ndef test_it():\n    assert echo(1) == pytest.approx(1)\n")
    root = exercise.folder.parent.parent
    with pytest.raises(SuiteError, match="imports pytest, which workers do not have"):
        adopt.adopt(root, exercise, suite.load(path), ["test_it"], "echo-again")
    assert not list(root.glob("*/echo-again"))
