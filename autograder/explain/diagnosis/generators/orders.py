"""The right and wrong orders in which a backward pass can visit the values of a program or the nodes of a graph."""

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Protocol

MAX_VISITS = 20_000  # of values, where each is visited once for each path


class Operands(Protocol):
    """The operands of every value: the nodes below each node."""

    @property
    def operands(self) -> Sequence[Sequence[int]]: ...


class OperandsAndData(Operands, Protocol):
    @property
    def data(self) -> Sequence[float]: ...


# -- right orders --------------------------------------------------------------------------------------------------------


def depth_first(graph: Operands, root: int, right_first: bool = False) -> list[int]:
    """Reverse post-order, the usual choice."""
    order: list[int] = []
    seen: set[int] = set()
    waiting = [(root, False)]
    while waiting:
        value, done = waiting.pop()
        if done:
            order.append(value)
        elif value not in seen:
            seen.add(value)
            waiting.append((value, True))
            waiting.extend((operand, False) for operand in _stacked(graph, value, right_first))
    return order[::-1]


def right_first(graph: Operands, root: int) -> list[int]:
    return depth_first(graph, root, right_first=True)


def newest_first(graph: Operands, root: int) -> list[int]:
    reached = set(depth_first(graph, root))
    return [value for value in range(root, -1, -1) if value in reached]


def when_counted(graph: Operands, root: int) -> list[int]:
    """A value follows after the last of its uses."""
    return counted(graph, root)


def _stacked(graph: Operands, value: int, right_first: bool) -> Iterable[int]:
    """Operands in the order in which they are pushed to a stack."""
    operands = graph.operands[value]
    return operands if right_first else reversed(operands)


# -- by layers -----------------------------------------------------------------------------------------------------------


def breadth_first(graph: Operands, root: int) -> list[int]:
    order = {root: None}
    queue = [root]
    for value in queue:
        new = [operand for operand in dict.fromkeys(graph.operands[value]) if operand not in order]
        order.update(dict.fromkeys(new))
        queue += new
    return queue


def moved_to_the_end(graph: Operands, root: int) -> list[int]:
    """Breadth-first; a value that is reached again moves to the end, but the values below it stay."""
    order, queue = {root: None}, [root]
    for value in queue:
        for operand in graph.operands[value]:
            if operand in order:
                del order[operand]
            else:
                queue.append(operand)
            order[operand] = None
    return list(order)


# -- depth first with a mistake ------------------------------------------------------------------------------------------


def pre_order(graph: Operands, root: int, right_first: bool = False) -> list[int]:
    order: dict[int, None] = {}
    waiting = [root]
    while waiting:
        value = waiting.pop()
        if value not in order:
            order[value] = None
            waiting.extend(_stacked(graph, value, right_first))
    return list(order)


def as_found(graph: Operands, root: int, right_first: bool = True) -> list[int]:
    """In the order in which values are popped from a stack; values are marked as seen when they are pushed."""
    order: list[int] = []
    seen, waiting = {root}, [root]
    while waiting:
        order.append(waiting.pop())
        for operand in _stacked(graph, order[-1], right_first):
            if operand not in seen:
                seen.add(operand)
                waiting.append(operand)
    return order


def marked_early(graph: Operands, root: int, right_first: bool = True) -> list[int]:
    """Depth-first with a stack; values are marked as seen when they are pushed."""
    seen = {root}

    def enter(value: int) -> list[int]:
        new = [operand for operand in dict.fromkeys(_stacked(graph, value, right_first)) if operand not in seen]
        seen.update(new)
        return new

    return _post_order(root, enter)


def never_remembered(graph: Operands, root: int) -> list[int]:
    """Reverse post-order without a record of visited values."""
    return _post_order(root, lambda value: graph.operands[value][::-1], MAX_VISITS)


def asked_too_early(graph: Operands, root: int) -> list[int]:
    """All operands are tested for visits before any of them is visited, so a value may be listed twice."""
    seen: set[int] = set()

    def enter(value: int) -> list[int]:
        seen.add(value)
        return [operand for operand in reversed(graph.operands[value]) if operand not in seen]

    return _post_order(root, enter, MAX_VISITS)


def unless_one_is_known(graph: Operands, root: int) -> list[int]:
    """A value is not followed further if one of its operands was already reached."""
    entered: set[int] = set()

    def enter(value: int) -> Sequence[int] | None:
        if value in entered:
            return None
        entered.add(value)
        operands = graph.operands[value]
        return () if any(operand in entered for operand in operands) else operands

    return _post_order(root, enter)


def confusing(identity: Callable[[OperandsAndData, int], Hashable]) -> Callable[[OperandsAndData, int], list[int]]:
    """Depth-first order in which values with equal identity count as one."""

    def order(graph: OperandsAndData, root: int) -> list[int]:
        seen: set[Hashable] = set()

        def enter(value: int) -> Sequence[int] | None:
            known = identity(graph, value)
            if known in seen:
                return None
            seen.add(known)
            return graph.operands[value][::-1]

        return _post_order(root, enter)

    return order


def by_data(graph: OperandsAndData, value: int) -> Hashable:
    return graph.data[value]


def by_data_and_operands(graph: OperandsAndData, value: int) -> Hashable:
    return graph.data[value], tuple(graph.data[n] for n in graph.operands[value])


def by_data_and_kind(graph: OperandsAndData, value: int) -> Hashable:
    return round(graph.data[value], 12), len(graph.operands[value])


def _post_order(root: int, enter: Callable[[int], Iterable[int] | None], limit: float = float("inf")) -> list[int]:
    """Reverse post-order. `enter` is called for every visit and returns what to visit next, or None to skip the value."""
    order: list[int] = []
    waiting = [(root, False)]
    while waiting:
        value, done = waiting.pop()
        if done:
            order.append(value)
            _limited(order, limit)
        elif (following := enter(value)) is not None:
            waiting.append((value, True))
            waiting.extend((operand, False) for operand in following)
    return order[::-1]


# -- too often, too few --------------------------------------------------------------------------------------------------


def every_path(graph: Operands, root: int) -> list[int]:
    """Once for each path, layer by layer."""
    order = [root]
    for value in order:
        order.extend(graph.operands[value])
        _limited(order)
    return order


def every_path_at_once(graph: Operands, root: int) -> list[int]:
    """Once for each path, depth-first."""
    order: list[int] = []
    waiting = [root]
    while waiting:
        order.append(waiting.pop())
        _limited(order)
        waiting.extend(reversed(graph.operands[order[-1]]))
    return order


def output_first(graph: Operands, root: int) -> list[int]:
    return [root, *depth_first(graph, root)]


def only_operand(graph: Operands, root: int, n: int) -> list[int]:
    """Follows only one operand of each operation; the others count as inputs."""
    order = [root]
    while graph.operands[order[-1]]:
        order.append(graph.operands[order[-1]][n])
    return order


def _limited(order: list[int], limit: float = MAX_VISITS) -> None:
    if len(order) > limit:
        raise OverflowError("more visits than any submission would finish")


# -- by counting uses ----------------------------------------------------------------------------------------------------


def counted(
    graph: Operands,
    root: int,
    *,
    counted_once: bool = False,
    taken_off_once: bool = False,
    elsewhere: bool = False,
    first_in: bool = False,
    backwards: bool = False,
) -> list[int]:
    """A value follows when its count of remaining uses is 0.

    An operation that uses a value twice may be counted once or decrease the count once, so the value follows too early or
    never. With `elsewhere`, operations count that the output does not depend on.
    """
    users = range(len(graph.operands)) if elsewhere else depth_first(graph, root)
    waits = Counter(operand for value in users for operand in _uses(graph, value, counted_once))
    order: list[int] = []
    ready = deque([root])
    while ready:
        order.append(ready.popleft() if first_in else ready.pop())
        for operand in _uses(graph, order[-1], taken_off_once, backwards):
            waits[operand] -= 1
            if waits[operand] == 0:
                ready.append(operand)
    return order


def _uses(graph: Operands, value: int, once: bool, backwards: bool = False) -> Iterable[int]:
    operands = graph.operands[value][::-1] if backwards else graph.operands[value]
    return dict.fromkeys(operands) if once else operands
