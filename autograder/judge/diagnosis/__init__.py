"""Why a gradient is wrong: the misconception that gives exactly the student's numbers, in every trial, or an honest shrug.

`explain` is called when the verdict is out. See docs/diagnosis.md. The web process may import this: no torch at the top.
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
