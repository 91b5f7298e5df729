"""Turns one recorded backward pass into events that compare each step with the expected one.

A step is called wrong only if the program's gradients are wrong and the step contributes to that. An engine that computes
the right gradients in a different way is not corrected.
"""

from collections.abc import Collection, Sequence

from autograder.judge.checks.compare import exact
from autograder.trace import reasons
from autograder.trace.model import Event, EventKind, Term, Terms
from autograder.trace.pass_totals import PassContext, PassTotals, alike
from autograder.trace.program_graph import near
from autograder.trace.steps import Step


class EventBuilder:
    """Turns the steps of a pass into events."""

    def __init__(self, context: PassContext, steps: Sequence[Step], upset: Collection[int] = ()) -> None:
        """`upset` are values that are already wrong for a reason that an earlier pass reported."""
        self.context, self.steps, self.totals = context, steps, PassTotals(context, steps)
        self.graph, self.labels = context.graph, context.graph.labels
        self.events: list[Event] = []
        self._true = context.start()  # the true value of every gradient at this step
        self._sent: set[int] = set()
        self._announced: set[int] = set()  # senders with a `ready` event
        self._astray: set[int] = set()  # senders whose gradient is wrong for a reason already reported
        self._upset: set[int] = set(upset)  # values that received a wrong contribution
        self._received: set[int] = set()
        self._sender = -1

    def build(self) -> list[Event]:
        self._unseeded()
        for step in self.steps:
            if step.kind != "send" or step.sender != self._sender:
                self._finish_block()
            if step.kind == "seed":
                self._seed(step)
            elif step.kind == "send":
                self._send(step)
            else:
                self._write(step)
        self._finish_block()
        self._silent_senders()
        return self.events

    def _add(
        self,
        kind: EventKind,
        says: str,
        step: Step | None = None,
        reason: str = "",
        follows: bool = False,
        *,
        node: int | None = None,
        edge: int | None = None,
        expected: Terms | None = None,
        given: Terms | None = None,
    ) -> None:
        """Appends an event, which is wrong if there is a reason. An event about a step is at its target, edge and line."""
        line = None
        if step is not None:
            node, edge, line = step.target, step.edges[0] if step.edges else None, step.line or None
        self.events.append(Event(kind, says, node, edge, None, None, expected, given, bool(reason), follows, line, reason))

    # -- the seed -------------------------------------------------------------------------------------------------

    def _unseeded(self) -> None:
        root = self.context.recorded.root
        seeded = any(step.kind == "seed" for step in self.steps)
        ledger = root in self.totals.written or not self.totals.channels
        if seeded or (ledger and root not in self.context.differing):
            return
        held = self.context.recorded.before[root]
        wrong = self.totals.harmed(root) or any(
            self.totals.harmed(target) for c, target in self.totals.channels if c == root
        )
        label, expected = self.labels[root], Terms(now=_term(1.0))
        if wrong:
            self._upset.add(root)
            given, reason = Terms(now=_term(held, 1.0)), reasons.not_seeded(label, held)
            self._add("seed", f"{label} is not seeded", reason=reason, node=root, expected=expected, given=given)
        else:
            self._add("seed", f"{label} is seeded", node=root, expected=expected)

    def _seed(self, step: Step) -> None:
        right = step.now is not None and (near(step.now, 1.0) or near(step.now, self.context.after[step.target]))
        upstreams = [s.upstream for (c, _), sent in self.totals.channels.items() if c == step.target for s in sent]
        right = right or any(u is not None and near(u, 1.0) for u in upstreams)
        wrong = self.context.wrong and not right
        label = self.labels[step.target]
        reason = reasons.not_seeded(label, step.now) if wrong else ""
        if right and step.old and not step.adds and step.target in self.context.differing:
            wrong, reason = True, reasons.seed_replaces(label, step.old)
        self._upset |= {step.target} if wrong else set()
        expected, given = Terms(now=_term(1.0)), Terms(now=_term(1.0 if right else step.now, 1.0))
        self._add("seed", f"{label} is seeded", step, reason, expected=expected, given=given)
        self._true[step.target] = self.context.after[step.target]

    # -- sending --------------------------------------------------------------------------------------------------

    def _send(self, step: Step) -> None:
        used = not step.edges or (not step.part and bool(set(step.edges) & self._sent))
        new = step.sender != self._sender
        if step.sender not in self._announced or (new and used):
            self._ready(step)
        self._sender = step.sender
        self._contribution(step)
        self._accumulate(step)
        self._sent |= set(step.edges)

    def _ready(self, step: Step) -> None:
        sender, context = step.sender, self.context
        first = sender not in self._announced
        self._announced.add(sender)
        consumers = context.consumers(sender)
        waiting = [] if sender in self.totals.written else [c for c in consumers if not self._has_sent(c, sender)]
        done, root = len(consumers) - len(waiting), sender == context.recorded.root
        reason, follows = self._why_not_ready(step, waiting, consumers) if context.wrong else ("", False)
        label = self.labels[sender]
        says = reasons.ready(label, done, len(consumers), root) if first else f"{label} propagates its gradient again"
        self._astray |= {sender} if reason else set()
        self._add("ready", says, reason=reason, follows=follows, node=sender)

    def _has_sent(self, consumer: int, operand: int) -> bool:
        return bool(self._sent & set(self.graph.between[consumer, operand]))

    def _why_not_ready(self, step: Step, waiting: Sequence[int], consumers: Sequence[int]) -> tuple[str, bool]:
        """Why the step is wrong, if it introduces the error, and whether it only follows from an earlier one."""
        sender, context = step.sender, self.context
        label, truth = self.labels[sender], context.adjoints[sender]
        if step.upstream is None or near(step.upstream, truth) or self.totals.sends_right(sender) or sender in self._astray:
            return "", False
        if waiting:
            return reasons.too_early(label, len(waiting), len(consumers)), False
        if sender in self._upset or sender in self.totals.written:
            return "", True
        before = context.recorded.before[sender]
        if before and near(step.upstream, before + truth):
            return reasons.left_over_is_sent(label, before, step.upstream, truth), False
        return reasons.not_what_arrived(label, step.upstream, truth), False

    def _contribution(self, step: Step) -> None:
        given = step.contribution
        slope = sum(self.graph.slopes[edge] for edge in step.edges)
        true = self.context.adjoints[step.sender] * slope
        reason, follows = self._why_no_contribution(step, true) if self.totals.suspect(step) else ("", False)
        expected: Terms | None = Terms(_term(self.context.adjoints[step.sender]), _term(slope), _term(true))
        if not step.edges:
            expected = None
        if step.part or (expected is None and not self.context.wrong):
            expected, slope, true = Terms(contribution=_term(given)), 0.0, given or 0.0
        if reason or follows:
            self._upset.add(step.target)
        positions = [self.graph.edges[edge].position for edge in step.edges]
        operands = len([item for item in self.context.compared.program.step(step.sender)[1] if item is not None])
        sends = reasons.sends(self.labels[step.sender], self.labels[step.target], positions, operands)
        says = f"{sends}, in part" if step.part else sends
        given_terms = Terms(contribution=_term(given, true, step.scale)) if step.part else self._given_part(step, true)
        self._add("contribution", says, step, reason, follows, expected=expected, given=given_terms)

    def _given_part(self, step: Step, true: float) -> Terms:
        """The numbers of a contribution as the student's code read and wrote them; a wrong local derivative is inferred."""
        slope = sum(self.graph.given_slopes[edge] for edge in step.edges)
        upstream, part = step.upstream, step.contribution
        if upstream is None or part is None or not step.edges:
            return Terms(upstream=_term(upstream), contribution=_term(part, true, step.scale))
        own = upstream * slope
        local = slope if near(part, own, step.scale) else part / upstream if upstream else None
        shown = own if near(part, own, step.scale) else part
        adjoint = self.context.adjoints[step.sender]
        true_slope = sum(self.graph.slopes[edge] for edge in step.edges)
        return Terms(_term(upstream, adjoint), _term(local, true_slope), _term(shown, true, step.scale))

    def _why_no_contribution(self, step: Step, true: float) -> tuple[str, bool]:
        sender, target, given = self.labels[step.sender], self.labels[step.target], step.contribution
        if given is None:
            return reasons.no_number(target), False
        if not step.edges:
            return ("", True) if step.sender in self._astray else (reasons.again(sender, target), False)
        slope = sum(self.graph.given_slopes[edge] for edge in step.edges)
        upstream = self.context.adjoints[step.sender] if step.upstream is None else step.upstream
        if near(given, upstream * slope, step.scale):
            return "", not near(given, true, step.scale)
        return reasons.contribution(given, upstream, slope, self._other_slope(step), step.upstream is not None), False

    def _other_slope(self, step: Step) -> float | None:
        edges = [n for n in self.graph.leaving.get(step.sender, ()) if n not in step.edges]
        own = self.graph.edges[step.edges[0]].position
        places = [n for n in edges if self.graph.edges[n].position != own]
        return self.graph.given_slopes[places[0]] if len(places) == 1 else None

    def _accumulate(self, step: Step) -> None:
        target, part = step.target, step.contribution
        true_part = part or 0.0 if step.part else sum(self.context.true_part(edge) for edge in step.edges)
        old = self._true[target]
        now = self._true[target] = old + true_part
        self._received.add(target)
        reason = self._why_not_added(step, old, now) if self.totals.harmed(target) else ""
        if reason:
            self._upset.add(target)
        follows = self.context.wrong and not reason and self.totals.harmed(target) and not alike(step.now, now, step.scale)
        expected = Terms(old=_term(old), contribution=_term(true_part), now=_term(now)) if step.edges else None
        given = Terms(old=_term(step.old, old), contribution=_term(part, true_part, step.scale), now=_term(step.now, now))
        self._add("accumulate", f"{self.labels[target]} accumulates", step, reason, follows, expected=expected, given=given)

    def _why_not_added(self, step: Step, due: float, now: float) -> str:
        target, part = self.labels[step.target], step.contribution
        if part is None or step.old is None or step.now is None:
            return ""
        if near(step.now, step.old + part, step.scale):
            held = self.context.wrong and step.target not in self._upset and not near(step.now, now, step.scale)
            return reasons.left_over(target, step.old, due) if held else ""
        if step.mean:
            return reasons.averaged(target, step.old, part)
        if not step.adds:
            return reasons.replaces(target, step.old)
        return reasons.stale(target, step.base or 0.0, step.old)

    # -- missing contributions ---------------------------------------------------------------------------------------

    def _finish_block(self) -> None:
        """Reports operands that a sender has skipped once its other contributions are done."""
        sender, self._sender = self._sender, -1
        if sender >= 0:
            self._never(sender, silent=False)

    def _silent_senders(self) -> None:
        for sender in sorted(self.context.below - self._announced, reverse=True):
            if sender not in self.totals.written:
                self._never(sender, silent=True)

    def _never(self, sender: int, silent: bool) -> None:
        position_count = len([item for item in self.context.compared.program.step(sender)[1] if item is not None])
        for number in self.graph.leaving.get(sender, ()):
            edge = self.graph.edges[number]
            if number in self.totals.ever or number in self._sent or edge.operand in self.totals.written:
                continue
            if (
                not self.totals.harmed(edge.operand)
                or near(self.context.true_part(number), 0.0)
                or not self.totals.seen(edge.operand)
            ):
                continue
            self._sent.add(number)
            follows = silent and sender in self._upset
            self._upset.add(edge.operand)
            names = self.labels[sender], self.labels[edge.operand]
            true = self.context.true_part(number)
            old = self._true[edge.operand]
            self._true[edge.operand] = old + true
            upstream, slope = _term(self.context.adjoints[sender]), _term(self.graph.slopes[number])
            expected = Terms(upstream, slope, _term(true), _term(old), _term(old + true))
            says = reasons.sends_nothing(*names, [edge.position], position_count)
            reason = "" if follows else reasons.never(*names, edge.position, position_count, silent)
            self._add(
                "contribution", says, reason=reason, follows=follows, node=edge.operand, edge=number, expected=expected
            )

    # -- writes without a sender ----------------------------------------------------------------------------------

    def _write(self, step: Step) -> None:
        target, label = step.target, self.labels[step.target]
        reset = step.kind == "reset"
        truth = self._true[target] if reset else self.context.after[target]
        right = alike(step.now, truth, step.scale)
        harms = not right and self.totals.harmed(target)
        reason = self._why_not_written(step, truth) if harms else ""
        if not reset:
            self._true[target] = truth
        if harms:
            self._upset.add(target)
        says = f"{reasons.in_code(label)}.grad is {'set to 0' if reset else 'written'}"
        expected = Terms(now=_term(truth)) if self.context.wrong or right else Terms(now=_term(step.now))
        given = Terms(old=_term(step.old), now=_term(step.now, truth))
        self._add("grad", says, step, reason, harms and not reason, expected=expected, given=given)

    def _why_not_written(self, step: Step, truth: float) -> str:
        label = self.labels[step.target]
        if step.now is None:
            return reasons.no_number(label)
        if step.kind == "reset":
            earlier = step.target not in self._received and step.target != self.context.recorded.root
            counts = self.context.compared.is_compared(step.target)
            return reasons.lost(label, step.old, earlier) if step.old and (counts or not earlier) else ""
        if step.adds and step.old is not None:
            return reasons.changed(label, step.old, step.now)
        if step.old and not near(step.old, 0.0) and near(step.now, self.context.adjoints[step.target]):
            return reasons.replaced(label, step.old, step.now)
        return "" if self._follows_from_consumers(step) else reasons.total(label, step.now, truth)

    def _follows_from_consumers(self, step: Step) -> bool:
        """Whether the gradient follows from the consumers' gradients, one of which is already reported as wrong."""
        given, total = self.context.recorded.after, 0.0
        consumers = self.context.consumers(step.target)
        if step.target == self.context.recorded.root or not self._upset.intersection(consumers):
            return False
        for consumer in consumers:
            upstream = given[consumer]
            if upstream is None:
                return False
            slopes = [self.graph.given_slopes[edge] for edge in self.graph.between[consumer, step.target]]
            total += upstream * sum(slopes)
        return alike(step.now, total)


def _term(value: float | None, like: float | None = None, scale: float = 0.0) -> Term | None:
    """A number as text. A number that agrees with `like` is written exactly like it."""
    if value is None:
        return None
    return Term(exact(like if like is not None and near(value, like, scale) else value))
