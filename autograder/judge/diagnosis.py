"""Declarations that an author may add to `checks.py` so that more wrong answers are explained.

    forward_of("mul_vjp", lambda x, y: x * y)
    second_order_of("product", lambda name, x, v, constants, how: (f, x, direction), answer=("result",))
    graph_of("ordered", lambda program: Asked(of_tensor(run(program))), answer=("order",))
    reads_as("pulled", lambda given, *arguments: {**given, "grads": [...]})
    symptom("writes-grad", lambda right, given: given["flags"] is not True)

The names are those of the questions: an entry point, a probe, a Function. Declarations need no torch. They are evaluated in
the judge when a wrong answer is diagnosed, and never see student code.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from autograder.judge.pack import Pack

if TYPE_CHECKING:
    from autograder.judge.checks.graphs import Graph

Split = Callable[..., tuple[Any, tuple[Any, ...]]]


@dataclass(frozen=True)
class Forward:
    """A trusted forward function on tensors. `split` separates a question's arguments into upstream gradients and inputs."""

    forward: Callable[..., Any]
    split: Split


@dataclass(frozen=True)
class SecondOrder:
    """`build` turns a question's arguments into f, x and the direction, which may depend on x."""

    build: Callable[..., tuple[Callable[[Any], Any], Any, Any]]
    answer: tuple[str | int, ...]


@dataclass(frozen=True)
class Asked:
    """The graph that a question is about. Without `leaves`, the answer is an order of its nodes, with the numbers of the
    graph; with `leaves`, it is the number of paths to each of them. `itself` is the leaf at which a question without a graph
    starts. `alike` groups leaves that could be confused because of equal numbers or shared memory."""

    graph: "Graph"
    leaves: Sequence[str] | None = None
    itself: str | None = None
    alike: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class GraphQuestion:
    """`build` turns a question's arguments into the graph; `answer` is the path to the list in the reply."""

    build: Callable[..., Asked]
    answer: tuple[str | int, ...]


@dataclass(frozen=True)
class Symptom:
    """A property of a wrong answer that identifies a misconception. `when` receives the right and the given answer."""

    key: str
    check: str
    when: Callable[[Any, Any], bool]
    raised: bool = False  # whether `when` also receives exceptions as the given answer


@dataclass
class Declared:
    forwards: dict[str, Forward] = field(default_factory=dict)
    second_orders: dict[str, SecondOrder] = field(default_factory=dict)
    graphs: dict[str, GraphQuestion] = field(default_factory=dict)
    readings: dict[str, Callable[..., Any]] = field(default_factory=dict)
    symptoms: dict[tuple[str, str], Symptom] = field(default_factory=dict)


_declared: dict[str, Declared] = {}


def forward_of(name: str, forward: Callable[..., Any], *, split: Split | None = None, module: str = "") -> None:
    """Declares the forward function of a hand-written VJP or a Function, in primitive torch operations: `exp` and `sum`, not
    `softmax`.

    Without `split`, the keyword arguments of a question are passed to the forward function.
    """
    _of(module).forwards[name] = Forward(forward, split or first_is_upstream)


def second_order_of(
    name: str,
    build: Callable[..., tuple[Callable[[Any], Any], Any, Any]],
    *,
    answer: tuple[str | int, ...] = (),
    module: str = "",
) -> None:
    """Declares the function whose Hessian is used. `answer` is the path to the product in the reply."""
    _of(module).second_orders[name] = SecondOrder(build, answer)


def graph_of(name: str, build: Callable[..., Asked], *, answer: tuple[str | int, ...] = (), module: str = "") -> None:
    """Declares the judge's own graph for a question whose answer is an order of its nodes, or path counts of leaves."""
    _of(module).graphs[name] = GraphQuestion(build, answer)


def reads_as(name: str, reading: Callable[..., Any], *, module: str = "") -> None:
    """Declares how to normalise answers that may differ and mean the same. `reading` turns an answer and the question's
    arguments into the value to compare. It is applied to right answers too, and symptoms receive normalised answers."""
    _of(module).readings[name] = reading


def symptom(key: str, when: Callable[[Any, Any], bool], *, check: str = "", raised: bool = False, module: str = "") -> None:
    """Declares that an answer of this check (of any check by default) shows this misconception if `when(right, given)` holds
    with every seed. With `raised`, the given answer may also be an exception, with its `type_name` and `message`."""
    _of(module).symptoms[key, check] = Symptom(key, check, when, raised)


def raises(*words: str, type_name: str = "") -> Callable[[Any, Any], bool]:
    """A `when` for a symptom with `raised`: an exception of this type whose message contains one of these words."""

    def when(_: Any, given: Any) -> bool:
        message = getattr(given, "message", None)
        if message is None or (type_name and given.type_name.rpartition(".")[2] != type_name):
            return False
        return not words or any(word in message for word in words)

    return when


# exceptions of an engine whose operators do not accept a plain number on either side
refuses_numbers = raises("'int' object has no attribute", "'float' object has no attribute", "unsupported operand type")


def declared(pack: Pack) -> Declared:
    return _declared.get(module_of(pack), Declared())


def module_of(pack: Pack) -> str:
    """The checks module from which an exercise was loaded."""
    return pack.checks[0].run.__module__


def first_is_upstream(g: Any, *inputs: Any) -> tuple[Any, tuple[Any, ...]]:
    return g, inputs


def _of(module: str) -> Declared:
    return _declared.setdefault(module or sys._getframe(2).f_globals["__name__"], Declared())
