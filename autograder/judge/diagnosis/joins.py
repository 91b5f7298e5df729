"""Rules that combine the contributions to a gradient wrongly: by overwriting, clearing or averaging."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations

from autograder.judge.diagnosis.rules import Rule, Send, fresh, send, slopes
from autograder.judge.diagnosis.sites import BINARY, TOPOLOGICAL, Sites, changed, right
from autograder.judge.diagnosis.traversals import Engine, depth_first, when_counted


def _average(there: float, sent: float) -> float:
    return (there + sent) / 2 if there else sent


def ladder(names: list[str]) -> Iterator[Rule]:
    for order in (*TOPOLOGICAL, when_counted):
        how = "" if order is depth_first else f" ({order.__name__})"
        for rule in _in_order(names, pairs=order is depth_first):
            yield replace(rule, words=rule.words + how, order=order)
    for output in (True, False):
        words = f"values are cleared when they have sent{', also the output' if output else ''}"
        yield Rule("zero-inside", words, send=_sent_and_cleared(output))
    yield Rule("zero-inside", "interior values are cleared at the end", finish=_cleared_at_the_end)
    for distinct in (False, True):
        for inputs in (True, False):
            count, divided = partial(_count, distinct), partial(_divided, inputs)
            words = "what has arrived is divided by the number of uses"
            words += " by different values" * distinct + " by other values than inputs" * (not inputs)
            yield Rule("shared-divided", words, send=divided, start=count)


def _in_order(names: list[str], pairs: bool) -> Iterator[Rule]:
    """Rules whose result depends on which of several valid topological orders is used."""
    everything = frozenset((o, p) for o in names for p in ((0, 1) if o in BINARY else (0,)))
    yield Rule("overwrite", "every operation assigns", _assigning(everything))
    for sites in dict.fromkeys(_partial(everything, pairs)):
        words = ", ".join(f"{o} (operand {p + 1})" for o, p in sorted(sites))
        yield Rule("overwrite-some", f"{words} assigns", _assigning(sites))
    yield Rule("zero-inside", "each operation clears its operands", _clearing(frozenset(names)))
    binary = frozenset(names) & BINARY
    yield Rule("same-operand", "only what one operation sends is added up", _clearing(binary))
    for o in names:
        yield Rule("zero-inside", f"{o} clears its operands", _clearing(frozenset({o})))
    everywhere = changed(Sites(frozenset(names)), (0, 1), right, _average)
    yield Rule("shared-divided", "contributions are averaged", everywhere)


def _partial(everything: frozenset[tuple[str, int]], pairs: bool) -> Iterator[frozenset[tuple[str, int]]]:
    """Sets of operands that are overlooked together: few of them, one side, some operations, or all but a few."""
    ordered = sorted(everything)
    if len(ordered) <= 8:
        for size in range(1, len(ordered)):
            yield from (frozenset(some) for some in combinations(ordered, size))
        return
    for operation in sorted({o for o, _ in everything}):
        yield frozenset(site for site in everything if site[0] == operation)
    for side in (0, 1):
        yield frozenset(site for site in everything if site[1] == side and site[0] in BINARY)
        yield frozenset(site for site in everything if site[1] == side)
    yield frozenset(site for site in everything if site[0] in BINARY)
    yield frozenset(site for site in everything if site[0] not in BINARY)
    for size in (1, 2) if pairs else (1,):
        for some in combinations(ordered, size):
            yield frozenset(some)
            yield everything - frozenset(some)


def _assigning(sites: frozenset[tuple[str, int]]) -> Send:
    def send(engine: Engine, value: int) -> None:
        operation = engine.operations[value]
        for n, (operand, slope) in enumerate(zip(engine.operands[value], slopes(engine, value), strict=False)):
            sent = slope * engine.grad[value]
            engine.grad[operand] = sent if (operation, n) in sites else engine.grad[operand] + sent

    return send


def _clearing(operations: frozenset[str]) -> Send:
    def send_on(engine: Engine, value: int) -> None:
        if engine.operations[value] in operations:
            for operand in engine.operands[value]:
                engine.grad[operand] = 0.0
        send(engine, value)

    return send_on


def _sent_and_cleared(output: bool) -> Send:
    def send_on(engine: Engine, value: int) -> None:
        send(engine, value)
        if engine.operands[value] and (output or engine.slots[-1] != value):
            engine.grad[value] = 0.0

    return send_on


def _cleared_at_the_end(engine: Engine, root: int, order: list[int]) -> None:
    for value in order:
        if engine.operands[value] and value != root:
            engine.grad[value] = 0.0


def _count(distinct: bool, engine: Engine, root: int, order: list[int]) -> None:
    fresh(engine, root, order)
    used = Counter(o for value in order for o in (set(engine.operands[value]) if distinct else engine.operands[value]))
    engine.uses = dict(used)


def _divided(inputs: bool, engine: Engine, value: int) -> None:
    if inputs or engine.operands[value]:
        engine.grad[value] /= engine.uses.get(value, 1)
    send(engine, value)
