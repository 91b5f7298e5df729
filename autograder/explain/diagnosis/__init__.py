"""Finds the misconception that gives exactly the student's wrong numbers in every trial, if there is one.

`explain` is called after the verdict. It asks the submission the failed checks again (`transcript`), pairs its answers with
the right ones (`evidence`, `fingerprint`), collects claims, and chooses at most two (`keys` names them). Claims come from

- a `dictionary` of the wrong answers of predicted programs: the author's wrong solutions, and the `edits` of the reference.
  `prediction` makes it in advance;
- the `generators`, which look at the answers alone, with what the author has declared (`declare`).

See docs/diagnosis.md. The web process may import this package, so it must not import torch at module level.
"""

from autograder.explain.diagnosis.explain import Explanation, can_be_explained, explain, prepare
from autograder.explain.diagnosis.generators.built_graphs import canonical_export
from autograder.judge.diagnosis import (
    Asked,
    forward_of,
    graph_of,
    raises,
    reads_as,
    refuses_numbers,
    second_order_of,
    symptom,
)

__all__ = [
    "Asked",
    "Explanation",
    "can_be_explained",
    "canonical_export",
    "explain",
    "forward_of",
    "graph_of",
    "prepare",
    "raises",
    "reads_as",
    "refuses_numbers",
    "second_order_of",
    "symptom",
]
