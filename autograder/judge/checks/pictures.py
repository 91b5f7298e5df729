"""Lets a check declare the torch graph to draw below its result.

    picture = show_backward("td_loss", lambda: Reference([loss], {"v": v}, [upstream]))
    answer = student.run(...)
    picture.answered({"v": answer.grads[0]})

`build` creates the judge's own tensors. It is called after the verdict, when the picture is made, and never sees student
code. A picture is declared before the question, so that it exists even without an answer, and again with the answer.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

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
class Backward:
    """A backward pass. The answer maps leaves to gradients; leaves that it does not name are not compared."""

    what: str
    build: Callable[[], Reference]
    tolerance: Tolerance = TENSOR
    answer: Mapping[str, Any] | None = None

    def answered(self, grads: Mapping[str, Any]) -> None:
        record_subject(replace(self, answer=grads))


@dataclass(frozen=True)
class Ordered:
    """A list of the functions of a graph, as node numbers."""

    what: str
    build: Callable[[], Reference]
    answer: Sequence[int] | None = None

    def answered(self, order: Sequence[int]) -> None:
        record_subject(replace(self, answer=order))


@dataclass(frozen=True)
class Counted:
    """The number of paths from the output to each leaf."""

    what: str
    build: Callable[[], Reference]
    answer: Mapping[str, Any] | None = None

    def answered(self, counts: Mapping[str, Any]) -> None:
        record_subject(replace(self, answer=counts))


Picture = Backward | Ordered | Counted


def show_backward(what: str, build: Callable[[], Reference], tolerance: Tolerance = TENSOR) -> Backward:
    picture = Backward(what, build, tolerance)
    record_subject(picture)
    return picture


def show_order(what: str, build: Callable[[], Reference]) -> Ordered:
    picture = Ordered(what, build)
    record_subject(picture)
    return picture


def show_paths(what: str, build: Callable[[], Reference]) -> Counted:
    picture = Counted(what, build)
    record_subject(picture)
    return picture
