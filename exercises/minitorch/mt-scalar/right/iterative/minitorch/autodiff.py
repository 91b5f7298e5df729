"""A depth-first search with a stack of its own, and sums in a default dictionary."""

from collections import defaultdict, deque
from dataclasses import dataclass
from typing import Any, Iterable, Tuple

from typing_extensions import Protocol


def central_difference(f: Any, *vals: Any, arg: int = 0, epsilon: float = 1e-6) -> Any:
    head, x, tail = vals[:arg], vals[arg], vals[arg + 1 :]
    return (f(*head, x + epsilon, *tail) - f(*head, x - epsilon, *tail)) / 2 / epsilon


class Variable(Protocol):
    pass


def topological_sort(variable: Variable) -> Iterable[Variable]:
    order: deque = deque()
    done: set = set()
    stack = [(variable, False)]
    while stack:
        v, expanded = stack.pop()
        if v.unique_id in done or v.is_constant():
            continue
        if expanded:
            done.add(v.unique_id)
            order.appendleft(v)
        else:
            stack.append((v, True))
            stack.extend((p, False) for p in v.parents)
    return order


def backpropagate(variable: Variable, deriv: Any) -> None:
    table: defaultdict = defaultdict(float)
    table[variable.unique_id] += deriv
    for v in topological_sort(variable):
        if v.is_leaf():
            v.accumulate_derivative(table[v.unique_id])
            continue
        for p, g in v.chain_rule(table[v.unique_id]):
            if not p.is_constant():
                table[p.unique_id] += g


@dataclass
class Context:
    no_grad: bool = False
    saved_values: Tuple[Any, ...] = ()

    def save_for_backward(self, *values: Any) -> None:
        if not self.no_grad:
            self.saved_values = values

    @property
    def saved_tensors(self) -> Tuple[Any, ...]:
        return self.saved_values
