"""The judge's scalar engine with replaceable rules: values, traversal order, contributions, accumulation, and start and end
of a pass."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from autograder.explain.diagnosis.generators.orders import depth_first
from autograder.judge.checks.engine import RULES

Items = list[Any]  # the number of a slot, or a list with a plain number


@dataclass
class ScalarEngine:
    """The values of one program: operations, operands (numbers of values), data and gradients.

    Constants are values with the operation `number`, except for the exponent of a power. `events` are passes, readings and
    assignments, in order. `roots` are the outputs of the passes so far, `sent` the values that have propagated.
    """

    operations: list[str] = field(default_factory=list)
    operands: list[tuple[int, ...]] = field(default_factory=list)
    exponents: list[float | None] = field(default_factory=list)
    data: list[float] = field(default_factory=list)
    slots: list[int] = field(default_factory=list)
    events: list[tuple[str, int, float]] = field(default_factory=list)
    local: dict[int, tuple[float, ...]] = field(default_factory=dict)
    orders: dict[tuple["Order", int], list[int]] = field(default_factory=dict)

    grad: list[float] = field(default_factory=list)
    readings: list[list[float]] = field(default_factory=list)
    roots: set[int] = field(default_factory=set)
    sent: set[int] = field(default_factory=set)
    uses: dict[int, int] = field(default_factory=dict)

    def add(self, operation: str, operands: tuple[int, ...], value: float, exponent: float | None = None) -> int:
        self.operations.append(operation)
        self.operands.append(operands)
        self.exponents.append(exponent)
        self.data.append(value)
        return len(self.data) - 1

    def again(self, gradient: float = 0.0) -> "ScalarEngine":
        """A copy with the same values before any pass. Cached results are shared."""
        made = (self.operations, self.operands, self.exponents, self.data, self.slots, self.events, self.local, self.orders)
        return ScalarEngine(*made, [gradient] * len(self.data))

    def values(self, value: int) -> tuple[float, ...]:
        """The numbers of an operation's operands."""
        exponent = self.exponents[value]
        own = tuple(self.data[n] for n in self.operands[value])
        return own if exponent is None else (*own, exponent)

    def ordered(self, order: "Order", root: int) -> list[int]:
        if (order, root) not in self.orders:
            self.orders[order, root] = order(self, root)
        return self.orders[order, root]

    def slopes(self, value: int) -> tuple[float, ...]:
        """The right local derivatives with respect to the operands."""
        if value not in self.local:
            operation = self.operations[value]
            self.local[value] = RULES[operation][1](*self.values(value)) if operation in RULES else ()
        return self.local[value]

    def edges(self, value: int) -> Iterator[tuple[int, float]]:
        """The operands with their local derivatives."""
        return zip(self.operands[value], self.slopes(value), strict=False)


Order = Callable[[ScalarEngine, int], list[int]]
Send = Callable[[ScalarEngine, int], None]
Around = Callable[[ScalarEngine, int, list[int]], None]  # engine, root, the order of the pass


class PassRefused(Exception):
    """Raised where the changed engine raises an exception of unknown type."""


def send(engine: ScalarEngine, value: int) -> None:
    for operand, slope in engine.edges(value):
        engine.grad[operand] += slope * engine.grad[value]


def fresh(engine: ScalarEngine, root: int, order: list[int]) -> None:
    """Interior values start a pass at 0; inputs keep their gradients."""
    for value in order:
        if engine.operands[value]:
            engine.grad[value] = 0.0
    engine.grad[root] += 1.0


def nothing(engine: ScalarEngine, root: int, order: list[int]) -> None:
    pass


def as_written(name: str, items: Items) -> tuple[str, Items]:
    return name, items


def one_pass(engine: ScalarEngine, root: int, rule: "EngineRule") -> None:
    order = engine.ordered(rule.order, root)
    rule.start(engine, root, order)
    for value in order:
        rule.send(engine, value)
    rule.finish(engine, root, order)
    engine.roots.add(root)


@dataclass(frozen=True)
class EngineRule:
    """A changed engine, and the kind of mistake that the change represents."""

    operator: str
    words: str
    send: Send = send
    order: Order = depth_first
    initial: float = 0.0  # of every gradient before the first pass
    start: Around = fresh
    finish: Around = nothing
    backward: "Callable[[ScalarEngine, int, EngineRule], None]" = one_pass
    build: Callable[[str, Items], tuple[str, Items]] = as_written
    valued: tuple[str, Callable[..., float], bool] | None = None  # wrong value of an operation; only for two Values
    derived: bool = False  # differences, quotients and negatives consist of sums, products and powers
    negated: bool = False  # negation is an operation even if `derived`
    written: bool = False  # a number on the left of + and * stays there
    raises: bool = False  # may end in an exception

    @property
    def makes_values(self) -> bool:
        """Whether the rule can change values and not only gradients."""
        return self.build is not as_written or self.valued is not None


TRUTH = EngineRule("", "")


def run(instructions: list[list[Any]], rule: EngineRule) -> ScalarEngine:
    """Runs a program on the changed engine."""
    return passed(made(instructions, rule), rule)


def passed(engine: ScalarEngine, rule: EngineRule) -> ScalarEngine:
    """Runs the passes of a program whose values have been computed."""
    engine = engine.again(rule.initial)
    for what, where, number in engine.events:
        if what == "backward":
            rule.backward(engine, where, rule)
        elif what == "read":
            engine.readings.append([engine.grad[slot] for slot in engine.slots[:where]])
        else:
            engine.grad[where] = number
    return engine


def made(instructions: list[list[Any]], rule: EngineRule) -> ScalarEngine:
    engine = ScalarEngine()
    for name, *items in instructions:
        if name == "in":
            engine.slots.append(engine.add("in", (), float(items[0])))
        elif name == "backward":
            engine.events.append((name, engine.slots[items[0]], 0.0))
        elif name == "read":
            engine.events.append((name, len(engine.slots), 0.0))
        elif name == "set grad":
            engine.events.append((name, engine.slots[items[0]], float(items[1])))
        else:
            engine.slots.append(_made(engine, rule, *rule.build(name, items)))
    return engine


def _made(engine: ScalarEngine, rule: EngineRule, name: str, items: Items) -> int:
    if name == "**":
        base, exponent = _operand(engine, items[0]), float(items[1][0])
        return engine.add(name, (base,), RULES[name][0](engine.data[base], exponent), exponent)
    if name in "+*" and isinstance(items[0], list) and not rule.written:
        items = items[::-1]  # Python passes `2 + x` to the class as `x + 2`
    operands = tuple(_operand(engine, item) for item in items)
    return _apply(engine, name, operands, rule)


def _apply(engine: ScalarEngine, name: str, operands: tuple[int, ...], rule: EngineRule) -> int:
    if rule.derived and name == "neg" and not rule.negated:
        minus = (engine.add("number", (), -1.0),)
        return _apply(engine, "*", (*minus, *operands) if rule.written else (*operands, *minus), rule)
    if rule.derived and name == "-":
        return _apply(engine, "+", (operands[0], _apply(engine, "neg", operands[1:], rule)), rule)
    if rule.derived and name == "/":
        inverse = engine.add("**", operands[1:], 1 / engine.data[operands[1]], -1.0)
        return _apply(engine, "*", (operands[0], inverse), rule)
    value = RULES[name][0]
    if rule.valued is not None and rule.valued[0] == name:
        numbers = any(engine.operations[n] == "number" for n in operands)
        value = value if rule.valued[2] and numbers else rule.valued[1]
    return engine.add(name, operands, value(*(engine.data[n] for n in operands)))


def _operand(engine: ScalarEngine, item: Any) -> int:
    return engine.add("number", (), float(item[0])) if isinstance(item, list) else engine.slots[item]
