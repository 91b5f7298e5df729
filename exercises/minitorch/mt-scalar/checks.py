"""Programs on Scalars, of which the leaves are compared, and questions about the graph: orders, pairs, contexts, differences."""

import math
from typing import Any

import numpy as np

from autograder.judge.checks import Student, check, expect, expect_equal, expect_number, probe, variety
from autograder.judge.checks.compare import Tolerance
from autograder.judge.checks.engine import Program, Slot, expect_programs, look_alikes
from autograder.judge.checks.engine_cost import SECONDS, expect_cheap_pass
from autograder.judge.checks.recording import record_expected

BINARY = ("+", "*", "-", "/")
UNARY = ("neg", "exp", "log", "relu")
Pairs = list[list[float]]


def away(rng: np.random.Generator, positive: bool = False) -> float:
    """A number that is neither near 0 nor near 1."""
    size = float(rng.uniform(1.3, 2.4) if rng.random() < 0.5 else rng.uniform(0.4, 0.8))
    return size if positive or rng.random() < 0.5 else -size


def applied(program: Program, operation: str, rng: np.random.Generator) -> Slot:
    """An operation on new inputs."""
    a = program.input(away(rng, operation == "log"), "a")
    if operation in UNARY:
        return program.apply(operation, a)
    return program.apply(operation, a, program.input(away(rng), "b"))


def expect_leaves(student: Student, programs: list[Program]) -> None:
    expect_programs(student, programs, look_at="leaves")


# -- each function ------------------------------------------------------------------------------------------------


@check("One function at a time", points=2)
def one_function(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation in (*BINARY, *UNARY):
        program = Program()
        program.backward(program.name("f", applied(program, operation, rng)))
        programs.append(program)
    for size in (away(rng, True), -away(rng, True)):
        program = Program()
        program.backward(program.name("f", program.input(size, "a").call("relu")))
        programs.append(program)
    expect_leaves(student, programs)


@probe
def sigmoids(student, points, c):
    answer = []
    for x in points:
        a, b = student.Scalar(x), student.Scalar(c)
        s = a.sigmoid()
        y = s * b
        y.backward()
        answer.append([float(number) for number in (s.data, a.derivative, b.derivative)])
    return answer


def expect_sigmoids(student: Student, points: list[float], c: float) -> None:
    answer = student.run(sigmoids, points, c, returns=Pairs)
    expect([len(row) for row in answer] == [3] * len(points), "The results could not be read.")
    for x, row in zip(points, answer, strict=True):
        s = math.exp(x) / (1 + math.exp(x))
        truths = (s, c * s / (1 + math.exp(x)), s)
        for given, truth, what in zip(row, truths, ("a.sigmoid()", "a.derivative", "b.derivative"), strict=True):
            expect_number(given, truth, f"{what}, where y = a.sigmoid() * b,", {"a": x, "b": c})


@check("The sigmoid", points=1)
def sigmoid(student: Student, rng: np.random.Generator) -> None:
    expect_sigmoids(student, [away(rng), away(rng)], away(rng))


@probe
def comparisons(student, x, y, c):
    a, b, d = student.Scalar(x), student.Scalar(y), student.Scalar(c)
    found = [a < b, a > b, a == b, a < y, a > y, a == y, x < b, x > b]
    total = d
    for n, one in enumerate(found):
        total = total + one * d * (n + 2)
    total.backward()
    values = [float(one.data) for one in found]
    return [values, [0.0 if s.derivative is None else float(s.derivative) for s in (a, b, d)]]


# -- differences --------------------------------------------------------------------------------------------------


@probe
def differences(student, values, weights, settings):
    """Central differences of a polynomial in four variables."""

    def f(a, b, c, d):
        p, q, r, s = weights
        return p * a * a * a + q * a * b * b + r * b * c * c * c + s * d * d * d * c

    answer = []
    for options in settings:
        given = list(values)
        answer.append(float(student.central_difference(f, *given, **options)))
    return answer


def slope(values: list[float], weights: list[float], arg: int, step: float) -> float:
    """The difference quotient with this step to each side. The polynomial is of degree three in every variable."""
    a, b, c, d = values
    p, q, r, s = weights
    first = (3 * p * a * a + q * b * b, 2 * q * a * b + r * c**3, 3 * r * b * c * c + s * d**3, 3 * s * d * d * c)[arg]
    cubic = (p, 0.0, r * b, s * c)[arg]
    return first + cubic * step * step


def ask_differences(
    student: Student, rng: np.random.Generator, settings: list[dict[str, Any]], tolerance: Tolerance
) -> None:
    values, weights = ([away(rng) for _ in range(4)] for _ in range(2))
    answer = student.run(differences, values, weights, settings, returns=list[float])
    expect(len(answer) == len(settings), "The results could not be read.")
    for given, options in zip(answer, settings, strict=True):
        arg, epsilon = options.get("arg", 0), options.get("epsilon", 1e-6)
        both = [slope(values, weights, arg, step) for step in (epsilon, epsilon / 2)]
        truth = min(both, key=lambda each: abs(each - given))
        text = "".join(f", {key}={value}" for key, value in options.items())
        what = f"central_difference(f, a, b, c, d{text})"
        expect_number(given, truth, what, dict(zip("abcd", values, strict=True)), tolerance)


@check("central_difference with the default step", points=1)
def small_steps(student: Student, rng: np.random.Generator) -> None:
    ask_differences(student, rng, [{}, *({"arg": n} for n in range(4))], Tolerance(1e-6, 1e-6))


# -- the graph ----------------------------------------------------------------------------------------------------


@probe
def orders(student, graphs):
    """The numbers of the nodes that topological_sort lists; -1 is another object."""
    answer = []
    for values, steps in graphs:
        nodes = [student.Scalar(v) if i % 4 else student.Scalar(v, None) for i, v in enumerate(values)]
        for left, right, multiply in steps:
            a, b = nodes[left], nodes[right]
            nodes.append(a * b if multiply else a + b)
        numbers = {id(node): n for n, node in enumerate(nodes)}
        answer.append([numbers.get(id(node), -1) for node in student.topological_sort(nodes[-1])])
    return answer


Graph = tuple[list[float], list[tuple[int, int, bool]]]


def random_graph(rng: np.random.Generator, steps: int) -> Graph:
    """Values, of which every fourth is a constant, and sums and products of earlier nodes. Some values are equal."""
    count = int(rng.integers(3, 7))
    values = [away(rng) for _ in range(count)]
    values[int(rng.integers(count))] = values[int(rng.integers(count))]
    made = []
    for n in range(count, count + steps):
        left, right = (n - 1 - min(int(rng.geometric(0.35)) - 1, n - 1) for _ in range(2))
        made.append((left, right, bool(rng.random() < 0.5)))
    return values, made


def short_and_long(rng: np.random.Generator) -> Graph:
    """Node 5 and both leaves are reached over short ways and long ones."""
    one, two = bool(rng.random() < 0.5), bool(rng.random() < 0.5)
    return [away(rng) for _ in range(4)], [(1, 2, one), (4, 3, two), (5, 1, one), (6, 4, two), (7, 2, one), (1, 8, two)]


def parents_of(graph: Graph) -> list[tuple[int, ...]]:
    values, steps = graph
    return [() for _ in values] + [(left, right) for left, right, _ in steps]


def expect_order(graph: Graph, order: list[int]) -> None:
    parents = parents_of(graph)
    constants = set(range(0, len(graph[0]), 4))
    reached = {len(parents) - 1}
    for n in range(len(parents) - 1, -1, -1):
        reached |= set(parents[n]) if n in reached else set()
    wanted = sorted(reached - constants)
    record_expected(wanted)
    steps = graph[1]
    names = [f"v{n} = {'constant' if n in constants else 'leaf'}" for n in range(len(graph[0]))]
    names += [f"v{n + len(graph[0])} = v{a} {'*' if m else '+'} v{b}" for n, (a, b, m) in enumerate(steps)]
    shown = {"graph": "; ".join(names)}
    what, texts = f"topological_sort(v{len(parents) - 1})", [f"v{n}" if n >= 0 else "another object" for n in order]
    listed = f"{what} returns {', '.join(texts[:40])}"
    for n in sorted(constants):
        expect(n not in order, f"{listed}. It should not list v{n}, which is a constant.", what, shown, given=order)
    expect(len(set(order)) == len(order), f"{listed}. It should list every Scalar once.", what, shown, given=order)
    missing = [f"v{n}" for n in wanted if n not in order]
    expect(not missing, f"{listed}. It lacks {', '.join(missing)}.", what, shown, given=order)
    alien = [text for n, text in zip(order, texts, strict=True) if n not in wanted]
    expect(not alien, f"{listed}. v{len(parents) - 1} does not depend on {', '.join(alien)}.", what, shown, given=order)
    place = {n: at for at, n in enumerate(order)}
    for n in wanted:
        for parent in parents[n]:
            late = parent in place and place[parent] < place[n]
            expect(not late, f"{listed}. v{n} uses v{parent} and should come before it.", what, shown, given=order)


def ask_orders(student: Student, graphs: list[Graph]) -> None:
    answer = student.run(orders, graphs, returns=list[list[int]])
    expect(len(answer) == len(graphs), "The results could not be read.")
    for graph, order in zip(graphs, answer, strict=True):
        expect_order(graph, order)


@check("The order of a small graph", points=2)
def small_order(student: Student, rng: np.random.Generator) -> None:
    ask_orders(student, [short_and_long(rng), random_graph(rng, 3)])


@probe
def properties(student, x, y, c, d):
    """What Scalars say about themselves, and the pairs of the chain rule as [number of the Scalar, derivative], in the order of
    these numbers and without those of the constant."""
    a, b, k = student.Scalar(x), student.Scalar(y), student.Scalar(c, None)
    p, q = a * b, a * k
    s, e, r = p + p, p.exp(), k * b
    nodes = [a, b, k, p, q, s, e, r]
    numbers = {id(node): n for n, node in enumerate(nodes)}
    flags = [[bool(node.is_leaf()), bool(node.is_constant())] for node in nodes]
    parents = [sorted(numbers.get(id(v), -1) for v in node.parents) for node in nodes[3:]]
    pairs = []
    for node in nodes[3:]:
        found = [[numbers.get(id(v), -1), float(g)] for v, g in node.chain_rule(d) if v is not k]
        pairs.append(sorted(found, key=lambda pair: pair[0]))
    ids = len({node.unique_id for node in nodes})
    return {"flags": flags, "parents": parents, "pairs": pairs, "ids": ids}


@probe
def functions(student, x, y, z, c, d):
    """Two functions of a user: one of three arguments that returns a tuple, and one that returns a number."""

    class Blend(student.ScalarFunction):
        @staticmethod
        def forward(ctx, a, b, t):
            ctx.save_for_backward(a, b, t)
            return a * t + b * (1 - t)

        @staticmethod
        def backward(ctx, d_output):
            a, b, t = ctx.saved_values
            return d_output * t, d_output * (1 - t), d_output * (a - b)

    class Cube(student.ScalarFunction):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * a * a

        @staticmethod
        def backward(ctx, d_output):
            (a,) = ctx.saved_tensors
            return 3 * a * a * d_output

    a, b, t, k = student.Scalar(x), student.Scalar(y), student.Scalar(z), student.Scalar(c, None)
    m = Cube.apply(a)
    n = Blend.apply(m, b, t)
    out = Blend.apply(n, k, t) + Blend.apply(c, n, 0.25) + Cube.apply(n)
    out.backward(d)
    one = [m.data, n.data, out.data, a.derivative, b.derivative, t.derivative]
    leaf = student.Scalar(x)
    leaf.backward()
    one.append(leaf.derivative)
    leaf.backward(d)
    one.append(leaf.derivative)
    student.backpropagate(m, d)
    one.append(a.derivative)
    open_, closed, empty = student.Context(), student.Context(True), student.Context()
    open_.save_for_backward(x, y)
    closed.save_for_backward(x, y)
    saved = [list(ctx.saved_values) + list(ctx.saved_tensors) for ctx in (open_, closed, empty)]
    return [[float(number) for number in one], saved]


# -- programs -----------------------------------------------------------------------------------------------------


@check("A value that is used twice", points=1)
def used_twice(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for write in (
        lambda a, b, s: (s + a) * (s * b),
        lambda a, b, s: s * s + a,
        lambda a, b, s: (s * a + b) * s * a,
        lambda a, b, s: s + s - (s + a) * b,
        lambda a, b, s: ((s.call("relu") + a) * b + a) * s / a,
    ):
        program = Program()
        a, b = program.input(away(rng), "a"), program.input(away(rng), "b")
        program.backward(program.name("f", write(a, b, program.name("s", a * b))))
        programs.append(program)
    expect_leaves(student, programs)


def larger_program(rng: np.random.Generator, steps: int) -> Program:
    program = Program()
    slots = [program.input(away(rng), name) for name in "abcd"]
    values = [program.evaluate()[0][n] for n in range(4)]
    while len(slots) < 4 + steps:
        at = len(slots) - 1 - min(int(rng.geometric(0.3)) - 1, len(slots) - 1)
        to = int(rng.integers(len(slots)))
        operation = str(rng.choice([*BINARY, *UNARY]))
        x, y = values[at], values[to]
        fits = {"log": x > 0.2, "exp": x < 2, "/": abs(y) > 0.3, "relu": abs(x) > 1e-3, "*": abs(x * y) < 20}
        if not fits.get(operation, True):
            continue
        slots.append(program.apply(operation, slots[at], *([slots[to]] if operation in BINARY else [])))
        values.append(program.value_of(len(values), values))
    program.backward(program.name("f", slots[-1] + slots[-2] * slots[0]))
    return program


# -- the hidden checks ------------------------------------------------------------------------------------------------


@check("A derivative from outside", points=1, hidden=True)
def upstream(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation in (*BINARY, *UNARY):
        program = Program()
        c = program.input(away(rng), "c")
        program.backward(program.name("f", applied(program, operation, rng) * c))
        programs.append(program)
    expect_leaves(student, programs)


@check("Zeros", points=1, hidden=True)
def zeros(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for zero in (0.0, -0.0):
        for write in (
            lambda a, b: a * b,
            lambda a, b: (a + b) * b,
            lambda a, b: (b - a) * b,
            lambda a, b: a / b,
            lambda a, b: -a * b,
            lambda a, b: a.call("exp") * b,
            lambda a, b: a.call("relu") * b,
            lambda a, b: (a * b).call("relu") * b,
            lambda a, b: a * (b * 0),
            lambda a, b: (b.call("exp") * a).call("exp"),
        ):
            program = Program()
            a, b = program.input(zero, "a"), program.input(away(rng), "b")
            program.backward(program.name("f", write(a, b)))
            programs.append(program)
    expect_leaves(student, programs)


@check("Numbers on either side", points=1, hidden=True)
def numbers(student: Student, rng: np.random.Generator) -> None:
    programs = []
    n, x = int(rng.integers(2, 6)), round(away(rng), 2)
    for write in (
        lambda a: a + n,
        lambda a: n + a,
        lambda a: a * x,
        lambda a: x * a,
        lambda a: a - n,
        lambda a: a - x,
        lambda a: a / n,
        lambda a: n / a,
        lambda a: x / (a * a + n),
    ):
        program = Program()
        program.backward(program.name("f", write(program.input(away(rng), "a")) * x))
        programs.append(program)
    expect_leaves(student, programs)


@check("The sigmoid at 0 and at larger numbers", points=1, hidden=True)
def larger_sigmoids(student: Student, rng: np.random.Generator) -> None:
    expect_sigmoids(student, [away(rng), -away(rng, True), 0.0, -0.0, 12 * away(rng), 4 * away(rng)], away(rng))


@check("Comparisons", points=1, hidden=True)
def compared(student: Student, rng: np.random.Generator) -> None:
    x, c = away(rng), away(rng)
    for y in (x + 1, x - 1, x, -x):
        values, derivatives = student.run(comparisons, x, y, c, returns=tuple[list[float], list[float]])
        truth = [float(t) for t in (x < y, x > y, x == y, x < y, x > y, x == y, x < y, x > y)]
        names = ("a < b", "a > b", "a == b", "a < y", "a > y", "a == y", "x < b", "x > b")
        expect(len(values) == 8 and len(derivatives) == 3, "The results could not be read.")
        for given, right, name in zip(values, truth, names, strict=True):
            expect_number(given, right, f"({name}).data", {"a": x, "b": y})
        rights = (0.0, 0.0, 1 + sum((n + 2) * t for n, t in enumerate(truth)))
        what = "where y = d + the sum of n * d * t over eight comparisons t and n = 2, 3, ...,"
        for given, right, name in zip(derivatives, rights, "abd", strict=True):
            expect_number(given, right, f"{name}.derivative, {what}", {"a": x, "b": y, "d": c})


@check("central_difference with other steps", points=1, hidden=True)
def large_steps(student: Student, rng: np.random.Generator) -> None:
    settings = [{"arg": n, "epsilon": float(rng.uniform(0.2, 0.9))} for n in range(4)]
    ask_differences(student, rng, [*settings, {"epsilon": 0.5}], Tolerance(1e-9, 1e-9))
    ask_differences(student, rng, [{}, {"arg": 2}], Tolerance(1e-6, 1e-6))


@check("Orders of larger graphs", points=1, hidden=True)
def larger_orders(student: Student, rng: np.random.Generator) -> None:
    graphs = [short_and_long(rng), *(random_graph(rng, int(rng.integers(4, 14))) for _ in range(10))]
    graphs.append(([away(rng), away(rng)], []))
    doublings: Graph = ([away(rng), away(rng)], [(n, n, n % 2 == 0) for n in range(1, 41)])
    ask_orders(student, [*graphs, doublings])


@check("Flags, parents and the chain rule", points=1.5, hidden=True)
def graph_properties(student: Student, rng: np.random.Generator) -> None:
    x, y, c, d = (away(rng) for _ in range(4))
    answer = student.run(properties, x, y, c, d, returns=dict[str, Any])
    names, inputs = ("a", "b", "k", "a * b", "a * k", "p + p", "p.exp()", "k * b"), {"a": x, "b": y, "k": c}
    rights = [[True, False], [True, False], [False, True], *([False, False] for _ in range(5))]
    expect_equal(answer.get("flags"), rights, f"[is_leaf(), is_constant()] of {', '.join(names)}", inputs)
    parents = [[0, 1], [0, 2], [3, 3], [3], [1, 2]]
    expect_equal(answer.get("parents"), parents, f"the numbers of the parents of {', '.join(names[3:])}", inputs)
    expect_equal(answer.get("ids"), len(names), "the number of different unique_ids of eight Scalars", inputs)
    truths = [[(0, d * y), (1, d * x)], [(0, d * c)], [(3, d), (3, d)], [(3, d * math.exp(x * y))], [(1, d * c)]]
    given = answer.get("pairs")
    expect(isinstance(given, list) and len(given) == len(truths), "The results could not be read.")
    for name, truth, row in zip(names[3:], truths, given, strict=True):
        valid = isinstance(row, list) and all(
            isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], int) and isinstance(pair[1], float)
            for pair in row
        )
        expect(valid, "The results could not be read.")
        what = f"({name}).chain_rule(d)"
        wanted = [n for n, _ in truth]
        expect_equal([n for n, _ in row], wanted, f"{what}: the numbers of the variables", {**inputs, "d": d})
        for (n, derivative), (_, right) in zip(row, truth, strict=True):
            expect_number(derivative, right, f"{what}: the derivative of {names[n]}", {**inputs, "d": d})


@check("Functions of a user, contexts, and the derivative of the result", points=1.5, hidden=True)
def own_functions(student: Student, rng: np.random.Generator) -> None:
    x, y, z, c, d = (away(rng) for _ in range(5))
    answer, saved = student.run(functions, x, y, z, c, d, returns=tuple[list[float], list[list[float]]])
    m = x**3
    n = m * z + y * (1 - z)
    out = n * z + c * (1 - z) + 0.25 * c + 0.75 * n + n**3
    dn = d * (z + 0.75 + 3 * n * n)
    truths = [
        ("m.data, where m = Cube.apply(a)", m),
        ("n.data, where n = Blend.apply(m, b, t)", n),
        ("out.data, where out = Blend.apply(n, k, t) + Blend.apply(c, n, 0.25) + Cube.apply(n)", out),
        ("a.derivative after out.backward(d)", dn * z * 3 * x * x),
        ("b.derivative after out.backward(d)", dn * (1 - z)),
        ("t.derivative after out.backward(d)", dn * (m - y) + d * (n - c)),
        ("leaf.derivative after leaf.backward()", 1.0),
        ("leaf.derivative after leaf.backward() and leaf.backward(d)", 1.0 + d),
        ("a.derivative after out.backward(d) and backpropagate(m, d)", dn * z * 3 * x * x + d * 3 * x * x),
    ]
    inputs = {"a": x, "b": y, "t": z, "k": c, "c": c, "d": d}
    expect(len(answer) == len(truths), "The results could not be read.")
    for given, (what, truth) in zip(answer, truths, strict=True):
        expect_number(given, truth, what, inputs)
    what = "saved_values and saved_tensors of Context(), Context(True), and a Context that saves nothing,"
    expect_equal(saved, [[x, y, x, y], [], []], what, {"x": x, "y": y})


@check("Larger programs", points=1, hidden=True)
def larger(student: Student, rng: np.random.Generator) -> None:
    expect_leaves(student, [*(larger_program(rng, 10) for _ in range(12)), *look_alikes(rng)])


@check("Several passes, and long chains", points=1, hidden=True)
def passes(student: Student, rng: np.random.Generator) -> None:
    program = Program()
    a, b = program.input(away(rng), "a"), program.input(away(rng), "b")
    f = program.name("f", a * b)
    h = program.name("h", f * a + b)
    program.backward(f)
    program.read()
    program.backward(h)
    program.read()
    program.backward(f)
    chain = Program()
    x = chain.input(away(rng), "x")
    slot = x
    for n in range(150):
        slot = slot * (-1) if n % 3 else slot + x
    chain.backward(chain.name("f", slot))
    doubled = Program()
    z = doubled.input(away(rng), "z")
    slot = z
    for _ in range(30):
        slot = slot + slot
    doubled.backward(doubled.name("f", slot))
    expect_leaves(student, [program, chain, doubled])


@check("Thousands of values, at the cost of one backward pass", points=1, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    expect_cheap_pass(student, rng, look_at="leaves")


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    programs = [larger_program(rng, int(rng.integers(1, 12))) for _ in range(4)]
    for _ in range(4):
        program = Program()
        draws = [0.0, -0.0, 1.0, -1.0, float(rng.normal()), 2.0]
        slots = [program.input(draws[int(rng.integers(6))]) for _ in range(2)]
        for _ in range(int(rng.integers(0, 7))):
            operation = str(rng.choice(["+", "*", "-", "neg", "relu"]))
            operands: list[Any] = [slots[int(rng.integers(len(slots)))] for _ in range(1 if operation in UNARY else 2)]
            if len(operands) == 2 and rng.random() < 0.3:
                operands[int(rng.integers(2)) if operation != "-" else 1] = draws[int(rng.integers(6))]
            slots.append(program.apply(operation, *operands))
        for _ in range(int(rng.integers(1, 3))):
            program.backward(slots[int(rng.integers(len(slots)))])
        programs.append(program)
    leaves = [[n for n, i in enumerate(each_slots(p)) if i] for p in programs]
    student.run(outcomes, [p.instructions for p in programs], leaves)
    student.run(sigmoids, [float(rng.normal()), 0.0, -30.0, 30.0], away(rng))
    x, y = float(rng.choice([0.0, 1.0, -1.0])), float(rng.choice([0.0, 1.0, -1.0]))
    student.run(comparisons, x, y, away(rng))
    values, weights = ([away(rng) for _ in range(4)] for _ in range(2))
    student.run(differences, values, weights, [{}, {"arg": int(rng.integers(4)), "epsilon": float(rng.uniform(0.1, 1))}])
    student.run(properties, *(away(rng) for _ in range(4)))
    student.run(functions, *(away(rng) for _ in range(5)))


def each_slots(program: Program) -> list[bool]:
    """Whether each slot is an input."""
    return [program.is_input(n) for n in range(len(program.evaluate()[0]))]


@probe
def outcomes(student, programs, leaves):
    """Data of all slots and derivatives of the leaves, None before any reaches them."""
    import operator

    symbols = {"+": operator.add, "*": operator.mul, "-": operator.sub, "/": operator.truediv, "neg": operator.neg}
    answer = []
    for program, wanted in zip(programs, leaves):
        slots = []
        for name, *operands in program:
            if name == "in":
                slots.append(student.Scalar(*operands))
            elif name == "backward":
                slots[operands[0]].backward()
            else:
                operate = symbols.get(name) or operator.methodcaller(name)
                slots.append(operate(*(item[0] if isinstance(item, list) else slots[item] for item in operands)))
        answer.append([[float(slot.data) for slot in slots], [slots[n].derivative for n in wanted]])
    return answer
