"""Traces a program on the student's scalar engine and compares every step with the judge's own evaluation."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from autograder.judge.checks.compare import CheckFailed, exact
from autograder.judge.checks.engine import Compared, Program
from autograder.judge.checks.student import BadAnswer, Student
from autograder.judge.text import neutralise
from autograder.trace import plain_text, reasons
from autograder.trace.model import Event, Term, Terms, Trace
from autograder.trace.pass_events import EventBuilder
from autograder.trace.pass_totals import PassContext
from autograder.trace.program_graph import ProgramGraph
from autograder.trace.steps import StepReader
from sandbox.guest.operations.trace import TOUCHES, Pass, Touch, Traced

NODES = 400


def trace_program(student: Student, check: str, compared: Compared) -> Trace | None:
    """Runs the program once more and records it; None if it has no backward pass or is too large to draw."""
    instructions = compared.program.instructions
    passes = sum(name == "backward" for name, *_ in instructions)
    if not passes or len(instructions) > NODES:
        return None
    packed = msgspec.msgpack.encode([instructions])
    answer = student.operate("engine.trace", **{"class": compared.class_name, "programs": packed})
    return trace_of_record(check, compared, read(answer, passes))


def read(answer: Any, passes: int) -> Traced:
    """Decodes and validates the answer, which comes from an untrusted process."""
    try:
        traced = msgspec.msgpack.decode(answer, type=Traced)
    except (msgspec.DecodeError, TypeError, RecursionError) as error:
        raise BadAnswer("The record of the backward pass could not be read.") from error
    many = len(traced.passes) > passes or sum(len(recorded.touches) for recorded in traced.passes) > TOUCHES
    if many or (len(traced.passes) < passes and not traced.raised):
        raise BadAnswer("The record of the backward pass could not be read.")
    return traced


def trace_of_record(check: str, compared: Compared, traced: Traced) -> Trace:
    program = compared.program
    data = program.evaluate()[0]
    graph = ProgramGraph(program, data, traced.outcome.data)
    wrong = "" if traced.raised else _wrong(compared, traced)
    events: list[Event] = []
    computed = 0
    for recorded, (root, before, after) in zip(traced.passes, _truth(program), strict=False):
        _must_fit(recorded, root, len(before))
        context = PassContext(compared, graph, recorded, before, after, bool(wrong))
        if wrong:
            events += _forward(graph, range(computed, len(before)))
            computed = len(before)
        upset = context.upset_before() if any(event.wrong for event in events) else ()
        steps = StepReader(graph, recorded, traced.makers).steps()
        events += [*EventBuilder(context, steps, upset).build(), _end(context)]
    if traced.raised:
        events[-1:] = [_raised(traced)]
    elif wrong:
        events = _with_first_cause(events, wrong)
    inputs = {name: exact(value) for name, value in program.inputs().items()}
    first = next((n for n, event in enumerate(events) if event.wrong), None)
    drawn = graph.trace_graph()
    return Trace(check, program.describe(), drawn, tuple(events), inputs=inputs, first_wrong=first, cut=traced.cut)


def _forward(graph: ProgramGraph, slots: Iterable[int]) -> Iterator[Event]:
    """Events for values that the forward pass computed wrongly."""
    for number in slots:
        error = graph.forward_error(number)
        if error is None:
            continue
        given, own = error
        label = graph.labels[number]
        terms = Terms() if given is None else Terms(now=Term(exact(given)))
        yield Event(
            "forward",
            f"{label} is computed",
            node=number,
            expected=Terms(now=Term(exact(own))),
            given=terms,
            wrong=True,
            reason=reasons.forward(label, given, own),
        )


def _wrong(compared: Compared, traced: Traced) -> str:
    """The message of the check for this run; empty if it passes."""
    try:
        compared.with_outcome(traced.outcome)
    except CheckFailed as failed:
        return neutralise(failed.message)
    return ""


def _truth(program: Program) -> Iterator[tuple[int, list[float], list[float]]]:
    """For every pass, its root and the true gradients before and after it."""
    data: list[float] = []
    grads: list[float] = []
    for name, *operands in program.instructions:
        if name == "backward":
            before = list(grads)
            grads = [grad + adjoint for grad, adjoint in zip(grads, program.adjoints(operands[0], data), strict=True)]
            yield operands[0], before, list(grads)
        elif name == "set grad":
            grads[operands[0]] = float(operands[1])
        elif name != "read":
            data.append(program.value_of(len(data), data))
            grads.append(0.0)


def _must_fit(recorded: Pass, root: int, count: int) -> None:
    fits = recorded.root == root and len(recorded.before) == count == len(recorded.after)
    if not fits or not all(map(_is_touch, recorded.touches)):
        raise BadAnswer("The record of the backward pass could not be read.")


def _is_touch(touch: Touch) -> bool:
    return touch.which >= 0 and 0 <= touch.line < 1 << 31 and all(which >= 0 for which in touch.near)


def _end(context: PassContext) -> Event:
    counted = [n for n in range(len(context.after)) if context.compared.is_compared(n)]
    if context.differing and not context.wrong:  # a later pass or reset corrects them
        return Event("end", "The pass ends")
    names = [context.graph.labels[n] for n in context.differing]
    return Event("end", reasons.end(names, len(counted)), follows=bool(names))


def _raised(traced: Traced) -> Event:
    kind = neutralise(traced.raised, 64)
    line = traced.line if 0 < traced.line < 1 << 31 else 0
    return Event("end", reasons.raised(kind), wrong=True, line=line or None, reason=reasons.raised_at(kind, line))


def _with_first_cause(events: list[Event], wrong: str) -> list[Event]:
    """Marks the first step that differs as wrong, because it cannot follow from a later one.

    If no step differs, the end of the last pass is marked, with the message of the check.
    """
    ends = [n for n, event in enumerate(events) if event.kind == "end"]
    place = next((n for n, event in enumerate(events) if event.wrong or event.follows), ends[-1])
    if events[place].wrong:
        return events
    sides = plain_text.chain(events[place].expected), plain_text.chain(events[place].given)
    reason = reasons.unexplained(*sides) if all(sides) and sides[0] != sides[1] else wrong
    blamed = msgspec.structs.replace(events[place], wrong=True, follows=False, reason=reason)
    return [*events[:place], blamed, *events[place + 1 :]]
