"""Rules for mistakes that show only when `backward` is called more than once: clearing, initial values, repeated
propagation."""

from collections.abc import Callable, Iterator
from itertools import product

from autograder.judge.diagnosis.rules import Around, Refused, Rule, one_pass
from autograder.judge.diagnosis.traversals import Engine

Clears = Callable[[Engine, int, int], bool]  # engine, root, value


def _interior(e: Engine, root: int, v: int) -> bool:
    return bool(e.operands[v])


# the values that a pass resets to 0 before it begins; the first rule is right
CLEARED: tuple[tuple[str, str, Clears], ...] = (
    ("", "", _interior),
    ("compounding", "nothing is cleared", lambda e, r, v: False),
    ("compounding", "only the output is cleared", lambda e, r, v: v == r and _interior(e, r, v)),
    ("compounding", "only values between output and inputs are cleared", lambda e, r, v: v != r and _interior(e, r, v)),
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
SEEDS: tuple[tuple[str, str, Callable[[Engine, int], float]], ...] = (
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
    ("values between output and inputs are cleared afterwards", lambda e, r, v: v != r and _interior(e, r, v)),
    ("interior values are cleared afterwards", _interior),
)
SENDERS: tuple[tuple[str, str, Clears], ...] = (
    ("", "", lambda e, r, v: True),
    ("forbids-second", "a value sends once in its life, unless it is the output", lambda e, r, v: v == r or v not in e.sent),
    ("forbids-second", "a value sends once in its life", lambda e, r, v: v not in e.sent),
)


def ladder() -> Iterator[Rule]:
    """All changed rules: first those that refuse a pass, then by number of changes."""
    for words, stale in (("this output", _root_again), ("any of these values", _any_again)):
        yield Rule("forbids-second", f"nothing is done if {words} took part before", backward=_refusing(stale, silent=True))
        refusing = _refusing(stale, silent=False)
        yield Rule("forbids-second", f"it is an error if {words} took part before", backward=refusing, raises=True)
    combined = sorted(product(CLEARED, SEEDS, CLEARED_AFTER, SENDERS), key=lambda four: sum(bool(part[-2]) for part in four))
    for (clears, before, cleared), (seeds, begin, seed), (after, left), (stops, who, sends) in combined:
        operator = stops or clears or seeds
        if operator:
            words = ", and ".join(filter(None, (before, begin, after, who)))
            yield Rule(operator, words, start=_start(cleared, seed), finish=_finish(left), backward=_pass(sends))


def _start(cleared: Clears, seed: Callable[[Engine, int], float]) -> Around:
    def start(engine: Engine, root: int, order: list[int]) -> None:
        for value in order:
            if cleared(engine, root, value):
                engine.grad[value] = 0.0
        engine.grad[root] = seed(engine, root)

    return start


def _finish(left: Clears) -> Around:
    def finish(engine: Engine, root: int, order: list[int]) -> None:
        for value in order:
            if left(engine, root, value):
                engine.grad[value] = 0.0

    return finish


def _pass(sends: Clears) -> Callable[[Engine, int, Rule], None]:
    def backward(engine: Engine, root: int, rule: Rule) -> None:
        order = engine.ordered(rule.order, root)
        rule.start(engine, root, order)
        for value in order:
            if sends(engine, root, value):
                rule.send(engine, value)
        engine.sent.update(order)
        rule.finish(engine, root, order)
        engine.roots.add(root)

    return backward


def _root_again(engine: Engine, root: int, order: list[int]) -> bool:
    return root in engine.roots


def _any_again(engine: Engine, root: int, order: list[int]) -> bool:
    return any(value in engine.sent and engine.operands[value] for value in order)


def _refusing(stale: Callable[[Engine, int, list[int]], bool], *, silent: bool) -> Callable[[Engine, int, Rule], None]:
    def backward(engine: Engine, root: int, rule: Rule) -> None:
        order = engine.ordered(rule.order, root)
        if stale(engine, root, order):
            if silent:
                return
            raise Refused
        one_pass(engine, root, rule)
        engine.sent.update(order)

    return backward
