"""Lists the changed rules of a scalar engine, simplest first: one operand, whole operations, accumulation, traversal."""

import math
from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Any

from autograder.judge.diagnosis import joins, traversals
from autograder.judge.diagnosis.rules import Items, Rule, fresh, slopes
from autograder.judge.diagnosis.sites import BINARY, TOPOLOGICAL, Contribution, Sites, changed
from autograder.judge.diagnosis.slopes import WRONG, Slope
from autograder.judge.diagnosis.traversals import Engine, depth_first, newest_first


def _other(engine: Engine, value: int, n: int) -> int:
    operands = engine.operands[value]
    return operands[1 - n] if len(operands) == 2 else operands[0]


def _swapped_slope(e: Engine, v: int, n: int, s: float) -> float:
    return slopes(e, v)[::-1][n] * e.grad[v] if len(e.operands[v]) == 2 else s * e.grad[v]


def _sloped(slope: Slope) -> Contribution:
    def contribution(e: Engine, v: int, n: int, s: float) -> float:
        values = e.values(v)
        return slope(values[0], values[-1], e.data[v]) * e.grad[v]

    return contribution


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


def ladder(operations: Collection[str]) -> Iterator[Rule]:
    """All changed rules for programs with these operations."""
    names = sorted(operations)
    yield from _seeds()
    yield from _ways_back()
    groups = [Sites(frozenset({o})) for o in names] + ([Sites(frozenset(names))] if len(names) > 1 else [])
    for sites in groups:
        yield from _sent(sites)
    for (operation, n), wrong in WRONG.items():
        if operation in operations:
            for use in ("", "number first") if n == 1 and operation in BINARY else ("",):
                sites = Sites(frozenset({operation}), use)
                for operator, words, slope in wrong:
                    rule = changed(sites, (n,), _sloped(slope))
                    yield Rule(operator, f"the slope {n + 1} of {sites.words} is {words}", rule, raises=operator == "kink")
    yield from joins.ladder(names)
    yield from _uses(names)
    yield from _reflected(operations)
    yield from _values(operations)


def of_operation(operation: str) -> Iterator[Rule]:
    """Wrong contributions of one operation."""
    yield from _sent(Sites(frozenset({operation})))


def _sent(sites: Sites, places: Collection[tuple[int, ...]] = ((0,), (1,), (0, 1))) -> Iterator[Rule]:
    """Rules in which an operation propagates a wrong contribution."""
    for positions in places if sites.operations & BINARY else ((0,),):
        where = f"for operand {', '.join(str(p + 1) for p in positions)} of {sites.words}"
        for operator, words, contribution in CONTRIBUTIONS:
            for order in TOPOLOGICAL if operator in _MOVING and not sites.use else TOPOLOGICAL[:1]:
                words_of_order = f" ({order.__name__})" if order is not depth_first else ""
                yield Rule(operator, f"{words} {where}{words_of_order}", changed(sites, positions, contribution), order)


def _uses(names: list[str]) -> Iterator[Rule]:
    """Rules that are wrong only with a number on the left, without one, or with the same value on both sides."""
    binary = [o for o in names if o in BINARY]
    for operation in binary:
        one = frozenset({operation})
        yield from _sent(Sites(one, "number first"), ((1,),))
        yield from _sent(Sites(one, "with a number"), ((0, 1),))
        yield from _sent(Sites(one, "two values"))
    for operations in dict.fromkeys((*(frozenset({o}) for o in binary), frozenset(binary))):
        same = Sites(operations, "same operand")
        half = changed(same, (0, 1), lambda e, v, n, s: s * e.grad[v] / 2)
        yield Rule("shared-divided", f"half is sent for {same.words}", half)
        for n in (0, 1):
            once = changed(same, (n,), lambda e, v, n, s: 0.0)
            yield Rule("operand", f"nothing is sent to operand {n + 1} of {same.words}", once)


# -- the way back ------------------------------------------------------------------------------------------------------

WAYS: tuple[tuple[str, str, traversals.Order], ...] = (
    ("breadth-first", "values pass on layer by layer", traversals.breadth_first),
    ("breadth-first-reversed", "layer by layer, and from the inputs", lambda e, r: traversals.breadth_first(e, r)[::-1]),
    ("breadth-first", "layer by layer, what is met again comes last", traversals.moved_to_the_end),
    ("pre-order", "values are listed when they are entered", traversals.pre_order),
    ("pre-order", "values are listed when they are entered, right first", partial(traversals.pre_order, right_first=True)),
    ("marked-early", "values are marked when they are put on a stack", traversals.marked_early),
    ("marked-early", "marked when put on a stack, left first", partial(traversals.marked_early, right_first=False)),
    ("pre-order", "values pass on as soon as they are found", traversals.as_found),
    ("pre-order", "as soon as they are found, left first", partial(traversals.as_found, right_first=False)),
    ("reversed", "operands pass on before results", lambda e, r: depth_first(e, r)[::-1]),
    ("reversed", "oldest first", lambda e, r: newest_first(e, r)[::-1]),
    ("reversed", "listed when entered, and from the inputs", lambda e, r: traversals.pre_order(e, r)[::-1]),
    ("every-path", "once for each path, layer by layer", traversals.every_path),
    ("every-path", "once for each path", traversals.every_path_at_once),
    ("every-path", "nothing is remembered", traversals.never_remembered),
    ("every-path", "asked before the visit", traversals.asked_too_early),
    ("every-path", "the output sends twice", traversals.output_first),
    ("drops-nodes", "only along first operands", traversals.first_operands),
    ("drops-nodes", "only along last operands", traversals.last_operands),
    ("drops-nodes", "not past a value with a known operand", traversals.unless_one_is_known),
    ("drops-nodes", "only the output sends", lambda e, r: [r]),
    ("nothing-sent", "no value sends", lambda e, r: []),
    ("miscounted", "a use is counted twice and taken off once", traversals.consumers_taken_off_once),
    ("miscounted", "a use is counted once and taken off twice", traversals.consumers_counted_once),
    ("miscounted", "counted once, taken off twice, in a queue", partial(traversals.consumers_counted_once, first_in=True)),
    ("miscounted", "uses count that the output is not made from", traversals.consumers_elsewhere_counted),
    ("identity-by-value", "values with equal data are one", traversals.confusing(traversals.by_data)),
    ("identity-by-value", "equal data made of equal data", traversals.confusing(traversals.by_data_and_operands)),
    ("identity-by-value", "equal data and as many operands", traversals.confusing(traversals.by_data_and_kind)),
)


def _ways_back() -> Iterator[Rule]:
    for operator, words, order in WAYS:
        yield Rule(operator, words, order=order)
    for last in (False, True):
        words = f"who receives a share passes on all it has at once{', right first' if last else ''}"
        yield Rule("every-path", words, backward=partial(_all_again, last))


def _all_again(right_first: bool, engine: Engine, root: int, rule: Rule) -> None:
    """Every value that receives a contribution propagates its whole gradient at once, including earlier contributions."""
    waiting: list[tuple[int, Callable[[], float]]] = [(root, lambda: 1.0)]
    for _ in range(traversals.PATHS):
        if not waiting:
            return
        value, share = waiting.pop()
        engine.grad[value] += share()
        shares = [
            (operand, partial(_share, engine, value, slope))
            for operand, slope in zip(engine.operands[value], slopes(engine, value), strict=False)
        ]
        waiting += shares if right_first else shares[::-1]
    raise ValueError("too many paths")


def _share(engine: Engine, value: int, slope: float) -> float:
    return slope * engine.grad[value]


def _seeds() -> Iterator[Rule]:
    """Wrong seeds of the output, and wrong initial values of the other gradients."""
    yield Rule("missing-seed", "the output's own gradient is 0", start=partial(_seeded, lambda e, r: 0.0))
    yield Rule("missing-seed", "the output's own gradient is its value", start=partial(_seeded, lambda e, r: e.data[r]))
    for words, seed in (("1", 1.0), ("1 more", 2.0)):
        start = partial(_begun, seed)
        yield Rule("constant", f"gradients begin at 1, that of the output at {words}", initial=1.0, start=start)


def _seeded(seed: Callable[[Engine, int], float], engine: Engine, root: int, order: list[int]) -> None:
    fresh(engine, root, order)
    engine.grad[root] = seed(engine, root)


def _begun(seed: float, engine: Engine, root: int, order: list[int]) -> None:
    engine.grad[root] = seed


# -- numbers on the left -----------------------------------------------------------------------------------------------


def _reflected(operations: Collection[str]) -> Iterator[Rule]:
    for some in (("-",), ("/",), ("-", "/"), ("+",), ("*",)):
        if set(some) <= set(operations):
            words = f"with a number on the left, {' and '.join(some)}"
            if set(some) <= {"-", "/"}:
                yield Rule("reflected-order", f"{words} have their operands exchanged", build=partial(_turned, some))
            yield Rule("reflected-order", f"{words} forget the number", build=partial(_forgotten, some))


def _turned(some: tuple[str, ...], name: str, items: Items) -> tuple[str, Items]:
    return (name, items[::-1]) if name in some and isinstance(items[0], list) else (name, items)


def _forgotten(some: tuple[str, ...], name: str, items: Items) -> tuple[str, Items]:
    if name in some and isinstance(items[0], list):
        put: list[Any] = [[0.0 if name in "+-" else 1.0], items[1]]
        return name, put
    return name, items


# -- wrong values ------------------------------------------------------------------------------------------------------

_Value = Callable[..., float]
VALUES: dict[str, tuple[tuple[str, _Value], ...]] = {
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
# local derivatives in terms of the result
OF_RESULT: dict[str, Slope] = {
    "exp": lambda a, b, y: y,
    "tanh": lambda a, b, y: 1 - y * y,
    "relu": lambda a, b, y: float(y > 0),
}


def _values(operations: Collection[str]) -> Iterator[Rule]:
    for operation, wrong in VALUES.items():
        if operation in operations:
            for number, (operator, value) in enumerate(wrong, 1):
                for only_two in (False, True) if operation in BINARY else (False,):
                    words = f"{operation} has another value ({number}{', of two Values' if only_two else ''})"
                    yield Rule(operator, words, valued=(operation, value, only_two))
                if operation in OF_RESULT:
                    by_result = changed(Sites(frozenset({operation})), (0,), _sloped(OF_RESULT[operation]))
                    words = f"{operation} has another value ({number}), from which its slope is made"
                    yield Rule(operator, words, by_result, valued=(operation, value, False))
