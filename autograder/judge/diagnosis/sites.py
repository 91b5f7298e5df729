"""Selects where a rule of an engine is changed, and changes contributions there."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from autograder.judge.diagnosis.rules import Send, slopes
from autograder.judge.diagnosis.traversals import Engine, depth_first, newest_first, right_first

Contribution = Callable[[Engine, int, int, float], float]  # engine, value, position, true local derivative
Join = Callable[[float, float], float]  # the current gradient, the contribution
BINARY = frozenset("+-*/")
TOPOLOGICAL = (depth_first, newest_first, right_first)


@dataclass(frozen=True)
class Sites:
    """Where a rule is changed: the operations, and the uses of them."""

    operations: frozenset[str]
    use: str = ""  # "", "number first", "with a number", "two values", "same operand"

    def has(self, engine: Engine, value: int) -> bool:
        if engine.operations[value] not in self.operations:
            return False
        operands = engine.operands[value]
        if self.use == "" or len(operands) != 2:
            return self.use == ""
        if self.use == "same operand":
            return operands[0] == operands[1]
        numbers = [engine.operations[operand] == "number" for operand in operands]
        return {"number first": numbers[0], "with a number": any(numbers), "two values": not any(numbers)}[self.use]

    @property
    def words(self) -> str:
        return " and ".join(sorted(self.operations)) + (f" ({self.use})" if self.use else "")


def _add(there: float, sent: float) -> float:
    return there + sent


def changed(sites: Sites, positions: Collection[int], contribution: Contribution, join: Join = _add) -> Send:
    """A rule that changes the contributions to some operands of some operations, or how they are combined."""

    def send(engine: Engine, value: int) -> None:
        mine = sites.has(engine, value)
        for n, (operand, slope) in enumerate(zip(engine.operands[value], slopes(engine, value), strict=False)):
            if mine and n in positions:
                engine.grad[operand] = join(engine.grad[operand], contribution(engine, value, n, slope))
            else:
                engine.grad[operand] += slope * engine.grad[value]

    return send


def right(e: Engine, v: int, n: int, s: float) -> float:
    return s * e.grad[v]
