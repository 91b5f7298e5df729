"""Traces a program on the student's tensor class: the smallest program that fails, step by step.

Intermediate gradients are not read from the student's objects. Each operation is asked alone, with the right operands and the
right upstream gradient, and each intermediate result is asked as a leaf of the rest of the program. So a step is called
wrong only if it is wrong by itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks.student import Student
from autograder.judge.checks.tensors import ComparedTensors, Slot, TensorProgram, ask_programs, problem_of, rows_of
from autograder.judge.text import neutralise
from autograder.trace import reasons
from autograder.trace.model import Edge, Event, EventKind, Terms, Trace, TraceGraph, TraceNode
from autograder.trace.shrinking import Recipe, alone, cut, recipe_of, shrink
from autograder.trace.terms import term_of
from sandbox.wire import Array

STEPS = 40
NO_ANSWER = "no answer"
ELEMENTWISE = ("+", "-", "*", "/")


def trace_tensors(student: Student, check: str, compared: ComparedTensors) -> Trace | None:
    """The trace of the smallest program that fails, or of this one if it passes; None if it cannot be drawn."""
    found = shrink(student, compared)
    fails = found is not None
    if found is None:
        recipe = recipe_of(compared.program)
        program = recipe.build() if recipe is not None else None
        if recipe is None or program is None:
            return None
        found = replace(compared, program=program), recipe
    if len(found[1].steps) > STEPS:
        return None
    drawn = _Drawn(*found, fails)
    drawn.ask(student)
    events = tuple(drawn.events())
    first = next((n for n, event in enumerate(events) if event.wrong), None)
    program = drawn.program
    inputs = {name: term_of(value).text for name, value in program.inputs().items()}
    return Trace(check, program.describe(), drawn.graph(), events, inputs=inputs, first_wrong=first)


@dataclass
class _Drawn:
    """A program with everything that the student's class answered about its parts."""

    compared: ComparedTensors
    recipe: Recipe
    fails: bool  # otherwise no step is called wrong
    raised: str = ""
    data: list[Any] = field(default_factory=list)
    grads: list[Any] = field(default_factory=list)
    sent: dict[tuple[int, int], Any] = field(default_factory=dict)  # contribution of an operation to an operand, asked alone
    totals: dict[int, Any] = field(default_factory=dict)  # gradient of an intermediate result, asked as a leaf
    received: dict[int, Numbers] = field(default_factory=dict)  # the true sum of the contributions so far
    upset: set[int] = field(default_factory=set)  # tensors whose gradient is already known to be wrong

    @property
    def program(self) -> TensorProgram:
        return self.compared.program

    def ask(self, student: Student) -> None:
        """Asks for the whole program and all of its parts in one question."""
        parts: list[tuple[str, int, ComparedTensors]] = []
        for n, step in enumerate(self.recipe.steps):
            upstream = self.program.gradient(n)
            if step.values is not None or upstream is None:
                continue
            built = alone(self.recipe, self.program, n, upstream).build()
            if built is not None:
                parts.append(("alone", n, replace(self.compared, program=built)))
            rest = cut(self.recipe, n, self.program.data()[n]).build() if n != self.recipe.root else None
            if rest is not None:
                parts.append(("rest", n, replace(self.compared, program=rest)))
        whole, *answers = ask_programs(student, [self.compared, *(part for _, _, part in parts)], apart=True)
        if isinstance(whole, str):
            self.raised = neutralise(whole, 64)
        else:
            self.data, self.grads = rows_of(whole, len(self.program.tensors))
        for (kind, n, part), answer in zip(parts, answers, strict=True):
            if isinstance(answer, str):
                continue
            grads = rows_of(answer, len(part.program.tensors))[1]
            if kind == "alone":
                sources = list(dict.fromkeys(self.recipe.steps[n].sources()))
                self.sent |= {(n, source): grads[place] for place, source in enumerate(sources)}
            else:
                labels = [part.program.label(m) for m in range(len(part.program.tensors))]
                self.totals[n] = grads[labels.index(self.program.label(n))]

    # -- the drawing -----------------------------------------------------------------------------------------------

    def edges(self) -> list[Edge]:
        return [
            Edge(operand.number, n, position)
            for n, (_, operands, _) in enumerate(self.program.steps)
            for position, operand in enumerate(operands)
            if isinstance(operand, Slot)
        ]

    def graph(self) -> TraceGraph:
        data = self.program.data()
        nodes = [
            TraceNode(
                self.program.label(n),
                step.operation,
                term_of(data[n]).text,
                tuple(data[n].shape) or None,
                self.program.is_leaf(n),
            )
            for n, step in enumerate(self.recipe.steps)
        ]
        return TraceGraph(tuple(nodes), tuple(self.edges()))

    # -- the events ------------------------------------------------------------------------------------------------

    def events(self) -> Iterator[Event]:
        if self.raised:
            yield Event("end", reasons.raised(self.raised), wrong=True, reason=reasons.raised_at(self.raised, 0))
            return
        yield from self._forward()
        yield from self._backward()
        yield self._end()

    def _forward(self) -> Iterator[Event]:
        wrong: set[int] = set()
        for n, truth in enumerate(self.program.data()):
            problem = self._problem(self.data[n], truth)
            if not problem:
                continue
            follows = bool(wrong & set(self.recipe.steps[n].sources()))
            wrong.add(n)
            label = self.program.label(n)
            reason = f"The forward pass is already wrong: {label}.data {problem}."
            sides = Terms(now=term_of(truth)), Terms(now=term_of(self.data[n]))
            yield _event("forward", f"{label} is computed", n, None, sides, reason, follows)

    def _backward(self) -> Iterator[Event]:
        program, root = self.program, self.recipe.root
        seed = Terms(now=term_of(np.ones(()) if self.recipe.gradient is None else self.recipe.gradient))
        yield Event("seed", f"{program.label(root)} is seeded", root, expected=seed, given=seed)
        for n in range(root, -1, -1):
            upstream = program.gradient(n)
            if upstream is None or self.recipe.steps[n].values is not None:
                continue
            consumers = len({m for m, step in enumerate(self.recipe.steps) if n in step.sources()})
            says = reasons.ready(program.label(n), consumers, consumers, n == root)
            yield Event("ready", says, n, expected=Terms(), given=Terms())
            for source in dict.fromkeys(self.recipe.steps[n].sources()):
                if program.tensors[source].requires_grad:
                    yield from self._contribution(n, source, upstream)
        for n in range(root, -1, -1):
            if program.is_leaf(n):
                yield self._leaf(n)

    def _contribution(self, n: int, source: int, upstream: Numbers) -> Iterator[Event]:
        truth, raw = self._truth(n, source, upstream)
        given = self.sent.get((n, source), NO_ANSWER)
        problem = self._problem(given, truth)
        if not problem:
            given = truth
        target, step = self.program.label(source), self.recipe.steps[n]
        edge = next(k for k, edge in enumerate(self.edges()) if (edge.consumer, edge.operand) == (n, source))
        positions = [place for place, operand in enumerate(step.operands) if operand == ("slot", source)]
        says = reasons.sends(self.program.label(n), target, positions, len(step.operands))
        arrives = term_of(upstream)
        if raw is not None and (given is truth or not self._problem(given, raw)):
            terms = Terms(upstream=arrives, contribution=term_of(raw))
            yield _event("contribution", says, source, edge, (terms, terms))
            sums = Terms(contribution=term_of(raw), now=term_of(truth)), Terms(contribution=term_of(raw), now=term_of(given))
            reason = reasons.not_summed(target, raw.shape, truth.shape) if problem else ""
            yield _event("unbroadcast", reasons.summed(raw.shape, truth.shape), source, edge, sums, reason)
        else:
            sides = Terms(arrives, contribution=term_of(truth)), Terms(arrives, contribution=term_of(given))
            reason = reasons.alone(target, problem) if problem else ""
            yield _event("contribution", says, source, edge, sides, reason)
        if problem:
            self.upset.add(source)
        yield from self._accumulated(n, source, edge, truth)

    def _truth(self, n: int, source: int, upstream: Numbers) -> tuple[Numbers, Numbers | None]:
        """The contribution of an operation to an operand, and the same before it was summed to the operand's shape, if it was."""
        built = alone(self.recipe, self.program, n, upstream).build()
        assert built is not None
        place = list(dict.fromkeys(self.recipe.steps[n].sources())).index(source)
        truth = built.gradient(place)
        shape = self.program.tensors[source].shape
        truth = np.zeros(tuple(shape)) if truth is None else truth
        step = self.recipe.steps[n]
        result = self.program.data()[n].shape
        if step.operation not in ELEMENTWISE or truth.shape == result or step.sources().count(source) > 1:
            return truth, None
        stretched = alone(self.recipe, self.program, n, upstream)
        steps = list(stretched.steps)
        values = steps[place].values
        assert values is not None
        steps[place] = replace(steps[place], values=np.broadcast_to(values, result).copy())
        wide = Recipe(tuple(steps), stretched.root, stretched.gradient).build()
        return truth, None if wide is None else wide.gradient(place)

    def _accumulated(self, n: int, source: int, edge: int, part: Numbers) -> Iterator[Event]:
        """The sum after a contribution, for a tensor that has several consumers. Its last sum is compared with the answer."""
        consumers = [
            m
            for m, step in enumerate(self.recipe.steps)
            if source in step.sources() and self.program.gradient(m) is not None
        ]
        old = self.received.get(source)
        now = self.received[source] = part if old is None else old + part
        if len(consumers) < 2 or old is None:
            return
        label = self.program.label(source)
        terms = Terms(contribution=term_of(part), old=term_of(old), now=term_of(now))
        given, is_last = self._total(source), n == min(consumers)
        problem = self._problem(given, now) if is_last else ""
        kept = isinstance(given, Array) and not self._problem(given, part)
        reason = reasons.sum_of_consumers(label, len(consumers), kept) if problem else ""
        follows = bool(problem) and (source in self.upset or self._is_upset_above(source))
        yours = Terms(now=term_of(given)) if problem else terms
        yield _event("accumulate", f"{label} accumulates", source, edge, (terms, yours), reason, follows)
        if problem:
            self.upset.add(source)

    def _total(self, n: int) -> Any:
        return self.grads[n] if self.program.is_leaf(n) else self.totals.get(n, NO_ANSWER)

    def _is_upset_above(self, n: int) -> bool:
        """Whether a step between a tensor and the root is already known to be wrong."""
        above = {n}
        for m in range(n + 1, len(self.recipe.steps)):
            if above & set(self.recipe.steps[m].sources()):
                above.add(m)
        return bool((above - {n}) & self.upset)

    def _leaf(self, n: int) -> Event:
        label, truth, given = self.program.label(n), self.program.gradient(n), self.grads[n]
        problem = self._problem(given, truth)
        sides = Terms(now=term_of(truth)), Terms(now=term_of(given if problem else truth))
        reason = f"All earlier steps agree, but {label}.grad {problem}." if problem else ""
        return _event("grad", f"{label}.grad is written", n, None, sides, reason, bool(problem) and bool(self.upset))

    def _end(self) -> Event:
        leaves = [n for n in range(len(self.program.tensors)) if self.program.is_leaf(n)]
        wrong = [self.program.label(n) for n in leaves if self._problem(self.grads[n], self.program.gradient(n))]
        return Event("end", reasons.end(wrong, len(leaves)), follows=bool(wrong))

    def _problem(self, given: Any, truth: Numbers | None) -> str:
        return problem_of(given, truth, self.compared.tolerance) if self.fails else ""


def _event(
    kind: EventKind,
    says: str,
    node: int,
    edge: int | None,
    sides: tuple[Terms, Terms],
    reason: str = "",
    follows: bool = False,
) -> Event:
    """An event with its expected and given terms. It is wrong if there is a reason, unless it follows from an earlier step."""
    wrong = bool(reason) and not follows
    expected, given = sides
    return Event(kind, says, node, edge, None, None, expected, given, wrong, follows, None, reason if wrong else "")
