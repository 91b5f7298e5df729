"""Kahn's algorithm with counts of waiting consumers, listed by a generator. The step is half as wide."""

from collections import deque
from dataclasses import dataclass
from typing import Any, Iterable, List, Tuple

from typing_extensions import Protocol


def central_difference(f: Any, *vals: Any, arg: int = 0, epsilon: float = 1e-6) -> Any:
    def shifted(by):
        return f(*(v + by if i == arg else v for i, v in enumerate(vals)))

    return (shifted(epsilon / 2) - shifted(-epsilon / 2)) / epsilon


variable_count = 1


class Variable(Protocol):
    def is_leaf(self) -> bool:
        pass


def topological_sort(variable: Variable) -> Iterable[Variable]:
    waiting = {variable.unique_id: 0}
    found = deque([variable])
    while found:
        for p in found.popleft().parents:
            if p.is_constant():
                continue
            if p.unique_id not in waiting:
                waiting[p.unique_id] = 0
                found.append(p)
            waiting[p.unique_id] += 1
    ready = [variable]
    while ready:
        v = ready.pop()
        yield v
        for p in v.parents:
            if p.is_constant():
                continue
            waiting[p.unique_id] -= 1
            if waiting[p.unique_id] == 0:
                ready.append(p)


def backpropagate(variable: Variable, deriv: Any) -> None:
    sums: dict = {variable.unique_id: [deriv]}
    for v in topological_sort(variable):
        d = sum(sums.pop(v.unique_id))
        if v.is_leaf():
            v.accumulate_derivative(d)
        else:
            for p, g in v.chain_rule(d):
                sums.setdefault(p.unique_id, []).append(g)


@dataclass
class Context:
    no_grad: bool = False
    saved_values: Tuple[Any, ...] = ()

    def save_for_backward(self, *values: Any) -> None:
        if self.no_grad:
            return
        self.saved_values = values

    @property
    def saved_tensors(self) -> Tuple[Any, ...]:
        return self.saved_values
