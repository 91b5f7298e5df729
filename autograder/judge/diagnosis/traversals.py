"""The values of a program, and the right and wrong orders in which a backward pass can visit them."""

from collections import Counter, deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

PATHS = 20_000


@dataclass
class Engine:
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

    def again(self, gradient: float = 0.0) -> "Engine":
        """A copy with the same values before any pass. Cached results are shared."""
        made = (self.operations, self.operands, self.exponents, self.data, self.slots, self.events, self.local, self.orders)
        return Engine(*made, [gradient] * len(self.data))

    def values(self, value: int) -> tuple[float, ...]:
        """The numbers of an operation's operands."""
        exponent = self.exponents[value]
        own = tuple(self.data[n] for n in self.operands[value])
        return own if exponent is None else (*own, exponent)

    def ordered(self, order: "Order", root: int) -> list[int]:
        if (order, root) not in self.orders:
            self.orders[order, root] = order(self, root)
        return self.orders[order, root]


Order = Callable[[Engine, int], list[int]]
Uses = Callable[[tuple[int, ...]], tuple[int, ...]]
Identity = Callable[[Engine, int], Hashable]


def by_object(_: Engine, value: int) -> int:
    return value


def by_data(engine: Engine, value: int) -> float:
    return engine.data[value]


def by_data_and_operands(engine: Engine, value: int) -> Hashable:
    return engine.data[value], tuple(engine.data[n] for n in engine.operands[value])


def by_data_and_kind(engine: Engine, value: int) -> Hashable:
    return round(engine.data[value], 12), len(engine.operands[value])


def depth_first(engine: Engine, root: int, identity: Identity = by_object, right_first: bool = False) -> list[int]:
    """Reverse post-order, the usual choice. `identity` determines which values count as the same."""
    order: list[int] = []
    seen: set[Hashable] = set()
    waiting = [(root, False)]
    while waiting:
        value, done = waiting.pop()
        if done:
            order.append(value)
            continue
        what = value if identity is by_object else identity(engine, value)
        if what not in seen:
            seen.add(what)
            waiting.append((value, True))
            operands = engine.operands[value]
            waiting.extend((operand, False) for operand in (operands if right_first else reversed(operands)))
    return order[::-1]


def right_first(engine: Engine, root: int) -> list[int]:
    return depth_first(engine, root, right_first=True)


def newest_first(engine: Engine, root: int) -> list[int]:
    reached = set(depth_first(engine, root))
    return [value for value in range(root, -1, -1) if value in reached]


def when_counted(engine: Engine, root: int) -> list[int]:
    """A value follows after the last of its uses."""
    return _as_counted(engine, root, _uses(engine, root), _each)


def consumers_counted_once(engine: Engine, root: int, first_in: bool = False) -> list[int]:
    """An operation that uses a value twice is counted once but decreases the count twice, so the value may follow too early."""
    return _as_counted(engine, root, _uses(engine, root, _distinct), _each, first_in)


def consumers_taken_off_once(engine: Engine, root: int) -> list[int]:
    """An operation that uses a value twice is counted twice but decreases the count once, so the value never follows."""
    return _as_counted(engine, root, _uses(engine, root), _distinct)


def consumers_elsewhere_counted(engine: Engine, root: int) -> list[int]:
    """Operations that the output does not depend on are counted, so the values that they use never follow."""
    return _as_counted(engine, root, Counter(operand for operands in engine.operands for operand in operands), _each)


def _each(operands: tuple[int, ...]) -> tuple[int, ...]:
    return operands


def _distinct(operands: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(operands))


def _uses(engine: Engine, root: int, counted: Uses = _each) -> Counter[int]:
    return Counter(operand for value in depth_first(engine, root) for operand in counted(engine.operands[value]))


def _as_counted(engine: Engine, root: int, waits: Counter[int], taken_off: Uses, first_in: bool = False) -> list[int]:
    """A value follows when its count of remaining uses is 0."""
    order: list[int] = []
    ready = deque([root])
    while ready:
        order.append(ready.popleft() if first_in else ready.pop())
        for operand in taken_off(engine.operands[order[-1]]):
            waits[operand] -= 1
            if waits[operand] == 0:
                ready.append(operand)
    return order


def confusing(identity: Identity) -> Order:
    """Depth-first order in which values with equal identity count as one."""
    return lambda engine, root: depth_first(engine, root, identity)


# -- wrong orders ------------------------------------------------------------------------------------------------------


def breadth_first(engine: Engine, root: int) -> list[int]:
    order, seen, n = [root], {root}, 0
    while n < len(order):
        for operand in engine.operands[order[n]]:
            if operand not in seen:
                seen.add(operand)
                order.append(operand)
        n += 1
    return order


def moved_to_the_end(engine: Engine, root: int) -> list[int]:
    """Breadth-first; a value that is reached again moves to the end, but the values below it stay."""
    order, queue = {root: None}, [root]
    for value in queue:
        for operand in engine.operands[value]:
            if operand in order:
                del order[operand]
            else:
                queue.append(operand)
            order[operand] = None
    return list(order)


def pre_order(engine: Engine, root: int, right_first: bool = False) -> list[int]:
    """Values in preorder."""
    order: dict[int, None] = {}
    waiting = [root]
    while waiting:
        value = waiting.pop()
        if value not in order:
            order[value] = None
            operands = engine.operands[value]
            waiting.extend(operands if right_first else reversed(operands))
    return list(order)


def marked_early(engine: Engine, root: int, right_first: bool = True) -> list[int]:
    """Depth-first with a stack; values are marked as seen when they are pushed."""
    order: list[int] = []
    seen, waiting = {root}, [(root, False)]
    while waiting:
        value, done = waiting.pop()
        if done:
            order.append(value)
            continue
        waiting.append((value, True))
        operands = engine.operands[value]
        for operand in operands if right_first else reversed(operands):
            if operand not in seen:
                seen.add(operand)
                waiting.append((operand, False))
    return order[::-1]


def as_found(engine: Engine, root: int, right_first: bool = True) -> list[int]:
    """In the order in which values are popped from a stack."""
    order: list[int] = []
    seen, waiting = {root}, [root]
    while waiting:
        order.append(waiting.pop())
        operands = engine.operands[order[-1]]
        for operand in operands if right_first else reversed(operands):
            if operand not in seen:
                seen.add(operand)
                waiting.append(operand)
    return order


# -- too often, too few ------------------------------------------------------------------------------------------------


def every_path(engine: Engine, root: int) -> list[int]:
    """Once for each path, layer by layer."""
    order, n = [root], 0
    while n < len(order):
        order.extend(engine.operands[order[n]])
        _bounded(order)
        n += 1
    return order


def every_path_at_once(engine: Engine, root: int) -> list[int]:
    """Once for each path, depth-first."""
    order: list[int] = []
    waiting = [root]
    while waiting:
        order.append(waiting.pop())
        _bounded(order)
        waiting.extend(reversed(engine.operands[order[-1]]))
    return order


def never_remembered(engine: Engine, root: int) -> list[int]:
    """Reverse post-order without a record of visited values."""
    order: list[int] = []
    waiting = [(root, False)]
    while waiting:
        value, done = waiting.pop()
        if done:
            order.append(value)
            _bounded(order)
        else:
            waiting.append((value, True))
            waiting.extend((operand, False) for operand in reversed(engine.operands[value]))
    return order[::-1]


def asked_too_early(engine: Engine, root: int) -> list[int]:
    """All operands are tested for visits before any of them is visited, so a value may be listed twice."""
    order: list[int] = []
    seen: set[int] = set()
    waiting = [(root, False)]
    while waiting:
        value, done = waiting.pop()
        if done:
            order.append(value)
            _bounded(order)
        else:
            seen.add(value)
            waiting.append((value, True))
            waiting.extend((operand, False) for operand in reversed(engine.operands[value]) if operand not in seen)
    return order[::-1]


def output_first(engine: Engine, root: int) -> list[int]:
    return [root, *depth_first(engine, root)]


def first_operands(engine: Engine, root: int) -> list[int]:
    """Follows only one operand of each operation; the others count as inputs."""
    order = [root]
    while engine.operands[order[-1]]:
        order.append(engine.operands[order[-1]][0])
    return order


def last_operands(engine: Engine, root: int) -> list[int]:
    order = [root]
    while engine.operands[order[-1]]:
        order.append(engine.operands[order[-1]][-1])
    return order


def unless_one_is_known(engine: Engine, root: int) -> list[int]:
    """A value is not followed further if one of its operands was already reached."""
    for_each: list[int] = []
    entered: set[int] = set()
    waiting = [(root, False)]
    while waiting:
        value, done = waiting.pop()
        if done:
            for_each.append(value)
        elif value not in entered:
            entered.add(value)
            waiting.append((value, True))
            if not any(operand in entered for operand in engine.operands[value]):
                waiting.extend((operand, False) for operand in engine.operands[value])
    return for_each[::-1]


def _bounded(order: list[int]) -> None:
    if len(order) > PATHS:
        raise OverflowError("more paths than anybody would wait for")
