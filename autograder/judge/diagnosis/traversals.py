"""The values of a program and the ways back from its output: the right ones, and those that people try."""

from dataclasses import dataclass, field


@dataclass
class Engine:
    """The values of one program: operation, operands (numbers of values), data and gradient. Constants are values too."""

    operations: list[str] = field(default_factory=list)
    operands: list[tuple[int, ...]] = field(default_factory=list)
    data: list[float] = field(default_factory=list)
    grad: list[float] = field(default_factory=list)
    slots: list[int] = field(default_factory=list)

    def add(self, operation: str, operands: tuple[int, ...], value: float) -> int:
        self.operations.append(operation)
        self.operands.append(operands)
        self.data.append(value)
        self.grad.append(0.0)
        return len(self.data) - 1


def depth_first(engine: Engine, root: int) -> list[int]:
    """Reversed post-order, as most engines have it."""
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
            waiting.extend((operand, False) for operand in reversed(engine.operands[value]))
    return order[::-1]


def newest_first(engine: Engine, root: int) -> list[int]:
    reached = set(depth_first(engine, root))
    return [value for value in range(root, -1, -1) if value in reached]


def breadth_first(engine: Engine, root: int) -> list[int]:
    order, n = [root], 0
    while n < len(order):
        order.extend(o for o in dict.fromkeys(engine.operands[order[n]]) if o not in order)
        n += 1
    return order


def pre_order(engine: Engine, root: int) -> list[int]:
    order: list[int] = []
    waiting = [root]
    while waiting:
        value = waiting.pop()
        if value not in order:
            order.append(value)
            waiting.extend(reversed(engine.operands[value]))
    return order


def every_path(engine: Engine, root: int) -> list[int]:
    order, n = [root], 0
    while n < len(order) and len(order) < 5000:
        order.extend(engine.operands[order[n]])
        n += 1
    return order
