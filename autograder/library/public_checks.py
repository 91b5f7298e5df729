"""Gradings with the public checks alone: runs on the site, and `manage.py grade --public`."""

from autograder.explain import batch
from autograder.explain.batch import GradedSource, GradingRequest
from autograder.explain.diagnosis import Explanation
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack, public
from autograder.judge.report import Report
from autograder.trace.model import Trace


def grade(judge: Judge, exercise: Pack, submission: GradingRequest) -> Report:
    """Work for a slot: grades a submission with the public checks."""
    return batch.grade(judge, public(exercise), submission)


def explained(judge: Judge, exercise: Pack, graded: GradedSource) -> tuple[tuple[Trace, ...], tuple[Explanation, ...]]:
    """Work for a slot: the traces and the explanations of a submission that was graded with the public checks."""
    return batch.explained(judge, public(exercise), graded)
