"""docs/security.md speaks of every layer of the sandbox, and of nothing that is none."""

import pytest

from sandbox.limits import CURES, LAYERS
from tests.docs.pages import first_column, read

QUESTIONS = ("How it is put on:", "Stops:", "Does not stop:", "How selfcheck proves it:")


def test_there_is_a_section_for_exactly_every_layer() -> None:
    assert [section.title for section in read("security").sections if section.level == 3] == list(LAYERS)


@pytest.mark.parametrize("layer", LAYERS)
def test_a_section_answers_every_question(layer: str) -> None:
    text = read("security").section(layer).text
    assert [question for question in QUESTIONS if f"**{question}**" not in text] == []


def test_every_layer_has_its_cure() -> None:
    assert first_column(read("security").section("When a layer is missing")) == list(LAYERS)
    assert set(CURES) == set(LAYERS)


def test_it_says_that_graph_and_memory_checks_are_claims() -> None:
    assert "A graph check or a memory check runs beside the student's code and is a claim." in read("security").source
