"""Finds the misconception that gives exactly the student's wrong numbers in every trial, if there is one.

`explain` is called after the verdict. See docs/diagnosis.md. The web process may import this package, so it must not import
torch at module level.
"""

from autograder.judge.diagnosis.declare import (
    Asked,
    forward_of,
    graph_of,
    raises,
    reads_as,
    refuses_numbers,
    second_order_of,
    symptom,
)
from autograder.judge.diagnosis.explain import Explanation, can_be_explained, explain, prepare

__all__ = [
    "Asked",
    "Explanation",
    "can_be_explained",
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
