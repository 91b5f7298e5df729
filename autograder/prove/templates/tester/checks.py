"""A bank of backward passes, right and wrong ones, in random order.

They stay in the judge: the student's code can call them, but not read whether they are right.
"""

from collections.abc import Callable, Sequence

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Callback, Student, array, check, fail, variety

Vjp = Callable[[Numbers, Numbers], Numbers]
SIGNS = "with the absolute value of the upstream gradient"
# by the words for them: the function, its vector-Jacobian product, and wrong ones
BANK: dict[str, tuple[Callable[[Numbers], Numbers], Vjp, dict[str, Vjp]]] = {
    "sin": (
        np.sin,
        lambda g, x: g * np.cos(x),
        {
            "without the upstream gradient": lambda g, x: np.cos(x),
            "with the wrong sign": lambda g, x: -g * np.cos(x),
            "as a row": lambda g, x: (g * np.cos(x))[None],
        },
    ),
    "exp": (
        np.exp,
        lambda g, x: g * np.exp(x),
        {
            SIGNS: lambda g, x: abs(g) * np.exp(x),
            "which is a fifth too large": lambda g, x: 1.2 * g * np.exp(x),
            "without its positive entries": lambda g, x: np.minimum(g * np.exp(x), 0.0),
            "with the mean of the upstream gradient": lambda g, x: g.mean() * np.exp(x),
        },
    ),
    "the sum so far": (
        lambda x: np.cumsum(x, axis=0),
        lambda g, x: np.cumsum(g[::-1], axis=0)[::-1],
        {
            "summed from the wrong end": lambda g, x: np.cumsum(g, axis=0),
            "which is wrong in one entry": lambda g, x: (
                np.where(np.arange(x.size).reshape(x.shape) == 1, 0.0, 1.0) * np.cumsum(g[::-1], axis=0)[::-1]
            ),
        },
    ),
}
SIZES = (1e-6, 1.0, 1e6)


def expect_verdicts(student: Student, rng: np.random.Generator, names: Sequence[str], sizes: Sequence[float]) -> None:
    """Every implementation of these functions, at each size."""
    cases = [
        (f"{name} {words}".strip(), forward, vjp, size, not words)
        for name in names
        for forward, right, wrong in [BANK[name]]
        for words, vjp in [("", right), *wrong.items()]
        for size in sizes
    ]
    for n in rng.permutation(len(cases)):
        name, forward, vjp, size, right = cases[n]
        verdict = ask(student, rng, forward, vjp, size)
        if verdict is not right:
            kind = "right" if right else "wrong"
            tested = f"For a {kind} implementation of {size:g} times {name}"
            raise fail(f"{tested}, is_right should return {right}, but it returned {verdict}.")


def ask(student: Student, rng: np.random.Generator, forward: Callable[[Numbers], Numbers], vjp: Vjp, size: float) -> object:
    x = rng.uniform(0.3, 1.9, size=((2, 3), (5,))[int(rng.integers(2))]) * rng.choice([-1.0, 1.0])
    return student.call(
        "is_right",
        Callback("f", lambda x: size * forward(x)),
        Callback("vjp", lambda g, x: size * vjp(g, x)),
        array(x),
    )


@check("The sine", points=1)
def sine(student: Student, rng: np.random.Generator) -> None:
    expect_verdicts(student, rng, ["sin"], [1.0])


# TODO(author): hidden checks, one for each mistake that you can name
@check("Other functions, and gradients of any size", points=3, hidden=True, seconds=2)
def everything(student: Student, rng: np.random.Generator) -> None:
    expect_verdicts(student, rng, list(BANK), SIZES)


# TODO(author): random inputs from everything that the statement allows; nothing is graded here
@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    name = list(BANK)[int(rng.integers(len(BANK)))]
    forward, right, wrong = BANK[name]
    for vjp in (right, *wrong.values()):
        ask(student, rng, forward, vjp, float(rng.choice(SIZES)))
