"""Explains wrong scalar engines by running the same programs on the judge's engine with one rule changed.

Rules of a single operation are tried first (its local derivative, its upstream gradient, how it combines its contribution
with the existing gradient), then traversal orders, then effects across passes. If no changed rule gives all the numbers, an
operation that every wrong program and no right one contains is named.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain, islice
from typing import Any

import msgspec

from autograder.explain.diagnosis.evidence import Evidence, MistakeClaim, Pair
from autograder.explain.diagnosis.generators.engines.accumulation import of_passes
from autograder.explain.diagnosis.generators.engines.changed_rules import changed_rules
from autograder.explain.diagnosis.generators.engines.operations import Sites, sent
from autograder.explain.diagnosis.generators.engines.scalar_engine import (
    TRUTH,
    EngineRule,
    PassRefused,
    ScalarEngine,
    made,
    passed,
    run,
)
from sandbox.guest.operations.engine import Outcome

PROGRAMS = ("op", "engine.run")
RTOL, ATOL = 1e-7, 1e-9
MAX_OPERATIONS = 300_000  # operations of changed engines in one search
SPECIFIC = ("nothing-sent",)  # more specific than an edit of the reference that happens to make all gradients 0
DERIVED = frozenset({"-", "/", "neg"})
NO_OPERATION = frozenset({"in", "read", "backward", "set grad"})


@dataclass(frozen=True)
class ProgramRun:
    """A program as it was sent, and the outcome of the student's class; of inputs alone where other gradients are
    unspecified."""

    instructions: list[list[Any]]
    outcome: Outcome | None
    inputs_only: bool = False
    engines: dict[tuple[bool, bool, bool], ScalarEngine] = field(default_factory=dict, compare=False)

    def on(self, rule: EngineRule) -> ScalarEngine:
        """Runs the program on a changed engine. Values are computed once for all rules that do not affect them."""
        if rule.makes_values:
            return run(self.instructions, rule)
        how = (rule.derived, rule.negated, rule.written)
        if how not in self.engines:
            self.engines[how] = made(self.instructions, rule)
        return passed(self.engines[how], rule)

    @cached_property
    def is_plain(self) -> bool:
        """Whether the program gives the same result on all engines, however they implement differences and numbers on the
        left."""
        return not self.operations & DERIVED and not any(_number_first(i) for i in self.instructions)

    @cached_property
    def values_agree(self) -> bool:
        engine = self.on(TRUTH)
        given = self.outcome.data if self.outcome else ()
        return all(_close(one, engine.data[slot]) for one, slot in zip(given, engine.slots, strict=False))

    @property
    def operations(self) -> frozenset[str]:
        return frozenset(i[0] for i in self.instructions) - NO_OPERATION


@dataclass(frozen=True)
class EngineQuestion:
    """One question: its programs in order, and the type of the exception that ended it."""

    programs: tuple[ProgramRun, ...]
    raised: str = ""


def claims(evidence: Evidence, operations: int = MAX_OPERATIONS) -> list[MistakeClaim]:
    """The rules that give all the numbers, as far as the limit on operations allows."""
    work = _Work(operations)
    asked = {check: [a for pair in pairs for a in _asked(pair)] for check, pairs in evidence.pairs.items()}
    asked = {check: questions for check, questions in asked.items() if questions and _programs_alone(evidence, check)}
    if not asked:
        return []
    several = any(_several_passes(r.instructions) for check in asked.values() for a in check for r in a.programs)
    questions = _simplest_first(_of_inputs(a) if several else a for check in asked.values() for a in check)
    everything = sorted((r for a in questions for r in a.programs), key=lambda r: len(r.instructions))
    wrong = list(islice((r for r in everything if r.outcome and not _explains(TRUTH, r)), 2))
    raising = any(a.raised for a in questions)
    if not wrong and not raising:
        return []
    forward = any(not r.values_agree for r in wrong)
    found: dict[str, MistakeClaim] = {}
    tried: set[str] = set()  # plain programs give the same result on all engines and are tried once
    for how, rules in _rules_by_engine(everything, several):
        failed: set[str] = set()
        for rule in rules:
            if work.left <= 0:
                return list(found.values())
            if (raising and not rule.raises) or (forward and not rule.makes_values) or rule.operator in found:
                continue
            if wrong and wrong[0].is_plain and rule.words in tried:
                continue
            if wrong and not work.explains(rule, wrong[0]):
                failed.add(rule.words)
            elif all(work.explains(rule, r) for r in wrong[1:]) and all(work.accounts(rule, a) for a in questions):
                note = f"the engine of the judge gives the same numbers when {rule.words}{how}"
                generator = "symptom" if rule.operator in SPECIFIC else "engines"
                found[rule.operator] = MistakeClaim((rule.operator,), tuple(asked), generator, note)
        if found:
            return list(found.values())
        tried |= failed
    return [] if several or raising else _located(asked)


def _rules_by_engine(programs: list[ProgramRun], several: bool) -> Iterator[tuple[str, Iterable[EngineRule]]]:
    """The changed rules, on engines of different composition."""
    operations = frozenset(operation for r in programs for operation in r.operations)
    yield "", chain(_passes() if several else (), _rules(operations, False, False))
    basic = (operations - DERIVED) | {"+", "*"} | ({"**"} if "/" in operations else set())
    derived = bool(operations & DERIVED)
    if derived:
        yield ", and differences and quotients are made", _rules(basic, True, False)
        yield ", and differences are made of negatives", _negatives()
    if any(_number_first(i) for r in programs for i in r.instructions):
        yield ", with numbers on the left", _rules(basic if derived else operations, derived, True)


@lru_cache(maxsize=64)
def _rules(operations: frozenset[str], derived: bool, written: bool) -> tuple[EngineRule, ...]:
    return tuple(replace(rule, derived=derived, written=written) for rule in changed_rules(operations))


@lru_cache(maxsize=1)
def _negatives() -> tuple[EngineRule, ...]:
    """Changed rules of negation on engines that make differences from negatives, so that differences are wrong too."""
    return tuple(replace(rule, derived=True, negated=True) for rule in sent(Sites(frozenset({"neg"}))))


@lru_cache(maxsize=1)
def _passes() -> tuple[EngineRule, ...]:
    return tuple(of_passes())


def _programs_alone(evidence: Evidence, check: str) -> bool:
    """Whether only programs are wrong in this check."""
    return all(pair.agrees or pair.given.question == PROGRAMS for pair in evidence.pairs[check])


def _of_inputs(asked: EngineQuestion) -> EngineQuestion:
    """The question with only inputs compared, because exercises on several passes leave interior gradients unspecified."""
    return replace(asked, programs=tuple(replace(ran, inputs_only=True) for ran in asked.programs))


def _simplest_first(questions: Iterable[EngineQuestion]) -> list[EngineQuestion]:
    return sorted(questions, key=lambda a: sum(len(r.instructions) for r in a.programs))


def _located(asked: dict[str, list[EngineQuestion]]) -> list[MistakeClaim]:
    """An operation that is in every wrong program and in no right one, and wrong on its own."""
    everything = [r for questions in asked.values() for a in questions for r in a.programs]
    wrong = [r for r in everything if not _explains(TRUTH, r)]
    right = [r for r in everything if _explains(TRUTH, r)]
    operations = sorted({o for r in everything for o in r.operations})
    suspects = [o for o in operations if all(o in r.operations for r in wrong)]
    suspects = [o for o in suspects if not any(o in r.operations for r in right)]
    others = {o for r in right for o in r.operations}
    if len(suspects) != 1 or not wrong or (len(operations) > 1 and not others):
        return []
    return [MistakeClaim((f"operation-{suspects[0]}",), tuple(asked), "engines")]


# -- comparing ---------------------------------------------------------------------------------------------------------


@dataclass
class _Work:
    """Compares outcomes and counts the operations that changed engines may still run."""

    left: int

    def explains(self, rule: EngineRule, ran: ProgramRun) -> bool:
        self.left -= len(ran.instructions)
        return _explains(rule, ran)

    def accounts(self, rule: EngineRule, asked: EngineQuestion) -> bool:
        """Whether a rule gives the same answers or the same exception."""
        if not asked.raised:
            return all(self.explains(rule, ran) for ran in asked.programs)
        for ran in asked.programs:
            self.left -= len(ran.instructions)
            try:
                ran.on(rule)
            except PassRefused:
                return True
            except (ArithmeticError, ValueError, TypeError) as error:
                return type(error).__name__ == asked.raised
        return False


def _explains(rule: EngineRule, ran: ProgramRun) -> bool:
    if ran.outcome is None:
        return False
    try:
        return _agrees(ran.on(rule), ran.outcome, ran.inputs_only)
    except (ArithmeticError, ValueError, TypeError, PassRefused):  # TypeError: a complex number
        return False


def _agrees(engine: ScalarEngine, outcome: Outcome, inputs_only: bool) -> bool:
    slots = engine.slots
    if not len(outcome.grad) == len(outcome.data) == len(slots) or len(outcome.readings) != len(engine.readings):
        return False
    looked_at = [n for n, slot in enumerate(slots) if not inputs_only or engine.operations[slot] == "in"]
    rows = [(outcome.grad, [engine.grad[slot] for slot in slots]), *zip(outcome.readings, engine.readings, strict=True)]
    return all(_close(given, engine.data[slot]) for given, slot in zip(outcome.data, slots, strict=True)) and all(
        len(given) == len(truth) and all(_close(given[n], truth[n]) for n in looked_at if n < len(truth))
        for given, truth in rows
    )


def _close(given: float | None, truth: float) -> bool:
    return given is not None and abs(given - truth) <= RTOL * abs(truth) + ATOL


def _asked(pair: Pair) -> Iterator[EngineQuestion]:
    if pair.given.question != PROGRAMS:
        return
    try:
        sent = msgspec.msgpack.decode(pair.given.options["programs"], type=list[list[list[Any]]])
        outcomes = None if pair.given.raised else msgspec.msgpack.decode(pair.given.value, type=list[Outcome])
    except (msgspec.DecodeError, TypeError, RecursionError):
        return
    if outcomes is not None and len(sent) != len(outcomes):
        return
    ran = (ProgramRun(i, outcomes[n] if outcomes else None) for n, i in enumerate(sent))
    yield EngineQuestion(tuple(ran), pair.given.raised.type_name if pair.given.raised else "")


def _number_first(instruction: list[Any]) -> bool:
    return instruction[0] in ("+", "*") and isinstance(instruction[1], list)


def _several_passes(instructions: list[list[Any]]) -> bool:
    names = [i[0] for i in instructions]
    return names.count("backward") != 1 or "set grad" in names
