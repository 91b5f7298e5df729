"""Infers from the recorded reads and writes of a pass which value propagated which contribution to which operand.

A write says which value changed, but not why. Its sender is a consumer whose gradient was read by a function that is still
running, or a consumer that such a function holds in a variable. If there are several candidates, the recorded whose numbers fit
is chosen. If there is none, the write has no sender and nothing is claimed about it.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from autograder.trace.program_graph import ProgramGraph, near
from sandbox.guest.operations.trace import Pass, Touch

OWN_READ_WITHIN = 6
READS_LOOKED_AT = 40
StepKind = Literal["seed", "send", "write", "reset"]


@dataclass(frozen=True)
class Step:
    """One write to a gradient. `base` is the value that was read just before; None means that the write overwrites.

    A send goes along `edges`, which has several entries if it covers all edges between the two values at once, and none if
    all of them were used before. `part` marks recorded of several sends that are right in sum, `mean` recorded that is averaged with
    the old value.
    """

    kind: StepKind
    target: int
    line: int
    old: float | None
    now: float | None
    base: float | None = None
    adds: bool = False
    sender: int = -1
    upstream: float | None = None
    edges: tuple[int, ...] = ()
    part: bool = False
    mean: bool = False

    @property
    def contribution(self) -> float | None:
        if self.now is None or (self.adds and self.base is None):
            return None
        if self.mean:
            return 2 * self.now - (self.base or 0.0)
        return self.now - (self.base or 0.0) if self.adds else self.now

    @property
    def scale(self) -> float:
        """The magnitude of the numbers whose difference is the contribution."""
        return max(abs(self.now or 0.0), abs(self.base or 0.0))


@dataclass
class _Read:
    which: int
    value: float | None
    frame: int
    place: int
    own: bool = False


@dataclass(frozen=True)
class _Candidate:
    sender: int
    upstream: float | None
    near: bool
    fits: bool


class StepReader:
    """Turns the recorded touches of one pass into steps."""

    def __init__(self, graph: ProgramGraph, recorded: Pass, makers: Sequence[int]) -> None:
        self._graph, self._pass, self._makers = graph, recorded, makers
        self._count = len(recorded.before)
        self._below = graph.below(recorded.root)
        self._reads: list[_Read] = []
        self._now = dict(enumerate(recorded.before))
        self._steps: list[Step] = []
        self._root_is_set = False  # by a step other than a reset
        self._others_send = False  # some other value sent, or a gradient was written

    def steps(self) -> list[Step]:
        for place, touch in enumerate(self._pass.touches):
            frame = touch.frames[0] if touch.frames else -1
            if not touch.written:
                self._reads.append(_Read(touch.which, touch.value, frame, place))
                continue
            own = self._own_read(touch, frame, place)
            if own is not None:
                own.own = True
            if touch.which < self._count:
                if (step := self._step(touch, own)) is not None:
                    self._keep(step)
                self._now[touch.which] = touch.value
        return along_edges(self._without_ledgers(), self._graph, self._pass.root)

    def _keep(self, step: Step) -> None:
        self._steps.append(step)
        root = self._pass.root
        self._root_is_set |= step.target == root and step.kind != "reset"
        self._others_send |= step.sender != root and step.kind not in ("seed", "reset")

    def _own_read(self, touch: Touch, frame: int, place: int) -> _Read | None:
        for read in reversed(self._reads[-OWN_READ_WITHIN:]):
            if place - read.place > OWN_READ_WITHIN:
                return None
            if read.which == touch.which and read.frame == frame and not read.own:
                return read
        return None

    def _step(self, touch: Touch, own: _Read | None) -> Step | None:
        target = touch.which
        step = Step("write", target, touch.line, touch.old, touch.value)
        if own is not None:
            step = replace(step, adds=True, base=own.value)
        if target == self._pass.root and touch.value != 0 and not self._root_is_set:
            return replace(step, kind="seed")
        found = self._sender(touch, step)
        if touch.value == 0 and (found is None or (own is None and not found.fits)):
            return replace(step, kind="reset") if touch.old else None
        if found is None or not self._may_send(found):
            return step
        step = replace(step, kind="send", sender=found.sender, upstream=found.upstream)
        halved = replace(step, mean=True)
        averages = not found.fits and step.base and found.upstream is not None
        return halved if averages and self._fits(halved, found.sender, found.upstream or 0.0) else step

    def _may_send(self, found: _Candidate) -> bool:
        """The output may be in a variable during the whole pass, so without a read it can send only at the beginning."""
        root = self._pass.root
        if found.upstream is not None or found.sender != root:
            return True
        return not self._others_send

    def _sender(self, touch: Touch, step: Step) -> _Candidate | None:
        found: dict[int, _Candidate] = {}
        for which, upstream in self._possible(touch):
            sender = self._group(which)
            if sender not in self._below or (sender, touch.which) not in self._graph.between:
                continue
            if which >= self._count and upstream is not None:
                upstream = self._now.get(sender)  # use the gradient of the operation that made this inner value
            if sender not in found or found[sender].upstream is None:
                fits = upstream is not None and self._fits(step, sender, upstream)
                found[sender] = _Candidate(sender, upstream, which in touch.near, fits)
        order = sorted(found.values(), key=lambda c: (not c.fits, not c.near, c.sender == self._pass.root))
        return order[0] if order else None

    def _possible(self, touch: Touch) -> list[tuple[int, float | None]]:
        """Values whose gradient was read by a function that is still running, latest first; then values in variables."""
        read = [
            (read.which, read.value)
            for read in reversed(self._reads[-READS_LOOKED_AT:])
            if read.frame in touch.frames and read.which != touch.which and not read.own
        ]
        return [*read, *((which, None) for which in touch.near if which != touch.which)]

    def _group(self, which: int) -> int:
        """The slot of a value; for an inner value, the slot of the operation that created it."""
        if which < self._count:
            return which
        place = which - self._count
        return self._makers[place] if place < len(self._makers) else -1

    def _fits(self, step: Step, sender: int, upstream: float) -> bool:
        contribution = step.contribution
        if contribution is None:
            return False
        slopes = [self._graph.given_slopes[edge] for edge in self._graph.between[sender, step.target]]
        return any(near(contribution, upstream * slope, step.scale) for slope in (*slopes, sum(slopes)))

    def _without_ledgers(self) -> list[Step]:
        """Turns sends into plain writes for engines that accumulate elsewhere and write every gradient once."""
        writes: dict[int, int] = defaultdict(int)
        for step in self._steps:
            writes[step.target] += step.kind == "send"
        adds = any(step.adds for step in self._steps)
        return [step if adds or writes[step.target] > 1 else self._as_total(step) for step in self._steps]

    def _as_total(self, step: Step) -> Step:
        if step.kind != "send":
            return step
        consumers = [c for c in self._graph.consumers[step.target] if c in self._below]
        fits = step.upstream is not None and self._fits(step, step.sender, step.upstream)
        if fits and len(consumers) == 1:
            return step
        return replace(step, kind="write", sender=-1, upstream=None)


def along_edges(steps: list[Step], graph: ProgramGraph, root: int) -> list[Step]:
    """Assigns edges to every send. Sends between the same two values are assigned together."""
    adjoints = graph.program.adjoints(root, graph.data)
    channels: dict[tuple[int, int], list[int]] = defaultdict(list)
    for place, step in enumerate(steps):
        if step.kind == "send":
            channels[step.sender, step.target].append(place)
    placed = list(steps)
    for channel, places in channels.items():
        left = list(graph.between[channel])
        parts = len(places) > len(left) and _right_together([steps[p] for p in places], left, graph, adjoints[channel[0]])
        for n, place in enumerate(places):
            step = steps[place]
            if parts:
                placed[place] = replace(step, edges=(left[min(n, len(left) - 1)],), part=True)
                continue
            edges = _taken(step, left, graph, last=n == len(places) - 1)
            left = [edge for edge in left if edge not in edges]
            placed[place] = replace(step, edges=edges)
    return placed


def _taken(step: Step, left: list[int], graph: ProgramGraph, last: bool) -> tuple[int, ...]:
    slopes = graph.given_slopes
    contribution = step.contribution
    if contribution is not None and step.upstream is not None:
        whole = step.upstream * sum(slopes[edge] for edge in left)
        if last and len(left) > 1 and near(contribution, whole, step.scale):
            return tuple(left)
        for edge in left:
            if near(contribution, step.upstream * slopes[edge], step.scale):
                return (edge,)
    return tuple(left[:1])


def _right_together(steps: list[Step], edges: list[int], graph: ProgramGraph, adjoint: float) -> bool:
    parts = [step.contribution for step in steps if step.contribution is not None]
    whole = adjoint * sum(graph.slopes[edge] for edge in edges)
    return len(parts) == len(steps) and near(sum(parts), whole, max(step.scale for step in steps))
