"""Wrong contributions that an operation sends to its operands, and where: in which operations, and in which uses of them."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from autograder.judge.diagnosis.generators.engines.engine import EngineRule, ScalarEngine, Send
from autograder.judge.diagnosis.generators.engines.operations import WRONG_SLOPES, Slope
from autograder.judge.diagnosis.generators.engines.orders import depth_first, newest_first, right_first

Contribution = Callable[[ScalarEngine, int, int, float], float]  # engine, value, position, true local derivative
Join = Callable[[float, float], float]  # the current gradient, the contribution
BINARY = frozenset("+-*/")
TOPOLOGICAL = (depth_first, newest_first, right_first)


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
    ("swap-names", "the slopes are exchanged", _swapped_slope),
    ("wrong-upstream", "the other operand's gradient is the upstream", lambda e, v, n, s: s * e.grad[_other(e, v, n)]),
    ("wrong-upstream", "its own gradient is the upstream", lambda e, v, n, s: s * e.grad[e.operands[v][n]]),
    ("wrong-upstream", "the result's value is the upstream", lambda e, v, n, s: s * e.data[v]),
    ("upstream-squared", "the upstream goes in twice", lambda e, v, n, s: s * e.grad[v] ** 2),
    ("sign", "the sign is the other one", lambda e, v, n, s: -s * e.grad[v]),
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
