"""Wrong scalar engines: the judge's own engine with one rule changed, run on the programs that the student's engine ran.

The ladder goes from rules of a single operation (its slope, its upstream, what it does to a gradient that is already
there) to the order in which values pass on what they have. When no changed rule gives the numbers, the programs still
tell which operation every wrong one contains and no right one does. The first wrong value of a program is where a
picture should point.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from autograder.judge.checks.engine import _RULES as RULES
from autograder.judge.diagnosis.evidence import Evidence, Finding, Pair
from autograder.judge.diagnosis.traversals import Engine, breadth_first, depth_first, every_path, newest_first, pre_order
from sandbox.guest.operations.engine import Outcome

RTOL, ATOL = 1e-7, 1e-9
NAMES = {"+": "+", "-": "-", "*": "×", "/": "÷", "**": "power"}
Order = Callable[[Engine, int], list[int]]


@dataclass(frozen=True)
class Rule:
    """A changed engine. `send` adds to gradients what one value passes on; `order` is the way back from the root."""

    operator: str
    words: str
    send: Callable[[Engine, int], None]
    order: Order
    seed: float = 1.0


@dataclass(frozen=True)
class Ran:
    """A program as it was sent, and what the student's class made of it."""

    instructions: list[list[Any]]
    outcome: Outcome

    @property
    def operations(self) -> frozenset[str]:
        return frozenset(i[0] for i in self.instructions) - {"in", "read", "backward", "set grad"}


def findings(evidence: Evidence) -> list[Finding]:
    ran = {check: [r for pair in pairs for r in _programs(pair)] for check, pairs in evidence.pairs.items()}
    ran = {check: programs for check, programs in ran.items() if programs}
    if not ran or not all(_single_pass(r) for programs in ran.values() for r in programs):
        return []
    everything = [r for programs in ran.values() for r in programs]
    operations = sorted({operation for r in everything for operation in r.operations})
    wrong = next((r for r in everything if not _explains(TRUTH, [r])), None)
    found = []
    for rule in _ladder(operations):
        if wrong is None or not _explains(rule, [wrong]):
            continue
        if _explains(rule, everything):
            note = f"the engine of the judge gives the same numbers when {rule.words}"
            found.append(Finding((rule.operator,), tuple(ran), "engines", note))
    return found or _located(ran, operations)


def first_wrong(instructions: list[list[Any]], given: Outcome) -> int | None:
    """The slot nearest the output whose own gradient is wrong while those of all its consumers are right."""
    engine = run(instructions, TRUTH)
    wrong = {n for n, slot in enumerate(engine.slots) if not _close(given.grad[n], engine.grad[slot])}
    by_value = {slot: n for n, slot in enumerate(engine.slots)}
    for n in sorted(wrong, reverse=True):
        consumers = [v for v, operands in enumerate(engine.operands) if engine.slots[n] in operands]
        if not any(by_value.get(v) in wrong for v in consumers):
            return n
    return None


def _located(ran: dict[str, list[Ran]], operations: list[str]) -> list[Finding]:
    """One operation is in every wrong program and in no right one, and is wrong alone."""
    everything = [r for programs in ran.values() for r in programs]
    wrong = [r for r in everything if not _explains(TRUTH, [r])]
    right = [r for r in everything if _explains(TRUTH, [r])]
    suspects = [o for o in operations if all(o in r.operations for r in wrong)]
    suspects = [o for o in suspects if not any(o in r.operations for r in right)]
    others = {o for r in right for o in r.operations}
    if len(suspects) != 1 or not wrong or (len(operations) > 1 and not others):
        return []
    name = NAMES.get(suspects[0], suspects[0])
    words = (
        f"Every program with {name} is wrong and every one without it is right: look at what {name} passes to its operands."
    )
    return [Finding((f"operation-{suspects[0]}",), tuple(ran), "engines", words=words)]


# -- running -----------------------------------------------------------------------------------------------------------


def run(instructions: list[list[Any]], rule: Rule) -> Engine:
    """One program on the judge's engine with one rule changed."""
    engine = Engine()
    for name, *operands in instructions:
        if name == "in":
            engine.slots.append(engine.add("in", (), float(operands[0])))
        elif name == "backward":
            root = engine.slots[operands[0]]
            engine.grad[root] = rule.seed
            for value in rule.order(engine, root):
                if engine.operands[value]:
                    rule.send(engine, value)
        elif name != "read":
            numbers = [_operand(engine, item) for item in operands]
            result = RULES[name][0](*(engine.data[n] for n in numbers))
            engine.slots.append(engine.add(name, tuple(numbers), result))
    return engine


def _operand(engine: Engine, item: Any) -> int:
    return engine.add("in", (), float(item[0])) if isinstance(item, list) else engine.slots[item]


def _explains(rule: Rule, programs: Iterable[Ran]) -> bool:
    for ran in programs:
        try:
            engine = run(ran.instructions, rule)
        except (ArithmeticError, ValueError):
            return False
        if len(ran.outcome.grad) != len(engine.slots) or len(ran.outcome.data) != len(engine.slots):
            return False
        for given, data, slot in zip(ran.outcome.grad, ran.outcome.data, engine.slots, strict=True):
            if not _close(given, engine.grad[slot]) or not _close(data, engine.data[slot]):
                return False
    return True


def _close(given: float | None, truth: float) -> bool:
    return given is not None and abs(given - truth) <= RTOL * abs(truth) + ATOL


def _programs(pair: Pair) -> Iterator[Ran]:
    if pair.given.question != ("op", "engine.run") or pair.given.raised is not None:
        return
    try:
        sent = msgspec.msgpack.decode(pair.given.options["programs"], type=list[list[list[Any]]])
        outcomes = msgspec.msgpack.decode(pair.given.value, type=list[Outcome])
    except (msgspec.DecodeError, TypeError, RecursionError):
        return
    if len(sent) == len(outcomes):
        yield from (Ran(instructions, outcome) for instructions, outcome in zip(sent, outcomes, strict=True))


def _single_pass(ran: Ran) -> bool:
    names = [i[0] for i in ran.instructions]
    return names.count("backward") == 1 and names[-1] == "backward" and "set grad" not in names and "read" not in names


# -- rules -------------------------------------------------------------------------------------------------------------


def _slopes(engine: Engine, value: int) -> tuple[float, ...]:
    return RULES[engine.operations[value]][1](*(engine.data[n] for n in engine.operands[value]))


def _send(engine: Engine, value: int) -> None:
    for operand, slope in zip(engine.operands[value], _slopes(engine, value), strict=True):
        engine.grad[operand] += slope * engine.grad[value]


TRUTH = Rule("", "", _send, depth_first)
Contribution = Callable[[Engine, int, int, float], float]  # engine, value, position, slope


def _changed(
    operations: frozenset[str], positions: tuple[int, ...], contribution: Contribution, overwrite: bool = False
) -> Callable[[Engine, int], None]:
    """Sending in which some operands of some operations get something else, or have it assigned."""

    def send(engine: Engine, value: int) -> None:
        mine = engine.operations[value] in operations
        for n, (operand, slope) in enumerate(zip(engine.operands[value], _slopes(engine, value), strict=True)):
            changed = mine and n in positions
            passed = contribution(engine, value, n, slope) if changed else slope * engine.grad[value]
            engine.grad[operand] = passed if changed and overwrite else engine.grad[operand] + passed

    return send


def _other(engine: Engine, value: int, n: int) -> int:
    return engine.operands[value][1 - n] if len(engine.operands[value]) == 2 else engine.operands[value][0]


def _swapped_slope(e: Engine, v: int, n: int, s: float) -> float:
    return _slopes(e, v)[::-1][n] * e.grad[v]


CONTRIBUTIONS: tuple[tuple[str, str, Contribution], ...] = (
    ("operand", "no gradient is sent", lambda e, v, n, s: 0.0),
    ("upstream", "the upstream is left out", lambda e, v, n, s: s),
    ("swap-names", "the slopes are exchanged", _swapped_slope),
    ("wrong-upstream", "the other operand's gradient is the upstream", lambda e, v, n, s: s * e.grad[_other(e, v, n)]),
    ("wrong-upstream", "its own gradient is the upstream", lambda e, v, n, s: s * e.grad[e.operands[v][n]]),
    ("upstream-squared", "the upstream goes in twice", lambda e, v, n, s: s * e.grad[v] ** 2),
    ("sign", "the sign is the other one", lambda e, v, n, s: -s * e.grad[v]),
    ("twice", "everything is sent twice", lambda e, v, n, s: 2 * s * e.grad[v]),
    ("constant", "half is sent", lambda e, v, n, s: s * e.grad[v] / 2),
    ("drop-factor", "the slope is left out", lambda e, v, n, s: e.grad[v]),
    ("drop-term", "the result's value is left out", lambda e, v, n, s: e.data[_other(e, v, n)] * e.grad[v]),
)
# other slopes of a function of one value, from its argument x and its result y
LOCALS: tuple[tuple[str, str, Callable[[float, float], float]], ...] = (
    ("formula-of-output-at-input", "1 - x^2", lambda x, y: 1 - x * x),
    ("formula-of-output-at-input", "x (1 - x)", lambda x, y: x * (1 - x)),
    ("wrong-local-derivative", "1 - y", lambda x, y: 1 - y),
    ("wrong-local-derivative", "y (1 - y)", lambda x, y: y * (1 - y)),
    ("wrong-local-derivative", "1 - y^2", lambda x, y: 1 - y * y),
    ("wrong-local-derivative", "x", lambda x, y: x),
    ("wrong-local-derivative", "y", lambda x, y: y),
    ("wrong-local-derivative", "1 / y", lambda x, y: 1 / y),
    ("wrong-local-derivative", "1 / x", lambda x, y: 1 / x),
    ("wrong-local-derivative", "exp x", lambda x, y: math.exp(x)),
    ("mask-inverted", "x <= 0", lambda x, y: float(x <= 0)),
    ("wrong-kink-value", "x >= 0", lambda x, y: float(x >= 0)),
)


def _ladder(operations: list[str]) -> Iterator[Rule]:
    """Simplest first: one operand of one operation, all operands, all operations, then the way back."""
    groups = [frozenset({o}) for o in operations] + ([frozenset(operations)] if len(operations) > 1 else [])
    for group in groups:
        name = " and ".join(sorted(group))
        for positions in ((0,), (1,), (0, 1)):
            for operator, words, contribution in CONTRIBUTIONS:
                for order in (depth_first, newest_first):
                    where = f"for operand {', '.join(str(p + 1) for p in positions)} of {name}"
                    yield Rule(operator, f"{words} {where}", _changed(group, positions, contribution), order)
            for order in (depth_first, newest_first):
                sent = _changed(group, positions, lambda e, v, n, s: s * e.grad[v], overwrite=True)
                yield Rule("overwrite", f"{name} assigns", sent, order)
        for operator, words, slope in LOCALS:
            send = _changed(group, (0,), lambda e, v, n, s, f=slope: f(e.data[e.operands[v][0]], e.data[v]) * e.grad[v])  # type: ignore[misc]
            yield Rule(operator, f"the slope of {name} is {words}", send, depth_first)
    yield Rule("missing-seed", "the output's own gradient is 0", _send, depth_first, seed=0.0)
    for order in (breadth_first, pre_order, lambda e, r: depth_first(e, r)[::-1], lambda e, r: newest_first(e, r)[::-1]):
        yield Rule("traversal", "values pass on their gradient in another order", _send, order)
    yield Rule("traversal", "a value passes on its gradient once for each path", _send, every_path)
