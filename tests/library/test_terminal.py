"""What `manage.py grade` says below a report: a known mistake, or advice where there is none."""

import io

import pytest
from rich.console import Console

from autograder.explain import advice
from autograder.explain.advice.endings import LATE
from autograder.explain.diagnosis import Explanation
from autograder.judge.report import Detail, Shown
from autograder.library import terminal
from tests.web.conftest import checked, reported

KNOWN = Explanation(
    "forward-pass-per-value", "The chain rule visits each value once.", ("slow",), title="One pass for each value"
)
OTHER = Explanation("wrong-sign", "A sign is wrong.", ("other",), title="Sign")


def below(*told: Explanation, starter: bool = False) -> str:
    slow = checked("slow", passed=False, ending="late")
    console = Console(file=io.StringIO(), width=100)
    terminal.show_explanations(console, reported(slow, checked("other"), starter=starter), told)
    assert isinstance(console.file, io.StringIO)
    return " ".join(console.file.getvalue().split())


@pytest.mark.parametrize("told", [(), (OTHER,)])
def test_a_check_that_no_mistake_explains_has_advice(told: tuple[Explanation, ...]) -> None:
    assert below(*told).startswith(f"Why {LATE.title} {LATE.words}")


def test_a_named_mistake_stands_alone() -> None:
    words = below(KNOWN)
    assert "Why One pass for each value The chain rule visits each value once." in words
    assert LATE.title not in words


def test_the_starter_has_no_advice_on_its_checks() -> None:
    assert below(starter=True) == ""


def test_lists_of_texts_stand_side_by_side_after_their_program() -> None:
    console = Console(file=io.StringIO(), width=100)
    given = Shown("text", ("weight", "extra"))
    detail = Detail("names", {}, Shown("text", ("layers.0.weight",)), given, note="# p0: a parameter\nmodel.layers = [p0]")
    terminal.show_report(
        console, "model.py", reported(checked("named", passed=False, message="The names are wrong.", detail=detail))
    )
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    assert "  model.layers = [p0] " in shown
    assert "layers.0.weight weight" in " ".join(shown.split())
    assert "extra" in shown


def test_the_report_itself_gives_no_advice_on_checks() -> None:
    console = Console(file=io.StringIO(), width=100)
    report = reported(checked("slow", passed=False, ending="late"))
    assert advice.of_check(report.checks[0]) is LATE
    terminal.show_report(console, "engine.py", report)
    assert isinstance(console.file, io.StringIO)
    assert LATE.title not in console.file.getvalue()
