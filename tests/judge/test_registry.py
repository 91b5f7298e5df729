"""How a checks file declares checks and probes, and what a probe may not bring along."""

import importlib.util
import itertools
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from autograder.judge.checks.registry import Check, check, collect
from autograder.judge.checks.student import Student, StudentRaised

Enter = Callable[..., Student]
Execute = Callable[[str], ModuleType]

IMPORT = "from autograder.judge.checks import check, probe\n"
_numbers = itertools.count()


@pytest.fixture
def execute(tmp_path: Path) -> Execute:
    """Run the text of a checks file as the judge does: from a file, because probes are shipped as source."""

    def run(text: str) -> ModuleType:
        path = tmp_path / f"checks_{next(_numbers)}.py"
        path.write_text(IMPORT + text)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return run


# -- checks --------------------------------------------------------------------------------------------------------


def declared(*checks: Callable[[], object]) -> list[Check]:
    def execute_all() -> None:
        for declare in checks:
            declare()

    return collect(execute_all)[0]


def test_the_id_of_a_check_is_its_functions_name_with_dashes() -> None:
    def second_backward(student: Student, rng: object) -> None: ...

    (one,) = declared(lambda: check("Twice", points=2, hidden=True, seconds=1.5)(second_backward))
    assert one == Check("second-backward", "Twice", 2.0, True, 1.5, second_backward)


def test_a_check_is_public_and_without_a_limit_of_its_own_unless_said() -> None:
    def one(student: Student, rng: object) -> None: ...

    (found,) = declared(lambda: check("One", points=1)(one))
    assert found.hidden is False and found.seconds is None


def test_checks_are_collected_in_the_order_of_the_file(execute: Execute) -> None:
    text = "@check('B', points=1)\ndef b(s, r): ...\n@check('A', points=1)\ndef a(s, r): ..."
    assert [found.id for found in declared(lambda: execute(text))] == ["b", "a"]


def test_what_is_declared_before_is_not_collected(execute: Execute) -> None:
    execute("@check('Old', points=1)\ndef old(s, r): ...")
    assert collect(lambda: None) == ([], None)


def test_a_file_that_raises_leaves_nothing_behind(execute: Execute) -> None:
    with pytest.raises(ZeroDivisionError):
        declared(lambda: execute("@check('Old', points=1)\ndef old(s, r): ...\n1 / 0"))
    assert collect(lambda: None) == ([], None)


def test_a_declared_check_is_still_the_function(execute: Execute) -> None:
    assert execute("@check('A', points=1)\ndef a(s, r): return 'ran'").a(None, None) == "ran"


# -- probes --------------------------------------------------------------------------------------------------------


def test_a_probe_runs_beside_the_students_code(execute: Execute, enter: Enter) -> None:
    probe = execute("@probe\ndef doubled(student, x):\n    return student.f(x) + student.f(x)").doubled
    assert enter("def f(x): return x + 1").run(probe, 4) == 10


def test_a_probe_travels_without_its_decorator(execute: Execute) -> None:
    probe = execute("@probe\ndef p(student):\n    return 1").p
    assert "@" not in probe.source and probe.name == "p"


def test_a_probe_knows_its_line(execute: Execute) -> None:
    assert execute("\n\n@probe\ndef p(student):\n    return 1").p.line == 4


def test_annotations_of_a_probe_are_harmless(execute: Execute, enter: Enter) -> None:
    text = "import numpy as np\n@probe\ndef p(student: 'Student', x: np.ndarray) -> np.ndarray:\n"
    probe = execute(text + "    y: np.float64 = x\n    return y").p
    assert enter("").run(probe, 3) == 3


def test_a_probe_may_import_and_nest_functions(execute: Execute, enter: Enter) -> None:
    text = """
@probe
def p(student, x):
    import math
    from functools import reduce

    def twice(y):
        def inner(z):
            return math.floor(z) + x
        return inner(y) * 2

    class Box:
        held = 5

    return reduce(lambda a, b: a + b, [twice(n) for n in range(3)]) + Box.held
"""
    assert enter("").run(execute(text).p, 1) == 2 * (1 + 2 + 3) + 5


def test_a_probe_may_use_builtins_and_defaults(execute: Execute, enter: Enter) -> None:
    probe = execute("@probe\ndef p(student, xs, *, scale=2, **more):\n    return [scale * x for x in sorted(xs)]").p
    assert enter("").run(probe, [2, 1]) == [2, 4]
    assert enter("").run(probe, [2, 1], scale=3) == [3, 6]


def test_a_probe_does_not_see_the_students_globals(execute: Execute, enter: Enter) -> None:
    probe = execute("@probe\ndef p(student):\n    return sorted(globals())").p
    assert "secret" not in enter("secret = 1").run(probe)


def test_an_exception_in_the_students_code_under_a_probe_is_the_students(execute: Execute, enter: Enter) -> None:
    probe = execute("@probe\ndef p(student):\n    return student.f()").p
    with pytest.raises(StudentRaised, match="KeyError") as caught:
        enter("def f():\n    raise KeyError('x')").run(probe)
    assert [line.number for line in caught.value.raised.lines] == [2]


@pytest.mark.parametrize(
    "body",
    ["return LIMIT", "return [LIMIT for _ in range(3)]", "return (lambda: LIMIT)()", "global LIMIT\n    LIMIT = 2"],
    ids=["name", "comprehension", "lambda", "assignment"],
)
def test_a_global_in_a_probe_is_refused_by_name(execute: Execute, body: str) -> None:
    with pytest.raises(NameError, match="probe p uses LIMIT from outside itself; a probe is sent without its module"):
        execute(f"LIMIT = 1\n@probe\ndef p(student):\n    {body}")


def test_all_globals_of_a_probe_are_named(execute: Execute) -> None:
    with pytest.raises(NameError, match="uses helper, np from outside"):
        execute("import numpy as np\ndef helper(): ...\n@probe\ndef p(student):\n    return helper(np.ones(2))")


def test_a_global_as_a_default_is_refused(execute: Execute) -> None:
    with pytest.raises(NameError, match="LIMIT"):
        execute("LIMIT = 1\n@probe\ndef p(student, n=LIMIT):\n    return n")


def test_a_global_in_a_class_body_of_a_probe_is_refused(execute: Execute) -> None:
    with pytest.raises(NameError, match="LIMIT"):
        execute("LIMIT = 1\n@probe\ndef p(student):\n    class Box:\n        held = LIMIT\n    return Box.held")


def test_a_closure_is_refused(execute: Execute) -> None:
    with pytest.raises(NameError, match="secret"):
        execute("def make(secret):\n    @probe\n    def p(student):\n        return secret\n    return p\nmake(3)")
