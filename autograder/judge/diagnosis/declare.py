"""What an author may add to `checks.py` so that more wrong answers are explained. All of it is optional.

    forward_of("mul_vjp", lambda x, y: x * y)
    second_order_of("product", lambda name, x, v, constants, how: (f, x, direction), answer=("result",))
    symptom("writes-grad", lambda right, given: given["flags"] is not True)

Names are those of the questions: an entry point, a probe, a Function. Needs no torch: what is declared is run when a
wrong answer is diagnosed, in the judge, and never sees student code.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from autograder.judge.pack import Pack

Split = Callable[..., tuple[Any, tuple[Any, ...]]]


@dataclass(frozen=True)
class Forward:
    """A trusted forward on tensors. `split` turns a question's arguments into the upstream and the forward's inputs."""

    forward: Callable[..., Any]
    split: Split


@dataclass(frozen=True)
class SecondOrder:
    """`build` turns a question's arguments into f, x and the direction, which may depend on x."""

    build: Callable[..., tuple[Callable[[Any], Any], Any, Any]]
    answer: tuple[str | int, ...]


@dataclass(frozen=True)
class Symptom:
    """A fact about a wrong answer that is a misconception in itself. `when` sees the right and the given answer."""

    key: str
    check: str
    when: Callable[[Any, Any], bool]


@dataclass
class Declared:
    forwards: dict[str, Forward] = field(default_factory=dict)
    second_orders: dict[str, SecondOrder] = field(default_factory=dict)
    symptoms: dict[tuple[str, str], Symptom] = field(default_factory=dict)


_declared: dict[str, Declared] = {}


def forward_of(name: str, forward: Callable[..., Any], *, split: Split | None = None, module: str = "") -> None:
    """The forward behind a hand-written VJP or a Function, in primitive steps of torch: `exp` and `sum`, not `softmax`.

    Without `split`, what a question passes by name is passed to the forward."""
    _of(module).forwards[name] = Forward(forward, split or first_is_upstream)


def second_order_of(
    name: str,
    build: Callable[..., tuple[Callable[[Any], Any], Any, Any]],
    *,
    answer: tuple[str | int, ...] = (),
    module: str = "",
) -> None:
    """The function whose Hessian is asked for. `answer` leads to the product in the reply."""
    _of(module).second_orders[name] = SecondOrder(build, answer)


def symptom(key: str, when: Callable[[Any, Any], bool], *, check: str = "", module: str = "") -> None:
    """In this check (in any, if none is named), an answer for which `when(right, given)` holds on every seed is this
    misconception."""
    _of(module).symptoms[key, check] = Symptom(key, check, when)


def declared(pack: Pack) -> Declared:
    return _declared.get(module_of(pack), Declared())


def module_of(pack: Pack) -> str:
    """The checks file that an exercise was loaded from."""
    return pack.checks[0].run.__module__


def first_is_upstream(g: Any, *inputs: Any) -> tuple[Any, tuple[Any, ...]]:
    return g, inputs


def _of(module: str) -> Declared:
    return _declared.setdefault(module or sys._getframe(2).f_globals["__name__"], Declared())
