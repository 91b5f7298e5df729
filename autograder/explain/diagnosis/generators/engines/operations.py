"""Wrong operations of a scalar engine: wrong values, wrong local derivatives, and wrong contributions to the operands, in all uses
of an operation or in some."""

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial

from autograder.explain.diagnosis.generators.engines.scalar_engine import EngineRule, ScalarEngine, Send
from autograder.explain.diagnosis.generators.orders import depth_first, newest_first, right_first

BINARY = frozenset("+-*/")
TOPOLOGICAL = (depth_first, newest_first, right_first)

# -- values and local derivatives, in terms of the operands a and b (b is the exponent of a power) and the result y -----

Slope = Callable[[float, float, float], float]  # a, b, y


def _guarded(a: float, b: float, y: float) -> float:
    return b * y / a if a else 0.0


def _by_logarithms(a: float, b: float, y: float) -> float:
    size = math.exp((b - 1) * math.log(abs(a)))
    return b * size * (1 if a > 0 or (b - 1) % 2 == 0 else -1)


def _leaking(slope: float, a: float, b: float, y: float) -> float:
    return 1.0 if a > 0 else slope


# by operation and operand: the kind of mistake, its description, and the wrong local derivative
WRONG_SLOPES: dict[tuple[str, int], tuple[tuple[str, str, Slope], ...]] = {
    ("*", 0): (("output-for-input", "y", lambda a, b, y: y), ("square-of-input", "2 a", lambda a, b, y: 2 * a)),
    ("*", 1): (("output-for-input", "y", lambda a, b, y: y),),
    ("/", 0): (
        ("output-for-input", "1 / y", lambda a, b, y: 1 / y),
        ("output-for-input", "y", lambda a, b, y: y),
        ("mul-div", "b", lambda a, b, y: b),
        ("swap-names", "1 / a", lambda a, b, y: 1 / a),
        ("exponent", "1 / b^2", lambda a, b, y: 1 / b**2),
    ),
    ("/", 1): (
        ("drop-factor", "-1 / b^2", lambda a, b, y: -1 / b**2),
        ("drop-factor", "-a", lambda a, b, y: -a),
        ("drop-factor", "a", lambda a, b, y: a),
        ("drop-factor", "-a / b", lambda a, b, y: -a / b),
        ("exponent", "-1 / b", lambda a, b, y: -1 / b),
        ("output-for-input", "-y / b^2", lambda a, b, y: -y / b**2),
        ("output-for-input", "-a / y^2", lambda a, b, y: -a / y**2),
        ("input-for-output", "-a b^2", lambda a, b, y: -a * b**2),
        ("input-for-output", "-b^2", lambda a, b, y: -(b**2)),
        ("swap-names", "-b / a^2", lambda a, b, y: -b / a**2),
        ("mul-div", "-a b", lambda a, b, y: -a * b),
    ),
    ("**", 0): (
        ("drop-factor", "a^(n - 1)", lambda a, b, y: a ** (b - 1)),
        ("drop-factor", "n", lambda a, b, y: b),
        ("exponent", "n a^n", lambda a, b, y: b * y),
        ("exponent", "n a^(n + 1)", lambda a, b, y: b * a ** (b + 1)),
        ("exponent", "n a^(n - 2)", lambda a, b, y: b * a ** (b - 2)),
        ("exponent", "n a", lambda a, b, y: b * a),
        ("exponent", "a^n", lambda a, b, y: y),
        ("exponent", "n a^k, k one nearer to 0 than n", lambda a, b, y: b * a ** (b - 1 if b > 0 else b + 1)),
        ("exponent", "n a^(n - 1) with n cut to a whole number", lambda a, b, y: b * a ** (int(b) - 1)),
        ("exponent", "n a^(n - 1) with a negative n made positive", lambda a, b, y: b * a ** (abs(b) - 1)),
        ("exponent", "(n - 1) a^(n - 1)", lambda a, b, y: (b - 1) * a ** (b - 1)),
        ("exponent", "(n - 1) a^n", lambda a, b, y: (b - 1) * y),
        ("output-for-input", "n y^(n - 1)", lambda a, b, y: b * y ** (b - 1)),
        ("kink", "n y / a", lambda a, b, y: b * y / a),
        ("kink", "n y / a, and 0 where a is 0", _guarded),
        ("kink", "by logarithms", _by_logarithms),
        ("wrong-local-derivative", "y log a", lambda a, b, y: y * math.log(a)),
    ),
    ("exp", 0): (
        ("input-for-output", "a", lambda a, b, y: a),
        ("output-for-input", "exp y", lambda a, b, y: math.exp(y)),
        ("exponent", "a exp(a - 1)", lambda a, b, y: a * math.exp(a - 1)),
        ("drop-factor", "1", lambda a, b, y: 1.0),
        ("wrong-local-derivative", "1 / a", lambda a, b, y: 1 / a),
    ),
    ("log", 0): (
        ("output-for-input", "1 / y", lambda a, b, y: 1 / y),
        ("mul-div", "a", lambda a, b, y: a),
        ("output-for-input", "y", lambda a, b, y: y),
        ("exponent", "1 / a^2", lambda a, b, y: 1 / a**2),
        ("drop-factor", "1", lambda a, b, y: 1.0),
        ("wrong-local-derivative", "1 / (a log 10)", lambda a, b, y: 1 / (a * math.log(10))),
    ),
    ("square", 0): (
        ("drop-factor", "a", lambda a, b, y: a),
        ("drop-factor", "2", lambda a, b, y: 2.0),
        ("output-for-input", "2 y", lambda a, b, y: 2 * y),
        ("exponent", "2 a^2", lambda a, b, y: 2 * a * a),
    ),
    ("tanh", 0): (
        ("input-for-output", "1 - a^2", lambda a, b, y: 1 - a * a),
        ("input-for-output", "made of exp, whose slope is its argument", lambda a, b, y: 2 * a * (1 - y) ** 2),
        ("wrong-local-derivative", "1 - y", lambda a, b, y: 1 - y),
        ("wrong-local-derivative", "y (1 - y)", lambda a, b, y: y * (1 - y)),
        ("wrong-local-derivative", "1 + y^2", lambda a, b, y: 1 + y * y),
        ("wrong-local-derivative", "y^2", lambda a, b, y: y * y),
        ("wrong-local-derivative", "y^2 - 1", lambda a, b, y: y * y - 1),
        ("sign", "(1 + y)^2", lambda a, b, y: (1 + y) ** 2),
        ("sign", "(1 - y)^2", lambda a, b, y: (1 - y) ** 2),
        ("wrong-local-derivative", "1 - |y|", lambda a, b, y: 1 - abs(y)),
        ("wrong-local-derivative", "1 / cosh a", lambda a, b, y: 1 / math.cosh(a)),
        ("wrong-local-derivative", "1 - tanh(y)^2", lambda a, b, y: 1 - math.tanh(y) ** 2),
        ("wrong-local-derivative", "1 / (1 + a^2)", lambda a, b, y: 1 / (1 + a * a)),
        ("wrong-local-derivative", "y", lambda a, b, y: y),
        ("drop-factor", "1", lambda a, b, y: 1.0),
    ),
    ("relu", 0): (
        ("mask-inverted", "a <= 0", lambda a, b, y: float(a <= 0)),
        ("mask-inverted", "a < 0", lambda a, b, y: float(a < 0)),
        ("kink-value", "a >= 0", lambda a, b, y: float(a >= 0)),
        ("kink-value", "a > 0, and 1/2 at 0", lambda a, b, y: 0.5 if a == 0 else float(a > 0)),
        *(("no-mask", f"{s} on the flat side", partial(_leaking, s)) for s in (0.01, 0.1, 0.2, 0.3)),
        ("wrong-local-derivative", "1", lambda a, b, y: 1.0),
        ("wrong-local-derivative", "y", lambda a, b, y: y),
        ("wrong-local-derivative", "the sign of a", lambda a, b, y: float((a > 0) - (a < 0))),
    ),
}
# by operation: the kind of mistake and the wrong value
WRONG_VALUES: dict[str, tuple[tuple[str, Callable[..., float]], ...]] = {
    "+": (
        ("drop-term", lambda a, b: a),
        ("drop-term", lambda a, b: b),
        ("sign", lambda a, b: a - b),
        ("swap-names", lambda a, b: a + a),
        ("swap-names", lambda a, b: b + b),
    ),
    "-": (
        ("drop-term", lambda a, b: a),
        ("drop-term", lambda a, b: b),
        ("sign", lambda a, b: a + b),
        ("swap-operands", lambda a, b: b - a),
    ),
    "*": (
        ("drop-factor", lambda a, b: a),
        ("drop-factor", lambda a, b: b),
        ("mul-div", lambda a, b: a / b),
        ("swap-names", lambda a, b: a * a),
        ("swap-names", lambda a, b: b * b),
    ),
    "/": (
        ("drop-factor", lambda a, b: a),
        ("drop-factor", lambda a, b: b),
        ("swap-operands", lambda a, b: b / a),
        ("mul-div", lambda a, b: a * b),
    ),
    "neg": (("sign", lambda a: a),),
    "exp": (("drop-call", lambda a: a),),
    "log": (("drop-call", lambda a: a),),
    "tanh": (("drop-call", lambda a: a), ("sign", lambda a: -math.tanh(a))),
    "relu": (("drop-call", lambda a: a), ("sign", lambda a: min(a, 0.0)), ("constant", lambda a: max(a, 0.0) * 2)),
    "square": (("constant", lambda a: 2 * a), ("drop-factor", lambda a: a), ("exponent", lambda a: a**3)),
}
# right local derivatives in terms of the result, which a wrong value makes wrong
SLOPES_OF_RESULT: dict[str, Slope] = {
    "exp": lambda a, b, y: y,
    "tanh": lambda a, b, y: 1 - y * y,
    "relu": lambda a, b, y: float(y > 0),
}

# -- contributions -------------------------------------------------------------------------------------------------------

Contribution = Callable[[ScalarEngine, int, int, float], float]  # engine, value, position, true local derivative
Join = Callable[[float, float], float]  # the current gradient, the contribution


@dataclass(frozen=True)
class Sites:
    """Where a rule is changed: the operations, and the uses of them."""

    operations: frozenset[str]
    use: str = ""  # "", "number first", "with a number", "two values", "same operand"

    def has(self, engine: ScalarEngine, value: int) -> bool:
        if engine.operations[value] not in self.operations:
            return False
        operands = engine.operands[value]
        if self.use == "" or len(operands) != 2:
            return self.use == ""
        if self.use == "same operand":
            return operands[0] == operands[1]
        numbers = [engine.operations[operand] == "number" for operand in operands]
        return {"number first": numbers[0], "with a number": any(numbers), "two values": not any(numbers)}[self.use]

    @property
    def words(self) -> str:
        return " and ".join(sorted(self.operations)) + (f" ({self.use})" if self.use else "")


def changed(sites: Sites, positions: Collection[int], contribution: Contribution, join: Join | None = None) -> Send:
    """A rule that changes the contributions to some operands of some operations, or how they are combined."""

    def send(engine: ScalarEngine, value: int) -> None:
        mine = sites.has(engine, value)
        for n, (operand, slope) in enumerate(engine.edges(value)):
            if not mine or n not in positions:
                engine.grad[operand] += slope * engine.grad[value]
            elif join is None:
                engine.grad[operand] += contribution(engine, value, n, slope)
            else:
                engine.grad[operand] = join(engine.grad[operand], contribution(engine, value, n, slope))

    return send


def right(e: ScalarEngine, v: int, n: int, s: float) -> float:
    return s * e.grad[v]


def with_slope(slope: Slope) -> Contribution:
    """The contribution with another local derivative."""

    def contribution(e: ScalarEngine, v: int, n: int, s: float) -> float:
        values = e.values(v)
        return slope(values[0], values[-1], e.data[v]) * e.grad[v]

    return contribution


def _other(engine: ScalarEngine, value: int, n: int) -> int:
    operands = engine.operands[value]
    return operands[1 - n] if len(operands) == 2 else operands[0]


def _swapped_slope(e: ScalarEngine, v: int, n: int, s: float) -> float:
    return e.slopes(v)[::-1][n] * e.grad[v] if len(e.operands[v]) == 2 else s * e.grad[v]


CONTRIBUTIONS: tuple[tuple[str, str, Contribution], ...] = (
    ("operand", "no gradient is sent", lambda e, v, n, s: 0.0),
    ("upstream", "the upstream is left out", lambda e, v, n, s: s),
    ("sign", "the sign is the other one", lambda e, v, n, s: -s * e.grad[v]),  # before the next: of a - b they are the same
    ("swap-names", "the slopes are exchanged", _swapped_slope),
    ("wrong-upstream", "the other operand's gradient is the upstream", lambda e, v, n, s: s * e.grad[_other(e, v, n)]),
    ("wrong-upstream", "its own gradient is the upstream", lambda e, v, n, s: s * e.grad[e.operands[v][n]]),
    ("wrong-upstream", "the result's value is the upstream", lambda e, v, n, s: s * e.data[v]),
    ("upstream-squared", "the upstream goes in twice", lambda e, v, n, s: s * e.grad[v] ** 2),
    ("twice", "everything is sent twice", lambda e, v, n, s: 2 * s * e.grad[v]),
    ("constant", "half is sent", lambda e, v, n, s: s * e.grad[v] / 2),
    ("drop-factor", "the slope is left out", lambda e, v, n, s: e.grad[v]),
    ("slope-added", "the slope is added to the upstream", lambda e, v, n, s: e.grad[v] + s),
    ("mul-div", "the upstream is divided by the slope", lambda e, v, n, s: e.grad[v] / s),
    ("own-value", "an operand's own value is its slope", lambda e, v, n, s: e.data[e.operands[v][n]] * e.grad[v]),
    ("drop-term", "the other operand's value is the slope", lambda e, v, n, s: e.data[_other(e, v, n)] * e.grad[v]),
    ("output-for-input", "the result's value is the slope", lambda e, v, n, s: e.data[v] * e.grad[v]),
    ("mask-of-upstream", "only a positive upstream is sent", lambda e, v, n, s: max(e.grad[v], 0.0)),
    ("mask-of-upstream", "only a positive upstream is sent on", lambda e, v, n, s: s * max(e.grad[v], 0.0)),
)
_MOVING = ("wrong-upstream",)  # contributions that depend on the traversal order


def of_operations(names: list[str]) -> Iterator[EngineRule]:
    """Wrong contributions and wrong local derivatives, of each operation and of all of them."""
    groups = [Sites(frozenset({o})) for o in names] + ([Sites(frozenset(names))] if len(names) > 1 else [])
    for sites in groups:
        yield from sent(sites)
    for (operation, n), wrong in WRONG_SLOPES.items():
        if operation in names:
            for use in ("", "number first") if n == 1 and operation in BINARY else ("",):
                sites = Sites(frozenset({operation}), use)
                for operator, words, slope in wrong:
                    rule = changed(sites, (n,), with_slope(slope))
                    words = f"the slope {n + 1} of {sites.words} is {words}"
                    yield EngineRule(operator, words, rule, raises=operator == "kink")


def sent(sites: Sites, places: Collection[tuple[int, ...]] = ((0,), (1,), (0, 1))) -> Iterator[EngineRule]:
    """Rules in which an operation propagates a wrong contribution."""
    for positions in places if sites.operations & BINARY else ((0,),):
        where = f"for operand {', '.join(str(p + 1) for p in positions)} of {sites.words}"
        for operator, words, contribution in CONTRIBUTIONS:
            for order in TOPOLOGICAL if operator in _MOVING and not sites.use else TOPOLOGICAL[:1]:
                words_of_order = f" ({order.__name__})" if order is not depth_first else ""
                rule = changed(sites, positions, contribution)
                yield EngineRule(operator, f"{words} {where}{words_of_order}", rule, order)


def of_uses(names: list[str]) -> Iterator[EngineRule]:
    """Rules that are wrong only with a number on the left, without one, or with the same value on both sides."""
    binary = [o for o in names if o in BINARY]
    for operation in binary:
        one = frozenset({operation})
        yield from sent(Sites(one, "number first"), ((1,),))
        yield from sent(Sites(one, "with a number"), ((0, 1),))
        yield from sent(Sites(one, "two values"))
    for operations in dict.fromkeys((*(frozenset({o}) for o in binary), frozenset(binary))):
        same = Sites(operations, "same operand")
        half = changed(same, (0, 1), lambda e, v, n, s: s * e.grad[v] / 2)
        yield EngineRule("shared-divided", f"half is sent for {same.words}", half)
        for n in (0, 1):
            once = changed(same, (n,), lambda e, v, n, s: 0.0)
            yield EngineRule("operand", f"nothing is sent to operand {n + 1} of {same.words}", once)
