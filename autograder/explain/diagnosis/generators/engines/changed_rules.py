"""Lists the changed rules of a scalar engine, simplest first: one operand, whole operations, accumulation, traversal."""

from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Any

from autograder.explain.diagnosis.generators import orders
from autograder.explain.diagnosis.generators.engines.accumulation import of_a_pass
from autograder.explain.diagnosis.generators.engines.operations import (
    BINARY,
    SLOPES_OF_RESULT,
    WRONG_VALUES,
    Sites,
    changed,
    of_operations,
    of_uses,
    with_slope,
)
from autograder.explain.diagnosis.generators.engines.scalar_engine import EngineRule, Items, Order, ScalarEngine, fresh


def changed_rules(operations: Collection[str]) -> Iterator[EngineRule]:
    """All changed rules for programs with these operations."""
    names = sorted(operations)
    yield from _seeds()
    yield from _ways_back()
    yield from of_operations(names)
    yield from of_a_pass(names)
    yield from of_uses(names)
    yield from _reflected(operations)
    yield from _values(operations)


# -- the way back ------------------------------------------------------------------------------------------------------

WAYS: tuple[tuple[str, str, Order], ...] = (
    ("breadth-first", "values pass on layer by layer", orders.breadth_first),
    ("breadth-first-reversed", "layer by layer, and from the inputs", lambda e, r: orders.breadth_first(e, r)[::-1]),
    ("breadth-first", "layer by layer, what is met again comes last", orders.moved_to_the_end),
    ("pre-order", "values are listed when they are entered", orders.pre_order),
    ("pre-order", "values are listed when they are entered, right first", partial(orders.pre_order, right_first=True)),
    ("marked-early", "values are marked when they are put on a stack", orders.marked_early),
    ("marked-early", "marked when put on a stack, left first", partial(orders.marked_early, right_first=False)),
    ("pre-order", "values pass on as soon as they are found", orders.as_found),
    ("pre-order", "as soon as they are found, left first", partial(orders.as_found, right_first=False)),
    ("reversed", "operands pass on before results", lambda e, r: orders.depth_first(e, r)[::-1]),
    ("reversed", "oldest first", lambda e, r: orders.newest_first(e, r)[::-1]),
    ("reversed", "listed when entered, and from the inputs", lambda e, r: orders.pre_order(e, r)[::-1]),
    ("every-path", "once for each path, layer by layer", orders.every_path),
    ("every-path", "once for each path", orders.every_path_at_once),
    ("every-path", "nothing is remembered", orders.never_remembered),
    ("every-path", "asked before the visit", orders.asked_too_early),
    ("every-path", "the output sends twice", orders.output_first),
    ("drops-nodes", "only along first operands", partial(orders.only_operand, n=0)),
    ("drops-nodes", "only along last operands", partial(orders.only_operand, n=-1)),
    ("drops-nodes", "not past a value with a known operand", orders.unless_one_is_known),
    ("drops-nodes", "only the output sends", lambda e, r: [r]),
    ("nothing-sent", "no value sends", lambda e, r: []),
    ("miscounted", "a use is counted twice and taken off once", partial(orders.counted, taken_off_once=True)),
    ("miscounted", "a use is counted once and taken off twice", partial(orders.counted, counted_once=True)),
    ("miscounted", "counted once, taken off twice, in a queue", partial(orders.counted, counted_once=True, first_in=True)),
    ("miscounted", "uses count that the output is not made from", partial(orders.counted, elsewhere=True)),
    ("identity-by-value", "values with equal data are one", orders.confusing(orders.by_data)),
    ("identity-by-value", "equal data made of equal data", orders.confusing(orders.by_data_and_operands)),
    ("identity-by-value", "equal data and as many operands", orders.confusing(orders.by_data_and_kind)),
)


def _ways_back() -> Iterator[EngineRule]:
    for operator, words, order in WAYS:
        yield EngineRule(operator, words, order=order)
    for last in (False, True):
        words = f"who receives a share passes on all it has at once{', right first' if last else ''}"
        yield EngineRule("every-path", words, backward=partial(_all_again, last))


def _all_again(right_first: bool, engine: ScalarEngine, root: int, rule: EngineRule) -> None:
    """Every value that receives a contribution propagates its whole gradient at once, including earlier contributions."""
    waiting: list[tuple[int, Callable[[], float]]] = [(root, lambda: 1.0)]
    for _ in range(orders.MAX_VISITS):
        if not waiting:
            return
        value, share = waiting.pop()
        engine.grad[value] += share()
        shares = [(operand, partial(_share, engine, value, slope)) for operand, slope in engine.edges(value)]
        waiting += shares if right_first else shares[::-1]
    raise ValueError("too many paths")


def _share(engine: ScalarEngine, value: int, slope: float) -> float:
    return slope * engine.grad[value]


def _seeds() -> Iterator[EngineRule]:
    """Wrong seeds of the output, and wrong initial values of the other gradients."""
    yield EngineRule("missing-seed", "the output's own gradient is 0", start=partial(_seeded, lambda e, r: 0.0))
    yield EngineRule(
        "missing-seed", "the output's own gradient is its value", start=partial(_seeded, lambda e, r: e.data[r])
    )
    for words, seed in (("1", 1.0), ("1 more", 2.0)):
        start = partial(_begun, seed)
        yield EngineRule("constant", f"gradients begin at 1, that of the output at {words}", initial=1.0, start=start)


def _seeded(seed: Callable[[ScalarEngine, int], float], engine: ScalarEngine, root: int, order: list[int]) -> None:
    fresh(engine, root, order)
    engine.grad[root] = seed(engine, root)


def _begun(seed: float, engine: ScalarEngine, root: int, order: list[int]) -> None:
    engine.grad[root] = seed


# -- numbers on the left -----------------------------------------------------------------------------------------------


def _reflected(operations: Collection[str]) -> Iterator[EngineRule]:
    for some in (("-",), ("/",), ("-", "/"), ("+",), ("*",)):
        if set(some) <= set(operations):
            words = f"with a number on the left, {' and '.join(some)}"
            if set(some) <= {"-", "/"}:
                yield EngineRule("reflected-order", f"{words} have their operands exchanged", build=partial(_turned, some))
            yield EngineRule("reflected-order", f"{words} forget the number", build=partial(_forgotten, some))


def _turned(some: tuple[str, ...], name: str, items: Items) -> tuple[str, Items]:
    return (name, items[::-1]) if name in some and isinstance(items[0], list) else (name, items)


def _forgotten(some: tuple[str, ...], name: str, items: Items) -> tuple[str, Items]:
    if name in some and isinstance(items[0], list):
        put: list[Any] = [[0.0 if name in "+-" else 1.0], items[1]]
        return name, put
    return name, items


def _values(operations: Collection[str]) -> Iterator[EngineRule]:
    for operation, wrong in WRONG_VALUES.items():
        if operation in operations:
            for number, (operator, value) in enumerate(wrong, 1):
                for only_two in (False, True) if operation in BINARY else (False,):
                    words = f"{operation} has another value ({number}{', of two Values' if only_two else ''})"
                    yield EngineRule(operator, words, valued=(operation, value, only_two))
                if operation in SLOPES_OF_RESULT:
                    by_result = changed(Sites(frozenset({operation})), (0,), with_slope(SLOPES_OF_RESULT[operation]))
                    words = f"{operation} has another value ({number}), from which its slope is made"
                    yield EngineRule(operator, words, by_result, valued=(operation, value, False))
