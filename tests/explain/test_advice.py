"""What is said where no numbers were compared: each way to end has its words, and each exception that students meet its own."""

import re
from collections.abc import Callable
from typing import get_args

import pytest

from autograder.explain.advice import compared_numbers, of_check, of_report
from autograder.explain.advice.answers import mismatch_of
from autograder.explain.advice.errors import ERRORS
from autograder.judge.checks.compare import show
from autograder.judge.known_errors import KEYS, known_error
from autograder.judge.pack import Kind
from autograder.judge.report import CheckResult, Detail, Ending, Reason, Report, Stopped, Verdict
from sandbox.wire import Array, Opaque

TORCH = "import torch\nx = torch.ones(3, requires_grad=True, dtype=torch.float64)\n"
FUNCTION = TORCH + (
    "class F(torch.autograd.Function):\n"
    "    @staticmethod\n    def forward(ctx, a): return a * 2\n"
    "    @staticmethod\n    def backward(ctx, g): {backward}\n"
    "y = F.apply(x).sum()\n"
)
RAISING = [
    ("not-written", "python", "raise NotImplementedError('your part')"),
    ("graph-freed", "torch", TORCH + "y = (x ** 2).sum()\ny.backward()\ny.backward()"),
    ("no-grad-fn", "torch", TORCH + "x.detach().sum().backward()"),
    ("grad-of-unused", "torch", TORCH + "torch.autograd.grad(x.sum(), torch.ones(3))"),
    ("grad-of-unused", "torch", TORCH + "torch.autograd.grad(x.sum(), x.clone())"),
    ("modified-in-place", "torch", TORCH + "y = x.exp()\ny += 1\ny.sum().backward()"),
    ("leaf-in-place", "torch", TORCH + "x += 1"),
    ("leaf-in-place", "torch", TORCH + "x[0] = 1"),
    ("not-a-scalar", "torch", TORCH + "(x * 2).backward()"),
    ("numpy-of-graph", "torch", TORCH + "x.numpy()"),
    ("count-of-gradients", "torch", FUNCTION.format(backward="return g, g") + "y.backward()"),
    ("shape-of-gradient", "torch", FUNCTION.format(backward="return g[:2]") + "y.backward()"),
    ("missing-backward", "torch", FUNCTION.replace("def backward", "def backwards").format(backward="...") + "y.backward()"),
    ("legacy-function", "torch", FUNCTION.format(backward="...").replace("F.apply(x)", "F()(x)")),
    ("wrong-dtype", "torch", TORCH + "torch.dot(x, torch.ones(3))"),
    ("wrong-dtype", "torch", TORCH + "torch.ones(2, 2) @ torch.ones(2, 2).double()"),
    ("wrong-dtype", "numpy", "import numpy as np\na = np.ones(3, dtype=int)\na += 0.5"),
    ("wrong-shape", "torch", TORCH + "x + torch.ones(4)"),
    ("wrong-shape", "torch", TORCH + "torch.ones(2, 3) @ torch.ones(2, 3)"),
    ("wrong-shape", "numpy", "import numpy as np\nnp.ones(3) + np.ones(4)"),
    ("wrong-shape", "numpy", "import numpy as np\nnp.ones((2, 3)) @ np.ones((2, 3))"),
    ("wrong-shape", "numpy", "import numpy as np\nnp.ones(6).reshape(4, 2)"),
    ("ambiguous-truth", "torch", TORCH + "if x == x: pass"),
    ("ambiguous-truth", "numpy", "import numpy as np\nif np.ones(2) == np.ones(2): pass"),
    ("none-used", "python", "None.grad"),
    ("none-used", "python", "None + 1"),
    ("too-deep", "python", "def f(): f()\nf()"),
    ("plain-number", "python", "class Value: pass\nValue() + 1"),
    ("plain-number", "python", "(1.0).grad"),
    ("wrong-arguments", "python", "def f(a, b): pass\nf(1)"),
    ("wrong-arguments", "python", "def f(a): pass\nf(1, c=2)"),
    ("unhashable", "python", "class V:\n    def __eq__(self, other): return True\n{V()}"),
    ("unknown-name", "python", "missing"),
    ("unknown-name", "python", "def f():\n    n += 1\nf()"),
    ("not-installed", "python", "import numpy"),
    ("not-permitted", "python", "import os\nos.fork()"),
    ("exited", "python", "import sys\nsys.exit()"),
    ("index-or-key", "python", "[][0]"),
    ("outside-the-domain", "python", "1 / 0"),
    ("no-attribute", "python", "[].shape"),
    ("", "python", "raise ValueError('no')"),
]


@pytest.mark.parametrize(("key", "profile", "source"), RAISING)
def test_what_libraries_really_raise_is_known(
    raised: Callable[..., tuple[str, str]], key: str, profile: str, source: str
) -> None:
    assert known_error(*raised(source, profile)) == key


def test_every_known_error_is_raised_by_one_of_these() -> None:
    assert {error.key for error in ERRORS} == {key for key, _, _ in RAISING if key}
    assert set(KEYS) == {error.key for error in ERRORS}, "one has a pattern without an explanation, or the other way round"


@pytest.mark.parametrize("kind", ["", *get_args(Kind)])
def test_every_known_error_has_words_for_every_kind_of_exercise(kind: str) -> None:
    for error in ERRORS:
        advice = of_check(check("raised", stopped=Stopped("X", error.key)), kind)
        assert advice is not None and advice.key == error.key
        assert sentences(advice.words) >= 2 and not advice.title.endswith("."), advice


def test_a_meaning_is_of_a_kind_that_exists() -> None:
    assert {kind for error in ERRORS for kind in error.meaning} <= {"", *get_args(Kind)}


@pytest.mark.parametrize(
    "message", ["(" * 2000, "a" * 2000, "\n" * 2000, "could not be " * 150, "TypeError: " * 180, "x" * 1999 + "'NoneType'"]
)
def test_no_message_is_too_much(message: str) -> None:
    for exception in ("TypeError", "RuntimeError", "x." * 90 + "ValueError", "", "(((", "\\1"):
        known_error(exception, message)


def test_an_unknown_exception_is_named() -> None:
    advice = of_check(check("raised", stopped=Stopped("ValueError")))
    assert advice is not None and advice.title == "Your code raised ValueError"


# -- a submission as a whole ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", get_args(Reason))
def test_every_reason_has_words_with_what_to_do_next(reason: Reason) -> None:
    advice = of_report(report("error", reason))
    assert advice is not None and advice.title and sentences(advice.words) >= 2


def test_the_starter_comes_before_what_it_ran_into() -> None:
    for verdict, reason in (("failed", None), ("partial", None), ("error", "missing-entry-point")):
        advice = of_report(report(verdict, reason, starter=True))  # type: ignore[arg-type]
        assert advice is not None and advice.key == "starter"


@pytest.mark.parametrize("verdict", ["passed", "partial", "failed", "internal"])
def test_other_verdicts_speak_for_themselves(verdict: Verdict) -> None:
    assert of_report(report(verdict)) is None


def test_a_file_that_is_no_python_is_told_from_one_that_is_empty() -> None:
    broken, empty = (
        of_report(report("error", "source", stopped=Stopped("SyntaxError"))),
        of_report(report("error", "source")),
    )
    assert broken is not None and empty is not None
    assert (broken.key, empty.key) == ("syntax", "source")


def test_a_limit_of_the_whole_submission_is_not_said_again_in_its_check() -> None:
    assert of_check(check("ended")) is None
    late = of_check(check("late"))
    assert late is not None and late.key == "late"


# -- answers that are not numbers ----------------------------------------------------------------------------------------

TENSOR = Array("torch", "float64", (2,), b"\0" * 16)
MISMATCHES = [
    ("nothing-returned", 1.0, None),
    ("nothing-returned", TENSOR, None),
    ("partly-none", [1.0, 2.0], [1.0, None]),
    ("wrong-type", TENSOR, [0.0, 0.0]),
    ("wrong-type", TENSOR, Array("numpy", "float64", (2,), b"\0" * 16)),
    ("wrong-type", 1.0, Opaque("Value")),
    ("wrong-type", 1.0, "one"),
    ("wrong-type", [1.0], 1.0),
    ("wrong-count", [1.0, 2.0], [1.0]),
    ("wrong-shape-of-answer", TENSOR, Array("torch", "float64", (2, 1), b"\0" * 16)),
    ("wrong-dtype-of-answer", TENSOR, Array("torch", "float32", (2,), b"\0" * 8)),
]


@pytest.mark.parametrize(("key", "expected", "given"), MISMATCHES)
def test_an_answer_of_another_form_is_told_from_wrong_numbers(key: str, expected: object, given: object) -> None:
    detail = Detail("answer", {}, show(expected), show(given))
    assert mismatch_of(detail) == key
    assert not compared_numbers(detail)
    advice = of_check(check("failed", detail=detail))
    assert advice is not None and advice.key == key and sentences(advice.words) >= 2


@pytest.mark.parametrize(("expected", "given"), [(1.0, 2.0), (1, 1.5), ([1.0], (2.0,)), (TENSOR, TENSOR), ([None], [1.0])])
def test_numbers_beside_numbers_are_compared(expected: object, given: object) -> None:
    detail = Detail("answer", {}, show(expected), show(given))
    assert compared_numbers(detail) and of_check(check("failed", detail=detail)) is None


def test_entries_that_a_check_compared_are_not_of_the_wrong_type() -> None:
    """A check may expect an array and accept a tensor."""
    array = Array("numpy", "float64", (2,), b"\0" * 16)
    detail = Detail("answer", {}, show(array), show(TENSOR), differing=(0,))
    assert compared_numbers(detail) and of_check(check("failed", detail=detail)) is None


@pytest.mark.parametrize("detail", [None, Detail("answer"), Detail("answer", {}, show("a"), show("b"))])
def test_without_two_sides_no_numbers_were_compared(detail: Detail | None) -> None:
    assert not compared_numbers(detail) and of_check(check("failed", detail=detail)) is None


def sentences(words: str) -> int:
    return len(re.findall(r"[.?!](?:\s|$)", words))


def check(ending: Ending, **fields: object) -> CheckResult:
    return CheckResult("c", "C", False, False, 0.0, 1.0, ending, **fields)  # type: ignore[arg-type]


def report(verdict: Verdict, reason: Reason | None = None, **fields: object) -> Report:
    base = ("x", "v", verdict, reason, "", 0.0, 1.0, 0.1, 0, (), "", "python", "bubblewrap", "0")
    return Report(*base, **fields)  # type: ignore[arg-type]
