"""What an author may add to `checks.py` so that more wrong answers are explained. All of it is optional.

    forward_of("mul_vjp", lambda x, y: x * y)
    second_order_of("product", lambda name, x, v, constants, how: (f, x, direction), answer=("result",))
    graph_of("ordered", lambda program: Asked(of_tensor(run(program))), answer=("order",))
    reads_as("pulled", lambda given, *arguments: {**given, "grads": [...]})
    symptom("writes-grad", lambda right, given: given["flags"] is not True)

Names are those of the questions: an entry point, a probe, a Function. Needs no torch: what is declared is run when a
wrong answer is diagnosed, in the judge, and never sees student code.
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
    """A trusted forward on tensors. `split` turns a question's arguments into the upstream and the forward's inputs."""

    forward: Callable[..., Any]
    split: Split


@dataclass(frozen=True)
class SecondOrder:
    """`build` turns a question's arguments into f, x and the direction, which may depend on x."""

    build: Callable[..., tuple[Callable[[Any], Any], Any, Any]]
    answer: tuple[str | int, ...]


@dataclass(frozen=True)
class Asked:
    """The graph that a question is about. Without `leaves` an order of its nodes was asked for, numbered as in the graph;
    with them, the paths to each of these leaves. `itself` is the leaf that the question begins at, when it has no graph;
    `alike` puts leaves into classes that somebody might take for one: of equal numbers, of the same memory."""

    graph: "Graph"
    leaves: Sequence[str] | None = None
    itself: str | None = None
    alike: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class GraphQuestion:
    """`build` turns a question's arguments into the graph; `answer` leads to the list in the reply."""

    build: Callable[..., Asked]
    answer: tuple[str | int, ...]


@dataclass(frozen=True)
class Symptom:
    """A fact about a wrong answer that is a misconception in itself. `when` sees the right and the given answer."""

    key: str
    check: str
    when: Callable[[Any, Any], bool]
    raised: bool = False  # an exception is seen, too, as the given answer


@dataclass
class Declared:
    forwards: dict[str, Forward] = field(default_factory=dict)
    second_orders: dict[str, SecondOrder] = field(default_factory=dict)
    graphs: dict[str, GraphQuestion] = field(default_factory=dict)
    readings: dict[str, Callable[..., Any]] = field(default_factory=dict)
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


def graph_of(name: str, build: Callable[..., Asked], *, answer: tuple[str | int, ...] = (), module: str = "") -> None:
    """The judge's own graph behind a question whose answer is an order of its nodes, or counts of paths to leaves."""
    _of(module).graphs[name] = GraphQuestion(build, answer)


def reads_as(name: str, reading: Callable[..., Any], *, module: str = "") -> None:
    """Where answers to a question may differ and mean the same: `reading` turns an answer and the question's arguments into
    what is compared. The right answer is read in the same way, and symptoms see both as they are read."""
    _of(module).readings[name] = reading


def symptom(key: str, when: Callable[[Any, Any], bool], *, check: str = "", raised: bool = False, module: str = "") -> None:
    """In this check (in any, if none is named), an answer for which `when(right, given)` holds on every seed is this
    misconception. With `raised`, what is given may also be an exception, with its `type_name` and `message`."""
    _of(module).symptoms[key, check] = Symptom(key, check, when, raised)


def raises(*words: str, type_name: str = "") -> Callable[[Any, Any], bool]:
    """A `when` for an exception of this type whose message has one of these words, for a symptom with `raised`."""

    def when(_: Any, given: Any) -> bool:
        message = getattr(given, "message", None)
        if message is None or (type_name and given.type_name.rpartition(".")[2] != type_name):
            return False
        return not words or any(word in message for word in words)

    return when


# of an engine whose operators do not take a plain number on either side
refuses_numbers = raises("'int' object has no attribute", "'float' object has no attribute", "unsupported operand type")


def declared(pack: Pack) -> Declared:
    return _declared.get(module_of(pack), Declared())


def module_of(pack: Pack) -> str:
    """The checks file that an exercise was loaded from."""
    return pack.checks[0].run.__module__


def first_is_upstream(g: Any, *inputs: Any) -> tuple[Any, tuple[Any, ...]]:
    return g, inputs


def _of(module: str) -> Declared:
    return _declared.setdefault(module or sys._getframe(2).f_globals["__name__"], Declared())
