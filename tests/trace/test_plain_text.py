"""What is said of engines with one known mistake: every number worked out by hand."""

import msgspec

from autograder.judge.checks.engine import Program
from autograder.trace.model import Trace
from autograder.trace.plain_text import lines
from autograder.web.player.front_page import LOG
from tests.trace.engines import ENGINE, Enter, chain, changed, crossing, shared, traced

EXAMPLE = msgspec.json.decode(LOG.read_bytes(), type=Trace)
OVERWRITES = changed(
    ("self.grad += other.data * out.grad", "self.grad = other.data * out.grad"),
    ("other.grad += self.data * out.grad", "other.grad = self.data * out.grad"),
)


def first_wrong(trace: Trace) -> str:
    assert trace.first_wrong is not None
    assert [event.wrong for event in trace.events].index(True) == trace.first_wrong
    return lines(trace)[trace.first_wrong]


def test_the_front_page_plays_what_an_overwriting_engine_really_does(enter: Enter) -> None:
    trace = traced(enter, OVERWRITES, shared())
    assert trace.expected == EXAMPLE.expected
    assert (trace.program, trace.inputs, trace.first_wrong) == ("f = x * x * w", EXAMPLE.inputs, EXAMPLE.first_wrong)
    for mine, theirs in zip(trace.events[:-1], EXAMPLE.events[:-1], strict=True):
        assert msgspec.structs.replace(mine, line=None) == msgspec.structs.replace(theirs, line=None)
    end = trace.events[-1]
    assert (end.says, end.wrong, end.follows) == (EXAMPLE.events[-1].says, False, True)


def test_a_line_is_where_the_gradient_is_written(enter: Enter) -> None:
    trace = traced(enter, OVERWRITES, shared())
    written = OVERWRITES.splitlines()
    assert {written[event.line - 1].strip() for event in trace.events if event.kind == "accumulate" and event.line} == {
        "self.grad = other.data * out.grad",
        "other.grad = self.data * out.grad",
    }


def test_a_right_engine(enter: Enter) -> None:
    assert lines(traced(enter, ENGINE, chain())) == [
        "f is seeded: 1, line 37",
        "f is ready: the output has no consumers",
        "f propagates to p, first operand: 1 × 5 = 5, line 20",
        "p accumulates: 0 + 5 = 5, line 20",
        "f propagates to c, second operand: 1 × 6 = 6, line 21",
        "c accumulates: 0 + 6 = 6, line 21",
        "p is ready: its only consumer is done",
        "p propagates to a, first operand: 5 × 3 = 15, line 20",
        "a accumulates: 0 + 15 = 15, line 20",
        "p propagates to b, second operand: 5 × 2 = 10, line 21",
        "b accumulates: 0 + 10 = 10, line 21",
        "The pass ends: all 5 gradients agree",
    ]


def test_without_upstream_the_first_inner_product_is_wrong(enter: Enter) -> None:
    source = changed(("other.data * out.grad", "other.data"), ("self.data * out.grad", "self.data"))
    assert first_wrong(traced(enter, source, chain())) == (
        "✕ p propagates to a, first operand: 3 (should be 5 × 3 = 15), line 20. "
        "The contribution is only the local derivative, 3. Multiply it by the upstream gradient: 5 × 3 = 15."
    )


def test_swapped_operands_are_wrong_at_once(enter: Enter) -> None:
    source = changed(("other.data * out", "own * out"), ("self.data * out", "other.data * out"), ("own *", "self.data *"))
    assert first_wrong(traced(enter, source, chain())) == (
        "✕ f propagates to p, first operand: 1 × 6 = 6 (should be 1 × 5 = 5), line 20. "
        "6 is the local derivative with respect to the other operand. With respect to this one it is 5: 1 × 5 = 5, not 6."
    )


def test_a_wrong_sign(enter: Enter) -> None:
    source = changed(("self.grad += other.data * out.grad", "self.grad -= other.data * out.grad"))
    assert "The sign is wrong: 1 × 5 = 5, not −5." in first_wrong(traced(enter, source, chain()))


def test_an_operand_that_is_forgotten_is_missed_before_it_sends(enter: Enter) -> None:
    source = changed(("            self.grad += other.data * out.grad\n", ""))
    trace = traced(enter, source, chain())
    assert lines(trace)[2:6] == [
        "f propagates to c, second operand: 1 × 6 = 6, line 20",
        "c accumulates: 0 + 6 = 6, line 20",
        "✕ f propagates nothing to p, first operand (should be 1 × 5 = 5). f never propagates a contribution to p, "
        "its first operand.",
        "· p is ready: its only consumer is done",
    ]


def test_a_value_whose_turn_never_comes_is_missed_at_the_end(enter: Enter) -> None:
    source = changed(("            v.push()\n", "            if v.data != 6:\n                v.push()\n"))
    assert first_wrong(traced(enter, source, chain())) == (
        "✕ p propagates nothing to a, first operand (should be 5 × 3 = 15). "
        "p never propagates its gradient, so a does not receive its contribution."
    )


def test_a_value_that_sends_before_its_consumers_are_done(enter: Enter) -> None:
    """p, at 2 * 3 = 6, sends the 9 that it has from f; q gives it another 6 afterwards."""
    source = changed(("order.append(v)", ""), ("seen.add(v)", "seen.add(v); order.append(v)"), ("reversed(order)", "order"))
    assert first_wrong(traced(enter, source, crossing())) == (
        "✕ p propagates its gradient after 1 of its 2 consumers. "
        "p propagates its gradient although 1 of its 2 consumers has not contributed yet."
    )


def test_a_pass_without_a_seed(enter: Enter) -> None:
    trace = traced(enter, changed(("        self.grad = 1\n", "")), chain())
    assert trace.first_wrong == 0
    assert first_wrong(trace) == (
        "✕ f is not seeded: 0 (should be 1). The gradient of the output with respect to itself is 1, "
        "but f.grad is 0 when the pass begins."
    )


def test_a_step_that_is_taken_twice(enter: Enter) -> None:
    trace = traced(enter, changed(("v.push()", "v.push(); v.push()")), chain())
    assert first_wrong(trace).endswith(
        "f has already propagated its contribution to p. Here it is propagated a second time."
    )


def test_a_wrong_forward_value_comes_before_every_gradient(enter: Enter) -> None:
    source = changed(("Value(self.data * other.data", "Value(self.data * other.data + (self.data == 2)"))
    assert first_wrong(traced(enter, source, chain())) == (
        "✕ p is computed: 7 (should be 6). The forward pass is already wrong: p.data is 7, but should be 6."
    )


def test_adding_to_what_an_inner_value_holds_from_an_earlier_pass_is_the_first_wrong_step(enter: Enter) -> None:
    program = chain()
    program.instructions.append(program.instructions[-1])
    trace = traced(enter, ENGINE, program, "leaves")
    assert first_wrong(trace) == (
        "✕ p accumulates: 5 + 5 = 10 (should be 0 + 5 = 5), line 20. p.grad still held 5 when this pass began. "
        "The contribution is added to this value instead of to 0."
    )


def test_a_pass_that_raises_ends_there(enter: Enter) -> None:
    trace = traced(enter, changed(("v.push()", "v.push(); 1 / (v.data - 6)")), chain())
    assert (
        lines(trace)[-1]
        == "✕ The pass ends early: your code raised ZeroDivisionError, line 39. Line 39 raised ZeroDivisionError."
    )
    assert trace.first_wrong == len(trace.events) - 1


def test_partial_sums_that_come_right_are_not_called_wrong(enter: Enter) -> None:
    """Every contribution is sent on at once, as far as it is new: p sends twice."""
    source = changed(
        ("lambda: None", "lambda g: None"),
        ("def push():", "def push(g):"),
        ("+= out.grad", "+= g"),
        ("* out.grad", "* g"),
        ("        self.grad = 1\n        for v in reversed(order):\n            v.push()\n", DELTAS),
    )
    trace = traced(enter, source, crossing())
    assert trace.first_wrong is None
    assert not any(event.follows for event in trace.events)
    assert trace.events[-1].says == "The pass ends: all 5 gradients agree"


DELTAS = """\
        self.grad = 1
        sent = {v: 0 for v in order}
        while any(v.grad != sent[v] for v in order):
            v = next(v for v in order if v.grad != sent[v])
            new = v.grad - sent[v]
            sent[v] = v.grad
            v.push(new)
"""


def test_an_engine_that_adds_up_elsewhere_is_told_by_what_it_writes(enter: Enter) -> None:
    source = """
class Value:
    def __init__(self, data, links=()):
        self.data, self.grad, self.links = data, 0, links

    def __add__(self, other):
        return Value(self.data + other.data, ((self, 1), (other, 1)))

    def __mul__(self, other):
        return Value(self.data * other.data, ((self, other.data), (other, self.data)))

    def backward(self):
        order = []

        def visit(v):
            if v not in order:
                for w, _ in v.links:
                    visit(w)
                order.append(v)

        visit(self)
        book = dict.fromkeys(order, 0)
        book[self] = 1
        for v in reversed(order):
            v.grad = book[v]
            for w, slope in v.links:
                book[w] += SLOPE * v.grad
"""
    right = traced(enter, source.replace("SLOPE", "slope"), crossing())
    assert right.first_wrong is None
    assert "b.grad is written: 0 becomes 36, line 25" in lines(right)
    wrong = traced(enter, source.replace("SLOPE", "abs(slope) / 2"), crossing())
    assert wrong.first_wrong is not None


def test_values_that_the_class_makes_on_its_way_are_part_of_the_operation(enter: Enter) -> None:
    """a - b is made as a + b * -1: the gradient of b comes through a product that is no value of the program."""
    source = ENGINE + "    def __sub__(self, other):\n        return self + other * Value(-1)\n"
    program = Program()
    a, b = program.input(2, "a"), program.input(3, "b")
    program.backward(program.name("f", a - b))
    assert lines(traced(enter, source, program)) == [
        "f is seeded: 1, line 37",
        "f is ready: the output has no consumers",
        "f propagates to a, first operand: 1 × 1 = 1, line 10",
        "a accumulates: 0 + 1 = 1, line 10",
        "f propagates to b, second operand: 1 × −1 = −1, line 20",
        "b accumulates: 0 + −1 = −1, line 20",
        "The pass ends: all 3 gradients agree",
    ]


def test_an_inner_value_that_does_not_count_may_be_left_wrong(enter: Enter) -> None:
    """Only the gradients of inputs are compared here, and p.grad is spoilt when p has sent it."""
    source = changed(("v.push()\n", "v.push()\n            v.grad = 7 if v.operands else v.grad\n"))
    trace = traced(enter, source, crossing(), "leaves")
    assert trace.first_wrong is None
    assert not any(event.follows for event in trace.events)
    assert trace.events[-1].says == "The pass ends: both gradients agree"
