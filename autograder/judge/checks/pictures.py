"""Lets a check declare the torch graph to draw below its result.

    picture = show_backward("td_loss", lambda: Reference([loss], {"v": v}, [upstream]))
    answer = student.run(...)
    picture.answered({"v": answer.grads[0]})

`build` creates the judge's own tensors. It is called after the verdict, when the picture is made, and never sees student
code. A picture is declared before the question, so that it exists even without an answer, and again with the answer.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from autograder.judge.checks.compare import TENSOR, Tolerance
from autograder.judge.checks.recording import record_subject

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Reference:
    """The judge's own outputs, their leaves by name, and an upstream gradient for each output."""

    outputs: "Sequence[torch.Tensor]"
    leaves: "Mapping[str, torch.Tensor]"
    upstreams: "Sequence[torch.Tensor] | None" = None


@dataclass(frozen=True)
class _Picture:
    """A graph to draw, with the student's answer if there is one."""

    what: str
    build: Callable[[], Reference]
    answer: Any = None

    def declared(self) -> Self:
        record_subject(self)
        return self

    def answered(self, answer: Any) -> None:
        replace(self, answer=answer).declared()


@dataclass(frozen=True)
class Backward(_Picture):
    """A backward pass. The answer maps leaves to gradients; leaves that it does not name are not compared."""

    tolerance: Tolerance = TENSOR


class Ordered(_Picture):
    """A list of the functions of a graph. The answer is a sequence of node numbers."""


class Counted(_Picture):
    """The number of paths from the output to each leaf. The answer maps leaves to numbers."""


Picture = Backward | Ordered | Counted


def show_backward(what: str, build: Callable[[], Reference], tolerance: Tolerance = TENSOR) -> Backward:
    return Backward(what, build, tolerance=tolerance).declared()


def show_order(what: str, build: Callable[[], Reference]) -> Ordered:
    return Ordered(what, build).declared()


def show_paths(what: str, build: Callable[[], Reference]) -> Counted:
    return Counted(what, build).declared()
