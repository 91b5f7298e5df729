"""Engines: the judge's own engine with one rule changed gives the answers, or nothing is claimed."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import pytest

from autograder.explain.diagnosis.evidence import Evidence
from autograder.explain.diagnosis.generators import engines
from autograder.explain.diagnosis.generators.engines.accumulation import clear_interior, of_passes
from autograder.explain.diagnosis.generators.engines.changed_rules import WAYS, changed_rules
from autograder.explain.diagnosis.generators.engines.operations import Sites, changed
from autograder.explain.diagnosis.generators.engines.scalar_engine import TRUTH, EngineRule, PassRefused, ScalarEngine, run
from autograder.explain.diagnosis.generators.orders import breadth_first
from autograder.judge.checks.engine import RULES, Program, Slot
from sandbox.guest.operations.engine import Outcome
from sandbox.wire import Raised

Make = Callable[..., Evidence]
Instructions = list[list[Any]]


def twice_reached(a: Slot, b: Slot) -> Slot:
    """The product is reached along a short way and a long one."""
    product = a * b
    return product + product * b


BUILDS: tuple[Callable[[Slot, Slot], Slot], ...] = (
    lambda a, b: a + b,
    lambda a, b: a * b * 1.7,
    lambda a, b: (a * b + a) * b,
    lambda a, b: a * a + b * a,
    twice_reached,
)


def programs() -> list[Instructions]:
    made = []
    for build in BUILDS:
        p = Program()
        a, b = p.input(1.3, "a"), p.input(-2.4, "b")
        p.backward(build(a, b))
        made.append(p.instructions)
    return made


def several_passes() -> list[Instructions]:
    made = []
    for build in BUILDS:
        p = Program()
        a, b = p.input(1.3, "a"), p.input(-2.4, "b")
        first = build(a, b)
        for root in (first, first, a):
            p.backward(root)
            p.read()
        p.set_grad(b, 0.0)
        second = first * b
        for root in (second, first, second, b):
            p.backward(root)
            p.read()
        made.append(p.instructions)
    return made


def outcome(engine: ScalarEngine) -> Outcome:
    rows = [[*row] for row in (engine.data, engine.grad)]
    data, gradients = ([row[n] for n in engine.slots] for row in rows)
    return Outcome([*data], [*gradients], [[*row] for row in engine.readings], {})


def ran(rule: EngineRule, sent: Iterable[Instructions]) -> bytes | Raised:
    try:
        return msgspec.msgpack.encode([outcome(run(instructions, rule)) for instructions in sent])
    except (PassRefused, ZeroDivisionError) as error:
        name = "RuntimeError" if isinstance(error, PassRefused) else type(error).__name__
        return Raised(0, "ask", name, "")


def asked(rule: EngineRule, evidence: Make, sent: list[Instructions] | None = None) -> Evidence:
    sent = sent or programs()
    packed = msgspec.msgpack.encode(sent)
    return evidence(((), ran(TRUTH, sent), ran(rule, sent)), what="op", name="engine.run", programs=packed)


def named(case: Evidence) -> set[str]:
    return {claim.operators[0] for claim in engines.claims(case)}


CHANGED_RULES = list(changed_rules({"*", "+"}))


def test_rules_have_words_of_their_own() -> None:
    """By their words it is known which of them were tried."""
    every = [rule.words for rule in (*changed_rules(frozenset(RULES)), *of_passes())]
    assert [words for words, count in Counter(every).items() if count > 1] == []


@pytest.mark.parametrize("rule", CHANGED_RULES[::9], ids=lambda rule: rule.words)
def test_the_rule_that_was_broken_is_named(rule: EngineRule, evidence: Make) -> None:
    case = asked(rule, evidence)
    if case.wrong("check"):
        assert rule.operator in named(case)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[1])
def test_a_wrong_way_back_is_named(way: Any, evidence: Make) -> None:
    case = asked(EngineRule(way[0], way[1], order=way[2]), evidence)
    if case.wrong("check"):
        assert way[0] in named(case)


@pytest.mark.parametrize("rule", list(of_passes())[::4], ids=lambda rule: rule.words)
def test_what_passes_do_to_each_other_is_named(rule: EngineRule, evidence: Make) -> None:
    case = asked(rule, evidence, several_passes())
    wrong = case.wrong("check")
    if wrong and (wrong[0].given.raised or inputs(wrong[0].given.value) != inputs(wrong[0].right.value)):
        assert rule.operator in named(case)


def inputs(answer: bytes) -> list[list[list[float | None]]]:
    """The gradients of a and b, the first two slots: the others are free."""
    outcomes = msgspec.msgpack.decode(answer, type=list[Outcome])
    return [[row[:2] for row in (*o.readings, o.grad)] for o in outcomes]


def test_an_engine_whose_interior_gradients_differ_is_right_about_several_passes(evidence: Make) -> None:
    tidy = EngineRule("", "", finish=clear_interior)
    assert engines.claims(asked(tidy, evidence, several_passes())) == []


def test_an_exception_is_predicted_by_the_formula_that_raises_it(evidence: Make) -> None:
    p = Program()
    a = p.input(0.0, "a")
    p.backward(a**2 + a)
    rule = next(r for r in changed_rules({"**", "+"}) if r.operator == "kink")
    case = asked(rule, evidence, [p.instructions])
    assert case.wrong("check")[0].given.raised is not None
    assert named(case) == {"kink"}


@pytest.mark.parametrize("raised", ["NameError", "TypeError"])
def test_an_exception_that_no_rule_predicts_is_left_alone(raised: str, evidence: Make) -> None:
    sent = programs()
    packed = msgspec.msgpack.encode(sent)
    answer = Raised(0, "ask", raised, "")
    assert engines.claims(evidence(((), ran(TRUTH, sent), answer), what="op", name="engine.run", programs=packed)) == []


def test_differences_made_of_sums_and_products_are_looked_through(evidence: Make) -> None:
    """A wrong product shows in a difference, if that is how differences are made."""
    p = Program()
    a, b = p.input(1.3, "a"), p.input(-2.4, "b")
    p.backward(a - 2 / b)
    broken = changed(Sites(frozenset("*")), (0,), lambda e, v, n, s: -s * e.grad[v])
    assert "sign" in named(asked(EngineRule("", "", send=broken, derived=True), evidence, [p.instructions, *programs()]))


def test_a_lost_sign_of_a_difference_is_a_wrong_sign(evidence: Make) -> None:
    """The subtrahend then gets the slope of the minuend. As swapped operands, that would be a less likely mistake."""
    p = Program()
    a, b = p.input(1.3, "a"), p.input(-2.4, "b")
    p.backward((a - b) * b)
    broken = changed(Sites(frozenset("-")), (1,), lambda e, v, n, s: -s * e.grad[v])
    likeliest, *_ = engines.claims(asked(EngineRule("", "", send=broken), evidence, [p.instructions]))
    assert likeliest.operators == ("sign",)


def test_a_number_on_the_left_that_changes_sides_is_named(evidence: Make) -> None:
    p = Program()
    a, b = p.input(1.3, "a"), p.input(-2.4, "b")
    p.backward((1 - a) / b)
    rule = next(r for r in changed_rules({"-", "/"}) if r.operator == "reflected-order")
    assert named(asked(rule, evidence, [p.instructions])) == {"reflected-order"}


def test_an_unknown_rule_of_one_operation_is_located(evidence: Make) -> None:
    odd = changed(Sites(frozenset("*")), (0, 1), lambda e, v, n, s: 0.37 + s * e.grad[v])
    (found,) = engines.claims(asked(EngineRule("", "", odd, breadth_first), evidence))
    assert found.operators == ("operation-*",)


def test_nothing_is_claimed_when_the_budget_is_used_up(evidence: Make) -> None:
    broken = changed(Sites(frozenset("*")), (0,), lambda e, v, n, s: s)
    case = asked(EngineRule("", "", broken), evidence, [p for p in programs() if any(i[0] == "*" for i in p)])
    assert "upstream" in named(case)
    assert "upstream" not in {f.operators[0] for f in engines.claims(case, operations=0)}


def test_a_gradient_that_is_passed_on_again_at_every_arrival_is_named(evidence: Make) -> None:
    """`parent.backward(slope * self.grad)`: what arrived before is sent once more."""

    def again(engine: ScalarEngine, value: int, share: float) -> None:
        engine.grad[value] += share
        for operand, slope in engine.edges(value):
            again(engine, operand, slope * engine.grad[value])

    case = asked(EngineRule("", "", backward=lambda engine, root, rule: again(engine, root, 1.0)), evidence)
    assert named(case) == {"every-path"}
