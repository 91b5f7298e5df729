"""Rules that combine the contributions to a gradient wrongly: within a pass, by overwriting, clearing or averaging, and across
passes, by wrong clearing, wrong seeds and repeated propagation."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, product

from autograder.explain.diagnosis.generators.engines.operations import BINARY, TOPOLOGICAL, Sites, changed, right
from autograder.explain.diagnosis.generators.engines.scalar_engine import (
    EngineRule,
    PassRefused,
    ScalarEngine,
    Send,
    fresh,
    one_pass,
    send,
)
from autograder.explain.diagnosis.generators.orders import depth_first, when_counted

Clears = Callable[[ScalarEngine, int, int], bool]  # engine, root, value


def _interior(e: ScalarEngine, root: int, v: int) -> bool:
    return bool(e.operands[v])


def _between(e: ScalarEngine, root: int, v: int) -> bool:
    """Whether a value is between the output and the inputs."""
    return v != root and bool(e.operands[v])


def _clear(cleared: Clears, engine: ScalarEngine, root: int, order: list[int]) -> None:
    for value in order:
        if cleared(engine, root, value):
            engine.grad[value] = 0.0


clear_interior = partial(_clear, _between)


def _average(there: float, sent: float) -> float:
    return (there + sent) / 2 if there else sent


def of_a_pass(names: list[str]) -> Iterator[EngineRule]:
    for order in (*TOPOLOGICAL, when_counted):
        how = "" if order is depth_first else f" ({order.__name__})"
        for rule in _in_order(names, pairs=order is depth_first):
            yield replace(rule, words=rule.words + how, order=order)
    for output in (True, False):
        words = f"values are cleared when they have sent{', also the output' if output else ''}"
        yield EngineRule("zero-inside", words, send=_sent_and_cleared(output))
    yield EngineRule("zero-inside", "interior values are cleared at the end", finish=clear_interior)
    for distinct in (False, True):
        for inputs in (True, False):
            count, divided = partial(_count, distinct), partial(_divided, inputs)
            words = "what has arrived is divided by the number of uses"
            words += " by different values" * distinct + " by other values than inputs" * (not inputs)
            yield EngineRule("shared-divided", words, send=divided, start=count)


def _in_order(names: list[str], pairs: bool) -> Iterator[EngineRule]:
    """Rules whose result depends on which of several valid topological orders is used."""
    everything = frozenset((o, p) for o in names for p in ((0, 1) if o in BINARY else (0,)))
    yield EngineRule("overwrite", "every operation assigns", _assigning(everything))
    for sites in dict.fromkeys(_partial(everything, pairs)):
        words = ", ".join(f"{o} (operand {p + 1})" for o, p in sorted(sites))
        yield EngineRule("overwrite-some", f"{words} assigns", _assigning(sites))
    yield EngineRule("zero-inside", "each operation clears its operands", _clearing(frozenset(names)))
    binary = frozenset(names) & BINARY
    yield EngineRule("same-operand", "only what one operation sends is added up", _clearing(binary))
    for o in names:
        yield EngineRule("zero-inside", f"{o} clears its operands", _clearing(frozenset({o})))
    everywhere = changed(Sites(frozenset(names)), (0, 1), right, _average)
    yield EngineRule("shared-divided", "contributions are averaged", everywhere)


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
    def send(engine: ScalarEngine, value: int) -> None:
        operation = engine.operations[value]
        for n, (operand, slope) in enumerate(engine.edges(value)):
            sent = slope * engine.grad[value]
            engine.grad[operand] = sent if (operation, n) in sites else engine.grad[operand] + sent

    return send


def _clearing(operations: frozenset[str]) -> Send:
    def send_on(engine: ScalarEngine, value: int) -> None:
        if engine.operations[value] in operations:
            for operand in engine.operands[value]:
                engine.grad[operand] = 0.0
        send(engine, value)

    return send_on


def _sent_and_cleared(output: bool) -> Send:
    def send_on(engine: ScalarEngine, value: int) -> None:
        send(engine, value)
        if engine.operands[value] and (output or engine.slots[-1] != value):
            engine.grad[value] = 0.0

    return send_on


def _count(distinct: bool, engine: ScalarEngine, root: int, order: list[int]) -> None:
    fresh(engine, root, order)
    used = Counter(o for value in order for o in (set(engine.operands[value]) if distinct else engine.operands[value]))
    engine.uses = dict(used)


def _divided(inputs: bool, engine: ScalarEngine, value: int) -> None:
    if inputs or engine.operands[value]:
        engine.grad[value] /= engine.uses.get(value, 1)
    send(engine, value)


# -- several passes ------------------------------------------------------------------------------------------------------

Seed = Callable[[ScalarEngine, int], float]  # engine, root
Stale = Callable[[ScalarEngine, int, list[int]], bool]  # engine, root, the order of the pass

# the values that a pass resets to 0 before it begins; the first rule is right
CLEARED: tuple[tuple[str, str, Clears], ...] = (
    ("", "", _interior),
    ("compounding", "nothing is cleared", lambda e, r, v: False),
    ("compounding", "only the output is cleared", lambda e, r, v: v == r and _interior(e, r, v)),
    ("compounding", "only values between output and inputs are cleared", _between),
    (
        "compounding",
        "values are cleared if this output was used before",
        lambda e, r, v: _interior(e, r, v) and (v == r or r in e.roots),
    ),
    ("resets-leaves", "inputs are cleared, too", lambda e, r, v: True),
    ("resets-leaves", "inputs are cleared, too, unless they are the output", lambda e, r, v: v != r or _interior(e, r, v)),
    (
        "resets-leaves",
        "the first pass of an output clears its inputs",
        lambda e, r, v: _interior(e, r, v) or r not in e.roots,
    ),
    ("resets-leaves", "a repeated pass clears its inputs", lambda e, r, v: _interior(e, r, v) or r in e.roots),
    ("resets-leaves", "the output's own operands are cleared", lambda e, r, v: _interior(e, r, v) or v in e.operands[r]),
)
SEEDS: tuple[tuple[str, str, Seed], ...] = (
    ("", "", lambda e, r: e.grad[r] + 1),
    ("overwrite-across-passes", "the output's gradient is set to 1", lambda e, r: 1.0),
    (
        "overwrite-across-passes",
        "the gradient of an output that is no input is set to 1",
        lambda e, r: 1.0 if e.operands[r] else e.grad[r] + 1,
    ),
)
CLEARED_AFTER: tuple[tuple[str, Clears], ...] = (
    ("", lambda e, r, v: False),
    ("values between output and inputs are cleared afterwards", _between),
    ("interior values are cleared afterwards", _interior),
)
SENDERS: tuple[tuple[str, str, Clears], ...] = (
    ("", "", lambda e, r, v: True),
    ("forbids-second", "a value sends once in its life, unless it is the output", lambda e, r, v: v == r or v not in e.sent),
    ("forbids-second", "a value sends once in its life", lambda e, r, v: v not in e.sent),
)


def of_passes() -> Iterator[EngineRule]:
    """All changed rules: first those that refuse a pass, then by number of changes."""
    for words, stale in (("this output", _root_again), ("any of these values", _any_again)):
        ignoring, refusing = partial(_refuse, stale, True), partial(_refuse, stale, False)
        yield EngineRule("forbids-second", f"nothing is done if {words} took part before", backward=ignoring)
        yield EngineRule("forbids-second", f"it is an error if {words} took part before", backward=refusing, raises=True)
    combined = sorted(product(CLEARED, SEEDS, CLEARED_AFTER, SENDERS), key=lambda four: sum(bool(part[-2]) for part in four))
    for (clears, before, cleared), (seeds, begin, seed), (after, left), (stops, who, sends) in combined:
        operator = stops or clears or seeds
        if operator:
            words = ", and ".join(filter(None, (before, begin, after, who)))
            start, finish = partial(_begin, cleared, seed), partial(_clear, left)
            yield EngineRule(operator, words, start=start, finish=finish, backward=partial(_send_if, sends))


def _begin(cleared: Clears, seed: Seed, engine: ScalarEngine, root: int, order: list[int]) -> None:
    _clear(cleared, engine, root, order)
    engine.grad[root] = seed(engine, root)


def _send_if(sends: Clears, engine: ScalarEngine, root: int, rule: EngineRule) -> None:
    order = engine.ordered(rule.order, root)
    rule.start(engine, root, order)
    for value in order:
        if sends(engine, root, value):
            rule.send(engine, value)
    engine.sent.update(order)
    rule.finish(engine, root, order)
    engine.roots.add(root)


def _root_again(engine: ScalarEngine, root: int, order: list[int]) -> bool:
    return root in engine.roots


def _any_again(engine: ScalarEngine, root: int, order: list[int]) -> bool:
    return any(value in engine.sent and engine.operands[value] for value in order)


def _refuse(stale: Stale, silent: bool, engine: ScalarEngine, root: int, rule: EngineRule) -> None:
    order = engine.ordered(rule.order, root)
    if not stale(engine, root, order):
        one_pass(engine, root, rule)
        engine.sent.update(order)
    elif not silent:
        raise PassRefused
