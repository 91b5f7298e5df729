"""Programs on real classes in a sandbox: the right one passes, and every kind of wrong one is told what is wrong."""

from collections.abc import Callable
from textwrap import dedent

import msgspec
import numpy as np
import pytest

from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.engine import Program, expect_programs, look_alikes
from autograder.judge.checks.student import Student, StudentRaised

Enter = Callable[..., Student]

VALUE = """
import math
from fractions import Fraction

class Value:
    def __init__(self, data, parents=(), slopes=()):
        self.data, self.grad = data, 0.0
        self._parents, self._slopes = parents, slopes

    def _of(self, other):
        return other if isinstance(other, Value) else Value(other)

    def __add__(self, other):
        other = self._of(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        other = self._of(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __pow__(self, n):
        return Value(self.data ** n, (self,), (n * self.data ** (n - 1),))

    def exp(self):
        return Value(math.exp(self.data), (self,), (math.exp(self.data),))

    def __neg__(self): return self * -1
    def __sub__(self, other): return self + -self._of(other)
    def __rsub__(self, other): return -self + other
    def __truediv__(self, other): return self * self._of(other) ** -1
    def __rtruediv__(self, other): return self ** -1 * other
    __radd__, __rmul__ = __add__, __mul__

    def backward(self):
        order, seen = [], set()
        def visit(v):
            if v not in seen:
                seen.add(v)
                for p in v._parents:
                    visit(p)
                order.append(v)
        visit(self)
        arrived = {self: 1.0}
        for v in reversed(order):
            g = arrived.get(v, 0.0)
            for p, s in zip(v._parents, v._slopes):
                arrived[p] = arrived.get(p, 0.0) + s * g
            v.grad = v.grad + g
"""


def ladder() -> list[Program]:
    """One operation, one with an upstream, a shared value, two passes, a gradient set by hand."""
    programs = []
    for shape in range(5):
        p = Program()
        a, b = p.input(2.0, "a"), p.input(-3.0, "b")
        match shape:
            case 0:
                p.backward(p.name("f", a * b))
            case 1:
                p.backward(p.name("f", (a + b) * 1.7))
            case 2:
                s = p.name("s", a * b)
                p.backward(p.name("f", s * s + s / a - b**2 + s.call("exp")))
            case 3:
                f = p.name("f", (a - b) * a)
                p.backward(f)
                p.read()
                p.backward(f)
            case 4:
                p.set_grad(a, 0.25)
                p.backward(p.name("f", 1 / a + 2 - b))
        programs.append(p)
    return programs


def complaint(student: Student, look_at: str = "all") -> str:
    with pytest.raises(CheckFailed) as caught:
        expect_programs(student, ladder(), look_at=look_at)
    return caught.value.message


def test_a_right_class_passes(enter: Enter) -> None:
    expect_programs(enter(VALUE), ladder())


def test_a_class_of_another_name_can_be_asked_for(enter: Enter) -> None:
    expect_programs(enter(VALUE.replace("Value", "Scalar")), ladder(), class_name="Scalar")


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("v.grad = v.grad + g", "v.grad = g", "should be"),
        ("arrived.get(p, 0.0) + s * g", "s * g", ".grad should be"),
        ("arrived.get(p, 0.0) + s * g", "arrived.get(p, 0.0) + s", "In f = (a + b) * 1.7, b.grad should be 1.7, but is 1."),
        ("{self: 1.0}", "{self: 2.0}", "In f = a * b, f.grad should be 1, but is 2."),
        ("{self: 1.0}", "{}", "In f = a * b, f.grad should be 1, but is 0."),
        ("(other.data, self.data)", "(self.data, other.data)", "In f = a * b, b.grad should be 2, but is -3."),
        ("self.data * other.data,", "self.data + other.data,", "In f = a * b, f.data should be -6, but is -1."),
        ("(n * self.data ** (n - 1),)", "(self.data ** (n - 1),)", ".grad should be"),
        ("reversed(order)", "order", ".grad should be"),
    ],
)
def test_a_wrong_class_is_told_the_first_wrong_value(enter: Enter, right: str, wrong: str, words: str) -> None:
    assert right in VALUE
    assert words in complaint(enter(VALUE.replace(right, wrong)))


@pytest.mark.parametrize(
    ("grad", "type_name"),
    [("None", "NoneType"), ("complex(g)", "complex"), ("'x'", "str"), ("[g]", "list"), ("Value(g)", "Value")],
)
def test_a_gradient_that_is_no_number_is_named_by_its_type(enter: Enter, grad: str, type_name: str) -> None:
    message = complaint(enter(VALUE.replace("v.grad = v.grad + g", f"v.grad = {grad}")))
    assert message == f"In f = a * b, f.grad should be 1, but is of type {type_name}, not a number."


def test_a_missing_attribute_is_no_number(enter: Enter) -> None:
    source = VALUE.replace("self.data, self.grad = data, 0.0", "self.data = data").replace("v.grad = v.grad + g", "pass")
    assert "is of type NoneType, not a number" in complaint(enter(source))


@pytest.mark.parametrize("grad", ["Fraction(g)", "g"])
def test_any_kind_of_real_number_will_do(enter: Enter, grad: str) -> None:
    expect_programs(enter(VALUE.replace("v.grad = v.grad + g", f"v.grad = v.grad + {grad}")), ladder())


@pytest.mark.parametrize("kind", ["np.float64", "np.asarray"])
def test_a_number_of_numpy_will_do(enter: Enter, kind: str) -> None:
    source = "import numpy as np\n" + VALUE.replace("v.grad = v.grad + g", f"v.grad = {kind}(v.grad + g)")
    expect_programs(enter(source, "numpy"), ladder())


@pytest.mark.parametrize("grad", ["float('nan')", "float('inf')", "-float('inf')"])
def test_nan_and_inf_are_never_right(enter: Enter, grad: str) -> None:
    assert "f.grad should be 1, but is " in complaint(enter(VALUE.replace("v.grad = v.grad + g", f"v.grad = {grad}")))


def test_a_gradient_that_lies_about_being_a_float_is_only_its_number(enter: Enter) -> None:
    sly = "\nclass Sly(float):\n    def __eq__(self, other): return True\n    def __sub__(self, other): return 0.0\n"
    assert "but is 5" in complaint(enter(sly + VALUE.replace("v.grad = v.grad + g", "v.grad = Sly(5.0)")))


ONCE = """
class Once(Value):
    def __init__(self, *args):
        self.reads = []
        super().__init__(*args)
    def __getattribute__(self, name):
        value = super().__getattribute__(name)
        if name != "{name}" or sys._getframe(1).f_code.co_filename == __file__:
            return value
        self.reads.append(name)
        return {then} if len(self.reads) > {free} else value
Value = Once
"""


@pytest.mark.parametrize("name", ["grad", "data"])
def test_what_is_right_on_the_first_reading_alone_fails(enter: Enter, name: str) -> None:
    student = enter("import sys" + VALUE + ONCE.format(name=name, then="0.0", free=1))
    with pytest.raises(
        CheckFailed, match=rf"\.{name} should be -?[0-9.]+, but is a different number each time it is read\.$"
    ):
        expect_programs(student, ladder()[:1])


def test_what_is_right_on_the_second_reading_alone_fails(enter: Enter) -> None:
    student = enter("import sys" + VALUE + ONCE.format(name="grad", then="value", free=1).replace("else value", "else 0.5"))
    with pytest.raises(CheckFailed, match="a different number each time"):
        expect_programs(student, ladder()[:1])


def test_nan_is_the_same_nan_on_each_reading(enter: Enter) -> None:
    student = enter("import sys" + VALUE + ONCE.format(name="grad", then="float('nan')", free=0))
    with pytest.raises(CheckFailed, match="but is nan"):
        expect_programs(student, ladder()[:1])


INTERNED = """
class Interned(type):
    known = {}
    def __call__(cls, data, *rest):
        return super().__call__(data, *rest) if rest else cls.known.setdefault(data, super().__call__(data))
Value = Interned("Value", (Value,), {})
"""


def test_look_alikes_tell_leaves_of_equal_data_apart(enter: Enter) -> None:
    rng = np.random.default_rng(0)
    expect_programs(enter(VALUE), look_alikes(rng))
    for program in look_alikes(rng):
        with pytest.raises(CheckFailed, match=r"\.grad should be"):
            expect_programs(enter(VALUE + INTERNED), [program])


def test_look_alikes_tell_results_of_equal_operands_apart(enter: Enter) -> None:
    kept = """
    plain = Value.__mul__
    def product(self, other, made={}):
        return made.setdefault((id(self), id(other)), plain(self, other))
    Value.__mul__ = product
    """
    with pytest.raises(CheckFailed, match=r"q\.grad should be 2, but is"):
        expect_programs(enter(VALUE + dedent(kept)), look_alikes(np.random.default_rng(0))[:1])


def test_an_exception_in_backward_is_the_students(enter: Enter) -> None:
    with pytest.raises(StudentRaised, match="ZeroDivisionError"):
        expect_programs(enter(VALUE.replace("visit(self)\n", "1 / 0\n")), ladder())


def test_leaves_alone_can_be_looked_at(enter: Enter) -> None:
    source = VALUE.replace("v.grad = v.grad + g", "v.grad = v.grad + g if not v._parents else 0.0")
    assert "f.grad" in complaint(enter(source))
    expect_programs(enter(source), ladder(), look_at="leaves")


def test_data_is_compared_even_when_only_leaves_are_looked_at(enter: Enter) -> None:
    source = VALUE.replace("self.data * other.data,", "self.data * other.data + 1,")
    assert "f.data should be -6, but is -5." in complaint(enter(source), look_at="leaves")


def test_a_wrong_reading_between_two_passes_says_when(enter: Enter) -> None:
    p = Program()
    a = p.input(2.0, "a")
    p.backward(p.name("f", a * a))
    p.read()
    with pytest.raises(CheckFailed, match=r"a\.grad should be 4 at this point, but is 8\."):
        expect_programs(enter(VALUE.replace("+ s * g", "+ s * g * (2 if not p._parents else 1)")), [p])


def test_the_evidence_names_every_value_and_marks_the_wrong_ones(enter: Enter) -> None:
    with pytest.raises(CheckFailed) as caught:
        expect_programs(enter(VALUE.replace("(other.data, self.data)", "(other.data, 0.0)")), ladder()[:1])
    detail = caught.value.detail
    assert detail is not None and detail.expected is not None and detail.given is not None
    assert detail.expected.names == detail.given.names == ("a", "b", "f")
    assert (detail.expected.values, detail.given.values) == (("-3", "2", "1"), ("-3", "0", "1"))
    assert (detail.differing, detail.note) == ((1,), "f = a * b")
    assert {name: shown.values for name, shown in detail.inputs.items()} == {"a": ("2",), "b": ("-3",)}


def test_a_program_that_ends_in_a_leaf_is_named_in_the_message(enter: Enter) -> None:
    p = Program()
    p.backward(p.input(2.0, "a"))
    with pytest.raises(CheckFailed, match=r"^In a, a\.grad should be 1, but is 0\."):
        expect_programs(enter(VALUE.replace("{self: 1.0}", "{}")), [p])


# -- answers that no class gives -----------------------------------------------------------------------------------

RIGHT = [[2.0, -3.0, -6.0], [-3.0, 2.0, 1.0], [], {}]
FORGE = 'import sys\nsys._getframe(1).f_locals["self"]._operations["engine.run"] = lambda *_: {!r}'


def one_product(student: Student) -> None:
    p = Program()
    p.backward(p.name("f", p.input(2.0, "a") * p.input(-3.0, "b")))
    expect_programs(student, [p])


def test_the_way_to_forge_works(enter: Enter) -> None:
    one_product(enter(FORGE.format(msgspec.msgpack.encode([RIGHT]))))


@pytest.mark.parametrize(
    "outcomes",
    [
        [],
        [RIGHT, RIGHT],
        None,
        3,
        [[]],
        [[[2.0], [1.0], [], {}]],
        [[RIGHT[0], [*RIGHT[1], 1.0], [], {}]],  # type: ignore[misc]
        [[RIGHT[0], [], [], {}]],
        [[RIGHT[0], RIGHT[1], [[0.0, 0.0, 0.0]], {}]],
        [[["2", "-3", "-6"], RIGHT[1], [], {}]],
        [[RIGHT[0], RIGHT[1], [], {"0.grad": 3}]],
        [{"data": RIGHT[0]}],
    ],
    ids=str,
)
def test_a_forged_answer_of_another_form_fails(enter: Enter, outcomes: object) -> None:
    with pytest.raises(CheckFailed, match=r"^The results of the programs could not be read\.$"):
        one_product(enter(FORGE.format(msgspec.msgpack.encode(outcomes))))


@pytest.mark.parametrize("answer", [b"", b"\xc1", b"\xdd\xff\xff\xff\xff", b"\x91" * 100_000, "text", None, 3, [1]])
def test_an_answer_that_is_no_packed_list_fails(enter: Enter, answer: object) -> None:
    with pytest.raises(CheckFailed, match="could not be read"):
        one_product(enter(FORGE.format(answer)))


def test_no_number_without_a_reason_still_fails(enter: Enter) -> None:
    forged = [[RIGHT[0], [-3.0, 2.0, None], [], {}]]
    with pytest.raises(CheckFailed, match="but is missing"):
        one_product(enter(FORGE.format(msgspec.msgpack.encode(forged))))
