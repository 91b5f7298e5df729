"""Graphs far deeper than the recursion limit, small enough in formula that the truth is a short loop over floats."""

import math
from typing import Any

import numpy as np

from autograder.judge.checks import Student, check, expect, expect_equal, expect_number, probe, variety
from autograder.judge.checks.engine import Program, Slot, expect_programs, look_alikes
from autograder.judge.diagnosis import symptom

RECURSION_LIMIT = 1000  # of an interpreter that nobody has touched


def number(rng: np.random.Generator, low: float = 0.4, high: float = 1.6) -> float:
    return float(rng.uniform(low, high) * rng.choice([-1.0, 1.0]))


@probe
def deep(student, form, numbers, steps):
    """Build a deep graph, go backward, let go of it; the limits of the interpreter are out of reach meanwhile.

    Returns the recursion limit before and after, what went wrong in letting go, and then numbers.
    """
    import _thread
    import gc
    import sys
    import threading

    def refuse(*args, **options):
        raise RuntimeError("changing the limits of the interpreter or starting a thread is not allowed")

    places = [
        (sys, "setrecursionlimit"),
        (threading, "stack_size"),
        (_thread, "stack_size"),
        (_thread, "start_new_thread"),
        (threading.Thread, "start"),
    ]
    originals = [getattr(place, name) for place, name in places]
    places += [(student, name) for name, thing in vars(student).items() if any(thing is o for o in originals)]
    saved = [(place, name, getattr(place, name)) for place, name in places]
    before = sys.getrecursionlimit()
    complaints = []
    hook, sys.unraisablehook = sys.unraisablehook, lambda trouble: complaints.append(trouble.exc_type.__name__)
    for place, name in places:
        setattr(place, name, refuse)
    try:
        leaves = [student.Value(number) for number in numbers]
        x, w, b = leaves
        middle = y = x
        if form == "sum":
            for step in range(steps):
                y = y + b if step % 3 else b + y
                if step == steps // 2:
                    middle = y
            y = y * w
        elif form == "first":
            for step in range(steps):
                y = y * w + x if step % 2 else x + w * y
                if step == steps - 4:
                    middle = y
            y = y * b
        elif form == "routes":
            middle = x * w
            one = other = middle
            for step in range(steps):
                one = one + b if step % 2 else one * w
                other = b + other if step % 2 else w * other
            y = one * middle + 1.5 * (middle * other)
        elif form == "ladder":
            y = x * w
            for step in range(steps):
                t = y.tanh()
                y = t * w + (y * 0.1 + b) if step % 2 else (b + 0.1 * y) + t * w
                if step == 0:
                    middle = t
        y.backward()
        readings = [[float(y.data), *(float(leaf.grad) for leaf in leaves), float(middle.grad)] for _ in range(2)]
        answer = [one if one == again else [one, again] for one, again in zip(*readings)]
        texts = [repr(value) for value in (y, middle, x)]
        answer += [len(text) if isinstance(text, str) else -1 for text in texts]
        t = one = other = None
        del leaves, x, w, b, y, middle, t, one, other
        gc.collect()
    finally:
        after = sys.getrecursionlimit()
        sys.unraisablehook = hook
        for place, name, thing in saved:
            setattr(place, name, thing)
    return [before, after, sorted(set(complaints)), *answer]


def truth(form: str, x: float, w: float, b: float, steps: int) -> list[float]:
    """The value, the gradients of x, w and b, and that of the node in the middle, by running derivatives along."""
    if form == "sum":
        end = x + steps * b
        return [end * w, w, end, steps * w, w]
    if form == "first":
        y, by_x, by_w = x, 1.0, 0.0
        for _ in range(steps):
            y, by_x, by_w = y * w + x, by_x * w + 1.0, by_w * w + y
        return [y * b, by_x * b, by_w * b, y, w**3 * b]
    if form == "routes":
        s = line = x * w
        by_s, by_w, by_b = 1.0, 0.0, 0.0
        for step in range(steps):
            if step % 2:
                line, by_b = line + b, by_b + 1.0
            else:
                line, by_s, by_w, by_b = line * w, by_s * w, by_w * w + line, by_b * w
        to_s = 2.5 * (line + s * by_s)
        return [2.5 * line * s, to_s * w, to_s * x + 2.5 * s * by_w, 2.5 * s * by_b, to_s]
    y, slopes, to_middle = x * w, [w, x, 0.0], 0.0
    for step in range(steps):
        t = math.tanh(y)
        slope = (1 - t * t) * w + 0.1
        to_middle = to_middle * slope if step else w
        y, slopes = t * w + 0.1 * y + b, [slopes[0] * slope, slopes[1] * slope + t, slopes[2] * slope + 1.0]
    return [y, *slopes, to_middle]


def ask(student: Student, form: str, numbers: list[float], steps: int) -> list[Any]:
    """What `deep` says, with the limits looked at; the numbers and then the lengths of three printed forms."""
    answer: Any = student.run(deep, form, numbers, steps)
    expect(isinstance(answer, list) and len(answer) == 11, "The results of the deep graph could not be read.")
    rest: list[Any]
    before, after, complaints, *rest = answer
    expect_equal(before, RECURSION_LIMIT, "The recursion limit after your file was loaded")
    expect_equal(after, RECURSION_LIMIT, "The recursion limit after the backward pass")
    expect_equal(complaints, [], "The list of exceptions raised while the graph was deleted")
    return rest


def expect_deep(student: Student, form: str, numbers: list[float], steps: int, loop: str) -> None:
    shown = dict(zip("xwb", numbers, strict=True))
    given = ask(student, form, numbers, steps)
    x, w, b = numbers
    names = ("The value of the result", "x.grad", "w.grad", "b.grad", "The gradient of an intermediate node")
    for mine, true, what in zip(given[:5], truth(form, x, w, b, steps), names, strict=True):
        expect_number(mine, true, f"{what} for {loop}", shown)


def expect_first(student: Student, rng: np.random.Generator, steps: int) -> None:
    numbers = [number(rng), float(rng.uniform(0.995, 0.999)), number(rng)]
    expect_deep(student, "first", numbers, steps, f"y = x, {steps} times y = y * w + x, then y * b,")


def small(rng: np.random.Generator, steps: int) -> Program:
    """A random program with shared nodes, and values of moderate size."""
    while True:
        program = Program()
        slots: list[Slot] = [program.input(number(rng), name) for name in "abc"]
        for step in range(steps):
            left, right = (slots[int(rng.integers(max(0, len(slots) - 4), len(slots)))] for _ in range(2))
            leaf, k = slots[int(rng.integers(3))], number(rng)
            slots.append((left * k + right, k + left * leaf + right, (left + right * 0.5).call("tanh"))[step % 3])
        f = program.name("f", slots[-1] + slots[-2] * slots[-3])
        if max(abs(value) for value in program.evaluate()[0]) < 20:
            program.backward(f)
            return program


@check("Small graphs", points=2)
def small_graphs(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation in ("+", "*", "tanh"):
        program = Program()
        a, b = program.input(number(rng), "a"), program.input(number(rng), "b")
        result = a.call("tanh") if operation == "tanh" else program.apply(operation, a, b)
        f = program.name("f", 2 * result + b)
        program.read()
        program.backward(f)
        programs.append(program)
    program = Program()
    y = x = program.input(1.0, "x")
    w = program.input(0.5, "w")
    for _ in range(3):
        y = y * w + x
    program.backward(y)
    expect_programs(student, [*programs, program])


@probe
def length_of_repr(student, number):
    value = student.Value(number)
    texts = [repr(value), repr(value * 2 + value.tanh())]
    return [len(text) for text in texts]


@check("A short repr()", points=1)
def short_repr(student: Student, rng: np.random.Generator) -> None:
    answer: Any = student.run(length_of_repr, number(rng))
    expect(isinstance(answer, list) and len(answer) == 2, "The length of repr could not be read.")
    for length in answer:
        expect_short(length, "repr of a small graph")


def expect_short(length: Any, what: str) -> None:
    whole = isinstance(length, int)
    expect(whole and 0 <= length < 200, f"{what} should be a string of fewer than 200 characters.", what, given=length)


@check("The loop of the example with 2500 iterations", points=2, seconds=2)
def loop_of_the_example(student: Student, rng: np.random.Generator) -> None:
    expect_first(student, rng, 2500)


@check("Graphs with shared nodes", points=1.5, hidden=True)
def shared_nodes(student: Student, rng: np.random.Generator) -> None:
    program = Program()
    a, c = program.input(0.0, "a"), program.input(number(rng), "c")
    program.backward(program.name("f", a.call("tanh") * c + c.call("tanh") * a))
    expect_programs(student, [*(small(rng, 12) for _ in range(8)), program, *look_alikes(rng)])


@check("Short and long paths to a shared node", points=1.5, hidden=True, seconds=2)
def routes(student: Student, rng: np.random.Generator) -> None:
    numbers = [number(rng), float(rng.uniform(0.9985, 0.9995)), number(rng)]
    expect_deep(
        student,
        "routes",
        numbers,
        5000,
        "s = x * w and two chains of 5000 operations that start at s and are multiplied by s,",
    )


@check("A long chain of shared nodes with tanh", points=1.5, hidden=True, seconds=2)
def ladder(student: Student, rng: np.random.Generator) -> None:
    """Too deep for any recursion, and short enough that a walk in quadratic time passes; and a short one, where the first nodes
    still have a gradient to speak of."""
    for steps in (6, 600):
        numbers = [number(rng), number(rng, 0.7, 0.9), number(rng, 0.1, 0.3)]
        loop = f"y = x * w, {steps} times y = y.tanh() * w + (y * 0.1 + b),"
        expect_deep(student, "ladder", numbers, steps, loop)


@check(
    "repr() of deep values",
    points=1.5,
    hidden=True,
    seconds=2,
    fixed="what repr says is free; the rule is that it is short and that the limits stay as they are",
)
def deep_repr(student: Student, rng: np.random.Generator) -> None:
    for form in ("sum", "first"):
        numbers = [number(rng), float(rng.uniform(0.995, 0.999)), number(rng)]
        for length in ask(student, form, numbers, 5000)[5:]:
            expect_short(length, "repr of a deep value")


@check("A chain of 50 000 additions", points=2, hidden=True, seconds=6)
def line_of_additions(student: Student, rng: np.random.Generator) -> None:
    numbers = [number(rng), number(rng), number(rng)]
    steps = int(rng.integers(49_900, 49_999))
    expect_deep(student, "sum", numbers, steps, f"y = x, {steps} times y = y + b, then y * w,")


@check("25 000 iterations that also use the first node", points=2, hidden=True, seconds=6)
def first_node_again(student: Student, rng: np.random.Generator) -> None:
    expect_first(student, rng, 25_000)


@probe
def outcomes(student, programs):
    """Data and gradients of programs as plain numbers: which contribution is added first may show in the last digit."""
    import operator

    symbols = {"+": operator.add, "*": operator.mul}
    answer = []
    for program in programs:
        slots = []
        for name, *operands in program:
            if name == "in":
                slots.append(student.Value(*operands))
            elif name == "backward":
                slots[operands[0]].backward()
            else:
                operate = symbols.get(name) or operator.methodcaller(name)
                slots.append(operate(*(item[0] if isinstance(item, list) else slots[item] for item in operands)))
        answer.append([[float(slot.data), float(slot.grad)] for slot in slots])
    return answer


@probe
def deep_and_short(student, run, form, numbers, steps):
    """What `deep` finds, of the printed forms only whether they are short."""
    scope = {}
    exec(run, scope)
    *answer, first, second, third = scope["deep"](student, form, numbers, steps)
    return [answer, [0 <= length < 200 for length in (first, second, third)]]


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    """Small programs of any shape; a graph deeper than the recursion limit; how short the printed form is, not what it says."""
    programs = []
    for _ in range(8):
        program = Program()
        draws = [int(rng.integers(-3, 4)), number(rng), number(rng), 0.0, 1]
        slots = [program.input(draws[int(rng.integers(5))]) for _ in range(int(rng.integers(1, 4)))]
        for _ in range(int(rng.integers(0, 10))):
            operands: list[Slot | int | float] = [slots[int(rng.integers(len(slots)))] for _ in range(2)]
            if rng.random() < 0.3:
                operands[int(rng.integers(2))] = draws[int(rng.integers(5))]
            one, what = slots[int(rng.integers(len(slots)))], rng.random()
            slots.append(one.call("tanh") if what < 0.3 else program.apply("+" if what < 0.7 else "*", *operands))
        program.backward(slots[-1] if rng.random() < 0.7 else slots[int(rng.integers(len(slots)))])
        programs.append(program.instructions)
    student.run(outcomes, programs)
    form = ("sum", "first", "routes", "ladder")[int(rng.integers(4))]
    numbers = [number(rng), number(rng, 0.9, 0.99), number(rng)]
    student.run(deep_and_short, deep.source, form, numbers, int(rng.integers(5, 1200)))


# what `deep` answers: the recursion limit before and after, complaints, the value, the gradients of x, w, b and of the
# node in the middle, three lengths


def other_limits(right: list[Any], given: Any) -> bool:
    """The recursion limit is another one, or the probe refused to change it."""
    refused = "the limits of the interpreter" in getattr(given, "message", "")
    return refused or (_of_deep(given) and given[:2] != right[:2])


def _of_deep(answer: Any) -> bool:
    return isinstance(answer, list) and len(answer) == 11


def long_texts(right: list[Any], given: list[Any]) -> bool:
    """Every number is right, and a printed form grows with the graph."""
    if not _of_deep(given):
        return False
    numbers = all(math.isclose(mine, true, rel_tol=1e-7) for mine, true in zip(given[3:8], right[3:8], strict=True))
    return numbers and given[:3] == right[:3] and max(given[8:]) >= 200


def cut_short(right: list[Any], given: list[Any]) -> bool:
    """The gradient of x is a sum over the whole line: it has arrived from some of the nodes; or the node in the middle has
    received nothing. The value and what the last node sends are right."""
    near = [math.isclose(given[place], right[place], rel_tol=1e-7) for place in (3, 6)]
    share = given[4] / right[4]
    return all(near) and given[:3] == right[:3] and (0.05 < share < 1 - 1e-7 or (share != 0 and given[7] == 0))


symptom("raises-recursion-limit", other_limits, raised=True)
symptom("recursive-repr", long_texts)
symptom("recursive-repr", lambda right, given: given[0] < 200 <= given[1], check="short-repr")
for name in ("loop-of-the-example", "first-node-again"):
    symptom("drops-nodes", cut_short, check=name)
