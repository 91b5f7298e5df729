"""A bank of implementations, right and wrong ones. Their order is random, so the answers cannot be guessed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Callback, Student, array, check, expect, expect_equal, fail, probe, variety
from autograder.judge.checks.vjp import LAYOUTS
from autograder.judge.diagnosis import raises, symptom

MAX_JVP, MAX_VJP = 100, 20
TRIALS = (1, 1, 1, 2)  # how often one implementation is tested: every call of it takes a message to the judge


@dataclass(frozen=True)
class Case:
    """An implementation: source text of the trusted jvp and of the vjp under test, its inputs, and its constants."""

    words: str
    jvp: str
    vjp: str
    xs: tuple[Numbers, ...]
    right: bool
    s: float = 1.0
    k: Any = 0

    def products(self) -> tuple[Callback, Callback]:
        """jvp and vjp stay here: the submission can call them, but not read whether they agree, and here they are counted."""
        names = {"np": np, "s": self.s, "k": self.k}
        exec(f"jvp, vjp = ({self.jvp}), ({self.vjp})", names)
        tangent: Any = names["jvp"]
        pulled: Any = names["vjp"]

        @np.errstate(all="ignore")
        def jvp(points: Any, directions: Any) -> Any:
            return np.asarray(self.s * tangent(*points, *directions), dtype=float)

        @np.errstate(all="ignore")
        def vjp(g: Any, *points: Any) -> Any:
            """Also says which gradients are numpy scalars, because they become arrays on their way."""
            gradients = pulled(self.s * g, *points)
            listed = gradients if isinstance(gradients, list | tuple) else ()
            return gradients, [n for n, one in enumerate(listed) if isinstance(one, np.generic)]

        return Callback("jvp", jvp), Callback("vjp", vjp)


@probe
def judged(student: Any, cases: Any) -> Any:
    """Ask for one or two verdicts on each implementation."""
    import numpy as np

    answers = []
    for trials, xs in cases:
        replies = []
        for jvp, pulled in trials:

            def vjp(g: Any, *points: Any, pulled: Any = pulled) -> Any:
                gradients, scalars = pulled(g, *points)
                if not scalars:
                    return gradients
                return type(gradients)(one[()] if n in scalars else one for n, one in enumerate(gradients))

            given = list(xs)
            verdict = student.dot_test(lambda points, directions, jvp=jvp: jvp(points, directions), vjp, given)
            kept = len(given) == len(xs) and all(one is other for one, other in zip(given, xs, strict=True))
            replies.append([bool(verdict) if isinstance(verdict, np.bool_) else verdict, kept])
        answers.append(replies)
    return answers


# -- the bank --------------------------------------------------------------------------------------------------------------

SHIFTED = "np.exp(x - x.max(1, keepdims=True))"
SOFTMAX = f"({SHIFTED} / {SHIFTED}.sum(1, keepdims=True))"
BAD = "0.5 * np.linalg.norm(d) * (np.arange(d.size) == k).reshape(d.shape)"
# for each function: shapes of the inputs, the jvp, the right vjp, and wrong ones with a description
BANK: dict[str, tuple[list[tuple[int, ...]], str, str, dict[str, str]]] = {
    "x * y": (
        [(4,), (4,)],
        "lambda x, y, dx, dy: dx * y + x * dy",
        "lambda g, x, y: (g * y, g * x)",
        {
            "returned in the wrong order": "lambda g, x, y: (g * x, g * y)",
            "without the upstream gradient": "lambda g, x, y: (s * y, s * x)",
            "where the second gradient ignores the upstream gradient": "lambda g, x, y: (g * y, s * x)",
            "with the absolute value of the upstream gradient": "lambda g, x, y: (abs(g) * y, abs(g) * x)",
            "where the second gradient has the wrong sign": "lambda g, x, y: (g * y, -g * x)",
            "where the first gradient is a fifth too large": "lambda g, x, y: (1.2 * g * y, g * x)",
            "where the second gradient is a fifth too small": "lambda g, x, y: (g * y, 0.8 * g * x)",
            "with the mean of the upstream gradient": "lambda g, x, y: (g.mean() * y, g.mean() * x)",
            "where the entries of the first gradient are in reverse order": "lambda g, x, y: ((g * y)[::-1], g * x)",
            "where a part of the first gradient is in the second": "lambda g, x, y: (g * y + g, g * x - g)",
        },
    ),
    "x / y": (
        [(2, 3), (2, 3)],
        "lambda x, y, dx, dy: dx / y - x * dy / y**2",
        "lambda g, x, y: [g / y, -g * x / y**2]",
        {
            "with a wrong sign": "lambda g, x, y: (g / y, g * x / y**2)",
            "where the second gradient lacks x": "lambda g, x, y: (g / y, -g / y**2)",
            "returned in the wrong order": "lambda g, x, y: (-g * x / y**2, g / y)",
        },
    ),
    "x * y with a matrix x and a row y": (
        [(3, 4), (4,)],
        "lambda x, y, dx, dy: dx * y + x * dy",
        "lambda g, x, y: (g * y, (g * x).sum(0))",
        {
            "where the copies are not summed": "lambda g, x, y: (g * y, g * x)",
            "where the copies are averaged": "lambda g, x, y: (g * y, (g * x).mean(0))",
            "where one copy is taken": "lambda g, x, y: (g * y, (g * x)[0])",
            "where the second gradient has shape (1, 4)": "lambda g, x, y: (g * y, (g * x).sum(0, keepdims=True))",
        },
    ),
    "x + y with a matrix x and a column y": (
        [(3, 4), (3, 1)],
        "lambda x, y, dx, dy: dx + dy",
        "lambda g, x, y: (g, g.sum(1, keepdims=True))",
        {
            "where the second gradient has shape (3,)": "lambda g, x, y: (g, g.sum(1))",
            "where the second gradient is summed over everything": "lambda g, x, y: (g, g.sum() + 0 * y)",
            "where the second gradient has shape (1, 3)": "lambda g, x, y: (g, g.sum(1, keepdims=True).T)",
        },
    ),
    "x @ y with square matrices": (
        [(3, 3), (3, 3)],
        "lambda x, y, dx, dy: dx @ y + x @ dy",
        "lambda g, x, y: (g @ y.T, x.T @ g)",
        {
            "without transposes": "lambda g, x, y: (g @ y, x @ g)",
            "with the factors in the wrong order": "lambda g, x, y: (y.T @ g, g @ x.T)",
            "where the first gradient is transposed": "lambda g, x, y: ((g @ y.T).T, x.T @ g)",
            "with the gradients in the wrong order": "lambda g, x, y: (x.T @ g, g @ y.T)",
        },
    ),
    "softmax of each row": (
        [(3, 4)],
        f"lambda x, dx: {SOFTMAX} * (dx - ({SOFTMAX} * dx).sum(1, keepdims=True))",
        f"lambda g, x: ({SOFTMAX} * (g - ({SOFTMAX} * g).sum(1, keepdims=True)),)",
        {
            "without the dot term": f"lambda g, x: ({SOFTMAX} * g,)",
            "with one sum for all rows": f"lambda g, x: ({SOFTMAX} * (g - ({SOFTMAX} * g).sum()),)",
            "with only the diagonal of the Jacobian": f"lambda g, x: ({SOFTMAX} * (1 - {SOFTMAX}) * g,)",
        },
    ),
    "the sum of squares": (
        [(2, 3)],
        "lambda x, dx: (2 * x * dx).sum()",
        "lambda g, x: (2 * g * x,)",
        {
            "without the 2": "lambda g, x: (g * x,)",
            "without the upstream gradient": "lambda g, x: (2 * s * x,)",
            "flattened": "lambda g, x: ((2 * g * x).ravel(),)",
            "with the shape of the output": "lambda g, x: ((2 * g * x).sum(),)",
        },
    ),
    "x * y with a number x and a vector y": (
        [(), (4,)],
        "lambda x, y, dx, dy: dx * y + x * dy",
        "lambda g, x, y: ((g * y).sum(), g * x)",
        {
            "where the first gradient is not summed": "lambda g, x, y: (g * y, g * x)",
            "where the first gradient has shape (1,)": "lambda g, x, y: ((g * y).sum(keepdims=True), g * x)",
            "where the first gradient is a mean": "lambda g, x, y: ((g * y).mean(), g * x)",
        },
    ),
    "the sum of each row": (
        [(3, 4)],
        "lambda x, dx: dx.sum(1)",
        "lambda g, x: (np.broadcast_to(g[:, None], x.shape),)",
        {
            "with one column": "lambda g, x: (g[:, None],)",
            "divided by the number of columns": "lambda g, x: (np.broadcast_to(g[:, None], x.shape) / 4,)",
            "without the upstream gradient": "lambda g, x: (s * np.ones_like(x),)",
        },
    ),
    "x * y + sin(z)": (
        [(5,), (5,), (5,)],
        "lambda x, y, z, dx, dy, dz: dx * y + x * dy + np.cos(z) * dz",
        "lambda g, x, y, z: (g * y, g * x, g * np.cos(z))",
        {
            "where the third gradient lacks the cosine": "lambda g, x, y, z: (g * y, g * x, g)",
            "where the second and the third gradient change places": "lambda g, x, y, z: (g * y, g * np.cos(z), g * x)",
            "where the third gradient has the wrong sign": "lambda g, x, y, z: (g * y, g * x, -g * np.cos(z))",
        },
    ),
    "x[k] with repeated indices": (
        [(4,)],
        "lambda x, dx: dx[k]",
        "lambda g, x: (np.bincount(k, g, x.size),)",
        {"where the last of several uses wins": "lambda g, x: (np.array([g[k == i][-1] for i in range(x.size)]),)"},
    ),
    "tanh": (
        [(3, 3)],
        "lambda x, dx: (1 - np.tanh(x)**2) * dx",
        "lambda g, x: (g * (1 - np.tanh(x)**2),)",
        {
            "with one bad entry": f"lambda g, x: [(lambda d: d + {BAD})(g * (1 - np.tanh(x)**2))]",
            "with the formula of the output at the input": "lambda g, x: (g * (1 - x**2),)",
            "transposed": "lambda g, x: ((g * (1 - np.tanh(x)**2)).T,)",
        },
    ),
}
BROKEN = {
    "returns None": "lambda g, x, y: None",
    "returns None for the second input": "lambda g, x, y: (g * y, None)",
    "returns None for the first input": "lambda g, x, y: (None, g * x)",
    "returns a single gradient": "lambda g, x, y: (g * y,)",
    "returns a third gradient": "lambda g, x, y: (g * y, g * x, g)",
    "returns a third gradient of 0": "lambda g, x, y: [g * y, g * x, 0 * g]",
    "returns no gradients": "lambda g, x, y: ()",
    "returns a gradient with one nan": "lambda g, x, y: (np.where(np.arange(4) == k, np.nan, g * y), g * x)",
    "returns nan for the second input": "lambda g, x, y: (g * y, g * x * np.nan)",
    "returns a gradient with one inf": "lambda g, x, y: (g * y, np.where(np.arange(4) == k, np.inf, g * x))",
    "returns a gradient with inf and -inf": "lambda g, x, y: (np.where(np.arange(4) == k, -np.inf, np.inf), g * x)",
    "raises a ZeroDivisionError": "lambda g, x, y: (g * y, g * x / (1 // 0))",
    "raises an IndexError": "lambda g, x, y: (g * y, g * x[17])",
    "raises a ValueError": "lambda g, x, y: (g.reshape(3, 5), g * x)",
    "raises a KeyError": "lambda g, x, y: ({}['dx'], g * x)",
}
SHAPES = {
    "has shape (1,) instead of (4,)": "lambda g, x, y: (g * y, (g * x).sum(keepdims=True))",
    "is a number instead of an array of shape (4,)": "lambda g, x, y: ((g * y).sum(), g * x)",
    "has shape (4, 1) instead of (4,)": "lambda g, x, y: (g * y, (g * x)[:, None])",
    "has shape (1, 4) instead of (4,)": "lambda g, x, y: ((g * y)[None], g * x)",
    "has shape (2, 2) instead of (4,)": "lambda g, x, y: (g * y, (g * x).reshape(2, 2))",
    "is a list of three numbers instead of four": "lambda g, x, y: (g * y, (g * x)[:3])",
}


def numbers(rng: np.random.Generator, shape: tuple[int, ...]) -> Numbers:
    """Of size one, of both signs, and with different sizes in each row."""
    return np.asarray(rng.uniform(0.5, 2.0, shape) * rng.choice([-1.0, 1.0], shape))


def case(rng: np.random.Generator, function: str, wrong: str = "", *, scale: float = 1.0) -> Case:
    shapes, jvp, right, mistakes = BANK[function]
    words = f"{function}{', ' if wrong else ''}{wrong}"
    k: Any = int(rng.integers(4))
    if "[k]" in function:
        k = rng.permutation(np.array([0, 1, 2, 3, 1, 2, 1]))
    xs = tuple(numbers(rng, shape) for shape in shapes)
    return Case(words, jvp, mistakes[wrong] if wrong else right, xs, not wrong, scale, k)


def product(rng: np.random.Generator, words: str, vjp: str) -> Case:
    return replace(case(rng, "x * y"), words=f"x * y: the implementation {words}", vjp=vjp, right=False)


def shape_cases(rng: np.random.Generator) -> list[Case]:
    return [replace(product(rng, "", vjp), words=f"x * y, where a gradient {words}") for words, vjp in SHAPES.items()]


def rights(rng: np.random.Generator, *functions: str) -> list[Case]:
    return [case(rng, function) for function in functions or BANK]


def wrongs(rng: np.random.Generator, *functions: str) -> list[Case]:
    return [case(rng, function, wrong) for function in functions or BANK for wrong in BANK[function][3]]


def expect_verdicts(student: Student, rng: np.random.Generator, cases: Sequence[Case], layout: str = "contiguous") -> None:
    cases = [cases[n] for n in rng.permutation(len(cases))]
    trials = [[one.products() for _ in range(rng.choice(TRIALS))] for one in cases]
    sent = [[products, [array(x, layout=layout) for x in one.xs]] for one, products in zip(cases, trials, strict=True)]
    answers: Any = student.run(judged, sent)
    if not isinstance(answers, list) or len(answers) != len(cases):
        raise fail("The verdicts could not be read.")
    for one, products, replies in zip(cases, trials, answers, strict=True):
        replies = replies if isinstance(replies, list) and len(replies) == len(products) else [None] * len(products)
        for (jvp, vjp), reply in zip(products, replies, strict=True):
            if not isinstance(reply, list) or len(reply) != 2:
                raise fail("The verdicts could not be read.")
            verdict, kept = reply
            size = f", with gradients of size {one.s:g}" if one.s != 1 else ""
            what = f"dot_test for {one.words}{size}"
            expect_equal(verdict, one.right, what, {f"x{n}": x for n, x in enumerate(one.xs)})
            expect(jvp.calls <= MAX_JVP, f"jvp was called {jvp.calls} times; at most {MAX_JVP} calls are allowed.", what)
            expect(vjp.calls <= MAX_VJP, f"vjp was called {vjp.calls} times; at most {MAX_VJP} calls are allowed.", what)
            expect(kept is True, "dot_test changed the list of inputs.", what)


@check("Products, quotients and matrix products, right and wrong", points=3)
def ordinary_mistakes(student: Student, rng: np.random.Generator) -> None:
    functions = ("x * y", "x / y", "x @ y with square matrices")
    chosen = [case(rng, "x * y", wrong) for wrong in ("returned in the wrong order", "without the upstream gradient")]
    chosen += [case(rng, "x / y", "with a wrong sign"), case(rng, functions[2], "where the first gradient is transposed")]
    expect_verdicts(student, rng, [*rights(rng, *functions), *chosen])


@check("Wrong shapes, wrong numbers of gradients, and nan", points=2)
def unusable_answers(student: Student, rng: np.random.Generator) -> None:
    words = (
        "returns a single gradient",
        "returns a gradient with one nan",
        "raises an IndexError",
        "returns None for the second input",
    )
    chosen = [product(rng, one, BROKEN[one]) for one in words]
    rows = "x * y with a matrix x and a row y"
    chosen += [case(rng, rows, "where the second gradient has shape (1, 4)"), *rights(rng, rows, "x / y", "x * y")]
    expect_verdicts(student, rng, chosen)


@check("Mistakes with the upstream gradient and with the order of entries", points=2, hidden=True, seconds=1)
def upstream_mistakes(student: Student, rng: np.random.Generator) -> None:
    functions = ("x * y", "softmax of each row", "the sum of squares", "tanh", "x @ y with square matrices")
    expect_verdicts(student, rng, [*wrongs(rng, *functions), *rights(rng, *functions, *functions)])


@check("Broadcasting, sums and shapes that only broadcast", points=2, hidden=True, seconds=1)
def shapes(student: Student, rng: np.random.Generator) -> None:
    functions = (
        "x * y with a matrix x and a row y",
        "x + y with a matrix x and a column y",
        "x * y with a number x and a vector y",
        "the sum of each row",
        "x[k] with repeated indices",
    )
    cases = [*wrongs(rng, *functions), *shape_cases(rng), *rights(rng, *functions, *functions)]
    expect_verdicts(student, rng, cases)


@check("A mistake in any of the inputs, of two or three, also if the others are larger", points=2, hidden=True, seconds=1)
def any_input(student: Student, rng: np.random.Generator) -> None:
    cases = [*wrongs(rng, "x * y + sin(z)", "x / y"), *rights(rng, "x * y + sin(z)", "x / y", "x @ y with square matrices")]
    uneven = [case(rng, "x * y", wrong) for wrong in ("", *BANK["x * y"][3])]
    cases += [replace(one, xs=(one.xs[0] / 200, one.xs[1])) for one in uneven]
    cases += [replace(one, xs=(one.xs[0], one.xs[1] / 200)) for one in uneven]
    same = [replace(one, xs=(one.xs[0], one.xs[0] + 0.1 * one.xs[1])) for one in uneven]
    expect_verdicts(student, rng, [*cases, *same[:1], *rights(rng, "x * y", "x / y")], str(rng.choice(LAYOUTS[1:])))


@check("Gradients between 1e-9 and 1e8 in size", points=2, hidden=True, seconds=2)
def sizes(student: Student, rng: np.random.Generator) -> None:
    cases = []
    for scale in (3e-9, 1e-5, 1e4, 1e6):
        for function in ("x * y", "x @ y with square matrices", "tanh", "the sum of squares"):
            wrong = str(
                rng.choice([name for name in BANK[function][3] if name not in ("flattened", "with the shape of the output")])
            )
            cases += [case(rng, function, scale=scale), case(rng, function, wrong, scale=scale)]
        cases.append(case(rng, "x * y", "where the second gradient is a fifth too small", scale=scale))
    expect_verdicts(student, rng, cases)


@check("Implementations that return something unusable or raise an exception", points=1.5, hidden=True, seconds=1)
def broken(student: Student, rng: np.random.Generator) -> None:
    expect_verdicts(
        student,
        rng,
        [*(product(rng, *one) for one in BROKEN.items()), *rights(rng, "x * y", "x * y", "x / y", "tanh", "x * y + sin(z)")],
    )


@check("An input with 100,000 elements", points=0.5, hidden=True, seconds=2)
def large(student: Student, rng: np.random.Generator) -> None:
    x = rng.normal(size=100_000)
    cases = [
        replace(one, xs=(x,), k=int(rng.integers(x.size)))
        for one in (case(rng, "tanh"), case(rng, "tanh", "with one bad entry"))
    ]
    expect_verdicts(student, rng, cases)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    everything = [*rights(rng), *wrongs(rng), *shape_cases(rng), *(product(rng, *one) for one in BROKEN.items())]
    chosen = [everything[n] for n in rng.choice(len(everything), size=12, replace=False)]
    scale = float(10.0 ** rng.integers(-7, 7))
    student.run(
        judged, [[[one.products()], [array(x) for x in one.xs]] for one in (replace(one, s=scale) for one in chosen)]
    )


for where in ("unusable-answers", "broken"):
    symptom(
        "exception-escapes",
        raises("index 17 is out of bounds", "integer division or modulo by zero", "'dx'"),
        check=where,
        raised=True,
    )
