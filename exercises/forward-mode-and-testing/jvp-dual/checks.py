"""The truth calculates with polynomials in one nilpotent variable for each derivative: no tag can be taken for another."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, Union

import numpy as np

from autograder.judge.checks import Student, Tolerance, check, describe, expect_number, fail, probe, variety

EXACT = Tolerance(1e-9, 1e-11)
Code = Any  # a number, or a list that begins with the name of an operation
Question = list[Any]  # a function of some numbers, where it is evaluated, and the direction; None asks for a derivative


class Expr:
    """A program as data, which the sandbox runs with the student's numbers."""

    def __init__(self, code: Code) -> None:
        self.code = code

    def __add__(self, other: "Formula") -> "Expr":
        return made("+", self, other)

    def __radd__(self, other: float) -> "Expr":
        return made("+", other, self)

    def __sub__(self, other: "Formula") -> "Expr":
        return made("-", self, other)

    def __rsub__(self, other: float) -> "Expr":
        return made("-", other, self)

    def __mul__(self, other: "Formula") -> "Expr":
        return made("*", self, other)

    def __rmul__(self, other: float) -> "Expr":
        return made("*", other, self)

    def __truediv__(self, other: "Formula") -> "Expr":
        return made("/", self, other)

    def __rtruediv__(self, other: float) -> "Expr":
        return made("/", other, self)

    def __neg__(self) -> "Expr":
        return made("neg", self)

    def __pow__(self, n: float) -> "Expr":
        return made("**", self, n)


Formula = Union[Expr, float]


def made(name: str, *parts: Any) -> Expr:
    return Expr([name, *map(code_of, parts)])


def code_of(part: Any) -> Code:
    return part.code if isinstance(part, Expr) else [code_of(item) for item in part] if isinstance(part, list) else part


def sin(a: Formula) -> Expr:
    return made("sin", a)


def cos(a: Formula) -> Expr:
    return made("cos", a)


def exp(a: Formula) -> Expr:
    return made("exp", a)


def log(a: Formula) -> Expr:
    return made("log", a)


def when(a: Formula, comparison: str, b: Formula, yes: Formula, no: Formula) -> Expr:
    return made("if", comparison, a, b, yes, no)


def repeat(count: int, start: Formula, body: Formula) -> Expr:
    """The body, applied that many times to its last variable."""
    return made("loop", count, start, body)


def inner(body: Formula, at: Formula) -> Expr:
    """derivative(body, at), where body has one variable more."""
    return made("derivative", body, at)


def inner_jvp(body: Formula, xs: list[Any], vs: list[Any], part: int = 1) -> Expr:
    return made("jvp", body, xs, vs, part)


X, Y, Z, W = (Expr(["x", n]) for n in range(4))  # the variables, from the outside to the inside


@probe
def evaluated(student: Any, questions: Any) -> Any:
    """Build every function and ask for its derivative, then once more in reverse order."""
    import operator

    two = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
    two |= {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}

    def value(code: Any, known: Any) -> Any:
        if not isinstance(code, list):
            return code
        name, *rest = code
        if name == "x":
            return known[rest[0]]
        if name in two:
            return two[name](value(rest[0], known), value(rest[1], known))
        if name == "neg":
            return -value(rest[0], known)
        if name == "**":
            return value(rest[0], known) ** rest[1]
        if name == "if":
            comparison, a, b, yes, no = rest
            return value(yes if two[comparison](value(a, known), value(b, known)) else no, known)
        if name == "loop":
            count, start, body = rest
            result = value(start, known)
            for _ in range(count):
                result = value(body, [*known, result])
            return result
        if name == "derivative":
            return student.derivative(lambda t: value(rest[0], [*known, t]), value(rest[1], known))
        if name == "jvp":
            body, xs, vs, part = rest
            xs, vs = ([value(item, known) for item in items] for items in (xs, vs))
            return student.jvp(lambda *ts: value(body, [*known, *ts]), xs, vs)[part]
        return getattr(student, name)(value(rest[0], known))

    def asked(body: Any, xs: Any, vs: Any) -> Any:
        if vs is None:
            return student.derivative(lambda t: value(body, [t]), xs[0])
        return student.jvp(lambda *ts: value(body, list(ts)), list(xs), list(vs))

    first = [asked(*question) for question in questions]
    return [first, [asked(*question) for question in questions[::-1]][::-1]]


# -- the truth -----------------------------------------------------------------------------------------------------------

Variables = frozenset[int]


class Poly:
    """Coefficients of products of nilpotent variables. The empty product belongs to the value."""

    def __init__(self, terms: dict[Variables, float]) -> None:
        self.terms = terms

    @property
    def value(self) -> float:
        return self.terms.get(frozenset(), 0.0)

    def plus(self, other: "Poly", factor: float = 1.0) -> "Poly":
        keys = {**self.terms, **other.terms}
        return Poly({key: self.terms.get(key, 0.0) + factor * other.terms.get(key, 0.0) for key in keys})

    def times(self, other: "Poly") -> "Poly":
        terms: dict[Variables, float] = {}
        for (one, a), (two, b) in itertools.product(self.terms.items(), other.terms.items()):
            if not one & two:
                terms[one | two] = terms.get(one | two, 0.0) + a * b
        return Poly(terms)

    def taylor(self, coefficient: Callable[[int, float], float]) -> "Poly":
        """The series around the value. `coefficient` gives the k-th one, the k-th derivative over k factorial."""
        rest = Poly({key: c for key, c in self.terms.items() if key})
        total, power = constant(0.0), constant(1.0)
        for k in range(len(frozenset().union(*rest.terms)) + 1 if rest.terms else 1):
            total = total.plus(power.times(constant(coefficient(k, self.value))))
            power = power.times(rest)
        return total

    def part(self, variable: int) -> "Poly":
        return Poly({key - {variable}: c for key, c in self.terms.items() if variable in key})

    def without(self, variable: int) -> "Poly":
        return Poly({key: c for key, c in self.terms.items() if variable not in key})


def constant(value: float) -> Poly:
    return Poly({frozenset(): float(value)})


def power_coefficient(n: float) -> Callable[[int, float], float]:
    def coefficient(k: int, a: float) -> float:
        if (a == 0 and n < 0) or (a <= 0 and n != int(n)):
            raise ValueError("the statement does not allow this power")
        factor = math.prod((n - i) / (i + 1) for i in range(k))
        return factor * a ** (n - k) if factor else 0.0

    return coefficient


SERIES: dict[str, Callable[[int, float], float]] = {
    "sin": lambda k, a: math.sin(a + k * math.pi / 2) / math.factorial(k),
    "cos": lambda k, a: math.cos(a + k * math.pi / 2) / math.factorial(k),
    "exp": lambda k, a: math.exp(a) / math.factorial(k),
    "log": lambda k, a: math.log(a) if k == 0 else -((-1 / a) ** k) / k,
    "neg": lambda k, a: (-a, -1.0)[k] if k < 2 else 0.0,
}


class Truth:
    """Evaluates programs on polynomials. Every derivative has a variable of its own."""

    def __init__(self) -> None:
        self.fresh = itertools.count()

    def along(self, body: Code, known: list[Poly], xs: list[Poly], vs: list[Poly]) -> tuple[Poly, Poly]:
        variable = next(self.fresh)
        step = Poly({frozenset({variable}): 1.0})
        moved = [x.plus(v.times(step)) for x, v in zip(xs, vs, strict=True)]
        result = self.value(body, [*known, *moved])
        return result.without(variable), result.part(variable)

    def value(self, code: Code, known: list[Poly]) -> Poly:
        result = self.evaluated(code, known)
        if abs(result.value) > 1e6:  # what is hidden later, as by an exponent of 0, may be a division by nearly 0
            raise ArithmeticError("a number without digits")
        return result

    def evaluated(self, code: Code, known: list[Poly]) -> Poly:
        if not isinstance(code, list):
            return constant(code)
        name, *rest = code
        if name == "x":
            return known[rest[0]]
        if name == "**":
            return self.value(rest[0], known).taylor(power_coefficient(rest[1]))
        if name == "if":
            comparison, a, b, yes, no = rest
            left, right = self.value(a, known).value, self.value(b, known).value
            holds = {"<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right}[comparison]
            return self.value(yes if holds else no, known)
        if name == "loop":
            result = self.value(rest[1], known)
            for _ in range(rest[0]):
                result = self.value(rest[2], [*known, result])
            return result
        if name == "derivative":
            return self.along(rest[0], known, [self.value(rest[1], known)], [constant(1.0)])[1]
        if name == "jvp":
            xs, vs = ([self.value(item, known) for item in items] for items in rest[1:3])
            return self.along(rest[0], known, xs, vs)[rest[3]]
        if name in SERIES:
            return self.value(rest[0], known).taylor(SERIES[name])
        one, other = (self.value(part, known) for part in rest)
        if name in ("+", "-"):
            return one.plus(other, 1.0 if name == "+" else -1.0)
        return one.times(other.taylor(power_coefficient(-1)) if name == "/" else other)

    def answer(self, question: Question) -> tuple[float, float]:
        body, xs, vs = question
        value, tangent = self.along(body, [], *([constant(x) for x in items] for items in (xs, vs or [1.0])))
        return value.value, tangent.value


# -- questions -----------------------------------------------------------------------------------------------------------


def number(rng: np.random.Generator, *, negative: bool = True) -> float:
    """Away from 0 and from 1, where a missing factor or a wrong exponent would not show."""
    size = float(rng.uniform(1.2, 2.2) if rng.random() < 0.5 else rng.uniform(0.35, 0.8))
    return -size if negative and rng.random() < 0.5 else size


def along(f: Formula, xs: Sequence[float], vs: Sequence[float]) -> Question:
    return [code_of(f), list(xs), list(vs)]


def slope(f: Formula, x: float) -> Question:
    return [code_of(f), [x], None]


def source(code: Code, depth: int = 0) -> str:
    """The program as a reader would write it."""
    if not isinstance(code, list):
        return repr(code)
    name, *rest = code
    names = ("x", "y", "z", "w", "u", "v")
    if name == "x":
        return names[rest[0]]
    if name in ("+", "-", "*", "/"):
        return f"({source(rest[0], depth)} {name} {source(rest[1], depth)})"
    if name == "**":
        return f"{source(rest[0], depth)} ** {rest[1]}"
    if name == "neg":
        return f"(-{source(rest[0], depth)})"
    if name == "derivative":
        return f"derivative(lambda {names[depth]}: {source(rest[0], depth + 1)}, {source(rest[1], depth)})"
    if name == "jvp":
        own = names[depth : depth + len(rest[1])]
        xs, vs = (", ".join(source(item, depth) for item in items) for items in rest[1:3])
        return f"jvp(lambda {', '.join(own)}: {source(rest[0], depth + len(own))}, [{xs}], [{vs}])[{rest[3]}]"
    if name == "if":
        yes, no = source(rest[3], depth), source(rest[4], depth)
        return f"({yes} if {source(rest[1], depth)} {rest[0]} {source(rest[2], depth)} else {no})"
    if name == "loop":
        return f"({rest[0]} times {names[depth]} = {source(rest[2], depth + 1)} from {source(rest[1], depth)})"
    return f"{name}({source(rest[0], depth)})"


def expect_answers(student: Student, questions: list[Question]) -> None:
    """Asks all questions at once, each of them twice."""
    replies: Any = student.run(evaluated, questions)
    if (
        not isinstance(replies, list)
        or [len(part) if isinstance(part, list) else 0 for part in replies] != [len(questions)] * 2
    ):
        raise fail("The derivatives could not be read.")
    for question, *answers in zip(questions, *replies, strict=True):
        body, xs, vs = question
        value, tangent = Truth().answer(question)
        shown = {"f": source(body, len(xs)), "xs" if vs else "x": xs if vs else xs[0]} | ({"vs": vs} if vs else {})
        for again, answer in enumerate(answers):
            when_asked = " (second call)" if again else ""
            if vs is None:
                expect_number(answer, tangent, f"derivative(f, x){when_asked}", shown, EXACT)
                continue
            if not isinstance(answer, tuple) or len(answer) != 2:
                raise fail(
                    f"jvp should return a tuple of two numbers, but returned {describe(answer)}.", "jvp(f, xs, vs)", shown
                )
            expect_number(answer[0], value, f"the value of jvp(f, xs, vs){when_asked}", shown, EXACT)
            expect_number(answer[1], tangent, f"the tangent of jvp(f, xs, vs){when_asked}", shown, EXACT)


def pairs(rng: np.random.Generator, functions: Sequence[Formula]) -> list[Question]:
    """Functions of two variables at random points along random directions."""
    return [along(f, [number(rng), number(rng)], [number(rng), number(rng)]) for f in functions]


@check("Sums, products and quotients along a direction", points=2)
def arithmetic(student: Student, rng: np.random.Generator) -> None:
    c = number(rng)
    expect_answers(
        student, pairs(rng, [X + Y, X - Y, X * Y, X / Y, -X * Y, X * X * c - Y / c, (X + c) * (Y - X) / (Y * Y + 1.5)])
    )


@check("The four functions and powers", points=1.5)
def functions(student: Student, rng: np.random.Generator) -> None:
    x = number(rng, negative=False)
    single: list[Formula] = [sin(X), cos(X), exp(X), log(X), X**3, X**-2, X**0.5, exp(sin(X) * X) - log(X * X)]
    expect_answers(student, [slope(f, x) for f in single])


@check("A derivative inside a derivative", points=2)
def nested(student: Student, rng: np.random.Generator) -> None:
    x = number(rng, negative=False)
    second: list[Formula] = [inner(Y**3, X), inner(sin(Y) * exp(Y), X), inner(1 / Y + log(Y), X)]
    expect_answers(student, [slope(f, x) for f in [*second, X * inner(X + Y, number(rng))]])


@check("Directions of any length, including 0", points=1, hidden=True)
def directions(student: Student, rng: np.random.Generator) -> None:
    f = sin(X * Y) * exp(X * Y / 3) + X**2 / Y - Z * X + log(X * X + 1) * cos(Z * Y)
    xs = [number(rng) for _ in range(3)]
    vs: list[list[float]] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 0.0, -3.0],
        [1e6, -2e6, 5e5],
        [1e-6, 2e-6, -1e-6],
        [0, 2, -1.0],
    ]
    expect_answers(student, [along(f, xs, v) for v in [*vs, [number(rng) for _ in range(3)]]])
    equal = number(rng)  # two arguments of the same value are two variables
    expect_answers(
        student, [along(X * Y + X / Y, [equal, equal], [number(rng), number(rng)]), along(X**2, [equal], [number(rng)])]
    )


@check("Numbers on either side of every operator", points=1.5, hidden=True)
def plain_numbers(student: Student, rng: np.random.Generator) -> None:
    questions: list[Question] = []
    for c in (2, 3, number(rng), -number(rng)):
        forms: list[Formula] = [c + X, X + c, c - X, X - c, c * X, X * c, c / X, X / c, c - X * Y, c / (X - 4 * Y * Y - 3)]
        questions += pairs(rng, forms)
    questions += [slope(c - inner(c / Y, X), number(rng)) for c in (1, 2.5)]
    plain: list[Formula] = [sin(0.7) * X, cos(2) * X, exp(0.3) * X, log(2.0) * X, X + exp(1)]
    expect_answers(student, questions + pairs(rng, plain))


@check("Powers: any exponent, a negative base, and base 0", points=1.5, hidden=True)
def powers(student: Student, rng: np.random.Generator) -> None:
    questions = [slope(X**n, number(rng, negative=False)) for n in (0, 1, 2, 5, -1, -3, 0.5, -1.5, 2.0, 3.7, 0.0)]
    questions += [slope(X**n * X, -number(rng, negative=False)) for n in (0, 1, 2, 3, -1, -2, 2.0, 0.0, 1.0)]
    questions += [slope(X**n + 3 * X, zero) for n in (0, 1, 2, 3, 0.0, 1.0) for zero in (0.0, -0.0)]
    questions += [slope(inner(Y**n + Y, X), at) for n in (0, 1, 2, 3, 2.0, 0.0) for at in (0.0, number(rng))]
    questions += [slope(inner(Y**n, X), number(rng, negative=False)) for n in (0.5, -1, -2.5)]
    questions += [slope(inner(inner(Z**n, Y), X), at) for n in (1, 2, 3, 4) for at in (0.0, -number(rng))]
    expect_answers(student, questions)


@check("Branches and loops", points=1, hidden=True)
def control_flow(student: Student, rng: np.random.Generator) -> None:
    x, y = sorted((number(rng, negative=False), number(rng, negative=False)))
    questions: list[Question] = []
    for comparison in ("<", ">", "<=", ">="):
        f = when(X, comparison, Y, X * X * Y, sin(Y) + 3 * X)
        questions += [along(f, point, [number(rng), number(rng)]) for point in ((x, y), (y, x), (x, x))]
        for c in (1, 0.5, -2.5):
            questions += [
                slope(when(X, comparison, c, X**2, -X), number(rng)),
                slope(when(c, comparison, X, X**2, -X), number(rng)),
            ]
        mixed = inner(when(X, comparison, Y, X * Y, Y * Y), number(rng, negative=False))
        questions += [slope(X * mixed, number(rng, negative=False))]
    questions += [slope(repeat(5, X, sin(Y) * X + 0.5), number(rng)), slope(repeat(30, 1.0, Y * X / 1.1), 1.2)]
    questions += [along(repeat(4, 0.0, Z * X + Y), [number(rng), number(rng)], [number(rng), number(rng)])]
    newton = repeat(8, 1.0, (Y + X / Y) / 2)  # the square root of x
    expect_answers(
        student, [*questions, slope(newton, number(rng, negative=False)), slope(inner(repeat(3, Y, Z * Z + Y * X), X), 0.3)]
    )


@check("Functions that do not depend on their arguments", points=1, hidden=True)
def constants(student: Student, rng: np.random.Generator) -> None:
    c = number(rng)
    questions = [
        slope(f, number(rng)) for f in (c, 2, X * 0, X - X + c, inner(c, X), inner(X * X, c), inner(X, X), X * inner(2.0, X))
    ]
    questions += [along(f, [number(rng), number(rng)], [number(rng), number(rng)]) for f in (c, X, Y, X * 0 + c, sin(0.5))]
    questions += [slope(X * inner_jvp(X * 3, [X], [1.0], part) + X, number(rng)) for part in (0, 1)]
    questions += [slope(X * inner_jvp(c, [X], [X], part) + X, number(rng)) for part in (0, 1)]
    expect_answers(student, questions)


@check("Inner derivatives that use outer variables", points=2.5, hidden=True)
def shared_variables(student: Student, rng: np.random.Generator) -> None:
    a, b = number(rng), number(rng, negative=False)
    functions: list[Formula] = [
        X * inner(X + Y, a),
        inner(X * Y, a) * X,
        X * inner(X * Y, X),
        inner(X * Y * Y, X),
        X * inner(X * Y * Y, 2 * X + a),
        inner(sin(X * Y), X) + inner(cos(X + Y) * Y, a),
        inner(exp(X * Y) / Y, b),
        inner(X, a) + X * X,
        X**2 * inner(Y**2 * X**3, X * X),
        inner(log(Y) * X, b) * inner(X / Y, b),
        inner(Y * Y, X) * inner(X * X * Y, X + 1),
    ]
    questions = [slope(f, number(rng, negative=False)) for f in functions]
    two: list[Formula] = [X * inner(X * Y * Z, a) + Y, Y * inner(sin(Z * X), Y), inner(Z**3 * Y, X) / X]
    expect_answers(student, questions + pairs(rng, two))


@check("Three derivatives inside each other, and an inner jvp", points=1, hidden=True)
def deeper(student: Student, rng: np.random.Generator) -> None:
    a, b = number(rng), number(rng)
    functions: list[Formula] = [
        inner(inner(sin(Z), Y), X),
        inner(inner(Z**5, Y) * Y, X),
        X * inner(Y * inner(X * Y * Z, a), b),
        X * inner(Y * inner(X + Y + Z, a), b),
        inner(X * Y * inner(X * Y * Z * Z, X + Y), X),
        inner(inner(exp(X * Y * Z / 9), X), X),
        inner_jvp(X * Y * Z, [X, a], [1.0, X]),
        X * inner_jvp(Y * Z * Z, [a, X], [X, b]) + inner_jvp(Y * Y, [X], [b], 0),
        inner(inner_jvp(Z * Z * Y * X, [Y], [X]), a),
        inner_jvp(inner(Z * Y * X, Y) * Y, [X * a], [X]),
        inner_jvp(X + Y, [a], [0.0]) + X,
    ]
    expect_answers(student, [slope(f, number(rng, negative=False)) for f in functions])


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    questions: list[Question] = []
    while len(questions) < 25:
        count = int(rng.integers(1, 3))
        xs = [float(rng.choice([0.0, 1.0, -1.0, number(rng), number(rng)])) for _ in range(count)]
        vs = [float(rng.choice([0.0, 1.0, number(rng)])) for _ in range(count)]
        body = code_of(any_formula(rng, count, 3, 0))
        question = [body, xs, None if count == 1 and rng.random() < 0.5 else vs]
        if moderate(question):
            questions.append(question)
    student.run(evaluated, questions)


def moderate(question: Question) -> bool:
    """Whether all numbers exist and keep their digits, also if the arguments move a little."""
    body, xs, vs = question
    try:
        found = [Truth().answer([body, [x + step for x in xs], vs]) for step in (-1e-6, 0.0, 1e-6)]
    except (ArithmeticError, ValueError, TypeError):
        return False
    return all(
        abs(part) < 1e3 and abs(part - middle) < 1e-2
        for answer in found
        for part, middle in zip(answer, found[1], strict=True)
    )


def any_formula(rng: np.random.Generator, known: int, depth: int, nesting: int) -> Formula:
    if depth == 0 or rng.random() < 0.15:
        return float(rng.choice([2.0, number(rng)])) if rng.random() < 0.25 else Expr(["x", int(rng.integers(known))])
    kind = int(rng.integers(10 if nesting < 2 else 7))
    one, other = (any_formula(rng, known, depth - 1, nesting) for _ in range(2))
    if kind < 3:
        return made(str(rng.choice(["+", "-", "*", "/"])), one, other)
    if kind == 3:
        return made(str(rng.choice(["sin", "cos", "exp", "log", "neg"])), one)
    if kind == 4:
        return made("**", one, [0, 1, 2, 3, -1, 2.0, 0.5][int(rng.integers(7))])
    if kind == 5:
        return when(one, str(rng.choice(["<", ">", "<=", ">="])), other, other, one)
    if kind == 6:
        return repeat(int(rng.integers(3)), one, any_formula(rng, known + 1, depth - 1, nesting))
    body = any_formula(rng, known + 1, depth - 1, nesting + 1)
    if kind < 9:
        return inner(body, one)
    return inner_jvp(body, [one], [other], int(rng.integers(2)))
