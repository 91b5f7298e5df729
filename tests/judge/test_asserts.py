"""Checks that are plain asserts on the student's functions and objects."""

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from autograder.judge.checks import CheckFailed, Student
from autograder.judge.checks.asserts import asserted
from autograder.judge.checks.stand_ins import Remote
from autograder.judge.checks.student import StudentRaised

Enter = Callable[..., Student]

VALUE = """
class Value:
    def __init__(self, data, parents=()):
        self.data, self.parents, self.grad = data, parents, 0.0
        self._backward = lambda: None
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))
        def backward():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = backward
        return out
    __radd__ = __add__
    def __float__(self):
        return float(self.data)
    def __len__(self):
        return len(self.parents)
    def __repr__(self):
        return f"Value({self.data})"
    def backward(self):
        self.grad = 1.0
        self._backward()

def leaves(out):
    return [out, list(out.parents), {"data": out.data}]

def refuse(n):
    if n < 0:
        raise ValueError("n is negative")
    return n

def slope(f, x, step=1e-4):
    return (f(x + step) - f(x - step)) / (2 * step)
"""


def test_objects_are_used_as_in_a_program(enter: Enter) -> None:
    with asserted(enter(VALUE)) as code:
        x = code.Value(2.0)
        y = x + 3.0 + x
        y.backward()
        assert isinstance(y, code.Value)
        assert y.data == 7.0
        assert (x.grad, len(y), float(1 + x)) == (1.0, 2, 3.0)
        assert y > 6.5
        x.data = 5
        assert x.data == 5
        assert repr(x) == "Value(5)"
        top, (left, right), named = code.leaves(y)
        assert top is y
        assert right is x
        assert left == 5.0
        assert named == {"data": 7.0}
        assert x in [left, right]


def test_the_students_exceptions_can_be_expected_by_their_names(enter: Enter) -> None:
    with asserted(enter(VALUE)) as code:
        with pytest.raises(ValueError, match="n is negative"):
            code.refuse(-1)
        assert code.refuse(3) == 3
    with pytest.raises(StudentRaised, match="n is negative"), asserted(enter(VALUE)) as code:
        code.refuse(-2)


def test_a_function_of_the_test_runs_beside_the_students_code(enter: Enter) -> None:
    factor = 3.0

    def cube(x: Any) -> Any:
        return factor * math.pow(x, 3)

    with asserted(enter(VALUE)) as code:
        assert abs(code.slope(lambda x: x * x, 3.0) - 6.0) < 1e-5
        assert math.isclose(code.slope(cube, 2.0, step=1e-5), 36.0, rel_tol=1e-6)
        assert code.slope(math.exp, 0.0) == pytest.approx(1.0, rel=1e-6)


FAILURES = {
    "a number": ("assert code.twice(2) == 4", "`assert code.twice(2) == 4` does not hold.\ncode.twice(2) is 5."),
    "a function": (
        "assert math.isclose(code.twice(2), 4.0)",
        "`assert math.isclose(code.twice(2), 4.0)` does not hold.\ncode.twice(2) is 5.",
    ),
    "a distance": ("assert abs(code.twice(2) - 4) < 1e-6", "does not hold.\ncode.twice(2) is 5."),
    "a message": ("assert code.twice(2) == 4, 'twice of 2'", "does not hold. twice of 2\ncode.twice(2) is 5."),
    "nothing": ("code.nothing()[0]", "stopped with TypeError: 'NoneType' object is not subscriptable"),
    "over two lines": (
        "assert code.twice(\n            2) == 4",
        "`assert code.twice( 2) == 4` does not hold.\ncode.twice(2) is 5.",
    ),
}
WRONG = "def twice(x):\n    return 2 * x + 1\n\ndef nothing():\n    pass\n"


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_names_the_assert_and_the_values(enter: Enter, name: str, tmp_path: Any) -> None:
    test, words = FAILURES[name]
    path = tmp_path / "checks.py"
    path.write_text(f"import math\n\ndef run(asserted, student):\n    with asserted(student) as code:\n        {test}\n")
    scope: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    with pytest.raises(CheckFailed) as failed:
        scope["run"](asserted, enter(WRONG))
    assert words in failed.value.message


def test_an_object_that_is_equal_to_everything_passes_no_assert(enter: Enter) -> None:
    source = """
class Yes:
    def __eq__(self, other): return True
    __ne__ = __lt__ = __gt__ = __le__ = __ge__ = __eq__
    def __bool__(self): return True
    def __contains__(self, item): return True
    def __len__(self): return 1
    def __sub__(self, other): return self
    __rsub__ = __sub__
    def __abs__(self): return self
def f(x): return Yes()
class Near(float):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0.0
def g(x): return Near(5.0)
class Zero:
    def __init__(self, value): self.value = value
    def __float__(self): return self.value
    def __sub__(self, other): return Zero(0.0)
    def __rsub__(self, other): return Zero(0.0)
    def __abs__(self): return Zero(0.0)
    def __pow__(self, other): return 0.0
def h(x): return Zero(5.0)
"""
    tests: list[Callable[[Any], bool]] = [
        lambda code: code.f(2) == 4,
        lambda code: 4 == code.f(2),  # noqa: SIM300
        lambda code: code.f(2) > 3,
        lambda code: abs(code.f(2) - 4) < 1e-6,
        lambda code: bool(code.f(2)),
        lambda code: 4 in code.f(2),
        lambda code: math.isclose(code.f(2), 4),
        lambda code: code.f(2) in (4, 5),
        lambda code: code.f(2) == pytest.approx(4),
        lambda code: code.g(2) == 4,
        lambda code: math.isclose(code.g(2), 4),
        lambda code: code.g(2) == pytest.approx(4),
        lambda code: abs(code.g(2) - 4) < 1e-6,
        lambda code: abs(4 - code.g(2)) < 1e-6,
        lambda code: abs(code.h(2) - 4) < 1e-6,
        lambda code: abs(4.0 - code.h(2)) < 1e-6,
        lambda code: (code.h(2) - 4) ** 2 < 1e-6,
        lambda code: -(code.h(2) - 4) == 0,
        lambda code: float(code.h(2) - 4) == 0,
        lambda code: np.abs(code.h(2) - 4) < 1e-6,
    ]
    for number, test in enumerate(tests):
        with pytest.raises((CheckFailed, StudentRaised)), asserted(enter(source)) as code:
            assert test(code), number


ARRAYS = """
import numpy as np
def relu_forward(x):
    return np.maximum(x, 0), x
def step(w, g, *, rate=0.1):
    w -= rate * g
def table(**options):
    return options
class Layer:
    def __init__(self, w):
        self.w = w
    def __call__(self, x):
        return x @ self.w
"""


def test_arrays_are_copied(enter: Enter) -> None:
    with asserted(enter(ARRAYS, "numpy")) as code:
        x = np.array([[-1.0, 2.0]])
        out, cache = code.relu_forward(x)
        assert isinstance(out, np.ndarray)
        np.testing.assert_allclose(out, [[0.0, 2.0]])
        assert np.array_equal(cache, x)
        layer = code.Layer(np.eye(2))
        layer.w[0, 0] = 7.0
        assert layer(x)[0, 0] == -1.0  # layer.w is a copy
        layer.w = np.ones((2, 1))
        assert layer(x).shape == (1, 1)
        assert code.table(dtype=np.float32, function=np.tanh, axis=(0, 1))["axis"] == (0, 1)
        assert np.float64(2.0) == code.table(n=np.float64(2.0))["n"]
    with (
        pytest.raises(CheckFailed, match=r"does not pass\. Not equal to tolerance"),
        asserted(enter(ARRAYS, "numpy")) as code,
    ):
        np.testing.assert_allclose(code.relu_forward(x)[0], x)


TORCH = """
import torch
def square(x):
    return x * x
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(2))
    def forward(self, x):
        return self.weight * x
def zero_(t):
    t.zero_()
"""


def test_tensors_are_copied_without_their_graph(enter: Enter) -> None:
    with asserted(enter(TORCH, "torch")) as code:
        x = torch.tensor([1.0, 3.0])
        net = code.Net()
        assert torch.equal(code.square(x), torch.tensor([1.0, 9.0]))
        assert torch.allclose(net(x), x)
        assert not net(x).requires_grad
        assert net.weight.tolist() == [1.0, 1.0]


def test_trusted_code_keeps_the_graph_of_its_tensors(enter: Enter) -> None:
    code: Any = Remote(enter(TORCH, "torch"), trusting=True).code()
    x = torch.tensor([1.0, 3.0])
    net = code.Net()
    out = net(x)
    assert torch.allclose(out, x)
    assert torch.allclose(x, out)
    loss = ((x * 2 - out) ** 2).sum() + torch.mean(out) * 0
    loss.backward()
    torch.testing.assert_close(net.weight.grad, -2 * x * x)
    assert out.shape == (2,)


def test_an_argument_that_is_modified_fails_the_check_unless_it_may_be(enter: Enter) -> None:
    x, w = torch.tensor([1.0, 3.0]), np.ones(2)
    with pytest.raises(CheckFailed, match="modified an array"), asserted(enter(TORCH, "torch")) as code:
        code.zero_(x)
    assert x.tolist() == [1.0, 3.0]
    with asserted(enter(TORCH, "torch"), in_place=True) as code:
        code.zero_(x)
        assert x.tolist() == [0.0, 0.0]
    with asserted(enter(ARRAYS, "numpy"), in_place=True) as code:
        code.step(w, np.array([1.0, 2.0]), rate=0.5)
        np.testing.assert_array_equal(w, [0.5, 0.0])


POINTERS = """
class Pointer:
    def __init__(self, address):
        self.__array_interface__ = {"data": (address, False), "shape": (4,), "typestr": "<f8", "version": 3}
"""


def test_numpy_never_reads_memory_at_an_address_of_a_submission(enter: Enter) -> None:
    secret, read = np.arange(4.0), list[Any]()
    for use in (np.asarray, lambda value: np.allclose(value, secret), np.sum):
        with pytest.raises((CheckFailed, StudentRaised)), asserted(enter(POINTERS)) as code:
            read.append(use(code.Pointer(secret.ctypes.data)))
    assert read == []
    with pytest.raises(CheckFailed, match="stopped with AttributeError"), asserted(enter(POINTERS)) as code:
        code.Pointer(0).__array_interface__


def test_modules_of_a_submission_have_the_names_that_are_asked_for(enter: Enter) -> None:
    module = Remote(enter(VALUE)).module("submission", ["Value", "slope", "missing"])
    assert isinstance(module, ModuleType)
    assert {"Value", "slope"} <= vars(module).keys()
    assert not {"missing", "leaves"} & vars(module).keys()
    trusted = Remote(enter(VALUE), trusting=True).module("submission", ["Value"])
    assert trusted.Value(2.0) != trusted.Value(2.0)
    assert bool(trusted.Value(2.0) + 1.0)


def test_what_cannot_be_passed_fails_the_check_with_its_type(enter: Enter) -> None:
    class Own:
        pass

    with pytest.raises(CheckFailed, match="of the test's type Own cannot be passed"), asserted(enter(VALUE)) as code:
        code.refuse(Own())
