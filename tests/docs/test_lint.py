"""docs/authoring.md explains every rule of the linter, and nothing that is none."""

from autograder.prove.findings import RULES
from tests.docs.pages import first_column, read


def test_every_rule_is_explained() -> None:
    assert first_column(read("authoring").section("Rules")) == list(RULES)
