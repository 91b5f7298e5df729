"""What an author declared of wrong answers; the deep graphs are the example, whose dictionary takes minutes and is not needed."""

import pytest

from autograder.explain.diagnosis.dictionary import Dictionary
from autograder.explain.diagnosis.generators import symptoms
from autograder.explain.diagnosis.prediction import dictionary_of
from autograder.judge.diagnosis import Declared, Symptom
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack, misconception
from sandbox.wire import Raised
from tests.conftest import EXERCISES
from tests.explain.diagnosis.generators.test_engines import Make
from tests.replays import explained

SLUG = "value-deep"
TIMED_OUT = ("quadratic", "exponential")  # known by the check that they stop, which needs a dictionary
WRONG = sorted(p.stem for p in EXERCISES.glob(f"*/{SLUG}/wrong/*.py") if not p.stem.startswith(TIMED_OUT))


@pytest.fixture(scope="module")
def bare(judge: Judge, packs: dict[str, Pack]) -> Dictionary:
    """The reference's own answers, and no wrong versions."""
    pack = packs[SLUG]
    return dictionary_of(judge, pack, [])


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_deep_engine_gets_its_own_key(name: str, judge: Judge, packs: dict[str, Pack], bare: Dictionary) -> None:
    pack = packs[SLUG]
    report = judge.grade(pack, pack.wrong[name], 7)
    found = explained(judge, pack, pack.wrong[name], report, bare)
    assert misconception(name) in {explanation.key for explanation in found}, found


@pytest.mark.parametrize(("seen", "found"), [(True, ["limits"]), (False, [])])
def test_an_exception_is_a_symptom_only_where_the_author_says_so(seen: bool, found: list[str], evidence: Make) -> None:
    symptom = Symptom("limits", "", lambda right, given: "limits" in given.message, seen)
    declared = Declared(symptoms={("limits", ""): symptom})
    case = evidence(((), 1.0, Raised(0, "ask", "RuntimeError", "the limits stay")), declared=declared)
    assert [claim.operators[0] for claim in symptoms.claims(case)] == found
