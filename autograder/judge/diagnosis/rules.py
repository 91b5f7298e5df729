"""The judge's scalar engine with replaceable rules: values, traversal order, contributions, accumulation, and start and end
of a pass."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autograder.judge.checks.engine import _RULES as RULES
from autograder.judge.diagnosis.traversals import Engine, Order, depth_first

Items = list[Any]  # the number of a slot, or a list with a plain number
Send = Callable[[Engine, int], None]
Around = Callable[[Engine, int, list[int]], None]  # engine, root, the order of the pass


class Refused(Exception):
    """Raised where the changed engine raises an exception of unknown type."""


def slopes(engine: Engine, value: int) -> tuple[float, ...]:
    if value not in engine.local:
        operation = engine.operations[value]
        engine.local[value] = RULES[operation][1](*engine.values(value)) if operation in RULES else ()
    return engine.local[value]


def send(engine: Engine, value: int) -> None:
    for operand, slope in zip(engine.operands[value], slopes(engine, value), strict=False):
        engine.grad[operand] += slope * engine.grad[value]


def fresh(engine: Engine, root: int, order: list[int]) -> None:
    """Interior values start a pass at 0; inputs keep their gradients."""
    for value in order:
        if engine.operands[value]:
            engine.grad[value] = 0.0
    engine.grad[root] += 1.0


def nothing(engine: Engine, root: int, order: list[int]) -> None:
    pass


def as_written(name: str, items: Items) -> tuple[str, Items]:
    return name, items


def one_pass(engine: Engine, root: int, rule: "Rule") -> None:
    order = engine.ordered(rule.order, root)
    rule.start(engine, root, order)
    for value in order:
        rule.send(engine, value)
    rule.finish(engine, root, order)
    engine.roots.add(root)


@dataclass(frozen=True)
class Rule:
    """A changed engine, and the kind of mistake that the change represents."""

    operator: str
    words: str
    send: Send = send
    order: Order = depth_first
    initial: float = 0.0  # of every gradient before the first pass
    start: Around = fresh
    finish: Around = nothing
    backward: "Callable[[Engine, int, Rule], None]" = one_pass
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


TRUTH = Rule("", "")


def run(instructions: list[list[Any]], rule: Rule) -> Engine:
    """Runs a program on the changed engine."""
    return passed(made(instructions, rule), rule)


def passed(engine: Engine, rule: Rule) -> Engine:
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


def made(instructions: list[list[Any]], rule: Rule) -> Engine:
    engine = Engine()
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


def _made(engine: Engine, rule: Rule, name: str, items: Items) -> int:
    if name == "**":
        base, exponent = _operand(engine, items[0]), float(items[1][0])
        return engine.add(name, (base,), RULES[name][0](engine.data[base], exponent), exponent)
    if name in "+*" and isinstance(items[0], list) and not rule.written:
        items = items[::-1]  # Python passes `2 + x` to the class as `x + 2`
    operands = tuple(_operand(engine, item) for item in items)
    return _apply(engine, name, operands, rule)


def _apply(engine: Engine, name: str, operands: tuple[int, ...], rule: Rule) -> int:
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


def _operand(engine: Engine, item: Any) -> int:
    return engine.add("number", (), float(item[0])) if isinstance(item, list) else engine.slots[item]
