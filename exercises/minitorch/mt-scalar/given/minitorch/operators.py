"""Functions of plain numbers. Those that end in `_back` multiply a derivative by the upstream derivative `d`."""

import math
from collections.abc import Callable, Iterable


def mul(x: float, y: float) -> float:
    return x * y


def id(x: float) -> float:  # noqa: A001
    return x


def add(x: float, y: float) -> float:
    return x + y


def neg(x: float) -> float:
    return -x


def lt(x: float, y: float) -> float:
    return 1.0 if x < y else 0.0


def eq(x: float, y: float) -> float:
    return 1.0 if x == y else 0.0


def max(x: float, y: float) -> float:  # noqa: A001
    return x if x > y else y


def is_close(x: float, y: float) -> float:
    return 1.0 if abs(x - y) < 1e-2 else 0.0


def sigmoid(x: float) -> float:
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    return math.exp(x) / (1.0 + math.exp(x))


def relu(x: float) -> float:
    return x if x > 0 else 0.0


def log(x: float) -> float:
    return math.log(x)


def exp(x: float) -> float:
    return math.exp(x)


def inv(x: float) -> float:
    return 1.0 / x


def log_back(x: float, d: float) -> float:
    return d / x


def inv_back(x: float, d: float) -> float:
    return -d / (x * x)


def relu_back(x: float, d: float) -> float:
    return d if x > 0 else 0.0


def map(fn: Callable[[float], float]) -> Callable[[Iterable[float]], list[float]]:  # noqa: A001
    return lambda numbers: [fn(x) for x in numbers]


def zipWith(fn: Callable[[float, float], float]) -> Callable[[Iterable[float], Iterable[float]], list[float]]:  # noqa: N802
    return lambda left, right: [fn(x, y) for x, y in zip(left, right, strict=False)]


def reduce(fn: Callable[[float, float], float], start: float) -> Callable[[Iterable[float]], float]:
    def reduced(numbers: Iterable[float]) -> float:
        result = start
        for x in numbers:
            result = fn(result, x)
        return result

    return reduced


def negList(numbers: Iterable[float]) -> list[float]:  # noqa: N802
    return map(neg)(numbers)


def addLists(left: Iterable[float], right: Iterable[float]) -> list[float]:  # noqa: N802
    return zipWith(add)(left, right)


def sum(numbers: Iterable[float]) -> float:  # noqa: A001
    return reduce(add, 0.0)(numbers)


def prod(numbers: Iterable[float]) -> float:
    return reduce(mul, 1.0)(numbers)
