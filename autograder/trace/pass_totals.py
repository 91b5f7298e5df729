"""Summarises a recorded pass: which contributions add up, which gradients are wrong, and which writes were recorded."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from autograder.judge.checks.engine import Compared
from autograder.trace.program_graph import ProgramGraph, near
from autograder.trace.steps import Step
from sandbox.guest.operations.trace import Pass


@dataclass(frozen=True)
class PassContext:
    """What a pass is compared with. `before` and `after` are the true gradients; `wrong` says whether the program fails."""

    compared: Compared
    graph: ProgramGraph
    recorded: Pass
    before: list[float]
    after: list[float]
    wrong: bool

    @cached_property
    def adjoints(self) -> list[float]:
        return self.compared.program.adjoints(self.recorded.root, self.graph.data)

    @cached_property
    def below(self) -> set[int]:
        return self.graph.below(self.recorded.root)

    @cached_property
    def differing(self) -> list[int]:
        """The slots whose gradient is compared and wrong after this pass."""
        given = self.recorded.after
        return [n for n in range(len(given)) if self.compared.is_compared(n) and not alike(given[n], self.after[n])]

    def upset_before(self) -> list[int]:
        """The slots whose gradient is compared and wrong when the pass begins."""
        before = enumerate(self.recorded.before)
        return [n for n, held in before if self.compared.is_compared(n) and not alike(held, self.before[n])]

    def start(self) -> dict[int, float]:
        """The gradients that a right engine holds when the pass begins. Gradients that are not compared should be 0."""
        start = dict(enumerate(self.before))
        for number, held in enumerate(self.recorded.before):
            if not self.compared.is_compared(number):
                start[number] = 0.0 if self.wrong or held is None else held
        return start

    def true_part(self, edge: int) -> float:
        return self.adjoints[self.graph.edges[edge].consumer] * self.graph.slopes[edge]

    def consumers(self, number: int) -> list[int]:
        return [c for c in self.graph.consumers.get(number, []) if c in self.below]


def alike(given: float | None, truth: float, scale: float = 0.0) -> bool:
    return given is not None and near(given, truth, scale)


class PassTotals:
    """Totals over all steps of a pass, computed once so that a query takes constant time."""

    def __init__(self, context: PassContext, steps: Sequence[Step]) -> None:
        self.context, self.steps = context, steps
        self.written = {step.target for step in steps if step.kind == "write"}
        self.ever = {edge for step in steps for edge in step.edges}  # edges along which something was propagated
        self.channels: dict[tuple[int, int], list[Step]] = defaultdict(list)
        for step in steps:
            if step.kind == "send":
                self.channels[step.sender, step.target].append(step)
        self._right = {channel: self._is_right(*channel) for channel in self.channels}
        self._targets: dict[int, list[int]] = defaultdict(list)
        for sender, target in self.channels:
            self._targets[sender].append(target)
        self._written_last = {step.target: step.now for step in steps}
        self._harmed: dict[int, bool] = {}

    def _is_right(self, sender: int, target: int) -> bool:
        """Whether the contributions from one value to another add up to the true one."""
        steps = self.channels[sender, target]
        parts = [step.contribution for step in steps]
        truth = sum(self.context.true_part(edge) for edge in self.context.graph.between[sender, target])
        scale = max((step.scale for step in steps), default=0.0)
        return None not in parts and near(sum(part for part in parts if part is not None), truth, scale)

    def sends_right(self, sender: int) -> bool:
        return all(self._right[sender, target] for target in self._targets.get(sender, ()))

    def suspect(self, step: Step) -> bool:
        return self.harmed(step.target) and not self._right[step.sender, step.target]

    def harmed(self, target: int) -> bool:
        """Whether a value's gradient is wrong after the pass, or was wrong when the value propagated it."""
        if target not in self._harmed:
            self._harmed[target] = self._is_harmed(target)
        return self._harmed[target]

    def _is_harmed(self, target: int) -> bool:
        if not self.context.wrong:
            return False
        if target in self.context.differing:
            return True
        sent = [(target, t) for t in self._targets.get(target, ()) if not self._right[target, t]]
        upstreams = [step.upstream for channel in sent for step in self.channels[channel]]
        return any(u is not None and not near(u, self.context.adjoints[target]) for u in upstreams)

    def seen(self, target: int) -> bool:
        """Whether the recorded writes account for the final gradient of a value."""
        last = self._written_last.get(target, self.context.recorded.before[target])
        after = self.context.recorded.after[target]
        return last is not None and alike(after, last)
