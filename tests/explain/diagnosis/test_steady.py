"""The same submission gets the same explanation, however busy the machine is."""

import pytest

from autograder.explain.diagnosis.prediction import dictionary_of
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from bench import measure
from tests.replays import explained

TIMES = 5
# each is found by another search that may take long: changed engines, changed forwards, walks over graphs
WRONG = {
    "value-unary": "flipped-sign",
    "vjp-elementwise": "operands-swapped",
    "count-paths": "counts-nodes",
}


@pytest.mark.parametrize(("slug", "name"), WRONG.items())
def test_an_explanation_does_not_depend_on_who_else_computes(
    slug: str, name: str, judge: Judge, packs: dict[str, Pack]
) -> None:
    """By the generators alone: a dictionary is looked up, and takes no time."""
    pack, source = packs[slug], packs[slug].wrong[name]
    known, report = dictionary_of(judge, pack, []), judge.grade(pack, source, measure.SEED)
    alone = explained(judge, pack, source, report, known)
    assert alone[0].key
    with measure.busy_processes():
        assert [explained(judge, pack, source, report, known) for _ in range(TIMES)] == [alone] * TIMES
